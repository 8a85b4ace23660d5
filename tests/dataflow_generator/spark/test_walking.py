"""Lineage over Parquet files, in this process and on Spark, beside the walk in memory."""

import pytest

from dataflow_generator.assemble import assemble, read_flows
from dataflow_generator.columnar.walking import ahead_in_parquet
from dataflow_generator.columnar.writing import write_graph
from dataflow_generator.graph import EdgeKind, NodeKind
from dataflow_generator.lineage import DATASETS, Question, ahead_in, lineage
from dataflow_generator.source import DictionarySource
from dataflow_generator.spark.walking import ahead_on_spark, components
from scanner_model.errors import InputInvalid

ASKED = (NodeKind.TOPIC, NodeKind.JOB, NodeKind.COLUMN, NodeKind.DATASET)


@pytest.fixture(scope="module")
def written(estate_of, tmp_path_factory):
    """Give a graph as nodes and edges, and the directory that holds it."""
    place = tmp_path_factory.mktemp("graph")
    source = DictionarySource(estate_of(6, place))
    write_graph(source, place / "graph.parquet")
    with source.connected() as conn:
        graph = assemble(conn, read_flows(conn))
        return list(graph.nodes()), list(graph.edges()), place / "graph.parquet"


def asked(nodes):
    return [next(node for node in nodes if node.kind is kind and node.namespace) for kind in ASKED]


def edges_of(nodes, ahead):
    question = Question(columns=True)
    return {node.key: [hop.edge for hop in lineage(node.key, node.kind, question, ahead)] for node in asked(nodes)}


def test_files_are_walked_as_memory_is(written) -> None:
    """The same question has the same answer, edge by edge."""
    nodes, edges, directory = written
    found = edges_of(nodes, ahead_in_parquet(directory))

    assert found == edges_of(nodes, ahead_in(edges))
    assert any(found.values())


@pytest.mark.spark
@pytest.mark.xdist_group("spark")
def test_spark_walks_as_memory_does(spark, written) -> None:
    """Whatever the size of the graph."""
    nodes, edges, directory = written

    assert edges_of(nodes, ahead_on_spark(spark, str(directory))) == edges_of(nodes, ahead_in(edges))


@pytest.mark.spark
@pytest.mark.xdist_group("spark")
def test_what_hangs_together_has_one_component(spark, written) -> None:
    """The reference joins sets edge by edge."""
    _, edges, directory = written
    sets: dict[str, set[str]] = {}
    for edge in edges:
        if edge.kind in DATASETS | {EdgeKind.MEMBER_OF}:
            joined = sets.get(edge.source, {edge.source}) | sets.get(edge.target, {edge.target})
            sets |= dict.fromkeys(joined, joined)
    found = components(spark, str(directory), DATASETS | {EdgeKind.MEMBER_OF}).collect()

    assert {row.node: row.component for row in found} == {node: min(joined) for node, joined in sets.items()}


def test_a_directory_without_a_graph_is_refused(tmp_path) -> None:
    """The hint says what writes one."""
    with pytest.raises(InputInvalid, match="no graph in Parquet"):
        ahead_in_parquet(tmp_path)
