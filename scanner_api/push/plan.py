"""The plan of a push: of all that a graph implies, what differs from what was written before."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import NamedTuple, TypeVar

from scanner_api.push.contents import GraphContents
from scanner_api.push.journal import Entry, Journal
from scanner_api.push.model import (
    Change,
    Item,
    Reader,
    Ref,
    Refusal,
    Skipped,
    State,
    Target,
    is_same,
    merge,
    probable_base,
    readable,
    refusal_of,
    text_of,
)
from scanner_dictionary.engine.rows import in_chunks
from scanner_model.errors import ServerFailed

T = TypeVar("T")

_AT_ONCE = 300
"""Resources that are read, planned and written together: their states are in memory several times."""

_REMOVED = "removed"
"""The digest of a resource that is wanted no more."""
_HELD = "not removed, as others drew edges to it or from it, which would vanish"
_ABSENT = "not restored, as it is not in the catalog any more"
_NO_RECEIPT = "stays, as the catalog's answer to it, and so its id there, is unknown"
_TWICE = "another one has the same name in the catalog: tell them apart by `identity`"


class Planned(NamedTuple):
    """A change, and what the journal records of it; a change without effect needs no request."""

    change: Change
    entry: Entry

    @property
    def is_needed(self) -> bool:
        """Return whether something has to be written."""
        return not is_same(self.change.live, self.change.wanted)


class Planner:
    """Plans the push of a graph into *target*; *skipped* is what the catalog does not get, *unchanged* a count.

    *unreadable* is what the server fails to answer for, *absent* counts what an undo did not find in the catalog.

    *unread* names sources that could not be read, empty for none: what the graph lacks may exist still, and stays.
    """

    def __init__(self, target: Target, reader: Reader, journal: Journal, unread: str = "") -> None:
        self._target, self._reader, self._journal, self._unread = target, reader, journal, unread
        self.skipped: list[Skipped] = []
        self.unreadable: list[Refusal] = []
        self._gone: set[Ref] = set()
        self.unchanged = 0
        self.absent = 0

    def push(self, contents: GraphContents) -> Iterator[list[Planned]]:
        """Yield what to write in chunks of one kind, in an order that keeps references whole; removals at the end.

        A chunk is to be written before the next one is taken: later ones read what earlier ones created.
        """
        digests = self._journal.digests()
        for items in self._chunks(contents):
            wanted = [(item.ref, item.state, _digest(item)) for item in items]
            changed = [row for row in wanted if digests.pop(row[0], None) != row[2]]
            self.unchanged += len(items) - len(changed)
            yield from self._chunk(changed)
        if unread := self._unread or ", ".join(refusal.name for refusal in self.unreadable[:1]):
            self.skipped += (Skipped(ref.key, f"not removed, as {unread} could not be read") for ref in digests)
            return
        for refs in in_kinds(reversed(digests), lambda ref: ref):
            yield from self._chunk([(ref, None, _REMOVED) for ref in refs])

    def undo(self, run: int) -> Iterator[list[Planned]]:
        """Yield what takes back *run*, the last written first; raises InputInvalid where it cannot be undone."""
        for entries in in_kinds(self._journal.written(run), lambda entry: entry.ref):
            if self._target.receipt:  # not to be read back: what was sent is there
                states = {
                    entry.ref: entry.ours if self._target.receipt in (entry.ours or {}) else None for entry in entries
                }
            else:
                states = self._states([entry.ref for entry in entries])
            undone = [_undone(entry, states[entry.ref], self._target) for entry in entries if entry.ref in states]
            reason = _NO_RECEIPT if self._target.receipt else _ABSENT
            absent = [p.entry.ref for p in undone if p.change.live is None and p.entry.ours is not None]
            self.absent += len(absent)
            self.skipped += (Skipped(ref.key, reason) for ref in absent)
            yield self._without_held(undone)

    def _chunks(self, contents: GraphContents) -> Iterator[list[Item]]:
        """Yield the resources that the graph implies, each once, in chunks of one kind."""
        seen: set[Ref] = set()
        for stage in self._target.stages(contents, self._reader):
            for some in in_chunks(stage, _AT_ONCE):
                fresh: dict[Ref, Item] = {}
                for item in some:
                    if isinstance(item, Skipped):
                        self.skipped.append(item)
                    elif isinstance(item, Refusal):
                        self.unreadable.append(item)
                    elif item.ref in seen:
                        self.skipped.append(Skipped(item.ref.key, _TWICE))
                    else:
                        fresh[item.ref] = item
                        seen.add(item.ref)
                yield list(fresh.values())

    def _chunk(self, wanted: Sequence[tuple[Ref, State | None, str]]) -> Iterator[list[Planned]]:
        if not wanted:
            return
        refs = [ref for ref, _, _ in wanted]
        known = self._journal.entries(refs)
        states = self._states(refs)
        planned = [
            self._planned(ref, known.get(ref), states[ref], mine, digest)
            for ref, mine, digest in wanted
            if ref in states
        ]
        yield self._without_held(planned)

    def _without_held(self, chunk: list[Planned]) -> list[Planned]:
        """Return *chunk* without removals that would take relations of others with them."""
        gone = [planned.change.ref for planned in chunk if planned.is_needed and planned.change.wanted is None]
        if not gone:
            return chunk
        self._gone.update(gone)
        relations = zip(gone, self._target.relations(gone, self._reader), strict=True)
        held = {ref for ref, related in relations if not self._gone.issuperset(related)}
        self.skipped += (Skipped(ref.key, _HELD) for ref in gone if ref in held)
        return [planned for planned in chunk if planned.change.ref not in held]

    def _states(self, refs: Sequence[Ref]) -> dict[Ref, State | None]:
        """Return the states of *refs*, without those that the server fails to answer for."""
        states: dict[Ref, State | None] = {}
        for ref, state in readable(refs, lambda some: self._target.states(some, self._reader)):
            if isinstance(state, ServerFailed):
                self.unreadable.append(refusal_of(ref, state))
            else:
                states[ref] = state
        return states

    def _planned(self, ref: Ref, known: Entry | None, live: State | None, mine: State | None, digest: str) -> Planned:
        base = known.ours if known else None
        if known and live is not None and not known.digest:
            base = probable_base(known.ours, known.restore, live, self._target)
        created = live is None or (known is not None and base is not None and known.created)
        merged = merge(base, live, mine, self._target, created=created, forced=self._target.forced)
        entry = Entry(ref=ref, ours=merged.ours, restore=merged.restore, digest=digest, created=created)
        return Planned(Change(ref, live, merged.wanted), entry)


def _undone(entry: Entry, live: State | None, target: Target) -> Planned:
    """Return what takes an entry back; a resource that others removed since stays away."""
    if live is None and entry.ours is not None:
        return Planned(Change(entry.ref, None, None), entry)
    merged = merge(entry.ours, live, entry.restore, target, created=entry.restore is None)
    return Planned(Change(entry.ref, live, merged.wanted), entry)


def _digest(item: Item) -> str:
    return hashlib.sha256((text_of(item.state) or "").encode()).hexdigest()[:32]


def in_kinds(listed: Iterable[T], ref: Callable[[T], Ref]) -> Iterator[list[T]]:
    """Yield consecutive entries of one kind in chunks."""
    for _, group in groupby(listed, key=lambda entry: ref(entry).kind):
        while chunk := list(islice(group, _AT_ONCE)):
            yield chunk
