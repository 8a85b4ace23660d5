"""Callbacks through which long work reports progress and messages; the library itself prints nothing."""

from __future__ import annotations

from collections.abc import Callable

from dataflow_generator.build.progress import ProgressCallback as GraphProgress
from dataflow_generator.build.progress import silent as no_graph_progress
from scanner_extractor.scan.results import Progress as ScanProgress
from scanner_extractor.scan.results import no_progress as no_scan_progress

Notify = Callable[[str], None]
"""Called with one message for people, without a line feed; possibly from another thread."""

__all__ = ["GraphProgress", "Notify", "ScanProgress", "ignore", "no_graph_progress", "no_scan_progress"]


def ignore(message: str) -> None:
    """Drop *message*."""
