"""Counts of events that pass: kinds, facets, versions."""

from __future__ import annotations

from dataflow_generator.openlineage.emit import run_events as f
from dataflow_generator.openlineage.emit.run_events import (
    DatasetEntry,
    JobEntry,
    RunEntry,
    dataset_event,
    job_event,
    run_event,
)
from dataflow_generator.openlineage.facets import EventStatistics

AT = "2026-03-01T10:00:00+00:00"
TOPIC = DatasetEntry(namespace="kafka://k:9092", name="orders", facets={"datasetType": f.dataset_type("TOPIC")})
JOB = JobEntry(namespace="n", name="j", facets={"jobType": f.job_type("X", "Y")}, inputs=(TOPIC,), outputs=(TOPIC,))


def test_each_facet_is_counted_in_its_version_wherever_it_stands() -> None:
    """Whoever sets up a catalog asks which versions will come."""
    run = RunEntry(
        id="0195d6e4-0000-7000-8000-000000000000", state="OTHER", facets={"errorMessage": f.error_message("x")}
    )
    tally = EventStatistics()
    for event in (
        dataset_event(TOPIC, AT, "urn:x:1"),
        job_event(JOB, AT, "urn:x:1"),
        run_event(run, JOB, AT, "urn:x:1"),
    ):
        assert tally.count(event) is event

    assert (tally.events, tally.kinds) == (3, {"DatasetEvent": 1, "JobEvent": 1, "RunEvent": 1})
    assert [tuple(facet) for facet in tally.facets] == [
        ("datasetType", "Dataset", "1-0-1", 5),
        ("errorMessage", "Run", "1-0-1", 1),
        ("jobType", "Job", "2-0-4", 2),
    ]


def test_facet_without_a_version_is_counted_too() -> None:
    """An event of somebody else's has such ones."""
    tally = EventStatistics()
    tally.count({"schemaURL": "x#/$defs/JobEvent", "job": {"facets": {"own": {}}}})

    assert [tuple(facet) for facet in tally.facets] == [("own", "Job", "", 1)]
