"""Whether a file is a dictionary as this program makes it: dictionaries may come from others."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Mapping

from sqlalchemy import Boolean, Column, Connection, Float, Integer, Table, text
from sqlalchemy.exc import NoResultFound

from scanner_dictionary.schema.facts import WORDS
from scanner_dictionary.schema.tables import metadata
from scanner_dictionary.schema.views import VIEWS
from scanner_model.errors import DictionaryUnusable

_HINT = "restore a copy, or scan into a new file: `scanner scan --dictionary NEW.db`"
_HAS_OTHERS = "EXISTS (SELECT 1 FROM json_each({name}) WHERE type <> 'text')"
_VALUES = "SELECT 1 FROM {table} WHERE {column} IS NOT NULL AND ({condition}) LIMIT 1"


def check_objects(conn: Connection, names: Collection[str], shown: str) -> None:
    """Raise DictionaryUnusable if one of the tables *names* is something else, which a query could run without end.

    A view, a virtual table, a generated column or a trigger runs SQL of whoever made the file.
    """
    for kind, name, table, sql in conn.exec_driver_sql("SELECT type, name, tbl_name, sql FROM sqlite_master"):
        if what := _wrong(str(kind), str(name), str(table), str(sql or ""), names):
            raise DictionaryUnusable(f"the dictionary is not as scanner makes it: {what}", where=shown, hint=_HINT)
    marks = ", ".join(f":n{number}" for number in range(len(names)))
    listed = f"SELECT m.name, x.name FROM sqlite_master m, pragma_table_xinfo(m.name) x WHERE x.hidden AND m.name IN ({marks})"  # noqa: E501, S608 - names of parameters
    if row := conn.execute(text(listed), {f"n{number}": name for number, name in enumerate(names)}).first():
        what = f"the column {row[0]}.{row[1]} is generated"
        raise DictionaryUnusable(f"the dictionary is not as scanner makes it: {what}", where=shown, hint=_HINT)


def _wrong(kind: str, name: str, table: str, sql: str, names: Collection[str]) -> str:
    """Return what is wrong with an object of a file; empty for one of scanner's, or one of the user's own."""
    if name in names and kind != "table":
        return f"the table {name} is a {kind}"
    if name in names and sql.upper().startswith("CREATE VIRTUAL"):
        return f"the table {name} is virtual"
    if kind == "trigger" and table in names:
        return f"the table {table} has a trigger"
    if name in _STATEMENTS and (kind != "view" or _plain(sql) != _STATEMENTS[name]):
        return f"the view {name} is another one"
    return ""


def _plain(sql: str) -> str:
    return " ".join(sql.split())


_STATEMENTS: Mapping[str, str] = {view.name: _plain(view.statement) for view in VIEWS}


OF_DATA = (
    *(TypeError, ValueError, LookupError, AttributeError, ArithmeticError, AssertionError, RecursionError),
    *(sqlite3.Error, NoResultFound),
)
"""What a reader of rows ends with that meets a value of another type, or a defect of scanner."""

Words = Mapping[tuple[str, str], Collection[str]]
"""The words that a column may hold, by table and column."""


def damage(conn: Connection, words: Words) -> str:
    """Return what is damaged in a file: its pages, a value, or a reference to a row; empty if nothing is.

    *words* are those of columns whose declaration has none. A server checks all of it itself.
    """
    if conn.dialect.name != "sqlite":
        return ""
    try:
        if (found := conn.exec_driver_sql("PRAGMA quick_check(1)").scalar()) != "ok":
            return str(found)
        if cell := _damaged_cell(conn, words):
            return f"{cell} has a value of another type"
        if row := conn.exec_driver_sql("PRAGMA foreign_key_check").first():
            return f"a row of {row[0]} refers to a row of {row[2]} that is missing"
    except DictionaryUnusable as error:
        return error.what
    except sqlite3.Error as error:
        return str(error)
    return ""


def _damaged_cell(conn: Connection, words: Words) -> str:
    """Return the first column with a value that its type cannot have, as `table.column`; or an empty text."""
    for table in metadata.sorted_tables:
        for column, condition in _conditions(table, words):
            query = _VALUES.format(table=table.name, column=f'"{column.name}"', condition=condition)
            if conn.exec_driver_sql(query).first():
                return f"{table.name}.{column.name}"
    return ""


def _conditions(table: Table, words: Words) -> Iterator[tuple[Column[object], str]]:
    """Yield the columns of a table, each with an SQL condition for the values that it cannot have."""
    for column in table.columns:
        name = f'{table.name}."{column.name}"'
        if isinstance(column.type, Float):
            yield column, f"typeof({name}) NOT IN ('real', 'integer')"
        elif isinstance(column.type, Integer | Boolean):
            yield column, f"typeof({name}) <> 'integer'"
        else:
            yield column, f"typeof({name}) <> 'text'"
        about = column.doc or ""
        if about.startswith(("JSON array", "JSON object")):
            kind = about.split()[1].rstrip(":,;.")
            yield column, f"NOT json_valid({name}) OR json_type({name}) <> '{kind}'"
            if kind == "array" and " of (" not in about and " of {" not in about and column.name not in _MIXED:
                yield column, _HAS_OTHERS.format(name=name)
        if known := column.info.get(WORDS) or words.get((table.name, column.name)):
            yield column, f"{name} NOT IN ({', '.join(map(repr, map(str, known)))})"


_MIXED = ("content", "entity", "reading")
"""Columns with lists of values of several types."""
