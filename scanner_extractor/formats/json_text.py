"""Parse untrusted JSON text: bounded nesting, only storable strings."""

from __future__ import annotations

import json
import re

from scanner_model.errors import InputInvalid

DEEPEST_JSON = 4000
"""How many arrays and objects may stand inside each other; 400 records inside each other need 1600."""

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n]*")
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<lone>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
SURROGATE = re.compile("[\ud800-\udfff]")
"""Half a surrogate pair, which no UTF-8 file or dictionary could hold."""

REPLACEMENT = "\ufffd"


def read_json(text: str) -> object:
    """Read one JSON document; half a surrogate pair is read as U+FFFD, because no file or dictionary could hold it.

    Raises InputInvalid, with line and column, where *text* is not JSON or nests deeper than DEEPEST_JSON.
    """
    text = _storable(text.removeprefix("\ufeff"))
    try:
        return _loads(text)
    except json.JSONDecodeError as error:
        where = f"{error.lineno}:{error.colno}"
        raise InputInvalid(f"not JSON: {error.msg}", where=where) from error
    except ValueError as error:
        # An integer of more digits than Python agrees to read.
        raise InputInvalid("a number has more digits than can be read") from error


def _loads(text: str) -> object:
    try:
        return json.loads(text)
    except RecursionError:
        return _read_nested(text)


def _storable(text: str) -> str:
    text = text if text.isascii() else SURROGATE.sub(REPLACEMENT, text)
    if "\\ud" not in text and "\\uD" not in text:
        return text
    return _ESCAPE.sub(lambda match: "\\ufffd" if match["lone"] else match[0], text)


def _read_nested(text: str) -> object:
    """Read JSON without recursion: what the standard library reads faster, but not deeper than its stack."""
    open_: list[_Open] = []
    at = 0
    while True:
        value, at = _value(text, at)
        if isinstance(value, _Open):
            if len(open_) == DEEPEST_JSON:
                raise InputInvalid(f"nested too deeply to be read: more than {DEEPEST_JSON} levels")
            at = value.start(text, at)
            open_.append(value)
            continue
        while open_:
            open_[-1].add(value)
            at = _skip(text, at)
            if text[at : at + 1] == ",":
                at = open_[-1].start(text, at + 1)
                break
            if text[at : at + 1] != open_[-1].closer:
                raise json.JSONDecodeError("Expecting ',' delimiter", text, at)
            value, at = open_.pop().container, at + 1
        else:
            if at != len(text) and _skip(text, at) != len(text):
                raise json.JSONDecodeError("Extra data", text, at)
            return value


class _Open:
    """An array or object whose end was not read yet."""

    __slots__ = ("closer", "container", "key")

    def __init__(self, opener: str) -> None:
        self.container: list[object] | dict[str, object] = [] if opener == "[" else {}
        self.closer = "]" if opener == "[" else "}"
        self.key = ""

    def start(self, text: str, at: int) -> int:
        """Return where the next value starts, past the key in an object."""
        if isinstance(self.container, list):
            return at
        at = _skip(text, at)
        if text[at : at + 1] != '"':
            raise json.JSONDecodeError("Expecting property name enclosed in double quotes", text, at)
        self.key, at = _DECODER.raw_decode(text, at)
        at = _skip(text, at)
        if text[at : at + 1] != ":":
            raise json.JSONDecodeError("Expecting ':' delimiter", text, at)
        return at + 1

    def add(self, value: object) -> None:
        """Put *value* where it belongs."""
        if isinstance(self.container, list):
            self.container.append(value)
        else:
            self.container[self.key] = value


def _value(text: str, at: int) -> tuple[object, int]:
    """Return the scalar or empty container at *at* and its end, or an open container and where its inside starts."""
    at = _skip(text, at)
    opener = text[at : at + 1]
    if opener not in ("[", "{"):
        return _DECODER.raw_decode(text, at)
    opened = _Open(opener)
    inside = _skip(text, at + 1)
    if text[inside : inside + 1] == opened.closer:
        return opened.container, inside + 1
    return opened, at + 1


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at
