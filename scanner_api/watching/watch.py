"""Scheduled scans: one at a time, the last scan kept on failure, then the graph and the notifications."""

from __future__ import annotations

import json
import random
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from scanner_api.dictionary import Dictionary
from scanner_api.files import Notify, ignore
from scanner_api.graph.generate import generate
from scanner_api.push.run import push_after_scan
from scanner_api.questions import changes, listings
from scanner_api.questions.change_summaries import change_summaries
from scanner_api.scanning.clusters import ScanReport, read_files
from scanner_api.scanning.run import scan as scan_clusters
from scanner_api.watching.child import Child
from scanner_api.watching.notifications import (
    ChangeRules,
    NotificationTarget,
    Post,
    TopicUse,
    change_line,
    notification_id,
    post,
)
from scanner_api.watching.triggers import triggered
from scanner_model.errors import InputInvalid, ScannerError, SourceObjected
from scanner_model.private_files import atomic_path
from scanner_model.text import visible
from scanner_model.triggers import Triggers

_JITTER = 0.1
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 60.0

Scan = Callable[[], Sequence[ScanReport]]


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchContext:
    """What a watch does to the world: *scan* and *generate* write the dictionary, *push* catalogs, *post* sends.

    *triggers* returns the rules about readers by cluster. *stop* ends a scan or a graph in progress. *draw* returns a
    random number between two bounds; *notify* gets messages for people.
    """

    scan: Scan
    generate: Callable[[], object]
    push: Callable[[], object] = lambda: None
    triggers: Callable[[], Mapping[str, Triggers | None]] = dict
    stop: Callable[[], object] = lambda: None
    post: Post = post
    draw: Callable[[float, float], float] = random.uniform
    notify: Notify = ignore


def watch_context(
    config_files: Sequence[str | Path],
    dictionary: Dictionary,
    *,
    notify: Notify = ignore,
    replay: Path | None = None,
    workers: int = 4,
) -> WatchContext:
    """Return the context that scans the clusters of *config_files* into *dictionary*, and generates its graph.

    Both run in a process of their own: what a source holds does not hold the server that waits for it.
    """
    child, plain = Child(), replace(dictionary, notify=None, pool=None)
    scanning = partial(_scan, list(map(str, config_files)), plain, replay, workers)
    return WatchContext(
        scan=lambda: child.run(scanning, notify),
        generate=lambda: child.run(partial(_generate, plain), notify),
        push=lambda: push_after_scan(config_files, dictionary, notify),
        triggers=lambda: {each.cluster: each.triggers for each in read_files(list(map(str, config_files)))[0]},
        stop=child.stop,
        notify=notify,
    )


def _scan(
    files: Sequence[str], dictionary: Dictionary, replay: Path | None, workers: int, notify: Notify
) -> tuple[ScanReport, ...]:
    into = replace(dictionary, notify=notify)
    return scan_clusters(files, into, replay=replay, workers=workers, notify=notify)


def _generate(dictionary: Dictionary, notify: Notify) -> None:
    generate(replace(dictionary, notify=notify))


class Watch:
    """Scans every *seconds* or so, in a thread of its own, and notifies *targets* of changes since the scan before."""

    def __init__(
        self,
        dictionary: Dictionary,
        context: WatchContext,
        outbox: Outbox,
        targets: Sequence[NotificationTarget],
        seconds: float,
    ) -> None:
        self._dictionary, self._context, self._outbox = dictionary, context, outbox
        self._targets, self._seconds = tuple(targets), seconds
        self._counts: Counter[str] = Counter(stored=0, partial=0, failed=0)
        self._problems: dict[str, str] = {}
        self._ended = threading.Event()
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()

    def start(self) -> None:
        """Start scanning, at once, and delivering."""
        for name, work in (("scans", self._scan_always), ("notifications", self._deliver_always)):
            thread = threading.Thread(target=work, name=name, daemon=True)
            self._threads.append(thread)
            thread.start()

    def stop(self, seconds: float = 10.0) -> None:
        """Stop; a scan in progress that takes longer than *seconds* is ended, and stores nothing."""
        self._ended.set()
        for thread in self._threads:
            thread.join(seconds)
        self._context.stop()

    def run_once(self) -> bool:
        """Scan, generate the graph, and record notifications; False where something failed, and was reported."""
        scanned = self._safely("scan", self._scan)
        # A scan may have been stored by another program, or before a failure: what it changed is notified of as well.
        noted = self._safely("changes", self._record_changes)
        pushed = self._safely("push", self._context.push)
        return scanned and noted and pushed

    def deliver(self) -> bool:
        """Send pending notifications in order; False where one could not be sent and is to be tried again."""
        targets = {target.kind: target for target in self._targets}
        for pending in self._outbox.state.pending:
            target = targets.get(pending.kind)
            if target is None:
                self._remove(pending)  # its target is not configured any more
            elif not self._safely(f"notification to {pending.kind}", partial(self._send, pending, target)):
                return False
        return True

    def problems(self) -> list[str]:
        """Return why the last scan failed, or why notifications are not delivered; empty for nothing."""
        with self._lock:
            return [f"{what}: {text}" for what, text in self._problems.items()]

    def counts(self) -> Mapping[str, int]:
        """Return how many scans were stored completely, were partial, and failed."""
        return dict(self._counts)

    def pending(self) -> int:
        """Return the number of notifications that are not delivered yet."""
        return len(self._outbox.state.pending)

    def _scan(self) -> None:
        try:
            reports = self._context.scan()
        except ScannerError:
            self._counts["failed"] += 1
            raise
        failed = [report.cluster for report in reports if not report.stored]
        partial = [report.cluster for report in reports if report.stored and report.is_partial]
        self._counts["failed" if failed else "partial" if partial else "stored"] += 1
        if len(failed) < len(reports):
            self._context.generate()
        if failed:
            raise ScannerError(f"no source of {', '.join(failed)} could be read; the last scan is kept")

    def _record_changes(self) -> None:
        for cluster in listings.clusters(self._dictionary):
            known = self._outbox.state.scans.get(cluster.name)
            if cluster.last_scan is not None and known != cluster.last_scan:
                pending = () if known is None else self._notifications(cluster.name, known, cluster.last_scan)
                with self._lock:
                    self._outbox.record(cluster.name, cluster.last_scan, pending)

    def _notifications(self, cluster: str, first: int, second: int) -> tuple[Pending, ...]:
        if first > second:  # another dictionary has taken the place of the one that was watched
            return ()
        changed = changes.diff(self._dictionary, first, second)
        topics = listings.topics(self._dictionary, cluster=cluster, deleted=True)
        at = next(row.finished for row in listings.scans(self._dictionary, cluster=cluster) if row.id == second)
        triggers = self._context.triggers().get(cluster)
        events = triggered(self._dictionary, (first, second), triggers, topics) if triggers else ()
        lines = change_summaries(self._dictionary, since=first, until=str(second), cluster=cluster)
        uses = {line.topic: TopicUse(line.readers, line.owners) for line in lines if line.topic}
        if not self._targets:
            for change in (*events, *ChangeRules().matching(changed, topics)):
                line = change_line(change, uses.get(change.topic, TopicUse()))
                self._context.notify(f"{cluster}: {visible(line)}" + (f" · {change.link}" if change.link else ""))
        matching = [(target, (*events, *target.rules.matching(changed, topics))) for target in self._targets]
        return tuple(
            Pending(kind=target.kind, id=notification_id(changed), body=target.body(changed, matched, at, uses))
            for target, matched in matching
            if matched
        )

    def _send(self, pending: Pending, target: NotificationTarget) -> None:
        try:
            self._context.post(target.url, target.headers(pending.body), pending.body)
        except SourceObjected as error:
            self._context.notify(f"warning: the notification {pending.id} is dropped: {target.kind}: {error}")
        self._remove(pending)

    def _remove(self, pending: Pending) -> None:
        with self._lock:
            self._outbox.remove(pending)

    def _scan_always(self) -> None:
        while not self._ended.is_set():
            self.run_once()
            self._ended.wait(self._context.draw(self._seconds * (1 - _JITTER), self._seconds * (1 + _JITTER)))

    def _deliver_always(self) -> None:
        pause = _FIRST_PAUSE
        while not self._ended.wait(pause):
            pause = _FIRST_PAUSE if self.deliver() else min(pause * 2, _LONGEST_PAUSE)

    def _safely(self, what: str, act: Callable[[], object]) -> bool:
        """Call *act*; a failure is reported once, and when it is over."""
        try:
            act()
        except ScannerError as error:
            with self._lock:
                is_new = self._problems.get(what) != str(error)
                self._problems[what] = str(error)
            if is_new:
                self._context.notify(f"warning: {what}: {error}")
            return False
        with self._lock:
            known = self._problems.pop(what, None)
        if known:
            self._context.notify(f"{what}: works again")
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """A notification to be sent to the target of *kind*."""

    kind: str
    id: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxState:
    """Up to which scan of each cluster notifications are recorded, and those that are to be sent, in order."""

    scans: Mapping[str, int]
    pending: tuple[Pending, ...] = ()


class Outbox:
    """Keeps its state in *file*, replaced as a whole: a notification is sent again if its end was not recorded."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.state = _read(file)

    def record(self, cluster: str, scan: int, pending: tuple[Pending, ...]) -> None:
        """Record that the changes of *cluster* up to *scan* are *pending*; raises InputInvalid if it cannot."""
        scans = {**self.state.scans, cluster: scan}
        self._write(OutboxState(scans=scans, pending=(*self.state.pending, *pending)))

    def remove(self, sent: Pending) -> None:
        """Record that *sent* need not be sent again; raises InputInvalid if that cannot be recorded."""
        self._write(replace(self.state, pending=tuple(message for message in self.state.pending if message != sent)))

    def _write(self, state: OutboxState) -> None:
        pending = [{"kind": message.kind, "id": message.id, "body": message.body} for message in state.pending]
        text = json.dumps({"scans": dict(state.scans), "pending": pending})
        try:
            with atomic_path(self._file, durable=True) as part:
                part.write_text(text, encoding="utf-8")
        except OSError as error:
            what = f"cannot be written: {error.strerror or error}"
            raise InputInvalid(what, where=str(self._file), hint="choose another file with --state") from error
        self.state = state


def _read(file: Path) -> OutboxState:
    try:
        document: Any = json.loads(file.read_text(encoding="utf-8"))
        pending = tuple(Pending(**message) for message in document["pending"])
        return OutboxState(scans={str(name): int(scan) for name, scan in document["scans"].items()}, pending=pending)
    except FileNotFoundError:
        return OutboxState(scans={})
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        what = "is not the state of a watch"
        raise InputInvalid(what, where=str(file), hint="choose another file with --state, or remove it") from error
