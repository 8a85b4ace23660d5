"""The servers that a monitor polls: how the jobs of each kind are asked for, of the sources of a cluster.json."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from dataflow_generator.flows.naming import Naming
from dataflow_generator.openlineage.life_events import Engine
from dataflow_generator.openlineage.lifecycle import Seen, unread
from dataflow_generator.openlineage.watched_connectors import connector_seen
from scanner_cli.monitoring import Server
from scanner_extractor.http import Http
from scanner_extractor.rate import Clock
from scanner_extractor.settings import ConnectSettings, Settings
from scanner_extractor.sources.connect import read_connector_states
from scanner_extractor.sources.connect_veil import veiled


def servers_of(kinds: Sequence[str], clusters: Sequence[Settings]) -> Iterator[Server]:
    """Give the servers of each of *kinds*: `connect`, `ksqldb`, `flink`; what one does not need, is not loaded."""
    if "connect" in kinds:
        yield from connect_servers(clusters)
    if "ksqldb" in kinds:
        from scanner_cli.watched_ksqldb import ksqldb_servers

        yield from ksqldb_servers(clusters)
    if "flink" in kinds:
        from scanner_cli.watched_flink import flink_servers

        yield from flink_servers(clusters)


def connect_servers(clusters: Sequence[Settings], *, clock: Clock | None = None) -> Iterator[Server]:
    """Give every Connect cluster; *clock* makes tests fast."""
    naming = Naming((one.cluster, one.brokers) for one in clusters)
    for one in clusters:
        for connect in one.connect:
            http = Http(connect.http, connect.source, wrap=partial(veiled, connect), clock=clock)
            yield _connect(connect, http, one.cluster, naming)


def _connect(connect: ConnectSettings, http: Http, cluster: str, naming: Naming) -> Server:
    def look() -> Sequence[Seen]:
        connectors, lost = read_connector_states(connect, http)
        return [
            *(connector_seen(each, cluster, naming) for each in connectors),
            *(unread(name) for name in lost),
        ]

    return Server(name=f"{cluster} {connect.source}", engine=Engine(name="Kafka Connect"), look=look)
