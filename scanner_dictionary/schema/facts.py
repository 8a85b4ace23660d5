"""The tables of facts whose cells are members of the facts, as `scanner_model.facts` declares these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from enum import Enum
from functools import cache
from types import NoneType
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

from sqlalchemy import BigInteger, Boolean, Float, Index, String, Table, Text, UniqueConstraint
from sqlalchemy.schema import SchemaItem

from scanner_dictionary.schema.column_types import (
    ColumnType,
    declare,
    identity,
    may,
    must,
    parent,
    provenance,
)
from scanner_model.facts import Key, Value


class FactColumn(NamedTuple):
    """A column of a table of facts: its *name*, and the member that it holds.

    *member* has dots where the member is of a part of the fact, as the name of an end of a flow is. *type* is the
    member's without None, which *nullable* stands for.
    """

    name: str
    member: str
    type: Any
    nullable: bool
    declared: Value

    @property
    def is_key(self) -> bool:
        """Return whether it identifies the fact."""
        return isinstance(self.declared, Key)

    @property
    def is_indexable(self) -> bool:
        """Return whether every database can index it: its values are short."""
        return self.sql_type is not Text

    @property
    def is_json(self) -> bool:
        """Return whether its cells are JSON: those of lists, and of pairs."""
        return get_origin(self.type) in (tuple, frozenset)

    @property
    def sql_type(self) -> ColumnType:
        """Return the column's type; lists are JSON text."""
        plain = getattr(self.type, "__supertype__", self.type)
        if isinstance(plain, type) and issubclass(plain, str | Enum):
            return Text if self.declared.long else String
        return {bool: Boolean, int: BigInteger, float: Float}.get(plain, Text)


@cache
def fact_columns(fact_type: type) -> tuple[FactColumn, ...]:
    """Return the columns of facts of a type in the order of its members."""
    return tuple(_columns(fact_type))


def _columns(fact_type: type) -> Iterator[FactColumn]:
    for member, hint in _hints(fact_type).items():
        declared = next((extra for extra in getattr(hint, "__metadata__", ()) if isinstance(extra, Value)), None)
        if declared:
            choices = [part for part in get_args(hint.__origin__) if part is not NoneType]
            nullable = NoneType in get_args(hint.__origin__)
            type_ = choices[0] if nullable else hint.__origin__
            yield FactColumn(declared.column or member, member, type_, nullable, declared)
        elif member in part_types(fact_type):
            for column in fact_columns(hint):
                yield column._replace(name=f"{member}_{column.name}", member=f"{member}.{column.member}")


@cache
def part_types(fact_type: type) -> Mapping[str, type]:
    """Return the types of the parts of a fact, as of the ends of a flow, by member."""
    hints = _hints(fact_type).items()
    return {member: hint for member, hint in hints if isinstance(hint, type) and is_dataclass(hint)}


@cache
def _hints(fact_type: type) -> Mapping[str, Any]:
    return get_type_hints(fact_type, include_extras=True)


_TABLES: dict[type, Table] = {}
_SHARED = "shared"


def table_of(fact_type: type) -> Table:
    """Return the table of facts of a type."""
    return _TABLES[fact_type]


def is_shared(table: Table) -> bool:
    """Return whether a fact of *table* that several sources report is one row."""
    return bool(table.info[_SHARED])


def fact_table(name: str, fact_type: type, *items: SchemaItem, shared: bool = False) -> Table:
    """Declare the table of facts of a type; *shared*: of several sources that report one, it has the facts of one."""
    columns = fact_columns(fact_type)
    owner = "cluster_id" if shared else "source_id"
    keys = [column for column in columns if column.is_key]
    unique = UniqueConstraint(owner, *(column.name for column in keys), name=f"uq_{name}")
    by_cluster, by_source = (Index(f"ix_{name}_{of}", f"{of}_id") for of in ("cluster", "source"))
    indexes = [unique] if all(column.is_indexable for column in keys) else [by_source]
    table = declare(
        name,
        _about(fact_type),
        identity(),
        parent("cluster_id", "cluster", "the cluster whose scan read it"),
        *map(_column, columns),
        *provenance(),
        *indexes,
        *([] if shared else [by_cluster]),
        *items,
    )
    table.info[_SHARED] = shared
    _TABLES[fact_type] = table
    return table


def child_table(name: str, child_type: type, *key: SchemaItem) -> Table:
    """Declare the table of what a fact has several of; *key* are the columns with the fact and the position."""
    return declare(name, _about(child_type), *key, *map(_column, fact_columns(child_type)))


def _column(column: FactColumn) -> SchemaItem:
    kind = may if column.nullable else must
    return kind(column.name, column.sql_type, column.declared.doc)


def _about(fact_type: type) -> str:
    return (fact_type.__doc__ or "").partition("\n")[0]
