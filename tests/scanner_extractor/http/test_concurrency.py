"""Asking many things at once: order, errors in their place, and when it stops."""

from __future__ import annotations

import threading

import pytest

from scanner_extractor.http.concurrency import WorkerPool, map_concurrently
from scanner_model.errors import NotFound, SourceUnreachable


def test_results_stand_in_the_order_of_the_jobs() -> None:
    """Whichever answer came first."""
    gate = threading.Event()

    def ask(number: int) -> int:
        if number == 0:
            gate.wait(60)
        if number == 3:
            gate.set()
        return number * 10

    assert map_concurrently(range(4), ask, pool=WorkerPool(threads=2)) == [0, 10, 20, 30]


def test_nothing_to_query_is_nothing() -> None:
    """No thread is started for it."""
    assert map_concurrently([], lambda job: job, pool=WorkerPool()) == []


def test_error_stands_in_its_jobs_place() -> None:
    """One that is gone must not stop the others."""

    def ask(number: int) -> int:
        if number == 1:
            raise NotFound("gone", status=404)
        return number

    first, error, last = map_concurrently(range(3), ask, pool=WorkerPool(threads=1))

    assert (first, last) == (0, 2)
    assert isinstance(error, NotFound)


def test_source_that_stopped_answering_is_left_alone() -> None:
    """A hundred time-outs help nobody."""
    asked: list[int] = []
    given_up = threading.Event()

    def ask(number: int) -> int:
        asked.append(number)
        if len(asked) == 10:
            given_up.wait(60)
        raise SourceUnreachable("down")

    results = map_concurrently(range(100), ask, pool=WorkerPool(threads=1, failures=3))
    given_up.set()

    assert len(asked) <= 10
    assert all(isinstance(result, SourceUnreachable) for result in results)


def test_failures_with_answers_between_them_do_not_stop_it() -> None:
    """It is alive, if unwell."""

    def ask(number: int) -> int:
        if number % 2:
            raise SourceUnreachable("down")
        return number

    results = map_concurrently(range(100), ask, pool=WorkerPool(threads=1, failures=3))

    assert sum(isinstance(result, int) for result in results) == 50


def test_jobs_that_are_not_found_do_not_stop_it() -> None:
    """That a source does not have something is an answer."""

    def ask(number: int) -> int:
        raise NotFound("gone", status=404)

    results = map_concurrently(range(50), ask, pool=WorkerPool(threads=1, failures=3))

    assert all(isinstance(result, NotFound) for result in results)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_defect_in_what_is_queried_is_not_taken_for_an_answer() -> None:
    """A mistake of ours is no state of the source."""

    def ask(number: int) -> int:
        raise ZeroDivisionError

    with pytest.raises(RuntimeError):
        map_concurrently([1], ask, pool=WorkerPool(threads=1))
    for thread in [thread for thread in threading.enumerate() if thread.name == "source worker"]:
        thread.join(60)
