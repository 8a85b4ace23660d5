"""`scanner dictionary forget`: what a source told that is no more."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import click

from scanner_cli.options import (
    cluster_option,
    dictionary_option,
    known_cluster,
    lock_timeout_option,
    reading,
    writable,
)
from scanner_cli.telling import say


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE…")
@cluster_option
@dictionary_option
@lock_timeout_option
def forget(sources: Sequence[str], cluster: str | None, url: str, patience: float) -> None:
    """Mark gone what a SOURCE told that cluster.json does not name any more.

    A source that a scan does not ask keeps its facts, stale, because nobody said that they are wrong. This says so.
    It stands in `scanner scans` as a scan of its own, and `scanner diff` tells what went. No other source is touched,
    and one that is asked again brings its facts back. `scanner dictionary info` lists the sources.

    \b
    Examples:
      scanner dictionary forget connect:old
      scanner dictionary forget manual:manual/legacy.json --cluster retail

    Exit status: 2 several clusters have such a source; 4 none has, or the cluster is not known.
    """
    from scanner_dictionary.forgetting import cluster_with
    from scanner_dictionary.forgetting import forget as forgotten

    with reading(url) as conn:
        name = cluster_with(conn, sources, known_cluster(conn, cluster))
    told = forgotten(writable(url, patience, create=False), name, sources, at=datetime.now(UTC))
    say(f"{name}: scan {told.scan_id} forgets {', '.join(sorted(set(sources)))}: {told.gone} facts are gone")
    say("`scanner dataflow` draws the graph without them")
