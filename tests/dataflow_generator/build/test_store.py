"""The stored graph equals one that is generated from scratch, whatever changed in the installation."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path
from typing import Any

import changing_installation as changing
import pytest
from hypothesis import HealthCheck, given, settings

from dataflow_generator.analysis.findings import stored_findings, validate
from dataflow_generator.build.assemble import build_graph, read_flows
from dataflow_generator.build.dictionary_source import DictionarySource
from dataflow_generator.build.snapshot import load_snapshot
from dataflow_generator.build.store import generate, store
from dataflow_generator.parquet.job_batches import write_graph
from dataflow_generator.parquet.reader import graph_in_parquet
from dataflow_generator.query.stored_graph import whole_graph
from dataflow_generator.render import OUTPUTS
from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.graph.reader import SqlGraphReader
from scanner_dictionary.graph.store import StoredGraph, stored_graph, topic_level
from scanner_model.errors import DictionaryUnusable
from scanner_model.names import Role

FIELDS, installation = changing.FIELDS, changing.installation
TABLES = ("flow_node", "flow_edge", "flow_graph")


def scanned(file: Path, state: dict[str, Any]) -> StoredGraph:
    """Store what an installation became, and generate its graph."""
    return generate(changing.write_state(file, state))


def rows(file: Path) -> list[list[Any]]:
    """Return all that is stored of the graph, with the keys of its rows."""
    with sqlite3.connect(file) as stored:
        return [stored.execute(f"SELECT * FROM {table} ORDER BY id").fetchall() for table in TABLES]


def from_scratch(file: Path) -> list[list[Any]]:
    """Return the same of a dictionary in which no graph was stored before."""
    other = Path(shutil.copy(file, file.with_suffix(".other.db")))
    with sqlite3.connect(other) as conn:
        for table in reversed(TABLES):
            conn.execute(f"DELETE FROM {table}")
    generate(open_dictionary(str(other)))
    return rows(other)


def document(file: Path) -> str:
    """Return the stored graph as JSON."""
    with open_dictionary(str(file)).connect() as conn:
        return "".join(OUTPUTS["json"](whole_graph(SqlGraphReader(conn), stored_graph(conn))))


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(history=changing.histories())
def test_stored_graph_is_the_one_made_from_scratch(empty, tmp_path_factory, history) -> None:
    """Not a byte may tell in which order an installation became what it is; in Parquet files the graph is the same."""
    home = tmp_path_factory.mktemp("stored")
    file = Path(shutil.copy(empty, home / "dictionary.db"))
    for state in history:
        scanned(file, state)
        about = write_graph(DictionarySource(str(file)), home / "graph").about

        assert rows(file) == from_scratch(file)
        assert document(file) == "".join(OUTPUTS["json"](graph_in_parquet(home / "graph", about).whole()))
        with open_dictionary(str(file)).connect() as conn:
            graph = whole_graph(SqlGraphReader(conn), stored_graph(conn))
            assert stored_findings(topic_level(conn)) == validate(graph.nodes(), graph.edges())


@pytest.fixture
def file(empty, tmp_path) -> Path:
    """Return a dictionary with the graph of an installation."""
    copied = Path(shutil.copy(empty, tmp_path / "dictionary.db"))
    scanned(copied, installation())
    return copied


def marked(file: Path) -> None:
    """Mark the rows of schemas, so that it is seen which of them stay."""
    with sqlite3.connect(file) as conn:
        conn.execute("UPDATE flow_node SET namespace = 'marked' WHERE id > 0")


def marks(file: Path) -> list[bool]:
    """Return for each row of a schema whether it is one that was marked."""
    return [row[3] == "marked" for row in rows(file)[0] if row[0] > 0]


def test_schemas_that_topics_still_have_keep_their_rows(file) -> None:
    """A definition is never changed; whatever else changes, its rows are those that were stored first."""
    before = len(marks(file))
    marked(file)
    scanned(file, installation(topics=("a.orders", "z"), connectors=(), events=changing.EVENTS, tables=changing.TABLES))

    assert marks(file) == [True] * before


def test_a_schema_goes_with_its_last_topic_and_comes_back_with_the_next(file) -> None:
    """Its definition stays in the dictionary, where history is queried."""
    other = {("a.orders", Role.VALUE): FIELDS[:1]}
    for schemas in (other, {}, {**other, ("b.paid", Role.KEY): FIELDS}):
        scanned(file, installation(schemas=schemas))

        assert rows(file) == from_scratch(file)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE flow_graph SET schema_layout = 0",
        "UPDATE flow_graph SET schema_layout = NULL",
        "DELETE FROM flow_edge WHERE id > 0",
        "UPDATE flow_node SET node_key = 'x' || node_key WHERE kind = 'schema'",
    ],
)
def test_schemas_that_this_program_did_not_store_are_stored_again(file, damage) -> None:
    """As those of an older one, of another engine, or where somebody deleted rows."""
    with sqlite3.connect(file) as conn:
        conn.execute(damage)
    marked(file)
    scanned(file, installation())

    assert not any(marks(file))
    assert rows(file) == from_scratch(file)


def test_any_graph_is_stored_as_it_comes_and_the_next_one_keeps_nothing_of_it(file) -> None:
    """Spark gives it row by row, numbered in its order."""
    expected, engine = document(file), open_dictionary(str(file))
    with engine.connect() as conn:
        snapshot = load_snapshot(conn)
        flows = read_flows(snapshot)
        conn.rollback()
        store(engine, build_graph(snapshot, flows))

    assert document(file) == expected
    generate(engine)
    assert rows(file) == from_scratch(file)


def test_a_program_that_fails_leaves_the_graph_before(file) -> None:
    """Either all of it is the new one, or nothing."""
    before = rows(file)
    with sqlite3.connect(file) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(DictionaryUnusable):
            generate(open_dictionary(str(file), patience=0.1))

    assert rows(file) == before
