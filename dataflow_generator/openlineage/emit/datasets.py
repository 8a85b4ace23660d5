"""Datasets of a graph with the facets that describe them, from the graph and the dictionary."""

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
class DictionaryMetadata:
    """Descriptions that are not in the graph; *columns* reads the current columns of topics."""

    columns: Callable[[Collection[ClusterTopic]], Mapping[ClusterTopic, tuple[Column, ...]]]
    annotations: Mapping[ClusterTopic, CatalogAnnotations]
    names: Mapping[tuple[str, str], tuple[tuple[str, str], ...]]


def dictionary_metadata(conn: Connection) -> DictionaryMetadata:
    """Return the descriptions in the dictionary of *conn*."""
    return DictionaryMetadata(
        columns=lambda topics: flow_input.columns_of_topics(conn, topics),
        annotations=event_output.topic_annotations(conn),
        names=event_output.other_table_names(conn),
    )


class DescribedDatasets:
    """Describes the datasets of *jobs*, by node key."""

    def __init__(self, jobs: GraphJobs, metadata: DictionaryMetadata) -> None:
        self._jobs = jobs
        self._metadata = metadata

    def name(self, key: str) -> Name:
        """Return the namespace and the name of a dataset."""
        node = self._jobs.datasets[key]
        return Name(node.namespace, node.name)

    def described(self, keys: Collection[str]) -> Mapping[str, DatasetEntry]:
        """Describe datasets, in the order of *keys*."""
        topics = [topic for key in keys if (topic := self._topic(self._jobs.datasets[key]))]
        columns = self._metadata.columns(topics) if topics else {}
        return {key: self._described(key, columns) for key in keys}

    def _described(self, key: str, columns: Mapping[ClusterTopic, tuple[Column, ...]]) -> DatasetEntry:
        node = self._jobs.datasets[key]
        topic = self._topic(node)
        listed = (columns.get(topic) if topic else None) or columns_of_nodes(self._jobs.columns.get(key, ()))
        note = self._annotations(node, topic)
        facets: dict[str, Any] = {}
        if listed:
            facets["schema"] = schema_facet(listed)
        if kind := _kind(node):
            facets["datasetType"] = f.dataset_type(kind)
        if others := self._others(node):
            facets["symlinks"] = f.symlinks(others)
        if note.description:
            facets["documentation"] = f.documentation(note.description)
        if note.owner:
            facets["ownership"] = f.ownership(_owners(node) or (note.owner,))
        tags = f.tags(note.tags, field_tags(listed))
        if tags["tags"]:
            facets["tags"] = tags
        return DatasetEntry(namespace=node.namespace, name=node.name, facets=facets)

    def _topic(self, node: Node) -> ClusterTopic | None:
        cluster = self._jobs.clusters.get(node.namespace)
        return (cluster.name, node.name) if cluster and node.kind is NodeKind.TOPIC else None

    def _annotations(self, node: Node, topic: ClusterTopic | None) -> CatalogAnnotations:
        """Return the annotations of the graph merged with those of a stream catalog."""
        attributes: dict[str, Any] = dict(node.attributes)
        owner = next(iter(_owners(node)), "")
        note = self._metadata.annotations.get(topic, NOTHING) if topic else NOTHING
        merged = note.beside(attributes.get("tags", ()), attributes.get("description", ""))
        return merged._replace(owner=owner or merged.owner)

    def _others(self, node: Node) -> list[Name]:
        """Return other names: of a topic, those at other brokers; of a table, in its catalog or at its location."""
        cluster = self._jobs.clusters.get(node.namespace)
        if cluster and node.kind is NodeKind.TOPIC:
            brokers: Any = dict(cluster.attributes).get("brokers", ())
            spaces = (f"{KAFKA}{broker}" for broker in brokers)
            return [Name(space, node.name) for space in spaces if space != node.namespace]
        return [Name(*each) for each in self._metadata.names.get((node.namespace, node.name), ())]


def _owners(node: Node) -> tuple[str, ...]:
    attributes: dict[str, Any] = dict(node.attributes)
    return attributes.get("owners") or ((attributes["owner"],) if attributes.get("owner") else ())


def _kind(node: Node) -> str:
    """Return the dataset type in the specification's terms; empty where it is unknown."""
    attributes: dict[str, Any] = dict(node.attributes)
    word = str(attributes.get("dataset_type") or attributes.get("type") or "").upper()
    if word in _KINDS:
        return word
    if node.kind is NodeKind.TOPIC:
        return "TOPIC"
    if node.namespace.partition(":")[0] in _TABLES:
        return "TABLE"
    return "FILE" if is_file_like(node.namespace) else ""
