"""`scanner openlineage listen`: the endpoint that OpenLineage transports send to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from scanner_api.dictionary import Dictionary
from scanner_api.event_intake import EventReceiver
from scanner_cli.console import echo_err
from scanner_cli.options import dictionary_option, directory_option
from scanner_cli.server_options import read_token
from scanner_cli.usage_errors import Exit
from scanner_server import ServerOptions
from scanner_server import listen as run_listener

_MIB = 1024 * 1024


@click.command()
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
    help="Without a token: a host name that clients may use, besides localhost and addresses; repeatable.",
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
    SIGTERM ends it. `GET /health` reports its state. `scanner dataflow` adds the events to the graph. It needs
    the extra `server`.

    Without a token, requests from a web page and requests for another host are refused.

    \b
    Examples:
      scanner openlineage listen
      SCANNER_OPENLINEAGE_TOKEN=... scanner openlineage listen --host 0.0.0.0 --port 5000
      OPENLINEAGE_URL=http://127.0.0.1:5000 airflow scheduler

    Exit status 2: the address is not available, or it is not a loopback address and there is no token.
    """
    options = ServerOptions(
        host=host,
        port=port,
        token=read_token(token, token_file),
        variable="SCANNER_OPENLINEAGE_TOKEN",
        hosts=frozenset(name.lower() for name in names),
    )
    receiver = EventReceiver(
        dictionary,
        spool=spool,
        rejected=rejected,
        largest_body=max_body * _MIB,
        largest_spool=max_spool * _MIB,
        notify=echo_err,
    )
    try:
        run_listener(receiver, options, notify=echo_err)
    finally:
        problems = receiver.close()
    echo_err(", ".join(f"{count} {name}" for name, count in receiver.counts().items() if name != "spool_bytes"))
    return Exit.FAILED if problems else Exit.DONE
