"""Seeded mutations of JSON documents, as a careless server, a proxy or a stranger may send them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

Json = Any
Path = tuple[str | int, ...]
Mutation = Callable[[bytes, Random], bytes]

STRANGE: tuple[Json, ...] = (
    *(None, True, False, 0, -1, 7, 2**31, 2**63, 10**400, 1e308, -0.5),
    *(
        "",
        " ",
        "7",
        "null",
        "a\0b",
        "\ud800",
        "\u202e",
        "<b>",
        "%00",
        "../..",
        "x" * 5000,
        "{",
        '{"a": 1}',
        "0001-01-01",
    ),
    *([], [[]], [None], [7], ["x"], [{}], {}, {"": None}, {"name": 7}, {"x": {"x": {"x": []}}}),
)
"""Values of every type, of which some cannot be stored, shown or counted."""


TIMES = int(os.environ.get("MUTATIONS", 1))
"""Factor for the number of mutations, such as `MUTATIONS=12` after a change of what reads foreign input."""


def mutated(body: bytes, random: Random) -> bytes:
    """Return *body* with one mutation; bytes are damaged if it is not JSON."""
    try:
        document = json.loads(body)
    except ValueError:
        return _damaged(body, random)
    if random.random() < 0.1:
        return _damaged(body, random)
    places = list(_places(document))
    change = random.choice((_replaced, _replaced, _replaced, _removed, _doubled, _swapped))
    return _written(change(document, random.choice(places), random))


def retyped(body: bytes, random: Random) -> bytes:
    """Return JSON *body* with one value, neither null nor a flag, replaced by one of another type; others as it is."""
    try:
        document = json.loads(body)
    except ValueError:
        return body
    places = [path for path in _places(document) if type(_at(document, path)) in (str, int, float, list, dict)]
    path = random.choice(places)
    others = [value for value in (7, "text", ["x"], {"x": 1}) if type(value) is not type(_at(document, path))]
    return _written(_set(document, path, random.choice(others)))


def _written(document: Json) -> bytes:
    return json.dumps(document).replace(_TWICE, "").encode("utf-8")


_TWICE = " (twice)"
"""Ends the name of a member that is written under the same name as another."""


def _damaged(body: bytes, random: Random) -> bytes:
    at = random.randrange(len(body) + 1)
    piece = random.choice((b"", b"\0", b"\xff", b'"', b"}", b"[", b",", b"[" * 3000, b"\xef\xbb\xbf", b"1e999"))
    return body[:at] + piece + body[at + random.choice((0, 1, 5, len(body))) :]


def _places(value: Json, path: Path = ()) -> Iterator[Path]:
    yield path
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, item in members:
        yield from _places(item, (*path, step))


def _at(value: Json, path: Path) -> Json:
    for step in path:
        value = value[step]
    return value


def _set(document: Json, path: Path, value: Json) -> Json:
    if not path:
        return value
    _at(document, path[:-1])[path[-1]] = value
    return document


def _replaced(document: Json, path: Path, random: Random) -> Json:
    return _set(document, path, random.choice(STRANGE))


def _removed(document: Json, path: Path, random: Random) -> Json:
    if path:
        del _at(document, path[:-1])[path[-1]]
    return document


def _doubled(document: Json, path: Path, random: Random) -> Json:
    """Repeat an item of a list, and write a member of an object twice, the second time with another value."""
    if not path:
        return [document, document]
    holder, value = _at(document, path[:-1]), _at(document, path)
    if isinstance(holder, list):
        holder.insert(int(path[-1]), value)
    else:
        holder[f"{path[-1]}{_TWICE}"] = random.choice((value, *STRANGE))
    return document


def _swapped(document: Json, path: Path, random: Random) -> Json:
    """Put another part of the document in place of a value."""
    return _set(document, path, json.loads(json.dumps(_at(document, random.choice(list(_places(document)))))))
