"""Avro's rules: what a reader's schema resolves of data written with another (specification, Schema Resolution).

Aliases are not followed: a renamed field or type is another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from scanner_dictionary.compatibility.changes import Judgement, broken, fine, objects, unclear
from scanner_dictionary.compatibility.column_pairs import Alternative, ColumnContext, alternatives, is_branch, read_all
from scanner_model.schemas import Definition

_PROMOTED = {
    "int": ("long", "float", "double"),
    "long": ("float", "double"),
    "float": ("double",),
    "string": ("bytes",),
    "bytes": ("string",),
}
"""Written type → types that read it too (specification 1.12, Schema Resolution)."""

_PRIMITIVES = ("boolean", "bytes", "double", "float", "int", "long", "null", "string")
_NAMED = ("enum", "fixed", "record")
_SOME_NAMED = "named type"
"""An enum or fixed type that only its name is known of."""
_WORDS = {*_PRIMITIVES, *_NAMED, "array", "map", _SOME_NAMED}
_BASES = re.compile(r"^(?:(date|time-millis)|((?:local-)?timestamp-\w+|time-micros)|(uuid)|(big-decimal))$")


def reads(reader: ColumnContext, writer: ColumnContext) -> Judgement:
    """Return whether the reader's field, or branch of a union, takes what the writer's holds."""
    if writer.column is None:
        return _unwritten(reader)
    if reader.column is None:
        return _undeclared(reader, writer)
    if reader.column.recursive != writer.column.recursive:
        return unclear("a recursion begins or ends here, and columns show it only once")
    wanted, written = (alternatives(side_column.side, side_column.existing, _word) for side_column in (reader, writer))
    return read_all(wanted, written, _resolves)


def compare_definitions(reader: Definition, writer: Definition) -> tuple[Judgement, ...]:
    """Compare what no column shows: the record's name, symbols of enums, sizes of fixed types."""
    findings = []
    if _simple(reader.name) != _simple(writer.name):
        findings.append(unclear(f"the record {writer.name} is called {reader.name}: only an alias matches them"))
    ours, theirs = dict(_types(reader.text)), dict(_types(writer.text))
    for name in sorted(ours.keys() & theirs.keys()):
        findings.append(_same_type(name, ours[name], theirs[name]))
    return tuple(findings)


def _unwritten(reader: ColumnContext) -> Judgement:
    if is_branch(reader.existing):
        return fine()
    if reader.existing.default is not None:
        return fine("has a default for data without it")
    return broken("no default for data without it")


def _undeclared(reader: ColumnContext, writer: ColumnContext) -> Judgement:
    if not is_branch(writer.existing):
        return fine("readers that do not have it skip it")
    if reader.above is None:
        return unclear("a branch of a union that is not there")
    written = alternatives(writer.side, writer.existing, _word)
    return read_all(alternatives(reader.side, reader.above, _word), written, _resolves)


def _resolves(reader: Alternative, writer: Alternative) -> Judgement:
    if {reader.word, writer.word} - _WORDS:
        return unclear("a type that the schema does not define")
    named = {reader.word, writer.word} <= {*_NAMED, _SOME_NAMED}
    same = reader.word == writer.word or (named and _SOME_NAMED in (reader.word, writer.word))
    if not same and reader.word not in _PROMOTED.get(writer.word, ()):
        return broken(f"{_shown(writer)} is not read as {_shown(reader)}")
    if reader.name and writer.name and _simple(reader.name) != _simple(writer.name):
        return broken(f"{_shown(writer)} is not read as {_shown(reader)}")
    if named and bool(reader.name) != bool(writer.name):
        return unclear(f"columns do not show whether {reader.name or writer.name} is the same type")
    return _refined(reader.logical, writer.logical)


def _refined(reader: str | None, writer: str | None) -> Judgement:
    if reader == writer:
        return fine()
    if reader and writer and reader.startswith("decimal(") and writer.startswith("decimal("):
        return broken(f"{writer} is not read as {reader}: precision and scale must be the same")
    return unclear(f"{writer or 'a plain value'} is read as {reader or 'a plain value'}: the meaning may differ")


def _word(word: str) -> Alternative:
    """Read a branch of a plain union: a type's word, a logical type's, or a named type's name."""
    if word in _WORDS:
        return Alternative(word)
    if word.startswith("decimal("):
        return Alternative("bytes", logical=word)
    logical = _BASES.match(word)
    if logical:
        base = ("int", "long", "string", "bytes")[(logical.lastindex or 1) - 1]
        return Alternative(base, logical=word)
    return Alternative(_SOME_NAMED, word)


def _shown(alternative: Alternative) -> str:
    return alternative.name or alternative.logical or alternative.word


def _simple(name: str) -> str:
    """Return a name without its namespace: resolution compares unqualified names."""
    return name.rpartition(".")[2]


def _types(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """List the enums and fixed types that *text* defines, by simple name."""
    for schema in objects(text):
        if schema.get("type") in ("enum", "fixed") and isinstance(schema.get("name"), str):
            yield _simple(schema["name"]), schema


def _same_type(name: str, reader: dict[str, Any], writer: dict[str, Any]) -> Judgement:
    if reader["type"] != writer["type"]:
        return broken(f"{name} is {writer['type']} in the data and {reader['type']} for the reader")
    if reader["type"] == "fixed":
        same = reader.get("size") == writer.get("size")
        return fine() if same else broken(f"the size of {name} differs")
    written, known = (schema.get("symbols") for schema in (writer, reader))
    if not isinstance(written, list) or not isinstance(known, list):
        return unclear(f"the symbols of {name} cannot be read")
    missing = [str(symbol) for symbol in written if symbol not in known]
    if not missing or isinstance(reader.get("default"), str):
        return fine()
    return broken(f"the enum {name} of readers lacks {', '.join(missing)}, and has no default")
