"""Figures of what is spread unevenly: a topic with 50,000 columns, a hub with 10,000 jobs; local and on Spark."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from measure import Row, conditions, scanner, table
from skew_installation import HUB, WIDEST, build
from spark_rows import Usage, watched

_SETTINGS = ("spark.master=local[2]", "spark.driver.memory=1500m")
_ENGINES = {"local": (), "spark": tuple(f"--spark-conf={setting}" for setting in _SETTINGS)}
_MOST = 1.5


def skew_row(directory: Path) -> list[Row]:
    """How much longer the graph takes where columns and jobs are in few places; the limit: as many, spread evenly."""
    even, skewed = directory / "even.db", directory / "skewed.db"
    build(even, skewed=False)
    build(skewed, skewed=True)
    return [_row(engine, options, even, skewed, directory) for engine, options in _ENGINES.items()]


def _row(engine: str, options: Sequence[str], even: Path, skewed: Path, directory: Path) -> Row:
    limit = _graph(engine, options, even, directory / f"{engine}-even")
    ours = _graph(engine, options, skewed, directory / f"{engine}-skewed")
    ratio = ours.seconds / limit.seconds
    return Row(
        name=f"graph of a topic of {WIDEST:,} columns and a hub of {HUB:,} jobs, {engine}",
        ours=ours.seconds,
        unit="s",
        target=f"≤ {_MOST:g} times spread evenly",
        met=ratio <= _MOST,
        limit="as many columns and jobs, spread evenly",
        ratio=ratio,
        detail=f"{ours.processor:.1f} s of processor, {ours.memory:,.0f} MiB; evenly {limit.seconds:.1f} s, "
        f"{limit.processor:.1f} s of processor, {limit.memory:,.0f} MiB; "
        f"load {os.getloadavg()[0]:.1f}",
    )


def _graph(engine: str, options: Sequence[str], file: Path, directory: Path) -> Usage:
    command = [scanner(), "dataflow", "--engine", engine, *options, "--format", "parquet", "--output", str(directory)]
    return watched([*command, "--dictionary", str(file)])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        rows = skew_row(Path(name))
    print(f"{conditions()}\n\n{table(rows)}")
    sys.exit(0 if all(row.met for row in rows) else 1)
