"""Clusters and topics of a graph in Parquet files: the rows of topics that changed are made again, the others kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dataflow_generator.build import schema_nodes
from dataflow_generator.graph import Edge, EdgeKind, NodeKind
from dataflow_generator.incremental.inputs import Estate
from dataflow_generator.incremental.keys import Unrenewable
from dataflow_generator.parquet.job_tables import JobTables, Table, merged, numbered, place_of
from dataflow_generator.parquet.schema import ESTATE, edge_rows, node_rows
from scanner_dictionary.lineage_inputs import topics as graph_input
from scanner_dictionary.lineage_inputs.jobs import ClusterTopic
from scanner_dictionary.lineage_inputs.topics import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Topics:
    """Live topics by the keys of their nodes, in order, and those that differ from the graph *before*, by key.

    *gone* are the keys of those that are no more.
    """

    places: Mapping[str, int]
    changed: Mapping[str, ClusterTopic]
    gone: Mapping[str, ClusterTopic]
    spaces: Mapping[str, str] = field(repr=False)

    @property
    def differing(self) -> Mapping[str, ClusterTopic]:
        """Return those that changed, came or went."""
        return {**self.gone, **self.changed}


def topics_now(estate: Estate, before: Mapping[ClusterTopic, str], spaces: Mapping[str, str]) -> Topics:
    """Compare the topics of *estate* with their hashes *before*; *spaces* are the clusters' namespaces.

    Raises Unrenewable where two topics have one node.
    """
    keys = {topic: schema_nodes.topic_key(spaces[topic[0]], topic[1]) for topic in estate.topics}
    places = {key: at for at, key in enumerate(keys.values())}
    if len(places) < len(keys):
        raise Unrenewable
    gone = {
        schema_nodes.topic_key(spaces[cluster], name): (cluster, name) for cluster, name in before.keys() - keys.keys()
    }
    changed = {keys[topic]: topic for topic, state in estate.topics.items() if before.get(topic) != state.digest}
    return Topics(places=places, changed=changed, gone=gone, spaces=spaces)


def renewed_estate(conn: Connection, old: JobTables, estate: Estate, topics: Topics) -> tuple[Table, Table]:
    """Return the nodes and the edges of clusters and topics as they are now."""
    ids = [estate.topics[topic].id for topic in topics.changed.values()]
    nodes = [schema_nodes.topic_node(topic, topics.spaces) for topic in graph_input.graph_topics(conn, ids)]
    contains = [schema_nodes.topic_edge(topic, topics.spaces) for topic in graph_input.graph_topics(conn, ids)]
    links = [schema_nodes.link_edge(link, topics.spaces) for link in graph_input.graph_links(conn, ids)]
    new = node_rows(nodes, ESTATE, range(len(nodes)))
    rows = _merged(old.node_rows(ESTATE, NodeKind.TOPIC), "node_key", topics, new, [node.key for node in nodes])
    edges = [
        _edges(old, EdgeKind.CONTAINS, "target", topics, contains),
        _edges(old, EdgeKind.HAS_SCHEMA, "source", topics, links),
    ]
    return numbered([old.node_rows(ESTATE, NodeKind.CLUSTER), rows], ESTATE), numbered(edges, ESTATE)


def _edges(old: JobTables, kind: EdgeKind, owner: str, topics: Topics, edges: Sequence[Edge]) -> Table:
    new = edge_rows(edges, ESTATE, range(len(edges)))
    return _merged(old.edge_rows(ESTATE, kind), owner, topics, new, new.column(owner).to_pylist())


def _merged(kept: Table, owner: str, topics: Topics, new: Any, owners: Sequence[str]) -> Table:  # noqa: ANN401
    import pyarrow as pa

    at = place_of(kept[owner], list(topics.places), topics.changed)
    return merged(kept, at, pa.Table.from_batches([new]), [topics.places[key] for key in owners])
