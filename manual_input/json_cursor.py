"""Manual-input documents: find the files, and read one by a cursor over positioned JSON that collects problems."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from json import JSONDecodeError, loads
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scanner_model.documents.json_input import TooLarge, check_size
from scanner_model.documents.json_positions import (
    JsonPath,
    PositionedJson,
    closest_match,
    json_path,
    parse_with_positions,
    schema_problems,
)
from scanner_model.errors import InputInvalid, Problem

LARGEST = 64 * 1024 * 1024
"""Bytes of one file, at most."""

_MAGIC = re.compile(r"[*?\[]")
_MEMBERS = {"topics": list, "subjects": dict, "flows": list}
_LOOKS = re.compile(rf'"(?:{"|".join(_MEMBERS)})"\s*:')


def find_files(patterns: Sequence[str], base: Path) -> tuple[Path, ...]:
    """List the manual-input files that *patterns* (relative to *base*) name, each once, sorted.

    Explicit files and globs are always included. A directory stands for every `*.json` below it that looks like manual
    input: an object with a list of topics, a list of flows, or an object of subjects. Raises InputInvalid that lists
    every pattern without a file.
    """
    files: set[Path] = set()
    problems = []
    for pattern in patterns:
        matches = set(_named(pattern, base))
        if not matches:
            problems.append(Problem(pattern, "no manual-input file found", f"looked in {base}"))
        files |= matches
    if problems:
        raise InputInvalid.listing(problems)
    return tuple(sorted(files, key=Path.as_posix))


def matching(pattern: str, base: Path) -> tuple[Path, ...]:
    """List the files and directories that the path or glob *pattern* names, sorted; `**` follows no links."""
    plain = base / pattern
    try:
        if not _MAGIC.search(pattern) or plain.exists():
            return (plain,) if plain.exists() else ()
        anchor = Path(pattern).anchor
        paths = Path(anchor).glob(pattern.removeprefix(anchor)) if anchor else base.glob(pattern)
        return tuple(sorted(paths, key=Path.as_posix))
    except (ValueError, OSError):
        # A NUL, an overlong name, or `**` within a name: no such file can exist.
        return ()


def read_text(path: Path) -> str:
    """Read a text file as UTF-8, without a byte order mark; raises InputInvalid that says why not."""
    try:
        if path.exists() and not path.is_file():
            # Reading a pipe would block; a device never ends.
            raise InputInvalid(f"{path.name!r} is not a file")
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise InputInvalid(f"{path.name!r} is larger than {LARGEST} bytes", hint="write several files")
        return content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except FileNotFoundError:
        raise InputInvalid(
            f"no file {path.name!r} in {path.parent}", hint=closest_match(path.name, _beside(path))
        ) from None
    except UnicodeDecodeError as error:
        raise InputInvalid(f"{path.name!r} is not UTF-8 (byte {error.start})", hint="save it as UTF-8") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputInvalid(f"{path.name!r} cannot be read: {reason}") from error


def _named(pattern: str, base: Path) -> Iterator[Path]:
    for match in matching(pattern, base):
        if match.is_dir():
            yield from filter(_looks_like_manual_input, _json_below(match))
        else:
            yield match


def _json_below(directory: Path) -> Iterator[Path]:
    for parent, _, names in os.walk(directory):
        yield from (Path(parent, name) for name in names if name.endswith(".json"))


def _looks_like_manual_input(path: Path) -> bool:
    try:
        text = read_text(path)
    except InputInvalid:
        # Not skipped silently: reading it later reports the error.
        return True
    try:
        check_size(text.encode())
        value = loads(text)
    except TooLarge:
        return True  # as above
    except JSONDecodeError:
        # A syntax error must not hide the file.
        return bool(_LOOKS.search(text))
    except (RecursionError, ValueError):
        return False
    return is_manual_input(value)


def is_manual_input(value: object) -> bool:
    """Check whether a JSON value is an object with a list of topics, a list of flows, or an object of subjects."""
    return isinstance(value, dict) and any(isinstance(value.get(key), kind) for key, kind in _MEMBERS.items())


def _beside(path: Path) -> Sequence[str]:
    try:
        return sorted(entry.name for entry in path.parent.iterdir())
    except OSError:
        return ()


if TYPE_CHECKING:
    from jsonschema import Draft202012Validator


def schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) by which editors complete a manual-input file."""
    published: dict[str, Any] = json.loads(_text("manual_input.schema.json"))
    return published


def example() -> str:
    """Return an example document that uses every part of the format and is valid where it stands alone."""
    return _text("example.json")


def _text(name: str) -> str:
    return files("manual_input").joinpath(name).read_text(encoding="utf-8")


DEEPEST = 80
"""Maximum steps of a JSON path: over thirty nested columns; jsonschema recurses."""

_LINE_AND_COLUMN = re.compile(r"(\d+):(\d+)")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(slots=True)
class Document:
    """A file that is being read. *name* identifies it in problems and evidence; *placed* is None where it is not JSON.

    *errors* make the input invalid, *warnings* do not.
    """

    path: Path
    name: str
    placed: PositionedJson | None = None
    errors: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)

    @property
    def root(self) -> Node:
        """Return the cursor at the document's root; reads as empty where the file is not JSON."""
        return Node(self, (), self.placed.value if self.placed else None)

    def where(self, path: JsonPath) -> str:
        """Return the location of *path* as text: file, line, column, JSON path."""
        return self.placed.where(path) if self.placed else self.name

    def sorted_errors(self) -> list[Problem]:
        """List the errors once, in file order; those without a line come first."""
        return self._sorted(self.errors)

    def sorted_warnings(self) -> list[Problem]:
        """List the warnings in the same way."""
        return self._sorted(self.warnings)

    def _sorted(self, problems: list[Problem]) -> list[Problem]:
        return sorted(set(problems), key=lambda problem: (self._line_and_column(problem), problem))

    def _line_and_column(self, problem: Problem) -> tuple[int, int]:
        match = _LINE_AND_COLUMN.match(problem.where.removeprefix(f"{self.name}:"))
        return (int(match[1]), int(match[2])) if match else (0, 0)


@dataclass(frozen=True, slots=True)
class Node:
    """A value in a document. Malformed values read as absent, because the JSON Schema has reported it."""

    document: Document
    path: JsonPath
    value: Any

    @property
    def location(self) -> str:
        """Return a location that is independent of lines: file and JSON path."""
        return f"{self.document.name} {json_path(self.path)}"

    @property
    def where(self) -> str:
        """Return the location for messages: file, line, column, JSON path."""
        return self.document.where(self.path)

    def has(self, key: str) -> bool:
        """Return whether this is an object with the member *key*."""
        return isinstance(self.value, dict) and key in self.value

    def member(self, key: str) -> Node:
        """Return the member *key*; one that is not there has the value None."""
        return Node(self.document, (*self.path, key), self.value[key] if self.has(key) else None)

    @property
    def string(self) -> str:
        """Return the value where it is a string, else the empty string."""
        return self.value if isinstance(self.value, str) else ""

    @property
    def integer(self) -> int | None:
        """Return the value where it is a whole number (in JSON Schema `1.0` is one too), else None."""
        if isinstance(self.value, float) and self.value.is_integer():
            return int(self.value)
        return self.value if isinstance(self.value, int) and not isinstance(self.value, bool) else None

    def text(self, key: str) -> str:
        """Return the member *key* where it is a string, else the empty string."""
        return self.member(key).string

    def texts(self, key: str) -> tuple[str, ...]:
        """Return the strings of the list *key*."""
        return tuple(node.string for node in self.elements(key) if node.string)

    def elements(self, key: str) -> Iterator[Node]:
        """Iterate over the list *key*."""
        yield from self.member(key).listed()

    def listed(self) -> Iterator[Node]:
        """Iterate over this list; other values have no elements."""
        for index, value in enumerate(self.value if isinstance(self.value, list) else ()):
            yield Node(self.document, (*self.path, index), value)

    def members(self) -> Iterator[tuple[str, Node]]:
        """Iterate over the members of this object, in the file's order."""
        for key in self.value if isinstance(self.value, dict) else ():
            yield key, self.member(key)

    def refuse(self, what: str, hint: str = "") -> None:
        """Add an error for this value."""
        self.document.errors.append(Problem(self.where, what, hint))

    def warn(self, what: str, hint: str = "") -> None:
        """Add a warning for this value."""
        self.document.warnings.append(Problem(self.where, what, hint))


def load(path: Path, name: str) -> Document:
    """Read the file at *path*, called *name*; why it cannot be read is a problem of the document, never raised."""
    document = Document(path, name)
    try:
        document.placed = _within_depth(parse_with_positions(read_text(path), name))
    except InputInvalid as error:
        document.errors.append(Problem(error.where or name, error.what, error.hint))
    return document


def validate(document: Document) -> None:
    """Add an error for every violation of the JSON Schema and every text that cannot be stored."""
    if document.placed:
        document.errors.extend(schema_problems(_validator().iter_errors(document.placed.value), document.placed))
        _refuse_unstorable(document.root)


def _within_depth(placed: PositionedJson) -> PositionedJson:
    deepest = max(placed.positions, key=len)
    if len(deepest) > DEEPEST:
        raise InputInvalid(f"nested deeper than {DEEPEST} steps", where=placed.where(deepest[:DEEPEST]))
    return placed


def _refuse_unstorable(node: Node) -> None:
    if isinstance(node.value, str) and _UNSTORABLE.search(node.value):
        node.refuse("a character in it cannot be stored: NUL or half of a surrogate pair", "remove its \\u escape")
    for child in node.listed():
        _refuse_unstorable(child)
    for key, child in node.members():
        if _UNSTORABLE.search(key):
            child.refuse("a character in its name cannot be stored: NUL or half of a surrogate pair")
        _refuse_unstorable(child)


@cache
def _validator() -> Draft202012Validator:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - slower to import than most commands run

    return Draft202012Validator(schema())
