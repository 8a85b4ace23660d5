"""From a dictionary to its flow graph, in this process."""

from __future__ import annotations

from collections.abc import Iterator

from dataflow_generator import pieces
from dataflow_generator.graph import Edge, FlowGraph, Node
from scanner_dictionary.queries import graph_input
from scanner_dictionary.queries.graph_input import Connection


def assemble(conn: Connection) -> FlowGraph:
    """Give the graph of what the dictionary holds now; it is read while it is iterated, over *conn*."""
    return FlowGraph(nodes=lambda: _nodes(conn), edges=lambda: _edges(conn))


def estate_nodes(conn: Connection) -> Iterator[Node]:
    """Make the nodes above the schemas: clusters and topics."""
    clusters = graph_input.graph_clusters(conn)
    known = pieces.namespaces(clusters)
    yield from map(pieces.cluster_node, clusters)
    yield from (pieces.topic_node(topic, known) for topic in graph_input.graph_topics(conn))


def estate_edges(conn: Connection) -> Iterator[Edge]:
    """Make the edges above the schemas: cluster to topic, topic to schema."""
    known = pieces.namespaces(graph_input.graph_clusters(conn))
    yield from (pieces.topic_edge(topic, known) for topic in graph_input.graph_topics(conn))
    yield from (pieces.link_edge(link, known) for link in graph_input.graph_links(conn))


def _nodes(conn: Connection) -> Iterator[Node]:
    yield from estate_nodes(conn)
    for definition in graph_input.all_definitions(conn):
        yield from pieces.definition_nodes(definition)


def _edges(conn: Connection) -> Iterator[Edge]:
    yield from estate_edges(conn)
    for definition in graph_input.all_definitions(conn):
        yield from pieces.definition_edges(definition)
