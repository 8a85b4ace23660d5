"""What a listener loses that is killed among 10,000 OpenLineage events, and what it has twice: nothing of either."""

from __future__ import annotations

import json
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from threading import Thread

sys.path.insert(0, str(Path(__file__).parent))

from estate import SEED
from lineage_clients import Posted, post, spoiled
from lineage_estate import ndjson
from measure import Row, scanner

_EVENTS, _CLIENTS, _EVERY = 10_000, 16, 20
_Text = tuple[str, bytes]


def listener_row(directory: Path) -> list[Row]:
    """Post events from 16 clients, one in 20 broken and one in 20 sent twice, to a listener killed half-way.

    Another takes its place on the same port. An event is named by its run and its type; each kept one has a row.
    """
    dictionary, posted = directory / "listened.db", Posted()
    texts = _texts()
    first, port = _listening(dictionary, 0)
    clients = Thread(target=post, args=(port, texts), kwargs={"clients": _CLIENTS, "posted": posted})
    clients.start()
    while sum(posted.statuses.values()) < len(texts) // 2:
        time.sleep(0.005)
    first.send_signal(signal.SIGKILL)
    first.wait()
    second, _ = _listening(dictionary, port)
    clients.join()
    second.send_signal(signal.SIGTERM)
    second.communicate(timeout=120)
    kept, states = _kept(dictionary)
    lost = len(set(posted.acknowledged) - states)
    wrong = lost + kept - len(posted.acknowledged)
    statuses = ", ".join(f"{count:,} answers {status}" for status, count in sorted(posted.statuses.items()))
    return [
        Row(
            name=f"{len(texts):,} events posted, the listener killed half-way",
            ours=wrong,
            unit="acknowledged events lost, or kept twice",
            target="none",
            met=not wrong and second.returncode == 0,
            detail=f"{statuses}; {posted.lost_connections} connections lost; {kept:,} events kept of "
            f"{len(posted.acknowledged):,} acknowledged",
        )
    ]


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


def _listening(dictionary: Path, port: int) -> tuple[subprocess.Popen[str], int]:
    """Start a listener; give it and its port once it says where it listens."""
    command = [scanner(), "openlineage", "listen", "--port", str(port), "--dictionary", str(dictionary)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    line = process.stderr.readline() if process.stderr else ""
    return process, int(line.rpartition(":")[2].partition("/")[0])


def _kept(dictionary: Path) -> tuple[int, set[str]]:
    """Count the events that are kept, and name them as far as their runs do."""
    with closing(sqlite3.connect(dictionary)) as conn:
        ((kept,),) = conn.execute("select count(*) from lineage_event")
        ends = conn.execute("select run_id, started, ended from lineage_run").fetchall()
    started = {f"{run} START" for run, begun, _ in ends if begun}
    return kept, started | {f"{run} COMPLETE" for run, _, ended in ends if ended}
