"""Conformance of the engines: the same twenty installations through local generation and through Spark."""

import shutil
import time
from pathlib import Path

import changing_installation as changing
import pyarrow.dataset as dataset
import pytest
from hypothesis import HealthCheck, given, settings

from dataflow_generator.build.assemble import build_graph, read_flows
from dataflow_generator.build.dictionary_source import DictionarySource
from dataflow_generator.build.snapshot import load_snapshot
from dataflow_generator.build.store import generate
from dataflow_generator.parquet.dataset import record_edge, record_node
from dataflow_generator.parquet.job_batches import write_graph as write_here
from dataflow_generator.parquet.reader import graph_in_parquet
from dataflow_generator.query.stored_graph import whole_graph
from dataflow_generator.render import OUTPUTS
from dataflow_generator.spark.assemble import assemble_on_spark
from dataflow_generator.spark.assemble import write_graph as write_on_spark
from dataflow_generator.spark.session import TASKS, report_tasks
from scanner_dictionary.graph.reader import SqlGraphReader
from scanner_dictionary.graph.store import stored_graph

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark")]


def rows(directory, name):
    order = [("rank", "ascending"), ("place", "ascending")]
    found = dataset.dataset(directory / name, partitioning="hive").to_table().sort_by(order)
    return found.select(sorted(found.column_names)).to_pylist()


@pytest.mark.no_cover
@pytest.mark.parametrize("seed", [*range(19), pytest.param(19, marks=pytest.mark.smoke)])
def test_local_and_spark_give_the_same_bytes(spark, installation_of, tmp_path, seed) -> None:
    """Large and small give the same answer: people compare graphs by their files."""
    source = DictionarySource(installation_of(seed, tmp_path))
    with source.connected() as conn:
        snapshot = load_snapshot(conn)
        local = build_graph(snapshot, read_flows(snapshot))
        expected = "".join(OUTPUTS["json"](local))
    graph = assemble_on_spark(spark, source)

    assert "".join(OUTPUTS["json"](graph)) == expected
    assert graph.coverage == local.coverage


@pytest.mark.parametrize("seed", [1, 6, 13])
def test_local_and_spark_write_the_same_rows(spark, installation_of, tmp_path, seed) -> None:
    """In the order that the rows tell, they are the graph."""
    source = DictionarySource(installation_of(seed, tmp_path))
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


def test_tasks_are_reported_while_they_run(spark) -> None:
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


@pytest.mark.no_cover
@settings(
    max_examples=2, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(history=changing.histories())
def test_spark_gives_the_stored_graph_after_every_change(spark, empty, tmp_path_factory, history) -> None:
    """Of the stored graph rows of schemas are kept from change to change; Spark makes all of its rows anew."""
    home = tmp_path_factory.mktemp("changed")
    file = Path(shutil.copy(empty, home / "dictionary.db"))
    for state in history:
        engine = changing.write_state(file, state)
        generate(engine)
        with engine.connect() as conn:
            stored = whole_graph(SqlGraphReader(conn), stored_graph(conn))
            expected = "".join(OUTPUTS["json"](stored))
        engine.dispose()
        source = DictionarySource(str(file))

        assert "".join(OUTPUTS["json"](assemble_on_spark(spark, source))) == expected
        about = write_on_spark(spark, source, home / "graph").about
        assert "".join(OUTPUTS["json"](graph_in_parquet(home / "graph", about).whole())) == expected
