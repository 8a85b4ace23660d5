"""The ksqlDB servers that a monitor polls: how their persistent queries are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dataflow_generator.flows.naming import Naming
from dataflow_generator.openlineage.life_events import Engine
from dataflow_generator.openlineage.lifecycle import Seen, unread
from dataflow_generator.openlineage.watched_queries import queries_seen
from scanner_cli.monitoring import Server
from scanner_extractor.http import Http
from scanner_extractor.rate import Clock
from scanner_extractor.settings import KsqlSettings, Settings
from scanner_extractor.sources.ksqldb import read_query_states


def ksqldb_servers(clusters: Sequence[Settings], *, clock: Clock | None = None) -> Iterator[Server]:
    """Give every ksqlDB server; *clock* makes tests fast."""
    naming = Naming((one.cluster, one.brokers) for one in clusters)
    for one in clusters:
        for ksqldb in one.ksqldb:
            yield _ksqldb(ksqldb, Http(ksqldb.http, ksqldb.source, clock=clock), one.cluster, naming)


def _ksqldb(ksqldb: KsqlSettings, http: Http, cluster: str, naming: Naming) -> Server:
    def look() -> Sequence[Seen]:
        told = read_query_states(ksqldb, http)
        found = queries_seen(told.queries, told.collections, told.errors, (cluster, naming))
        return [*found, *map(unread, sorted(told.unread))]

    return Server(name=f"{cluster} {ksqldb.source}", engine=Engine(name="ksqlDB"), look=look)
