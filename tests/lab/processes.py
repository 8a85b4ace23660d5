"""Starts a server as its own process group, knows it again later, and ends the group."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from places import STATE, log

_PIDS = STATE / "pids"
_POLITE = 6.0
_PATIENCE = 60.0


def start(name: str, command: Sequence[str], environment: Mapping[str, str]) -> None:
    """Start *command* in a group of its own; its output goes to the row's log."""
    _PIDS.mkdir(parents=True, exist_ok=True)
    with log(name).open("ab") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=STATE,
            env={**os.environ, **environment},
            start_new_session=True,
        )
    _record(name).write_text(json.dumps({"pid": process.pid, "born": _born(process.pid)}), "utf-8")


def running(name: str) -> bool:
    """Return whether the process that we started under *name* is still there (and no other took its number)."""
    return _alive(_read(_record(name)))


def kill(name: str) -> None:
    """End *name* and all that it started at once, as a machine that loses power; none of it is left afterwards.

    PostgreSQL's processes leave its group, and one of them that lives on keeps the next server from its memory.
    """
    if not running(name):
        return
    family = {pid: _born(pid) for pid in _family(_read(_record(name))["pid"])}
    _signal(_record(name), signal.SIGKILL)
    for pid in family:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + _POLITE
    while time.monotonic() < deadline and any(_alive({"pid": pid, "born": born}) for pid, born in family.items()):
        time.sleep(0.02)


def end(name: str) -> None:
    """Ask *name* to end, and wait for it; whatever is left after a while is killed."""
    if running(name):
        _signal(_record(name), signal.SIGTERM)
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline and running(name):
        time.sleep(0.05)
    kill(name)


def stop_all() -> tuple[str, ...]:
    """End every group that we started, the last started first, and give the names."""
    records = sorted(_PIDS.glob("*.json"), key=lambda path: path.stat().st_mtime, reverse=True)
    stopped = [path for path in records if _alive(_read(path))]
    for path in stopped:
        _signal(path, signal.SIGTERM)
    deadline = time.monotonic() + _POLITE
    while time.monotonic() < deadline and any(_alive(_read(path)) for path in stopped):
        time.sleep(0.2)
    for path in stopped:
        _signal(path, signal.SIGKILL)
    return tuple(path.stem for path in stopped)


def _signal(path: Path, number: signal.Signals) -> None:
    try:
        os.killpg(_read(path)["pid"], number)
    except ProcessLookupError:
        return


def _record(name: str) -> Path:
    return _PIDS / f"{name}.json"


def _read(path: Path) -> Mapping[str, int]:
    return json.loads(path.read_text("utf-8")) if path.is_file() else {"pid": 0, "born": 0}


def _alive(record: Mapping[str, int]) -> bool:
    return bool(record["pid"]) and _born(record["pid"]) == record["born"]


def _family(pid: int) -> set[int]:
    """Return *pid* and the processes that descend from it."""
    parents = {int(file.name): _stat(int(file.name)) for file in Path("/proc").iterdir() if file.name.isdigit()}
    result = {pid}
    while more := {child for child, stat in parents.items() if stat and int(stat[1]) in result} - result:
        result |= more
    return result


def _born(pid: int) -> int:
    """Return the start time of a living process in clock ticks (proc(5), stat 22); -1 where there is none."""
    stat = _stat(pid)
    return -1 if not stat or stat[0] == "Z" else int(stat[19])


def _stat(pid: int) -> list[str]:
    """Return what proc(5) reports of a process from its state (stat 3) on; empty where there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    except OSError:
        return []
