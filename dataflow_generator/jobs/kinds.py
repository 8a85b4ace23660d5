"""The table of job kinds (`JOBS`): how the rows of each kind are partitioned, and how a partition is read.

Local generation reads the partitions in sequence, Spark in parallel; a new kind of job is a row of the table.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache
from itertools import groupby
from typing import NamedTuple

from dataflow_generator.build.coverage import Coverage
from dataflow_generator.build.graph_builder import Described
from dataflow_generator.graph import Certainty, present
from dataflow_generator.jobs.catalogs import link_jobs, other_names
from dataflow_generator.jobs.connect import (
    ReportedConnector,
    connect_jobs,
    connector_group,
    connector_node,
    report_connector,
)
from dataflow_generator.jobs.connect_columns import ColumnsByDataset, ConnectorSpec, KnownColumns, derive
from dataflow_generator.jobs.consumer_groups import GroupOwner, Query, group_jobs
from dataflow_generator.jobs.flink.ddl import declared_columns
from dataflow_generator.jobs.flink.resolve import FlinkContext
from dataflow_generator.jobs.flink.statements import flink_jobs, flink_owners
from dataflow_generator.jobs.ksqldb import Level, Reading, ksql_jobs, named_by, query_node
from dataflow_generator.jobs.model import ColumnFlow, ColumnRef, Dataset, JobFlows, Naming, Use, job_node
from dataflow_generator.jobs.openlineage import dataset_jobs, lineage_jobs
from dataflow_generator.jobs.streams import streams_jobs, streams_node
from scanner_dictionary.lineage_inputs import catalogs
from scanner_dictionary.lineage_inputs import events as lineage_input
from scanner_dictionary.lineage_inputs import jobs as flink
from scanner_dictionary.lineage_inputs import jobs as flow_input
from scanner_dictionary.lineage_inputs import jobs as streams
from scanner_dictionary.lineage_inputs import topics as graph_input
from scanner_dictionary.lineage_inputs.jobs import ClusterTopic, consumer_groups
from scanner_dictionary.lineage_inputs.topics import Connection
from scanner_dictionary.queries.connectors import connector_ids, connectors
from scanner_model.columns import Column, ColumnPath
from scanner_model.flink import FlinkStatement
from scanner_model.manual import FlowEnd, ManualFlow


def manual_jobs(flows: Iterable[tuple[str, ManualFlow]], naming: Naming) -> Iterator[JobFlows]:
    """Yield the jobs of *flows* (each with its cluster), ordered by cluster and name."""
    jobs: dict[tuple[str, str], list[ManualFlow]] = {}
    for cluster, flow in flows:
        name = flow.job or f"{flow.origin.name} -> {flow.target.name}"
        jobs.setdefault((cluster, name), []).append(flow)
    for cluster, name in sorted(jobs):
        yield _job(cluster, name, jobs[cluster, name], naming)


def _job(cluster: str, name: str, flows: list[ManualFlow], naming: Naming) -> JobFlows:
    columns = [(_column(cluster, flow.origin, naming), _column(cluster, flow.target, naming), flow) for flow in flows]
    descriptions = tuple(sorted({flow.description for flow in flows} - {""}))
    attributes = present(description="\n".join(descriptions), type="manual")
    return JobFlows(
        job=job_node(naming.clusters[cluster], name, attributes),
        certainty=Certainty.DECLARED,
        reads=_uses((origin.dataset, flow.evidence) for origin, _, flow in columns),
        writes=_uses((target.dataset, flow.evidence) for _, target, flow in columns),
        columns=tuple(
            ColumnFlow(origin, target, _type(origin, target), "", flow.evidence)
            for origin, target, flow in columns
            if origin.path is not None or target.path is not None
        ),
    )


def _column(cluster: str, end: FlowEnd, naming: Naming) -> ColumnRef:
    dataset = naming.dataset(end.namespace, end.name) if end.namespace else naming.topic(cluster, end.name)
    return ColumnRef(dataset, end.path)


def _type(origin: ColumnRef, target: ColumnRef) -> str:
    # An effect on a whole dataset cannot be DIRECT (OpenLineage, ColumnLineageDatasetFacet).
    return "INDIRECT" if origin.path is None or target.path is None else "DIRECT"


def _uses(pairs: Iterable[tuple[Dataset, str]]) -> tuple[Use, ...]:
    evidence: dict[Dataset, str] = {}
    for dataset, why in sorted(pairs):
        evidence.setdefault(dataset, why)
    return tuple(Use(dataset, why) for dataset, why in evidence.items())


Partition = tuple[int, ...]
"""The keys of rows that are read together; empty for a kind that is read as a whole."""

Columns = Callable[[Collection[ClusterTopic]], Mapping[ClusterTopic, tuple[Column, ...]]]
"""Return the current columns of topics; a topic without any is not listed."""

_AT_ONCE = 200


class LookupContext(NamedTuple):
    """What jobs are resolved against: dataset names, the sorted live topics of each cluster, the columns of topics.

    *derived* are the columns of undescribed datasets, derived through connectors.
    """

    naming: Naming
    topics: Callable[[], Mapping[str, tuple[str, ...]]]
    columns: Columns
    derived: Callable[[], ColumnsByDataset] = dict


class OpenEnds(NamedTuple):
    """Connectors with flows that have an undescribed end, and the known columns of the other ends."""

    connectors: tuple[ConnectorSpec, ...]
    known: ColumnsByDataset


class JobReading(NamedTuple):
    """A job, and what it adds to the coverage and problems of the graph."""

    flows: JobFlows
    coverage: Coverage = Coverage()


class JobKind(NamedTuple):
    """A kind of job: *partitions* lists what can be read independently, in order; *read* reads one partition."""

    partitions: Callable[[Connection], Iterable[Partition]]
    read: Callable[[Connection, Partition, LookupContext], Iterator[JobReading]]


def unpartitioned(_: Connection) -> Iterator[Partition]:
    """Yield the only partition of a kind that is small, or that cannot be split."""
    yield ()


def manual_readings(conn: Connection, _: Partition, context: LookupContext) -> Iterator[JobReading]:
    """Read manually declared flows."""
    return map(JobReading, manual_jobs(flow_input.manual_flows(conn), context.naming))


def ksql_parts(conn: Connection) -> Iterator[Partition]:
    """Partition the queries of each ksqlDB server; queries of two servers are never in one partition."""
    keys = sorted(flow_input.ksql_query_keys(conn))
    for _, server in groupby(keys, key=lambda key: key[:2]):
        yield from _chunked([key.id for key in server])


def ksql_readings(conn: Connection, part: Partition, context: LookupContext) -> Iterator[JobReading]:
    """Read queries of one ksqlDB server, with the collections that they may name."""
    queries = tuple(flow_input.ksql_queries(conn, part))
    servers = {(cluster, query.source) for cluster, query in queries}
    named = named_by(query for _, query in queries)
    collections = [row for server in sorted(servers) for row in flow_input.ksql_collections(conn, server, named)]
    fields = context.columns({(cluster, str(collection.topic)) for cluster, collection in collections})
    aggregates = {(at, str(server)): flow_input.ksql_aggregates(conn, (at, server)) for at, server in servers}
    return map(_counted, ksql_jobs(collections, queries, fields, context.naming, aggregates))


def connect_parts(conn: Connection) -> Iterator[Partition]:
    """Partition the connectors, in order."""
    return _chunked(connector_ids(conn))


def connect_readings(conn: Connection, part: Partition, context: LookupContext) -> Iterator[JobReading]:
    """Read connectors."""
    reported = reported_connectors(conn, part, context)
    available = KnownColumns(_columns_of(conn, reported, context), context.derived)
    for job in connect_jobs(reported, available):
        count = "unknown_connectors" if not job.known else "connector_columns" if job.whole else "connectors"
        yield JobReading(job.flows, Coverage(problems=job.problems, **{count: 1}))


def reported_connectors(conn: Connection, part: Partition, context: LookupContext) -> list[ReportedConnector]:
    """Read the configurations of some connectors."""
    return [report_connector(row, context.topics(), context.naming) for row in connectors(conn, keys=part)]


def group_readings(conn: Connection, _: Partition, context: LookupContext) -> Iterator[JobReading]:
    """Read consumer groups, with the jobs that read through them."""
    sinks = ((row, connector_group(row)) for row in connectors(conn))
    owners = [GroupOwner(row.cluster, group, connector_node(row).key) for row, group in sinks if group]
    queries = list(flow_input.ksql_queries(conn))
    owners += [
        GroupOwner(at, query.consumer_group, query_node(query).key) for at, query in queries if query.consumer_group
    ]
    owners += [GroupOwner(at, app.name, streams_node(at, app.name).key) for at, app in streams.topologies(conn)]
    for at, rows, flink_context in _flink_sources(conn, context):
        owners += flink_owners(at, rows, flink_context)
    named = [Query(at, query.name, query_node(query).key) for at, query in queries]
    return map(JobReading, group_jobs(consumer_groups(conn), owners, named, context.naming))


def open_ends(conn: Connection, part: Partition, context: LookupContext) -> OpenEnds:
    """Return the connectors that have flows with an undescribed end; few connectors have any."""
    reported = reported_connectors(conn, part, context)
    known = _columns_of(conn, reported, context)
    unresolved: list[ConnectorSpec] = []
    for connector in reported:
        ends = ((pair, known.get(pair[1]), known.get(pair[2])) for pair in connector.pairs if pair[1] and pair[2])
        if pairs := [pair for pair, source, target in ends if not (source and target)]:
            unresolved.append((connector.config, connector.flows, pairs))
    datasets = {end for _, _, pairs in unresolved for _, *ends in pairs for end in ends}
    return OpenEnds(tuple(unresolved), {end: paths for end, paths in known.items() if end in datasets})


def derived_columns(conn: Connection, open_ends: Iterable[OpenEnds], context: LookupContext) -> ColumnsByDataset:
    """Return the columns of undescribed datasets, derived from all connectors and from Flink DDL."""
    listed = list(open_ends)
    known = {end: paths for part in listed for end, paths in part.known.items()}
    specs = [spec for part in listed for spec in part.connectors]
    declared: dict[Dataset, dict[ColumnPath, None]] = {}
    for at, rows, flink_context in _flink_sources(conn, context) if specs else ():
        for dataset, paths in declared_columns(at, rows, flink_context).items():
            declared.setdefault(dataset, {}).update(dict.fromkeys(paths))
    return derive(specs, known, {dataset: tuple(paths) for dataset, paths in declared.items()})


def _columns_of(conn: Connection, reported: Iterable[ReportedConnector], context: LookupContext) -> ColumnsByDataset:
    """Read the columns of the topics and catalog tables that connectors read or write, each once."""
    named = {end for connector in reported for end in connector.ends}
    topics = _cluster_topics(named, context)
    of_topics = {topics[topic]: paths for topic, paths in flow_input.paths_of_topics(conn, topics.keys()).items()}
    return {**of_topics, **_tables_of(conn, named, context)}


def _cluster_topics(datasets: Iterable[Dataset], context: LookupContext) -> dict[ClusterTopic, Dataset]:
    """Return those of *datasets* that are topics of known clusters, by cluster and topic name."""
    clusters = {namespace: name for name, namespace in context.naming.clusters.items()}
    known = (dataset for dataset in datasets if dataset.namespace in clusters)
    return {(clusters[dataset.namespace], dataset.name): dataset for dataset in known}


def _tables_of(conn: Connection, named: Collection[Dataset], context: LookupContext) -> ColumnsByDataset:
    """Return the columns of those of the datasets that are catalog tables; usually there are none."""
    listed = catalogs.catalog_tables(conn, columns=False)
    if all(context.naming.dataset(*table.name) not in named for table in listed):
        return {}
    tables = ((context.naming.dataset(*table.name), table.columns) for table in catalogs.catalog_tables(conn))
    wanted = ((dataset, columns) for dataset, columns in tables if dataset in named and columns)
    return {dataset: tuple(column.path for column in columns) for dataset, columns in wanted}


def flink_parts(conn: Connection) -> Iterator[Partition]:
    """Partition the statements of each source; statements of two sources are never in one partition."""
    for _, source in groupby(flink.flink_keys(conn), key=lambda key: key[:2]):
        yield from _chunked([key.id for key in source])


def flink_readings(conn: Connection, part: Partition, context: LookupContext) -> Iterator[JobReading]:
    """Read statements of one Flink source, with all tables that the statements of the source declare."""
    cluster, source = flink.flink_source(conn, part[0])
    rows = list(flink.flink_statements(conn, cluster, source))
    wanted = [index for index, (key, _) in enumerate(rows) if key in part]
    return map(_counted, flink_jobs(cluster, [row for _, row in rows], wanted, _flink_context(conn, context)))


def _flink_sources(
    conn: Connection, context: LookupContext
) -> Iterator[tuple[str, list[FlinkStatement], FlinkContext]]:
    """Yield the cluster and the statements of each Flink source, with the context that they are resolved against."""
    flink_context = _flink_context(conn, context)
    for (cluster, source), _ in groupby(flink.flink_keys(conn), key=lambda key: key[:2]):
        yield cluster, [row for _, row in flink.flink_statements(conn, cluster, source)], flink_context


def _flink_context(conn: Connection, context: LookupContext) -> FlinkContext:
    names = flink.cluster_names(conn)
    return FlinkContext(naming=context.naming, names=names, topics=context.topics, columns=context.columns)


def streams_readings(conn: Connection, _: Partition, context: LookupContext) -> Iterator[JobReading]:
    """Read Kafka Streams topologies."""
    for reading in streams_jobs(streams.topologies(conn), context.topics, context.naming):
        yield JobReading(reading.flows, Coverage(problems=reading.problems))


def lineage_parts(conn: Connection) -> Iterator[Partition]:
    """Partition the jobs of OpenLineage events; the partition without keys is for datasets without a job."""
    yield ()
    yield from _chunked(lineage_input.lineage_job_ids(conn))


def lineage_readings(conn: Connection, part: Partition, _: LookupContext) -> Iterator[JobReading]:
    """Read jobs of events, over datasets as events name them; `merge_jobs` resolves these names afterwards."""
    if part:
        return map(JobReading, lineage_jobs(lineage_input.lineage_jobs(conn, part)))
    return map(JobReading, dataset_jobs(lineage_input.dataset_flows(conn)))


def catalog_readings(conn: Connection, _: Partition, context: LookupContext) -> Iterator[JobReading]:
    """Read the lineage that table catalogs report."""
    return map(JobReading, link_jobs(catalogs.catalog_links(conn), context.naming))


JOBS: Mapping[str, JobKind] = {
    "manual": JobKind(unpartitioned, manual_readings),
    "ksqldb": JobKind(ksql_parts, ksql_readings),
    "connect": JobKind(connect_parts, connect_readings),
    "flink": JobKind(flink_parts, flink_readings),
    "streams": JobKind(unpartitioned, streams_readings),
    "groups": JobKind(unpartitioned, group_readings),
    "catalog": JobKind(unpartitioned, catalog_readings),
    "openlineage": JobKind(lineage_parts, lineage_readings),
}
"""In the order of the graph's problems; of two jobs with one name the later one is kept."""


class PartitionResult(NamedTuple):
    """The jobs of one partition, and the topic columns that take part in their flows."""

    jobs: tuple[JobReading, ...]
    described: Described


def read_partition(conn: Connection, name: str, part: Partition, context: LookupContext) -> PartitionResult:
    """Read one partition of the kind *name*."""
    jobs = tuple(JOBS[name].read(conn, part, context))
    return PartitionResult(jobs, described((job.flows for job in jobs), context))


def job_partitions(conn: Connection) -> Iterator[tuple[str, Partition]]:
    """Yield every partition of every kind, in order."""
    return ((name, part) for name, kind in JOBS.items() for part in kind.partitions(conn))


def lookup_context(conn: Connection, columns: Columns | None = None) -> LookupContext:
    """Return the context of the jobs in the dictionary of *conn*; each part of it is read on first use."""
    # Reading the names of a hundred thousand topics takes a while: they are read once, and only if a job needs them.
    topics = cache(lambda: graph_input.topic_names(conn))
    read = columns or (lambda wanted: flow_input.columns_of_topics(conn, wanted))
    cached: list[ColumnsByDataset] = []

    def derived() -> ColumnsByDataset:
        if not cached:
            ends = [open_ends(conn, part, context) for part in connect_parts(conn)]
            cached.append(derived_columns(conn, ends, context))
        return cached[0]

    names = other_names(catalogs.catalog_tables(conn, columns=False), catalogs.materialized_topics(conn))
    context = LookupContext(Naming(graph_input.graph_clusters(conn), names), topics, read, derived)
    return context


def described(jobs: Iterable[JobFlows], context: LookupContext) -> Described:
    """Return the topic columns that take part in flows of *jobs*, by namespace and name of the topic."""
    clusters = {namespace: name for name, namespace in context.naming.clusters.items()}
    ends = {end for job in jobs for flow in job.columns for end in (flow.source, flow.target)}
    wanted: dict[ClusterTopic, set[tuple[str, ...]]] = {}
    for end in ends:
        cluster = clusters.get(end.dataset.namespace)
        if cluster is not None and end.path is not None:
            wanted.setdefault((cluster, end.dataset.name), set()).add(end.path)
    listed = sorted(wanted)
    columns_of: dict[tuple[str, str], tuple[Column, ...]] = {}
    for start in range(0, len(listed), _AT_ONCE):
        for (cluster, topic), columns in context.columns(listed[start : start + _AT_ONCE]).items():
            used = tuple(column for column in columns if column.path in wanted[cluster, topic])
            columns_of[context.naming.clusters[cluster], topic] = used
    return columns_of


def merged(parts: Iterable[Described]) -> Described:
    """Merge the columns that partitions found; a topic of several partitions has each column once."""
    columns_of: dict[tuple[str, str], dict[Column, None]] = {}
    for part in parts:
        for topic, columns in part.items():
            columns_of.setdefault(topic, {}).update(dict.fromkeys(columns))
    return {topic: tuple(columns) for topic, columns in columns_of.items()}


def _counted(reading: Reading) -> JobReading:
    columns, tables, unread = (reading.level is level for level in (Level.COLUMNS, Level.TABLES, Level.UNREAD))
    counted = Coverage(columns=int(columns), tables=int(tables), unread=int(unread), problems=reading.problems)
    return JobReading(reading.flows, counted)


def _chunked(keys: list[int]) -> Iterator[Partition]:
    return (tuple(keys[start : start + _AT_ONCE]) for start in range(0, len(keys), _AT_ONCE))
