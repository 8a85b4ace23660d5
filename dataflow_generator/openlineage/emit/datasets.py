"""Datasets of a graph with the facets that describe them: from the graph, and from the dictionary's rows of topics."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from dataflow_generator.graph import Node, NodeKind
from dataflow_generator.openlineage.emit import facets as f
from dataflow_generator.openlineage.emit.column_lineage import columns_of_nodes, field_tags, schema_facet
from dataflow_generator.openlineage.emit.graph_jobs import GraphJobs
from dataflow_generator.openlineage.emit.run_events import DatasetEntry
from dataflow_generator.openlineage.identity.names import KAFKA, Name, is_file_like
from scanner_dictionary.lineage_inputs import events as event_output
from scanner_dictionary.lineage_inputs import jobs as flow_input
from scanner_dictionary.lineage_inputs.jobs import ClusterTopic
from scanner_dictionary.lineage_inputs.topics import Connection
from scanner_dictionary.queries.catalog_tags import NOTHING, CatalogAnnotations
from scanner_model.columns import Column

_TABLES = frozenset(
    [
        "bigquery",
        "cassandra",
        "clickhouse",
        "crate",
        "db2",
        "hive",
        "mysql",
        "oceanbase",
        "oracle",
        "postgres",
        "redshift",
        "snowflake",
        "spanner",
        "sqlserver",
        "teradata",
        "trino",
        "unitycatalog",
    ]
)
"""Schemes of stores whose datasets are tables."""
_KINDS = frozenset({"TABLE", "VIEW", "FILE", "TOPIC", "STREAM", "MODEL", "JOB_OUTPUT"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What the dictionary tells beside the graph; *columns* reads those that topics have now."""

    columns: Callable[[Collection[ClusterTopic]], Mapping[ClusterTopic, tuple[Column, ...]]]
    written: Mapping[ClusterTopic, CatalogAnnotations]
    names: Mapping[tuple[str, str], tuple[tuple[str, str], ...]]


def known_by(conn: Connection) -> Known:
    """Return what the dictionary behind *conn* knows."""
    return Known(
        columns=lambda topics: flow_input.columns_of_topics(conn, topics),
        written=event_output.topic_annotations(conn),
        names=event_output.other_table_names(conn),
    )


class DescribedDatasets:
    """The datasets of *told*, by their nodes' keys."""

    def __init__(self, told: GraphJobs, known: Known) -> None:
        self._told = told
        self._known = known

    def name(self, key: str) -> Name:
        """Return the namespace and the name of a dataset."""
        node = self._told.datasets[key]
        return Name(node.namespace, node.name)

    def described(self, keys: Collection[str]) -> Mapping[str, DatasetEntry]:
        """Describe datasets, in the order of *keys*."""
        topics = [topic for key in keys if (topic := self._topic(self._told.datasets[key]))]
        columns = self._known.columns(topics) if topics else {}
        return {key: self._described(key, columns) for key in keys}

    def _described(self, key: str, columns: Mapping[ClusterTopic, tuple[Column, ...]]) -> DatasetEntry:
        node = self._told.datasets[key]
        topic = self._topic(node)
        found = (columns.get(topic) if topic else None) or columns_of_nodes(self._told.columns.get(key, ()))
        note = self._written(node, topic)
        told: dict[str, Any] = {}
        if found:
            told["schema"] = schema_facet(found)
        if kind := _kind(node):
            told["datasetType"] = f.dataset_type(kind)
        if others := self._others(node):
            told["symlinks"] = f.symlinks(others)
        if note.description:
            told["documentation"] = f.documentation(note.description)
        if note.owner:
            told["ownership"] = f.ownership(_owners(node) or (note.owner,))
        tags = f.tags(note.tags, field_tags(found))
        if tags["tags"]:
            told["tags"] = tags
        return DatasetEntry(namespace=node.namespace, name=node.name, facets=told)

    def _topic(self, node: Node) -> ClusterTopic | None:
        cluster = self._told.clusters.get(node.namespace)
        return (cluster.name, node.name) if cluster and node.kind is NodeKind.TOPIC else None

    def _written(self, node: Node, topic: ClusterTopic | None) -> CatalogAnnotations:
        """Put together what the graph and what a stream catalog tell."""
        told: dict[str, Any] = dict(node.attributes)
        owner = next(iter(_owners(node)), "")
        note = self._known.written.get(topic, NOTHING) if topic else NOTHING
        found = note.beside(told.get("tags", ()), told.get("description", ""))
        return found._replace(owner=owner or found.owner)

    def _others(self, node: Node) -> list[Name]:
        """List other names: a topic's at the other brokers, a table's in its catalog or at its location."""
        cluster = self._told.clusters.get(node.namespace)
        if cluster and node.kind is NodeKind.TOPIC:
            brokers: Any = dict(cluster.attributes).get("brokers", ())
            spaces = (f"{KAFKA}{broker}" for broker in brokers)
            return [Name(space, node.name) for space in spaces if space != node.namespace]
        return [Name(*each) for each in self._known.names.get((node.namespace, node.name), ())]


def _owners(node: Node) -> tuple[str, ...]:
    told: dict[str, Any] = dict(node.attributes)
    return told.get("owners") or ((told["owner"],) if told.get("owner") else ())


def _kind(node: Node) -> str:
    """Report what a dataset is, in the specification's word; empty where that is not known."""
    told: dict[str, Any] = dict(node.attributes)
    word = str(told.get("dataset_type") or told.get("type") or "").upper()
    if word in _KINDS:
        return word
    if node.kind is NodeKind.TOPIC:
        return "TOPIC"
    if node.namespace.partition(":")[0] in _TABLES:
        return "TABLE"
    return "FILE" if is_file_like(node.namespace) else ""
