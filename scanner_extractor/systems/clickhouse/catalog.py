"""Read ClickHouse from its system tables: tables that are read from topics, views with their SQL, columns."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from scanner_extractor.catalogs import CatalogType, lists
from scanner_extractor.catalogs.collector import CatalogCollector, Name
from scanner_extractor.catalogs.column_types import Part, columns_of, moment, parameters, server_namespace
from scanner_extractor.catalogs.members import ALIASES, DATABASES, TABLES
from scanner_extractor.config.sections import object_of, text
from scanner_extractor.http.client import Http
from scanner_extractor.results import Progress, Reading
from scanner_extractor.settings.sources import CatalogSettings
from scanner_extractor.systems.clickhouse.engines import (
    EngineClause,
    clickhouse_type,
    forwarded_table,
    has_macros,
    kafka_parameters,
    parse_engine,
    target_table,
)
from scanner_model.catalogs import DATABASE, KAFKA_BROKERS, KAFKA_TOPICS, CatalogTable
from scanner_model.columns import Column, field_segment
from scanner_model.errors import PayloadUnexpected, Problem, ScannerError
from scanner_model.maturity import live
from scanner_model.payload import Payload
from scanner_model.redaction import mask_statement, mask_text

_OWN = frozenset({"system", "information_schema", "INFORMATION_SCHEMA"})
_PORT = 8123
_INNER = (".inner.", ".inner_id.", ".tmp.inner")
"""How the names of tables begin that hold the rows of a materialized view."""
_KINDS = {"View": "VIEW", "MaterializedView": "MATERIALIZED VIEW", "LiveView": "VIEW", "Dictionary": "DICTIONARY"}
_VIEWS = ("VIEW", "MATERIALIZED VIEW")
_KAFKA = "Kafka"

_DATABASES = "SELECT name FROM system.databases ORDER BY name"
_TABLES = (
    "SELECT name, engine, as_select, comment, metadata_modification_time, partition_key AS partition_by, "
    "sorting_key AS order_by, if(engine IN ('Kafka', 'Distributed', 'Buffer'), engine_full, '') AS declaration, "
    "if(engine = 'MaterializedView', create_table_query, '') AS creation "
    "FROM system.tables WHERE database = {database:String} AND NOT is_temporary ORDER BY name"
)
"""Declarations of other engines are not requested: those of servers before 23.1 show passwords in them."""
_READ = frozenset({"name", "engine", "declaration", "as_select", "creation", "comment", "metadata_modification_time"})
_COLUMNS = (
    "SELECT table, name, type, comment, default_kind, default_expression, is_in_partition_key "
    "FROM system.columns WHERE database = {database:String} ORDER BY table, position"
)
_COLLECTIONS = "SELECT name, collection FROM system.named_collections ORDER BY name"
_MACROS = "SELECT macro AS name, substitution FROM system.macros ORDER BY macro"

_ROW_BYTES, _CELL_BYTES = 400, 60
"""Bytes that a row, and each of its cells, take in memory in addition to the texts."""

_NO_BROKERS = "the brokers of its named collection are not shown: its topics are those of this cluster, if it has them"
_BROKERS_HINT = "write kafka_broker_list into the table's own settings"


def read_clickhouse(settings: CatalogSettings, http: Http, progress: Progress) -> Reading:
    """Read the tables and views of the databases that the settings choose, without any row of them.

    Raises ScannerError where no database's tables can be listed; other failures give a partial result.
    Source: ClickHouse, System tables; HTTP interface.
    """
    collector = CatalogCollector(settings, http, progress)
    databases = list_clickhouse_databases(settings, http)
    size = _Size(settings.http.max_bytes)
    lists = collector.lists(databases, lambda name: _entries(collector, name, size), "tables")
    collector.keep(_Server(collector, tuple(entry for _, entries in lists for entry in entries)).tables())
    return collector.reading()


def list_clickhouse_databases(settings: CatalogSettings, http: Http) -> list[str]:
    """List the databases that the settings choose, without those of ClickHouse itself."""
    names = (row.need("name").text() for row in _rows(http, _DATABASES))
    return [name for name in names if name not in _OWN and settings.wanted.schema(name)]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """A table as the system tables list it, with its columns.

    *other_name* is the name of the table that holds its rows; empty where it holds them itself, or has none.
    """

    database: str
    name: str
    row: Payload
    columns: tuple[Payload, ...]
    kind: str
    engine: EngineClause
    other_name: str


@dataclass(slots=True)
class _Size:
    """Bounds what all databases take in memory together: each answer is bounded, but not the number of databases."""

    limit: int
    used: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, rows: list[Payload]) -> list[Payload]:
        """Return *rows*; raises PayloadUnexpected where all until now are larger than the limit."""
        cells = [cell for row in rows for cell in row.object().value.values()]
        size = (
            _ROW_BYTES * len(rows)
            + _CELL_BYTES * len(cells)
            + sum(len(cell) for cell in cells if isinstance(cell, str))
        )
        with self.lock:
            self.used += size
        self.check()
        return rows

    def check(self) -> None:
        """Raise PayloadUnexpected if all answers until now are larger than the limit: no other is requested then."""
        if self.used <= self.limit:
            return
        what = f"its databases sent more than {self.limit} bytes together"
        raise PayloadUnexpected(what, hint="raise `max_bytes` of this source, or choose fewer `databases`")


def _entries(collector: CatalogCollector, database: str, size: _Size) -> list[_Entry]:
    size.check()
    columns: dict[str, list[Payload]] = {}
    tables = list(collector.paged_entries(size.add(_rows(collector.http, _TABLES, database))))
    for column in size.add(_rows(collector.http, _COLUMNS, database)):
        columns.setdefault(column.need("table").text(), []).append(column)

    def full_name(row: Payload) -> str:
        name = row.shown("name")
        return f"{database}.{name}" if name else ""

    def read(row: Payload) -> _Entry | None:
        name = row.need("name").text()
        if not collector.settings.wanted.table(name) or name.startswith(_INNER):
            return None
        return _entry(row, database, tuple(columns.get(name, ())))

    return [entry for entry in collector.unread.read(tables, read, full_name) if entry]


def _entry(row: Payload, database: str, columns: tuple[Payload, ...]) -> _Entry:
    word, engine = row.text("engine"), parse_engine(row.text("declaration"))
    kind = _KINDS.get(word, "TABLE")
    is_view = kind == "MATERIALIZED VIEW"
    target = target_table(row.text("creation"), database) if is_view else forwarded_table(word, engine)
    return _Entry(
        database=database,
        name=f"{database}.{row.text('name')}",
        row=row,
        columns=columns,
        kind=kind,
        engine=engine,
        other_name=".".join(target) if target else "",
    )


def _rows(http: Http, query: str, database: str = "") -> list[Payload]:
    """Return the rows of a query, which is sent by GET and therefore cannot change anything."""
    chosen = (("param_database", database),) if database else ()
    options = (("default_format", "JSON"), ("wait_end_of_query", "1"))
    return Payload(http.get("", params=(("query", query), *options, *chosen))).entries("data")


class _Server:
    """The tables of a server, with their other names."""

    def __init__(self, collector: CatalogCollector, entries: tuple[_Entry, ...]) -> None:
        self._collector = collector
        self._entries = entries
        settings = collector.settings
        self._namespace = server_namespace("clickhouse", settings.http.url, _PORT)
        self._aliases = tuple(server_namespace("clickhouse", alias, _PORT) for alias in settings.aliases)
        self._names = self._names_of_tables()

    def tables(self) -> Iterator[CatalogTable]:
        """Yield the tables; one that cannot be read is among the unread."""
        return self._collector.unread.read(self._entries, self._table, lambda entry: entry.name)

    def _names_of_tables(self) -> Mapping[str, tuple[str, ...]]:
        """Return the names by which jobs know each table: its own, those of views and of tables that pass rows to it.

        Such a view or table has none itself: its data are the other's. Where that is not listed, it stands for it.
        """
        listed_names = {entry.name for entry in self._entries}
        names: dict[str, list[str]] = {}
        for entry in self._entries:
            other = entry.other_name
            if other in listed_names:
                names.setdefault(other, [other]).append(entry.name)
            else:
                names.setdefault(entry.name, [entry.name]).extend(filter(None, [other]))
        return {name: tuple(dict.fromkeys(known)) for name, known in names.items()}

    def _table(self, entry: _Entry) -> CatalogTable:
        return CatalogTable(
            source=self._collector.settings.source,
            provider=DATABASE,
            namespace=self._namespace,
            name=entry.name,
            kind=entry.kind,
            table_format=entry.row.text("engine"),
            description=mask_text(entry.row.text("comment")),
            updated=moment(entry.row, "metadata_modification_time"),
            parameters=parameters({**entry.row.members(), "database": entry.database, **self._kafka(entry)}, _READ),
            partition_keys=tuple(row.text("name") for row in entry.columns if row.integer("is_in_partition_key") == 1),
            symlinks=tuple(self._symlinks(entry)),
            definition=self._definition(entry),
            columns=tuple(column for row in entry.columns for column in _columns(row)),
        )

    def _symlinks(self, entry: _Entry) -> Iterator[Name]:
        for name in self._names.get(entry.name, ()):
            yield from ((alias, name) for alias in self._aliases)
            if name != entry.name:
                yield self._namespace, name

    def _definition(self, entry: _Entry) -> str:
        if entry.kind not in _VIEWS:
            return ""
        definition = entry.row.text("as_select")
        if not definition:
            self._problem(entry, "its SELECT is not shown", "its columns are known, where they come from is not")
        return mask_statement(definition, self._collector.settings.http.secret_names)

    def _kafka(self, entry: _Entry) -> dict[str, str]:
        if entry.row.text("engine") != _KAFKA:
            return {}
        engine = entry.engine
        macros = {"database": entry.database, "table": entry.row.text("name")}
        macros |= self._macros if has_macros(engine) else {}
        collection = self._collections.get(engine.collection, {}) if engine.collection else {}
        shown = kafka_parameters(engine, collection, macros)
        if KAFKA_TOPICS not in shown:
            self._problem(entry, "its topics are not shown", "see docs/sources/engines.md")
        elif KAFKA_BROKERS not in shown:
            self._problem(entry, _NO_BROKERS, _BROKERS_HINT)
        return shown

    @cached_property
    def _collections(self) -> Mapping[str, Mapping[str, str]]:
        """Return the named collections that this user may see, with the values that are shown to it."""
        collections = self._optional(_COLLECTIONS, "its named collections could not be read")
        return {name: _texts(row.member("collection")) for name, row in collections.items()}

    @cached_property
    def _macros(self) -> Mapping[str, str]:
        macros = self._optional(_MACROS, "its macros could not be read")
        return {name: row.text("substitution") for name, row in macros.items()}

    def _optional(self, query: str, what: str) -> Mapping[str, Payload]:
        """Return rows by name; none where they cannot be read, as for want of a right."""
        try:
            return {row.need("name").text(): row for row in _rows(self._collector.http, query)}
        except ScannerError as error:
            self._collector.report_problem("", what, error)
            return {}

    def _problem(self, entry: _Entry, what: str, hint: str) -> None:
        where = f"{self._collector.settings.source} {entry.name}"
        self._collector.problems.append(Problem(where, what, hint))


def _columns(row: Payload) -> Iterable[Column]:
    """Return a column with those inside it; the expression of a computed one is its default."""
    known, expression = clickhouse_type(row.need("type").text()), row.text("default_expression")
    doc = mask_text(row.text("comment")) or None
    segment = field_segment(row.need("name").text())
    top, *inside = columns_of((Part(segment=segment, shape=known.shape, nullable=known.nullable, doc=doc),))
    default = json.dumps(mask_statement(expression), ensure_ascii=False) if expression else None
    return replace(top, default=default), *inside


def _texts(collection: Payload) -> dict[str, str]:
    """Return a map of texts; newer servers write it as an object, older ones as a text of pairs."""
    pairs = collection.value.items() if isinstance(collection.value, dict) else ()
    return {name: value for name, value in pairs if isinstance(value, str)}


CATALOG = CatalogType(
    read=read_clickhouse,
    check=lists("databases", list_clickhouse_databases),
    schema=object_of(
        "ClickHouse",
        "The tables of a server.",
        {
            "url": text("Address", "The address of ClickHouse's HTTP interface."),
            "databases": DATABASES,
            "tables": TABLES,
            "aliases": ALIASES,
        },
    ),
    proofs=(live("ClickHouse", "26.9 (chdb)", "docs/sources/engines.md"),),
)
