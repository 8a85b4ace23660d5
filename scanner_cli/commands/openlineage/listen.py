"""`scanner openlineage listen`: the endpoint that OpenLineage transports send to."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from dataflow_generator.openlineage.intake.importer import SpoolImporter
from dataflow_generator.openlineage.intake.listener import Listener
from dataflow_generator.openlineage.intake.requests import Rules
from dataflow_generator.openlineage.intake.spool import Spool
from scanner_api.dictionary import Dictionary
from scanner_api.files import check_file
from scanner_cli.console import echo_err, ended_by_signal
from scanner_cli.options import dictionary_option, directory_option
from scanner_cli.usage_errors import Exit
from scanner_dictionary.write.events import write_events
from scanner_model.errors import InputInvalid

_MIB = 1024 * 1024
_LONG = 3600.0


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
    hosts = frozenset(name.lower() for name in (host, *names))
    rules = Rules(token=_token(token, token_file, host), largest=max_body * _MIB, hosts=hosts)
    refused_file = check_file(rejected or dictionary.sibling(".rejected.ndjson"), "--rejected")
    engine = replace(dictionary, notify=None).writing(create=True)
    queue = Spool(spool or dictionary.sibling(".spool"), refused_file, largest=max_spool * _MIB)
    importer = SpoolImporter(queue, lambda events: write_events(engine, events), refused_file, echo_err)
    listener = Listener((host, port), queue, rules, lambda: _health(importer, queue))
    importer.start()
    listener.start()
    with ended_by_signal() as wait:
        echo_err(f"listening at http://{f'[{host}]' if ':' in host else host}:{listener.port}/api/v1/lineage")
        while not wait(_LONG):
            continue
    listener.stop()
    importer.stop()
    problems = importer.problems()
    queue.close()
    echo_err(", ".join(f"{count} {name}" for name, count in asdict(importer.result).items()))
    return Exit.FAILED if problems else Exit.DONE


def _health(importer: SpoolImporter, spool: Spool) -> dict[str, Any]:
    problems = importer.problems()
    status = "degraded" if problems else "ok"
    return {"status": status, "trouble": "; ".join(problems), "spool_bytes": spool.size()} | asdict(importer.result)


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
