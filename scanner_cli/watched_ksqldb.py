"""The ksqlDB servers that a monitor polls: how their persistent queries are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from dataflow_generator.flows.naming import Naming
from dataflow_generator.openlineage.life_events import Engine
from dataflow_generator.openlineage.lifecycle import Runs, Seen, unread
from dataflow_generator.openlineage.watched_queries import Errors, queries_seen
from scanner_cli.monitoring import Server
from scanner_extractor.http import Http
from scanner_extractor.rate import Clock
from scanner_extractor.settings import KsqlSettings, Settings
from scanner_extractor.sources.ksqldb import read_query_states
from scanner_extractor.sources.ksqldb_closing import Earlier


def ksqldb_servers(
    clusters: Sequence[Settings],
    *,
    clock: Clock | None = None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Iterator[Server]:
    """Return every ksqlDB server; *clock* is how waits are spent, *now* the time by which errors are over."""
    naming = Naming((one.cluster, one.brokers) for one in clusters)
    for one in clusters:
        for ksqldb in one.ksqldb:
            server = _Ksqldb(
                settings=ksqldb,
                http=Http(ksqldb.http, ksqldb.source, clock=clock),
                at=(one.cluster, naming),
                pause=(clock or Clock()).pause,
                now=now,
            )
            name = f"{one.cluster} {ksqldb.source}"
            yield Server(name=name, engine=Engine(name="ksqlDB"), look=server.look)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ksqldb:
    """One server; *at* is its cluster and how topics are named."""

    settings: KsqlSettings
    http: Http
    at: tuple[str, Naming]
    pause: Callable[[float], None]
    now: Callable[[], datetime]

    def look(self, runs: Runs) -> Sequence[Seen]:
        """List the queries as their runs are reported; raises ScannerError."""
        known = {name: frozenset(each.name for each in run.job.outputs) for name, run in runs.items()}
        read = read_query_states(self.settings, self.http, Earlier(queries=known, pause=self.pause))
        errors = Errors(by_query=read.errors, now=self.now())
        found = queries_seen(read.queries, read.collections, errors, self.at)
        return [*found, *map(unread, sorted(read.unread))]
