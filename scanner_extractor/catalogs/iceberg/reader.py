"""From an Iceberg catalog's JSON to facts: schemas of any depth, partitions, location, the SQL of views."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from scanner_extractor.catalogs.column_types import DEEPEST, Part, Shape, columns_of
from scanner_extractor.catalogs.json_fields import (
    instant,
    items,
    location_name,
    mask_location,
    member,
    objects,
    parameters,
    text,
)
from scanner_extractor.http.messages import Json
from scanner_extractor.settings.catalogs import CatalogSettings
from scanner_model.catalogs import DIALECT, CatalogTable
from scanner_model.columns import ELEMENT, MAP_VALUE, field_segment
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


def read_table(answer: Json, identifier: Identifier, settings: CatalogSettings) -> CatalogTable | None:
    """Read a loaded table; None for what is none. Source: Iceberg table spec, Table metadata fields."""
    metadata = member(answer, "metadata")
    if not isinstance(metadata, dict):
        return None
    schema = _current(metadata, "schemas", "schema-id", metadata.get("current-schema-id")) or member(metadata, "schema")
    spec = _current(metadata, "partition-specs", "spec-id", metadata.get("default-spec-id"))
    names = {str(entry.get("id")): text(entry, "name") for entry in objects(schema, "fields")}
    sources = (names.get(str(entry.get("source-id")), "") for entry in objects(spec, "fields"))
    location = text(metadata, "location")
    files = location_name(location)
    table = _described(metadata, identifier, settings, schema)
    return replace(
        table,
        kind="TABLE",
        table_format="iceberg",
        location=mask_location(location),
        partition_keys=tuple(dict.fromkeys(filter(None, sources))),
        symlinks=((files,) if files else ()) + table.symlinks,
    )


def read_view(answer: Json, identifier: Identifier, settings: CatalogSettings) -> CatalogTable | None:
    """Read a loaded view with its text in a dialect that can be parsed; None for what is none.

    Source: Iceberg view spec.
    """
    metadata = member(answer, "metadata")
    if not isinstance(metadata, dict):
        return None
    version = _current(metadata, "versions", "version-id", metadata.get("current-version-id"))
    schema = _current(metadata, "schemas", "schema-id", member(version, "schema-id"))
    texts = {text(entry, "dialect").lower(): text(entry, "sql") for entry in objects(version, "representations")}
    dialect = next((name for name in _DIALECTS if name in texts), next(iter(texts), ""))
    within = ".".join(str(level) for level in items(version, "default-namespace"))
    view = _described(metadata, identifier, settings, schema)
    return replace(
        view,
        kind="VIEW",
        definition=mask_statement(texts.get(dialect, ""), settings.http.secret_names),
        parameters=tuple(sorted({**dict(view.parameters), **_words_of_view(dialect, within)}.items())),
    )


def _words_of_view(dialect: str, schema: str) -> dict[str, str]:
    """Return the parameters by which a view's text is parsed, and names in it are completed."""
    return {name: word for name, word in ((DIALECT, dialect), ("schema", schema)) if word}


def _described(
    metadata: dict[str, Json], identifier: Identifier, settings: CatalogSettings, schema: Json
) -> CatalogTable:
    """Return what tables and views have in common."""
    own = member(metadata, "properties")
    stated = {name: value for name, value in own.items() if name not in _SHOWN} if isinstance(own, dict) else {}
    return CatalogTable(
        source=settings.source,
        provider="iceberg",
        namespace=settings.http.url.rstrip("/"),
        name=identifier.full_name,
        owner=text(own, "owner"),
        description=mask_text(text(own, "comment")),
        updated=instant(metadata.get("last-updated-ms")),
        parameters=parameters({**stated, **metadata}, _READ),
        symlinks=tuple((alias, identifier.full_name) for alias in settings.aliases),
        columns=tuple(columns_of(_fields(schema, 1))),
    )


def _current(metadata: dict[str, Json], name: str, identity: str, current: Json) -> Json:
    """Return the object of a list whose *identity* is *current*; None where there is none."""
    return next((entry for entry in objects(metadata, name) if entry.get(identity) == current), None)


def _fields(struct: Json, depth: int) -> Iterator[Part]:
    for entry in objects(struct, "fields"):
        if name := text(entry, "name"):
            yield Part(
                segment=field_segment(name),
                shape=_shape(entry.get("type"), depth),
                nullable=entry.get("required") is not True,
                doc=mask_text(text(entry, "doc")) or None,
            )


def _shape(value: Json, depth: int) -> Shape:
    """Return the shape of a type; what is nested too deeply has no parts. Source: Iceberg, Appendix C."""
    if isinstance(value, str):
        match = _SIZED.fullmatch(value)
        size = ",".join(part.strip() for part in match["size"].split(",")) if match else ""
        return Shape(word=match["word"], logical=f"{match['word']}({size})") if match else Shape(word=value)
    kind = text(value, "type") or "unknown"
    if depth >= DEEPEST:
        return Shape(word=kind)
    match kind:
        case "struct":
            return Shape(word=kind, parts=tuple(_fields(value, depth + 1)))
        case "list":
            return Shape(word=kind, parts=(_inside(ELEMENT, value, "element", depth),))
        case "map":
            return Shape(word=kind, parts=(_inside(MAP_VALUE, value, "value", depth),))
        case _:
            return Shape(word=kind)


def _inside(segment: str, value: Json, name: str, depth: int) -> Part:
    required = member(value, f"{name}-required")
    return Part(segment=segment, shape=_shape(member(value, name), depth + 1), nullable=required is not True)
