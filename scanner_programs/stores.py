"""What a program gives to a library that takes it back to the program: to keep it, or to call what handles it.

A library that a sent value comes from gives what it was given before: what the program gives it is part of what is
sent, however much later. The two ends meet by what both name: a type that keeps objects and the class of these; a class
whose objects a library keeps; a member of a library's object; a table in a statement of SQL.

A library that calls a function which sends does so because of something: the program gave it an event, a job, a signal
or a value of a stream elsewhere. The two ends meet by what both name: the text or the object with which the function
is registered or noted, or the class of what it is given.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from scanner_programs import ir
from scanner_programs.calls import MOST_PARTS, all_parts, called_in, names_in, types_in
from scanner_programs.ir import walk
from scanner_programs.libraries.rows import plain
from scanner_programs.libraries.standard import CONSTRUCTORS, HOLDERS
from scanner_programs.machine import Made
from scanner_programs.program import Place, Program, base_type
from scanner_programs.residue import code_text
from scanner_programs.sequences import is_container
from scanner_programs.shapes import notes_of
from scanner_programs.values import Apply, Closure, Cond, Const, Get, Input, Items, Method, Thing, Type, Value

_WORD = re.compile(r"\w+")
_DEEPEST = 30
_READ = re.compile(r"\b(?:from|join)\s+[\"`\[]?([\w.]+)", re.IGNORECASE)
_WRITTEN = re.compile(r"\b(?:insert\s+into|update|merge\s+into|replace\s+into)\s+[\"`\[]?([\w.]+)", re.IGNORECASE)
_STATEMENT = re.compile(r"\s*(?:select|with|insert|update|merge|replace)\b", re.IGNORECASE)
_TABLE = "a table"


class Store(NamedTuple):
    """What keeps something, by a type, a class, a member or a table, and the class of what it keeps.

    Without a class it keeps objects without one; *read* is the method that sent values come from then, which is given
    what to look for and not what to keep.
    """

    keeper: str
    kept: str = ""
    read: str = ""


@dataclass(slots=True)
class SendTriggers:
    """What makes a library call functions that send.

    *calls* are the calls with the text or the object by which the functions are known there, by place and name,
    *classes* the classes of what the functions are given; each with the names of these functions.
    """

    calls: dict[tuple[str, int, str], set[str]] = field(default_factory=lambda: defaultdict(set))
    classes: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def waiting(self, place: tuple[str, int], name: str, kinds: Iterable[str]) -> set[str]:
        """Return the functions that a library calls after a call that gives it objects of the classes *kinds*."""
        found = set(self.calls.get((*place, name), ()))
        return found.union(*(self.classes.get(kind, ()) for kind in kinds))


def triggers_of(
    entered: Collection[Place], ways: Mapping[str, Collection[str]], places: Iterable[Place], program: Program
) -> SendTriggers:
    """Return what leads a library to call the functions *entered*, which send and which the program does not call.

    *ways* are the names of the functions and methods on the way to what is sent, by the name of the function that leads
    there: a function that is registered calls one of them.
    """
    found, known_by = SendTriggers(), defaultdict[str, set[str]](set)
    for place in entered:
        for name in _noted_by(place):
            known_by[name].add(place.name)
        for kind in _given_to(place, program):
            found.classes[kind].add(place.name)
    listed = [place for place in places if place.function.body is not None]
    free = {place.function.name: place.name for place in entered if place.known is None and place.function.name}
    registering: set[int] = set()
    for place in listed:
        for name, view, call in _registered(place, ways.get(place.name, ()), free):
            registering.add(id(call))
            known_by[name].add(view)
            for kind in (one for each in call.arguments for one in names_in(each.value) if one in program.classes):
                found.classes[kind].add(view)
    for place in (*listed, *listed) if known_by else ():  # also what is made of that
        for variable, source in _made_with(place.function):
            if source in known_by:
                known_by[variable] |= known_by[source]
    for place in listed if known_by else ():
        for name, call in called_in(place.function):
            if id(call) not in registering and call.arguments:
                for one in _names_at(call):
                    if one in known_by:
                        found.calls[place.file.path, call.line, name] |= known_by[one]
    return found


def _noted_by(place: Place) -> Iterator[str]:
    """Yield what a library knows a function by: the texts in its notes, or what they name or are of, and its name.

    A function with a note is an object of the library that may have methods, by which it is called.
    """
    for note in place.function.notes:
        texts = [one for each in note.arguments for one in _texts(each.value)]
        yield from texts
        if not texts:
            names = [one.name for each in note.arguments for one in walk(each.value) if isinstance(one, ir.Name)]
            yield from (f"@{name}" for name in names if name.islower())
            yield from (f"@{one.name}" for one in walk(note.of) if isinstance(one, ir.Name))
    if place.function.notes and place.known is None:
        yield f"@{place.function.name}"


def _given_to(place: Place, program: Program) -> Iterator[str]:
    """Yield the classes of the program that a function takes objects of, or that its notes name.

    A framework finds the value of a parameter with a note of its own elsewhere, as in a request, if it found the
    function by a note, too.
    """
    for note in place.function.notes:
        names = (one.name for each in note.arguments for one in walk(each.value) if isinstance(one, ir.Name))
        yield from (name for name in names if name in program.classes)
    for one in place.function.parameters:
        if not (one.notes and place.function.notes):
            yield from _classes(one.type, program)


def _registered(
    place: Place, ways: Collection[str], free: Mapping[str, str]
) -> Iterator[tuple[str, str, ir.Call | ir.New]]:
    """Yield the calls that give a library a function which sends: what it is known by, who sends, and the call."""
    own = {one.name for one in place.function.parameters}
    own |= {name for name, _ in _declared_in(place.function)} if place.function.name else set()
    for call in walk(place.function):
        given = call.arguments if isinstance(call, ir.Call | ir.New) else ()
        sends = [view for one in given for view in _sending(one.value, place, ways, free)]
        if not sends or not isinstance(call, ir.Call | ir.New):
            continue
        named = [*_names_at(call)]
        texts = [one for one in named if not one.startswith("@")]
        for name in texts or [one for one in named if one[1:] not in own and one[1:] not in free]:
            yield name, sends[0], call


def _sending(code: ir.Expression, place: Place, ways: Collection[str], free: Mapping[str, str]) -> Iterator[str]:
    """Yield who sends if a function is called that code gives: one that takes something."""
    if isinstance(code, ir.Lambda):
        if code.function.parameters and not {*names_in(code.function)}.isdisjoint(ways):
            yield place.name
    elif isinstance(code, ir.Member | ir.Name) and code.name in ways:
        yield place.name
    elif isinstance(code, ir.Name) and code.name in free:
        yield free[code.name]


def _names_at(call: ir.Call | ir.New) -> Iterator[str]:
    """Yield the texts that a call is given, and the name of the object that it is of, behind a sign."""
    for one in call.arguments:
        yield from _texts(one.value) if isinstance(one.value, ir.Literal) else ()
    code: ir.Expression = call
    while isinstance(code, ir.Call | ir.Member):
        if isinstance(code, ir.Member) and code.of in (ir.Name("this"), ir.Name("self")):
            break
        code = code.function if isinstance(code, ir.Call) else code.of
    if isinstance(call, ir.Call) and isinstance(code, ir.Name | ir.Member) and code is not call.function:
        yield f"@{code.name}"


def _texts(code: object) -> Iterator[str]:
    return (one.text for one in walk(code) if isinstance(one, ir.Literal) and one.kind is ir.Kind.TEXT and one.text)


def _made_with(code: ir.Function) -> Iterator[tuple[str, str]]:
    """Yield the names of variables and members that hold what is made of a text, a variable or a class, with that."""
    for name, value in _declared_in(code):
        if not isinstance(value, ir.Call | ir.New):
            continue
        for one in value.arguments:
            yield from ((f"@{name}", text) for text in _texts(one.value))
            if isinstance(one.value, ir.Name) and not code.name:
                yield f"@{name}", f"@{one.value.name}"
        if isinstance(value, ir.New):
            yield f"@{name}", f"@{value.type}"


def _declared_in(code: ir.Function) -> Iterator[tuple[str, ir.Expression | None]]:
    for one in walk(code):
        if isinstance(one, ir.Declare | ir.Assign) and isinstance(one.target, ir.Name | ir.Member):
            yield one.target.name, one.value


def taken_from(values: Iterable[Value], program: Program) -> frozenset[Store]:
    """Return what gives the objects that are part of values; of more than 300,000 parts, of the first ones."""
    applied = (value for value in islice(all_parts(values), MOST_PARTS) if isinstance(value, Apply))
    return frozenset(store for value in applied for store in _stores(value, program))


def _stores(value: Apply, program: Program) -> Iterator[Store]:
    for statement in _statements(value.arguments):
        yield from (Store(_TABLE, table.lower()) for table in _READ.findall(statement))
    active = _active(value.of, program)
    if active and isinstance(_root(value.of), Type):
        yield Store(active, active)
    if value.of is not None:
        keeper = next(_keepers(value.of), "")
        types = (value.type, value.of.type if isinstance(value.of, Input | Get | Apply) else "")
        kept = {one for kind in types for one in _classes(kind, program)} - {keeper}
        yield from (Store(keeper, one) for one in kept if keeper)
        if kept:
            return
    path, name = _path(value.of, value.name, program)
    if path:
        yield Store(path, "", name)


def kept_in(made: Made, stores: Collection[Store], program: Program) -> Iterator[tuple[str, Value]]:
    """Yield what a call gives to what keeps it, each with the class that it is of, as far as it has one."""
    given = [value for _, value in made.given]
    for statement in _statements(given):
        if any(Store(_TABLE, table.lower()) in stores for table in _WRITTEN.findall(statement)):
            yield "", Items(given)
    active = _active(made.of, program)
    if active and Store(active, active) in stores:
        members = {name: value for name, value in made.given if name}
        named = Thing(fields=members) if members else Items(given)
        yield active, _plain(made.of) if isinstance(made.of, Thing) else named
    keepers = {*_keepers(made.of)} if made.of is not None else set()
    wanted = {one.kept for one in stores if one.kept and one.keeper in keepers}
    path, name = _path(made.of, made.name, program)
    is_kept = bool(path) and any(one.keeper == path and not one.kept for one in stores)
    is_kept = is_kept and not any(one.keeper == path and one.read == name for one in stores)
    for value in given if wanted or is_kept else ():
        for one in _objects(value, 0):
            kind = one.known.cls.name if one.known is not None else one.type.rpartition(".")[2]
            if kind in wanted or (is_kept and not kind):
                yield kind, _plain(one)


def triggered_by(made: Made, given: SendTriggers, view: str, program: Program) -> tuple[set[str], Value] | None:
    """Return the functions that a call in a *view* makes a library call, with what it is given; None if none."""
    if any(isinstance(value, Closure | Method) for _, value in made.given):
        return None
    values = [made.of, *(value for _, value in made.given)]
    kinds = [known for one in values if isinstance(one, Thing) and (known := one.known) is not None]
    names = {one.cls.name for known in kinds for one in (known, *program.supers(known))}
    found = given.waiting(made.place, plain(made.name).rpartition(".")[2], names) - {view}
    return (found, Items([value for _, value in made.given])) if found else None


def form_of(value: Value) -> str:
    """Return the notes of the classes whose objects are inside of a value: they say what their text looks like."""
    inside = islice(all_parts((value,)), 1, MOST_PARTS)
    classes = {one.known.qualified: one.known for one in inside if isinstance(one, Thing) and one.known is not None}
    noted = {
        name: [f"{field.name} {code_text(notes)}" for field in known.cls.fields if (notes := notes_of(field))]
        for name, known in sorted(classes.items())
    }
    return "; ".join(f"{name}: {', '.join(listed)}" for name, listed in noted.items() if listed)


def tables_in(text: str) -> Iterator[str]:
    """Yield the tables that a statement of SQL reads or writes, in lower case; none for other texts."""
    if _STATEMENT.match(text):
        yield from (one.lower() for pattern in (_READ, _WRITTEN) for one in pattern.findall(text))


def triggering(places: Iterable[Place], given: SendTriggers, program: Program) -> Iterator[Place]:
    """Yield the functions that may make a library call one that sends."""
    at = {(path, line) for path, line, _ in given.calls}
    known = [one for kind in given.classes for one in program.classes.get(kind, ())]
    kinds = {one.cls.name for above in known for one in (above, *program.subclasses(above))}
    for place in places:
        calls = called_in(place.function) if at else ()
        if not kinds.isdisjoint(names_in(place.function)) or any((place.file.path, one.line) in at for _, one in calls):
            yield place


def holding(places: Iterable[Place], stores: Collection[Store], program: Program) -> Iterator[Place]:
    """Yield the functions that may give something to what keeps it.

    They or their classes name its type, and what is kept there if the type is one of a library, which keeps anything.
    """
    keepers, kept = {one.keeper for one in stores if one.kept}, {one.kept for one in stores}
    own = {one for one in keepers if one in program.classes}
    members = {one.keeper.rpartition(".")[2] for one in stores if not one.kept}
    tables = {one.kept for one in stores if one.keeper == _TABLE}
    writing = {file.path for file in program.files if tables and not tables.isdisjoint(_written_in(file))}
    for place in places:
        code: list[object] = [place.function]
        if place.known is not None:
            makes = (one for one in place.known.cls.functions if one.name in CONSTRUCTORS)
            code += [place.known.cls.fields, *(one.parameters for one in makes)]
        types = {word for kind in types_in(tuple(code)) for word in _WORD.findall(kind)}
        names = {*names_in(place.function), *types}
        is_named = not keepers.isdisjoint(types) and not kept.isdisjoint(names)
        imported = {one.rpartition("/")[2] for one in place.file.imports.values()}
        is_member = not members.isdisjoint(names) or not members.isdisjoint(imported)
        if is_named or is_member or not own.isdisjoint(names) or place.file.path in writing:
            yield place


def _plain(thing: Thing) -> Thing:
    """Return an object by its members alone: what keeps it has its own form for these."""
    return Thing(fields=dict(thing.fields), base=thing.base, arguments=thing.arguments, touched=list(thing.touched))


def _statements(values: Iterable[Value]) -> Iterator[str]:
    for one in values:
        if isinstance(one, Const) and _STATEMENT.match(one.text):
            yield one.text


def _written_in(file: ir.File) -> Iterator[str]:
    for one in walk(file):
        if isinstance(one, ir.Literal) and one.kind is ir.Kind.TEXT:
            yield from (table.lower() for table in _WRITTEN.findall(one.text))


def _root(value: Value | None) -> Value | None:
    """Return what the object of a call comes from."""
    for _ in range(_DEEPEST):
        if not isinstance(value, Method | Get | Apply):
            break
        value = value.of
    return value


def _active(value: Value | None, program: Program) -> str:
    """Return the class whose objects a library keeps by methods that the class has from it; empty without one."""
    root = _root(value)
    known = root.known if isinstance(root, Type | Thing) else None
    return known.cls.name if known is not None and program.extends_library(known) else ""


def _path(of: Value | None, name: str, program: Program) -> tuple[str, str]:
    """Return what a call without types is of, and its method: a member of a library's object, or an own module."""
    if of is None:
        module, _, method = name.rpartition(".")
        return (module.rpartition("/")[2], method) if module.startswith((".", "/")) else ("", "")
    if isinstance(of, Get) and isinstance(of.of, Input) and of.of.type:
        kind = base_type(of.of.type.partition("\0")[0]).rpartition(".")[2]
        if kind not in program.classes and not is_container(kind) and kind not in HOLDERS:
            return f"{kind}.{of.name}", name
    return "", ""


def _classes(kind: str, program: Program) -> Iterator[str]:
    """Yield the classes of the program in a type, without the one that the type is of."""
    for name in _WORD.findall(kind.partition("\0")[0]):
        if any(one.cls.kind not in ("interface", "enum") for one in program.classes.get(name, ())):
            yield name


def _keepers(value: Value) -> Iterator[str]:
    """Yield the types of an object and of those that it comes from, but for what only wraps or lists others."""
    current: Value | None = value
    for _ in range(_DEEPEST):
        if isinstance(current, Cond):
            current = current.then
            continue
        kind = current.type if isinstance(current, Input | Get | Apply | Thing) else ""
        name = base_type(kind.partition("\0")[0]).rpartition(".")[2]
        if name and name != "[]" and name not in HOLDERS and not is_container(name):
            yield name
        current = current.of if isinstance(current, Get | Apply) else None
        if current is None:
            return


def _objects(value: Value, depth: int) -> Iterator[Thing]:
    if depth > _DEEPEST:
        return
    match value:
        case Thing():
            yield value
        case Items(values=values):
            for one in values:
                yield from _objects(one, depth + 1)
        case Cond(then=then, otherwise=otherwise):
            yield from _objects(then, depth + 1)
            yield from _objects(otherwise, depth + 1)
        case Apply(name="mapped" | "each" | "...", arguments=arguments):
            for one in arguments:
                yield from _objects(one, depth + 1)
