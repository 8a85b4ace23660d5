"""ksqlDB's persistent queries as jobs: sources and sinks as the server reported them, columns from their statements."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import NamedTuple

from dataflow_generator.graph import Certainty, Node, present
from dataflow_generator.jobs.dataset_naming import Naming
from dataflow_generator.jobs.field_matching import Fields
from dataflow_generator.jobs.ksqldb_layout import NO_LAYOUT, Layout, layout_of, matched_places
from dataflow_generator.jobs.model import ColumnFlow, Dataset, JobFlows, Place, Use, job_node
from dataflow_generator.jobs.sql_catalog import catalog_of
from dataflow_generator.sql import Catalog, Dialect, StatementFlows, read_sql
from dataflow_generator.sql import ColumnRef as NamedPlace
from dataflow_generator.sql.flows import Effect
from scanner_model.columns import Column
from scanner_model.ksqldb import KsqlSource, Query
from scanner_model.problems import Problem

_PERSISTENT = ("PERSISTENT", "")
"""Kinds of queries that make data for others; an old server does not tell the kind."""

_PSEUDO = frozenset(("ROWTIME", "ROWPARTITION", "ROWOFFSET", "WINDOWSTART", "WINDOWEND"))
"""Columns that every collection has and no field stands behind (ksqlDB reference, "Pseudocolumns")."""

_SOURCE_TABLE = re.compile(r"\s*CREATE\s+(?:OR\s+REPLACE\s+)?SOURCE\s+TABLE\b", re.IGNORECASE)

_HINT = "its topics are told, its columns are not"

AggregatesOf = Mapping[tuple[str, str], frozenset[str]]
"""The functions of a server that aggregate, by cluster and source."""

FieldsOf = Mapping[tuple[str, str], tuple[Column, ...]]
"""The columns that a topic has now, by cluster and topic."""


class Level(Enum):
    """How far a statement was read."""

    COLUMNS = "columns"
    TABLES = "tables"
    UNREAD = "unread"


class Reading(NamedTuple):
    """A statement's job, how far it was read, and what was not understood."""

    flows: JobFlows
    level: Level
    problems: tuple[Problem, ...]


def ksql_jobs(
    collections: Iterable[tuple[str, KsqlSource]],
    queries: Iterable[tuple[str, Query]],
    fields: FieldsOf,
    naming: Naming,
    aggregates: AggregatesOf = MappingProxyType({}),
) -> Iterator[Reading]:
    """Read every persistent query, by cluster, server and name; each of *collections* and *queries* has its cluster.

    *aggregates* are told for functions that users brought: the engine's own are known.
    """
    servers: dict[tuple[str, str], list[KsqlSource]] = {}
    for cluster, collection in collections:
        servers.setdefault((cluster, collection.source), []).append(collection)
    told = {key: frozenset(map(str.upper, names)) for key, names in aggregates.items()}
    known = {key: _server(key[0], found, fields, naming, told.get(key)) for key, found in servers.items()}
    for cluster, query in sorted(queries, key=lambda each: (each[0], each[1].source, each[1].name)):
        if query.kind.upper() in _PERSISTENT:
            server = known.get((cluster, query.source)) or _server(cluster, [], fields, naming)
            yield _Job(server, query).read()


def named_by(queries: Iterable[Query]) -> Callable[[str], bool]:
    """Return of the name of a collection whether *queries* may name it: their statements have it in some case.

    It is told of more names than are named: of what no query names nothing has to be known to read these queries.
    """
    listed = list(queries)
    told = {name for query in listed for name in (*query.sources, *query.sinks)}
    texts = "\n".join(query.statement for query in listed).upper()
    # A quote inside a name is written twice, and what a variable stands for is not in the text.
    return lambda name: name in told or "`" in name or "${" in texts or name.upper() in texts


def query_node(query: Query) -> Node:
    """Return the node of a query, whose name is unique on its server; one that only fills a store is internal."""
    # OpenLineage leaves the namespace of a job to its scheduler.
    address = query.source.partition(":")[2]
    namespace = f"ksqldb://{address.partition('://')[2] or address}"
    attributes = present(
        consumer_group=query.consumer_group,
        internal=_fills_a_store(query),
        state=query.state,
        statement=query.statement,
        type="ksqldb",
    )
    return job_node(namespace, query.name, attributes)


def _fills_a_store(query: Query) -> bool:
    """Return whether the query only fills a source table's store on the server: it writes nothing that others read."""
    return not query.sinks and _SOURCE_TABLE.match(query.statement) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Server:
    """What is known of a server: the topic and the layout of each collection, and all as the reader needs."""

    topics: Mapping[str, Dataset]
    layouts: Mapping[str, Layout]
    fields: Mapping[Dataset, Fields]
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
        topics={each.name: naming.topic(cluster, each.topic) for each in collections},
        layouts={each.name: layout_of(each) for each in collections},
        fields={
            naming.topic(cluster, each.topic): Fields(fields.get((cluster, each.topic), ())) for each in collections
        },
        catalog=catalog_of(collections, aggregates or frozenset()),
        cluster=cluster,
        naming=naming,
    )


class _Job:
    """The reading of one query."""

    def __init__(self, server: _Server, query: Query) -> None:
        self._server = server
        self._query = query
        self._where = f"query {query.name} of {query.source}"
        self._topics = dict(server.topics)
        if len(query.sinks) == len(query.sink_topics):
            # What the server says of the query itself; it may know no collection any more.
            own = zip(query.sinks, query.sink_topics, strict=True)
            self._topics = {sink: server.naming.topic(server.cluster, topic) for sink, topic in own} | self._topics
        self._problems: list[Problem] = []

    def read(self) -> Reading:
        """Return the job; where statement and server disagree, or a construct is not known, without columns."""
        found = read_sql(self._query.statement, Dialect.KSQLDB, self._server.catalog)
        statement = found[0] if len(found) == 1 else StatementFlows(text=self._query.statement, kind="UNKNOWN")
        if len(found) != 1:
            self._note(f"{len(found)} statements where one is expected")
        reads = self._uses(self._query.sources or statement.sources, "source")
        writes = self._uses(self._query.sinks or statement.sinks, "sink")
        self._check(statement)
        whole = not self._problems
        columns = tuple(self._columns(statement)) if whole else ()
        self._problems += [Problem(self._at(each), each.what, each.hint) for each in statement.unresolved]
        level = Level.COLUMNS if whole else Level.TABLES if reads or writes else Level.UNREAD
        flows = JobFlows(
            job=query_node(self._query), certainty=Certainty.DERIVED, reads=reads, writes=writes, columns=columns
        )
        return Reading(flows, level, tuple(dict.fromkeys(self._problems)))

    def _check(self, statement: StatementFlows) -> None:
        self._problems += [Problem(self._at(each), each.what, each.hint) for each in statement.problems]
        if statement.problems or _fills_a_store(self._query):
            return
        pairs = (("sources", self._query.sources, statement.sources), ("sinks", self._query.sinks, statement.sinks))
        for what, reported, read in pairs:
            if reported and set(reported) != set(read):
                said = f"{what} {', '.join(sorted(reported))}"
                self._note(f"the server reports the {said}, the statement names {', '.join(read) or 'none'}")

    def _uses(self, names: Iterable[str], what: str) -> tuple[Use, ...]:
        uses: dict[Dataset, Use] = {}
        for name in sorted(names):
            topic = self._topics.get(name)
            if topic is None:
                self._note(f"no collection {name!r} is known, so its topic is not")
            else:
                uses.setdefault(topic, Use(topic, f"{self._where}: {what} {name}"))
        return tuple(uses.values())

    def _columns(self, statement: StatementFlows) -> Iterator[ColumnFlow]:
        for flow in statement.flows:
            sources, targets = self._places(flow.source), self._places(flow.target)
            if flow.effect is Effect.IDENTITY and len(sources) + len(targets) > 2:
                # A structure that is no field itself is copied field by field.
                sources, targets = self._places(flow.source, inside=True), self._places(flow.target, inside=True)
            for source, target in matched_places(sources, targets):
                yield ColumnFlow(source, target, flow.effect.type, str(flow.effect), f"{self._where}: its statement")

    def _places(self, named: NamedPlace, *, inside: bool = False) -> tuple[Place, ...]:
        """Return where a column is in its topic: several places where it stands for all fields of a record.

        *inside*: the fields of a structure rather than the structure.
        """
        dataset = self._topics.get(named.dataset)
        if dataset is None or not named.path:
            return (Place(dataset),) if dataset else ()
        fields = self._server.fields.get(dataset) or Fields(())
        paths = self._server.layouts.get(named.dataset, NO_LAYOUT).paths(named.path, fields, inside=inside)
        if not paths and fields.known and named.path[0] not in _PSEUDO:
            self._note(f"{'.'.join(named.path)} of {named.dataset} is no field of the topic {dataset.name}", hint="")
        return tuple(Place(dataset, path) for path in paths or (named.path,))

    def _at(self, problem: Problem) -> str:
        return f"{self._where}, {problem.where}" if problem.where else self._where

    def _note(self, what: str, hint: str = _HINT) -> None:
        self._problems.append(Problem(self._where, what, hint))
