"""Resolve type names by Protobuf's scope rules over all files of one schema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from scanner_extractor.formats.protobuf.declarations import Enum, Message, Presence, ProtoFile


@dataclass(frozen=True, slots=True)
class Declared:
    """A declaration with its full name, the import name of its file, and the presence that its fields inherit."""

    name: str
    file: str
    body: Message | Enum
    presence: Presence


class Scopes:
    """Knows every type of one schema's files (by import name); of two with one name, the first file's."""

    def __init__(self, files: Mapping[str, ProtoFile]) -> None:
        self._files = files
        self._own = {file: _by_name(declared(file, parsed)) for file, parsed in files.items()}
        self._all = self._merged(files)
        self._visible: dict[str, Mapping[str, Declared]] = {}
        self._known: dict[tuple[str, str, str], Declared | None] = {}

    def find(self, type_name: str, scope: Declared) -> Declared | None:
        """Return what *type_name* means inside *scope*; None where no file declares it.

        What the place's file does not import, though another does, counts only where nothing else has the name.
        """
        key = (type_name, scope.name, scope.file)
        if key not in self._known:
            names = list(_candidates(type_name, scope.name))
            tables = (self._visible_from(scope.file), self._all)
            self._known[key] = next((table[name] for table in tables for name in names if name in table), None)
        return self._known[key]

    def _visible_from(self, file: str) -> Mapping[str, Declared]:
        if file not in self._visible:
            names = [file]
            direct = [imported.name for imported in self._files[file].imports]
            for name in (name for name in direct if name in self._files):
                names += self._with_public(name)
            self._visible[file] = self._merged(dict.fromkeys(names))
        return self._visible[file]

    def _with_public(self, file: str) -> list[str]:
        names = {file: None}
        waiting = [file]
        while waiting:
            for imported in self._files[waiting.pop()].imports:
                if imported.public and imported.name in self._files and imported.name not in names:
                    names[imported.name] = None
                    waiting.append(imported.name)
        return list(names)

    def _merged(self, files: Mapping[str, object]) -> dict[str, Declared]:
        merged: dict[str, Declared] = {}
        for file in reversed(list(files)):
            merged.update(self._own[file])
        return merged


def declared(file: str, parsed: ProtoFile) -> tuple[Declared, ...]:
    """List what a file declares: its top level in order, then what is declared inside, depth first."""
    top = [_declare(file, parsed.package, body, parsed.presence) for body in parsed.types]
    return (*top, *(inner for outer in top for inner in _inside(outer)))


def _by_name(types: Iterable[Declared]) -> dict[str, Declared]:
    by_name: dict[str, Declared] = {}
    for type_ in types:
        by_name.setdefault(type_.name, type_)
    return by_name


def _inside(outer: Declared) -> Iterator[Declared]:
    for body in outer.body.types if isinstance(outer.body, Message) else ():
        inner = _declare(outer.file, outer.name, body, outer.presence)
        yield inner
        yield from _inside(inner)


def _declare(file: str, scope: str, body: Message | Enum, inherited: Presence) -> Declared:
    own = body.presence if isinstance(body, Message) else None
    return Declared(f"{scope}.{body.name}" if scope else body.name, file, body, own or inherited)


def _candidates(type_name: str, scope: str) -> Iterator[str]:
    """List the full names that *type_name* may stand for, from the innermost scope outwards."""
    if type_name.startswith("."):
        yield type_name[1:]
        return
    while scope:
        yield f"{scope}.{type_name}"
        scope = scope.rpartition(".")[0]
    yield type_name
