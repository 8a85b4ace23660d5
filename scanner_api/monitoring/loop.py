"""The loop of a monitor: poll each server, journal its events, deliver them; clock, waits and network are passed in."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from dataflow_generator.openlineage.emit.run_events import Event
from dataflow_generator.openlineage.journal import Journal
from dataflow_generator.openlineage.state_machine import (
    COMPLETE,
    ObservedJob,
    Rules,
    Runs,
    ServerEngine,
    step,
    transition_event,
)
from scanner_model.errors import ScannerError, SourceObjected

_JITTER = 0.1
_FIRST_WAIT, _LONGEST_WAIT = 1.0, 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A server that is polled: *name* identifies it in the state; *look* lists its jobs or raises ScannerError.

    *look* gets the open runs, by job. *gone* is the event that ends the run of a job that is no longer listed.
    """

    name: str
    engine: ServerEngine
    look: Callable[[Runs], Sequence[ObservedJob]]
    gone: str = COMPLETE


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorContext:
    """Clock, network and messages of a monitor; *send* raises SourceObjected for an event that is refused for good.

    *draw* returns a random number between two bounds; *refused* gets the line of each refused event.
    """

    now: Callable[[], datetime]
    draw: Callable[[float, float], float]
    send: Callable[[Event], None]
    notify: Callable[[str], None]
    refused: Callable[[str, ScannerError], None]


@dataclass(slots=True)
class Counts:
    """What a monitor has done so far: *recorded* counts journaled events."""

    polls: int = 0
    unanswered: int = 0
    recorded: int = 0
    delivered: int = 0
    refused: int = 0


@dataclass(slots=True, kw_only=True)
class Monitor:
    """Polls servers until *ended* is set; each may have a thread of its own, beside the one that delivers."""

    journal: Journal
    context: MonitorContext
    producer: str
    rules: Rules = field(default_factory=Rules)
    ended: threading.Event = field(default_factory=threading.Event)
    counts: Counts = field(default_factory=Counts)
    _problems: dict[str, str] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def poll(self, server: Server) -> None:
        """Poll *server* once and journal its events; an unreachable server is reported once."""
        if self.journal.is_full:
            what = f"{self.journal.path}: the journal is full; not polled until some events are delivered"
            self._report_problem(server.name, what)
            return
        try:
            observed = server.look(self.journal.server_state(server.name).runs)
        except ScannerError as error:
            with self._lock:
                self.counts.polls += 1
                self.counts.unanswered += 1
            self._report_problem(server.name, f"{error}; the state of its jobs is unknown")
            return
        self._journal_events(server, observed)

    def deliver(self) -> bool:
        """Send pending events, the oldest first; False where it stopped, and the rest is to be retried."""
        for line in self.journal.waiting():
            try:
                self.context.send(json.loads(line))
                self.counts.delivered += 1
            except SourceObjected as error:
                self.context.refused(line, error)
                self.counts.refused += 1
            except ScannerError as error:
                self._report_problem("delivery", f"{error}; {len(self.journal.waiting())} events are pending")
                return False
            self.journal.delivered((line,))
        self._report_recovery("delivery")
        return True

    def watch(self, server: Server, interval: timedelta) -> None:
        """Poll *server* about once each *interval*, until *ended* is set."""
        seconds = interval.total_seconds()
        while not self.ended.is_set():
            self._safely(server.name, lambda: self.poll(server))
            self.ended.wait(self.context.draw(seconds * (1 - _JITTER), seconds * (1 + _JITTER)))

    def send_on(self, alive: Callable[[], bool], wait: Callable[[float], bool]) -> None:
        """Deliver about once a second, less often while delivery fails, while *alive* and until *wait* returns True.

        *wait* gets the seconds to wait.
        """
        pause = _FIRST_WAIT
        while alive() and not wait(pause):
            done = self._safely("delivery", self.deliver)
            pause = _FIRST_WAIT if done else min(pause * 2, _LONGEST_WAIT)

    def _journal_events(self, server: Server, observed: Sequence[ObservedJob]) -> None:
        rules = replace(self.rules, gone=server.gone)
        state, changes = step(
            self.journal.server_state(server.name), observed, self.context.now(), server=server.name, rules=rules
        )
        events = [transition_event(change, server.engine, self.producer) for change in changes]
        self.journal.record(server.name, state, events)
        with self._lock:
            self.counts.polls += 1
            self.counts.recorded += len(events)
        self._report_recovery(server.name)

    def _safely(self, what: str, act: Callable[[], bool | None]) -> bool:
        """Call *act*; a failure, such as a full disk, is reported and retried later."""
        try:
            return act() is not False
        except ScannerError as error:
            self._report_problem(what, str(error))
            return False

    def _report_problem(self, what: str, text: str) -> None:
        with self._lock:
            is_known, self._problems[what] = what in self._problems, text
        if not is_known:
            self.context.notify(f"warning: {text}")

    def _report_recovery(self, what: str) -> None:
        with self._lock:
            known = self._problems.pop(what, None)
        if known:
            self.context.notify(f"{what}: responds again" if what != "delivery" else "events are delivered again")
