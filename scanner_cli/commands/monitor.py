"""`scanner monitor`: tells the life of jobs as OpenLineage events, poll after poll."""

from __future__ import annotations

import gc
import random
import signal
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scanner_cli.event_transports import transport_of
from scanner_cli.exits import Exit
from scanner_cli.groups import Group
from scanner_cli.options import config_option
from scanner_cli.outputs import check_file
from scanner_cli.telling import say
from scanner_model.errors import InputInvalid, ScannerError

if TYPE_CHECKING:
    from dataflow_generator.openlineage.delivery import Emitter
    from dataflow_generator.openlineage.journal import Journal
    from scanner_cli.monitoring import Monitor, Server, Surroundings

_LAST_POLL = 5.0
"""Seconds that a poll which is under way is waited for at the end."""


@click.group(cls=Group)
def monitor() -> None:
    """Tell the life of connectors as OpenLineage events, while they live it.

    \b
    Examples:
      scanner monitor connect --config cluster.json --url http://marquez:5000
      scanner monitor connect --config cluster.json --file runs.ndjson
    """


@monitor.command()
@config_option
@click.option("--url", metavar="URL", help="Send events there; else as openlineage-python is configured.")
@click.option(
    "--token",
    envvar="SCANNER_OPENLINEAGE_TOKEN",
    metavar="TOKEN",
    help="Sent to --url as `Authorization: Bearer TOKEN`; better from SCANNER_OPENLINEAGE_TOKEN.",
)
@click.option("--file", type=click.Path(path_type=Path), metavar="FILE", help="Add events to this file, a line each.")
@click.option(
    "--state",
    type=click.Path(path_type=Path),
    default="monitor.json",
    show_default=True,
    metavar="FILE",
    help="What is remembered: open runs, and events that wait.",
)
@click.option(
    "--interval", type=click.FloatRange(0.1), default=10.0, show_default=True, metavar="SECONDS", help="Between polls."
)
@click.option(
    "--heartbeat",
    type=click.FloatRange(1.0),
    default=300.0,
    show_default=True,
    metavar="SECONDS",
    help="The longest silence of a run that goes on.",
)
@click.option("--once", is_flag=True, help="Poll once, deliver, and end: for a scheduler of yours.")
def connect(
    files: Sequence[str],
    url: str | None,
    token: str | None,
    file: Path | None,
    state: Path,
    interval: float,
    heartbeat: float,
    once: bool,
) -> int:
    """Poll Kafka Connect and tell the runs of its connectors.

    START when a connector is seen to run, RUNNING when its lineage or its trouble changes and every five minutes,
    COMPLETE when it is paused, stopped or deleted, FAIL when it or all of its tasks failed, ABORT when it is started
    anew or nobody runs it any more. A worker that does not answer ends nothing. One request a poll.

    The state file is replaced whole; started again, the monitor goes on where it was. Ctrl-C or SIGTERM ends it.

    \b
    Examples:
      scanner monitor connect --config cluster.json --url http://marquez:5000
      scanner monitor connect --config eu.json --config us.json --file runs.ndjson --interval 30
      OPENLINEAGE_URL=http://marquez:5000 scanner monitor connect --config cluster.json --once

    \b
    Exit status: 0 ended, everything is delivered; 2 input invalid, or another monitor uses the state;
    3 some events wait in the state file, were refused, or (--once) a server did not answer.
    """
    from dataflow_generator.openlineage.delivery import Emitter
    from dataflow_generator.openlineage.journal import Journal
    from scanner_cli.cluster_files import read_files
    from scanner_cli.watched_servers import connect_servers

    gc.set_threshold(700)  # facts come and go with every poll here
    clusters, problems = read_files(files)
    if problems:
        raise InputInvalid.listing(problems)
    servers = tuple(connect_servers(clusters))
    if not servers:
        raise InputInvalid("names no Connect cluster", where=", ".join(files), hint="add `connect`, a list of {url}")
    with Journal(check_file(state, "--state")) as journal:
        with Emitter(transport_of(url, token, file), say=say, show=click.echo) as emitter:
            watching = _monitor(journal, emitter, timedelta(seconds=heartbeat))
            whole = _once(watching, servers) if once else _watched(watching, servers, timedelta(seconds=interval))
        return _told(watching, whole=whole)


def _monitor(journal: Journal, emitter: Emitter, heartbeat: timedelta) -> Monitor:
    from dataflow_generator.openlineage.lifecycle import Rules
    from dataflow_generator.openlineage.run_events import our_producer
    from scanner_cli.monitoring import Monitor

    return Monitor(
        journal=journal,
        world=_surroundings(emitter, journal.path),
        producer=our_producer(),
        rules=Rules(heartbeat=heartbeat),
        ended=threading.Event(),
    )


def _surroundings(emitter: Emitter, state: Path) -> Surroundings:
    from dataflow_generator.openlineage.rejected import RejectedFile, rejection
    from scanner_cli.monitoring import Surroundings
    from scanner_model.problems import Problem

    aside = state.with_name(f"{state.name}.rejected.ndjson")

    def refuse(line: str, error: ScannerError) -> None:
        with RejectedFile(aside) as file:
            file.add(rejection(error.where, line, [Problem(error.where, error.what, error.hint)]))
        say(f"refused: {error}; the event is in {aside}")

    return Surroundings(
        now=lambda: datetime.now(UTC),
        draw=random.Random().uniform,  # noqa: S311 - it spreads requests, it guards nothing
        send=emitter.send,
        say=say,
        refused=refuse,
    )


def _once(watching: Monitor, servers: Sequence[Server]) -> bool:
    for server in servers:
        watching.poll(server)
    return watching.deliver() and not watching.counts.unanswered


def _watched(watching: Monitor, servers: Sequence[Server], interval: timedelta) -> bool:
    """Watch until SIGINT or SIGTERM; False where a thread died before."""
    threads = [
        threading.Thread(target=watching.watch, args=(server, interval), daemon=True, name=server.name)
        for server in servers
    ]
    before = {number: signal.signal(number, _ender(watching.ended)) for number in (signal.SIGINT, signal.SIGTERM)}
    say(f"watching {', '.join(server.name for server in servers)}; state in {watching.journal.path}")
    for thread in threads:
        thread.start()
    watching.send_on(alive=lambda: all(thread.is_alive() for thread in threads))
    asked = watching.ended.is_set()
    watching.ended.set()
    for thread in threads:
        thread.join(_LAST_POLL)
    delivered = watching.deliver()
    for number, handler in before.items():
        signal.signal(number, handler)
    return asked and delivered


def _ender(ended: threading.Event) -> Callable[..., None]:
    return lambda *_: ended.set()


def _told(watching: Monitor, *, whole: bool) -> Exit:
    counts = watching.counts
    say(", ".join(f"{count} {name}" for name, count in asdict(counts).items()))
    waiting = len(watching.journal.waiting())
    if waiting:
        say(f"{waiting} events wait in {watching.journal.path}; the next monitor delivers them")
    return Exit.DONE if whole and not waiting and not counts.refused else Exit.PARTIAL
