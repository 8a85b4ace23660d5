"""Values as sequences and pairs of others, what hands values to other code, and objects that mappers make of others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from scanner_programs import ir
from scanner_programs.ir import Call, Kind, Literal, Member, Name, walk
from scanner_programs.libraries.others import MAPPERS, MAPPINGS
from scanner_programs.libraries.standard import KEEPS, MAPS, SEQUENCES
from scanner_programs.program import Known, Place, Program, base_type, elements_of, parameters_of
from scanner_programs.values import (
    NULL,
    Apply,
    Closure,
    Cond,
    Const,
    Items,
    Method,
    Opaque,
    Ref,
    Thing,
    Type,
    Value,
    is_made,
    show,
)

Given = tuple[str, Value]


def pair_of(value: Value) -> tuple[Value | None, Value]:
    """Return the key and the value of a pair; of something else, no key."""
    if isinstance(value, Items) and len(value.values) == 2:
        return value.values[0], value.values[1]
    if isinstance(value, Thing | Apply) and len(value.arguments) == 2:
        return value.arguments[0], value.arguments[1]
    return None, value


def joined_items(operator: str, values: Sequence[Value]) -> list[Value] | None:
    """Return the elements of sequences that an operator joins, or adds one to; None for other values."""
    if operator not in ("+", "++", "::", ":::", ":+", "+:", "<>") or len(values) != 2:
        return None
    listed = [one for one in values if isinstance(one, Items)]
    if not listed or any(isinstance(one, Const) for one in values):
        return None
    found: list[Value] = []
    for one in values:
        is_many = isinstance(one, Apply) and one.name in ("mapped", "filtered")
        found += one.values if isinstance(one, Items) else [Apply("...", None, (one,)) if is_many else one]
    return found


def sequence_in(given: Sequence[Given], function: Value | None) -> Value:
    """Return the only one of what a function is given beside *function* that may have elements."""
    others = [one for _, one in given if one is not function and not isinstance(one, Closure | Method | Const | Ref)]
    return others[0] if len(others) == 1 else Ref("?")


def keeps_elements(name: str) -> bool:
    """Return whether a method of a sequence keeps some elements as they are; one that maps makes others of them."""
    lower = name.lower()
    return lower.startswith(KEEPS) and "map" not in lower


def indexed_over(key: Value) -> Value | None:
    """Return what a loop over indexes goes through; None if a key is not the variable of such a loop."""
    if isinstance(key, Apply) and key.name == "each" and key.of is None and isinstance(key.arguments[0], Apply):
        over = key.arguments[0]
        if over.name == "range" and over.of is None and over.arguments:
            last = over.arguments[-1]
            is_length = isinstance(last, Apply) and last.of is None and last.name == "len" and last.arguments
            return last.arguments[0] if is_length and isinstance(last, Apply) else last
    return None


def member_of_items(value: Items, name: str) -> Value | None:
    """Return what a member of a sequence without arguments is: the sequence in another form, its first or last element.

    In the libraries of the languages, what begins with `to` or `as` has the same elements.
    """
    if name in ("stream", "iterator") or (name[:2] in ("to", "as") and (name[2:3].isupper() or name[2:3] == "_")):
        return None if name in ("toString", "to_string") else value
    if name in ("size", "length", "Count", "Length") and not any(is_spread(one) for one in value.values):
        return Const(Kind.NUMBER, str(len(value.values)))
    if value.values and name in ("head", "first", "First", "getFirst"):
        return value.values[0]
    if len(value.values) == 1 and name in _ONLY and not is_spread(value.values[0]):
        return value.values[0]
    return value.values[-1] if value.values and name in ("last", "Last", "getLast") else None


_ONLY = frozenset(
    ("Single", "single", "SingleOrDefault", "singleOrNull", "FirstOrDefault", "firstOrNull", "headOption", "findFirst")
)
"""Methods of sequences that return the only element, or the first one if there is any."""


def is_spread(value: Value) -> bool:
    """Return whether an element may be there or not, or stand for several."""
    return isinstance(value, Cond) or (isinstance(value, Apply) and value.name in ("...", "each"))


def origin_of(value: Value) -> Value:
    """Return what elements come from: what they are made into does not decide how many there are."""
    if isinstance(value, Apply) and value.of is not None:
        of = origin_of(value.of)
        return of if value.name == "mapped" else replace(value, of=of)
    return Ref("what is taken") if isinstance(value, Thing) and value.known is not None else value


def connected_with(stream: Value) -> Value | None:
    """Return the stream that another one is connected with; None for a stream of its own."""
    value: Value | None = stream
    while isinstance(value, Apply) and value.name in ("joined", "keyed"):
        if value.name == "joined" and value.via == "connect":
            return value.arguments[0]
        value = value.of
    return None


def stands_for_any(value: Apply) -> bool:
    """Return whether a value stands for any stream: steps on it are done to the streams that it is given later."""
    return value.of is None and bool(value.via) and value.via == value.name


_ENDINGS = (*SEQUENCES, "channel", "chan", "subject")
_LONGEST_NAME = 300


def exchange_of(value: Value) -> str:
    """Return what a container of a library is known by that the program makes; empty for other values."""
    if isinstance(value, Thing) and value.known is None and value.type:
        kind, made = value.type, f"@{value.line}"
    elif isinstance(value, Apply) and value.of is None and _makes(value):
        kind, made = value.name, show(value)[:_LONGEST_NAME]
    else:
        return ""
    return f"{kind}{made}" if is_container(kind) else ""


def _makes(value: Apply) -> bool:
    """Return whether a call may make a container: by a class, by `make` of Go, or by a function of a package."""
    return is_made(value) or value.name.startswith("chan") or "." in value.name


def is_container(kind: str) -> bool:
    """Return whether a type is one of several elements of the language's library, by how such types are called."""
    simple = kind.partition("<")[0].replace("::", ".").rpartition(".")[2].lower()
    return kind.lstrip("<-").startswith("chan ") or simple.endswith(_ENDINGS)


def put(given: Sequence[tuple[str, Value]]) -> Value | None:
    """Return the only value beside constants and functions that a call is given; None for other calls."""
    listed = [one for _, one in given if not isinstance(one, Closure | Method | Const | Ref)]
    return listed[0] if len(listed) == 1 else None


def topic_of(of: Value | None, given: Sequence[tuple[str, Value]]) -> str:
    """Return what a bus knows handlers by: the object itself, and the name or class that a call begins with."""
    first = given[0][1] if len(given) > 1 else None
    is_named = isinstance(first, Type) or (isinstance(first, Const) and first.kind is Kind.TEXT)
    if first is None or not is_named or not isinstance(of, Thing) or of.known is not None:
        return ""
    return f"{of.type}@{of.line} {show(first)}"


def taken(listed: Sequence[Value], name: str) -> Value:
    """Return what is taken from a container that the program puts values in."""
    if not listed:
        return Opaque(f"contents of {name}")
    return listed[0] if len(listed) == 1 else Apply("each", None, tuple(listed))


def grouped(value: Value) -> Value | None:
    """Return the key of a group of elements that a sequence was divided in; None for other values."""
    return value.arguments[0] if isinstance(value, Apply) and value.name == "grouped" else None


def is_mapping(value: Apply) -> bool:
    """Return whether a sequence has what a function makes of each element of another one, and nothing else."""
    return not value.via or value.via.partition("<")[0] in MAPS


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
