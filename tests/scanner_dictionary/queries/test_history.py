"""What the dictionary is: revision, size and counts, in a file and on a server."""

import pytest

from scanner_dictionary.engine.open import REVISION, open_dictionary
from scanner_dictionary.queries.history import dictionary_summary
from scanner_dictionary.write.scan import write_scan


def test_what_is_gone_does_not_count(dictionary, sample, store) -> None:
    """People ask what there is; the history stays in the tables."""
    store(sample.orders())
    with dictionary.connect() as conn:
        before = dict(dictionary_summary(conn).counts)
    store(sample.scan(outcomes=sample.orders().outcomes))
    with dictionary.connect() as conn:
        after = dict(dictionary_summary(conn).counts)

    assert before["topics"] == 1
    assert before["versions"] > 0
    assert (after["topics"], after["versions"]) == (0, 0)
    assert after["schemas"] == before["schemas"]


def test_revision_and_size_are_reported(dictionary) -> None:
    """The first question of every bug report."""
    with dictionary.connect() as conn:
        about = dictionary_summary(conn)

    assert about.revision == REVISION
    assert about.bytes > 0


@pytest.mark.postgres
def test_a_server_reports_the_same(sample, postgres_url, at, dictionary, store) -> None:
    """Where the dictionary is does not change what it holds."""
    store(sample.orders())
    server = open_dictionary(postgres_url)
    write_scan(server, sample.orders(), started=at, finished=at)
    with dictionary.connect() as file, server.connect() as conn:
        assert dictionary_summary(conn).counts == dictionary_summary(file).counts
        assert dictionary_summary(conn).bytes > 0
