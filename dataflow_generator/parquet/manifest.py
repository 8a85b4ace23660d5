"""What a graph in Parquet files is: of which scan, what was read for it, its size; beside the rows as `_about.json`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

from dataflow_generator.build.coverage import Coverage
from dataflow_generator.build.store import coverage_text
from scanner_dictionary.export.atomic_write import atomic_directory
from scanner_model.errors import InputInvalid
from scanner_model.private_files import atomic_path

NAME = "graph.parquet"
"""The directory that a graph is written into, inside the one that people name."""

ABOVE_SCHEMAS = "part-0.parquet"
"""The file of each kind that holds what stands above the schemas; these have files of their own."""

PARTS = ("nodes", "edges", "_about.json", "_made.parquet")
"""What such a directory may hold; the last one was written by older programs."""

FORMAT = 1
"""The layout of the files; a program refuses a higher one than its own."""

_HINT = "`scanner dataflow --format parquet --output DIR` writes DIR/graph.parquet"


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphManifest:
    """The newest scan that a graph was generated from, how many rows it has, and how much was read for it.

    *coverage* is what `storing.coverage_text` gives; None where an older program wrote the graph.
    """

    last_scan: int
    nodes: int
    edges: int
    coverage: str | None = None


class Written(NamedTuple):
    """A graph that was written, and how much of statements and connectors was read for it."""

    about: GraphManifest
    coverage: Coverage


@contextmanager
def whole_graph(directory: Path) -> Iterator[Path]:
    """Return a directory to write a graph into, which takes the place of *directory* when all of it is written.

    Raises InputInvalid where that holds something else, where it cannot be written, or where pyarrow is missing.
    """
    try:
        import pyarrow.parquet  # noqa: F401 - only whether it is there
    except ImportError as error:
        hint = "pip install 'kafka-lineage-scanner[parquet]'"
        raise InputInvalid("Parquet needs pyarrow", where=str(directory), hint=hint) from error
    with atomic_directory(directory, PARTS) as part:
        yield part


def count_rows(directory: Path) -> int:
    """Count the rows of the Parquet files under *directory* by what they say of themselves."""
    from pyarrow import parquet

    return sum(parquet.read_metadata(file).num_rows for file in directory.glob("kind=*/*.parquet"))


def write_manifest(directory: Path, last_scan: int, coverage: Coverage) -> GraphManifest:
    """Count the rows of the graph in *directory*, and say what it is."""
    nodes, edges = count_rows(directory / "nodes"), count_rows(directory / "edges")
    about = GraphManifest(last_scan=last_scan, nodes=nodes, edges=edges, coverage=coverage_text(coverage))
    told = {"format": FORMAT, **asdict(about), "coverage": asdict(coverage)}
    text = json.dumps(told, ensure_ascii=False)
    with atomic_path(directory / "_about.json") as part:
        part.write_text(text + "\n", encoding="utf-8")
    return about


def read_manifest(directory: Path) -> GraphManifest:
    """Report what the graph in *directory* is; raises InputInvalid where there is none, or one of a newer program."""
    try:
        found = json.loads((directory / "_about.json").read_text(encoding="utf-8"))
        written = int(found.get("format", FORMAT))
        sizes = {name: int(found[name]) for name in ("last_scan", "nodes", "edges")}
        coverage = found.get("coverage")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputInvalid("there is no graph in Parquet files", where=str(directory), hint=_HINT) from error
    if written > FORMAT:
        what = f"a newer scanner wrote this graph: format {written}, and {FORMAT} is known here"
        raise InputInvalid(what, where=str(directory), hint="upgrade scanner, or generate the graph with this one")
    return GraphManifest(**sizes, coverage=None if coverage is None else json.dumps(coverage, ensure_ascii=False))
