"""How requests are answered: bounded in number, kept until the next scan, refused where a name is not known."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import anyio
import pytest
import slow_answers
from starlette.requests import Request

from scanner_api.dictionary import Dictionary
from scanner_api.questions.question import Parameter
from scanner_server.answering import Answering
from scanner_server.openapi import BASE
from scanner_server.options import ServerOptions
from scanner_server.workers import Workers


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

    def is_heavy(self, _: object) -> bool:
        return self.heavy


def request_of(receive: Any = None) -> Request:
    """Return a request without parameters whose body *receive* sends."""
    scope = {"type": "http", "method": "GET", "headers": [], "query_string": b"", "path_params": {}}
    return Request(scope, receive) if receive else Request(scope)


def test_what_takes_too_long_is_a_problem_document(retail) -> None:
    """A client that asks for too much is told so; one that met others, or a dictionary that hangs, to come again."""
    may_end = threading.Event()

    def stuck(dictionary: Dictionary) -> None:
        may_end.wait(30)

    options = ServerOptions(heavy=1, heavy_seconds=1, threads=2, seconds=0.5)
    answering = Answering(Workers(retail, options), options)

    async def run() -> list[tuple[int, str, str | None]]:
        asked = (Operation("/spin", slow_answers.spin, heavy=True), Operation("/stuck", stuck))
        answers = [await answering.answer(operation, request_of()) for operation in asked]
        return [(each.status_code, str(each.media_type), each.headers.get("retry-after")) for each in answers]

    answers = anyio.run(run)
    may_end.set()

    assert answers == [(504, "application/problem+json", None), (503, "application/problem+json", "5")]
    assert answering.counts == {("spin", 504): 1, ("stuck", 503): 1}


def test_a_body_that_ends_early_is_an_error_and_not_half_a_proposal(retail) -> None:
    """The client is gone; what it sent must not be checked."""

    async def receive() -> dict[str, str]:
        return {"type": "http.disconnect"}

    def never(dictionary: Dictionary) -> dict[str, int]:
        raise AssertionError("half a body was checked")

    answering = Answering(Workers(retail, ServerOptions()), ServerOptions())
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

    answering = Answering(Workers(retail, ServerOptions()), ServerOptions())
    operation = Operation("/count", count)

    async def run() -> None:
        for _ in range(3):
            await answering.answer(operation, request_of())

    anyio.run(run)

    assert asked == [""]
