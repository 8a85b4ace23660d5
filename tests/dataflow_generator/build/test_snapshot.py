"""The inputs of generation are loaded once, whatever number of job readers use them."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import changing_estate as changing
import pytest
from sqlalchemy import event

from dataflow_generator.build.assemble import estate_edges, estate_nodes, read_flows
from dataflow_generator.build.snapshot import load_snapshot
from scanner_dictionary.engine.open import Engine

ALL = changing.estate(
    connectors=changing.CONNECTORS,
    groups=["a.orders", "b.paid"],
    manual=[(("", "a.orders", None), ("", "z", None), "nightly")],
    flink=changing.STATEMENTS,
    streams=True,
    tables=True,
    event=True,
)


@pytest.fixture
def engine(empty, tmp_path) -> Engine:
    """Return a dictionary with jobs of every kind."""
    return changing.write_state(Path(shutil.copy(empty, tmp_path / "dictionary.db")), ALL)


def test_each_input_is_read_once(engine) -> None:
    """Connectors are used for their jobs, for consumer groups and to derive columns; only columns are read by batch."""
    statements: Counter[str] = Counter()

    @event.listens_for(engine, "before_cursor_execute")
    def count(_conn, _cursor, statement, *_):
        statements[statement] += 1

    with engine.connect() as conn:
        snapshot = load_snapshot(conn)
        loaded = len(statements)
        flows = read_flows(snapshot)
        nodes, edges = list(estate_nodes(snapshot, flows)), list(estate_edges(snapshot, flows))

    assert nodes
    assert edges
    assert set(list(statements.values())[:loaded]) == {1}
    assert all("schema_column" in each or "lineage_column" in each for each in list(statements)[loaded:])


def test_a_snapshot_stays_as_it_is(engine) -> None:
    """What is scanned afterwards does not show in a graph that is being generated."""
    with engine.connect() as conn:
        snapshot = load_snapshot(conn)
    engine.dispose()
    changing.write_state(Path(str(engine.url.database)), changing.estate(topics=(), connectors=(), manual=[]))

    assert [topic.name for topic in snapshot.topics] == ["a.orders", "b.paid"]
    assert len(snapshot.connectors) == len(changing.CONNECTORS)
