"""Read Avro schemas by our own iterative traversal, because registries accept schemas that libraries reject."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from fastavro.schema import SchemaParseException, parse_schema

from scanner_extractor.formats.avro.names import Attributes, NamedTypes, listed, worded
from scanner_extractor.formats.avro.types import UNREADABLE, Shape, Types, leaf_of
from scanner_extractor.formats.limits import CUT, MOST_COLUMNS, ColumnList, counted, read_json
from scanner_model.columns import (
    MAP_VALUE,
    Column,
    ColumnPath,
    Lookup,
    ParsedSchema,
    branch,
    element,
    field_segment,
    path_name,
)
from scanner_model.errors import InputInvalid, Problem
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

    def __init__(self, types: Types, *, once: bool = False, most: int = MOST_COLUMNS) -> None:
        self.collected = ColumnList(most)
        self.problems: dict[Problem, None] = {}
        self.holders: dict[ColumnPath, RecordName] = {}
        self.record_tags: dict[ColumnPath, tuple[str, ...]] = {}
        self.symbols: dict[ColumnPath, tuple[str, ...]] = {}
        self.repeated: list[tuple[ColumnPath, str]] = []
        self._types = types
        self._once = once
        self._shown: set[str] = set()
        self._waiting: list[Iterator[_Position]] = []

    def read(self, roots: Sequence[Shape]) -> None:
        """Read every column below *roots*, the alternatives of the root; a root record is not a column."""
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
            self.repeated.append((position.path, shape.opens))
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


_LONGEST = 1_000_000
"""Characters beyond which fastavro is not called: a megabyte costs it some 15 ms."""

_MAX_LENGTH = 200


def fastavro_error(root: object, size: int, foreign: Iterable[str]) -> Problem | None:
    """Check with fastavro a schema of *size* characters whose references define the *foreign* names.

    Returns why it rejects the schema; None where it accepts it or was not called.
    """
    if size > _LONGEST or not isinstance(root, str | list | dict):
        return None
    known = {name: {"type": "record", "name": name, "fields": []} for name in foreign}
    try:
        parse_schema(root, named_schemas=known)
    except (
        SchemaParseException,
        ValueError,
        TypeError,
        KeyError,
        AttributeError,
        IndexError,
        OverflowError,
    ) as error:
        # What fastavro did not foresee comes as the plain error of the line that met it; UnknownType is a ValueError.
        return _problem(f"{type(error).__name__} {error}")
    except RecursionError:
        return _problem("nested too deeply")
    return None


def _problem(why: str) -> Problem:
    why = why if len(why) <= _MAX_LENGTH else f"{why[:_MAX_LENGTH]}…"
    return Problem(
        "$", f"fastavro rejects the schema: {why}", "Apache Avro readers may reject it; its columns are read"
    )


_BARE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
_ONCE = Problem(
    "$",
    "nested uses of named types give too many columns",
    "the columns of each named type are shown at its first use only",
)


def avro_fields(text: str, lookup: Lookup, record: RecordName | None = None) -> ParsedSchema:
    """List the columns of an Avro schema; *lookup* returns the text behind a type's full name or a reference's name.

    *record* picks one of the records of a union at the root; None, or a name that is not there, reads all of it. What
    is wrong at one place is a problem there and leaves the rest; fastavro's refusal is a problem of the whole.
    """
    try:
        return _read(_root(text), lookup, record, len(text))
    except InputInvalid as error:
        return ParsedSchema(problems=(Problem(error.where or "$", error.what, error.hint),))


def _read(root: object, lookup: Lookup, record: RecordName | None, size: int) -> ParsedSchema:
    if isinstance(root, dict) and "type" not in root and isinstance(root.get("types"), list):
        # A protocol (.avpr) is read as the union of its types.
        return _fields(root["types"], worded(root, "namespace"), lookup, record, None)
    return _fields(root, "", lookup, record, size)


def _root(text: str) -> object:
    """Read the JSON of a schema; registries also hold a type's bare name, in quotes or not."""
    bare = text.strip("\ufeff \t\r\n")
    return bare if _BARE_NAME.fullmatch(bare) else read_json(text)


def _fields(root: object, namespace: str, lookup: Lookup, record: RecordName | None, size: int | None) -> ParsedSchema:
    names = NamedTypes(root, lookup, namespace)
    problems: dict[Problem, None] = {}
    types = Types(names)
    shapes = types.alternatives(root, namespace, lambda what: problems.setdefault(Problem("$", what)))
    walk = _walked(types, _chosen(shapes, record))
    problems |= dict.fromkeys(names.problems) | walk.problems
    refused = fastavro_error(root, size, names.foreign()) if size is not None and not problems else None
    records = _records(shapes)
    name = [shape.name for shape in _chosen(shapes, record) if shape.word != "null"]
    return ParsedSchema(
        name=RecordName(name[0]) if len(name) == 1 and name[0] in records else RecordName(""),
        columns=tuple(walk.collected.columns),
        holders=walk.holders,
        record_tags=walk.record_tags,
        symbols=walk.symbols,
        records=records,
        problems=(*problems, refused) if refused else tuple(problems),
    )


def _walked(types: Types, shapes: Sequence[Shape]) -> Walk:
    def read(once: bool, most: int) -> Walk:
        walk = Walk(types, once=once, most=most)
        if not (shapes and all(shape.word == UNREADABLE for shape in shapes)):
            walk.read(shapes)
        return walk

    return counted(read, _ONCE)


def _chosen(shapes: Sequence[Shape], record: RecordName | None) -> Sequence[Shape]:
    named = [shape for shape in shapes if record and shape.word == "record" and shape.name == record]
    return named[:1] or shapes


def _records(shapes: Sequence[Shape]) -> tuple[RecordName, ...]:
    names = [RecordName(shape.name) for shape in shapes if shape.word == "record" and shape.name]
    return tuple(dict.fromkeys(names))
