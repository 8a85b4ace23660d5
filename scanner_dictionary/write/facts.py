"""The facts of one scan into their tables, parents first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Connection, select

from scanner_dictionary.engine.bulk_insert import in_chunks, insert_rows
from scanner_dictionary.engine.serialization import column_cells, json_cell, problems_cell, storable
from scanner_dictionary.schema import tables as t
from scanner_dictionary.write import entities, rows
from scanner_dictionary.write.apply import Entry, Key, Stored, Wanted, apply, entries, load, log, merge, next_id
from scanner_dictionary.write.brokers import write_brokers
from scanner_dictionary.write.deletions import DeletionRules, Held, is_better_source, retained_topics
from scanner_dictionary.write.entities import Entity
from scanner_dictionary.write.rows import Ids, Known, plain_row
from scanner_dictionary.write.sources import Sources
from scanner_model.names import Fingerprint
from scanner_model.problems import Problem
from scanner_model.scan import ClusterScan, SourceStatus
from scanner_model.schemas import Confidence, Definition, TopicSchema

_FINGERPRINTS_AT_ONCE = 500


def write_definitions(conn: Connection, definitions: Sequence[Definition], scan: int) -> dict[Fingerprint, int]:
    """Store what is new, found by scan number *scan*; gives the keys of all of *definitions*."""
    known = _known(conn, [each.fingerprint for each in definitions])
    new = sorted((each for each in definitions if each.fingerprint not in known), key=lambda each: each.fingerprint)
    first = next_id(conn, t.schema_definition)
    insert_rows(conn, t.schema_definition, (_cells(first + i, each, scan) for i, each in enumerate(new)))
    insert_rows(conn, t.schema_column, _columns(first, new))
    return known | {each.fingerprint: first + i for i, each in enumerate(new)}


def _known(conn: Connection, fingerprints: Iterable[Fingerprint]) -> dict[Fingerprint, int]:
    definition = t.schema_definition.c
    found: dict[Fingerprint, int] = {}
    for chunk in in_chunks(fingerprints, _FINGERPRINTS_AT_ONCE):
        rows = conn.execute(select(definition.fingerprint, definition.id).where(definition.fingerprint.in_(chunk)))
        found.update((Fingerprint(fingerprint), id_) for fingerprint, id_ in rows)
    return found


def _cells(id_: int, each: Definition, scan: int) -> tuple[Any, ...]:
    text, problems = storable(each.text), problems_cell(each.problems)
    name, count = storable(each.name), len(each.columns)
    return id_, each.fingerprint, storable(each.format), name, text, problems, count, scan


def _columns(first: int, definitions: Iterable[Definition]) -> Iterator[tuple[Any, ...]]:
    for id_, each in enumerate(definitions, first):
        for ordinal, column in enumerate(each.columns):
            yield id_, ordinal, *column_cells(column)


@dataclass(slots=True, kw_only=True)
class FactWriter:
    """Writes the facts of scan *number*; notes each change in the change log, and what it refused in *problems*."""

    conn: Connection
    cluster: int
    number: int
    sources: Sources
    problems: list[Problem]
    actions: Counter[str] = field(default_factory=Counter)

    def write(self, scan: ClusterScan) -> None:
        """Store all facts of *scan*, whose hierarchy is sound."""
        self._brokers(scan)
        known = Known(cluster=self.cluster, sources=self.sources.ids, definitions={})
        topics, sure = self._topics(scan, known)
        registries = self._merge(entities.REGISTRY, (rows.registry_row(each, known) for each in scan.registries))
        subjects = self._merge(entities.SUBJECT, rows.subject_rows(scan, known, registries))
        known = replace(known, definitions=write_definitions(self.conn, scan.definitions, self.number))
        self._merge(entities.VERSION, (rows.version_row(each, known, subjects) for each in scan.versions))
        links = (_as_sure(each, sure) for each in scan.topic_schemas)
        self._merge(entities.LINK, (rows.link_row(each, known, topics, registries) for each in links))
        self._processing(scan, known)

    def _processing(self, scan: ClusterScan, known: Known) -> None:
        """Store who reads and writes topics."""
        groups = self._merge(entities.GROUP, (rows.group_row(each, known) for each in scan.consumer_groups))
        read = (row for each in scan.consumer_groups for row in rows.group_topic_rows(each, known, groups))
        self._merge(entities.GROUP_TOPIC, read)
        self._merge(entities.KSQL_SOURCE, (rows.ksql_source_row(each, known) for each in scan.ksql_sources))
        self._merge(entities.QUERY, (rows.query_row(each, known) for each in scan.queries))
        self._merge(entities.CONNECTOR, (rows.connector_row(each, known) for each in scan.connectors))
        self._merge(entities.FLOW, (rows.flow_row(each, known) for each in scan.manual_flows))
        for member, entity in entities.PLAIN.items():
            self._merge(entity, (plain_row(entity, each, known) for each in getattr(scan, member)))

    def _brokers(self, scan: ClusterScan) -> None:
        # Over REST, brokers may stay unnamed: only the protocol lists them all, and then those alone that are up.
        answers = {each.answer for each in scan.outcomes if each.source.startswith("kafka:")}
        all_named = answers == {SourceStatus.READ} and not scan.cluster.unnamed
        listed, problems = write_brokers(self.conn, scan.cluster, self.cluster, self.number, all_named=all_named)
        self.problems += problems
        self._note(listed)

    def _topics(self, scan: ClusterScan, known: Known) -> tuple[Ids, frozenset[str]]:
        """Store the topics; gives their keys, and the names of those that a better source vouches for."""
        stored = self._stored(entities.TOPIC)
        told = [rows.topic_row(each, known) for each in scan.topics]
        held = retained_topics(self.conn, self.sources)
        wanted = list(is_better_source(told, stored, self.sources.kinds, self._proof(entities.TOPIC, told, held)))
        sure = frozenset(row.key[0] for row, first in zip(wanted, told, strict=True) if row is not first)
        return self._merge(entities.TOPIC, wanted, stored=stored, held=held), sure

    def _merge(
        self,
        entity: Entity,
        wanted: Iterable[Wanted],
        *,
        stored: Mapping[Key, Stored] | None = None,
        held: Held = frozenset(),
    ) -> Ids:
        """Bring the rows of a kind to what is wanted; gives the keys of all of them, by name."""
        there = self._stored(entity) if stored is None else stored
        listed = list(wanted)
        plan, twice = merge(there, listed, self._proof(entity, listed, held))
        self.problems += [_twice(entity, key) for key in sorted(twice, key=repr)]
        plan = plan.unseen(self.sources.is_silent)
        added = apply(self.conn, entity, plan, self.number)
        if not entity.quiet:
            self._note(entries(entity, plan))
        return {key: old.id for key, old in there.items()} | added

    def _stored(self, entity: Entity) -> dict[Key, Stored]:
        return load(self.conn, entity, self.cluster, self.sources.telling)

    def _proof(self, entity: Entity, wanted: list[Wanted], held: Held) -> DeletionRules:
        naming = frozenset(row.source_id for row in wanted)
        return DeletionRules(entity=entity, sources=self.sources, naming=naming, held=held)

    def _note(self, listed: Iterable[Entry]) -> None:
        log(self.conn, self.number, self._counted(listed), self.actions.total())

    def _counted(self, listed: Iterable[Entry]) -> Iterator[Entry]:
        for entry in listed:
            self.actions[entry.action] += 1
            yield entry


def _as_sure(link: TopicSchema, sure: frozenset[str]) -> TopicSchema:
    """Do not let a link seem assumed only because the source that knows its topic could not be asked."""
    if link.confidence is Confidence.ASSUMED and storable(link.topic) in sure:
        return replace(link, confidence=Confidence.CONFIRMED)
    return link


def _twice(entity: Entity, key: Key) -> Problem:
    what = f"the {entity.kind} {json_cell(key)} is told twice, once its unprintable characters are replaced"
    return Problem(json_cell(key), what, "the first was stored")
