"""Data-catalog facts: tables, lineage links, materialised topics, annotations, mirror topics and metrics."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Annotated, NamedTuple

from scanner_model.columns import Column, ColumnPath
from scanner_model.facts import Key, Pairs, Value
from scanner_model.names import SourceId, TopicName

DATABASE = "database"
"""The provider of tables that a database itself describes."""

KAFKA_BROKERS, KAFKA_TOPICS, KAFKA_GROUP, KAFKA_FORMAT = "kafka.brokers", "kafka.topics", "kafka.group", "kafka.format"
"""The parameters of a table that its engine reads from topics by itself; lists are separated by commas."""
KAFKA_PATTERN, KAFKA_COLUMNS = "kafka.pattern", "kafka.columns"
"""A Java regular expression of topics; and, as JSON, the fields of a message that columns of other names come from.

By column: a list of the fields that it is computed from, or `{"field": …}` where it is a copy of one. A field is its
name, or a list of names for one inside others.
"""
KAFKA_JOBS, KAFKA_JOB = "kafka.jobs", "kafka.job"
"""The parameter of a table that jobs of its engine fill, as JSON: a list of the parameters above for each job.

`kafka.job` is the name of the job; its columns are those that it fills.
"""
KAFKA_PARTS, KEY_PART, VALUE_PART = "kafka.parts", "key", "value"
"""As JSON, the part of a message that a column holds as a whole: its key, or its value.

Where a column is listed for the key that the table does not have, fields of the key are columns of their own names.
"""

DECLARED_TABLES = "ddl://"
"""The start of the namespace of tables that files of DDL declare: on which server they are is not written there."""
QUOTED = "quoted"
"""The parameter with the columns, as a JSON list, whose names DDL has in quotes: a database does not fold these."""

DIALECT = "dialect"
"""The parameter with the SQL dialect of a definition, where the table's namespace does not show it."""

PANEL = "PANEL"
"""The kind of a chart whose query is its own: no view and no dataset has it, so only who edits the chart changes it."""
TABLES, BY_NAME = "tables", "by name"
"""The parameter, and its value, of a chart: it does not say on which server the tables of its query are."""

COLUMNS, DOCUMENTED = "columns", "documented"
"""The parameter, and its value, of a table that has more columns than are listed: those that a person described."""

PRIMARY_KEY, UNIQUE, FOREIGN_KEY = "PRIMARY KEY", "UNIQUE", "FOREIGN KEY"
"""The kinds of keys."""

TRIGGERS = "triggers"
"""The parameter with the names of a table's triggers, separated by commas: what they write is not read."""


class TableKey(NamedTuple):
    """A key of a table: its *kind* and *columns*, in order.

    *references* is the OpenLineage name of the table that a foreign key refers to, and *referenced* that one's columns.
    """

    kind: str
    columns: tuple[str, ...]
    references: str = ""
    referenced: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogTable:
    """A table of a data catalog or a database.

    Texts that are not reported are empty. *columns* are parents before their children, in the table's order.
    """

    source: SourceId
    name: Annotated[str, Key("OpenLineage name", long=True)]
    namespace: Annotated[str, Key("OpenLineage namespace", long=True)]
    provider: Annotated[str, Value("catalog type of cluster.json, dbt, database, …")]
    kind: Annotated[str, Value("as the catalog names it: TABLE, VIEW, …")] = ""
    table_format: Annotated[str, Value("delta, iceberg, parquet, …, may be empty")] = ""
    location: Annotated[str, Value("where its files are stored, may be empty", long=True)] = ""
    serde: Annotated[str, Value("the SerDe's class, may be empty", long=True)] = ""
    owner: Annotated[str, Value("may be empty", long=True)] = ""
    description: Annotated[str, Value("may be empty", long=True)] = ""
    created: Annotated[str, Value("ISO 8601, may be empty")] = ""
    updated: Annotated[str, Value("ISO 8601, may be empty")] = ""
    parameters: Annotated[Pairs, Value("JSON array of (key, value) pairs, sorted; secrets are redacted")] = ()
    partition_keys: Annotated[tuple[str, ...], Value("JSON array of column names")] = ()
    symlinks: Annotated[
        Pairs, Value("JSON array of (namespace, name) pairs: other names of the same data, as its location")
    ] = ()
    definition: Annotated[str, Value("SQL text of a view, may be empty; secrets are redacted", long=True)] = ""
    keys: Annotated[
        tuple[TableKey, ...],
        Value("JSON array of (kind, columns, referenced table, its columns): primary key, unique keys, foreign keys"),
    ] = ()
    columns: tuple[Column, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogLink:
    """A flow that a data catalog reports."""

    source: SourceId
    origin_name: Annotated[str, Key("OpenLineage name of the dataset it comes from", long=True)]
    origin_namespace: Annotated[str, Key("its namespace", long=True)]
    origin_path: Annotated[ColumnPath | None, Key("JSON array: the column; empty for the whole dataset")] = None
    target_namespace: Annotated[str, Key("OpenLineage namespace of the dataset it goes to", long=True)]
    target_name: Annotated[str, Key("its name", long=True)]
    target_path: Annotated[ColumnPath | None, Key("JSON array: the column; empty for the whole dataset")] = None
    process: Annotated[str, Key("the process, as the catalog names it, may be empty", long=True)] = ""
    dependency: Annotated[
        str, Value("kind of dependency as the catalog names it (EXACT_COPY, OTHER), may be empty")
    ] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Materialization:
    """A topic that a service materializes as a table, in one format and one catalog."""

    source: SourceId
    topic: Annotated[TopicName, Key("the topic")]
    table_format: Annotated[str, Key("DELTA, ICEBERG, …")]
    catalog: Annotated[str, Key("id of the catalog integration, empty for the service's own")]
    catalog_kind: Annotated[str, Value("as the service names it")]
    namespace: Annotated[str, Value("OpenLineage namespace of the table", long=True)]
    name: Annotated[str, Value("OpenLineage name of the table", long=True)]
    location: Annotated[str, Value("where its files are stored, may be empty", long=True)] = ""
    state: Annotated[str, Value("as the service names it for this catalog, else for the topic")] = ""
    write_mode: Annotated[str, Value("APPEND, UPSERT, …, may be empty")] = ""
    storage: Annotated[str, Value("the kind of storage, may be empty")] = ""
    suspended: Annotated[bool, Value("it is not updated at present")] = False
    detail: Annotated[str, Value("error message, may be empty", long=True)] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """Annotations of one object in a stream catalog or contract: tags, owner, description, business metadata.

    One of the kind `owner_pattern`, of manual input, is about all that its name, a pattern, matches.
    """

    source: SourceId
    name: Annotated[str, Key("the catalog's qualified name, as received", long=True)]
    kind: Annotated[str, Key("kafka_topic, sr_schema, sr_record, sr_field, cn_connector, …")]
    topic: Annotated[TopicName | None, Value("the topic it is about, empty for other objects")] = None
    subject: Annotated[str | None, Value("the subject it is about, empty for other objects")] = None
    context: Annotated[str | None, Value("the subject's or schema's context, empty for other objects")] = None
    version: Annotated[int | None, Value("the subject's version, empty for other objects")] = None
    schema_id: Annotated[str | None, Value("the registry's id of the schema, empty for other objects")] = None
    record: Annotated[str | None, Value("the record in the schema, empty for other objects", long=True)] = None
    path: Annotated[ColumnPath | None, Value("JSON array: the column in the record, empty for other objects")] = None
    connector: Annotated[str | None, Value("the connector it is about, empty for other objects", long=True)] = None
    connector_topics: Annotated[
        tuple[TopicName, ...] | None, Value("JSON array: the connector's topics, empty if they are unknown")
    ] = None
    tags: Annotated[tuple[str, ...], Value("JSON array")] = ()
    owner: Annotated[str, Value("may be empty", long=True)] = ""
    owner_email: Annotated[str, Value("may be empty", long=True)] = ""
    description: Annotated[str, Value("may be empty", long=True)] = ""
    business_metadata: Annotated[Pairs, Value("JSON array of (name.attribute, JSON text) pairs, sorted")] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MirrorTopic:
    """A topic that a cluster link copies from another cluster."""

    source: SourceId
    topic: Annotated[TopicName, Key("the mirror topic")]
    link: Annotated[str, Value("the cluster link")]
    origin_topic: Annotated[TopicName, Value("the source topic")]
    origin_cluster: Annotated[str, Value("id of the source cluster, may be empty")] = ""
    state: Annotated[str, Value("as the server names it")] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """The newest metric of a topic, or of one consumer group, client or connector of it; not in the change log."""

    source: SourceId
    name: Annotated[str, Key("what is measured")]
    topic: Annotated[str, Key("the topic, may be empty")]
    object_kind: Annotated[str, Key("group, client, connector, …, empty for the topic itself")] = ""
    object_name: Annotated[str, Key("its name, empty for the topic itself", long=True)] = ""
    amount: Annotated[float, Value("sum over the window, or the level at its end")]
    started: Annotated[str, Value("ISO 8601, UTC; empty for a level")] = ""
    ended: Annotated[str, Value("ISO 8601, UTC")]


_GENERATED = re.compile(r"GENERATED ALWAYS AS \((?P<expression>.*)\) (?:STORED|VIRTUAL)", re.DOTALL)


def generated_default(expression: str, *, is_stored: bool) -> str:
    """Return what a generated column has as its default: how it is declared, as standard SQL writes it."""
    return f"GENERATED ALWAYS AS ({expression}) {'STORED' if is_stored else 'VIRTUAL'}"


def generation_expression(column: Column) -> str:
    """Return the SQL expression that a generated column of a table is computed by; empty for any other column."""
    if column.default is None or "GENERATED ALWAYS AS" not in column.default:
        return ""
    text = json.loads(column.default)
    declared = _GENERATED.fullmatch(text) if isinstance(text, str) else None
    return declared["expression"] if declared else ""
