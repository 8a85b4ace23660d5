"""Answers requests of operations: off the event loop, kept while the dictionary stays as it is, compressed."""

from __future__ import annotations

import gzip
import json
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import anyio
import anyio.to_thread
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response

from scanner_api.dictionary import Dictionary
from scanner_api.questions.documents import document
from scanner_api.questions.names import state as read_state
from scanner_api.questions.question import Question
from scanner_model.errors import InputInvalid, ScannerError
from scanner_server.api.openapi import read_parameters
from scanner_server.bodies import AT_ONCE, Bodies, BodyRefused
from scanner_server.options import ServerOptions
from scanner_server.problems import error_response, problem

T = TypeVar("T")

_FRESH = 0.5
"""Seconds for which the state of the dictionary is not read again."""

_COMPRESSED_FROM = 1_000
_LEVEL = 5


@dataclass(slots=True)
class Body:
    """The body of an answer, plain and, once asked for, compressed."""

    plain: bytes
    packed: bytes | None = None

    def of(self, headers: Headers) -> tuple[bytes, dict[str, str]]:
        """Return the body as the client accepts it, with its headers."""
        if len(self.plain) < _COMPRESSED_FROM or not accepts_gzip(headers.get("accept-encoding", "")):
            return self.plain, {}
        if self.packed is None:
            self.packed = gzip.compress(self.plain, _LEVEL, mtime=0)
        return self.packed, {"content-encoding": "gzip"}


class AnswerCache:
    """The bodies of answers of one state of the dictionary, the least recently used dropped beyond *largest* bytes."""

    def __init__(self, largest: int) -> None:
        self._largest, self._size, self._tag = largest, 0, ""
        self._bodies: OrderedDict[object, Body] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, tag: str, key: object) -> Body | None:
        """Return a body of the state *tag*; bodies of another state are dropped."""
        with self._lock:
            if tag != self._tag:
                self._bodies.clear()
                self._tag, self._size = tag, 0
            body = self._bodies.get(key)
            if body is not None:
                self._bodies.move_to_end(key)
            return body

    def put(self, tag: str, key: object, body: Body) -> None:
        """Keep a body of the state *tag*."""
        with self._lock:
            # Compressed, a body has at most its size again.
            if tag != self._tag or 2 * len(body.plain) > self._largest // 8:
                return
            self._bodies[key] = body
            self._size += 2 * len(body.plain)
            while self._size > self._largest:
                _, dropped = self._bodies.popitem(last=False)
                self._size -= 2 * len(dropped.plain)


class Answering:
    """Runs operations in a bounded number of threads."""

    def __init__(self, dictionary: Dictionary, options: ServerOptions) -> None:
        self.dictionary = dictionary
        self._light, self._heavy = anyio.CapacityLimiter(options.threads), anyio.CapacityLimiter(options.heavy)
        self._most = options.threads + options.heavy + options.waiting
        self._cache = AnswerCache(options.cache)
        self._bodies = Bodies(options.body)
        # A body that was read waits for a thread: beyond these, requests wait before theirs is read.
        self._posting = anyio.Semaphore(AT_ONCE)
        self._running = 0
        self._state: tuple[float, str] = (float("-inf"), "")
        self.counts: dict[tuple[str, int], int] = {}
        """Answered requests by operation and status."""

    async def run(self, work: Callable[[], T], *, heavy: bool = False) -> T:
        """Run *work* in a thread; what is *heavy* has threads of its own."""
        return await anyio.to_thread.run_sync(work, limiter=self._heavy if heavy else self._light)

    async def answer(self, operation: Question, request: Request) -> Response:
        """Return the response to a request of *operation*."""
        if self._running >= self._most:
            busy = problem(503, "too many requests at once", hint="send it again", headers={"Retry-After": "1"})
            return self._counted(operation, busy)
        self._running += 1
        try:
            respond = self._posted if operation.method == "POST" else self._respond
            return self._counted(operation, await respond(operation, request))
        except ScannerError as error:
            return self._counted(operation, error_response(error))
        except BodyRefused as error:
            return self._counted(operation, error.response)
        finally:
            self._running -= 1

    async def _respond(self, operation: Question, request: Request) -> Response:
        arguments = read_parameters(operation, _parameter_texts(request))
        tag = await self.tag()
        headers = {"etag": f'W/"{tag}"', "vary": "accept-encoding, authorization", "cache-control": "no-cache"}
        if f'W/"{tag}"' in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        key = operation.name, *arguments.values()
        body = self._cache.get(tag, key)
        if body is None:
            body = await self.run(lambda: self._body(operation, arguments), heavy=operation.heavy)
            self._cache.put(tag, key, body)
        content, more = body.of(request.headers)
        return Response(content, headers=headers | more, media_type=operation.media)

    async def _posted(self, operation: Question, request: Request) -> Response:
        """Answer a request whose parameters are the members of its body; the answer is not kept."""
        async with self._posting:
            pieces = await self._bodies.read(request)
            if pieces is None:
                largest = f"send at most {self._bodies.largest:,} bytes"
                return problem(413, "the body is too large", hint=largest, headers={"Connection": "close"})
            arguments = read_parameters(operation, _members(b"".join(pieces)))
            body = await self.run(lambda: self._body(operation, arguments), heavy=operation.heavy)
        content, more = body.of(request.headers)
        headers = {"vary": "accept-encoding, authorization", "cache-control": "no-store"}
        return Response(content, headers=headers | more, media_type=operation.media)

    def _body(self, operation: Question, arguments: dict[str, object]) -> Body:
        result = operation.answer(self.dictionary, **arguments)
        text = result if isinstance(result, str) else json_text(document(result))
        return Body(text.encode("utf-8", "backslashreplace"))

    async def tag(self) -> str:
        """Return what changes with every scan and graph; at most half a second old. Raises DictionaryUnusable."""
        read, tag = self._state
        if time.monotonic() - read > _FRESH:
            tag = (await self.run(lambda: read_state(self.dictionary))).tag
            self._state = time.monotonic(), tag
        return tag

    def _counted(self, operation: Question, response: Response) -> Response:
        key = operation.name, response.status_code
        self.counts[key] = self.counts.get(key, 0) + 1
        return response


def json_text(value: object) -> str:
    """Return *value* as JSON on one line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def accepts_gzip(accepted: str) -> bool:
    """Return whether an Accept-Encoding header allows gzip."""
    for part in accepted.lower().split(","):
        name, _, weight = part.strip().partition(";")
        if name.strip() in ("gzip", "*"):
            return weight.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False


def _parameter_texts(request: Request) -> dict[str, str]:
    """Return the parameters of a request; a name that is sent twice, or in path and query, is refused as unknown."""
    texts: dict[str, str] = {}
    for name, value in request.query_params.multi_items():
        texts[f"{name} (twice)" if name in texts or name in request.path_params else name] = value
    return texts | request.path_params


def _members(body: bytes) -> dict[str, object]:
    """Return the members of a JSON object; raises InputInvalid for anything else."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as error:
        why = error.msg if isinstance(error, json.JSONDecodeError) else "it is not UTF-8, or nests too deeply"
        raise InputInvalid(f"the body is no JSON: {why}", where="body", hint=_EXAMPLE) from error
    if not isinstance(value, dict):
        raise InputInvalid("the body is no JSON object", where="body", hint=_EXAMPLE)
    return value


_EXAMPLE = 'as in {"subject": "orders-value", "text": "..."}'
