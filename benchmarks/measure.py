"""Timing of whole processes: wall seconds and peak memory of several runs, medians, and the conditions."""

from __future__ import annotations

import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

MIB = 1024 * 1024
SHARE = "SCANNER_BENCH_SHARE"
"""Variable with the share of each size that is measured: with 0.01 every row runs in seconds, and no figure counts."""


def sized(number: int) -> int:
    """Return a size, or the share of it that the environment asks for; at least 20."""
    return max(20, round(number * float(os.environ.get(SHARE, "1"))))


@dataclass(frozen=True, slots=True)
class Run:
    """One finished process: wall seconds, seconds of processor time, the largest resident memory in MiB."""

    seconds: float
    processor: float
    memory: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One figure: ours (a median), what it must stay under or above, and a limit of the same machine in the same run.

    *limit* names what the ratio is to: work that no scanner could do without. Where *ours* is NaN nothing was measured,
    and *detail* says why.
    """

    name: str
    ours: float
    unit: str
    target: str
    met: bool
    limit: str = ""
    ratio: float | None = None
    detail: str = ""


def run(command: Sequence[str], *, expect: int = 0) -> Run:
    """Run *command* once; raises RuntimeError where it does not end with the status *expect*."""
    started = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment()) as process:
        stderr = process.stderr.read() if process.stderr else b""
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != expect:
        raise RuntimeError(
            f"{' '.join(command)} ended with {process.returncode}: {stderr.decode(errors='replace')[-2000:]}"
        )
    return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / MIB)


def medians(command: Callable[[], Sequence[str]], *, runs: int, before: Callable[[], None] = lambda: None) -> Run:
    """Run a command *runs* times after one warm-up, *before* each a preparation that is not timed; give the medians."""
    measured = []
    for turn in range(runs + 1):
        before()
        measured_run = run(command())
        if turn:
            measured.append(measured_run)
    return Run(
        statistics.median(measured_run.seconds for measured_run in measured),
        statistics.median(measured_run.processor for measured_run in measured),
        statistics.median(measured_run.memory for measured_run in measured),
    )


def environment() -> dict[str, str]:
    """Return the caller's environment, with Python's bytecode kept between runs, as an installed program has it."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | {
        "PYTHONPYCACHEPREFIX": str(Path(tempfile.gettempdir()) / "scanner-bench-bytecode")
    }


def conditions() -> str:
    """Describe the machine that the figures are of."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / MIB / 1024
    load = " ".join(f"{load_average:.2f}" for load_average in os.getloadavg())
    return (
        f"{os.cpu_count()} processors ({_processor()}), {memory:.0f} GiB, {platform.system()} {platform.release()}, "
        f"Python {platform.python_version()}, load {load}"
    )


def table(rows: Sequence[Row]) -> str:
    """Write the rows as a Markdown table."""
    lines = ["| what | ours | required | met | ratio | to | detail |", "|---|---|---|---|---|---|---|"]
    for row in rows:
        ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
        met = "yes" if row.met else "**no**"
        ours = f"{row.ours:,.0f}" if row.ours >= 1000 else f"{row.ours:.3g}"
        if math.isnan(row.ours):
            ours, met = "", "skipped" if row.met else "**failed**"
        lines.append(
            f"| {row.name} | {ours} {row.unit} | {row.target} | {met} | {ratio} | {row.limit} | {row.detail} |"
        )
    return "\n".join(lines)


def scanner() -> str:
    """Return the program under test: the one beside this Python."""
    return str(Path(sys.executable).with_name("scanner"))


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or "unknown"
    names = [line.partition(":")[2].strip() for line in text.splitlines() if line.startswith("model name")]
    return names[0] if names else "unknown"
