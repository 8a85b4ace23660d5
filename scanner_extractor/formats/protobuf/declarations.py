"""Declarations of all files of one schema, names by Protobuf's scope rules, and well-known types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from scanner_model.errors import Problem


class Label(StrEnum):
    """The label before a field's type, or the block that contains the field."""

    NONE = ""
    OPTIONAL = "optional"
    REQUIRED = "required"
    REPEATED = "repeated"
    MAP = "map"
    ONEOF = "oneof"


class Presence(StrEnum):
    """The feature `field_presence`: whether a field without a label has explicit presence."""

    EXPLICIT = "EXPLICIT"
    IMPLICIT = "IMPLICIT"
    REQUIRED = "LEGACY_REQUIRED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A field; *type* is the name as written, of a map the value's (*key* is the other one), of a group the group's.

    *oneof* is the name of the one that it is in, empty outside. *offset* is where its name starts in the text.
    *presence* is the field's own, None where it inherits. *default* is JSON text. *decimal* is (precision, scale) as
    Confluent's field options give them, *params* are all of these. *json_name* is the option's, empty without one.
    *rules* are the options of a validation library.
    """

    name: str
    number: int
    type: str
    label: Label = Label.NONE
    presence: Presence | None = None
    default: str | None = None
    doc: str | None = None
    tags: tuple[str, ...] = ()
    decimal: tuple[int, int] | None = None
    params: tuple[tuple[str, str], ...] = ()
    key: str = ""
    oneof: str = ""
    json_name: str = ""
    rules: tuple[str, ...] = ()
    offset: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranges:
    """What statements `reserved` or `extensions` list: *numbers* from the first to the last, and *names*."""

    numbers: tuple[tuple[int, int], ...] = ()
    names: tuple[str, ...] = ()

    def __add__(self, other: Ranges) -> Ranges:
        """Return what both list."""
        return Ranges(numbers=self.numbers + other.numbers, names=self.names + other.names)

    def has(self, number: int) -> bool:
        """Return whether *number* is listed."""
        return any(first <= number <= last for first, last in self.numbers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Enum:
    """An enum, by its simple name; *doc* is the comment at it, *values* are its symbols with their numbers."""

    name: str
    doc: str | None = None
    values: tuple[tuple[str, str], ...] = ()
    reserved: Ranges = Ranges()


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message (or a group's body) by its simple name, its tags, and what is declared inside it, each in its order."""

    name: str
    fields: tuple[Field, ...] = ()
    types: tuple[Message | Enum, ...] = ()
    presence: Presence | None = None
    tags: tuple[str, ...] = ()
    reserved: Ranges = Ranges()
    extensions: Ranges = Ranges()


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A service by its simple name; *calls* are the names of its methods, each with its request and response."""

    name: str
    calls: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """An import; what a *public* one declares is also visible to files that import this one."""

    name: str
    public: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtoFile:
    """One .proto text. *deepest* counts brackets inside each other; *versioned*: its syntax is written first.

    *edition*: it is of an edition, not of proto2 or proto3.
    """

    package: str = ""
    imports: tuple[Import, ...] = ()
    types: tuple[Message | Enum, ...] = ()
    services: tuple[Service, ...] = ()
    presence: Presence = Presence.EXPLICIT
    deepest: int = 0
    versioned: bool = False
    edition: bool = False
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Declared:
    """A declaration with its full name, the import name of its file, and the presence that its fields inherit."""

    name: str
    file: str
    body: Message | Enum
    presence: Presence


class Scopes:
    """Knows every type of one schema's files (by import name); of two with one name, the first file's."""

    def __init__(self, files: Mapping[str, ProtoFile]) -> None:
        self._files = files
        self._own = {file: _by_name(declared(file, parsed)) for file, parsed in files.items()}
        self._all = self._merged(files)
        self._visible: dict[str, Mapping[str, Declared]] = {}
        self._known: dict[tuple[str, str, str], Declared | None] = {}

    def find(self, type_name: str, scope: Declared) -> Declared | None:
        """Return what *type_name* means inside *scope*; None where no file declares it.

        What the place's file does not import, though another does, counts only where nothing else has the name.
        """
        key = (type_name, scope.name, scope.file)
        if key not in self._known:
            names = list(_candidates(type_name, scope.name))
            tables = (self._visible_from(scope.file), self._all)
            self._known[key] = next((table[name] for table in tables for name in names if name in table), None)
        return self._known[key]

    def _visible_from(self, file: str) -> Mapping[str, Declared]:
        if file not in self._visible:
            names = [file]
            direct = [imported.name for imported in self._files[file].imports]
            for name in (name for name in direct if name in self._files):
                names += self._with_public(name)
            self._visible[file] = self._merged(dict.fromkeys(names))
        return self._visible[file]

    def _with_public(self, file: str) -> list[str]:
        names = {file: None}
        waiting = [file]
        while waiting:
            for imported in self._files[waiting.pop()].imports:
                if imported.public and imported.name in self._files and imported.name not in names:
                    names[imported.name] = None
                    waiting.append(imported.name)
        return list(names)

    def _merged(self, files: Mapping[str, object]) -> dict[str, Declared]:
        merged: dict[str, Declared] = {}
        for file in reversed(list(files)):
            merged.update(self._own[file])
        return merged


def declared(file: str, parsed: ProtoFile) -> tuple[Declared, ...]:
    """List what a file declares: its top level in order, then what is declared inside, depth first."""
    top = [_declare(file, parsed.package, body, parsed.presence) for body in parsed.types]
    return (*top, *(inner for outer in top for inner in _inside(outer)))


def _by_name(types: Iterable[Declared]) -> dict[str, Declared]:
    by_name: dict[str, Declared] = {}
    for type_ in types:
        by_name.setdefault(type_.name, type_)
    return by_name


def _inside(outer: Declared) -> Iterator[Declared]:
    for body in outer.body.types if isinstance(outer.body, Message) else ():
        inner = _declare(outer.file, outer.name, body, outer.presence)
        yield inner
        yield from _inside(inner)


def _declare(file: str, scope: str, body: Message | Enum, inherited: Presence) -> Declared:
    own = body.presence if isinstance(body, Message) else None
    return Declared(f"{scope}.{body.name}" if scope else body.name, file, body, own or inherited)


def _candidates(type_name: str, scope: str) -> Iterator[str]:
    """List the full names that *type_name* may stand for, from the innermost scope outwards."""
    if type_name.startswith("."):
        yield type_name[1:]
        return
    while scope:
        yield f"{scope}.{type_name}"
        scope = scope.rpartition(".")[0]
    yield type_name


class WellKnown(NamedTuple):
    """How the column of a well-known message is shown: its type and what refines it."""

    type: str
    logical_type: str


_WRAPPERS = {
    "BoolValue": "bool",
    "BytesValue": "bytes",
    "DoubleValue": "double",
    "FloatValue": "float",
    "Int32Value": "int32",
    "Int64Value": "int64",
    "StringValue": "string",
    "UInt32Value": "uint32",
    "UInt64Value": "uint64",
}
_OF_ANY_TYPE = ("Any", "ListValue", "Struct", "Value")
_REFINED = {
    "google.protobuf.Duration": "duration",
    "google.protobuf.Timestamp": "timestamp",
    "google.type.Date": "date",
    "google.type.DateTime": "datetime",
    "google.type.Decimal": "decimal",
    "google.type.TimeOfDay": "time",
}
_OTHERS = {
    "google.protobuf": "Api Empty Enum EnumValue Field FieldMask Method Mixin Option SourceContext Type",
    "google.type": "Color Expr Fraction Interval LatLng LocalizedText Money PhoneNumber PostalAddress Quaternion"
    " TimeZone",
}

WELL_KNOWN: Mapping[str, WellKnown] = {
    **{f"google.protobuf.{name}": WellKnown(word, f"google.protobuf.{name}") for name, word in _WRAPPERS.items()},
    **{f"google.protobuf.{name}": WellKnown("any", f"google.protobuf.{name}") for name in _OF_ANY_TYPE},
    **{name: WellKnown("message", word) for name, word in _REFINED.items()},
    **{
        f"{package}.{name}": WellKnown("message", f"{package}.{name}")
        for package, names in _OTHERS.items()
        for name in names.split()
    },
}
"""Messages by full name; what has no common word for its logical type keeps its own name."""
