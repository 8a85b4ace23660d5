"""Build the flow graph of a dictionary in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from dataflow_generator.build import schema_nodes
from dataflow_generator.build.coverage import JOBS, Coverage, ProgressCallback, counted, silent
from dataflow_generator.build.graph_builder import Flows, build_flows, datasets_of, merged_columns
from dataflow_generator.build.owners import with_owners
from dataflow_generator.build.snapshot import Snapshot
from dataflow_generator.graph import Edge, FlowGraph, Node
from dataflow_generator.jobs.applications import with_observed_uses
from dataflow_generator.jobs.catalogs import materialized_topics, with_tables
from dataflow_generator.jobs.databases.misfits import column_misfits
from dataflow_generator.jobs.field_matching import with_written_names
from dataflow_generator.jobs.kinds import (
    LookupContext,
    Partition,
    PartitionResult,
    job_partitions,
    lookup_context,
    read_partition,
)
from dataflow_generator.jobs.model import GraphDataset, JobFlows
from dataflow_generator.openlineage.merge_jobs import merge_jobs, with_attributes
from scanner_dictionary.lineage_inputs.catalogs import TableRow
from scanner_model.columns import Column

ReadParts = Callable[[Sequence[Partition], LookupContext], Iterable[PartitionResult]]
"""Reads partitions of job kinds, each as `read_partition` does, in the order given."""


def build_graph(snapshot: Snapshot, flows: Flows) -> FlowGraph:
    """Return the graph of *snapshot* with *flows*; the columns of schemas are read while it is iterated."""
    return FlowGraph(
        nodes=lambda: _nodes(snapshot, flows), edges=lambda: _edges(snapshot, flows), coverage=flows.coverage
    )


def read_flows(snapshot: Snapshot, read: ReadParts | None = None, report: ProgressCallback = silent) -> Flows:
    """Return the nodes and edges that jobs add to the clusters, topics and schemas of *snapshot*.

    *read* reads all partitions of jobs, in their order; without it they are read here, with progress to *report*.
    """
    context, parts = lookup_context(snapshot), list(job_partitions(snapshot))
    if read:
        results = list(read(parts, context))
    else:
        results = [read_partition(part, context) for part in counted(report, JOBS, parts, len(parts))]
    readings = [reading for result in results for reading in result.jobs]
    listed = with_observed_uses([reading.flows for reading in readings], snapshot.observed, context.naming)
    jobs, columns, uncertain, attributes = merge_jobs(snapshot, listed, context)
    described = merged_columns([*(result.described for result in results), columns])
    jobs = with_written_names(jobs, described)
    misfits = Coverage(misfits=column_misfits(jobs, context.databases, described))
    coverage = Coverage.total([*(reading.coverage for reading in readings), uncertain, misfits])
    flows = build_flows(jobs, _live_topic_keys(jobs, context), described, coverage)
    complete = with_catalogs(snapshot, with_attributes(flows, attributes), context)
    return with_owners(complete, snapshot.owners, context.naming)


def installation_nodes(snapshot: Snapshot, flows: Flows) -> Iterator[Node]:
    """Yield the nodes that are not part of schemas: clusters, topics, and those of *flows*."""
    known = schema_nodes.namespaces(snapshot.clusters)
    yield from map(schema_nodes.cluster_node, snapshot.clusters)
    yield from (schema_nodes.topic_node(cluster, topic, known) for cluster, topic in snapshot.topics)
    yield from flows.nodes


def installation_edges(snapshot: Snapshot, flows: Flows) -> Iterator[Edge]:
    """Yield the edges that are not inside schemas: cluster to topic, topic to schema, and those of *flows*."""
    known = schema_nodes.namespaces(snapshot.clusters)
    yield from (schema_nodes.topic_edge(cluster, topic, known) for cluster, topic in snapshot.topics)
    yield from (schema_nodes.link_edge(link, known) for link in snapshot.schema_links)
    yield from flows.edges


def _live_topic_keys(jobs: Iterable[JobFlows], context: LookupContext) -> frozenset[str]:
    """Return the node keys of the live topics among those of *jobs*; other topics are known from flows only."""
    dataset_keys = {dataset.key for dataset in datasets_of(jobs)}
    clusters = context.naming.clusters
    live = (
        schema_nodes.topic_key(clusters[cluster], name) for cluster, names in context.topics.items() for name in names
    )
    return frozenset(key for key in live if key in dataset_keys)


def _nodes(snapshot: Snapshot, flows: Flows) -> Iterator[Node]:
    yield from installation_nodes(snapshot, flows)
    for definition in snapshot.definitions():
        yield from schema_nodes.definition_nodes(definition)


def _edges(snapshot: Snapshot, flows: Flows) -> Iterator[Edge]:
    yield from installation_edges(snapshot, flows)
    for definition in snapshot.definitions():
        yield from schema_nodes.definition_edges(definition)


def with_catalogs(snapshot: Snapshot, flows: Flows, context: LookupContext) -> Flows:
    """Add catalog tables, and topics that services materialize as tables, to *flows*."""
    tables, rows = _catalog_tables(snapshot, context), snapshot.materialized
    if not tables and not rows:
        return flows
    topics = context.columns.full({(cluster, row.topic) for cluster, row in rows})
    namespaces = {namespace: name for name, namespace in context.naming.clusters.items()}

    def fields(dataset: GraphDataset) -> tuple[Column, ...]:
        table = tables.get(dataset)
        return table.columns if table else topics.get((namespaces.get(dataset.namespace, ""), dataset.name), ())

    live = context.topics
    namespaces_of = context.naming.clusters
    existing = {
        schema_nodes.topic_key(namespaces_of[cluster], name) for cluster, names in live.items() for name in names
    }
    return with_tables(flows, tables, list(materialized_topics(rows, context.naming, fields)), existing)


def _catalog_tables(snapshot: Snapshot, context: LookupContext) -> dict[GraphDataset, TableRow]:
    """Return catalog tables by their display dataset; of several, the one with the display name, else the first."""
    tables: dict[GraphDataset, TableRow] = {}
    for table in snapshot.tables:
        dataset = context.naming.dataset(*table.dataset)
        if dataset not in tables or (dataset.namespace, dataset.name) == table.dataset:
            tables[dataset] = table
    return tables
