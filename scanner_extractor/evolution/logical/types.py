"""The logical types of a schema: what Flink and Iceberg make of it, as the policy LOGICAL compares them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum


class Kind(StrEnum):
    """The kind of a logical type; TIMESTAMP is a local time, TIMESTAMP_LTZ an instant."""

    BOOLEAN = "BOOLEAN"
    TINYINT = "TINYINT"
    SMALLINT = "SMALLINT"
    INT = "INT"
    BIGINT = "BIGINT"
    FLOAT = "FLOAT"
    DOUBLE = "DOUBLE"
    DECIMAL = "DECIMAL"
    DATE = "DATE"
    TIME = "TIME"
    TIMESTAMP = "TIMESTAMP"
    TIMESTAMP_LTZ = "TIMESTAMP_LTZ"
    CHAR = "CHAR"
    VARCHAR = "VARCHAR"
    ENUM = "ENUM"
    VARBINARY = "VARBINARY"
    BINARY = "BINARY"
    STRUCT = "STRUCT"
    ARRAY = "ARRAY"
    MAP = "MAP"
    MULTISET = "MULTISET"
    VARIANT = "VARIANT"
    REFERENCE = "REFERENCE"


NESTED = frozenset({Kind.STRUCT, Kind.ARRAY, Kind.MAP, Kind.MULTISET})
LONGEST = 2**31 - 1
"""The length that means no limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalType:
    """A type. *name* is that of a REFERENCE, *size* the length (0: any, if it may vary) or precision.

    *members* are the fields of a STRUCT; a union is a STRUCT of its branches. *inner* is what an ARRAY or MAP holds,
    *key* the keys of a MAP (texts if absent). A MULTISET is a MAP from its elements to their numbers.
    """

    kind: Kind
    nullable: bool = False
    name: str = ""
    size: int = 0
    scale: int = 0
    members: tuple[Member, ...] = ()
    inner: LogicalType | None = None
    key: LogicalType | None = None

    @property
    def keys(self) -> LogicalType:
        """Return the type of a MAP's keys."""
        return self.key or _TEXT

    @property
    def shown(self) -> str:
        """Return the type for messages."""
        if self.kind is Kind.DECIMAL:
            return f"DECIMAL({self.size}, {self.scale})"
        return f"{self.kind}({self.size})" if self.size else str(self.kind)


_TEXT = LogicalType(kind=Kind.VARCHAR)


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A field of a STRUCT, or a *branch* of a union, which is always nullable; *hidden*: it has no column."""

    name: str
    type: LogicalType
    has_default: bool = False
    null_default: bool = False
    branch: bool = False
    hidden: bool = False

    @property
    def nullable(self) -> bool:
        """Return whether it may be null."""
        return self.branch or self.type.nullable

    @property
    def steps(self) -> tuple[str, ...]:
        """Return the steps of its column's path."""
        return () if self.hidden else (self.name,)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalSchema:
    """The *root* of a schema, and its named types."""

    root: LogicalType
    named: Mapping[str, LogicalType]

    def resolved(self, type: LogicalType) -> LogicalType:
        """Return the definition behind references, which must not be circular; other types as they are."""
        while type.kind is Kind.REFERENCE:
            type = self.named[type.name]
        return type


class NotLogical(Exception):
    """Raised for a schema that has no logical type: the registry rejects it."""


def text_of(least: int | None, most: int | None, kinds: tuple[Kind, Kind], *, nullable: bool) -> LogicalType:
    """Return a text or bytes of *least* to *most* characters: the first of *kinds* if both are equal.

    Raises NotDecided for a length that the registry may read otherwise.
    """
    if any(length is not None and not 0 <= length <= LONGEST for length in (least, most)):
        raise NotDecided("a length that is negative or too large")
    if most is not None and least == most:
        return LogicalType(kind=kinds[0], nullable=nullable, size=most)
    return LogicalType(kind=kinds[1], nullable=nullable, size=0 if most in (None, LONGEST) else most)


def union_of(branches: Sequence[tuple[str, LogicalType]], *, nullable: bool, hidden: bool = True) -> LogicalType:
    """Return a union; *hidden* if its branches have no columns. Raises NotLogical for two of one name."""
    if len({name for name, _ in branches}) < len(branches):
        raise NotLogical("two branches of a union have one name")
    members = tuple(Member(name=name, type=type, branch=True, hidden=hidden) for name, type in branches)
    return LogicalType(kind=Kind.STRUCT, nullable=nullable, members=members)


TEXTS, BYTES = (Kind.CHAR, Kind.VARCHAR), (Kind.BINARY, Kind.VARBINARY)


def timed(kind: Kind, precision: int, *, nullable: bool) -> LogicalType:
    """Return a time of *precision* digits; raises NotLogical if the registry has none such."""
    if not 0 <= precision <= MOST_FRACTION:
        raise NotLogical(f"a time of {precision} digits")
    return LogicalType(kind=kind, nullable=nullable, size=precision)


MOST_FRACTION = 9


def map_of(key: LogicalType, value: LogicalType, *, multiset: bool, nullable: bool) -> LogicalType:
    """Return a MAP, or a MULTISET; raises NotLogical for a multiset whose counts are not INT."""
    if multiset and value.kind is not Kind.INT:
        raise NotLogical("a multiset whose counts are not integers of 32 bits")
    inner = replace(value, nullable=False) if multiset else value
    return LogicalType(kind=Kind.MULTISET if multiset else Kind.MAP, nullable=nullable, inner=inner, key=key)


class NotDecided(Exception):
    """Raised for a schema with a property that is not interpreted here."""
