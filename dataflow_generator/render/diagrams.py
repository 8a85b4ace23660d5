"""The graph for programs that draw: Mermaid for Markdown viewers, DOT, GraphML for yEd, Gephi and networkx."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

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


_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
 xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
"""
_NODE = ("key", "label", "kind", "namespace", "name", "path")
_EDGE = ("kind", "type", "subtype", "evidence", "certainty")
_TYPES: Mapping[type[Attribute], str] = {bool: "boolean", int: "long"}
# XML parsers convert an unescaped carriage return to a line feed.
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;"})


class _Key(NamedTuple):
    """A declared key: its *id* in the document, what it is *of* (node or edge), its name and type."""

    id: str
    of: str
    name: str
    type: str


def graphml_lines(graph: FlowGraph) -> Iterator[str]:
    """Write a directed graph with typed data; nodes are numbered, because an id may not contain any character.

    A column's path is JSON; so is an attribute that is a list. An attribute that has the name of a member is written
    as `attribute.NAME`. Source: the GraphML schema 1.0, http://graphml.graphdrawing.org/specification.html
    """
    types = attribute_types(graph)
    nodes = [_Key(f"n_{name}", "node", name, "string") for name in _NODE]
    extra = [_attribute(number, name, of) for number, (name, of) in enumerate(types.items(), 1)]
    edges = [_Key(f"e_{name}", "edge", name, "string") for name in _EDGE]
    yield _HEAD
    yield from map(_declared, (*nodes, *extra, *edges))
    yield '<graph id="scanner" edgedefault="directed">\n'
    numbers: dict[str, int] = {}
    for number, node in enumerate(graph.nodes(), 1):
        numbers[node.key] = number
        yield _node_element(number, node, nodes, dict(zip(types, extra, strict=True)))
    for number, edge in enumerate(graph.edges(), 1):
        yield _edge_element(number, edge, edges, numbers)
    yield "</graph>\n</graphml>\n"


def _attribute(number: int, name: str, of: type[Attribute]) -> _Key:
    return _Key(f"a{number}", "node", f"attribute.{name}" if name in _NODE else name, _TYPES.get(of, "string"))


def _declared(key: _Key) -> str:
    return f'<key id="{key.id}" for="{key.of}" attr.name="{_xml_escaped(key.name)}" attr.type="{key.type}"/>\n'


def _node_element(number: int, node: Node, keys: list[_Key], extra: Mapping[str, _Key]) -> str:
    path = "" if node.path is None else json.dumps(node.path, ensure_ascii=False)
    members = (node.key, full_name(node), str(node.kind), node.namespace, node.name, path)
    attributes = "".join(_data(extra[name], _text(value)) for name, value in node.attributes)
    return f'<node id="n{number}">{"".join(map(_data, keys, members))}{attributes}</node>\n'


def _edge_element(number: int, edge: Edge, keys: list[_Key], numbers: Mapping[str, int]) -> str:
    members = (str(edge.kind), edge.type, edge.subtype, edge.evidence, str(edge.certainty))
    ends = f'source="n{numbers[edge.source]}" target="n{numbers[edge.target]}"'
    return f'<edge id="e{number}" {ends}>{"".join(map(_data, keys, members))}</edge>\n'


def _data(key: _Key, text: str) -> str:
    return f'<data key="{key.id}">{_xml_escaped(text)}</data>' if text else ""


def _text(value: Attribute) -> str:
    match value:
        case bool():
            return str(value).lower()
        case tuple():
            return json.dumps(value, ensure_ascii=False)
    return str(value)


def _xml_escaped(text: str) -> str:
    return writable(text).translate(_ESCAPES)
