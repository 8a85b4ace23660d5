"""Known tables, streams and views: their columns, topics, and what a view is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dataflow_generator.sql.flows import Dataset, Effect
from dataflow_generator.sql.lineage import Origin, Value
from dataflow_generator.sql.nodes import ColumnDefinition, Parts, SqlType


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What a view's query was resolved to: each column's lineage to base tables, and what bears on all of them.

    *open*: it has more columns, each that of the same name of *table* (empty: nobody knows of which table).
    """

    columns: tuple[tuple[str, Value, SqlType | None], ...]
    effects: frozenset[tuple[Origin, Effect]] = frozenset()
    sources: frozenset[str] = frozenset()
    datasets: tuple[Dataset, ...] = ()
    open: bool = False
    table: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownTable:
    """A table, stream or view. *complete*: it has no other columns than *columns*.

    *options* are those of its DDL. In ksqlDB, *windowed*: the key has window bounds; *timestamp* is the column that is
    the time of its records, empty where each has its own; *is_table*: it is a table, not a stream.
    """

    name: Parts
    columns: tuple[ColumnDefinition, ...] = ()
    complete: bool = True
    topics: tuple[str, ...] = ()
    topic_pattern: str = ""
    options: tuple[tuple[str, str], ...] = ()
    windowed: bool = False
    timestamp: str = ""
    is_table: bool = False
    view: View | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """What is known before a text is read: tables by their qualified name, custom types, aggregate functions.

    *aggregates* are user-defined ones, in upper case, beside the engines' own. *current* are the catalog and database
    that a text starts in, each empty where nobody tells.
    """

    tables: Mapping[Parts, KnownTable] = field(default_factory=dict)
    types: Mapping[str, SqlType] = field(default_factory=dict)
    aggregates: frozenset[str] = frozenset()
    current: tuple[str, str] = ("", "")


NOTHING_KNOWN = Catalog()


_DEFAULTS = (("default_catalog", "default_database"), ("default_database",))


class Session:
    """What holds while a text is read: the catalog as its DDL changes it, current names, variables."""

    def __init__(self, catalog: Catalog) -> None:
        self.tables = dict(catalog.tables)
        self.types = dict(catalog.types)
        self.aggregates = catalog.aggregates
        self.variables: dict[str, str] = {}
        self._catalog, self._database = (tuple(filter(None, (name,))) for name in catalog.current)

    def catalog(self) -> Catalog:
        """Give what is known now."""
        return Catalog(tables=dict(self.tables), types=dict(self.types), aggregates=self.aggregates)

    def use(self, *, catalog: Parts = (), database: Parts = ()) -> None:
        """Make a catalog or database the current one; a new catalog has its own current database."""
        if catalog:
            self._catalog, self._database = catalog, ()
        if database:
            self._catalog = database[:-1] or self._catalog
            self._database = database[-1:]

    def qualified(self, name: Parts) -> Parts:
        """Put the current catalog and database before *name*, as far as they are known and not written.

        Those that Flink starts with are left out, as they are where a name is not qualified.
        """
        if name[:-1] in _DEFAULTS:
            return name[-1:]
        if len(name) == 1 and self._database:
            return (*self._catalog, *self._database, *name)
        if len(name) == 2 and self._catalog:
            return (*self._catalog, *name)
        return name

    def table(self, name: Parts) -> KnownTable | None:
        """Find a table by the name that a statement uses; None where nothing tells of it."""
        return self.tables.get(self.qualified(name)) or self.tables.get(name)

    def define(self, name: Parts, table: KnownTable) -> None:
        """Remember a table under its qualified name."""
        self.tables[self.qualified(name)] = table

    def drop(self, name: Parts) -> None:
        """Forget a table."""
        if self.tables.pop(self.qualified(name), None) is None:
            self.tables.pop(name, None)
