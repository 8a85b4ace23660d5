"""Columns and their flows as facets: nested fields of a schema, and what each field of an output is made of."""

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
"""How the one value of a message without fields is called, as others call it, too."""


def field_name(path: ColumnPath) -> str:
    """Return a column's name: its path with dots; `@key` stands before a field of a message's key."""
    return path_name(path) or _MESSAGE


def schema_facet(columns: Iterable[Column]) -> Json:
    """Return the fields of a dataset, nested as its columns are; a path that comes twice is the first one's."""
    top: list[Json] = []
    found: dict[ColumnPath, Json] = {}
    for column in columns:
        if column.path in found:
            continue
        above = next((end for end in range(len(column.path) - 1, 0, -1) if column.path[:end] in found), 0)
        siblings = found[column.path[:above]].setdefault("fields", []) if above else top
        found[column.path] = _field(column, column.path[above:], len(siblings) + 1)
        siblings.append(found[column.path])
    return {"fields": top}


def _field(column: Column, path: ColumnPath, place: int) -> Json:
    type_ = column.logical_type or column.type or UNTYPED
    told = {"name": field_name(path), "type": type_, "description": column.doc}
    return {name: value for name, value in told.items() if value} | {"ordinal_position": place}


def field_tags(columns: Iterable[Column]) -> list[tuple[str, str]]:
    """List the tags of columns, each with the column's name."""
    return [(field_name(column.path), tag) for column in columns for tag in column.tags]


def columns_of_nodes(nodes: Iterable[Node]) -> tuple[Column, ...]:
    """Return columns as the graph knows them."""
    return tuple(_column(node) for node in nodes)


def _column(node: Node) -> Column:
    told: dict[str, Any] = dict(node.attributes)
    return Column(
        path=node.path or (),
        type=told.get("type", ""),
        logical_type=told.get("logical_type"),
        nullable=told.get("nullable", False),
        tags=told.get("tags", ()),
    )


def column_lineage(flows: Iterable[Flow], names: Callable[[str], Name]) -> Json | None:
    """Return the facet of one output: its fields and what they are made of, and what bears on all of it.

    None where no flow has a column to start from: this facet cannot tell of others (`lineage_facet` can).
    """
    fields: dict[str, dict[tuple[Name, str], list[Json]]] = {}
    whole: dict[tuple[Name, str], list[Json]] = {}
    for flow in sorted(set(flows), key=_order):
        if flow.source_path is not None:
            found = whole if flow.target_path is None else fields.setdefault(field_name(flow.target_path), {})
            origin = names(flow.source), field_name(flow.source_path)
            found.setdefault(origin, []).append(_transformation(flow))
    if not fields and not whole:
        return None
    told = {name: {"inputFields": _origins(found)} for name, found in fields.items()}
    return {"fields": told} | ({"dataset": _origins(whole)} if whole else {})


def lineage_facet(outputs: Mapping[str, list[Flow]], inputs: Iterable[str], names: Callable[[str], Name]) -> Json:
    """Return the newer facet of a job: for each output all its inputs, and what fields are made of."""
    listed = [_dataset_input(names(key)) for key in inputs]
    return {"entries": [_entry(names(key), flows, listed, names) for key, flows in outputs.items()]}


def _entry(target: Name, flows: Iterable[Flow], inputs: list[Json], names: Callable[[str], Name]) -> Json:
    fields: dict[str, list[Json]] = {}
    bearing: list[Json] = []
    for flow in sorted(set(flows), key=_order):
        origin = _dataset_input(names(flow.source)) | {"transformations": [_transformation(flow)]}
        if flow.source_path is not None:
            origin["field"] = field_name(flow.source_path)
        if flow.target_path is None:
            bearing.append(origin)
        else:
            fields.setdefault(field_name(flow.target_path), []).append(origin)
    told = {name: {"inputs": origins} for name, origins in fields.items()}
    return _dataset_input(target) | {"inputs": [*inputs, *bearing]} | ({"fields": told} if told else {})


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
