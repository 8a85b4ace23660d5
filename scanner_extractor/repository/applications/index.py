"""The source files of a repository by the names that they define and call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from scanner_extractor.repository.applications.code import CodeScope, Unit
from scanner_extractor.repository.applications.expressions import Expr, Kind


@dataclass(slots=True)
class Index:
    """The units of a repository by the names that they define and call; *module_of* returns that of a path.

    *members* are the values that literals give the members of an object, *types* the names of structs, *tags* the
    texts beside the fields of structs.
    """

    module_of: Callable[[str], str]
    units: dict[str, Unit] = field(default_factory=dict)
    classes: dict[str, list[CodeScope]] = field(default_factory=dict)
    functions: dict[str, list[CodeScope]] = field(default_factory=dict)
    constants: dict[str, list[CodeScope]] = field(default_factory=dict)
    calls: dict[str, list[tuple[Expr, CodeScope]]] = field(default_factory=dict)
    stems: dict[str, list[Unit]] = field(default_factory=dict)
    subclasses: dict[str, list[CodeScope]] = field(default_factory=dict)
    members: dict[str, list[tuple[Expr, CodeScope]]] = field(default_factory=dict)
    types: set[str] = field(default_factory=set)
    tags: dict[str, list[tuple[str, Unit]]] = field(default_factory=dict)

    def add(self, unit: Unit) -> None:
        """Add what a unit defines and calls."""
        self.units[unit.path] = unit
        path = PurePosixPath(unit.path)
        stem = path.parent.name if path.stem in ("__init__", "index") else path.stem
        self.stems.setdefault(stem, []).append(unit)
        for scope in unit.classes:
            self.classes.setdefault(scope.name, []).append(scope)
            for name in scope.supertypes:
                self.subclasses.setdefault(name, []).append(scope)
        for scope in unit.functions:
            self.functions.setdefault(scope.name, []).append(scope)
        for scope in (unit.scope, *unit.classes):
            for name in scope.bindings:
                self.constants.setdefault(name, []).append(scope)
        for call, scope in unit.calls:
            self.calls.setdefault(call.text, []).append((call, scope))
            for part in call.parts if call.kind is Kind.NEW else ():
                if part.kind is Kind.PAIR:
                    self.members.setdefault(part.text, []).append((part.parts[0], scope))
        self._add_members(unit)
        self.types |= unit.types
        for name, tags in unit.tags.items():
            self.tags.setdefault(name, []).extend((tag, unit) for tag in tags)

    def _add_members(self, unit: Unit) -> None:
        """Add the members of the objects that a file and its functions make by a literal; Go's have a type."""
        for scope in (unit.scope, *unit.functions) if not unit.language.has_packages else ():
            for value in (*scope.returns, *(value for values in scope.bindings.values() for value in values)):
                for part in value.parts if value.kind is Kind.LIST else ():
                    if part.kind is Kind.PAIR:
                        self.members.setdefault(part.text, []).append((part.parts[0], scope))

    def annotated(self, name: str) -> Iterator[tuple[Expr, CodeScope, str]]:
        """Yield the annotations of a name, each with its scope and what it stands at."""
        for unit in self.units.values():
            yield from (entry for entry in unit.annotated if entry[0].text == name)

    def module(self, unit: Unit) -> str:
        """Return the module of a unit."""
        return self.module_of(unit.path)

    def near(self, scopes: Iterable[CodeScope], unit: Unit) -> list[CodeScope]:
        """Return the scopes of the same file, else of the same module, else all."""
        listed = list(scopes)
        same_file = [scope for scope in listed if scope.unit is unit]
        module = self.module(unit)
        return same_file or [scope for scope in listed if self.module(scope.unit) == module] or listed
