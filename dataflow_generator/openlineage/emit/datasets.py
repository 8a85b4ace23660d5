"""Datasets of a graph with the facets that describe them, from the graph and the dictionary."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from dataflow_generator.connectors.products import PRODUCTS
from dataflow_generator.graph import MASKED, Node, NodeKind
from dataflow_generator.openlineage.emit import run_events as f
from dataflow_generator.openlineage.emit.jobs import EmittedFlow, GraphJobs
from dataflow_generator.openlineage.emit.run_events import UNTYPED, DatasetEntry
from dataflow_generator.openlineage.names import KAFKA, Name, is_file_like
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.lineage_inputs import events as event_output
from scanner_dictionary.lineage_inputs import jobs as flow_input
from scanner_dictionary.lineage_inputs.jobs import ClusterTopic
from scanner_dictionary.queries.topics import NOTHING, CatalogAnnotations
from scanner_model.columns import Column, ColumnPath, path_name

Json = Any

_MESSAGE = "value"
"""The name of a message value without fields, as other producers use it."""


def field_name(path: ColumnPath) -> str:
    """Return the name of a column: its path with dots; fields of a message key begin with `@key`."""
    return path_name(path) or _MESSAGE


def schema_facet(columns: Iterable[Column]) -> Json:
    """Return the `schema` facet with fields nested as the columns are; of duplicate paths the first counts."""
    top: list[Json] = []
    by_path: dict[ColumnPath, Json] = {}
    for column in columns:
        if column.path in by_path:
            continue
        above = next((end for end in range(len(column.path) - 1, 0, -1) if column.path[:end] in by_path), 0)
        siblings = by_path[column.path[:above]].setdefault("fields", []) if above else top
        by_path[column.path] = _field(column, column.path[above:], len(siblings) + 1)
        siblings.append(by_path[column.path])
    return {"fields": top}


def _field(column: Column, path: ColumnPath, position: int) -> Json:
    type_ = column.logical_type or column.type or UNTYPED
    members = {"name": field_name(path), "type": type_, "description": column.doc}
    return {name: value for name, value in members.items() if value} | {"ordinal_position": position}


def field_tags(columns: Iterable[Column]) -> list[tuple[str, str]]:
    """Return the tags of columns, each with the name of its column."""
    return [(field_name(column.path), tag) for column in columns for tag in column.tags]


def columns_of_nodes(nodes: Iterable[Node]) -> tuple[Column, ...]:
    """Return the columns of graph nodes."""
    return tuple(_column(node) for node in nodes)


def _column(node: Node) -> Column:
    attributes: dict[str, Any] = dict(node.attributes)
    return Column(
        path=node.path or (),
        type=attributes.get("type", ""),
        logical_type=attributes.get("logical_type"),
        nullable=attributes.get("nullable", False),
        tags=attributes.get("tags", ()),
    )


def column_lineage(flows: Iterable[EmittedFlow], names: Callable[[str], Name]) -> Json | None:
    """Return the `columnLineage` facet of one output: the origins of its fields, and of the dataset as a whole.

    None where no flow starts at a column: this facet cannot express others (`lineage_facet` can).
    """
    fields: dict[str, dict[tuple[Name, str], list[Json]]] = {}
    dataset_origins: dict[tuple[Name, str], list[Json]] = {}
    for flow in sorted(set(flows), key=_order):
        if flow.source_path is not None:
            origins = (
                dataset_origins if flow.target_path is None else fields.setdefault(field_name(flow.target_path), {})
            )
            origin = names(flow.source), field_name(flow.source_path)
            origins.setdefault(origin, []).append(_transformation(flow))
    if not fields and not dataset_origins:
        return None
    listed = {name: {"inputFields": _origins(origins)} for name, origins in fields.items()}
    return {"fields": listed} | ({"dataset": _origins(dataset_origins)} if dataset_origins else {})


def lineage_facet(
    outputs: Mapping[str, list[EmittedFlow]], inputs: Iterable[str], names: Callable[[str], Name]
) -> Json:
    """Return the `lineage` facet of a job: for each output its inputs, and the origins of its fields."""
    listed = [_dataset_input(names(key)) for key in inputs]
    return {"entries": [_entry(names(key), flows, listed, names) for key, flows in outputs.items()]}


def _entry(target: Name, flows: Iterable[EmittedFlow], inputs: list[Json], names: Callable[[str], Name]) -> Json:
    fields: dict[str, list[Json]] = {}
    of_whole: list[Json] = []
    for flow in sorted(set(flows), key=_order):
        origin = _dataset_input(names(flow.source)) | {"transformations": [_transformation(flow)]}
        if flow.source_path is not None:
            origin["field"] = field_name(flow.source_path)
        if flow.target_path is None:
            of_whole.append(origin)
        else:
            fields.setdefault(field_name(flow.target_path), []).append(origin)
    listed = {name: {"inputs": origins} for name, origins in fields.items()}
    return _dataset_input(target) | {"inputs": [*inputs, *of_whole]} | ({"fields": listed} if listed else {})


def _dataset_input(name: Name) -> Json:
    return {"namespace": name.namespace, "name": name.name, "type": "DATASET"}


def _origins(inputs: Mapping[tuple[Name, str], list[Json]]) -> list[Json]:
    return [
        {"namespace": name.namespace, "name": name.name, "field": field, "transformations": how}
        for (name, field), how in inputs.items()
    ]


def _transformation(flow: EmittedFlow) -> Json:
    if flow.subtype == MASKED:
        return {"type": "DIRECT", "subtype": "TRANSFORMATION", "masking": True}
    return {"type": flow.type or "DIRECT"} | ({"subtype": flow.subtype} if flow.subtype else {})


def _order(flow: EmittedFlow) -> tuple[Any, ...]:
    return flow.target_path or (), flow.source, flow.source_path or (), flow.type, flow.subtype


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


class DatasetDescription(NamedTuple):
    """What is known of a dataset: its columns, a text, owners, and tags of the whole.

    *is_part*: the columns are only those that flows name.
    """

    columns: tuple[Column, ...]
    text: str
    owners: tuple[str, ...]
    tags: tuple[str, ...]
    is_part: bool


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
        return {key: self._entry(key, description) for key, description in self.descriptions(keys).items()}

    def descriptions(self, keys: Collection[str]) -> Mapping[str, DatasetDescription]:
        """Return what is known of datasets, in the order of *keys*."""
        topics = [topic for key in keys if (topic := self._topic(self._jobs.datasets[key]))]
        columns = self._metadata.columns(topics) if topics else {}
        return {key: self._description(key, columns) for key in keys}

    def _description(self, key: str, columns: Mapping[ClusterTopic, tuple[Column, ...]]) -> DatasetDescription:
        node = self._jobs.datasets[key]
        topic = self._topic(node)
        known = columns.get(topic, ()) if topic else ()
        listed = known or columns_of_nodes(self._jobs.columns.get(key, ()))
        note = self._annotations(node, topic)
        owners = (owners_of(node) or (note.owner,)) if note.owner else ()
        return DatasetDescription(listed, note.description, owners, note.tags, bool(listed) and not known)

    def _entry(self, key: str, description: DatasetDescription) -> DatasetEntry:
        node = self._jobs.datasets[key]
        facets: dict[str, Any] = {}
        if description.columns:
            facets["schema"] = schema_facet(description.columns)
        if kind := dataset_kind(node):
            facets["datasetType"] = f.dataset_type(kind)
        if others := self._others(node):
            facets["symlinks"] = f.symlinks(others)
        if description.text:
            facets["documentation"] = f.documentation(description.text)
        if description.owners:
            facets["ownership"] = f.ownership(description.owners)
        tags = f.tags(description.tags, field_tags(description.columns))
        if tags["tags"]:
            facets["tags"] = tags
        return DatasetEntry(namespace=node.namespace, name=node.name, facets=facets)

    def _topic(self, node: Node) -> ClusterTopic | None:
        cluster = self._jobs.clusters.get(node.namespace)
        return (cluster.name, node.name) if cluster and node.kind is NodeKind.TOPIC else None

    def _annotations(self, node: Node, topic: ClusterTopic | None) -> CatalogAnnotations:
        """Return the annotations of the graph merged with those of a stream catalog."""
        attributes: dict[str, Any] = dict(node.attributes)
        owner = next(iter(owners_of(node)), "")
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
        return [Name(*name) for name in self._metadata.names.get((node.namespace, node.name), ())]


def owners_of(node: Node) -> tuple[str, ...]:
    """Return the owners that the graph has of a dataset or job."""
    attributes: dict[str, Any] = dict(node.attributes)
    return attributes.get("owners") or ((attributes["owner"],) if attributes.get("owner") else ())


def dataset_kind(node: Node) -> str:
    """Return the dataset type in the specification's terms; empty where it is unknown."""
    attributes: dict[str, Any] = dict(node.attributes)
    word = str(attributes.get("dataset_type") or attributes.get("type") or "").upper()
    if word in _KINDS:
        return word
    if node.kind is NodeKind.TOPIC:
        return "TOPIC"
    if node.namespace.partition(":")[0] in PRODUCTS:
        return "TABLE"
    return "FILE" if is_file_like(node.namespace) else ""
