"""The graph in Graphviz's DOT language."""

from __future__ import annotations

from collections.abc import Iterator

from dataflow_generator.graph import Edge, FlowGraph, NodeKind
from dataflow_generator.render.labels import edge_label, node_label
from scanner_model.text import writable

_SHAPES = {
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
        yield f"  {_quoted(node.key)} [label={_label(node_label(node))}, shape={_SHAPES.get(node.kind, 'box')}];\n"
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
