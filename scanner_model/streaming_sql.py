"""ksqlDB: collections, queries, functions and types, and how a collection maps to the records of its topic."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, NamedTuple

from scanner_model.columns import Column, ColumnPath
from scanner_model.facts import Key, Value
from scanner_model.names import RecordName, Role, SourceId, SubjectName, TopicName

SCRIPT = "SCRIPT"
"""The kind of a file of SQL: its text may hold many statements."""
KSQLDB = "ksqldb"
"""The engine of a statement, or a file of them, for ksqlDB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamingStatement:
    """A statement of Flink SQL, or a file of statements of Flink or ksqlDB, as received."""

    source: SourceId
    name: Annotated[str, Key("its name, or the file's")]
    statement: Annotated[str, Value("its text", long=True)]
    kind: Annotated[str, Value("as the server names it; SCRIPT for a file")] = ""
    state: Annotated[str, Value("as the server names it, empty if it does not report it")] = ""
    detail: Annotated[str, Value("details of its state, may be empty", long=True)] = ""
    catalog_name: Annotated[str, Value("the catalog of unqualified names, may be empty")] = ""
    database_name: Annotated[str, Value("the database of unqualified names, may be empty")] = ""
    compute_pool: Annotated[str, Value("Confluent Cloud's compute pool, empty elsewhere")] = ""
    region: Annotated[str, Value("cloud and region, empty elsewhere")] = ""
    principal: Annotated[str, Value("the principal that runs it, may be empty")] = ""
    uid: Annotated[str, Value("the server's id, may be empty")] = ""
    created: Annotated[str, Value("ISO 8601, may be empty")] = ""
    hidden: Annotated[bool, Value("the service issued it for itself")] = False
    topics_read: Annotated[
        tuple[TopicName, ...] | None,
        Value("JSON array: topics that the engine reports as read; empty if it does not report them"),
    ] = None
    engine: Annotated[
        str,
        Value("whose SQL a file holds: ksqldb, confluent (where tables are topics); empty for Flink"),
    ] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlinkJob:
    """A job of a Flink JobManager."""

    source: SourceId
    name: Annotated[str, Key("its id")]
    title: Annotated[str, Value("its display name", long=True)]
    state: Annotated[str, Value("as the server names it")]
    started: Annotated[str, Value("ISO 8601, may be empty")] = ""
    plan: Annotated[str, Value("its plan as JSON, may be empty", long=True)] = ""


class ClusterNames(NamedTuple):
    """What Flink may call a cluster (as a database), and the environment that it is of (as a catalog).

    *complete*: no name is missing, because a source reported the display name.
    """

    databases: frozenset[str]
    catalogs: frozenset[str]
    complete: bool = False


HEADERS = "$headers"
"""The headers of a record; the sign keeps them apart from a field of that name."""

# A quote is doubled inside a text: here that is two texts beside each other, so that no text is tried in two ways.
_SKIPPED = r"'[^']*'|\"[^\"]*\"|`[^`]*`"
_OPTIONS = re.compile(rf"(?:[^'\"`]|{_SKIPPED})*?\bWITH\s*\((?P<options>(?:[^'()]|'[^']*')*)\)", re.IGNORECASE)
_OPTION = re.compile(r"(?<!\w)(\w++)\s*+=\s*+('(?:[^']|'')*'|[\w.+-]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionColumn:
    """A column of a ksqlDB collection; *role* None is a header column."""

    column: Column
    role: Role | None
    header: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class KsqlSource:
    """A ksqlDB collection as the server describes it."""

    source: SourceId
    name: Annotated[str, Key("its name")]
    kind: Annotated[str, Value("STREAM or TABLE")]
    topic: Annotated[TopicName, Value("the topic it is of", column="topic_name")]
    key_format: Annotated[str, Value("as the server names it")]
    value_format: Annotated[str, Value("as the server names it")]
    statement: Annotated[str, Value("the statement that created it", long=True)]
    window: Annotated[str, Value("empty if it is not windowed", column="window_type")] = ""
    columns: tuple[CollectionColumn, ...] = ()
    partitions: Annotated[int | None, Value("empty if the server does not report it")] = None
    replication: Annotated[int | None, Value("empty if the server does not report it")] = None
    internal: Annotated[bool, Value("the server created it for itself", column="is_internal")] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A ksqlDB query as received."""

    source: SourceId
    name: Annotated[str, Key("its id")]
    kind: Annotated[str, Value("as the server names it")]
    state: Annotated[str, Value("as the server names it")]
    statement: Annotated[str, Value("its text", long=True)]
    sources: Annotated[tuple[str, ...], Value("JSON array of the collections it reads")] = ()
    sinks: Annotated[tuple[str, ...], Value("JSON array of the collections it writes")] = ()
    sink_topics: Annotated[tuple[TopicName, ...], Value("JSON array of the topics it writes")] = ()
    consumer_group: Annotated[str, Value("its consumer group, may be empty")] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryError:
    """An error of a ksqlDB query and its time by the server's clock; None if not reported."""

    message: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KsqlFunction:
    """A function of a ksqlDB server."""

    source: SourceId
    name: Annotated[str, Key("its name")]
    kind: Annotated[str, Value("SCALAR, AGGREGATE or TABLE")]


@dataclass(frozen=True, slots=True, kw_only=True)
class KsqlType:
    """A user-defined type in ksqlDB."""

    source: SourceId
    name: Annotated[str, Key("its name")]
    definition: Annotated[str, Value("SQL text of the type", long=True)]


def with_options(statement: str) -> Mapping[str, str]:
    """Return the options of a statement's WITH clause, names in upper case; empty without the clause."""
    match = _OPTIONS.match(statement)
    options = _OPTION.findall(match["options"]) if match else ()
    return {name.upper(): value[1:-1].replace("''", "'") if value[0] == "'" else value for name, value in options}


def message_names(collections: Iterable[KsqlSource]) -> Mapping[SubjectName, RecordName]:
    """Return the Protobuf message that the records of a subject are, by `KEY_` or `VALUE_SCHEMA_FULL_NAME`.

    A subject for which collections name different messages is left out. ksqlDB names subjects after their topics, and
    requires this option where a schema declares several messages (DefaultSchemaInjector.java).
    """
    names: dict[SubjectName, set[RecordName]] = {}
    for collection in collections:
        options = with_options(collection.statement)
        for side, format_name in (("key", collection.key_format), ("value", collection.value_format)):
            name = options.get(f"{side.upper()}_SCHEMA_FULL_NAME")
            if name and format_name == "PROTOBUF":
                names.setdefault(SubjectName(f"{collection.topic}-{side}"), set()).add(RecordName(name))
    return {subject: min(messages) for subject, messages in names.items() if len(messages) == 1}


def timestamp_column(options: Mapping[str, str]) -> str:
    """Return the column that is a collection's ROWTIME (`TIMESTAMP='…'`); empty if it is the record's own time."""
    name = options.get("TIMESTAMP", "").strip()
    return name.strip("`") if name.startswith("`") else name.upper()


def whole_columns(collection: KsqlSource) -> Mapping[str, Role]:
    """Return the columns that are a whole key or value, not fields in one.

    ksqlDB never wraps a single key column, and a single value column where the statement says
    `WRAP_SINGLE_VALUE=false`; Protobuf wraps both.
    """
    roles: dict[str, Role] = {}
    for role, format_name in ((Role.KEY, collection.key_format), (Role.VALUE, collection.value_format)):
        names = [
            entry.column.path[0] for entry in collection.columns if entry.role is role and len(entry.column.path) == 1
        ]
        if len(names) == 1 and not format_name.startswith("PROTOBUF") and _is_unwrapped(role, collection.statement):
            roles[names[0]] = role
    return roles


def _is_unwrapped(role: Role, statement: str) -> bool:
    return role is Role.KEY or with_options(statement).get("WRAP_SINGLE_VALUE", "").lower() == "false"


def record_columns(collection: KsqlSource, role: Role) -> tuple[Column, ...]:
    """Return the columns of one side as in the record: a column that is the whole key or value has no name in it.

    A key of a plain type keeps its column's name, which is all that describes it.
    """
    columns = tuple(entry.column for entry in collection.columns if entry.role is role)
    if role not in whole_columns(collection).values() or (role is Role.KEY and len(columns) == 1):
        return columns
    return tuple(
        replace(column, path=column.path[1:]) for column in columns if len(column.path) > 1 or column.type != "STRUCT"
    )


def header_paths(collection: KsqlSource) -> Mapping[str, ColumnPath]:
    """Return the path of each header column: `$headers`, or a header of it by its key; a record's fields have none."""
    return {
        entry.column.path[0]: (HEADERS, *filter(None, (entry.header,)))
        for entry in collection.columns
        if entry.role is None and len(entry.column.path) == 1
    }
