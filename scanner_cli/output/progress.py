"""Progress of long work: moving bars on a terminal, nothing elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from scanner_cli import library
from scanner_model.names import SourceId

if TYPE_CHECKING:
    from scanner_api.files import GraphProgress, ScanProgress


@contextmanager
def progress_on(stream: TextIO | None, *, quiet: bool) -> Iterator[ScanProgress]:
    """Yield a progress callback for readers; silent unless *stream* is a terminal."""
    if quiet or stream is None or not stream.isatty():
        yield library.no_scan_progress
        return
    from scanner_cli.output.bars import bars_on  # noqa: PLC0415 - most runs have no terminal

    with bars_on(stream) as bars:
        yield bars


@contextmanager
def steps_on(stream: TextIO | None) -> Iterator[GraphProgress]:
    """Yield a progress callback for the steps of long work, as `progress_on` does."""
    with progress_on(stream, quiet=False) as progress:
        if progress is library.no_scan_progress:
            yield library.no_graph_progress
        else:
            yield lambda what, done, total: progress(SourceId(what), done, total)
