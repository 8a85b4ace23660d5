"""Incremental updates of a generated graph, in the dictionary or in Parquet files, and how much was reused."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scanner_api.callbacks import GraphProgress
from scanner_api.dictionary import Dictionary

if TYPE_CHECKING:
    from dataflow_generator.incremental.update import Renewed
    from dataflow_generator.parquet.incremental.update import RenewedFiles
    from dataflow_generator.parquet.manifest import Written
    from scanner_api.graph.engines import Engines
    from scanner_dictionary.graph.store import StoredGraph


def refresh_stored_graph(dictionary: Dictionary, progress: GraphProgress, *, full: bool) -> tuple[StoredGraph, str]:
    """Update the graph in *dictionary*; *full*: rebuild all of it.

    Return it with a line that says how much was reused, empty where nothing was.
    """
    from dataflow_generator.incremental.update import renew

    renewed = renew(dictionary.writing(), anew=full, told=progress)
    return renewed.graph, reused_text(renewed)


def reused_text(renewed: Renewed | RenewedFiles) -> str:
    """Return a line that says how much of the graph was reused; empty where nothing was."""
    counted = (("topics", renewed.topics), ("jobs", renewed.jobs), ("schemas", renewed.schemas))
    kept = [f"{one.kept:,} of {one.all:,} {what}" for what, one in counted if one.all]
    return f"reused {', '.join(kept)}" if any(one.kept for _, one in counted) else ""


def write_stored_graph(dictionary: Dictionary, directory: Path, names: Sequence[str]) -> tuple[Path, ...]:
    """Write the graph stored in *dictionary* into *directory* in the formats *names*."""
    from dataflow_generator.query.stored_graph import whole_graph
    from dataflow_generator.render.files import write_files
    from scanner_dictionary.graph.store import stored_graph

    with dictionary.reading() as conn:
        about = stored_graph(conn)
        return write_files(whole_graph(conn, about), directory, names) if about else ()


_MOST = 0.1
"""The share of topics that may differ where Spark is requested; beyond it, Spark reads the inputs of jobs faster."""


def renew_files(engines: Engines, directory: Path, engine: str) -> Written | None:
    """Update the graph in *directory* in this process, whichever *engine* would rebuild it.

    None where it needs a full rebuild.
    """
    from dataflow_generator.parquet.manifest import MADE

    if not (directory / MADE).exists():
        return None
    from dataflow_generator.parquet.incremental.update import renew_graph

    renewed = renew_graph(engines.source(), directory, most=_MOST if engine == "spark" else 1)
    if renewed is None:
        return None
    if engine == "spark":
        engines.notify(
            f"Spark was not started: {renewed.topics.all - renewed.topics.kept:,} topics differ from the graph there"
        )
    if reused := reused_text(renewed):
        engines.notify(reused)
    return renewed.written
