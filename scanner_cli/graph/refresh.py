"""The graph stored in the dictionary brought up to date, what of it was there before said, and its files written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scanner_cli.console import echo_err
from scanner_cli.options import reading, writable

if TYPE_CHECKING:
    from dataflow_generator.build.progress import ProgressCallback
    from dataflow_generator.incremental.update import Renewed
    from dataflow_generator.parquet.incremental.update import RenewedFiles
    from dataflow_generator.parquet.manifest import Written
    from scanner_cli.graph.engines import Engines
    from scanner_dictionary.graph.store import StoredGraph


def refresh_stored_graph(url: str, told: ProgressCallback, *, anew: bool, patience: float) -> tuple[StoredGraph, str]:
    """Bring the graph in the dictionary at *url* up to date; *anew*: make all of it.

    Gives it, and a line that says how much was not made again, empty where nothing was.
    """
    from dataflow_generator.incremental.update import renew

    renewed = renew(writable(url, patience, create=False), anew=anew, told=told)
    return renewed.graph, reused_text(renewed)


def reused_text(renewed: Renewed | RenewedFiles) -> str:
    """Return a line that says how much of the graph was there before; empty where nothing was."""
    counted = (("topics", renewed.topics), ("jobs", renewed.jobs), ("schemas", renewed.schemas))
    kept = [f"{one.kept:,} of {one.all:,} {what}" for what, one in counted if one.all]
    return f"reused {', '.join(kept)}" if any(one.kept for _, one in counted) else ""


def write_stored(url: str, directory: Path, names: Sequence[str]) -> tuple[Path, ...]:
    """Write the graph in the dictionary into *directory*, as its generation does."""
    from dataflow_generator.query.stored_graph import whole_graph
    from dataflow_generator.render.files import write_files
    from scanner_dictionary.graph.store import stored_graph

    with reading(url) as conn:
        about = stored_graph(conn)
        return write_files(whole_graph(conn, about), directory, names) if about else ()


_MOST = 0.1
"""The part of the topics that may differ where Spark is asked for: of more, it reads what tells of jobs faster."""


def renew_files(engines: Engines, directory: Path, engine: str) -> Written | None:
    """Bring the graph in *directory* up to date in this process, whichever *engine* would make it anew.

    None where it must be made anew.
    """
    from dataflow_generator.parquet.manifest import MADE

    if not (directory / MADE).exists():
        return None
    from dataflow_generator.parquet.incremental.update import renew_graph

    renewed = renew_graph(engines.source(), directory, most=_MOST if engine == "spark" else 1)
    if renewed is None:
        return None
    if engine == "spark":
        echo_err(
            f"Spark was not started: {renewed.topics.all - renewed.topics.kept:,} topics differ from the graph there"
        )
    if told := reused_text(renewed):
        echo_err(told)
    return renewed.written
