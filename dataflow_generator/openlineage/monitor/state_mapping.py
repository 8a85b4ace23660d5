"""Mapping of job states, as each kind of server reports them, to phases of a run."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Phase(StrEnum):
    """The phase of a run."""

    RUNNING = "running"
    """Data are processed, also where a part of the job has failed."""
    ENDED = "ended"
    """It was stopped in an orderly way, or is finished: the run is complete."""
    FAILED = "failed"
    """It failed."""
    CUT = "cut"
    """It was cancelled, possibly to be restarted: the run is aborted."""
    UNSETTLED = "unsettled"
    """In transition, as during a rebalance of tasks: the run continues, for a limited time."""
    UNKNOWN = "unknown"
    """Not reported, or an unknown state: the run stays as it is."""


Words = Mapping[str, Phase]

CONNECT: Words = {
    "RUNNING": Phase.RUNNING,
    "DEGRADED": Phase.RUNNING,
    "PAUSED": Phase.ENDED,
    "STOPPED": Phase.ENDED,
    "DESTROYED": Phase.ENDED,
    "DELETED": Phase.ENDED,
    "FAILED": Phase.FAILED,
    "RESTARTING": Phase.CUT,
    "UNASSIGNED": Phase.UNSETTLED,
    "PROVISIONING": Phase.UNSETTLED,
    "NONE": Phase.UNSETTLED,
}
"""Connectors: Connect's AbstractStatus.State, and the states of Confluent Cloud (NONE to DELETED)."""

KSQLDB: Words = {
    "RUNNING": Phase.RUNNING,
    "PAUSED": Phase.ENDED,
    "ERROR": Phase.FAILED,
    "UNRESPONSIVE": Phase.UNSETTLED,
}
"""Queries: ksqlDB's KsqlConstants.KsqlQueryStatus."""

FLINK: Words = {
    "RUNNING": Phase.RUNNING,
    "DEGRADED": Phase.RUNNING,
    "COMPLETED": Phase.ENDED,
    "STOPPED": Phase.ENDED,
    "DELETING": Phase.ENDED,
    "FINISHED": Phase.ENDED,
    "FAILED": Phase.FAILED,
    "CANCELED": Phase.CUT,
    "PENDING": Phase.UNSETTLED,
    "STOPPING": Phase.UNSETTLED,
    "FAILING": Phase.UNSETTLED,
    "CANCELLING": Phase.UNSETTLED,
    "RESTARTING": Phase.UNSETTLED,
    "CREATED": Phase.UNSETTLED,
    "INITIALIZING": Phase.UNSETTLED,
    "RECONCILING": Phase.UNSETTLED,
    "SUSPENDED": Phase.UNSETTLED,
}
"""Statements of Confluent Cloud (`status.phase`) and jobs of a JobManager, which restarts a job within its run."""


def phase_of(word: str, words: Words) -> Phase:
    """Return the phase of the state *word*, in any letter case."""
    return words.get(word.upper(), Phase.UNKNOWN)
