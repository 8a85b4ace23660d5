"""The machine that turns states of jobs into events: as a table, and for any sequence of observations."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dataflow_generator.openlineage.emit.run_events import DatasetEntry, JobEntry
from dataflow_generator.openlineage.monitor.state_machine import (
    CONNECT,
    FLINK,
    KSQLDB,
    ObservedJob,
    Phase,
    Rules,
    RunError,
    ServerState,
    Transition,
    moment,
    phase_of,
    step,
)

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
ENDS = ("COMPLETE", "FAIL", "ABORT")
DOWN, ABSENT = "worker down", "not listed"


def job(name: str = "cdc", *topics: str) -> JobEntry:
    """Build a job that writes *topics*."""
    return JobEntry(
        namespace="connect://shop/main",
        name=name,
        outputs=tuple(DatasetEntry(namespace="kafka://k-1:9092", name=each) for each in topics or ("orders",)),
    )


def sight(word: str, *, trouble: str = "", told: JobEntry | None = None) -> list[ObservedJob] | None:
    """Return what a poll shows where the worker's word for the one connector is *word*."""
    if word == DOWN:
        return None
    if word == ABSENT:
        return []
    said = RunError(message=trouble) if trouble else None
    return [ObservedJob(name="cdc", phase=phase_of(word, CONNECT), job=told or job(), error=said)]


def told(*sights: list[ObservedJob] | None, every: float = 10.0, rules: Rules | None = None) -> list[Transition]:
    """Return everything that is said of *sights*, one poll after the other."""
    watch, said = ServerState(), []
    for number, seen in enumerate(sights):
        watch, words = step(watch, seen, NOON + number * timedelta(seconds=every), server="main", rules=rules)
        said += words
    return said


def states(*words: str, every: float = 10.0) -> str:
    """Return the states that are told of a connector with the words of a worker."""
    return " ".join(each.state for each in told(*map(sight, words), every=every))


TABLE = [
    ("RUNNING", "START"),
    ("running", "START"),
    ("PAUSED", ""),
    ("FAILED", ""),
    ("UNASSIGNED", ""),
    ("FAILED ABSENT ABSENT", ""),
    ("PAUSED FAILED", ""),
    ("RUNNING RUNNING RUNNING", "START"),
    ("RUNNING PAUSED", "START COMPLETE"),
    ("RUNNING PAUSED PAUSED STOPPED ABSENT ABSENT", "START COMPLETE"),
    ("RUNNING STOPPED", "START COMPLETE"),
    ("RUNNING DESTROYED ABSENT ABSENT", "START COMPLETE"),
    ("RUNNING ABSENT", "START"),
    ("RUNNING ABSENT RUNNING ABSENT RUNNING", "START"),
    ("RUNNING ABSENT ABSENT", "START COMPLETE"),
    ("RUNNING ABSENT ABSENT ABSENT RUNNING", "START COMPLETE START"),
    ("RUNNING FAILED", "START FAIL"),
    ("RUNNING FAILED FAILED PAUSED", "START FAIL"),
    ("RUNNING FAILED RUNNING", "START FAIL START"),
    ("RUNNING RESTARTING RUNNING", "START ABORT START"),
    ("RUNNING RESTARTING RESTARTING FAILED", "START ABORT"),
    ("RUNNING UNASSIGNED RUNNING", "START"),
    ("RUNNING UNASSIGNED PAUSED", "START COMPLETE"),
    ("RUNNING UNASSIGNED FAILED", "START FAIL"),
    ("RUNNING UNASSIGNED ABSENT ABSENT", "START COMPLETE"),
    ("UNASSIGNED RUNNING", "START"),
    ("PAUSED RUNNING PAUSED RUNNING", "START COMPLETE START"),
    ("FAILED RUNNING FAILED RUNNING FAILED", "START FAIL START FAIL"),
    ("RUNNING DOWN DOWN DOWN RUNNING", "START"),
    ("RUNNING ABSENT DOWN ABSENT", "START COMPLETE"),
    ("RUNNING DOWN PAUSED", "START COMPLETE"),
    ("DOWN", ""),
    ("RUNNING DEGRADED RUNNING", "START"),
    ("RUNNING SLEEPY RUNNING", "START"),
    ("SLEEPY", ""),
    ("RUNNING SLEEPY ABSENT SLEEPY ABSENT", "START"),
    ("PROVISIONING RUNNING DELETED", "START COMPLETE"),
]


@pytest.mark.parametrize(("words", "expected"), TABLE)
def test_words_of_a_worker_become_events(words, expected) -> None:
    """The rows: what was seen, one poll after the other, and what is told of it."""
    named = {"ABSENT": ABSENT, "DOWN": DOWN}

    assert states(*(named.get(word, word) for word in words.split())) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("RUNNING RUNNING RUNNING", "START RUNNING RUNNING"),
        ("RUNNING PAUSED PAUSED", "START COMPLETE"),
        ("RUNNING DOWN RUNNING", "START RUNNING"),
        ("RUNNING UNASSIGNED RUNNING", "START RUNNING"),
        ("RUNNING UNASSIGNED UNASSIGNED RUNNING", "START ABORT START"),
        ("RUNNING UNASSIGNED DOWN UNASSIGNED", "START ABORT"),
        ("RUNNING UNASSIGNED RUNNING UNASSIGNED RUNNING", "START RUNNING RUNNING"),
    ],
)
def test_five_minutes_between_polls_bring_heartbeats_and_give_up_what_nobody_runs(words, expected) -> None:
    """A heartbeat says that it runs: not while the worker does not say so."""
    assert states(*(DOWN if word == "DOWN" else word for word in words.split()), every=300) == expected


@pytest.mark.parametrize(
    ("words", "word", "phase"),
    [
        (KSQLDB, "ERROR", Phase.FAILED),
        (KSQLDB, "UNRESPONSIVE", Phase.UNSETTLED),
        (FLINK, "DEGRADED", Phase.RUNNING),
        (FLINK, "RESTARTING", Phase.UNSETTLED),
        (FLINK, "CANCELED", Phase.CUT),
        (FLINK, "SUSPICIOUS", Phase.UNKNOWN),
    ],
)
def test_each_server_has_words_of_its_own(words, word, phase) -> None:
    """Flink restarts a job within its run, Connect ends it."""
    assert phase_of(word, words) is phase


def test_lineage_that_changes_is_reported_at_once() -> None:
    """A new table or topic in the configuration must not wait for the heartbeat; the old one ends with the run."""
    said = told(*(sight("RUNNING", told=job("cdc", *names)) for names in ((), (), ("orders", "paid"))), sight("PAUSED"))

    assert [each.state for each in said] == ["START", "RUNNING", "COMPLETE"]
    assert [[each.name for each in one.job.outputs] for one in said[1:]] == [["orders", "paid"]] * 2


def test_run_ends_with_the_lineage_it_had() -> None:
    """Neither a deleted connector nor a configuration that says nothing takes away what moved."""
    bare = JobEntry(namespace="connect://shop/main", name="cdc")

    said = told(sight("RUNNING"), sight("RUNNING", told=bare), sight("PAUSED", told=bare))

    assert [(each.state, each.job) for each in said] == [("START", job()), ("COMPLETE", job())]


def test_trouble_that_does_not_end_a_run_is_reported_when_it_comes_and_goes() -> None:
    """Some tasks failed, others move data."""
    ill, well = sight("RUNNING", trouble="1 of 2 tasks failed"), sight("RUNNING")

    said = told(well, ill, ill, well)

    assert [(each.state, each.error is not None) for each in said] == [
        ("START", False),
        ("RUNNING", True),
        ("RUNNING", False),
    ]


def test_failure_reports_why_and_an_orderly_end_does_not() -> None:
    """A trace that is left of an earlier failure is no reason for a pause."""
    failed = told(sight("RUNNING"), sight("FAILED", trouble="no"))
    paused = told(sight("RUNNING"), sight("PAUSED", trouble="no"))

    assert failed[-1].error == RunError(message="no")
    assert paused[-1].error is None


def test_renamed_connector_is_another_one() -> None:
    """Connect has no renaming: one is deleted, another one created."""
    other = [ObservedJob(name="cdc-2", phase=Phase.RUNNING, job=job("cdc-2"))]

    said = told(sight("RUNNING"), other, other)

    assert [(each.state, each.job.name) for each in said] == [
        ("START", "cdc"),
        ("START", "cdc-2"),
        ("COMPLETE", "cdc"),
    ]


def test_same_observations_have_the_same_ids_and_another_server_has_others() -> None:
    """Ids come from what was seen and when, so that they can be made again."""
    first, again = (told(sight("RUNNING"))[0].run for _ in range(2))
    _, (other,) = step(ServerState(), sight("RUNNING"), NOON, server="other")

    assert first == again != other.run


def test_clock_that_is_put_back_neither_silences_nor_turns_events_round() -> None:
    """An hour back, as by somebody who sets the clock: heartbeats go on, no event is older than the one before."""
    watch, times = ServerState(), []
    for minutes in (0, 5, -60, -59, -55, -50):
        watch, said = step(watch, sight("RUNNING"), NOON + timedelta(minutes=minutes))
        times += [moment(each.at) for each in said]

    assert len(times) == 5
    assert times == sorted(times)


def test_what_is_not_open_is_not_remembered() -> None:
    """A million connectors that came and went leave nothing."""
    watch, _ = step(ServerState(), sight("RUNNING"), NOON)
    watch, _ = step(watch, sight("PAUSED"), NOON)

    assert (watch.runs, watch.begun) == ({}, 1)


NAMES = st.sampled_from(["a", "b"])
SEEN = st.builds(
    lambda name, phase, topic, trouble: ObservedJob(
        name=name, phase=phase, job=job(name, topic), error=RunError(message=trouble) if trouble else None
    ),
    NAMES,
    st.sampled_from(Phase),
    st.sampled_from(["orders", "paid"]),
    st.sampled_from(["", "no"]),
)
POLLS = st.lists(
    st.tuples(st.none() | st.lists(SEEN, max_size=2), st.integers(min_value=-400, max_value=400)), max_size=40
)


@settings(max_examples=150)
@given(POLLS)
def test_every_run_begins_once_and_first_and_ends_at_most_once_and_last(polls) -> None:
    """Whatever is seen in whatever order, with a clock that goes as it likes; and two runs of a job never overlap."""
    watch, runs, at, open_of = ServerState(), defaultdict(list), NOON, {}
    for seen, seconds in polls:
        at += timedelta(seconds=seconds)
        watch, said = step(watch, seen, at, server="main")
        for each in said:
            runs[each.run].append(each)
            assert open_of.setdefault(each.job.name, each.run) == each.run
            if each.state in ENDS:
                del open_of[each.job.name]

    for said in runs.values():
        words = [each.state for each in said]
        assert words[0] == "START"
        assert set(words[1:-1]) <= {"RUNNING"}
        assert words.count("START") == 1
        assert [each.at for each in said] == sorted(each.at for each in said)
        assert {each.job.name for each in said} == {said[0].job.name}
    assert sorted(open_of) == sorted(watch.runs)
