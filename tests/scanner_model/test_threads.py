"""Parallel work: its order, how much of it runs at once, and that nothing of it keeps a program alive."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest
from waiting import PATIENCE

from scanner_model.threads import run_ordered, start


def test_result_is_in_the_future_and_the_thread_has_the_name() -> None:
    """A stack dump shows what hangs."""
    assert start(lambda: threading.current_thread().name, "orders").result(60) == "orders"


def test_exception_is_raised_where_the_result_is_read() -> None:
    """A thread of its own would print it, and nobody would act."""
    with pytest.raises(ZeroDivisionError):
        start(lambda: 1 // 0).result(60)


def test_results_come_in_the_order_of_the_work() -> None:
    """Whichever ended first."""
    last = threading.Event()
    works = [lambda: last.wait(60), lambda: last.set() or "second"]

    assert list(run_ordered(works, 2)) == [True, "second"]


@pytest.mark.parametrize("threads", [0, 1, 3])
def test_no_more_is_started_than_may_wait_to_be_read(threads: int) -> None:
    """Each result of a scan may be large."""
    started: list[int] = []
    works = [lambda number=number: started.append(number) for number in range(9)]
    for read, _ in enumerate(run_ordered(works, threads)):
        assert len(started) <= read + max(1, threads)

    assert sorted(started) == list(range(9))


def test_work_that_hangs_does_not_keep_the_program_alive() -> None:
    """Ctrl-C must end a scan whatever a server does."""
    program = "import threading; from scanner_model.threads import start; start(threading.Event().wait)"

    assert subprocess.run([sys.executable, "-c", program], timeout=PATIENCE, check=False).returncode == 0
