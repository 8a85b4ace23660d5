"""Traverse a Protobuf message iteratively, a column for every position; protoc checks it where it is installed."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from scanner_extractor.formats.limits import CUT, MOST_COLUMNS, ColumnList, counted
from scanner_extractor.formats.protobuf.declarations import (
    WELL_KNOWN,
    Declared,
    Enum,
    Field,
    Label,
    Message,
    Presence,
    ProtoFile,
    Scopes,
    declared,
)
from scanner_extractor.formats.protobuf.files import MAIN, STANDARD, UNAVAILABLE, Files, gather, is_plain
from scanner_model.columns import MAP_VALUE, Column, ColumnPath, Lookup, ParsedSchema, element
from scanner_model.errors import Problem
from scanner_model.names import RecordName

SCALARS = frozenset(
    {"double", "float", "bool", "string", "bytes", "int32", "int64", "uint32", "uint64", "sint32", "sint64"}
    | {"fixed32", "fixed64", "sfixed32", "sfixed64"}
)
"""Protobuf's words for scalar types."""

_NAMED = ("google.protobuf.", "google.type.", "confluent.type.")
"""Packages whose types are known by their full names, which then are the logical type."""

_DECIMAL = "confluent.type.Decimal"
_CONTAINERS = {Label.REPEATED: ("array", element()), Label.MAP: ("map", MAP_VALUE)}


@dataclass(frozen=True, slots=True)
class _Position:
    """A position to be read: a field of *message*, or (*inner*) the element or map value of one.

    *open* are the full names of the messages on the path.
    """

    path: ColumnPath
    field: Field
    message: Declared
    open: frozenset[str]
    inner: bool = False


class Walk:
    """Reads columns; *once* shows a message's columns at its first use only, for schemas that are too large else."""

    def __init__(self, scopes: Scopes, *, once: bool = False, most: int = MOST_COLUMNS) -> None:
        self.collected = ColumnList(most)
        self.problems: dict[Problem, None] = {}
        self.holders: dict[ColumnPath, RecordName] = {}
        self.record_tags: dict[ColumnPath, tuple[str, ...]] = {}
        self.symbols: dict[ColumnPath, tuple[str, ...]] = {}
        self.repeated: list[tuple[ColumnPath, str]] = []
        self._scopes = scopes
        self._once = once
        self._shown: set[str] = set()
        self._waiting: list[_Position] = []

    def read(self, root: Declared) -> None:
        """Read every column of *root*; an enum at the root is one column without a name."""
        if isinstance(root.body, Enum):
            self.collected.add(Column(path=(), type="enum", doc=root.body.doc))
            self.symbols[()] = tuple(name for name, _ in root.body.values)
            return
        self._descend((), root, frozenset())
        while self._waiting and not self.collected.full:
            self._read(self._waiting.pop())
        if self.collected.cut:
            self.problems[CUT] = None

    def _read(self, position: _Position) -> None:
        container = None if position.inner else _CONTAINERS.get(position.field.label)
        if not container:
            self._value(position)
            return
        word, segment = container
        column = self._column(position, type=word)
        if self.collected.add(column) and not self.collected.too_deep(len(position.path) + 1):
            self._waiting.append(
                _Position((*position.path, segment), position.field, position.message, position.open, inner=True)
            )

    def _value(self, position: _Position) -> None:
        type_name = position.field.type
        if type_name in SCALARS:
            self.collected.add(self._column(position, type=type_name, nullable=_nullable(position, message=False)))
            return
        type_ = self._scopes.find(type_name, position.message)
        if not type_:
            self._report_unknown(position)
            self.collected.add(self._column(position, type=type_name, nullable=_nullable(position, message=True)))
            return
        message = isinstance(type_.body, Message)
        known = WELL_KNOWN.get(type_.name) if message else None
        if known:
            nullable = _nullable(position, message=True)
            self.collected.add(
                self._column(position, type=known.type, nullable=nullable, logical_type=known.logical_type)
            )
            return
        cut = message and type_.name in position.open
        column = self._column(
            position,
            type="message" if message else "enum",
            logical_type=_logical(type_.name, position.field),
            nullable=_nullable(position, message=message),
            recursive=type_.name if cut else None,
        )
        if isinstance(type_.body, Enum):
            self.symbols[position.path] = tuple(name for name, _ in type_.body.values)
        elif type_.body.tags:
            column = replace(column, tags=tuple(dict.fromkeys((*column.tags, *type_.body.tags))))
        if self.collected.add(column) and message and not cut:
            self._descend(position.path, type_, position.open)

    def _column(
        self,
        position: _Position,
        *,
        type: str,
        nullable: bool = False,
        logical_type: str | None = None,
        recursive: str | None = None,
    ) -> Column:
        if position.inner:
            return Column(path=position.path, type=type, logical_type=logical_type, recursive=recursive)
        return Column(
            path=position.path,
            type=type,
            logical_type=logical_type,
            nullable=nullable,
            default=position.field.default,
            doc=position.field.doc,
            tags=position.field.tags,
            recursive=recursive,
            number=position.field.number,
        )

    def _descend(self, path: ColumnPath, message: Declared, open_: frozenset[str]) -> None:
        if message.name in self._shown:
            self.repeated.append((path, message.name))
        if self.collected.too_deep(len(path) + 1) or (self._once and message.name in self._shown):
            return
        self._shown.add(message.name)
        self.holders[path] = RecordName(message.name)
        if isinstance(message.body, Message) and message.body.tags:
            self.record_tags[path] = message.body.tags
        self._push(_fields(path, message, open_ | {message.name}))

    def _push(self, positions: Iterable[_Position]) -> None:
        self._waiting.extend(reversed(list(positions)))

    def _report_unknown(self, position: _Position) -> None:
        where = f"{position.message.name}.{position.field.name}"
        hint = "the field is kept under the type's name as written, without columns below it"
        self.problems[Problem(where, f"no file declares the type {position.field.type!r}", hint)] = None


def _fields(path: ColumnPath, message: Declared, open_: frozenset[str]) -> Iterator[_Position]:
    for field in message.body.fields if isinstance(message.body, Message) else ():
        # A Protobuf identifier can never be taken for a mark, so it needs no quotes.
        yield _Position((*path, field.name), field, message, open_)


def _nullable(position: _Position, *, message: bool) -> bool:
    """Return whether the value may be absent; a message may be, unless it is required, and an element never is."""
    label = position.field.label
    if position.inner or label is Label.REQUIRED:
        return False
    if label in (Label.OPTIONAL, Label.ONEOF):
        return True
    presence = position.field.presence or position.message.presence
    return presence is Presence.EXPLICIT or (message and presence is Presence.IMPLICIT)


def _logical(name: str, field: Field) -> str | None:
    if name == _DECIMAL and field.decimal:
        return "decimal({},{})".format(*field.decimal)
    return name if name.startswith(_NAMED) else None


_BRIEF = Problem(
    "$",
    "nested uses of messages give too many columns",
    "the columns of each message are shown at its first use only",
)
_NOTHING = Problem("$", "the text declares neither a message nor an enum", "it has no columns; others may import it")


def protobuf_fields(text: str, lookup: Lookup, record: RecordName | None = None) -> ParsedSchema:
    """List the columns of a Protobuf schema; *lookup* returns the text behind an import's name.

    *record* picks one of the file's messages, by its full name or the end of it; None, or a name that is not there,
    reads the first one at the top, or the first enum of a file without messages. What cannot be read at one place is
    a problem there (line:column) and leaves the rest; protoc's refusal is a problem of the whole.
    """
    files = gather(text, lookup)
    choices = _choices(files)
    root, problems = _chosen(choices, record)
    scopes = Scopes(files.parsed)
    problems += _reading_problems(files, scopes)
    walk = _walked(scopes, root) if root else None
    if walk:
        problems += walk.problems
    refused = None if files.problems else protoc_error(files)
    return ParsedSchema(
        name=RecordName(root.name) if root else RecordName(""),
        columns=tuple(walk.collected.columns) if walk else (),
        holders=walk.holders if walk else {},
        record_tags=walk.record_tags if walk else {},
        symbols=walk.symbols if walk else {},
        records=tuple(RecordName(choice.name) for choice in choices),
        problems=tuple(dict.fromkeys([*problems, *([refused] if refused else _reused_numbers(choices))])),
        empty=not choices and _serves_others(files.parsed[MAIN]),
    )


def _reused_numbers(types: Iterable[Declared]) -> Iterator[Problem]:
    """Yield a problem for each field number that a message uses twice; protoc, if installed, reports it too."""
    for type_ in types:
        names: dict[int, str] = {}
        for field in type_.body.fields if isinstance(type_.body, Message) else ():
            first = names.setdefault(field.number, field.name)
            if first != field.name:
                what = f"the fields {first!r} and {field.name!r} have the same number {field.number}"
                yield Problem(type_.name, what, "readers cannot tell their values apart; both columns are read")


def _serves_others(main: ProtoFile) -> bool:
    """Return whether a text without types is a right one: it extends or imports others."""
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
    def read(once: bool, most: int) -> Walk:
        walk = Walk(scopes, once=once, most=most)
        walk.read(root)
        return walk

    return counted(read, _BRIEF)


def _reading_problems(files: Files, scopes: Scopes) -> Iterator[Problem]:
    """Yield what could not be read; a file that no type of a field is from only has options, which change no data."""
    types = [type_ for name, parsed in files.parsed.items() for type_ in declared(name, parsed)]
    used = ((field.type, type_) for type_ in types if isinstance(type_.body, Message) for field in type_.body.fields)
    is_complete = bool(types) and all(name in SCALARS or scopes.find(name, type_) for name, type_ in used)
    yield from (problem for problem in files.problems if not (is_complete and problem.what == UNAVAILABLE))
    for name, parsed in files.parsed.items():
        for problem in parsed.problems:
            yield problem if name == MAIN else Problem(f"import {name!r} {problem.where}", problem.what, problem.hint)


_LONGEST = 400_000
"""Characters of all files beyond which protoc is not run: it is quadratic in the number of declarations."""

_DEEPEST = 60
"""Bracket nesting beyond which protoc is not run: some 10,000 in an option's value crash the process."""

_MAX_LENGTH = 200
_VERSION = 'syntax = "proto2"; '


def protoc_error(files: Files) -> Problem | None:
    """Check a schema and its imports with protoc; return its first error, None if there was no error or it was not run.

    It is not run where it is not installed. The files are written to a directory that only this call uses; protoc's
    own files it reads from its own place.
    """
    if (protoc := _protoc()) is None:
        return None
    own = Path(protoc.__file__).parent / "_proto"
    size = sum(map(len, files.texts.values()))
    if size > _LONGEST or any(parsed.deepest > _DEEPEST for parsed in files.parsed.values()):
        return None
    main = "schema.proto"
    while main in files.texts:
        main = f"_{main}"  # An import may have this name; no two files can.
    with TemporaryDirectory(prefix="scanner-protobuf-", ignore_cleanup_errors=True) as directory:
        for name in files.texts:
            if not (name.startswith(STANDARD) and is_plain(name) and (own / name).is_file()):
                _write(Path(directory), main if name == MAIN else name, files, name)
        refusal = _compile(protoc, main, (directory, str(own)))
    return _problem(refusal) if refusal else None


def _write(directory: Path, path: str, files: Files, name: str) -> None:
    """Write a file where protoc finds it; one whose name is not a valid path is left out, and protoc reports it."""
    if not is_plain(path):
        return
    text = files.texts[name]
    # Without a version protoc logs a warning of its own to the terminal; on the first line, places stay right.
    text = text if files.parsed[name].versioned else _VERSION + text
    with suppress(OSError):
        target = directory / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="")


@cache
def _protoc() -> Any:  # noqa: ANN401  a module without types
    """Return protoc as a module, None where it is not installed.

    It is the module behind grpc_tools.protoc, which returns errors instead of writing them to the terminal and
    installs no import hooks.
    """
    try:
        from grpc_tools import _protoc_compiler  # noqa: PLC0415 - may be missing
    except ImportError:
        return None
    warnings.filterwarnings("ignore", category=_protoc_compiler.ProtocWarning)
    return _protoc_compiler


def _compile(protoc: Any, main: str, directories: Iterable[str]) -> str:  # noqa: ANN401
    """Return protoc's first error for the file *main*, with its position; empty if absent."""
    try:  # of its two ways to compile, services generate least
        protoc.get_services(main.encode(), [directory.encode() for directory in directories])
    except protoc.ProtocErrors as errors:
        return _first(errors.errors(), main)
    return ""


def _first(errors: Iterable[object], main: str) -> str:
    for error in errors:
        file, line, column, message = (getattr(error, name) for name in ("filename", "line", "column", "message"))
        name = file.decode("utf-8", "replace")
        position = f"{line + 1}:{column + 1}" if line >= 0 else ""
        where = " ".join(filter(None, ("" if name == main else name, position)))
        return f"{where}: {message.decode('utf-8', 'replace')}"
    return "no reason given"


def _problem(why: str) -> Problem:
    why = why if len(why) <= _MAX_LENGTH else f"{why[:_MAX_LENGTH]}…"
    return Problem("$", "protoc rejects the schema", why)
