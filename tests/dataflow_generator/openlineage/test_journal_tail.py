"""A monitor that was killed while it added an event to a file finds out whether it did."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dataflow_generator.openlineage.emit.run_events import JobEntry, RunEntry, event_line, run_event
from dataflow_generator.openlineage.journal import Journal, complete_last_line, ends_with
from dataflow_generator.openlineage.state_machine import ServerState
from scanner_model.errors import InputInvalid


def event(state: str = "START", at: str = "2026-03-01T12:00:00.000Z") -> dict:
    """Return an event of one run."""
    return run_event(RunEntry(id="r-1", state=state), JobEntry(namespace="n", name="cdc"), at, "urn:test")


def as_told(members: dict) -> str:
    """Write an event as openlineage-python does, with tags of its own."""
    return json.dumps(members | {"run": members["run"] | {"facets": {"tags": {"tags": []}}}}) + "\n"


@pytest.fixture
def file(tmp_path) -> Path:
    return tmp_path / "runs.ndjson"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (as_told(event()), True),
        (as_told(event("RUNNING")) + as_told(event()), True),
        (as_told(event()) + as_told(event("RUNNING")), False),
        (as_told(event(at="2026-03-01T12:00:00.001Z")), False),
        ("", False),
        ("[]\n", False),
        ("not JSON\n", False),
    ],
)
def test_file_ends_with_the_event_of_the_same_run_state_and_moment(file, text, expected) -> None:
    """The library's words around it are not the same bytes."""
    file.write_text(text)

    assert ends_with(file, event_line(event())) is expected


def test_file_that_is_not_there_ends_with_nothing(file) -> None:
    """It is not made either."""
    assert not ends_with(file, event_line(event()))
    assert not file.exists()


def test_line_that_was_cut_is_ended_so_that_the_next_event_has_one_of_its_own(file) -> None:
    """Half an event was not reported."""
    whole = as_told(event())
    file.write_text(as_told(event("RUNNING")) + whole[:40])

    assert not ends_with(file, event_line(event()))
    assert file.read_text().endswith(whole[:40] + "\n")


def test_only_the_first_event_that_waits_can_have_been_reported(file, tmp_path) -> None:
    """The others were not tried yet."""
    file.write_text(as_told(event()))
    with Journal(tmp_path / "m.json") as journal:
        journal.record("s", ServerState(runs_started=1), [event(), event("COMPLETE")])
        complete_last_line(journal, file)
        complete_last_line(journal, file)

        assert journal.waiting() == (event_line(event("COMPLETE")),)


def test_file_that_cannot_be_read_is_the_users_to_mend(tmp_path) -> None:
    """It is named, and the option with it."""
    file = tmp_path / ("x" * 300)
    with Journal(tmp_path / "m.json") as journal:
        journal.record("s", ServerState(runs_started=1), [event()])
        with pytest.raises(InputInvalid) as reported:
            complete_last_line(journal, file)

    assert (reported.value.where, "--file" in reported.value.hint) == (str(file), True)
