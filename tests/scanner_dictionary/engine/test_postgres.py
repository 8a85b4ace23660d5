"""The dictionary on a real PostgreSQL server: the same rows, the same answers, the same plain errors."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from queue import Queue

import pytest
from sqlalchemy import Engine, select
from waiting import PATIENCE

from scanner_dictionary.engine.open import open_dictionary, writing
from scanner_dictionary.queries.listings import TopicFilter, topics
from scanner_dictionary.queries.topic_schemas import schemas_of
from scanner_dictionary.schema import tables as t
from scanner_dictionary.write.scan import write_scan
from scanner_model.errors import DictionaryBusy, DictionaryUnusable

pytestmark = pytest.mark.postgres


@pytest.mark.smoke
def test_server_holds_the_same_rows_as_a_file(
    sample, dictionary, postgres_url, store, contents, table_rows, at
) -> None:
    """What is stored must not depend on where."""
    server = open_dictionary(postgres_url)
    for scan in (sample.orders(), sample.unavailable(sample.orders(), sample.registry), sample.scan(), sample.orders()):
        store(scan)
        write_scan(server, scan, started=at, finished=at)

    assert table_rows(server) == contents()


def test_server_answers_the_platforms_question(sample, postgres_url, at) -> None:
    """Broker and topic lead to the schemas there as in a file."""
    server = open_dictionary(postgres_url)
    write_scan(server, sample.orders(), started=at, finished=at)

    with open_dictionary(postgres_url, create=False).connect() as conn:
        answers = schemas_of(conn, "KAFKA-2", "orders")
        assert [(answer.role, answer.version, len(answer.columns)) for answer in answers] == [
            ("key", 1, 1),
            ("value", 2, 2),
        ]
        assert [row.name for row in topics(conn, TopicFilter(pattern="ord*"))] == ["orders"]


def test_text_that_the_server_refuses_is_replaced(sample, postgres_url, at) -> None:
    """One odd character in a description must not cost the whole scan."""
    topic = sample.topic("orders", description="a\0b\ud800c")
    server = open_dictionary(postgres_url)
    write_scan(server, sample.scan(topics=(topic,)), started=at, finished=at)

    with server.connect() as conn:
        assert conn.scalars(select(t.topic.c.description)).one() == "a\ufffdb\ufffdc"


def test_exception_half_way_leaves_the_last_scan_on_the_server(sample, postgres_url, at, table_rows) -> None:
    """A scan is one transaction there, too."""
    server = open_dictionary(postgres_url)
    write_scan(server, sample.orders(), started=at, finished=at)
    before = table_rows(server)
    with pytest.raises(DictionaryUnusable):
        _half_a_scan(server)

    assert table_rows(server) == before


def test_wrong_database_is_named_and_the_password_is_not(postgres_url) -> None:
    """The message must lead to the wrong part of the URL without showing its secret."""
    with pytest.raises(DictionaryUnusable) as caught:
        open_dictionary(postgres_url + "_nobody_made")

    assert "hidden-word" not in str(caught.value)
    assert caught.value.where.startswith("postgresql://scanner:***@127.0.0.1")


def test_server_that_does_not_answer_is_an_error_with_a_hint(postgres_url) -> None:
    """A closed port is the commonest mistake."""
    with pytest.raises(DictionaryUnusable) as caught:
        open_dictionary("postgresql://scanner:hidden-word@127.0.0.1:1/none", patience=2)

    assert "cannot be reached" in caught.value.what
    assert "hidden-word" not in str(caught.value)


def test_second_writer_waits_for_the_first(sample, postgres_url, at) -> None:
    """Two scans at once must not choose the same keys."""
    server = open_dictionary(postgres_url)
    with writing(server), pytest.raises(DictionaryUnusable, match="in use by another program"):
        _lock_at_once(server)

    assert write_scan(server, sample.orders(), started=at, finished=at).scan_id == 1


def test_a_second_scan_states_for_whom_it_waits_and_is_stored(sample, postgres_url, at) -> None:
    """What was read must not be thrown away because another scan is being stored."""
    messages: Queue[str] = Queue()
    server = open_dictionary(postgres_url)
    waiting = open_dictionary(postgres_url, patience=60, notify=messages.put)
    with ThreadPoolExecutor(1) as threads:
        with writing(server) as conn:
            pid = conn.exec_driver_sql("SELECT pg_backend_pid()").scalar()
            second = threads.submit(write_scan, waiting, sample.orders(), started=at, finished=at)
            message = messages.get(timeout=PATIENCE)
            with open_dictionary(postgres_url, create=False).connect() as reader:
                assert reader.exec_driver_sql("SELECT count(*) FROM scan").scalar() == 0
            assert not second.done()

        assert second.result(timeout=PATIENCE).scan_id == 1
    assert f"server process {pid} of" in message
    assert messages.empty()


def test_a_scan_that_waited_long_enough_states_who_writes(sample, postgres_url, at) -> None:
    """An end that a user can act on."""
    server = open_dictionary(postgres_url)
    with writing(server), pytest.raises(DictionaryBusy, match="in use by another program"):
        write_scan(open_dictionary(postgres_url, patience=0.01), sample.orders(), started=at, finished=at)


def test_dictionaries_created_at_once_are_created_once(postgres_url) -> None:
    """Two timers may fire together before there is a dictionary."""
    with ThreadPoolExecutor(4) as threads:
        engines = list(threads.map(open_dictionary, [postgres_url] * 4))

    assert len(engines) == 4


def _half_a_scan(server: Engine) -> None:
    with writing(server) as conn:
        conn.execute(t.change_log.delete())
        conn.execute(t.topic.insert().values(id=1))


def _lock_at_once(server: Engine) -> None:
    with server.begin() as conn:
        conn.exec_driver_sql("SET LOCAL lock_timeout = '50ms'")
        conn.exec_driver_sql("LOCK TABLE scan IN EXCLUSIVE MODE")
