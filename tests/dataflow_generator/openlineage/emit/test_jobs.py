"""Jobs as consumers want them: what some refuse or lose is reported in a way that all take."""

from __future__ import annotations

import pytest

from dataflow_generator.graph import Node, NodeKind, present
from dataflow_generator.openlineage.emit.jobs import job_facets, job_name, job_run

AT = "2026-03-01T10:00:00+00:00"


def job(**attributes: str | tuple[str, ...]) -> Node:
    """Build a job's node."""
    return Node("job:flink://shop/q", NodeKind.JOB, "flink://shop", "q", None, present(**attributes))


@pytest.mark.parametrize(
    ("engine", "version"),
    [
        ("flink 2.2.1", "2.2.1"),
        ("Kafka Connect 7.9.0-ccs", "7.9.0+ccs"),
        ("spark 3.3.2.3.3.7190.0-91", "3.3.2.3.3.7190.0+91"),
        ("flink v2.2-SNAPSHOT", "2.2+SNAPSHOT"),
        ("flink unknown", "0"),
        ("", "0"),
    ],
)
def test_version_of_an_engine_is_one_that_pep_440_knows(engine: str, version: str) -> None:
    """A consumer in Python reads it as such, and refuses the whole event where it is no version."""
    facet = job_run(job(type="flink", engine=engine), AT).facets["processing_engine"]

    assert (facet["name"], facet["version"]) == ("Apache Flink", version)


def test_statement_of_flink_is_a_job_as_its_own_listener_states() -> None:
    """A consumer keeps inputs and outputs of no other type of Flink's jobs."""
    assert job_facets(job(type="flink"))["jobType"]["jobType"] == "JOB"


def test_job_keeps_its_name_beside_the_one_that_its_engine_reports() -> None:
    """Of two tellers under one name a consumer may keep only what the last one knew."""
    node = job(type="flink", aliases=("flink-jobs/insert-into_paid",))

    assert job_name(node) == ("flink://shop", "q")


def test_what_is_known_of_a_job_is_reported_in_facets() -> None:
    """People look for owner, statement and code."""
    node = job(
        type="flink", statement="SELECT 1", description="loads", owners=("b", "a"), tags=("pii",), source_code="git://x"
    )

    result = job_facets(node)

    assert (result["sql"]["query"], result["sql"]["dialect"]) == ("SELECT 1", "flink")
    assert result["documentation"] == {"description": "loads"}
    assert [item["name"] for item in result["ownership"]["owners"]] == ["a", "b"]
    assert [item["key"] for item in result["tags"]["tags"]] == ["pii"]
    assert result["sourceCodeLocation"] == {"type": "git", "url": "git://x"}


def test_group_is_no_job_beside_its_topics() -> None:
    """A job of the same name may stand in the topics' namespace."""
    node = Node("consumer-group:kafka://k-1/g", NodeKind.CONSUMER_GROUP, "kafka://k-1:9092", "g")

    assert job_name(node) == ("kafka-consumers://k-1:9092", "g")
    assert job_facets(node)["jobType"]["integration"] == "KAFKA"
