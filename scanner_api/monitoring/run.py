"""Running a monitor: the threads that poll, the delivery of events, and what is left at the end."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from concurrent import futures
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from dataflow_generator.openlineage.emit.delivery import Emitter, Transport
from dataflow_generator.openlineage.emit.run_events import our_producer
from dataflow_generator.openlineage.journal import Journal, complete_last_line
from dataflow_generator.openlineage.spool import RejectedFile, rejection
from dataflow_generator.openlineage.state_machine import Rules
from scanner_api.files import Notify, check_file, ignore
from scanner_api.monitoring.loop import Counts, Monitor, MonitorContext, Server
from scanner_api.monitoring.servers import servers_of
from scanner_api.openlineage import lines_file, transport_of
from scanner_api.scanning.clusters import read_files
from scanner_model.errors import InputInvalid, Problem, ScannerError
from scanner_model.threads import start

KINDS = ("connect", "ksqldb", "flink")

_LAST_POLL = 5.0
"""Seconds to wait at the end for a poll that is in progress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorResult:
    """What a monitor did; *pending* events wait in the state file for the next one.

    *complete*: it was ended as requested, every server responded in the last poll of a single one, and every event
    was delivered.
    """

    counts: Counts
    pending: int
    complete: bool


def monitor(
    config_files: Sequence[str | Path],
    state: Path,
    *,
    kinds: Sequence[str] = KINDS,
    transport: Transport | None = None,
    interval: float = 10.0,
    heartbeat: float = 300.0,
    until: AbstractContextManager[Callable[[float], bool]] | None = None,
    notify: Notify = ignore,
    on_console: Notify = ignore,
) -> MonitorResult:
    """Poll the Connect, ksqlDB and Flink servers of *config_files*, and emit the runs of their jobs as events.

    *state* is a file that holds open runs and pending events between two monitors. *transport*: see `emit`; None: that
    of the configuration. *interval* and *heartbeat* are seconds. *until* is entered while the monitor polls; its value
    gets seconds to wait and returns True to end the monitor, as `contextlib.nullcontext(threading.Event().wait)` does.
    None polls once. Raises InputInvalid for a file or an argument, or where another monitor uses *state*.

    >>> monitor(["cluster.json"], Path("monitor.json"), transport={"type": "console"}).counts.polls
    """
    files = [str(file) for file in config_files]
    clusters, problems = read_files(files)
    if problems:
        raise InputInvalid.listing(problems)
    servers = tuple(servers_of(kinds, clusters, notify))
    if not servers:
        what, hint = f"names no server of {', '.join(kinds)}", f"add `{kinds[0]}`, a list of {{url}}"
        raise InputInvalid(what, where=", ".join(files), hint=hint)
    target = _without_retries(transport or transport_of(None, None, None, clusters))
    with Journal(check_file(state, "--state")) as journal, Emitter(target, notify=notify, show=on_console) as emitter:
        if file := lines_file(target):
            complete_last_line(journal, file)
        built = build_monitor(journal, emitter, timedelta(seconds=heartbeat), notify)
        if until is None:
            return poll_once(built, servers)
        return run_monitor(built, servers, timedelta(seconds=interval), until)


def build_monitor(journal: Journal, emitter: Emitter, heartbeat: timedelta, notify: Notify) -> Monitor:
    """Build a monitor with the state of *journal*, this machine's clock, and *emitter* as its target."""
    return Monitor(
        journal=journal,
        context=_context(emitter, journal.path, notify),
        producer=our_producer(),
        rules=Rules(heartbeat=heartbeat),
    )


def poll_once(monitor: Monitor, servers: Sequence[Server]) -> MonitorResult:
    """Poll each server once and deliver the events."""
    for server in servers:
        monitor.poll(server)
    return _result(monitor, complete=monitor.deliver() and not monitor.counts.unanswered)


def run_monitor(
    monitor: Monitor,
    servers: Sequence[Server],
    interval: timedelta,
    until: AbstractContextManager[Callable[[float], bool]],
) -> MonitorResult:
    """Poll until the value of *until* returns True, each server in a thread of its own."""
    names = ", ".join(server.name for server in servers)
    with until as wait:
        monitor.context.notify(f"watching {names}; state in {monitor.journal.path}")
        watches = [start(partial(monitor.watch, server, interval), server.name) for server in servers]
        monitor.send_on(alive=lambda: not any(watch.done() for watch in watches), wait=wait)
        is_ended = wait(0)
    monitor.ended.set()
    ended = futures.wait(watches, _LAST_POLL).done
    result = _result(monitor, complete=monitor.deliver() and is_ended)
    for watch in ended:
        watch.result()  # raises what ended it, if not the monitor did
    return result


def _without_retries(transport: Transport | None) -> Transport | None:
    """Return *transport* with a single retry over HTTP, unless it sets a number: the monitor itself retries."""
    if transport is None or transport.get("type") != "http" or "retry" in transport:
        return transport
    return {**transport, "retry": {"total": 1}}


def _context(emitter: Emitter, state: Path, notify: Notify) -> MonitorContext:
    rejected = state.with_name(f"{state.name}.rejected.ndjson")

    def refuse(line: str, error: ScannerError) -> None:
        with RejectedFile(rejected) as file:
            file.add(rejection(error.where, line, [Problem(error.where, error.what, error.hint)]))
        notify(f"refused: {error}; the event is in {rejected}")

    return MonitorContext(
        now=lambda: datetime.now(UTC),
        draw=random.Random().uniform,  # noqa: S311 - it spreads requests, it protects nothing
        send=emitter.send,
        notify=notify,
        refused=refuse,
    )


def _result(monitor: Monitor, *, complete: bool) -> MonitorResult:
    return MonitorResult(counts=monitor.counts, pending=len(monitor.journal.waiting()), complete=complete)
