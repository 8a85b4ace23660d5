"""A listener for `fuzz.py`: raw bytes are sent to it, and what counts is that it answers, and with which status."""

from __future__ import annotations

import re
import select
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Self

_STATUS = re.compile(rb"HTTP/1\.[01] (\d{3}) ")
_STARTED = 30.0
_ANSWERED = 0.3


class BadAnswer(Exception):
    """Raised when the listener failed, or did not answer in time."""


class Listening:
    """`scanner openlineage listen` in a process of its own, while the block lasts."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def __enter__(self) -> Self:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        arguments = [
            "--port",
            str(self._port),
            "--dictionary",
            str(self._directory / "d.db"),
            "--max-body",
            "1",
            "--allow-host",
            "a",
        ]
        program = Path(sys.executable).with_name("scanner")
        self._process = subprocess.Popen(
            [program, "openlineage", "listen", *arguments], stderr=(self._directory / "log").open("w")
        )
        ends = time.monotonic() + _STARTED
        while not self._is_well():
            if time.monotonic() > ends:
                raise BadAnswer("the listener does not start")
            time.sleep(0.1)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        well = self._is_well()
        self._process.terminate()
        self._process.wait(60)
        if not well and error is None:
            raise BadAnswer("the listener does not answer any more")

    def answers(self, request: bytes, *, longest: float) -> bool:
        """Send *request* and close our side; return whether the status is 2xx.

        An answer of 500, or none although the connection stays open for *longest* seconds, raises BadAnswer. That the
        listener may close the connection without a response if the input is not HTTP.
        """
        with socket.create_connection(("127.0.0.1", self._port), timeout=longest) as connection:
            try:
                connection.sendall(request)
                # A request that is not whole yet gets no answer; our end of the connection ends it.
                select.select([connection], [], [], _ANSWERED)
                connection.shutdown(socket.SHUT_WR)
                answer = _all(connection, longest)
            except TimeoutError as error:
                raise BadAnswer(f"it does not read the request within {longest:g} s") from error
            except OSError:  # it closed the connection while we spoke
                return False
        statuses = [int(status) for status in _STATUS.findall(answer)]
        if 500 in statuses:
            raise BadAnswer(f"status 500: {answer[:200]!r}")
        return bool(statuses) and all(200 <= status < 300 for status in statuses)

    def _is_well(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self._port}/health", timeout=5) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False


def _all(connection: socket.socket, longest: float) -> bytes:
    content = b""
    ends = time.monotonic() + longest
    while select.select([connection], [], [], max(0.0, ends - time.monotonic()))[0]:
        piece = connection.recv(65_536)
        if not piece:
            return content
        content += piece
    raise BadAnswer(f"no end of the answer after {longest:g} s: {content[:200]!r}")
