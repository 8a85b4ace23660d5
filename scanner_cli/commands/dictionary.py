"""`scanner dictionary`: what the dictionary is, and the whole of it for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from scanner_cli.commands.forget import forget
from scanner_cli.documents import members
from scanner_cli.groups import Group
from scanner_cli.options import dictionary_option, one_of, reading
from scanner_cli.show import Format, format_option, json_text, table_text
from scanner_cli.telling import put
from scanner_cli.transfers import TRANSFERS, export_tables
from scanner_model.text import visible

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
        put(json_text(document))
    else:
        put(_text(document), end="")


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
    from scanner_dictionary.location import locate
    from scanner_dictionary.queries import clusters, sources
    from scanner_dictionary.queries.overview import overview

    with reading(url) as conn:
        about = overview(conn)
        return {
            "dictionary": locate(url).shown,
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
