"""What a schema entry holds: a schema file, sample payloads, or columns listed in place."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from manual_input.document import Node
from manual_input.files import matching, read_text
from manual_input.inline import INLINE, UNTOLD, inline_columns
from manual_input.samples import sample_lines
from scanner_model.columns import Column
from scanner_model.errors import InputInvalid
from scanner_model.names import RecordName
from scanner_model.places import nearest

FILE_FORMATS = ("AVRO", "JSON", "PROTOBUF")
"""The formats of schema files that are read, as `ManualSchema.format` names them."""

PAYLOAD = "JSON_PAYLOAD"
"""The format of sample payloads: JSON documents, one a line."""

_BY_EXTENSION = {".avsc": "AVRO", ".avro": "AVRO", ".proto": "PROTOBUF", ".json": "JSON"}

_COMPANIONS = {"file": ("format", "references", "record"), "samples": ()} | dict.fromkeys(
    INLINE, ("format", "logical_type", *INLINE)
)

MEMBERS = tuple(dict.fromkeys([*_COMPANIONS, *(key for keys in _COMPANIONS.values() for key in keys)]))
"""Every member that tells of a content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """A schema without its place in the estate; members as of `ManualSchema`."""

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
        way = next((key for key in _COMPANIONS if entry.has(key)), "")
        for key in MEMBERS:
            if way and key != way and entry.has(key) and key not in _COMPANIONS[way]:
                entry.member(key).refuse(f"{key!r} does not go with {way!r}", "a schema is described in one way")
        match way:
            case "file":
                return self._of_file(entry, entry.member("file"))
            case "samples":
                return self._of_samples(entry)
            case "":
                if isinstance(entry.value, dict):
                    entry.refuse(
                        "says nothing of the schema", "give file, samples, columns, items, values, type or use"
                    )
                return None
        return Content(format=entry.text("format").upper() or UNTOLD.upper(), columns=inline_columns(entry))

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
        told = entry.text("format").upper()
        if told and told not in known:
            hint = "list messages as samples" if told == PAYLOAD else nearest(told, known)
            entry.member("format").refuse(
                f"{entry.text('format')!r} is no format of schema files", hint or f"one of {', '.join(known)}"
            )
            return ""
        extension = PurePath(file.string).suffix.lower()
        if not told and file.string and extension not in _BY_EXTENSION:
            file.refuse(f"{file.value!r} does not tell its format", f"add a format: {', '.join(known)}")
        return told or _BY_EXTENSION.get(extension, "")

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
