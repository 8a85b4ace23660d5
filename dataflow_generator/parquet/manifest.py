"""The manifest of a graph in Parquet files (`_about.json`): scan, size, coverage; and writing a graph atomically."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from pyarrow import parquet

from dataflow_generator.build.coverage import Coverage
from dataflow_generator.build.store import coverage_text
from dataflow_generator.build.targets import GraphManifest
from scanner_dictionary.export.atomic_write import atomic_directory
from scanner_model.errors import InputInvalid
from scanner_model.private_files import atomic_path

ABOVE_SCHEMAS = "part-0.parquet"
"""The file of each kind for rows outside schemas; schemas have files of their own."""

PARTS = ("nodes", "edges", "_about.json", "_made.parquet")
"""What such a directory may hold; the last one was written by older programs."""

FORMAT = 1
"""The version of the file layout; a program refuses a higher one than its own."""

_HINT = "`scanner dataflow --format parquet --output DIR` writes DIR/graph.parquet"


@contextmanager
def whole_graph(directory: Path) -> Iterator[Path]:
    """Yield a temporary directory for a graph, which replaces *directory* when the block ends without error.

    Raises InputInvalid where *directory* has other contents, or cannot be written.
    """
    with atomic_directory(directory, PARTS) as part:
        yield part


def count_rows(directory: Path) -> int:
    """Return the number of rows of the Parquet files under *directory*, from their metadata."""
    return sum(parquet.read_metadata(file).num_rows for file in directory.glob("kind=*/*.parquet"))


def write_manifest(directory: Path, last_scan: int, coverage: Coverage) -> GraphManifest:
    """Count the rows of the graph in *directory*, and write its manifest."""
    nodes, edges = count_rows(directory / "nodes"), count_rows(directory / "edges")
    about = GraphManifest(last_scan=last_scan, nodes=nodes, edges=edges, coverage=coverage_text(coverage))
    members = {"format": FORMAT, **asdict(about), "coverage": asdict(coverage)}
    text = json.dumps(members, ensure_ascii=False)
    with atomic_path(directory / "_about.json") as part:
        part.write_text(text + "\n", encoding="utf-8")
    return about


def read_manifest(directory: Path) -> GraphManifest:
    """Read the manifest of the graph in *directory*; raises InputInvalid where there is none, or a newer one."""
    try:
        manifest = json.loads((directory / "_about.json").read_text(encoding="utf-8"))
        written = int(manifest.get("format", FORMAT))
        sizes = {name: int(manifest[name]) for name in ("last_scan", "nodes", "edges")}
        coverage = manifest.get("coverage")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputInvalid("no graph in Parquet files found", where=str(directory), hint=_HINT) from error
    if written > FORMAT:
        what = f"written by a newer scanner: format {written}, this version supports {FORMAT}"
        raise InputInvalid(what, where=str(directory), hint="upgrade scanner, or generate the graph with this one")
    return GraphManifest(**sizes, coverage=None if coverage is None else json.dumps(coverage, ensure_ascii=False))
