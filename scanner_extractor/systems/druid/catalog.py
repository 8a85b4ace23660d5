"""Read the tables that Apache Druid and Apache Pinot ingest from topics, with the fields that their columns name."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping

from scanner_extractor.catalogs.collector import CatalogCollector
from scanner_extractor.catalogs.column_types import Part, Shape, columns_of, parameters, server_namespace
from scanner_extractor.http.client import Http
from scanner_extractor.results import CatalogResult, Progress
from scanner_extractor.settings.sources import CatalogSettings
from scanner_model.catalogs import (
    KAFKA_BROKERS,
    KAFKA_COLUMNS,
    KAFKA_FORMAT,
    KAFKA_PATTERN,
    KAFKA_TOPICS,
    CatalogTable,
)
from scanner_model.columns import ELEMENT, field_segment
from scanner_model.errors import NotFound, Problem, ScannerError
from scanner_model.payload import Payload


def ingested_table(
    settings: CatalogSettings, port: int, name: str, words: Mapping[str, str], columns: Iterable[Part]
) -> CatalogTable:
    """Return the table *name* of the engine that the settings name; *port* is its usual one, *words* are parameters."""
    engine = settings.type
    return CatalogTable(
        source=settings.source,
        provider=engine,
        namespace=server_namespace(engine, settings.http.url, port),
        name=name,
        kind="TABLE",
        table_format=engine.capitalize(),
        parameters=parameters(words),
        symlinks=tuple((server_namespace(engine, alias, port), name) for alias in settings.aliases),
        columns=tuple(columns_of(columns)),
    )


_TOKEN = re.compile(
    r"'(?:[^'\\]|\\.|'')*'"  # a text
    r'|"(?P<quoted>(?:[^"\\]|\\.)*)"'
    r"|(?P<name>[A-Za-z_$][\w$]*)(?P<call>\s*\()?"
    r"|\d[\w.]*"
)
_WORDS = frozenset({"and", "as", "case", "cast", "else", "end", "false", "in", "is", "like", "not", "null", "or"}) | {
    *("then", "true", "when", "between")
}
_LONGEST = 100_000


def fields_of(expression: str) -> tuple[str, ...]:
    """Return the fields that *expression* names, each once, in order: neither functions, texts nor words of SQL."""
    names: dict[str, None] = {}
    for match in _TOKEN.finditer(expression[:_LONGEST]):
        name = match["quoted"] if match["name"] is None else match["name"]
        if name and not match["call"] and (match["name"] is None or name.lower() not in _WORDS):
            names.setdefault(name)
    return tuple(names)


_DRUID_PORT = 8888
_TIME = "__time"
_KAFKA = "kafka"

Sources = dict[str, tuple[str, ...]]
"""The fields of a message that each column is derived from."""


def read_druid(settings: CatalogSettings, http: Http, progress: Progress) -> CatalogResult:
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


_PINOT_PORT = 9000
_FIELDS = ("dimensionFieldSpecs", "metricFieldSpecs", "dateTimeFieldSpecs", "complexFieldSpecs")


def read_pinot(settings: CatalogSettings, http: Http, progress: Progress) -> CatalogResult:
    """Read the tables that the settings choose, two requests each.

    Raises ScannerError where tables cannot be listed; other failures give a partial result. Source: Apache Pinot,
    Controller API; Table and Schema configuration references.
    """
    collector = CatalogCollector(settings, http, progress)
    names = list_pinot_tables(settings, http)
    for name, answer in zip(names, collector.run_all(names, lambda name: _load(http, name, settings)), strict=True):
        if isinstance(answer, NotFound):
            continue  # it was dropped since it was listed
        if isinstance(answer, ScannerError):
            collector.unread.add(name, answer)
        else:
            collector.keep([answer])
    return collector.reading()


def list_pinot_tables(settings: CatalogSettings, http: Http) -> list[str]:
    """List the tables that the settings choose."""
    names = {entry.text() for entry in Payload(http.get("tables")).entries("tables")}
    return sorted(name for name in names if settings.wanted.table(name))


def _load(http: Http, name: str, settings: CatalogSettings) -> CatalogTable:
    answer, schema = Payload(http.get("tables", name)), Payload(http.get("tables", name, "schema"))
    config = answer.need("REALTIME", "OFFLINE")
    streams = [stream for stream in _streams(config) if stream.text("streamType").lower() == "kafka"]
    topics = dict.fromkeys(stream.text("stream.kafka.topic.name") for stream in streams)
    stream = streams[0] if streams else Payload({})
    sources = dict(_sources(config.object("ingestionConfig")))
    words = {
        KAFKA_TOPICS: ",".join(filter(None, topics)),
        KAFKA_BROKERS: stream.text("stream.kafka.broker.list"),
        KAFKA_FORMAT: stream.text("stream.kafka.decoder.class.name").rpartition(".")[2],
        KAFKA_COLUMNS: json.dumps(sources, sort_keys=True) if streams and sources else "",
        "tableType": config.text("tableType"),
    }
    schema.need("schemaName")  # lists of columns are left out where they are empty
    return ingested_table(settings, _PINOT_PORT, name, words, _parts(schema))


def _streams(config: Payload) -> list[Payload]:
    """Return the configuration of each stream; older tables have one beside the indexes."""
    streams = config.object("ingestionConfig").object("streamIngestionConfig").list("streamConfigMaps")
    older = config.object("tableIndexConfig").object("streamConfigs")
    return streams or ([older] if older else [])


def _sources(ingestion: Payload) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the columns that are computed, with the fields of the message that they are computed from."""
    for list_name, expression in (
        ("transformConfigs", "transformFunction"),
        ("aggregationConfigs", "aggregationFunction"),
    ):
        for step in ingestion.list(list_name):
            yield step.need("columnName").text(), fields_of(step.text(expression))


def _parts(schema: Payload) -> Iterator[Part]:
    for entry in (entry for list_name in _FIELDS for entry in schema.list(list_name)):
        segment, shape = field_segment(entry.need("name").text()), Shape(word=entry.text("dataType"))
        if not entry.flag("singleValueField", default=True):
            shape = Shape(word="array", parts=(Part(segment=ELEMENT, shape=shape),))
        yield Part(segment=segment, shape=shape, nullable=not entry.flag("notNull"))
