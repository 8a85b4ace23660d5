"""Read Materialize from its system catalog: sources, tables, views and sinks of a schema, with their columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from scanner_extractor.catalogs.column_types import Part, columns_of
from scanner_extractor.systems.databases.engines.definitions import (
    Definition,
    engine_type,
    literal,
    named_view,
    plain_query,
    select,
)
from scanner_extractor.systems.databases.engines.messages import Dialect, Messages, ingested_parameters
from scanner_extractor.systems.databases.engines.session import EngineReader, EngineSession, Row
from scanner_extractor.systems.databases.reader import DatabaseTables
from scanner_model.catalogs import CatalogTable
from scanner_model.columns import Column, field_segment
from scanner_model.errors import Problem, SourceRefused
from scanner_model.redaction import mask_text

_SCHEMAS = (
    "SELECT s.id, s.name FROM mz_catalog.mz_schemas s JOIN mz_catalog.mz_databases d ON d.id = s.database_id "
    "WHERE d.name = {database}"
)
_KINDS = {
    "mz_sources": "SOURCE",
    "mz_tables": "TABLE",
    "mz_views": "VIEW",
    "mz_materialized_views": "MATERIALIZED VIEW",
    "mz_sinks": "SINK",
}
_DETAILS = {
    "sources": ("mz_catalog.mz_kafka_sources", "mz_internal.mz_kafka_sources"),
    "tables": ("mz_internal.mz_kafka_source_tables",),
    "sinks": ("mz_catalog.mz_kafka_sinks",),
    "comments": ("mz_internal.mz_comments",),
}
"""System tables that older versions lack, or have in another schema."""
_VIEWS = ("MATERIALIZED VIEW", "VIEW")
_PROGRESS = "progress"
_DIALECT = Dialect(prefixes=("",), keyed=frozenset({"UPSERT"}), whole=frozenset({"BYTES", "JSON", "TEXT"}))
_PAGE = "see docs/sources/engines.md"


def read_materialize(session: EngineSession, schema: str) -> DatabaseTables:
    """Read a schema: its sources, tables, views and sinks. Raises ScannerError.

    All columns of the system tables are requested, because their number grew from version to version.
    Source: Materialize, System catalog: mz_catalog, mz_internal.
    """
    numbers = {str(row["name"]): str(row["id"]) for row in _schema_rows(session)}
    if schema not in numbers:
        raise SourceRefused(f"no schema {schema}", hint=_PAGE)
    where = f"schema_id = {literal(numbers[schema])}"
    of_objects = f"id IN ({select('mz_catalog.mz_objects', where, columns='id')})"
    result = DatabaseTables()
    listed = {what: _details(session, what, of_objects, result.problems) for what in _DETAILS}
    details = {what: _by_id(rows) for what, rows in listed.items() if what != "comments"}
    comments: dict[str, dict[int, object]] = {}
    for row in listed["comments"]:
        comments.setdefault(str(row["id"]), {})[_number(row.get("object_sub_id"))] = row.get("comment")
    connections = _by_id(session.optional_rows((select("mz_catalog.mz_kafka_connections"),), result.problems))
    lists = {table: session.rows(select(f"mz_catalog.{table}", where)) for table in _KINDS}
    sources = _by_id(session.rows(select("mz_catalog.mz_sources")))
    columns = session.rows(select("mz_catalog.mz_columns", of_objects, "id, position"))
    catalog = _Catalog(details, connections, sources, comments)
    return _Schema(session, schema, lists, catalog, columns).tables(result)


def _schema_rows(session: EngineSession) -> list[Row]:
    return session.rows(_SCHEMAS.format(database=literal(session.location.database)))


def _details(session: EngineSession, what: str, of_objects: str, problems: list[Problem]) -> list[Row]:
    return session.optional_rows((select(table, of_objects) for table in _DETAILS[what]), problems)


MATERIALIZE = EngineReader(
    version="SELECT mz_version()",
    schemas=lambda session: [str(row["name"]) for row in _schema_rows(session)],
    read=read_materialize,
)


@dataclass(frozen=True, slots=True)
class _Catalog:
    """What the system tables say of Kafka by the ids of objects, and the sources of all schemas."""

    details: Mapping[str, Mapping[str, Row]]
    connections: Mapping[str, Row]
    sources: Mapping[str, Row]
    comments: Mapping[str, Mapping[int, object]]

    def brokers(self, source: Row) -> str:
        """Return the brokers that a source or sink is connected with; empty where they are not shown."""
        brokers = self.connections.get(source.get("connection_id") or "", {}).get("brokers") or ()
        names = brokers.strip("{}").split(",") if isinstance(brokers, str) else brokers
        return ",".join(str(name).strip(' "') for name in names)


@dataclass(frozen=True)
class _Object:
    """A relation by its *row*, with the statement that created it."""

    kind: str
    row: Row

    @property
    def name(self) -> str:
        return str(self.row["name"])

    @cached_property
    def definition(self) -> Definition:
        return Definition(str(self.row.get("redacted_create_sql") or self.row.get("create_sql") or ""))


@dataclass(frozen=True, slots=True)
class _Schema:
    session: EngineSession
    name: str
    lists: Mapping[str, list[Row]]
    catalog: _Catalog
    columns: list[Row]

    def tables(self, result: DatabaseTables) -> DatabaseTables:
        columns: dict[str, list[Row]] = {}
        objects = list(self._objects())
        for column in (*self.columns, *self._columns_of_origins(objects)):
            columns.setdefault(column["id"], []).append(column)
        for entry in objects:
            result.tables.append(self._table(entry, columns, result))
        result.tables.sort(key=lambda table: table.name)
        return result

    def _objects(self) -> Iterator[_Object]:
        for listed, kind in _KINDS.items():
            yield from (_Object(kind, row) for row in self.lists[listed] if row.get("type") != _PROGRESS)

    def _columns_of_origins(self, objects: list[_Object]) -> list[Row]:
        """Return the columns of what sinks write, where it is in another schema."""
        known = {column["id"] for column in self.columns}
        origins = {_origin(entry) for entry in objects if entry.kind == "SINK"} - known - {""}
        ids = ", ".join(map(literal, sorted(origins)))
        return self.session.rows(select("mz_catalog.mz_columns", f"id IN ({ids})", "id, position")) if ids else []

    def _table(self, entry: _Object, columns: Mapping[str, list[Row]], result: DatabaseTables) -> CatalogTable:
        rows = columns.get(_origin(entry) if entry.kind == "SINK" else entry.row["id"], [])
        names = [str(row["name"]) for row in rows]
        comments = self.catalog.comments.get(entry.row["id"], {})
        table = self.session.table(
            self.name, entry.name, entry.kind, _columns(rows, comments), self._parameters(entry, names, result)
        )
        definition = self._definition(entry, names, result)
        return replace(table, definition=definition, description=mask_text(str(comments.get(0) or "")))

    def _parameters(self, entry: _Object, names: list[str], result: DatabaseTables) -> Mapping[str, str]:
        messages = self._messages(entry)
        if messages is None:
            return {}
        if not messages.topic:
            result.problems.append(self._problem(entry, "its topic is not shown"))
            return {}
        if entry.kind == "SINK":
            return messages.parameters
        return ingested_parameters(messages, entry.definition, names, _DIALECT)

    def _messages(self, entry: _Object) -> Messages | None:
        """Return the messages that an object reads or writes; None where it is not connected with a topic.

        A source without a format has no columns: tables are made from it, each with a format of its own. It reads the
        topic itself only without such tables.
        """
        definition, row = entry.definition, entry.row
        encoding = definition.format[0]
        envelope = definition.word(definition.index("ENVELOPE"))
        if entry.kind == "TABLE":
            detail = self.catalog.details["tables"].get(row["id"])
            if detail is None:
                return None
            source = self.catalog.sources.get(row.get("source_id") or "", {})
            # Versions before 26.19 show the name as it is written in SQL.
            topic = str(detail.get("topic") or "").strip('"')
            return Messages(topic=topic, brokers=self.catalog.brokers(source), encoding=encoding, envelope=envelope)
        if (
            entry.kind not in ("SINK", "SOURCE")
            or row.get("type") != "kafka"
            or ((entry.kind, encoding) == ("SOURCE", "") and row["id"] in self._sources_of_tables)
        ):
            return None
        listed = self.catalog.details["sinks" if entry.kind == "SINK" else "sources"].get(row["id"], {})
        topic = str(listed.get("topic") or self._topic(definition))
        return Messages(topic=topic, brokers=self.catalog.brokers(row), encoding=encoding, envelope=envelope)

    @property
    def _sources_of_tables(self) -> set[str]:
        return {str(row.get("source_id") or "") for row in self.lists["mz_tables"]}

    def _topic(self, definition: Definition) -> str:
        """Return the topic as the statement has it; newer versions hide texts in it, and list topics."""
        at = definition.index("KAFKA", "CONNECTION")
        topic = definition.options(definition.behind_name(at)).get("topic", "")
        return "" if topic.startswith("<") else topic

    def _definition(self, entry: _Object, names: list[str], result: DatabaseTables) -> str:
        """Return the query of a view or sink, of a view under the names of its columns."""
        if entry.kind == "SINK":
            query = entry.definition.query
        elif entry.kind in _VIEWS:
            query = plain_query(str(entry.row.get("definition") or ""))
        else:
            return ""
        if not query:
            result.problems.append(self._problem(entry, "its query is not shown"))
        elif names and entry.kind in _VIEWS:
            query = named_view(entry.name, names, query)
        return self.session.masked(query)

    def _problem(self, entry: _Object, what: str) -> Problem:
        return self.session.problem(self.session.location.name(self.name, entry.name), what, _PAGE)


def _columns(rows: list[Row], comments: Mapping[int, object]) -> Iterator[Column]:
    parts = (
        Part(
            segment=field_segment(str(row["name"])),
            shape=engine_type(str(row.get("type") or "")),
            nullable=row.get("nullable") is not False,
            doc=mask_text(str(comment)) if (comment := comments.get(_number(row.get("position")))) else None,
        )
        for row in rows
    )
    return columns_of(parts)


def _origin(entry: _Object) -> str:
    """Return the id of what a sink writes; empty where its statement does not show it."""
    return entry.definition.name(entry.definition.index("FROM")).id


def _by_id(rows: list[Row]) -> Mapping[str, Row]:
    return {str(row["id"]): row for row in rows}


def _number(value: object) -> int:
    """Return a number: the driver passes types that it does not know, as `uint8`, as texts; 0 for none."""
    return int(text) if (text := str(value)).isdigit() else 0
