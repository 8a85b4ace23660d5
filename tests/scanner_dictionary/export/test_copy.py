"""A whole dictionary copied into another database, and back."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise

import pytest
from sqlalchemy import Engine

from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.export import TableCopy, copy_dictionary
from scanner_dictionary.queries.topic_schemas import schemas_of
from scanner_dictionary.schema import tables as t
from scanner_dictionary.schema.tables import metadata
from scanner_dictionary.write.scan import write_scan
from scanner_model.errors import DictionaryUnusable, InputInvalid

ODD = 'it\'s; \\N \\. \t\r\n "{}" żółć 注文 🦆 \u2028'
"""What COPY's text form could be mistaken in."""


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def url(request, tmp_path) -> str:
    """Return the URL of a missing file, and of an empty database of a server."""
    return request.getfixturevalue("postgres_url") if request.param == "postgresql" else f"{tmp_path}/target.db"


@pytest.fixture
def filled(dictionary, store, sample) -> Engine:
    """Return a dictionary with two scans, a deleted topic, and odd texts."""
    scan = sample.orders()
    store(scan)
    store(sample.orders(topics=(*scan.topics, sample.topic("odd", description=ODD, partitions=2**40))))
    store(sample.orders(topics=()))
    return dictionary


@pytest.fixture
def target(url) -> Iterator[Engine]:
    """Return the new dictionary."""
    engine = open_dictionary(url)
    yield engine
    engine.dispose()


def copied(source: Engine, target: Engine, **more) -> tuple[TableCopy, ...]:
    with source.connect() as conn:
        return copy_dictionary(conn, target, "target", **more)


def test_the_copy_has_the_same_rows_and_answers(filled, target, table_rows, tmp_path) -> None:
    """There and back: every value of every type survives both ways."""
    counts = copied(filled, target)
    back = open_dictionary(str(tmp_path / "back.db"))
    copied(target, back)

    assert table_rows(target) == table_rows(filled) == table_rows(back)
    assert {count.table for count in counts} == set(metadata.tables)
    assert all(count.source_rows == count.target_rows for count in counts)
    assert sum(count.target_rows for count in counts) == sum(map(len, table_rows(filled).values()))
    with filled.connect() as one, target.connect() as other:
        assert schemas_of(one, "kafka-1", "orders") == schemas_of(other, "kafka-1", "orders") != ()


def test_a_copy_can_be_scanned_into(filled, target, sample, at, table_rows) -> None:
    """The next scan goes on with the number and the keys of the source."""
    copied(filled, target)
    for engine in (filled, target):
        write_scan(engine, sample.orders(), started=at, finished=at)

    assert table_rows(target) == table_rows(filled)


def test_a_target_with_rows_is_refused_and_left_alone(filled, target, sample, at, table_rows) -> None:
    """A dictionary that was named by mistake must not be mixed with another."""
    write_scan(target, sample.scan(topics=(sample.topic("mine"),)), started=at, finished=at)
    before = table_rows(target)
    with pytest.raises(InputInvalid, match="the target is not empty") as caught:
        copied(filled, target)

    assert caught.value.where == "target"
    assert table_rows(target) == before


@pytest.mark.parametrize("table", ["scan", "schema_column"])
def test_an_interrupted_copy_leaves_the_target_empty_and_can_be_repeated(table, filled, target, table_rows) -> None:
    """Ctrl-C, in the middle of any table."""

    def interrupt(name: str, done: int, total: int) -> None:
        if name == table and done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        copied(filled, target, progress=interrupt)
    assert not any(table_rows(target).values())

    copied(filled, target)
    assert table_rows(target) == table_rows(filled)


def test_rows_are_reported_while_they_are_copied(filled, target) -> None:
    """Ten million rows take minutes."""
    calls: list[tuple[str, int, int]] = []
    counts = copied(filled, target, progress=lambda *call: calls.append(call))

    assert [call for call in calls if call[1] == 0] == [(count.table, 0, count.source_rows) for count in counts]
    assert {name: done for name, done, _ in calls} == {count.table: count.target_rows for count in counts}


@pytest.mark.postgres
def test_a_scan_that_is_stored_meanwhile_is_not_in_the_copy(
    filled, dictionary, postgres_url, tmp_path, sample, at, table_rows
) -> None:
    """The copy is of one moment; half a scan would not fit together. A scan into a file waits instead."""
    server, back = open_dictionary(postgres_url), open_dictionary(str(tmp_path / "back.db"))
    copied(filled, server)

    def scan(name: str, done: int, total: int) -> None:
        if name == "cluster" and not done:
            write_scan(server, sample.scan(topics=(sample.topic("new"),)), started=at, finished=at)

    copied(server, back, progress=scan)

    assert table_rows(back) == table_rows(filled) != table_rows(server)


def test_what_the_target_refuses_is_an_error_that_names_it(filled, target, url, table_rows, tmp_path) -> None:
    """COPY is past the translation of errors that other statements have."""
    with closing(sqlite3.connect(tmp_path / "dictionary.db")) as conn:
        conn.execute("UPDATE topic SET source_id = 99")
        conn.commit()
    with pytest.raises(DictionaryUnusable, match=r"(?i)foreign key") as caught:
        copied(filled, target)

    assert caught.value.where in (url, "target")
    assert not any(table_rows(target).values())


def test_a_row_that_got_lost_is_noticed_before_the_commit(filled, target, table_rows) -> None:
    """A trigger of somebody's must not make a copy that looks whole."""
    with target.begin() as conn:
        if conn.dialect.name == "sqlite":
            conn.exec_driver_sql("CREATE TRIGGER lose AFTER INSERT ON finding BEGIN DELETE FROM finding; END")
        else:
            conn.exec_driver_sql("CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'")
            conn.exec_driver_sql("CREATE TRIGGER lose BEFORE INSERT ON finding FOR EACH ROW EXECUTE FUNCTION lose()")
    with pytest.raises(DictionaryUnusable, match="the table finding has 0 rows"):
        copied(filled, target)

    assert not any(table_rows(target).values())


def test_rows_pass_in_bounded_batches(dictionary, target) -> None:
    """However long a table is, few of its rows are in memory."""
    rows = [{"id": i, "cluster_id": 1, "name": str(i), "kind": "", "stale_reason": ""} for i in range(10_000)]
    with dictionary.begin() as conn:
        conn.execute(t.cluster.insert().values(id=1, name="c", kafka_cluster_id=""))
        conn.execute(t.source.insert(), rows)
    steps: list[int] = []
    copied(dictionary, target, progress=lambda name, done, _: name == "source" and steps.append(done))

    assert max(after - before for before, after in pairwise(steps)) <= 2_000
    assert steps[-1] == 10_000
