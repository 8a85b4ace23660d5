"""What a place in sample JSON documents has held: kinds, nulls, members, elements. It keeps no value of a sample."""

from __future__ import annotations

import re
from datetime import date, datetime, time
from typing import Protocol

_KINDS = {
    bool: "boolean",
    dict: "object",
    float: "number",
    int: "integer",
    list: "array",
    str: "string",
    type(None): "null",
}


class _Read(Protocol):
    def __call__(self, text: str, /) -> object: ...


_FORMATS: dict[str, tuple[re.Pattern[str], _Read]] = {
    "date": (re.compile(r"\d{4}-\d\d-\d\d"), date.fromisoformat),
    "date-time": (
        re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d([.,]\d{1,9})?)?([Zz]|[+-]\d\d(:?\d\d)?)?"),
        datetime.fromisoformat,
    ),
    "time": (re.compile(r"\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)?"), time.fromisoformat),
    "uuid": (re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"), str),
}
"""Formats of text under the names that JSON Schema gives them: how they look, and what refuses an impossible date."""


class Seen:
    """Everything that one place has held in all samples; *count* is in how many values of its parent it was there."""

    __slots__ = ("_formats", "_kinds", "count", "items", "members", "objects")

    def __init__(self) -> None:
        self.count = 0
        self.objects = 0
        self.members: dict[str, Seen] = {}
        self.items: Seen | None = None
        self._kinds: dict[str, None] = {}
        self._formats: frozenset[str] | None = None

    @property
    def null(self) -> bool:
        """Tell whether null was seen."""
        return "null" in self._kinds

    @property
    def kinds(self) -> tuple[str, ...]:
        """List JSON Schema's words for what was seen but null, in order of appearance; integers are numbers too."""
        found = [kind for kind in self._kinds if kind != "null"]
        if "number" in found:
            found = ["number" if kind == "integer" else kind for kind in found]
        return tuple(dict.fromkeys(found))

    @property
    def format(self) -> str | None:
        """Give the format that every text seen has; None where they differ or have none."""
        return min(self._formats) if self._formats else None

    def add(self, value: object) -> None:
        """Take in one more value, however deep, without recursion."""
        waiting: list[tuple[Seen, object]] = [(self, value)]
        while waiting:
            seen, inner = waiting.pop()
            waiting.extend(seen._take(inner))

    def _take(self, value: object) -> list[tuple[Seen, object]]:
        """Note *value* itself, and give what stands inside it with the places it belongs to, the last one first."""
        self.count += 1
        self._kinds[_KINDS[type(value)]] = None
        if isinstance(value, str):
            matching = _formats(value) if self._formats != frozenset() else frozenset()
            self._formats = matching if self._formats is None else self._formats & matching
        elif isinstance(value, dict):
            self.objects += 1
            return [(self.members.setdefault(key, Seen()), inner) for key, inner in value.items()][::-1]
        elif isinstance(value, list) and value:
            self.items = items = self.items or Seen()
            return [(items, inner) for inner in reversed(value)]
        return []


def _formats(text: str) -> frozenset[str]:
    return frozenset(
        name for name, (pattern, read) in _FORMATS.items() if pattern.fullmatch(text) and _reads(read, text)
    )


def _reads(read: _Read, text: str) -> bool:
    try:
        read(text)
    except ValueError:
        return False
    return True
