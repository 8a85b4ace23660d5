"""Tables of databases by any name that jobs use for them: other addresses of a server, default ports, letter case."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from dataflow_generator.openlineage.names import normal_namespace
from scanner_dictionary.lineage_inputs.catalogs import Name, TableRow

_IGNORING_CASE = frozenset({"db2", "file", "mysql", "oracle", "snowflake", "sqlserver", "teradata"})
"""Schemes of databases that find a table whatever the case of its unquoted name, as most of them are set up.

Not PostgreSQL and Redshift: a connector quotes names, so that `"Orders"` is another table than `orders`.
"""
_SAME = {"mariadb": "mysql"}

VIEW = "view"
"""The type of the jobs that fill views."""


def scheme_of(namespace: str) -> str:
    """Return the scheme of a namespace in lower case; `mysql` for MariaDB, which is read as it."""
    scheme = namespace.partition(":")[0].lower()
    return _SAME.get(scheme, scheme)


class TableNames:
    """Finds the tables that databases have; a server that no database describes has none."""

    def __init__(self, tables: Iterable[TableRow] = ()) -> None:
        listed = [table for table in tables if table.is_of_database]
        self._servers: dict[str, str] = {}
        self._tables = {table.dataset for table in listed}
        self._alike: dict[Name, list[Name]] = {}
        for table in listed:
            namespace, name = table.dataset
            for known in (namespace, *(link[0] for link in table.symlinks)):
                self._servers.setdefault(_server(known), namespace)
            self._alike.setdefault((namespace, name.casefold()), []).append(table.dataset)

    @property
    def names(self) -> Collection[Name]:
        """Return the names of all tables, as their databases have them."""
        return self._tables

    def on_server(self, namespace: str) -> tuple[str, ...]:
        """Return the tables of a server, each with the schema or database that it is in; empty for an unknown one."""
        server = self._servers.get(_server(namespace)) if self._servers else None
        listed = (name for known, name in self._tables if known == server) if server is not None else ()
        return tuple(sorted({".".join(name.split(".")[-2:]) for name in listed}))

    def find(self, namespace: str, name: str) -> Name | None:
        """Return the name of a table as its database has it; None where no database describes the server.

        A table that the server does not have keeps its name, at the server's own address.
        """
        server = self._servers.get(_server(namespace)) if self._servers else None
        if server is None:
            return None
        if (server, name) not in self._tables and scheme_of(server) in _IGNORING_CASE:
            alike = self._alike.get((server, name.casefold()), ())
            if len(alike) == 1:
                return alike[0]
        return server, name


def _server(namespace: str) -> str:
    """Return a namespace so that all spellings of one server are equal."""
    scheme, slashes, rest = namespace.partition("://")
    return normal_namespace(f"{_SAME.get(scheme.lower(), scheme)}{slashes}{rest}")
