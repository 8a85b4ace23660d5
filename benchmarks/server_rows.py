"""Figures of `scanner serve`, also with --mcp, on a large dictionary: latencies with 16 clients, memory, requests/s.

`python benchmarks/server_rows.py [--columns N] [--dictionary FILE]` builds a dictionary of ten million columns,
or of N, with its graph, and measures on it; a FILE that exists is used as it is, else it is written and kept.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import anyio

sys.path.insert(0, str(Path(__file__).parent))

from installation import SEED
from large_installation import ENDINGS, WORDS, Size, build, topic_name
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from measure import Row, conditions, environment, scanner, table

from scanner_api import generate, open_dictionary
from scanner_dictionary.engine.open import open_dictionary as open_engine
from scanner_dictionary.engine.open import writing
from scanner_dictionary.write.name_index import index_new_names
from scanner_server.mcp_tools import TOOLS, Tools, read_arguments

COLUMNS = 10_000_000
_CLIENTS = 16
_REQUESTS = 1_600
"""Requests of a run, so that 16 are beyond the 99th percentile."""

_RUNS = 3
_MOST_MEMORY = 400
_CLUSTER = "bank-1"


def size_of(columns: int) -> Size:
    """Return the size of the installation with so many columns."""
    return Size(columns=columns, topics=max(columns // 100, 200), jobs=max(columns // 500, 6))


def build_dictionary(file: Path, size: Size) -> None:
    """Write a dictionary with its index of names and its graph."""
    build(str(file), size)
    engine = open_engine(str(file))
    with writing(engine) as conn:
        index_new_names(conn)
    engine.dispose()
    generate(open_dictionary(file))


@dataclass(frozen=True, slots=True)
class Load:
    """Requests by 16 clients: each percentile is the median of several runs, in milliseconds."""

    median: float
    p99: float
    rate: float


def searches(size: Size, chance: random.Random) -> Iterator[str]:
    """Yield different searches without end: names of topics, columns and jobs, beginnings, one in eight of nothing."""
    while True:
        number = chance.randrange(size.topics)
        name = topic_name(number)
        text = chance.choice(
            (
                name,
                name[: chance.randrange(8, len(name))],
                f"{chance.choice(WORDS)}_{chance.choice(ENDINGS)}_{chance.randrange(300)}",
                f"{chance.choice(WORDS)}_{chance.choice(ENDINGS)}"[: chance.randrange(2, 12)],
                f"{chance.choice(ENDINGS)}_{chance.randrange(100)}",
                f"mover-{chance.randrange(max(size.jobs, 1))}",
                f"{name}.{chance.choice(WORDS)}",
                f"{chance.choice(WORDS)}_{number}_nowhere",
            )
        )
        yield f"/api/v1/search?q={quote(text)}&limit={chance.randrange(10, 60)}"


def neighbourhoods(size: Size, chance: random.Random) -> Iterator[str]:
    """Yield different requests of two hops each way without end: around jobs, topics, and the hub of each cluster."""
    while True:
        number = chance.randrange(max(size.jobs, 1))
        job = (
            f"mover-{number}"
            if number % 2 == 0
            else f"CSAS_O{number}_{number}"
            if number % 6 != 5
            else f"nightly-{number}"
        )
        hub = topic_name(chance.randrange(size.clusters))
        node = hub if chance.random() < 0.05 else job
        yield f"/api/v1/lineage?node={quote(node)}&upstream=2&downstream=2&limit={chance.randrange(300, 2_000)}"


def server_row(directory: Path, columns: int = COLUMNS, dictionary: Path | None = None) -> list[Row]:
    """What 16 clients wait for on a dictionary of so many columns, and what an assistant waits for."""
    file, size = dictionary or directory / "server.db", size_of(columns)
    if not file.exists():
        build_dictionary(file, size)
    detail = f"{columns:,} columns, {size.topics:,} topics, {size.jobs:,} jobs, {file.stat().st_size / 2**30:.1f} GiB"
    chance = random.Random(SEED)
    with serving(file) as (port, process):
        load(port, searches(size, chance), runs=1)  # compiles the statements
        started = processor(process.pid)
        search = load(port, searches(size, chance))
        between = processor(process.pid)
        neighbourhood = load(port, neighbourhoods(size, chance))
        ended = processor(process.pid)
        memory = peak_memory(process.pid)
        path = f"/api/v1/clusters/{_CLUSTER}/topics/{quote(topic_name(0))}/schemas"
        schemas = load(port, iter([path] * 100_000), requests=8_000)
        questions = [_question(port, *row) for row in _QUESTIONS]
    ready, call = _assistant(file)
    tools = [
        Row(
            name=f"tool {called}",
            ours=took * 1000,
            unit="ms of processor",
            target=f"≤ {_TOOL} ms",
            met=took * 1000 <= _TOOL,
            detail="the median of three calls after the first",
        )
        for called, took in tool_times(file).items()
    ]
    return [
        _latency("search, 16 clients", search, 100, f"{_per_request(between - started)}; {detail}"),
        _latency("two hops each way, 16 clients", neighbourhood, 150, f"{_per_request(ended - between)}; {detail}"),
        Row(
            name="memory of the server after both",
            ours=memory,
            unit="MiB",
            target=f"≤ {_MOST_MEMORY} MiB",
            met=memory <= _MOST_MEMORY,
            detail="largest resident sizes of the server and its processes",
        ),
        Row(
            name="schemas of one topic, 16 clients",
            ours=schemas.rate,
            unit="requests/s",
            target="≥ 1,000",
            met=schemas.rate >= 1_000,
            detail=f"p99 {schemas.p99:.0f} ms; clients on the same processors",
        ),
        Row(name="scanner serve --mcp, ready", ours=ready, unit="s", target="≤ 2 s", met=ready <= 2, detail=detail),
        *questions,
        Row(
            name="a tool call",
            ours=call,
            unit="ms",
            target="≤ 100 ms",
            met=call <= 100,
            detail="the slowest of each tool",
        ),
        *tools,
    ]


_HUB = quote(topic_name(0))
_QUESTIONS = (
    ("columns by part of a name", "/api/v1/columns?pattern=customer", 0.3),
    ("columns by tag", "/api/v1/columns?tag=PII", 0.3),
    ("topic page of a hub", f"/api/v1/clusters/{_CLUSTER}/topics/{_HUB}", 1.0),
    ("impact of a hub", f"/api/v1/impact?node={_HUB}", 0.5),
    ("personal data", "/api/v1/personal-data?tag=PII", 0.5),
    ("clients of all topics", "/api/v1/clients", 0.3),
)
"""Name, path and most seconds of what one client asks of a large dictionary."""


def _question(port: int, name: str, path: str, most: float) -> Row:
    """Measure the answers to one question: no request equals an earlier one, whose answer the server keeps."""
    seconds = []
    for limit in range(100, 100 - 2 * _RUNS, -1):
        varied = path if "/topics/" in path else f"{path}{'&' if '?' in path else '?'}limit={limit}"
        started = time.perf_counter()
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{varied}") as response:
            response.read()
        seconds.append(time.perf_counter() - started)
        if varied == path:
            break
    took = statistics.median(seconds)
    detail = f"the first took {seconds[0]:.2f} s"
    return Row(name=name, ours=took, unit="s", target=f"≤ {most} s", met=took <= most, detail=detail)


def _latency(name: str, measured: Load, most: float, detail: str) -> Row:
    return Row(
        name=f"{name}, 99th percentile",
        ours=measured.p99,
        unit="ms",
        target=f"≤ {most} ms",
        met=measured.p99 <= most,
        detail=f"median {measured.median:.0f} ms, {measured.rate:.0f} requests/s; {detail}",
    )


@contextmanager
def serving(file: Path) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """Serve *file* with the command; the port and the process."""
    command = [scanner(), "serve", "--port", "0", "--dictionary", str(file)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment()) as process:
        try:
            line = process.stderr.readline() if process.stderr else ""
            yield int(line.rpartition(":")[2]), process
        finally:
            process.terminate()


def load(port: int, paths: Iterator[str], *, requests: int = _REQUESTS, runs: int = _RUNS) -> Load:
    """Send *requests* requests of *paths* a run; the medians of the runs."""
    results = [_run(port, [next(paths) for _ in range(requests)]) for _ in range(runs)]
    return Load(*(statistics.median(values) for values in zip(*results, strict=True)))


def _run(port: int, paths: Sequence[str]) -> tuple[float, float, float]:
    values = json.dumps({"port": port, "paths": paths, "clients": _CLIENTS})
    command = [sys.executable, str(Path(__file__).with_name("http_clients.py"))]
    done = subprocess.run(command, input=values, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    result = json.loads(done.stdout)
    seconds = sorted(result["seconds"])
    p99 = seconds[int(len(seconds) * 0.99)]
    return statistics.median(seconds) * 1000, p99 * 1000, len(seconds) / result["wall"]


def family(pid: int) -> list[int]:
    """Return the process and those that it started."""
    children = (file.read_text(encoding="ascii").split() for file in Path(f"/proc/{pid}/task").glob("*/children"))
    return [pid, *(each for numbers in children for child in numbers for each in family(int(child)))]


def processor(pid: int) -> float:
    """Return the seconds of processor that a process and those that it started took so far."""
    ticks = 0
    for each in family(pid):
        cells = Path(f"/proc/{each}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        ticks += int(cells[11]) + int(cells[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def _per_request(seconds: float) -> str:
    return f"{seconds * 1000 / _REQUESTS / _RUNS:.1f} ms of processor a request, by the server and its processes"


def peak_memory(pid: int) -> float:
    """Return the largest resident sizes of a process and those that it started, together, in MiB."""
    statuses = [Path(f"/proc/{each}/status").read_text(encoding="ascii") for each in family(pid)]
    return sum(int(status.partition("VmHWM:")[2].split()[0]) for status in statuses) / 1024


def _assistant(file: Path) -> tuple[float, float]:
    """Return the seconds until `serve --mcp` is ready, and the milliseconds of the slowest tool; medians of runs."""
    measured = [anyio.run(_conversation, file) for _ in range(_RUNS + 1)][1:]
    return statistics.median(ready for ready, _ in measured), statistics.median(slowest for _, slowest in measured)


async def _conversation(file: Path) -> tuple[float, float]:
    program = StdioServerParameters(command=scanner(), args=["mcp", "--dictionary", str(file)], env=environment())
    started = time.perf_counter()
    async with Client(stdio_client(program)) as client:
        await client.list_tools()
        ready = time.perf_counter() - started
        slowest = 0.0
        for name, arguments in _CALLS * 2:
            before = time.perf_counter()
            result = await client.call_tool(name, arguments)
            if result.is_error:
                raise RuntimeError(f"{name}: {result.content}")
            took = time.perf_counter() - before
            # Of the first calls each compiles its statements.
            slowest = max(slowest, took * 1000)
    return ready, slowest


_TOOL = 100


def tool_times(file: Path) -> dict[str, float]:
    """Return the median seconds of processor of each tool, answered in this process."""
    dictionary, times = open_dictionary(file).pooled(), {}
    for name, arguments in (*_CALLS, *_HEAVY_CALLS):
        question = TOOLS[name]
        read, taken = read_arguments(question, arguments), []
        for _ in range(_RUNS + 1):
            started = time.process_time()
            Tools(dictionary).answer(question, **read)
            taken.append(time.process_time() - started)
        called = ", ".join(f"{key}={value}" for key, value in arguments.items())
        times[f"{name}({called})"] = statistics.median(taken[1:])
    return times


_CALLS: list[tuple[str, dict[str, Any]]] = [
    ("search", {"q": "customer"}),
    ("describe_topic", {"cluster": _CLUSTER, "topic": topic_name(0)}),
    ("find_columns", {"tag": "PII"}),
    ("find_columns", {"name": "customer_id_0", "tag": "pii"}),
    ("get_lineage", {"node": "mover-0"}),
    ("get_impact", {"node": "mover-0"}),
    ("list_problems", {}),
    ("freshness", {}),
]
_HEAVY_CALLS: list[tuple[str, dict[str, Any]]] = [
    ("get_impact", {"node": topic_name(0)}),
    ("get_lineage", {"node": topic_name(0), "columns": True}),
    ("find_columns", {"pattern": "customer"}),
    ("find_columns", {"unread": True}),
    ("list_topics", {"without_reader": True}),
    ("list_clients", {}),
    ("list_clients", {"topic": topic_name(0)}),
    ("list_personal_data", {"tag": "PII"}),
    ("list_stale", {}),
    ("changes", {}),
    ("get_history", {"node": topic_name(0)}),
    ("may_delete", {"topic": topic_name(0)}),
]
"""What takes longest: the hub, and lists of everything."""


def main() -> int:
    """Print the figures; status 1 where one is not met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--columns", type=int, default=COLUMNS)
    parser.add_argument("--dictionary", type=Path, help="use this file, or keep it")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        rows = server_row(Path(directory), options.columns, options.dictionary)
    print(f"{conditions()}\n\n{table(rows)}")
    return 0 if all(row.met for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
