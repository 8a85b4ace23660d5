"""The graph as one self-contained HTML file: no network, no library; the files beside this module are its parts."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from importlib.resources import files
from itertools import chain
from typing import Any

from dataflow_generator.graph import Edge, FlowGraph, Node, NodeKind
from dataflow_generator.query.stored_graph import GraphHistory
from dataflow_generator.sql.lexer import statement_title

Json = Any

STYLES = ("page.css", "drawing.css", "panel.css")
"""Style sheets: the frame, the drawing, the panel."""

SCRIPTS = (
    *("elements.js", "time.js", "model.js", "lineage.js", "layout.js", "state.js", "view.js", "curves.js", "window.js"),
    *("outline.js", "panel.js", "picture.js", "search.js", "slider.js", "main.js"),
)
"""The scripts of the page, in dependency order."""

SHARED = ("elements.js", "search.js")
"""Those that pages without a drawing have, too."""

MOST_SCHEMA_COLUMNS = 100_000
"""Most columns of schemas in a page (about 15 MB), not counting those in flows; the page reports omissions."""

# A script element ends at any `</script>`; old JSON parsers end a line at U+2028.
_UNSAFE = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
_SAFE = str.maketrans(_UNSAFE)

_POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>\n')


def page_lines(
    graph: FlowGraph, *, most: int = MOST_SCHEMA_COLUMNS, history: GraphHistory | None = None
) -> Iterator[str]:
    """Write the page; of the schemas' columns at most *most*, which the page reports.

    With *history*, which must be that of *graph*, the page shows the graph of any scan, and compares two of them.

    The graph is embedded as JSON: `nodes` are `[key, kind, namespace, name, path, attributes]`, `edges` `[source,
    target, kind, type, subtype, evidence, certainty]`, where source and target are indices of nodes, and `systems` what
    people call namespaces. `history` has the
    `scans` as `[number, time]`, and by their indices the `nodes` and `edges` that not every graph has, as lists of
    `[first scan or null, scan without it or null, attributes]`.
    """
    before, between, after = _split(_part("page.html"), "/*style*/", "/*script*/")
    middle, rest = between.split("<!--graph-->")
    yield before + "".join(map(_part, STYLES)) + middle
    yield from _data(graph, most, history)
    yield rest
    yield from map(_part, SCRIPTS)
    yield after


def live_page(style: str, script: str) -> str:
    """Return the page without a graph, for a server: *style* and *script* are the addresses of its parts.

    Its script loads the graph from the server, a part at a time; the policy of its content is the server's.
    """
    before, between, after = _split(_part("page.html"), "/*style*/", "/*script*/")
    before = _POLICY.sub("", before).replace(
        "<style>", f'<link rel="icon" href="data:,">\n<link rel="stylesheet" href="{style}">'
    )
    middle, rest = between.split("<!--graph-->")
    empty = {"live": True, "about": {"part": "", "coverage": {}}, "nodes": [], "edges": [], "leftOut": {}}
    tail = f'<script src="{script}"></script>' + after.partition("</script>")[2]
    return before + middle.replace("</style>", "", 1) + _json(empty) + rest.partition("<script>")[0] + tail


def live_style() -> str:
    """Return the style sheets of the page as one."""
    return "".join(map(_part, STYLES))


def live_script(more: str, *, drawing: bool = True) -> str:
    """Return the scripts of the page as one, with *more* at the end; without *drawing* names and search only."""
    return '"use strict";\n(() => {\n' + "".join(map(_part, SCRIPTS if drawing else SHARED)) + more + "})();\n"


def _data(graph: FlowGraph, most: int, history: GraphHistory | None) -> Iterator[str]:
    """Write the graph as JSON, a node or an edge a line, safe inside a script element."""
    positions: dict[str, int] = {}
    left_out: Counter[str] = Counter()
    about = {"part": graph.part, "coverage": asdict(graph.coverage)}
    yield f'{{"about": {_json(about)},\n"nodes": [\n'
    yield from _separated(map(_node, _page_nodes(graph.nodes(), most, positions, left_out)))
    yield '],\n"edges": [\n'
    lifetimes: dict[int, Json] = {}
    ends = (edge for edge in graph.edges() if edge.source in positions and edge.target in positions)
    yield from _separated(_edge(edge, positions) for edge in _note_lifetimes(ends, history, lifetimes))
    yield "],\n"
    if history:
        nodes = {positions[key]: listed for key, listed in history.nodes.items() if key in positions}
        yield f'"history": {_json({"scans": history.scans, "nodes": nodes, "edges": lifetimes})},\n'
    yield f'"systems": {_json(dict(sorted(graph.systems.items())))},\n"leftOut": {_json(left_out)}}}\n'


def _note_lifetimes(edges: Iterable[Edge], history: GraphHistory | None, lifetimes: dict[int, Json]) -> Iterator[Edge]:
    """Yield *edges*, and note those that not every graph has in *lifetimes*, by their index."""
    known = history.edges if history else {}
    for index, edge in enumerate(edges):
        if edge in known:
            lifetimes[index] = [lifetime[:2] for lifetime in known[edge]]
        yield edge


def _page_nodes(nodes: Iterable[Node], most: int, positions: dict[str, int], left_out: Counter[str]) -> Iterator[Node]:
    """Yield the nodes of the page, with their index in *positions*; count the others by kind in *left_out*."""
    columns = 0
    for node in nodes:
        # A column in a flow has the namespace of its dataset, a column of a schema has none.
        of_schema = node.kind is NodeKind.COLUMN and not node.namespace
        columns += of_schema
        if of_schema and columns > most:
            left_out[node.kind] += 1
        else:
            positions[node.key] = len(positions)
            yield node


def _node(node: Node) -> Json:
    attributes = dict(node.attributes)
    shown = [node.key, str(node.kind), node.namespace, node.name, node.path, attributes]
    title = statement_title(str(attributes.get("statement", "")))
    # What only a server knows is left empty: the mark of a change, what was before, staleness, the system.
    return [*shown, "", None, "", None, title] if title else shown


def _edge(edge: Edge, positions: Mapping[str, int]) -> Json:
    ends = positions[edge.source], positions[edge.target]
    return [*ends, str(edge.kind), edge.type, edge.subtype, edge.evidence, str(edge.certainty)]


def _separated(documents: Iterable[Json]) -> Iterator[str]:
    for comma, document in zip(chain([""], iter(lambda: ",\n", None)), documents, strict=False):
        yield comma + _json(document)
    yield "\n"


def _json(document: Json) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).translate(_SAFE)


def _part(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _split(text: str, *marks: str) -> Iterator[str]:
    for mark in marks:
        before, _, text = text.partition(mark)
        yield before
    yield text
