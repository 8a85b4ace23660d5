"""Import events into the dictionary: from texts, and from closed segments of the spool in the background."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from dataflow_generator.openlineage.intake.dead_letter import RejectedFile, rejection
from dataflow_generator.openlineage.intake.files import EventText
from dataflow_generator.openlineage.intake.spool import Spool, whole_lines
from dataflow_generator.openlineage.parse.events import KNOWN_VERSION, InvalidEvent, read_event, version_of
from scanner_dictionary.write.events import EventSummary
from scanner_model.errors import ScannerError
from scanner_model.openlineage import LineageEvent
from scanner_model.problems import Problem

_AT_ONCE = 2_000

Store = Callable[[list[LineageEvent]], EventSummary]
Reject = Callable[[EventText, tuple[Problem, ...]], None]


@dataclass(slots=True)
class ImportResult:
    """How many texts were *received*, and how many of them were *stored*, *repeated* or *refused*.

    Of those stored or repeated, *future* have a version of the specification, or of a facet, that is newer than the
    supported one.
    """

    received: int = 0
    stored: int = 0
    repeated: int = 0
    refused: int = 0
    future: int = 0


def import_events(texts: Iterable[EventText], store: Store, refuse: Reject) -> ImportResult:
    """Parse *texts*; pass events to *store* in batches (one transaction each), and invalid texts to *refuse*."""
    result = ImportResult()
    batch: list[LineageEvent] = []
    for text in texts:
        result.received += 1
        event = read_event(text.text)
        if isinstance(event, InvalidEvent):
            result.refused += 1
            refuse(text, event.problems)
            continue
        result.future += is_future(event)
        batch.append(event)
        if len(batch) >= _AT_ONCE:
            _store_batch(batch, store, result)
    _store_batch(batch, store, result)
    return result


def is_future(event: LineageEvent) -> bool:
    """Return whether *event*, or a facet of it, has a newer version; it is stored but only partly read."""
    facets = [*(event.job.facets if event.job else ()), *(event.run.facets if event.run else ())]
    facets += (facet for each in event.datasets for facet in (*each.facets, *each.use_facets))
    return (version_of(event.schema_url) or KNOWN_VERSION) > KNOWN_VERSION or any(each.future for each in facets)


def _store_batch(batch: list[LineageEvent], store: Store, result: ImportResult) -> None:
    if batch:
        summary = store(batch)
        result.stored += summary.stored
        result.repeated += summary.repeated
        batch.clear()


_PAUSE = 0.5
_LONGEST_PAUSE = 30.0

Say = Callable[[str], None]


@dataclass(slots=True)
class SpoolImporter:
    """Imports closed segments of the spool periodically until it is stopped.

    While the dictionary cannot be written the segments stay, *error* is the reason, and retries become less frequent.
    A segment that cannot be read is set aside; the others are imported.
    """

    spool: Spool
    store: Store
    rejected: Path
    say: Say
    result: ImportResult = field(default_factory=ImportResult)
    error: str = ""
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None
    _unreadable: set[Path] = field(default_factory=set)
    """Unreadable segments that could not be renamed either."""

    def start(self) -> None:
        """Start the thread; segments of an earlier listener are imported first."""
        self._thread = threading.Thread(target=self._run, name="spool-importer", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Import what is in the spool, and stop; what cannot be stored now stays there."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        self.store_all()

    def problems(self) -> list[str]:
        """Return the problems that prevent events from being stored now; empty for none."""
        found = [self.error] if self.error else []
        if self.spool.failure:
            found.append(f"the spool cannot be written: {self.spool.failure}")
        if aside := self.spool.unreadable() + len(self._unreadable):
            found.append(f"{aside} unreadable segments of the spool are set aside in {self.spool.directory}")
        if not self.spool.alive:
            found.append("events cannot be received: the spool writer thread has ended; restart the listener")
        if self._thread is not None and not self._thread.is_alive() and not self._stop.is_set():
            found.append("events are not stored: the importer thread has ended; restart the listener")
        return found

    def store_all(self) -> bool:
        """Import every readable segment; return whether the dictionary could be written."""
        try:
            for file in self.spool.closed():
                if file not in self._unreadable:
                    self._store_or_set_aside(file)
        except ScannerError as error:
            if str(error) != self.error:
                self.say(f"events stay in the spool for now: {error}")
            self.error = str(error)
            return False
        self.error = ""
        return True

    def _run(self) -> None:
        pause = _PAUSE
        while not self._stop.wait(pause):
            pause = _PAUSE if self.store_all() else min(pause * 2, _LONGEST_PAUSE)

    def _store_or_set_aside(self, file: Path) -> None:
        try:
            self._store(file)
        except (OSError, ValueError) as error:
            # A disk error, missing permissions, or text that the database driver rejects.
            why = getattr(error, "strerror", None) or error
            self.say(f"unreadable segment set aside; not all of its events are stored: {file}: {why}")
            try:
                self.spool.set_aside(file)
            except OSError:
                self._unreadable.add(file)

    def _store(self, file: Path) -> None:
        with RejectedFile(self.rejected) as rejected:

            def refuse(text: EventText, problems: tuple[Problem, ...]) -> None:
                rejected.add(rejection(text.where, text.text, problems))

            texts = (EventText(f"{file.name}:{line}", text) for line, text in enumerate(whole_lines(file), 1))
            result = import_events(texts, self.store, refuse)
        self.spool.remove(file)
        self.result.received += result.received
        self.result.stored += result.stored
        self.result.repeated += result.repeated
        self.result.refused += result.refused
        self.result.future += result.future
