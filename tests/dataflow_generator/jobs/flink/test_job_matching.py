"""Jobs that Flink's own events tell of, and the statements of scans that they run: one node where it is one thing."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from dataflow_generator.graph import Attribute, Certainty, NodeKind, present
from dataflow_generator.jobs.model import ColumnFlow, ColumnRef, GraphDataset, JobFlows, Use, job_node
from dataflow_generator.openlineage.merge_jobs import merged_jobs

NAME = "insert-into_default_catalog.default_database."


def topic(name: str) -> GraphDataset:
    """Name a topic."""
    return GraphDataset(NodeKind.TOPIC, "kafka://k-1:9092", name)


def uses(names: str) -> tuple[Use, ...]:
    """Use topics, for a reason that nobody looks at."""
    return tuple(Use(topic(name), "why") for name in names.split())


def statement(name: str, reads: str, writes: str, text: str = "") -> JobFlows:
    """Scan a statement that inserts into the table of its first topic."""
    node = job_node("flink://shop", name, present(type="flink", statement=text or f"INSERT INTO `c`.`d`.{writes}\nTAB"))
    return JobFlows(job=node, certainty=Certainty.DERIVED, reads=uses(reads), writes=uses(writes))


def told(name: str, reads: str, writes: str, columns: tuple[ColumnFlow, ...] = (), kind: str = "FLINK") -> JobFlows:
    """Return a job by an event."""
    node = job_node("flink-jobs", name, present(type="openlineage", integration=kind, state="RUNNING"))
    return JobFlows(job=node, certainty=Certainty.DECLARED, reads=uses(reads), writes=uses(writes), columns=columns)


def merged(*jobs: JobFlows) -> Mapping[str, Mapping[str, Attribute]]:
    """Return the attributes of the jobs that are left, by name."""
    return {job.job.name: dict(job.job.attributes) for job in merged_jobs(jobs)}


def test_a_job_with_the_table_in_its_name_and_the_same_ends_is_the_statement() -> None:
    """What its events tell is reported of the statement."""
    found = merged(statement("q", "a b", "paid"), told(f"{NAME}paid", "b a", "paid"))

    assert found.keys() == {"q"}
    assert found["q"]["aliases"] == (f"flink-jobs/{NAME}paid",)
    assert found["q"]["state"] == "RUNNING"


def test_a_job_that_somebody_named_is_likely_the_statement_with_the_same_ends() -> None:
    """`pipeline.name` hides the tables."""
    found = merged(statement("q", "a", "paid"), told("nightly", "a", "paid"))

    assert found.keys() == {"q"}
    assert found["q"]["likely_aliases"] == ("flink-jobs/nightly",)
    assert "aliases" not in found["q"]


def test_what_a_likely_join_adds_is_matched_and_states_why() -> None:
    """The name and the sink agree; of the sources one side knows more."""
    (job,) = merged_jobs([statement("q", "a", "paid"), told(f"{NAME}paid", "a rates", "paid")])
    (_, added) = job.reads

    assert (added.dataset, added.certainty) == (topic("rates"), Certainty.MATCHED)
    assert "same name and outputs, but other inputs" in added.evidence


def test_a_job_runs_all_statements_of_a_set() -> None:
    """Each keeps its own ends, and columns that the job's events tell go where they end."""
    flow = ColumnFlow(ColumnRef(topic("a"), ("x",)), ColumnRef(topic("slow"), ("y",)), "DIRECT", "IDENTITY", "why")
    jobs = (statement("q:1", "a", "paid"), statement("q:2", "a b", "slow"))

    fast, slow = merged_jobs(
        [*jobs, told(f"{NAME}slow,default_catalog.default_database.paid", "a b", "paid slow", (flow,))]
    )

    assert [(len(job.reads), len(job.writes), len(job.columns)) for job in (fast, slow)] == [(1, 1, 0), (2, 1, 1)]
    assert dict(fast.job.attributes)["aliases"] == dict(slow.job.attributes)["aliases"]


@pytest.mark.parametrize(
    "job",
    [
        told(f"{NAME}paid", "a", "paid slow"),
        told("nightly", "a rates", "paid"),
        told(f"{NAME}paid", "a", ""),
        told(f"{NAME}paid", "a", "paid", kind="SPARK"),
    ],
    ids=["writes more", "another name, other sources", "writes nothing", "another engine"],
)
def test_another_job_stays_beside_the_statement(job: JobFlows) -> None:
    """One wrong join hides a job."""
    assert merged(statement("q", "a", "paid"), job).keys() == {"q", job.job.name}


def test_of_two_statements_with_one_sink_the_sources_decide() -> None:
    """Two jobs may fill one topic; where both read the same, nobody can tell them apart."""
    one, other = statement("one", "a", "paid"), statement("other", "b", "paid")

    assert "aliases" in merged(one, other, told(f"{NAME}paid", "b", "paid"))["other"]
    assert len(merged(one, statement("same", "a", "paid"), told(f"{NAME}paid", "a", "paid"))) == 3


@pytest.mark.parametrize(
    "text",
    [
        "insert overwrite paid SELECT",
        "CREATE TABLE IF NOT EXISTS `c`.`d`.`paid` AS SELECT",
        "INSERT INTO paid(x) SELECT",
    ],
)
def test_the_sink_of_a_statement_is_read_however_it_is_written(text: str) -> None:
    """Sure only by its name, too."""
    assert "aliases" in merged(statement("q", "a", "paid", text), told(f"{NAME}paid", "a", "paid"))["q"]
