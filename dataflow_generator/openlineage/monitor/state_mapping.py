"""What the words of servers for the state of a job mean for its run: a table for each kind of server."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Phase(StrEnum):
    """What a server's word says of a run."""

    RUNNING = "running"
    """Data move; also where a part of the job has failed."""
    ENDED = "ended"
    """Somebody ended it in an orderly way, or it is done: the run is complete."""
    FAILED = "failed"
    """It broke."""
    CUT = "cut"
    """Somebody broke it off, to start it again or for good: the run is aborted."""
    UNSETTLED = "unsettled"
    """On its way from one to the other, as while workers share their tasks out anew: the run goes on, for a while."""
    UNKNOWN = "unknown"
    """Nobody tells, or in a word that we do not know: nothing is concluded."""


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
"""Connectors: Connect's AbstractStatus.State, and what Confluent Cloud says of its own (NONE to DELETED)."""

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
    """Return what *word* means; case does not matter."""
    return words.get(word.upper(), Phase.UNKNOWN)
