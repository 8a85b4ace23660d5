"""Read the tables that Apache Pinot ingests from topics, with the fields that their columns name."""

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
    KAFKA_TOPICS,
    CatalogTable,
)
from scanner_model.columns import ELEMENT, field_segment
from scanner_model.errors import NotFound, ScannerError
from scanner_model.maturity import Proof
from scanner_model.payload import Payload

_PINOT_PORT = 9000
_FIELDS = ("dimensionFieldSpecs", "metricFieldSpecs", "dateTimeFieldSpecs", "complexFieldSpecs")


def read_pinot(settings: CatalogSettings, http: Http, progress: Progress) -> Reading:
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


CATALOG = CatalogType(
    read=read_pinot,
    check=lists("tables", list_pinot_tables),
    schema=object_of(
        "Apache Pinot",
        "The tables of a cluster.",
        {
            "url": text("Address", "The address of Pinot's controller."),
            "tables": TABLES,
            "aliases": ALIASES,
        },
    ),
    proofs=(Proof("Apache Pinot"),),
)
