"""Write the facts of one scan to their tables, parents first, and mark rows that a source no longer reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Row, delete, select

from scanner_dictionary.engine.rows import (
    column_cells,
    in_chunks,
    insert_rows,
    json_cell,
    problems_cell,
    storable,
    update_rows,
)
from scanner_dictionary.schema import tables as t
from scanner_dictionary.write.apply import Entry, Stored, apply, entries, load, log, merge, next_id
from scanner_dictionary.write.fact_kind import FactKind, Ids, Key, RowContext, Wanted
from scanner_dictionary.write.fact_kinds import FACT_KINDS, TOPIC
from scanner_dictionary.write.sources import Sources
from scanner_model.errors import Problem
from scanner_model.kafka import Cluster
from scanner_model.names import Fingerprint
from scanner_model.scan import ClusterScan, SourceStatus
from scanner_model.schemas import Definition, KnownText

_KIND = "broker"


@dataclass(slots=True)
class _Addresses:
    """Addresses by what is to be done with them."""

    new: list[str] = field(default_factory=list)
    returned: list[str] = field(default_factory=list)
    taken_over: list[str] = field(default_factory=list)
    observed: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def write_brokers(
    conn: Connection, cluster: Cluster, cluster_id: int, number: int, *, all_named: bool
) -> tuple[list[Entry], list[Problem]]:
    """Store the cluster's addresses; return the changes, and a problem for each address of another cluster.

    *all_named*: Kafka itself listed its brokers and none is down, so an address that is not among them is gone.
    """
    stored = _stored(conn)
    named = sorted(set(map(storable, cluster.brokers)))
    addresses = _classify(named, stored, cluster, cluster_id)
    absent = [row.address for row in stored.values() if row.cluster_id == cluster_id and row.gone is None]
    absent = sorted(set(absent) - set(named)) if all_named else []
    _insert(conn, addresses.new, cluster_id, number)
    known = sorted([*addresses.returned, *addresses.taken_over, *addresses.observed])
    update_rows(
        conn,
        t.broker,
        ("cluster_id", "last_seen", "gone"),
        ((cluster_id, number, None, stored[address].id) for address in known),
    )
    update_rows(conn, t.broker, ("gone",), ((number, stored[address].id) for address in absent))
    actions = {"added": [*addresses.new, *addresses.taken_over], "returned": addresses.returned, "gone": absent}
    changes = [Entry(_KIND, (address,), action, None, None) for action, those in actions.items() for address in those]
    return sorted(changes, key=lambda entry: entry.key), addresses.problems


def _stored(conn: Connection) -> dict[str, Row[Any]]:
    query = select(t.broker, t.cluster.c.name, t.cluster.c.kafka_cluster_id).join(t.cluster)
    return {row.address: row for row in conn.execute(query)}


def _insert(conn: Connection, addresses: list[str], cluster_id: int, number: int) -> None:
    first = next_id(conn, t.broker)
    rows = ((first + i, cluster_id, address, number, number, None) for i, address in enumerate(addresses))
    insert_rows(conn, t.broker, rows)


def _classify(named: list[str], stored: Mapping[str, Row[Any]], cluster: Cluster, cluster_id: int) -> _Addresses:
    addresses = _Addresses()
    for address in named:
        row = stored.get(address)
        if row is None:
            addresses.new.append(address)
        elif row.cluster_id == cluster_id:
            (addresses.observed if row.gone is None else addresses.returned).append(address)
        elif row.gone is not None or _is_same(row, cluster):
            # Its owner does not list it any more, or is this cluster under an earlier name: the newest name counts.
            addresses.taken_over.append(address)
        else:
            what = f"the broker {address!r} of the cluster {cluster.name!r} belongs to the cluster {row.name!r} already"
            hint = f"one of the two names a wrong broker, or both are one cluster: then call it {row.name!r} here too"
            addresses.problems.append(Problem(address, what, hint))
    return addresses


def _is_same(row: Row[Any], cluster: Cluster) -> bool:
    return bool(cluster.cluster_id) and row.kafka_cluster_id == cluster.cluster_id


_BEST_FIRST = ("kafka", "manual", "ksqldb", "files")

RetainedTopics = frozenset[tuple[int, str]]
"""Topics, each with the source in which a name that it depends on could not be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletionRules:
    """Decides of a row that no fact of the scan lists whether it is deleted.

    *naming* are the sources that list any fact of this kind: where a partial answer lists none, the kind itself may be
    what could not be read. *retained* are topics that depend on an unread name.
    """

    kind: FactKind
    sources: Sources
    naming: frozenset[int]
    retained: RetainedTopics = frozenset()

    def __call__(self, key: Key, row: Stored) -> bool:
        """Return whether the row is proven to be deleted."""
        source = row.source_id
        if not self.sources.is_complete(source) or (source, key[0]) in self.retained:
            return False
        unread = self.sources.unread(source)
        return not unread or (source in self.naming and unread.isdisjoint(self._names(key)))

    def _names(self, key: Key) -> tuple[str, ...]:
        """Return the names by which a source may list the row as unread: a subject's also with its context."""
        index = self.kind.name_index
        return (key[index], f":{key[index - 1]}:{key[index]}") if index else (key[index],)


def retained_topics(conn: Connection, sources: Sources) -> RetainedTopics:
    """Return the topics that are known only through subjects or collections that could not be read this time."""
    return frozenset(
        (source, topic)
        for source, outcome in sources.outcomes.items()
        if outcome.unread
        for names, topic in _topic_dependencies(conn, source)
        if not outcome.unread.isdisjoint(names)
    )


def with_better_sources(
    wanted: Iterable[Wanted],
    stored: Mapping[Key, Stored],
    kinds: Mapping[int, str],
    may_delete: Callable[[Key, Stored], bool],
) -> Iterator[Wanted]:
    """Yield *wanted* topics, each as its better source reported it where that source could not be read this time."""
    for row in wanted:
        before = stored.get(row.key)
        is_better = before and before.gone is None and _rank(kinds[before.source_id]) < _rank(kinds[row.source_id])
        if before and is_better and not may_delete(row.key, before):
            yield row._replace(source_id=before.source_id, values=before.values)
        else:
            yield row


def _topic_dependencies(conn: Connection, source: int) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the names in *source* that topics depend on, each with the topic."""
    link, collection = t.topic_schema.c, t.ksql_source.c
    links = select(link.context, link.subject, t.topic.c.name).join(t.topic, t.topic.c.id == link.topic_id)
    for context, subject, topic in conn.execute(links.where(link.source_id == source, link.gone.is_(None))):
        yield (subject, f":{context}:{subject}"), topic
    collections = select(collection.name, collection.topic_name)
    for name, topic in conn.execute(collections.where(collection.source_id == source, collection.gone.is_(None))):
        yield (name,), topic


def _rank(kind: str) -> int:
    return next((i for i, prefix in enumerate(_BEST_FIRST) if kind.startswith(prefix)), len(_BEST_FIRST))


_FINGERPRINTS_AT_ONCE = 500

_REFERENCED = frozenset(key.column.table.name for kind in FACT_KINDS for key in kind.table.foreign_keys)
"""Names of tables whose keys the rows of later kinds need."""


def write_definitions(conn: Connection, definitions: Sequence[Definition], scan: int) -> dict[Fingerprint, int]:
    """Store new definitions, first observed by scan number *scan*; return the keys of all of *definitions*."""
    known = _known(conn, [definition.fingerprint for definition in definitions])
    new = sorted(
        (definition for definition in definitions if definition.fingerprint not in known),
        key=lambda definition: definition.fingerprint,
    )
    first = next_id(conn, t.schema_definition)
    insert_rows(conn, t.schema_definition, (_cells(first + i, definition, scan) for i, definition in enumerate(new)))
    insert_rows(conn, t.schema_column, _columns(first, new))
    return known | {definition.fingerprint: first + i for i, definition in enumerate(new)}


def write_texts(conn: Connection, texts: Iterable[KnownText], definitions: Mapping[Fingerprint, int]) -> None:
    """Store which texts were read to which of *definitions*; an earlier reading of a text is replaced."""
    rows = [(text.digest, text.reader, definitions[text.fingerprint], text.reading) for text in texts]
    for chunk in in_chunks((row[0] for row in rows), _FINGERPRINTS_AT_ONCE):
        conn.execute(delete(t.schema_text).where(t.schema_text.c.digest.in_(chunk)))
    insert_rows(conn, t.schema_text, sorted(rows))


def _known(conn: Connection, fingerprints: Iterable[Fingerprint]) -> dict[Fingerprint, int]:
    definition = t.schema_definition.c
    ids: dict[Fingerprint, int] = {}
    for chunk in in_chunks(fingerprints, _FINGERPRINTS_AT_ONCE):
        rows = conn.execute(select(definition.fingerprint, definition.id).where(definition.fingerprint.in_(chunk)))
        ids.update((Fingerprint(fingerprint), id_) for fingerprint, id_ in rows)
    return ids


def _cells(id_: int, definition: Definition, scan: int) -> tuple[Any, ...]:
    text, problems = storable(definition.text), problems_cell(definition.problems)
    name, count = storable(definition.name), len(definition.columns)
    tags = json_cell(definition.tags)
    return id_, definition.fingerprint, storable(definition.format), name, text, problems, count, scan, tags


def _columns(first: int, definitions: Iterable[Definition]) -> Iterator[tuple[Any, ...]]:
    for id_, definition in enumerate(definitions, first):
        for ordinal, column in enumerate(definition.columns):
            yield id_, ordinal, *column_cells(column)


@dataclass(slots=True, kw_only=True)
class FactWriter:
    """Writes the facts of scan *number*; logs each change and adds what it refused to *problems*.

    *is_first* says that nothing is stored of the cluster.
    """

    conn: Connection
    cluster: int
    number: int
    is_first: bool
    sources: Sources
    problems: list[Problem]
    actions: Counter[str] = field(default_factory=Counter)

    def write(self, scan: ClusterScan) -> None:
        """Store all facts of *scan*, which were checked."""
        self._write_brokers(scan)
        definitions = write_definitions(self.conn, scan.of(Definition), self.number)
        write_texts(self.conn, scan.texts, definitions)
        context = RowContext(cluster=self.cluster, sources=self.sources.ids, definitions=definitions)
        for kind in FACT_KINDS:
            ids = self._write_topics(scan, context) if kind is TOPIC else self._merge(kind, kind.rows(scan, context))
            if kind.table.name in _REFERENCED:
                context.ids[kind.name] = ids

    def _write_brokers(self, scan: ClusterScan) -> None:
        # Over REST, brokers may stay unnamed: only the protocol lists them all, and then those alone that are up.
        answers = {outcome.status for outcome in scan.outcomes if outcome.source.startswith("kafka:")}
        all_named = answers == {SourceStatus.READ} and not scan.cluster.unnamed
        logged, problems = write_brokers(self.conn, scan.cluster, self.cluster, self.number, all_named=all_named)
        self.problems += problems
        self._log(logged)

    def _write_topics(self, scan: ClusterScan, context: RowContext) -> Ids:
        """Store the topics and return their keys; note in *context* those that a better source reported earlier."""
        stored = self._load(TOPIC)
        reported = list(TOPIC.rows(scan, context))
        retained = retained_topics(self.conn, self.sources)
        rules = self._deletion_rules(TOPIC, reported, retained)
        wanted = list(with_better_sources(reported, stored, self.sources.kinds, rules))
        pairs = zip(wanted, reported, strict=True)
        context.confirmed_topics = frozenset(row.key[0] for row, original in pairs if row is not original)
        return self._merge(TOPIC, wanted, stored=stored, retained=retained)

    def _merge(
        self,
        kind: FactKind,
        wanted: Iterable[Wanted],
        *,
        stored: Mapping[Key, Stored] | None = None,
        retained: RetainedTopics = frozenset(),
    ) -> Ids:
        """Make the stored rows of a kind equal to *wanted*; return the ids of all of them, by key."""
        before = self._load(kind) if stored is None else stored
        rows = list(wanted)
        plan, twice = merge(before, rows, self._deletion_rules(kind, rows, retained))
        self.problems += [_listed_twice(kind, key) for key in sorted(twice, key=repr)]
        plan = plan.without_unread(self.sources.was_not_read)
        added = apply(self.conn, kind, plan, self.number)
        if kind.logged:
            self._log(entries(kind, plan))
        return {key: row.id for key, row in before.items()} | added

    def _load(self, kind: FactKind) -> dict[Key, Stored]:
        return {} if self.is_first else load(self.conn, kind, self.cluster, self.sources.reporting)

    def _deletion_rules(self, kind: FactKind, wanted: list[Wanted], retained: RetainedTopics) -> DeletionRules:
        naming = frozenset(row.source_id for row in wanted)
        return DeletionRules(kind=kind, sources=self.sources, naming=naming, retained=retained)

    def _log(self, changes: Iterable[Entry]) -> None:
        log(self.conn, self.number, self._counted(changes), self.actions.total())

    def _counted(self, changes: Iterable[Entry]) -> Iterator[Entry]:
        for entry in changes:
            self.actions[entry.action] += 1
            yield entry


def _listed_twice(kind: FactKind, key: Key) -> Problem:
    what = f"the {kind.name} {json_cell(key)} is listed twice, once its unprintable characters are replaced"
    return Problem(json_cell(key), what, "the first was stored")
