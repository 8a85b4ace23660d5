"""Traverse an Avro schema iteratively: a column for every position, parents before children."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from scanner_extractor.formats.avro.names import Attributes, listed, worded
from scanner_extractor.formats.avro.types import Shape, Types, leaf_of
from scanner_extractor.formats.limits import CUT, ColumnList
from scanner_model.columns import MAP_VALUE, Column, ColumnPath, branch, element, field_segment, path_name
from scanner_model.errors import Problem
from scanner_model.names import RecordName

_NOTHING: Attributes = {}
_TAGS = "confluent:tags"
_ENCODER = json.JSONEncoder(ensure_ascii=False)


class _Scope(NamedTuple):
    """The enclosing named types of a position, and the innermost record and its depth."""

    open: frozenset[str] = frozenset()
    record: str = ""
    depth: int = 0


class _Position(NamedTuple):
    """A position to be read; *field* has the attributes of its record field, if it is one."""

    path: ColumnPath
    shapes: Sequence[Shape]
    scope: _Scope
    field: Attributes
    optional: bool = False


class Walk:
    """Reads columns; *once* shows a named type's columns at its first use only, for schemas too large else."""

    def __init__(self, types: Types, *, once: bool = False) -> None:
        self.collected = ColumnList()
        self.problems: dict[Problem, None] = {}
        self.holders: dict[ColumnPath, RecordName] = {}
        self.record_tags: dict[ColumnPath, tuple[str, ...]] = {}
        self.symbols: dict[ColumnPath, tuple[str, ...]] = {}
        self.repeated = False
        self._types = types
        self._once = once
        self._shown: set[str] = set()
        self._waiting: list[Iterator[_Position]] = []

    def read(self, roots: Sequence[Shape]) -> None:
        """Read every column below *roots*, the alternatives of the root; a record at the root is no column itself."""
        root = _Position((), roots, _Scope(), _NOTHING)
        values = [shape for shape in roots if shape.word != "null"]
        if len(values) == 1 and values[0].word == "record":
            self._descend(root, values[0])
        else:
            self._waiting.append(iter((root,)))
        while self._waiting and not self.collected.full:
            position = next(self._waiting[-1], None)
            if position:
                self._read(position)
            else:
                self._waiting.pop()
        if self.collected.cut:
            self.problems[CUT] = None

    def _read(self, position: _Position) -> None:
        if len(position.shapes) == 1:  # as nearly every place
            self._single(position, position.shapes[0], position.optional or position.shapes[0].word == "null")
            return
        shapes = _distinct(position.shapes)
        values = [shape for shape in shapes if shape.word != "null"]
        nullable = position.optional or len(values) < len(shapes)
        if len(shapes) < len(position.shapes):
            self._problem(position.scope, position.path, "a union has a type twice: its first definition is used")
        if not shapes:
            self._problem(position.scope, position.path, "a union has no branches")
        if len(values) > 1 or not shapes:
            self._union(position, values, nullable)
        else:
            self._single(position, (values or shapes)[0], nullable)

    def _single(self, position: _Position, shape: Shape, nullable: bool) -> None:
        self._note_symbols(position, (shape,))
        cut = bool(shape.opens) and shape.opens in position.scope.open
        holders = (position.field, *shape.attributes)
        column = Column(
            path=position.path,
            type=shape.word,
            logical_type=shape.logical,
            nullable=nullable,
            default=self._default(position.path, position.scope, position.field),
            doc=_doc(holders),
            tags=_tags(holders),
            recursive=shape.opens if cut else None,
        )
        if self.collected.add(column) and shape.has_columns and not cut:
            self._descend(position, shape)

    def _union(self, position: _Position, shapes: Sequence[Shape], nullable: bool) -> None:
        plain = not any(shape.has_columns for shape in shapes)
        self._note_symbols(position, shapes if plain else ())
        column = Column(
            path=position.path,
            type="union",
            nullable=nullable,
            default=self._default(position.path, position.scope, position.field),
            doc=_doc((position.field,)),
            tags=_tags((position.field,)),
            branches=tuple(shape.name or shape.logical or shape.word for shape in shapes) if plain else (),
        )
        if self.collected.add(column) and not plain and not self.collected.too_deep(len(position.path) + 1):
            path, scope = position.path, position.scope
            inside = (_Position((*path, branch(shape.branch)), [shape], scope, _NOTHING, True) for shape in shapes)
            self._waiting.append(inside)

    def _note_symbols(self, position: _Position, shapes: Sequence[Shape]) -> None:
        """Note what the enums at a position may be."""
        attributes = (holder for shape in shapes if shape.word == "enum" for holder in shape.attributes)
        symbols = [symbol for holder in attributes for symbol in listed(holder, "symbols") if isinstance(symbol, str)]
        if symbols:
            self.symbols[position.path] = tuple(symbols)

    def _descend(self, position: _Position, shape: Shape) -> None:
        if self.collected.too_deep(len(position.path) + 1):
            return
        if shape.opens in self._shown:
            self.repeated = True
            if self._once:
                return
        open_ = position.scope.open
        if shape.opens:
            self._shown.add(shape.opens)
            open_ |= {shape.opens}
        if shape.word == "record":
            self.holders[position.path] = RecordName(shape.name)
            if tags := _tags(shape.attributes):
                self.record_tags[position.path] = tags
            named = (shape.name, len(position.path)) if shape.name else (position.scope.record, position.scope.depth)
            self._waiting.append(self._fields(position.path, shape, _Scope(open_, *named)))
            return
        path = (*position.path, MAP_VALUE if shape.word == "map" else element())
        scope = _Scope(open_, position.scope.record, position.scope.depth)
        leaf = leaf_of(shape.inner)
        if leaf:
            self._leaf(path, *leaf, scope, _NOTHING)
        else:
            self._waiting.append(iter((self._position(path, shape.inner, shape.namespace, scope, _NOTHING),)))

    def _fields(self, path: ColumnPath, shape: Shape, scope: _Scope) -> Iterator[_Position]:
        definition = shape.inner if isinstance(shape.inner, dict) else _NOTHING
        if not isinstance(definition.get("fields"), list):
            self._problem(scope, path, "a record without a list of fields")
        seen: set[str] = set()
        for number, field in enumerate(listed(definition, "fields")):
            name = field.get("name") if isinstance(field, dict) else None
            if not isinstance(field, dict) or not isinstance(name, str):
                self._problem(scope, path, f"field {number} is not an object with a name")
            elif name in seen:
                self._problem(scope, path, f"the field {name!r} is defined twice: the first is used")
            else:
                seen.add(name)
                inner = (*path, field_segment(name))
                leaf = leaf_of(field.get("type"))
                if leaf:
                    self._leaf(inner, *leaf, scope, field)
                else:
                    yield self._position(inner, field.get("type"), shape.namespace, scope, field)

    def _leaf(self, path: ColumnPath, word: str, nullable: bool, scope: _Scope, field: Attributes) -> None:
        """Read a primitive, as most fields are, without creating a position."""
        default = self._default(path, scope, field)
        tags = _tags((field,)) if _TAGS in field else ()
        doc = worded(field, "doc") or worded(field, "connect.doc") or None
        self.collected.add(Column(path=path, type=word, nullable=nullable, default=default, doc=doc, tags=tags))

    def _position(
        self, path: ColumnPath, schema: object, namespace: str, scope: _Scope, field: Attributes
    ) -> _Position:
        shapes = self._types.alternatives(schema, namespace, partial(self._problem, scope, path))
        return _Position(path, shapes, scope, field)

    def _default(self, path: ColumnPath, scope: _Scope, field: Attributes) -> str | None:
        if "default" not in field:
            return None
        default = field["default"]
        if default is None:  # what nearly every default is
            return "null"
        try:
            return _ENCODER.encode(default)
        except RecursionError:
            self._problem(scope, path, "a default is nested too deeply and is dropped")
            return None

    def _problem(self, scope: _Scope, path: ColumnPath, what: str) -> None:
        """Report a problem relative to its record, so that ten uses of a record report it once."""
        where = ".".join(filter(None, (scope.record, path_name(path[scope.depth :]))))
        self.problems[Problem(where or "$", what, "")] = None


def _distinct(shapes: Sequence[Shape]) -> Sequence[Shape]:
    """Return the first shape of each branch."""
    branches: dict[str, Shape] = {}
    for shape in shapes:
        branches.setdefault(shape.branch, shape)
    return list(branches.values())


def _doc(holders: Sequence[Attributes]) -> str | None:
    """Return the comment on a field, else on its type: *holders* are their attributes, the field's first."""
    for holder in holders:
        text = worded(holder, "doc") or worded(holder, "connect.doc")
        if text:
            return text
    return None


def _tags(holders: Sequence[Attributes]) -> tuple[str, ...]:
    """List the tags of a field and of its type, each once."""
    tagged = [holder for holder in holders if _TAGS in holder]
    if not tagged:
        return ()
    tags = [tag for holder in tagged for tag in listed(holder, _TAGS)]
    return tuple(dict.fromkeys(tag for tag in tags if isinstance(tag, str)))
