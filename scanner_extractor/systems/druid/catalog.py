"""Read the tables that Apache Druid ingests from topics, with the fields that their columns name."""

from __future__ import annotations

import json
from collections.abc import Iterator

from scanner_extractor.catalogs import CatalogType, lists
from scanner_extractor.catalogs.collector import CatalogCollector
from scanner_extractor.catalogs.column_types import Part, Shape
from scanner_extractor.catalogs.ingestion import fields_of, ingested_table
from scanner_extractor.catalogs.members import ALIASES, TABLES
from scanner_extractor.config.sections import object_of, text
from scanner_extractor.http.client import Http
from scanner_extractor.results import Progress, Reading
from scanner_extractor.settings.sources import CatalogSettings
from scanner_model.catalogs import (
    KAFKA_BROKERS,
    KAFKA_COLUMNS,
    KAFKA_FORMAT,
    KAFKA_PATTERN,
    KAFKA_TOPICS,
    CatalogTable,
)
from scanner_model.columns import field_segment
from scanner_model.errors import Problem
from scanner_model.maturity import Proof
from scanner_model.payload import Payload

_DRUID_PORT = 8888
_TIME = "__time"
_KAFKA = "kafka"

Sources = dict[str, tuple[str, ...]]
"""The fields of a message that each column is derived from."""


def read_druid(settings: CatalogSettings, http: Http, progress: Progress) -> Reading:
    """Read the datasources of all supervisors that ingest from Kafka, which one request lists.

    Raises ScannerError where it fails. Source: Apache Druid, Supervisor API; Supervisor; Ingestion spec reference.
    """
    collector = CatalogCollector(settings, http, progress)
    # A supervisor is not always called like its datasource, so that one that cannot be read has no name.
    tables = collector.unread.read(list_supervisors(http), lambda entry: _table(entry, collector), lambda _: "")
    collector.keep(table for table in tables if table)
    return collector.reading()


def list_supervisors(http: Http) -> list[Payload]:
    """List the supervisors of every kind; raises PayloadUnexpected unless it is a list."""
    return Payload(http.get("druid", "indexer", "v1", "supervisor", params=(("full", ""),))).list()


def list_druid_supervisors(_: CatalogSettings, http: Http) -> list[Payload]:
    """List the supervisors that ingest from Kafka."""
    return [row for row in list_supervisors(http) if row.need("spec").text("type") == _KAFKA]


def _table(supervisor: Payload, collector: CatalogCollector) -> CatalogTable | None:
    """Read a datasource; None where it is not from Kafka, or not wanted. Older versions have no inner specification."""
    settings, outer = collector.settings, supervisor.need("spec")
    if outer.need("type").text() != _KAFKA:
        return None
    spec = outer.object("spec") or outer
    schema, stream = spec.need("dataSchema"), spec.need("ioConfig")
    name = schema.need("dataSource").text()
    if not settings.wanted.table(name):
        return None
    flattened = stream.object("inputFormat").object("flattenSpec").list("fields")
    if any(field.text("type") == "jq" for field in flattened):
        what = "what it selects by jq is not connected with fields of the topic"
        collector.problems.append(Problem(f"{settings.source} {name}", what))
    sources, parts = _columns(schema, flattened)
    words = {
        KAFKA_TOPICS: stream.text("topic"),
        KAFKA_PATTERN: stream.text("topicPattern"),
        KAFKA_BROKERS: stream.object("consumerProperties").text("bootstrap.servers"),
        KAFKA_FORMAT: stream.object("inputFormat").text("type"),
        KAFKA_COLUMNS: json.dumps(sources, sort_keys=True) if sources else "",
        "supervisor": supervisor.text("id"),
        "state": supervisor.text("state"),
    }
    return ingested_table(settings, _DRUID_PORT, name, words, parts)


def _columns(schema: Payload, flattened: list[Payload]) -> tuple[Sources, list[Part]]:
    """Return what the columns are derived from, where it is not the field of their name, and the columns themselves."""
    transforms = schema.object("transformSpec").list("transforms")
    expressions = {step.text("name"): fields_of(step.text("expression")) for step in transforms}
    expressions |= {field.text("name"): (_first(field.text("expr")),) for field in flattened if field.text("expr")}
    sources: Sources = {}
    parts: list[Part] = []
    for name, kind, field in _listed(schema):
        fields = tuple(dict.fromkeys(filter(None, expressions.get(field, (field,)))))
        parts.append(Part(segment=field_segment(name), shape=Shape(word=kind)))
        if fields != (name,):
            sources[name] = fields
    return sources, parts


def _listed(schema: Payload) -> Iterator[tuple[str, str, str]]:
    """Yield name, type and field of each column: time, dimensions, metrics."""
    yield _TIME, "long", schema.object("timestampSpec").text("column") or "timestamp"
    for dimension in schema.object("dimensionsSpec").list("dimensions"):
        is_plain = isinstance(dimension.value, str)
        name = dimension.text() if is_plain else dimension.need("name").text()
        if name != _TIME:
            yield name, "string" if is_plain else dimension.text("type") or "string", name
    for metric in schema.list("metricsSpec"):
        yield metric.need("name").text(), metric.text("type") or "metric", metric.text("fieldName")


def _first(path: str) -> str:
    """Return the field at the top of a message that a path begins with: `$.user.id` is of `user`."""
    return path.removeprefix("$").lstrip(".").replace("[", ".").split(".")[0].strip("'\"")


CATALOG = CatalogType(
    read=read_druid,
    check=lists("supervisors", list_druid_supervisors),
    schema=object_of(
        "Apache Druid",
        "The data sources of a cluster.",
        {
            "url": text("Address", "The address of Druid's router or overlord."),
            "tables": TABLES,
            "aliases": ALIASES,
        },
    ),
    proofs=(Proof("Apache Druid"),),
)
