"""Read an Iceberg REST catalog: tables with schemas of any depth, partitions and locations, and the SQL of views."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple
from urllib.parse import quote, unquote

from scanner_extractor.catalogs import CatalogType, lists
from scanner_extractor.catalogs.collector import CatalogCollector
from scanner_extractor.catalogs.column_types import (
    DEEPEST,
    Part,
    Shape,
    columns_of,
    location_name,
    mask_location,
    moment,
    parameters,
)
from scanner_extractor.catalogs.members import TABLES
from scanner_extractor.config.sections import aliases, name_list, nonempty, object_of, text
from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import EncodedSegment, Json
from scanner_extractor.http.pagination import by_token
from scanner_extractor.results import Progress, Reading
from scanner_extractor.settings.sources import CatalogSettings
from scanner_model.catalogs import DIALECT, CatalogTable
from scanner_model.columns import ELEMENT, MAP_VALUE, field_segment
from scanner_model.errors import NotFound, PayloadUnexpected, ScannerError, SourceObjected
from scanner_model.maturity import live
from scanner_model.payload import Payload
from scanner_model.redaction import mask_statement, mask_text

_PAGE = 1_000
_DEEPEST = 10
"""Levels of namespaces that are followed."""
_SEPARATOR = "%1F"
_BAD_HINT = "is `url` the address that clients have as `uri`, without /v1?"
_VIEWS = "GET /v1/{prefix}/namespaces/{namespace}/views"

Namespace = tuple[str, ...]


class _Entry(NamedTuple):
    """A table or view as a list names it; *kind* is the last segment of the list's address."""

    kind: str
    identifier: Identifier


@dataclass(frozen=True, slots=True, kw_only=True)
class _Service:
    """What the catalog's configuration says: the path that its requests begin with, and what it can list.

    *separator* joins the levels of a namespace in a path, encoded: since 1.11 Iceberg's own server tells `%2E` from the
    dot of a level's own name.
    """

    path: tuple[str, ...] = ("v1",)
    separator: str = _SEPARATOR
    has_views: bool = False

    def segment(self, namespace: Namespace) -> EncodedSegment:
        """Return a namespace as it is in a path. Source: Apache Iceberg, RESTUtil.encodeNamespace."""
        return EncodedSegment(self.separator.join(quote(level, safe="") for level in namespace))


def read_iceberg(settings: CatalogSettings, http: Http, progress: Progress) -> Reading:
    """Read the tables and views of the namespaces that the settings choose; the catalog has no lineage but views' SQL.

    Raises ScannerError where the configuration, or no namespace's tables can be read; other failures give a partial
    result. Source: Apache Iceberg REST Catalog API.
    """
    collector = CatalogCollector(settings, http, progress)
    service = _service(settings, http)
    namespaces = {".".join(names): names for names in _namespaces(settings, http, service)}
    lists = collector.lists(list(namespaces), lambda name: _entries(collector, service, namespaces[name]), "tables")
    entries = [entry for _, listed_entries in lists for entry in listed_entries]
    for entry, answer in zip(entries, collector.run_all(entries, partial(_load, http, service)), strict=True):
        _add_table(collector, entry, answer)
    return collector.reading()


def list_namespaces(settings: CatalogSettings, http: Http) -> list[Namespace]:
    """List the namespaces that the settings choose, at every level, in order."""
    return _namespaces(settings, http, _service(settings, http))


def _service(settings: CatalogSettings, http: Http) -> _Service:
    """Read the configuration; a prefix comes encoded, as a part of a path."""
    options = settings.options
    params = (("warehouse", options["warehouse"]),) if "warehouse" in options else ()
    answer = Payload(http.get("v1", "config", params=params))
    if not isinstance(answer.value, dict):
        raise PayloadUnexpected("the response is not the configuration of a catalog", hint=_BAD_HINT)
    defaults, overrides = answer.object("defaults"), answer.object("overrides")
    prefix = overrides.text("prefix") or defaults.text("prefix")
    separator = overrides.text("namespace-separator") or defaults.text("namespace-separator")
    return _Service(
        path=("v1", *(unquote(step) for step in prefix.split("/") if step)),
        separator=quote(separator, safe="%") or _SEPARATOR,
        has_views=_VIEWS in answer.texts("endpoints"),
    )


def _namespaces(settings: CatalogSettings, http: Http, service: _Service) -> list[Namespace]:
    names = _children(http, service, ())
    level = names
    for _ in range(_DEEPEST):
        level = [name for parent in level for name in _child_namespaces(http, service, parent)]
        names = [*names, *level]
    return sorted(name for name in dict.fromkeys(names) if settings.wanted.schema(".".join(name)))


def _child_namespaces(http: Http, service: _Service, parent: Namespace) -> list[Namespace]:
    """List the namespaces in a namespace; a server without levels refuses, or lists all namespaces again."""
    try:
        return _children(http, service, parent)
    except (NotFound, SourceObjected):
        return []


def _children(http: Http, service: _Service, parent: Namespace) -> list[Namespace]:
    chosen = (("parent", unquote(service.separator).join(parent)),) if parent else ()

    def page(token: str) -> tuple[list[Namespace], str]:
        answer = Payload(http.get(*service.path, "namespaces", params=(*chosen, *_page(token))))
        levels = [tuple(level.text() for level in entry.list()) for entry in answer.entries("namespaces")]
        return [name for name in levels if name[:-1] == parent], answer.text("next-page-token")

    return list(by_token(page, key=lambda name: name))


def _page(token: str) -> tuple[tuple[str, str | int], ...]:
    return ("pageToken", token), ("pageSize", _PAGE)


def _entries(collector: CatalogCollector, service: _Service, namespace: Namespace) -> list[_Entry]:
    """List the tables of a namespace, and its views where the catalog has such a list."""
    wanted = collector.settings.wanted.table
    result: list[_Entry] = []
    for kind in ("tables", "views") if service.has_views else ("tables",):
        path = (*service.path, "namespaces", service.segment(namespace), kind)
        entries = by_token(_identifiers(collector.http, path), key=lambda entry: entry.shown("name"))
        names = collector.unread.read(
            collector.paged_entries(entries), lambda entry: entry.need("name").text(), lambda _: ""
        )
        result += [_Entry(kind, Identifier(namespace, name)) for name in names if wanted(name)]
    return result


def _identifiers(http: Http, path: tuple[str, ...]) -> Callable[[str], tuple[list[Payload], str]]:
    def page(token: str) -> tuple[list[Payload], str]:
        answer = Payload(http.get(*path, params=_page(token)))
        return answer.entries("identifiers"), answer.text("next-page-token")

    return page


def _load(http: Http, service: _Service, entry: _Entry) -> Json:
    """Load a table with the snapshots that branches and tags refer to only, as the others may be many."""
    params = (("snapshots", "refs"),) if entry.kind == "tables" else ()
    namespace, name = entry.identifier
    return http.get(*service.path, "namespaces", service.segment(namespace), entry.kind, name, params=params)


def _add_table(collector: CatalogCollector, entry: _Entry, answer: Json | ScannerError) -> None:
    """Add a table; one that was dropped since it was listed is left out."""
    if isinstance(answer, NotFound):
        return
    read = read_table if entry.kind == "tables" else read_view
    try:
        if isinstance(answer, ScannerError):
            raise answer
        collector.keep([read(Payload(answer), entry.identifier, collector.settings)])
    except ScannerError as error:
        collector.unread.add(entry.identifier.full_name, error)


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
    """Return the object of a list whose *identity* is *current*; None if absent."""
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


_URI = r"https?://[^\s/@?#]+(?:/[^\s@?#]*)?"


def _place(options: Json, url: str) -> str:
    return ":".join(filter(None, (url, options.get("warehouse", ""))))


CATALOG = CatalogType(
    read=read_iceberg,
    check=lists("namespaces", list_namespaces),
    schema=object_of(
        "Iceberg",
        "The tables of a REST catalog.",
        {
            "url": text("Address", "The address of the Iceberg REST catalog."),
            "namespaces": name_list(
                "Namespaces", "Names or patterns, levels joined by dots; all by default.", "sales.*"
            ),
            "tables": TABLES,
            "aliases": aliases(
                "Other `uri`s of the catalog.",
                "http://lake:8181/api",
                form=_URI,
                hint="write the `uri` of another client, without user",
            ),
            "warehouse": nonempty("Warehouse", "The catalog's warehouse."),
        },
    ),
    place=_place,
    proofs=(live("Iceberg REST catalog", "1.11.0", "tests/lab/test_lab_catalogs.py"),),
)
