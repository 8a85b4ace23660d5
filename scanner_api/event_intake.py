"""OpenLineage events of other producers: imported from files, or received over HTTP and stored."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from dataflow_generator.openlineage.events import newest_time
from dataflow_generator.openlineage.importer import (
    EventText,
    ImportResult,
    SpoolImporter,
    event_files,
    texts_in,
    texts_of,
)
from dataflow_generator.openlineage.importer import import_events as import_texts
from dataflow_generator.openlineage.requests import (
    LARGEST,
    BodyBroken,
    BodyTooLarge,
    Reply,
    admit,
    busy,
    decide,
    refusal,
    too_large,
    whole_body,
)
from dataflow_generator.openlineage.spool import RejectedFile, Spool, SpoolFull, rejection
from scanner_api.dictionary import Dictionary
from scanner_api.files import Notify, check_file, ignore
from scanner_dictionary.write.events import write_events
from scanner_model.errors import InputInvalid, Problem

__all__ = ["EventImport", "EventReceiver", "ImportResult", "Reply", "import_events"]


STDIN = "-"
"""The name of standard input among files of events."""

_NOTIFIED = 10
"""Refused events that are reported one by one; the file of refused events has all of them."""

_PARSED_AT_ONCE = 4
"""Bodies that are parsed at the same time: as Python objects, one takes many times its size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventImport:
    """What became of imported events: *counts*, and the errors of files that could not be read to their end.

    *rejected* is the file to which refused events were added, None where none was refused.
    """

    counts: ImportResult
    errors: tuple[InputInvalid, ...]
    rejected: Path | None


def import_events(
    dictionary: Dictionary,
    files: Sequence[str | Path],
    *,
    stdin: BinaryIO | None = None,
    rejected: Path | None = None,
    notify: Notify = ignore,
) -> EventImport:
    """Store the OpenLineage events of *files* and directories; importing them again changes nothing.

    A file has an event a line, or one event or an array; plain or gzip. `-` stands for *stdin*, a binary stream.
    Refused events are added to *rejected*, by default beside the dictionary's file, and *notify* gets the first ones.
    What is readable of a damaged file is stored. Raises InputInvalid where a file does not exist or a directory has
    none, DictionaryUnusable.

    >>> import_events(dictionary, ["spark-events.ndjson"]).counts.stored
    """
    texts = _Texts(_event_files(files, stdin), stdin)
    engine = dictionary.writing(create=True)
    with RejectedFile(rejected or dictionary.sibling(".rejected.ndjson")) as file:
        refuse = _Refusals(file, notify).add
        newest = newest_time(datetime.now(UTC))
        counts = import_texts(texts.read(), lambda events: write_events(engine, events), refuse, newest)
    return EventImport(counts=counts, errors=tuple(texts.errors), rejected=file.path if counts.refused else None)


@dataclass(slots=True)
class _Texts:
    """The texts of events in files, None for standard input; *errors* are of files that could not be read."""

    files: Sequence[Path | None]
    stdin: BinaryIO | None
    errors: list[InputInvalid] = field(default_factory=list)

    def read(self) -> Iterator[EventText]:
        """Yield the texts of every file, as far as it can be read."""
        return chain.from_iterable(map(self._read_file, self.files))

    def _read_file(self, file: Path | None) -> Iterator[EventText]:
        try:
            if file:
                yield from texts_of(file)
            elif self.stdin:
                yield from texts_in(self.stdin, STDIN)
        except InputInvalid as error:
            self.errors.append(error)


@dataclass(slots=True)
class _Refusals:
    """Adds refused events to a file, and reports the first ones."""

    file: RejectedFile
    notify: Notify
    count: int = 0

    def add(self, text: EventText, problems: tuple[Problem, ...]) -> None:
        self.file.add(rejection(text.where, text.text, problems))
        self.count += 1
        if self.count <= _NOTIFIED:
            self.notify(f"refused: {text.where} {'; '.join(map(str, problems))}")


def _event_files(files: Sequence[str | Path], stdin: BinaryIO | None) -> list[Path | None]:
    """Return the files of *files*, None for standard input; raises InputInvalid where one does not exist."""
    listed: list[Path | None] = []
    for file in files:
        listed += [None] if str(file) == STDIN and stdin else event_files(Path(file))
    return listed


class EventReceiver:
    """Receives events, for a server, until it is closed.

    Events are on disk before `receive` returns a status below 300. What was not stored when the process ended is stored
    by the next receiver of the same spool. *spool* is the directory of events that wait until they are stored,
    *rejected* the file of refused ones; both default to places beside the dictionary's file. Beyond *largest_spool*
    bytes of waiting events, and where the disk cannot be written, the response is 503. Raises InputInvalid where
    another process uses the spool, or a place cannot be written, DictionaryUnusable.
    """

    def __init__(
        self,
        dictionary: Dictionary,
        *,
        spool: Path | None = None,
        rejected: Path | None = None,
        largest_body: int = LARGEST,
        largest_spool: int = 1024 * 1024 * 1024,
        notify: Notify = ignore,
    ) -> None:
        file = check_file(rejected or dictionary.sibling(".rejected.ndjson"), "--rejected")
        engine = replace(dictionary, notify=None, pool=None).writing(create=True)
        dictionary.check_writable()
        self.largest_body = largest_body
        """The largest body in bytes, also after decompression."""
        self._spool = Spool(spool or dictionary.sibling(".spool"), file, largest=largest_spool)
        self._importer = SpoolImporter(self._spool, lambda events: write_events(engine, events), file, notify)
        self._parsing = threading.BoundedSemaphore(_PARSED_AT_ONCE)
        self._importer.start()

    def refusal(self, headers: Mapping[str, str]) -> Reply | None:
        """Return the response that refuses a request by its head; None where its body is to be read.

        Names of *headers* are in lower case. Access (token, host) is the server's to check.
        """
        return admit(headers, self.largest_body)

    def too_large(self) -> Reply:
        """Return the response to a body that is too large."""
        return too_large(self.largest_body)

    def receive(self, pieces: Iterable[bytes], headers: Mapping[str, str], *, where: str) -> Reply:
        """Return the response to a body; *where* is its origin for rejected events."""
        try:
            body = whole_body(pieces, headers, self.largest_body)
        except BodyTooLarge:
            return self.too_large()
        except BodyBroken as error:
            return refusal(400, str(error))
        with self._parsing:
            decision = decide(body, where=where, newest=newest_time(datetime.now(UTC)))
        try:
            if decision.accepted or decision.refused:
                self._spool.append(decision.accepted, decision.refused)
        except SpoolFull as error:
            return busy(str(error), seconds=1)
        return decision.reply

    def problems(self) -> list[str]:
        """Return what prevents events from being received or stored now; empty for nothing."""
        return self._importer.problems()

    def counts(self) -> Mapping[str, int]:
        """Return how many events were stored, repeated and refused, and the bytes that wait in the spool."""
        return {"spool_bytes": self._spool.size(), **asdict(self._importer.result)}

    def close(self) -> list[str]:
        """Store what is in the spool, and stop; return what kept events from being stored, which stay in the spool."""
        self._importer.stop()
        problems = self.problems()
        self._spool.close()
        return problems
