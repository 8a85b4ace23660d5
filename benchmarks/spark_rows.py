"""Figures of generation at scale, on Spark: time, memory of all its processes, and a bare Spark job as the limit.

`python benchmarks/spark_rows.py COLUMNS …` measures some sizes; inputs are kept among the temporary files.
Of several sizes it draws the plot of docs/performance.md.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from large_installation import Size, build
from measure import Row, conditions, environment, scanner, table
from plot import plot

from scanner_dictionary.engine.open import REVISION

SETTINGS = ("spark.master=local[2]", "spark.driver.memory=1500m")
"""Settings of Spark where the processes of one machine are measured."""

_PLOT = Path(__file__).parents[1] / "docs" / "spark.svg"
_RUNS = 3
_MILLION = 1_000_000
_PLACE = Path(tempfile.gettempdir()) / "scanner-bench-installations"


@dataclass(frozen=True, slots=True)
class Usage:
    """Wall seconds, seconds of processor time, and the most memory in MiB at one moment; of all its processes."""

    seconds: float
    processor: float
    memory: float


def size_of(columns: int) -> Size:
    """Return the input of so many columns: a hundred to a topic, a job to five topics."""
    return Size(columns=columns, topics=max(columns // 100, 10), jobs=max(columns // 500, 6))


def installation(columns: int) -> Path:
    """Return the dictionary of so many columns; it is made once."""
    _PLACE.mkdir(exist_ok=True)
    file = _PLACE / f"{REVISION}-{columns}.db"
    if not file.exists():
        part = file.with_suffix(".part")
        part.unlink(missing_ok=True)
        build(str(part), size_of(columns))
        part.replace(file)
    return file


def spark_row(columns: int) -> tuple[Row, Usage, Usage]:
    """How long the graph of so many columns takes on Spark, as Parquet, beside a job that only copies the rows.

    Medians of three pairs, one after the other in turn.
    """
    pairs = [_pair(installation(columns)) for _ in range(_RUNS)]
    ours, limit = (_middle([pair[at] for pair in pairs]) for at in (0, 1))
    ratio = statistics.median(ours.seconds / limit.seconds for ours, limit in pairs)
    size = size_of(columns)
    row = Row(
        name=f"graph of {columns:,} columns on Spark",
        ours=ours.seconds,
        unit="s",
        target="< 300 s, < 4,096 MiB, ≤ 3 times the copy",
        met=ours.seconds < 300 and ours.memory < 4096 and ratio <= 3,
        limit="a Spark job that reads the same rows and writes as many",
        ratio=ratio,
        detail=f"{ours.memory:,.0f} MiB; {1e6 * ours.seconds / columns:.1f} µs a column; "
        f"{size.topics:,} topics, {size.jobs:,} jobs; the copy {limit.seconds:.0f} s, {limit.memory:,.0f} MiB; "
        f"runs of {', '.join(f'{run.seconds:.0f}' for run, _ in pairs)} s",
    )
    return row, ours, limit


def _pair(file: Path) -> tuple[Usage, Usage]:
    """Build the graph of *file*, then copy its rows."""
    settings = [f"--spark-conf={setting}" for setting in SETTINGS]
    command = [scanner(), "dataflow", "--engine", "spark", "--format", "parquet", *settings]
    with tempfile.TemporaryDirectory() as name:
        ours = watched([*command, "--dictionary", str(file), "--output", f"{name}/graph"])
        copy = [sys.executable, str(Path(__file__).with_name("spark_copy.py")), str(file), f"{name}/copy"]
        return ours, watched([*copy, *SETTINGS])


def _middle(runs: list[Usage]) -> Usage:
    names = ("seconds", "processor", "memory")
    return Usage(*(statistics.median(getattr(run, name) for run in runs) for name in names))


def growth_row(usage_by_columns: Mapping[int, Usage]) -> Row:
    """How much more a column takes in the largest input than in one of a million, Spark's start and all."""
    most = max(usage_by_columns)
    ratio = (usage_by_columns[most].seconds / most) / (usage_by_columns[_MILLION].seconds / _MILLION)
    name = f"seconds for a column, of {most:,} to of {_MILLION:,}"
    return Row(name=name, ours=ratio, unit="times", target="≤ 1.2", met=ratio <= 1.2)


def watched(command: list[str], variables: Mapping[str, str] | None = None) -> Usage:
    """Run *command* to its end, with *variables* in its environment; raises RuntimeError where it fails."""
    started, spent, most = time.perf_counter(), _spent(), 0.0
    with tempfile.TemporaryFile() as stderr:  # an unread pipe would block a process with much output
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=stderr, env=environment() | dict(variables or {})
        )
        while process.poll() is None:
            most = max(most, _memory(process.pid))
            time.sleep(0.5)
        stderr.seek(0)
        words = stderr.read().decode(errors="replace")[-2000:]
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}: {words}")
    return Usage(time.perf_counter() - started, _spent() - spent, most)


def _spent() -> float:
    """Get the processor time of the processes below this one that were waited for; Spark's Python workers are not."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _memory(root: int) -> float:
    """Add up the memory of *root* and all below it, in MiB; what processes share counts once (Linux, Pss)."""
    below: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (stat := _text(entry / "stat")):
            below.setdefault(int(stat.rsplit(")", 1)[1].split()[1]), []).append(int(entry.name))
    waiting, total = [root], 0
    while waiting:
        process = waiting.pop()
        waiting += below.get(process, [])
        lines = _text(Path(f"/proc/{process}/smaps_rollup")).splitlines()
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:  # it ended meanwhile
        return ""


def main(sizes: list[int]) -> int:
    """Measure *sizes*; status 1 where a figure is not met."""
    rows: list[Row] = []
    ours: dict[int, Usage] = {}
    copies: dict[int, Usage] = {}
    for columns in sizes or [100_000, _MILLION, 10_000_000]:
        print(f"measuring {columns:,} columns; load {os.getloadavg()[0]:.1f} …", file=sys.stderr, flush=True)
        row, ours[columns], copies[columns] = spark_row(columns)
        rows.append(row)
    if _MILLION in ours and max(ours) > _MILLION:
        rows.append(growth_row(ours))
    if len(ours) > 1:
        lines = {"the graph": ours, "copying the rows": copies}
        points = {
            name: [(at, run.seconds) for at, run in usage_by_columns.items()]
            for name, usage_by_columns in lines.items()
        }
        _PLOT.write_text(plot(points, "columns", "seconds"), encoding="utf-8")
    print(f"{conditions()}\n\n{table(rows)}")
    return 0 if all(row.met for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main([int(text.replace("_", "")) for text in sys.argv[1:]]))
