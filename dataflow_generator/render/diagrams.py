"""The graph as a Mermaid flowchart, which Markdown viewers render."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from dataflow_generator.graph import Attribute, Edge, EdgeKind, FlowGraph, Node, NodeKind
from scanner_model.columns import path_name
from scanner_model.text import writable


def attribute_types(graph: FlowGraph) -> Mapping[str, type[Attribute]]:
    """Return the type of every attribute by name, in order; text where types differ. Reads all nodes."""
    types_by_name: dict[str, set[type[Attribute]]] = {}
    for node in graph.nodes():
        for name, value in node.attributes:
            types_by_name.setdefault(name, set()).add(type(value))
    return {name: types.pop() if len(types) == 1 else str for name, types in sorted(types_by_name.items())}


def node_label(node: Node) -> str:
    """Return a column's last segment, another node's name, or a placeholder where it has none."""
    if node.path is not None:
        return path_name(node.path[-1:]) or node.name or "(value)"
    return node.name or "(schema)"


def edge_label(edge: Edge) -> str:
    """Return the subtype, or else the kind; nothing for `contains`, which the diagram shows.

    The subtype of reads and writes is a route, which the names at the ends already show.
    """
    if edge.kind in (EdgeKind.READS, EdgeKind.WRITES):
        return str(edge.kind)
    return edge.subtype or ("" if edge.kind is EdgeKind.CONTAINS else str(edge.kind))


def full_name(node: Node) -> str:
    """Return a node's name, for a column with its path; a node without name by its key."""
    if node.path is not None:
        return ".".join(filter(None, (node.name, path_name(node.path)))) or node.key
    return node.name or node.key


_DOT_SHAPES = {
    NodeKind.CLUSTER: "house",
    NodeKind.TOPIC: "cds",
    NodeKind.SCHEMA: "note",
    NodeKind.COLUMN: "plaintext",
    NodeKind.DATASET: "cylinder",
    NodeKind.JOB: "component",
    NodeKind.CONSUMER_GROUP: "tab",
}


def dot_lines(graph: FlowGraph) -> Iterator[str]:
    """Write a directed graph, left to right, with a shape for each kind of node.

    Source: the DOT language, https://graphviz.org/doc/info/lang.html (quoted identifiers).
    """
    yield "digraph scanner {\n  rankdir=LR;\n  node [fontname=Helvetica];\n"
    for node in graph.nodes():
        yield f"  {_quoted(node.key)} [label={_label(node_label(node))}, shape={_DOT_SHAPES.get(node.kind, 'box')}];\n"
    for edge in graph.edges():
        yield f"  {_quoted(edge.source)} -> {_quoted(edge.target)}{_style(edge)};\n"
    yield "}\n"


def _style(edge: Edge) -> str:
    label = edge_label(edge)
    return f" [label={_label(label)}]" if label else ""


def _label(text: str) -> str:
    """Quote a label; Graphviz would take `&#27;` for the character of that number."""
    return _quoted(text.replace("&", "&amp;"))


def _quoted(text: str) -> str:
    escaped = writable(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


_SHAPES: Mapping[NodeKind, tuple[str, str]] = {
    NodeKind.CLUSTER: ("[[", "]]"),
    NodeKind.TOPIC: ("([", "])"),
    NodeKind.SCHEMA: ("[/", "/]"),
    NodeKind.COLUMN: ("[", "]"),
    NodeKind.DATASET: ("[(", ")]"),
    NodeKind.JOB: ("{{", "}}"),
    NodeKind.CONSUMER_GROUP: ("[\\", "\\]"),
}
_SPECIAL = re.compile(r"[^\w .,:/()+*=@~-]")


def mermaid_lines(graph: FlowGraph) -> Iterator[str]:
    """Write a flowchart, left to right, with a shape for each kind of node; indirect flows are dotted.

    Source: https://mermaid.js.org/syntax/flowchart.html (node shapes, entity codes).
    """
    yield "flowchart LR\n"
    numbers: dict[str, int] = {}
    for number, node in enumerate(graph.nodes(), 1):
        numbers[node.key] = number
        yield _node(number, node)
    for edge in graph.edges():
        yield _edge(edge, numbers)


def _node(number: int, node: Node) -> str:
    opening, closing = _SHAPES.get(node.kind, ("[", "]"))
    return f'  n{number}{opening}"{_escaped(node_label(node))}"{closing}\n'


def _edge(edge: Edge, numbers: Mapping[str, int]) -> str:
    arrow = "-.->" if edge.type == "INDIRECT" else "-->"
    label = edge_label(edge)
    text = f'|"{_escaped(label)}"|' if label else ""
    return f"  n{numbers[edge.source]} {arrow}{text} n{numbers[edge.target]}\n"


def _escaped(text: str) -> str:
    """Replace characters that are special in Mermaid, Markdown or HTML by their number."""
    return _SPECIAL.sub(lambda match: f"#{ord(match[0])};", writable(text))
