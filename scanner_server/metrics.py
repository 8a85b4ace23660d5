"""The figures of `/metrics`: all of them are in memory, those of the dictionary are read now and then."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from scanner_api.dictionary import Dictionary, Measures, measures
from scanner_model.errors import ScannerError
from scanner_model.threads import start
from scanner_server.intake import Intake
from scanner_server.options import ScanStatus

_EVERY = 15.0
_OLD = 60.0
"""Seconds after which figures are not shown any more: the dictionary hangs."""

_FIRST = 1.0
"""Seconds that the server's start waits for the first figures."""

Sample = tuple[Mapping[str, str], float]


class DictionaryFigures:
    """The figures of *dictionary*, read by a thread of its own; None while it cannot be read."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._read: tuple[float, Measures] | None = None
        self._first, self._ended = threading.Event(), threading.Event()

    def start(self) -> None:
        """Read the figures from now on; wait a moment for the first ones."""
        start(self._keep_reading, "figures")
        self._first.wait(_FIRST)

    def end(self) -> None:
        """Read no more."""
        self._ended.set()

    def newest(self) -> Measures | None:
        """Return the figures as they were read last; None if that failed, or was long ago."""
        read = self._read
        return read[1] if read and time.monotonic() - read[0] < _OLD else None

    def read(self) -> None:
        """Read the figures, in the calling thread."""
        try:
            self._read = time.monotonic(), measures(self._dictionary)
        except ScannerError:
            self._read = None
        self._first.set()

    def _keep_reading(self) -> None:
        self.read()
        while not self._ended.wait(_EVERY):
            self.read()


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What `/metrics` shows; *requests* counts answered requests by operation and status."""

    dictionary: DictionaryFigures
    requests: Mapping[tuple[str, int], int] = field(default_factory=dict)
    intake: Intake | None = None
    scans: ScanStatus | None = None

    def text(self) -> str:
        """Return the figures of the dictionary, where it can be read, and of this process."""
        known = self.dictionary.newest()
        up: list[Sample] = [({}, float(known is not None))]
        lines = [
            *_metric("scanner_dictionary_up", "gauge", "1 if the dictionary can be read; else it has no figures.", up),
            *(_of_dictionary(known) if known else ()),
            *_of_process(self),
        ]
        return "".join(lines)


def _of_dictionary(known: Measures) -> Iterator[str]:
    clusters, sources = known
    by_cluster = [({"cluster": row.cluster}, row) for row in clusters]
    finished = [(labels, _timestamp(row.finished)) for labels, row in by_cluster]
    yield from _metric("scanner_scan_timestamp_seconds", "gauge", "When the newest scan ended.", finished)
    numbers = [(labels, row.scan) for labels, row in by_cluster]
    yield from _metric("scanner_scan_number", "gauge", "The number of the newest scan.", numbers)
    topics = [(labels, row.topics) for labels, row in by_cluster]
    yield from _metric("scanner_topics", "gauge", "Topics that exist.", topics)
    without = [(labels, row.without_schema) for labels, row in by_cluster]
    yield from _metric("scanner_topics_without_schema", "gauge", "Topics that no schema describes.", without)
    findings = [({**labels, "rule": rule}, count) for labels, row in by_cluster for rule, count in row.findings]
    yield from _metric("scanner_problems", "gauge", "Findings of `scanner validate`.", findings)
    named = [({"cluster": row.cluster, "source": row.source}, row) for row in sources]
    up = [(labels, float(row.up)) for labels, row in named]
    yield from _metric("scanner_source_up", "gauge", "1 if the last scan read all of a source.", up)
    read = [(labels, _timestamp(row.read_at)) for labels, row in named if row.read_at]
    yield from _metric("scanner_source_read_timestamp_seconds", "gauge", "When all of a source was read last.", read)


def _of_process(figures: Figures) -> Iterator[str]:
    requests = [({"operation": name, "status": str(code)}, n) for (name, code), n in sorted(figures.requests.items())]
    yield from _metric("scanner_http_requests_total", "counter", "Answered requests of the API.", requests)
    if figures.intake is not None:
        counts = [({"what": name}, float(count)) for name, count in figures.intake.counts().items()]
        yield from _metric("scanner_intake", "gauge", "Received OpenLineage events by what became of them.", counts)
    if figures.scans is not None:
        runs = [({"result": name}, float(count)) for name, count in figures.scans.counts().items()]
        yield from _metric("scanner_scheduled_scans_total", "counter", "Scheduled scans by result.", runs)
        pending: list[Sample] = [({}, float(figures.scans.pending()))]
        yield from _metric("scanner_notifications_pending", "gauge", "Notifications not delivered yet.", pending)


def _metric(name: str, kind: str, text: str, samples: Iterable[Sample]) -> Iterator[str]:
    yield f"# HELP {name} {text}\n# TYPE {name} {kind}\n"
    for labels, value in samples:
        inner = ",".join(f'{key}="{_escaped(value)}"' for key, value in labels.items())
        yield f"{name}{{{inner}}} {value:.17g}\n" if inner else f"{name} {value:.17g}\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _timestamp(iso: str) -> float:
    return datetime.fromisoformat(iso).timestamp()
