"""Where values lead: the names of the calls, members and types in them that no evaluation came behind."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from scanner_programs.calls import names_in
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
