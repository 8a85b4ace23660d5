"""The state machine of runs: observed job states, poll after poll, become run events. Pure.

`step` takes the open runs and the observed jobs, and returns the open runs and the transitions to emit. Only open runs
are stored: the first observation of a job starts a run if the job is running, and does nothing otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum

from dataflow_generator.openlineage.emit.run_events import (
    Event,
    Facets,
    JobEntry,
    RunEntry,
    error_message,
    our_version,
    processing_engine,
    run_event,
    run_id,
)
from scanner_model.text import first_line


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


START, RUNNING, COMPLETE, FAIL, ABORT = "START", "RUNNING", "COMPLETE", "FAIL", "ABORT"
"""Run states of the specification."""

_ENDS = {Phase.ENDED: COMPLETE, Phase.FAILED: FAIL, Phase.CUT: ABORT}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunError:
    """The error of a job: *message* on one line, *trace* as the server reports it (may be empty)."""

    message: str
    trace: str = ""


def run_error(trace: str, otherwise: str = "") -> RunError:
    """Return the error with *trace*; its message is the first line, or *otherwise* where the trace is empty."""
    return RunError(message=first_line(trace) or otherwise, trace=trace)


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedJob:
    """A job as observed by one poll; *name* is unique on its server, *job* has the current lineage."""

    name: str
    phase: Phase
    job: JobEntry
    error: RunError | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """An open run: *emitted* is the time of its last event by our clock, *job* the lineage in that event.

    *latest* is the event time of that event, which is later where the clock was set back. *error* is the message in it,
    empty for none. *missed* counts consecutive polls that did not list the job; *unsettled* is since when the server
    has not reported it as running, None while it does.
    """

    id: str
    emitted: datetime
    latest: datetime
    job: JobEntry
    error: str = ""
    missed: int = 0
    unsettled: datetime | None = None


Runs = Mapping[str, Run]
"""Open runs by the name of the job."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerState:
    """The state of one server: its open runs by job name, and how many runs were started so far."""

    runs_started: int = 0
    runs: Runs = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """A state transition to emit: the run id, its new state, the time, the job, and its error."""

    run: str
    state: str
    at: datetime
    job: JobEntry
    error: RunError | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """When events are emitted: *heartbeat* is the longest interval between events of a running job.

    A job that *missing* consecutive polls do not list is deleted, because a starting worker lists fewer jobs for a
    moment; its run then ends in the state *gone*. A run that is unsettled longer than *patience* is aborted.
    """

    heartbeat: timedelta = timedelta(minutes=5)
    patience: timedelta = timedelta(minutes=5)
    missing: int = 2
    gone: str = COMPLETE


@dataclass(frozen=True, slots=True, kw_only=True)
class _Turn:
    """The inputs of one job's step: the time, the rules, and the id of a run that may begin."""

    at: datetime
    rules: Rules
    fresh: str


_Move = tuple[Run | None, tuple[Transition, ...]]
"""The run that is open now, and the transitions to emit."""


def step(
    state: ServerState,
    observed: Iterable[ObservedJob] | None,
    at: datetime,
    *,
    server: str = "",
    rules: Rules | None = None,
) -> tuple[ServerState, tuple[Transition, ...]]:
    """Return the state after a poll at the moment *at*, and the transitions to emit, ordered by job name.

    *observed* None: the server did not respond, and the state stays. *server* is a part of its run ids.
    """
    if observed is None:
        return state, ()
    by_name = {job.name: job for job in observed}
    runs: dict[str, Run] = {}
    transitions: list[Transition] = []
    started_runs = state.runs_started
    for name in sorted(state.runs.keys() | by_name.keys()):
        fresh = run_id(moment(at), server, name, str(started_runs))
        run, new = _next(state.runs.get(name), by_name.get(name), _Turn(at=at, rules=rules or Rules(), fresh=fresh))
        started_runs += sum(transition.state == START for transition in new)
        transitions += new
        if run:
            runs[name] = run
    return ServerState(runs_started=started_runs, runs=runs), tuple(transitions)


def unreadable_job(name: str) -> ObservedJob:
    """Return a job that is listed but could not be read."""
    return ObservedJob(name=name, phase=Phase.UNKNOWN, job=JobEntry(namespace="", name=name))


def moment(at: datetime) -> str:
    """Return a moment as events write it: ISO 8601 in milliseconds."""
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _next(run: Run | None, observed: ObservedJob | None, turn: _Turn) -> _Move:
    if run is None:
        return _started(observed, turn) if observed else (None, ())
    if observed is None:
        return _missed(run, turn)
    run = replace(run, missed=0)
    match observed.phase:
        case Phase.RUNNING:
            return _running(run, observed, turn)
        case Phase.UNSETTLED:
            return _unsettled(run, turn)
        case Phase.UNKNOWN:
            return run, ()
        case phase:
            return None, (_transition(run, _ENDS[phase], turn, observed.error if phase is Phase.FAILED else None),)


def _started(observed: ObservedJob, turn: _Turn) -> _Move:
    if observed.phase is not Phase.RUNNING:
        return None, ()
    run = Run(id=turn.fresh, emitted=turn.at, latest=turn.at, job=observed.job, error=_message(observed))
    return run, (_transition(run, START, turn, observed.error),)


def _missed(run: Run, turn: _Turn) -> _Move:
    missed = run.missed + 1
    if missed < turn.rules.missing:
        return replace(run, missed=missed), ()
    return None, (_transition(run, turn.rules.gone, turn),)


def _running(run: Run, observed: ObservedJob, turn: _Turn) -> _Move:
    """Continue a run; emit RUNNING where something has changed, or a heartbeat is due."""
    job = observed.job
    if not (job.inputs or job.outputs):
        job = _with_datasets(job, run.job)
    settled = replace(run, unsettled=None)
    if (job, _message(observed)) == (run.job, run.error) and not _is_due(run.emitted, turn.at, turn.rules.heartbeat):
        return settled, ()
    now = replace(settled, job=job, error=_message(observed))
    transition = _transition(now, RUNNING, turn, observed.error)
    return replace(now, emitted=turn.at, latest=transition.at), (transition,)


def _unsettled(run: Run, turn: _Turn) -> _Move:
    since = min(run.unsettled or turn.at, turn.at)
    if turn.at - since < turn.rules.patience:
        return replace(run, unsettled=since), ()
    return None, (_transition(run, ABORT, turn),)


def _with_datasets(job: JobEntry, before: JobEntry) -> JobEntry:
    """Return *job* with the inputs and outputs of *before*, because it reports none now."""
    return replace(job, inputs=before.inputs, outputs=before.outputs)


def _is_due(emitted: datetime, at: datetime, heartbeat: timedelta) -> bool:
    """Return whether a heartbeat is due, also after the clock was set back."""
    return abs(at - emitted) >= heartbeat


def _transition(run: Run, state: str, turn: _Turn, error: RunError | None = None) -> Transition:
    """Return a transition of a run, never earlier than the previous one, whatever the clock says."""
    return Transition(run=run.id, state=state, at=max(turn.at, run.latest), job=run.job, error=error)


def _message(observed: ObservedJob) -> str:
    return observed.error.message if observed.error else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerEngine:
    """The engine of a server: its *name*, and the programming *language* of its errors."""

    name: str
    language: str = "JAVA"


def transition_event(transition: Transition, engine: ServerEngine, producer: str) -> Event:
    """Return the run event; an error is in the facet `errorMessage`, also while the run continues."""
    run = RunEntry(id=transition.run, state=transition.state, facets=_facets(transition, engine))
    return run_event(run, transition.job, moment(transition.at), producer)


def _facets(transition: Transition, engine: ServerEngine) -> Facets:
    facets = {"processing_engine": processing_engine(engine.name, "", our_version())}
    if transition.error is None:
        return facets
    error = transition.error
    return facets | {"errorMessage": error_message(error.message, error.trace, engine.language)}
