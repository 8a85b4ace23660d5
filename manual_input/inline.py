"""Columns that a document lists itself, nested ones too."""

from __future__ import annotations

import json
from collections.abc import Iterator

from manual_input.document import Node
from scanner_model.columns import Column
from scanner_model.paths import ELEMENT, MAP_VALUE, ColumnPath, field_segment
from scanner_model.redaction import mask_text

INLINE = ("columns", "items", "values", "type")
"""The members by which an entry describes its value itself; at most one of the first three."""

UNTOLD = "unknown"
"""The type of a column of which the document gives only the name."""

_TYPES = {"columns": "record", "items": "array", "values": "map"}


def inline_columns(entry: Node) -> tuple[Column, ...]:
    """List the columns that the schema *entry* describes; without `columns` the message is one value."""
    if not entry.has("columns"):
        return tuple(_value(entry, (), entry.text("type")))
    _nested(entry)
    for key in ("type", "logical_type"):
        if entry.has(key):
            entry.member(key).refuse(f"{key!r} beside 'columns' is of no use here", "the columns have types")
    return tuple(_members(entry, ()))


def _members(node: Node, path: ColumnPath) -> Iterator[Column]:
    seen: set[str] = set()
    for column in node.elements("columns"):
        name = column.string or column.text("name")
        if name in seen:
            column.refuse(f"column {name!r} is listed twice", "keep one of them, or rename one")
        elif name:
            seen.add(name)
            yield from _value(column, (*path, field_segment(name)), column.text("type"))


def _value(node: Node, path: ColumnPath, word: str) -> Iterator[Column]:
    kind = _nested(node)
    yield Column(
        path=path,
        type=word or _TYPES.get(kind, UNTOLD),
        logical_type=node.text("logical_type") or None,
        nullable=node.member("nullable").value is True,
        default=_default(node),
        doc=mask_text(node.text("doc")) or None,
        tags=tuple(dict.fromkeys(node.texts("tags"))),
    )
    if kind == "columns":
        yield from _members(node, path)
    elif kind:
        inner = node.member(kind)
        word = inner.string or inner.text("type")
        yield from _value(inner, (*path, ELEMENT if kind == "items" else MAP_VALUE), word)


def _nested(node: Node) -> str:
    kinds = [kind for kind in _TYPES if node.has(kind)]
    if len(kinds) > 1:
        node.refuse(f"{' and '.join(kinds)} exclude one another", "a value is a record, a list or a map")
    return kinds[0] if kinds else ""


def _default(node: Node) -> str | None:
    if not node.has("default"):
        return None
    try:
        return json.dumps(node.member("default").value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        node.member("default").refuse("not a number that JSON has", 'write it as text: "NaN"')
        return None
