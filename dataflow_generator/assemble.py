"""From a dictionary to its flow graph, in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from dataflow_generator import pieces
from dataflow_generator.coverage import Coverage
from dataflow_generator.flows.drawing import Flows, datasets_of, drawn
from dataflow_generator.flows.facts import JobFlows
from dataflow_generator.flows.joining import with_attributes
from dataflow_generator.graph import Edge, FlowGraph, Node
from dataflow_generator.jobs import Around, Part, PartReading, around_of, job_parts, merged, read_part
from dataflow_generator.joining import joined_jobs
from dataflow_generator.progress import JOBS, Told, counted, silent
from dataflow_generator.tabling import with_catalogs
from scanner_dictionary.queries import graph_input
from scanner_dictionary.queries.graph_input import Connection

ReadParts = Callable[[Sequence[tuple[str, Part]]], Iterable[PartReading]]
"""Read parts of kinds of jobs, each as `read_part` does, in the order given."""


def assemble(conn: Connection, flows: Flows) -> FlowGraph:
    """Give the graph of what the dictionary holds now; all but *flows* is read while it is iterated, over *conn*."""
    return FlowGraph(nodes=lambda: _nodes(conn, flows), edges=lambda: _edges(conn, flows), coverage=flows.coverage)


def read_flows(conn: Connection, read: ReadParts | None = None, told: Told = silent) -> Flows:
    """Return what jobs make of the estate's data; nodes that the estate has anyway are left out.

    *read* reads all parts of jobs, in their order; without it they are read here, and *told* is told how far.
    """
    around, parts = around_of(conn), list(job_parts(conn))
    here = (read_part(conn, *part, around) for part in counted(told, JOBS, parts, len(parts)))
    found = list(read(parts) if read else here)
    readings = [each for part in found for each in part.jobs]
    jobs, columns, unsure, attributes = joined_jobs(conn, [each.flows for each in readings], around)
    coverage = Coverage.total([*(each.coverage for each in readings), unsure])
    flows = drawn(jobs, _there(jobs, around), merged([*(part.described for part in found), columns]), coverage)
    return with_catalogs(conn, with_attributes(flows, attributes), around)


def estate_nodes(conn: Connection, flows: Flows) -> Iterator[Node]:
    """Make the nodes above the schemas: clusters, topics, and those of *flows*."""
    clusters = graph_input.graph_clusters(conn)
    known = pieces.namespaces(clusters)
    yield from map(pieces.cluster_node, clusters)
    yield from (pieces.topic_node(topic, known) for topic in graph_input.graph_topics(conn))
    yield from flows.nodes


def estate_edges(conn: Connection, flows: Flows) -> Iterator[Edge]:
    """Make the edges above the schemas: cluster to topic, topic to schema, and those of *flows*."""
    known = pieces.namespaces(graph_input.graph_clusters(conn))
    yield from (pieces.topic_edge(topic, known) for topic in graph_input.graph_topics(conn))
    yield from (pieces.link_edge(link, known) for link in graph_input.graph_links(conn))
    yield from flows.edges


def _there(jobs: Iterable[JobFlows], around: Around) -> frozenset[str]:
    """Give the keys of those of the jobs' topics that are live: the others are known from the flows alone."""
    wanted = {each.key for each in datasets_of(jobs)}
    clusters = around.naming.clusters
    live = (pieces.topic_key(clusters[cluster], name) for cluster, names in around.topics().items() for name in names)
    return frozenset(key for key in live if key in wanted)


def _nodes(conn: Connection, flows: Flows) -> Iterator[Node]:
    yield from estate_nodes(conn, flows)
    for definition in graph_input.all_definitions(conn):
        yield from pieces.definition_nodes(definition)


def _edges(conn: Connection, flows: Flows) -> Iterator[Edge]:
    yield from estate_edges(conn, flows)
    for definition in graph_input.all_definitions(conn):
        yield from pieces.definition_edges(definition)
