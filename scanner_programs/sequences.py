"""Values as sequences and pairs of others, and objects that one part of a program hands values to another by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from scanner_programs.ir import Kind
from scanner_programs.libraries.standard import KEEPS, MAPS, SEQUENCES
from scanner_programs.values import (
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
