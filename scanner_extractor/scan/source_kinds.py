"""The kinds of source: a row names the kind of a system, which is imported if a cluster has such a source.

To add a kind: a package in `scanner_extractor/systems` with its settings, its Section of cluster.json, its reader, its
check and its SourceKind; a row of KINDS; tests, and a page of the docs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

from scanner_extractor.config.sections import ParseContext, Section
from scanner_extractor.http.messages import Json
from scanner_extractor.settings.cluster import Settings
from scanner_extractor.source_kind import SourceKind
from scanner_model.lazy_names import load
from scanner_model.maturity import experimental
from scanner_model.names import SourceId

_SYSTEMS = "scanner_extractor.systems"


class KindRow(NamedTuple):
    """A kind: its *member* of cluster.json, its *field* of Settings, `module:attribute` of its SourceKind.

    An empty field means that `settings.others` holds its sources.
    """

    member: str
    field: str
    attribute: str

    def kind(self) -> SourceKind[Any]:
        """Import and return the kind."""
        return _kind(self)

    def is_in(self, settings: Settings) -> bool:
        """Return whether *settings* may have sources of this kind."""
        return bool(getattr(settings, self.field) if self.field else settings.others.get(self.member))


@cache
def _kind(row: KindRow) -> SourceKind[Any]:
    return replace(load(row.attribute), field=row.field)


KINDS: tuple[KindRow, ...] = (
    KindRow("confluent_cloud", "cloud", f"{_SYSTEMS}.confluent_cloud.section:CLOUD"),
    KindRow("kafka", "kafka", f"{_SYSTEMS}.kafka.section:BROKERS"),
    KindRow("kafka_rest", "kafka_rest", f"{_SYSTEMS}.confluent_cloud.section:KAFKA_REST"),
    KindRow("ksqldb", "ksqldb", f"{_SYSTEMS}.ksqldb.section:SERVER"),
    KindRow("connect", "connect", f"{_SYSTEMS}.connect.section:CONNECT"),
    KindRow("flink", "flink", f"{_SYSTEMS}.flink.section:SERVER"),
    KindRow("flink", "sql_files", f"{_SYSTEMS}.flink.section:STATEMENT_FILES"),
    KindRow("streams", "", f"{_SYSTEMS}.streams.section:TOPOLOGIES"),
    KindRow("files", "", f"{_SYSTEMS}.deployment.section:FILES"),
    KindRow("repositories", "", "scanner_extractor.repository.section:REPOSITORY"),
    KindRow("ksqldb", "", f"{_SYSTEMS}.ksqldb.section:FILES"),
    KindRow("schemas", "", "scanner_extractor.repository.section:SCHEMA_FILES"),
    KindRow("schema_registries", "registries", "scanner_extractor.registries.section:REGISTRY"),
    KindRow("observe_schema_ids", "", f"{_SYSTEMS}.kafka.section:SCHEMA_IDS"),
    KindRow("stream_catalogs", "stream_catalogs", f"{_SYSTEMS}.confluent_cloud.section:STREAM_CATALOG"),
    KindRow("tableflow", "tableflow", f"{_SYSTEMS}.confluent_cloud.section:TABLEFLOW"),
    KindRow("catalogs", "catalogs", "scanner_extractor.catalogs.section:CATALOGS_OF_TABLES"),
    KindRow("databases", "", f"{_SYSTEMS}.databases.section:DATABASE"),
    KindRow("dbt", "", f"{_SYSTEMS}.dbt.section:DBT"),
    KindRow("metrics", "metrics", f"{_SYSTEMS}.confluent_cloud.section:CLOUD_METRICS"),
    KindRow("metrics", "metrics", f"{_SYSTEMS}.confluent_cloud.section:OFFSETS"),
    KindRow("acls", "", f"{_SYSTEMS}.kafka.section:ACLS"),
    KindRow("kafka_clients", "", f"{_SYSTEMS}.kafka.section:BROKER_CLIENTS"),
    KindRow("prometheus", "prometheus", f"{_SYSTEMS}.prometheus.section:PROMETHEUS"),
    KindRow("applications", "", "scanner_extractor.config.kinds:APPLICATIONS"),
    KindRow("personal_data", "", "scanner_extractor.config.kinds:PERSONAL_DATA"),
)
"""Every kind of source, in the order in which a scan reports them."""

MEMBERS: tuple[str, ...] = tuple(dict.fromkeys(row.member for row in KINDS))
"""The members of cluster.json that declare sources."""


def all_kinds() -> tuple[SourceKind[Any], ...]:
    """Import and return every kind of source."""
    return tuple(row.kind() for row in KINDS)


def kinds_of(settings: Settings) -> Iterator[SourceKind[Any]]:
    """Yield the kinds that *settings* may have sources of."""
    return (row.kind() for row in KINDS if row.is_in(settings))


def sections(document: Json = None) -> tuple[Section[Any], ...]:
    """Return the sections of cluster.json: those that *document* has, of any form, or all for None."""
    present = set(MEMBERS) if document is None else document.keys() if isinstance(document, dict) else set()
    rows = {row.member: row for row in KINDS if row.member in present}
    return tuple(row.kind().section for row in rows.values())


def experimental_sources(settings: Settings) -> Iterator[tuple[SourceId, str]]:
    """Yield the sources whose systems were never read live, each with what they were tested with."""
    for kind in kinds_of(settings):
        for source in kind.sources(settings):
            if reason := experimental(kind.proofs(source)):
                yield source.source, reason


def source_settings(context: ParseContext) -> dict[str, Any]:
    """Return the fields of Settings that hold sources, with what a valid document declares."""
    parsed = {section.member: section.settings(context) for section in sections(context.document)}
    fields: dict[str, Any] = {"others": {}}
    for kind in (row.kind() for row in KINDS if row.member in parsed):
        sources = tuple(source for source in parsed[kind.section.member] if isinstance(source, kind.settings))
        if not kind.field:
            fields["others"][kind.section.member] = sources
        elif kind.section.listing is not None:
            fields[kind.field] = sources
        elif sources:
            fields[kind.field] = sources[0]
    return fields
