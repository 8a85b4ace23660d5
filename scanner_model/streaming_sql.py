"""ksqlDB: collections, queries, functions and types, and how a collection maps to the records of its topic."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from scanner_model.columns import Column, ColumnPath
from scanner_model.names import RecordName, Role, SourceId, SubjectName, TopicName

SCRIPT = "SCRIPT"
"""The kind of a file of SQL: its text may hold many statements."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlinkStatement:
    """A statement, or a file of statements, as received; a value that is not reported is empty.

    *kind* and *state* are the server's words, *kind* SCRIPT for a file. *catalog_name* and *database_name* are what
    unqualified names resolve through. *topics_read* are the topics that the engine reports to have read, None where
    not reported. *hidden*: the service issued it for itself. *created* is ISO 8601. *engine* is whose SQL the text of a
    file is: `ksqldb`, `confluent` (where a table without a connector is the topic of its name), else empty for Flink.
    """

    source: SourceId
    name: str
    statement: str
    kind: str = ""
    state: str = ""
    detail: str = ""
    catalog_name: str = ""
    database_name: str = ""
    compute_pool: str = ""
    region: str = ""
    principal: str = ""
    uid: str = ""
    created: str = ""
    hidden: bool = False
    topics_read: tuple[TopicName, ...] | None = None
    engine: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlinkJob:
    """A job of a JobManager: *name* is its id, *title* its display name, *plan* its plan as JSON text or empty.

    *started* is ISO 8601, empty where not reported.
    """

    source: SourceId
    name: str
    title: str
    state: str
    started: str = ""
    plan: str = ""


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
_OPTION = re.compile(r"(\w+)\s*=\s*('(?:[^']|'')*'|[\w.+-]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionColumn:
    """A column of a ksqlDB collection; *role* None is a header column."""

    column: Column
    role: Role | None
    header: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class KsqlSource:
    """A ksqlDB collection (STREAM or TABLE) as the server describes it; *window* is empty where it is not windowed."""

    source: SourceId
    name: str
    kind: str
    topic: TopicName
    key_format: str
    value_format: str
    statement: str
    window: str = ""
    columns: tuple[CollectionColumn, ...] = ()
    partitions: int | None = None
    replication: int | None = None
    internal: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A ksqlDB query as received: sources and sinks are collections' names, *sink_topics* topics."""

    source: SourceId
    name: str
    kind: str
    state: str
    statement: str
    sources: tuple[str, ...] = ()
    sinks: tuple[str, ...] = ()
    sink_topics: tuple[TopicName, ...] = ()
    consumer_group: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryError:
    """An error of a ksqlDB query and its time by the server's clock; None where not reported."""

    message: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KsqlFunction:
    """A function of a ksqlDB server; *kind*: SCALAR, AGGREGATE or TABLE."""

    source: SourceId
    name: str
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KsqlType:
    """A user-defined ksqlDB type: *definition* is the SQL text of the type."""

    source: SourceId
    name: str
    definition: str


def with_options(statement: str) -> Mapping[str, str]:
    """Return the options of a statement's WITH clause, names in upper case; empty where it has none."""
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
    """Return the column that is a collection's ROWTIME (`TIMESTAMP='…'`); empty where it is the record's own time."""
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
