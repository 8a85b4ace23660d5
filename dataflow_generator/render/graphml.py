"""The graph in GraphML, which yEd, Gephi, networkx and graph databases load."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from dataflow_generator.graph import Attribute, Edge, FlowGraph, Node
from dataflow_generator.render.diagrams import attribute_types, full_name
from scanner_model.text import writable

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
        yield _node(number, node, nodes, dict(zip(types, extra, strict=True)))
    for number, edge in enumerate(graph.edges(), 1):
        yield _edge(number, edge, edges, numbers)
    yield "</graph>\n</graphml>\n"


def _attribute(number: int, name: str, of: type[Attribute]) -> _Key:
    return _Key(f"a{number}", "node", f"attribute.{name}" if name in _NODE else name, _TYPES.get(of, "string"))


def _declared(key: _Key) -> str:
    return f'<key id="{key.id}" for="{key.of}" attr.name="{_escaped(key.name)}" attr.type="{key.type}"/>\n'


def _node(number: int, node: Node, keys: list[_Key], extra: Mapping[str, _Key]) -> str:
    path = "" if node.path is None else json.dumps(node.path, ensure_ascii=False)
    members = (node.key, full_name(node), str(node.kind), node.namespace, node.name, path)
    attributes = "".join(_data(extra[name], _text(value)) for name, value in node.attributes)
    return f'<node id="n{number}">{"".join(map(_data, keys, members))}{attributes}</node>\n'


def _edge(number: int, edge: Edge, keys: list[_Key], numbers: Mapping[str, int]) -> str:
    members = (str(edge.kind), edge.type, edge.subtype, edge.evidence, str(edge.certainty))
    ends = f'source="n{numbers[edge.source]}" target="n{numbers[edge.target]}"'
    return f'<edge id="e{number}" {ends}>{"".join(map(_data, keys, members))}</edge>\n'


def _data(key: _Key, text: str) -> str:
    return f'<data key="{key.id}">{_escaped(text)}</data>' if text else ""


def _text(value: Attribute) -> str:
    match value:
        case bool():
            return str(value).lower()
        case tuple():
            return json.dumps(value, ensure_ascii=False)
    return str(value)


def _escaped(text: str) -> str:
    return writable(text).translate(_ESCAPES)
