"""The parts that tables are declared with: keys, parents, columns that must or may hold something, each with its doc.

Text of bounded length is `String`; text that may be long is `Text`, a CLOB in H2, which cannot be indexed there.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Integer, MetaData, Table, Text
from sqlalchemy.schema import SchemaItem
from sqlalchemy.types import TypeEngine

ColumnType = TypeEngine[Any] | type[TypeEngine[Any]]

metadata = MetaData()

_WIDE = BigInteger().with_variant(Integer, "sqlite")
"""SQLite's INTEGER has 64 bits, and only of that name is a key the row's own place."""

_ABOUT = "about"


def declare(name: str, about_row: str, *items: SchemaItem, sqlite_with_rowid: bool = True) -> Table:
    """Declare a table; *about_row* tells in a sentence what a row of it is."""
    return Table(name, metadata, *items, info={_ABOUT: about_row}, sqlite_with_rowid=sqlite_with_rowid)


def about(table: Table) -> str:
    """Return in a sentence what a row of *table* is."""
    return str(table.info[_ABOUT])


def identity() -> Column[int]:
    """Return the key that the writer assigns in sorted order: no database sequence, the same in every database."""
    return Column("id", Integer, primary_key=True, autoincrement=False, doc="key, assigned by the writer")


def wide_identity(doc: str) -> Column[int]:
    """Return the key of a table that may have more rows, or more room between them, than 32 bits can tell apart."""
    return Column("id", _WIDE, primary_key=True, autoincrement=False, doc=doc)


def wide_parent(name: str, target: str, doc: str) -> Column[int]:
    """Return the reference to a row with a wide key."""
    return Column(name, _WIDE, ForeignKey(f"{target}.id"), autoincrement=False, nullable=False, doc=doc)


def ordinal(doc: str) -> Column[int]:
    """Return the second part of a key: the place under a parent."""
    return Column("ordinal", Integer, primary_key=True, autoincrement=False, doc=doc)


def parent(name: str, target: str, doc: str, *, key: bool = False) -> Column[int]:
    """Return the reference to the row that this one stands under; *key*: it is part of the key."""
    there = ForeignKey(f"{target}.id")
    return Column(name, Integer, there, primary_key=key, autoincrement=False, nullable=False, doc=doc)


def maybe(name: str, target: str, doc: str) -> Column[int]:
    """Return a reference that may be empty."""
    return Column(name, Integer, ForeignKey(f"{target}.id"), nullable=True, doc=doc)


def must(name: str, type_: ColumnType, doc: str) -> Column[Any]:
    """Return a column that always holds something (text may be empty)."""
    return Column(name, type_, nullable=False, doc=doc)


def may(name: str, type_: ColumnType, doc: str) -> Column[Any]:
    """Return a column that may hold nothing."""
    return Column(name, type_, nullable=True, doc=doc)


def told() -> tuple[Column[Any], ...]:
    """Report of every fact who told it, and since and until when it is true."""
    return (
        parent("source_id", "source", "the source that told it last"),
        must("first_seen", Integer, "scan number that found it first"),
        must("last_seen", Integer, "scan number that found it last"),
        may("gone", Integer, "scan number that found it gone; empty while it is there"),
    )


def described() -> tuple[Column[Any], ...]:
    """Describe a column of a schema or of a ksqlDB collection."""
    return (
        must("depth", Integer, "segments of its path; 0 is a message that is one value"),
        must("path", Text, "JSON array of segments"),
        must("name", Text, "the path as people write it, with dots"),
        must("data_type", Text, "the format's own word"),
        may("logical_type", Text, "what refines the type, empty where nothing does"),
        must("nullable", Boolean, "the value may be null or absent"),
        may("default_value", Text, "JSON text, empty where there is no default"),
        may("doc", Text, "documentation, empty where there is none"),
        may("tags", Text, "JSON array, empty where there are none"),
        may("recursion_of", Text, "name of the type whose recursion is cut here"),
        may("branches", Text, "JSON array: the types of a union of plain types"),
        may("field_number", BigInteger, "Protobuf's field number"),
    )
