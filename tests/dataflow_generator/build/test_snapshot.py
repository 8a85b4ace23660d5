"""The inputs of generation are loaded once, whatever number of job readers use them."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import changing_installation as changing
import pytest
from sqlalchemy import event

from dataflow_generator.build.assemble import installation_edges, installation_nodes, read_flows
from dataflow_generator.build.snapshot import load_snapshot
from scanner_dictionary.engine.open import Engine

ALL = changing.installation(
    connectors=changing.CONNECTORS,
    groups=["a.orders", "b.paid"],
    manual=[(("", "a.orders", None), ("", "z", None), "nightly")],
    flink=changing.STATEMENTS,
    streams=True,
    tables=changing.TABLES,
    links=changing.LINKS,
    materialized=changing.MATERIALIZED,
    events=changing.EVENTS,
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
        nodes, edges = list(installation_nodes(snapshot, flows)), list(installation_edges(snapshot, flows))

    assert nodes
    assert edges
    assert set(list(statements.values())[:loaded]) == {1}
    assert all("schema_column" in each or "lineage_column" in each for each in list(statements)[loaded:])


def test_a_snapshot_stays_as_it_is(engine, tmp_path) -> None:
    """What is scanned afterwards does not show in a graph that is being generated."""
    with engine.connect() as conn:
        snapshot = load_snapshot(conn)
    engine.dispose()
    changing.write_state(tmp_path / "dictionary.db", changing.installation(topics=(), connectors=(), manual=[]))

    assert [topic.name for _, topic in snapshot.topics] == ["a.orders", "b.paid"]
    assert len(snapshot.connectors) == len(changing.CONNECTORS)
