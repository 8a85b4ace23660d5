"""Protobuf schemas: text and imports to columns, by a parser of our own: a registry takes what protoc refuses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scanner_extractor.formats.protobuf.compiler import refusal
from scanner_extractor.formats.protobuf.declarations import Message, ProtoFile
from scanner_extractor.formats.protobuf.files import MAIN, Files, gather
from scanner_extractor.formats.protobuf.scopes import Declared, Scopes, declared
from scanner_extractor.formats.protobuf.walk import Walk
from scanner_model.columns import Lookup, ParsedSchema
from scanner_model.names import RecordName
from scanner_model.problems import Problem

_BRIEF = Problem(
    "$",
    "the schema uses messages inside each other more often than can be shown",
    "the columns of each message are shown at its first use only",
)
_NOTHING = Problem("$", "the text declares neither a message nor an enum", "it has no columns; others may import it")


def protobuf_fields(text: str, lookup: Lookup, record: RecordName | None = None) -> ParsedSchema:
    """List the columns of a Protobuf schema; *lookup* gives the text behind an import's name.

    *record* picks one of the file's messages, by its full name or the end of it; None, or a name that is not there,
    reads the first one at the top, or the first enum of a file without messages. What cannot be read at one place is
    a problem there (line:column) and leaves the rest; protoc's refusal is a problem of the whole.
    """
    files = gather(text, lookup)
    choices = _choices(files)
    root, problems = _chosen(choices, record)
    problems += _reading_problems(files)
    walk = _walked(Scopes(files.parsed), root) if root else None
    if walk:
        problems += walk.problems
    refused = None if files.problems else refusal(files)
    return ParsedSchema(
        name=RecordName(root.name) if root else RecordName(""),
        columns=tuple(walk.found.columns) if walk else (),
        holders=walk.holders if walk else {},
        records=tuple(RecordName(choice.name) for choice in choices),
        problems=tuple(dict.fromkeys([*problems, *([refused] if refused else [])])),
        empty=not choices and _serves_others(files.parsed[MAIN]),
    )


def _serves_others(main: ProtoFile) -> bool:
    """Tell whether a text without types is a right one: it extends or imports others."""
    return not main.problems and bool(main.versioned or main.package or main.imports)


def _choices(files: Files) -> list[Declared]:
    """List what the text may be read as: all its messages, or where it has none its enums."""
    types = list(dict.fromkeys(declared(MAIN, files.parsed[MAIN])))
    return [type_ for type_ in types if isinstance(type_.body, Message)] or types


def _chosen(choices: Sequence[Declared], record: RecordName | None) -> tuple[Declared | None, list[Problem]]:
    if not choices:
        return None, [_NOTHING]
    for choice in choices if record else ():
        if f".{choice.name}".endswith(f".{record}"):
            return choice, []
    if not record:
        return choices[0], []
    return choices[0], [Problem("$", f"the text declares no {record!r}", f"{choices[0].name!r} is read instead")]


def _walked(scopes: Scopes, root: Declared) -> Walk:
    walk = Walk(scopes)
    walk.read(root)
    if not walk.found.full or not walk.repeated:
        return walk
    brief = Walk(scopes, once=True)
    brief.read(root)
    brief.problems[_BRIEF] = None
    return brief


def _reading_problems(files: Files) -> Iterator[Problem]:
    yield from files.problems
    for name, parsed in files.parsed.items():
        for problem in parsed.problems:
            yield problem if name == MAIN else Problem(f"import {name!r} {problem.where}", problem.what, problem.hint)
