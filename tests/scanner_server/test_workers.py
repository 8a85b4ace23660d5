"""Where questions are answered: each kind has places, a queue and a deadline of its own."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import anyio
import pytest
import slow_answers

from scanner_model.errors import InputInvalid, ScannerError
from scanner_server.options import ServerOptions
from scanner_server.workers import OverDeadline, TryLater, Workers


def outcome(result: dict[str, Any], name: str, ask: Callable[[], Awaitable[object]]) -> Callable[[], Awaitable[None]]:
    """Return a task that notes under *name* what *ask* returns, or the type of its error."""

    async def task() -> None:
        try:
            result[name] = await ask()
        except ScannerError as error:
            result[name] = type(error)

    return task


def test_heavy_answers_have_a_process_and_light_ones_a_thread(retail) -> None:
    """Arguments and results go there and back."""
    workers = Workers(retail, ServerOptions())

    async def ask() -> list[dict[str, object]]:
        return [await workers.run(slow_answers.quick, {"a": {"b": 1}}, heavy=heavy) for heavy in (True, True, False)]

    first, second, light = anyio.run(ask)

    assert (first["a"], light["pid"]) == ({"b": 1}, os.getpid())
    assert first["pid"] == second["pid"] != os.getpid()


def test_a_process_started_in_advance_answers_the_first_heavy_question(retail) -> None:
    """It has imported what the questions need, so that the first one need not wait for that."""
    workers = Workers(retail, ServerOptions())

    async def ask() -> tuple[int | None, dict[str, Any]]:
        return await workers.warm(), await workers.run(slow_answers.quick, {}, heavy=True)

    started, answer = anyio.run(ask)

    assert answer["pid"] == started


@pytest.mark.parametrize("is_killed", [False, True])
def test_a_quick_question_that_would_wait_is_answered_by_a_process_with_nothing_to_do(retail, is_killed) -> None:
    """If it has ended unnoticed, by a thread or a new process; a question that need not wait has a thread."""
    workers = Workers(retail, ServerOptions())
    works, may_end = threading.Event(), threading.Event()

    def work() -> None:
        works.set()
        may_end.wait(30)

    async def ask() -> list[int | None]:
        started = await workers.warm()
        if is_killed:
            os.kill(started or 0, signal.SIGKILL)
        async with anyio.create_task_group() as group:
            group.start_soon(workers.in_thread, work)
            await anyio.to_thread.run_sync(works.wait, 30)
            waiting = await workers.run(slow_answers.quick, {}, heavy=False)
            may_end.set()
        later = await workers.run(slow_answers.quick, {}, heavy=False)
        return [started, waiting["pid"], later["pid"]]

    started, waiting, later = anyio.run(ask)

    assert (waiting == started) is not is_killed
    assert later == os.getpid()


@pytest.mark.process
def test_a_crowd_of_quick_questions_has_a_process_started_for_it(retail) -> None:
    """As after a quiet time, in which the process was ended."""
    workers = Workers(retail, ServerOptions())
    may_end = threading.Event()

    async def ask() -> set[int]:
        processes: set[int] = set()

        async def note() -> None:
            processes.add((await workers.run(slow_answers.quick, {}, heavy=False))["pid"])

        async with anyio.create_task_group() as group:
            group.start_soon(workers.in_thread, partial(may_end.wait, 60))
            for _ in range(50):
                async with anyio.create_task_group() as crowd:
                    for _ in range(0 if len(processes) > 1 else 12):
                        crowd.start_soon(note)
            may_end.set()
        return processes

    assert len(anyio.run(ask)) == 2


@pytest.mark.process
def test_a_heavy_answer_beyond_its_deadline_is_ended_and_its_place_is_free(retail) -> None:
    """It works on without end, and never waits for anything; the next one begins, or it would be to try later."""
    workers = Workers(retail, ServerOptions(heavy=1, heavy_seconds=1))

    async def run() -> None:
        for _ in range(2):
            with pytest.raises(OverDeadline, match="longer than 1 s"):
                await workers.run(slow_answers.spin, {}, heavy=True)

    anyio.run(run)


@pytest.mark.process
def test_heavy_answers_hold_up_no_light_ones_and_wait_in_a_bounded_queue(retail) -> None:
    """One runs, one waits; a third is refused at once."""
    workers = Workers(retail, ServerOptions(heavy=1, heavy_waiting=1, heavy_seconds=1))
    result: dict[str, Any] = {}

    async def light() -> None:
        await anyio.sleep(0.1)
        await workers.run(slow_answers.quick, {}, heavy=False)
        result["light"] = dict(result)

    async def run() -> None:
        async with anyio.create_task_group() as group:
            for name in ("runs", "waits", "refused"):
                group.start_soon(outcome(result, name, lambda: workers.run(slow_answers.spin, {}, heavy=True)))
            group.start_soon(light)

    anyio.run(run)

    assert result["light"] == {"refused": TryLater}
    assert result["runs"] is OverDeadline
    assert result["waits"] in (TryLater, OverDeadline)


def test_a_dictionary_that_hangs_is_an_error_and_its_threads_stay_bounded(retail) -> None:
    """As a database's server that is frozen: nobody waits longer, and no thread is added for each request."""
    may_end, running = threading.Event(), []

    def hang() -> None:
        running.append(1)
        may_end.wait(30)

    workers = Workers(retail, ServerOptions(threads=2, seconds=0.2))
    results: list[dict[str, Any]] = [{} for _ in range(6)]

    async def run() -> int:
        async with anyio.create_task_group() as group:
            for result in results:
                group.start_soon(outcome(result, "asked", lambda: workers.in_thread(hang)))
        at_most = len(running)
        may_end.set()
        assert await workers.in_thread(lambda: "back") == "back"
        return at_most

    assert anyio.run(run) == 2
    assert [result["asked"] for result in results] == [TryLater] * 6


@pytest.mark.process
def test_errors_come_from_a_process_as_they_are(retail) -> None:
    """With all that is wrong; a mistake of ours with where it happened."""
    workers = Workers(retail, ServerOptions())

    async def run() -> tuple[InputInvalid, ValueError]:
        with pytest.raises(InputInvalid) as refused:
            await workers.run(slow_answers.refuse, {}, heavy=True)
        with pytest.raises(ValueError, match="a mistake") as failed:
            await workers.run(slow_answers.fail, {}, heavy=True)
        with pytest.raises(TryLater, match="has ended"):
            await workers.run(slow_answers.die, {}, heavy=True)
        return refused.value, failed.value

    refused, failed = anyio.run(run)

    assert [problem.where for problem in refused.problems] == ["a", "b"]
    assert "in fail" in failed.__notes__[0]
