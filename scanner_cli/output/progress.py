"""Progress of long work: moving bars on a terminal, nothing elsewhere."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars

from scanner_cli import library
from scanner_model.names import SourceId
from scanner_model.text import visible

if TYPE_CHECKING:
    from scanner_api.files import GraphProgress, ScanProgress


@contextmanager
def progress_on(stream: TextIO | None, *, quiet: bool) -> Iterator[ScanProgress]:
    """Yield a progress callback for readers; silent unless *stream* is a terminal."""
    if quiet or stream is None or not stream.isatty():
        yield library.no_scan_progress
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    # Output on stdout stays there: rich would redirect it to the stream of the bars.
    with Bars(*columns, console=Console(file=stream), transient=True, redirect_stdout=False) as bars:
        yield _BarsProgress(bars)


@contextmanager
def steps_on(stream: TextIO | None) -> Iterator[GraphProgress]:
    """Yield a progress callback for the steps of long work, as `progress_on` does."""
    with progress_on(stream, quiet=False) as progress:
        if progress is library.no_scan_progress:
            yield library.no_graph_progress
        else:
            yield lambda what, done, total: progress(SourceId(what), done, total)


class _BarsProgress:
    """Moves one bar for each source; may be called from any thread."""

    def __init__(self, bars: Bars) -> None:
        self._bars = bars
        self._tasks: dict[SourceId, TaskID] = {}
        self._lock = threading.Lock()

    def __call__(self, source: SourceId, done: int, total: int | None) -> None:
        with self._lock:
            if source not in self._tasks:
                self._tasks[source] = self._bars.add_task(escape(visible(source)), total=None)
            self._bars.update(self._tasks[source], completed=done, total=total)
