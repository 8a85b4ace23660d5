"""`scanner openlineage listen`: the endpoint that OpenLineage transports send to."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from scanner_api.dictionary import Dictionary
from scanner_api.event_intake import ListenOptions
from scanner_api.event_intake import listen as receive_events
from scanner_cli.console import echo_err, ended_by_signal
from scanner_cli.options import dictionary_option, directory_option
from scanner_cli.usage_errors import Exit
from scanner_model.errors import InputInvalid


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
    SIGTERM ends it. `GET /health` reports its state. `scanner dataflow` adds the events to the graph.

    Without a token, requests from a web page and requests for another host are refused.

    \b
    Examples:
      scanner openlineage listen
      SCANNER_OPENLINEAGE_TOKEN=... scanner openlineage listen --host 0.0.0.0 --port 5000
      OPENLINEAGE_URL=http://127.0.0.1:5000 airflow scheduler

    Exit status 2: the address is not available, or it is not a loopback address and there is no token.
    """
    options = ListenOptions(
        host=host,
        port=port,
        token=_token(token, token_file, host),
        hosts=names,
        max_body=max_body,
        max_spool=max_spool,
        spool=spool,
        rejected=rejected,
    )
    result = receive_events(dictionary, options, until=ended_by_signal(), notify=echo_err)
    echo_err(", ".join(f"{count} {name}" for name, count in asdict(result.counts).items()))
    return Exit.FAILED if result.problems else Exit.DONE


def _token(token: str | None, file: Path | None, host: str) -> str:
    """Return the token, empty for none; raises InputInvalid where others reach the address and there is none."""
    if file is not None:
        try:
            token = file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            why = getattr(error, "strerror", "") or "not UTF-8"
            raise InputInvalid(f"cannot be read: {why}", where=f"--token-file {file}", hint="name another") from error
        if not token:
            raise InputInvalid("the file is empty", where=f"--token-file {file}", hint="write the token into it")
    if not token and not _is_loopback(host):
        what = "refusing to bind a non-loopback address without a token"
        raise InputInvalid(what, where=f"--host {host}", hint="set SCANNER_OPENLINEAGE_TOKEN, or name --token-file")
    return token or ""


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
