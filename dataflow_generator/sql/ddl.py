"""Derive known tables from DDL: columns, topics, and what LIKE or a query adds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from dataflow_generator.sql.catalog import KnownTable, Session, View, with_topics
from dataflow_generator.sql.nodes import (
    AlterStatement,
    ColumnDefinition,
    ColumnKind,
    CreateModelStatement,
    CreateStatement,
    CreateTypeStatement,
    DropStatement,
    SessionStatement,
    SqlType,
    Statement,
)
from dataflow_generator.sql.scope import Rows, StatementContext

_UNTYPED = SqlType("")
_INFERRED = ("AVRO", "PROTOBUF", "JSON_SR")
_GENERATED = {"GENERATED": (ColumnKind.COMPUTED,), "METADATA": (ColumnKind.METADATA, ColumnKind.VIRTUAL)}


def table_from_ddl(statement: CreateStatement, session: Session, *, flink: bool) -> KnownTable:
    """Build the table that DDL without a query declares."""
    base = session.table(statement.like) if statement.like else None
    columns = {column.name: _expanded(column, session.types) for column in statement.columns or ()}
    options = dict(statement.options)
    if base is not None:
        left_out = {part for what in statement.excluded for part in _GENERATED.get(what, ())}
        inherited = {column.name: column for column in base.columns if column.part not in left_out}
        columns = inherited | columns
        options = options if "OPTIONS" in statement.excluded else dict(base.options) | options
    table = KnownTable(
        name=statement.name,
        columns=tuple(columns.values()),
        complete=_is_complete(statement, base, options, flink=flink),
        options=tuple(options.items()),
        windowed="WINDOW_TYPE" in options,
        is_table="TABLE" in statement.kind.split(),
    )
    return with_topics(table, flink=flink)


def _is_complete(
    statement: CreateStatement, base: KnownTable | None, options: Mapping[str, str], *, flink: bool
) -> bool:
    if statement.like:
        return base is not None and base.complete
    if flink:
        return bool(statement.columns)
    # ksqlDB infers columns that its DDL omits from the schema registry: all, or those of the value.
    inferred = options.get("VALUE_FORMAT", options.get("FORMAT", "")).upper() in _INFERRED
    only_keys = all(column.part is ColumnKind.KEY for column in statement.columns or ())
    return bool(statement.columns) and not (only_keys and inferred)


def table_from_query(statement: CreateStatement, rows: Rows, context: StatementContext) -> KnownTable:
    """Build the table or view that a query defines."""
    if statement.view:
        view = View(
            columns=tuple((column.name, column.value, column.type) for column in rows.columns),
            effects=frozenset(context.effects),
            sources=frozenset(context.sources),
            datasets=tuple(dataset for name, dataset in sorted(context.datasets.items()) if name in context.sources),
            open=rows.open,
            table=rows.table,
            others=rows.others,
            rest=rows.rest,
            leading=rows.leading,
            unknown_effects=context.unknown_effects,
        )
        return KnownTable(name=statement.name, view=view)
    listed = tuple(ColumnDefinition(column.name, column.type or _UNTYPED) for column in rows.columns)
    own = tuple(column for column in statement.columns or () if column.type != _UNTYPED)
    names = {column.name for column in own}
    table = KnownTable(
        name=statement.name,
        columns=(*own, *(column for column in listed if column.name not in names)),
        complete=not rows.open,
        unread=rows.open and rows.rest.unknown,
        options=statement.options,
        windowed=rows.windowed,
        is_table="TABLE" in statement.kind.split(),
    )
    return with_topics(table, flink=context.flink, own=True)


def altered_table(table: KnownTable, change: AlterStatement, session: Session, *, flink: bool) -> KnownTable:
    """Return *table* with the columns, options and name that ALTER gives it."""
    renamed = dict(change.renamed)
    columns = [
        replace(column, name=renamed.get(column.name, column.name))
        for column in table.columns
        if column.name not in change.dropped
    ]
    columns += [_expanded(column, session.types) for column in change.added]
    options = tuple((dict(table.options) | dict(change.options)).items())
    result = replace(table, columns=tuple(columns), options=options, name=change.new_name or table.name)
    return with_topics(result, flink=flink) if change.options else result


def expanded_type(kind: SqlType, types: Mapping[str, SqlType]) -> SqlType:
    """Replace custom types by their definitions, which have been expanded themselves."""
    if kind.name in types and not kind.fields and kind.element is None:
        return types[kind.name]
    fields = tuple((name, expanded_type(field_type, types)) for name, field_type in kind.fields)
    return SqlType(kind.name, fields, expanded_type(kind.element, types) if kind.element else None)


def _expanded(column: ColumnDefinition, types: Mapping[str, SqlType]) -> ColumnDefinition:
    return replace(column, type=expanded_type(column.type, types)) if types else column


def apply(statement: Statement, session: Session, *, flink: bool) -> None:
    """Apply *statement* to *session*; most statements change nothing."""
    match statement:
        case CreateStatement():
            session.define(statement.name, table_from_ddl(statement, session, flink=flink))
        case DropStatement():
            session.drop(statement.name)
        case AlterStatement():
            _alter(statement, session, flink=flink)
        case CreateModelStatement():
            session.models[session.qualified(statement.name)] = statement.columns
        case CreateTypeStatement():
            session.types[statement.name] = expanded_type(statement.type, session.types)
        case SessionStatement():
            _set(statement, session)


def _alter(statement: AlterStatement, session: Session, *, flink: bool) -> None:
    known = session.table(statement.name)
    if known is None:
        return
    if statement.new_name:
        session.drop(statement.name)
    session.define(statement.new_name or statement.name, altered_table(known, statement, session, flink=flink))


def _set(statement: SessionStatement, session: Session) -> None:
    match statement.what:
        case "catalog":
            session.use(catalog=statement.value)
        case "database":
            session.use(database=statement.value)
        case "setting" if statement.value:
            session.settings[statement.name.lower()] = statement.value[0]
        case "setting":
            names = [statement.name.lower()] if statement.name else list(session.settings)
            for name in names:
                session.settings.pop(name, None)
        case _ if statement.value:
            session.variables[statement.name.lower()] = statement.value[0]
        case _:
            session.variables.pop(statement.name.lower(), None)
