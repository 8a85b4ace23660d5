"""Parse responses of `POST /ksql`: entities with collections, queries, functions, types."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from scanner_extractor.http.messages import Json
from scanner_extractor.sources.ksqldb.queries import read_query_description, read_query_error, read_running_query
from scanner_model.columns import ELEMENT, MAP_VALUE, Column, ColumnPath, field_segment
from scanner_model.errors import PayloadUnexpected, Problem
from scanner_model.names import Fingerprint, Role, SourceId, TopicName
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


def read_fields(fields: Json, kind: str) -> tuple[CollectionColumn, ...]:
    """Read the `fields` of a `sourceDescription`, in their order, parents before their children.

    A field's `type` is KEY or HEADER; absent, it is a value column. The pseudo columns that old servers list (SYSTEM)
    are left out. Every value may be null but a table's key. Raises PayloadUnexpected for any other shape.
    """
    return tuple(
        CollectionColumn(column=column, role=_role(field), header=str(field.get("headerKey") or ""))
        for field in _field_objects(fields)
        if field.get("type") != "SYSTEM"
        for column in _columns((_segment(field),), field.get("schema"), nullable=_nullable(field, kind))
    )


def _role(field: dict[str, Any]) -> Role | None:
    match field.get("type"):
        case "KEY":
            return Role.KEY
        case "HEADER":
            return None
        case _:
            return Role.VALUE


def _nullable(field: dict[str, Any], kind: str) -> bool:
    return not (kind == "TABLE" and field.get("type") == "KEY")


def _columns(path: ColumnPath, schema: Json, *, nullable: bool = True) -> Iterator[Column]:
    if not isinstance(schema, dict) or not isinstance(schema.get("type"), str):
        raise PayloadUnexpected(f"the column {'.'.join(path)!r} has no type")
    if len(path) > _DEEPEST:
        raise PayloadUnexpected(f"columns are nested more than {_DEEPEST} levels deep")
    yield Column(path=path, type=schema["type"], logical_type=_logical_type(schema), nullable=nullable)
    match schema["type"]:
        case "STRUCT":
            for child in _field_objects(schema.get("fields")):
                yield from _columns((*path, _segment(child)), child.get("schema"))
        case "ARRAY":
            yield from _columns((*path, ELEMENT), schema.get("memberSchema"))
        case "MAP":
            yield from _columns((*path, MAP_VALUE), schema.get("memberSchema"))


def _logical_type(schema: dict[str, Any]) -> str | None:
    parameters = schema.get("parameters")
    if schema["type"] != "DECIMAL" or not isinstance(parameters, dict):
        return None
    return f"decimal({parameters.get('precision')},{parameters.get('scale')})"


def _segment(field: dict[str, Any]) -> str:
    name = field.get("name")
    if not isinstance(name, str):
        raise PayloadUnexpected("a column has no name")
    return field_segment(name)


def _field_objects(value: Json) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise PayloadUnexpected("the list of columns is malformed")
    return value


_PLAIN = re.compile(r"[A-Z_][A-Z0-9_]*")


def read_type(name: str, schema: Json, source: SourceId) -> KsqlType:
    """Read a member of `types` as the SQL that it stands for; raises PayloadUnexpected for no type.

    The server does not report the key type of a MAP, which is STRING by default.
    """
    return KsqlType(source=source, name=name, definition=_definition(schema, 0))


def read_function(payload: dict[str, Any], source: SourceId) -> KsqlFunction:
    """Read a member of `functions`; raises PayloadUnexpected without a name."""
    name = payload.get("name")
    if not isinstance(name, str) or not name:
        raise PayloadUnexpected("a function has no name")
    return KsqlFunction(source=source, name=name, kind=str(payload.get("type") or "").upper())


def _definition(schema: Json, depth: int) -> str:
    kind = schema.get("type") if isinstance(schema, dict) else None
    if not isinstance(kind, str) or depth > _DEEPEST:
        raise PayloadUnexpected("a type cannot be derived from its description")
    match kind:
        case "STRUCT":
            return f"STRUCT<{', '.join(_field(field, depth) for field in schema.get('fields') or ())}>"
        case "ARRAY":
            return f"ARRAY<{_definition(schema.get('memberSchema'), depth + 1)}>"
        case "MAP":
            return f"MAP<STRING, {_definition(schema.get('memberSchema'), depth + 1)}>"
        case "DECIMAL":
            return kind + _digits(schema.get("parameters"))
        case _:
            return kind


def _field(field: Json, depth: int) -> str:
    name = field.get("name") if isinstance(field, dict) else None
    if not isinstance(name, str):
        raise PayloadUnexpected("a field of a type has no name")
    shown = name if _PLAIN.fullmatch(name) else "`" + name.replace("`", "``") + "`"
    return f"{shown} {_definition(field.get('schema'), depth + 1)}"


def _digits(parameters: Json) -> str:
    match parameters:
        case {"precision": int(precision), "scale": int(scale)}:
            return f"({precision}, {scale})"
        case _:
            return ""


_UNDESCRIBED = re.compile(r"Failed to Describe Kafka Topic\(s\): \[(?P<topics>[^\]]*)\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """The response to one statement.

    *kind* is the member that holds the answer (`sourceDescriptions`, `queries`…), empty for an unknown kind.
    *listed* are names of collections that were only listed. *errors* are pairs of a query's id and the server's
    error. *missing* are topics of collections that the server does not find. *unread* names objects that could not
    be read.
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
    """Read the answer of `POST /ksql`, one entity a statement; raises PayloadUnexpected where it is no array.

    Unreadable objects become problems, as do the server's warnings and unknown entities.
    """
    if not isinstance(payload, list):
        raise PayloadUnexpected("the response of ksqlDB is not an array", where=str(source))
    return tuple(_with_warnings(_entity(item, source), item, source) for item in payload)


def read_source(payload: dict[str, Any], source: SourceId) -> KsqlSource:
    """Read a `sourceDescription` without its queries; raises PayloadUnexpected without name, topic, fields.

    The server reports 0 partitions of a topic that it does not find: then partitions and replication are None. Servers
    before 0.10 report one `format`, which is the value's.
    """
    name, topic = payload.get("name"), payload.get("topic")
    if not isinstance(name, str) or not isinstance(topic, str):
        raise PayloadUnexpected("a collection has no name or no topic")
    kind = str(payload.get("type") or "STREAM")
    return KsqlSource(
        source=source,
        name=name,
        kind=kind,
        topic=TopicName(topic),
        key_format=str(payload.get("keyFormat") or "KAFKA").upper(),
        value_format=str(payload.get("valueFormat") or payload.get("format") or "").upper(),
        statement=str(payload.get("statement") or ""),
        window=str(payload.get("windowType") or ""),
        columns=read_fields(payload.get("fields"), kind),
        partitions=_count(payload.get("partitions")),
        replication=_count(payload.get("replication")),
    )


def _entity(item: Json, source: SourceId) -> Entity:
    match item:
        case {"sourceDescriptions": list(described)}:
            return _read_all("sourceDescriptions", described, source, _described)
        case {"sourceDescription": dict(described)}:
            # 6.1 reports 0 partitions of every topic here, which is meaningless.
            return replace(_read_all("sourceDescription", [described], source, _described), missing=frozenset())
        case {"queryDescriptions": list(queries)}:
            return _read_all("queryDescriptions", queries, source, _query_described)
        case {"queries": list(queries)}:
            return _read_all("queries", queries, source, _query_running)
        case {"streams": list(listed)} | {"tables": list(listed)}:
            names = [str(entry.get("name")) for entry in listed if isinstance(entry, dict) and entry.get("name")]
            return Entity(kind="names", listed=tuple(names))
        case {"functions": list(functions)}:
            return _read_all("functions", functions, source, _function)
        case {"types": dict(types)}:
            named = [{"name": name, "schema": schema} for name, schema in types.items()]
            return _read_all("types", named, source, _type)
        case {"errorMessage": message}:
            return Entity(problems=(Problem(str(source), f"ksqlDB reports an error: {message}"),))
        case _:
            type_name = repr(item.get("@type")) if isinstance(item, dict) else "no type"
            return Entity(problems=(Problem(str(source), f"ksqlDB returned an unknown entity ({type_name}), ignored"),))


def _read_all(
    kind: str, items: list[Json], source: SourceId, read: Callable[[dict[str, Any], SourceId], Entity]
) -> Entity:
    parts = [_attempt(item, source, read) for item in items]
    return Entity(
        kind=kind,
        collections=tuple(fact for part in parts for fact in part.collections),
        queries=tuple(fact for part in parts for fact in part.queries),
        errors=tuple(fact for part in parts for fact in part.errors),
        functions=tuple(fact for part in parts for fact in part.functions),
        types=tuple(fact for part in parts for fact in part.types),
        missing=frozenset[TopicName]().union(*(part.missing for part in parts)),
        problems=tuple(fact for part in parts for fact in part.problems),
        unread=frozenset[str]().union(*(part.unread for part in parts)),
    )


def _attempt(item: Json, source: SourceId, read: Callable[[dict[str, Any], SourceId], Entity]) -> Entity:
    payload = item if isinstance(item, dict) else {}
    try:
        return read(payload, source)
    except PayloadUnexpected as error:
        name = str(payload.get("name") or payload.get("id") or "?")
        return Entity(problems=(Problem(f"{source} {name}", error.what),), unread=frozenset({name}))


def _described(payload: dict[str, Any], source: SourceId) -> Entity:
    collection = read_source(payload, source)
    reads = (read_running_query(entry, source, collection.name) for entry in _objects(payload, "readQueries"))
    writes = (read_running_query(entry, source) for entry in _objects(payload, "writeQueries"))
    return Entity(
        collections=(collection,),
        queries=(*reads, *writes),
        missing=frozenset((collection.topic,)) if payload.get("partitions") == 0 else frozenset(),
    )


def _query_described(payload: dict[str, Any], source: SourceId) -> Entity:
    query, error = read_query_description(payload, source), read_query_error(payload)
    return Entity(queries=(query,), errors=((query.name, error),) if error else ())


def _query_running(payload: dict[str, Any], source: SourceId) -> Entity:
    return Entity(queries=(read_running_query(payload, source),))


def _function(payload: dict[str, Any], source: SourceId) -> Entity:
    return Entity(functions=(read_function(payload, source),))


def _type(payload: dict[str, Any], source: SourceId) -> Entity:
    return Entity(types=(read_type(payload["name"], payload["schema"], source),))


def _with_warnings(entity: Entity, item: Json, source: SourceId) -> Entity:
    warnings = _objects(item, "warnings") if isinstance(item, dict) else []
    messages = [
        message for warning in warnings if not _names_only(message := str(warning.get("message")), entity.missing)
    ]
    unique = dict.fromkeys(Problem(str(source), f"ksqlDB warns: {message}") for message in messages)
    return replace(entity, problems=(*entity.problems, *unique))


def _names_only(warning: str, missing: frozenset[TopicName]) -> bool:
    """Return whether a warning only repeats missing topics of the descriptions."""
    named = _UNDESCRIBED.search(warning)
    return named is not None and missing.issuperset(named["topics"].split(", "))


def _objects(payload: dict[str, Any], member: str) -> list[dict[str, Any]]:
    value = payload.get(member)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _count(value: Json) -> int | None:
    return value if isinstance(value, int) and value > 0 else None


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
