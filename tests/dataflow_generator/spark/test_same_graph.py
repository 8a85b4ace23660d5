"""Conformance of the engines: the same twenty estates through local generation and through Spark."""

import time

import pyarrow.dataset as dataset
import pytest

from dataflow_generator.build.assemble import build_graph, read_flows
from dataflow_generator.build.dictionary_source import DictionarySource
from dataflow_generator.build.snapshot import load_snapshot
from dataflow_generator.parquet.schema import record_edge, record_node
from dataflow_generator.parquet.writer import write_graph as write_here
from dataflow_generator.render import OUTPUTS
from dataflow_generator.spark.assemble import assemble_on_spark
from dataflow_generator.spark.assemble import write_graph as write_on_spark
from dataflow_generator.spark.progress import TASKS, report_tasks

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark")]


def rows(directory, name):
    order = [("rank", "ascending"), ("place", "ascending")]
    found = dataset.dataset(directory / name, partitioning="hive").to_table().sort_by(order)
    return found.select(sorted(found.column_names)).to_pylist()


@pytest.mark.no_cover
@pytest.mark.parametrize("seed", range(20))
def test_local_and_spark_give_the_same_bytes(spark, estate_of, tmp_path, seed) -> None:
    """Large and small give the same answer: people compare graphs by their files."""
    source = DictionarySource(estate_of(seed, tmp_path))
    with source.connected() as conn:
        snapshot = load_snapshot(conn)
        local = build_graph(snapshot, read_flows(snapshot))
        expected = "".join(OUTPUTS["json"](local))
    graph = assemble_on_spark(spark, source)

    assert "".join(OUTPUTS["json"](graph)) == expected
    assert graph.coverage == local.coverage


@pytest.mark.parametrize("seed", [1, 6, 13])
def test_local_and_spark_write_the_same_rows(spark, estate_of, tmp_path, seed) -> None:
    """In the order that the rows tell, they are the graph."""
    source = DictionarySource(estate_of(seed, tmp_path))
    here, there = (
        write(tmp_path / name)
        for name, write in (
            ("here", lambda file: write_here(source, file)),
            ("there", lambda file: write_on_spark(spark, source, file)),
        )
    )
    with source.connected() as conn:
        snapshot = load_snapshot(conn)
        graph = build_graph(snapshot, read_flows(snapshot))
        nodes, edges = list(graph.nodes()), list(graph.edges())

    assert (here.about, here.coverage) == (there.about, there.coverage)
    assert [record_node(row) for row in rows(tmp_path / "there", "nodes")] == nodes
    assert [record_edge(row) for row in rows(tmp_path / "there", "edges")] == edges
    assert [rows(tmp_path / "here", name) for name in ("nodes", "edges")] == [
        rows(tmp_path / "there", name) for name in ("nodes", "edges")
    ]


def test_tasks_are_told_while_they_run(spark) -> None:
    """Spark's own bar is off the terminal: ours says how far a long generation is."""
    said: list[tuple[str, int, int | None]] = []

    def slow(batches):
        time.sleep(1.2)
        yield from batches

    with report_tasks(spark, lambda *each: said.append(each)):
        spark.range(0, 3, 1, 3).mapInArrow(slow, "id long").collect()

    assert said
    assert {what for what, _, _ in said} == {TASKS}
    assert max(total or 0 for _, _, total in said) == 3
