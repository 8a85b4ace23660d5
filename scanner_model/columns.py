"""Columns of schemas, and column paths: a tuple of segments in code, a dotted name for people.

A segment is a field's own name, or a mark: `[]` an array's element, `[0]` a tuple's, `{}` a map's value, `<Name>` a
branch of a union, `@key` the key of a message where its key and value are listed together. A field whose own name looks
like a mark (or is itself in backticks) is quoted already in the tuple, so that a tuple is never ambiguous; the dotted
name also quotes segments that hold a dot or a backtick, or are empty. A backtick inside quotes is doubled.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import overload

from scanner_model.errors import InputInvalid, Problem
from scanner_model.names import RecordName

ColumnPath = tuple[str, ...]

ELEMENT = "[]"
MAP_VALUE = "{}"
KEY = "@key"

_BRANCH = r"<(?:[^`>]*|`(?:[^`]|``)*`)>"
_MARK = re.compile(rf"^(?:\[\d*\]|\{{\}}|@key|{_BRANCH})$")
_QUOTED = re.compile(r"^`(?:[^`]|``)*`$")
_SEGMENT = re.compile(rf"(?P<quoted>`(?:[^`]|``)*`)|(?P<branch>{_BRANCH})|(?P<plain>[^.`<][^.`]*)")


def element(index: int | None = None) -> str:
    """Return the mark of an array's element, or of a tuple's element at *index*."""
    return ELEMENT if index is None else f"[{index}]"


def branch(name: str) -> str:
    """Return the mark of the union branch called *name*; a name that holds `>` or a backtick is quoted inside."""
    return f"<{_quoted(name)}>" if ">" in name or "`" in name else f"<{name}>"


def field_segment(name: str) -> str:
    """Return the segment of a field called *name*: the name itself, quoted where it could be taken for a mark."""
    return name if name.isidentifier() or not _is_final(name) else _quoted(name)


def field_name(segment: str) -> str | None:
    """Return the own name of the field that *segment* stands for; None: it is a mark."""
    if _QUOTED.match(segment):
        return segment[1:-1].replace("``", "`")
    return None if _MARK.match(segment) else segment


def is_branch(segment: str) -> bool:
    """Return whether *segment* is the mark of a union's branch."""
    return segment.startswith("<") and _MARK.match(segment) is not None


@lru_cache(maxsize=1 << 16)
def path_name(path: ColumnPath) -> str:
    """Return *path* in dotted notation; the root path is the empty string."""
    return ".".join(map(_shown, path))


def parse_path(text: str) -> ColumnPath:
    """Parse a path written by `path_name`; raises InputInvalid where a quote or a dot is out of place."""
    path: list[str] = []
    at = 0
    while at < len(text):
        match = _SEGMENT.match(text, at)
        if not match or (match.end() < len(text) and text[match.end()] != ".") or match.end() + 1 == len(text):
            raise InputInvalid(f"{text!r} is not a column path", hint="quote a name that holds a dot: `my.field`.id")
        path.append(_unshown(match))
        at = match.end() + 1
    return tuple(path)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _is_final(segment: str) -> bool:
    return bool(_MARK.match(segment) or _QUOTED.match(segment))


def _shown(segment: str) -> str:
    if _is_final(segment):
        return segment
    return _quoted(segment) if not segment or segment[0] == "<" or set(segment) & {".", "`"} else segment


def _unshown(match: re.Match[str]) -> str:
    if match["quoted"] is None:
        return match[0]
    name = match["quoted"][1:-1].replace("``", "`")
    return match["quoted"] if _is_final(name) else name


_OF_ANY_FIELDS = frozenset({"any", "message"})


WHOLE_MESSAGE = "(whole message)"
"""What is shown in place of the empty path of a message that is one value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column of a schema, parent or leaf.

    *path* is empty if the whole message is one value (a primitive Avro root). *type* is the format's own word
    (`long`, `int64`, `integer`, `record`, `message`, `object`, `array`, `map`, `enum`, `union`…); *logical_type* what
    refines it (`decimal(8,0)`, `timestamp-millis`, `date`, `uuid`), else None. *nullable*: the value may be null or
    absent. *default* is JSON text, None if absent. *recursive* is the name of the type whose recursion is cut
    here, else None. *branches* are the types of a union that has only plain ones and therefore no columns of its own.
    *number* is the field number that Protobuf's wire format goes by, else None. *inherited_tags* are those of the
    *tags* that only a record has which holds the column.
    """

    path: ColumnPath
    type: str
    logical_type: str | None = None
    nullable: bool = False
    default: str | None = None
    doc: str | None = None
    tags: tuple[str, ...] = ()
    recursive: str | None = None
    branches: tuple[str, ...] = ()
    number: int | None = None
    inherited_tags: tuple[str, ...] = ()

    @property
    def unlisted(self) -> bool:
        """Return whether its value may have fields that are no columns: of any type, or of a well-known message."""
        return self.type in _OF_ANY_FIELDS or (self.logical_type or "").startswith("google.protobuf.")

    @property
    def name(self) -> str:
        """Return the dotted name that people use; empty for the root."""
        return path_name(self.path)

    @property
    def has_default(self) -> bool:
        """Return whether there is a default; null is one, too."""
        return self.default is not None


class StoredColumns(Sequence[Column]):
    """Columns that the dictionary already has: their number is known, *read* parses them when one is asked for."""

    __slots__ = ("_columns", "_count", "_read")

    def __init__(self, count: int, read: Callable[[], Sequence[Column]]) -> None:
        self._count = count
        self._read = read
        self._columns: Sequence[Column] | None = None

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, at: int) -> Column: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Column]: ...
    def __getitem__(self, at: int | slice) -> Column | Sequence[Column]:
        if self._columns is None:
            self._columns = self._read()
        return self._columns[at]

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, Sequence) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedSchema:
    """Result of parsing one schema text.

    *name* is the record that the columns are of (Avro full name, Protobuf full message name, JSON title), empty
    if absent. *records* are all the names that a record naming strategy may use for this text. *problems*
    are what could not be read; a text that cannot be read at all gives no columns and a problem, never an
    exception. *empty*: it is a right schema that has no columns, because it only serves others or no message
    matches it. *holders* are the full names of the records whose fields stand right below a path, for Avro and
    Protobuf, and *record_tags* the tags of such records; that of the root is below the empty path. *symbols* are what
    the value of a column may be, where it is an enum; values of JSON that are no text as JSON.
    """

    name: RecordName = RecordName("")
    columns: Sequence[Column] = ()
    records: tuple[RecordName, ...] = ()
    problems: tuple[Problem, ...] = ()
    empty: bool = False
    holders: Mapping[ColumnPath, RecordName] = field(default_factory=dict, compare=False)
    record_tags: Mapping[ColumnPath, tuple[str, ...]] = field(default_factory=dict, compare=False)
    symbols: Mapping[ColumnPath, tuple[str, ...]] = field(default_factory=dict, compare=False)

    @property
    def tags(self) -> tuple[str, ...]:
        """Return the tags of the record at the root, which its columns inherit."""
        return self.record_tags.get((), ())


Lookup = Callable[[str], str | None]
"""Return the text behind a reference name (an import path, a type's full name, a `$ref` URI); None: not available."""

FieldReader = Callable[[str, Lookup, RecordName | None], ParsedSchema]
"""Read a schema text; the record names which of several to read (None: the format's default root)."""


def with_expression(evidence: str, path: Sequence[str], expression: str) -> str:
    """Return the evidence of a flow into the column *path* with its *expression*; without one as it is."""
    return f"{evidence}: {path[-1]} = {expression}" if expression else evidence


def expression_of(evidence: str, column: str) -> str:
    """Return the expression that the evidence of a flow into *column* has; empty without one."""
    return evidence.partition(f": {column} = ")[2]
