"""Read JSON Schema as columns, breadth first, so that truncation is even."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from scanner_extractor.formats.json_schema.allof import MergeProblem, Parts
from scanner_extractor.formats.json_schema.members import entered
from scanner_extractor.formats.json_schema.model import Shape
from scanner_extractor.formats.json_schema.references import References
from scanner_extractor.formats.json_schema.shapes import Shapes
from scanner_extractor.formats.limits import MOST_CHARACTERS, read_json
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

MOST_COLUMNS = 50_000
"""Columns beyond which nothing deeper is read: definitions that use each other a dozen ways multiply without end."""

DEEPEST_PATH = 200
"""Segments of one path."""

_MOST_AT_ALL = 2 * MOST_COLUMNS
"""Columns beyond which no further one is read, not even beside others."""

_SHOWN = 24
"""Segments of a path that a problem shows."""


def json_schema_fields(text: str, lookup: Lookup, _record: RecordName | None) -> ParsedSchema:
    """List the columns of a JSON Schema of any draft from 4 to 2020-12, and of none (read as draft 7).

    *lookup* returns the text behind a `$ref`'s URI; a text has one root, so the record does not choose. A root that
    is an object has no column of its own. A property that may be left out is nullable; an element or a map value is
    where its own type allows null. `additionalProperties` and all `patternProperties` are the column `{}`: a union
    where they differ. A recursion is cut where a schema is referred to from inside its own properties; `recursive`
    is the reference.
    """
    try:
        root = read_json(text)
    except InputInvalid as error:
        return ParsedSchema(problems=(Problem(error.where or "$", error.what, error.hint),))
    if not isinstance(root, dict | bool):
        hint = "a JSON Schema is an object, or true or false"
        return ParsedSchema(problems=(Problem("$", f"not a JSON Schema: {type(root).__name__}", hint),))
    return _Walk(References(root, lookup)).read()


@dataclass(slots=True, kw_only=True)
class _Node:
    """A column, what is inside it, and the node above it.

    *inside* are the identities of the schemas that list it, and of those that these are a part of.
    """

    column: Column
    shape: Shape
    inside: frozenset[int]
    above: _Node | None
    children: list[_Node] = field(default_factory=list)


class _Walk:
    def __init__(self, references: References) -> None:
        self._root = references.root
        self._shapes = Shapes(references)
        self._problems: dict[MergeProblem, Problem] = {}
        self._columns = 0
        self._characters = 0

    def read(self) -> ParsedSchema:
        """Read everything below the root."""
        root = self._node((self._root,), (), required=True)
        if root is None:
            self._report((), ("no message can match the schema", "its root is, or comes to, the schema false"))
            return ParsedSchema(problems=tuple(self._problems.values()), empty=True)
        self._grow(root)
        nodes = list(_in_order(root))
        title = RecordName(root.shape.title)
        is_record = root.column.type == "object"
        return ParsedSchema(
            name=title,
            columns=tuple(node.column for node in (nodes[1:] if is_record else nodes)),
            symbols={node.column.path: node.shape.symbols for node in nodes if node.shape.symbols},
            record_tags={(): root.shape.tags} if is_record and root.shape.tags else {},
            records=(title,) if title else (),
            problems=tuple(self._problems.values()),
        )

    def _grow(self, root: _Node) -> None:
        """Add the columns below *root* level by level, up to the bounds."""
        waiting = deque([root])
        while waiting:
            node = waiting.popleft()
            if node.column.recursive is not None or node.shape.plain:
                continue
            if self._columns >= MOST_COLUMNS or len(node.column.path) >= DEEPEST_PATH or self._shapes.exhausted:
                self._cut(node)
                continue
            node.children.extend(self._children(node))
            waiting.extend(node.children)

    def _children(self, node: _Node) -> Iterator[_Node]:
        path, shape = node.column.path, node.shape
        subschemas = [(field_segment(member.name), member.parts, member.required) for member in shape.members]
        subschemas += [(element(index), parts, True) for index, parts in shape.subschemas]
        subschemas += [(element(), shape.element, True)] if shape.element else []
        subschemas += [(MAP_VALUE, shape.value, True)] if shape.value else []
        spots = [(segment, parts, required, entered(parts)) for segment, parts, required in subschemas]
        spots += [(branch(option.name), option.parts, False, option.inside) for option in shape.branches]
        for segment, parts, required, inside in spots:
            if self._columns >= _MOST_AT_ALL or self._characters > MOST_CHARACTERS or self._shapes.exhausted:
                self._cut(node)
                return
            child = self._node(parts, (*path, segment), required=required, inside=inside, above=node)
            if child:
                yield child

    def _node(
        self,
        parts: Parts,
        path: ColumnPath,
        *,
        required: bool,
        inside: frozenset[int] = frozenset(),
        above: _Node | None = None,
    ) -> _Node | None:
        shape = self._shapes.of(parts)
        for finding in shape.problems:
            self._report(path, finding)
        if not shape.possible:
            return None
        self._columns += 1
        self._characters += sum(map(len, path))
        node = _Node(column=_column(path, shape, required=required), shape=shape, inside=inside, above=above)
        if shape.references and (text := _recursion(node)):
            node.column = replace(node.column, recursive=text)
        return node

    def _cut(self, node: _Node) -> None:
        path = node.column.path
        if len(path) >= DEEPEST_PATH:
            self._report(path, (f"nested more than {DEEPEST_PATH} levels deep", "what lies below was not read"))
        elif self._characters > MOST_CHARACTERS:
            self._report(path, ("names too long to be kept", "from here on nothing was read"))
        elif self._columns >= MOST_COLUMNS:
            self._report(path, (f"more than {MOST_COLUMNS} columns", "from here on nothing deeper was read"))
        else:
            self._report(path, ("definitions refer to each other too often", "from here on nothing deeper was read"))

    def _report(self, path: ColumnPath, finding: MergeProblem) -> None:
        where = path_name(path[:_SHOWN]) + ("…" if len(path) > _SHOWN else "")
        self._problems.setdefault(finding, Problem(where or "$", *finding))


def _recursion(node: _Node) -> str | None:
    """Return the reference from *node* back to a schema that contains it."""
    targets = frozenset(target for target, _ in node.shape.references)
    subschema: _Node | None = node
    while subschema:
        if not subschema.inside.isdisjoint(targets):
            return next(text for target, text in node.shape.references if target in subschema.inside)
        subschema = subschema.above
    return None


def _column(path: ColumnPath, shape: Shape, *, required: bool) -> Column:
    return Column(
        path=path,
        type=shape.type,
        logical_type=shape.logical_type,
        nullable=not required or shape.nullable,
        default=shape.default,
        doc=shape.doc,
        tags=shape.tags,
        branches=shape.words,
    )


def _in_order(root: _Node) -> Iterator[_Node]:
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(node.children))
