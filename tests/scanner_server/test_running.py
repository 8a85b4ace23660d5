"""A server process and its sockets: it starts, drops clients that do not go on, speaks TLS, and ends."""

from __future__ import annotations

import json
import signal
import socket
import sqlite3
import ssl
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from waiting import PATIENCE

from scanner_api.dictionary import Dictionary
from scanner_model.errors import InputInvalid
from scanner_server import ServerOptions, serve

pytestmark = pytest.mark.process

PROGRAM = """
import sys
from scanner_server.running import BoundedProtocol, Deadlines
import scanner_server.running as running
running.Deadlines = lambda most: Deadlines(head=0.3, body=0.3, response=5, most=most)
from scanner_cli.main import main
main()
"""
"""The command, with a deadline that a test can wait for."""


class Server:
    """A server process at a port of its own."""

    def __init__(self, url: str, *options: str) -> None:
        command = [sys.executable, "-c", PROGRAM, "serve", "--dictionary", url, "--port", "0", *options]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr
        self.said = self.process.stderr.readline()
        self.port = int(self.said.rpartition(":")[2]) if " at http" in self.said else 0

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def get(self, path: str) -> bytes:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=PATIENCE) as answer:
            return answer.read()

    def end(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)


@pytest.fixture
def serving(retail: Dictionary) -> Iterator[Callable[..., Server]]:
    """Return a function that starts a server over the example with options."""
    with ExitStack() as stack:

        def start(*options: str) -> Server:
            server = Server(retail.url, *options)
            stack.callback(server.process.stderr.close)
            stack.callback(server.process.wait)
            stack.callback(server.process.kill)
            return server

        yield start


def test_clients_that_do_not_go_on_are_dropped_and_stop_nobody(serving) -> None:
    """A head, a body, and silence: each keeps a connection, and none a place."""
    server = serving()
    post = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"
    proposal = post.replace(b"/mcp", b"/api/v1/check-change")
    starts = [b"GET / HTTP/1.1\r\nHost: local", b"", post, proposal] * 30
    clients = [server.connect() for _ in starts]
    for client, start in zip(clients, starts, strict=True):
        client.sendall(start)
    answer = json.loads(server.get("/api/v1/state"))
    ends = [_end_of(client) for client in clients]

    assert answer["scan"] == 1
    assert ends == [True] * len(starts)
    assert server.end() == 0


def _end_of(client: socket.socket) -> bool:
    """Return whether the server closes the connection."""
    with client:
        try:
            while client.recv(65_536):
                continue
        except ConnectionResetError:
            return True
        return True


BROKEN = (
    b"GET / HTTP/1.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
    b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
    b"GET / HTTP/1.1\r\nHost : localhost\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 70_000 + b"\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01",
)


def test_a_broken_request_gets_an_error_and_the_connection_ends(serving) -> None:
    """What two servers may read differently is not answered."""
    server = serving()
    answers = [_answer_to(server, request) for request in BROKEN]

    # A connection that is closed with unread data may take the response with it.
    statuses = {answer.partition(b"\r\n")[0][9:12] for answer in answers}
    assert statuses <= {b"400", b"431", b""}
    assert b"400" in statuses


def _answer_to(server: Server, request: bytes) -> bytes:
    """Return all that the server sends before it closes the connection."""
    answer = b""
    with server.connect() as client:
        client.sendall(request)
        try:
            while piece := client.recv(65_536):
                answer += piece
        except ConnectionResetError:
            pass
    return answer


def test_the_server_ends_with_status_0_and_the_dictionary_is_one_file_again(own_retail) -> None:
    """It can be copied then."""
    server = Server(own_retail.url)
    server.get("/api/v1/topics")
    status = server.end()
    server.process.stderr.close()

    assert status == 0
    assert sorted(path.name for path in Path(own_retail.url).parent.iterdir()) == ["retail.db"]


@pytest.mark.parametrize("disk", ["read-only", "full"])
def test_a_disk_that_takes_no_writes_is_read_from(retail, small_disk, fill, disk) -> None:
    """A container may have no other; light and heavy questions are answered."""
    url = small_disk / "retail.db"
    with sqlite3.connect(retail.url) as conn:  # the file of other tests may be in write-ahead mode, which needs room
        conn.execute("VACUUM INTO ?", (str(url),))
    if disk == "full":
        fill(small_disk)
    else:
        subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    server = Server(str(url))
    light, heavy = json.loads(server.get("/api/v1/state")), json.loads(server.get("/api/v1/impact?node=orders"))
    server.end()
    server.process.stderr.close()

    assert light["scan"] == 1
    assert heavy["affected"]


def test_an_address_of_others_without_a_token_is_refused(serving) -> None:
    """The message says what to do."""
    server = serving("--host", "0.0.0.0")

    assert server.process.wait(PATIENCE) == 2
    assert "set SCANNER_TOKEN" in server.said


def test_tls_is_served_with_certificate_files(serving, tmp_path) -> None:
    """A token must not cross the network in the clear."""
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    openssl = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    made = subprocess.run(
        [*openssl, "-keyout", key, "-out", certificate, "-addext", "subjectAltName=IP:127.0.0.1"],
        capture_output=True,
        check=False,
    )
    if made.returncode:
        pytest.skip("needs openssl")
    server = serving("--tls-cert", str(certificate), "--tls-key", str(key))
    context = ssl.create_default_context(cafile=str(certificate))
    with urllib.request.urlopen(f"https://127.0.0.1:{server.port}/ready", timeout=PATIENCE, context=context) as answer:
        assert answer.status == 200
    broken = serving("--tls-cert", str(key), "--tls-key", str(key))

    assert broken.process.wait(PATIENCE) == 2
    assert "--tls-cert" in broken.said


def test_a_missing_dictionary_is_reported_at_the_start(tmp_path) -> None:
    """A typing error in its name must not wait for the first request."""
    notes: list[str] = []
    with pytest.raises(InputInvalid):
        serve(Dictionary(str(tmp_path / "typo.db")), ServerOptions(port=70_000), notify=notes.append)

    assert "typo.db: the dictionary does not exist" in notes[0]


STARTING = """
import asyncio, sys
from scanner_server.running import end_others

async def start():
    await asyncio.create_subprocess_exec(sys.executable, "-c", "input()", stdin=-1, stdout=-1, stderr=-1)

async def serve(steps):
    task = asyncio.create_task(start())
    for _ in range(steps):
        await asyncio.sleep(0)
    await end_others(0.1)

for steps in range(1, 6):
    asyncio.run(serve(steps))
"""


def test_a_process_that_is_being_started_does_not_keep_a_server_from_ending() -> None:
    """The process of a question; by itself, asyncio waits for it without end, and a signal ends nothing."""
    subprocess.run([sys.executable, "-c", STARTING], check=True, timeout=PATIENCE, stderr=subprocess.DEVNULL)
