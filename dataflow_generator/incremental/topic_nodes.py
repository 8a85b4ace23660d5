"""Topics of clusters in a stored graph: those that came, went, or are described otherwise now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from dataflow_generator.build import schema_nodes
from dataflow_generator.build.schema_nodes import object_text
from dataflow_generator.build.store import edge_row
from dataflow_generator.graph import Edge, Node, NodeKind
from dataflow_generator.incremental.inputs import Estate
from dataflow_generator.incremental.keys import Section, edge_numbers, edge_span
from dataflow_generator.incremental.nodes import DATASETS, TOPICS, Upper, dataset_sort, topic_sorts
from dataflow_generator.jobs.kinds import LookupContext
from scanner_dictionary.graph import update as graph_changes
from scanner_dictionary.lineage_inputs import topics as graph_input
from scanner_dictionary.lineage_inputs.jobs import ClusterTopic


def change_topics(
    upper: Upper, estate: Estate, before: Mapping[ClusterTopic, str], schemas: Mapping[str, int], around: LookupContext
) -> frozenset[str]:
    """Bring topics from what they were *before* (hashes) to what they are; gives the keys of those that differ."""
    spaces = around.naming.clusters
    gone = [schema_nodes.topic_key(spaces[cluster], name) for cluster, name in before.keys() - estate.topics.keys()]
    changed = {
        schema_nodes.topic_key(spaces[topic[0]], topic[1]): state.id
        for topic, state in estate.topics.items()
        if before.get(topic) != state.digest
    }
    _unlink(upper, [*gone, *changed])
    _leave(upper, sorted(gone))
    nodes = {node.key: node for node in _nodes(upper, list(changed.values()), spaces)}
    sorts = topic_sorts(schema_nodes.topic_key(spaces[cluster], name) for cluster, name in estate.topics)
    known = {schema_nodes.topic_key(spaces[cluster], name) for cluster, name in before}
    _come(upper, {sorts[key]: nodes[key] for key in sorted(changed.keys() - known)})
    graph_changes.describe_nodes(
        upper.conn, {upper.number(key): object_text(node.attributes) for key, node in nodes.items()}
    )
    _link(upper, list(changed.values()), spaces, schemas)
    return frozenset((*gone, *changed))


def _unlink(upper: Upper, keys: Iterable[str]) -> None:
    """Take away the edges to topics from their clusters, and from topics to schemas."""
    numbers = [upper.nodes[key].id for key in sorted(keys) if key in upper.nodes]
    spans = [edge_span(section, number) for number in numbers for section in (Section.TOPICS, Section.SCHEMAS)]
    graph_changes.delete_spans(upper.conn, spans)


def _leave(upper: Upper, keys: Sequence[str]) -> None:
    """Keep topics that are no more where a job still names them, as any other dataset."""
    numbers = {upper.number(key): key for key in keys}
    used = graph_changes.with_edges(upper.conn, numbers)
    upper.remove(key for number, key in numbers.items() if number not in used)
    for number in sorted(used):
        known = upper.nodes[numbers[number]]
        node = Node(known.node_key, NodeKind.TOPIC, known.namespace, known.name)
        upper.touched.add(upper.move(DATASETS, dataset_sort(node), node))


def _come(upper: Upper, nodes: Mapping[tuple[int, int], Node]) -> None:
    """Add topics; those that a job named before are there, as any other dataset."""
    named = {sort: node for sort, node in nodes.items() if node.key in upper.nodes}
    upper.place(TOPICS, {sort: node for sort, node in nodes.items() if sort not in named})
    for sort, node in named.items():
        upper.move(TOPICS, sort, node)


def _nodes(upper: Upper, ids: Sequence[int], spaces: Mapping[str, str]) -> list[Node]:
    return [schema_nodes.topic_node(topic, spaces) for topic in graph_input.graph_topics(upper.conn, ids)]


def _link(upper: Upper, ids: Sequence[int], spaces: Mapping[str, str], schemas: Mapping[str, int]) -> None:
    edges: dict[str, list[Edge]] = {}
    for topic in graph_input.graph_topics(upper.conn, ids):
        edge = schema_nodes.topic_edge(topic, spaces)
        edges[edge.target] = [edge]
    for link in graph_input.graph_links(upper.conn, ids):
        edge = schema_nodes.link_edge(link, spaces)
        edges[edge.source].append(edge)
    listed = [edge for found in edges.values() for edge in found]
    keys = {**schemas, **upper.numbers(listed)}
    graph_changes.add_rows(
        upper.conn, edges=[edge_row(number, edge, keys) for number, edge in edge_numbers(listed, keys, ())]
    )
