"""Whether a file is a dictionary as this program makes it: dictionaries may come from others."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from sqlalchemy import Boolean, Column, Connection, Float, Integer, Table, text

from scanner_dictionary.schema.tables import metadata
from scanner_dictionary.schema.views import VIEWS
from scanner_model.errors import DictionaryUnusable

_HINT = "restore a copy, or scan into a new file: `scanner scan --dictionary NEW.db`"
_VALUES = "SELECT 1 FROM {table} WHERE {column} IS NOT NULL AND {condition} LIMIT 1"


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


def damaged_cell(conn: Connection) -> str:
    """Return the first column with a value that its type cannot have, as `table.column`; or an empty text."""
    if conn.dialect.name != "sqlite":
        return ""
    for table in metadata.sorted_tables:
        for column, condition in _conditions(table):
            query = _VALUES.format(table=table.name, column=f'"{column.name}"', condition=condition)
            if conn.exec_driver_sql(query).first():
                return f"{table.name}.{column.name}"
    return ""


def _conditions(table: Table) -> Iterator[tuple[Column[object], str]]:
    """Yield the columns of a table, each with an SQL condition for the values that it cannot have."""
    for column in table.columns:
        name = f'"{column.name}"'
        if isinstance(column.type, Float):
            yield column, f"typeof({name}) NOT IN ('real', 'integer')"
        elif isinstance(column.type, Integer | Boolean):
            yield column, f"typeof({name}) <> 'integer'"
        else:
            yield column, f"typeof({name}) <> 'text'"
        about = column.doc or ""
        if about.startswith(("JSON array", "JSON object")):
            kind = about.split()[1].rstrip(":,;.")
            yield column, f"{name} <> '' AND (NOT json_valid({name}) OR json_type({name}) <> '{kind}')"
