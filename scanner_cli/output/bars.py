"""Moving bars on a terminal; imports rich, which a run without a terminal does not need."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

from scanner_model.names import SourceId
from scanner_model.text import visible


@contextmanager
def bars_on(stream: TextIO) -> Iterator[SourceBars]:
    """Yield bars that are drawn on *stream* until the block ends."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    # Output on stdout stays there: rich would redirect it to the stream of the bars.
    with Progress(*columns, console=Console(file=stream), transient=True, redirect_stdout=False) as bars:
        yield SourceBars(bars)


class SourceBars:
    """Moves one bar for each source; may be called from any thread."""

    def __init__(self, bars: Progress) -> None:
        self._bars = bars
        self._tasks: dict[SourceId, TaskID] = {}
        self._lock = threading.Lock()

    def __call__(self, source: SourceId, done: int, total: int | None) -> None:
        """Move the bar of *source*."""
        with self._lock:
            if source not in self._tasks:
                self._tasks[source] = self._bars.add_task(escape(visible(source)), total=None)
            self._bars.update(self._tasks[source], completed=done, total=total)
