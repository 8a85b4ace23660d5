"""From an Iceberg catalog's JSON to facts: schemas of any depth, partitions, location, the SQL of views."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from scanner_extractor.catalogs.column_types import DEEPEST, Part, Shape, columns_of
from scanner_extractor.catalogs.table_members import location_name, mask_location, moment, parameters
from scanner_extractor.settings.catalogs import CatalogSettings
from scanner_model.catalogs import DIALECT, CatalogTable
from scanner_model.columns import ELEMENT, MAP_VALUE, field_segment
from scanner_model.payload import Payload
from scanner_model.redaction import mask_statement, mask_text

_SIZED = re.compile(r"(?P<word>[a-z_]+)\s*[\[(](?P<size>[^\])]*)[\])]")
_READ = frozenset(
    {"schemas", "schema", "location", "properties", "last-updated-ms", "partition-specs", "partition-spec"}
    | {"snapshots", "snapshot-log", "metadata-log", "refs", "versions", "version-log", "sort-orders", "statistics"}
    | {"current-schema-id", "current-version-id", "default-spec-id", "last-column-id", "last-partition-id"}
    | {"default-sort-order-id", "last-sequence-number", "current-snapshot-id", "partition-statistics", "next-row-id"}
)
_SHOWN = frozenset({"owner", "comment"})
_DIALECTS = ("spark", "trino", "presto", "hive", "databricks", "snowflake", "bigquery", "duckdb", "clickhouse")
"""The dialects of views' texts that can be parsed, the preferred one first."""


class Identifier(NamedTuple):
    """The namespace of a table, level by level, and its name."""

    namespace: tuple[str, ...]
    name: str

    @property
    def full_name(self) -> str:
        """Return the name as engines write it."""
        return ".".join((*self.namespace, self.name))


def read_table(answer: Payload, identifier: Identifier, settings: CatalogSettings) -> CatalogTable:
    """Read a loaded table; raises PayloadUnexpected. Source: Iceberg table spec, Table metadata fields."""
    metadata = answer.need("metadata")
    schema = _current(metadata, "schemas", "schema-id", metadata.integer("current-schema-id"))
    fields = (schema or metadata.need("schema")).need("fields").list()
    spec = _current(metadata, "partition-specs", "spec-id", metadata.integer("default-spec-id"))
    names = {entry.integer("id"): entry.text("name") for entry in fields}
    sources = (names.get(entry.integer("source-id"), "") for entry in (spec.list("fields") if spec else ()))
    location = metadata.text("location")
    files = location_name(location)
    table = _described(metadata, identifier, settings, fields)
    return replace(
        table,
        kind="TABLE",
        table_format="iceberg",
        location=mask_location(location),
        partition_keys=tuple(dict.fromkeys(filter(None, sources))),
        symlinks=((files,) if files else ()) + table.symlinks,
    )


def read_view(answer: Payload, identifier: Identifier, settings: CatalogSettings) -> CatalogTable:
    """Read a loaded view with its text in a dialect that can be parsed; raises PayloadUnexpected.

    Source: Iceberg view spec.
    """
    metadata = answer.need("metadata")
    version = _current(metadata, "versions", "version-id", metadata.integer("current-version-id"))
    if not version:
        raise metadata.error("has no current version")
    schema = _current(metadata, "schemas", "schema-id", version.integer("schema-id"))
    texts = {entry.text("dialect").lower(): entry.text("sql") for entry in version.list("representations")}
    dialect = next((name for name in _DIALECTS if name in texts), next(iter(texts), ""))
    view = _described(metadata, identifier, settings, schema.need("fields").list() if schema else [])
    words = _words_of_view(dialect, ".".join(version.texts("default-namespace")))
    return replace(
        view,
        kind="VIEW",
        definition=mask_statement(texts.get(dialect, ""), settings.http.secret_names),
        parameters=tuple(sorted({**dict(view.parameters), **words}.items())),
    )


def _words_of_view(dialect: str, schema: str) -> dict[str, str]:
    """Return the parameters by which a view's text is parsed, and names in it are completed."""
    return {name: word for name, word in ((DIALECT, dialect), ("schema", schema)) if word}


def _described(
    metadata: Payload, identifier: Identifier, settings: CatalogSettings, fields: list[Payload]
) -> CatalogTable:
    """Return what tables and views have in common."""
    own = metadata.object("properties")
    stated = {name: value for name, value in own.members().items() if name not in _SHOWN}
    return CatalogTable(
        source=settings.source,
        provider="iceberg",
        namespace=settings.http.url.rstrip("/"),
        name=identifier.full_name,
        owner=own.text("owner"),
        description=mask_text(own.text("comment")),
        updated=moment(metadata, "last-updated-ms"),
        parameters=parameters({**stated, **metadata.members()}, _READ),
        symlinks=tuple((alias, identifier.full_name) for alias in settings.aliases),
        columns=tuple(columns_of(_part(field, 1) for field in fields)),
    )


def _current(metadata: Payload, name: str, identity: str, current: int | None) -> Payload | None:
    """Return the object of a list whose *identity* is *current*; None where there is none."""
    return next((entry for entry in metadata.list(name) if entry.integer(identity) == current), None)


def _part(field: Payload, depth: int) -> Part:
    return Part(
        segment=field_segment(field.need("name").text()),
        shape=_shape(field.need("type"), depth),
        nullable=not field.flag("required"),
        doc=mask_text(field.text("doc")) or None,
    )


def _shape(kind: Payload, depth: int) -> Shape:
    """Return the shape of a type; what is nested too deeply has no parts. Source: Iceberg, Appendix C."""
    if isinstance(kind.value, str):
        match = _SIZED.fullmatch(kind.value)
        size = ",".join(part.strip() for part in match["size"].split(",")) if match else ""
        return Shape(word=match["word"], logical=f"{match['word']}({size})") if match else Shape(word=kind.value)
    word = kind.need("type").text()
    if depth >= DEEPEST:
        return Shape(word=word)
    match word:
        case "struct":
            return Shape(word=word, parts=tuple(_part(field, depth + 1) for field in kind.need("fields").list()))
        case "list":
            return Shape(word=word, parts=(_inside(ELEMENT, kind, "element", depth),))
        case "map":
            return Shape(word=word, parts=(_inside(MAP_VALUE, kind, "value", depth),))
        case _:
            return Shape(word=word)


def _inside(segment: str, kind: Payload, name: str, depth: int) -> Part:
    return Part(segment=segment, shape=_shape(kind.need(name), depth + 1), nullable=not kind.flag(f"{name}-required"))
