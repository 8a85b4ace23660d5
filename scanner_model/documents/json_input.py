"""Load untrusted JSON: bounded in size and depth, without text that cannot be stored."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any, NamedTuple

from scanner_model.text import storable

Json = Any

MOST_VALUES = 5_000_000
"""Maximum brackets, commas and colons of one document: as objects these take up to 0.7 GB.

A registry's page of 1000 versions has 30,000, a Connect cluster of 10,000 connectors about 1,000,000.
"""

DEEPEST = 200
"""Maximum nesting of arrays and objects of a response; traversals may recurse."""

DEEPEST_SHARED = 800
"""Maximum nesting in schemas, which every supported Python reads; 200 records inside each other need 800."""

_LONGEST_SHARED = 1 << 20
_WINDOW = 1 << 22
_MARKS = b"{[,:"
_ESCAPES = (b"\\ud", b"\\uD", b"\\u0000")
"""How half a surrogate pair and NUL are written in JSON: UTF-8 lacks the one, and JSON rejects the other."""
_BACKSLASHES = re.compile(rb"\\*")


class TooLarge(ValueError):
    """Raised when a document has more values or levels than are read."""


class Loaded(NamedTuple):
    """The value of a document.

    *replaced* counts the texts that could not be stored and became U+FFFD. *repeats*: an object has a member twice, of
    which the last one is the value; `json_positions.repeated_members` finds them.
    """

    value: Json
    replaced: int
    repeats: bool = False


def load_json(text: bytes, *, most: int = MOST_VALUES) -> Loaded:
    """Load one JSON document of UTF-8, a byte order mark before it allowed.

    Raises TooLarge before an object is made where there are more than *most* values, and for more levels than DEEPEST;
    otherwise what `json.loads` raises: UnicodeDecodeError, other ValueErrors and RecursionError.
    """
    check_size(text, most)
    members = _Members()
    value = json.loads(text.decode("utf-8-sig"), object_pairs_hook=members)
    check_depth(value)
    loaded = storable_json(value) if any(escape in text for escape in _ESCAPES) else Loaded(value, 0)
    return loaded._replace(repeats=members.repeat)


class _Members:
    """Builds objects from their members, and notes whether any object has a member twice."""

    def __init__(self) -> None:
        self.repeat = False

    def __call__(self, pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        members = dict(pairs)
        if len(members) != len(pairs):
            self.repeat = True
        return members


def load_text(text: str, *, strict: bool = True, deepest: int = DEEPEST) -> Json:
    """Load one JSON document in the text of a file or a member; *strict*: control characters in texts are invalid.

    Raises ValueError only: TooLarge as `load_json` does, also for what Python cannot nest.
    """
    check_size(text.encode("utf-8", "surrogatepass"))
    try:
        value = json.loads(text, strict=strict)
    except RecursionError as error:
        raise TooLarge(f"it is nested too deeply: more than {deepest} levels") from error
    if text.count("{") + text.count("[") > deepest:  # fewer brackets cannot nest as deep
        check_depth(value, deepest)
    return value


def load_shared(text: str) -> Json:
    """Load one JSON document that several parts of a program read, such as a schema: one text is parsed once.

    The value is shared, so change nothing in it. Raises what `load_text` does, for more levels than DEEPEST_SHARED.
    """
    return _shared(text) if len(text) <= _LONGEST_SHARED else load_text(text, deepest=DEEPEST_SHARED)


@lru_cache(maxsize=64)
def _shared(text: str) -> Json:
    return load_text(text, deepest=DEEPEST_SHARED)


@lru_cache(maxsize=64)
def has_repeated_members(text: str) -> bool:
    """Return whether an object in *text* has a member twice; False for invalid, too large or too deep JSON."""
    members = _Members()
    try:
        check_size(text.encode("utf-8", "surrogatepass"))
        json.loads(text, object_pairs_hook=members)
    except (ValueError, RecursionError):
        return False
    return members.repeat


def check_size(text: bytes, most: int = MOST_VALUES) -> None:
    """Raise TooLarge where *text* has more than *most* brackets, commas and colons outside of strings."""
    if sum(map(text.count, (b"{", b"[", b",", b":"))) > most and _marks(text, most) > most:
        raise TooLarge(f"it has more than {most} values")


def _marks(text: bytes, most: int) -> int:
    """Count the marks outside of strings, in windows and up to the first window with which they are more than *most*.

    Schemas and statements are strings with brackets of their own.
    """
    count = start = 0
    inside = False
    while start < len(text) and count <= most:
        end = min(start + _WINDOW, len(text))
        if text[end - 1 : end] == b"\\" and (run := _BACKSLASHES.match(text, end)):
            end = run.end() + 1  # a backslash is not parted from what it escapes
        pieces = text[start:end].replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"')
        bare = b"".join(pieces[inside::2])
        count += len(bare) - len(bare.translate(None, _MARKS))
        inside ^= len(pieces) % 2 == 0
        start = end
    return count


def check_depth(value: Json, most: int = DEEPEST) -> None:
    """Raise TooLarge where arrays and objects stand inside each other more than *most* levels deep."""
    level, depth = _inside([value]), 1  # that of the document itself
    while level:
        depth += 1
        if depth > most:
            raise TooLarge(f"it is nested too deeply: more than {most} levels")
        level = _inside(level)


def storable_json(value: Json) -> Loaded:
    """Return a copy of *value* whose texts, names of members too, can be stored: see `text.storable`.

    For values of at most DEEPEST levels, as it recurses.
    """
    replaced = 0

    def copied(node: Json) -> Json:
        nonlocal replaced
        if isinstance(node, str):
            text = storable(node)
            replaced += text != node
            return text
        if isinstance(node, dict):
            return {copied(key): copied(item) for key, item in node.items()}
        return [copied(item) for item in node] if isinstance(node, list) else node

    return Loaded(copied(value), replaced)


def _inside(values: list[Json]) -> list[Json]:
    """List the arrays and objects directly inside those of *values*; of the first list itself."""
    nested: list[Json] = []
    for container in values:
        if type(container) is dict:
            nested += [item for item in container.values() if type(item) is dict or type(item) is list]
        elif type(container) is list:
            nested += [item for item in container if type(item) is dict or type(item) is list]
    return nested
