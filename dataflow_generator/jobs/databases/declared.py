"""Tables that files of DDL declare: found on the servers whose tables connectors name or match."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import replace

from dataflow_generator.connectors.java_regex import java_regex
from dataflow_generator.jobs.databases.names import scheme_of
from scanner_dictionary.lineage_inputs.catalogs import Name, TableRow
from scanner_model.catalogs import DECLARED_TABLES, QUOTED
from scanner_model.columns import Column
from scanner_model.errors import InputInvalid

PATTERN = "regex:"
_DATABASE = re.compile(r"(\w+)\\\.")
_UPPER, _LOWER = frozenset({"oracle", "db2", "snowflake"}), frozenset({"postgres", "redshift"})
"""The schemes of databases that fold names without quotes."""


def is_declared(table: TableRow) -> bool:
    """Return whether a file declares the table, and on which server it is is not known."""
    return table.namespace.startswith(DECLARED_TABLES)


def located_tables(tables: Iterable[TableRow], ends: Iterable[Name]) -> tuple[TableRow, ...]:
    """Return *tables* with those of files on each server where one of *ends*, outside Kafka, is that table.

    An end names a table, or a pattern that matches it: then it has the name that the file gives it. A table that no end
    is stays as it is declared.
    """
    listed = tuple(tables)
    declared = [table for table in listed if is_declared(table)]
    if not declared:
        return listed
    known = {table.dataset for table in listed}
    located: dict[Name, TableRow] = {}
    for namespace, name in dict.fromkeys(ends):
        for table in declared:
            if found := _name_at(table, name):
                place = (namespace, found)
                if place not in known:
                    located.setdefault(place, _moved(table, place))
    placed = {_tail(row.name) for row in located.values()}
    left = (table for table in listed if not is_declared(table) or _tail(table.name) not in placed)
    return tuple(sorted((*left, *located.values()), key=lambda table: table.dataset))


def _tail(name: str) -> str:
    return name.rpartition(".")[2].casefold()


def _name_at(table: TableRow, end: str) -> str:
    """Return the name of a table at a server where *end* is it; empty where it is not."""
    own = table.name.split(".")
    if end.startswith(PATTERN):
        try:
            matches = java_regex(f"(?i){end.removeprefix(PATTERN)}").matches
        except InputInvalid:
            return ""
        database = _DATABASE.match(end.removeprefix(PATTERN))
        full = f"{database[1]}.{table.name}" if database else ""
        names = (name for name in (table.name, full) if name and len(own) > 1 and matches(name))
        return next(names, "")
    parts = end.split(".")
    size = min(len(own), len(parts))
    alike = [part.casefold() for part in own[-size:]] == [part.casefold() for part in parts[-size:]]
    return end if alike else ""


def _moved(table: TableRow, place: Name) -> TableRow:
    quoted = frozenset(json.loads(dict(table.parameters).get(QUOTED, "[]")))
    scheme = scheme_of(place[0])
    columns = tuple(_folded(column, scheme) if column.path[0] not in quoted else column for column in table.columns)
    keys = tuple(key._replace(columns=tuple(_fold(name, scheme) for name in key.columns)) for key in table.keys)
    return replace(table, namespace=place[0], name=place[1], columns=columns, keys=keys)


def _folded(column: Column, scheme: str) -> Column:
    return replace(column, path=(_fold(column.path[0], scheme), *column.path[1:]))


def _fold(name: str, scheme: str) -> str:
    return name.upper() if scheme in _UPPER else name.lower() if scheme in _LOWER else name
