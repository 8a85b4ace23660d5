"""Runs as events: what flows in them is listed among the fields of their datasets, which some consumers require."""

from __future__ import annotations

from typing import Any

from dataflow_generator.openlineage.emit.datasets import schema_facet
from dataflow_generator.openlineage.emit.run_events import (
    DatasetEntry,
    Event,
    JobEntry,
    RunEntry,
    event_line,
    job_event,
    our_producer,
    run_event,
    run_id,
)
from dataflow_generator.openlineage.events import read_event
from scanner_model.columns import Column

AT = "2026-03-01T10:00:00+00:00"
K = "kafka://k-1:9092"
PATHS = [("address",), ("address", "city"), ("id",)]


def schema() -> Any:
    """Describe a record in a record, and a field of which nobody knows the type."""
    types = ("record", "string", "")
    return schema_facet(Column(path=path, type=type_) for path, type_ in zip(PATHS, types, strict=True))


def job(origin: str, **facets: Any) -> JobEntry:
    """Return a job that makes `city` of *origin*, a field of the topic `a`."""
    how = [{"type": "DIRECT", "subtype": "IDENTITY", "description": "", "masking": False}]
    flow = {"inputFields": [{"namespace": K, "name": "a", "field": origin, "transformations": how}]}
    output = DatasetEntry(namespace=K, name="b", facets={"columnLineage": {"fields": {"city": flow}}})
    return JobEntry(
        namespace="connect://main",
        name="copy",
        inputs=(DatasetEntry(namespace=K, name="a", facets=facets),),
        outputs=(output,),
    )


def reported(job_entry: JobEntry) -> Event:
    """Return a run of the job."""
    return run_event(RunEntry(id=run_id(AT, job_entry.name), state="RUNNING"), job_entry, AT, our_producer())


def fields(dataset: Any) -> list[tuple[str, str]]:
    """Return names and types of a dataset's own fields."""
    return [(item["name"], item["type"]) for item in dataset["facets"]["schema"]["fields"]]


def test_nested_field_that_flows_is_listed_by_its_whole_name_too() -> None:
    """A consumer that knows only a dataset's own fields drops the flow."""
    (source,) = reported(job("address.city", schema=schema()))["inputs"]

    assert fields(source) == [("address", "record"), ("id", "unknown"), ("address.city", "string")]


def test_fields_that_flow_are_the_schema_of_a_dataset_without_one() -> None:
    """Of a dataset without fields a consumer can keep no flow."""
    event = reported(job("id"))

    assert fields(event["inputs"][0]) == [("id", "unknown")]
    assert fields(event["outputs"][0]) == [("city", "unknown")]


def test_own_fields_that_flow_are_listed_once() -> None:
    """Nothing is to be added."""
    (source,) = reported(job("id", schema=schema()))["inputs"]

    assert fields(source) == [("address", "record"), ("id", "unknown")]


def test_what_a_job_is_lists_fields_as_they_are() -> None:
    """Without a run a consumer keeps no flows anyway, and fields stand in events of their datasets."""
    (source,) = job_event(job("address.city", schema=schema()), AT, our_producer())["inputs"]

    assert fields(source) == [("address", "record"), ("id", "unknown")]


def test_reading_our_own_event_gives_each_column_once_and_as_it_was() -> None:
    """Neither a second column of that name, nor a type that is not reported."""
    read = read_event(event_line(reported(job("address.city", schema=schema()))))
    (facet,) = next(dataset.facets for dataset in read.datasets if dataset.ref.name == "a")

    assert [(column.path, column.type) for column in facet.columns] == list(
        zip(PATHS, ("record", "string", ""), strict=True)
    )
