"""All inputs of graph generation at one moment; below this module no function has a database connection."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple, Protocol, TypeVar

from dataflow_generator.jobs.connect import report_connector
from dataflow_generator.jobs.databases.declared import PATTERN, is_declared, located_tables
from dataflow_generator.jobs.databases.ingestion import separate_jobs
from dataflow_generator.jobs.model import Naming
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.lineage_inputs import catalogs, events, jobs, topics
from scanner_dictionary.lineage_inputs.catalogs import Name, TableRow
from scanner_dictionary.lineage_inputs.events import DatasetFlowsRow, LineageJobRow
from scanner_dictionary.lineage_inputs.jobs import ClusterTopic, Server
from scanner_dictionary.lineage_inputs.topics import ClusterRow, DefinitionRow
from scanner_dictionary.lineage_inputs.topics import LinkRow as SchemaLinkRow
from scanner_dictionary.queries.clients import ClientRow, observed
from scanner_dictionary.queries.connectors import ConnectorRow, connectors
from scanner_dictionary.queries.facts import reported_facts
from scanner_dictionary.queries.topics import stated_owners
from scanner_model.catalogs import KAFKA_JOBS, KAFKA_PATTERN, KAFKA_TOPICS, CatalogLink, Materialization
from scanner_model.columns import Column, ColumnPath
from scanner_model.declarations import UnreadFile
from scanner_model.kafka import ConsumerGroup, StreamsTopology, Topic
from scanner_model.manual import DeclaredFlow
from scanner_model.openlineage import DatasetRef, Symlink
from scanner_model.owners import Owners
from scanner_model.streaming_sql import ClusterNames, KsqlSource, Query, StreamingStatement

T = TypeVar("T", covariant=True)
C = TypeVar("C")


class ReadColumns(Protocol[T]):
    """Returns what is known of the columns of topics; a topic without any is not listed."""

    def __call__(self, topics: Collection[ClusterTopic], /) -> Mapping[ClusterTopic, T]:
        """Read the columns of *topics*."""


def remembering(read: ReadColumns[C]) -> ReadColumns[C]:
    """Return *read* with a memory of what it has returned."""
    known: dict[ClusterTopic, C | None] = {}

    def remembered(topics: Collection[ClusterTopic]) -> Mapping[ClusterTopic, C]:
        missing = [topic for topic in topics if topic not in known]
        known.update(dict.fromkeys(missing))
        known.update(read(missing) if missing else {})
        return {topic: columns for topic in topics if (columns := known[topic]) is not None}

    return remembered


class TopicColumns(NamedTuple):
    """The columns that topics have now, read on demand, by batch: in full, or their paths only."""

    full: ReadColumns[tuple[Column, ...]]
    paths: ReadColumns[tuple[ColumnPath, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class EventInputs:
    """What OpenLineage events add up to: jobs, flows of datasets without a job, and what is known of datasets.

    *facets* are JSON texts by name; *columns* reads those of some datasets.
    """

    jobs: tuple[LineageJobRow, ...]
    flows: tuple[DatasetFlowsRow, ...]
    names: tuple[DatasetRef, ...]
    symlinks: tuple[tuple[DatasetRef, Symlink], ...]
    aliases: tuple[tuple[str, str], ...]
    facets: Mapping[DatasetRef, Mapping[str, str]]
    columns: Callable[[Collection[DatasetRef]], Mapping[DatasetRef, tuple[Column, ...]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The inputs of generation, each loaded once; rows of jobs come with the name of their cluster.

    *views* are tables with the SQL text that defines them; *outside* are the tables that charts among them may mean,
    and nothing without charts. Columns are read on demand, by batch: *columns* those of topics, *definitions* those of
    all live schemas.
    """

    clusters: tuple[ClusterRow, ...]
    cluster_names: Mapping[str, ClusterNames]
    topics: tuple[tuple[str, Topic], ...]
    schema_links: tuple[SchemaLinkRow, ...]
    declared_flows: tuple[tuple[str, DeclaredFlow], ...]
    collections: Mapping[Server, tuple[KsqlSource, ...]]
    aggregates: Mapping[Server, frozenset[str]]
    queries: tuple[tuple[str, Query], ...]
    connectors: tuple[ConnectorRow, ...]
    statements: Mapping[Server, tuple[StreamingStatement, ...]]
    topologies: tuple[tuple[str, StreamsTopology], ...]
    unread_files: tuple[tuple[str, UnreadFile], ...]
    groups: tuple[tuple[str, ConsumerGroup], ...]
    tables: tuple[TableRow, ...]
    views: tuple[TableRow, ...]
    links: tuple[tuple[str, CatalogLink], ...]
    materialized: tuple[tuple[str, Materialization], ...]
    events: EventInputs
    columns: TopicColumns
    observed: tuple[ClientRow, ...] = ()
    owners: Mapping[str, Owners] = field(default_factory=dict)
    outside: tuple[Name, ...] = ()
    definitions: Callable[[], Iterator[DefinitionRow]]

    @property
    def topic_names(self) -> Mapping[str, tuple[str, ...]]:
        """Return the names of each cluster's live topics, in order."""
        names: dict[str, list[str]] = {}
        for cluster, topic in self.topics:
            names.setdefault(cluster, []).append(topic.name)
        return {cluster: tuple(sorted(listed)) for cluster, listed in names.items()}

    @property
    def ingested(self) -> tuple[TableRow, ...]:
        """Return the tables that their engine reads from topics, or writes to topics; in order, each job a row."""
        words = {KAFKA_JOBS, KAFKA_PATTERN, KAFKA_TOPICS}
        named = (table for table in self.tables if any(name in words for name, _ in table.parameters))
        return tuple(separate_jobs(named))

    @property
    def has_events_or_catalogs(self) -> bool:
        """Return whether events or catalogs describe datasets: what they report of one affects the jobs of others."""
        return bool(self.tables or self.materialized or self.events.jobs or self.events.names)


def load_snapshot(conn: Connection) -> Snapshot:
    """Load the inputs; columns are read from *conn* later, so it must stay open.

    Tables that files of DDL declare are on the servers whose tables connectors name.
    """
    snapshot = Snapshot(
        clusters=topics.graph_clusters(conn),
        cluster_names=jobs.cluster_names(conn),
        topics=tuple(topics.graph_topics(conn)),
        schema_links=tuple(topics.graph_links(conn)),
        declared_flows=tuple(jobs.declared_flows(conn)),
        collections=jobs.ksql_collections(conn),
        aggregates=jobs.ksql_aggregates(conn),
        queries=tuple(jobs.ksql_queries(conn)),
        connectors=tuple(connectors(conn)),
        statements=jobs.statements(conn),
        unread_files=tuple(reported_facts(conn, UnreadFile)),
        topologies=tuple(jobs.topologies(conn)),
        groups=tuple(jobs.consumer_groups(conn)),
        tables=tuple(catalogs.catalog_tables(conn)),
        views=tuple(catalogs.defined_tables(conn)),
        links=tuple(reported_facts(conn, CatalogLink)),
        materialized=tuple(reported_facts(conn, Materialization)),
        events=_events(conn),
        columns=topic_columns(conn),
        observed=tuple(observed(conn)),
        owners=stated_owners(conn),
        definitions=lambda: topics.all_definitions(conn),
    )
    charts = [view for view in snapshot.views if view.names_no_server]
    if not charts and not any(map(is_declared, snapshot.tables)):
        return snapshot
    ends = (*_outside_ends(snapshot), *((link.target_namespace, link.target_name) for _, link in snapshot.links))
    tables = located_tables(snapshot.tables, ends)
    known = [table.dataset for table in tables if not table.names_no_server] if charts else []
    named = (end for end in ends if not end[1].startswith(PATTERN)) if charts else ()
    return replace(snapshot, tables=tables, outside=tuple(sorted({*known, *named})))


def _outside_ends(snapshot: Snapshot) -> Iterator[Name]:
    """Yield the datasets outside Kafka that connectors name, and the patterns that they have for some."""
    naming, known = Naming(snapshot.clusters), snapshot.topic_names
    for row in snapshot.connectors:
        flows = report_connector(row, known, naming).flows
        for end in (*flows.inputs, *flows.outputs):
            if end.namespace not in naming.clusters.values():
                yield end.namespace, end.name


def topic_columns(conn: Connection) -> TopicColumns:
    """Return the readers of columns over *conn*, for a task that has the other inputs from elsewhere."""
    return TopicColumns(partial(jobs.columns_of_topics, conn), partial(jobs.paths_of_topics, conn))


def _events(conn: Connection) -> EventInputs:
    return EventInputs(
        jobs=tuple(events.lineage_jobs(conn)),
        flows=tuple(events.dataset_flows(conn)),
        names=events.lineage_names(conn),
        symlinks=events.lineage_symlinks(conn),
        aliases=events.cluster_aliases(conn),
        facets=events.dataset_facets(conn),
        columns=partial(events.lineage_columns, conn),
    )
