"""The graph of an earlier scan is the one that was generated then."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import changing_installation as changing
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dataflow_generator.build.assemble import build_graph, read_flows
from dataflow_generator.build.schema_nodes import schema_rows
from dataflow_generator.build.snapshot import load_snapshot
from dataflow_generator.build.store import generate, store
from dataflow_generator.graph import FlowGraph, NodeKind
from dataflow_generator.openlineage.events import read_event
from dataflow_generator.query.contents import Part, edge_counts
from dataflow_generator.query.stored_graph import (
    GeneratedGraph,
    graph_in_dictionary,
    graph_in_past,
    neighbourhood,
    stored_lineage,
)
from dataflow_generator.query.traversal import TraversalOptions
from scanner_dictionary.engine.open import Connection, open_dictionary
from scanner_dictionary.graph.past import PastGraphReader
from scanner_dictionary.graph.reader import SqlGraphReader
from scanner_dictionary.graph.store import NodeRow, StoredGraph, stored_graph
from scanner_dictionary.graph.versions import graph_versions
from scanner_dictionary.queries.graph_nodes import nodes_named
from scanner_dictionary.write.events import write_events
from scanner_model.errors import NameUnknown
from scanner_model.names import Role

SCANS = 10
ASKED = ("a.orders", "b.paid", "Q0", "a.orders.id", "landed")
Contents = dict[str, Any]


def content(graph: FlowGraph) -> tuple[Any, ...]:
    """Return what a graph has, in no order: past rows come after those that are still there."""
    return sorted(map(repr, graph.nodes())), sorted(map(repr, graph.edges()))


def answers(graph: GeneratedGraph) -> Contents:
    """Return what the graph answers: all of it, the components, and the lineage of some names."""
    found: Contents = {
        "whole": content(graph.whole()),
        "part": content(graph.part("shop")),
        "components": sorted((sorted(each.sizes.items()), each.nodes) for each in graph.components()),
        "names": sorted(map(repr, graph.rows.names_known())),
        "datasets": list(graph.rows.dataset_names()),
        "clusters": list(graph.rows.cluster_names()),
        "size": (graph.about.nodes, graph.about.edges),
        "top": sorted(row[1:] for row in graph.rows.top_nodes(1_000)),
    }
    for name in ASKED:
        try:
            rows = nodes_named(graph.rows, name)
        except NameUnknown:
            found[name] = None
        else:
            found[name] = sorted((row[1:], lineage_of(graph, row)) for row in rows)
    return found


def lineage_of(graph: GeneratedGraph, row: NodeRow) -> Any:
    reached, nodes = stored_lineage(graph.rows, row, TraversalOptions(columns=True))
    edges = sorted((nodes[hop.source].node_key, nodes[hop.target].node_key, *hop.edge[3:]) for hop in reached.hops)
    around = (
        content(neighbourhood(graph.rows, graph.about, row)) if row.kind != NodeKind.COLUMN or row.namespace else ()
    )
    return edges, sorted(node[1:] for node in nodes.values()), around, near(graph, row)


def near(graph: GeneratedGraph, row: NodeRow) -> Any:
    """Return two hops around a node with the numbers of edges; it is read in bounded parts."""
    assert isinstance(graph.rows, SqlGraphReader | PastGraphReader)
    reached, nodes = stored_lineage(graph.rows, row, TraversalOptions(upstream=2, downstream=2, most=2000))
    part = Part(graph.rows, dict(nodes), {hop.edge.id: hop.edge for hop in reached.hops}, 2000)
    part.add_surroundings(row)
    keys = {key: node.node_key for key, node in part.nodes.items()}
    edges = sorted((keys[edge.source_node_id], keys[edge.target_node_id], *edge[3:]) for edge in part.edges.values())
    counted = [edge_counts(graph.rows, part.nodes.values(), forward=forward) for forward in (False, True)]
    counts = [sorted((keys[key], count) for key, count in side.items()) for side in counted]
    return edges, sorted(keys.values()), counts, part.complete


def generated(file: Path, state: dict[str, Any]) -> Contents:
    """Scan an installation, generate its graph, and return what it answers."""
    engine = changing.write_state(file, state)
    generate(engine)
    with engine.connect() as conn:
        about = stored_graph(conn)
        assert about is not None
        return answers(graph_in_dictionary(SqlGraphReader(conn), about))


def as_of(conn: Connection, scan: int) -> GeneratedGraph:
    """Return the graph of *scan*, by way of what differs from the stored one, even where nothing does."""
    (version,) = [each for each in graph_versions(conn) if each.scan == scan]
    about = StoredGraph(scan, version.nodes, version.edges, version.coverage)
    return graph_in_past(PastGraphReader(conn, scan, schema_rows), about)


@st.composite
def long_histories(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Return ten states of an installation: whole histories one after the other, so that much comes back as it was."""
    states: list[dict[str, Any]] = []
    while len(states) < SCANS:
        states += draw(changing.histories())
    return states[:SCANS]


@pytest.mark.slow
@settings(
    max_examples=2, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(history=long_histories())
def test_graph_of_each_of_ten_scans_is_the_one_generated_then(empty, tmp_path_factory, history) -> None:
    """Whatever came, went, changed or came back since."""
    file = Path(shutil.copy(empty, tmp_path_factory.mktemp("past") / "dictionary.db"))
    then = [generated(file, state) for state in history]

    with open_dictionary(str(file)).connect() as conn:
        for scan, expected in enumerate(then, 1):
            now = answers(as_of(conn, scan))
            assert now == expected


def stored_as_it_comes(file: Path, state: dict[str, Any]) -> Contents:
    """Scan an installation, store its graph as Spark does, numbered in its order, and return what it answers."""
    engine = changing.write_state(file, state)
    with engine.connect() as conn:
        snapshot = load_snapshot(conn)
        flows = read_flows(snapshot)
        conn.rollback()
        store(engine, build_graph(snapshot, flows))
    with engine.connect() as conn:
        about = stored_graph(conn)
        assert about is not None
        return answers(graph_in_dictionary(SqlGraphReader(conn), about))


@pytest.mark.slow
def test_graphs_that_engines_number_in_their_own_way_are_compared(empty, tmp_path) -> None:
    """Nodes are known by their keys; which engine stored a graph changes nothing of the others."""
    file = Path(shutil.copy(empty, tmp_path / "dictionary.db"))
    other = {("a.orders", Role.VALUE): changing.FIELDS[:1]}
    states = (
        changing.installation(),
        changing.installation(schemas=other),
        changing.installation(connectors=(), flink=changing.STATEMENTS[:4]),
    )
    for first, second in ((generated, stored_as_it_comes), (stored_as_it_comes, generated)):
        for make in (first, second, first):
            make(file, states[0])
        then = [make(file, state) for make, state in zip((first, second, first), states, strict=True)]
        with open_dictionary(str(file)).connect() as conn:
            newest = graph_versions(conn)[-1].scan
            assert [answers(as_of(conn, newest - 2 + at)) for at in range(3)] == then


def test_graph_generated_again_without_a_scan_is_that_of_the_scan(empty, tmp_path) -> None:
    """Events belong to no scan: the graph of the newest one has them, those before do not; no state is left over."""
    file = Path(shutil.copy(empty, tmp_path / "dictionary.db"))
    first = generated(file, changing.installation())
    before = generated(file, changing.installation(topics=("a.orders",)))
    engine = open_dictionary(str(file))
    write_events(engine, [read_event(json.dumps(changing.EVENT))])
    generate(engine)
    with engine.connect() as conn:
        assert answers(as_of(conn, 1)) == first
        with_event = answers(as_of(conn, 2))
        assert with_event["whole"] != before["whole"]
        assert [version.scan for version in graph_versions(conn)] == [1, 2]
    engine.dispose()
    generated(file, changing.installation())

    with open_dictionary(str(file)).connect() as conn:
        assert answers(as_of(conn, 2)) == with_event
        assert answers(as_of(conn, 1)) == first
