"""Import events into the dictionary: from texts, and from closed segments of the spool in the background."""

from __future__ import annotations

import gzip
import io
import json
import re
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import BinaryIO, NamedTuple

from dataflow_generator.openlineage.events import KNOWN_VERSION, InvalidEvent, read_event, version_of
from dataflow_generator.openlineage.spool import RejectedFile, Spool, rejection, whole_lines
from scanner_dictionary.write.events import EventSummary
from scanner_model.documents.json_input import check_size
from scanner_model.errors import InputInvalid, Problem, ScannerError
from scanner_model.openlineage import LineageEvent

LONGEST = 128 * 1024 * 1024
"""The largest number of characters of a line, or of a document of several lines."""

_GZIP = b"\x1f\x8b"
_DECODER = json.JSONDecoder()
_SPACE = " \t\r\n"
_SPACES = re.compile(r"[ \t\r\n]*")


class EventText(NamedTuple):
    """The text of one event with its location: a file and a line, or an index in an array."""

    where: str
    text: str


def event_files(path: Path) -> list[Path]:
    """Return the files at *path*: itself, or all in a directory and below, sorted; hidden ones are left out.

    Raises InputInvalid if it is missing.
    """
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise InputInvalid("no such file", where=str(path), hint="name a file, a directory, or - for a pipe")
    files = (file for file in sorted(path.rglob("*")) if file.is_file())
    listed = [file for file in files if not any(part.startswith(".") for part in file.relative_to(path).parts)]
    if not listed:
        raise InputInvalid("the directory has no files", where=str(path), hint="choose a directory with events")
    return listed


def texts_of(file: Path) -> Iterator[EventText]:
    """Yield the texts of events in *file*; raises InputInvalid where it cannot be read or decompressed."""
    try:
        with file.open("rb") as stream:
            yield from texts_in(stream, str(file))
    except OSError as error:
        raise InputInvalid(f"cannot be read: {error.strerror or error}", where=str(file)) from error


def texts_in(stream: BinaryIO, name: str, *, longest: int = LONGEST) -> Iterator[EventText]:
    """Yield the texts of events in *stream*, valid or not."""
    buffered = stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(stream)  # type: ignore[type-var]
    packed = buffered.peek(2)[:2] == _GZIP
    try:
        lines = gzip.GzipFile(fileobj=buffered) if packed else buffered
        yield from _texts(
            _lines(io.TextIOWrapper(lines, encoding="utf-8-sig", errors="surrogateescape"), name, longest), name
        )
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputInvalid(f"cannot be decompressed: {error}", where=name, hint="is the file complete?") from error


def _lines(stream: io.TextIOWrapper, name: str, longest: int) -> Iterator[str]:
    """Yield the lines of *stream*; raises InputInvalid for one that is longer than any event."""
    while line := stream.readline(longest):
        if len(line) == longest:
            what = f"a line is longer than {longest} characters"
            raise InputInvalid(what, where=name, hint="is it a file of events?")
        yield line


def _texts(lines: Iterable[str], name: str) -> Iterator[EventText]:
    rest = iter(lines)
    number, first = next(((n, line) for n, line in enumerate(rest, 1) if line.strip(_SPACE)), (0, ""))
    if not number:
        return
    if _is_json(first):
        yield from _of_line(first, f"{name}:{number}")
        yield from _of_lines(rest, name, number)
        return
    later = list(_first(rest, LONGEST))
    text = "".join([first, *later])
    if len(text) >= LONGEST:  # too large for a document: the rest is read as lines
        yield EventText(f"{name}:{number}", first)
        yield from _of_lines(chain(later, rest), name, number)
        return
    events = _of_document(text, name)
    if events is None and any(line.lstrip(_SPACE)[:1] == "{" and _is_json(line) for line in later):
        yield EventText(f"{name}:{number}", first)
        yield from _of_lines(iter(later), name, number)
    else:
        yield from [EventText(name, text)] if events is None else events


def _first(lines: Iterator[str], most: int) -> Iterator[str]:
    """Yield lines up to *most* characters in total."""
    for line in lines:
        most -= len(line)
        yield line
        if most <= 0:
            return


def _of_lines(lines: Iterator[str], name: str, before: int) -> Iterator[EventText]:
    for number, line in enumerate(lines, before + 1):
        if line.strip(_SPACE):
            yield from _of_line(line, f"{name}:{number}")


def _of_line(line: str, where: str) -> list[EventText]:
    """Return the event of a line, or the events of an array on one line."""
    listed = _of_document(line, where) if line.lstrip(_SPACE)[:1] == "[" else None
    return [EventText(where, line)] if listed is None else listed


def _of_document(text: str, where: str) -> list[EventText] | None:
    """Return the events of a document, or of several one after the other; None where not all of it is JSON."""
    values = []
    at = _after_spaces(text, 0)
    try:
        check_size(text.encode("utf-8", "surrogatepass"))
        while at < len(text):
            value, end = _DECODER.raw_decode(text, at)
            values.append(value)
            at = _after_spaces(text, end)
    except (ValueError, RecursionError):
        return None
    if len(values) == 1 and not isinstance(values[0], list):
        return [EventText(where, text)]
    items = values[0] if len(values) == 1 else values
    return [EventText(f"{where}[{index}]", json.dumps(item)) for index, item in enumerate(items)]


def _after_spaces(text: str, at: int) -> int:
    match = _SPACES.match(text, at)
    return match.end() if match else at


def _is_json(line: str) -> bool:
    try:
        check_size(line.encode("utf-8", "surrogatepass"))
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


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


def import_events(texts: Iterable[EventText], store: Store, refuse: Reject, newest: str | None = None) -> ImportResult:
    """Parse *texts*; pass events to *store* in batches (one transaction each), and invalid texts to *refuse*.

    *newest* is the latest time that an event may have.
    """
    result = ImportResult()
    batch: list[LineageEvent] = []
    for text in texts:
        result.received += 1
        event = read_event(text.text, newest=newest)
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
    facets += (facet for dataset in event.datasets for facet in (*dataset.facets, *dataset.use_facets))
    return (version_of(event.schema_url) or KNOWN_VERSION) > KNOWN_VERSION or any(facet.future for facet in facets)


def _store_batch(batch: list[LineageEvent], store: Store, result: ImportResult) -> None:
    if batch:
        summary = store(batch)
        result.stored += summary.stored
        result.repeated += summary.repeated
        batch.clear()


_PAUSE = 0.5
_LONGEST_PAUSE = 30.0

Notify = Callable[[str], None]


@dataclass(slots=True)
class SpoolImporter:
    """Imports closed segments of the spool periodically until it is stopped.

    While the dictionary cannot be written the segments stay, *error* is the reason, and retries become less frequent.
    A segment that cannot be read is set aside; the others are imported.
    """

    spool: Spool
    store: Store
    rejected: Path
    notify: Notify
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
        messages = [self.error] if self.error else []
        if self.spool.failure:
            messages.append(f"the spool cannot be written: {self.spool.failure}")
        if aside := self.spool.unreadable() + len(self._unreadable):
            messages.append(f"{aside} unreadable segments of the spool are set aside in {self.spool.directory}")
        if not self.spool.alive:
            messages.append("events cannot be received: the spool writer thread has ended; restart the listener")
        if self._thread is not None and not self._thread.is_alive() and not self._stop.is_set():
            messages.append("events are not stored: the importer thread has ended; restart the listener")
        return messages

    def store_all(self) -> bool:
        """Import every readable segment; return whether the dictionary could be written."""
        try:
            for file in self.spool.closed():
                if file not in self._unreadable:
                    self._store_or_set_aside(file)
        except ScannerError as error:
            if str(error) != self.error:
                self.notify(f"events stay in the spool for now: {error}")
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
            self.notify(f"unreadable segment set aside; not all of its events are stored: {file}: {why}")
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
