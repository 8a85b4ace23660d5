"""The records that schema files declare: how the messages of classes that are generated from them call their fields."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from scanner_extractor.formats.avro.names import definitions, listed, worded
from scanner_extractor.formats.limits import read_json
from scanner_extractor.formats.protobuf.declarations import Message
from scanner_extractor.formats.protobuf.parser import parse_proto
from scanner_model.columns import ColumnPath
from scanner_model.errors import InputInvalid

LARGEST_SCHEMA = 512 * 1024
"""Maximum characters of a schema file that is read for its records."""
MOST_SCHEMAS = 4_000_000
"""Maximum characters of the schema files that are read for their records."""
_SUFFIX = re.compile(r"(?:List|Map|Value|Bytes|OrNull|OrBuilder|Builder)$")
"""What generated code adds to the name of a field."""


@dataclass(slots=True)
class _Record:
    """The fields of a record as it calls them, each with the simple name of its type, by their plain names."""

    fields: dict[str, tuple[str, str]] = field(default_factory=dict)

    def find(self, name: str) -> tuple[str, str] | None:
        """Return the field that a member of the class means; None for any other."""
        return self.fields.get(_plain(name)) or self.fields.get(_plain(_SUFFIX.sub("", name)))


@dataclass
class GeneratedClasses:
    """The classes that are generated from the Avro and Protobuf schemas among *files*."""

    files: Mapping[str, str]

    @cached_property
    def _records(self) -> Mapping[str, list[_Record]]:
        found: dict[str, list[_Record]] = {}
        size = 0
        for path in sorted(self.files):
            if path.endswith((".avsc", ".proto")):
                text = self.files[path]
                size += len(text)
                if size > MOST_SCHEMAS:
                    break
                for name, record in _records_of(path, text) if len(text) <= LARGEST_SCHEMA else ():
                    found.setdefault(name, []).append(record)
        return found

    def spelled(self, path: ColumnPath, classes: Iterable[str]) -> ColumnPath:
        """Return a path of members as the message of one of the classes calls them."""
        for name in classes:
            for record in self._records.get(name, ()):
                if path and record.find(path[0]) is not None:
                    return tuple(self._steps(path, record))
        return path

    def _steps(self, path: ColumnPath, record: _Record | None) -> Iterator[str]:
        for name in path:
            found = record.find(name) if record is not None else None
            yield found[0] if found is not None else name
            record = next(iter(self._records.get(found[1], ())), None) if found is not None else None


def _plain(name: str) -> str:
    """Return a name as members of generated code are compared: without letter case and underscores."""
    return name.replace("_", "").replace("-", "").lower()


def _records_of(path: str, text: str) -> Iterator[tuple[str, _Record]]:
    yield from _avro(text) if path.endswith(".avsc") else _protobuf(text)


def _avro(text: str) -> Iterator[tuple[str, _Record]]:
    try:
        records = list(definitions(read_json(text)))
    except InputInvalid:
        return
    for record in records:
        if record.definition.get("type") in ("record", "error"):
            found = _Record()
            for entry in listed(record.definition, "fields"):
                if isinstance(entry, dict) and (label := worded(entry, "name")):
                    found.fields[_plain(label)] = label, _avro_type(entry.get("type"))
            yield record.name.rpartition(".")[2], found


def _avro_type(schema: object, depth: int = 0) -> str:
    if isinstance(schema, str):
        return schema.rpartition(".")[2]
    if isinstance(schema, list):
        branches = [_avro_type(branch, depth + 1) for branch in schema if branch != "null"]
        return branches[0] if len(branches) == 1 else ""
    if not isinstance(schema, dict) or depth > 20:
        return ""
    word = schema.get("type")
    if word in ("array", "map"):
        return _avro_type(schema.get("items" if word == "array" else "values"), depth + 1)
    return worded(schema, "name").rpartition(".")[2] if word in ("record", "error") else str(word)


def _protobuf(text: str) -> Iterator[tuple[str, _Record]]:
    queue = list(parse_proto(text).types)
    while queue:
        message = queue.pop(0)
        if isinstance(message, Message):
            fields = {_plain(one.name): (one.name, one.type.rpartition(".")[2]) for one in message.fields}
            queue += message.types
            yield message.name, _Record(fields)
