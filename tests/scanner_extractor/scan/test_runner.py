"""The runner: what one source does never costs another."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from waiting import PATIENCE

from scanner_extractor.http.concurrency import Clock
from scanner_extractor.http.recording import Recorder, Replay
from scanner_extractor.results import Progress, Reading, SourceReadings, no_progress
from scanner_extractor.scan.connections import Connections
from scanner_extractor.scan.runner import ALL, PHASES, Choice, Mode, Phase, Task, read_sources
from scanner_extractor.settings.cluster import HttpSettings, Settings
from scanner_extractor.source_kind import BrokerUse
from scanner_model.errors import Problem, SourceRefused, SourceUnreachable
from scanner_model.kafka import Topic
from scanner_model.names import ClusterName, SourceId, TopicName
from scanner_model.scan import SourceResult, SourceStatus

SETTINGS = Settings(cluster=ClusterName("retail"), brokers=("k:9092",), file=Path("cluster.json"))


def reading(source: str, got: int = 1) -> Reading:
    return Reading(outcome=SourceResult(source=SourceId(source), kind="ksqldb", status=SourceStatus.READ, received=got))


def phase(name: str, *tasks: tuple[str, Callable[[Progress], Reading]]) -> Phase:
    def listed(_settings: Settings, _access: Connections) -> Iterator[Task]:
        return (Task(source=SourceId(source), kind=source.split(":")[0], run=run) for source, run in tasks)

    return Phase(name, listed)


class Hands:
    """A clock that the test moves; *looks* counts how often it was read."""

    def __init__(self) -> None:
        self.at, self.looks = 0.0, 0
        self._looked = threading.Condition()

    def now(self) -> float:
        with self._looked:
            self.looks += 1
            self._looked.notify_all()
            return self.at

    def move(self, seconds: float) -> None:
        with self._looked:
            self.at += seconds

    def wait_until_looked_at(self) -> None:
        """Wait until the runner, which looks at most three times a turn, has met the time as it is now."""
        with self._looked:
            enough = self.looks + 4
            assert self._looked.wait_for(lambda: self.looks >= enough, timeout=PATIENCE)


def requested(
    *phases: Phase,
    choice: Choice = ALL,
    deadline: float = 60.0,
    progress: Progress = no_progress,
    hands: Hands | None = None,
) -> SourceReadings:
    access = Connections(clock=Clock(now=hands.now) if hands else None)
    return read_sources(SETTINGS, access, choice=choice, phases=phases, deadline=deadline, progress=progress)


def refuse(_progress: Progress) -> Reading:
    raise SourceRefused("the password is wrong", where="GET https://sr", hint="check auth.basic")


def break_down(_progress: Progress) -> Reading:
    raise KeyError("surprise")


def test_a_source_that_fails_leaves_the_others_alone() -> None:
    """One outage must not hide what the rest said."""
    result = requested(phase("all", ("a:1", refuse), ("b:1", lambda _: reading("b:1"))))

    assert [(o.source, o.status) for o in result.outcomes] == [
        ("a:1", SourceStatus.UNAVAILABLE),
        ("b:1", SourceStatus.READ),
    ]
    assert [r.outcome.source for r in result.readings] == ["b:1"]


def test_a_refusal_keeps_its_place_and_its_hint() -> None:
    """The report must say what to do."""
    (outcome,) = requested(phase("all", ("a:1", refuse))).outcomes

    assert outcome.reason == "GET https://sr: the password is wrong"
    assert outcome.hint == "check auth.basic"


def test_a_defect_of_a_reader_is_an_outcome_and_no_crash() -> None:
    """A defect of ours in one source must not lose the others."""
    (outcome,) = requested(phase("all", ("a:1", break_down))).outcomes

    assert outcome.status == SourceStatus.UNAVAILABLE
    assert "KeyError" in outcome.reason


def test_order_does_not_depend_on_which_source_is_first() -> None:
    """Same input, same bytes."""
    first_may_go = threading.Event()

    def slow(_progress: Progress) -> Reading:
        first_may_go.wait(60)
        return reading("a:1")

    def quick(_progress: Progress) -> Reading:
        first_may_go.set()
        return reading("b:1")

    result = requested(phase("all", ("a:1", slow), ("b:1", quick)))

    assert [r.outcome.source for r in result.readings] == ["a:1", "b:1"]


def test_a_phase_begins_when_the_one_before_has_ended() -> None:
    """Subjects are bound to topics, so topics come first."""
    order: list[str] = []
    second = threading.Event()

    def note(name: str) -> Callable[[Progress], Reading]:
        def run(_progress: Progress) -> Reading:
            second.set() if name == "b:1" else second.wait(0.05)
            order.append(name)
            return reading(name)

        return run

    requested(phase("one", ("a:1", note("a:1"))), phase("two", ("b:1", note("b:1"))))

    assert order == ["a:1", "b:1"]


def test_a_source_without_progress_is_given_up() -> None:
    """A hanging server must not hang the scan."""
    release, hands = threading.Event(), Hands()
    quick: list[threading.Thread] = []

    def hang(_progress: Progress) -> Reading:
        while not quick:
            hands.wait_until_looked_at()
        quick[0].join(60)
        hands.wait_until_looked_at()
        hands.move(0.1)
        release.wait(60)
        return reading("a:1")

    def answer(_progress: Progress) -> Reading:
        quick.append(threading.current_thread())
        return reading("b:1")

    (outcome, other) = requested(phase("all", ("a:1", hang), ("b:1", answer)), deadline=0.1, hands=hands).outcomes
    release.set()

    assert outcome.status == SourceStatus.UNAVAILABLE
    assert outcome.reason == "no progress for 0.1 s"
    assert other.status == SourceStatus.READ


@pytest.mark.parametrize(
    ("error", "brokers", "seconds"),
    [
        (SourceUnreachable("no broker answers"), BrokerUse.NEEDED, 15),
        (SourceRefused("the password is wrong"), BrokerUse.NEEDED, 60),
        (SourceUnreachable("no broker answers"), BrokerUse.NONE, 60),
    ],
)
def test_a_source_that_needs_the_brokers_has_less_time_once_they_are_down(error, brokers, seconds) -> None:
    """ksqlDB behind a dead broker does not answer before its own time is over."""
    hands, release = Hands(), threading.Event()

    def down(_progress: Progress) -> Reading:
        raise error

    def hang(_progress: Progress) -> Reading:
        release.wait(60)
        return reading("ksqldb:1")

    def let_time_pass(_progress: Progress) -> Reading:
        hands.move(float(seconds))
        return reading("other:1")

    def tasks(*rows: tuple[str, Callable[[Progress], Reading], BrokerUse]) -> Phase:
        listed = [Task(source=SourceId(f"{kind}:1"), kind=kind, run=run, brokers=use) for kind, run, use in rows]
        return Phase("any", lambda _settings, _access: iter(listed))

    first = tasks(("kafka", down, BrokerUse.LISTED))
    second = tasks(("ksqldb", hang, brokers), ("other", let_time_pass, BrokerUse.NONE))
    (_, outcome, _) = requested(first, second, hands=hands).outcomes
    release.set()

    assert (outcome.status, outcome.reason) == (SourceStatus.UNAVAILABLE, f"no progress for {seconds} s")
    assert ("brokers" in outcome.hint) is (seconds < 60)


def test_a_slow_source_that_moves_is_waited_for() -> None:
    """A deadline on the total would throw away what was read."""
    hands = Hands()

    def crawl(progress: Progress) -> Reading:
        for done in range(6):
            hands.move(0.03)
            hands.wait_until_looked_at()
            progress(SourceId("a:1"), done, 6)
        return reading("a:1")

    (outcome,) = requested(phase("all", ("a:1", crawl)), deadline=0.05, hands=hands).outcomes

    assert outcome.status == SourceStatus.READ
    assert outcome.seconds > 0.05


def test_the_files_of_a_repository_may_take_long() -> None:
    """Nothing else is asked: on a busy machine a minute of reading takes several."""
    hands = Hands()

    def read(_: Progress) -> Reading:
        hands.move(0.2)
        hands.wait_until_looked_at()
        return reading("repository:1")

    (outcome,) = requested(phase("all", ("repository:1", read)), deadline=0.05, hands=hands).outcomes

    assert outcome.status == SourceStatus.READ


def test_sources_not_chosen_are_skipped_and_report_it() -> None:
    """Skipped is not gone: their facts stay."""
    tasks = phase("all", ("a:1", refuse), ("b:1", lambda _: reading("b:1")))

    only = requested(tasks, choice=Choice(only=frozenset({"b"})))
    skip = requested(tasks, choice=Choice(skip=frozenset({"a:1"})))

    assert [o.status for o in only.outcomes] == [SourceStatus.SKIPPED, SourceStatus.READ]
    assert [o.status for o in skip.outcomes] == [SourceStatus.SKIPPED, SourceStatus.READ]


def test_progress_is_passed_on() -> None:
    """People watch it."""
    seen: list[tuple[str, int, int | None]] = []

    def tell(source: SourceId, done: int, total: int | None) -> None:
        seen.append((source, done, total))

    def run(progress: Progress) -> Reading:
        progress(SourceId("a:1"), 3, 7)
        return reading("a:1")

    requested(phase("all", ("a:1", run)), progress=tell)

    assert ("a:1", 3, 7) in seen


def test_a_source_that_gave_nothing_still_reports_what_it_cost(tmp_path: Path) -> None:
    """A dead server was queried all the same."""
    Recorder(tmp_path / "empty")
    access = Connections(replay=Replay(tmp_path / "empty"))

    def fail(_progress: Progress) -> Reading:
        with access.http(HttpSettings(url="http://sr"), SourceId("a:1")) as http:
            http.get("subjects")
        raise AssertionError("nobody is there")

    (outcome,) = read_sources(SETTINGS, access, phases=[phase("all", ("a:1", fail))]).outcomes

    assert outcome.status == SourceStatus.UNAVAILABLE
    assert outcome.requests == 1


@pytest.mark.parametrize(
    ("mode", "answers"),
    [
        (Mode.FULL, [SourceStatus.READ, SourceStatus.READ]),
        (Mode.EXTRACT, [SourceStatus.READ, SourceStatus.KEPT]),
        (Mode.ENRICH, [SourceStatus.KEPT, SourceStatus.READ]),
    ],
)
def test_mode_chooses_phases_and_keeps_the_others_sources(mode, answers) -> None:
    """Enrichment must not ask the brokers again, nor make what they said look old."""
    plain = phase("topics", ("a:1", lambda _: reading("a:1")))
    enriching = replace(phase("catalogs", ("b:1", lambda _: reading("b:1"))), enriches=True)
    result = requested(plain, enriching, choice=Choice(mode=mode))

    assert [outcome.status for outcome in result.outcomes] == answers


def test_enrichment_is_catalogs_of_tables_and_metrics() -> None:
    """What the cluster's own systems say is extraction, stream catalog and Tableflow among it."""
    assert [phase.name for phase in PHASES if phase.runs_in(Mode.ENRICH)] == ["catalogs", "metrics"]
    assert [phase for phase in PHASES if phase.runs_in(Mode.FULL)] == list(PHASES)


def test_a_fact_that_cannot_be_stored_costs_itself() -> None:
    """Then the source is partial: what it no longer lists does not count as gone."""
    source = SourceId("ksqldb:a")
    facts = [Topic(source=source, name=TopicName(name), partitions=size) for name, size in (("a", 1), ("b", 2**63))]

    result = requested(phase("one", ("ksqldb:a", lambda _: replace(reading("ksqldb:a"), facts=tuple(facts)))))

    (outcome,), (kept,) = result.outcomes, result.readings
    assert [topic.name for topic in kept.of(Topic)] == ["a"]
    assert (outcome.status, outcome.unread) == (SourceStatus.PARTIAL, frozenset())
    assert "partitions cannot be stored" in kept.problems[0].what


def test_problems_of_a_source_are_bounded_and_the_others_counted() -> None:
    """An answer with a million entries that cannot be read does not fill the dictionary."""
    problems = tuple(Problem(f"$[{number}]", "is not an object") for number in range(10_000 + 7))

    result = requested(phase("one", ("ksqldb:a", lambda _: replace(reading("ksqldb:a"), problems=problems))))

    *listed, last = result.readings[0].problems
    assert tuple(listed) == problems[:10_000]
    assert last.what == "7 more problems are not listed"
