"""`scanner openlineage`: OpenLineage events of other producers in, and the own graph out."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scanner_cli import library
from scanner_cli.commands.openlineage_emit import emit
from scanner_cli.commands.server.monitor import monitor
from scanner_cli.console import echo, echo_err, report_error
from scanner_cli.lazy_group import Group
from scanner_cli.options import dictionary_option, directory_option, lock_timeout_option
from scanner_cli.output.render import Format, format_option, json_text
from scanner_cli.server_options import read_token
from scanner_cli.usage_errors import Exit

if TYPE_CHECKING:
    from scanner_api.dictionary import Dictionary
    from scanner_api.event_intake import EventImport


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
openlineage.add_command(monitor)


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
    removed first. `scanner dictionary dataflow` adds them to the graph.

    \b
    Examples:
      scanner openlineage import spark-events.ndjson
      scanner openlineage import events/ --rejected broken.ndjson
      zcat events.gz | scanner openlineage import - --format json

    \b
    Exit status: 0 every event was stored; 2 no file has an event, or one does not exist;
    3 some events were refused, or a file could not be read to its end; the rest is stored.
    """
    imported = library.import_events(
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
        echo_err("`scanner dictionary dataflow` adds them to the graph")


def _status(imported: EventImport) -> Exit:
    result = imported.counts
    if not result.stored and not result.repeated:
        return Exit.INPUT_INVALID
    return Exit.PARTIAL if result.refused or imported.errors else Exit.DONE


_MIB = 1024 * 1024


@openlineage.command()
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="The address to listen at.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=5000, show_default=True, metavar="N", help="0: any free one."
)
@click.option(
    "--token",
    envvar="SCANNER_OPENLINEAGE_TOKEN",
    metavar="TOKEN",
    help="What clients must send as `Authorization: Bearer TOKEN`; better set SCANNER_OPENLINEAGE_TOKEN or a file.",
)
@click.option(
    "--token-file", type=click.Path(path_type=Path), metavar="FILE", help="Read the token from this file instead."
)
@click.option(
    "--max-body", type=click.IntRange(1, 1024), default=16, show_default=True, metavar="MIB", help="Largest body."
)
@click.option(
    "--max-spool",
    type=click.IntRange(1),
    default=1024,
    show_default=True,
    metavar="MIB",
    help="How much may wait for the dictionary before clients get status 503.",
)
@click.option(
    "--allow-host",
    "names",
    multiple=True,
    metavar="NAME",
    help="Additional host name to accept (localhost and IP addresses are always accepted); repeatable.",
)
@directory_option("--spool", "Where events wait until they are stored; else beside the dictionary's file.")
@click.option(
    "--rejected",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Append refused events here, with the reasons; else beside the dictionary's file, or in this directory.",
)
@dictionary_option
def listen(
    host: str,
    port: int,
    token: str | None,
    token_file: Path | None,
    max_body: int,
    max_spool: int,
    names: Sequence[str],
    spool: Path | None,
    rejected: Path | None,
    dictionary: Dictionary,
) -> int:
    """Receive OpenLineage events (`POST /api/v1/lineage`, one or an array) and store them.

    An event is on disk before the response 201; events that were not stored when the program ended, for any reason, are
    stored when it starts again. An invalid event gets status 400 with the reason, and is added to a file. Ctrl-C or
    SIGTERM ends it. `GET /health` reports its state. `scanner dictionary dataflow` adds the events to the graph.
    It needs the extra `server`.

    Without a token, requests from a web page and requests for another host are refused.

    \b
    Examples:
      scanner openlineage listen
      SCANNER_OPENLINEAGE_TOKEN=... scanner openlineage listen --host 0.0.0.0 --port 5000
      OPENLINEAGE_URL=http://127.0.0.1:5000 airflow scheduler

    Exit status 2: the address is not available, or it is not a loopback address and there is no token.
    """
    options = library.ServerOptions(
        host=host,
        port=port,
        token=read_token(token, token_file),
        variable="SCANNER_OPENLINEAGE_TOKEN",
        hosts=frozenset(name.lower() for name in names),
    )
    receiver = library.EventReceiver(
        dictionary,
        spool=spool,
        rejected=rejected,
        largest_body=max_body * _MIB,
        largest_spool=max_spool * _MIB,
        notify=echo_err,
    )
    try:
        library.listen(receiver, options, notify=echo_err)
    finally:
        problems = receiver.close()
    echo_err(", ".join(f"{count} {name}" for name, count in receiver.counts().items() if name != "spool_bytes"))
    return Exit.FAILED if problems else Exit.DONE
