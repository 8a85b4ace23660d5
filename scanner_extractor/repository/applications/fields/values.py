"""What is known of values: their types, the messages that they are a part of, and the records that code makes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from scanner_extractor.repository.applications.fields.parts import Class, Function, Kind, Part, SourceFile

DEEPEST_PATH = 8
"""Maximum members of a path in a message."""
Path = tuple[str, ...]


class TopicUse(NamedTuple):
    """A program that reads or writes a topic, and the file and line of the call, annotation or setting."""

    job: str
    topic: str
    writes: bool


@dataclass(frozen=True, slots=True)
class KnownValue:
    """What is known of a value: its type, contents, the messages that it is a part of, and the records made here.

    *sources* are pairs of the number of a read use and the path in its message; *made* are numbers of records.
    """

    type: str = ""
    args: tuple[KnownValue, ...] = ()
    sources: frozenset[tuple[int, Path]] = frozenset()
    made: frozenset[int] = frozenset()

    @property
    def content(self) -> KnownValue:
        """Return what a collection or record holds; a value that holds nothing is its own content."""
        return self.args[-1] if self.args else replace(self, type="")

    def held(self) -> Iterator[KnownValue]:
        """Yield the value and what it holds."""
        yield self
        for inner in self.args:
            yield from inner.held()


UNKNOWN = KnownValue()


def joined(values: Iterable[KnownValue]) -> KnownValue:
    """Return what is known of a value that is one of several."""
    known = [value for value in values if value != UNKNOWN]
    if len(known) < 2:
        return known[0] if known else UNKNOWN
    longest = max((value.args for value in known), key=len)
    lists = [value.args for value in known if len(value.args) == len(longest)]
    args = tuple(joined(column) for column in zip(*lists, strict=True))
    return KnownValue(
        next((value.type for value in known if value.type), ""),
        args,
        frozenset().union(*(value.sources for value in known)),
        frozenset().union(*(value.made for value in known)),
    )


@dataclass(slots=True)
class Made:
    """A record that code makes: its class, its members with the places that set them, and what is copied into it."""

    of: Class | None
    file: SourceFile
    members: dict[str, tuple[KnownValue, set[str]]] = field(default_factory=dict)
    copies: set[int] = field(default_factory=set)
    place: str = ""


@dataclass(slots=True)
class FunctionScope:
    """The names that are bound in a function, with those around it; *receiver* is what its block is called on."""

    function: Function
    file: SourceFile
    names: dict[str, KnownValue] = field(default_factory=dict)
    outer: FunctionScope | None = None
    receiver: str = ""

    def find(self, name: str) -> KnownValue | None:
        """Return the value of a name; None if it is not bound."""
        scope: FunctionScope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        return None


def inside(value: KnownValue, sources: Iterable[tuple[int, Path]], wire: str) -> KnownValue:
    """Return a member of messages with its place in them; of a list, what it holds has the place."""
    below = frozenset((number, (*path, wire)) for number, path in sources if len(path) < DEEPEST_PATH)
    if value.args:
        return KnownValue(value.type, (*value.args[:-1], _inside(value.args[-1], below)))
    return replace(value, sources=value.sources | below)


def _inside(value: KnownValue, sources: frozenset[tuple[int, Path]]) -> KnownValue:
    if value.args:
        return KnownValue(value.type, (*value.args[:-1], _inside(value.args[-1], sources)))
    return replace(value, sources=value.sources | sources)


def text_of_part(part: Part) -> str | None:
    """Return the text of a literal; None for anything else."""
    while part.kind in (Kind.CHOICE, Kind.GROUP) and len(part.parts) == 1:
        part = part.parts[0]
    return part.text if part.kind is Kind.TEXT and not part.parts else None
