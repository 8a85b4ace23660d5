"""OpenLineage events of other producers: imported from files, or received over HTTP and stored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from dataflow_generator.openlineage.intake.importer import (
    EventText,
    ImportResult,
    SpoolImporter,
    event_files,
    texts_in,
    texts_of,
)
from dataflow_generator.openlineage.intake.importer import import_events as import_texts
from dataflow_generator.openlineage.intake.listener import BodyBroken, BodyTooLarge, EventIntake, Listener, unpack
from dataflow_generator.openlineage.intake.requests import LARGEST, Head, Reply, Rules, admit, refusal, too_large
from dataflow_generator.openlineage.intake.spool import RejectedFile, Spool, rejection
from scanner_api.dictionary import Dictionary
from scanner_api.files import Notify, check_file, ignore
from scanner_dictionary.write.events import write_events
from scanner_model.errors import InputInvalid, Problem

__all__ = ["EventImport", "ImportResult", "ListenOptions", "ListenResult", "Reply", "import_events", "listen"]


STDIN = "-"
"""The name of standard input among files of events."""

_NOTIFIED = 10
"""Refused events that are reported one by one; the file of refused events has all of them."""

_MIB = 1024 * 1024
_WAIT = 3600.0


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
        counts = import_texts(texts.read(), lambda events: write_events(engine, events), refuse)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ListenOptions:
    """The address and limits of a listener; sizes in MiB.

    *token* is what clients send as `Authorization: Bearer`, empty for none. Without one, only requests for this
    machine are accepted: *hosts* are further names of it. Beyond *max_spool* of waiting events, clients get status 503.
    *spool* is the directory of events that wait until they are stored, *rejected* the file of refused ones; None:
    beside the dictionary's file.
    """

    host: str = "127.0.0.1"
    port: int = 5000
    token: str = field(default="", repr=False)
    hosts: Sequence[str] = ()
    max_body: int = 16
    max_spool: int = 1024
    spool: Path | None = None
    rejected: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListenResult:
    """What a listener stored since it was started, and the *problems* that kept events from being stored at its end."""

    counts: ImportResult
    problems: tuple[str, ...]


def listen(
    dictionary: Dictionary,
    options: ListenOptions,
    *,
    until: AbstractContextManager[Callable[[float], bool]],
    notify: Notify = ignore,
) -> ListenResult:
    """Receive OpenLineage events (`POST /api/v1/lineage`) and store them until *until* ends.

    An event is on disk before it is acknowledged; those that were not stored at the end wait in the spool for the next
    listener. *until* is entered while the listener runs; its value gets seconds to wait and returns True to end it, as
    `contextlib.nullcontext(threading.Event().wait)` does. *notify* gets the address, and problems. Raises InputInvalid
    where the address or a file is not available, DictionaryUnusable.

    >>> listen(dictionary, ListenOptions(port=0), until=nullcontext(event.wait), notify=print).counts.stored
    """
    rejected = check_file(options.rejected or dictionary.sibling(".rejected.ndjson"), "--rejected")
    engine = replace(dictionary, notify=None).writing(create=True)
    spool = Spool(options.spool or dictionary.sibling(".spool"), rejected, largest=options.max_spool * _MIB)
    importer = SpoolImporter(spool, lambda events: write_events(engine, events), rejected, notify)
    listener = Listener((options.host, options.port), spool, _rules(options), lambda: _health(importer, spool))
    importer.start()
    listener.start()
    with until as wait:
        notify(f"listening at http://{_shown_host(options.host)}:{listener.port}/api/v1/lineage")
        while not wait(_WAIT):
            continue
    listener.stop()
    importer.stop()
    problems = tuple(importer.problems())
    spool.close()
    return ListenResult(counts=importer.result, problems=problems)


def _rules(options: ListenOptions) -> Rules:
    hosts = frozenset(name.lower() for name in (options.host, *options.hosts))
    return Rules(token=options.token, largest=options.max_body * _MIB, hosts=hosts)


def _shown_host(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _health(importer: SpoolImporter, spool: Spool) -> dict[str, Any]:
    problems = importer.problems()
    status = "degraded" if problems else "ok"
    return {"status": status, "trouble": "; ".join(problems), "spool_bytes": spool.size()} | asdict(importer.result)


class EventReceiver:
    """Receives events until it is closed; the guarantees are those of `scanner openlineage listen`.

    Events are on disk before `receive` returns a status below 300. What was not stored when the process ended is stored
    by the next receiver of the same spool. *spool* and *rejected* default to places beside the dictionary's file.
    Raises InputInvalid where another process uses the spool, or a place cannot be written.
    """

    def __init__(
        self,
        dictionary: Dictionary,
        *,
        spool: Path | None = None,
        rejected: Path | None = None,
        largest_body: int = LARGEST,
        largest_spool: int = 1024 * _MIB,
        notify: Notify = ignore,
    ) -> None:
        file = check_file(rejected or dictionary.sibling(".rejected.ndjson"), "--rejected")
        engine = replace(dictionary, notify=None, pool=None).writing(create=True)
        self._rules = Rules(largest=largest_body)
        self._spool = Spool(spool or dictionary.sibling(".spool"), file, largest=largest_spool)
        self._importer = SpoolImporter(self._spool, lambda events: write_events(engine, events), file, notify)
        self._intake = EventIntake(self._spool)
        self._importer.start()

    @property
    def largest_body(self) -> int:
        """Return the largest body in bytes, also after decompression."""
        return self._rules.largest

    def refusal(self, method: str, path: str, headers: Mapping[str, str]) -> Reply | None:
        """Return the response that refuses a request by its head; None where its body is to be read.

        Names of *headers* are in lower case. Access (token, host) is the server's to check.
        """
        harmless = {name: value for name, value in headers.items() if name not in ("host", "origin", "sec-fetch-site")}
        return admit(Head(method=method, path=path, headers=harmless), self._rules)

    def too_large(self) -> Reply:
        """Return the response to a body that is too large."""
        return too_large(self._rules)

    def receive(self, pieces: Iterable[bytes], *, packed: bool, where: str) -> Reply:
        """Return the response to a body, *packed* with gzip or plain; *where* is its origin for rejected events."""
        body = bytearray()
        try:
            for piece in unpack(iter(pieces), self._rules.largest) if packed else pieces:
                body += piece
                if len(body) > self._rules.largest:
                    raise BodyTooLarge
        except BodyTooLarge:
            return self.too_large()
        except BodyBroken as error:
            return refusal(400, str(error))
        return self._intake.receive(bytes(body), where=where)

    def problems(self) -> list[str]:
        """Return what prevents events from being received or stored now; empty for nothing."""
        return self._importer.problems()

    def counts(self) -> Mapping[str, Any]:
        """Return how many events were stored, repeated and refused, and the bytes that wait in the spool."""
        return {"spool_bytes": self._spool.size(), **asdict(self._importer.result)}

    def close(self) -> None:
        """Store what is in the spool, and stop; what cannot be stored now stays there."""
        self._importer.stop()
        self._spool.close()
