"""The table of job kinds (`JOBS`): how the rows of each kind are partitioned, and how a partition is read.

Local generation reads the partitions in sequence, Spark in parallel; a new kind of job is a row of the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import chain, groupby
from typing import Any, NamedTuple, TypeVar

from dataflow_generator.build.coverage import Coverage
from dataflow_generator.build.graph_builder import Described
from dataflow_generator.build.snapshot import Snapshot, TopicColumns, remembering
from dataflow_generator.graph import Certainty, NodeKind, present
from dataflow_generator.jobs.applications import with_observed
from dataflow_generator.jobs.catalogs import link_jobs, other_names
from dataflow_generator.jobs.connect import (
    ReportedConnector,
    connect_jobs,
    connector_group,
    connector_node,
    report_connector,
)
from dataflow_generator.jobs.connect_columns import (
    ColumnsByDataset,
    ConnectorSpec,
    DatabaseTables,
    KnownColumns,
    derive,
)
from dataflow_generator.jobs.consumer_groups import GroupOwner, group_jobs
from dataflow_generator.jobs.consumer_groups import Query as NamedQuery
from dataflow_generator.jobs.databases.declared import generated_jobs, has_generated
from dataflow_generator.jobs.databases.ingestion import Ends, IngestionPart, group_owners, ingestion_jobs, with_topics
from dataflow_generator.jobs.databases.names import TableNames
from dataflow_generator.jobs.flink.resolve import FlinkContext, declared_columns, defines
from dataflow_generator.jobs.flink.statements import flink_jobs, flink_owners, names_groups
from dataflow_generator.jobs.ksqldb import Level, StatementReading, ksql_jobs, named_by, query_node
from dataflow_generator.jobs.ksqldb_files import file_queries
from dataflow_generator.jobs.manual import manual_jobs
from dataflow_generator.jobs.model import (
    ColumnRef,
    GraphDataset,
    JobFlows,
    Naming,
    job_node,
    partly_read_job,
    unread_job,
)
from dataflow_generator.jobs.once import Once
from dataflow_generator.jobs.openlineage import dataset_jobs, lineage_jobs
from dataflow_generator.jobs.streams import streams_jobs, streams_node
from scanner_dictionary.lineage_inputs.catalogs import TableRow
from scanner_dictionary.lineage_inputs.events import DatasetFlowsRow, LineageJobRow
from scanner_dictionary.lineage_inputs.jobs import ClusterTopic, Server
from scanner_dictionary.queries.clients import ClientRow
from scanner_dictionary.queries.connectors import ConnectorRow
from scanner_model.catalogs import CatalogLink
from scanner_model.columns import KEY, Column, ColumnPath, field_segment
from scanner_model.declarations import UNREAD_HINT, UnreadFile
from scanner_model.errors import Problem
from scanner_model.kafka import ConsumerGroup, StreamsTopology
from scanner_model.lazy_names import load
from scanner_model.manual import DeclaredFlow
from scanner_model.streaming_sql import KSQLDB, SCRIPT, ClusterNames, KsqlSource, Query, StreamingStatement

T = TypeVar("T")
_AT_ONCE = 200
_VIEW_JOBS = "dataflow_generator.jobs.databases.views:view_jobs"
"""The reader of views, imported with its parser of SQL when there are any."""


class LookupContext(NamedTuple):
    """What jobs are resolved against: dataset names, the sorted live topics of each cluster, the columns of topics.

    *names* are the clusters' other names. *tables* are the columns of catalog tables, *databases* the tables that their
    databases describe, *views* those that a SQL text defines; *derived* the columns of undescribed datasets, derived
    through connectors. *outside* are the tables that charts may mean. *once* remembers what several kinds of jobs read
    of the same rows.
    """

    naming: Naming
    names: Mapping[str, ClusterNames]
    topics: Mapping[str, tuple[str, ...]]
    tables: ColumnsByDataset
    databases: DatabaseTables
    views: Mapping[GraphDataset, TableRow]
    outside: tuple[GraphDataset, ...]
    columns: TopicColumns
    derived: Callable[[], ColumnsByDataset] = dict
    once: Once | None = None

    @property
    def flink(self) -> FlinkContext:
        """Return what Flink tables are resolved against."""
        return FlinkContext(
            naming=self.naming, names=self.names, topics=lambda: self.topics, columns=self.columns.full, once=self.once
        )


class OpenEnds(NamedTuple):
    """Connectors with flows that have an undescribed end, and the known columns of the other ends."""

    connectors: tuple[ConnectorSpec, ...]
    known: ColumnsByDataset


class CountedJob(NamedTuple):
    """A job, and what it adds to the coverage and problems of the graph."""

    flows: JobFlows
    coverage: Coverage = Coverage()


class KsqlPart(NamedTuple):
    """Queries of one ksqlDB server, with their cluster, and the collections and aggregate functions of the server."""

    queries: Sequence[tuple[str, Query]]
    collections: Sequence[tuple[str, KsqlSource]]
    aggregates: Mapping[Server, frozenset[str]]


class FlinkPart(NamedTuple):
    """Statements of one Flink source, oldest first: all that define tables, and those at the indices *wanted*."""

    cluster: str
    statements: tuple[StreamingStatement, ...]
    wanted: tuple[int, ...]


class GroupsPart(NamedTuple):
    """Consumer groups, with the jobs that read through them; the groups of *flink* are in its DDL."""

    groups: tuple[tuple[str, ConsumerGroup], ...]
    owners: tuple[GroupOwner, ...]
    queries: tuple[NamedQuery, ...]
    flink: tuple[FlinkPart, ...]
    ingested: tuple[TableRow, ...]


class EventsPart(NamedTuple):
    """Jobs of events, and flows of datasets without a job."""

    jobs: Sequence[LineageJobRow] = ()
    flows: Sequence[DatasetFlowsRow] = ()


Rows = Any
"""The rows that are read together: of each kind its own type."""


class JobKind(NamedTuple):
    """A kind of job: *partitions* cuts its rows into what can be read independently, in order; *read* reads one."""

    partitions: Callable[[Snapshot], Iterable[Rows]]
    read: Callable[[Rows, LookupContext], Iterator[CountedJob]]


class Partition(NamedTuple):
    """The rows of one partition, and the name of its kind."""

    kind: str
    rows: Rows


class ManualPart(NamedTuple):
    """Manually declared flows, each with its cluster, and the applications that were observed."""

    flows: Sequence[tuple[str, DeclaredFlow]]
    observed: Sequence[ClientRow] = ()


def manual_readings(part: ManualPart, context: LookupContext) -> Iterator[CountedJob]:
    """Yield the jobs of manually declared flows and of observed applications."""
    declared = manual_jobs(part.flows, context.naming, lambda: context.topics)
    return map(CountedJob, with_observed(declared, part.observed, context.naming))


def ksql_parts(snapshot: Snapshot) -> Iterator[KsqlPart]:
    """Partition the queries of each server; each partition has the collections that its queries may name."""
    listed = sorted(snapshot.queries, key=lambda row: (row[0], row[1].source, row[1].name))
    for server, queries in groupby(listed, key=lambda row: (row[0], str(row[1].source))):
        for chunk in _chunked(tuple(queries)):
            named = named_by(query for _, query in chunk)
            sources = (source for source in snapshot.collections.get(server, ()) if named(source.name))
            aggregates = {server: snapshot.aggregates.get(server, frozenset())}
            yield KsqlPart(chunk, tuple((server[0], source) for source in sources), aggregates)


def ksql_readings(part: KsqlPart, context: LookupContext) -> Iterator[CountedJob]:
    """Read queries of one ksqlDB server."""
    fields = context.columns.full({(cluster, str(source.topic)) for cluster, source in part.collections})
    return map(_counted, ksql_jobs(part.collections, part.queries, fields, context.naming, part.aggregates))


def connect_readings(rows: Sequence[ConnectorRow], context: LookupContext) -> Iterator[CountedJob]:
    """Yield the jobs of connectors, each counted by how much of it was read: columns, datasets, or an unknown class."""
    reported = _reported(rows, context)
    available = KnownColumns(_columns_of(reported, context), context.derived, context.databases)
    for reading in connect_jobs(reported, available):
        count = "unknown_connectors" if not reading.known else "connector_columns" if reading.complete else "connectors"
        flows = reading.flows if reading.known else unread_job(reading.flows)
        yield CountedJob(flows, Coverage.of_one(count, reading.problems))


def _reported(rows: Sequence[ConnectorRow], context: LookupContext) -> list[ReportedConnector]:
    once = context.once or Once()
    return [
        once.of("connector", (row,), partial(report_connector, row, context.topics, context.naming)) for row in rows
    ]


def group_parts(snapshot: Snapshot) -> Iterator[GroupsPart]:
    """Yield all consumer groups as one partition."""
    owners = [
        GroupOwner(row.cluster, group, connector_node(row).key)
        for row in snapshot.connectors
        if (group := connector_group(row))
    ]
    owners += [
        GroupOwner(at, query.consumer_group, query_node(query).key)
        for at, query in snapshot.queries
        if query.consumer_group
    ]
    owners += [GroupOwner(at, app.name, streams_node(at, app.name).key) for at, app in snapshot.topologies]
    queries = tuple(NamedQuery(at, query.name, query_node(query).key) for at, query in snapshot.queries)
    flink = tuple(
        FlinkPart(cluster, statements, ())
        for (cluster, _), statements in snapshot.statements.items()
        if names_groups(statements)
    )
    yield GroupsPart(snapshot.groups, tuple(owners), queries, flink, snapshot.ingested)


def group_readings(part: GroupsPart, context: LookupContext) -> Iterator[CountedJob]:
    """Read consumer groups, with the jobs that read through them."""
    flink = (flink_owners(source.cluster, source.statements, context.flink) for source in part.flink)
    ingesting = group_owners(part.ingested, context.naming, context.topics)
    owners = [*part.owners, *chain.from_iterable(flink), *ingesting]
    return map(CountedJob, group_jobs(part.groups, owners, part.queries, context.naming))


def open_ends(rows: Sequence[ConnectorRow], context: LookupContext) -> OpenEnds:
    """Return the connectors that have flows with an undescribed end; few connectors have any."""
    reported = _reported(rows, context)
    known = _columns_of(reported, context)
    unresolved: list[ConnectorSpec] = []
    for connector in reported:
        ends = ((pair, known.get(pair[1]), known.get(pair[2])) for pair in connector.pairs if pair[1] and pair[2])
        if pairs := [pair for pair, source, target in ends if not (source and target)]:
            unresolved.append((connector.config, connector.flows, pairs))
    datasets = {end for _, _, pairs in unresolved for _, *ends in pairs for end in ends}
    return OpenEnds(tuple(unresolved), {end: paths for end, paths in known.items() if end in datasets})


def derived_columns(snapshot: Snapshot, open_ends: Iterable[OpenEnds], context: LookupContext) -> ColumnsByDataset:
    """Return the columns of undescribed datasets, derived from all connectors, Flink DDL, and files of statements."""
    listed = list(open_ends)
    known = {end: paths for part in listed for end, paths in part.known.items()}
    specs = [spec for part in listed for spec in part.connectors]
    declared: dict[GraphDataset, dict[ColumnPath, None]] = {}
    for (cluster, _), statements in snapshot.statements.items() if specs else ():
        for dataset, paths in declared_columns(cluster, statements, context.flink).items():
            declared.setdefault(dataset, {}).update(dict.fromkeys(paths))
    for column in _columns_of_files(snapshot, context) if specs else ():
        declared.setdefault(column.dataset, {})[column.path or ()] = None
    return derive(specs, known, {dataset: tuple(paths) for dataset, paths in declared.items()})


def _columns_of_files(snapshot: Snapshot, context: LookupContext) -> Iterator[ColumnRef]:
    """Yield the columns of topics that the statements in files write: no registry describes what never ran."""
    parts = [(ksql_file_readings, part) for part in ksql_file_parts(snapshot)]
    parts += [
        (flink_readings, part)
        for part in flink_parts(snapshot)
        if any(part.statements[at].kind == SCRIPT for at in part.wanted)
    ]
    for read, part in parts:
        for reading in read(part, context):
            ends = (flow.target for flow in reading.flows.columns)
            yield from (end for end in ends if end.path and end.dataset.kind is NodeKind.TOPIC)


def _columns_of(reported: Iterable[ReportedConnector], context: LookupContext) -> ColumnsByDataset:
    """Return the columns of the topics and catalog tables that connectors read or write, each once.

    The primary key of a database's table is listed with them, as the key of the messages that are read from it.
    """
    named = {end for connector in reported for end in connector.ends}
    topics = _cluster_topics(named, context)
    of_topics = {topics[topic]: paths for topic, paths in context.columns.paths(topics.keys()).items()}
    of_tables = {
        end: (*context.tables[end], *_key(context.databases.get(end))) for end in named & context.tables.keys()
    }
    return {**of_topics, **of_tables}


def _key(table: TableRow | None) -> tuple[ColumnPath, ...]:
    return tuple((KEY, field_segment(name)) for name in table.primary_key) if table else ()


def _cluster_topics(datasets: Iterable[GraphDataset], context: LookupContext) -> dict[ClusterTopic, GraphDataset]:
    """Return those of *datasets* that are topics of known clusters, by cluster and topic name."""
    clusters = {namespace: name for name, namespace in context.naming.clusters.items()}
    known = (dataset for dataset in datasets if dataset.namespace in clusters)
    return {(clusters[dataset.namespace], dataset.name): dataset for dataset in known}


def ksql_file_parts(snapshot: Snapshot) -> Iterator[FlinkPart]:
    """Return the files of ksqlDB statements of each source as one partition."""
    for (cluster, _), statements in snapshot.statements.items():
        if files := tuple(statement for statement in statements if statement.engine == KSQLDB):
            yield FlinkPart(cluster, files, ())


def ksql_file_readings(part: FlinkPart, context: LookupContext) -> Iterator[CountedJob]:
    """Read the queries that files of ksqlDB statements create."""
    once, read = context.once or Once(), partial(_ksql_file_readings, part, context)
    return iter(once.of("ksqldb files", part.statements, lambda: tuple(read())))


def _ksql_file_readings(part: FlinkPart, context: LookupContext) -> Iterator[CountedJob]:
    for queries, collections, file in file_queries(part.statements):
        fields = context.columns.full({(part.cluster, str(source.topic)) for source in collections})
        named = [(part.cluster, source) for source in collections]
        listed = [(part.cluster, query) for query in queries]
        yield from (_counted(_in_file(job, file)) for job in ksql_jobs(named, listed, fields, context.naming))


def _in_file(reading: StatementReading, file: str) -> StatementReading:
    """Return *reading* with the file as an attribute of its job: a server's query has none."""
    job = reading.flows.job
    named = replace(job, attributes=tuple(sorted((*job.attributes, ("file", file)))))
    return reading._replace(flows=replace(reading.flows, job=named))


def flink_parts(snapshot: Snapshot) -> Iterator[FlinkPart]:
    """Partition the statements of each source; each partition has all statements that define tables."""
    for (cluster, _), listed in snapshot.statements.items():
        statements = [statement for statement in listed if statement.engine != KSQLDB]
        for chunk in _chunked(range(len(statements))):
            positions = [at for at, row in enumerate(statements) if at in chunk or defines(row.statement, row.state)]
            wanted = tuple(position for position, at in enumerate(positions) if at in chunk)
            yield FlinkPart(cluster, tuple(statements[at] for at in positions), wanted)


def flink_readings(part: FlinkPart, context: LookupContext) -> Iterator[CountedJob]:
    """Read statements of one Flink source, with all tables that the statements of the source declare."""
    return map(_counted, flink_jobs(part.cluster, part.statements, part.wanted, context.flink))


def unread_file_readings(rows: Sequence[tuple[str, UnreadFile]], context: LookupContext) -> Iterator[CountedJob]:
    """Yield a job for each file that may declare flows and is not read, marked so."""
    for cluster, file in rows:
        attributes = present(type=UNREAD_FILE, kind=file.kind, reason=file.reason)
        job = job_node(context.naming.clusters[cluster], file.name, attributes)
        problem = Problem(f"{file.source} {file.name}", f"{file.kind}: {file.reason}", UNREAD_HINT)
        flows = unread_job(JobFlows(job=job, certainty=Certainty.DERIVED))
        yield CountedJob(flows, Coverage.of_one("unread_files", (problem,)))


def streams_readings(rows: Sequence[tuple[str, StreamsTopology]], context: LookupContext) -> Iterator[CountedJob]:
    """Yield the jobs of Kafka Streams topologies, each with the problems of its text."""
    for reading in streams_jobs(rows, lambda: context.topics, context.naming):
        yield CountedJob(reading.flows, Coverage(problems=reading.problems))


def lineage_parts(snapshot: Snapshot) -> Iterator[EventsPart]:
    """Partition the jobs of OpenLineage events; the first partition is for datasets without a job."""
    yield EventsPart(flows=snapshot.events.flows)
    yield from map(EventsPart, _chunked(snapshot.events.jobs))


def lineage_readings(part: EventsPart, _: LookupContext) -> Iterator[CountedJob]:
    """Read jobs of events, over datasets as events name them; `merge_jobs` resolves these names afterwards."""
    return map(CountedJob, chain(dataset_jobs(part.flows), lineage_jobs(part.jobs)))


def catalog_readings(rows: Sequence[tuple[str, CatalogLink]], context: LookupContext) -> Iterator[CountedJob]:
    """Read the lineage that table catalogs report."""
    return map(CountedJob, link_jobs(rows, context.naming))


def view_readings(rows: Sequence[TableRow], context: LookupContext) -> Iterator[CountedJob]:
    """Read the definitions of views."""
    ends = Ends.of(rows, context.naming, context.topics, context.columns.full)
    for row, reading in zip(
        rows, load(_VIEW_JOBS)(rows, context.tables, context.naming, context.views, context.outside), strict=True
    ):
        flows = with_topics(reading.flows, row, ends, context.tables)
        count = "columns" if reading.whole else "tables" if reading.flows.reads else "unread"
        coverage = Coverage.of_one(count, reading.problems)
        yield CountedJob(flows, replace(coverage, partly_read=int(reading.is_unclear)))


def ingestion_parts(snapshot: Snapshot) -> Iterator[IngestionPart]:
    """Partition the tables that engines read from topics."""
    views = tuple(view.dataset for view in snapshot.views)
    return (IngestionPart(tables, views) for tables in _chunked(snapshot.ingested))


def ingestion_readings(part: IngestionPart, context: LookupContext) -> Iterator[CountedJob]:
    """Read the tables that engines read from topics."""
    ends = Ends.of(part.tables, context.naming, context.topics, context.columns.full, part.views)
    return map(CountedJob, ingestion_jobs(part.tables, ends))


def generated_readings(rows: Sequence[TableRow], context: LookupContext) -> Iterator[CountedJob]:
    """Read the generated columns of tables."""
    for reading in generated_jobs(rows, context.naming):
        yield CountedJob(reading.flows, Coverage(problems=reading.problems))


CONNECT = "connect"
UNREAD_FILE = "unread file"
"""The type of the jobs that stand for files that are not read."""
JOBS: Mapping[str, JobKind] = {
    "manual": JobKind(lambda snapshot: [ManualPart(snapshot.declared_flows, snapshot.observed)], manual_readings),
    "ksqldb": JobKind(ksql_parts, ksql_readings),
    "ksqldb files": JobKind(ksql_file_parts, ksql_file_readings),
    CONNECT: JobKind(lambda snapshot: _chunked(snapshot.connectors), connect_readings),
    "flink": JobKind(flink_parts, flink_readings),
    "streams": JobKind(lambda snapshot: [snapshot.topologies], streams_readings),
    "unread files": JobKind(lambda snapshot: [snapshot.unread_files], unread_file_readings),
    "groups": JobKind(group_parts, group_readings),
    "catalog": JobKind(lambda snapshot: [snapshot.links], catalog_readings),
    "ingestion": JobKind(ingestion_parts, ingestion_readings),
    "views": JobKind(lambda snapshot: _chunked(snapshot.views), view_readings),
    "generated": JobKind(lambda snapshot: _chunked(tuple(filter(has_generated, snapshot.tables))), generated_readings),
    "openlineage": JobKind(lineage_parts, lineage_readings),
}
"""In the order of the graph's problems; of two jobs with one name the later one is kept."""


class PartitionResult(NamedTuple):
    """The jobs of one partition, and the topic columns that take part in their flows."""

    jobs: tuple[CountedJob, ...]
    described: Described


def read_partition(part: Partition, context: LookupContext) -> PartitionResult:
    """Read one partition; the columns that it reads are kept until its jobs are described."""
    columns = context.columns._replace(full=remembering(context.columns.full))
    context = context._replace(columns=columns)
    jobs = tuple(JOBS[part.kind].read(part.rows, context))
    return PartitionResult(jobs, described((job.flows for job in jobs), context))


def job_partitions(snapshot: Snapshot) -> Iterator[Partition]:
    """Yield every partition of every kind, in order."""
    return (Partition(name, rows) for name, kind in JOBS.items() for rows in kind.partitions(snapshot))


def lookup_context(snapshot: Snapshot) -> LookupContext:
    """Return the context of the jobs of *snapshot*; columns are derived through connectors on first use."""
    shown = other_names(snapshot.tables, snapshot.materialized)
    naming = Naming(snapshot.clusters, shown, TableNames(snapshot.tables))
    described = [(naming.dataset(*table.dataset), table) for table in snapshot.tables if table.lists_all_columns]
    tables = {dataset: tuple(column.path for column in table.columns) for dataset, table in described}
    databases = {dataset: table for dataset, table in described if table.is_of_database}
    # Columns are derived from what connectors read again afterwards.
    columns = snapshot.columns._replace(paths=remembering(snapshot.columns.paths))
    views = {naming.dataset(*view.dataset): view for view in snapshot.views}
    named = snapshot.cluster_names, snapshot.topic_names
    outside = tuple(dict.fromkeys(naming.dataset(*name) for name in snapshot.outside))
    context = LookupContext(naming, *named, tables, databases, views, outside, columns, once=Once())

    @cache
    def derived() -> ColumnsByDataset:
        ends = (open_ends(rows, context) for rows in JOBS[CONNECT].partitions(snapshot))
        return derived_columns(snapshot, ends, context)

    return context._replace(derived=derived)


def described(jobs: Iterable[JobFlows], context: LookupContext) -> Described:
    """Return the topic columns that take part in flows of *jobs*, by namespace and name of the topic."""
    clusters = {namespace: name for name, namespace in context.naming.clusters.items()}
    ends = {end for job in jobs for flow in job.columns for end in (flow.source, flow.target)}
    paths_by_topic: dict[ClusterTopic, set[tuple[str, ...]]] = {}
    for end in ends:
        cluster = clusters.get(end.dataset.namespace)
        if cluster is not None and end.path is not None:
            paths_by_topic.setdefault((cluster, end.dataset.name), set()).add(end.path)
    listed = sorted(paths_by_topic)
    columns_of: dict[tuple[str, str], tuple[Column, ...]] = {}
    for start in range(0, len(listed), _AT_ONCE):
        for (cluster, topic), columns in context.columns.full(listed[start : start + _AT_ONCE]).items():
            used = tuple(column for column in columns if column.path in paths_by_topic[cluster, topic])
            columns_of[context.naming.clusters[cluster], topic] = used
    return columns_of


def _counted(reading: StatementReading) -> CountedJob:
    columns, tables, unread = (reading.level is level for level in (Level.COLUMNS, Level.TABLES, Level.UNREAD))
    partly = reading.is_part and not unread
    counted = Coverage(
        columns=int(columns),
        tables=int(tables),
        unread=int(unread),
        partly_read=int(partly),
        problems=reading.problems,
    )
    flows = reading.flows
    return CountedJob(unread_job(flows) if unread else partly_read_job(flows) if partly else flows, counted)


def _chunked(rows: Sequence[T]) -> Iterator[Sequence[T]]:
    return (rows[start : start + _AT_ONCE] for start in range(0, len(rows), _AT_ONCE))
