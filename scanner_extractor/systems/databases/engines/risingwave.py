"""Read RisingWave from its system tables: sources, tables, views and sinks of a schema, with their columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from scanner_extractor.catalogs.column_types import Part, columns_of
from scanner_extractor.systems.databases.engines.definitions import Definition, engine_type, named_view, select
from scanner_extractor.systems.databases.engines.messages import Dialect, Messages, ingested_parameters
from scanner_extractor.systems.databases.engines.session import EngineReader, EngineSession, Row
from scanner_extractor.systems.databases.reader import DatabaseTables
from scanner_model.catalogs import KAFKA_TOPICS, PRIMARY_KEY, CatalogTable, TableKey
from scanner_model.columns import Column, field_segment
from scanner_model.documents.json_input import load_text
from scanner_model.errors import SourceRefused
from scanner_model.redaction import mask_text

_SCHEMAS = "SELECT id, name FROM rw_catalog.rw_schemas"
_KINDS = {
    "rw_tables": "TABLE",
    "rw_materialized_views": "MATERIALIZED VIEW",
    "rw_views": "VIEW",
    "rw_sources": "SOURCE",
    "rw_sinks": "SINK",
}
_VIEWS = ("MATERIALIZED VIEW", "VIEW")
_KAFKA = "kafka"
_TOPIC = ("topic", "kafka.topic")
_BROKERS = ("properties.bootstrap.server", "kafka.brokers")
_DIALECT = Dialect(prefixes=("_rw_kafka_", "_rw_"), whole=frozenset({"BYTES", "TEXT"}))
_HIDDEN = ("_row_id", "_rw_timestamp", "_rw_kafka_timestamp")
"""How columns end that no query shows, where a version does not mark them."""
_PAGE = "see docs/sources/engines.md"


def read_risingwave(session: EngineSession, schema: str) -> DatabaseTables:
    """Read a schema: its sources, tables, views and sinks that the user may see. Raises ScannerError.

    All columns of the system tables are requested, because their number grew from version to version.
    Source: RisingWave, System catalogs.
    """
    schemas = {row["id"]: str(row["name"]) for row in session.rows(_SCHEMAS)}
    number = next((int(identity) for identity, name in schemas.items() if name == schema), None)
    if number is None:
        raise SourceRefused(f"no schema {schema}", hint=_PAGE)
    where = f"schema_id = {number}"
    of_objects = f"IN ({select('rw_catalog.rw_relations', where, columns='id')})"
    result = DatabaseTables()
    described = (select("rw_catalog.rw_description", f"objoid {of_objects}"),)
    comments = session.optional_rows(described, result.problems)
    lists = {table: session.rows(select(f"rw_catalog.{table}", where)) for table in _KINDS}
    columns = session.rows(select("rw_catalog.rw_columns", f"relation_id {of_objects}", "relation_id, position"))
    sinks = session.rows(select("rw_catalog.rw_sinks")) if lists["rw_tables"] else []
    return _Schema(session, schemas, number, lists, columns, comments, sinks).tables(result)


RISINGWAVE = EngineReader(
    version="SELECT version()",
    schemas=lambda session: [str(row["name"]) for row in session.rows(_SCHEMAS)],
    read=read_risingwave,
)


def is_kafka(options: Mapping[str, str]) -> bool:
    """Return whether an object with these options reads or writes a topic; a connection may name the connector."""
    connector = options.get("connector", "").lower()
    return connector == _KAFKA or "kafka.topic" in options or (not connector and "topic" in options)


@dataclass(frozen=True)
class _Object:
    """A relation: its *row*, what it reads or writes (*connector*: the row of its source), and its columns."""

    kind: str
    row: Row
    connector: Row
    columns: tuple[Row, ...]

    @property
    def name(self) -> str:
        return str(self.row["name"])

    @cached_property
    def definition(self) -> Definition:
        return Definition(str(self.row.get("definition") or ""))

    @property
    def shown(self) -> tuple[Row, ...]:
        """Return the columns that `SELECT *` shows."""
        return tuple(column for column in self.columns if not _is_hidden(column))

    @property
    def options(self) -> Mapping[str, str]:
        """Return what it is connected with; newer versions resolve connections, and show secrets by their names."""
        shown = _parsed(self.connector.get("connector_props"))
        if not isinstance(shown, Mapping) or not shown:
            return self.definition.settings
        plain = {name: item.get("value") for name, item in shown.items() if isinstance(item, Mapping)}
        return {name.lower(): value for name, value in plain.items() if isinstance(value, str)}

    @cached_property
    def messages(self) -> Messages | None:
        """Return the messages of its topic; None where it is not connected with Kafka."""
        options, (envelope, encoding) = self.options, self.definition.format
        if not is_kafka(options):
            return None
        return Messages(
            topic=_first(options, _TOPIC),
            brokers=_first(options, _BROKERS),
            encoding=encoding,
            envelope=envelope or options.get("type", "").replace("append-only", ""),
        )


@dataclass(frozen=True)
class _Schema:
    session: EngineSession
    schemas: Mapping[int, str]
    number: int
    lists: Mapping[str, list[Row]]
    columns: list[Row]
    comments: list[Row]
    sinks: list[Row]

    @property
    def name(self) -> str:
        return self.schemas[self.number]

    def tables(self, result: DatabaseTables) -> DatabaseTables:
        for entry in self._objects():
            result.tables.append(self._table(entry, result))
        result.tables.sort(key=lambda table: table.name)
        return result

    def _objects(self) -> Iterator[_Object]:
        """Yield each object once: a table with a connector is listed as a source, too."""
        columns: dict[Any, list[Row]] = {}
        for column in self.columns:
            columns.setdefault(column["relation_id"], []).append(column)
        tables = {row["name"] for row in self.lists["rw_tables"]}
        sources = {row["name"]: row for row in self.lists["rw_sources"]}
        for listed, kind in _KINDS.items():
            for row in self.lists[listed]:
                is_of_table = row.get("associated_table_id") is not None or row["name"] in tables
                if kind != "SOURCE" or not is_of_table:
                    connector = sources.get(row["name"], row) if kind == "TABLE" else row
                    yield _Object(kind, row, connector, tuple(columns.get(row["id"], ())))

    def _table(self, entry: _Object, result: DatabaseTables) -> CatalogTable:
        comments = self._comments.get(entry.row["id"], {}) if entry.kind == "TABLE" else {}
        parameters = self._parameters(entry, result)
        table = self.session.table(self.name, entry.name, entry.kind, self._columns(entry, comments), parameters)
        return replace(
            table,
            description=mask_text(str(comments.get(None) or "")),
            definition=self._definition(entry, result),
            keys=tuple(_primary_key(entry)),
            symlinks=self._symlinks(entry, table),
        )

    @cached_property
    def _comments(self) -> Mapping[Any, Mapping[Any, Any]]:
        """Return the comments of each object by the number of the column; that of the object itself by None."""
        comments: dict[Any, dict[Any, Any]] = {}
        for row in self.comments:
            comments.setdefault(row.get("objoid"), {})[row.get("objsubid")] = row.get("description")
        return comments

    def _columns(self, entry: _Object, comments: Mapping[Any, Any]) -> Iterator[Column]:
        """Yield the columns with those inside them; comments are listed by number, not by name."""
        numbers = sorted(number for number in comments if isinstance(number, int) and number > 0)
        shown = entry.shown
        # Numbers are not used again after a column is dropped: they are matched where there are as many.
        docs = [comments[number] for number in numbers] if len(numbers) == len(shown) else [None] * len(shown)
        parts = (
            Part(
                segment=field_segment(str(row["name"])),
                shape=engine_type(str(row.get("data_type") or "")),
                nullable=row.get("is_nullable") is not False,
                doc=mask_text(str(doc)) if doc else None,
            )
            for row, doc in zip(shown, docs, strict=True)
        )
        return columns_of(parts)

    def _parameters(self, entry: _Object, result: DatabaseTables) -> Mapping[str, str]:
        messages = entry.messages if entry.kind in ("SOURCE", "TABLE", "SINK") else None
        if messages is None:
            return {}
        if not messages.topic:
            result.problems.append(self.session.problem(self._full_name(entry), "its topic is not shown", _PAGE))
        if entry.kind == "SINK":
            return messages.parameters
        names = [str(row["name"]) for row in entry.shown]
        parameters = ingested_parameters(messages, entry.definition, names, _DIALECT)
        return parameters if parameters[KAFKA_TOPICS] else {}

    def _definition(self, entry: _Object, result: DatabaseTables) -> str:
        """Return the query of a view or sink, of a view under the names of its columns."""
        query = entry.definition.query if entry.kind in (*_VIEWS, "SINK") else ""
        if not query and entry.kind in (*_VIEWS, "SINK"):
            result.problems.append(self.session.problem(self._full_name(entry), "its query is not shown", _PAGE))
        if query and entry.kind in _VIEWS and entry.shown and "is_hidden" in entry.shown[0]:
            query = named_view(entry.name, [str(row["name"]) for row in entry.shown], query)
        return self.session.masked(query)

    def _symlinks(self, entry: _Object, table: CatalogTable) -> tuple[tuple[str, str], ...]:
        """Return the other names of an object; those of a table are the sinks into it, whose data are the table's."""
        if entry.kind == "SINK":
            return ()
        if entry.kind != "TABLE" or entry.messages:
            return table.symlinks
        return (*table.symlinks, *((table.namespace, name) for name in self._sinks.get(table.name, ())))

    @cached_property
    def _sinks(self) -> Mapping[str, list[str]]:
        """Return the names of the sinks of all schemas that write into tables, by the names of these."""
        sinks: dict[str, list[str]] = {}
        for row in self.sinks:
            definition = Definition(str(row.get("definition") or ""))
            own = self.schemas.get(row["schema_id"], "")
            if parts := definition.name(definition.index("INTO")).parts:
                table = self.session.location.name(parts[-2] if len(parts) > 1 else own, parts[-1])
                sinks.setdefault(table, []).append(self.session.location.name(own, str(row["name"])))
        return sinks

    def _full_name(self, entry: _Object) -> str:
        return self.session.location.name(self.name, entry.name)


def _primary_key(entry: _Object) -> Iterator[TableKey]:
    keys = [row for row in entry.columns if row.get("is_primary_key") is True]
    if entry.kind == "TABLE" and keys and not any(map(_is_hidden, keys)):
        yield TableKey(PRIMARY_KEY, tuple(str(row["name"]) for row in keys))


def _is_hidden(column: Row) -> bool:
    marked = column.get("is_hidden")
    return str(column["name"]).endswith(_HIDDEN) if marked is None else bool(marked)


def _parsed(value: object) -> object:
    """Return JSON that a driver passes as text; None for any other text."""
    try:
        return load_text(value) if isinstance(value, str) else value
    except ValueError:
        return None


def _first(options: Mapping[str, str], names: Iterable[str]) -> str:
    return next((options[name] for name in names if options.get(name)), "")
