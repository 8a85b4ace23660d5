"""From a dictionary to its flow graph, in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from dataflow_generator.build import schema_nodes
from dataflow_generator.build.catalog_tables import with_catalogs
from dataflow_generator.build.coverage import Coverage
from dataflow_generator.build.graph_builder import Flows, build_flows, datasets_of
from dataflow_generator.build.progress import JOBS, ProgressCallback, counted, silent
from dataflow_generator.graph import Edge, FlowGraph, Node
from dataflow_generator.jobs.kinds import (
    LookupContext,
    Partition,
    PartitionResult,
    job_partitions,
    lookup_context,
    merged,
    read_partition,
)
from dataflow_generator.jobs.model import JobFlows
from dataflow_generator.openlineage.identity.merge_jobs import merge_jobs, with_attributes
from scanner_dictionary.lineage_inputs import topics as graph_input
from scanner_dictionary.lineage_inputs.topics import Connection

ReadParts = Callable[[Sequence[tuple[str, Partition]]], Iterable[PartitionResult]]
"""Read parts of kinds of jobs, each as `read_part` does, in the order given."""


def build_graph(conn: Connection, flows: Flows) -> FlowGraph:
    """Return the graph of what the dictionary holds now; all but *flows* is read while it is iterated, over *conn*."""
    return FlowGraph(nodes=lambda: _nodes(conn, flows), edges=lambda: _edges(conn, flows), coverage=flows.coverage)


def read_flows(conn: Connection, read: ReadParts | None = None, told: ProgressCallback = silent) -> Flows:
    """Return what jobs make of the estate's data; nodes that the estate has anyway are left out.

    *read* reads all parts of jobs, in their order; without it they are read here, and *told* is told how far.
    """
    around, parts = lookup_context(conn), list(job_partitions(conn))
    here = (read_partition(conn, *part, around) for part in counted(told, JOBS, parts, len(parts)))
    found = list(read(parts) if read else here)
    readings = [each for part in found for each in part.jobs]
    jobs, columns, unsure, attributes = merge_jobs(conn, [each.flows for each in readings], around)
    coverage = Coverage.total([*(each.coverage for each in readings), unsure])
    flows = build_flows(jobs, _there(jobs, around), merged([*(part.described for part in found), columns]), coverage)
    return with_catalogs(conn, with_attributes(flows, attributes), around)


def estate_nodes(conn: Connection, flows: Flows) -> Iterator[Node]:
    """Build the nodes above the schemas: clusters, topics, and those of *flows*."""
    clusters = graph_input.graph_clusters(conn)
    known = schema_nodes.namespaces(clusters)
    yield from map(schema_nodes.cluster_node, clusters)
    yield from (schema_nodes.topic_node(topic, known) for topic in graph_input.graph_topics(conn))
    yield from flows.nodes


def estate_edges(conn: Connection, flows: Flows) -> Iterator[Edge]:
    """Build the edges above the schemas: cluster to topic, topic to schema, and those of *flows*."""
    known = schema_nodes.namespaces(graph_input.graph_clusters(conn))
    yield from (schema_nodes.topic_edge(topic, known) for topic in graph_input.graph_topics(conn))
    yield from (schema_nodes.link_edge(link, known) for link in graph_input.graph_links(conn))
    yield from flows.edges


def _there(jobs: Iterable[JobFlows], around: LookupContext) -> frozenset[str]:
    """Return the keys of those of the jobs' topics that are live: the others are known from the flows alone."""
    wanted = {each.key for each in datasets_of(jobs)}
    clusters = around.naming.clusters
    live = (
        schema_nodes.topic_key(clusters[cluster], name) for cluster, names in around.topics().items() for name in names
    )
    return frozenset(key for key in live if key in wanted)


def _nodes(conn: Connection, flows: Flows) -> Iterator[Node]:
    yield from estate_nodes(conn, flows)
    for definition in graph_input.all_definitions(conn):
        yield from schema_nodes.definition_nodes(definition)


def _edges(conn: Connection, flows: Flows) -> Iterator[Edge]:
    yield from estate_edges(conn, flows)
    for definition in graph_input.all_definitions(conn):
        yield from schema_nodes.definition_edges(definition)
