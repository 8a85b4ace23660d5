"""Work in a process of its own is waited for, reported, and ended."""

from __future__ import annotations

import os
import re
import signal
import threading
from functools import partial
from pathlib import Path

import pytest

import scanner_api
from scanner_api.dictionary import Dictionary
from scanner_api.watching.child import Child
from scanner_api.watching.watch import watch_context
from scanner_model.errors import InputInvalid, ScannerError

pytestmark = pytest.mark.process
EXAMPLE = Path(__file__).parents[3] / "examples/retail"


def adding(first: int, second: int, notify) -> int:
    notify(f"{first} and {second}")
    return first + second


def failing(notify) -> None:
    raise InputInvalid("no such topic", where="a.json", hint="look")


def held(started: str, notify) -> None:
    """Hold the interpreter, as a pattern that backtracks does."""
    Path(started).touch()
    re.match(r"(a+)+b", "a" * 60)


def killed(notify) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_the_result_and_the_notes_arrive() -> None:
    notes: list[str] = []

    assert Child().run(partial(adding, 2, 3), notes.append) == 5
    assert notes == ["2 and 3"]


def test_an_error_keeps_its_parts() -> None:
    with pytest.raises(ScannerError) as raised:
        Child().run(failing, print)

    assert (raised.value.what, raised.value.where, raised.value.hint) == ("no such topic", "a.json", "look")


def test_a_process_that_is_killed_is_an_error() -> None:
    with pytest.raises(ScannerError, match="ended without a result"):
        Child().run(killed, print)


def test_work_that_holds_its_interpreter_is_ended(tmp_path: Path) -> None:
    """In a thread it would hold every answer of the server."""
    with pytest.raises(ScannerError, match="took longer than 1 s"):
        Child(seconds=1).run(partial(held, str(tmp_path / "started")), print)


def test_stopping_ends_work_in_progress(tmp_path: Path) -> None:
    child, started = Child(), tmp_path / "started"
    ended: list[str] = []

    def run() -> None:
        try:
            child.run(partial(held, str(started)), print)
        except ScannerError as error:
            ended.append(error.what)

    thread = threading.Thread(target=run)
    thread.start()
    while not started.exists():
        pass
    child.stop()
    thread.join()

    assert ended == ["its process ended without a result"]


def test_a_watch_scans_and_generates_in_a_process(tmp_path: Path) -> None:
    dictionary = Dictionary(str(tmp_path / "d.db"), notify=print)
    context = watch_context([EXAMPLE / "cluster.json"], dictionary, replay=EXAMPLE / "capture")

    (report,) = context.scan()
    context.generate()

    assert report.stored
    assert scanner_api.impact(dictionary, "orders").affected
