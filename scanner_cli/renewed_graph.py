"""The graph stored in the dictionary brought up to date, what of it was there before said, and its files written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scanner_cli.options import reading, writable

if TYPE_CHECKING:
    from dataflow_generator.columnar.renewing import RenewedFiles
    from dataflow_generator.progress import Told
    from dataflow_generator.renewal.renewing import Renewed
    from scanner_dictionary.graph_store import StoredGraph


def renew_graph(url: str, told: Told, *, anew: bool, patience: float) -> tuple[StoredGraph, str]:
    """Bring the graph in the dictionary at *url* up to date; *anew*: make all of it.

    Gives it, and a line that says how much was not made again, empty where nothing was.
    """
    from dataflow_generator.renewal.renewing import renew

    renewed = renew(writable(url, patience, create=False), anew=anew, told=told)
    return renewed.graph, reused_text(renewed)


def reused_text(renewed: Renewed | RenewedFiles) -> str:
    """Give a line that says how much of the graph was there before; empty where nothing was."""
    counted = (("topics", renewed.topics), ("jobs", renewed.jobs), ("schemas", renewed.schemas))
    kept = [f"{one.kept:,} of {one.all:,} {what}" for what, one in counted if one.all]
    return f"reused {', '.join(kept)}" if any(one.kept for _, one in counted) else ""


def write_stored(url: str, directory: Path, names: Sequence[str]) -> tuple[Path, ...]:
    """Write the graph in the dictionary into *directory*, as its generation does."""
    from dataflow_generator.generation import write_files
    from dataflow_generator.stored import whole_graph
    from scanner_dictionary.graph_store import stored_graph

    with reading(url) as conn:
        about = stored_graph(conn)
        return write_files(whole_graph(conn, about), directory, names) if about else ()
