"""Methods that a library implements by what their notes say: mappers from objects of one class to those of another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from scanner_programs import ir
from scanner_programs.ir import Call, Kind, Literal, Member, Name, walk
from scanner_programs.libraries.others import MAPPERS, MAPPINGS
from scanner_programs.program import Known, Place, Program, base_type, elements_of, parameters_of
from scanner_programs.values import NULL, Apply, Const, Opaque, Thing, Value


@dataclass(frozen=True, slots=True)
class Mapper:
    """Implements the methods without a body of interfaces that a note marks, in the way of MapStruct.

    Members go by their names, unless a note of the method says from which member, constant or method one comes.
    *member* returns a member of a value, *element* an element of a sequence, *call* what a method returns.
    """

    program: Program
    member: Callable[[Value, str], Value]
    element: Callable[[Value], Value]
    class_of: Callable[[Value], Known | None]
    call: Callable[[Place, Value], Value]

    def mapped(self, place: Place, given: Sequence[Value]) -> Value | None:
        """Return what a method makes of what it is given; None if it is not one of a mapper."""
        known = place.known
        if known is None or not given or not any(note.name in MAPPERS for note in known.cls.notes):
            return None
        several = elements_of(place.function.type)
        target = self.program.class_of(several or place.function.type, place.file, known)
        if target is None:
            return None
        if several:
            inside = self._converted(place, self.element(given[0]), several)
            return Apply("mapped", given[0], (inside,), via="map")
        made = Thing(target.cls.name, target)
        named = dict(_mappings(place.function.notes))
        parameters = dict(zip((one.name for one in place.function.parameters), given, strict=False))
        for owner, one in self.program.fields(target):
            value = self._value(place, one.name, named.get(one.name), parameters)
            if value is not None:
                made.fields[one.name] = self._converted(place, value, one.type, owner)
        return made

    def _value(
        self, place: Place, name: str, mapping: Mapping[str, str] | None, parameters: Mapping[str, Value]
    ) -> Value | None:
        """Return what a member is made of; None if it is not set."""
        if mapping is not None and "source" not in mapping:
            if "constant" in mapping:
                return Const(Kind.TEXT, mapping["constant"])
            return Opaque(mapping["expression"]) if "expression" in mapping else None
        source = mapping["source"] if mapping is not None else name
        first, _, rest = source.partition(".")
        if first in parameters:
            value = parameters[first]
            path = rest.split(".") if rest else []
        else:
            path = source.split(".")
            having = [one for one in parameters.values() if self._has(one, path[0])]
            if not having:
                return None
            value = having[0]
        for step in path:
            value = self.member(value, step)
        qualified = mapping.get("qualifiedByName", "") if mapping is not None else ""
        method = (
            next(self._methods(place, lambda function: qualified in _names_of(function)), None) if qualified else None
        )
        return value if method is None else self.call(method, value)

    def _has(self, value: Value, name: str) -> bool:
        known = self.class_of(value)
        return known is not None and self.program.field(known, name) is not None

    def _converted(self, place: Place, value: Value, kind: str, owner: Known | None = None) -> Value:
        """Return a value as one of a type: by a method of the mapper from the one class to the other, if it has one."""
        file, near = (owner.file, owner) if owner is not None else (place.file, place.known)
        several = elements_of(kind)
        target = self.program.class_of(several or kind, file, near)
        inside = self.element(value) if several else value
        source = self.class_of(inside)
        if target is None or source is None or target is source or value == NULL:
            return value

        def fits(function: ir.Function) -> bool:
            wanted = [self.program.class_of(one.type, place.file, place.known) for one in function.parameters]
            is_single = not elements_of(function.type)
            made = self.program.class_of(function.type, place.file, place.known)
            return function is not place.function and is_single and made is target and wanted == [source]

        method = next(self._methods(place, fits), None)
        made = self.call(method, inside) if method is not None else self.alike(inside, target)
        return Apply("mapped", value, (made,), via="map") if several else made

    def alike(self, value: Value, target: Known) -> Thing:
        """Return an object of a class with the members of another one that have its names."""
        names = [one.name for _, one in self.program.fields(target) if self._has(value, one.name)]
        return Thing(target.cls.name, target, {name: self.member(value, name) for name in names})

    def _methods(self, place: Place, fits: Callable[[ir.Function], bool]) -> Iterator[Place]:
        assert place.known is not None
        for owner in (place.known, *self.program.supers(place.known)):
            for function in self.program.members(owner):
                if fits(function):
                    yield Place(function, owner.file, owner)


@dataclass(frozen=True, slots=True)
class Profile:
    """How objects of one class become those of another one, as code says it at its start (AutoMapper).

    *members* are those that do not go by their names, each with the function that makes it; None sets none.
    """

    place: Place
    members: Mapping[str, ir.Expression | None]


def profiles(program: Program) -> Mapping[tuple[str, str], Profile]:
    """Return the profiles in the constructors of a program, by the names of both classes."""
    found: dict[tuple[str, str], Profile] = {}
    for place in program.places:
        for one in walk(place.function.body) if place.file.language == "csharp" else ():
            members: dict[str, ir.Expression | None] = {}
            while isinstance(one, Call) and isinstance(one.function, Member):
                if one.function.name == "ForMember" and len(one.arguments) == 2:
                    name, made = (_returned(each.value) for each in one.arguments)
                    if isinstance(name, Member):
                        given = made.arguments if isinstance(made, Call) else ()
                        members.setdefault(name.name, given[0].value if given else None)
                one = one.function.of
            if isinstance(one, Call) and isinstance(one.function, Name) and one.function.name.startswith("CreateMap<"):
                kinds = [base_type(kind) for kind in parameters_of(one.function.name)]
                if len(kinds) == 2:
                    found.setdefault((kinds[0], kinds[1]), Profile(place, members))
    return found


def _returned(code: ir.Expression) -> ir.Expression | None:
    """Return what a function of one expression returns."""
    body = code.function.body if isinstance(code, ir.Lambda) else None
    last = body.statements[-1] if body is not None and body.statements else None
    return last.value if isinstance(last, ir.Exit) else None


def _mappings(notes: Sequence[ir.Note]) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield the members that notes of a method are about, each with what its note says."""
    for note in notes:
        if note.name in MAPPINGS:
            noted = {one.name: one.value.text for one in note.arguments if isinstance(one.value, Literal)}
            if "target" in noted:
                yield noted["target"], noted


def _names_of(function: ir.Function) -> set[str]:
    """Return the names that a method of a mapper is chosen by."""
    named = (note for note in function.notes if base_type(note.name) == "Named")
    return {one.value.text for note in named for one in note.arguments if isinstance(one.value, Literal)}
