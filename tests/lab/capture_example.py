"""Makes examples/retail a capture of the running lab: `make lab-example`; checks that its replay is the live scan.

The live scan and the replay must give the same dictionary, row for row, but for times and for what each source cost.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import places

RETAIL = places.TREE.parents[1] / "examples" / "retail"
TOLD_ANEW = {"scan": {"started", "finished"}, "scan_outcome": {"requests", "seconds"}}


def main() -> int:
    """Capture, replay, compare; 0 where both dictionaries hold the same."""
    environment = {**os.environ, **json.loads(places.LAB_FILE.read_text("utf-8"))["environment"]}
    with tempfile.TemporaryDirectory() as directory:
        live, replayed = Path(directory, "live.db"), Path(directory, "replayed.db")
        shutil.rmtree(RETAIL / "capture", ignore_errors=True)
        _scan(live, "--capture", environment)
        _scan(replayed, "--replay", dict(os.environ))
        differing = [name for name, rows in _tables(live).items() if rows != _tables(replayed)[name]]
    sys.stdout.write(f"live and replayed: {', '.join(differing) + ' differ' if differing else 'the same dictionary'}\n")
    return int(bool(differing))


def _scan(dictionary: Path, variant: str, environment: dict[str, str]) -> None:
    scanner = str(Path(sys.executable).with_name("scanner"))
    command = [
        scanner,
        "scan",
        "--no-graph",
        "--config",
        str(RETAIL / "cluster.json"),
        variant,
        str(RETAIL / "capture"),
    ]
    subprocess.run([*command, "--dictionary", str(dictionary)], env=environment, check=True)


def _tables(file: Path) -> dict[str, list[tuple[object, ...]]]:
    with sqlite3.connect(file) as conn:
        names = [name for (name,) in conn.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
        return {name: _rows(conn, name) for name in names}


def _rows(conn: sqlite3.Connection, table: str) -> list[tuple[object, ...]]:
    columns = [name for _, name, *_ in conn.execute(f"PRAGMA table_info({table})")]
    text = ", ".join(name for name in columns if name not in TOLD_ANEW.get(table, ()))
    return sorted(conn.execute(f"SELECT {text} FROM {table}"), key=repr)


if __name__ == "__main__":
    sys.exit(main())
