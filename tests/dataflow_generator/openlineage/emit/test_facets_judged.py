"""Every facet that we write, whether an installation gives it or not, judged by others."""

from __future__ import annotations

import pytest

from dataflow_generator.openlineage.emit import run_events as f
from dataflow_generator.openlineage.emit.datasets import column_lineage, field_tags, lineage_facet, schema_facet
from dataflow_generator.openlineage.emit.jobs import EmittedFlow
from dataflow_generator.openlineage.emit.run_events import (
    CURRENT,
    DatasetEntry,
    Event,
    Home,
    JobEntry,
    RunEntry,
    run_event,
    run_id,
)
from dataflow_generator.openlineage.names import Name
from scanner_model.columns import Column

AT = "2026-03-01T10:00:00+00:00"
COLUMNS = (Column(path=("a",), type="record"), Column(path=("a", "b"), type="int", doc="B.", tags=("PII",)))
FLOWS = [
    EmittedFlow("s", ("a", "b"), "t", ("a",), "DIRECT", "IDENTITY"),
    EmittedFlow("s", ("a",), "t", None, "INDIRECT", "JOIN"),
    EmittedFlow("s", None, "t", ("a",), "", ""),
]


def name(key: str) -> Name:
    return Name("kafka://k:9092", key)


@pytest.fixture
def event() -> Event:
    """Return an event with every facet that there is."""
    both = {
        "documentation": f.documentation("What it is."),
        "ownership": f.ownership(["team-b", "team-a"]),
        "tags": f.tags(["gold", "tier=1"]),
    }
    dataset = both | {
        "schema": schema_facet(COLUMNS),
        "columnLineage": column_lineage(FLOWS, name),
        "datasetType": f.dataset_type("TOPIC"),
        "symlinks": f.symlinks([Name("kafka://k-2:9092", "orders")]),
        "tags": f.tags(["gold"], field_tags(COLUMNS)),
    }
    job = both | {
        "jobType": f.job_type("KSQLDB", "QUERY"),
        "lineage": lineage_facet({"t": FLOWS}, ["s"], name),
        "sourceCodeLocation": f.source_code("https://git.example.org/jobs"),
        "sql": f.sql("SELECT 1", "ksqldb"),
    }
    run = {
        "errorMessage": f.error_message("no disk", "at a.b.C"),
        "processing_engine": f.processing_engine("Kafka Connect", "3.9", "1.0"),
    }
    outputs = (DatasetEntry(namespace="kafka://k:9092", name="orders", facets=dataset),)
    job_entry = JobEntry(namespace="n", name="j", facets=job, outputs=outputs)
    return run_event(RunEntry(id=run_id(AT, "j"), state="FAIL", facets=run), job_entry, AT, "urn:test:1")


def test_every_facet_is_there(event) -> None:
    """One that is added is judged, too."""
    homes = {Home.RUN: event["run"], Home.JOB: event["job"], Home.DATASET: event["outputs"][0]}

    assert {(home, item) for home, holder in homes.items() for item in holder["facets"]} == set(CURRENT)


def test_facets_are_what_openlineage_python_writes(event, judge) -> None:
    """The same members, in the newest versions."""
    assert judge.library_problems(event) == []


def test_facets_are_valid_by_the_specification(event, judge) -> None:
    """Each by the schema that it names."""
    folder = judge.schemas()
    if folder is None:
        pytest.skip("needs the JSON Schemas of OpenLineage: SCANNER_OPENLINEAGE_SPEC=FOLDER")

    assert judge.Specification(folder).problems(event) == []
