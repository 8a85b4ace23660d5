"""Data types in DDL and casts: names, parameters, nested fields."""

from __future__ import annotations

from dataflow_generator.sql.lexer import Kind
from dataflow_generator.sql.nodes import SqlType
from dataflow_generator.sql.parsing.cursor import Cursor

_STRUCTURES = ("ROW", "STRUCT")
_COLLECTIONS = ("ARRAY", "MULTISET")


def data_type(cursor: Cursor) -> SqlType:
    """Read a data type with its nested fields; nullability and comments are passed over."""
    with cursor.deeper():
        name = ".".join(cursor.dotted())
        found = _of(cursor, name.upper() if cursor.text_until.kind is Kind.WORD else name)
        cursor.accept_any("PRECISION", "VARYING")
        _time_zone(cursor)
        while cursor.key in _COLLECTIONS:  # the legacy form `INT ARRAY`
            found = SqlType(cursor.next().key, element=found)
        if cursor.key == "NULL":
            cursor.next()
        cursor.accept("NOT", "NULL")
        return found


def _of(cursor: Cursor, name: str) -> SqlType:
    if name in _STRUCTURES and cursor.key in ("<", "("):
        return SqlType(name, _fields(cursor, ">" if cursor.next().key == "<" else ")"))
    if name in _STRUCTURES and cursor.accept("<>"):
        return SqlType(name)
    if name in _COLLECTIONS and cursor.accept("<"):
        element = data_type(cursor)
        cursor.expect(">")
        return SqlType(name, element=element)
    if name == "MAP" and cursor.accept("<"):
        data_type(cursor)
        cursor.expect(",")
        element = data_type(cursor)
        cursor.expect(">")
        return SqlType(name, element=element)
    if cursor.key == "(":
        cursor.skip_brackets()
    return SqlType(name)


def _fields(cursor: Cursor, closing: str) -> tuple[tuple[str, SqlType], ...]:
    found = []
    while not cursor.accept(closing):
        name = cursor.name()
        found.append((name, data_type(cursor)))
        if cursor.token.kind is Kind.STRING or cursor.accept("COMMENT"):
            cursor.next()
        if not cursor.accept(",") and cursor.key != closing:
            raise cursor.unread(f", or {closing} is expected")
    return tuple(found)


def _time_zone(cursor: Cursor) -> None:
    for words in (("WITH", "TIME", "ZONE"), ("WITH", "LOCAL", "TIME", "ZONE"), ("WITHOUT", "TIME", "ZONE")):
        if cursor.accept(*words):
            return
