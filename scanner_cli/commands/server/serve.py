"""`scanner serve`: the dictionary for browsers, programs and assistants."""

from __future__ import annotations

import webbrowser
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scanner_cli import library
from scanner_cli.command import command, section
from scanner_cli.console import echo_err
from scanner_cli.options import dictionary_option
from scanner_cli.server_options import WatchOf, every_option, read_token, watch_options
from scanner_cli.usage_errors import Exit

if TYPE_CHECKING:
    from scanner_api.dictionary import Dictionary

_FILE = click.Path(path_type=Path)


@command()
@section(
    "Address and access",
    click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="The address to listen at."),
    click.option(
        "--port", type=click.IntRange(0, 65535), default=8080, show_default=True, metavar="N", help="0: any free one."
    ),
    click.option(
        "--token", envvar="SCANNER_TOKEN", metavar="TOKEN", help="What clients must send; better set SCANNER_TOKEN."
    ),
    click.option("--token-file", type=_FILE, metavar="FILE", help="Read the token from this file instead."),
    click.option(
        "--allow-host",
        "names",
        multiple=True,
        metavar="NAME",
        help="Additional host name to accept (localhost and IP addresses are always accepted); repeatable.",
    ),
    click.option("--tls-cert", type=_FILE, metavar="FILE", help="Serve HTTPS with this certificate chain (PEM)."),
    click.option("--tls-key", type=_FILE, metavar="FILE", help="The key of the certificate (PEM)."),
)
@click.option("--open", "opens", is_flag=True, help="Open the page in the browser.")
@click.option("--intake", is_flag=True, help="Receive OpenLineage events at POST /api/v1/lineage.")
@section(
    "Assistants",
    click.option("--mcp", "answers", is_flag=True, help="Instead answer one assistant on standard input and output."),
    click.option(
        "--token-limit",
        "budget",
        type=click.IntRange(500, 200_000),
        default=1_500,
        show_default=True,
        metavar="N",
        help="With --mcp: tokens of an answer; one to a question with a limit above 25 may have 8000.",
    ),
)
@dictionary_option
@section(
    "Regular scans",
    click.option("--config", "files", multiple=True, metavar="FILE", help="Scan this cluster.json; repeatable."),
    every_option,
    watch_options,
)
def serve(
    host: str,
    port: int,
    token: str | None,
    token_file: Path | None,
    names: Sequence[str],
    tls_cert: Path | None,
    tls_key: Path | None,
    intake: bool,
    files: Sequence[str],
    opens: bool,
    answers: bool,
    budget: int,
    every: float,
    dictionary: Dictionary,
    watch_of: WatchOf,
) -> int:
    """Serve the dictionary: a page for browsers at /, a JSON API at /api/v1, MCP at /mcp, figures at /metrics.

    Nothing can be changed through it, unless --intake lets programs send OpenLineage events. At an address that others
    reach it needs a token (`Authorization: Bearer TOKEN`, or as the password that a browser asks for). With --config it
    also scans, as `scanner watch`. Ctrl-C or SIGTERM ends it. With --mcp, the host of an AI assistant starts the
    program: docs/mcp.md has the configuration of several.

    \b
    Examples:
      scanner serve --open
      scanner serve --config cluster.json --every 15m
      claude mcp add scanner -- scanner serve --mcp --dictionary /data/dictionary.db
      SCANNER_TOKEN=... scanner serve --host 0.0.0.0 --tls-cert chain.pem --tls-key key.pem

    Exit status 2: the address is not available, or it is not a loopback address and there is no token.
    """
    if answers:
        library.serve_mcp(dictionary, budget)
        return Exit.DONE
    options = library.ServerOptions(
        warm=True,
        host=host,
        port=port,
        token=read_token(token, token_file),
        hosts=frozenset(name.lower() for name in names),
        certificate=tls_cert,
        key=tls_key,
    )
    with ExitStack() as stack:
        receiver = library.EventReceiver(dictionary, notify=echo_err) if intake else None
        if receiver:
            stack.callback(receiver.close)
        watcher = watch_of(dictionary, files, every) if files else None
        if watcher:
            stack.callback(watcher.stop)
            watcher.start()
        ready = webbrowser.open if opens else None
        library.serve(dictionary, options, notify=echo_err, intake=receiver, scans=watcher, ready=ready)
    return Exit.DONE
