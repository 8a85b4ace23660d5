"""What a program keeps with a library and takes from it again: in a database, a cache, a document or a text.

A library that a sent value comes from gives what it was given before: what the program gives it is part of what is
sent, however much later. The two ends meet by what both name: a type that keeps objects and the class of these; a class
whose objects a library keeps; a member of a library's object; a table in a statement of SQL.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from scanner_programs import ir
from scanner_programs.calls import names_in, types_in
from scanner_programs.ir import walk
from scanner_programs.leads import MOST_PARTS, all_parts
from scanner_programs.libraries.standard import CONSTRUCTORS, HOLDERS
from scanner_programs.machine import Made
from scanner_programs.program import Place, Program, base_type
from scanner_programs.residue import code_text
from scanner_programs.sequences import is_container
from scanner_programs.shapes import notes_of
from scanner_programs.values import Apply, Cond, Const, Get, Input, Items, Method, Thing, Type, Value

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


def form_of(value: Value) -> str:
    """Return the notes of the classes whose objects are inside of a value: they say what their text looks like."""
    inside = islice(all_parts((value,)), 1, MOST_PARTS)
    classes = {one.known.qualified: one.known for one in inside if isinstance(one, Thing) and one.known is not None}
    noted = {
        name: [f"{field.name} {code_text(notes)}" for field in known.cls.fields if (notes := notes_of(field))]
        for name, known in sorted(classes.items())
    }
    return "; ".join(f"{name}: {', '.join(listed)}" for name, listed in noted.items() if listed)


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
