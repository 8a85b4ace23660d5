"""The servers that a monitor polls, by kind; what one kind does not need, is not loaded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scanner_cli.monitoring import Server
from scanner_extractor.settings import Settings


def servers_of(kinds: Sequence[str], clusters: Sequence[Settings]) -> Iterator[Server]:
    """Give the servers of each of *kinds*: `connect`, `ksqldb`, `flink`; raises ScannerError."""
    if "connect" in kinds:
        from scanner_cli.watched_connect import connect_servers

        yield from connect_servers(clusters)
    if "ksqldb" in kinds:
        from scanner_cli.watched_ksqldb import ksqldb_servers

        yield from ksqldb_servers(clusters)
    if "flink" in kinds:
        from scanner_cli.watched_flink import flink_servers

        yield from flink_servers(clusters)
