"""Known tables, streams and views: their columns, topics, and the lineage of views."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from dataflow_generator.sql.lexer import words
from dataflow_generator.sql.lineage import EMPTY, Effect, Origin, SqlTable, ValueLineage
from dataflow_generator.sql.nodes import ColumnDefinition, Options, Parts, SqlType
from scanner_model.streaming_sql import timestamp_column


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The resolved query of a view: each column's lineage to base tables, and the effects on all of its rows.

    *open*: the view has further columns, see Rows. *unknown_effects*: what affects its rows is not known.
    """

    columns: tuple[tuple[str, ValueLineage, SqlType | None], ...]
    effects: frozenset[tuple[Origin, Effect]] = frozenset()
    sources: frozenset[str] = frozenset()
    datasets: tuple[SqlTable, ...] = ()
    open: bool = False
    table: str = ""
    others: tuple[str, ...] = ()
    rest: ValueLineage = EMPTY
    leading: int = 0
    unknown_effects: bool = False

    @property
    def is_doubtful(self) -> bool:
        """Return whether origins of its columns, or what affects its rows, are not known."""
        values = (self.rest, *(value for _, value, _ in self.columns))
        return self.unknown_effects or any(value.unknown for value in values)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownTable:
    """A table, stream or view; *complete*: it has no columns other than *columns*.

    *options* are those of its DDL. In ksqlDB, *windowed*: the key has window bounds; *timestamp* is the column that
    sets the record time, empty where the record's own timestamp applies; *is_table*: it is a table, not a stream.
    *unread*: the statement that defines it could not be read.
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
    unread: bool = False
    view: View | None = None


_KAFKA = ("kafka", "upsert-kafka")
_LOCATING = words(
    "connector topic topic-pattern topics properties.bootstrap.servers properties.group.id path table.path url base-url"
    " table-name hostname port database-name schema-name database collection uri hosts index stream stream.arn"
    " aws.region service-url zookeeper.quorum warehouse catalog-type catalog-table catalog-database"
)
"""Options of Flink's connectors that name the data that a table stands for, and the consumer group that reads them."""


def with_topics(table: KnownTable, *, flink: bool, own: bool = False) -> KnownTable:
    """Return *table* with the topics of its options, and in ksqlDB the column that sets the record time.

    *own*: in ksqlDB the table's name is the topic where its options name none.
    """
    options = dict(table.options)
    if not flink:
        topic = options.get("KAFKA_TOPIC", table.name[-1] if own else "")
        return replace(table, topics=(topic,) if topic else (), timestamp=timestamp_column(options))
    connector = options.get("connector", "")
    if connector == "confluent":
        return replace(table, topics=(table.name[-1],))
    if connector not in _KAFKA:
        return table
    topics = tuple(item.strip() for item in options.get("topic", "").split(";") if item.strip())
    return replace(table, topics=topics, topic_pattern=options.get("topic-pattern", ""))


def with_hint(table: KnownTable | None, hint: Options) -> KnownTable | None:
    """Return *table* with the options of Flink's hint that name other data; None where neither is known."""
    options = tuple((name, value) for name, value in hint if name in _LOCATING)
    if table is None or not options:
        return table
    merged = dict(table.options)
    for name in ("topic", "topic-pattern"):  # a table has one of them
        if {"topic", "topic-pattern"} & dict(options).keys():
            merged.pop(name, None)
    return with_topics(replace(table, options=tuple((merged | dict(options)).items())), flink=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """The tables known before a text is read, by qualified name, with custom types and aggregate functions.

    *aggregates* are user-defined ones, in upper case, in addition to the engines' own. *current* are the catalog and
    database that a text starts in, each empty where unknown. *models* are the columns that Flink's models return.
    """

    tables: Mapping[Parts, KnownTable] = field(default_factory=dict)
    types: Mapping[str, SqlType] = field(default_factory=dict)
    aggregates: frozenset[str] = frozenset()
    current: tuple[str, str] = ("", "")
    models: Mapping[Parts, Parts] = field(default_factory=dict)


EMPTY_CATALOG = Catalog()


_DEFAULTS = (("default_catalog", "default_database"), ("default_database",))


class Session:
    """The state while a text is read: the catalog as its DDL changes it, current names, variables.

    *inputs* are the tables of the given catalog that the text referred to, None for those that it does not have.
    """

    def __init__(self, catalog: Catalog) -> None:
        self.tables = dict(catalog.tables)
        self.inputs: dict[Parts, KnownTable | None] = {}
        self._own: set[Parts] = set()
        self.types = dict(catalog.types)
        self.models = dict(catalog.models)
        self.aggregates = catalog.aggregates
        self.variables: dict[str, str] = {}
        self.settings: dict[str, str] = {}
        self._catalog, self._database = (tuple(filter(None, (name,))) for name in catalog.current)

    def catalog(self) -> Catalog:
        """Return the catalog in its current state."""
        return Catalog(
            tables=dict(self.tables), types=dict(self.types), aggregates=self.aggregates, models=dict(self.models)
        )

    def use(self, *, catalog: Parts = (), database: Parts = ()) -> None:
        """Set the current catalog or database; a new catalog resets the current database."""
        if catalog:
            self._catalog, self._database = catalog, ()
        if database:
            self._catalog = database[:-1] or self._catalog
            self._database = database[-1:]

    def qualified(self, name: Parts) -> Parts:
        """Prepend the current catalog and database to *name*, as far as they are known and *name* lacks them.

        Flink's initial catalog and database are left out, as in unqualified names.
        """
        if name[:-1] in _DEFAULTS:
            return name[-1:]
        if len(name) == 1 and self._database:
            return (*self._catalog, *self._database, *name)
        if len(name) == 2 and self._catalog:
            return (*self._catalog, *name)
        return name

    def table(self, name: Parts) -> KnownTable | None:
        """Return the table that a statement's *name* refers to; None where it is unknown."""
        return self._find(self.qualified(name)) or self._find(name)

    def model(self, name: Parts) -> Parts:
        """Return the columns that a model returns; empty where they are unknown."""
        return self.models.get(self.qualified(name)) or self.models.get(name, ())

    def define(self, name: Parts, table: KnownTable) -> None:
        """Register a table under its qualified name."""
        qualified = self.qualified(name)
        self.tables[qualified] = table
        self._own.add(qualified)

    def drop(self, name: Parts) -> None:
        """Remove a table."""
        qualified = self.qualified(name)
        dropped = name if self._find(qualified) is None else qualified
        self.tables.pop(dropped, None)
        self._own.add(dropped)

    def _find(self, name: Parts) -> KnownTable | None:
        known = self.tables.get(name)
        if name not in self._own:
            self.inputs[name] = known
        return known
