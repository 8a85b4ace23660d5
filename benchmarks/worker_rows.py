"""How much faster two Spark workers are than one, each with a processor of its own: `worker_rows.py [COLUMNS]`."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from measure import Row, conditions, scanner, table
from spark_cluster import cluster
from spark_rows import installation, watched

_LEAST = 1.6


def workers_row(_: Path, columns: int = 10_000_000) -> list[Row]:
    """How many times as fast the graph of so many columns is with two workers of a cluster as with one.

    What Spark itself needs to start and stop on that cluster, which no worker shortens, is measured and taken off.
    """
    file = installation(columns)
    with tempfile.TemporaryDirectory() as name, cluster(Path(name)) as (master, _workers):
        settings = [f"spark.master={master}", "spark.driver.host=127.0.0.1", "spark.executor.memory=1g"]
        empty = watched([sys.executable, __file__, "start", *settings]).seconds
        first, two = (_graph(file, Path(name) / str(n), [*settings, f"spark.cores.max={n}"]) for n in (1, 2))
    ratio = (first - empty) / (two - empty)
    return [
        Row(
            name=f"graph of {columns:,} columns, two workers",
            ours=ratio,
            unit="times one",
            target=f"≥ {_LEAST:g}",
            met=ratio >= _LEAST,
            detail=f"one {first:.1f} s, two {two:.1f} s, Spark's start {empty:.1f} s of each; "
            f"{os.cpu_count()} processors for the driver and both; load {os.getloadavg()[0]:.1f}",
        )
    ]


def _graph(file: Path, directory: Path, settings: Sequence[str]) -> float:
    command = [scanner(), "dataflow", "--engine", "spark", *(f"--spark-conf={setting}" for setting in settings)]
    return watched([*command, "--format", "parquet", "--output", str(directory), "--dictionary", str(file)]).seconds


def _start(settings: Sequence[str]) -> None:
    from dataflow_generator.spark.session import spark_session

    with spark_session(dict(setting.split("=", 1) for setting in settings), light=True) as spark:
        spark.range(1).count()


def main(arguments: list[str]) -> int:
    """Measure, or start Spark and stop it; status 1 where the figure is not met."""
    if arguments[:1] == ["start"]:
        _start(arguments[1:])
        return 0
    rows = workers_row(Path(), *(int(argument.replace("_", "")) for argument in arguments))
    print(f"{conditions()}\n\n{table(rows)}")
    return 0 if all(row.met for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
