"""What one scan did: how each source responded, what was stored, what changed, what could not be read."""

from __future__ import annotations

from dataclasses import dataclass

from scanner_dictionary.validation.findings import Finding as Finding
from scanner_model.errors import Problem
from scanner_model.scan import SourceResult, SourceStatus

INCOMPLETE = (SourceStatus.PARTIAL, SourceStatus.UNAVAILABLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanReport:
    """The result of scanning one cluster.

    *scan* is its number in the dictionary, None where nothing was stored. *counts* are what was read, by kind;
    *changes* are facts by action (added, changed, …). *seconds* is the elapsed time.
    """

    cluster: str
    scan: int | None
    outcomes: tuple[SourceResult, ...]
    counts: tuple[tuple[str, int], ...]
    changes: tuple[tuple[str, int], ...]
    problems: tuple[Problem, ...]
    seconds: float
    findings: tuple[Finding, ...] = ()

    @property
    def stored(self) -> bool:
        """Return whether the dictionary holds this scan."""
        return self.scan is not None

    @property
    def is_partial(self) -> bool:
        """Return whether a requested source could not be read, or not completely."""
        return any(outcome.status in INCOMPLETE for outcome in self.outcomes)
