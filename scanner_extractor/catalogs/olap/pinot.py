"""Read Apache Pinot's tables from its controller: those that are consumed from topics, with their columns."""

from __future__ import annotations

import json
from collections.abc import Iterator

from scanner_extractor.catalogs.collector import CatalogCollector
from scanner_extractor.catalogs.column_types import Part, Shape
from scanner_extractor.catalogs.json_fields import items, listed, member, objects, text
from scanner_extractor.catalogs.olap.expressions import fields_of
from scanner_extractor.catalogs.olap.ingested import ingested_table
from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import Json
from scanner_extractor.scan.results import CatalogResult, Progress
from scanner_extractor.settings.catalogs import CatalogSettings
from scanner_model.catalogs import KAFKA_BROKERS, KAFKA_COLUMNS, KAFKA_FORMAT, KAFKA_TOPICS, CatalogTable
from scanner_model.columns import ELEMENT, field_segment
from scanner_model.errors import NotFound, ScannerError

_PORT = 9000
_FIELDS = ("dimensionFieldSpecs", "metricFieldSpecs", "dateTimeFieldSpecs", "complexFieldSpecs")


def read_pinot(settings: CatalogSettings, http: Http, progress: Progress) -> CatalogResult:
    """Read the tables that the settings choose, two requests each.

    Raises ScannerError where tables cannot be listed; other failures give a partial result. Source: Apache Pinot,
    Controller API; Table and Schema configuration references.
    """
    collector = CatalogCollector(settings, http, progress)
    names = list_pinot_tables(settings, http)
    for name, answer in zip(names, collector.run_all(names, lambda name: _load(http, name)), strict=True):
        if isinstance(answer, NotFound):
            continue  # it was dropped since it was listed
        if isinstance(answer, ScannerError):
            collector.unread.append(name)
            collector.report_problem(name, "it could not be read", answer)
        else:
            collector.keep([_table(name, *answer, settings)])
    return collector.reading()


def list_pinot_tables(settings: CatalogSettings, http: Http) -> list[str]:
    """List the tables that the settings choose."""
    answer = http.get("tables")
    listed(answer, "tables")  # raises for what is no list
    return sorted({name for name in items(answer, "tables") if isinstance(name, str) and settings.wanted.table(name)})


def _load(http: Http, name: str) -> tuple[Json, Json]:
    return http.get("tables", name), http.get("tables", name, "schema")


def _table(name: str, answer: Json, schema: Json, settings: CatalogSettings) -> CatalogTable:
    config = member(answer, "REALTIME") or member(answer, "OFFLINE")
    ingestion = member(config, "ingestionConfig")
    streams = [stream for stream in _streams(config) if text(stream, "streamType").lower() == "kafka"]
    topics = dict.fromkeys(text(stream, "stream.kafka.topic.name") for stream in streams)
    stream = streams[0] if streams else {}
    sources = dict(_sources(ingestion))
    words = {
        KAFKA_TOPICS: ",".join(filter(None, topics)),
        KAFKA_BROKERS: text(stream, "stream.kafka.broker.list"),
        KAFKA_FORMAT: text(stream, "stream.kafka.decoder.class.name").rpartition(".")[2],
        KAFKA_COLUMNS: json.dumps(sources, sort_keys=True) if streams and sources else "",
        "tableType": text(config, "tableType"),
    }
    return ingested_table(settings, _PORT, name, words, _parts(schema))


def _streams(config: Json) -> Iterator[dict[str, Json]]:
    """Yield the configuration of each stream; older tables have one beside the indexes."""
    listed_streams = objects(member(member(config, "ingestionConfig"), "streamIngestionConfig"), "streamConfigMaps")
    yield from listed_streams
    older = member(member(config, "tableIndexConfig"), "streamConfigs")
    if isinstance(older, dict) and not listed_streams:
        yield older


def _sources(ingestion: Json) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the columns that are computed, with the fields of the message that they are computed from."""
    for list_name, expression in (
        ("transformConfigs", "transformFunction"),
        ("aggregationConfigs", "aggregationFunction"),
    ):
        for step in objects(ingestion, list_name):
            if name := text(step, "columnName"):
                yield name, fields_of(text(step, expression))


def _parts(schema: Json) -> Iterator[Part]:
    for entry in (entry for list_name in _FIELDS for entry in objects(schema, list_name)):
        name, kind = text(entry, "name"), text(entry, "dataType")
        if not name:
            continue
        nullable = entry.get("notNull") is not True
        if entry.get("singleValueField") is False:
            inner = Part(segment=ELEMENT, shape=Shape(word=kind))
            yield Part(segment=field_segment(name), shape=Shape(word="array", parts=(inner,)), nullable=nullable)
        else:
            yield Part(segment=field_segment(name), shape=Shape(word=kind), nullable=nullable)
