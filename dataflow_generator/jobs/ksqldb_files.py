"""Files of ksqlDB statements as collections and queries, which a server would otherwise report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from dataflow_generator.sql.catalog import Catalog, KnownTable
from dataflow_generator.sql.lexer import Dialect
from dataflow_generator.sql.lineage import StatementFlows
from dataflow_generator.sql.nodes import ColumnKind, Parts, SqlType
from dataflow_generator.sql.reader import TextReading, read_sql, read_text
from scanner_model.columns import ELEMENT, MAP_VALUE, Column, ColumnPath, field_segment
from scanner_model.declarations import DECLARED
from scanner_model.names import Role, TopicName
from scanner_model.streaming_sql import CollectionColumn, KsqlSource, Query, StreamingStatement

_ROLES = {ColumnKind.KEY: Role.KEY, ColumnKind.HEADER: None}
_PREFIXES = {"STREAM": "CSAS_", "TABLE": "CTAS_"}
_ROUNDS = 4


class FileQueries(NamedTuple):
    """The persistent queries of one file, the collections that they may name, and the file."""

    queries: tuple[Query, ...]
    collections: tuple[KsqlSource, ...]
    file: str


def file_queries(files: Sequence[StreamingStatement]) -> Iterator[FileQueries]:
    """Yield the queries of each file; all files are one catalog, in which a name is that of the nearest file.

    A file of the same directory is nearest: projects that have nothing to do with each other use the same names.
    """
    readings: dict[str, TextReading] = {}
    declared: dict[str, Mapping[Parts, KnownTable]] = {}
    for file in files:
        readings[file.name], alone = read_text(file.statement, Dialect.KSQLDB)
        declared[file.name] = alone.tables
    elsewhere = {file.name: _elsewhere(file.name, readings[file.name].flows, declared) for file in files}
    dependent = [file for file in files if elsewhere[file.name]]
    for _ in range(_ROUNDS):  # what a query creates has columns when those that it reads have them
        before = dict(declared)
        for file in dependent:
            visible = Catalog(tables=_visible(elsewhere[file.name], declared))
            if not readings[file.name].holds_in(visible):
                readings[file.name], after = read_text(file.statement, Dialect.KSQLDB, visible)
                kept = (name for name in declared[file.name] if name in after.tables)
                declared[file.name] = {name: after.tables[name] for name in kept}
        if before == declared:
            break
    names: dict[str, str] = {}
    for file in files:
        tables = {**_visible(elsewhere[file.name], declared), **declared[file.name]}
        reading, catalog = readings[file.name], Catalog(tables=tables)
        parsed = reading.flows if reading.holds_in(catalog) else read_sql(file.statement, Dialect.KSQLDB, catalog)
        queries = tuple(_query(file, flows, tables, names) for flows in parsed if flows.sinks and flows.sources)
        if queries:
            yield FileQueries(queries, tuple(_collections(file, parsed, tables)), file.name)


def _elsewhere(
    file: str, parsed: Iterable[StatementFlows], declared: Mapping[str, Mapping[Parts, KnownTable]]
) -> Mapping[Parts, str]:
    """Return the tables that a file uses and does not declare, each with the nearest file that does."""
    used = {(name,) for flows in parsed for name in (*flows.sources, *flows.sinks)} - declared[file].keys()
    directory = file.rpartition("/")[0]
    nearest: dict[Parts, str] = {}
    for table in used:
        listed = [name for name, tables in declared.items() if table in tables]
        if listed:
            nearest[table] = max(listed, key=lambda name: (_near(directory, name), name))
    return nearest


def _visible(
    elsewhere: Mapping[Parts, str], declared: Mapping[str, Mapping[Parts, KnownTable]]
) -> dict[Parts, KnownTable]:
    return {table: declared[name][table] for table, name in elsewhere.items() if table in declared[name]}


def _near(directory: str, file: str) -> int:
    parts, others = directory.split("/"), file.split("/")[:-1]
    if parts == others:
        return 1_000
    return next((at for at, (one, other) in enumerate(zip(parts, others, strict=False)) if one != other), len(others))


def _query(
    file: StreamingStatement, flows: StatementFlows, tables: Mapping[Parts, KnownTable], names: dict[str, str]
) -> Query:
    """Return a query under a name of its own: *names* are those that exist, each with its statement."""
    words = flows.kind.split()
    prefix = next((sign for word, sign in _PREFIXES.items() if word in words and "INSERT" not in words), "INSERTQUERY_")
    name = f"{prefix}{flows.sinks[0]}"
    text = f"{flows.text} {sorted(topic for source in flows.sources for topic in _topics(tables.get((source,))))}"
    taken = (name, f"{name} ({file.name})", *(f"{name} ({file.name}, {number})" for number in range(2, 1_000)))
    name = next((free for free in taken if names.get(free, text) == text), name)
    names[name] = text
    known = tables.get((flows.sinks[0],))
    return Query(
        source=file.source,
        name=name,
        kind="PERSISTENT",
        state=DECLARED,
        statement=flows.text,
        sources=flows.sources,
        sinks=flows.sinks,
        sink_topics=tuple(map(TopicName, _topics(known))),
    )


def _topics(table: KnownTable | None) -> tuple[str, ...]:
    return table.topics if table else ()


def _collections(
    file: StreamingStatement, parsed: Iterable[StatementFlows], tables: Mapping[Parts, KnownTable]
) -> Iterator[KsqlSource]:
    used = {name for flows in parsed for name in (*flows.sources, *flows.sinks)}
    for name, table in sorted(tables.items()):
        if name[-1] in used and table.topics:
            yield _collection(file, name[-1], table)


def _collection(file: StreamingStatement, name: str, table: KnownTable) -> KsqlSource:
    options = {key.upper(): value for key, value in table.options}
    both = options.get("FORMAT", "")
    shown = ", ".join(f"{key}='{value}'" for key, value in sorted(options.items()))
    return KsqlSource(
        source=file.source,
        name=name,
        kind="TABLE" if table.is_table else "STREAM",
        topic=TopicName(table.topics[0]),
        key_format=(options.get("KEY_FORMAT") or both or "KAFKA").upper(),
        value_format=(options.get("VALUE_FORMAT") or both).upper(),
        statement=f"CREATE {'TABLE' if table.is_table else 'STREAM'} {name} WITH ({shown})" if shown else "",
        window="TUMBLING" if table.windowed else "",
        columns=tuple(_columns(table)) if table.complete else (),
    )


def _columns(table: KnownTable) -> Iterator[CollectionColumn]:
    for definition in table.columns:
        role = _ROLES.get(definition.part, Role.VALUE)
        for column in _nested((field_segment(definition.name),), definition.type):
            yield CollectionColumn(column=column, role=role)


def _nested(path: ColumnPath, kind: SqlType) -> Iterator[Column]:
    """Yield a column and those inside it; the parser of types bounds their depth."""
    yield Column(path=path, type=kind.name or "STRING", nullable=True)
    for name, inside in kind.fields:
        yield from _nested((*path, field_segment(name)), inside)
    if kind.element is not None:
        yield from _nested((*path, MAP_VALUE if kind.name == "MAP" else ELEMENT), kind.element)
