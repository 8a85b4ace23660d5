"""What a monitor remembers on the disk: whole or as before, by one monitor at a time, and never without bound."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from dataflow_generator.openlineage.emit.run_events import DatasetEntry, JobEntry, event_line
from dataflow_generator.openlineage.journal import Journal, read_state, state_text, without_old_heartbeats
from dataflow_generator.openlineage.state_machine import Run, ServerState
from scanner_model.errors import InputInvalid

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
ORDERS = DatasetEntry(namespace="kafka://k-1:9092", name="orders", facets={"datasetType": {"datasetType": "TOPIC"}})
JOB = JobEntry(
    namespace="connect://shop/main", name="cdc", facets={"jobType": {"jobType": "SOURCE"}}, outputs=(ORDERS,)
)
WATCH = ServerState(
    runs_started=3,
    runs={
        "cdc": Run(id="r-1", emitted=NOON, latest=NOON + timedelta(seconds=1), job=JOB, error="1 of 2", missed=1),
        "sink": Run(id="r-2", emitted=NOON, latest=NOON, job=JOB, unsettled=NOON),
    },
)


def event(state: str, run: str = "r-1", second: int = 0) -> dict:
    """Build as much of an event as matters here."""
    return {"eventType": state, "run": {"runId": run}, "eventTime": f"2026-03-01T12:00:{second:02}Z"}


def test_state_is_read_as_it_was_written() -> None:
    """Every part of a run matters after a restart."""
    text = state_text({"main": WATCH}, ["one\n", "two\n"])

    assert read_state(text, "f") == ({"main": WATCH}, ["one\n", "two\n"])
    assert state_text(*read_state(text, "f")) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"version": 2, "servers": {}, "waiting": []}',
        '{"version": 1, "servers": [], "waiting": []}',
        '{"version": 1, "servers": {}, "waiting": [1]}',
        '{"version": 1, "servers": {"main": {}}, "waiting": []}',
        '{"version": 1, "servers": {"main": {"begun": 1, "runs": {"cdc": {"id": "r"}}}}, "waiting": []}',
        "[" * 100_000,
    ],
)
def test_what_is_no_state_is_refused_with_a_hint(text) -> None:
    """It is the user's file: neither overwritten nor guessed at."""
    with pytest.raises(InputInvalid) as refused:
        read_state(text, "monitor.json")

    assert (refused.value.where, bool(refused.value.hint)) == ("monitor.json", True)


@pytest.mark.parametrize(
    ("member", "value"), [("told", "yesterday"), ("latest", "2026-03-01T12:00:00"), ("missed", "x")]
)
def test_run_that_is_damaged_is_refused(member, value) -> None:
    """A moment without a zone is none."""
    reported = json.loads(state_text({"main": WATCH}, []))
    reported["servers"]["main"]["runs"]["cdc"][member] = value

    with pytest.raises(InputInvalid):
        read_state(json.dumps(reported), "f")


def test_what_is_kept_is_there_for_the_next_monitor(tmp_path) -> None:
    """Open runs and events that wait, in their order."""
    path = tmp_path / "m.json"
    with Journal(path) as journal:
        journal.record("main", WATCH, [event("START"), event("RUNNING")])
        journal.delivered(journal.waiting()[:1])

    with Journal(path) as journal:
        assert journal.server_state("main") == WATCH
        assert journal.server_state("other") == ServerState()
        assert journal.waiting() == (event_line(event("RUNNING")),)


def test_poll_that_changes_nothing_writes_nothing(tmp_path) -> None:
    """Every ten seconds for years."""
    path = tmp_path / "m.json"
    with Journal(path) as journal:
        journal.record("main", WATCH, [])
        path.unlink()
        journal.record("main", WATCH, [])

    assert not path.exists()


def test_one_monitor_at_a_time(tmp_path) -> None:
    """Two would tell everything twice."""
    with Journal(tmp_path / "m.json"), pytest.raises(InputInvalid, match="another monitor"):
        Journal(tmp_path / "m.json")

    Journal(tmp_path / "m.json").close()


def test_place_that_is_none_is_a_usage_error(tmp_path) -> None:
    """A directory that is not there, and a file that is a directory."""
    (tmp_path / "d").mkdir()

    for path in (tmp_path / "none" / "m.json", tmp_path / "d"):
        with pytest.raises(InputInvalid):
            Journal(path)


def test_heartbeats_that_others_follow_make_room(tmp_path) -> None:
    """While a catalog is away for days, the last heartbeat of each run reports as much as all of them."""
    with Journal(tmp_path / "m.json", most=4) as journal:
        journal.record("main", WATCH, [event("START"), event("RUNNING", second=1), event("RUNNING", second=2)])
        assert not journal.is_full
        journal.record("main", WATCH, [event("RUNNING", second=3), event("COMPLETE", second=4)])

        assert [json.loads(line)["eventTime"][-3:-1] for line in journal.waiting()] == ["00", "03", "04"]
        journal.record("main", WATCH, [event("START", "r-9")])
        assert journal.is_full


def test_heartbeat_of_another_run_is_not_in_the_way() -> None:
    """Each run keeps its own last one."""
    lines = [event_line(event("RUNNING", run)) for run in ("a", "b", "a")]

    assert without_old_heartbeats(lines) == lines[1:]
