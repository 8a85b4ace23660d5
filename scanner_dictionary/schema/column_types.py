"""Columns that tables are declared with: keys, references, required and optional columns, each with its doc.

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
"""SQLite's INTEGER has 64 bits, and only a key of that type name is the row id itself."""

_ABOUT = "about"


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
        may("logical_type", Text, "logical type, empty where there is none"),
        must("nullable", Boolean, "the value may be null or absent"),
        may("default_value", Text, "JSON text, empty where there is no default"),
        may("doc", Text, "documentation, empty where there is none"),
        may("tags", Text, "JSON array, empty where there are none"),
        may("recursion_of", Text, "name of the recursive type that is not expanded further"),
        may("branches", Text, "JSON array: the types of a union of plain types"),
        may("field_number", BigInteger, "Protobuf's field number"),
        may("inherited_tags", Text, "JSON array: those of the tags that only a record has which holds the column"),
    )
