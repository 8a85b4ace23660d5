"""Content of a schema entry: a schema file, sample payloads, or inline columns."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import NoReturn

from manual_input.json_cursor import Node, matching, read_text
from scanner_model.columns import ELEMENT, MAP_VALUE, Column, ColumnPath, field_segment
from scanner_model.documents.json_input import TooLarge, check_size
from scanner_model.documents.json_positions import closest_match
from scanner_model.errors import InputInvalid
from scanner_model.names import RecordName
from scanner_model.redaction import mask_text

INLINE = ("columns", "items", "values", "type")
"""The members by which an entry describes its value itself; at most one of the first three."""

UNKNOWN_TYPE = "unknown"
"""The type of a column with only a name."""

_TYPES = {"columns": "record", "items": "array", "values": "map"}


def inline_columns(entry: Node) -> tuple[Column, ...]:
    """List the columns that the schema *entry* describes; without `columns` the message is one value."""
    if not entry.has("columns"):
        return tuple(_value(entry, (), entry.text("type")))
    _nested(entry)
    for key in ("type", "logical_type"):
        if entry.has(key):
            entry.member(key).refuse(f"{key!r} beside 'columns' is not allowed here", "the columns have types")
    return tuple(_members(entry, ()))


def _members(node: Node, path: ColumnPath) -> Iterator[Column]:
    seen: set[str] = set()
    for column in node.elements("columns"):
        name = column.string or column.text("name")
        if name in seen:
            column.refuse(f"column {name!r} is listed twice", "keep one of them, or rename one")
        elif name:
            seen.add(name)
            yield from _value(column, (*path, field_segment(name)), column.text("type"))


def _value(node: Node, path: ColumnPath, word: str) -> Iterator[Column]:
    kind = _nested(node)
    yield Column(
        path=path,
        type=word or _TYPES.get(kind, UNKNOWN_TYPE),
        logical_type=node.text("logical_type") or None,
        nullable=node.member("nullable").value is True,
        default=_default(node),
        doc=mask_text(node.text("doc")) or None,
        tags=tuple(dict.fromkeys(node.texts("tags"))),
    )
    if kind == "columns":
        yield from _members(node, path)
    elif kind:
        inner = node.member(kind)
        word = inner.string or inner.text("type")
        yield from _value(inner, (*path, ELEMENT if kind == "items" else MAP_VALUE), word)


def _nested(node: Node) -> str:
    kinds = [kind for kind in _TYPES if node.has(kind)]
    if len(kinds) > 1:
        node.refuse(f"{' and '.join(kinds)} exclude one another", "a value is a record, a list or a map")
    return kinds[0] if kinds else ""


def _default(node: Node) -> str | None:
    if not node.has("default"):
        return None
    try:
        return json.dumps(node.member("default").value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        node.member("default").refuse("not a number that JSON has", 'write it as text: "NaN"')
        return None


_SPACE = " \t\r\n"


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(word)


# Numbers stay text: they are only checked, and Python does not convert very long ones.
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=_refuse_constant)


def sample_lines(text: str) -> Iterator[str]:
    """Return each JSON document of *text* on a line of its own, as it was written.

    One document, or several one after the other (NDJSON). A list is one message that is a list. Raises InputInvalid
    whose `where` is line and column of what is not JSON.
    """
    try:
        check_size(text.encode("utf-8", "surrogatepass"))
    except TooLarge as error:
        raise InputInvalid(f"too large to be read: {error}", where="1:1") from error
    at = _skipped(text, 0)
    while at < len(text):
        end = _end(text, at)
        # Outside strings a line end is only space, and inside them JSON has none.
        yield text[at:end].replace("\r", " ").replace("\n", " ")
        at = _skipped(text, end)


def _end(text: str, at: int) -> int:
    try:
        return _DECODER.raw_decode(text, at)[1]
    except json.JSONDecodeError as error:
        raise InputInvalid(f"not JSON: {error.msg}", where=f"{error.lineno}:{error.colno}") from error
    except ValueError as error:
        raise InputInvalid(f"not JSON: {error} is not a JSON number", where=_line_and_column(text, at)) from error
    except RecursionError as error:
        raise InputInvalid("nested too deeply to be read", where=_line_and_column(text, at)) from error


def _line_and_column(text: str, at: int) -> str:
    return f"{text.count(chr(10), 0, at) + 1}:{at - text.rfind(chr(10), 0, at)}"


def _skipped(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at


FILE_FORMATS = ("AVRO", "JSON", "PROTOBUF")
"""The formats of schema files that are read, as `ManualSchema.format` names them."""

PAYLOAD = "JSON_PAYLOAD"
"""The format of sample payloads: JSON documents, one a line."""

_BY_EXTENSION = {".avsc": "AVRO", ".avro": "AVRO", ".proto": "PROTOBUF", ".json": "JSON"}

_COMPANIONS = {"file": ("format", "references", "record"), "samples": ()} | dict.fromkeys(
    INLINE, ("format", "logical_type", *INLINE)
)

MEMBERS = tuple(dict.fromkeys([*_COMPANIONS, *(key for keys in _COMPANIONS.values() for key in keys)]))
"""Every member that describes content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """The content of a schema, without topic and subject; fields as in `ManualSchema`."""

    format: str
    text: str = ""
    columns: tuple[Column, ...] = ()
    references: tuple[tuple[str, str], ...] = ()
    record: RecordName = RecordName("")


@dataclass(slots=True)
class ContentReader:
    """Reads contents; a file that a thousand topics share is read once. *formats* are those that a file may have."""

    formats: Collection[str] = FILE_FORMATS
    _texts: dict[Path, str | InputInvalid] = field(default_factory=dict)

    def read(self, entry: Node) -> Content | None:
        """Read the content of a schema *entry*; None where it has none that can be read, which is then reported."""
        if isinstance(entry.value, str):
            return self._of_file(entry, entry)
        kind = next((key for key in _COMPANIONS if entry.has(key)), "")
        for key in MEMBERS:
            if kind and key != kind and entry.has(key) and key not in _COMPANIONS[kind]:
                entry.member(key).refuse(f"{key!r} does not go with {kind!r}", "a schema is described in one way")
        match kind:
            case "file":
                return self._of_file(entry, entry.member("file"))
            case "samples":
                return self._of_samples(entry)
            case "":
                if isinstance(entry.value, dict):
                    entry.refuse("has no schema content", "give file, samples, columns, items, values, type or use")
                return None
        return Content(format=entry.text("format").upper() or UNKNOWN_TYPE.upper(), columns=inline_columns(entry))

    def _of_file(self, entry: Node, file: Node) -> Content | None:
        format_name = self._format(entry, file)
        text = self._text(file)
        references = [(name, self._text(node)) for name, node in entry.member("references").members()]
        read = tuple((name, text) for name, text in references if text is not None)
        if text is None or not format_name or len(read) < len(references):
            return None
        return Content(
            format=format_name, text=text, references=tuple(sorted(read)), record=RecordName(entry.text("record"))
        )

    def _format(self, entry: Node, file: Node) -> str:
        known = sorted(name for name in self.formats if name != PAYLOAD)
        format_name = entry.text("format").upper()
        if format_name and format_name not in known:
            hint = "list messages as samples" if format_name == PAYLOAD else closest_match(format_name, known)
            entry.member("format").refuse(
                f"{entry.text('format')!r} is not a format of schema files", hint or f"one of {', '.join(known)}"
            )
            return ""
        extension = PurePath(file.string).suffix.lower()
        if not format_name and file.string and extension not in _BY_EXTENSION:
            file.refuse(f"{file.value!r} has no known format", f"add a format: {', '.join(known)}")
        return format_name or _BY_EXTENSION.get(extension, "")

    def _text(self, file: Node) -> str | None:
        return self._read(file, file.document.path.parent / file.string) if file.string else None

    def _read(self, file: Node, path: Path) -> str | None:
        if path not in self._texts:
            self._texts[path] = _text_or_reason(path)
        text = self._texts[path]
        if isinstance(text, InputInvalid):
            file.refuse(text.what, text.hint)
            return None
        return text

    def _of_samples(self, entry: Node) -> Content | None:
        lines: list[str] = []
        for pattern in entry.elements("samples"):
            lines += self._lines(pattern) if pattern.string else ()
        return Content(format=PAYLOAD, text="\n".join(lines) + "\n") if lines else None

    def _lines(self, pattern: Node) -> list[str]:
        paths = [path for path in matching(pattern.string, pattern.document.path.parent) if not path.is_dir()]
        if not paths:
            pattern.refuse(f"no sample file {pattern.string!r}", f"paths are relative to {pattern.document.name}")
        return [line for path in paths for line in self._lines_of(pattern, path)]

    def _lines_of(self, pattern: Node, path: Path) -> list[str]:
        text = self._read(pattern, path)
        try:
            return list(sample_lines(text or ""))
        except InputInvalid as error:
            pattern.refuse(f"{path.name}:{error.where}: {error.what}", "samples are JSON, one message or several")
            return []


def _text_or_reason(path: Path) -> str | InputInvalid:
    try:
        text = read_text(path)
    except InputInvalid as error:
        return error
    return text if text.strip() else InputInvalid(f"{path.name!r} is empty")
