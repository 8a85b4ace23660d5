"""A monitor's memory on the disk: replaced whole, so that it is never half-written; one monitor at a time.

What is said of a run and what is remembered of it are written at once, so that no end of this program, not even a
SIGKILL, tells a START twice or forgets the end of a run.
"""

from __future__ import annotations

import fcntl
import json
import os
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from dataflow_generator.openlineage.life_state import read_state, state_text
from dataflow_generator.openlineage.lifecycle import RUNNING, Watch
from dataflow_generator.openlineage.run_events import Event, event_line
from scanner_model.errors import InputInvalid, ScannerError
from scanner_model.private_files import atomic_path, open_private

MOST = 5_000
"""Events that may wait to be delivered."""


class Journal:
    """The state file *path*; safe to use from many threads. *most* bounds the events that wait.

    Raises InputInvalid where the file cannot be read or another monitor uses it, ScannerError where it cannot be
    written.
    """

    def __init__(self, path: Path, *, most: int = MOST) -> None:
        self.path = path
        self._most = most
        self._lock = threading.RLock()
        self._held = _held(path)
        self._watches, self._waiting = _read(path)

    def watch(self, server: str) -> Watch:
        """Give what is known of *server*."""
        with self._lock:
            return self._watches.get(server, Watch())

    @property
    def is_full(self) -> bool:
        """Say that no event more can wait: what happens meanwhile is seen when there is room."""
        with self._lock:
            return len(self._waiting) >= self._most

    def keep(self, server: str, watch: Watch, events: Iterable[Event]) -> None:
        """Remember *watch*, and *events* until they are delivered; what changes nothing is not written."""
        with self._lock:
            lines = [event_line(event) for event in events]
            if not lines and watch == self.watch(server):
                return
            watches, waiting = self._watches | {server: watch}, self._waiting + lines
            if len(waiting) >= self._most:
                waiting = without_old_heartbeats(waiting)
            self._write(watches, waiting)
            # Only what the disk keeps is known: else the next poll says it again.
            self._watches, self._waiting = watches, waiting

    def waiting(self) -> tuple[str, ...]:
        """Give the lines of the events that wait, the oldest first."""
        with self._lock:
            return tuple(self._waiting)

    def delivered(self, lines: Iterable[str]) -> None:
        """Forget *lines*, which were delivered, or refused for good."""
        with self._lock:
            gone = set(lines)
            self._waiting = [line for line in self._waiting if line not in gone]
            self._write(self._watches, self._waiting)

    def close(self) -> None:
        """Let another monitor use the file."""
        os.close(self._held)

    def __enter__(self) -> Self:
        """Give itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        self.close()

    def _write(self, watches: Mapping[str, Watch], waiting: Iterable[str]) -> None:
        try:
            with atomic_path(self.path, durable=True) as part:
                part.write_text(state_text(watches, waiting), encoding="utf-8")
        except OSError as error:
            raise ScannerError(f"cannot be written: {error.strerror or error}", where=str(self.path)) from error


def without_old_heartbeats(lines: Iterable[str]) -> list[str]:
    """Leave out every RUNNING that another RUNNING of the same run follows: it told of the same, and later."""
    kept: list[str] = []
    seen: set[str] = set()
    for line in reversed(list(lines)):
        event = json.loads(line)
        if event["eventType"] == RUNNING:
            run = event["run"]["runId"]
            if run in seen:
                continue
            seen.add(run)
        kept.append(line)
    return kept[::-1]


def _held(path: Path) -> int:
    """Take the lock beside *path*, which the system lets go of however this program ends."""
    where = path.with_name(f"{path.name}.lock")
    try:
        held = open_private(where, os.O_RDWR)
    except OSError as error:
        what = f"cannot be made: {error.strerror or error}"
        raise InputInvalid(what, where=str(where), hint="name another place with --state") from error
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(held)
        hint = "end it, or name another file with --state"
        raise InputInvalid("another monitor uses it", where=str(path), hint=hint) from error
    return held


def _read(path: Path) -> tuple[dict[str, Watch], list[str]]:
    try:
        return read_state(path.read_text(encoding="utf-8"), str(path))
    except FileNotFoundError:
        return {}, []
    except (OSError, UnicodeDecodeError) as error:
        hint = "name another file with --state"
        raise InputInvalid("cannot be read", where=str(path), hint=hint) from error
