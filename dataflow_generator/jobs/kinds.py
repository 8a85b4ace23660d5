"""JOBS: the kinds of jobs that an estate has, in which parts the rows of each are read, and how a part is read.

Local generation reads the parts one after the other, Spark many at a time; a new kind of job is a row of the table.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache
from itertools import groupby
from typing import NamedTuple

from dataflow_generator.build.coverage import Coverage
from dataflow_generator.build.graph_builder import Described
from dataflow_generator.jobs.catalogs import link_jobs, other_names
from dataflow_generator.jobs.connect import (
    ReportedConnector,
    connect_jobs,
    connector_group,
    connector_node,
    report_connector,
)
from dataflow_generator.jobs.connect_columns import Known, Seen, Telling, derive
from dataflow_generator.jobs.consumer_groups import GroupOwner, Query, group_jobs
from dataflow_generator.jobs.dataset_naming import Naming
from dataflow_generator.jobs.flink.ddl import declared_columns
from dataflow_generator.jobs.flink.resolve import World
from dataflow_generator.jobs.flink.statements import flink_jobs, flink_owners
from dataflow_generator.jobs.ksqldb import Level, Reading, ksql_jobs, named_by, query_node
from dataflow_generator.jobs.manual import manual_jobs
from dataflow_generator.jobs.model import Dataset, JobFlows
from dataflow_generator.jobs.openlineage import dataset_jobs, lineage_jobs
from dataflow_generator.jobs.streams import streams_jobs, streams_node
from scanner_dictionary.lineage_inputs import catalogs, flink
from scanner_dictionary.lineage_inputs import events as lineage_input
from scanner_dictionary.lineage_inputs import jobs as flow_input
from scanner_dictionary.lineage_inputs import jobs as streams
from scanner_dictionary.lineage_inputs import topics as graph_input
from scanner_dictionary.lineage_inputs.jobs import ClusterTopic, consumer_groups
from scanner_dictionary.lineage_inputs.topics import Connection
from scanner_dictionary.queries.connectors import connector_ids, connectors
from scanner_model.column_path import ColumnPath
from scanner_model.columns import Column
from scanner_model.flink import FlinkStatement

Partition = tuple[int, ...]
"""The keys of rows that are read together; of a kind that is read whole, none."""

Columns = Callable[[Collection[ClusterTopic]], Mapping[ClusterTopic, tuple[Column, ...]]]
"""Give the columns that topics have now; a topic without any is not listed."""

_AT_ONCE = 200


class LookupContext(NamedTuple):
    """What a job may be read with: names of datasets, the live topics of each cluster in order, topics' columns.

    *derived* are the columns of datasets that nobody describes, as connectors tell them.
    """

    naming: Naming
    topics: Callable[[], Mapping[str, tuple[str, ...]]]
    columns: Columns
    derived: Callable[[], Known] = dict


class OpenEnds(NamedTuple):
    """Flows of connectors that have an end which nobody describes, and the columns that are known around them."""

    tellings: tuple[Telling, ...]
    known: Known


class InputsUsed(NamedTuple):
    """What a job was read from: a *row* (cluster, source, name), none where its kind is read whole, and what it led to.

    *topics* had their columns looked up; *dark* are datasets that nobody describes, looked up among what connectors
    derive; *starts* is what names of its cluster's live topics began with that were looked at (an empty text says that
    all were), and *told* hashes what came of that, where it can be told.
    """

    row: tuple[str, ...] = ()
    topics: frozenset[ClusterTopic] = frozenset()
    dark: frozenset[Dataset] = frozenset()
    starts: frozenset[str] = frozenset()
    told: str = ""


class JobReading(NamedTuple):
    """A job, and what reading it adds to the counts and problems of the graph."""

    flows: JobFlows
    coverage: Coverage = Coverage()
    made_of: InputsUsed = InputsUsed()


class JobKind(NamedTuple):
    """A kind of job: *parts* lists what can be read alone, in order; *read* reads one part and draws no edges."""

    parts: Callable[[Connection], Iterable[Partition]]
    read: Callable[[Connection, Partition, LookupContext], Iterator[JobReading]]


def whole(_: Connection) -> Iterator[Partition]:
    """Return the one part of a kind that is few, or that cannot be cut."""
    yield ()


def manual_readings(conn: Connection, _: Partition, around: LookupContext) -> Iterator[JobReading]:
    """Read the flows that people declared."""
    return map(JobReading, manual_jobs(flow_input.manual_flows(conn), around.naming))


def ksql_parts(conn: Connection) -> Iterator[Partition]:
    """Cut the queries of each ksqlDB server; the queries of two servers are not read together."""
    keys = sorted(flow_input.ksql_query_keys(conn))
    for _, server in groupby(keys, key=lambda key: key[:2]):
        yield from _cut([key.id for key in server])


def ksql_readings(conn: Connection, part: Partition, around: LookupContext) -> Iterator[JobReading]:
    """Read queries of one ksqlDB server with those of its collections that they may name."""
    queries = tuple(flow_input.ksql_queries(conn, part))
    servers = {(cluster, query.source) for cluster, query in queries}
    named = named_by(query for _, query in queries)
    collections = [found for server in sorted(servers) for found in flow_input.ksql_collections(conn, server, named)]
    fields = around.columns({(cluster, str(collection.topic)) for cluster, collection in collections})
    aggregates = {(at, str(server)): flow_input.ksql_aggregates(conn, (at, server)) for at, server in servers}
    return map(_counted, ksql_jobs(collections, queries, fields, around.naming, aggregates))


def connect_parts(conn: Connection) -> Iterator[Partition]:
    """Cut the connectors, in their order."""
    return _cut(connector_ids(conn))


def connect_readings(conn: Connection, part: Partition, around: LookupContext) -> Iterator[JobReading]:
    """Read connectors."""
    told = reported_connectors(conn, part, around)
    seen = Seen(_columns_of(conn, told, around), around.derived)
    for one, each in zip(told, connect_jobs(told, seen), strict=True):
        count = "unknown_connectors" if not each.known else "connector_columns" if each.whole else "connectors"
        row, topics = one.row[:3], frozenset(_cluster_topics(each.ends, around))
        made_of = InputsUsed(row, topics, each.dark, each.starts, one.digest if each.starts else "")
        yield JobReading(each.flows, Coverage(problems=each.problems, **{count: 1}), made_of)


def reported_connectors(conn: Connection, part: Partition, around: LookupContext) -> list[ReportedConnector]:
    """Return what the configurations of some connectors tell."""
    return [report_connector(row, around.topics(), around.naming) for row in connectors(conn, keys=part)]


def group_readings(conn: Connection, _: Partition, around: LookupContext) -> Iterator[JobReading]:
    """Read the consumer groups, with the jobs that read through them."""
    sinks = ((row, connector_group(row)) for row in connectors(conn))
    owners = [GroupOwner(row.cluster, group, connector_node(row).key) for row, group in sinks if group]
    queries = list(flow_input.ksql_queries(conn))
    owners += [GroupOwner(at, each.consumer_group, query_node(each).key) for at, each in queries if each.consumer_group]
    owners += [GroupOwner(at, each.name, streams_node(at, each.name).key) for at, each in streams.topologies(conn)]
    for at, rows, world in _flink_sources(conn, around):
        owners += flink_owners(at, rows, world)
    named = [Query(at, each.name, query_node(each).key) for at, each in queries]
    return map(JobReading, group_jobs(consumer_groups(conn), owners, named, around.naming))


def open_ends(conn: Connection, part: Partition, around: LookupContext) -> OpenEnds:
    """Return what of some connectors has an end that nobody describes; of nearly all connectors that is nothing."""
    told = reported_connectors(conn, part, around)
    known = _columns_of(conn, told, around)
    kept: list[Telling] = []
    for each in told:
        ends = ((pair, known.get(pair[1]), known.get(pair[2])) for pair in each.pairs if pair[1] and pair[2])
        if pairs := [pair for pair, source, target in ends if not (source and target)]:
            kept.append((each.config, each.flows, pairs))
    around_them = {end for _, _, pairs in kept for _, *ends in pairs for end in ends}
    return OpenEnds(tuple(kept), {end: paths for end, paths in known.items() if end in around_them})


def derived_columns(conn: Connection, found: Iterable[OpenEnds], around: LookupContext) -> Known:
    """Return the columns of datasets that nobody describes, as all connectors and Flink's DDL together make them."""
    listed = list(found)
    known = {end: paths for each in listed for end, paths in each.known.items()}
    tellings = [telling for each in listed for telling in each.tellings]
    told: dict[Dataset, dict[ColumnPath, None]] = {}
    for at, rows, world in _flink_sources(conn, around) if tellings else ():
        for dataset, paths in declared_columns(at, rows, world).items():
            told.setdefault(dataset, {}).update(dict.fromkeys(paths))
    return derive(tellings, known, {dataset: tuple(paths) for dataset, paths in told.items()})


def _columns_of(conn: Connection, told: Iterable[ReportedConnector], around: LookupContext) -> Known:
    """Read the columns of the topics and of the catalogs' tables that connectors move, of each once."""
    named = {end for each in told for end in each.ends}
    topics = _cluster_topics(named, around)
    found = {topics[topic]: paths for topic, paths in flow_input.paths_of_topics(conn, topics.keys()).items()}
    return {**found, **_tables_of(conn, named, around)}


def _cluster_topics(datasets: Iterable[Dataset], around: LookupContext) -> dict[ClusterTopic, Dataset]:
    """Return those of *datasets* that are of a known cluster, by its name and theirs."""
    clusters = {namespace: name for name, namespace in around.naming.clusters.items()}
    return {(clusters[each.namespace], each.name): each for each in datasets if each.namespace in clusters}


def _tables_of(conn: Connection, named: Collection[Dataset], around: LookupContext) -> Known:
    """Return the columns of those of the datasets that catalogs know as tables; mostly there are none."""
    listed = catalogs.catalog_tables(conn, columns=False)
    if all(around.naming.dataset(*table.name) not in named for table in listed):
        return {}
    tables = ((around.naming.dataset(*table.name), table.columns) for table in catalogs.catalog_tables(conn))
    return {one: tuple(each.path for each in columns) for one, columns in tables if one in named and columns}


def flink_parts(conn: Connection) -> Iterator[Partition]:
    """Cut the statements of each source; those of two sources are not read together."""
    for _, source in groupby(flink.flink_keys(conn), key=lambda key: key[:2]):
        yield from _cut([key.id for key in source])


def flink_readings(conn: Connection, part: Partition, around: LookupContext) -> Iterator[JobReading]:
    """Read statements of one source of Flink's, with all tables that the source's statements declare."""
    cluster, source = flink.flink_source(conn, part[0])
    rows = list(flink.flink_statements(conn, cluster, source))
    wanted = [place for place, (key, _) in enumerate(rows) if key in part]
    return map(_counted, flink_jobs(cluster, [row for _, row in rows], wanted, _world(conn, around)))


def _flink_sources(conn: Connection, around: LookupContext) -> Iterator[tuple[str, list[FlinkStatement], World]]:
    """Read each source of Flink's: its cluster and its statements, with what they are read with."""
    world = _world(conn, around)
    for (cluster, source), _ in groupby(flink.flink_keys(conn), key=lambda key: key[:2]):
        yield cluster, [row for _, row in flink.flink_statements(conn, cluster, source)], world


def _world(conn: Connection, around: LookupContext) -> World:
    names = flink.cluster_names(conn)
    return World(naming=around.naming, names=names, topics=around.topics, columns=around.columns)


def streams_readings(conn: Connection, _: Partition, around: LookupContext) -> Iterator[JobReading]:
    """Read the topologies of Kafka Streams."""
    for each in streams_jobs(streams.topologies(conn), around.topics, around.naming):
        yield JobReading(each.flows, Coverage(problems=each.problems))


def lineage_parts(conn: Connection) -> Iterator[Partition]:
    """Cut the jobs that OpenLineage events tell of; the part without keys is of datasets told of without a job."""
    yield ()
    yield from _cut(lineage_input.lineage_job_ids(conn))


def lineage_readings(conn: Connection, part: Partition, _: LookupContext) -> Iterator[JobReading]:
    """Read what events tell, of datasets as they name them: `joining` brings those together when all is read."""
    if part:
        return map(JobReading, lineage_jobs(lineage_input.lineage_jobs(conn, part)))
    return map(JobReading, dataset_jobs(lineage_input.dataset_flows(conn)))


def catalog_readings(conn: Connection, _: Partition, around: LookupContext) -> Iterator[JobReading]:
    """Read the flows that catalogs of tables tell."""
    return map(JobReading, link_jobs(catalogs.catalog_links(conn), around.naming))


JOBS: Mapping[str, JobKind] = {
    "manual": JobKind(whole, manual_readings),
    "ksqldb": JobKind(ksql_parts, ksql_readings),
    "connect": JobKind(connect_parts, connect_readings),
    "flink": JobKind(flink_parts, flink_readings),
    "streams": JobKind(whole, streams_readings),
    "groups": JobKind(whole, group_readings),
    "catalog": JobKind(whole, catalog_readings),
    "openlineage": JobKind(lineage_parts, lineage_readings),
}
"""The order is that of the graph's problems; of two jobs with one name the later is kept."""


class PartitionResult(NamedTuple):
    """The jobs of one part, and those columns of topics that take part in their flows."""

    jobs: tuple[JobReading, ...]
    described: Described


def read_partition(conn: Connection, name: str, part: Partition, around: LookupContext) -> PartitionResult:
    """Read one part of the kind *name*."""
    jobs = tuple(JOBS[name].read(conn, part, around))
    return PartitionResult(jobs, described((each.flows for each in jobs), around))


def job_partitions(conn: Connection) -> Iterator[tuple[str, Partition]]:
    """List every part of every kind, in order."""
    return ((name, part) for name, kind in JOBS.items() for part in kind.parts(conn))


def lookup_context(conn: Connection, columns: Columns | None = None) -> LookupContext:
    """Return what the dictionary behind *conn* knows around its jobs, read when it is asked for."""
    # Names of a hundred thousand topics take a while: they are read once, and only where a job needs them.
    topics = cache(lambda: graph_input.topic_names(conn))
    read = columns or (lambda wanted: flow_input.columns_of_topics(conn, wanted))
    told: list[Known] = []

    def derived() -> Known:
        if not told:
            ends = [open_ends(conn, part, around) for part in connect_parts(conn)]
            told.append(derived_columns(conn, ends, around))
        return told[0]

    names = other_names(catalogs.catalog_tables(conn, columns=False), catalogs.materialized_topics(conn))
    around = LookupContext(Naming(graph_input.graph_clusters(conn), names), topics, read, derived)
    return around


def described(jobs: Iterable[JobFlows], around: LookupContext) -> Described:
    """Return those columns of topics that take part in flows of *jobs*, by namespace and name."""
    clusters = {namespace: name for name, namespace in around.naming.clusters.items()}
    places = {place for each in jobs for flow in each.columns for place in (flow.source, flow.target)}
    wanted: dict[ClusterTopic, set[tuple[str, ...]]] = {}
    for place in places:
        cluster = clusters.get(place.dataset.namespace)
        if cluster is not None and place.path is not None:
            wanted.setdefault((cluster, place.dataset.name), set()).add(place.path)
    listed = sorted(wanted)
    found: dict[tuple[str, str], tuple[Column, ...]] = {}
    for start in range(0, len(listed), _AT_ONCE):
        for (cluster, topic), columns in around.columns(listed[start : start + _AT_ONCE]).items():
            kept = tuple(column for column in columns if column.path in wanted[cluster, topic])
            found[around.naming.clusters[cluster], topic] = kept
    return found


def merged(parts: Iterable[Described]) -> Described:
    """Put together what parts tell of topics; of a topic in several parts, each column once."""
    found: dict[tuple[str, str], dict[Column, None]] = {}
    for part in parts:
        for topic, columns in part.items():
            found.setdefault(topic, {}).update(dict.fromkeys(columns))
    return {topic: tuple(columns) for topic, columns in found.items()}


def _counted(each: Reading) -> JobReading:
    columns, tables, unread = (each.level is level for level in (Level.COLUMNS, Level.TABLES, Level.UNREAD))
    counted = Coverage(columns=int(columns), tables=int(tables), unread=int(unread), problems=each.problems)
    return JobReading(each.flows, counted, InputsUsed(each.row, each.topics))


def _cut(keys: list[int]) -> Iterator[Partition]:
    return (tuple(keys[start : start + _AT_ONCE]) for start in range(0, len(keys), _AT_ONCE))
