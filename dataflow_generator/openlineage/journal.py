"""The state file of a monitor: replaced atomically, and locked by one monitor at a time.

Runs and their undelivered events are written together, so that no termination of this program, not even a SIGKILL,
repeats a START or loses the end of a run.
"""

from __future__ import annotations

import fcntl
import json
import os
import threading
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from dataflow_generator.openlineage.emit.run_events import DatasetEntry, Event, JobEntry, event_line
from dataflow_generator.openlineage.state_machine import RUNNING, Run, ServerState
from scanner_model.errors import InputInvalid, ScannerError
from scanner_model.private_files import atomic_path, open_private

Json = Any

_VERSION = 1
_HINT = "move it away; a new run is then started for every running job"


def state_text(states: Mapping[str, ServerState], waiting: Iterable[str]) -> str:
    """Serialize the *states* by server, and the event lines *waiting*, in order."""
    servers = {name: _server_json(states[name]) for name in sorted(states)}
    # Events are stored as text: they are many, and are parsed only to be sent.
    return json.dumps({"version": _VERSION, "servers": servers, "waiting": list(waiting)}, sort_keys=True) + "\n"


def read_state(text: str, where: str) -> tuple[dict[str, ServerState], list[str]]:
    """Parse the output of `state_text`; raises InputInvalid for anything else, or for the state of a newer program."""
    try:
        match json.loads(text):
            case {"version": int(version)} if version > _VERSION:
                raise InputInvalid(
                    "was written by a newer version of this program", where=where, hint="use that version"
                )
            case {"version": int(), "servers": {**servers}, "waiting": [*lines]} if all(
                isinstance(line, str) for line in lines
            ):
                return {str(name): _read_server(server) for name, server in servers.items()}, lines
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputInvalid("is damaged, or not the state of a monitor", where=where, hint=_HINT) from error
    raise InputInvalid("is not the state of a monitor", where=where, hint=_HINT)


def _server_json(state: ServerState) -> Json:
    return {"begun": state.runs_started, "runs": {name: _run_json(state.runs[name]) for name in sorted(state.runs)}}


def _run_json(run: Run) -> Json:
    return {
        "id": run.id,
        "told": run.emitted.isoformat(),
        "latest": run.latest.isoformat(),
        "job": asdict(run.job),
        "trouble": run.error,
        "missed": run.missed,
        "unsettled": run.unsettled.isoformat() if run.unsettled else None,
    }


def _read_server(server: Json) -> ServerState:
    runs = {str(name): _read_run(run) for name, run in server["runs"].items()}
    return ServerState(runs_started=int(server["begun"]), runs=runs)


def _read_run(run: Json) -> Run:
    return Run(
        id=str(run["id"]),
        emitted=_moment(run["told"]),
        latest=_moment(run["latest"]),
        job=_read_job(run["job"]),
        error=str(run["trouble"]),
        missed=int(run["missed"]),
        unsettled=_moment(run["unsettled"]) if run["unsettled"] else None,
    )


def _moment(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    if at.tzinfo is None:
        raise ValueError(text)
    return at


def _read_job(job: Json) -> JobEntry:
    inputs, outputs = (tuple(DatasetEntry(**dataset) for dataset in job[side]) for side in ("inputs", "outputs"))
    return JobEntry(**job | {"inputs": inputs, "outputs": outputs})


MOST = 5_000
"""The largest number of undelivered events."""


class Journal:
    """The state file *path*, thread-safe; *most* bounds the undelivered events.

    Raises InputInvalid where the file cannot be read or another monitor uses it, ScannerError where it cannot be
    written.
    """

    def __init__(self, path: Path, *, most: int = MOST) -> None:
        self.path = path
        self._most = most
        self._lock = threading.RLock()
        self._lock_descriptor = _locked(path)
        self._states, self._waiting = _read(path)

    def server_state(self, server: str) -> ServerState:
        """Return the state of *server*; empty for an unknown one."""
        with self._lock:
            return self._states.get(server, ServerState())

    @property
    def is_full(self) -> bool:
        """Return whether no more events can be stored; changes are then observed once there is room."""
        with self._lock:
            return len(self._waiting) >= self._most

    def record(self, server: str, state: ServerState, events: Iterable[Event]) -> None:
        """Store *state*, and *events* until they are delivered; nothing is written where nothing changed."""
        with self._lock:
            lines = [event_line(event) for event in events]
            if not lines and state == self.server_state(server):
                return
            states, waiting = self._states | {server: state}, self._waiting + lines
            if len(waiting) >= self._most:
                waiting = without_old_heartbeats(waiting)
            self._write(states, waiting)
            # Updated only after the write: otherwise the next poll emits the same events again.
            self._states, self._waiting = states, waiting

    def waiting(self) -> tuple[str, ...]:
        """Return the lines of undelivered events, oldest first."""
        with self._lock:
            return tuple(self._waiting)

    def delivered(self, lines: Iterable[str]) -> None:
        """Remove *lines*, which were delivered or permanently refused."""
        with self._lock:
            done = set(lines)
            self._waiting = [line for line in self._waiting if line not in done]
            self._write(self._states, self._waiting)

    def close(self) -> None:
        """Release the lock of the file."""
        os.close(self._lock_descriptor)

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        self.close()

    def _write(self, states: Mapping[str, ServerState], waiting: Iterable[str]) -> None:
        try:
            with atomic_path(self.path, durable=True) as part:
                part.write_text(state_text(states, waiting), encoding="utf-8")
        except OSError as error:
            raise ScannerError(f"cannot be written: {error.strerror or error}", where=str(self.path)) from error


def without_old_heartbeats(lines: Iterable[str]) -> list[str]:
    """Return *lines* without each RUNNING that a later RUNNING of the same run supersedes."""
    remaining: list[str] = []
    runs: set[str] = set()
    for line in reversed(list(lines)):
        event = json.loads(line)
        if event["eventType"] == RUNNING:
            run = event["run"]["runId"]
            if run in runs:
                continue
            runs.add(run)
        remaining.append(line)
    return remaining[::-1]


def _locked(path: Path) -> int:
    """Lock the file beside *path*; the system releases the lock however this program ends."""
    where = path.with_name(f"{path.name}.lock")
    try:
        descriptor = open_private(where, os.O_RDWR)
    except OSError as error:
        what = f"cannot be made: {error.strerror or error}"
        raise InputInvalid(what, where=str(where), hint="name another place with --state") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        hint = "end it, or name another file with --state"
        raise InputInvalid("another monitor uses it", where=str(path), hint=hint) from error
    return descriptor


def _read(path: Path) -> tuple[dict[str, ServerState], list[str]]:
    try:
        return read_state(path.read_text(encoding="utf-8"), str(path))
    except FileNotFoundError:
        return {}, []
    except (OSError, UnicodeDecodeError) as error:
        hint = "name another file with --state"
        raise InputInvalid("cannot be read", where=str(path), hint=hint) from error


_ROOM = 64 * 1024
"""Bytes that a library may add to an event, as its own tags are."""


def complete_last_line(journal: Journal, file: Path) -> None:
    """Treat the first undelivered event as delivered where *file* ends with it; terminate a truncated last line.

    Raises InputInvalid where the file cannot be read or written, ScannerError where the journal cannot.
    """
    first = journal.waiting()[:1]
    try:
        if first and ends_with(file, first[0]):
            journal.delivered(first)
    except OSError as error:
        what = f"cannot be used: {error.strerror or error}"
        raise InputInvalid(what, where=str(file), hint="name another file with --file") from error


def ends_with(file: Path, line: str) -> bool:
    """Return whether the last line of *file* is the event of *line*; a truncated line is not, and is terminated."""
    if not file.is_file():
        return False
    with file.open("r+b") as stream:
        size = stream.seek(0, os.SEEK_END)
        stream.seek(max(size - 2 * len(line.encode()) - _ROOM, 0))
        tail = stream.read()
        if tail and not tail.endswith(b"\n"):
            stream.write(b"\n")
            return False
    return _identity(tail.strip().rpartition(b"\n")[2]) == _identity(line)


def _identity(line: str | bytes) -> tuple[Json, ...]:
    """Return run id, state and time of an event, which are unique among events; empty for an invalid line."""
    try:
        event = json.loads(line)
        return event["run"]["runId"], event["eventType"], event["eventTime"]
    except (ValueError, KeyError, TypeError):
        return ()
