"""The jobs of a statement or connector as it is stored, and as a proposed text would make them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from dataflow_generator.build.snapshot import Snapshot
from dataflow_generator.jobs.kinds import (
    CountedJob,
    FlinkPart,
    KsqlPart,
    LookupContext,
    connect_readings,
    flink_readings,
    ksql_readings,
)
from dataflow_generator.sql.lineage import StatementFlows
from scanner_dictionary.queries.connectors import ConnectorRow
from scanner_model.streaming_sql import FlinkStatement, Query

_CHOOSES_TOPICS = ("topic", "transforms", "table", "database", "schema", "collection", "query", "predicates")
"""Starts of the settings on which the topics of a connector depend."""


class JobPair(NamedTuple):
    """Readings of what one text runs, before and after; empty where it did, or does, not exist."""

    before: tuple[CountedJob, ...]
    after: tuple[CountedJob, ...]


@dataclass(frozen=True, slots=True)
class StoredJobs:
    """The inputs of generation, and the context that jobs are resolved against."""

    snapshot: Snapshot
    context: LookupContext

    def flink_pair(self, cluster: str, stored: FlinkStatement, text: str | None) -> JobPair:
        """Read the jobs of *stored*, and those of *text* in its place, None where it is deleted.

        A statement that its source does not have yet is read beside those that it has.
        """
        rows = self.snapshot.statements.get((cluster, str(stored.source)), ())
        at = next((index for index, row in enumerate(rows) if row.name == stored.name), len(rows))
        before = self._flink(cluster, rows, at) if at < len(rows) else ()
        if text is None:
            return JobPair(before, ())
        proposed = replace(stored, statement=text, topics_read=None)
        return JobPair(before, self._flink(cluster, (*rows[:at], proposed, *rows[at + 1 :]), at))

    def ksql_pair(self, cluster: str, stored: Query, proposed: StatementFlows | None) -> JobPair:
        """Read the job of *stored*, and that of the *proposed* statement in its place, None where it is deleted."""
        before = self._ksql(cluster, stored) if (cluster, stored) in self.snapshot.queries else ()
        if proposed is None:
            return JobPair(before, ())
        same_sinks = set(proposed.sinks) == set(stored.sinks)
        query = replace(
            stored,
            statement=proposed.text,
            sources=proposed.sources,
            sinks=proposed.sinks,
            sink_topics=stored.sink_topics if same_sinks else (),
        )
        return JobPair(before, self._ksql(cluster, query))

    def connector_pair(self, stored: ConnectorRow | None, proposed: ConnectorRow | None) -> JobPair:
        """Read the job of the connector *stored*, and that of *proposed* in its place; None if absent.

        The topics that the worker reports tell about the stored configuration only: where a setting differs on which
        they depend, neither side is read with them.
        """
        if stored and proposed and _topics_may_differ(stored.config, proposed.config):
            stored, proposed = stored._replace(topics=None), proposed._replace(topics=None)
        before, after = (tuple(connect_readings([row], self.context)) if row else () for row in (stored, proposed))
        return JobPair(before, after)

    def _flink(self, cluster: str, rows: tuple[FlinkStatement, ...], at: int) -> tuple[CountedJob, ...]:
        return tuple(flink_readings(FlinkPart(cluster, rows, (at,)), self.context))

    def _ksql(self, cluster: str, query: Query) -> tuple[CountedJob, ...]:
        server = (cluster, str(query.source))
        collections = tuple((cluster, source) for source in self.snapshot.collections.get(server, ()))
        aggregates = {server: self.snapshot.aggregates.get(server, frozenset())}
        return tuple(ksql_readings(KsqlPart([(cluster, query)], collections, aggregates), self.context))


def _topics_may_differ(before: Mapping[str, str], after: Mapping[str, str]) -> bool:
    differing = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    return any(name.startswith(_CHOOSES_TOPICS) for name in differing)
