"""Writes the facts of one scan to their tables, parents first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, select

from scanner_dictionary.engine.bulk_insert import in_chunks, insert_rows
from scanner_dictionary.engine.serialization import column_cells, json_cell, problems_cell, storable
from scanner_dictionary.schema import tables as t
from scanner_dictionary.write.apply import Entry, Stored, apply, entries, load, log, merge, next_id
from scanner_dictionary.write.brokers import write_brokers
from scanner_dictionary.write.deletions import DeletionRules, RetainedTopics, retained_topics, with_better_sources
from scanner_dictionary.write.fact_kind import FactKind, Ids, Key, RowContext, Wanted
from scanner_dictionary.write.fact_kinds import FACT_KINDS, TOPIC
from scanner_dictionary.write.sources import Sources
from scanner_model.names import Fingerprint
from scanner_model.problems import Problem
from scanner_model.scan import ClusterScan, SourceStatus
from scanner_model.schemas import Definition

_FINGERPRINTS_AT_ONCE = 500

_REFERENCED = frozenset(key.column.table.name for kind in FACT_KINDS for key in kind.table.foreign_keys)
"""Names of tables whose keys the rows of later kinds need."""


def write_definitions(conn: Connection, definitions: Sequence[Definition], scan: int) -> dict[Fingerprint, int]:
    """Store new definitions, first observed by scan number *scan*; return the keys of all of *definitions*."""
    known = _known(conn, [definition.fingerprint for definition in definitions])
    new = sorted((each for each in definitions if each.fingerprint not in known), key=lambda each: each.fingerprint)
    first = next_id(conn, t.schema_definition)
    insert_rows(conn, t.schema_definition, (_cells(first + i, definition, scan) for i, definition in enumerate(new)))
    insert_rows(conn, t.schema_column, _columns(first, new))
    return known | {definition.fingerprint: first + i for i, definition in enumerate(new)}


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
    return id_, definition.fingerprint, storable(definition.format), name, text, problems, count, scan


def _columns(first: int, definitions: Iterable[Definition]) -> Iterator[tuple[Any, ...]]:
    for id_, definition in enumerate(definitions, first):
        for ordinal, column in enumerate(definition.columns):
            yield id_, ordinal, *column_cells(column)


@dataclass(slots=True, kw_only=True)
class FactWriter:
    """Writes the facts of scan *number*; logs each change and adds what it refused to *problems*."""

    conn: Connection
    cluster: int
    number: int
    sources: Sources
    problems: list[Problem]
    actions: Counter[str] = field(default_factory=Counter)

    def write(self, scan: ClusterScan) -> None:
        """Store all facts of *scan*, which were checked."""
        self._write_brokers(scan)
        definitions = write_definitions(self.conn, scan.definitions, self.number)
        context = RowContext(cluster=self.cluster, sources=self.sources.ids, definitions=definitions)
        for kind in FACT_KINDS:
            ids = self._write_topics(scan, context) if kind is TOPIC else self._merge(kind, kind.rows(scan, context))
            if kind.table.name in _REFERENCED:
                context.ids[kind.name] = ids

    def _write_brokers(self, scan: ClusterScan) -> None:
        # Over REST, brokers may stay unnamed: only the protocol lists them all, and then those alone that are up.
        answers = {each.answer for each in scan.outcomes if each.source.startswith("kafka:")}
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
        return load(self.conn, kind, self.cluster, self.sources.reporting)

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
