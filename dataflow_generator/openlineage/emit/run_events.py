"""Run, job and dataset events as JSON, with their facets, as OpenLineage defines them. No I/O, no clock."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from functools import cache
from importlib.metadata import version
from typing import Any
from uuid import UUID

from dataflow_generator.openlineage.names import Name
from dataflow_generator.openlineage.redaction import clean_facet, clean_namespace, clean_text

Json = Any
Facets = Mapping[str, Json]
"""Bodies of facets by their names."""

OURS = "urn:scanner:"
"""Prefix of `_producer` in facets of this program, whose field names are paths with dots and marks."""

UNTYPED = "unknown"
"""The type of a field of unknown type; without a type, Marquez would add another field with every event."""

_FACET_SPEC = "https://openlineage.io/spec/facets"
_LONGEST_TRACE = 4_096
_RELEASE = re.compile(r"\s*v?([0-9]+(?:\.[0-9]+)*)")
_WORD = re.compile("[A-Za-z0-9]+")


class Home(StrEnum):
    """The kind of entity that a facet describes."""

    DATASET = "Dataset"
    JOB = "Job"
    RUN = "Run"


CURRENT: Mapping[tuple[Home, str], str] = {
    (Home.DATASET, "columnLineage"): "1-2-0/ColumnLineageDatasetFacet.json#/$defs/ColumnLineageDatasetFacet",
    (Home.DATASET, "datasetType"): "1-0-1/DatasetTypeDatasetFacet.json#/$defs/DatasetTypeDatasetFacet",
    (Home.DATASET, "documentation"): "1-1-0/DocumentationDatasetFacet.json#/$defs/DocumentationDatasetFacet",
    (Home.DATASET, "ownership"): "1-0-1/OwnershipDatasetFacet.json#/$defs/OwnershipDatasetFacet",
    (Home.DATASET, "schema"): "1-2-0/SchemaDatasetFacet.json#/$defs/SchemaDatasetFacet",
    (Home.DATASET, "symlinks"): "1-0-1/SymlinksDatasetFacet.json#/$defs/SymlinksDatasetFacet",
    (Home.DATASET, "tags"): "1-0-0/TagsDatasetFacet.json#/$defs/TagsDatasetFacet",
    (Home.JOB, "documentation"): "1-1-0/DocumentationJobFacet.json#/$defs/DocumentationJobFacet",
    (Home.JOB, "jobType"): "2-0-4/JobTypeJobFacet.json#/$defs/JobTypeJobFacet",
    (Home.JOB, "lineage"): "1-0-0/LineageFacet.json#/$defs/LineageJobFacet",
    (Home.JOB, "ownership"): "1-0-1/OwnershipJobFacet.json#/$defs/OwnershipJobFacet",
    (Home.JOB, "sourceCodeLocation"): "1-1-0/SourceCodeLocationJobFacet.json#/$defs/SourceCodeLocationJobFacet",
    (Home.JOB, "sql"): "1-1-0/SQLJobFacet.json#/$defs/SQLJobFacet",
    (Home.JOB, "tags"): "1-0-0/TagsJobFacet.json#/$defs/TagsJobFacet",
    (Home.RUN, "errorMessage"): "1-0-1/ErrorMessageRunFacet.json#/$defs/ErrorMessageRunFacet",
    (Home.RUN, "processing_engine"): "1-1-1/ProcessingEngineRunFacet.json#/$defs/ProcessingEngineRunFacet",
}
"""The schema of each facet, in its newest version."""


def with_origin(facets: Facets, home: Home, producer: str) -> dict[str, Json]:
    """Return *facets* by name, each with its producer and schema URL."""
    return {
        name: {"_producer": producer, "_schemaURL": f"{_FACET_SPEC}/{CURRENT[home, name]}"} | facets[name]
        for name in sorted(facets)
    }


def with_fields(facets: Facets, names: Iterable[str]) -> Facets:
    """Return the facet `schema` of *facets* with *names* added to its top-level fields; empty where all are present."""
    fields: list[Json] = facets.get("schema", {}).get("fields", [])
    present = {field["name"] for field in fields}
    missing = sorted(set(names) - present)
    if not missing:
        return {}
    types = dict(_types(fields, ""))
    return {"schema": {"fields": [*fields, *({"name": name, "type": types.get(name, UNTYPED)} for name in missing)]}}


def _types(fields: Iterable[Json], above: str) -> Iterator[tuple[str, str]]:
    for member in fields:
        yield above + member["name"], member.get("type", UNTYPED)
        yield from _types(member.get("fields", ()), f"{above}{member['name']}.")


def job_type(integration: str, kind: str, processing: str = "STREAMING") -> Json:
    """Return the `jobType` facet: the engine (KAFKA_CONNECT, KSQLDB, …), its kind of job, and the processing type.

    Events follow changes of state, and those of one job add up: a job with many datasets has several.
    """
    pattern = {"eventTrigger": "EVENT_BASED", "eventContentMode": "ACCUMULATIVE"}
    return {"processingType": processing, "integration": integration, "jobType": kind, "emissionPattern": pattern}


def sql(query: str, dialect: str = "") -> Json:
    """Return the `sql` facet with the redacted text of a job's statement."""
    return clean_facet("sql", {"query": query} | ({"dialect": dialect} if dialect else {}))


def documentation(text: str) -> Json:
    """Return the `documentation` facet of a job or a dataset."""
    return clean_facet("documentation", {"description": text})


def ownership(names: Iterable[str]) -> Json:
    """Return the `ownership` facet of owners by name."""
    return {"owners": [{"name": name} for name in sorted(set(names))]}


def tags(words: Iterable[str], fields: Iterable[tuple[str, str]] = ()) -> Json:
    """Return the `tags` facet: tags (`key`, or `key=value`), and those of *fields*, pairs of field name and tag."""
    of_all = [_tag(word) for word in sorted(set(words))]
    return {"tags": of_all + [_tag(word) | {"field": field} for field, word in sorted(set(fields))]}


def _tag(word: str) -> dict[str, str]:
    key, _, value = word.partition("=")
    return {"key": key, "value": value or "true", "source": "KAFKA"}


def symlinks(others: Iterable[Name], kind: str = "LOCATION") -> Json:
    """Return the `symlinks` facet: other names of the same dataset."""
    return {"identifiers": [{"namespace": other.namespace, "name": other.name, "type": kind} for other in others]}


def dataset_type(word: str) -> Json:
    """Return the `datasetType` facet, such as TOPIC, TABLE or FILE."""
    return {"datasetType": word}


def source_code(url: str) -> Json:
    """Return the `sourceCodeLocation` facet of a job."""
    return clean_facet("sourceCodeLocation", {"type": "git", "url": url})


def processing_engine(name: str, version: str, adapter: str) -> Json:
    """Return the `processing_engine` facet: the engine of a job, and our own version (*adapter*).

    Some consumers require both, and refuse a *version* that is not in the form of PEP 440: `7.9.0-ccs` becomes
    `7.9.0+ccs`, and an unknown version 0.
    """
    return {"name": name, "version": _by_pep_440(version), "openlineageAdapterVersion": adapter}


def _by_pep_440(version: str) -> str:
    match = _RELEASE.match(version)
    if not match:
        return "0"
    local = ".".join(_WORD.findall(version[match.end() :]))
    return match[1] + (f"+{local}" if local else "")


def error_message(message: str, trace: str = "", language: str = "JAVA") -> Json:
    """Return the `errorMessage` facet of a failed run, redacted; a long trace is truncated."""
    body = {"message": message, "programmingLanguage": language} | ({"stackTrace": trace} if trace else {})
    redacted = clean_facet("errorMessage", body)
    # Truncated after redaction: secrets in half a URL would not be recognized.
    return redacted | ({"stackTrace": redacted["stackTrace"][:_LONGEST_TRACE]} if trace else {})


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
