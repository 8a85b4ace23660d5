"""Pushing the graph into a catalog: plan, push, undo; each push is a run that can be taken back."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from dataflow_generator.openlineage.emit.datasets import dictionary_metadata
from scanner_api.dictionary import Dictionary
from scanner_api.files import Notify, ignore
from scanner_api.graph.open import GraphSource, find_node, open_stored_rows, open_with_dictionary
from scanner_api.push.contents import GraphContents
from scanner_api.push.journal import Entry, Journal
from scanner_api.push.model import (
    Change,
    Explained,
    PushResult,
    Step,
    Target,
    action_of,
    refusal_of,
)
from scanner_api.push.plan import Planned, Planner
from scanner_api.push.read_back import Outcome, ReadBack
from scanner_api.push.wire import Answer, Wire, is_refusal
from scanner_api.scanning.clusters import read_files
from scanner_dictionary.lineage_inputs.events import newest_moment
from scanner_dictionary.queries.state import source_ages
from scanner_extractor.http.messages import Transport
from scanner_extractor.push_targets import experience as experience
from scanner_extractor.push_targets import push_target, target_plugin
from scanner_extractor.push_targets import target_names as target_names
from scanner_extractor.settings.push import PushSettings
from scanner_model.documents.json_positions import closest_match
from scanner_model.errors import (
    InputInvalid,
    NotFound,
    PayloadUnexpected,
    ScannerError,
    ServerFailed,
    SourceObjected,
    SourceRefused,
)
from scanner_model.payload import Payload

_EXISTS = 409


class Network(NamedTuple):
    """How catalogs are reached, and the time: *exchange* replaces the network in tests, *pause* waits for seconds.

    *now* is ISO 8601.
    """

    exchange: Transport | None = None
    now: Callable[[], str] = lambda: datetime.now(UTC).isoformat(timespec="seconds")
    pause: Callable[[float], None] = time.sleep


def push_settings(config_files: Sequence[str], target: str) -> PushSettings:
    """Return the settings of *target* in *config_files*; raises InputInvalid where none or several have it."""
    if target not in target_names():
        hint = closest_match(target, list(target_names())) or f"one of {', '.join(target_names())}"
        raise InputInvalid(f"unknown target {target!r}", where="scanner push", hint=hint)
    clusters, problems = read_files(config_files, replayed=True)
    if problems:
        raise InputInvalid.listing(problems)
    found = {each.address: each for cluster in clusters for each in cluster.push if each.target == target}
    if len(found) != 1:
        what = f"{len(found)} catalogs of this kind are configured" if found else f"no {target} is configured"
        hint = "name a file with one of them" if found else f'add "push": [{{"target": "{target}", …}}]'
        raise InputInvalid(what, where=", ".join(config_files), hint=hint)
    return next(iter(found.values()))


def push(
    graph: GraphSource | Dictionary,
    settings: PushSettings,
    *,
    dry_run: bool = False,
    network: Network = Network(),  # noqa: B008 - a tuple
    notify: Notify = ignore,
) -> PushResult:
    """Push the graph that was generated last; only what differs from the push before is written.

    *dry_run* writes nothing, and lists steps and requests. What a catalog refuses is in the result, and so is the
    error that stopped the push. Raises NameUnknown where no graph was generated, and the error of the catalog where
    nothing was written.
    """
    source = GraphSource.of(graph)
    with open_with_dictionary(source) as (stored, conn), _opened(source.dictionary, settings, network) as parts:
        contents = GraphContents(stored.whole(), dictionary_metadata(conn), newest_moment(conn) or "")
        unread = ", ".join(f"{age.name} of {age.cluster}" for age in source_ages(conn) if age.stale_reason)
        planner = Planner(parts.target, parts.wire, parts.journal, unread)
        note = "" if parts.journal.has_runs() else experience(settings.target)
        run = _Run(parts, PushResult(target=settings.target, note=note), network, notify)
        run.carry_out(planner.push(contents), is_dry=dry_run)
        if run.number:
            parts.journal.prune(settings.keep_runs)
        run.result.skipped, run.result.unchanged = planner.skipped, planner.unchanged + run.result.unchanged
        run.result.refused += planner.unreadable
    return run.finished()


def push_after_scan(
    config_files: Sequence[str | Path],
    dictionary: Dictionary,
    notify: Notify = ignore,
    network: Network = Network(),  # noqa: B008 - a tuple
) -> None:
    """Push into every catalog of *config_files* with `after_scan`; raises ScannerError where one did not take all."""
    clusters, _ = read_files(list(map(str, config_files)), replayed=True)
    listed = {each.address: each for cluster in clusters for each in cluster.push if each.after_scan}
    failed: list[str] = []
    for settings in listed.values():
        try:
            result = push(dictionary, settings, network=network, notify=notify)
        except ScannerError as error:
            failed.append(f"{settings.target}: {error}")
            continue
        if result.run:
            notify(f"pushed into {settings.target}: run {result.run}, {result.written} written")
        if result.is_partial:
            why = str(result.stopped) if result.stopped else f"{len(result.refused)} refused"
            failed.append(f"{settings.target}: {why}")
    if failed:
        raise ScannerError("; ".join(failed))


def undo_push(
    dictionary: Dictionary,
    settings: PushSettings,
    number: int,
    *,
    dry_run: bool = False,
    network: Network = Network(),  # noqa: B008 - a tuple
    notify: Notify = ignore,
) -> PushResult:
    """Take back what run *number* wrote; what others wrote since stays.

    Raises InputInvalid where there is no such run, or a later one wrote some of the same; DictionaryUnusable for a
    damaged journal; PayloadUnexpected if the catalog has nothing of what the run wrote.
    """
    with _opened(dictionary, settings, network) as parts:
        run = _Run(parts, PushResult(target=settings.target), network, notify)
        run.number = number
        planner = Planner(parts.target, parts.wire, parts.journal)
        run.carry_out(planner.undo(number), is_dry=dry_run, is_undo=True)
        run.result.refused += planner.unreadable
        run.result.skipped = planner.skipped
        if planner.absent and not run.result.written and not run.result.is_partial:
            what = f"the catalog has nothing of what run {number} wrote"
            hint = f"check `url`; if the catalog was emptied, move {dictionary.sibling('.push')} away and push again"
            raise PayloadUnexpected(what, where=f"--undo {number}", hint=hint)
        if not dry_run and not run.result.is_partial:
            parts.journal.undo(number)
    return run.finished()


def explain_push(dictionary: Dictionary, settings: PushSettings, node: str) -> Explained:
    """Return how a dataset of the graph is named in the catalog; raises NameUnknown for an unknown node."""
    with open_stored_rows(GraphSource.of(dictionary)) as (rows, _):
        row = find_node(rows, node, "--explain").node
    return _built(settings).explain(row.namespace, row.name)


class _Parts(NamedTuple):
    target: Target
    wire: Wire
    journal: Journal


@contextmanager
def _opened(dictionary: Dictionary, settings: PushSettings, network: Network) -> Iterator[_Parts]:
    plugin = target_plugin(settings.target)
    wire = Wire(settings, exchange=network.exchange)
    try:
        with (
            Journal(dictionary.sibling(".push"), settings.address) as journal,
            plugin.running() if plugin else nullcontext(),
        ):
            yield _Parts(_built(settings), wire, journal)
    finally:
        wire.close()


def _built(settings: PushSettings) -> Target:
    target: Target = push_target(settings.target).build(settings)
    return target


class _Run:
    """Carries out a plan; *number* is that of the run, None until something is written."""

    def __init__(self, parts: _Parts, result: PushResult, network: Network, notify: Notify) -> None:
        self._parts, self.result, self._network, self._notify = parts, result, network, notify
        self.number: int | None = None
        self._denied = 0
        self._read_back = ReadBack(parts.target, parts.wire, network.pause)

    def carry_out(self, plan: Iterator[list[Planned]], *, is_dry: bool, is_undo: bool = False) -> None:
        """Write what is planned; the error that stops it is kept in the result."""
        try:
            for chunk in plan:
                needed = [planned for planned in chunk if planned.is_needed]
                self.result.unchanged += len(chunk) - len(needed)
                if is_dry:
                    self._list(needed)
                elif is_undo:
                    self._send([planned.change for planned in needed])
                else:
                    self._write(chunk, needed)
                if self.result.stopped:
                    return
        except ScannerError as error:
            self.result.stopped = error

    def finished(self) -> PushResult:
        """Return the result; raises the error that stopped the run before anything was written."""
        self.result.skipped += self._read_back.stored_otherwise
        if self.result.stopped and not self.result.written:
            raise self.result.stopped
        self.result.run = self.number if self.result.written else None
        return self.result

    def _list(self, needed: Sequence[Planned]) -> None:
        changes = [planned.change for planned in needed]
        for change in changes:
            self.result.counts[action_of(change)] += 1
        self.result.steps += map(_step, changes)
        for batch in self._parts.target.batches(changes, 0) if changes else ():
            self.result.requests += batch.calls

    def _write(self, chunk: Sequence[Planned], needed: Sequence[Planned]) -> None:
        """Record what is intended, send it, and record what was accepted: what is interrupted can be repeated."""
        if not chunk:
            return
        journal = self._parts.journal
        if self.number is None:
            self.number = journal.start(self._network.now())
        journal.write(self.number, [replace(planned.entry, digest="") for planned in chunk])
        outcome = self._send([planned.change for planned in needed])
        failed = {change.ref: answer for change, answer in outcome if isinstance(answer, ScannerError)}
        journal.forget(
            self.number, {change.ref for change, _ in outcome if self._is_unwritten(change, failed.get(change.ref))}
        )
        accepted = [planned.entry for planned in chunk if planned.entry.ref not in failed]
        journal.write(self.number, self._with_receipts(accepted, outcome))

    def _with_receipts(self, accepted: Sequence[Entry], outcome: Sequence[Outcome]) -> Iterable[Entry]:
        """Yield the entries that the journal keeps: what a target removes by a receipt is stored as that."""
        if not (name := self._parts.target.receipt):
            return accepted
        answers = {change.ref: answer.body for change, answer in outcome if isinstance(answer, Answer)}
        receipts = {ref: {name: Payload(body or {}).need(name).text()} for ref, body in answers.items()}
        return [replace(entry, ours=receipts.get(entry.ref)) for entry in accepted]

    def _is_unwritten(self, change: Change, error: ScannerError | None) -> bool:
        """Return whether nothing of a change can have reached the catalog: a retry of a write answers 409, too."""
        is_final = isinstance(error, SourceRefused | NotFound) or (
            isinstance(error, SourceObjected) and error.status != _EXISTS
        )
        return is_final and sum(len(b.calls) for b in self._parts.target.batches([change], self.number or 0)) == 1

    def _send(self, changes: Sequence[Change]) -> list[Outcome]:
        """Send changes, and return what became of each; a batch that is refused is sent again one by one."""
        if not changes:
            return []
        target, number = self._parts.target, self.number or 0
        outcome: list[Outcome] = []
        batches = list(target.batches(changes, number))
        for batch, answer in zip(batches, self._parts.wire.send(batches), strict=True):
            if isinstance(answer, ScannerError) and len(batch.changes) > 1 and is_refusal(answer, 1):
                singles = [one for change in batch.changes for one in target.batches([change], number)]
                answers = self._parts.wire.send(singles)
                outcome += [(one.changes[0], again) for one, again in zip(singles, answers, strict=True)]
            else:
                outcome += [(change, answer) for change in batch.changes]
        outcome = self._read_back.verified(outcome)
        if any(isinstance(answer, Answer) for _, answer in outcome):
            self._denied = 1  # something was accepted: a denial or failure is one of the object
        return [(change, self._judged(change, answer)) for change, answer in outcome]

    def _judged(self, change: Change, answer: Answer | ScannerError) -> Answer | ScannerError:
        """Count a change, or note why it was not accepted."""
        if isinstance(answer, Answer):
            self.result.counts[action_of(change)] += 1
            self._denied = 1
        elif is_refusal(answer, self._denied):
            self._denied += isinstance(answer, SourceRefused | ServerFailed | PayloadUnexpected)
            self.result.refused.append(refusal_of(change.ref, answer))
        else:
            self.result.stopped = self.result.stopped or answer
            self.result.unsent += 1
            return self.result.stopped
        return answer


def _step(change: Change) -> Step:
    return Step(action=action_of(change), kind=change.ref.kind, name=change.ref.key)
