"""Result of a schema reader: columns in document order, parents before children, and problems."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from scanner_model.column_path import ColumnPath, path_name
from scanner_model.names import RecordName
from scanner_model.problems import Problem

_OF_ANY_FIELDS = frozenset({"any", "message"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column of a schema, parent or leaf.

    *path* is empty where the whole message is one value (a primitive Avro root). *type* is the format's own word
    (`long`, `int64`, `integer`, `record`, `message`, `object`, `array`, `map`, `enum`, `union`…); *logical_type* what
    refines it (`decimal(8,0)`, `timestamp-millis`, `date`, `uuid`), else None. *nullable*: the value may be null or
    absent. *default* is JSON text, None where there is none. *recursive* is the name of the type whose recursion is cut
    here, else None. *branches* are the types of a union that has only plain ones and therefore no columns of its own.
    *number* is the field number that Protobuf's wire format goes by, else None.
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

    @property
    def unlisted(self) -> bool:
        """Return whether its value may have fields that are no columns: of any type, or of a well-known message."""
        return self.type in _OF_ANY_FIELDS or (self.logical_type or "").startswith("google.protobuf.")

    @property
    def name(self) -> str:
        """Return the dotted name that people use; empty for the root."""
        return path_name(self.path)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedSchema:
    """Result of parsing one schema text.

    *name* is the record that the columns are of (Avro full name, Protobuf full message name, JSON title), empty
    where there is none. *records* are all the names that a record naming strategy may use for this text. *problems*
    are what could not be read; a text that cannot be read at all gives no columns and a problem, never an
    exception. *empty*: it is a right schema that has no columns, because it only serves others or no message
    matches it. *holders* are the full names of the records whose fields stand right below a path, for Avro and
    Protobuf.
    """

    name: RecordName = RecordName("")
    columns: Sequence[Column] = ()
    records: tuple[RecordName, ...] = ()
    problems: tuple[Problem, ...] = ()
    empty: bool = False
    holders: Mapping[ColumnPath, RecordName] = field(default_factory=dict, compare=False)


Lookup = Callable[[str], str | None]
"""Return the text behind a reference name (an import path, a type's full name, a `$ref` URI); None: not available."""

FieldReader = Callable[[str, Lookup, RecordName | None], ParsedSchema]
"""Read a schema text; the record names which of several to read (None: the format's default root)."""
