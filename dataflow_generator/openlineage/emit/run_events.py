"""Run, job and dataset events as JSON, as the OpenLineage specification defines them. No I/O, no clock."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from importlib.metadata import version
from typing import Any
from uuid import UUID

from dataflow_generator.openlineage.emit.facets import OURS, Facets, Home, with_fields, with_origin
from dataflow_generator.openlineage.redaction import clean_namespace, clean_text

Json = Any
Event = dict[str, Json]
"""An event as JSON; `event_line` writes it."""

_SPEC = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs"


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetEntry:
    """A dataset with the facets that describe it."""

    namespace: str
    name: str
    facets: Facets = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobEntry:
    """A job with its facets, and what it reads and writes."""

    namespace: str
    name: str
    facets: Facets = field(default_factory=dict)
    inputs: tuple[DatasetEntry, ...] = ()
    outputs: tuple[DatasetEntry, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEntry:
    """A run: its id (a UUID), its state (START, RUNNING, COMPLETE, ABORT, FAIL, OTHER) and its facets."""

    id: str
    state: str
    facets: Facets = field(default_factory=dict)


@cache
def our_version() -> str:
    """Return the version of this program."""
    return version("kafka-lineage-scanner")


def our_producer() -> str:
    """Return the URI of this version of the program: the producer of all facets, and of events by default."""
    return OURS + our_version()


def run_event(run: RunEntry, job: JobEntry, at: str, producer: str) -> Event:
    """Return the event of a run of *job* at the moment *at* (ISO 8601 with a zone).

    Fields in flows are listed among the top-level fields of their datasets by full name, nested ones too: Marquez drops
    flows of other fields.
    """
    entry = {"runId": run.id, "facets": with_origin(run.facets, Home.RUN, our_producer())}
    event = _event("RunEvent", at, producer) | {"eventType": run.state, "run": entry}
    return event | _job(_with_flow_fields(job))


def job_event(job: JobEntry, at: str, producer: str) -> Event:
    """Return the event of *job*, without a run."""
    return _event("JobEvent", at, producer) | _job(job)


def dataset_event(dataset: DatasetEntry, at: str, producer: str) -> Event:
    """Return the event of *dataset*, without a job."""
    return _event("DatasetEvent", at, producer) | {"dataset": _dataset(dataset)}


def run_id(at: str, *names: str) -> str:
    """Return a run's id, the same for the same moment (ISO 8601 with a zone) and names: a UUID of version 7.

    Some consumers reject older versions; the bits that would be random are a hash.
    """
    digest = hashlib.sha256(json.dumps([at, *names]).encode()).digest()
    moment = int(datetime.fromisoformat(at).timestamp() * 1000) & (1 << 48) - 1
    bits = moment << 80 | int.from_bytes(digest[:10])
    bits = bits & ~(0xF << 76) & ~(0b11 << 62) | 7 << 76 | 0b10 << 62
    return str(UUID(int=bits))


def event_line(event: Event) -> str:
    """Serialize an event as one line of JSON, deterministically."""
    return json.dumps(event, sort_keys=True, separators=(",", ":")) + "\n"


def _event(kind: str, at: str, producer: str) -> Event:
    return {"eventTime": at, "producer": producer, "schemaURL": f"{_SPEC}/{kind}"}


def _job(job: JobEntry) -> Event:
    named = {"namespace": clean_namespace(job.namespace), "name": clean_text(job.name)}
    return {
        "job": named | {"facets": with_origin(job.facets, Home.JOB, our_producer())},
        "inputs": _datasets(job.inputs),
        "outputs": _datasets(job.outputs),
    }


def _with_flow_fields(job: JobEntry) -> JobEntry:
    flowing: dict[tuple[str, str], dict[str, None]] = {}
    for output in job.outputs:
        facet = output.facets.get("columnLineage", {"fields": {}})
        flowing.setdefault((output.namespace, output.name), {}).update(dict.fromkeys(facet["fields"]))
        origins = (origin for field in facet["fields"].values() for origin in field["inputFields"])
        for origin in (*origins, *facet.get("dataset", ())):
            flowing.setdefault((origin["namespace"], origin["name"]), {})[origin["field"]] = None

    def listed(dataset: DatasetEntry) -> DatasetEntry:
        names = flowing.get((dataset.namespace, dataset.name), {})
        return replace(dataset, facets={**dataset.facets, **with_fields(dataset.facets, names)})

    return replace(job, inputs=tuple(map(listed, job.inputs)), outputs=tuple(map(listed, job.outputs)))


def _datasets(datasets: Iterable[DatasetEntry]) -> list[Json]:
    return [_dataset(dataset) for dataset in datasets]


def _dataset(dataset: DatasetEntry) -> Json:
    named = {"namespace": clean_namespace(dataset.namespace), "name": clean_text(dataset.name)}
    return named | {"facets": with_origin(dataset.facets, Home.DATASET, our_producer())}
