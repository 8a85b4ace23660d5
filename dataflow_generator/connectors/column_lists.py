"""Debezium's lists of columns: which it leaves out, hides or changes before any transform sees them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from dataflow_generator.connectors.config import Config
from dataflow_generator.connectors.flows import Dataset
from dataflow_generator.connectors.java_regex import java_regex
from scanner_model.errors import InputInvalid
from scanner_model.paths import ColumnPath

_INCLUDED = ("column.include.list", "column.whitelist")
_EXCLUDED = ("column.exclude.list", "column.blacklist")
_MASKED = "column.mask.with."
_CHANGED = ("column.mask.hash.", "column.truncate.to.")


class Treatment(Enum):
    """What becomes of a column's values."""

    COPIED = "copied"
    CHANGED = "changed"
    """Cut off or hashed: another value, which is still made of the column's."""
    MASKED = "masked"
    LEFT_OUT = "left out"


@dataclass(frozen=True, slots=True)
class ColumnLists:
    """The lists of one configuration, each with its key and its patterns."""

    included: tuple[str, tuple[str, ...]]
    excluded: tuple[str, tuple[str, ...]]
    treated: tuple[tuple[Treatment, str, tuple[str, ...]], ...]

    @classmethod
    def of(cls, config: Config) -> ColumnLists:
        """Read the lists.

        They hold Java regexes of `schema.table.column`, or `database.table.column` where a database has no schemas.
        """
        lists = ((config.key(*keys), config.items(*keys)) for keys in (_INCLUDED, _EXCLUDED))
        return cls(next(lists), next(lists), tuple((what, key, config.items(key)) for what, key in _treated(config)))

    def treatment(self, table: Dataset, column: ColumnPath) -> tuple[Treatment, str]:
        """Tell what becomes of a column of *table*, and the key that says so, empty where none does."""
        (included, chosen), (excluded, others) = self.included, self.excluded
        if not column or not (chosen or others or self.treated):
            return Treatment.COPIED, ""
        parts = (*table.name.split("."), column[0])
        names = tuple(".".join(parts[-count:]) for count in (3, 4) if count <= len(parts)) or (".".join(parts),)
        if _holds(others, names):
            return Treatment.LEFT_OUT, excluded
        if chosen and not _holds(chosen, names):
            return Treatment.LEFT_OUT, included
        found = ((what, key) for what, key, patterns in self.treated if _holds(patterns, names))
        return next(found, (Treatment.COPIED, ""))


def _treated(config: Config) -> Iterator[tuple[Treatment, str]]:
    for key, _ in config.pairs:
        if key.startswith(_MASKED):
            yield Treatment.MASKED, key
        elif key.startswith(_CHANGED):
            yield Treatment.CHANGED, key


def _holds(patterns: tuple[str, ...], names: tuple[str, ...]) -> bool:
    return any(_matches(pattern, name) for pattern in patterns for name in names)


def _matches(pattern: str, name: str) -> bool:
    try:
        return java_regex(pattern).matches(name)
    except InputInvalid:
        return False
