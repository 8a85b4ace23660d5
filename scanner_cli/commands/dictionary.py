"""`scanner dictionary`: what the dictionary is, and the whole of it for other programs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from scanner_cli.console import echo, echo_err
from scanner_cli.lazy_group import Group
from scanner_cli.options import (
    cluster_option,
    dictionary_option,
    known_cluster,
    lock_timeout_option,
    one_of,
    reading,
    writable,
)
from scanner_cli.output.columns import members
from scanner_cli.output.files import TRANSFERS, export_tables
from scanner_cli.output.render import Format, format_option, json_text, table_text
from scanner_model.text import visible


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
    from scanner_dictionary.write.scan import cluster_with_sources, forget_sources

    with reading(url) as conn:
        name = cluster_with_sources(conn, sources, known_cluster(conn, cluster))
    told = forget_sources(writable(url, patience, create=False), name, sources, at=datetime.now(UTC))
    echo_err(f"{name}: scan {told.scan_id} forgets {', '.join(sorted(set(sources)))}: {told.gone} facts are gone")
    echo_err("`scanner dataflow` draws the graph without them")


_CLUSTERS = ("name", "brokers", "kafka_cluster_id", "scans", "last_scan")
_SOURCES = ("cluster", "name", "last_asked", "last_read", "stale_since", "stale_reason")


@click.group(cls=Group)
def dictionary() -> None:
    """Show what the dictionary is, export it, or forget a source that is no more.

    \b
    Examples:
      scanner dictionary info
      scanner dictionary export --format h2 -o dictionary.sql
      scanner dictionary forget connect:old
    """


dictionary.add_command(forget)


@dictionary.command()
@dictionary_option
@format_option(Format.TABLE, Format.JSON)
def info(url: str, style: str) -> None:
    """Show revision and size, the clusters with their brokers, how fresh each source is, and counts.

    A source is stale since the first scan that could not (fully) read it; its earlier facts stay.

    \b
    Examples:
      scanner dictionary info
      scanner dictionary info --dictionary postgresql://scanner@db/dictionary --format json
    """
    document = _document(url)
    if style == Format.JSON:
        echo(json_text(document))
    else:
        echo(_text(document), end="")


@dictionary.command()
@one_of("--format", "style", words=TRANSFERS, text="A Parquet file a table, or a SQL script.", required=True)
@click.option(
    "--output",
    "-o",
    required=True,
    type=click.Path(path_type=Path, allow_dash=True),
    metavar="PATH",
    help="The script (`-`: standard output), or the directory of the Parquet files.",
)
@dictionary_option
def export(style: str, output: Path, url: str) -> None:
    """Write every table: h2 is a SQL script that H2's RunScript, psql and sqlite3 load; parquet needs pyarrow.

    The file or directory appears whole or not at all.

    \b
    Examples:
      scanner dictionary export --format h2 -o dictionary.sql
      java -cp h2.jar org.h2.tools.RunScript -url jdbc:h2:./dictionary -script dictionary.sql
      scanner dictionary export --format parquet -o tables
    """
    export_tables(style, output, url)


def _document(url: str) -> dict[str, Any]:
    from scanner_dictionary.engine.url import resolve_url
    from scanner_dictionary.queries import clusters, sources
    from scanner_dictionary.queries.history import dictionary_summary

    with reading(url) as conn:
        about = dictionary_summary(conn)
        return {
            "dictionary": resolve_url(url).shown,
            "revision": about.revision,
            "bytes": about.bytes,
            "counts": members(about.counts),
            "clusters": [row._asdict() for row in clusters(conn)],
            "sources": [row._asdict() for row in sources(conn)],
        }


def _text(document: dict[str, Any]) -> str:
    counts = (
        ", ".join(f"{count} {what.replace('_', ' ')}" for what, count in document["counts"].items() if count)
        or "nothing"
    )
    head = f"{visible(document['dictionary'])}: revision {document['revision']}, {document['bytes']} bytes\n{counts}\n"
    return "\n".join(
        (head, table_text(document["clusters"], _CLUSTERS), table_text(document["sources"], _SOURCES)),
    )
