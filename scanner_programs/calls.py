"""The names in code and in values: which functions reach a call, over all that names may mean, so nothing is missed."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from posixpath import dirname, join, normpath
from typing import TypeVar

from scanner_programs import ir
from scanner_programs.ir import walk
from scanner_programs.libraries.rows import plain
from scanner_programs.libraries.standard import ASSIGNS
from scanner_programs.program import Place
from scanner_programs.values import (
    Apply,
    Closure,
    Cond,
    Const,
    Get,
    Input,
    Items,
    Method,
    Opaque,
    Ref,
    Thing,
    Type,
    Value,
)

T = TypeVar("T")

_CALLED = frozenset(("__call__", "invoke", "apply"))
"""Methods that are called by calling the object."""


_FRAMES = 20_000


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Allow more frames within a block, for code whose nesting lowering bounds; they take no memory of the stack."""
    known = sys.getrecursionlimit()
    sys.setrecursionlimit(max(known, _FRAMES))
    try:
        yield
    finally:
        sys.setrecursionlimit(known)


def remembered(read: Callable[[object], Iterable[T]]) -> Callable[[object], Iterable[T]]:
    """Have *read* look at a function once: the result is kept with the function until `forget`."""

    @wraps(read)
    def once(code: object) -> Iterable[T]:
        if not isinstance(code, ir.Function):
            return read(code)
        if read not in code.memo:
            code.memo[read] = tuple(read(code))
        known: tuple[T, ...] = code.memo[read]
        return known

    return once


def forget(functions: Iterable[ir.Function]) -> None:
    """Drop what was read of *functions*: they live longer than what asks."""
    for function in functions:
        function.memo.clear()


@remembered
def names_in(code: object) -> Iterator[str]:
    """Yield the names that code uses: of what it calls, of members, of types that it makes."""
    for one in walk(code):
        if isinstance(one, ir.Name | ir.Member):
            yield plain(one.name)
        elif isinstance(one, ir.Note):
            yield one.name
        elif isinstance(one, ir.New):
            yield one.type.partition("<")[0].rpartition(".")[2]
        elif isinstance(one, ir.Assign):
            if isinstance(one.target, ir.Member):
                yield one.target.name
            yield from ASSIGNS.get(one.operator, ())


@remembered
def types_in(code: object) -> Iterator[str]:
    """Yield the types that code declares for fields, parameters, variables and results."""
    for one in walk(code):
        if isinstance(one, ir.Field | ir.Parameter | ir.Function | ir.Declare) and one.type:
            yield one.type


@remembered
def called_in(code: object) -> Iterator[tuple[str, ir.Call]]:
    """Yield the calls in code, each with the simple name of what it calls."""
    for one in walk(code):
        if isinstance(one, ir.Call):
            name = one.function.name if isinstance(one.function, ir.Name | ir.Member) else ""
            yield plain(name), one


@remembered
def passed_in(code: object) -> Iterator[tuple[str, str]]:
    """Yield the members that code does not call, each behind the name that it is of, as methods that it passes on.

    The name is empty for members of what a call returns.
    """
    called = {id(one.function) for one in walk(code) if isinstance(one, ir.Call)}
    called |= {id(one.of) for one in walk(code) if isinstance(one, ir.Member)}
    for one in walk(code):
        if isinstance(one, ir.Member) and id(one) not in called and isinstance(one.of, ir.Name | ir.Call):
            yield one.of.name if isinstance(one.of, ir.Name) else "", plain(one.name)


def renamed(files: Iterable[ir.File]) -> dict[str, set[str]]:
    """Return the other names that imports and modules give what files declare, by the names there.

    What a module of JavaScript exports without a name is `default` behind the path of the module.
    """
    found: dict[str, set[str]] = {}
    for file in files:
        for name, imported in file.imports.items():
            known = imported.replace("::", ".").replace("/", ".").rpartition(".")[2]
            if known == "default" and imported.startswith("."):
                source = imported.removesuffix(".default")
                known = f"{normpath(join(dirname(file.path), source)).removesuffix('.js')} default"
            if known != name:
                found.setdefault(known, set()).add(name)
        for one in file.statements if file.language == "typescript" else ():
            value = one.value if isinstance(one, ir.Declare) else None
            exported = (
                [(one.target.name, value)] if isinstance(one, ir.Declare) and isinstance(one.target, ir.Name) else []
            )
            if exported and isinstance(value, ir.Record):
                exported = [(key.text, each) for key, each in value.entries if isinstance(key, ir.Literal)]
            for name, each in exported:
                if isinstance(each, ir.Name) and each.name != name:
                    found.setdefault(each.name, set()).add(name)
    return found


def called_as(place: Place, others: Mapping[str, Collection[str]]) -> set[str]:
    """Return the names that code calls a function by; *others* are those that it has elsewhere, by its own."""
    name = place.function.name
    if name in ("new", "__init__", "constructor") and place.known is not None:
        name = place.known.cls.name
    found: set[str] = set()
    waiting = [name] if name else []
    if name == "default":
        stem = place.file.path.rpartition(".")[0]
        waiting += [f"{one} default" for one in {stem, stem.removesuffix("/index")}]
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += others.get(one, ())
    return found


def reaching(
    places: Iterable[Place], targets: Collection[str], others: Mapping[str, Collection[str]] | None = None
) -> dict[int, Place]:
    """Return the functions that use one of the names *targets*, or a function that does, by identity.

    *others* are the names that functions have elsewhere, by their own.
    """
    listed = list(places)
    used = {id(place): frozenset(names_in(place.function)) for place in listed}
    users: dict[str, list[Place]] = {}
    for place in listed:
        for name in used[id(place)]:
            users.setdefault(name, []).append(place)
    found: dict[int, Place] = {}
    waiting = [place for name in targets for place in users.get(name, ())]
    known = set(targets)
    while waiting:
        place = waiting.pop()
        if id(place) in found:
            continue
        found[id(place)] = place
        of_object = place.function.name in _CALLED and place.known is not None
        called = {place.known.cls.name} if of_object and place.known is not None else set()
        for one in {*called_as(place, others or {}), *called, *_kept_in(place, known)}:
            known.add(one)
            waiting += users.get(one, ())
    return found


def _kept_in(place: Place, known: Collection[str]) -> Iterator[str]:
    """Yield the members that a function keeps one of the known functions in, and the variables of a file that do."""
    is_file = not place.function.name
    kept = set(known)
    for one in walk(place.function):
        target = one.target if isinstance(one, ir.Assign | ir.Declare) else None
        if not isinstance(target, ir.Member) and not (is_file and isinstance(target, ir.Name)):
            continue
        if isinstance(one, ir.Assign | ir.Declare) and not {*names_in(one.value)}.isdisjoint(kept):
            kept.add(target.name)
            yield target.name


MOST_PARTS = 300_000
"""Parts of values that are looked at."""
_WORD = re.compile(r"\w+")


def names_within(values: Iterable[Value]) -> frozenset[str] | None:
    """Return the names in values and in all parts of these; None if there are too many parts to look at.

    Code that may change one of the values, and that was not followed, has one of the names: it is called by it, is
    a member of that name, or declares a type of it.
    """
    found: set[str] = set()
    for count, value in enumerate(all_parts(values)):
        if count >= MOST_PARTS:
            return None
        for text in _texts(value):
            found.update(_WORD.findall(text))
    return frozenset(found)


def all_parts(values: Iterable[Value]) -> Iterator[Value]:
    """Yield values and all that is in them, each once, without constants."""
    seen: dict[int, Value] = {}
    waiting = list(values)
    while waiting:
        value = waiting.pop()
        if id(value) in seen or isinstance(value, Const):
            continue
        seen[id(value)] = value  # kept, so that no other value gets its identity
        yield value
        waiting.extend(_parts(value))


def _texts(value: Value) -> Iterator[str]:
    match value:
        case Input():
            yield value.type
        case Ref():
            yield value.name
        case Get() | Apply():
            yield value.name
            yield value.type
        case Opaque():
            yield value.text
        case Thing():
            yield value.type
            yield from value.touched
            for function in value.overridden.values():
                yield from names_in(function)
        case Method():
            yield value.name
        case Closure():
            yield from names_in(value.function)
        case Type():
            yield value.known.cls.name


def _parts(value: Value) -> Iterator[Value]:
    match value:
        case Get() | Method():
            yield value.of
        case Apply():
            yield from value.arguments
            if value.of is not None:
                yield value.of
        case Cond():
            yield from (value.test, value.then, value.otherwise)
        case Opaque():
            yield from value.parts
        case Thing():
            yield from (*value.fields.values(), *value.arguments)
            if value.base is not None:
                yield value.base
        case Items():
            yield from value.values
            if value.over is not None:
                yield value.over
        case Closure():
            if value.this is not None:
                yield value.this
