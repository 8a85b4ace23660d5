"""A graph in Parquet files brought up to date where that can be done, and said how much of it was there before."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from scanner_cli.renewed_graph import reused_text
from scanner_cli.telling import say

if TYPE_CHECKING:
    from dataflow_generator.columnar.about import Written
    from scanner_cli.engines import Engines

_MOST = 0.1
"""The part of the topics that may differ where Spark is asked for: of more, it reads what tells of jobs faster."""


def renew_files(engines: Engines, directory: Path, engine: str) -> Written | None:
    """Bring the graph in *directory* up to date in this process, whichever *engine* would make it anew.

    None where it must be made anew.
    """
    from dataflow_generator.columnar.about import MADE

    if not (directory / MADE).exists():
        return None
    from dataflow_generator.columnar.renewing import renew_graph

    renewed = renew_graph(engines.source(), directory, most=_MOST if engine == "spark" else 1)
    if renewed is None:
        return None
    if engine == "spark":
        say(f"Spark was not started: {renewed.topics.all - renewed.topics.kept:,} topics differ from the graph there")
    if told := reused_text(renewed):
        say(told)
    return renewed.written
