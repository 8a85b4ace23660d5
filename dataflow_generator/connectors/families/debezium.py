"""Debezium's sources for every database, and their managed equivalents: tables by lists, topics by prefix and table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from dataflow_generator.connectors.config import Config
from dataflow_generator.connectors.dataset_names import addresses, host_server, identifiers, sanitized, topic
from dataflow_generator.connectors.java_regex import java_regex
from dataflow_generator.connectors.model import (
    Connector,
    ConnectorFlow,
    ConnectorFlows,
    ConnectorReader,
    Dataset,
    DatasetKind,
    Direction,
    Shape,
    SideTopic,
)
from dataflow_generator.connectors.sources import SourceRead, SourceReads, source
from dataflow_generator.connectors.topics import (
    KNOWN,
    Selection,
    candidate_topics,
    cluster_of,
    is_candidate_topic,
    literal,
    matches_item,
    selection,
)
from dataflow_generator.connectors.transforms.topic_templates import quoted
from scanner_model.columns import ColumnPath, field_segment
from scanner_model.errors import InputInvalid, Problem

_INCLUDED = ("column.include.list", "column.whitelist")
_EXCLUDED = ("column.exclude.list", "column.blacklist")
_MASKED = ("column.mask.with.", "column.mask.hash.")
_CHANGED = "column.truncate.to."


class Treatment(Enum):
    """How a column's values are treated."""

    COPIED = "copied"
    CHANGED = "changed"
    """Truncated: a different value, still derived from the column."""
    MASKED = "masked"
    """Replaced by signs or a hash, which show nothing of the column."""
    LEFT_OUT = "left out"


@dataclass(frozen=True, slots=True)
class ColumnLists:
    """The column lists of one configuration, each with its key and its patterns."""

    included: tuple[str, tuple[str, ...]]
    excluded: tuple[str, tuple[str, ...]]
    treated: tuple[tuple[Treatment, str, tuple[str, ...]], ...]

    @classmethod
    def of(cls, config: Config) -> ColumnLists:
        """Parse the lists.

        They contain Java regexes of `schema.table.column`, or `database.table.column` in databases without schemas.
        """
        lists = ((config.key(*keys), config.items(*keys)) for keys in (_INCLUDED, _EXCLUDED))
        return cls(next(lists), next(lists), tuple((what, key, config.items(key)) for what, key in _treated(config)))

    def treatment(self, table: str, column: ColumnPath) -> tuple[Treatment, str]:
        """Return the treatment of a column of *table*, and the key that configures it (empty where none does)."""
        (included, include_key), (excluded, exclude_key) = self.included, self.excluded
        if not column or not (include_key or exclude_key or self.treated):
            return Treatment.COPIED, ""
        parts = (*table.split("."), column[0])
        names = tuple(".".join(parts[-count:]) for count in (3, 4) if count <= len(parts)) or (".".join(parts),)
        if _holds(exclude_key, names):
            return Treatment.LEFT_OUT, excluded
        if include_key and not _holds(include_key, names):
            return Treatment.LEFT_OUT, included
        treatments = ((what, key) for what, key, patterns in self.treated if _holds(patterns, names))
        return next(treatments, (Treatment.COPIED, ""))


def message_key(config: Config, flow: ConnectorFlow, columns: Sequence[ColumnPath]) -> list[ColumnPath]:
    """Return the columns of a table that `message.key.columns` makes the key; empty where it names no other key.

    Its items are `pattern:column,column`, separated by semicolons; the pattern is that of the table's name.
    """
    source = flow.source
    if source is None or source.kind is not DatasetKind.EXTERNAL:
        return []
    parts = source.name.split(".")
    names = {".".join(parts[-count:]) for count in (2, 3)}
    for item in config.text("message.key.columns").split(";"):
        pattern, _, listed = item.strip().rpartition(":")
        if pattern and _holds((pattern,), tuple(names)):
            wanted = [name.strip() for name in listed.split(",") if name.strip()]
            return [path for name in wanted for path in columns if path[:1] == (field_segment(name),)]
    return []


def _treated(config: Config) -> Iterator[tuple[Treatment, str]]:
    for key, _ in config.pairs:
        if key.startswith(_MASKED):
            yield Treatment.MASKED, key
        elif key.startswith(_CHANGED):
            yield Treatment.CHANGED, key


def _holds(patterns: tuple[str, ...], names: tuple[str, ...]) -> bool:
    return any(_matches(pattern, name) for pattern in patterns for name in names)


def _matches(pattern: str, name: str) -> bool:
    try:
        return java_regex(pattern).matches(name)
    except InputInvalid:
        return False


_TABLES = ("table.include.list", "table.whitelist", "collection.include.list", "collection.whitelist")
_NO_TABLES = ("table.exclude.list", "table.blacklist", "collection.exclude.list", "collection.blacklist")
_PREFIX = ("topic.prefix", "database.server.name", "mongodb.name")
_REGEX_NAMING = ("DefaultRegexTopicNamingStrategy", "SchemaRegexTopicNamingStrategy")
_TOPIC_SIGNS = "a-zA-Z0-9._\\-"
_ROWS_ONLY = frozenset(("postgrescdcsource", "mysqlcdcsource", "sqlservercdcsource"))


@dataclass(frozen=True, slots=True)
class Database:
    """A database product under Debezium: its scheme and default port, and the parts of its names.

    *containers* is the key whose list names the schemas or databases of tables: a list's item is `container.table`.
    *named*: the database is part of the dataset's name; *in_topic*: it is also part of the topic's.
    """

    scheme: str
    port: str
    containers: tuple[str, ...] = ("schema.include.list", "schema.whitelist")
    named: bool = True
    in_topic: bool = False


_IN_DATABASES = ("database.include.list", "database.whitelist")
MYSQL = Database("mysql", "3306", _IN_DATABASES, named=False)
MARIADB = Database("mariadb", "3306", _IN_DATABASES, named=False)
POSTGRES = Database("postgres", "5432")
SQLSERVER = Database("sqlserver", "1433", in_topic=True)
ORACLE = Database("oracle", "1521")
DB2 = Database("db2", "50000")
DB2_I = Database("db2", "446")
INFORMIX = Database("informix", "9088", in_topic=True)
VITESS = Database("vitess", "15991", ("vitess.keyspace",), named=False)
MONGODB = Database("mongodb", "27017", _IN_DATABASES, named=False)


def debezium(database: Database) -> ConnectorReader:
    """Build the reader of Debezium's connector for one database product."""

    def read(connector: Connector) -> ConnectorFlows:
        return source(connector, _Tables(connector, database).reads())

    return read


@dataclass(frozen=True, slots=True)
class _Tables:
    connector: Connector
    kind: Database

    @property
    def config(self) -> Config:
        return self.connector.config

    @property
    def prefix(self) -> str:
        return self.config.text(*_PREFIX)

    @property
    def sign(self) -> str:
        return self.config.text("topic.delimiter", default=".")

    def reads(self) -> SourceReads:
        """Return what the source reads: the tables of every database."""
        selected = selection(self.connector, self._lists(), _NO_TABLES, self._tables_in_topics())
        key = self.config.key(*_PREFIX)
        problems = [Problem(selected.key, what) for what in selected.unclear]
        if not self.prefix:
            problems.append(Problem("topic.prefix", "neither topic.prefix nor database.server.name is set"))
        reads = [read for database in self._databases() for read in self._of(database, selected, key)]
        if self.config.text("topic.naming.strategy").rpartition(".")[2] in _REGEX_NAMING:
            reads = [self._renamed(read) for read in reads]
        return SourceReads(
            reads=tuple(reads),
            side=tuple(self._side_topics(key)),
            shape=Shape.DOCUMENTS if self.kind is MONGODB else self._shape(),
            problems=tuple(problems),
            keyed=True,
        )

    def _lists(self) -> tuple[str, ...]:
        """Return the keys of lists of tables; the first one that is set counts."""
        return (*_TABLES, *self._captured("collection"))

    def _captured(self, scope: str) -> tuple[str, ...]:
        """Return the key of the one database or collection whose change stream is opened (`capture.scope`)."""
        is_captured = self.kind is MONGODB and self.config.text("capture.scope").lower() == scope
        return ("capture.target",) if is_captured else ()

    def _renamed(self, read: SourceRead) -> SourceRead:
        """Return *read* with the topic that `topic.regex` makes of a name that it matches as a whole.

        A pattern of topics, and a regular expression that is not evaluated, leave the topic unknown.
        """
        config = self.config
        because = ", ".join(filter(None, (read.because, "topic.regex")))
        try:
            names = java_regex(config.text("topic.regex"))
            topic = names.replace_first(read.topic, config.text("topic.replacement")) if read.topic else ""
            changed = bool(topic) and names.matches(read.topic)
        except InputInvalid:
            return replace(read, topic="", pattern="", because=because)
        return replace(read, topic=topic, because=because) if changed else replace(read, pattern="")

    def _shape(self) -> Shape:
        """Return how rows are wrapped: version 1 of Confluent's managed connector unwraps by default."""
        name = self.connector.class_name
        bare = "." not in name and self.config.is_on("after.state.only", default=name.lower() in _ROWS_ONLY)
        return Shape.ROW if bare else Shape.ENVELOPE

    def _of(self, database: str, selected: Selection, key: str) -> Iterator[SourceRead]:
        evidence = ", ".join(filter(None, (selected.key, key)))
        for item in selected.names:
            parts = identifiers(item)
            if len(parts) > 1 and not self._may_hold(parts[-2]):
                continue
            if self.kind.in_topic and len(parts) > 2 and database and parts[0] != database:
                continue  # a table that the list assigns to another database
            yield SourceRead(source=self._named(database, parts), topic=self._topic(database, parts), because=evidence)
        for pattern in selected.patterns or self._containers(selected):
            prefix = f"{quoted(database)}\\." if self.kind.named and database else ""
            many = Dataset(self._namespace(), f"regex:{prefix}{pattern}", DatasetKind.PATTERN)
            yield SourceRead(source=many, pattern=self._pattern(database, pattern), because=evidence or key)
        if not (selected.configured or selected.names or self._containers(selected)):
            yield SourceRead(source=None, pattern=self._pattern("", ".*"), because=key, unknown=self._all_tables())

    def _all_tables(self) -> str:
        """Return why the tables are unknown where no list names them."""
        kind = "collection" if self.kind is MONGODB else "table"
        return f"{kind}.include.list is not set: every {kind} of the database is read, and which exist is unknown"

    def _containers(self, selected: Selection) -> tuple[str, ...]:
        """Return patterns for all tables of the schemas or databases that are listed by name.

        Where tables are known and no list names them, other tables may be unknown: then only if a topic tells of one.
        """
        if selected.configured or (selected.names and not self._has_topic_of_unknown_table(selected)):
            return ()
        items = self.config.items(*self.kind.containers, *self._captured("database"))
        return tuple(f"{quoted(name) if (name := literal(item)) else item}\\..*" for item in items)

    def _databases(self) -> tuple[str, ...]:
        """Return the databases in names; an unnamed one where none is configured."""
        listed = self.config.items("database.names")
        single = self.config.text("database.pdb.name", "database.dbname", "db.name")
        return listed or (single,)

    def _named(self, database: str, parts: tuple[str, ...]) -> Dataset:
        whole = parts if not (self.kind.named and database) or len(parts) > 2 else (database, *parts)
        return Dataset(self._namespace(), ".".join(whole))

    def _topic(self, database: str, parts: tuple[str, ...]) -> str:
        """Return the topic of a table; where older versions omit the database, decided by the topics in use."""
        if not self.prefix:
            return ""
        short = self._joined(*parts[-2:])
        if not self.kind.in_topic:
            return short
        full = self._joined(*(parts if len(parts) > 2 or not database else (database, *parts)))
        return (
            short
            if is_candidate_topic(self.connector, short) and not is_candidate_topic(self.connector, full)
            else full
        )

    def _joined(self, *parts: str) -> str:
        return sanitized(self.sign.join((self.prefix, *parts)), _TOPIC_SIGNS)

    def _pattern(self, database: str, pattern: str) -> str:
        if not self.prefix:
            return ""
        sign = quoted(self.sign)
        prefix = f"{quoted(database)}{sign}" if self.kind.in_topic and database else ""
        return f"{quoted(self.prefix)}{sign}{prefix}" + (f"(?:{pattern})" if "|" in pattern else pattern)

    def _tables_in_topics(self) -> Iterator[str]:
        """Find tables in the names of topics, where no transform renames them."""
        if not self.prefix or self.config.text("transforms"):
            return
        start = self.prefix + self.sign
        names, evidence = candidate_topics(self.connector, start)
        if evidence == KNOWN and not self.config.items(*_TABLES):
            return  # a topic with this prefix may be written by another connector
        for name in names:
            parts = tuple(name[len(start) :].split(self.sign))
            if len(parts) > 1:
                yield ".".join(parts[-2:])

    def _has_topic_of_unknown_table(self, selected: Selection) -> bool:
        """Return whether a known topic has the form of a table's that is neither known nor excluded."""
        start = self.prefix + self.sign
        topics, evidence = candidate_topics(self.connector, start)
        if not self.prefix or self.config.text("transforms") or evidence != KNOWN:
            return False
        known = {identifiers(name)[-2:] for name in selected.names}
        excluded = self.config.items(*_NO_TABLES)
        tables = (tuple(name[len(start) :].split(self.sign))[-2:] for name in topics)
        return any(
            len(table) > 1
            and table not in known
            and self._may_hold(table[0])
            and not any(matches_item(item, ".".join(table), []) for item in excluded)
            for table in tables
        )

    def _may_hold(self, container: str) -> bool:
        """Return whether the lists of schemas or databases include the tables of a container."""
        keys = self.kind.containers
        included = self.config.items(*keys)
        opposite = {key.replace("include", "exclude").replace("white", "black") for key in keys} - {*keys}
        excluded = self.config.items(*sorted(opposite, reverse=True))
        if included and not any(matches_item(item, container, []) for item in included):
            return False
        return not any(matches_item(item, container, []) for item in excluded)

    def _namespace(self) -> str:
        config = self.config
        if self.kind is MONGODB:
            text = config.text("mongodb.connection.string", "mongodb.hosts", "connection.uri", "connection.host")
            # `mongodb.hosts` may begin with the name of the replica set: `rs0/host:27017`.
            return addresses("mongodb", text if "://" in text else text.rpartition("/")[2])
        host = config.text("database.hostname", "connection.host")
        port = config.text("database.port", "connection.port", default=self.kind.port)
        return host_server(self.kind.scheme, host, port).namespace

    def _side_topics(self, key: str) -> Iterator[SideTopic]:
        namespace = cluster_of(self.connector, Direction.SOURCE)
        config = self.config
        if not self.prefix:
            return
        yield SideTopic(topic(namespace, self.prefix), "schema-changes", key)
        transaction = config.text("topic.transaction", default="transaction")
        yield SideTopic(topic(namespace, self._joined(transaction)), "transactions", key)
        heartbeat = config.text("topic.heartbeat.prefix", "heartbeat.topics.prefix", default="__debezium-heartbeat")
        yield SideTopic(topic(namespace, f"{heartbeat}{self.sign}{self.prefix}"), "heartbeats", key)


def spanner(connector: Connector) -> ConnectorFlows:
    """Read Debezium's Spanner source: one topic per table; the configuration does not list the tables."""
    config = connector.config
    prefix = config.text(*_PREFIX)
    namespace = f"spanner://{config.text('gcp.spanner.project.id')}:{config.text('gcp.spanner.instance.id')}"
    start = f"{prefix}."
    names, evidence = candidate_topics(connector, start)
    tables = [name[len(start) :] for name in names if prefix]
    database = config.text("gcp.spanner.database.id")
    reads = [
        SourceRead(
            source=Dataset(namespace, ".".join(filter(None, (database, table)))),
            topic=start + table,
            because=f"topic.prefix, {evidence}",
        )
        for table in tables
    ]
    whole = SourceRead(
        source=None,
        pattern=f"{quoted(start)}.*" if prefix else "",
        because="topic.prefix",
        unknown="the tables of the change stream are not part of the configuration",
    )
    return source(connector, SourceReads(reads=tuple(reads) or (whole,), shape=Shape.ENVELOPE, keyed=True))
