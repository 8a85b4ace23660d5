"""Attributes of a graph's nodes, for formats that declare them before any node."""

from __future__ import annotations

from collections.abc import Mapping

from dataflow_generator.graph import Attribute, FlowGraph


def attribute_types(graph: FlowGraph) -> Mapping[str, type[Attribute]]:
    """Return the type of every attribute by name, in order; text where types differ. Reads all nodes."""
    types_by_name: dict[str, set[type[Attribute]]] = {}
    for node in graph.nodes():
        for name, value in node.attributes:
            types_by_name.setdefault(name, set()).add(type(value))
    return {name: types.pop() if len(types) == 1 else str for name, types in sorted(types_by_name.items())}
