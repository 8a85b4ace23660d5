"""`scanner dictionary`: an overview of the dictionary, exports of all tables, removal of a source."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from scanner_api.dictionary import Dictionary
from scanner_api.graph.export import TABLE_FORMATS, export_tables
from scanner_api.queries import forget as forget_sources
from scanner_api.queries import overview
from scanner_cli.console import Stdout, echo, echo_err
from scanner_cli.lazy_group import Group
from scanner_cli.options import (
    cluster_option,
    dictionary_option,
    lock_timeout_option,
    one_of,
)
from scanner_cli.output.columns import members
from scanner_cli.output.render import STDOUT, Format, format_option, json_text, table_text
from scanner_model.text import visible


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE…")
@cluster_option
@dictionary_option
@lock_timeout_option
def forget(sources: Sequence[str], cluster: str | None, dictionary: Dictionary) -> None:
    """Mark as deleted what a SOURCE reported that cluster.json no longer names.

    The facts of a source that is not scanned stay, marked stale, because nothing shows that they are wrong. This
    removes them. It is listed by `scanner scans` as a scan, and `scanner diff` shows what it removed. No other source
    is affected, and a source that is scanned again restores its facts. `scanner dictionary info` lists the sources.

    \b
    Examples:
      scanner dictionary forget connect:old
      scanner dictionary forget manual:manual/legacy.json --cluster retail

    Exit status: 2 several clusters have such a source; 4 none has, or the cluster is not known.
    """
    result = forget_sources(dictionary, sources, cluster=cluster)
    names = ", ".join(sorted(set(sources)))
    echo_err(f"{result.cluster}: scan {result.scan} forgets {names}: {result.facts} facts are marked as deleted")
    echo_err("`scanner dataflow` generates the graph without them")


_CLUSTERS = ("name", "brokers", "kafka_cluster_id", "scans", "last_scan")
_SOURCES = ("cluster", "name", "last_queried", "last_read", "stale_since", "stale_reason")


@click.group("dictionary", cls=Group)
def dictionary_group() -> None:
    """Show an overview of the dictionary, export it, or forget a source that no longer exists.

    \b
    Examples:
      scanner dictionary info
      scanner dictionary export --format h2 -o dictionary.sql
      scanner dictionary forget connect:old
    """


dictionary_group.add_command(forget)


@dictionary_group.command()
@dictionary_option
@format_option(Format.TABLE, Format.JSON)
def info(dictionary: Dictionary, style: str) -> None:
    """Show revision and size, the clusters with their brokers, the age of each source, and counts.

    A source is stale since the first scan that could not (fully) read it; its earlier facts stay.

    \b
    Examples:
      scanner dictionary info
      scanner dictionary info --dictionary postgresql://scanner@db/dictionary --format json
    """
    document = _document(dictionary)
    if style == Format.JSON:
        echo(json_text(document))
    else:
        echo(_text(document), end="")


@dictionary_group.command()
@one_of("--format", "style", words=TABLE_FORMATS, text="A Parquet file a table, or a SQL script.", required=True)
@click.option(
    "--output",
    "-o",
    required=True,
    type=click.Path(path_type=Path, allow_dash=True),
    metavar="PATH",
    help="The script (`-`: standard output), or the directory of the Parquet files.",
)
@dictionary_option
def export(style: str, output: Path, dictionary: Dictionary) -> None:
    """Write every table: h2 is a SQL script that H2's RunScript, psql and sqlite3 load; parquet needs pyarrow.

    The file or directory appears complete or not at all.

    \b
    Examples:
      scanner dictionary export --format h2 -o dictionary.sql
      java -cp h2.jar org.h2.tools.RunScript -url jdbc:h2:./dictionary -script dictionary.sql
      scanner dictionary export --format parquet -o tables
    """
    export_tables(dictionary, style, Stdout() if output == STDOUT else output)


def _document(dictionary: Dictionary) -> dict[str, Any]:
    summary = overview(dictionary)
    return {
        "dictionary": dictionary.shown,
        "revision": summary.revision,
        "bytes": summary.size,
        "counts": members(summary.counts),
        "clusters": [row._asdict() for row in summary.clusters],
        "sources": [row._asdict() for row in summary.sources],
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
