"""What a listener loses that is killed, and whose disk is full, among 10,000 OpenLineage events: nothing."""

from __future__ import annotations

import json
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Thread

sys.path.insert(0, str(Path(__file__).parent))

from installation import SEED
from lineage_clients import Posted, post, spoiled
from lineage_installation import ndjson
from measure import Row, scanner, sized

_EVENTS, _CLIENTS, _EVERY = sized(10_000), 16, 20
_KILLS, _FILLS = min(20, _EVENTS // 50), 2
_DISK = "32m"
_LIMIT = 10_000
"""Bytes of a file, where no small disk can be mounted."""
_Text = tuple[str, bytes]


def listener_row(directory: Path) -> list[Row]:
    """Post events from 16 clients, one in 20 broken and one in 20 sent twice, to a listener that has bad luck.

    It is killed 20 times at random, another takes its place on the same port, and its spool's disk is filled twice. An
    event is named by its run and its type; each kept one has a row.
    """
    dictionary, posted, texts = directory / "listened.db", Posted(), _texts()
    moments = random.Random(SEED).sample(range(len(texts) // 20, len(texts) * 19 // 20), _KILLS + _FILLS)
    with _disk(directory / "spool") as disk:
        process, port = _listening(dictionary, directory / "spool", 0)
        clients = Thread(target=post, args=(port, texts), kwargs={"clients": _CLIENTS, "posted": posted})
        clients.start()
        for number, moment in enumerate(sorted(moments)):
            while sum(posted.statuses.values()) < moment and clients.is_alive():
                time.sleep(0.002)
            if number % (_KILLS // _FILLS + 1) == 1:
                _fill(disk, process, posted)
            else:
                process.send_signal(signal.SIGKILL)
                process.wait()
                process, _ = _listening(dictionary, directory / "spool", port)
        clients.join()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=120)
    stored, states = _stored_events(dictionary)
    lost = len(set(posted.acknowledged) - states)
    wrong = lost + abs(stored - len(posted.acknowledged))
    statuses = ", ".join(f"{count:,} answers {status}" for status, count in sorted(posted.statuses.items()))
    return [
        Row(
            name=f"{len(texts):,} events posted, the listener killed {_KILLS} times, its disk filled {_FILLS} times",
            ours=wrong,
            unit="acknowledged events lost, or kept twice",
            target="none",
            met=not wrong and process.returncode == 0,
            detail=f"{statuses}; {posted.lost_connections} connections lost, {posted.turned_away} answers 503 before; "
            f"{stored:,} events stored of {len(posted.acknowledged):,}; the full disk was {disk or 'a limit'}",
        )
    ]


@contextmanager
def _disk(directory: Path) -> Iterator[Path | None]:
    """Mount a small disk at *directory* and yield it; None where this user may not."""
    directory.mkdir(mode=0o700)
    command = ["mount", "-t", "tmpfs", "-o", f"size={_DISK},mode=700", "scanner", str(directory)]
    mounted = shutil.which("mount") and subprocess.run(command, capture_output=True, check=False).returncode == 0
    try:
        yield directory if mounted else None
    finally:
        if mounted:
            subprocess.run(["umount", str(directory)], check=True)


def _fill(disk: Path | None, process: subprocess.Popen[str], posted: Posted) -> None:
    """Leave no room on the disk until clients were turned away for it; without a disk, limit the size of files."""
    before, end = posted.turned_away, time.monotonic() + 30
    ballast = disk / "ballast" if disk else None
    if ballast:
        with suppress(OSError), ballast.open("wb", buffering=0) as out:
            while out.write(bytes(4096)):
                continue
    else:
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (_LIMIT, resource.RLIM_INFINITY))
    while posted.turned_away < before + _CLIENTS and time.monotonic() < end:
        time.sleep(0.002)
    if ballast:
        ballast.unlink()
    else:
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def _texts() -> list[_Text]:
    lines = [line.encode() for line in ndjson(_EVENTS)]
    broken = lines[::_EVERY]
    good = [line for number, line in enumerate(lines) if number % _EVERY]
    named = [(_name(line), line) for line in good]
    texts = [*named, *named[:: _EVERY - 1], *(("", spoiled(line)) for line in broken)]
    random.Random(SEED).shuffle(texts)
    return texts


def _name(line: bytes) -> str:
    event = json.loads(line)
    return f"{event['run']['runId']} {event['eventType']}"


def _listening(dictionary: Path, spool: Path, port: int) -> tuple[subprocess.Popen[str], int]:
    """Start a listener; return it and its port once it says where it listens."""
    options = ["--port", str(port), "--spool", str(spool), "--dictionary", str(dictionary)]
    process = subprocess.Popen([scanner(), "openlineage", "listen", *options], stderr=subprocess.PIPE, text=True)
    line = process.stderr.readline() if process.stderr else ""
    return process, int(line.rpartition(":")[2].partition("/")[0])


def _stored_events(dictionary: Path) -> tuple[int, set[str]]:
    """Count the events that are kept, and name them as far as their runs do."""
    with closing(sqlite3.connect(dictionary)) as conn:
        ((stored,),) = conn.execute("select count(*) from lineage_event")
        ends = conn.execute("select run_id, started, ended from lineage_run").fetchall()
    started = {f"{run} START" for run, is_started, _ in ends if is_started}
    return stored, started | {f"{run} COMPLETE" for run, _, ended in ends if ended}
