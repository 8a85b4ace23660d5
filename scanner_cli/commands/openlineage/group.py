"""`scanner openlineage`: OpenLineage events of other producers in, and the own graph out."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from scanner_api.dictionary import Dictionary
from scanner_api.event_intake import EventImport
from scanner_api.event_intake import import_events as store_events
from scanner_cli.commands.openlineage.emit import emit
from scanner_cli.commands.openlineage.listen import listen
from scanner_cli.console import echo, echo_err, report_error
from scanner_cli.lazy_group import Group
from scanner_cli.options import dictionary_option, lock_timeout_option
from scanner_cli.output.render import Format, format_option, json_text
from scanner_cli.usage_errors import Exit


@click.group(cls=Group)
def openlineage() -> None:
    """Import, receive and emit lineage as OpenLineage events.

    \b
    Examples:
      scanner openlineage import events/ spark.ndjson.gz
      scanner openlineage listen --port 5000
      scanner openlineage emit --url http://marquez:5000
    """


openlineage.add_command(emit)
openlineage.add_command(listen)


@openlineage.command("import")
@click.argument("paths", nargs=-1, required=True, metavar="FILE|DIRECTORY|-…")
@click.option(
    "--rejected",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Append refused events here, with the reasons; else beside the dictionary's file, or in this directory.",
)
@dictionary_option
@lock_timeout_option
@format_option(Format.TABLE, Format.JSON)
def import_events(paths: Sequence[str], rejected: Path | None, dictionary: Dictionary, style: str) -> int:
    """Store the OpenLineage events of files: one on each line, one or an array in a file; plain or gzip.

    Events of any producer and any version, in any order; importing them again changes nothing. Secrets in them are
    removed first. `scanner dataflow` adds them to the graph.

    \b
    Examples:
      scanner openlineage import spark-events.ndjson
      scanner openlineage import events/ --rejected broken.ndjson
      zcat events.gz | scanner openlineage import - --format json

    \b
    Exit status: 0 every event was stored; 2 no file has an event, or one does not exist;
    3 some events were refused, or a file could not be read to its end; the rest is stored.
    """
    imported = store_events(
        dictionary, paths, stdin=sys.stdin.buffer if "-" in paths else None, rejected=rejected, notify=echo_err
    )
    for error in imported.errors:
        report_error(error)
    _report(imported, style)
    return _status(imported)


def _report(imported: EventImport, style: str) -> None:
    """Write how many events were stored and refused."""
    result = imported.counts
    counts = {name: getattr(result, name) for name in ("received", "stored", "repeated", "refused", "future")}
    if style == Format.JSON:
        echo(json_text(counts | {"rejected": str(imported.rejected) if imported.rejected else None}))
    more = f", {result.future} of a version that scanner does not know yet" if result.future else ""
    echo_err(
        f"{result.received} events: {result.stored} stored, {result.repeated} repeated, {result.refused} refused{more}"
    )
    if imported.rejected:
        echo_err(f"refused events are in {imported.rejected}")
    if result.stored:
        echo_err("`scanner dataflow` adds them to the graph")


def _status(imported: EventImport) -> Exit:
    result = imported.counts
    if not result.stored and not result.repeated:
        return Exit.INPUT_INVALID
    return Exit.PARTIAL if result.refused or imported.errors else Exit.DONE
