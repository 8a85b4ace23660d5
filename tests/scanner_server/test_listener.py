"""`scanner openlineage listen`: one route and its health, over real sockets of a process; and disks that are full."""

from __future__ import annotations

import json
import re
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from waiting import PATIENCE, wait_until

from scanner_api.dictionary import Dictionary
from scanner_api.event_intake import EventReceiver
from scanner_server.app import listener_application
from scanner_server.options import ServerOptions

EVENTS = "/api/v1/lineage"
PROGRAM = """
import sys
from scanner_server.intake import intake_routes
intake_routes.__kwdefaults__["seconds"] = 0.5
from scanner_cli.main import main
main()
"""
"""The command, with a deadline for bodies that a test can wait for."""


def event(job: str = "load", size: int = 10) -> bytes:
    schema = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/JobEvent"
    fixed = {"eventTime": "2026-01-01T00:00:00Z", "producer": "https://example.org/test", "schemaURL": schema}
    links = {"_producer": "https://example.org/test", "_schemaURL": "https://example.org/1-0-0/D.json"}
    facets = {"documentation": links | {"description": "x" * size}}
    return json.dumps(fixed | {"job": {"namespace": "test", "name": job, "facets": facets}}).encode()


@pytest.fixture
def client(tmp_path) -> Iterator[TestClient]:
    """Return a client of a listener that wants the token `abc`."""
    receiver = EventReceiver(Dictionary(str(tmp_path / "d.db")))
    with TestClient(
        listener_application(receiver, ServerOptions(token="abc")),
        headers={"authorization": "Bearer abc", "content-type": "application/json"},
    ) as client:
        yield client
    receiver.close()


def test_health_counts_events_and_asks_for_no_token(client) -> None:
    """A probe of Kubernetes has none; what was not stored yet is counted by its size."""
    answers = [client.post(EVENTS, content=body).status_code for body in (event(), b"{}")]
    health = client.get("/health", headers={"authorization": ""}).json()

    assert answers == [201, 400]
    assert list(health) == ["status", "trouble", "spool_bytes", "received", "stored", "repeated", "refused", "future"]
    assert (health["status"], health["trouble"]) == ("ok", "")


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("POST", EVENTS, {"authorization": "Bearer no"}, 401),
        ("POST", "/api/v1/nothing", {}, 404),
        ("GET", "/api/v1/search", {}, 404),
        ("GET", EVENTS, {}, 405),
        ("PUT", EVENTS, {}, 405),
        ("POST", "/health", {}, 405),
    ],
)
def test_nothing_else_is_answered(client, method, path, headers, status) -> None:
    """A listener shows nothing of the dictionary, and says where events go."""
    answer = client.request(method, path, content=b"{}", headers=headers)

    assert answer.status_code == status
    assert answer.json()["hint"]


class Listener:
    """The command as a process at a port of its own."""

    def __init__(self, directory: Path, *options: str) -> None:
        url = str(directory / "d.db")
        command = [sys.executable, "-c", PROGRAM, "openlineage", "listen", "--dictionary", url, "--port", "0"]
        self.process = subprocess.Popen([*command, *options], stderr=subprocess.PIPE, text=True, cwd=directory)
        assert self.process.stderr
        self.said = self.process.stderr.readline()
        address = re.search(r":(\d+)/api", self.said)
        self.port = int(address[1]) if address else 0

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def exchange(self, sent: bytes) -> bytes:
        """Return all that comes until the listener closes the connection."""
        received = b""
        with self.connect() as raw:
            raw.sendall(sent)
            try:
                while piece := raw.recv(65_536):
                    received += piece
            except ConnectionResetError:
                pass
        return received

    def post(self, body: bytes) -> int:
        head = b"Content-Type: application/json\r\nConnection: close\r\nContent-Length: %d" % len(body)
        answer = self.exchange(b"POST /api/v1/lineage HTTP/1.1\r\nHost: localhost\r\n" + head + b"\r\n\r\n" + body)
        return int(answer[9:12])

    def health(self) -> dict[str, Any]:
        request = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        health: dict[str, Any] = json.loads(self.exchange(request).partition(b"\r\n\r\n")[2])
        return health

    def end(self) -> str:
        """End it with SIGTERM; return the rest of what it says."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.communicate(timeout=PATIENCE)[1]


@pytest.fixture(scope="module")
def start() -> Iterator[Callable[..., Listener]]:
    with ExitStack() as stack:

        def started(directory: Path, *options: str) -> Listener:
            listener = Listener(directory, *options)
            stack.callback(listener.process.stderr.close)
            stack.callback(listener.process.wait)
            stack.callback(listener.process.kill)
            return listener

        yield started


@pytest.fixture(scope="module")
def listener(start, tmp_path_factory) -> Listener:
    """Return a listener for all tests that leave it as it is."""
    return start(tmp_path_factory.mktemp("listener"))


HEAD = b"POST /api/v1/lineage HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
AMBIGUOUS = {
    "two lengths": HEAD + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} ",
    "two lengths in one": HEAD + b"Content-Length: 2, 3\r\n\r\n{} ",
    "a signed length": HEAD + b"Content-Length: +2\r\n\r\n{}",
    "length and chunks": HEAD + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "space before colon": HEAD + b"Transfer-Encoding : chunked\r\nContent-Length: 2\r\n\r\n{}",
    "chunk size": HEAD + b"Transfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n",
    "chunk longer than its size": HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n",
    "chunks of HTTP/1.0": HEAD.replace(b"1.1", b"1.0") + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "two hosts": HEAD + b"Host: other\r\nContent-Length: 2\r\n\r\n{}",
    "two codings": HEAD + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "another coding": HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
}


@pytest.mark.parametrize("sent", AMBIGUOUS.values(), ids=AMBIGUOUS)
def test_a_request_that_two_servers_could_read_differently_ends_its_connection(listener, sent) -> None:
    """What follows it must not be taken for a request (request smuggling)."""
    answer = listener.exchange(sent + b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")

    assert answer[9:12] in (b"400", b"501", b"")
    assert answer.count(b"HTTP/1.1") <= 1


@pytest.mark.parametrize(
    ("line", "chunk"),
    [(b"X: a\r\n b\r\n", b"%x\r\n"), (b"", b"%x;name=" + b"v" * 5_000 + b"\r\n")],
    ids=["folded header", "chunk extension"],
)
def test_what_the_standard_lets_a_server_ignore_is_ignored(listener, line, chunk) -> None:
    """RFC 9112, 5.2 and 7.1.1: neither changes where a request ends; what follows is the next request."""
    body = event()
    sent = HEAD + line + b"Transfer-Encoding: chunked\r\n\r\n" + chunk % len(body) + body + b"\r\n0\r\n\r\n"
    answer = listener.exchange(sent + b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")

    assert re.findall(rb"HTTP/1.1 (\d+)", answer) == [b"201", b"200"]


def test_a_body_that_trickles_is_answered_with_408_and_its_connection_closed(listener) -> None:
    """One deadline holds for the whole of it."""
    with listener.connect() as raw:
        raw.sendall(HEAD + b"Content-Length: 100000\r\n\r\n")
        raw.settimeout(0.05)
        answer = b""
        for _ in range(400):
            try:
                answer = raw.recv(65_536)
                break
            except TimeoutError:
                raw.sendall(b" ")

    assert answer[9:12] == b"408"
    assert b"connection: close" in answer.lower()


def test_a_client_that_waits_for_leave_to_send_its_body_gets_it(listener) -> None:
    """As curl does for larger bodies."""
    with listener.connect() as raw:
        raw.sendall(HEAD + b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(event()))
        leave = raw.recv(100)
        raw.sendall(event())

        assert leave.startswith(b"HTTP/1.1 100")
        assert raw.recv(1000).startswith(b"HTTP/1.1 201")


@pytest.mark.process
def test_a_full_disk_refuses_events_for_now_and_loses_none(start, small_disk, fill, tmp_path) -> None:
    """Those acknowledged before and after are stored; the dictionary is on another disk."""
    spool = small_disk / "spool"
    listener = start(tmp_path, "--spool", str(spool))
    before = listener.post(event("before"))
    filler = fill(small_disk)
    full = listener.post(event("full", 100_000))
    health = listener.health()
    filler.unlink()
    after = listener.post(event("after"))
    listener.end()

    assert (before, full, after) == (201, 503, 201)
    assert "cannot be written to disk" in health["trouble"]
    with sqlite3.connect(tmp_path / "d.db") as conn:
        assert sorted(conn.execute("SELECT name FROM lineage_job")) == [("after",), ("before",)]


@pytest.mark.process
def test_a_dictionary_on_a_full_disk_leaves_events_in_the_spool(start, small_disk, fill, tmp_path) -> None:
    """They are stored when it has room again, and until then health says why not."""
    Dictionary(str(small_disk / "d.db")).writing(create=True).dispose()
    filler = fill(small_disk)
    first = start(small_disk, "--spool", str(tmp_path / "spool"), "--rejected", str(tmp_path / "no.ndjson"))
    status = first.post(event("kept"))
    said = first.end()
    filler.unlink()
    second = start(small_disk, "--spool", str(tmp_path / "spool"), "--rejected", str(tmp_path / "no.ndjson"))
    wait_until(lambda: second.health()["stored"])
    second.end()

    assert (status, first.process.returncode) == (201, 1)
    assert "stay in the spool" in said
    with sqlite3.connect(small_disk / "d.db") as conn:
        assert conn.execute("SELECT name FROM lineage_job").fetchall() == [("kept",)]


@pytest.mark.process
def test_a_read_only_file_system_is_a_clear_error_at_the_start(start, small_disk, tmp_path) -> None:
    """Of the spool as of the dictionary; nobody is told that events are received."""
    Dictionary(str(small_disk / "d.db")).writing(create=True).dispose()
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    spool = start(tmp_path, "--spool", str(small_disk / "spool"))
    dictionary = start(small_disk, "--spool", str(tmp_path / "spool"), "--rejected", str(tmp_path / "no.ndjson"))

    assert [each.process.wait(60) for each in (spool, dictionary)] == [2, 1]
    assert "Read-only file system" in spool.said
    assert "--spool" in spool.said
    assert str(small_disk / "d.db") in dictionary.said
