"""Readers that do not count: excluded by the settings, or not seen by monitoring for long. Their impact is a note."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from scanner_check.model import Affected, ChangeFinding, Message, Verdict
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.queries.silence import silence
from scanner_model.usage import Usage

_READERS = ("job", "consumer-group")
_WRITES = "writes"


def without_unused(
    findings: Iterable[ChangeFinding], conns: Sequence[Connection], usage: Usage
) -> tuple[list[ChangeFinding], tuple[str, ...]]:
    """Return the findings with the verdict of the readers that count, and remarks about the usage.

    *conns* are the dictionaries with what monitoring saw: a reader that any of them has seen counts.
    """
    listed = list(findings)
    if usage == Usage():
        return listed, ()
    found = [] if usage.unseen_for is None else [silence(conn, usage.unseen_for) for conn in conns]
    seen = frozenset().union(*(each.seen for each in found))
    days = usage.unseen_for.days if usage.unseen_for else 0
    reasons = {
        name: f"monitoring last saw it at {at}, at least {days} days before the newest scan"
        for each in found
        for name, at in each.silent.items()
        if name not in seen
    }
    notes = (f"usage: no monitoring covers the last {days} days, so every reader counts",)
    is_blind = usage.unseen_for is not None and not reasons and not seen
    return [_weighed(finding, reasons, usage) for finding in listed], notes if is_blind else ()


def _weighed(finding: ChangeFinding, reasons: dict[str, str], usage: Usage) -> ChangeFinding:
    """Return a finding of impact with the verdict of the readers that count; a writer alone is a note, too."""
    readers = [hit for hit in finding.affected if hit.use != _WRITES]
    ignored = {
        hit.name: "excluded by `usage.exclude`" if usage.is_excluded(hit.name) else reasons[hit.name]
        for hit in readers
        if hit.kind in _READERS and (usage.is_excluded(hit.name) or hit.name in reasons)
    }
    if finding.verdict is not Verdict.IMPACT or not ignored:
        return finding
    counting = [hit for hit in readers if not _is_behind(hit, ignored)]
    sure = any(hit.use != "unknown" for hit in counting)
    verdict = Verdict.IMPACT if sure else Verdict.UNKNOWN if counting else Verdict.FINE
    uncounted = (Message("does not count", pair) for pair in ignored.items())
    return replace(finding, verdict=verdict, reasons=(*finding.reasons, *uncounted))


def _is_behind(hit: Affected, ignored: dict[str, str]) -> bool:
    """Return whether a hit is a reader that does not count, or is reached only through one."""
    return hit.name in ignored or any(name in ignored for name in hit.through)
