"""`pieces.definition_nodes` and `definition_edges` as rows of the dictionary, no object for each. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any

from dataflow_generator import pieces
from dataflow_generator.graph import Attributes, Certainty, EdgeKind, NodeKind, schema_key
from scanner_dictionary.graph_store import EdgeRow, NodeRow
from scanner_dictionary.queries.column_cells import Cells, Head
from scanner_dictionary.queries.graph_input import ColumnNodeRow, DefinitionRow

_KEPT = 65_536
_CONTAINS, _DECLARED, _COLUMN = str(EdgeKind.CONTAINS), str(Certainty.DECLARED), str(NodeKind.COLUMN)
_SCHEMA = str(NodeKind.SCHEMA)
_DEFINITION = itemgetter(0)


def schema_rows(cells: Cells, places: Mapping[int, int]) -> tuple[list[NodeRow], list[EdgeRow]]:
    """Make the rows of whole schemas; *places* gives the key of each definition's node, its columns have the next.

    The edge to a column has the column's own key: each has one.
    """
    columns = {key: list(group) for key, group in groupby(cells.columns, key=_DEFINITION)}
    nodes: list[NodeRow] = []
    edges: list[EdgeRow] = []
    for head in cells.heads:
        nodes_of, edges_of = _schema(head, columns.get(head.id, ()), places[head.id])
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


def _schema(head: Head, columns: Sequence[Sequence[Any]], node: int) -> tuple[list[NodeRow], list[EdgeRow]]:
    key, name = schema_key(head.fingerprint), head.name
    (schema,) = pieces.definition_nodes(DefinitionRow(head.fingerprint, head.format, name, ()))
    stem, evidence = f"{pieces.column_stem(key)}#", pieces.schema_evidence(name)
    numbers = {cell[2]: number for number, cell in enumerate(columns, node + 1)}
    nodes = [NodeRow(node, key, _SCHEMA, "", name, None, object_text(schema.attributes))]
    nodes += [
        NodeRow(number, stem + cell[3], _COLUMN, "", name, _place(cell[2])[0], _attributes(*cell[4:8]))
        for number, cell in enumerate(columns, node + 1)
    ]
    edges = [
        EdgeRow(number, numbers.get(_place(cell[2])[1], node), number, _CONTAINS, "", "", evidence, _DECLARED)
        for number, cell in enumerate(columns, node + 1)
    ]
    return nodes, edges


@lru_cache(maxsize=_KEPT)
def _place(path: str) -> tuple[str, str]:
    """Give a path as the graph writes it, and the one above it as the dictionary does, empty for the whole message."""
    segments = tuple(json.loads(path))
    above = json.dumps(segments[:-1], ensure_ascii=False, separators=(",", ":")) if segments else ""
    return list_text(segments), above


@lru_cache(maxsize=_KEPT)
def _attributes(type_: str, logical_type: str | None, nullable: bool | int, tags: str | None) -> str:
    column = ColumnNodeRow((), "", type_, logical_type, bool(nullable), tuple(json.loads(tags)) if tags else ())
    return object_text(pieces.column_attributes(column))
