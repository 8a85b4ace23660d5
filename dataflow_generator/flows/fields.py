"""From a column as an engine writes it to the field of the topic: exactly, else whatever the letters' case."""

from __future__ import annotations

from collections.abc import Iterable

from scanner_model.columns import Column
from scanner_model.paths import ColumnPath


class Fields:
    """The fields that a topic has now; none where nobody described it."""

    def __init__(self, columns: Iterable[Column]) -> None:
        self._paths = dict.fromkeys(column.path for column in columns)
        self._folded: dict[ColumnPath, list[ColumnPath]] = {}
        for path in self._paths:
            self._folded.setdefault(_folded(path), []).append(path)

    @property
    def known(self) -> bool:
        """Tell whether anybody described the topic."""
        return bool(self._paths)

    def find(self, path: ColumnPath) -> ColumnPath | None:
        """Find the field; None where there is none, or where several differ in case only and none is exact.

        Source: ksqlDB folds unquoted names to upper case and matches fields whatever their case.
        """
        if path in self._paths:
            return path
        alike = self._folded.get(_folded(path), [])
        return alike[0] if len(alike) == 1 else None


def _folded(path: ColumnPath) -> ColumnPath:
    return tuple(segment.casefold() for segment in path)
