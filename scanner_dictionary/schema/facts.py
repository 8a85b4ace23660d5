"""How tables are declared: columns with their docs, and the tables of facts by their members' `Key` and `Value`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from enum import Enum
from functools import cache
from types import NoneType
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.schema import SchemaItem
from sqlalchemy.types import TypeEngine

from scanner_model.facts import Key, Value

ColumnType = TypeEngine[Any] | type[TypeEngine[Any]]

metadata = MetaData()

_WIDE = BigInteger().with_variant(Integer, "sqlite")
"""SQLite's INTEGER has 64 bits, and only a key of that type name is the row id itself."""

_ABOUT = "about"
WORDS = "words"
"""The key of the info of a column that holds one of some words."""


def declare(name: str, about_row: str, *items: SchemaItem, sqlite_with_rowid: bool = True) -> Table:
    """Declare a table; *about_row* describes in a sentence what a row of it is."""
    return Table(name, metadata, *items, info={_ABOUT: about_row}, sqlite_with_rowid=sqlite_with_rowid)


def about(table: Table) -> str:
    """Return in a sentence what a row of *table* is."""
    return str(table.info[_ABOUT])


def identity() -> Column[int]:
    """Return the key that the writer assigns in sorted order: no database sequence, the same in every database."""
    return Column("id", Integer, primary_key=True, autoincrement=False, doc="key, assigned by the writer")


def wide_identity(doc: str) -> Column[int]:
    """Return the key of a table whose keys may need more than 32 bits."""
    return Column("id", _WIDE, primary_key=True, autoincrement=False, doc=doc)


def wide_parent(name: str, target: str, doc: str) -> Column[int]:
    """Return the reference to a row with a wide key."""
    return Column(name, _WIDE, ForeignKey(f"{target}.id"), autoincrement=False, nullable=False, doc=doc)


def ordinal(doc: str) -> Column[int]:
    """Return the second part of a key: the position under a parent."""
    return Column("ordinal", Integer, primary_key=True, autoincrement=False, doc=doc)


def parent(name: str, target: str, doc: str, *, key: bool = False) -> Column[int]:
    """Return the reference to the parent row; *key*: it is part of the primary key."""
    reference = ForeignKey(f"{target}.id")
    return Column(name, Integer, reference, primary_key=key, autoincrement=False, nullable=False, doc=doc)


def maybe(name: str, target: str, doc: str) -> Column[int]:
    """Return a reference that may be empty."""
    return Column(name, Integer, ForeignKey(f"{target}.id"), nullable=True, doc=doc)


def must(name: str, type_: ColumnType, doc: str) -> Column[Any]:
    """Return a column that is never null (text may be empty)."""
    return Column(name, type_, nullable=False, doc=doc)


def may(name: str, type_: ColumnType, doc: str) -> Column[Any]:
    """Return a column that may be null."""
    return Column(name, type_, nullable=True, doc=doc)


def provenance() -> tuple[Column[Any], ...]:
    """Return the columns that every fact has: its source, and since and until which scan it is true."""
    return (
        parent("source_id", "source", "the source that reported it last"),
        must("first_seen", Integer, "scan number that observed it first"),
        must("last_seen", Integer, "scan number that observed it last"),
        may("gone", Integer, "scan number that found it deleted; empty while it exists"),
    )


def column_description() -> tuple[Column[Any], ...]:
    """Return the columns that describe a column of a schema, a ksqlDB collection or a catalog table."""
    return (
        must("depth", Integer, "segments of its path; 0 is a message that is one value"),
        must("path", Text, "JSON array of segments"),
        must("name", Text, "the path with dots, for display"),
        must("data_type", Text, "the type as the format names it"),
        may("logical_type", Text, "logical type, empty if absent"),
        must("nullable", Boolean, "the value may be null or absent"),
        may("default_value", Text, "JSON text; empty without a default"),
        may("doc", Text, "documentation, empty if absent"),
        may("tags", Text, "JSON array, empty if absent"),
        may("recursion_of", Text, "name of the recursive type that is not expanded further"),
        may("branches", Text, "JSON array: the types of a union of plain types"),
        may("field_number", BigInteger, "Protobuf's field number"),
        may("inherited_tags", Text, "JSON array: those of the tags that only a record has which holds the column"),
    )


class FactColumn(NamedTuple):
    """A column of a table of facts: its *name*, and the member that it holds.

    *member* has dots if the member is of a part of the fact, as the name of an end of a flow is. *type* is the
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
    declared = (may if column.nullable else must)(column.name, column.sql_type, column.declared.doc)
    if isinstance(column.type, type) and issubclass(column.type, Enum):
        declared.info[WORDS] = tuple(column.type)
    return declared


def _about(fact_type: type) -> str:
    return (fact_type.__doc__ or "").partition("\n")[0]
