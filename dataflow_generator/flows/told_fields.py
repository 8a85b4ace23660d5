"""From a column as an event writes it to the column that the dataset has: prefixes, dotted names, whole records."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from dataflow_generator.flows.fields import around
from scanner_model.paths import KEY, ColumnPath

_PREFIXES = (("key.", True), ("value.", False), ("payload.after.", False), ("after.", False))
"""What producers put before a field of a message, and whether it is then one of the key."""
_ENVELOPES: tuple[ColumnPath, ...] = ((), ("after",), ("payload", "after"))
_ROOTS: Mapping[str, ColumnPath] = {"key": (KEY,), "value": ()}


class ToldFields:
    """The columns of a dataset by the ways in which events write them; *topic*: it holds messages of key and value.

    *unlisted* are columns whose value has fields that are no columns: such a field is the column that it is inside of.
    """

    def __init__(
        self, paths: Iterable[ColumnPath], *, topic: bool, unlisted: Mapping[ColumnPath, ColumnPath] | None = None
    ) -> None:
        self._paths = frozenset(paths)
        self._unlisted = unlisted or {}
        self._dotted = {".".join(path): path for path in sorted(self._paths, reverse=True)}
        self._topic = topic

    def find(self, path: ColumnPath | None) -> ColumnPath | None:
        """Find the column; None is the whole dataset: Spark's `value` is the whole message. Unknown ones stay.

        `value` and `key` are also the one value that a message without fields, or its key, is.
        """
        if path is None or path in self._paths or len(path) != 1:
            return path
        name = path[0]
        if found := self._dotted.get(name):
            return found
        if name in _ROOTS and _ROOTS[name] in self._paths:
            return _ROOTS[name]
        if not self._topic:
            return path
        return self._of_message(name) or (None if name in _ROOTS else path)

    def _of_message(self, name: str) -> ColumnPath | None:
        stripped = [(name.removeprefix(start), key) for start, key in _PREFIXES if name.startswith(start)]
        for plain, key in (*stripped, (name, False)):
            sides: Collection[ColumnPath] = [(KEY,)] if key else _ENVELOPES
            for side in sides:
                written = (*side, *plain.split("."))
                if found := self._dotted.get(".".join(written)) or around(written, self._unlisted):
                    return found
        return None
