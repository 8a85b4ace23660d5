"""Derive known tables from DDL: columns, topics, and what LIKE or a query adds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from dataflow_generator.sql.catalog import KnownTable, Session, View
from dataflow_generator.sql.nodes import (
    Alteration,
    ColumnDefinition,
    Definition,
    Part,
    Removal,
    Setting,
    SqlType,
    Statement,
    TypeDefinition,
)
from dataflow_generator.sql.scope import Analysis, Column, Rows
from scanner_model.ksqldb import timestamp_column

_UNTYPED = SqlType("")
_INFERRED = ("AVRO", "PROTOBUF", "JSON_SR")
_KAFKA = ("kafka", "upsert-kafka")
_GENERATED = {"GENERATED": (Part.COMPUTED,), "METADATA": (Part.METADATA, Part.VIRTUAL)}


def declared(found: Definition, session: Session, *, flink: bool) -> KnownTable:
    """Build the table that DDL without a query declares."""
    base = session.table(found.like) if found.like else None
    columns = {one.name: _expanded(one, session.types) for one in found.columns or ()}
    options = dict(found.options)
    if base is not None:
        left_out = {part for what in found.excluded for part in _GENERATED.get(what, ())}
        kept = {one.name: one for one in base.columns if one.part not in left_out}
        columns = kept | columns
        options = options if "OPTIONS" in found.excluded else dict(base.options) | options
    table = KnownTable(
        name=found.name,
        columns=tuple(columns.values()),
        complete=_is_complete(found, base, options, flink=flink),
        options=tuple(options.items()),
        windowed="WINDOW_TYPE" in options,
        is_table="TABLE" in found.kind.split(),
    )
    return with_topics(table, flink=flink)


def _is_complete(found: Definition, base: KnownTable | None, options: Mapping[str, str], *, flink: bool) -> bool:
    if found.like:
        return base is not None and base.complete
    if flink:
        return bool(found.columns)
    # ksqlDB infers columns that its DDL omits from the schema registry: all, or those of the value.
    inferred = options.get("VALUE_FORMAT", options.get("FORMAT", "")).upper() in _INFERRED
    only_keys = all(one.part is Part.KEY for one in found.columns or ())
    return bool(found.columns) and not (only_keys and inferred)


def made(found: Definition, columns: tuple[Column, ...], rows: Rows, analysis: Analysis) -> KnownTable:
    """Build the table or view that a query defines."""
    if found.view:
        view = View(
            columns=tuple((one.name, one.value, one.type) for one in columns),
            effects=frozenset(analysis.effects),
            sources=frozenset(analysis.sources),
            datasets=tuple(one for name, one in sorted(analysis.datasets.items()) if name in analysis.sources),
            open=rows.open,
            table=rows.table,
        )
        return KnownTable(name=found.name, view=view)
    listed = tuple(ColumnDefinition(one.name, one.type or _UNTYPED) for one in columns)
    own = tuple(one for one in found.columns or () if one.type != _UNTYPED)
    names = {one.name for one in own}
    table = KnownTable(
        name=found.name,
        columns=(*own, *(one for one in listed if one.name not in names)),
        complete=not rows.open,
        options=found.options,
        windowed=rows.windowed,
        is_table="TABLE" in found.kind.split(),
    )
    return with_topics(table, flink=analysis.flink, own=True)


def with_topics(table: KnownTable, *, flink: bool, own: bool = False) -> KnownTable:
    """Return *table* with the topics of its options, and in ksqlDB the column that sets the record time.

    *own*: in ksqlDB the table's name is the topic where its options name none.
    """
    options = dict(table.options)
    if not flink:
        topic = options.get("KAFKA_TOPIC", table.name[-1] if own else "")
        return replace(table, topics=(topic,) if topic else (), timestamp=timestamp_column(options))
    connector = options.get("connector", "")
    if connector == "confluent":
        return replace(table, topics=(table.name[-1],))
    if connector not in _KAFKA:
        return table
    topics = tuple(one.strip() for one in options.get("topic", "").split(";") if one.strip())
    return replace(table, topics=topics, topic_pattern=options.get("topic-pattern", ""))


def altered(table: KnownTable, change: Alteration, session: Session, *, flink: bool) -> KnownTable:
    """Return *table* after ALTER."""
    renamed = dict(change.renamed)
    columns = [
        replace(one, name=renamed.get(one.name, one.name)) for one in table.columns if one.name not in change.dropped
    ]
    columns += [_expanded(one, session.types) for one in change.added]
    options = tuple((dict(table.options) | dict(change.options)).items())
    kept = replace(table, columns=tuple(columns), options=options, name=change.new_name or table.name)
    return with_topics(kept, flink=flink) if change.options else kept


def expanded_type(kind: SqlType, types: Mapping[str, SqlType]) -> SqlType:
    """Replace custom types by their definitions, which have been expanded themselves."""
    if kind.name in types and not kind.fields and kind.element is None:
        return types[kind.name]
    fields = tuple((name, expanded_type(one, types)) for name, one in kind.fields)
    return SqlType(kind.name, fields, expanded_type(kind.element, types) if kind.element else None)


def _expanded(column: ColumnDefinition, types: Mapping[str, SqlType]) -> ColumnDefinition:
    return replace(column, type=expanded_type(column.type, types)) if types else column


def apply(found: Statement, session: Session, *, flink: bool) -> None:
    """Apply *found* to *session*; most statements change nothing."""
    match found:
        case Definition():
            session.define(found.name, declared(found, session, flink=flink))
        case Removal():
            session.drop(found.name)
        case Alteration():
            _alter(found, session, flink=flink)
        case TypeDefinition():
            session.types[found.name] = expanded_type(found.type, session.types)
        case Setting():
            _set(found, session)


def _alter(found: Alteration, session: Session, *, flink: bool) -> None:
    known = session.table(found.name)
    if known is None:
        return
    if found.new_name:
        session.drop(found.name)
    session.define(found.new_name or found.name, altered(known, found, session, flink=flink))


def _set(found: Setting, session: Session) -> None:
    match found.what:
        case "catalog":
            session.use(catalog=found.value)
        case "database":
            session.use(database=found.value)
        case _ if found.value:
            session.variables[found.name.lower()] = found.value[0]
        case _:
            session.variables.pop(found.name.lower(), None)
