"""Which fields of received records code uses: those that it asks for, and all of them where it gives a record away."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from scanner_programs.machine import Access, Machine
from scanner_programs.program import Known, Place, Program, base_type, elements_of
from scanner_programs.received.origins import Origin, OriginReader
from scanner_programs.received.receives import Receives
from scanner_programs.shapes import wire_name
from scanner_programs.values import Apply, Get, Thing, Value

_MOST_NODES = 40_000
_FURTHEST = 40
_DEEPEST = 2


class Used(NamedTuple):
    """A field of the records of a topic that code uses; an empty path stands for all fields.

    *files* are those of the functions on the way. Where the topic is not known, it is the place that names it.
    """

    topic: str
    path: tuple[str, ...]
    place: tuple[str, int]
    files: tuple[str, ...]


class ReadAs(NamedTuple):
    """The class that the records of a topic are read as, by its simple name.

    Of one that the program declares, *place* is where, and *fields* are those of records with the types, by path.
    """

    topic: str
    name: str
    place: tuple[str, int]
    fields: tuple[tuple[tuple[str, ...], str], ...]
    files: tuple[str, ...]


class _Found(NamedTuple):
    origin: Origin
    place: tuple[str, int]
    files: tuple[str, ...]
    view: Place
    only: frozenset[str]
    never: frozenset[str]


@dataclass(slots=True)
class FieldUses:
    """The uses of a program, view by view.

    *compared* returns the topics that a condition says records come from, and those that they do not come from.
    *is_cut* says that a limit ended the look for what fields values are.
    """

    machine: Machine
    receives: Receives
    reader: Callable[[Place], OriginReader]
    compared: Callable[[Value], tuple[frozenset[str], frozenset[str]]]
    is_cut: bool = False
    _found: dict[tuple[object, ...], _Found] = field(default_factory=dict)
    _kinds: dict[tuple[object, ...], tuple[_Found, str, Known | None]] = field(default_factory=dict)
    _tests: dict[int, tuple[Value, tuple[frozenset[str], frozenset[str]]]] = field(default_factory=dict)

    def clear(self) -> None:
        """Forget what was found: another evaluation knows more."""
        self._found.clear()
        self._kinds.clear()

    def add(self, view: Place) -> None:
        """Add what the evaluation of a view came to."""
        machine = self.machine
        if not machine.accesses and not machine.given:
            return
        origins = self.reader(view)
        origins.left, origins.is_strict = _MOST_NODES, True
        fields = [(one, listed) for one in machine.accesses if (listed := list(_fields(one.value, origins)))]
        gone_on = {_key(inner) for one, _ in fields for inner in _before(one.value)}
        given = {_key(one.value) for one in machine.given}
        ends = given.union(map(_key, machine.compared))
        for one, listed in fields:
            for before in _objects(one.value):
                self._note_kind(before, one, origins, view)
            if _key(one.value) not in gone_on - ends:
                for origin in listed:
                    self._note(origin, one, view)
        followed = gone_on | given | {_key(one.value) for one, _ in fields}
        for one in machine.given:
            self._note_kind(one.value, one, origins, view)
            for origin in origins.of(one.value):
                if self._is_whole(origin, one.value) and not self._goes_on(one, origin, origins, followed):
                    self._note(origin, one, view)
        self.is_cut |= origins.left <= 0

    def _is_whole(self, origin: Origin, value: Value) -> bool:
        """Return whether a value is that of a record as a whole, not the record with what clients say of it."""
        return not origin.path and (origin.inside or self.machine.known_type(value) is not None)

    def _goes_on(self, one: Access, origin: Origin, origins: OriginReader, followed: set[tuple[object, ...]]) -> bool:
        """Return whether what is made of a record is another form of it, whose parts are used further on."""
        if not (origin.exact or origin.form):
            return True  # what was computed of it is known from there
        if one.result is None or _key(one.result) not in followed:
            return False
        return any(each.root is origin.root and (each.exact or each.form) for each in origins.of(one.result))

    def _note(self, origin: Origin, one: Access, view: Place) -> None:
        known = self._known(origin, one, view)
        self._found[id(origin.root), origin[1:], *known[1:3], id(view), *known[4:]] = known

    def _note_kind(self, value: Value, one: Access, origins: OriginReader, view: Place) -> None:
        """Note the class of a value that is that of a record as a whole."""
        name, known = self.machine.kind_of(value)
        for origin in origins.of(value) if name else ():
            if self._is_whole(origin, value) and (origin.exact or origin.form):
                found = self._known(origin, one, view)
                self._kinds[id(origin.root), origin[1:], name, id(known), *found[4:]] = found, name, known

    def _known(self, origin: Origin, one: Access, view: Place) -> _Found:
        only, never = frozenset[str](), frozenset[str]()
        for guard in one.guards:
            if id(guard) not in self._tests:
                self._tests[id(guard)] = guard, self.compared(guard)
            wanted, other = self._tests[id(guard)][1]
            only, never = (only & wanted if only and wanted else only | wanted), never | other
        files = tuple(dict.fromkeys((one.place[0], *reversed(one.files))))
        return _Found(origin, one.place, files, view, only, never)

    def by_topic(self) -> Iterator[Used]:
        """Yield the uses by topic, now that all subscriptions are known."""
        for one in self._found.values():
            for topic in self._topics(one):
                yield Used(topic, one.origin.path, one.place, one.files)

    def classes(self) -> Iterator[ReadAs]:
        """Yield the classes that records are read as, by topic."""
        for one, name, known in self._kinds.values():
            for topic in self._topics(one):
                place = (known.file.path, known.cls.line) if known is not None else ("", 0)
                fields = tuple(_members(known, self.machine.program, ())) if known is not None else ()
                yield ReadAs(topic, name, place, fields, one.files)

    def _topics(self, one: _Found) -> Iterator[str]:
        never = one.never | one.origin.never
        wanted = [only for only in (one.only, one.origin.only) if only]
        end = one.origin.root, one.view, one.files
        for topic in self.receives.topics(*end) or self.receives.places(*end):
            if topic not in never and all(topic in only for only in wanted):
                yield topic


def _members(known: Known, program: Program, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the fields of a class by path as they are called in records, each with the name of its type."""
    for owner, one in program.fields(known):
        wire = wire_name(one, owner, program, known)
        if wire is None:
            continue
        kind = elements_of(one.type) or one.type
        whole = (*path, wire) if wire else path
        if wire:
            yield whole, base_type(kind).rpartition(".")[2]
        inner = program.class_of(kind, owner.file, owner) if kind else None
        if inner is not None and inner is not known and inner.cls.kind != "enum" and len(path) < _DEEPEST:
            yield from _members(inner, program, whole)


def _key(value: Value) -> tuple[object, ...]:
    """Return what a value is known by, as one of whichever type it is declared."""
    match value:
        case Get(of=of, name=name):
            return name, id(of)
        case Apply(of=of, name=name, arguments=arguments):
            return name, id(of), *map(id, arguments)
    return (id(value),)


def _objects(value: Value) -> list[Value]:
    """Return what a part is asked of: an object, or what a function is given."""
    if isinstance(value, Get):
        return [value.of]
    return [*((value.of,) if value.of is not None else ()), *value.arguments] if isinstance(value, Apply) else []


def _fields(value: Value, origins: OriginReader) -> Iterator[Origin]:
    """Yield the fields that a part of an object is and that the object itself is not."""
    before = {(id(each.root), _plain(each.path)) for one in _objects(value) for each in origins.of(one)}
    for one in origins.of(value):
        if one.exact and one.inside and one.path and (id(one.root), _plain(one.path)) not in before:
            yield one


def _plain(path: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in path if name != "[]")


def _before(value: Value) -> Iterator[Value]:
    """Yield what a part is of, and what that is of in turn."""
    waiting = _objects(value)
    for _ in range(_FURTHEST):
        if not waiting:
            return
        one = waiting.pop()
        yield one
        if isinstance(one, Get | Apply):
            waiting += [one.of] if one.of is not None else _objects(one)
        elif isinstance(one, Thing) and one.base is not None:
            waiting.append(one.base)
