"""A monitor over many polls: resident memory, seconds and requests a poll, with a made-up server.

`python benchmarks/monitor_polls.py --polls 10000 --kind connect --jobs 20`; a poll is ten seconds of the clock that it
is given. `--kind ksqldb` watches as many queries.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "fakes"))

_START = datetime(2026, 3, 1, tzinfo=UTC)
_CLASS = "io.confluent.connect.s3.S3SinkConnector"


def resident() -> float:
    """Return this process's resident memory in MiB."""
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def watch(file: str, kind: str, polls: int) -> None:
    """Poll as the command does, and write the figures."""
    from dataflow_generator.openlineage.emit.delivery import Emitter
    from dataflow_generator.openlineage.journal import Journal
    from scanner_api.monitoring.loop import Monitor, MonitorContext
    from scanner_api.monitoring.servers import servers_of
    from scanner_api.scanning.clusters import read_files

    (server,) = servers_of((kind,), read_files([file])[0])
    directory = Path(file).parent
    events = {"type": "file", "log_file_path": str(directory / "runs.ndjson"), "append": True}
    at = _START

    def write(text: str) -> None:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()

    with Emitter(events, notify=write, show=write) as emitter, Journal(directory / "monitor.json") as journal:
        context = MonitorContext(
            now=lambda: at,
            draw=lambda low, _: low,
            send=emitter.send,
            notify=write,
            refused=lambda line, _: write(line),
        )
        monitor = Monitor(journal=journal, context=context, producer="urn:benchmark")
        started = time.perf_counter()
        for number in range(1, polls + 1):
            at += timedelta(seconds=10)
            monitor.poll(server)
            monitor.deliver()
            if number in (1, polls // 100, polls // 10, polls):
                spent = (time.perf_counter() - started) / number * 1000
                summary = f"{monitor.counts.delivered} events delivered, {monitor.counts.unanswered} unanswered"
                write(f"poll {number}: {resident():.1f} MiB, {spent:.1f} ms a poll, {summary}")


def installations(jobs: int) -> Mapping[str, tuple[Any, Callable[[Any], AbstractContextManager[str]]]]:
    """Return a server of each kind with *jobs* jobs, and what serves it."""
    import connect_server
    import ksqldb_server

    config = {"connector.class": _CLASS, "s3.bucket.name": "lake", "filler": "x" * 300}
    connectors = tuple(
        connect_server.Kept(name=f"sink-{number}", config={**config, "topics": f"t{number},u{number}"})
        for number in range(jobs)
    )
    queries = tuple(ksqldb_server.query(f"CTAS_{number}") for number in range(jobs))
    return {
        "connect": (connect_server.Connect(installation=connectors), connect_server.serving),
        "ksqldb": (ksqldb_server.Ksql(queries=queries), ksqldb_server.serving),
    }


def main() -> None:
    """Serve the sources here, and monitor them from a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--polls", type=int, default=10_000)
    parser.add_argument("--jobs", type=int, default=20)
    parser.add_argument("--kind", choices=("connect", "ksqldb"), default="connect")
    parser.add_argument("--watch", metavar="FILE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.watch:
        watch(options.watch, options.kind, options.polls)
        return
    installation, serving = installations(options.jobs)[options.kind]
    with serving(installation) as url, tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "cluster.json"
        named = {"cluster": "made-up", "brokers": ["k-1:9092"], options.kind: [{"url": url}]}
        file.write_text(json.dumps(named), "utf-8")
        command = [sys.executable, __file__, "--watch", str(file), "--kind", options.kind]
        subprocess.run([*command, "--polls", str(options.polls)], check=True)
    sys.stdout.write(f"{len(installation.asked)} requests for {options.polls} polls\n")


if __name__ == "__main__":
    main()
