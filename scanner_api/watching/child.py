"""Work in a process of its own, which can be ended: what it reads cannot hold the program that waits for it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any, TypeVar

from scanner_api.files import Notify
from scanner_model.errors import ScannerError

Result = TypeVar("Result")

LONGEST = 6 * 3600.0
"""Seconds after which a scan is ended: a repository may hold its process for good."""
_NOTE, _DONE, _ERROR = "note", "done", "error"
_ENDING = 2.0
_ORPHAN = 5.0
_HINT = "read the sources one by one with `scanner scan --only` to find which one takes so long"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Failure:
    """A ScannerError, whose subclasses differ in their arguments."""

    what: str
    where: str
    hint: str


class Child:
    """Runs one work at a time in a process; *seconds* is the longest time for each."""

    def __init__(self, *, seconds: float = LONGEST) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._process: SpawnProcess | None = None

    def run(self, work: Callable[[Notify], Result], notify: Notify) -> Result:
        """Return the result of *work*, which gets a function for notes; both must be picklable.

        Raises ScannerError for one that *work* raises, if it takes too long, and if its process ends.
        """
        context = multiprocessing.get_context("spawn")
        receiving, sending = context.Pipe(duplex=False)
        process = context.Process(target=_run, args=(work, sending, os.getpid()), daemon=True)
        with self._lock:
            process.start()
            self._process = process
        sending.close()
        try:
            result: Result = self._result(receiving, notify)
            return result
        finally:
            self.stop()
            receiving.close()

    def stop(self) -> None:
        """End the process, if there is one."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            process.terminate()
            process.join(_ENDING)
            if process.is_alive():
                process.kill()
                process.join(_ENDING)

    def _result(self, receiving: Connection, notify: Notify) -> Any:  # noqa: ANN401 - whatever the work returns
        end = time.monotonic() + self._seconds
        while receiving.poll(max(0.0, end - time.monotonic())):
            try:
                kind, content = receiving.recv()
            except EOFError:
                raise ScannerError("its process ended without a result") from None
            if kind == _NOTE:
                notify(content)
            elif kind == _DONE:
                return content
            else:
                raise ScannerError(content.what, where=content.where, hint=content.hint)
        raise ScannerError(f"it took longer than {self._seconds:g} s and was ended", hint=_HINT)


def _run(work: Callable[[Notify], object], sending: Connection, parent: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; who waits ends this process
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    try:
        content: tuple[str, object] = _DONE, work(lambda text: sending.send((_NOTE, text)))
    except ScannerError as error:
        content = _ERROR, _Failure(what=error.what, where=error.where, hint=error.hint)
    except Exception as error:  # noqa: BLE001  who waits must learn of it
        content = _ERROR, _Failure(what=f"scanner failed: {type(error).__name__}: {error}", where="", hint="")
    with suppress(BrokenPipeError):
        sending.send(content)


def _end_with(parent: int) -> None:
    """End this process soon after the one that started it, which may be killed."""
    while os.getppid() == parent:
        time.sleep(_ORPHAN)
    os._exit(1)
