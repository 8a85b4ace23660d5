"""The life of runs: from what a server says of its jobs, poll after poll, to the events that tell of it. Pure.

`step` takes what is open and what was seen, and gives what is open now and what is to be said. A job is remembered
while its run is open only: what is seen first, whatever came before it, begins a run where it runs, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from dataflow_generator.openlineage.phases import Phase
from dataflow_generator.openlineage.run_events import ToldJob, run_id

START, RUNNING, COMPLETE, FAIL, ABORT = "START", "RUNNING", "COMPLETE", "FAIL", "ABORT"
"""States of runs, in the specification's words."""

_ENDS = {Phase.ENDED: COMPLETE, Phase.FAILED: FAIL, Phase.CUT: ABORT}


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """What is wrong with a job: *message* on one line, *trace* as the server tells it, may be empty."""

    message: str
    trace: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A job as one poll shows it, *name* unique on its server; *job* has the lineage that it has now."""

    name: str
    phase: Phase
    job: ToldJob
    trouble: Trouble | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run that is open: *told* is when an event told of it last, by our clock, *job* the lineage that was told.

    *latest* is the moment of that event, which is later where the clock was put back. *trouble* is the message that was
    told, empty for none. *missed* counts polls in a row that did not list the job; *unsettled* is since when nobody
    says that it runs, None while somebody does.
    """

    id: str
    told: datetime
    latest: datetime
    job: ToldJob
    trouble: str = ""
    missed: int = 0
    unsettled: datetime | None = None


Runs = Mapping[str, Run]
"""Open runs by the name of the job."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """What is known of one server: the open runs by the name of the job, and how many were *begun* so far."""

    begun: int = 0
    runs: Runs = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """An event to be told: the run's id, its new state, when, of which job, and what is wrong with it."""

    run: str
    state: str
    at: datetime
    job: ToldJob
    trouble: Trouble | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """When what is said: *heartbeat* is the longest silence of a run that goes on.

    A job that is not listed *missing* times in a row is deleted: a worker that starts lists, for a moment, less than
    it has. *gone* is the state in which its run ends then. A run that is unsettled longer than *patience* is given up.
    """

    heartbeat: timedelta = timedelta(minutes=5)
    patience: timedelta = timedelta(minutes=5)
    missing: int = 2
    gone: str = COMPLETE


@dataclass(frozen=True, slots=True, kw_only=True)
class _Turn:
    """What one job's step needs to know: when it is, by which rules, and the id of the run that may begin."""

    at: datetime
    rules: Rules
    fresh: str


_Move = tuple[Run | None, tuple[Said, ...]]
"""The run that is open now, and what is said."""


def step(
    watch: Watch, seen: Iterable[Seen] | None, at: datetime, *, server: str = "", rules: Rules | None = None
) -> tuple[Watch, tuple[Said, ...]]:
    """Give what is open after a poll at the moment *at*, and what is to be said, by name.

    *seen* None: the server did not answer, which says nothing of its jobs. *server* makes the ids of its runs its own.
    """
    if seen is None:
        return watch, ()
    by_name = {each.name: each for each in seen}
    runs: dict[str, Run] = {}
    said: list[Said] = []
    begun = watch.begun
    for name in sorted(watch.runs.keys() | by_name.keys()):
        fresh = run_id(moment(at), server, name, str(begun))
        run, words = _moved(watch.runs.get(name), by_name.get(name), _Turn(at=at, rules=rules or Rules(), fresh=fresh))
        begun += sum(each.state == START for each in words)
        said += words
        if run:
            runs[name] = run
    return Watch(begun=begun, runs=runs), tuple(said)


def unread(name: str) -> Seen:
    """Give a job that is there and could not be read."""
    return Seen(name=name, phase=Phase.UNKNOWN, job=ToldJob(namespace="", name=name))


def moment(at: datetime) -> str:
    """Write a moment as events do: ISO 8601 in milliseconds."""
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _moved(run: Run | None, seen: Seen | None, turn: _Turn) -> _Move:
    if run is None:
        return _begun(seen, turn) if seen else (None, ())
    if seen is None:
        return _missed(run, turn)
    run = replace(run, missed=0)
    match seen.phase:
        case Phase.RUNNING:
            return _running(run, seen, turn)
        case Phase.UNSETTLED:
            return _unsettled(run, turn)
        case Phase.UNKNOWN:
            return run, ()
        case phase:
            return None, (_said(run, _ENDS[phase], turn, seen.trouble if phase is Phase.FAILED else None),)


def _begun(seen: Seen, turn: _Turn) -> _Move:
    if seen.phase is not Phase.RUNNING:
        return None, ()
    run = Run(id=turn.fresh, told=turn.at, latest=turn.at, job=seen.job, trouble=_message(seen))
    return run, (_said(run, START, turn, seen.trouble),)


def _missed(run: Run, turn: _Turn) -> _Move:
    missed = run.missed + 1
    if missed < turn.rules.missing:
        return replace(run, missed=missed), ()
    return None, (_said(run, turn.rules.gone, turn),)


def _running(run: Run, seen: Seen, turn: _Turn) -> _Move:
    """Go on: say so where something has changed, or nothing was said for long."""
    job = seen.job if seen.job.inputs or seen.job.outputs else _with_datasets(seen.job, run.job)
    settled = replace(run, unsettled=None)
    if (job, _message(seen)) == (run.job, run.trouble) and not _is_due(run.told, turn.at, turn.rules.heartbeat):
        return settled, ()
    now = replace(settled, job=job, trouble=_message(seen))
    said = _said(now, RUNNING, turn, seen.trouble)
    return replace(now, told=turn.at, latest=said.at), (said,)


def _unsettled(run: Run, turn: _Turn) -> _Move:
    since = min(run.unsettled or turn.at, turn.at)
    if turn.at - since < turn.rules.patience:
        return replace(run, unsettled=since), ()
    return None, (_said(run, ABORT, turn),)


def _with_datasets(job: ToldJob, before: ToldJob) -> ToldJob:
    """Keep what was read and written before, where nothing is told of it now."""
    return replace(job, inputs=before.inputs, outputs=before.outputs)


def _is_due(told: datetime, at: datetime, heartbeat: timedelta) -> bool:
    """Say whether it is time for a heartbeat; a clock that was put back must not silence a run."""
    return abs(at - told) >= heartbeat


def _said(run: Run, state: str, turn: _Turn, trouble: Trouble | None = None) -> Said:
    """Tell of a run; no event is older than the one before it, whatever the clock says."""
    return Said(run=run.id, state=state, at=max(turn.at, run.latest), job=run.job, trouble=trouble)


def _message(seen: Seen) -> str:
    return seen.trouble.message if seen.trouble else ""
