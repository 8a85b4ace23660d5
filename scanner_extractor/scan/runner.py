"""Runs the phases of one scan: order, threads, deadlines, progress, and the one broad except."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING

from scanner_extractor import source_kind
from scanner_extractor.http.concurrency import Clock
from scanner_extractor.results import KafkaCluster, Progress, Reading, SourceReadings, no_progress
from scanner_extractor.scan.connections import Connections
from scanner_extractor.scan.source_kinds import kinds_of
from scanner_extractor.settings.cluster import Settings
from scanner_extractor.source_kind import BrokerUse
from scanner_model.errors import PayloadUnexpected, Problem, ScannerError, SourceRefused, SourceUnreachable
from scanner_model.fact_types import misfit
from scanner_model.kafka import Topic
from scanner_model.lazy_names import deferred
from scanner_model.names import SourceId
from scanner_model.scan import SourceResult, SourceStatus
from scanner_model.threads import start

if TYPE_CHECKING:
    from scanner_extractor.systems.confluent_cloud.settings import Lacking

expanded = deferred("scanner_extractor.scan.expansion:expanded")


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One source to read: *kind* is what `--only` and `--skip` name; *run* reads it and raises ScannerError.

    *brokers* is whether it lists the brokers, or needs them to answer.
    """

    source: SourceId
    kind: str
    run: Callable[[Progress], Reading]
    brokers: BrokerUse = BrokerUse.NONE


class Mode(StrEnum):
    """Which phases a scan has."""

    FULL = "full"
    """Every phase."""
    EXTRACT = "extract"
    """The cluster's own systems: no enrichment from catalogs of tables, no metrics."""
    ENRICH = "enrich"
    """Catalogs of tables and metrics only, added to what the last scan stored."""


@dataclass(frozen=True, slots=True)
class Phase:
    """A step of a scan: its tasks run side by side, after all tasks of the phases before it.

    *enriches*: it reads what other systems know about what was extracted; `Mode` selects by it.
    """

    name: str
    tasks: Callable[[Settings, Connections], Iterator[Task]]
    enriches: bool = False

    def runs_in(self, mode: Mode) -> bool:
        """Return whether a scan of *mode* has this phase."""
        return mode is Mode.FULL or self.enriches is (mode is Mode.ENRICH)


def kind_tasks(phase: str, settings: Settings, connections: Connections) -> Iterator[Task]:
    """Yield a task for each source of the kinds of *phase*, in the order of the rows and of cluster.json."""
    for kind in kinds_of(settings):
        if kind.phase == phase:
            for source in kind.sources(settings):
                run = partial(kind.read, source, connections)
                yield Task(source=source.source, kind=kind.name, run=run, brokers=kind.brokers)


def cluster_tasks(settings: Settings, connections: Connections) -> Iterator[Task]:
    """Yield a task for each source of the cluster itself; then one that fails for each source without a key."""
    yield from kind_tasks(source_kind.CLUSTER, settings, connections)
    for lacking in settings.lacking:
        yield Task(source=lacking.source, kind=lacking.kind, run=partial(_refuse, lacking))


def _refuse(lacking: Lacking, _: Progress) -> Reading:
    raise SourceRefused(lacking.what, hint=lacking.hint)


def _phase(name: str, *, enriches: bool = False) -> Phase:
    return Phase(name, partial(kind_tasks, name), enriches)


DISCOVERY = _phase(source_kind.DISCOVERY)
"""Runs before the phases, in every mode: it finds which sources there are."""

PHASES = (
    Phase(source_kind.CLUSTER, cluster_tasks),
    _phase(source_kind.STREAMING),
    _phase(source_kind.SCHEMAS),
    _phase(source_kind.TABLES),
    _phase(source_kind.CATALOG, enriches=True),
    _phase(source_kind.METRICS, enriches=True),
)


_LOG = logging.getLogger(__name__)

DEADLINE = 120.0
"""Seconds without any progress after which a source is given up; a slow source that goes on is waited for."""

REPOSITORY = "repository"
"""Kind of the sources whose files are read, without a request."""

FILES_DEADLINE = 900.0
"""The same for the files of a repository: their reading is limited by processor time, and a busy machine is slow."""

DOWN_DEADLINE = 15.0
"""The same for a source that needs the brokers, once they are known to be down."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Which sources to read: those of *mode*'s phases; kinds or source ids, an empty *only* means all."""

    only: frozenset[str] = frozenset()
    skip: frozenset[str] = frozenset()
    mode: Mode = Mode.FULL

    def takes(self, task: Task) -> bool:
        """Return whether *task* is chosen."""
        names = {task.kind, str(task.source)}
        return not (names & self.skip) and (not self.only or bool(names & self.only))


ALL = Choice()
"""Every source."""


def read_sources(
    settings: Settings,
    access: Connections,
    *,
    choice: Choice = ALL,
    progress: Progress = no_progress,
    phases: Sequence[Phase] = PHASES,
    deadline: float = DEADLINE,
) -> SourceReadings:
    """Read every selected source, phase after phase; one that fails yields an outcome, and everything else goes on.

    The stored facts of a source whose phase the mode does not have stay as they are. Outcomes and readings are in the
    order of the phases and of cluster.json, whatever thread was first.
    """
    now = (access.clock or Clock()).now
    watch = _Watch(progress, deadline, now)
    settings, results = _discovered(settings, access, choice, watch)
    for phase in phases:
        tasks = tuple(phase.tasks(settings, access))
        if not phase.runs_in(choice.mode):
            results += [(result_of_unread(task.source, task.kind, choice.mode), None) for task in tasks]
            continue
        results += _run_tasks(tasks, choice, watch)
        settings = _with_topics(settings, results)
    return SourceReadings(
        outcomes=tuple(_with_request_count(outcome, access) for outcome, _ in results),
        readings=tuple(_with_problems(reading, access) for _, reading in results if reading is not None),
        settings=settings,
    )


def _with_topics(settings: Settings, results: Sequence[tuple[SourceResult, Reading | None]]) -> Settings:
    """Return *settings* whose registries know the topics of the brokers."""
    readings = [reading for _, reading in results if reading and reading.of(KafkaCluster)]
    topics = frozenset(topic.name for reading in readings for topic in reading.of(Topic) if not topic.internal)
    return replace(settings, registries=tuple(replace(registry, topics=topics) for registry in settings.registries))


def _discovered(
    settings: Settings, access: Connections, choice: Choice, watch: _Watch
) -> tuple[Settings, list[tuple[SourceResult, Reading | None]]]:
    """Query Confluent Cloud where the sources are, whatever is chosen but a `skip` of it; without an answer, go on."""
    tasks = tuple(DISCOVERY.tasks(settings, access))
    results = _run_tasks(tasks, Choice(skip=choice.skip), watch)
    for _, reading in results:
        for organization in reading.facts if reading and settings.cloud else ():
            settings = expanded(settings, settings.cloud, organization)
    # What was found are settings, and nothing to store.
    return settings, [(outcome, reading and replace(reading, facts=())) for outcome, reading in results]


@dataclass(slots=True)
class _Watch:
    """Passes progress on, and knows when each source last moved and whether the brokers are down."""

    report: Progress
    deadline: float
    now: Callable[[], float]
    moved: dict[SourceId, float] = field(default_factory=dict)
    brokers_down: bool = False

    def progress(self, source: SourceId, done: int, total: int | None) -> None:
        self.moved[source] = self.now()
        self.report(source, done, total)

    def patience(self, task: Task) -> float:
        """Return the seconds that *task* may take without progress."""
        if task.kind == REPOSITORY:
            return self.deadline / DEADLINE * FILES_DEADLINE
        waits = self.brokers_down and task.brokers is BrokerUse.NEEDED
        return min(self.deadline, DOWN_DEADLINE) if waits else self.deadline

    def left(self, tasks: Iterable[Task]) -> float:
        return max(0.0, min(self.moved[task.source] + self.patience(task) for task in tasks) - self.now())

    def stuck(self, task: Task) -> bool:
        return self.now() >= self.moved[task.source] + self.patience(task)


def _run_tasks(tasks: Sequence[Task], choice: Choice, watch: _Watch) -> list[tuple[SourceResult, Reading | None]]:
    running: dict[Future[tuple[SourceResult, Reading | None]], Task] = {}
    for task in filter(choice.takes, tasks):
        watch.progress(task.source, 0, None)
        running[start(partial(_attempt, task, watch))] = task
    results: dict[SourceId, tuple[SourceResult, Reading | None]] = {}
    while running:
        left = watch.left(running.values())
        done = wait(running, left + 0.01, FIRST_COMPLETED).done
        for future in done:
            results[running.pop(future).source] = future.result()
        if not done:
            for future in [future for future, task in running.items() if watch.stuck(task)]:
                task = running.pop(future)
                results[task.source] = (_given_up(task, watch), None)
    return [results.get(task.source, (_skipped(task), None)) for task in tasks]


def _attempt(task: Task, watch: _Watch) -> tuple[SourceResult, Reading | None]:
    started = watch.now()
    try:
        reading = task.run(watch.progress)
        if member := misfit(reading.outcome):
            raise PayloadUnexpected(f"the outcome of its reading is damaged: {member}")
    except ScannerError as error:
        watch.brokers_down |= task.brokers is BrokerUse.LISTED and isinstance(error, SourceUnreachable)
        return _unavailable(task, str(error.what), error.where, error.hint, watch.now() - started), None
    except Exception as error:  # noqa: BLE001  the one place: a defect of ours in one source must not lose the others
        _LOG.debug("source %s failed", task.source, exc_info=True)
        what = f"scanner's reader failed: {type(error).__name__}: {error}"
        hint = "this is a defect of scanner; `--verbose` shows where, and a capture lets others reproduce it"
        return _unavailable(task, what, "", hint, watch.now() - started), None
    reading = _bounded(_storable(reading))
    return replace(reading.outcome, seconds=watch.now() - started), reading


_NAMED_MISFITS = 20
MOST_PROBLEMS = 10_000
"""Problems of one source that are stored with a scan; the last one counts the others."""


def _bounded(reading: Reading) -> Reading:
    """Return *reading* with at most MOST_PROBLEMS problems: a server may send an answer with a million bad entries."""
    more = len(reading.problems) - MOST_PROBLEMS
    if more <= 0:
        return reading
    last = Problem(str(reading.outcome.source), f"{more} more problems are not listed", "solve those before it first")
    return replace(reading, problems=(*reading.problems[:MOST_PROBLEMS], last))


def _storable(reading: Reading) -> Reading:
    """Return *reading* without facts that no dictionary can store: then it is partial, and nothing counts as gone."""
    broken = [(fact, member) for fact in reading.facts if (member := misfit(fact))]
    if not broken:
        return reading
    identities = {id(fact) for fact, _ in broken}
    kept = tuple(fact for fact in reading.facts if id(fact) not in identities)
    source = reading.outcome.source
    hint = "the source's answer has another type or size than documented"
    problems = tuple(
        Problem(f"{source} {_shown_name(fact)}".rstrip(), f"its {member} cannot be stored: {type(fact).__name__}", hint)
        for fact, member in broken[:_NAMED_MISFITS]
    )
    reason = f"{len(broken)} facts cannot be stored, such as {problems[0].where}: {problems[0].what}"
    outcome = replace(
        reading.outcome,
        status=SourceStatus.PARTIAL,
        reason="; ".join(filter(None, (reading.outcome.reason, reason))),
        hint=reading.outcome.hint or hint,
        unread=frozenset(),
    )
    return replace(reading, outcome=outcome, facts=kept, problems=(*reading.problems, *problems))


def _shown_name(fact: object) -> str:
    name = getattr(fact, "name", "")
    return name[:100] if isinstance(name, str) else ""


def _unavailable(task: Task, what: str, where: str, hint: str, seconds: float) -> SourceResult:
    reason = f"{where}: {what}" if where else what
    return SourceResult(
        source=task.source, kind=task.kind, status=SourceStatus.UNAVAILABLE, reason=reason, hint=hint, seconds=seconds
    )


def _given_up(task: Task, watch: _Watch) -> SourceResult:
    waits = watch.brokers_down and task.brokers is BrokerUse.NEEDED
    hint = "it needs the brokers, which do not answer" if waits else "is the source overloaded? try again later"
    seconds = watch.patience(task)
    return _unavailable(task, f"no progress for {seconds:g} s", "", hint, seconds)


def result_of_unread(source: SourceId, kind: str, mode: Mode) -> SourceResult:
    """Return the outcome of a source that *mode* does not read."""
    return SourceResult(source=source, kind=kind, status=SourceStatus.KEPT, reason=f"not read in mode {mode}")


def _with_request_count(outcome: SourceResult, access: Connections) -> SourceResult:
    return replace(outcome, requests=outcome.requests or access.requests(outcome.source))


def _with_problems(reading: Reading, access: Connections) -> Reading:
    problems = access.problems(reading.outcome.source)
    return replace(reading, problems=(*reading.problems, *problems)) if problems else reading


def _skipped(task: Task) -> SourceResult:
    return SourceResult(source=task.source, kind=task.kind, status=SourceStatus.SKIPPED, reason="not chosen")
