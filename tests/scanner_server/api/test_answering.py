"""How requests are answered: bounded in number, kept until the next scan, refused where a name is not known."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import anyio
import pytest
from starlette.requests import Request

from scanner_api.dictionary import Dictionary
from scanner_api.questions.question import Parameter
from scanner_server.api.answering import Answering
from scanner_server.api.openapi import BASE
from scanner_server.options import ServerOptions


@pytest.mark.parametrize(
    ("path", "nearest"),
    [
        ("topics?cluster=retial", "'retail'"),
        ("schemas?cluster=retial", "'retail'"),
        ("columns?name=id&cluster=retial", "'retail'"),
        ("connectors?cluster=retial", "'retail'"),
        ("statements?cluster=retial", "'retail'"),
        ("tables?cluster=retial", "'retail'"),
        ("findings?cluster=retial", "'retail'"),
        ("sources?cluster=retial", "'retail'"),
        ("scans?cluster=retial", "'retail'"),
        ("search?q=o&cluster=retial", "'retail'"),
        ("clusters/retial/topics/orders", "'retail'"),
        ("clusters/retail/topics/orderz/schemas", "'orders'"),
        ("clusters/retail/topics/orders/schemas?subject=orders-valeu", "'orders-value'"),
        ("scans/7/sources", "1"),
        ("scans/7/problems", "1"),
        ("lineage?node=orderz", "'orders'"),
        ("paths?from=orders&to=analitics", "'analytics'"),
        ("impact?node=orderz", "'orders'"),
        ("impact.csv?node=orderz", "'orders'"),
        ("history?node=orderz", "'orders'"),
        ("may-delete?topic=orders&cluster=retial", "'retail'"),
    ],
)
def test_a_name_that_is_not_known_is_404_with_the_nearest(session_client, path, nearest) -> None:
    """Wherever a name is a parameter."""
    answer = session_client.get(f"{BASE}/{path}")

    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")
    assert nearest in answer.json()["hint"]


@dataclass(frozen=True)
class Operation:
    """A question of a test, with a function of its own."""

    path: str
    answer: Callable[..., Any]
    method: str = "GET"
    heavy: bool = False
    media: str = "application/json"
    page: int = 100

    @property
    def name(self) -> str:
        return self.answer.__name__


def request_of(receive: Any = None) -> Request:
    """Return a request without parameters whose body *receive* sends."""
    scope = {"type": "http", "method": "GET", "headers": [], "query_string": b"", "path_params": {}}
    return Request(scope, receive) if receive else Request(scope)


def test_beyond_the_waiting_requests_others_are_refused_for_now(retail) -> None:
    """A queue without end would be answered after its clients have left."""
    may_end = threading.Event()

    def slow(dictionary: Dictionary) -> dict[str, int]:
        may_end.wait(30)
        return {}

    answering = Answering(retail, ServerOptions(threads=1, heavy=1, waiting=0))
    operation = Operation("/slow", slow)
    statuses: list[tuple[int, str | None]] = []

    async def ask() -> None:
        answer = await answering.answer(operation, request_of())
        statuses.append((answer.status_code, answer.headers.get("retry-after")))
        may_end.set()

    async def run() -> None:
        async with anyio.create_task_group() as group:
            for _ in range(3):
                group.start_soon(ask)

    anyio.run(run)

    assert statuses == [(503, "1"), (200, None), (200, None)]
    assert answering.counts == {("slow", 503): 1, ("slow", 200): 2}


def test_requests_that_take_long_hold_up_no_others(retail) -> None:
    """Two comparisons of large scans must not stop the search."""
    may_end = threading.Event()

    def slow(dictionary: Dictionary) -> dict[str, int]:
        may_end.wait(30)
        return {}

    def quick(dictionary: Dictionary) -> dict[str, int]:
        return {}

    answering = Answering(retail, ServerOptions(threads=1, heavy=1))
    ended: list[str] = []

    async def ask(operation: Operation) -> None:
        await answering.answer(operation, request_of())
        ended.append(operation.name)
        may_end.set()

    async def run() -> None:
        async with anyio.create_task_group() as group:
            for operation in (Operation("/a", slow, heavy=True), Operation("/b", slow, heavy=True)):
                group.start_soon(ask, operation)
            group.start_soon(ask, Operation("/c", quick))

    anyio.run(run)

    assert ended == ["quick", "slow", "slow"]


def test_a_body_that_ends_early_is_an_error_and_not_half_a_proposal(retail) -> None:
    """The client is gone; what it sent must not be checked."""

    async def receive() -> dict[str, str]:
        return {"type": "http.disconnect"}

    def never(dictionary: Dictionary) -> dict[str, int]:
        raise AssertionError("half a body was checked")

    answering = Answering(retail, ServerOptions())
    operation = Operation("/never", never, method="POST")

    async def run() -> int:
        return (await answering.answer(operation, request_of(receive))).status_code

    assert anyio.run(run) == 400


def test_answers_are_kept_until_the_dictionary_changes(retail) -> None:
    """Many clients ask the same: it is worked out once."""
    asked: list[str] = []

    def count(dictionary: Dictionary, *, q: Annotated[str, Parameter("A word.")] = "") -> dict[str, int]:
        asked.append(q)
        return {}

    answering = Answering(retail, ServerOptions())
    operation = Operation("/count", count)

    async def run() -> None:
        for _ in range(3):
            await answering.answer(operation, request_of())

    anyio.run(run)

    assert asked == [""]
