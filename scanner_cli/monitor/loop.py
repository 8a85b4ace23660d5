"""The loop of a monitor: poll each server, keep what is to be said, deliver it; clock, pause and network handed in."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from dataflow_generator.openlineage.emit.run_events import Event
from dataflow_generator.openlineage.monitor.journal import Journal
from dataflow_generator.openlineage.monitor.state_machine import (
    COMPLETE,
    Engine,
    ObservedJob,
    Rules,
    Runs,
    step,
    transition_event,
)
from scanner_model.errors import ScannerError, SourceObjected

_JITTER = 0.1
_FIRST_WAIT, _LONGEST_WAIT = 1.0, 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A server whose jobs are watched: *name* is its own in the state; *look* lists its jobs or raises ScannerError.

    *look* is given the runs that are open, by job. *gone* is how the run of a job ends that is not listed any more.
    """

    name: str
    engine: Engine
    look: Callable[[Runs], Sequence[ObservedJob]]
    gone: str = COMPLETE


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorContext:
    """Clock and world of a monitor: *send* raises SourceObjected for an event that will never be taken.

    *draw* gives a number between two bounds; *refused* is told the line of each event that was not taken.
    """

    now: Callable[[], datetime]
    draw: Callable[[float, float], float]
    send: Callable[[Event], None]
    say: Callable[[str], None]
    refused: Callable[[str, ScannerError], None]


@dataclass(slots=True)
class Counts:
    """What a monitor did so far."""

    polls: int = 0
    unanswered: int = 0
    said: int = 0
    delivered: int = 0
    refused: int = 0


@dataclass(slots=True, kw_only=True)
class Monitor:
    """Watches servers until *ended* is set; each may have a thread, beside one that delivers."""

    journal: Journal
    world: MonitorContext
    producer: str
    rules: Rules = field(default_factory=Rules)
    ended: threading.Event = field(default_factory=threading.Event)
    counts: Counts = field(default_factory=Counts)
    _silent: dict[str, str] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def poll(self, server: Server) -> None:
        """Query *server* once, and keep what is to be said; that it does not answer is said once."""
        if self.journal.is_full:
            what = f"{self.journal.path}: no more events can wait; it is not asked until some are delivered"
            self._trouble(server.name, what)
            return
        try:
            seen = server.look(self.journal.server_state(server.name).runs)
        except ScannerError as error:
            with self._lock:
                self.counts.polls += 1
                self.counts.unanswered += 1
            self._trouble(server.name, f"{error}; what runs there is not known")
            return
        self._keep(server, seen)

    def deliver(self) -> bool:
        """Send what waits, the oldest first; False where it stopped, and what is left is to be tried again."""
        for line in self.journal.waiting():
            try:
                self.world.send(json.loads(line))
                self.counts.delivered += 1
            except SourceObjected as error:
                self.world.refused(line, error)
                self.counts.refused += 1
            except ScannerError as error:
                self._trouble("delivery", f"{error}; {len(self.journal.waiting())} events wait")
                return False
            self.journal.delivered((line,))
        self._fine("delivery")
        return True

    def watch(self, server: Server, interval: timedelta) -> None:
        """Poll *server* about each *interval*, until it is over."""
        seconds = interval.total_seconds()
        while not self.ended.is_set():
            self._safely(server.name, lambda: self.poll(server))
            self.ended.wait(self.world.draw(seconds * (1 - _JITTER), seconds * (1 + _JITTER)))

    def send_on(self, alive: Callable[[], bool], wait: Callable[[float], bool]) -> None:
        """Deliver about each second, less often while nothing is taken, until *wait* or *alive* says that it is over.

        *wait* waits for some seconds, and gives True when it is over.
        """
        pause = _FIRST_WAIT
        while alive() and not wait(pause):
            done = self._safely("delivery", self.deliver)
            pause = _FIRST_WAIT if done else min(pause * 2, _LONGEST_WAIT)

    def _keep(self, server: Server, seen: Sequence[ObservedJob]) -> None:
        rules = replace(self.rules, gone=server.gone)
        watch, said = step(
            self.journal.server_state(server.name), seen, self.world.now(), server=server.name, rules=rules
        )
        events = [transition_event(each, server.engine, self.producer) for each in said]
        self.journal.record(server.name, watch, events)
        with self._lock:
            self.counts.polls += 1
            self.counts.said += len(events)
        self._fine(server.name)

    def _safely(self, what: str, act: Callable[[], bool | None]) -> bool:
        """Act; what cannot be done now, as to write to a full disk, is said and done later."""
        try:
            return act() is not False
        except ScannerError as error:
            self._trouble(what, str(error))
            return False

    def _trouble(self, what: str, text: str) -> None:
        with self._lock:
            known, self._silent[what] = what in self._silent, text
        if not known:
            self.world.say(f"warning: {text}")

    def _fine(self, what: str) -> None:
        with self._lock:
            known = self._silent.pop(what, None)
        if known:
            self.world.say(f"{what}: answers again" if what != "delivery" else "events are delivered again")
