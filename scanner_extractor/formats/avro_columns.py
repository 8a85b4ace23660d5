"""The walk over an Avro schema: a column for every place, parents before children, no recursion however deep."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from scanner_extractor.formats.avro_names import Attributes, listed, worded
from scanner_extractor.formats.avro_types import Shape, Types
from scanner_extractor.formats.column_list import CUT, ColumnList
from scanner_model.columns import Column
from scanner_model.paths import MAP_VALUE, ColumnPath, branch, element, field_segment, path_name
from scanner_model.problems import Problem

_NOTHING: Attributes = {}
_TAGS = "confluent:tags"
_ENCODER = json.JSONEncoder(ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class _Scope:
    """The named types that are open above a place, and the innermost record and how deep it lies."""

    open: frozenset[str] = frozenset()
    record: str = ""
    depth: int = 0


class _Place(NamedTuple):
    """A place still to be read; *field* has the attributes of the record field that it is, if it is one."""

    path: ColumnPath
    shapes: Sequence[Shape]
    scope: _Scope
    field: Attributes
    optional: bool = False


class Walk:
    """Reads columns; *once* shows a named type's columns at its first use only, for schemas too large else."""

    def __init__(self, types: Types, *, once: bool = False) -> None:
        self.found = ColumnList()
        self.problems: dict[Problem, None] = {}
        self.repeated = False
        self._types = types
        self._once = once
        self._shown: set[str] = set()
        self._waiting: list[_Place] = []

    def read(self, roots: Sequence[Shape]) -> None:
        """Read every column below *roots*, the alternatives of the root; a record at the root is no column itself."""
        root = _Place((), roots, _Scope(), _NOTHING)
        values = [shape for shape in roots if shape.word != "null"]
        if len(values) == 1 and values[0].word == "record":
            self._descend(root, values[0])
        else:
            self._waiting.append(root)
        while self._waiting and not self.found.full:
            self._read(self._waiting.pop())
        if self.found.cut:
            self.problems[CUT] = None

    def _read(self, place: _Place) -> None:
        shapes = _distinct(place.shapes)
        values = [shape for shape in shapes if shape.word != "null"]
        nullable = place.optional or len(values) < len(shapes)
        if len(shapes) < len(place.shapes):
            self._tell(place.scope, place.path, "a union names a type twice: its first definition is read")
        if not shapes:
            self._tell(place.scope, place.path, "a union without branches")
        if len(values) > 1 or not shapes:
            self._union(place, values, nullable)
        else:
            self._single(place, (values or shapes)[0], nullable)

    def _single(self, place: _Place, shape: Shape, nullable: bool) -> None:
        cut = bool(shape.opens) and shape.opens in place.scope.open
        column = Column(
            path=place.path,
            type=shape.word,
            logical_type=shape.logical,
            nullable=nullable,
            default=self._default(place),
            doc=_doc(place.field, shape.attributes),
            tags=_tags(place.field, shape.attributes),
            recursive=shape.opens if cut else None,
        )
        if self.found.add(column) and shape.has_columns and not cut:
            self._descend(place, shape)

    def _union(self, place: _Place, shapes: Sequence[Shape], nullable: bool) -> None:
        plain = not any(shape.has_columns for shape in shapes)
        column = Column(
            path=place.path,
            type="union",
            nullable=nullable,
            default=self._default(place),
            doc=_doc(place.field, ()),
            tags=_tags(place.field, ()),
            branches=tuple(shape.name or shape.logical or shape.word for shape in shapes) if plain else (),
        )
        if self.found.add(column) and not plain and not self.found.too_deep(len(place.path) + 1):
            self._push(
                _Place((*place.path, branch(shape.branch)), [shape], place.scope, _NOTHING, True) for shape in shapes
            )

    def _descend(self, place: _Place, shape: Shape) -> None:
        if self.found.too_deep(len(place.path) + 1):
            return
        if shape.opens in self._shown:
            self.repeated = True
            if self._once:
                return
        open_ = place.scope.open
        if shape.opens:
            self._shown.add(shape.opens)
            open_ |= {shape.opens}
        if shape.word == "record":
            named = (shape.name, len(place.path)) if shape.name else (place.scope.record, place.scope.depth)
            self._push(self._fields(place.path, shape, _Scope(open_, *named)))
            return
        segment = MAP_VALUE if shape.word == "map" else element()
        scope = _Scope(open_, place.scope.record, place.scope.depth)
        self._push([self._place((*place.path, segment), shape.inner, shape.namespace, scope, _NOTHING)])

    def _fields(self, path: ColumnPath, shape: Shape, scope: _Scope) -> Iterator[_Place]:
        definition = shape.inner if isinstance(shape.inner, dict) else _NOTHING
        if not isinstance(definition.get("fields"), list):
            self._tell(scope, path, "a record without a list of fields")
        seen: set[str] = set()
        for number, field in enumerate(listed(definition, "fields")):
            name = field.get("name") if isinstance(field, dict) else None
            if not isinstance(field, dict) or not isinstance(name, str):
                self._tell(scope, path, f"field {number} is not an object with a name")
            elif name in seen:
                self._tell(scope, path, f"the field {name!r} is there twice: the first is read")
            else:
                seen.add(name)
                inner = (*path, field_segment(name))
                yield self._place(inner, field.get("type"), shape.namespace, scope, field)

    def _place(self, path: ColumnPath, schema: object, namespace: str, scope: _Scope, field: Attributes) -> _Place:
        shapes = self._types.alternatives(schema, namespace, partial(self._tell, scope, path))
        return _Place(path, shapes, scope, field)

    def _push(self, places: Iterable[_Place]) -> None:
        self._waiting.extend(reversed(list(places)))

    def _default(self, place: _Place) -> str | None:
        if "default" not in place.field:
            return None
        try:
            return _ENCODER.encode(place.field["default"])
        except RecursionError:
            self._tell(place.scope, place.path, "a default nested too deeply to be kept")
            return None

    def _tell(self, scope: _Scope, path: ColumnPath, what: str) -> None:
        """Note a problem at its place in the record that it stands in, so that ten uses of a record tell it once."""
        where = ".".join(filter(None, (scope.record, path_name(path[scope.depth :]))))
        self.problems[Problem(where or "$", what, "")] = None


def _distinct(shapes: Sequence[Shape]) -> Sequence[Shape]:
    """Give the first shape of each branch; nearly every place has one shape only."""
    if len(shapes) < 2:
        return shapes
    branches: dict[str, Shape] = {}
    for shape in shapes:
        branches.setdefault(shape.branch, shape)
    return list(branches.values())


def _doc(field: Attributes, attributes: Sequence[Attributes]) -> str | None:
    for holder in (field, *attributes):
        text = worded(holder, "doc") or worded(holder, "connect.doc")
        if text:
            return text
    return None


def _tags(field: Attributes, attributes: Sequence[Attributes]) -> tuple[str, ...]:
    """List the tags of a field and of its type, each once."""
    holders = (holder for holder in (field, *attributes) if _TAGS in holder)
    found = [tag for holder in holders for tag in listed(holder, _TAGS)]
    return tuple(dict.fromkeys(tag for tag in found if isinstance(tag, str))) if found else ()
