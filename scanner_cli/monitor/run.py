"""A monitor as a command runs it: its threads and signals, where its events go, and what it says at the end."""

from __future__ import annotations

import random
import threading
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from scanner_cli.console import echo_err, ended_by_signal
from scanner_cli.exit_codes import Exit
from scanner_model.errors import ScannerError

if TYPE_CHECKING:
    from dataflow_generator.openlineage.emit.delivery import Emitter
    from dataflow_generator.openlineage.monitor.journal import Journal
    from scanner_cli.monitor.loop import Monitor, MonitorContext, Server

_LAST_POLL = 5.0
"""Seconds that a poll which is under way is waited for at the end."""


def build_monitor(journal: Journal, emitter: Emitter, heartbeat: timedelta) -> Monitor:
    """Build the monitor that *journal* remembers for, with the clock and the events of this process."""
    from dataflow_generator.openlineage.emit.run_events import our_producer
    from dataflow_generator.openlineage.monitor.state_machine import Rules
    from scanner_cli.monitor.loop import Monitor

    return Monitor(
        journal=journal,
        world=_surroundings(emitter, journal.path),
        producer=our_producer(),
        rules=Rules(heartbeat=heartbeat),
    )


def once(watching: Monitor, servers: Sequence[Server]) -> Exit:
    """Poll each server once, deliver, and tell how it went."""
    for server in servers:
        watching.poll(server)
    return _told(watching, whole=watching.deliver() and not watching.counts.unanswered)


def run_monitor(watching: Monitor, servers: Sequence[Server], interval: timedelta) -> Exit:
    """ServerState until SIGINT or SIGTERM, and tell how it went; the same signal a second time does not wait."""
    threads = [
        threading.Thread(target=watching.watch, args=(server, interval), daemon=True, name=server.name)
        for server in servers
    ]
    with ended_by_signal() as wait:
        echo_err(f"watching {', '.join(server.name for server in servers)}; state in {watching.journal.path}")
        for thread in threads:
            thread.start()
        watching.send_on(alive=lambda: all(thread.is_alive() for thread in threads), wait=wait)
        asked = wait(0)
    watching.ended.set()
    for thread in threads:
        thread.join(_LAST_POLL)
    return _told(watching, whole=watching.deliver() and asked)


def _surroundings(emitter: Emitter, state: Path) -> MonitorContext:
    from dataflow_generator.openlineage.intake.dead_letter import RejectedFile, rejection
    from scanner_cli.monitor.loop import MonitorContext
    from scanner_model.problems import Problem

    aside = state.with_name(f"{state.name}.rejected.ndjson")

    def refuse(line: str, error: ScannerError) -> None:
        with RejectedFile(aside) as file:
            file.add(rejection(error.where, line, [Problem(error.where, error.what, error.hint)]))
        echo_err(f"refused: {error}; the event is in {aside}")

    return MonitorContext(
        now=lambda: datetime.now(UTC),
        draw=random.Random().uniform,  # noqa: S311 - it spreads requests, it guards nothing
        send=emitter.send,
        say=echo_err,
        refused=refuse,
    )


def _told(watching: Monitor, *, whole: bool) -> Exit:
    counts = watching.counts
    echo_err(", ".join(f"{count} {name}" for name, count in asdict(counts).items()))
    waiting = len(watching.journal.waiting())
    if waiting:
        echo_err(f"{waiting} events wait in {watching.journal.path}; the next monitor delivers them")
    return Exit.DONE if whole and not waiting and not counts.refused else Exit.PARTIAL
