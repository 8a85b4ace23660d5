"""JSON with source positions, so that a problem can name line and column."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from scanner_model.documents.json_input import TooLarge, check_size, has_repeated_members
from scanner_model.documents.schema_errors import (
    ErrorMessage,
    JsonPath,
    SchemaError,
    closest_match,
    error_messages,
    quoted,
)
from scanner_model.errors import InputInvalid, Problem

__all__ = [
    "JsonPath",
    "Position",
    "PositionedJson",
    "SchemaError",
    "closest_match",
    "json_path",
    "parse_with_positions",
    "positioned_problems",
    "repeated_members",
    "schema_error_messages",
    "schema_problems",
]

Position = tuple[int, int]

_DEEPEST = 200
"""Maximum nesting; hand-written files have less, and traversals of the value may recurse."""

_MOST_VALUES = 2_000_000
"""Maximum brackets, commas and colons: each value is stored with its position."""

_SPACE = re.compile(r"[ \t\r\n]*")
_TRAILING_COMMA = re.compile(r",[ \t\r\n]*[\]}]")
_PLAIN_KEY = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*$")
_DECODER = json.JSONDecoder()
_REPEATED_HINT = "scanner reads the last one, other programs may read another: keep one of them"


@dataclass(frozen=True, slots=True)
class PositionedJson:
    """A JSON document, the (line, column) of each value in it by path, both from 1, and the duplicate keys."""

    value: Any
    positions: Mapping[JsonPath, Position]
    file: str
    repeated: tuple[JsonPath, ...] = ()

    def position(self, path: JsonPath) -> Position:
        """Return line and column of *path*; a missing member is placed at its nearest parent."""
        while path not in self.positions:
            path = path[:-1]
        return self.positions[path]

    def where(self, path: JsonPath) -> str:
        """Return the location of *path* as text: file (none if it is empty), line, column, JSON path."""
        line, column = self.position(path)
        return f"{self.file}:{line}:{column} {json_path(path)}".removeprefix(":")

    def shown(self, path: JsonPath) -> str:
        """Return the value at *path* on one short line."""
        return quoted(self.at(path))

    def at(self, path: JsonPath) -> object:
        """Return the value at *path*."""
        value = self.value
        for step in path:
            value = value[step]
        return value


def json_path(path: JsonPath) -> str:
    """Write *path* as JSONPath: `$.topics[0].name`, quoting keys that are not plain words."""
    return "$" + "".join(
        f"[{step}]" if isinstance(step, int) else f".{step}" if _PLAIN_KEY.match(step) else f"[{json.dumps(step)}]"
        for step in path
    )


def parse_with_positions(text: str, file: str) -> PositionedJson:
    """Read JSON *text* of *file*; raises InputInvalid with line and column where it is not JSON."""
    text = text.removeprefix("\ufeff")
    try:
        check_size(text.encode("utf-8", "surrogatepass"), _MOST_VALUES)
        value = json.loads(text)
        walk = _Walk(text)
        walk.value(0, ())
    except json.JSONDecodeError as error:
        hint = _json_hint(text, error.pos)
        raise InputInvalid(f"not JSON: {error.msg}", where=f"{file}:{error.lineno}:{error.colno}", hint=hint) from error
    except TooLarge as error:
        raise InputInvalid(f"too large to be read: {error}", where=file, hint="write several files") from error
    except RecursionError as error:
        raise InputInvalid("nested too deeply to be read", where=file) from error
    except ValueError as error:  # Python reads no number of more than 4300 digits
        raise InputInvalid("not JSON that can be read: a number is too long", where=file) from error
    return PositionedJson(value, walk.positions, file, tuple(walk.repeated))


def repeated_members(text: str, file: str) -> tuple[Problem, ...]:
    """Return a problem for each member that an object in JSON *text* of *file* has twice; none for invalid JSON.

    JSON parsers disagree about such members (RFC 8259, 4): most use the last one, some the first, some reject them.
    """
    if not has_repeated_members(text):
        return ()
    try:
        document = parse_with_positions(text, file)
    except InputInvalid:
        return (Problem(file, "an object has a member twice", _REPEATED_HINT),)
    messages = ((path, f"{path[-1]!r} is written twice", _REPEATED_HINT) for path in document.repeated)
    return tuple(positioned_problems(messages, document))


def schema_problems(errors: Iterable[SchemaError], document: PositionedJson) -> Iterator[Problem]:
    """Convert a validator's errors to problems with positions, in file order; misspelt names get a hint."""
    return positioned_problems(schema_error_messages(errors, document), document)


def schema_error_messages(errors: Iterable[SchemaError], document: PositionedJson) -> Iterator[ErrorMessage]:
    """Return messages for a validator's errors and for duplicate members.

    The values of *document* are shown, which need not be those that were validated: hand in one without secrets.
    """
    for path in document.repeated:
        yield path, f"{path[-1]!r} is written twice", "keep one of them"
    for error in errors:
        yield from error_messages(error, document.shown)


def positioned_problems(messages: Iterable[ErrorMessage], document: PositionedJson) -> Iterator[Problem]:
    """Return each message once as a problem with its position, in file order."""
    ordered = sorted({(document.position(path), document.where(path), what, hint) for path, what, hint in messages})
    for _, where, what, hint in ordered:
        yield Problem(where, what, hint)


def _json_hint(text: str, at: int) -> str:
    """Return the hint for a trailing comma; Python 3.13 reports the position of the comma, older ones what follows."""
    start = at if text[at : at + 1] == "," else len(text[:at].rstrip()) - 1
    is_trailing = _TRAILING_COMMA.match(text, max(start, 0))
    return "a comma may not stand before a closing bracket" if is_trailing else ""


class _Walk:
    """Records the position of every value of a text that `json.loads` has accepted."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = [0, *(match.end() for match in re.finditer("\n", text))]
        self.positions: dict[JsonPath, Position] = {}
        self._noted: list[JsonPath] = []
        self.repeated: list[JsonPath] = []

    def value(self, at: int, path: JsonPath) -> int:
        """Record the value that starts at or after *at*, and everything in it; return its end."""
        if len(path) > _DEEPEST:
            raise RecursionError
        at = self._skip(at)
        self._note(at, path)
        match self._text[at]:
            case "{":
                return self._members(at + 1, path)
            case "[":
                return self._elements(at + 1, path)
            case _:
                return _DECODER.raw_decode(self._text, at)[1]

    def _members(self, at: int, path: JsonPath) -> int:
        seen: dict[str, tuple[int, int]] = {}
        while self._text[at := self._skip(at)] != "}":
            key, at = _DECODER.raw_decode(self._text, self._skip(at + 1) if self._text[at] == "," else at)
            if key in seen:  # the last one counts, as in the value
                self.repeated.append((*path, key))
                for earlier in self._noted[slice(*seen[key])]:
                    self.positions.pop(earlier, None)
            first = len(self._noted)
            at = self.value(self._skip(at) + 1, (*path, key))
            seen[key] = first, len(self._noted)
        return at + 1

    def _elements(self, at: int, path: JsonPath) -> int:
        index = 0
        while self._text[at := self._skip(at)] != "]":
            at = self.value(at + 1 if self._text[at] == "," else at, (*path, index))
            index += 1
        return at + 1

    def _note(self, at: int, path: JsonPath) -> None:
        line = bisect_right(self._lines, at)
        self.positions[path] = (line, at - self._lines[line - 1] + 1)
        self._noted.append(path)

    def _skip(self, at: int) -> int:
        match = _SPACE.match(self._text, at)
        return match.end() if match else at
