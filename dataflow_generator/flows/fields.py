"""From a column as an engine writes it to the field of the topic: exactly, else whatever the letters' case."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from scanner_model.columns import Column
from scanner_model.paths import ELEMENT, KEY, MAP_VALUE, ColumnPath


class Fields:
    """The fields that a topic has now; none where nobody described it."""

    def __init__(self, columns: Iterable[Column]) -> None:
        listed = tuple(columns)
        self._paths = dict.fromkeys(column.path for column in listed)
        self._unlisted = {_folded(written): path for written, path in unlisted(listed).items()}
        self._folded: dict[ColumnPath, list[ColumnPath]] = {}
        for path in self._paths:
            for alike in {_folded(path), _folded(unmarked(path)), _folded(_branched(path))}:
                self._folded.setdefault(alike, []).append(path)
        for column in listed:
            for name in column.branches:
                self._folded.setdefault(_folded((*column.path, _simple(name))), []).append(column.path)

    @property
    def known(self) -> bool:
        """Tell whether anybody described the topic."""
        return bool(self._paths)

    def find(self, path: ColumnPath, *, key: bool = False, whole: bool = False) -> ColumnPath | None:
        """Return the field; None where there is none, or where several differ in case only and none is exact.

        A field of the value is found before one of the key (whose path begins with `@key`), or after it where *key*. A
        key that is one plain value is its column, whatever that is called. *whole*: the column is the whole key or
        value, so its own name is no step in the path.

        A field of an array's or a map's elements is written without them: `items.sku` is `items.[].sku`. A field inside
        a value whose fields are no columns is that value's: `at.seconds` of a Protobuf timestamp is `at`. A branch of a
        union is written as a field of it: `choice.int` is `choice` where its branches are plain, else `choice.<int>`.
        Source: ksqlDB folds unquoted names to upper case and matches fields whatever their case.
        """
        sides: tuple[ColumnPath, ...] = ((KEY, *path), path) if key else (path, (KEY, *path))
        if whole:
            sides = ((KEY, *path[1:]) if key else path[1:], *sides)
        found = next((each for each in map(self._on_side, sides) if each is not None), None)
        return found if found is not None else ((KEY,) if key and self._paths.keys() & {(KEY,)} else None)

    def _on_side(self, path: ColumnPath) -> ColumnPath | None:
        if path in self._paths:
            return path
        alike = self._folded.get(_folded(path), [])
        if len(alike) == 1:
            return alike[0]
        return around(_folded(path), self._unlisted)


def unlisted(columns: Iterable[Column]) -> Mapping[ColumnPath, ColumnPath]:
    """Return the columns whose value has fields that are no columns, by their paths as SQL writes them."""
    listed = tuple(columns)
    found = [column.path for column in listed if column.unlisted and column.path]
    parents = {column.path[:-1] for column in listed} if found else set()
    return {unmarked(path): path for path in found if path not in parents}


def around(path: ColumnPath, unlisted: Mapping[ColumnPath, ColumnPath]) -> ColumnPath | None:
    """Return the column that a field on *path* is inside of, where its value has fields that are no columns."""
    above = (path[:steps] for steps in range(len(path) - 1, 0, -1)) if unlisted else ()
    return next((unlisted[each] for each in above if each in unlisted), None)


def unmarked(path: ColumnPath) -> ColumnPath:
    """Give a path as SQL writes it: subscripts of arrays and maps leave no step in it; a last one is the collection."""
    return tuple(segment for segment in path[:-1] if segment not in (ELEMENT, MAP_VALUE)) + path[-1:]


def _branched(path: ColumnPath) -> ColumnPath:
    """Return *path* as SQL writes it, branches of unions by their simple names; other marks leave no step."""
    names = (_simple(each[1:-1]) if each.startswith("<") else each for each in path)
    return unmarked(tuple(names))


def _simple(name: str) -> str:
    return name.rpartition(".")[2]


def _folded(path: ColumnPath) -> ColumnPath:
    return tuple(segment.casefold() for segment in path)
