"""The result of comparing two definitions: verdicts with reasons, for each column and for the whole schema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from scanner_model.columns import Column
from scanner_model.documents.json_input import load_shared


class Verdict(StrEnum):
    """Whether a reader with one schema can read data written with the other."""

    COMPATIBLE = "compatible"
    """All of it, by the format's rules."""
    UNKNOWN = "unknown"
    """It depends on something that columns do not show; `why` names it."""
    BREAKS = "breaks"
    """Not all of it: some data fails, or is read as something else."""


class Action(StrEnum):
    """What happened to a column."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict for one direction; *why* is one line for people, empty where there is nothing to say."""

    verdict: Verdict
    why: str = ""


def fine(why: str = "") -> Judgement:
    """Find that all data is read."""
    return Judgement(Verdict.COMPATIBLE, why)


def unclear(why: str) -> Judgement:
    """Find that columns do not show whether all data is read."""
    return Judgement(Verdict.UNKNOWN, why)


def broken(why: str) -> Judgement:
    """Find that some data is not read."""
    return Judgement(Verdict.BREAKS, why)


_HARM = {Verdict.COMPATIBLE: 0, Verdict.UNKNOWN: 1, Verdict.BREAKS: 2}


def worst(findings: Iterable[Judgement]) -> Judgement:
    """Return the first of the most harmful findings; none at all is compatible."""
    return max(findings, key=lambda finding: _HARM[finding.verdict], default=fine())


def best(findings: Iterable[Judgement], otherwise: Judgement) -> Judgement:
    """Return the first of the least harmful findings; *otherwise* without findings."""
    return min(findings, key=lambda finding: _HARM[finding.verdict], default=otherwise)


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnChange:
    """One column that differs between two definitions.

    *before* is None where it was added, *after* where it was removed. *differs* names the members of `Column` that
    differ, `name` for a field that was renamed under its number; empty unless it was changed. *backward*: new readers
    read old data. *forward*: old readers read new data.
    """

    before: Column | None
    after: Column | None
    differs: tuple[str, ...]
    backward: Judgement
    forward: Judgement

    @property
    def action(self) -> Action:
        """Return what happened to the column."""
        if self.before is None:
            return Action.ADDED
        return Action.REMOVED if self.after is None else Action.CHANGED

    @property
    def column(self) -> Column:
        """Return the column as it is now, or was last."""
        column = self.after or self.before
        assert column is not None
        return column

    @property
    def why(self) -> str:
        """Return one line for people: what both directions found."""
        return "; ".join(dict.fromkeys(filter(None, (self.backward.why, self.forward.why))))


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaChange:
    """What changed from one definition to another.

    *columns* are in the order of their paths. *backward* and *forward* are the most harmful findings, of the columns
    and of what no column shows (an enum's symbols, a record's name).
    """

    columns: tuple[ColumnChange, ...]
    backward: Judgement
    forward: Judgement


def objects(text: str) -> Iterator[dict[str, Any]]:
    """List every JSON object in *text*, in document order; none where the text is not JSON."""
    try:
        waiting = [load_shared(text)]
    except ValueError:
        return
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            yield value
            waiting.extend(reversed(list(value.values())))
        elif isinstance(value, list):
            waiting.extend(reversed(value))
