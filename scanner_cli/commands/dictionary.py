"""`scanner dictionary`: an overview of the dictionary, exports and copies of it, removal of a source, retention."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scanner_cli import library
from scanner_cli.choices import TABLE_FORMATS
from scanner_cli.command import command
from scanner_cli.commands.dataflow import dataflow
from scanner_cli.console import Stdout, echo, echo_err
from scanner_cli.lazy_group import Group
from scanner_cli.options import (
    cluster_option,
    dictionary_option,
    lock_timeout_option,
    one_of,
)
from scanner_cli.output.columns import members
from scanner_cli.output.history import prune_document, prune_lines
from scanner_cli.output.progress import steps_on
from scanner_cli.output.render import STDOUT, Format, format_option, json_text, show, table_text
from scanner_model.errors import DictionaryUnusable
from scanner_model.text import visible

if TYPE_CHECKING:
    from scanner_api.dictionary import Dictionary


@command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE…")
@cluster_option
@dictionary_option
@lock_timeout_option
def forget(sources: Sequence[str], cluster: str | None, dictionary: Dictionary) -> None:
    """Mark as deleted what a SOURCE reported that cluster.json no longer names.

    The facts of a source that is not scanned stay, marked stale, because nothing shows that they are wrong. This
    removes them. `scanner changes --scans` lists it as a scan, and `scanner changes` shows what it removed. No other
    source is affected, and a source that is scanned again restores its facts. `scanner dictionary info` lists the
    sources.

    \b
    Examples:
      scanner dictionary forget connect:old
      scanner dictionary forget manual:manual/legacy.json --cluster retail

    Exit status: 2 several clusters have such a source; 4 none has, or the cluster is not known.
    """
    result = library.forget(dictionary, sources, cluster=cluster)
    names = ", ".join(sorted(set(sources)))
    echo_err(f"{result.cluster}: scan {result.scan} forgets {names}: {result.facts} facts are marked as deleted")
    echo_err("`scanner dictionary dataflow` generates the graph without them")


@command()
@click.option("--keep-scans", type=click.IntRange(1), metavar="N", help="Keep the newest N scans of each cluster.")
@click.option(
    "--before", metavar="SCAN|DATE", help="Delete the history before this scan, or of scans before this date."
)
@click.option("--yes", is_flag=True, help="Delete it; without it only what would be deleted is shown.")
@dictionary_option
@lock_timeout_option
@format_option(Format.TABLE, Format.JSON)
def prune(keep_scans: int | None, before: str | None, yes: bool, dictionary: Dictionary, style: str) -> None:
    """Delete old history: scans, their changes and graphs, facts that are gone, schemas that nothing refers to.

    Without --yes nothing is deleted. What exists now is kept whatever its age, with the newest scan of each cluster and
    the newest graph. Comparisons, histories and graphs of the scans that are kept stay as they are; what was before
    their oldest is then unknown. SQLite reuses the room: the file does not become smaller.

    \b
    Examples:
      scanner dictionary prune --keep-scans 50
      scanner dictionary prune --before 2026-01-01 --yes

    Exit status 2: neither or both of --keep-scans and --before are given, or the date is invalid.
    """
    result = library.prune(dictionary, keep_scans=keep_scans, before=before, dry_run=not yes)
    if style == Format.JSON:
        echo(json_text(prune_document(result, dry_run=not yes)))
        return
    echo("".join(f"{visible(line)}\n" for line in prune_lines(result, dry_run=not yes)), end="")
    if not yes:
        echo_err("nothing was deleted: repeat it with --yes")


@command()
@click.argument("source", metavar="SOURCE")
@click.argument("target", metavar="TARGET")
@lock_timeout_option
@format_option(Format.TABLE, Format.JSON)
def copy(source: str, target: str, patience: float, style: str) -> None:
    """Copy every table of the dictionary SOURCE into TARGET: from SQLite to PostgreSQL, back, or to another server.

    Each is a file, sqlite:///FILE or postgresql://…. TARGET is made where it is missing, and must be empty. The copy is
    one transaction: where it fails or is interrupted, TARGET is empty, and the command can be run again. A SOURCE of an
    earlier version is migrated first. The copy is of the moment when it began; a scan into a file that is being copied
    waits. At the end the rows of each table are counted in both and compared.

    \b
    Examples:
      scanner dictionary copy dictionary.db postgresql://scanner@db/dictionary
      scanner dictionary copy postgresql://scanner@db/dictionary dictionary.db --format json

    Exit status: 1 one of them cannot be read or written; 2 TARGET is not empty.
    """
    into = library.Dictionary(target, patience, echo_err)
    try:
        with steps_on(sys.stderr) as progress:
            tables = library.copy_dictionary(library.Dictionary(source), into, progress=progress)
    except KeyboardInterrupt as error:
        hint = "nothing was copied: run it again"
        raise DictionaryUnusable("interrupted", where=into.shown, hint=hint) from error
    rows = [table._asdict() for table in tables]
    document = {"source": library.Dictionary(source).shown, "target": into.shown, "tables": rows}
    show(rows, ("table", "source_rows", "target_rows"), style, document=document)
    echo_err(f"{sum(table.target_rows for table in tables)} rows of {len(tables)} tables copied to {into.shown}")


_CLUSTERS = ("name", "brokers", "kafka_cluster_id", "scans", "last_scan")
_SOURCES = ("cluster", "name", "last_queried", "last_read", "stale_since", "stale_reason")


@click.group("dictionary", cls=Group)
def dictionary_group() -> None:
    """Show an overview of the dictionary, export or copy it, forget a source, or prune old history.

    \b
    Examples:
      scanner dictionary info
      scanner dictionary export --format h2 -o dictionary.sql
      scanner dictionary copy dictionary.db postgresql://scanner@db/dictionary
      scanner dictionary forget connect:old
      scanner dictionary prune --keep-scans 50
    """


dictionary_group.add_command(copy)
dictionary_group.add_command(dataflow)
dictionary_group.add_command(forget)
dictionary_group.add_command(prune)


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
    library.export_tables(dictionary, style, Stdout() if output == STDOUT else output)


def _document(dictionary: Dictionary) -> dict[str, Any]:
    summary = library.overview(dictionary)
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
