"""Data-catalog facts: tables, lineage links, materialised topics, annotations, mirror topics and metrics."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import NamedTuple

from scanner_model.columns import Column, ColumnPath
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
    """A table of a data catalog or a database, named as in OpenLineage; a value that is not reported is empty.

    *provider* is the entry in the table of providers, or `database`. *kind* (TABLE, VIEW, …), *table_format* (delta,
    iceberg, parquet, …) and *serde* are the catalog's words. *parameters* are sorted (key, value) pairs, secrets
    hidden. *columns* are parents before their children, in the table's order; *partition_keys* names those that it is
    partitioned by. *symlinks* are other (namespace, name) pairs of the same data, as its location. *definition* is the
    SQL text of a view, secrets hidden. *keys* are primary key, unique keys and foreign keys, in this order.
    """

    source: SourceId
    provider: str
    namespace: str
    name: str
    kind: str = ""
    table_format: str = ""
    location: str = ""
    serde: str = ""
    owner: str = ""
    description: str = ""
    created: str = ""
    updated: str = ""
    parameters: tuple[tuple[str, str], ...] = ()
    partition_keys: tuple[str, ...] = ()
    symlinks: tuple[tuple[str, str], ...] = ()
    definition: str = ""
    keys: tuple[TableKey, ...] = ()
    columns: tuple[Column, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogLink:
    """A lineage link reported by a catalog: one dataset (or column) feeds another.

    *process* is the catalog's name of the job, empty where it is not reported. *dependency* is the catalog's
    dependency type (EXACT_COPY, OTHER), empty where there is none.
    """

    source: SourceId
    origin_namespace: str
    origin_name: str
    target_namespace: str
    target_name: str
    origin_path: ColumnPath | None = None
    target_path: ColumnPath | None = None
    process: str = ""
    dependency: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Materialization:
    """A topic that a service materialises as a table, in one format and one catalog.

    *catalog* is the integration's id, empty where it is the service's own; *catalog_kind* its word (Unity, AwsGlue, …).
    *namespace* and *name* are the table's, as OpenLineage names it. *state* is that of this catalog, else the topic's.
    """

    source: SourceId
    topic: TopicName
    table_format: str
    catalog: str
    catalog_kind: str
    namespace: str
    name: str
    location: str = ""
    state: str = ""
    write_mode: str = ""
    storage: str = ""
    suspended: bool = False
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """User metadata of one stream-catalog entity: tags, owner, description, business metadata.

    *kind* is the catalog's entity type (kafka_topic, sr_schema, sr_record, sr_field, cn_connector, …), *name* the
    qualified name as received. The other names refer to the annotated object of this cluster; None where not
    applicable. *business_metadata* are sorted (name.attribute, JSON text) pairs.
    """

    source: SourceId
    kind: str
    name: str
    topic: TopicName | None = None
    subject: str | None = None
    context: str | None = None
    version: int | None = None
    schema_id: str | None = None
    record: str | None = None
    path: ColumnPath | None = None
    connector: str | None = None
    connector_topics: tuple[TopicName, ...] | None = None
    tags: tuple[str, ...] = ()
    owner: str = ""
    owner_email: str = ""
    description: str = ""
    business_metadata: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MirrorTopic:
    """A topic that a cluster link copies from another cluster; *origin_cluster* is that cluster's id, or empty."""

    source: SourceId
    topic: TopicName
    link: str
    origin_topic: TopicName
    origin_cluster: str = ""
    state: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A metric of a topic (optionally of one *object_name* of *object_kind*: group, client, connector) over a window.

    *amount* is the sum over the window, or the value at its end where it is a level. *started* and *ended* are ISO 8601
    in UTC; *started* is empty for a level.
    """

    source: SourceId
    name: str
    topic: str
    amount: float
    ended: str
    started: str = ""
    object_kind: str = ""
    object_name: str = ""


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
