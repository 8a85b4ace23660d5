"""`pieces.definition_nodes` and `definition_edges` as rows of the dictionary, no object for each. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any

from dataflow_generator import pieces
from dataflow_generator.graph import Attributes, Certainty, EdgeKind, NodeKind, schema_key
from scanner_dictionary.graph_store import SCHEMA_BITS
from scanner_dictionary.queries.column_cells import Cells, Head
from scanner_dictionary.queries.graph_input import ColumnNodeRow, DefinitionRow

LAYOUT = 1
"""What the rows of a schema are made like; another number where they change, so that stored ones are made again."""

Row = tuple[Any, ...]
"""The cells of a `NodeRow` or an `EdgeRow`: there are millions, and a tuple with names takes longer to make."""

_KEPT = 65_536
_CONTAINS, _DECLARED, _COLUMN = str(EdgeKind.CONTAINS), str(Certainty.DECLARED), str(NodeKind.COLUMN)
_SCHEMA = str(NodeKind.SCHEMA)
_DEFINITION = itemgetter(0)
_WIDE, _NARROW = '", "', '","'


def schema_number(definition: int) -> int:
    """Return the key of the row of a definition's node; those of its columns follow it."""
    return definition << SCHEMA_BITS


def schema_rows(cells: Cells) -> tuple[list[Row], list[Row]]:
    """Return the rows of whole schemas; the edge to a column has the column's own key."""
    columns = {key: list(group) for key, group in groupby(cells.columns, key=_DEFINITION)}
    nodes: list[Row] = []
    edges: list[Row] = []
    for head in cells.heads:
        nodes_of, edges_of = _schema(head, columns.get(head.id, ()), schema_number(head.id))
        nodes += nodes_of
        edges += edges_of
    return nodes, edges


@lru_cache(maxsize=_KEPT)
def list_text(path: tuple[str, ...]) -> str:
    """Write a path; schemas have the same ones over and over."""
    return json.dumps(path, ensure_ascii=False)


@lru_cache(maxsize=_KEPT)
def object_text(attributes: Attributes) -> str:
    """Write the attributes of a node."""
    return json.dumps(dict(attributes), ensure_ascii=False)


def _schema(head: Head, columns: Sequence[Sequence[Any]], node: int) -> tuple[list[Row], list[Row]]:
    key, name = schema_key(head.fingerprint), head.name
    (schema,) = pieces.definition_nodes(DefinitionRow(head.fingerprint, head.format, name, ()))
    stem, evidence = f"{pieces.column_stem(key)}#", pieces.schema_evidence(name)
    nodes: list[Row] = [(node, key, _SCHEMA, "", name, None, object_text(schema.attributes))]
    edges: list[Row] = []
    numbers = {cell[2]: number for number, cell in enumerate(columns, node + 1)}
    for number, (_, _, path, shown, *described) in enumerate(columns, node + 1):
        place, above = _place(path)
        nodes.append((number, stem + shown, _COLUMN, "", name, place, _attributes(*described)))
        edges.append((number, numbers.get(above, node), number, _CONTAINS, "", "", evidence, _DECLARED))
    return nodes, edges


@lru_cache(maxsize=_KEPT)
def _place(path: str) -> tuple[str, str]:
    """Return a path as the graph writes it, and the one above it as the dictionary does (of the message none)."""
    if path == "[]":
        return path, ""
    if "\\" in path or _WIDE in path:
        segments = json.loads(path)
    else:
        # Nearly all paths: without a backslash every quote begins or ends a segment, and `json` takes longer.
        segments = path[2:-2].split(_NARROW)
        return f'["{_WIDE.join(segments)}"]', f'["{_NARROW.join(segments[:-1])}"]' if segments[1:] else "[]"
    return list_text(tuple(segments)), json.dumps(segments[:-1], ensure_ascii=False, separators=(",", ":"))


@lru_cache(maxsize=_KEPT)
def _attributes(type_: str, logical_type: str | None, nullable: bool | int, tags: str | None) -> str:
    column = ColumnNodeRow((), "", type_, logical_type, bool(nullable), tuple(json.loads(tags)) if tags else ())
    return object_text(pieces.column_attributes(column))
