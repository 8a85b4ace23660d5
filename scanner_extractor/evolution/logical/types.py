"""The logical types of a schema: what Flink and Iceberg make of it, as the policy LOGICAL compares them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
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
    VARCHAR = "VARCHAR"
    ENUM = "ENUM"
    VARBINARY = "VARBINARY"
    BINARY = "BINARY"
    STRUCT = "STRUCT"
    ARRAY = "ARRAY"
    MAP = "MAP"
    REFERENCE = "REFERENCE"


NESTED = frozenset({Kind.STRUCT, Kind.ARRAY, Kind.MAP})


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalType:
    """A type. *name* is that of a REFERENCE, *size* the length or precision; a MAP's keys are always texts.

    *members* are the fields of a STRUCT; a union is a STRUCT of its branches. *inner* is what an ARRAY or MAP holds.
    """

    kind: Kind
    nullable: bool = False
    name: str = ""
    size: int = 0
    scale: int = 0
    members: tuple[Member, ...] = ()
    inner: LogicalType | None = None

    @property
    def shown(self) -> str:
        """Return the type for messages."""
        if self.kind is Kind.DECIMAL:
            return f"DECIMAL({self.size}, {self.scale})"
        return f"{self.kind}({self.size})" if self.size else str(self.kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A field of a STRUCT, or a branch of a union, which is always nullable and has no column of its own."""

    name: str
    type: LogicalType
    has_default: bool = False
    null_default: bool = False
    branch: bool = False

    @property
    def nullable(self) -> bool:
        """Return whether it may be null."""
        return self.branch or self.type.nullable

    @property
    def steps(self) -> tuple[str, ...]:
        """Return the steps of its column's path."""
        return () if self.branch else (self.name,)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalSchema:
    """The *root* of a schema, and its records and enums by full name."""

    root: LogicalType
    named: Mapping[str, LogicalType]

    def resolved(self, type: LogicalType) -> LogicalType:
        """Return the definition behind a reference; other types as they are."""
        return self.named[type.name] if type.kind is Kind.REFERENCE else type


class NotLogical(Exception):
    """Raised for a schema that has no logical type: the registry rejects it."""


class NotDecided(Exception):
    """Raised for a schema with a property that is not interpreted here."""
