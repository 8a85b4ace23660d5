"""Figures of reading a registry's capture into the dictionary, here and on Spark: `capture_rows.py [VERSIONS …]`.

Captures are kept among the temporary files; one of a million versions is 3.2 GB.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from capture_installation import write
from installation import SEED
from measure import Row, conditions, scanner, table
from spark_rows import watched

_PLACE = Path(tempfile.gettempdir()) / "scanner-bench-captures"
_SETTINGS = ("spark.master=local[2]", "spark.driver.memory=1g")
_ENGINES = {"local": (), "spark": tuple(f"--spark-conf={setting}" for setting in _SETTINGS)}
_TABLES = ("topic", "subject_version", "schema_definition", "schema_column", "topic_schema", "scan_problem")


def capture_row(directory: Path, versions: int = 100_000) -> list[Row]:
    """How many columns a second a capture of so many versions is read and stored with, by each engine."""
    capture_directory = capture(versions)
    result: dict[str, list[tuple[object, ...]]] = {}
    rows = []
    for engine, options in _ENGINES.items():
        file = directory / f"{engine}.db"
        command = [
            scanner(),
            "extract",
            "--config",
            str(capture_directory / "cluster.json"),
            "--replay",
            str(capture_directory / "capture"),
        ]
        usage = watched([*command, "--engine", engine, *options, "--dictionary", str(file), "--quiet"])
        result[engine], columns = _digest(file), _columns(file)
        same = result[engine] == result["local"]
        rows.append(
            Row(
                name=f"a capture of {versions:,} versions into SQLite, {engine}",
                ours=columns / usage.seconds,
                unit="columns/s",
                target="the rows of local, < 8,192 MiB",
                met=same and usage.memory < 8192,
                detail=f"{columns:,} columns, {usage.seconds:.0f} s, {usage.processor:.0f} s of processor, "
                f"{usage.memory:,.0f} MiB of all processes; "
                f"{'the same rows' if same else 'other rows'}; load {os.getloadavg()[0]:.1f}",
            )
        )
        file.unlink()
    return rows


def capture(versions: int) -> Path:
    """Return a directory with the capture of so many versions; it is made once."""
    directory = _PLACE / f"{SEED}-{versions}"
    if not directory.exists():
        part = directory.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        write(versions, part)
        part.rename(directory)
    return directory


def _columns(file: Path) -> int:
    with sqlite3.connect(file) as conn:
        return int(conn.execute("SELECT count(*) FROM schema_column").fetchone()[0])


def _digest(file: Path) -> list[tuple[object, ...]]:
    """Return what distinguishes the rows of two dictionaries: their number, and sums over their bytes."""
    with sqlite3.connect(file) as conn:
        return [conn.execute(_sum(conn, name)).fetchone() for name in _TABLES]


def _sum(conn: sqlite3.Connection, name: str) -> str:
    columns = [row[1] for row in conn.execute(f"PRAGMA table_info({name})")]
    sums = [f"total(length({column}) * (1 + unicode({column}) % 1009))" for column in columns]
    return f"SELECT count(*), {', '.join(sums)} FROM {name}"


def main(sizes: list[int]) -> int:
    """Measure *sizes*; status 1 where a figure is not met."""
    rows: list[Row] = []
    for versions in sizes or [100_000]:
        print(f"measuring {versions:,} versions; load {os.getloadavg()[0]:.1f} …", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory() as directory:
            rows += capture_row(Path(directory), versions)
    print(f"{conditions()}\n\n{table(rows)}")
    return 0 if all(row.met for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main([int(text.replace("_", "")) for text in sys.argv[1:]]))
