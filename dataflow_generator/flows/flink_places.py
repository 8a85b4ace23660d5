"""From a Flink table and its columns to datasets of the graph and places in them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dataflow_generator.connectors.java_regex import java_regex
from dataflow_generator.flows.facts import Dataset, Place
from dataflow_generator.flows.fields import around, unlisted, unmarked
from dataflow_generator.flows.flink_catalog import SYSTEM, paths_of_topic
from dataflow_generator.flows.flink_tables import KAFKA, NOTHING, outside_dataset
from dataflow_generator.flows.naming import Naming
from dataflow_generator.graph import NodeKind
from dataflow_generator.sql import Dataset as Table
from scanner_model.columns import Column
from scanner_model.errors import InputInvalid
from scanner_model.flink import ClusterNames, FlinkStatement
from scanner_model.paths import KEY, ColumnPath

if TYPE_CHECKING:
    from scanner_dictionary.queries.flow_input import ClusterTopic

Told = Callable[[str, str], None]
"""Take what is not known of a table, and what to do about it."""

_ENVELOPE = ("after", "value")
"""Members of a change event in which the row stands (Debezium's envelope; Connect's)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What Flink's tables are found in: names of clusters, their live topics, and topics' columns."""

    naming: Naming
    names: Mapping[str, ClusterNames]
    topics: Callable[[], Mapping[str, tuple[str, ...]]]
    columns: Callable[[Collection[ClusterTopic]], Mapping[ClusterTopic, tuple[Column, ...]]]


def is_managed(statement: FlinkStatement) -> bool:
    """Tell whether it is Confluent Cloud's, where every topic is a table."""
    return bool(statement.compute_pool or statement.region)


def is_topic(table: Table, statement: FlinkStatement) -> bool:
    """Tell whether the table is the topic of its own name."""
    connector = dict(table.options).get("connector", "")
    return connector == "confluent" or (not connector and is_managed(statement))


class Tables:
    """What stands behind the tables of one cluster's statements; *namespace* names those that nobody explains."""

    def __init__(self, world: World, cluster: str, namespace: str) -> None:
        self._world = world
        self._cluster = cluster
        self._namespace = namespace
        self._clusters = {namespace: name for name, namespace in world.naming.clusters.items()}

    def datasets(self, table: Table, statement: FlinkStatement, told: Told) -> tuple[Dataset, ...]:
        """Give the datasets behind *table*; none where there is nothing that others know."""
        connector = dict(table.options).get("connector", "").lower()
        if connector in KAFKA:
            return tuple(self._topics(table, told))
        if is_topic(table, statement):
            return (self.topic(table, statement),)
        if connector in NOTHING:
            return ()
        found = outside_dataset(dict(table.options)) if connector else None
        if found is not None:
            return (self._world.naming.dataset(found.namespace, found.name),)
        what = f"the connector {connector!r} of {table.name} is" if connector else f"what {table.name} stands for is"
        hint = "" if connector else "put its CREATE TABLE among the statements of this source"
        told(f"{what} not known", hint)
        return (Dataset(NodeKind.DATASET, self._namespace, ".".join(table.qualified)),)

    def topic(self, table: Table, statement: FlinkStatement) -> Dataset:
        """Give the topic that a table of Confluent Cloud is, of the cluster that its database is."""
        name = table.qualified[-1]
        database = table.qualified[-2] if len(table.qualified) > 1 else statement.database_name
        catalog = table.qualified[-3] if len(table.qualified) > 2 else statement.catalog_name
        cluster = self._named(database, catalog)
        own = self._world.names.get(self._cluster)
        if cluster is None and database == statement.database_name and not (own and own.whole):
            # Nobody tells what people call the cluster that was asked for its statements.
            cluster = self._cluster
        if cluster is None:
            return Dataset(NodeKind.TOPIC, f"kafka://{database}", name)
        return self._world.naming.topic(cluster, name)

    def cluster_topic(self, dataset: Dataset) -> ClusterTopic | None:
        """Give the cluster and topic that a dataset is; None where it is none of a cluster that we know."""
        cluster = self._clusters.get(dataset.namespace) if dataset.kind is NodeKind.TOPIC else None
        return None if cluster is None else (cluster, dataset.name)

    def _named(self, database: str, catalog: str) -> str | None:
        """Find the cluster of a database; of several with one name that of the catalog."""
        found = [name for name, names in sorted(self._world.names.items()) if database in names.databases]
        near = [name for name in found if catalog in self._world.names[name].catalogs]
        own = [name for name in near or found if name == self._cluster]
        return next(iter(own or near or found), None)

    def _topics(self, table: Table, told: Told) -> Iterator[Dataset]:
        servers = dict(table.options).get("properties.bootstrap.servers", "")
        for name in table.topics:
            yield self._topic_at(servers, name)
        if table.topic_pattern:
            yield from self._like(table.topic_pattern, servers, told)
        elif not table.topics:
            told(f"no topic of {table.name} is told", "")

    def _topic_at(self, servers: str, name: str) -> Dataset:
        if not servers or "$" in servers:
            return self._world.naming.topic(self._cluster, name)
        found = self._world.naming.dataset(f"kafka://{servers}", name)
        if found.namespace in self._clusters:
            return found
        return self._world.naming.dataset(f"kafka://{servers.split(',')[0].strip()}", name)

    def _like(self, pattern: str, servers: str, told: Told) -> Iterator[Dataset]:
        cluster = self.cluster_topic(self._topic_at(servers, pattern))
        known = self._world.topics().get(cluster[0], ()) if cluster else ()
        try:
            matches = java_regex(pattern).matches
            names = [name for name in known if matches(name)]
        except InputInvalid as error:
            told(error.what, error.hint)
            return
        if not names:
            told(f"topic-pattern {pattern!r} matches none of the {len(known)} known topics", "")
            yield Dataset(NodeKind.DATASET, self._topic_at(servers, pattern).namespace, f"regex:{pattern}")
        yield from (self._topic_at(servers, name) for name in names)


class Paths:
    """From a table's column to the place in a topic's schemas: exactly as written, Flink minds letters' case."""

    def __init__(self, table: Table, columns: tuple[Column, ...], *, named: bool) -> None:
        self._fields = {unmarked(column.path): column.path for column in columns}
        self._unlisted = unlisted(columns)
        self._named = paths_of_topic(columns) if named else {}
        options = dict(table.options)
        self._prefix = options.get("key.fields-prefix", "")
        self._keys = frozenset(name.strip() for name in options.get("key.fields", "").split(";"))
        self._metadata = table.metadata
        self._row = _row_of(options)

    def place(self, dataset: Dataset, path: ColumnPath) -> tuple[Place, bool]:
        """Give the place, and whether it is sure: False where the topic's schemas have no such field."""
        if not path:
            return Place(dataset), True
        first, rest = path[0], path[1:]
        if first == SYSTEM or first in self._metadata:
            # What the broker tells of a record is no field; the sign keeps it apart from one of that name.
            return Place(dataset, (f"${first.removeprefix('$')}", *rest)), True
        if first in self._named:
            inside = (*self._named[first], *rest)
            return Place(dataset, around(inside, self._unlisted) or inside), True
        candidates = list(self._candidates(path))
        found = next((self._fields[each] for each in candidates if each in self._fields), None)
        found = found or next(filter(None, (around(each, self._unlisted) for each in candidates)), None)
        return Place(dataset, found or (*self._row, *path)), found is not None or not self._fields

    def _candidates(self, path: ColumnPath) -> Iterator[ColumnPath]:
        in_key = (KEY, path[0].removeprefix(self._prefix), *path[1:])
        if path[0] in self._keys:
            yield in_key
            yield (KEY,)
        if self._row:
            yield (*self._row, *path)
        yield path
        yield from ((member, *path) for member in _ENVELOPE)
        yield in_key


def _row_of(options: Mapping[str, str]) -> ColumnPath:
    """Give where the table's row stands in a message of Debezium's, by the table's format; empty: it is the message."""
    kind = options.get("value.format") or options.get("format", "")
    if not kind.startswith("debezium-"):
        return ()
    included = (options.get(f"{prefix}{kind}.schema-include", "") for prefix in ("", "value."))
    return ("payload", "after") if "true" in map(str.lower, included) else ("after",)
