"""Columns of a topic that has no schema, inferred from sample payloads in JSON; no value of a sample is kept."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Protocol

from scanner_extractor.formats.limits import CUT, ColumnList, read_json
from scanner_model.columns import Column, ColumnPath, Lookup, ParsedSchema, branch, element, field_segment
from scanner_model.errors import InputInvalid, Problem
from scanner_model.names import RecordName

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


class ObservedValues:
    """All values of one position in all samples; *count* is in how many values of its parent it was there."""

    __slots__ = ("_formats", "_kinds", "count", "items", "members", "objects")

    def __init__(self) -> None:
        self.count = 0
        self.objects = 0
        self.members: dict[str, ObservedValues] = {}
        self.items: ObservedValues | None = None
        self._kinds: dict[str, None] = {}
        self._formats: frozenset[str] | None = None

    @property
    def null(self) -> bool:
        """Return whether null was seen."""
        return "null" in self._kinds

    @property
    def kinds(self) -> tuple[str, ...]:
        """List JSON Schema's words for what was seen but null, in order of appearance; integers are numbers too."""
        names = [kind for kind in self._kinds if kind != "null"]
        if "number" in names:
            names = ["number" if kind == "integer" else kind for kind in names]
        return tuple(dict.fromkeys(names))

    @property
    def format(self) -> str | None:
        """Return the format that every text seen has; None where they differ or have none."""
        return min(self._formats) if self._formats else None

    def add(self, value: object) -> None:
        """Add one more value, however deep, without recursion."""
        waiting: list[tuple[ObservedValues, object]] = [(self, value)]
        while waiting:
            values, inner = waiting.pop()
            waiting.extend(values._take(inner))

    def _take(self, value: object) -> list[tuple[ObservedValues, object]]:
        """Add *value* itself, and return its members with their positions, the last one first."""
        self.count += 1
        self._kinds[_KINDS[type(value)]] = None
        if isinstance(value, str):
            matching = _formats(value) if self._formats != frozenset() else frozenset()
            self._formats = matching if self._formats is None else self._formats & matching
        elif isinstance(value, dict):
            self.objects += 1
            return [(self.members.setdefault(key, ObservedValues()), inner) for key, inner in value.items()][::-1]
        elif isinstance(value, list) and value:
            self.items = items = self.items or ObservedValues()
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


_MAX_PROBLEMS = 20


def json_payload_fields(text: str, _lookup: Lookup, _record: RecordName | None = None) -> ParsedSchema:
    """List the columns that sample payloads show: one JSON document, one a line, or an array of objects.

    A place that is null or absent in a sample is nullable; kinds that differ between samples make a union. No object
    is guessed to be a map. A line that is not JSON is a problem, and the other lines are read.
    """
    try:
        samples, problems = _samples(text)
    except InputInvalid as error:
        return ParsedSchema(problems=(Problem(error.where or "$", error.what, error.hint),))
    root = ObservedValues()
    for sample in samples:
        root.add(sample)
    collected = _columns(root)
    return ParsedSchema(columns=tuple(collected.columns), problems=(*problems, CUT) if collected.cut else problems)


def _samples(text: str) -> tuple[Sequence[object], tuple[Problem, ...]]:
    try:
        document = read_json(text)
    except InputInvalid:
        lines = _lines(text)
        if not lines:
            raise
        return lines
    if isinstance(document, list) and document and all(isinstance(item, dict) for item in document):
        return document, ()
    return [document], ()


def _lines(text: str) -> tuple[Sequence[object], tuple[Problem, ...]] | None:
    """Read one document per line; None if the first line is not a document, so that a broken document is not split."""
    samples: list[object] = []
    problems: list[Problem] = []
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if not line.strip():
            continue
        try:
            samples.append(read_json(line))
        except InputInvalid as error:
            if not samples:
                return None
            problems.append(Problem(f"line {number}", error.what, "the other lines are read"))
    if len(problems) > _MAX_PROBLEMS:
        more = f"{len(problems) - _MAX_PROBLEMS} more lines are not JSON"
        problems = [*problems[:_MAX_PROBLEMS], Problem("$", more, "the other lines are read")]
    return (samples, tuple(problems)) if samples else None


@dataclass(frozen=True, slots=True)
class _Position:
    """A place to be listed: all that it held, or of a union's branch only the *kind* that the branch is."""

    path: ColumnPath
    observed: ObservedValues
    nullable: bool
    kind: str | None = None


def _columns(root: ObservedValues) -> ColumnList:
    columns = ColumnList()
    waiting = [_Position((), root, root.null)]
    if root.kinds == ("object",) and not root.null:
        waiting = list(_inside(waiting[0], "object"))[::-1]
    while waiting and not columns.full:
        position = waiting.pop()
        kinds = (position.kind,) if position.kind else position.observed.kinds
        inner = list(_branches(position, kinds) if len(kinds) > 1 else _inside(position, kinds[0] if kinds else "null"))
        if (
            columns.add(_column(position, kinds, plain=not inner))
            and inner
            and not columns.too_deep(len(position.path) + 1)
        ):
            waiting.extend(reversed(inner))
    return columns


def _column(position: _Position, kinds: Sequence[str], *, plain: bool) -> Column:
    nullable = position.nullable or not kinds
    if len(kinds) > 1:
        return Column(path=position.path, type="union", nullable=nullable, branches=tuple(kinds) if plain else ())
    kind = kinds[0] if kinds else "null"
    logical = position.observed.format if kind == "string" else None
    return Column(path=position.path, type=kind, logical_type=logical, nullable=nullable)


def _inside(position: _Position, kind: str) -> Iterator[_Position]:
    """List the members of an object, the element of an array; nothing for other kinds."""
    observed = position.observed
    if kind == "object":
        for name, member in observed.members.items():
            absent = member.count < observed.objects
            yield _Position((*position.path, field_segment(name)), member, absent or member.null)
    elif kind == "array" and observed.items:
        yield _Position((*position.path, element()), observed.items, observed.items.null)


def _branches(position: _Position, kinds: Sequence[str]) -> Iterator[_Position]:
    """List each kind as a branch where any has columns of its own; nothing where all are plain."""
    if {"object", "array"} & set(kinds):
        for kind in kinds:
            yield _Position((*position.path, branch(kind)), position.observed, True, kind)
