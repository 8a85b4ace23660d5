"""The graph as a Mermaid flowchart, which Markdown viewers render."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from dataflow_generator.graph import Edge, FlowGraph, Node, NodeKind
from dataflow_generator.render.labels import edge_label, node_label
from scanner_model.text import writable

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
