"""Brings the rows up in the order of what they come after, and says of each how it went."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

import places
import processes
from rows import Server, Step

_GOOD = ("up", "done")


class NotUp(Exception):
    """A server that ended, or did not answer in time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """How one row went: *state* is up, done, failed, absent (not to be had) or left out (what it needs is not up)."""

    state: str
    seconds: float = 0.0
    note: str = ""

    @property
    def good(self) -> bool:
        """Return whether others may build on this row."""
        return self.state in _GOOD


def bring_up(rows: Sequence[Server | Step], absent: Mapping[str, str]) -> Mapping[str, Result]:
    """Start servers and do steps, two at a time; *absent* gives the reason for each artifact that is not there."""
    results = {row.name: without for row in rows if (without := _without(row, absent))}
    pending = [row for row in rows if row.name not in results]
    under_way: dict[Future[str], tuple[Server | Step, float]] = {}
    with ThreadPoolExecutor(3) as pool:
        while pending or under_way:
            for row in [row for row in pending if all(name in results for name in row.after)]:
                pending.remove(row)
                missing = [name for name in row.after if not results[name].good]
                if missing:
                    results[row.name] = Result(state="left out", note=f"needs {', '.join(missing)}")
                else:
                    under_way[pool.submit(_do, row)] = (row, time.monotonic())
            for done in wait(under_way, return_when=FIRST_COMPLETED).done if under_way else ():
                row, started = under_way.pop(done)
                results[row.name] = _result(row, done, time.monotonic() - started)
    return {row.name: results[row.name] for row in rows}


def _without(row: Server | Step, absent: Mapping[str, str]) -> Result | None:
    missing = [name for name in row.needs if name in absent]
    return Result(state="absent", note=f"{missing[0]}: {absent[missing[0]]}") if missing else None


def _result(row: Server | Step, done: Future[str], seconds: float) -> Result:
    error = done.exception()
    if error:
        return Result(state="failed", seconds=seconds, note=" ".join(f"{type(error).__name__}: {error}".split()))
    return Result(state="up" if isinstance(row, Server) else "done", seconds=seconds, note=done.result())


def _do(row: Server | Step) -> str:
    return serve(row) if isinstance(row, Server) else row.run()


def serve(server: Server) -> str:
    """Start *server* and wait until it answers; raises NotUp."""
    was_up = processes.running(server.name)
    if not was_up:
        server.prepare()
        processes.start(server.name, server.command(), server.environment)
    deadline = time.monotonic() + server.patience
    while time.monotonic() < deadline:
        if not processes.running(server.name):
            raise NotUp(f"it ended: {places.log(server.name)}: {_last_line(server.name)}")
        if server.ready():
            return "was up" if was_up else ""
        time.sleep(0.3)
    raise NotUp(f"no answer within {server.patience:.0f} s: {places.log(server.name)}")


def _last_line(name: str) -> str:
    lines = places.log(name).read_text("utf-8", "replace").strip().splitlines()
    return lines[-1][:200] if lines else "it wrote nothing"
