"""The graph as a whole for a page, and which of its nodes are stale or unread."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import changing_installation as changing
import pytest

from dataflow_generator.build.store import generate
from scanner_api.dictionary import Dictionary, open_dictionary
from scanner_api.questions.graph import GraphNode, lineage, paths, whole_graph
from scanner_dictionary.write.scan import write_scan
from scanner_model.scan import ClusterScan, SourceResult, SourceStatus
from scanner_model.streaming_sql import StreamingStatement

READ_A, _, INTO_P, COPY = changing.STATEMENTS[:4]
PLAIN = changing.scan_of(
    changing.installation(
        groups=["a.orders"], streams=True, manual=[(("", "a.orders", None), ("", "b.paid", None), "nightly")]
    )
)
FULL = replace(
    PLAIN,
    statements=tuple(
        StreamingStatement(
            source=changing.SOURCES["flink"], name=f"s-{at}", statement=text, kind="", state="", created="1"
        )
        for at, text in enumerate((READ_A, INTO_P, f"{COPY};\n{COPY}"))
    ),
)
FACTS = ("topics", "topic_schemas", "ksql_sources", "queries", "connectors", "consumer_groups", "statements")


def without(kind: str) -> ClusterScan:
    """Return FULL where the source of *kind* could not be read."""
    outcomes = tuple(
        SourceResult(source=each.source, kind=kind, status=SourceStatus.UNAVAILABLE, reason="no route")
        if each.kind == kind
        else each
        for each in FULL.outcomes
    )
    lists = {name: getattr(FULL, name) for name in (*FACTS, "topologies", "declared_flows")}
    rest = {
        name: tuple(fact for fact in facts if not fact.source.startswith(f"{kind}:")) for name, facts in lists.items()
    }
    return replace(FULL, outcomes=outcomes, **rest)


@pytest.fixture
def write(tmp_path: Path) -> Any:
    """Return a function that writes a scan and generates the graph."""
    dictionary = open_dictionary(tmp_path / "dictionary.db", create=True)

    def write(number: int, scan: ClusterScan) -> Dictionary:
        engine = dictionary.writing()
        at = datetime(2026, 1, number, tzinfo=UTC)
        write_scan(engine, scan, started=at, finished=at)
        generate(engine)
        engine.dispose()
        return dictionary

    return write


def stale_names(nodes: Iterable[GraphNode]) -> dict[str, str]:
    """Return why nodes are stale; they were looked up."""
    assert all(node.stale is not None for node in nodes)
    return {node.name: node.stale for node in nodes if node.stale}


def test_a_small_graph_is_whole_but_for_schemas_and_columns(write) -> None:
    """Each edge is between nodes that are there."""
    whole = whole_graph(write(1, FULL))
    ids = {node.id for node in whole.nodes}

    assert whole.complete
    assert {"cluster", "topic", "job", "dataset", "consumer-group"} == {node.kind for node in whole.nodes}
    assert {end for edge in whole.edges for end in (edge.source, edge.target)} <= ids
    assert {"contains", "reads", "writes"} <= {edge.kind for edge in whole.edges}
    assert (whole.node_count, whole.coverage.statements) > (len(ids), 0)


def test_a_large_graph_has_its_size_only(write) -> None:
    """Nobody can look at it at once; one node fewer is as much as was asked for."""
    dictionary = write(1, FULL)
    count = len(whole_graph(dictionary).nodes)
    exact, larger = whole_graph(dictionary, limit=count), whole_graph(dictionary, limit=count - 1)

    assert (exact.complete, len(exact.nodes)) == (True, count)
    assert (larger.complete, larger.nodes, larger.edges, larger.node_count) == (False, (), (), exact.node_count)


def test_the_graph_of_an_earlier_scan_is_as_it_was_and_not_judged_by_todays_sources(write) -> None:
    """What could not be read since says nothing of then."""
    write(1, FULL)
    dictionary = write(2, changing.scan_of(changing.installation()))
    then, now = whole_graph(dictionary, as_of=1), whole_graph(dictionary)

    assert {node.name for node in then.nodes} - {node.name for node in now.nodes} >= {"app", "people", "nightly"}
    assert (then.scan, {node.stale for node in then.nodes}) == (1, {None})
    assert (now.scan, {node.stale for node in now.nodes}) == (2, {""})


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("kafka", {"a.orders", "b.paid", "people"}),
        ("schema_registry", {"a.orders", "b.paid"}),
        ("connect", {"c0", "c1"}),
        ("ksqldb", {"Q0"}),
        ("flink", {"s-2:1", "s-2:2"}),
        ("streams", {"app"}),
    ],
)
def test_what_a_lost_source_had_is_stale_with_the_reason(write, source, names) -> None:
    """Others stay fresh: the fault of one server is not that of all."""
    write(1, FULL)
    whole = whole_graph(write(2, without(source)))

    assert stale_names(whole.nodes) == dict.fromkeys(names, f"{changing.SOURCES[source]}: no route")


def test_parts_and_paths_have_the_stale_nodes_too(write) -> None:
    """They are what a page adds to its graph."""
    write(1, FULL)
    dictionary = write(2, without("ksqldb"))
    part, way = lineage(dictionary, "a.orders", hops=1), paths(dictionary, "a.orders", "b.paid", limit=100)

    assert list(stale_names(part.nodes)) == list(stale_names(way.nodes)) == ["Q0"]
    assert {node.stale for node in lineage(dictionary, "a.orders", as_of=1).nodes} == {None}
