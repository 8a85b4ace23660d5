"""Generation on Spark by both ways to read a dictionary, straight and by its Parquet export, from both databases.

`python benchmarks/path_rows.py [COLUMNS]`: ten million by default, half an hour and 6 GB of temporary files.
"""

from __future__ import annotations

import hashlib
import math
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from measure import Row, conditions, run, scanner, table
from postgres_server import NoPostgres, postgres
from spark_rows import SETTINGS, Usage, installation, watched

from scanner_api import Dictionary, copy_dictionary

_COLUMNS = 10_000_000
_TARGET = "< 300 s, < 4,096 MiB"


def paths_row(_: Path, columns: int = _COLUMNS) -> list[Row]:
    """How long the graph of so many columns takes by each way, its memory, and whether all graphs are the same."""
    file = installation(columns)
    rows, graphs = [], {}
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        for kind, opened in (("SQLite", _sqlite(file)), ("PostgreSQL", _postgres(file))):
            try:
                with opened as url:
                    for storage, usage, graph in _storages(url, directory):
                        print(
                            f"{kind}, {storage}: {usage.seconds:.0f} s; load {os.getloadavg()[0]:.1f}", file=sys.stderr
                        )
                        rows.append(_row(columns, f"{kind}, {storage}", usage))
                        graphs[kind, storage] = graph
            except NoPostgres as error:
                rows.append(_skipped(f"graph of {columns:,} columns, PostgreSQL", str(error)))
    same = len(set(graphs.values())) == 1
    detail = f"{len(graphs)} graphs, compared file by file (SHA-256)"
    name = f"graph of {columns:,} columns, whichever way"
    return [*rows, Row(name=name, ours=len(set(graphs.values())), unit="graph", target="1", met=same, detail=detail)]


def _storages(url: str, directory: Path) -> Iterator[tuple[str, Usage, str]]:
    """Generate from the database itself, then from its export."""
    graph, export = directory / "graph", directory / "export"
    settings = [f"--spark-conf={setting}" for setting in SETTINGS]
    command = [scanner(), "dataflow", "--engine", "spark", "--format", "parquet", *settings]
    yield "by ranges", watched([*command, "--dictionary", url, "--output", str(graph)]), _digest(graph)
    run([scanner(), "dictionary", "export", "--format", "parquet", "--dictionary", url, "-o", str(export)])
    with (
        tempfile.TemporaryDirectory() as directory_of_graph
    ):  # where a machine keeps what it makes of an export: for one run only
        snapshot = [*command, "--snapshot", str(export), "--output", str(graph)]
        yield "its export", watched(snapshot, {"TMPDIR": directory_of_graph}), _digest(graph)


@contextmanager
def _sqlite(file: Path) -> Iterator[str]:
    yield str(file)


@contextmanager
def _postgres(file: Path) -> Iterator[str]:
    with postgres() as url:
        copy_dictionary(Dictionary(str(file)), Dictionary(url))
        yield url


def _digest(directory: Path) -> str:
    """Hash the files of the graph in *directory*, with their names."""
    digest = hashlib.sha256()
    for file in sorted(directory.rglob("*.parquet")):
        if file.is_file() and not file.name.startswith((".", "_")):
            digest.update(str(file.relative_to(directory)).encode())
            with file.open("rb") as content:
                digest.update(hashlib.file_digest(content, "sha256").digest())
    return digest.hexdigest()


def _row(columns: int, storage: str, usage: Usage) -> Row:
    met = usage.seconds < 300 and usage.memory < 4096
    detail = f"{usage.memory:,.0f} MiB; {1e6 * usage.seconds / columns:.1f} µs a column"
    name = f"graph of {columns:,} columns, {storage}"
    return Row(name=name, ours=usage.seconds, unit="s", target=_TARGET, met=met, detail=detail)


def _skipped(name: str, why: str) -> Row:
    return Row(name=name, ours=math.nan, unit="", target=_TARGET, met=True, detail=f"skipped: {why}")


def main(arguments: list[str]) -> int:
    """Measure; status 1 where a figure is not met."""
    rows = paths_row(Path(), *(int(argument.replace("_", "")) for argument in arguments))
    print(f"{conditions()}\n\n{table(rows)}")
    return 0 if all(row.met for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
