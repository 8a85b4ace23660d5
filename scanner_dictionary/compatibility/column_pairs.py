"""Pairs the columns of two definitions: identity, siblings, and the types that each may have."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from scanner_dictionary.compatibility.changes import Judgement, best, fine, unclear, worst
from scanner_model.columns import Column, ColumnPath
from scanner_model.schemas import Definition

Key = tuple[str | int, ...]

NULL = "null"
UNION = "union"


class Side:
    """One of the two definitions, with its columns by the path of their parent."""

    def __init__(self, definition: Definition) -> None:
        self.definition = definition
        self._below: dict[ColumnPath, list[Column]] = defaultdict(list)
        for column in definition.columns:
            if column.path:
                self._below[column.path[:-1]].append(column)

    def below(self, path: ColumnPath) -> Sequence[Column]:
        """List the columns directly under *path*, in document order."""
        return self._below.get(path, ())


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnContext:
    """A place in one of the two definitions; *column* is None where the definition does not have it.

    *above* is the column it stands (or would stand) under, None at the top.
    """

    side: Side
    column: Column | None
    above: Column | None = None

    @property
    def existing(self) -> Column:
        """Return the column of a place that the definition has."""
        assert self.column is not None
        return self.column

    @property
    def text(self) -> str:
        """Return the text of the schema."""
        return self.side.definition.text

    @property
    def siblings(self) -> Sequence[Column]:
        """List the siblings of this column, itself included."""
        return self.side.below(self.above.path if self.above else ())

    @property
    def children(self) -> Sequence[Column]:
        """List the columns directly under this one."""
        return self.side.below(self.existing.path)


Reads = Callable[[ColumnContext, ColumnContext], Judgement]
"""Returns whether the reader (first) reads at one place what the writer (second) wrote; one of the two has a column."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """One type that a value may have; *name* is a named type's, empty where the column has none."""

    word: str
    name: str = ""
    logical: str | None = None


Resolves = Callable[[Alternative, Alternative], Judgement]
"""Returns whether a reader's alternative (first) reads a writer's (second)."""


def keyed(definition: Definition, *, by_number: bool) -> dict[Key, Column]:
    """Return the columns by what identifies them: their path, or (*by_number*) field numbers where there are any."""
    keys: dict[ColumnPath, Key] = {(): ()}
    by_key: dict[Key, Column] = {}
    for column in definition.columns:
        above = keys.get(column.path[:-1], column.path[:-1])
        key: Key = (*above, *column.path[-1:])
        if by_number and column.number is not None and (*above, column.number) not in by_key:
            key = (*above, column.number)
        keys[column.path] = key
        by_key[key] = column
    return by_key


def pairs(before: Mapping[Key, Column], after: Mapping[Key, Column]) -> Iterator[Key]:
    """List the keys of both, parents before their children."""
    yield from sorted({*before, *after}, key=lambda key: (len(key), [(type(part) is int, part) for part in key]))


def is_mark(column: Column) -> bool:
    """Return whether a column is not a field: an element, map value, union branch or whole message."""
    return not column.path or column.path[-1][0:1] in ("[", "{", "<")


def is_branch(column: Column) -> bool:
    """Return whether a column is a branch of a union."""
    return bool(column.path) and column.path[-1][0:1] == "<"


def alternatives(side: Side, column: Column, words: Callable[[str], Alternative]) -> tuple[Alternative, ...]:
    """List the types that a value of *column* may have, null too; *words* reads the branches of a plain union."""
    if column.type != UNION:
        branches = [Alternative(column.type, _branch_name(column), column.logical_type)]
    elif column.branches:
        branches = [words(word) for word in column.branches]
    else:
        below = [child for child in side.below(column.path) if is_branch(child)]
        branches = [Alternative(child.type, _branch_name(child), child.logical_type) for child in below]
    # A branch is marked nullable because another may replace it, not because it may be null.
    return (*branches, Alternative(NULL)) if column.nullable and not is_branch(column) else tuple(branches)


def read_all(readers: Sequence[Alternative], writers: Sequence[Alternative], resolves: Resolves) -> Judgement:
    """Return whether each of the *writers*' alternatives is read by one of the *readers*'."""
    if not readers or not writers:
        return unclear("a union whose branches are not known")
    return worst(best((resolves(reader, writer) for reader in readers), fine()) for writer in writers)


def _branch_name(column: Column) -> str:
    return column.path[-1].strip("<>`") if is_branch(column) else ""
