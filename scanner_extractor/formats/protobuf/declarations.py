"""Declarations of a .proto file, with unresolved names, reduced to what columns need."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from scanner_model.problems import Problem


class Label(StrEnum):
    """What stands before a field's type, or what the field stands in."""

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
    """A field; *type* is the name as written, of a map the value's, of a group the group's.

    *presence* is the field's own, None where it inherits. *default* is JSON text. *decimal* is (precision, scale) as
    Confluent's field options give them.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Enum:
    """An enum, by its simple name; *doc* is the comment at it."""

    name: str
    doc: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message (or a group's body) by its simple name, with what is declared inside it, each in its order."""

    name: str
    fields: tuple[Field, ...] = ()
    types: tuple[Message | Enum, ...] = ()
    presence: Presence | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """An import; what a *public* one declares is also visible to files that import this one."""

    name: str
    public: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtoFile:
    """One .proto text. *deepest* counts brackets inside each other; *versioned*: its syntax is written first."""

    package: str = ""
    imports: tuple[Import, ...] = ()
    types: tuple[Message | Enum, ...] = ()
    presence: Presence = Presence.EXPLICIT
    deepest: int = 0
    versioned: bool = False
    problems: tuple[Problem, ...] = ()
