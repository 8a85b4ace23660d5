"""Protobuf's rules, of the binary form: fields are known by number (protobuf.dev, Updating A Message Type).

JSON and text form go by names; there, a renamed field is another one.
"""

from __future__ import annotations

import re
from functools import lru_cache

from scanner_dictionary.compatibility.changes import Judgement, Verdict, broken, fine, unclear, worst
from scanner_dictionary.compatibility.column_pairs import ColumnContext, is_mark
from scanner_model.columns import Column
from scanner_model.schemas import Definition

_VARINTS = {"int32", "uint32", "int64", "uint64", "bool", "enum"}
_ALIKE = (_VARINTS, {"sint32", "sint64"}, {"fixed32", "sfixed32"}, {"fixed64", "sfixed64"})
"""Types that read each other; an enum reads and is read as any number of its wire form."""

_LENGTHS = {"string", "bytes", "message"}
_SCALARS = {*_VARINTS, "sint32", "sint64", "fixed32", "sfixed32", "fixed64", "sfixed64", "float", "double"}
_LIST, _MAP = "array", "map"
_WORDS = {*_SCALARS, *_LENGTHS, _LIST, _MAP}

_PROTO3 = re.compile(r"""^[^\S\n]*syntax\s*=\s*["']proto3["']""", re.MULTILINE)
_EDITION = re.compile(r"^[^\S\n]*edition\s*=", re.MULTILINE)
_IMPORT = re.compile(r"""^[^\S\n]*import\s+(?:public\s+|weak\s+)?["'](?!google/protobuf/)""", re.MULTILINE)


def reads(reader: ColumnContext, writer: ColumnContext) -> Judgement:
    """Return whether the reader's field takes what the writer's field of the same number holds."""
    if writer.column is None:
        return _renumbered(reader, writer) or _needed(reader) or fine("data without it reads as its default")
    if reader.column is None:
        return _renumbered(writer, reader) or fine("readers that do not have it skip it")
    needed = _needed(reader) if writer.column.nullable and not reader.column.nullable else None
    return worst([_type_read(reader, writer), needed or fine()])


def compare_definitions(_reader: Definition, _writer: Definition) -> tuple[Judgement, ...]:
    """Find nothing beside the columns: enums are open, and the wire knows no message's name."""
    return ()


def _renumbered(before: ColumnContext, after: ColumnContext) -> Judgement | None:
    """Return of a field that the other definition has under another number, None where it has none of the name."""
    name, number = before.existing.path[-1:], before.existing.number
    for other in after.siblings:
        if other.path[-1:] == name and other.number != number and not is_mark(other):
            return broken("its number differs: readers do not find the value")
    return None


def _needed(reader: ColumnContext) -> Judgement | None:
    """Return of a field that a reader requires, None where it does not."""
    column = reader.existing
    if column.nullable or is_mark(column) or column.type in (_LIST, _MAP) or _has(_PROTO3, reader.text):
        return None
    if _has(_EDITION, reader.text):
        return unclear("a reader may require it") if "LEGACY_REQUIRED" in reader.text else None
    if len(column.path) > 1 and _has(_IMPORT, reader.text):
        return unclear("a reader may require it: its message may be in an imported file")
    return broken("a reader requires it")


@lru_cache(maxsize=8)  # it is the same for every column of a text
def _has(pattern: re.Pattern[str], text: str) -> bool:
    return pattern.search(text) is not None


def _type_read(reader: ColumnContext, writer: ColumnContext) -> Judgement:
    if reader.existing.recursive != writer.existing.recursive:
        return unclear("a recursion begins or ends here, and columns show it only once")
    read_as, written = _wire_type(reader.existing), _wire_type(writer.existing)
    if read_as == written:
        return _refined(reader.existing, writer.existing)
    if {read_as, written} - _WORDS:
        return unclear("a type that no file declares")
    if _MAP in (read_as, written):
        return _map_read(reader, writer)
    if _LIST in (read_as, written):
        return _list_read(reader, writer)
    return _value_read(read_as, written)


def _value_read(wanted: str, written: str) -> Judgement:
    if any({wanted, written} <= group for group in _ALIKE):
        return fine(f"{written} and {wanted} have one wire form; what does not fit is cut off")
    match written, wanted:
        case "string", "bytes":
            return fine("a string is bytes")
        case "bytes", "string":
            return unclear("bytes are read as a string where they are UTF-8")
        case ("message", "bytes") | ("bytes", "message"):
            return unclear("bytes are read as a message where they are one")
    return broken(f"{written} is not read as {wanted}")


def _map_read(reader: ColumnContext, writer: ColumnContext) -> Judgement:
    wanted, written = reader.existing.type, writer.existing.type
    listed = writer if wanted == _MAP else reader
    if listed.existing.type == _LIST and _element(listed) == "message":
        return unclear("a map is a list of entry messages, where their fields agree")
    return broken(f"{written} is not read as {wanted}")


def _list_read(reader: ColumnContext, writer: ColumnContext) -> Judgement:
    """Validate one value against a list: the last of several counts; lists of numbers are packed into one."""
    wanted, written = _element(reader), _element(writer)
    finding = fine() if wanted == written else _value_read(wanted, written)
    if finding.verdict is not Verdict.COMPATIBLE:
        return finding
    if reader.existing.type == _LIST or written in _LENGTHS:
        return fine("one value and a list of them have one wire form")
    return broken("packed numbers are not read as one value")


def _element(context: ColumnContext) -> str:
    """Return the type of one value: of a list's element, or of the field itself."""
    return next((_wire_type(child) for child in context.children if is_mark(child)), _wire_type(context.existing))


def _wire_type(column: Column) -> str:
    """Return the type that the wire has: a wrapper or a value of any type is a message there."""
    wrapped = column.type != "enum" and (column.logical_type or "").startswith("google.protobuf.")
    return "message" if wrapped or column.type == "any" else column.type


def _refined(reader: Column, writer: Column) -> Judgement:
    if reader.logical_type == writer.logical_type:
        return fine()
    return unclear(f"{writer.logical_type or 'a plain value'} is read as {reader.logical_type or 'a plain value'}")
