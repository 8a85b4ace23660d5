"""OUTPUTS: the output formats of a flow graph; one function per format, each ordered and byte-stable.

A new format is a module here with one function, and one line in OUTPUTS: `scanner dictionary dataflow --format` and
`scanner export --format` offer it, `-o` guesses it from `.NAME`, and tests/conformance/test_outputs.py checks it.
Only where its files are called otherwise than `graph.NAME` it has a line in SUFFIXES (other file extensions) or
FILES (several files, or another name).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from dataflow_generator.graph import Attribute, Edge, FlowGraph, Node, NodeKind
from dataflow_generator.render.diagrams import attribute_types, dot_lines, full_name, graphml_lines, mermaid_lines
from dataflow_generator.render.page import page_lines
from scanner_model.documents import FORMAT_VERSION
from scanner_model.errors import InputInvalid
from scanner_model.private_files import atomic_path, make_directory
from scanner_model.text import csv_row

EDGE_COLUMNS = (
    *("source", "source_kind", "source_namespace", "kind", "type", "subtype"),
    *("target", "target_kind", "target_namespace", "certainty", "evidence", "source_id", "target_id"),
)
NODE_COLUMNS = ("id", "kind", "namespace", "name", "path")
_SCHEMA = f"{NodeKind.SCHEMA}:"


_End = tuple[str, str, str]
"""Name, kind and namespace of the node at an end of an edge."""


def csv_edges(graph: FlowGraph) -> Iterator[str]:
    """Write a line for each edge below the header EDGE_COLUMNS; names of nodes above schemas are held in memory."""
    ends = _Ends(graph.nodes())
    yield csv_row(EDGE_COLUMNS)
    yield from (csv_row(_edge(edge, ends[edge.source], ends[edge.target])) for edge in graph.edges())


class _Ends:
    """The nodes at edges' ends, by key; columns of schemas, the majority, are derived from their keys."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        self._by_key: dict[str, _End] = {}
        self._schemas: dict[str, str] = {}
        for node in nodes:
            if node.kind is NodeKind.SCHEMA:
                self._schemas[f"{NodeKind.COLUMN}:{node.key.removeprefix(_SCHEMA)}"] = node.name
            if node.kind is not NodeKind.COLUMN or node.key.partition("#")[0] not in self._schemas:
                self._by_key[node.key] = (full_name(node), str(node.kind), node.namespace)

    def __getitem__(self, key: str) -> _End:
        known = self._by_key.get(key)
        if known is not None:
            return known
        schema, _, path = key.partition("#")
        return ".".join(filter(None, (self._schemas[schema], path))) or key, str(NodeKind.COLUMN), ""


def csv_nodes(graph: FlowGraph) -> Iterator[str]:
    """Write a line for each node below the header: NODE_COLUMNS, then every attribute, by name."""
    attributes = tuple(attribute_types(graph))
    yield csv_row((*NODE_COLUMNS, *(f"attribute_{name}" for name in attributes)))
    yield from (csv_row(_node(node, attributes)) for node in graph.nodes())


def _edge(edge: Edge, source: _End, target: _End) -> tuple[str, ...]:
    refined = (str(edge.kind), edge.type, edge.subtype)
    return (*source, *refined, *target, str(edge.certainty), edge.evidence, edge.source, edge.target)


def _node(node: Node, attributes: Iterable[str]) -> tuple[str | int, ...]:
    attributes_by_name = dict(node.attributes)
    path = "" if node.path is None else json.dumps(node.path, ensure_ascii=False)
    cells = (_cell(attributes_by_name.get(name, "")) for name in attributes)
    return (node.key, str(node.kind), node.namespace, node.name, path, *cells)


def _cell(value: Attribute) -> str | int:
    return ", ".join(value) if isinstance(value, tuple) else value


Json = Any


def json_lines(graph: FlowGraph) -> Iterator[str]:
    """Write `{"format_version": 1, "nodes": […], "edges": […]}`; `docs/dataflow.md` documents the members."""
    yield f'{{"format_version": {FORMAT_VERSION},\n"nodes": [\n'
    yield from _separated(node_document(node) for node in graph.nodes())
    yield '],\n"edges": [\n'
    yield from _separated(edge_document(edge) for edge in graph.edges())
    yield "]}\n"


def node_document(node: Node) -> dict[str, Json]:
    """Return a node as JSON; *path* is null for anything but a column."""
    return {
        "id": node.key,
        "kind": str(node.kind),
        "namespace": node.namespace,
        "name": node.name,
        "path": None if node.path is None else list(node.path),
        "attributes": {name: list(value) if isinstance(value, tuple) else value for name, value in node.attributes},
    }


def edge_document(edge: Edge) -> dict[str, Json]:
    """Return an edge as JSON; *type* and *subtype* are empty where the kind says it all."""
    return {
        "source": edge.source,
        "target": edge.target,
        "kind": str(edge.kind),
        "type": edge.type,
        "subtype": edge.subtype,
        "evidence": edge.evidence,
        "certainty": str(edge.certainty),
    }


def _separated(documents: Iterable[dict[str, Json]]) -> Iterator[str]:
    comma = ""
    for document in documents:
        yield comma + json.dumps(document, ensure_ascii=False)
        comma = ",\n"
    yield "\n" if comma else ""


__all__ = ["FILES", "OUTPUTS", "SUFFIXES", "Output", "files_of", "format_of"]


Output = Callable[[FlowGraph], Iterator[str]]
"""Writes a graph as pieces of text, to be concatenated."""

OUTPUTS: Mapping[str, Output] = {
    "json": json_lines,
    "csv": csv_edges,
    "graphml": graphml_lines,
    "dot": dot_lines,
    "mermaid": mermaid_lines,
    "html": page_lines,
}

SUFFIXES: Mapping[str, str] = {".gv": "dot", ".mmd": "mermaid", ".htm": "html"}
"""File extensions that select a format, in addition to the format's own name."""

FILES: Mapping[str, Mapping[str, Output]] = {"csv": {"nodes.csv": csv_nodes, "edges.csv": csv_edges}}
"""The files that a format writes into a directory, where that is not `graph.NAME` alone."""


def files_of(name: str) -> Mapping[str, Output]:
    """Return the files that format *name* writes into a directory, by name."""
    return FILES.get(name) or {f"graph.{name}": OUTPUTS[name]}


def format_of(suffix: str) -> str | None:
    """Return the format of a file extension (with its dot); None if absent."""
    ending = suffix.lower()
    return SUFFIXES.get(ending) or (ending[1:] if ending[1:] in OUTPUTS else None)


def write_files(graph: FlowGraph, directory: Path, formats: Iterable[str]) -> tuple[Path, ...]:
    """Write *graph* into *directory*, which is created if missing; `render.files_of` names the files.

    Raises InputInvalid for a format that is not in OUTPUTS, before anything is written.
    """
    names = tuple(dict.fromkeys(formats))
    for name in names:
        if name not in OUTPUTS:
            raise InputInvalid(f"unknown output format {name!r}", where="--format", hint=f"one of {', '.join(OUTPUTS)}")
    make_directory(directory)
    files = [(file, output) for name in names for file, output in files_of(name).items()]
    return tuple(_written(output(graph), directory / file) for file, output in files)


def _written(pieces: Iterator[str], file: Path) -> Path:
    with atomic_path(file) as part, part.open("w", encoding="utf-8") as out:
        out.writelines(pieces)
    return file
