"""Names of fields as ksqlDB writes them, and as the jobs before it do."""

from __future__ import annotations

from dataflow_generator.graph import Certainty, NodeKind
from dataflow_generator.jobs.field_matching import with_written_names
from dataflow_generator.jobs.model import ColumnFlow, ColumnRef, GraphDataset, JobFlows, job_node

PARCELS = GraphDataset(NodeKind.TOPIC, "kafka://k:9092", "parcels")
TABLE = GraphDataset(NodeKind.DATASET, "postgres://db:5432", "shop.parcels")
OUTPUT = GraphDataset(NodeKind.TOPIC, "kafka://k:9092", "heavy")


def job(kind: str, source: ColumnRef, target: ColumnRef) -> JobFlows:
    flow = ColumnFlow(source, target, "DIRECT", "IDENTITY", "e")
    return JobFlows(job=job_node(kind, "j", (("type", kind),)), certainty=Certainty.DERIVED, columns=(flow,))


def sources(*jobs: JobFlows, described: set[tuple[str, str]] = frozenset()) -> list[tuple[str, ...]]:
    return [flow.source.path for job in with_written_names(jobs, described) for flow in job.columns]


READ = job("ksqldb", ColumnRef(PARCELS, ("WEIGHT_G",)), ColumnRef(OUTPUT, ("WEIGHT_G",)))
WRITTEN = job("connector", ColumnRef(TABLE, ("weight_g",)), ColumnRef(PARCELS, ("weight_g",)))


def test_ksqldb_reads_a_field_as_a_connector_writes_it() -> None:
    """Else what comes after is lost: no schema says which field the capitals mean."""
    assert sources(WRITTEN, READ) == [("weight_g",), ("weight_g",)]


def test_a_field_that_ksqldb_writes_itself_keeps_its_capitals() -> None:
    before = job("ksqldb", ColumnRef(TABLE, ("W",)), ColumnRef(PARCELS, ("WEIGHT_G",)))

    assert sources(before, WRITTEN, READ)[-1] == ("WEIGHT_G",)


def test_a_described_topic_decides_itself() -> None:
    assert sources(WRITTEN, READ, described={("kafka://k:9092", "parcels")})[-1] == ("WEIGHT_G",)


def test_other_engines_read_the_very_name() -> None:
    other = job("flink", ColumnRef(PARCELS, ("WEIGHT_G",)), ColumnRef(OUTPUT, ("WEIGHT_G",)))

    assert sources(WRITTEN, other)[-1] == ("WEIGHT_G",)
