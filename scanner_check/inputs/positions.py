"""Line and column of a column, or of a word, in a proposed text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from scanner_check.model import Place
from scanner_model.columns import KEY, ColumnPath
from scanner_model.documents.json_positions import JsonPath, PositionedJson, parse_with_positions
from scanner_model.errors import InputInvalid
from scanner_model.lazy_names import load

if TYPE_CHECKING:
    from scanner_extractor.formats.protobuf.declarations import Field

_MARKS = ("[", "{", "<")
_PROTOBUF = "scanner_extractor.formats.protobuf"
"""Imported when a text is one of Protobuf."""


class Positions:
    """Finds places in one file; what cannot be found is placed at the nearest thing around it, else at the start."""

    def __init__(self, file: str, text: str, format: str = "", *, line: int = 1) -> None:
        self._file = file
        self._line = line
        self._text = text
        self._fields = dict(_fields(text)) if format == "PROTOBUF" else {}
        self._json = None if format == "PROTOBUF" else _document(text, file)
        self._names = _names(self._json) if self._json else {}

    @property
    def start(self) -> Place:
        """Return the start of the file, or of the part of it that begins on the given line."""
        return Place(file=self._file, line=self._line)

    def column(self, path: ColumnPath) -> Place:
        """Return where a column of the schema is defined, for one that is not there its nearest parent."""
        steps = [step for step in path if not step.startswith(_MARKS) and step != KEY]
        if self._json is None:
            last = next((self._fields[name] for name in reversed(steps) if name in self._fields), None)
            return self.start if last is None else self._at(last)
        at: JsonPath = ()
        for step in steps:
            inside = [place for place in self._names.get(step, ()) if place[: len(at)] == at]
            at = min(inside or self._names.get(step, [at]), key=len)
        return self.json(at)

    def json(self, path: JsonPath) -> Place:
        """Return the place of a value of a JSON document."""
        if self._json is None:
            return self.start
        line, column = self._json.position(path)
        return Place(file=self._file, line=line, column=column)

    def word(self, name: str, line: int = 1) -> Place:
        """Return where *name* first stands as a word from a line on, in any letter case."""
        start = sum(map(len, self._text.splitlines(keepends=True)[: line - 1]))
        word = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", re.IGNORECASE)
        match = word.search(self._text, start) if name else None
        return self._at(match.start()) if match else self.start

    def _at(self, offset: int) -> Place:
        line = self._text.count("\n", 0, offset) + 1
        return Place(file=self._file, line=line, column=offset - self._text.rfind("\n", 0, offset))


def _document(text: str, file: str) -> PositionedJson | None:
    try:
        return parse_with_positions(text, file)
    except InputInvalid:
        return None


def _names(document: PositionedJson) -> Mapping[str, list[JsonPath]]:
    """Return the places of fields by name: Avro's objects in `fields`, JSON Schema's members of `properties`."""
    names: dict[str, list[JsonPath]] = {}
    for path in document.positions:
        if len(path) > 1 and path[-2] == "properties" and isinstance(path[-1], str):
            names.setdefault(path[-1], []).append(path)
        elif len(path) > 2 and path[-1] == "name" and path[-3] == "fields":
            names.setdefault(str(document.at(path)), []).append(path[:-1])
    return names


def _fields(text: str) -> list[tuple[str, int]]:
    """Return the fields of a .proto text with their offsets; of several with one name, the first."""
    parse_proto, message_type = load(f"{_PROTOBUF}.parser:parse_proto"), load(f"{_PROTOBUF}.declarations:Message")
    waiting = [body for body in reversed(parse_proto(text).types) if isinstance(body, message_type)]
    fields: dict[str, Field] = {}
    while waiting:
        message = waiting.pop()
        for field in message.fields:
            fields.setdefault(field.name, field)
        waiting += [body for body in reversed(message.types) if isinstance(body, message_type)]
    return [(name, field.offset) for name, field in fields.items()]
