"""Which fields of messages programs use, as their evaluation shows."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from scanner_extractor.repository.applications.generated import GeneratedClasses
from scanner_model.clients import Direction
from scanner_model.columns import ColumnPath, field_name, field_segment
from scanner_model.field_uses import MessageClass
from scanner_programs.received.uses import ReadAs

MOST_PLACES = 20
ITEM = "[]"


class TopicUse(NamedTuple):
    """A program that reads or writes a topic."""

    job: str
    topic: str
    writes: bool


@dataclass(slots=True)
class ProgramUse:
    """A program of a module that uses a topic, with the files and lines where."""

    use: TopicUse
    places: set[tuple[str, int]] = field(default_factory=set)
    module: str = ""


@dataclass(frozen=True, slots=True)
class FoundField:
    """A field that a program uses; an empty path with *whole* set means all fields, else that it is not known which."""

    job: str
    topic: str
    writes: bool
    path: ColumnPath
    whole: bool
    places: tuple[str, ...]


FieldsReading = tuple[tuple[FoundField, ...], tuple[MessageClass, ...]]
"""The fields that programs use, and the classes that they read messages as."""
_Module = str


@dataclass(slots=True)
class UsedFields:
    """The fields that the programs of a repository use, by module.

    *partial* are the modules with code that may use more of the records that they read.
    """

    generated: GeneratedClasses
    partial: set[_Module] = field(default_factory=set)
    _found: dict[tuple[_Module, TopicUse], dict[tuple[ColumnPath, bool], set[str]]] = field(default_factory=dict)
    _names: dict[TopicUse, dict[str, None]] = field(default_factory=dict)
    _classes: dict[tuple[_Module, str, str, str], MessageClass] = field(default_factory=dict)

    def add(
        self, module: str, use: TopicUse, path: ColumnPath, places: Iterable[str], *, whole: bool | None = None
    ) -> None:
        """Add a field; without *whole*, an empty path stands for all fields."""
        plain = tuple(segment for segment in path if field_name(segment) is not None)
        if plain or not path:
            key = plain, not plain if whole is None else whole
            self._found.setdefault((module, use), {}).setdefault(key, set()).update(places)

    def has(self, module: str, use: TopicUse, path: ColumnPath) -> bool:
        """Return whether a field is known already."""
        plain = tuple(segment for segment in path if field_name(segment) is not None)
        return (plain, False) in self._found.get((module, use), ())

    def drop(self, module: str, use: TopicUse) -> None:
        """Drop the fields of a use that is another program's."""
        self._found.pop((module, use), None)

    def name_class(self, use: TopicUse, name: str) -> None:
        """Note the class of the messages that a program reads or writes, which a schema may generate."""
        self._names.setdefault(use, {})[name] = None

    def add_class(self, module: str, use: TopicUse, known: ReadAs) -> None:
        """Add the class that a program reads messages as."""
        self.name_class(use, known.name)
        if known.fields:
            self._classes[module, use.job, use.topic, known.name] = MessageClass(
                program=use.job,
                topic=use.topic,
                direction=Direction.READS,
                name=known.name,
                place=f"{known.place[0]}:{known.place[1]}",
                fields={tuple(map(field_segment, path)): kind for path, kind in known.fields},
            )

    @property
    def modules(self) -> set[str]:
        """Return the modules whose programs use fields."""
        return {module for module, _ in self._found}

    def reading(self, uses: Iterable[ProgramUse], modules: Collection[str] | None) -> FieldsReading:
        """Return the fields by program, topic and side; for uses that are not followed, all fields, not resolved.

        They are those of some modules, or of all.
        """
        rows: dict[FoundField, set[str]] = {}
        for (module, use), fields in self._found.items():
            for (path, whole), places in fields.items() if modules is None or module in modules else ():
                spelled = self.generated.spelled(path, self._names.get(use, ()))
                rows.setdefault(FoundField(*use, spelled, whole, ()), set()).update(places)
        for row in [row for row in rows if row.whole and row.writes]:
            rows.pop(replace(row, whole=False), None)  # they are known to be all
        known = {(row.job, row.topic, row.writes) for row in rows}
        for one in uses:
            is_chosen = modules is None or one.module in modules
            if is_chosen and (one.use not in known or (one.module in self.partial and not one.use.writes)):
                places = {f"{path}:{line}" for path, line in one.places}
                rows.setdefault(FoundField(*one.use, (), False, ()), set()).update(places)
        found = (
            FoundField(row.job, row.topic, row.writes, row.path, row.whole, tuple(_ordered(places)))
            for row, places in rows.items()
        )
        classes = (made for (module, *_), made in self._classes.items() if modules is None or module in modules)
        ordered = sorted(classes, key=lambda one: (one.program, one.topic, one.name, one.place))
        return tuple(sorted(found, key=lambda one: (one.job, one.topic, one.writes, one.path, one.whole))), (*ordered,)


def _ordered(places: Iterable[str]) -> list[str]:
    ordered = sorted(places, key=lambda place: (place.rpartition(":")[0], int(place.rpartition(":")[2] or 0)))
    return ordered[:MOST_PLACES]


def column_path(parts: Iterable[str]) -> ColumnPath:
    """Return a path of fields as one of columns: the items of a list are a step of their own."""
    found: list[str] = []
    for part in parts:
        name = part
        count = 0
        while name.endswith(ITEM):
            name, count = name[:-2], count + 1
        found += [field_segment(name)] if name else []
        found += [ITEM] * count
    return tuple(found)
