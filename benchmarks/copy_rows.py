"""Moving a dictionary from SQLite to PostgreSQL and back: `python benchmarks/copy_rows.py [COLUMNS]`.

Ten million columns take about ten minutes and 6 GB of temporary files.
"""

from __future__ import annotations

import math
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from large_dictionary import COLUMNS, TOPICS, build
from measure import Row, conditions, run, scanner, table
from postgres_server import NoPostgres, postgres

_SECONDS_FOR_ALL = 600
"""What is required for ten million columns; fewer have their part of it."""


def copy_row(directory: Path, columns: int = 1_000_000) -> list[Row]:
    """How long `scanner dictionary copy` takes to an empty PostgreSQL database, and from there to a new file."""
    file, back = directory / "copied.db", directory / "back.db"
    # In a process of its own: what this one has in memory would be counted as memory of the commands that it starts.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        pool.submit(build, file, columns * TOPICS // COLUMNS).result()
    try:
        with postgres() as url:
            return [
                _measured("SQLite to PostgreSQL", str(file), url, columns),
                _measured("PostgreSQL to SQLite", url, str(back), columns),
            ]
    except NoPostgres as error:
        return [_skipped(columns, str(error))]
    finally:
        for path in (file, back):
            path.unlink(missing_ok=True)


def _measured(direction: str, source: str, target: str, columns: int) -> Row:
    usage = run([scanner(), "dictionary", "copy", source, target, "--format", "json"])
    limit = _SECONDS_FOR_ALL * columns / COLUMNS
    return Row(
        name=f"copy of {columns:,} columns, {direction}",
        ours=usage.seconds,
        unit="s",
        target=f"≤ {limit:.0f} s",
        met=usage.seconds <= limit,
        detail=f"{columns / usage.seconds:,.0f} columns/s; {usage.memory:.0f} MiB",
    )


def _skipped(columns: int, why: str) -> Row:
    return Row(name=f"copy of {columns:,} columns", ours=math.nan, unit="", target="", met=True, detail=why)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        rows = copy_row(Path(name), int(sys.argv[1]) if len(sys.argv) > 1 else COLUMNS)
    print(f"{conditions()}\n\n{table(rows)}")
