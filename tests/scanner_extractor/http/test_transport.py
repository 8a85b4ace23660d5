"""Retries of one source: which connections they keep, what they read, and what they leave to the caller."""

from __future__ import annotations

import contextlib
import io
import queue
import socket
import threading
import time

import pytest
import urllib3
from urllib3.exceptions import MaxRetryError, ProtocolError, SSLError

from scanner_extractor.http.client import Http
from scanner_extractor.http.concurrency import Clock, Outage, Rate
from scanner_extractor.http.transport import RETRIES, SourceRetry
from scanner_extractor.settings.cluster import HttpSettings
from scanner_model.errors import PayloadUnexpected, SourceObjected, SourceUnreachable
from scanner_model.names import SourceId

pytestmark = pytest.mark.slow


@pytest.fixture
def retry(pauses):
    """Retries that note how long they would wait."""
    clock = pauses.clock()
    return SourceRetry(rate=Rate(None, clock), outage=Outage(clock), clock=clock, total=RETRIES, allowed_methods=None)


def busy(size: int, announced: int | None) -> urllib3.HTTPResponse:
    headers = {} if announced is None else {"Content-Length": str(announced)}
    return urllib3.HTTPResponse(body=io.BytesIO(b"x" * size), headers=headers, status=503, preload_content=False)


@pytest.mark.parametrize(
    ("announced", "is_read"), [(20, True), (100_000_000, False), (None, False)], ids=["small", "large", "unknown"]
)
def test_body_of_an_answer_that_is_retried_is_read_only_where_it_is_small(retry, announced, is_read):
    """A connection is cheaper than a body without end, which urllib3 would keep in memory."""
    response = busy(20, announced)

    retry.increment("GET", "/x", response=response)

    assert response.closed is not is_read


def test_large_body_of_an_answer_that_is_retried_keeps_no_connection(serve, reply, open_http):
    """With one connection a leaked one would be waited for without end."""
    answers = [reply(status=503, body=b"x" * 200_000)] * 3 + [reply(body=b"[1]")]

    assert open_http(serve(lambda seen: answers.pop(0)), concurrency=1).get("x") == [1]


def test_last_answer_is_left_to_the_caller_whole(serve, reply, open_http):
    """It holds the server's reason, however long."""
    http = open_http(serve(lambda seen: reply(status=503, body=b'{"message": "' + b"busy " * 20_000 + b'"}')))

    with pytest.raises(Exception, match="busy busy"):
        http.get("x")
    assert http.requests == RETRIES + 1


def test_error_that_no_retry_repairs_is_raised_at_once(retry):
    """A certificate does not become valid in seven seconds."""
    with pytest.raises(SSLError):
        retry.increment("GET", "/x", error=SSLError("expired"))


def test_retries_end(retry, pauses):
    """Each waits for its own back-off, and takes a turn of the rate limit."""
    for _ in range(RETRIES):
        retry = retry.increment("GET", "/x", error=ProtocolError("reset"))
        retry.sleep()

    with pytest.raises(MaxRetryError):
        retry.increment("GET", "/x", error=ProtocolError("reset"))
    assert pauses.waits == [1, 2, 4]


def test_source_that_answers_again_is_retried_again(serve, reply):
    """Requests without an answer share the time of retries; an answer gives it back."""
    dead, pauses = [True], []
    clock = Clock(now=lambda: sum(pauses), pause=pauses.append, draw=lambda _, high: high)
    url = serve(lambda seen: reply(raw=b"") if dead else reply(body=b"[1]"))

    with Http(HttpSettings(url=url), SourceId("s"), clock=clock) as http:
        for _ in range(5):
            with pytest.raises(SourceUnreachable):
                http.get("x")
        exhausted = len(pauses)
        dead.clear()
        assert http.get("x") == [1]
        dead.append(True)
        with pytest.raises(SourceUnreachable):
            http.get("x")

    assert exhausted <= 2 * RETRIES
    assert len(pauses) == exhausted + RETRIES


def test_back_off_is_random_from_zero_on():
    """Full jitter: clients that failed together do not return together."""
    bounds = []
    clock = Clock(draw=lambda low, high: bounds.append((low, high)) or low, pause=lambda _: None)
    retry = SourceRetry(rate=Rate(None, clock), outage=Outage(clock), clock=clock, total=RETRIES)
    for _ in range(RETRIES):
        retry = retry.increment("GET", "/x", error=ProtocolError("reset"))
        retry.sleep()

    assert bounds == [(0.0, 1.0), (0.0, 2.0), (0.0, 4.0)]


def test_other_statuses_are_no_reason_to_retry(serve, reply, open_http):
    """A request that is too large stays so, whatever the server says of later."""
    http = open_http(serve(lambda seen: reply(status=413, headers={"Retry-After": "1"})))

    with pytest.raises(SourceObjected):
        http.get("x")
    assert http.requests == 1


def test_cookies_are_neither_kept_nor_sent(serve, reply, open_http):
    """A scan has no session that a server could tie it to."""
    seen = []
    headers = {"Content-Type": "application/json", "Set-Cookie": "a=b; Path=/"}
    http = open_http(serve(lambda request: seen.append("cookie" in request.headers) or reply(headers=headers)))

    http.get("x")
    http.get("x")

    assert seen == [False, False]


def test_body_that_keeps_arriving_is_given_up(open_http):
    """Each byte comes within the read timeout, and the last one never does."""

    def drip():
        with socket.create_server(("127.0.0.1", 0)) as server:
            ports.put(server.getsockname()[1])
            connection, _ = server.accept()
            with connection, contextlib.suppress(OSError):
                connection.recv(65536)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
                while True:
                    connection.sendall(b" ")
                    time.sleep(0.05)

    ports = queue.Queue()
    threading.Thread(target=drip, daemon=True).start()
    http = open_http(f"http://127.0.0.1:{ports.get()}", read_timeout=0.3)

    with pytest.raises(PayloadUnexpected, match="not complete after 3 seconds"):
        http.get("x")
