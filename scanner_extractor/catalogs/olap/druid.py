"""Read Apache Druid's supervisors: the datasources that they ingest from topics, with their columns."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from scanner_extractor.catalogs.collector import CatalogCollector
from scanner_extractor.catalogs.column_types import Part, Shape
from scanner_extractor.catalogs.json_fields import items, member, objects, text
from scanner_extractor.catalogs.olap.expressions import fields_of
from scanner_extractor.catalogs.olap.ingested import ingested_table
from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import Json
from scanner_extractor.scan.results import CatalogResult, Progress
from scanner_extractor.settings.catalogs import CatalogSettings
from scanner_model.catalogs import (
    KAFKA_BROKERS,
    KAFKA_COLUMNS,
    KAFKA_FORMAT,
    KAFKA_PATTERN,
    KAFKA_TOPICS,
    CatalogTable,
)
from scanner_model.columns import field_segment
from scanner_model.errors import PayloadUnexpected, Problem

_PORT = 8888
_TIME = "__time"
_HINT = "is `url` the address of Druid's router or overlord?"

Sources = dict[str, tuple[str, ...]]
"""The fields of a message that each column is derived from."""


def read_druid(settings: CatalogSettings, http: Http, progress: Progress) -> CatalogResult:
    """Read the datasources of all supervisors that ingest from Kafka, which one request lists.

    Raises ScannerError where it fails. Source: Apache Druid, Supervisor API; Supervisor; Ingestion spec reference.
    """
    collector = CatalogCollector(settings, http, progress)
    for supervisor in list_supervisors(http):
        spec = _spec(supervisor)
        name = text(member(spec, "dataSchema"), "dataSource")
        if name and settings.wanted.table(name):
            collector.keep([_table(supervisor, spec, settings)])
            if "jq" in {text(field, "type") for field in _flattened(spec)}:
                what = "what it selects by jq is not connected with fields of the topic"
                collector.problems.append(Problem(f"{settings.source} {name}", what))
    return collector.reading()


def list_supervisors(http: Http) -> list[dict[str, Json]]:
    """List the supervisors that ingest from Kafka."""
    answer = http.get("druid", "indexer", "v1", "supervisor", params=(("full", ""),))
    if answer == {}:  # nothing at all
        return []
    if not isinstance(answer, list):
        raise PayloadUnexpected("the response is not a list of supervisors", hint=_HINT)
    return [entry for entry in answer if isinstance(entry, dict) and text(member(entry, "spec"), "type") == "kafka"]


def _spec(supervisor: Json) -> Json:
    """Return the specification, which older versions have one level higher."""
    outer = member(supervisor, "spec")
    inner = member(outer, "spec")
    return inner if isinstance(inner, dict) else outer


def _table(supervisor: dict[str, Json], spec: Json, settings: CatalogSettings) -> CatalogTable:
    schema, stream = member(spec, "dataSchema"), member(spec, "ioConfig")
    name = text(schema, "dataSource")
    sources, parts = _columns(schema, spec)
    words = {
        KAFKA_TOPICS: text(stream, "topic"),
        KAFKA_PATTERN: text(stream, "topicPattern"),
        KAFKA_BROKERS: text(member(stream, "consumerProperties"), "bootstrap.servers"),
        KAFKA_FORMAT: text(member(stream, "inputFormat"), "type"),
        KAFKA_COLUMNS: json.dumps(sources, sort_keys=True) if sources else "",
        "supervisor": text(supervisor, "id"),
        "state": text(supervisor, "state"),
    }
    return ingested_table(settings, _PORT, name, words, parts)


def _columns(schema: Json, spec: Json) -> tuple[Sources, list[Part]]:
    """Return what the columns are derived from, where it is not the field of their name, and the columns themselves."""
    expressions = {text(step, "name"): fields_of(text(step, "expression")) for step in _transforms(schema)}
    expressions |= {
        text(field, "name"): (_first(text(field, "expr")),) for field in _flattened(spec) if text(field, "expr")
    }
    sources: Sources = {}
    parts: list[Part] = []
    for name, kind, field in _listed(schema):
        fields = tuple(
            dict.fromkeys(origin for step in (field,) for origin in expressions.get(step, (step,)) if origin)
        )
        parts.append(Part(segment=field_segment(name), shape=Shape(word=kind)))
        if fields != (name,):
            sources[name] = fields
    return sources, parts


def _listed(schema: Json) -> Iterator[tuple[str, str, str]]:
    """Yield name, type and field of each column: time, dimensions, metrics."""
    yield _TIME, "long", text(member(schema, "timestampSpec"), "column") or "timestamp"
    for dimension in items(member(schema, "dimensionsSpec"), "dimensions"):
        name = dimension if isinstance(dimension, str) else text(dimension, "name")
        if name and name != _TIME:
            yield name, text(dimension, "type") or "string", name
    for metric in objects(schema, "metricsSpec"):
        if name := text(metric, "name"):
            yield name, text(metric, "type") or "metric", text(metric, "fieldName")


def _transforms(schema: Json) -> list[dict[str, Any]]:
    return objects(member(schema, "transformSpec"), "transforms")


def _flattened(spec: Json) -> list[Mapping[str, Json]]:
    """Return the fields that are selected inside a message."""
    return list(objects(member(member(member(spec, "ioConfig"), "inputFormat"), "flattenSpec"), "fields"))


def _first(path: str) -> str:
    """Return the field at the top of a message that a path begins with: `$.user.id` is of `user`."""
    return path.removeprefix("$").lstrip(".").replace("[", ".").split(".")[0].strip("'\"")
