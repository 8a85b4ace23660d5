"""From a dictionary to its flow graph, in this process."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from dataflow_generator import pieces
from dataflow_generator.coverage import Coverage
from dataflow_generator.flows.connect import ConnectorReading, connect_jobs
from dataflow_generator.flows.drawing import Flows, datasets_of, drawn
from dataflow_generator.flows.facts import JobFlows
from dataflow_generator.flows.ksqldb import Level, Reading, ksql_jobs
from dataflow_generator.flows.manual import manual_jobs
from dataflow_generator.flows.naming import Naming
from dataflow_generator.graph import Edge, FlowGraph, Node
from scanner_dictionary.queries import flow_input, graph_input
from scanner_dictionary.queries.connectors import connectors as connector_rows
from scanner_dictionary.queries.graph_input import Connection


def assemble(conn: Connection, flows: Flows) -> FlowGraph:
    """Give the graph of what the dictionary holds now; all but *flows* is read while it is iterated, over *conn*."""
    return FlowGraph(nodes=lambda: _nodes(conn, flows), edges=lambda: _edges(conn, flows), coverage=flows.coverage)


def read_flows(conn: Connection) -> Flows:
    """Give what jobs make of the estate's data; nodes that the estate has anyway are left out."""
    naming = Naming(graph_input.graph_clusters(conn))
    collections = tuple(flow_input.ksql_collections(conn))
    manual = tuple(manual_jobs(flow_input.manual_flows(conn), naming))
    clusters = {namespace: name for name, namespace in naming.clusters.items()}
    topics = {(cluster, str(collection.topic)) for cluster, collection in collections}
    topics |= {(clusters[each.namespace], each.name) for each in datasets_of(manual) if each.namespace in clusters}
    columns = flow_input.columns_of_topics(conn, topics)
    readings = tuple(ksql_jobs(collections, flow_input.ksql_queries(conn), columns, naming))
    connectors = tuple(connect_jobs(connector_rows(conn), _topics(conn), naming))
    jobs: tuple[JobFlows, ...] = (*manual, *(each.flows for each in readings), *(each.flows for each in connectors))
    described = {(naming.clusters[cluster], topic): found for (cluster, topic), found in columns.items()}
    return drawn(jobs, _there(conn, jobs, naming), described, _coverage(readings, connectors))


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


def _there(conn: Connection, jobs: tuple[JobFlows, ...], naming: Naming) -> frozenset[str]:
    """Give the keys of those of the jobs' topics that are live: the others are known from the flows alone."""
    wanted = {each.key for each in datasets_of(jobs)}
    live = (pieces.topic_key(naming.clusters[each.cluster], each.name) for each in graph_input.graph_topics(conn))
    return frozenset(key for key in live if key in wanted)


def _topics(conn: Connection) -> dict[str, set[str]]:
    topics: dict[str, set[str]] = {}
    for topic in graph_input.graph_topics(conn):
        topics.setdefault(topic.cluster, set()).add(topic.name)
    return topics


def _coverage(readings: tuple[Reading, ...], connectors: tuple[ConnectorReading, ...]) -> Coverage:
    levels = [each.level for each in readings]
    told = (*(each.problems for each in readings), *(each.problems for each in connectors))
    problems = tuple(chain.from_iterable(told))
    columns, tables, unread = map(levels.count, (Level.COLUMNS, Level.TABLES, Level.UNREAD))
    known = sum(each.known for each in connectors)
    return Coverage(
        columns=columns,
        tables=tables,
        unread=unread,
        connectors=known,
        unknown_connectors=len(connectors) - known,
        problems=problems,
    )


def _nodes(conn: Connection, flows: Flows) -> Iterator[Node]:
    yield from estate_nodes(conn, flows)
    for definition in graph_input.all_definitions(conn):
        yield from pieces.definition_nodes(definition)


def _edges(conn: Connection, flows: Flows) -> Iterator[Edge]:
    yield from estate_edges(conn, flows)
    for definition in graph_input.all_definitions(conn):
        yield from pieces.definition_edges(definition)
