"""A cursor over JSON of another system: each member with its type and its place, and what could not be read of it.

A member that is absent or null has a default; one that is needed, or of another type than documented, raises
PayloadUnexpected with its place. `Unread` turns such errors of single entries into problems: an entry costs itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from scanner_model.errors import PayloadUnexpected, Problem, ScannerError
from scanner_model.fact_types import LARGEST_NUMBER
from scanner_model.names import SourceId

Json = Any
T = TypeVar("T")
E = TypeVar("E")
Payloads = list["Payload"]

_HINT = "the answer is not as documented: check `url` and `type` of this source"
_OF_DATA = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError)
"""What a reader that meets another type than it expects ends with."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TYPES: Mapping[type, str] = {
    type(None): "null",
    bool: "true or false",
    int: "a number",
    float: "a number",
    str: "text",
    list: "a list",
    dict: "an object",
}


class Payload:
    """A JSON value and its place in the answer.

    A getter reads the member that it names, or without a name the value itself, which then must be there.
    """

    __slots__ = ("_parent", "_step", "value")

    def __init__(self, value: Json, step: str | int = "$", parent: Payload | None = None) -> None:
        self.value = value
        self._step = step
        self._parent = parent

    def __bool__(self) -> bool:
        """Return whether the value has any content: null, an empty text, list and object have none."""
        return bool(self.value)

    @property
    def place(self) -> str:
        """Return the JSON path of the value, as `$.tables[3].name`."""
        if self._parent is None:
            return str(self._step)
        return self._parent.place + (f"[{self._step}]" if isinstance(self._step, int) else f".{self._step}")

    def member(self, name: str) -> Payload:
        """Return a member, null if it is absent; raises PayloadUnexpected if this is not an object."""
        members = self.value if type(self.value) is dict else self.members()
        return Payload(members.get(name), name, self)

    def need(self, *names: str) -> Payload:
        """Return the first of *names* that is there, neither null nor an empty text; raises PayloadUnexpected."""
        for name in names:
            found = self.member(name)
            if found.value not in (None, ""):
                return found
        raise self.error(f"has no {' or '.join(map(repr, names))}")

    def text(self, *names: str) -> str:
        """Return the first of *names* that is not empty; empty if absent."""
        return self._typed(str, names) or ""

    def integer(self, *names: str) -> int | None:
        """Return a whole number; None if absent."""
        return self._typed(int, names)

    def number(self) -> int:
        """Return the whole number that this is; raises PayloadUnexpected for anything else."""
        value: int = self._checked(int, ())
        return value

    def flag(self, name: str, *, default: bool = False) -> bool:
        """Return true or false; *default* where it is absent."""
        value = self._typed(bool, (name,))
        return default if value is None else value

    def list(self, *names: str) -> Payloads:
        """Return the entries of a list; none where it is absent."""
        if self._is_absent(names):
            return []
        holder = self._found(names)
        return [Payload(item, at, holder) for at, item in enumerate(holder._checked(list, names) or ())]

    def object(self, *names: str) -> Payload:
        """Return an object; an empty one where it is absent."""
        if self._is_absent(names):
            return Payload({}, names[0], self)
        holder = self._found(names)
        return Payload(holder._checked(dict, names) or {}, holder._step, holder._parent)

    def texts(self, *names: str) -> tuple[str, ...]:
        """Return the texts of a list; none where it is absent."""
        return tuple(item.text() for item in self.list(*names))

    def entries(self, name: str, *, beside: Collection[str] = ()) -> Payloads:
        """Return the entries of a list that the answer must have.

        A server that leaves an empty list out, or writes null, has one of the members *beside* in its answers.
        """
        return self.list(name) if not self.members().keys().isdisjoint(beside) else self.need(name).list()

    def members(self) -> Mapping[str, Json]:
        """Return the members of an object; raises PayloadUnexpected for anything else."""
        value: Mapping[str, Json] = self._checked(dict, ())
        return value

    def items(self) -> Iterator[tuple[str, Payload]]:
        """Yield the members of an object with their names; raises PayloadUnexpected for anything else."""
        return ((name, Payload(value, name, self)) for name, value in self.members().items())

    def time(self, *names: str) -> datetime | None:
        """Return a time: epoch milliseconds, as number or text, or ISO 8601; None for what no calendar has."""
        value = self._found(names)
        with suppress(ValueError, OverflowError):
            if type(value.value) is int or (isinstance(value.value, str) and value.value.strip("-").isdecimal()):
                return _EPOCH + timedelta(milliseconds=int(value.value))
            moment = datetime.fromisoformat(value._checked(str, names) or "")
            return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return None

    def shown(self, *names: str) -> str:
        """Return the first of *names* that is a text, to name this value; empty if none is, whatever this is."""
        members = self.value if isinstance(self.value, dict) else {}
        return next((text for name in names if isinstance(text := members.get(name), str) and text), "")

    def error(self, what: str) -> PayloadUnexpected:
        """Return the error that this value is wrong."""
        return PayloadUnexpected(f"{self.place} {what}", hint=_HINT)

    def _is_absent(self, names: tuple[str, ...]) -> bool:
        """Return whether none of *names* is there, as with most members of most entries."""
        if not names or type(self.value) is not dict:
            return False
        members = self.value
        return members.get(names[0]) is None and all(members.get(name) is None for name in names[1:])

    def _typed(self, kind: type[T], names: tuple[str, ...]) -> T | None:
        if type(self.value) is dict and len(names) == 1:  # nearly always, and there are many
            found = self.value.get(names[0])
            if found is None or (type(found) is kind and type(found) is not int):
                return found
        value: T | None = self._found(names)._checked(kind, names)
        return value

    def _found(self, names: tuple[str, ...]) -> Payload:
        """Return the first of *names* that has content, else the last of them; without names the value itself."""
        found = self
        for name in names:
            found = self.member(name)
            if found.value is not None and found.value != "":
                break
        return found

    def _checked(self, kind: type, optional: tuple[str, ...]) -> Any:  # noqa: ANN401  a value of *kind*
        if type(self.value) is not kind and (self.value is not None or not optional):
            wanted = "a whole number" if kind is int and type(self.value) is float else _TYPES[kind]
            raise self.error(f"is {_TYPES.get(type(self.value), 'unknown')}, not {wanted}")
        if type(self.value) is int and not -LARGEST_NUMBER - 1 <= self.value <= LARGEST_NUMBER:
            raise self.error("is a number of more than 64 bits")
        return self.value


def canonical(value: Json) -> str:
    """Write JSON in one way, whatever order it came in; empty if it is nested too deeply to be written."""
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    except RecursionError:
        return ""


@dataclass(slots=True)
class Unread:
    """What exists in a source and could not be read: by name, and whether there is anything that has none."""

    source: SourceId
    names: set[str] = field(default_factory=set)
    nameless: int = 0
    problems: list[Problem] = field(default_factory=list)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.names) + self.nameless

    @property
    def known(self) -> frozenset[str]:
        """Return the names; none where one is missing, as that entry may be any that is not listed."""
        return frozenset() if self.nameless else frozenset(self.names)

    def read(self, entries: Iterable[E], read: Callable[[E], T], name: Callable[[E], str]) -> Iterator[T]:
        """Yield what *read* returns for each of *entries*; one that cannot be read is a problem."""
        for entry in entries:
            try:
                yield read(entry)
            except PayloadUnexpected as error:
                self.add(name(entry), error)
            except _OF_DATA as error:
                self.add(name(entry), PayloadUnexpected(f"its data is not as documented ({error!r:.200})", hint=_HINT))

    def add(self, name: str, error: ScannerError) -> None:
        """Report an object that cannot be read; *name* is empty without a name."""
        if name:
            self.names.add(name)
        else:
            self.nameless += 1
        self.problems.append(Problem(f"{self.source} {name}".rstrip(), f"it cannot be read: {error.what}", error.hint))
