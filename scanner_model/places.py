"""JSON with places: where in a text each value stands, so that a problem can name line and column."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Protocol

from scanner_model.errors import InputInvalid
from scanner_model.problems import Problem

Step = str | int
JsonPath = tuple[Step, ...]
Place = tuple[int, int]

_SPACE = re.compile(r"[ \t\r\n]*")
_PLAIN_KEY = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*$")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class PlacedJson:
    """A JSON document, the (line, column) of each value in it by path, both from 1, and the keys written twice."""

    value: Any
    places: Mapping[JsonPath, Place]
    file: str
    repeated: tuple[JsonPath, ...] = ()

    def where(self, path: JsonPath) -> str:
        """Say where *path* stands: file, line, column, JSON path; a missing member is placed at its nearest parent."""
        known = path
        while known not in self.places:
            known = known[:-1]
        line, column = self.places[known]
        return f"{self.file}:{line}:{column} {json_path(path)}"


class SchemaError(Protocol):
    """The parts that we use of `jsonschema.ValidationError`."""

    validator: Any
    validator_value: Any
    message: str
    instance: Any
    schema: Any

    @property
    def absolute_path(self) -> Sequence[Step]:
        """Give the path of the value that is wrong."""


def json_path(path: JsonPath) -> str:
    """Write *path* as people do: `$.topics[0].name`, quoting keys that are not plain words."""
    return "$" + "".join(
        f"[{step}]" if isinstance(step, int) else f".{step}" if _PLAIN_KEY.match(step) else f"[{json.dumps(step)}]"
        for step in path
    )


def read_placed(text: str, file: str) -> PlacedJson:
    """Read JSON *text* of *file*; raises InputInvalid with line and column where it is not JSON."""
    text = text.removeprefix("\ufeff")
    try:
        value = json.loads(text)
        walk = _Walk(text)
        walk.value(0, ())
    except json.JSONDecodeError as error:
        hint = _json_hint(text, error.pos)
        raise InputInvalid(
            f"not JSON: {error.msg}", where=f"{file}:{error.lineno}:{error.colno}", hint=hint
        ) from error
    except RecursionError as error:
        raise InputInvalid("nested too deeply to be read", where=file) from error
    return PlacedJson(value, walk.places, file, tuple(walk.repeated))


def schema_problems(errors: Iterator[SchemaError], document: PlacedJson) -> Iterator[Problem]:
    """Turn a validator's errors into problems with places, in the order of the file; near-misses get a hint."""
    for path in document.repeated:
        yield Problem(document.where(path), f"{path[-1]!r} is written twice", "keep one of them")
    found = {
        problem: document.places.get(tuple(error.absolute_path), (0, 0))
        for error in errors
        for problem in _read(error, document)
    }
    yield from sorted(found, key=lambda problem: (found[problem], problem))


def nearest(name: str, known: Sequence[str]) -> str:
    """Give a hint that names the nearest known names, or nothing where none is near."""
    near = get_close_matches(name, known, n=3, cutoff=0.6)
    return f"did you mean {' or '.join(map(repr, near))}?" if near else ""


def _read(error: SchemaError, document: PlacedJson) -> Iterator[Problem]:
    path = tuple(error.absolute_path)
    if error.validator == "additionalProperties" and isinstance(error.instance, dict):
        known = list(error.schema.get("properties", {}))
        for key in sorted(set(error.instance) - set(known)):
            hint = nearest(key, known) or f"known here: {', '.join(known)}"
            yield Problem(document.where((*path, key)), f"{key!r} is not known here", hint)
    else:
        yield Problem(
            document.where(path),
            error.message,
            str(error.schema.get("description", "")) if isinstance(error.schema, dict) else "",
        )


def _json_hint(text: str, at: int) -> str:
    before = text[:at].rstrip()
    return "a comma may not stand before a closing bracket" if before.endswith(",") else ""


class _Walk:
    """Notes the place of every value of a text that `json.loads` has accepted."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = [0, *(match.end() for match in re.finditer("\n", text))]
        self.places: dict[JsonPath, Place] = {}
        self.repeated: list[JsonPath] = []

    def value(self, at: int, path: JsonPath) -> int:
        """Note the value that starts at or after *at*, and everything in it; give where it ends."""
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
        seen: set[str] = set()
        while self._text[at := self._skip(at)] != "}":
            key, at = _DECODER.raw_decode(self._text, self._skip(at + 1) if self._text[at] == "," else at)
            if key in seen:
                self.repeated.append((*path, key))
            seen.add(key)
            at = self.value(self._skip(at) + 1, (*path, key))
        return at + 1

    def _elements(self, at: int, path: JsonPath) -> int:
        index = 0
        while self._text[at := self._skip(at)] != "]":
            at = self.value(at + 1 if self._text[at] == "," else at, (*path, index))
            index += 1
        return at + 1

    def _note(self, at: int, path: JsonPath) -> None:
        line = bisect_right(self._lines, at)
        self.places[path] = (line, at - self._lines[line - 1] + 1)

    def _skip(self, at: int) -> int:
        match = _SPACE.match(self._text, at)
        return match.end() if match else at
