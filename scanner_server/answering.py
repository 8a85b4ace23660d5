"""Answers requests of operations: by workers, kept while the dictionary stays as it is, compressed."""

from __future__ import annotations

import gzip
import json
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from starlette.requests import Request
from starlette.responses import Response

from scanner_api.dictionary import Dictionary
from scanner_api.questions.documents import document
from scanner_api.questions.names import state as read_state
from scanner_api.questions.question import Question
from scanner_model.documents.json_input import load_json
from scanner_model.errors import InputInvalid, ScannerError
from scanner_server.bodies import Bodies
from scanner_server.openapi import read_parameters
from scanner_server.options import ServerOptions
from scanner_server.problems import Refused, error_response, problem
from scanner_server.workers import Workers

_FRESH = 0.5
"""Seconds for which the state of the dictionary is not read again."""

_COMPRESSED_FROM = 1_000
_LEVEL = 5


@dataclass(slots=True)
class Body:
    """The body of an answer, plain and, once asked for, compressed."""

    plain: bytes
    packed: bytes | None = None

    def pack(self) -> bytes:
        """Return the body compressed, which is kept."""
        self.packed = gzip.compress(self.plain, _LEVEL, mtime=0)
        return self.packed


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
    """Answers requests of operations with *workers*, and counts them."""

    def __init__(self, workers: Workers, options: ServerOptions) -> None:
        self._workers = workers
        self._cache = AnswerCache(options.cache)
        self._bodies = Bodies(options.body)
        self._state: tuple[float, str] = (float("-inf"), "")
        self.counts: dict[tuple[str, int], int] = {}
        """Answered requests by operation and status."""

    async def answer(self, operation: Question, request: Request) -> Response:
        """Return the response to a request of *operation*."""
        respond = self._posted if operation.method == "POST" else self._respond
        try:
            response = await respond(operation, request)
        except ScannerError as error:
            response = error_response(error)
        except Refused as error:
            response = error.response
        key = operation.name, response.status_code
        self.counts[key] = self.counts.get(key, 0) + 1
        return response

    async def _respond(self, operation: Question, request: Request) -> Response:
        arguments = read_parameters(operation, _parameter_texts(request))
        tag = await self.tag()
        headers = {"etag": f'W/"{tag}"', "vary": "accept-encoding, authorization", "cache-control": "no-cache"}
        if f'W/"{tag}"' in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        key = operation.name, *arguments.values()
        body = self._cache.get(tag, key)
        if body is None:
            body = await self._body(operation, arguments)
            self._cache.put(tag, key, body)
        return await self._response(body, operation, request, headers)

    async def _posted(self, operation: Question, request: Request) -> Response:
        """Answer a request whose parameters are the members of its body; the answer is not kept."""
        pieces = await self._bodies.read(request)
        if pieces is None:
            largest = f"send at most {self._bodies.largest:,} bytes"
            return problem(413, "the body is too large", hint=largest, headers={"Connection": "close"})
        body = await self._body(operation, read_parameters(operation, _members(b"".join(pieces))))
        headers = {"vary": "accept-encoding, authorization", "cache-control": "no-store"}
        return await self._response(body, operation, request, headers)

    async def _body(self, operation: Question, arguments: dict[str, object]) -> Body:
        call = {"answer": operation.answer, "arguments": arguments}
        return Body(await self._workers.run(rendered, call, heavy=operation.is_heavy(arguments)))

    async def _response(self, body: Body, operation: Question, request: Request, headers: dict[str, str]) -> Response:
        """Return *body*, compressed where the client accepts it, which happens in a thread as it may take a while."""
        content, more = body.plain, dict[str, str]()
        if len(content) >= _COMPRESSED_FROM and accepts_gzip(request.headers.get("accept-encoding", "")):
            content = body.packed if body.packed is not None else await self._workers.in_thread(body.pack)
            more = {"content-encoding": "gzip"}
        return Response(content, headers=headers | more, media_type=operation.media)

    async def tag(self) -> str:
        """Return what changes with every scan and graph; at most half a second old. Raises DictionaryUnusable."""
        read, tag = self._state
        if time.monotonic() - read > _FRESH:
            state = await self._workers.run(read_state, {}, heavy=False)
            # The day: parameters such as `last week` mean another one tomorrow.
            tag = f"{state.tag}.{datetime.now(UTC):%j}"
            self._state = time.monotonic(), tag
        return tag


def rendered(dictionary: Dictionary, *, answer: Callable[..., object], arguments: dict[str, object]) -> bytes:
    """Return the body of what *answer* returns: text as it is, all else as JSON."""
    result = answer(dictionary, **arguments)
    text = result if isinstance(result, str) else json_text(document(result))
    return text.encode("utf-8", "backslashreplace")


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
        loaded = load_json(body)
    except (ValueError, RecursionError) as error:
        why = error.msg if isinstance(error, json.JSONDecodeError) else "it is not UTF-8, or nests too deeply"
        raise InputInvalid(f"invalid JSON in the body: {why}", where="body", hint=_EXAMPLE) from error
    if not isinstance(loaded.value, dict):
        raise InputInvalid("the body is not a JSON object", where="body", hint=_EXAMPLE)
    if loaded.replaced:
        raise InputInvalid("a text in the body holds NUL or is not UTF-8", where="body", hint=_EXAMPLE)
    if loaded.repeats:
        raise InputInvalid("an object in the body has a member twice", where="body", hint=_EXAMPLE)
    return loaded.value


_EXAMPLE = 'as in {"subject": "orders-value", "text": "..."}'
