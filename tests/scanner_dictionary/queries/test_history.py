"""What the dictionary is: size and counts, in a file and on a server."""

import pytest

from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.queries.history import dictionary_counts, dictionary_size
from scanner_dictionary.write.scan import write_scan


def test_what_is_gone_does_not_count(dictionary, sample, store) -> None:
    """People ask what there is; the history stays in the tables."""
    store(sample.orders())
    with dictionary.connect() as conn:
        before = dict(dictionary_counts(conn))
    store(sample.scan(outcomes=sample.orders().outcomes))
    with dictionary.connect() as conn:
        after = dict(dictionary_counts(conn))

    assert before["topics"] == 1
    assert before["versions"] > 0
    assert (after["topics"], after["versions"]) == (0, 0)
    assert after["schemas"] == before["schemas"]


def test_the_size_is_reported(dictionary) -> None:
    """The first question of every bug report."""
    with dictionary.connect() as conn:
        assert dictionary_size(conn) > 0


@pytest.mark.postgres
def test_a_server_reports_the_same(sample, postgres_url, at, dictionary, store) -> None:
    """Where the dictionary is does not change what it holds."""
    store(sample.orders())
    server = open_dictionary(postgres_url)
    write_scan(server, sample.orders(), started=at, finished=at)
    with dictionary.connect() as file, server.connect() as conn:
        assert dictionary_counts(conn) == dictionary_counts(file)
        assert dictionary_size(conn) > 0
