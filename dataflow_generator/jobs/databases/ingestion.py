"""Tables that an engine reads from topics by itself, or writes to them: each is a job between topics and table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, NamedTuple, TypeVar

from dataflow_generator.connectors.java_regex import java_regex
from dataflow_generator.graph import Certainty, Node, present
from dataflow_generator.jobs.consumer_groups import GroupOwner
from dataflow_generator.jobs.field_matching import Fields
from dataflow_generator.jobs.model import ColumnFlow, ColumnRef, GraphDataset, JobFlows, Naming, Use, job_node
from dataflow_generator.openlineage.names import KAFKA, normal_namespace
from scanner_dictionary.lineage_inputs.catalogs import Name, TableRow
from scanner_dictionary.lineage_inputs.jobs import ClusterTopic
from scanner_model.catalogs import (
    KAFKA_BROKERS,
    KAFKA_COLUMNS,
    KAFKA_FORMAT,
    KAFKA_GROUP,
    KAFKA_JOB,
    KAFKA_JOBS,
    KAFKA_PARTS,
    KAFKA_PATTERN,
    KAFKA_TOPICS,
    KEY_PART,
    VALUE_PART,
)
from scanner_model.columns import KEY, Column, ColumnPath, field_name, field_segment
from scanner_model.documents.json_input import load_text
from scanner_model.errors import InputInvalid


def separate_jobs(rows: Iterable[TableRow]) -> Iterator[TableRow]:
    """Yield a row for each job: the table itself where its engine reads topics, else one for each job that fills it."""
    for row in rows:
        words = dict(row.parameters)
        if KAFKA_JOBS not in words:
            yield row
            continue
        for job in _parsed(words.pop(KAFKA_JOBS), list):
            if isinstance(job, dict) and KAFKA_JOB in job:
                named = {name: str(value) for name, value in job.items()}
                yield replace(row, parameters=tuple(sorted((words | named).items())))


class Source(NamedTuple):
    """The fields that a column comes from; *copied*: it has the value of the only one."""

    fields: tuple[ColumnPath, ...]
    copied: bool = False


def column_sources(row: TableRow) -> Mapping[str, Source]:
    """Return the fields that columns come from which have another name, or are computed."""
    listed = _parsed(dict(row.parameters).get(KAFKA_COLUMNS, "{}"), dict)
    sources: dict[str, Source] = {}
    for column, value in listed.items():
        match value:
            case {"field": field}:
                sources[column] = Source((_field(field),), copied=True)
            case list():
                sources[column] = Source(tuple(map(_field, value)))
    return sources


def message_parts(row: TableRow) -> Mapping[ColumnPath, str]:
    """Return the columns that hold a part of a message as a whole, with the part."""
    listed = _parsed(dict(row.parameters).get(KAFKA_PARTS, "{}"), dict)
    return {(field_segment(name),): part for name, part in listed.items() if isinstance(part, str)}


def _field(value: object) -> ColumnPath:
    """Return the path of a field: a name, or a list of names."""
    return tuple(field_segment(str(name)) for name in (value if isinstance(value, list) else [value]))


Container = TypeVar("Container", list[Any], dict[str, Any])


def _parsed(text: str, kind: type[Container]) -> Container:
    """Parse JSON; an empty value of the *kind* where it is something else."""
    try:
        value = load_text(text)
    except ValueError:
        return kind()
    return value if isinstance(value, kind) else kind()


TYPE = "ingestion"
"""The type of these jobs."""

_SINK = "SINK"
_KEY_COLUMN = ("_key",)
_WITH_KEY_COLUMN = frozenset({"kafka"})
"""Engines whose tables have the key of the message as the column `_key`, which they do not list."""


class Match(Enum):
    """How an engine finds a column's value in a message: by its name, or the only column has all of the message."""

    NAME = "name"
    WHOLE = "whole"
    UNKNOWN = "unknown"


_WHOLE = frozenset({"jsonasobject", "jsonasstring", "lineasstring", "rawblob"})
_POSITIONAL = (
    *("csv", "customseparated", "jsoncompacteachrow", "jsoncompactstringseachrow", "msgpack", "regexp", "rowbinary"),
    *("tabseparated", "tabseparatedraw", "template", "tsv", "tsvraw", "values"),
    *("canal", "debezium_mongo", "maxwell", "regex"),
)
_DEBEZIUM = "debezium"
_ROW: tuple[ColumnPath, ...] = (("after",), ("payload", "after"))
"""Where a change of Debezium has the row, with and without its schema."""


def matching(message_format: str) -> Match:
    """Return how columns are matched in a format, by the names of its envelope and encoding; most match by name."""
    words = message_format.lower().split()
    if any(word in _WHOLE for word in words):
        return Match.WHOLE
    return Match.UNKNOWN if any(word in _POSITIONAL for word in words) else Match.NAME


ReadColumns = Callable[[Collection[ClusterTopic]], Mapping[ClusterTopic, tuple[Column, ...]]]
"""Returns the columns of topics that are known."""


@dataclass(frozen=True, slots=True)
class Ends:
    """What tables are resolved against: names, the live topics of each cluster, and the columns of some topics.

    *written* are the tables that views write to.
    """

    naming: Naming
    topics: Mapping[str, Collection[str]]
    columns: Mapping[ClusterTopic, tuple[Column, ...]]
    written: Collection[GraphDataset] = ()

    @classmethod
    def of(
        cls,
        rows: Iterable[TableRow],
        naming: Naming,
        topics: Mapping[str, Collection[str]],
        columns: ReadColumns,
        views: Iterable[Name] = (),
    ) -> Ends:
        """Return the ends of *rows*; *columns* reads those of topics, *views* are the names of all views."""
        clusters = {namespace: name for name, namespace in naming.clusters.items()}
        named = {topic for row in rows for topic in topics_of(row, naming, topics)}
        known = {(clusters[topic.namespace], topic.name) for topic in named if topic.namespace in clusters}
        written = {naming.dataset(*name) for name in views}
        return cls(naming, topics, columns(known) if known else {}, written)


class IngestionPart(NamedTuple):
    """Tables that engines read from topics, and the names of the views, which may write to such tables."""

    tables: Sequence[TableRow]
    views: tuple[Name, ...]


_UNKNOWN_BROKER = f"{KAFKA}unknown"
"""The namespace of topics whose cluster is not known."""


def topics_of(row: TableRow, naming: Naming, topics: Mapping[str, Collection[str]]) -> dict[GraphDataset, Certainty]:
    """Return the topics of a table: those that it names, and the live ones that its pattern matches; often none.

    If its brokers are unknown, a topic is that of its cluster, unless the cluster's topics are known and lack it.
    """
    values = dict(row.parameters)
    names = list(filter(None, values.get(KAFKA_TOPICS, "").split(",")))
    brokers, pattern = values.get(KAFKA_BROKERS), values.get(KAFKA_PATTERN, "")
    if not names and not pattern:
        return {}
    space = _namespace(brokers, naming) if brokers else naming.clusters[row.cluster]
    clusters = {namespace: name for name, namespace in naming.clusters.items()}
    live = topics.get(clusters.get(space, ""), ())
    named = {
        naming.dataset(space if brokers or not live or name in live else _UNKNOWN_BROKER, name): (
            Certainty.DECLARED if brokers else Certainty.MATCHED
        )
        for name in names
    }
    return {naming.dataset(space, name): Certainty.DERIVED for name in _matching(pattern, live)} | named


def _namespace(brokers: str, naming: Naming) -> str:
    """Return the namespace of a cluster by any of its brokers; that of the first one where it is not known."""
    written = KAFKA + brokers
    known = naming.dataset(written, "").namespace
    return known if known != written else normal_namespace(written)


def _matching(pattern: str, live: Collection[str]) -> list[str]:
    """Return the topics that a pattern matches; none where it cannot be evaluated."""
    try:
        matches = java_regex(pattern).matches if pattern else None
        return [name for name in live if matches(name)] if matches else []
    except InputInvalid:
        return []


def ingestion_jobs(rows: Iterable[TableRow], ends: Ends) -> Iterator[JobFlows]:
    """Yield the job of each table; a table that a view writes to is written to its topics, any other is read.

    A table that is a view itself, such as a sink, only has the job of its query: see `with_topics`.
    """
    for row in rows:
        if not row.definition and (topics := topics_of(row, ends.naming, ends.topics)):
            yield _Ingestion(row, topics, ends).job()


def with_topics(
    job: JobFlows, row: TableRow, ends: Ends, tables: Mapping[GraphDataset, Sequence[ColumnPath]]
) -> JobFlows:
    """Return the job of a view that is written to the topics of its *row*, as a sink is; any other job unchanged.

    *tables* are the columns of known tables and views: the row of a view has none.
    """
    topics = topics_of(row, ends.naming, ends.topics)
    if not topics:
        return job
    view = ends.naming.dataset(*row.dataset)
    columns = tuple(Column(path=path, type="") for path in tables.get(view, ()))
    written = _Ingestion(replace(row, columns=columns), topics, replace(ends, written=(view,))).job()
    return replace(job, writes=(*job.writes, *written.writes), columns=(*job.columns, *written.columns))


def group_owners(
    rows: Iterable[TableRow], naming: Naming, topics: Mapping[str, Collection[str]]
) -> Iterator[GroupOwner]:
    """Yield the consumer groups that tables read through."""
    clusters = {namespace: name for name, namespace in naming.clusters.items()}
    for row in rows:
        group = dict(row.parameters).get(KAFKA_GROUP)
        namespaces = {topic.namespace for topic in topics_of(row, naming, topics)} if group else set()
        for cluster in sorted(clusters[namespace] for namespace in namespaces & clusters.keys()):
            yield GroupOwner(cluster, group or "", _node_of(row).key)


def _node_of(row: TableRow) -> Node:
    values = dict(row.parameters)
    namespace, table = row.dataset
    job = values.get(KAFKA_JOB)
    attributes = present(
        format=values.get(KAFKA_FORMAT, ""),
        group=values.get(KAFKA_GROUP, ""),
        kind="ROUTINE LOAD" if job else row.table_format,
        type=TYPE,
    )
    return job_node(namespace, f"{table}.{job}" if job else table, attributes)


@dataclass(frozen=True, slots=True)
class _Ingestion:
    row: TableRow
    topics: Mapping[GraphDataset, Certainty]
    ends: Ends

    def job(self) -> JobFlows:
        table = self.ends.naming.dataset(*self.row.dataset)
        evidence = self._evidence()
        topics = tuple(Use(topic, evidence, certainty=certainty) for topic, certainty in self.topics.items())
        is_written = (table in self.ends.written or self.row.kind == _SINK) and not self._job
        own = (Use(table, evidence),)
        pairs = [(topic, *pair) for topic in self.topics for pair in self._columns(topic, is_written=is_written)]
        flows = (
            (ColumnRef(topic, field), ColumnRef(table, column), subtype) for topic, field, column, subtype in pairs
        )
        return JobFlows(
            job=_node_of(self.row),
            certainty=Certainty.DECLARED,
            reads=own if is_written else topics,
            writes=topics if is_written else own,
            columns=tuple(
                ColumnFlow(
                    *((end, start) if is_written else (start, end)), "DIRECT", subtype, evidence, Certainty.DERIVED
                )
                for start, end, subtype in flows
            ),
        )

    @property
    def _job(self) -> str:
        """Return the name of the job that fills the table; empty where the table itself reads topics."""
        return dict(self.row.parameters).get(KAFKA_JOB, "")

    def _evidence(self) -> str:
        if self._job:
            return f"routine load {self._job} of {self.row.source}"
        return f"{self.row.table_format or self.row.kind.lower() or 'table'} {self.row.name} of {self.row.source}"

    def _columns(self, topic: GraphDataset, *, is_written: bool) -> Iterator[tuple[ColumnPath, ColumnPath, str]]:
        """Yield a field of the topic with the column of the table; only columns that hold what is in the message.

        A column with a default is computed by the engine; a job lists all columns that it fills.
        """
        sources, parts = column_sources(self.row), message_parts(self.row)
        own = [
            column.path
            for column in self.row.columns
            if len(column.path) == 1 and (_name(column.path) in sources if self._job else column.default is None)
        ]
        columns = [path for path in own if path not in parts]
        known, message_format = self._fields(topic), dict(self.row.parameters).get(KAFKA_FORMAT, "")
        match matching(message_format):
            case Match.NAME:
                prefixes = _ROW if _DEBEZIUM in message_format.lower().split() else ()
                keys: tuple[ColumnPath, ...] = ((KEY,),) if KEY_PART in parts.values() else ()
                yield from _by_name(columns, known, sources, (*prefixes, *keys))
            case Match.WHOLE if len(columns) == 1:
                yield from _whole(VALUE_PART, columns[0], known)
        if not is_written and self.row.table_format.lower() in _WITH_KEY_COLUMN:
            yield from _whole(KEY_PART, _KEY_COLUMN, known)
        for path in own:
            yield from _whole(parts.get(path, ""), path, known)

    def _fields(self, topic: GraphDataset) -> tuple[Column, ...]:
        clusters = {namespace: name for name, namespace in self.ends.naming.clusters.items()}
        return self.ends.columns.get((clusters.get(topic.namespace, ""), topic.name), ())


def _whole(part: str, column: ColumnPath, known: Iterable[Column]) -> Iterator[tuple[ColumnPath, ColumnPath, str]]:
    """Yield what a column comes from that holds the key of a message, or its value, as a whole."""
    if part == KEY_PART:
        keys = [field.path for field in known if field.path[:1] == (KEY,) and len(field.path) <= 2]
        leaves = [path for path in keys if len(path) == 2] or keys
        yield from ((path, column, "TRANSFORMATION" if len(path) == 2 else "IDENTITY") for path in leaves)
    elif part == VALUE_PART:
        values = (field.path for field in known if len(field.path) == 1 and field.path[0] != KEY)
        yield from ((path, column, "TRANSFORMATION") for path in values)


def _name(path: ColumnPath) -> str:
    return field_name(path[0]) or path[0]


def _by_name(
    columns: Iterable[ColumnPath],
    known: tuple[Column, ...],
    sources: Mapping[str, Source],
    prefixes: Sequence[ColumnPath] = (),
) -> Iterator[tuple[ColumnPath, ColumnPath, str]]:
    """Yield each column with the fields that it comes from; without a schema the message has what the table lists.

    *prefixes* are where fields are that the value itself does not have; without a schema they are behind the first.
    """
    value = Fields(column for column in known if column.path[:1] != (KEY,))
    fields = Fields(known) if (KEY,) in prefixes else value
    unknown = next((prefix for prefix in prefixes if prefix != (KEY,)), ())
    for path in columns:
        source = sources.get(_name(path), Source((path,), copied=True))
        for name in source.fields:
            places = (value.find(name), *(fields.find((*prefix, *name)) for prefix in prefixes))
            field = next((place for place in places if place is not None), None) if known else (*unknown, *name)
            if field is not None:
                yield field, path, "IDENTITY" if source.copied else "TRANSFORMATION"
