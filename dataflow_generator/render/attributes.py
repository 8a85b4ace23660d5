"""Which attributes the nodes of a graph have, for formats that declare them before they write any node."""

from __future__ import annotations

from collections.abc import Mapping

from dataflow_generator.graph import Attribute, FlowGraph


def attribute_types(graph: FlowGraph) -> Mapping[str, type[Attribute]]:
    """Return the type of every attribute by its name, in the names' order; text where nodes differ. Reads all nodes."""
    found: dict[str, set[type[Attribute]]] = {}
    for node in graph.nodes():
        for name, value in node.attributes:
            found.setdefault(name, set()).add(type(value))
    return {name: types.pop() if len(types) == 1 else str for name, types in sorted(found.items())}
