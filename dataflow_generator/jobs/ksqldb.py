"""Persistent ksqlDB queries as jobs: sources and sinks from the server's report, column flows from the statements."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import NamedTuple

from dataflow_generator.graph import Certainty, Node, present
from dataflow_generator.jobs.field_matching import Fields
from dataflow_generator.jobs.model import ColumnFlow, ColumnRef, GraphDataset, JobFlows, Naming, Use, job_node
from dataflow_generator.jobs.sql_catalog import catalog_of, path_of_names
from dataflow_generator.sql.catalog import Catalog
from dataflow_generator.sql.lexer import Dialect
from dataflow_generator.sql.lineage import Effect, SqlColumn, StatementFlows
from dataflow_generator.sql.reader import read_sql
from scanner_model.columns import Column, ColumnPath, with_expression
from scanner_model.errors import Problem
from scanner_model.names import Role
from scanner_model.streaming_sql import KsqlSource, Query, header_paths, whole_columns

_ONEOF = re.compile(r".+_\d+")
"""The structure that ksqlDB creates for a Protobuf oneof is named after it, with its number in the message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How the columns of a collection map to the fields of its records.

    *keys* are key columns, *whole* those that are a whole key or value, *headers* those that are not fields, each with
    its path. *inside* lists the fields of each structure. *oneofs*: the format has oneofs.
    """

    keys: frozenset[str] = frozenset()
    whole: frozenset[str] = frozenset()
    headers: Mapping[str, ColumnPath] = field(default_factory=dict)
    inside: Mapping[ColumnPath, tuple[ColumnPath, ...]] = field(default_factory=dict)
    oneofs: bool = False

    def paths(self, path: ColumnPath, fields: Fields, *, inside: bool = False) -> tuple[ColumnPath, ...]:
        """Return the topic fields that a column path stands for; empty where the topic has no such field.

        A structure that is not a field itself (a whole record, a oneof) stands for all of its fields; with *inside*
        every structure does.
        """
        if path[0] in self.headers:
            return (self.headers[path[0]],)
        record = len(path) == 1 and path[0] in self.whole and path in self.inside
        resolved = None if record else self._field(path, fields)
        if resolved is not None and not inside:
            return (resolved,)
        members = [self._field(member, fields) for member in self.inside.get(path, ())]
        fields_inside = tuple(member for member in members if member is not None) if None not in members else ()
        return fields_inside or (() if resolved is None else (resolved,))

    def _field(self, path: ColumnPath, fields: Fields) -> ColumnPath | None:
        key, whole = path[0] in self.keys, path[0] in self.whole
        resolved = fields.find(path, key=key, whole=whole)
        if resolved is None and self.oneofs:
            members = tuple(name for name in path[:-1] if not _ONEOF.fullmatch(name)) + path[-1:]
            resolved = fields.find(members, key=key, whole=whole) if members != path else None
        return resolved


NO_LAYOUT = Layout()
"""The layout of an unknown collection."""


def layout_of(collection: KsqlSource) -> Layout:
    """Return the layout of *collection*."""
    inside: dict[ColumnPath, tuple[ColumnPath, ...]] = {}
    structures = {entry.column.path for entry in collection.columns if entry.column.type == "STRUCT"}
    for path in (entry.column.path for entry in collection.columns):
        if path[:-1] in structures:
            inside[path[:-1]] = (*inside.get(path[:-1], ()), path)
    return Layout(
        keys=frozenset(entry.column.path[0] for entry in collection.columns if entry.role is Role.KEY),
        whole=frozenset(whole_columns(collection)),
        headers=header_paths(collection),
        inside=inside,
        oneofs="PROTOBUF" in collection.value_format + collection.key_format,
    )


def matched_columns(
    sources: tuple[ColumnRef, ...], targets: tuple[ColumnRef, ...]
) -> list[tuple[ColumnRef, ColumnRef]]:
    """Return the pairs of columns that a flow stands for: between two records, their fields of the same name."""
    pairs = [(source, target) for source in sources for target in targets]
    if len(sources) < 2 or len(targets) < 2:
        return pairs
    alike = [(source, target) for source, target in pairs if _name(source) == _name(target)]
    return alike or pairs


def _name(column: ColumnRef) -> str:
    return column.path[-1].casefold() if column.path else ""


_PERSISTENT = ("PERSISTENT", "")
"""Kinds of queries that write data; old servers do not report the kind."""

_PSEUDO = frozenset(("ROWTIME", "ROWPARTITION", "ROWOFFSET", "WINDOWSTART", "WINDOWEND"))
"""Columns of every collection that are not fields of its topic (ksqlDB reference, "Pseudocolumns")."""

_SOURCE_TABLE = re.compile(r"\s*CREATE\s+(?:OR\s+REPLACE\s+)?SOURCE\s+TABLE\b", re.IGNORECASE)

_HINT = "only its topics are reported, without columns"

AggregatesOf = Mapping[tuple[str, str], frozenset[str]]
"""The aggregate functions of a server, by cluster and source."""

FieldsOf = Mapping[tuple[str, str], tuple[Column, ...]]
"""The current columns of a topic, by cluster and topic."""


class Level(Enum):
    """How far a statement was read."""

    COLUMNS = "columns"
    TABLES = "tables"
    UNREAD = "unread"


class StatementReading(NamedTuple):
    """A statement's job, how far it was read, and what was not understood.

    *is_part*: some of the columns that it uses, or the tables behind them, are not resolved.
    """

    flows: JobFlows
    level: Level
    problems: tuple[Problem, ...]
    is_part: bool = False


def ksql_jobs(
    collections: Iterable[tuple[str, KsqlSource]],
    queries: Iterable[tuple[str, Query]],
    fields: FieldsOf,
    naming: Naming,
    aggregates: AggregatesOf = MappingProxyType({}),
) -> Iterator[StatementReading]:
    """Read every persistent query, ordered by cluster, server and name.

    Each of *collections* and *queries* comes with its cluster. *aggregates* are the servers' user-defined aggregate
    functions; built-in ones are known.
    """
    servers: dict[tuple[str, str], list[KsqlSource]] = {}
    for cluster, collection in collections:
        servers.setdefault((cluster, collection.source), []).append(collection)
    functions = {key: frozenset(map(str.upper, names)) for key, names in aggregates.items()}
    known = {key: _server(key[0], owned, fields, naming, functions.get(key)) for key, owned in servers.items()}
    for cluster, query in sorted(queries, key=lambda pair: (pair[0], pair[1].source, pair[1].name)):
        if query.kind.upper() in _PERSISTENT:
            server = known.get((cluster, query.source)) or _server(cluster, [], fields, naming)
            yield _Job(server, query).read()


def named_by(queries: Iterable[Query]) -> Callable[[str], bool]:
    """Return a predicate: may *queries* refer to a collection of this name, in any letter case?

    It may be true for names that no query uses; collections for which it is false are not needed to read the queries.
    """
    listed = list(queries)
    reported = {name for query in listed for name in (*query.sources, *query.sinks)}
    texts = "\n".join(query.statement for query in listed).upper()
    # A quote inside a name is doubled, and the value of a variable is not in the text.
    return lambda name: name in reported or "`" in name or "${" in texts or name.upper() in texts


def ksqldb_namespace(source: str) -> str:
    """Return the namespace of the jobs of a server; OpenLineage leaves that of a job to its scheduler."""
    address = source.partition(":")[2]
    return f"ksqldb://{address.partition('://')[2] or address}"


def query_node(query: Query) -> Node:
    """Return the node of a query; names are unique per server, and a query that only fills a store is internal."""
    attributes = present(
        consumer_group=query.consumer_group,
        internal=_fills_a_store(query),
        state=query.state,
        statement=query.statement,
        type="ksqldb",
    )
    return job_node(ksqldb_namespace(query.source), query.name, attributes)


def _fills_a_store(query: Query) -> bool:
    """Return whether the query only fills the local store of a source table, which no other job reads."""
    return not query.sinks and _SOURCE_TABLE.match(query.statement) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Server:
    """A server's collections: topic and layout by name, the fields of topics, and the catalog for the parser."""

    topics: Mapping[str, GraphDataset]
    layouts: Mapping[str, Layout]
    fields: Mapping[GraphDataset, Fields]
    catalog: Catalog
    cluster: str
    naming: Naming


def _server(
    cluster: str,
    collections: list[KsqlSource],
    fields: FieldsOf,
    naming: Naming,
    aggregates: frozenset[str] | None = None,
) -> _Server:
    return _Server(
        topics={source.name: naming.topic(cluster, source.topic) for source in collections},
        layouts={source.name: layout_of(source) for source in collections},
        fields={
            naming.topic(cluster, source.topic): Fields(fields.get((cluster, source.topic), ()))
            for source in collections
        },
        catalog=catalog_of(collections, aggregates or frozenset()),
        cluster=cluster,
        naming=naming,
    )


class _Job:
    """Resolves the statement of one query."""

    def __init__(self, server: _Server, query: Query) -> None:
        self._server = server
        self._query = query
        self._where = f"query {query.name} of {query.source}"
        self._topics = dict(server.topics)
        if len(query.sinks) == len(query.sink_topics):
            # The query reports its own sinks; their collections may have been dropped.
            own = zip(query.sinks, query.sink_topics, strict=True)
            self._topics = {sink: server.naming.topic(server.cluster, topic) for sink, topic in own} | self._topics
        self._problems: list[Problem] = []

    def read(self) -> StatementReading:
        """Return the job; without columns where statement and server disagree, or a construct is unknown."""
        parsed = read_sql(self._query.statement, Dialect.KSQLDB, self._server.catalog)
        statement = parsed[0] if len(parsed) == 1 else StatementFlows(text=self._query.statement, kind="UNKNOWN")
        if len(parsed) != 1:
            self._note(f"{len(parsed)} statements where one is expected")
        reads = self._uses(self._query.sources or statement.sources, "source")
        writes = self._uses(self._query.sinks or statement.sinks, "sink")
        self._check(statement)
        complete = not self._problems
        columns = tuple(self._columns(statement)) if complete else ()
        self._problems += [Problem(self._at(problem), problem.what, problem.hint) for problem in statement.unresolved]
        level = Level.COLUMNS if complete else Level.TABLES if reads or writes else Level.UNREAD
        flows = JobFlows(
            job=query_node(self._query), certainty=Certainty.DERIVED, reads=reads, writes=writes, columns=columns
        )
        return StatementReading(flows, level, tuple(dict.fromkeys(self._problems)), is_part=bool(statement.unresolved))

    def _check(self, statement: StatementFlows) -> None:
        self._problems += [Problem(self._at(problem), problem.what, problem.hint) for problem in statement.problems]
        if statement.problems or _fills_a_store(self._query):
            return
        pairs = (("sources", self._query.sources, statement.sources), ("sinks", self._query.sinks, statement.sinks))
        for what, reported, read in pairs:
            if reported and set(reported) != set(read):
                listed = f"{what} {', '.join(sorted(reported))}"
                self._note(f"the server reports the {listed}, the statement names {', '.join(read) or 'none'}")

    def _uses(self, names: Iterable[str], what: str) -> tuple[Use, ...]:
        uses: dict[GraphDataset, Use] = {}
        for name in sorted(names):
            topic = self._topics.get(name)
            if topic is None:
                self._note(f"the collection {name!r} is unknown, and so is its topic")
            else:
                uses.setdefault(topic, Use(topic, f"{self._where}: {what} {name}"))
        return tuple(uses.values())

    def _columns(self, statement: StatementFlows) -> Iterator[ColumnFlow]:
        for flow in statement.flows:
            sources, targets = self._topic_columns(flow.source), self._topic_columns(flow.target)
            if flow.effect is Effect.IDENTITY and len(sources) + len(targets) > 2:
                # A structure that is not a field itself is copied field by field.
                sources, targets = (
                    self._topic_columns(flow.source, inside=True),
                    self._topic_columns(flow.target, inside=True),
                )
            evidence = f"{self._where}: its statement"
            if flow.expression:
                evidence = with_expression(self._where, flow.target.path, flow.expression)
            for source, target in matched_columns(sources, targets):
                yield ColumnFlow(source, target, flow.effect.type, str(flow.effect), evidence)

    def _topic_columns(self, named: SqlColumn, *, inside: bool = False) -> tuple[ColumnRef, ...]:
        """Return the topic columns behind a column; several where it stands for all fields of a record.

        *inside*: the fields of a structure rather than the structure.
        """
        dataset = self._topics.get(named.dataset)
        if dataset is None or not named.path:
            return (ColumnRef(dataset),) if dataset else ()
        fields, path = self._server.fields.get(dataset) or Fields(()), path_of_names(named.path)
        paths = self._server.layouts.get(named.dataset, NO_LAYOUT).paths(path, fields, inside=inside)
        if not paths and fields.known and named.path[0] not in _PSEUDO:
            self._note(f"{'.'.join(named.path)} of {named.dataset} is not a field of the topic {dataset.name}", hint="")
        return tuple(ColumnRef(dataset, path) for path in paths or (path,))

    def _at(self, problem: Problem) -> str:
        return f"{self._where}, {problem.where}" if problem.where else self._where

    def _note(self, what: str, hint: str = _HINT) -> None:
        self._problems.append(Problem(self._where, what, hint))
