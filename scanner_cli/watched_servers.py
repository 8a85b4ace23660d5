"""The servers that a monitor polls, by kind; what one kind does not need, is not loaded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scanner_cli.monitoring import Server
from scanner_cli.telling import say
from scanner_extractor.http import Http
from scanner_extractor.readings import no_progress
from scanner_extractor.settings import Settings


def servers_of(kinds: Sequence[str], named: Sequence[Settings]) -> Iterator[Server]:
    """Give the servers of each of *kinds*: `connect`, `ksqldb`, `flink`; raises ScannerError.

    A cluster of Confluent Cloud is asked for now, what is made there later is not known; what lacks a key is said.
    """
    clusters = [_found(one) for one in named]
    for lacking in (each for one in clusters for each in one.lacking if each.kind in kinds):
        say(f"warning: {lacking.source}: {lacking.what} ({lacking.hint})")
    if "connect" in kinds:
        from scanner_cli.watched_connect import connect_servers

        yield from connect_servers(clusters)
    if "ksqldb" in kinds:
        from scanner_cli.watched_ksqldb import ksqldb_servers

        yield from ksqldb_servers(clusters)
    if "flink" in kinds:
        from scanner_cli.watched_flink import flink_servers

        yield from flink_servers(clusters)


def _found(one: Settings) -> Settings:
    """Give a cluster with the sources that Confluent Cloud's control plane tells; another one as it is."""
    if one.cloud is None:
        return one
    from scanner_extractor.cloud_expansion import expanded
    from scanner_extractor.sources.discovery import read_cloud

    with Http(one.cloud.http, one.cloud.source) as http:
        return expanded(one, one.cloud, read_cloud(one.cloud, http, no_progress).organization)
