"""Jobs that are drawn part by part make the rows that all of them drawn together make."""

from __future__ import annotations

import shutil
from pathlib import Path

import changing_installation as changing
import pytest
from hypothesis import HealthCheck, given, settings

from dataflow_generator.build.assemble import build_graph, read_flows
from dataflow_generator.build.coverage import Coverage
from dataflow_generator.build.dictionary_source import DictionarySource
from dataflow_generator.build.snapshot import load_snapshot
from dataflow_generator.graph import Certainty, Node, NodeKind
from dataflow_generator.jobs.kinds import CountedJob, PartitionResult
from dataflow_generator.jobs.model import ColumnFlow, ColumnRef, GraphDataset, JobFlows, Use
from dataflow_generator.parquet.dataset import EDGES, NODES, ParquetTables, record_edge, record_node
from dataflow_generator.parquet.job_batches import build_batch, concatenate, write_graph

ORDERS = GraphDataset(NodeKind.TOPIC, "kafka://b:9092", "orders")
TABLE = GraphDataset(NodeKind.DATASET, "postgres://db:5432", "shop.orders")


def job(name: str, evidence: str = "") -> CountedJob:
    node = Node(f"job:connect/{name}", NodeKind.JOB, "connect", name)
    why = evidence or f"connector {name}"
    flow = ColumnFlow(ColumnRef(ORDERS, ("id",)), ColumnRef(TABLE, ("id",)), "DIRECT", "IDENTITY", why)
    members = {"reads": (Use(ORDERS, why),), "writes": (Use(TABLE, why),), "columns": (flow,)}
    return CountedJob(JobFlows(job=node, certainty=Certainty.DERIVED, **members))


def cells(batches, name: str) -> list[str]:
    return [cell for batch in batches for cell in batch[name].to_pylist()]


def parts(*jobs: CountedJob):
    return [build_batch(PartitionResult((job,), {})) for job in jobs]


@pytest.mark.slow
@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(history=changing.histories())
def test_files_hold_the_rows_of_the_graph(empty, tmp_path_factory, history) -> None:
    """Parquet and JSON of one dictionary are one graph, in one order."""
    home = tmp_path_factory.mktemp("drawn")
    file = Path(shutil.copy(empty, home / "dictionary.db"))
    changing.write_state(file, history[-1]).dispose()
    source = DictionarySource(str(file))
    written = write_graph(source, home / "graph")
    tables = ParquetTables(home / "graph")
    with source.connected() as conn:
        snapshot = load_snapshot(conn)
        graph = build_graph(snapshot, read_flows(snapshot))

        assert list(map(record_node, tables.every_row(NODES))) == list(graph.nodes())
        assert list(map(record_edge, tables.every_row(EDGES))) == list(graph.edges())
        assert written.coverage == graph.coverage


def test_a_column_of_two_parts_is_there_once_for_its_first_flow() -> None:
    """Two connectors write into one table: its column is believed for the one whose name comes first."""
    job_batches = concatenate(parts(job("zebra"), job("ant")), existing=())

    assert job_batches is not None
    assert cells(job_batches.nodes, "name") == ["shop.orders", "orders", "ant", "zebra", "orders", "shop.orders"]
    edges = [record_edge(row) for batch in job_batches.edges for row in batch.to_pylist()]
    contains = [edge for edge in edges if edge.kind == "contains"]
    assert [edge.evidence for edge in contains] == ["connector ant", "connector ant"]


def test_topics_that_are_there_anyway_have_no_second_node() -> None:
    """A live topic is the dictionary's to tell of."""
    job_batches = concatenate(parts(job("ant")), existing={ORDERS.key})

    assert job_batches is not None
    assert ORDERS.key not in cells(job_batches.nodes, "node_key")


@pytest.mark.parametrize("jobs", [(job("ant"), job("ant")), (job("ant", "same"), job("bee", "same"))])
def test_jobs_that_share_a_name_or_a_flow_are_not_put_together(jobs) -> None:
    """Which of them gives way is reported by the order of all jobs, which only drawing them together knows."""
    assert concatenate(parts(*jobs), existing=()) is None


def test_no_jobs_make_no_rows() -> None:
    """An installation of topics alone has a graph, too."""
    job_batches = concatenate([], existing=())

    assert job_batches is not None
    assert not cells(job_batches.nodes, "name")
    assert not cells(job_batches.edges, "kind")
    assert job_batches.coverage == Coverage()
