"""Facets of columns: `schema` with nested fields, `columnLineage`, and the newer `lineage`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from dataflow_generator.graph import Node
from dataflow_generator.openlineage.emit.facets import UNTYPED
from dataflow_generator.openlineage.emit.graph_jobs import Flow
from dataflow_generator.openlineage.identity.names import Name
from scanner_model.column_path import ColumnPath, path_name
from scanner_model.columns import Column

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


def column_lineage(flows: Iterable[Flow], names: Callable[[str], Name]) -> Json | None:
    """Return the `columnLineage` facet of one output: the origins of its fields, and of the dataset as a whole.

    None where no flow starts at a column: this facet cannot express others (`lineage_facet` can).
    """
    fields: dict[str, dict[tuple[Name, str], list[Json]]] = {}
    whole: dict[tuple[Name, str], list[Json]] = {}
    for flow in sorted(set(flows), key=_order):
        if flow.source_path is not None:
            origins = whole if flow.target_path is None else fields.setdefault(field_name(flow.target_path), {})
            origin = names(flow.source), field_name(flow.source_path)
            origins.setdefault(origin, []).append(_transformation(flow))
    if not fields and not whole:
        return None
    listed = {name: {"inputFields": _origins(origins)} for name, origins in fields.items()}
    return {"fields": listed} | ({"dataset": _origins(whole)} if whole else {})


def lineage_facet(outputs: Mapping[str, list[Flow]], inputs: Iterable[str], names: Callable[[str], Name]) -> Json:
    """Return the `lineage` facet of a job: for each output its inputs, and the origins of its fields."""
    listed = [_dataset_input(names(key)) for key in inputs]
    return {"entries": [_entry(names(key), flows, listed, names) for key, flows in outputs.items()]}


def _entry(target: Name, flows: Iterable[Flow], inputs: list[Json], names: Callable[[str], Name]) -> Json:
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


def _origins(found: Mapping[tuple[Name, str], list[Json]]) -> list[Json]:
    return [
        {"namespace": name.namespace, "name": name.name, "field": field, "transformations": how}
        for (name, field), how in found.items()
    ]


def _transformation(flow: Flow) -> Json:
    return {"type": flow.type or "DIRECT"} | ({"subtype": flow.subtype} if flow.subtype else {})


def _order(flow: Flow) -> tuple[Any, ...]:
    return flow.target_path or (), flow.source, flow.source_path or (), flow.type, flow.subtype
