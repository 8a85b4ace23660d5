"""A source that is dead, however it died, is given up within 20 seconds: the settings that bound the wait."""

from __future__ import annotations

import socket
from dataclasses import replace

import pytest
from urllib3.exceptions import ConnectTimeoutError, MaxRetryError

from scanner_extractor.http.client import Http
from scanner_extractor.http.concurrency import Clock, Outage, Rate
from scanner_extractor.http.transport import CONNECT_RETRIES, RETRIES, SourceRetry
from scanner_extractor.scan.runner import DOWN_DEADLINE
from scanner_extractor.settings.cluster import HttpSettings, KafkaSettings
from scanner_model.errors import SourceUnreachable
from scanner_model.names import SourceId

LIMIT = 20.0


def _longest(pauses: list[float]) -> Clock:
    """Return a clock that records its pauses, which are as long as they can be."""
    return Clock(pause=pauses.append, draw=lambda _, high: high)


def test_refused_connection_waits_no_longer_than_the_limit() -> None:
    """A server that was killed: nothing listens on its port."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    pauses: list[float] = []
    settings = HttpSettings(url=f"http://127.0.0.1:{port}")

    with pytest.raises(SourceUnreachable), Http(settings, SourceId("s"), clock=_longest(pauses)) as http:
        http.get("x")

    assert len(pauses) == RETRIES
    assert sum(pauses) <= LIMIT


def test_source_that_dies_in_the_middle_waits_no_longer_than_the_limit_for_all_its_requests() -> None:
    """What the reader asks for next would wait as long again, and so on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    pauses: list[float] = []
    clock = replace(_longest(pauses), now=lambda: sum(pauses))

    with Http(HttpSettings(url=f"http://127.0.0.1:{port}"), SourceId("s"), clock=clock) as http:
        for _ in range(20):
            with pytest.raises(SourceUnreachable):
                http.get("x")

    assert sum(pauses) <= LIMIT


def test_connection_that_nobody_answers_waits_no_longer_than_the_limit() -> None:
    """A machine that is gone: each try costs the whole timeout of a connection."""
    pauses: list[float] = []
    clock = _longest(pauses)
    retry = SourceRetry(rate=Rate(None, clock), outage=Outage(clock), clock=clock, total=RETRIES)
    failure = ConnectTimeoutError("no answer")
    for _ in range(CONNECT_RETRIES):
        retry = retry.increment("GET", "/x", error=failure)
        retry.sleep()

    with pytest.raises(MaxRetryError):
        retry.increment("GET", "/x", error=failure)
    tries = 1 + len(pauses)
    assert tries * HttpSettings(url="http://gone").connect_timeout + sum(pauses) <= LIMIT


def test_brokers_that_do_not_answer_and_what_needs_them_are_given_up_within_the_limit() -> None:
    """librdkafka would go on for ever."""
    assert KafkaSettings(brokers=("gone:9092",)).timeout <= LIMIT
    assert DOWN_DEADLINE <= LIMIT
