"""Conformance of where a graph is stored: the dictionary and Parquet files give the same answers."""

import shutil
from functools import cache
from pathlib import Path

import pytest

from dataflow_generator.build.assemble import build_graph, read_flows
from dataflow_generator.build.dictionary_source import DictionarySource
from dataflow_generator.build.snapshot import load_snapshot
from dataflow_generator.build.store import store
from dataflow_generator.graph import NodeKind
from dataflow_generator.parquet.dataset import checked_manifest, graph_directory
from dataflow_generator.parquet.job_batches import write_graph
from dataflow_generator.parquet.reader import graph_in_parquet
from dataflow_generator.query.stored_graph import graph_in_dictionary, neighbourhood, stored_lineage
from dataflow_generator.query.traversal import TraversalOptions
from dataflow_generator.render import OUTPUTS
from dataflow_generator.stored.impact import impact_of
from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.graph.reader import SqlGraphReader
from scanner_dictionary.graph.store import read_nodes, stored_graph
from scanner_dictionary.queries.graph_nodes import nodes_named, related_columns
from scanner_model.errors import InputInvalid, NameUnknown


def newer(directory):
    (directory / "_about.json").write_text('{"format": 99, "last_scan": 1, "nodes": 1, "edges": 1, "coverage": ""}')


HARMS = [
    (newer, "written by a newer scanner: format 99"),
    (lambda graph: next(graph.glob("edges/*/*.parquet")).unlink(), "is incomplete: .* edges"),
    (lambda graph: next(graph.glob("nodes/*/*.parquet")).write_bytes(b"PAR1"), "cannot be read"),
]


@pytest.fixture(scope="module")
def graphs_of(installation_of, tmp_path_factory):
    """Return what makes the graph of a seed, in the dictionary and in files, and gives both."""
    home, engines = tmp_path_factory.mktemp("places"), []

    @cache  # a graph that is queried keeps its dictionary from being written
    def stored_and_written(seed):
        url, directory = installation_of(seed, home), home / f"graph-{seed}"
        source = DictionarySource(url)
        write_graph(source, directory)
        engines.append(open_dictionary(url))
        with engines[-1].connect() as conn:
            snapshot = load_snapshot(conn)
            flows = read_flows(snapshot)
            conn.rollback()
            store(engines[-1], build_graph(snapshot, flows))
        conn = engines[-1].connect()
        return conn, graph_in_dictionary(SqlGraphReader(conn), stored_graph(conn)), directory

    yield stored_and_written
    for engine in engines:
        engine.dispose()


def queried_nodes(conn):
    """Return a node of each kind, a column of a schema among them."""
    found = {}
    for node in read_nodes(conn):
        found.setdefault((node.kind, bool(node.namespace)), node)
    return list(found.values())


def answers(graph, key):
    """Query everything about a node."""
    try:
        (node,) = [each for each in nodes_named(graph.rows, key) if each.node_key == key]
    except NameUnknown as error:
        return str(error).replace(graph.rows.location, "")
    reached, nodes = stored_lineage(graph.rows, node, TraversalOptions(columns=True))
    steps = [(nodes[hop.source].node_key, nodes[hop.target].node_key, hop.edge.evidence) for hop in reached.hops]
    part = neighbourhood(graph.rows, graph.about, node, 2)
    impact = impact_of(graph.rows, node, key)
    reach = [(impact.nodes[each.node].node_key, each.path, each.use, each.steps) for each in impact.affected]
    near = related_columns(graph.rows, key)
    return [each.node_key for each in nodes.values()], steps, "".join(OUTPUTS["json"](part)), reach, near


def same_answers(conn, one, other):
    for node in queried_nodes(conn):
        assert answers(one, node.node_key) == answers(other, node.node_key)
        if node.kind == NodeKind.CLUSTER:
            parts = [each.part(node.name) for each in (one, other)]
            assert len({"".join(OUTPUTS["json"](part)) for part in parts}) == 1
    for text in ("orders", "paid.id", "kafka://k0-b:9092/orders", "R 1.0.id"):
        found = [names(each, text) for each in (one, other)]
        # Of a name that is not known columns are suggested by the dictionary only.
        assert found[0] == found[1] or not any(isinstance(each, list) for each in found)
    assert one.rows.cluster_names() == other.rows.cluster_names()
    assert one.components() == other.components()


def names(graph, text):
    try:
        return [node.node_key for node in nodes_named(graph.rows, text)]
    except NameUnknown as error:
        return error.hint


@pytest.mark.no_cover
@pytest.mark.parametrize("seed", [6, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(20) if seed != 6)])
def test_all_of_a_graph_is_the_same_from_files(graphs_of, seed) -> None:
    """Whoever exports it need not know where it was kept."""
    _, stored, directory = graphs_of(seed)
    files = graph_in_parquet(directory, checked_manifest(directory))

    for name, output in OUTPUTS.items():
        assert "".join(output(files.whole())) == "".join(output(stored.whole())), name
    for cluster in stored.rows.cluster_names():
        assert "".join(OUTPUTS["json"](files.part(cluster))) == "".join(OUTPUTS["json"](stored.part(cluster)))


@pytest.mark.parametrize("seed", [6, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (0, 3, 13))])
def test_files_answer_as_the_dictionary_does(graphs_of, seed) -> None:
    """Every question about a node of each kind, and names as people mistype them."""
    conn, stored, directory = graphs_of(seed)

    same_answers(conn, stored, graph_in_parquet(directory, checked_manifest(directory)))


def test_a_directory_without_a_graph_is_refused(tmp_path) -> None:
    """The hint says what writes one."""
    with pytest.raises(InputInvalid, match="no graph in Parquet"):
        checked_manifest(tmp_path)


@pytest.mark.parametrize(("harm", "said"), HARMS)
def test_a_graph_that_is_not_whole_is_refused(graphs_of, tmp_path, harm, said) -> None:
    """An answer of half a graph would be wrong, and nobody would see it."""
    broken = Path(shutil.copytree(graphs_of(6)[2], tmp_path / "graph.parquet"))
    harm(broken)

    with pytest.raises(InputInvalid, match=said):
        checked_manifest(broken)


def test_the_directory_that_people_named_will_do(graphs_of, tmp_path) -> None:
    """`--output flow` makes `flow/graph.parquet`, and both are remembered."""
    graph = shutil.copytree(graphs_of(6)[2], tmp_path / "flow" / "graph.parquet")

    assert graph_directory(tmp_path / "flow") == graph_directory(graph) == graph
