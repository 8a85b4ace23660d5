"""What a graph in Parquet files is: which scan it is of, and its size; kept beside the rows as `_about.json`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

from dataflow_generator.coverage import Coverage
from scanner_dictionary.transfer.whole import whole_directory
from scanner_model.errors import InputInvalid

NAME = "graph.parquet"
"""The directory that a graph is written into, inside the one that people name."""

PARTS = ("nodes", "edges", "_about.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """The newest scan that a graph was generated from, and how many rows it has."""

    last_scan: int
    nodes: int
    edges: int


class Written(NamedTuple):
    """A graph that was written, and how much of statements and connectors was read for it."""

    about: About
    coverage: Coverage


@contextmanager
def whole_graph(directory: Path) -> Iterator[Path]:
    """Give a directory to write a graph into, which takes the place of *directory* when all of it is written.

    Raises InputInvalid where that holds something else, where it cannot be written, or where pyarrow is missing.
    """
    try:
        import pyarrow.parquet  # noqa: F401 - only whether it is there
    except ImportError as error:
        hint = "pip install 'scanner[parquet]'"
        raise InputInvalid("Parquet needs pyarrow", where=str(directory), hint=hint) from error
    with whole_directory(directory, PARTS) as part:
        yield part


def count_rows(directory: Path) -> int:
    """Count the rows of the Parquet files under *directory* by what they say of themselves."""
    from pyarrow import parquet

    return sum(parquet.read_metadata(file).num_rows for file in directory.glob("kind=*/*.parquet"))


def write_about(directory: Path, last_scan: int) -> About:
    """Count the rows of the graph in *directory*, and say what it is."""
    about = About(last_scan=last_scan, nodes=count_rows(directory / "nodes"), edges=count_rows(directory / "edges"))
    (directory / "_about.json").write_text(json.dumps(asdict(about)) + "\n", encoding="utf-8")
    return about


def read_about(directory: Path) -> About:
    """Say what the graph in *directory* is; raises InputInvalid where there is none."""
    try:
        found = json.loads((directory / "_about.json").read_text(encoding="utf-8"))
        return About(last_scan=int(found["last_scan"]), nodes=int(found["nodes"]), edges=int(found["edges"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        hint = "`scanner dataflow --format parquet --output DIR` writes DIR/graph.parquet"
        raise InputInvalid("there is no graph in Parquet files", where=str(directory), hint=hint) from error
