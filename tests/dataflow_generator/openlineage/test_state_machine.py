"""The machine that turns states of jobs into events: as a table, and for any sequence of observations."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime, timedelta

import pytest
from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

from dataflow_generator.openlineage.emit.run_events import DatasetEntry, JobEntry
from dataflow_generator.openlineage.state_machine import (
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
        outputs=tuple(DatasetEntry(namespace="kafka://k-1:9092", name=topic) for topic in topics or ("orders",)),
    )


def sight(word: str, *, error: str = "", entry: JobEntry | None = None) -> list[ObservedJob] | None:
    """Return what a poll shows where the worker's word for the one connector is *word*."""
    if word == DOWN:
        return None
    if word == ABSENT:
        return []
    run_error = RunError(message=error) if error else None
    return [ObservedJob(name="cdc", phase=phase_of(word, CONNECT), job=entry or job(), error=run_error)]


def transitions_of(
    *sights: list[ObservedJob] | None, every: float = 10.0, rules: Rules | None = None
) -> list[Transition]:
    """Return everything that is said of *sights*, one poll after the other."""
    watch, output = ServerState(), []
    for number, seen in enumerate(sights):
        watch, words = step(watch, seen, NOON + number * timedelta(seconds=every), server="main", rules=rules)
        output += words
    return output


def states(*words: str, every: float = 10.0) -> str:
    """Return the states that are emitted for a connector with the words of a worker."""
    return " ".join(transition.state for transition in transitions_of(*map(sight, words), every=every))


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
    """The rows: what was seen, one poll after the other, and the events emitted."""
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
    transitions = transitions_of(
        *(sight("RUNNING", entry=job("cdc", *names)) for names in ((), (), ("orders", "paid"))), sight("PAUSED")
    )

    assert [transition.state for transition in transitions] == ["START", "RUNNING", "COMPLETE"]
    assert [[output.name for output in transition.job.outputs] for transition in transitions[1:]] == [
        ["orders", "paid"]
    ] * 2


def test_run_ends_with_the_lineage_it_had() -> None:
    """Neither a deleted connector nor a configuration that says nothing takes away what moved."""
    bare = JobEntry(namespace="connect://shop/main", name="cdc")

    transitions = transitions_of(sight("RUNNING"), sight("RUNNING", entry=bare), sight("PAUSED", entry=bare))

    assert [(transition.state, transition.job) for transition in transitions] == [("START", job()), ("COMPLETE", job())]


def test_problem_that_does_not_end_a_run_is_reported_when_it_comes_and_goes() -> None:
    """Some tasks failed, others move data."""
    ill, well = sight("RUNNING", error="1 of 2 tasks failed"), sight("RUNNING")

    transitions = transitions_of(well, ill, ill, well)

    assert [(transition.state, transition.error is not None) for transition in transitions] == [
        ("START", False),
        ("RUNNING", True),
        ("RUNNING", False),
    ]


def test_failure_reports_why_and_an_orderly_end_does_not() -> None:
    """A trace that is left of an earlier failure is no reason for a pause."""
    failed = transitions_of(sight("RUNNING"), sight("FAILED", error="no"))
    paused = transitions_of(sight("RUNNING"), sight("PAUSED", error="no"))

    assert failed[-1].error == RunError(message="no")
    assert paused[-1].error is None


def test_renamed_connector_is_another_one() -> None:
    """Connect has no renaming: one is deleted, another one created."""
    other = [ObservedJob(name="cdc-2", phase=Phase.RUNNING, job=job("cdc-2"))]

    transitions = transitions_of(sight("RUNNING"), other, other)

    assert [(transition.state, transition.job.name) for transition in transitions] == [
        ("START", "cdc"),
        ("START", "cdc-2"),
        ("COMPLETE", "cdc"),
    ]


def test_same_observations_have_the_same_ids_and_another_server_has_others() -> None:
    """Ids come from what was seen and when, so that they can be made again."""
    first, again = (transitions_of(sight("RUNNING"))[0].run for _ in range(2))
    _, (other,) = step(ServerState(), sight("RUNNING"), NOON, server="other")

    assert first == again != other.run


def test_clock_that_is_put_back_neither_silences_nor_turns_events_round() -> None:
    """An hour back, as by somebody who sets the clock: heartbeats go on, no event is older than the one before."""
    watch, times = ServerState(), []
    for minutes in (0, 5, -60, -59, -55, -50):
        watch, transitions = step(watch, sight("RUNNING"), NOON + timedelta(minutes=minutes))
        times += [moment(transition.at) for transition in transitions]

    assert len(times) == 5
    assert times == sorted(times)


def test_what_is_not_open_is_not_remembered() -> None:
    """A million connectors that came and went leave nothing."""
    watch, _ = step(ServerState(), sight("RUNNING"), NOON)
    watch, _ = step(watch, sight("PAUSED"), NOON)

    assert (watch.runs, watch.runs_started) == ({}, 1)


NAMES = st.sampled_from(["a", "b"])
SEEN = st.builds(
    lambda name, phase, topic, error: ObservedJob(
        name=name, phase=phase, job=job(name, topic), error=RunError(message=error) if error else None
    ),
    NAMES,
    st.sampled_from(Phase),
    st.sampled_from(["orders", "paid"]),
    st.sampled_from(["", "no"]),
)
POLLS = st.lists(
    st.tuples(st.none() | st.lists(SEEN, max_size=2), st.integers(min_value=-400, max_value=400)), max_size=40
)


@examples(150)
@given(POLLS)
def test_every_run_begins_once_and_first_and_ends_at_most_once_and_last(polls) -> None:
    """Whatever is seen in whatever order, with a clock that goes as it likes; and two runs of a job never overlap."""
    watch, runs, at, open_of = ServerState(), defaultdict(list), NOON, {}
    for seen, seconds in polls:
        at += timedelta(seconds=seconds)
        watch, output = step(watch, seen, at, server="main")
        for item in output:
            runs[item.run].append(item)
            assert open_of.setdefault(item.job.name, item.run) == item.run
            if item.state in ENDS:
                del open_of[item.job.name]

    for output in runs.values():
        words = [item.state for item in output]
        assert words[0] == "START"
        assert set(words[1:-1]) <= {"RUNNING"}
        assert words.count("START") == 1
        assert [item.at for item in output] == sorted(item.at for item in output)
        assert {item.job.name for item in output} == {output[0].job.name}
    assert sorted(open_of) == sorted(watch.runs)
