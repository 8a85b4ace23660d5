"""Build the flow graph of a dictionary in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from dataflow_generator.build import schema_nodes
from dataflow_generator.build.coverage import Coverage
from dataflow_generator.build.graph_builder import Flows, build_flows, datasets_of
from dataflow_generator.build.progress import JOBS, ProgressCallback, counted, silent
from dataflow_generator.graph import Edge, FlowGraph, Node
from dataflow_generator.jobs.catalogs import materialized_topics, with_tables
from dataflow_generator.jobs.kinds import (
    LookupContext,
    Partition,
    PartitionResult,
    job_partitions,
    lookup_context,
    merged,
    read_partition,
)
from dataflow_generator.jobs.model import Dataset, JobFlows
from dataflow_generator.openlineage.identity.merge_jobs import merge_jobs, with_attributes
from scanner_dictionary.lineage_inputs import catalogs
from scanner_dictionary.lineage_inputs import topics as graph_input
from scanner_dictionary.lineage_inputs.catalogs import TableRow
from scanner_dictionary.lineage_inputs.topics import Connection
from scanner_model.columns import Column

ReadParts = Callable[[Sequence[tuple[str, Partition]]], Iterable[PartitionResult]]
"""Reads partitions of job kinds, each as `read_partition` does, in the order given."""


def build_graph(conn: Connection, flows: Flows) -> FlowGraph:
    """Return the graph of the current dictionary; all but *flows* is read from *conn* while it is iterated."""
    return FlowGraph(nodes=lambda: _nodes(conn, flows), edges=lambda: _edges(conn, flows), coverage=flows.coverage)


def read_flows(conn: Connection, read: ReadParts | None = None, report: ProgressCallback = silent) -> Flows:
    """Return what jobs make of the installation's data; nodes that the installation has anyway are left out.

    *read* reads all parts of jobs, in their order; without it they are read here, and *report* gets the progress.
    """
    context, parts = lookup_context(conn), list(job_partitions(conn))
    read_locally = (read_partition(conn, *part, context) for part in counted(report, JOBS, parts, len(parts)))
    results = list(read(parts) if read else read_locally)
    readings = [reading for part in results for reading in part.jobs]
    jobs, columns, unsure, attributes = merge_jobs(conn, [reading.flows for reading in readings], context)
    coverage = Coverage.total([*(reading.coverage for reading in readings), unsure])
    flows = build_flows(
        jobs, _live_topic_keys(jobs, context), merged([*(part.described for part in results), columns]), coverage
    )
    return with_catalogs(conn, with_attributes(flows, attributes), context)


def installation_nodes(conn: Connection, flows: Flows) -> Iterator[Node]:
    """Yield the nodes that are not part of schemas: clusters, topics, and those of *flows*."""
    clusters = graph_input.graph_clusters(conn)
    known = schema_nodes.namespaces(clusters)
    yield from map(schema_nodes.cluster_node, clusters)
    yield from (schema_nodes.topic_node(topic, known) for topic in graph_input.graph_topics(conn))
    yield from flows.nodes


def installation_edges(conn: Connection, flows: Flows) -> Iterator[Edge]:
    """Yield the edges that are not inside schemas: cluster to topic, topic to schema, and those of *flows*."""
    known = schema_nodes.namespaces(graph_input.graph_clusters(conn))
    yield from (schema_nodes.topic_edge(topic, known) for topic in graph_input.graph_topics(conn))
    yield from (schema_nodes.link_edge(link, known) for link in graph_input.graph_links(conn))
    yield from flows.edges


def _live_topic_keys(jobs: Iterable[JobFlows], context: LookupContext) -> frozenset[str]:
    """Return the node keys of the live topics among those of *jobs*; other topics are known from flows only."""
    wanted = {dataset.key for dataset in datasets_of(jobs)}
    clusters = context.naming.clusters
    live = (
        schema_nodes.topic_key(clusters[cluster], name) for cluster, names in context.topics().items() for name in names
    )
    return frozenset(key for key in live if key in wanted)


def _nodes(conn: Connection, flows: Flows) -> Iterator[Node]:
    yield from installation_nodes(conn, flows)
    for definition in graph_input.all_definitions(conn):
        yield from schema_nodes.definition_nodes(definition)


def _edges(conn: Connection, flows: Flows) -> Iterator[Edge]:
    yield from installation_edges(conn, flows)
    for definition in graph_input.all_definitions(conn):
        yield from schema_nodes.definition_edges(definition)


def with_catalogs(conn: Connection, flows: Flows, context: LookupContext) -> Flows:
    """Add catalog tables, and topics that services materialize as tables, to *flows*."""
    tables = _catalog_tables(conn, context)
    rows = list(catalogs.materialized_topics(conn))
    if not tables and not rows:
        return flows
    topics = context.columns({(row.cluster, row.topic) for row in rows})
    namespaces = {namespace: name for name, namespace in context.naming.clusters.items()}

    def fields(dataset: Dataset) -> tuple[Column, ...]:
        table = tables.get(dataset)
        return table.columns if table else topics.get((namespaces.get(dataset.namespace, ""), dataset.name), ())

    live = context.topics()
    namespaces_of = context.naming.clusters
    existing = {
        schema_nodes.topic_key(namespaces_of[cluster], name) for cluster, names in live.items() for name in names
    }
    return with_tables(flows, tables, list(materialized_topics(rows, context.naming, fields)), existing)


def _catalog_tables(conn: Connection, context: LookupContext) -> dict[Dataset, TableRow]:
    """Return catalog tables by their display dataset; of several, the one with the display name, else the first."""
    tables: dict[Dataset, TableRow] = {}
    for table in catalogs.catalog_tables(conn):
        dataset = context.naming.dataset(*table.name)
        if dataset not in tables or (dataset.namespace, dataset.name) == table.name:
            tables[dataset] = table
    return tables
