"""Drift: what deployment files declare and does not run, what runs and is not declared, and what runs otherwise."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, Select, Table, select

from scanner_dictionary.schema import tables as t
from scanner_model.declarations import DeclaredKind
from scanner_model.redaction import MASK
from scanner_model.text import has_placeholder

TOPIC_DEFAULTS: Mapping[str, str] = {
    "cleanup.policy": "delete",
    "compression.type": "producer",
    "delete.retention.ms": "86400000",
    "file.delete.delay.ms": "60000",
    "flush.messages": "9223372036854775807",
    "flush.ms": "9223372036854775807",
    "index.interval.bytes": "4096",
    "local.retention.bytes": "-2",
    "local.retention.ms": "-2",
    "max.compaction.lag.ms": "9223372036854775807",
    "max.message.bytes": "1048588",
    "message.downconversion.enable": "true",
    "message.timestamp.type": "CreateTime",
    "min.cleanable.dirty.ratio": "0.5",
    "min.compaction.lag.ms": "0",
    "min.insync.replicas": "1",
    "preallocate": "false",
    "remote.storage.enable": "false",
    "retention.bytes": "-1",
    "retention.ms": "604800000",
    "segment.bytes": "1073741824",
    "segment.index.bytes": "10485760",
    "segment.jitter.ms": "0",
    "segment.ms": "604800000",
    "unclean.leader.election.enable": "false",
}
"""Kafka's defaults of topic settings (Kafka 4.1, Topic Configs): the brokers' answer is stored without them."""

_CONNECTOR_DEFAULTS = {"tasks.max": "1"}
_LISTS = frozenset({"cleanup.policy"})
"""Settings whose value is a list in any order."""
_NAME = "name"
_STATES = frozenset({"RUNNING", "PAUSED", "STOPPED"})
"""States that are chosen deliberately; a failed connector still runs as declared."""
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


class Drift(StrEnum):
    """How what is declared and what runs disagree."""

    NOT_RUNNING = "not-running"
    """Declared, not running."""
    NOT_DECLARED = "not-declared"
    """Running, not declared."""
    DIFFERS = "differs"
    """Running otherwise than declared."""
    UNKNOWN = "unknown"
    """Declared, and nothing that runs was read, or not since the last outage."""


class Difference(NamedTuple):
    """A setting that differs; None where one side does not have it."""

    key: str
    declared: str | None
    running: str | None


class DriftRow(NamedTuple):
    """A topic or connector that drifts; *differences* are empty but for DIFFERS.

    *place* is the file and line that declare it, *source* the source that runs it, or should; either may be empty.
    """

    cluster: str
    kind: str
    name: str
    drift: Drift
    differences: tuple[Difference, ...]
    place: str
    source: str


class DriftResult(NamedTuple):
    """The drift by cluster, kind and name, and how many topics and connectors are *declared*."""

    rows: tuple[DriftRow, ...]
    declared: int


def drift(conn: Connection, *, cluster: str | None = None) -> DriftResult:
    """Compare the declarations of *cluster*, or of every one, with what the last scans found running."""
    query = select(t.cluster.c.id, t.cluster.c.name).order_by(t.cluster.c.name)
    query = query if cluster is None else query.where(t.cluster.c.name == cluster)
    rows: list[DriftRow] = []
    declared = 0
    for key, name in conn.execute(query).all():
        declarations = _live_rows(conn, t.declaration, key)
        declared += len(declarations)
        if declarations:
            rows += _of_cluster(conn, key, name, declarations)
    return DriftResult(tuple(sorted(rows, key=lambda row: (row.cluster, row.kind, row.name, row.place))), declared)


def _of_cluster(conn: Connection, key: int, name: str, declarations: list[Row[Any]]) -> Iterator[DriftRow]:
    source = t.source.c
    sources = conn.execute(select(source.kind, source.name, source.stale_since).where(source.cluster_id == key)).all()
    for kind, table, running_kind in (
        (DeclaredKind.TOPIC, t.topic, "kafka"),
        (DeclaredKind.CONNECTOR, t.connector, "connect"),
    ):
        declared = [row for row in declarations if row.kind == kind]
        if declared:
            running = [row for row in _live_rows(conn, table, key) if row.source_kind == running_kind]
            fresh = {row.name: row.stale_since is None for row in sources if row.kind == running_kind}
            yield from _Comparison(name, kind, fresh, running).rows(declared)


def _live_rows(conn: Connection, table: Table, cluster: int) -> list[Row[Any]]:
    names = t.source.c.name.label("source_name"), t.source.c.kind.label("source_kind"), t.source.c.stale_since
    query: Select[Any] = select(table, *names).join(t.source, t.source.c.id == table.c.source_id)
    query = query.where(table.c.cluster_id == cluster, table.c.gone.is_(None))
    return list(conn.execute(query.order_by(table.c.name, t.source.c.name)))


@dataclass(frozen=True, slots=True)
class _Comparison:
    """Compares declarations of one kind in one cluster with the rows that run.

    *fresh*: of each source that lists what runs, whether its last answer was complete.
    """

    cluster: str
    kind: DeclaredKind
    fresh: Mapping[str, bool]
    running: list[Row[Any]]
    by_name: dict[str, list[Row[Any]]] = field(default_factory=lambda: defaultdict(list))

    def rows(self, declared: Iterable[Row[Any]]) -> Iterator[DriftRow]:
        for row in self.running:
            self.by_name[row.name].append(row)
        names, managed = set(), set()
        for declaration in declared:
            names.add(declaration.name)
            managed |= self._sources(declaration.parent)
            yield from self._declared(declaration)
        for row in self.running:
            if row.name not in names and row.source_name in (managed or self.fresh) and not self._is_internal(row):
                yield DriftRow(self.cluster, self.kind, row.name, Drift.NOT_DECLARED, (), "", row.source_name)

    def _declared(self, declaration: Row[Any]) -> Iterator[DriftRow]:
        sources = self._sources(declaration.parent) or self.fresh.keys()
        running = [row for row in self.by_name.get(declaration.name, ()) if row.source_name in sources]
        if running:
            differences = tuple(self._differences(declaration, running[0]))
            if differences:
                yield self._row(declaration, Drift.DIFFERS, running[0].source_name, differences)
            return
        read = bool(sources) and all(self.fresh[source] for source in sources)
        yield self._row(declaration, Drift.NOT_RUNNING if read else Drift.UNKNOWN, ", ".join(sorted(sources)))

    def _row(
        self, declaration: Row[Any], kind: Drift, source: str, differences: tuple[Difference, ...] = ()
    ) -> DriftRow:
        return DriftRow(self.cluster, self.kind, declaration.name, kind, differences, declaration.place, source)

    def _sources(self, parent: str) -> set[str]:
        """Return the source of the Connect cluster that a file names; empty where none has this name."""
        return {f"connect:{parent}"} & self.fresh.keys()

    def _is_internal(self, row: Row[Any]) -> bool:
        return self.kind is DeclaredKind.TOPIC and bool(row.is_internal)

    def _differences(self, declaration: Row[Any], running: Row[Any]) -> Iterator[Difference]:
        declared, actual = json.loads(declaration.config), json.loads(running.config)
        if self.kind is DeclaredKind.TOPIC:
            yield from _changed_numbers(declaration, running)
            if actual or running.stale_since is None:  # else its settings may be unknown
                yield from _settings(declared, actual, TOPIC_DEFAULTS)
            return
        yield from _settings(declared, actual, _CONNECTOR_DEFAULTS)
        if declaration.whole and not running.managed_id:
            yield from _added(declared, actual)
        if declaration.state and running.state in _STATES and declaration.state.upper() != running.state:
            yield Difference("state", declaration.state, running.state.lower())


def _changed_numbers(declaration: Row[Any], running: Row[Any]) -> Iterator[Difference]:
    for key, declared, actual in (
        ("partitions", declaration.partitions, running.partitions),
        ("replication.factor", declaration.replication, running.replication),
    ):
        if None not in (declared, actual) and declared != actual:
            yield Difference(key, str(declared), str(actual))


def _settings(
    declared: Mapping[str, str], running: Mapping[str, str], defaults: Mapping[str, str]
) -> Iterator[Difference]:
    """Yield the declared settings that run otherwise; neither defaults nor values that are not known on both sides."""
    for key, value in declared.items():
        actual = running.get(key, defaults.get(key))
        if key != _NAME and not _is_equal(key, value, actual) and not _is_unknown(value, actual):
            yield Difference(key, value, actual)


def _added(declared: Mapping[str, str], running: Mapping[str, str]) -> Iterator[Difference]:
    """Yield the settings of a running connector that its file does not have; a worker adds none of its own."""
    for key, value in running.items():
        if key not in declared and key != _NAME and value != _CONNECTOR_DEFAULTS.get(key):
            yield Difference(key, None, value)


def _is_equal(key: str, declared: str, running: str | None) -> bool:
    if running is None or declared == running:
        return running is not None
    expected, actual = declared.strip(), running.strip()
    if key in _LISTS:
        return set(map(str.strip, expected.split(","))) == set(map(str.strip, actual.split(",")))
    if _NUMBER.fullmatch(expected) and _NUMBER.fullmatch(actual):
        return Decimal(expected) == Decimal(actual)
    return expected == actual or (expected.lower() == actual.lower() and actual.lower() in ("true", "false"))


def _is_unknown(declared: str, running: str | None) -> bool:
    """Return whether two values cannot be compared: a secret, or a placeholder that was filled in."""
    if running is None:
        return False
    filled_in = has_placeholder(declared) and not has_placeholder(running)
    return MASK in declared or MASK in running or filled_in
