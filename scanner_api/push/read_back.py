"""Whether a catalog stored what it accepted: answers in doubt, and a sample of the others, are read back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from scanner_api.push.model import Change, Json, Reader, Ref, Skipped, State, Target, contains, readable
from scanner_api.push.wire import Answer
from scanner_model.errors import PayloadUnexpected, ScannerError

Outcome = tuple[Change, Answer | ScannerError]

_SAMPLE = 10
"""Accepted changes of one chunk that are read back at least."""
_PAUSE = 1.0
"""Seconds before a resource that is not there is read again."""
_HINT = "the next push sends it again; check that `url` is the API of the catalog itself"


class ReadBack:
    """Reads what was written from *target*; *stored_otherwise* are resources with another value than was sent."""

    def __init__(self, target: Target, reader: Reader, pause: Callable[[float], None]) -> None:
        self._target, self._reader, self._pause = target, reader, pause
        self.stored_otherwise: list[Skipped] = []

    def verified(self, outcome: Sequence[Outcome]) -> list[Outcome]:
        """Return *outcome* with an error for each change that the catalog does not have after all."""
        accepted = [(change, answer) for change, answer in outcome if isinstance(answer, Answer)]
        doubts = {change.ref: answer.doubt for change, answer in accepted if answer.doubt}
        certain = [change for change, answer in accepted if not answer.doubt and not answer.ends_later]
        if self._target.receipt:  # events cannot be read back
            missing: dict[Ref, ScannerError] = dict(doubts)
        else:
            sample = certain[:: max(1, len(certain) // _SAMPLE)]
            missing = self._missing([*sample, *(change for change, answer in accepted if answer.doubt)], doubts)
            if any(change.ref in missing for change in sample):
                rest = [change for change in certain if change not in sample]
                missing |= self._missing(rest, doubts)
        return [(change, missing.get(change.ref, answer)) for change, answer in outcome]

    def _missing(self, changes: Sequence[Change], doubts: Mapping[Ref, PayloadUnexpected]) -> dict[Ref, ScannerError]:
        """Return an error for each of *changes* that did not arrive, or could not be read back."""
        try:
            absent = [change for change, state in self._read(changes) if not has_arrived(change, state)]
            if absent:
                self._pause(_PAUSE)
                absent = [change for change, state in self._read(absent) if not has_arrived(change, state)]
        except ScannerError as error:
            return {change.ref: error for change in changes}
        return {change.ref: _not_stored(change, doubts.get(change.ref)) for change in absent}

    def _read(self, changes: Sequence[Change]) -> Iterator[tuple[Change, State | None]]:
        if not changes:
            return
        for change, state in readable(changes, lambda some: self._target.states([c.ref for c in some], self._reader)):
            if isinstance(state, ScannerError):
                raise state
            if has_arrived(change, state) and (names := _different(change, state)):
                reason = f"the catalog stored another value of {', '.join(names)} than was sent"
                self.stored_otherwise.append(Skipped(change.ref.key, reason))
            yield change, state


def has_arrived(change: Change, stored: State | None) -> bool:
    """Return whether *stored*, read after a write, shows its effect; a server may have normalised the values."""
    if stored is None or change.wanted is None:
        return stored is change.wanted
    before = change.live or {}
    return all(stored.get(name) != before.get(name) for name in _different(change, stored))


def _different(change: Change, stored: State | None) -> list[str]:
    """Return the members that were to change and are not stored as wanted."""
    before, wanted, after = change.live or {}, change.wanted or {}, stored or {}
    names = sorted(before.keys() | wanted.keys())
    return [
        name for name in names if _is_changed(before, wanted, name) and not contains(after.get(name), wanted.get(name))
    ]


def _is_changed(before: State, wanted: State, name: str) -> bool:
    old, new = before.get(name), wanted.get(name)
    return bool(old != new) and not (_is_empty(old) and _is_empty(new))


def _is_empty(value: Json) -> bool:
    return value in (None, "", [], {})


def _not_stored(change: Change, doubt: PayloadUnexpected | None) -> PayloadUnexpected:
    what = (
        "the catalog accepted it and still has it"
        if change.wanted is None
        else "the catalog accepted it, but did not store it"
    )
    if doubt:
        what = f"{doubt.what}; it was not {'removed' if change.wanted is None else 'stored'}"
    return PayloadUnexpected(what, where=doubt.where if doubt else "", hint=_HINT)
