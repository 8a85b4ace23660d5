"""Parse responses of `POST /ksql`: entities with collections, queries, functions, types."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from scanner_extractor.systems.ksqldb.queries import read_query_description, read_query_error, read_running_query
from scanner_model.columns import ELEMENT, MAP_VALUE, Column, ColumnPath, field_segment
from scanner_model.errors import PayloadUnexpected, Problem
from scanner_model.names import Fingerprint, Role, SourceId, TopicName
from scanner_model.payload import Json, Payload
from scanner_model.schemas import Confidence, Definition, TopicSchema
from scanner_model.streaming_sql import (
    CollectionColumn,
    KsqlFunction,
    KsqlSource,
    KsqlType,
    Query,
    QueryError,
    record_columns,
)

_DEEPEST = 100
"""Levels of nesting that we follow; a statement nested this deep does not pass ksqlDB's own parser."""


def read_fields(fields: list[Payload], kind: str) -> tuple[CollectionColumn, ...]:
    """Read the `fields` of a `sourceDescription`, in their order, parents before their children.

    A field's `type` is KEY or HEADER; absent, it is a value column. The pseudo columns that old servers list (SYSTEM)
    are left out. Every value may be null but a table's key. Raises PayloadUnexpected for any other shape.
    """
    return tuple(
        CollectionColumn(column=column, role=_role(field), header=field.text("headerKey"))
        for field in fields
        if field.text("type") != "SYSTEM"
        for column in _columns((_segment(field),), field.need("schema"), nullable=_nullable(field, kind))
    )


def _role(field: Payload) -> Role | None:
    match field.text("type"):
        case "KEY":
            return Role.KEY
        case "HEADER":
            return None
        case _:
            return Role.VALUE


def _nullable(field: Payload, kind: str) -> bool:
    return not (kind == "TABLE" and field.text("type") == "KEY")


def _columns(path: ColumnPath, schema: Payload, *, nullable: bool = True) -> Iterator[Column]:
    kind = schema.need("type").text()
    if len(path) > _DEEPEST:
        raise PayloadUnexpected(f"columns are nested more than {_DEEPEST} levels deep")
    yield Column(path=path, type=kind, logical_type=_logical_type(schema), nullable=nullable)
    match kind:
        case "STRUCT":
            for child in schema.need("fields").list():
                yield from _columns((*path, _segment(child)), child.need("schema"))
        case "ARRAY":
            yield from _columns((*path, ELEMENT), schema.need("memberSchema"))
        case "MAP":
            yield from _columns((*path, MAP_VALUE), schema.need("memberSchema"))


def _logical_type(schema: Payload) -> str | None:
    parameters = schema.object("parameters").members()
    if schema.text("type") != "DECIMAL" or not parameters:
        return None
    return f"decimal({parameters.get('precision')},{parameters.get('scale')})"


def _segment(field: Payload) -> str:
    return field_segment(field.member("name").text())


_PLAIN = re.compile(r"[A-Z_][A-Z0-9_]*")


def read_type(name: str, schema: Payload, source: SourceId) -> KsqlType:
    """Read a member of `types` as the SQL that it stands for; raises PayloadUnexpected for no type.

    The server does not report the key type of a MAP, which is STRING by default.
    """
    return KsqlType(source=source, name=name, definition=_definition(schema, 0))


def read_function(payload: Payload, source: SourceId) -> KsqlFunction:
    """Read a member of `functions`; raises PayloadUnexpected without a name."""
    return KsqlFunction(source=source, name=payload.need("name").text(), kind=payload.text("type").upper())


def _definition(schema: Payload, depth: int) -> str:
    kind = schema.need("type").text()
    if depth > _DEEPEST:
        raise PayloadUnexpected("a type cannot be derived from its description")
    match kind:
        case "STRUCT":
            return f"STRUCT<{', '.join(_field(field, depth) for field in schema.list('fields'))}>"
        case "ARRAY":
            return f"ARRAY<{_definition(schema.need('memberSchema'), depth + 1)}>"
        case "MAP":
            return f"MAP<STRING, {_definition(schema.need('memberSchema'), depth + 1)}>"
        case "DECIMAL":
            return kind + _digits(schema.object("parameters").value)
        case _:
            return kind


def _field(field: Payload, depth: int) -> str:
    name = field.member("name").text()
    shown = name if _PLAIN.fullmatch(name) else "`" + name.replace("`", "``") + "`"
    return f"{shown} {_definition(field.need('schema'), depth + 1)}"


def _digits(parameters: Json) -> str:
    match parameters:
        case {"precision": int(precision), "scale": int(scale)}:
            return f"({precision}, {scale})"
        case _:
            return ""


_UNDESCRIBED = re.compile(r"Failed to Describe Kafka Topic\(s\): \[(?P<topics>[^\[\]]*+)\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """The response to one statement.

    *kind* is the member that holds the answer (`sourceDescriptions`, `queries`…), empty for an unknown kind.
    *listed* are names of collections that were only listed. *errors* are pairs of a query's id and the server's
    error. *missing* are topics of collections that the server does not find. *unread* names objects that could not
    be read; an empty name is of one that has none.
    """

    kind: str = ""
    collections: tuple[KsqlSource, ...] = ()
    listed: tuple[str, ...] = ()
    queries: tuple[Query, ...] = ()
    errors: tuple[tuple[str, QueryError], ...] = ()
    functions: tuple[KsqlFunction, ...] = ()
    types: tuple[KsqlType, ...] = ()
    missing: frozenset[TopicName] = frozenset()
    problems: tuple[Problem, ...] = ()
    unread: frozenset[str] = frozenset()


def read_entities(payload: Json, source: SourceId) -> tuple[Entity, ...]:
    """Read the answer of `POST /ksql`, one entity a statement; raises PayloadUnexpected if it is not an array.

    Unreadable objects become problems, as do the server's warnings and unknown entities.
    """
    if not isinstance(payload, list):
        raise PayloadUnexpected("the response of ksqlDB is not an array", where=str(source))
    return tuple(_with_warnings(_entity(item, source), item, source) for item in Payload(payload).list())


def read_source(payload: Payload, source: SourceId) -> KsqlSource:
    """Read a `sourceDescription` without its queries; raises PayloadUnexpected without name, topic, fields.

    The server reports 0 partitions of a topic that it does not find: then partitions and replication are None. Servers
    before 0.10 report one `format`, which is the value's.
    """
    kind = payload.text("type") or "STREAM"
    return KsqlSource(
        source=source,
        name=payload.need("name").text(),
        kind=kind,
        topic=TopicName(payload.member("topic").text()),
        key_format=(payload.text("keyFormat") or "KAFKA").upper(),
        value_format=payload.text("valueFormat", "format").upper(),
        statement=payload.text("statement"),
        window=payload.text("windowType"),
        columns=read_fields(payload.need("fields").list(), kind),
        partitions=_count(payload, "partitions"),
        replication=_count(payload, "replication"),
    )


def _entity(item: Payload, source: SourceId) -> Entity:
    match item.value:
        case {"sourceDescriptions": list()}:
            return _read_all("sourceDescriptions", item.list("sourceDescriptions"), source, _described)
        case {"sourceDescription": dict()}:
            # 6.1 reports 0 partitions of every topic here, which is meaningless.
            described = [item.object("sourceDescription")]
            return replace(_read_all("sourceDescription", described, source, _described), missing=frozenset())
        case {"queryDescriptions": list()}:
            return _read_all("queryDescriptions", item.list("queryDescriptions"), source, _query_described)
        case {"queries": list()}:
            return _read_all("queries", item.list("queries"), source, _query_running)
        case {"streams": list()} | {"tables": list()}:
            return _read_all("names", item.list("streams", "tables"), source, _name)
        case {"functions": list()}:
            return _read_all("functions", item.list("functions"), source, _function)
        case {"types": dict()}:
            types = item.object("types").items()
            named = [Payload({"name": name, "schema": schema.value}) for name, schema in types]
            return _read_all("types", named, source, _type)
        case {"errorMessage": message}:
            return Entity(problems=(Problem(str(source), f"ksqlDB reports an error: {message}"),))
        case _:
            type_name = repr(item.shown("@type")) if item.shown("@type") else "no type"
            return Entity(problems=(Problem(str(source), f"ksqlDB returned an unknown entity ({type_name}), ignored"),))


def _read_all(kind: str, items: list[Payload], source: SourceId, read: Callable[[Payload, SourceId], Entity]) -> Entity:
    parts = [_attempt(item, source, read) for item in items]
    return Entity(
        kind=kind,
        listed=tuple(name for part in parts for name in part.listed),
        collections=tuple(fact for part in parts for fact in part.collections),
        queries=tuple(fact for part in parts for fact in part.queries),
        errors=tuple(fact for part in parts for fact in part.errors),
        functions=tuple(fact for part in parts for fact in part.functions),
        types=tuple(fact for part in parts for fact in part.types),
        missing=frozenset[TopicName]().union(*(part.missing for part in parts)),
        problems=tuple(fact for part in parts for fact in part.problems),
        unread=frozenset[str]().union(*(part.unread for part in parts)),
    )


def _attempt(item: Payload, source: SourceId, read: Callable[[Payload, SourceId], Entity]) -> Entity:
    try:
        return read(item, source)
    except PayloadUnexpected as error:
        name = item.shown("name", "id")
        return Entity(problems=(Problem(f"{source} {name or '?'}", error.what),), unread=frozenset({name}))


def _described(payload: Payload, source: SourceId) -> Entity:
    collection = read_source(payload, source)
    reads = (read_running_query(entry, source, collection.name) for entry in payload.list("readQueries"))
    writes = (read_running_query(entry, source) for entry in payload.list("writeQueries"))
    return Entity(
        collections=(collection,),
        queries=(*reads, *writes),
        missing=frozenset((collection.topic,)) if payload.integer("partitions") == 0 else frozenset(),
    )


def _query_described(payload: Payload, source: SourceId) -> Entity:
    query, error = read_query_description(payload, source), read_query_error(payload)
    return Entity(queries=(query,), errors=((query.name, error),) if error else ())


def _query_running(payload: Payload, source: SourceId) -> Entity:
    return Entity(queries=(read_running_query(payload, source),))


def _name(payload: Payload, _: SourceId) -> Entity:
    return Entity(listed=(payload.need("name").text(),))


def _function(payload: Payload, source: SourceId) -> Entity:
    return Entity(functions=(read_function(payload, source),))


def _type(payload: Payload, source: SourceId) -> Entity:
    return Entity(types=(read_type(payload.need("name").text(), payload.need("schema"), source),))


def _with_warnings(entity: Entity, item: Payload, source: SourceId) -> Entity:
    warnings = item.value.get("warnings") if isinstance(item.value, dict) else None
    shown = [Payload(warning).shown("message") for warning in warnings] if isinstance(warnings, list) else []
    messages = [message for message in shown if message and not _names_only(message, entity.missing)]
    unique = dict.fromkeys(Problem(str(source), f"ksqlDB warns: {message}") for message in messages)
    return replace(entity, problems=(*entity.problems, *unique))


def _names_only(warning: str, missing: frozenset[TopicName]) -> bool:
    """Return whether a warning only repeats missing topics of the descriptions."""
    named = _UNDESCRIBED.search(warning)
    return named is not None and missing.issuperset(named["topics"].split(", "))


def _count(payload: Payload, name: str) -> int | None:
    count = payload.integer(name)
    return count if count and count > 0 else None


STRATEGY = "ksqldb"

Side = tuple[TopicName, Role]


def collection_schemas(
    collections: Iterable[KsqlSource], described: Collection[Side]
) -> tuple[tuple[Definition, TopicSchema], ...]:
    """Return a definition and its link for each side of a topic that is not in *described*.

    Collections over one topic are views of it: those with the same columns in the same format share one definition
    (with the statement of the first by name), others each add theirs. Header columns are no part of a schema.
    """
    views: dict[tuple[Side, str, tuple[Column, ...]], list[KsqlSource]] = {}
    for collection in sorted(collections, key=lambda item: (item.source, item.name)):
        for side, format_name, columns in _sides(collection):
            if columns and side not in described:
                views.setdefault((side, format_name, columns), []).append(collection)
    return tuple(
        _schema(side, format_name, columns, views[side, format_name, columns]) for side, format_name, columns in views
    )


def _sides(collection: KsqlSource) -> Iterator[tuple[Side, str, tuple[Column, ...]]]:
    for role, format_name in ((Role.KEY, collection.key_format), (Role.VALUE, collection.value_format)):
        yield (collection.topic, role), format_name, record_columns(collection, role)


def _schema(
    side: Side, format_name: str, columns: tuple[Column, ...], collections: list[KsqlSource]
) -> tuple[Definition, TopicSchema]:
    first, (topic, role) = collections[0], side
    parts = [STRATEGY, topic, role, format_name, first.statement, list(map(repr, columns))]
    text = json.dumps(parts, ensure_ascii=False).encode("utf-8", "surrogatepass")
    definition = Definition(
        fingerprint=Fingerprint(hashlib.sha256(text).hexdigest()),
        format=format_name,
        text=first.statement,
        columns=columns,
    )
    names = ", ".join(f"{collection.kind} {collection.name}" for collection in collections)
    link = TopicSchema(
        source=first.source,
        topic=topic,
        role=role,
        fingerprint=definition.fingerprint,
        strategy=STRATEGY,
        evidence=f"declared by ksqlDB's {names}",
        confidence=Confidence.DECLARED,
    )
    return definition, link
