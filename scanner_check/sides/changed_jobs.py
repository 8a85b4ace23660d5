"""A job before and after a change, and what a job moves, whatever it is called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dataflow_generator.jobs.kinds import CountedJob
from dataflow_generator.jobs.proposed import JobPair
from scanner_check.model import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedJob:
    """What changes, its jobs before and after, and the places of the statements that move data, or of a setting.

    *is_partial*: some statement of the text could not be parsed, so what is not written may be written by that.
    *is_new*: the dictionary does not have it.
    """

    target: str
    pair: JobPair
    places: Sequence[Place] = ()
    is_partial: bool = False
    is_new: bool = False


def moves_of(reading: CountedJob) -> tuple[frozenset[object], ...]:
    """Return what a job reads and writes, and its columns, whatever the evidence."""
    flows = reading.flows
    columns = frozenset((flow.source, flow.target, flow.type, flow.subtype) for flow in flows.columns)
    return frozenset(use.dataset for use in flows.reads), frozenset(use.dataset for use in flows.writes), columns
