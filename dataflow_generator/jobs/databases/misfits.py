"""Columns that jobs write into tables which do not have them, or whose types cannot hold the values of a field."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from dataflow_generator.build.coverage import Misfit
from dataflow_generator.build.graph_builder import Described
from dataflow_generator.graph import NodeKind
from dataflow_generator.jobs.databases.names import VIEW, scheme_of
from dataflow_generator.jobs.model import ColumnFlow, ColumnRef, GraphDataset, JobFlows
from dataflow_generator.jobs.openlineage import KIND
from scanner_dictionary.lineage_inputs.catalogs import TableRow
from scanner_model.columns import Column, ColumnPath, path_name


class Family(StrEnum):
    """A family of types."""

    INTEGER = "integer"
    DECIMAL = "decimal"
    FLOAT = "float"
    BOOLEAN = "boolean"
    TEXT = "text"
    BYTES = "bytes"
    STRUCTURE = "structure"


@dataclass(frozen=True, slots=True)
class ValueType:
    """A type: *size* are the bits of an integer, the precision of a decimal, the length of a text; None is any."""

    family: Family
    size: int | None = None
    scale: int = 0


_INTEGERS = {"tinyint": 8, "smallint": 16, "int2": 16, "mediumint": 24, "int4": 32, "bigint": 64, "int8": 64}
_FLOATS = ("float", "double", "double precision", "real", "double_precision", "float4", "float8")
_TEXTS = ("char", "varchar", "character", "character varying", "nchar", "nvarchar", "varchar2", "nvarchar2")

_OF_DATABASES: Mapping[str, ValueType] = {
    **{word: ValueType(Family.INTEGER, bits) for word, bits in _INTEGERS.items()},
    "int": ValueType(Family.INTEGER, 32),
    "integer": ValueType(Family.INTEGER, 32),
    **dict.fromkeys(("boolean", "bool"), ValueType(Family.BOOLEAN)),
    **dict.fromkeys(_FLOATS, ValueType(Family.FLOAT)),
    **dict.fromkeys(("numeric", "decimal", "number"), ValueType(Family.DECIMAL)),
    **dict.fromkeys((*_TEXTS, "text", "clob"), ValueType(Family.TEXT)),
    **dict.fromkeys(("bytea", "blob", "varbinary", "binary"), ValueType(Family.BYTES)),
}
_OF_MESSAGES: Mapping[str, ValueType] = {
    **dict.fromkeys(("int", "int32", "sint32", "sfixed32"), ValueType(Family.INTEGER, 32)),
    **dict.fromkeys(("uint32", "fixed32", "long", "int64", "sint64", "sfixed64"), ValueType(Family.INTEGER, 64)),
    "integer": ValueType(Family.INTEGER),
    **dict.fromkeys(("float", "double", "number"), ValueType(Family.FLOAT)),
    **dict.fromkeys(("boolean", "bool"), ValueType(Family.BOOLEAN)),
    "string": ValueType(Family.TEXT),
    **dict.fromkeys(("bytes", "fixed"), ValueType(Family.BYTES)),
    **dict.fromkeys(("record", "message", "object", "array", "map"), ValueType(Family.STRUCTURE)),
}
_DECIMAL = re.compile(r"(?:decimal|numeric|number)\((\d+)(?:,\s*(-?\d+))?\)", re.IGNORECASE)
_LENGTH = re.compile(r"\((\d+)\)$")
_DIGITS = {8: 3, 16: 5, 24: 8, 32: 10, 64: 19}
"""The decimal digits of the largest integer of so many bits."""


def database_type(column: Column) -> ValueType | None:
    """Return the type of a table's column; None where it is not known what it can hold, as of dates and enums."""
    refined = column.logical_type or ""
    if column.type == "tinyint" and refined == "tinyint(1)":
        return ValueType(Family.BOOLEAN)  # MySQL's BOOLEAN
    if match := _DECIMAL.fullmatch(refined):
        return ValueType(Family.DECIMAL, int(match[1]), int(match[2] or 0))
    known = _OF_DATABASES.get(column.type)
    if known and known.family is Family.TEXT and (length := _LENGTH.search(refined)):
        return ValueType(Family.TEXT, int(length[1]))
    return known


def message_type(column: Column) -> ValueType | None:
    """Return the type of a message's field; None where it is not known, as of one with another logical type."""
    refined = column.logical_type or ""
    if match := _DECIMAL.fullmatch(refined):
        return ValueType(Family.DECIMAL, int(match[1]), int(match[2] or 0))
    return None if refined or column.branches else _OF_MESSAGES.get(column.type)


def cannot_hold(value: ValueType, column: ValueType) -> str:
    """Return why a column of this type cannot hold every such value; empty where it can, or it is doubtful."""
    match value.family, column.family:
        case Family.TEXT | Family.BYTES | Family.STRUCTURE, (
            Family.INTEGER | Family.DECIMAL | Family.FLOAT | Family.BOOLEAN
        ):
            return f"a {value.family} is no {column.family}"
        case Family.INTEGER | Family.DECIMAL | Family.FLOAT, Family.BOOLEAN:
            return f"a {value.family} is no {column.family}"
        case Family.INTEGER, Family.INTEGER if _exceeds(value.size, column.size):
            return f"{value.size} bits are more than its {column.size}"
        case Family.FLOAT, Family.INTEGER:
            return "it has no fractions"
        case Family.DECIMAL, Family.INTEGER if value.scale > 0:
            return "it has no fractions"
        case Family.DECIMAL, Family.DECIMAL:
            return _decimals(value, column)
        case Family.INTEGER, Family.DECIMAL if value.size and column.size:
            digits = _DIGITS.get(value.size, 0)
            whole = column.size - column.scale
            return f"{digits} digits are more than its {whole}" if digits > whole else ""
        case Family.TEXT, Family.TEXT if _exceeds(value.size, column.size):
            return f"{value.size} characters are more than its {column.size}"
        case _:
            return ""


def _decimals(value: ValueType, column: ValueType) -> str:
    if value.size is None or column.size is None:
        return ""
    whole, held = value.size - value.scale, column.size - column.scale
    if whole > held:
        return f"{whole} digits are more than its {held}"
    if value.scale > column.scale:
        return f"{value.scale} decimal places are more than its {column.scale}"
    return ""


def _exceeds(value: int | None, held: int | None) -> bool:
    return value is not None and held is not None and value > held


_NOT_CHECKED = frozenset({VIEW, KIND})
"""Types of jobs whose columns fit by themselves, or whose events may be older than the table."""

_COPIED = ("IDENTITY", "")
_UNTYPED = frozenset({"file"})
"""Schemes of databases whose columns hold values of any type: SQLite."""


def column_misfits(
    jobs: Iterable[JobFlows], tables: Mapping[GraphDataset, TableRow], described: Described
) -> tuple[Misfit, ...]:
    """Return what *jobs* write into *tables* that does not fit, each once, in order of the nodes.

    The type of a topic's field is that of its schema (*described*), else of the database column that it is copied from.
    """
    if not tables:
        return ()
    writing = [job for job in jobs if dict(job.job.attributes).get("type") not in _NOT_CHECKED]
    checks = _Checks(tables, described)
    checks.add_copies(writing)
    return tuple(sorted({misfit for job in writing for misfit in checks.misfits(job)}))


@dataclass(slots=True)
class _Checks:
    tables: Mapping[GraphDataset, TableRow]
    described: Described
    copies: dict[ColumnRef, Column] = field(default_factory=dict)
    columns: dict[GraphDataset, Mapping[ColumnPath, Column]] = field(default_factory=dict)

    def add_copies(self, jobs: Iterable[JobFlows]) -> None:
        """Note which columns of tables are copied into fields of topics."""
        for job in jobs:
            for flow in job.columns:
                source, target = flow.source, flow.target
                column = self._column(source) if target.dataset.kind is NodeKind.TOPIC and _is_copy(flow) else None
                if column:
                    self.copies.setdefault(target, column)

    def misfits(self, job: JobFlows) -> Iterator[Misfit]:
        """Yield what a job writes into tables that does not fit."""
        for flow in job.columns:
            table = self.tables.get(flow.target.dataset)
            if table is None or not flow.target.path or flow.type != "DIRECT":
                continue
            column = self._column(flow.target)
            is_whole = len(flow.target.path) == 1
            shown = f"{path_name(flow.target.path)!r} of {table.name}"
            nodes = (job.job.key, flow.source.key, flow.target.key)
            if column is None:
                yield Misfit(nodes[::2], f"{job.job.name} writes {shown}, which the table does not have")
            elif is_whole and (why := self._why(flow, column)):
                where = f"{path_name(flow.source.path or ())!r} of {flow.source.dataset.name}"
                yield Misfit(nodes, f"{job.job.name} writes {where} into {shown}, which cannot hold it: {why}")

    def _why(self, flow: ColumnFlow, column: Column) -> str:
        value, held = self._value(flow.source), database_type(column)
        untyped = scheme_of(flow.target.dataset.namespace) in _UNTYPED
        if value is None or held is None or untyped or not _is_copy(flow):
            return ""
        return cannot_hold(value, held)

    def _value(self, source: ColumnRef) -> ValueType | None:
        fields = self.described.get((source.dataset.namespace, source.dataset.name), ())
        described = next((column for column in fields if column.path == source.path), None)
        if described is not None:
            return message_type(described)
        column = self.copies.get(source) or self._column(source)
        return database_type(column) if column else None

    def _column(self, ref: ColumnRef) -> Column | None:
        table = self.tables.get(ref.dataset)
        if table is None or not ref.path:
            return None
        if ref.dataset not in self.columns:
            # Engines write names in a case of their own; whether the database minds is not known here.
            alike = {(column.path[0].casefold(),): column for column in table.columns}
            self.columns[ref.dataset] = alike | {column.path: column for column in table.columns}
        known, top = self.columns[ref.dataset], ref.path[:1]
        return known.get(ref.path) or known.get(top) or known.get((top[0].casefold(),))


def _is_copy(flow: ColumnFlow) -> bool:
    return flow.type == "DIRECT" and flow.subtype in _COPIED
