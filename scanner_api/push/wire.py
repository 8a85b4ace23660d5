"""Sending the calls of a push: many at once, answers in order, refusals told from a catalog that is away."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from scanner_api.push.model import Batch, Call, Json
from scanner_extractor.http.client import Http
from scanner_extractor.http.concurrency import Clock, WorkerPool, map_concurrently
from scanner_extractor.http.messages import Transport
from scanner_extractor.http.responses import server_message
from scanner_extractor.push_targets import push_target
from scanner_extractor.settings.cluster import BearerAuth
from scanner_extractor.settings.push import PushSettings
from scanner_model.errors import (
    NotFound,
    PayloadUnexpected,
    ScannerError,
    ServerFailed,
    SourceObjected,
    SourceRefused,
    SourceUnreachable,
)
from scanner_model.names import SourceId
from scanner_model.payload import Payload, canonical

_WINDOW = 512
"""Answers that are held at once."""
_MOST_DENIED = 20
"""So many calls in a row that were denied, failed or not carried out: it is the server, not the objects."""


class Answer(NamedTuple):
    """The JSON of an answer; None if the resource does not exist.

    *doubt* is why the answer does not show that a write was accepted; None if it does. *ends_later*: the catalog
    finishes the request after its answer.
    """

    body: Json | None
    doubt: PayloadUnexpected | None = None
    ends_later: bool = False


class Wire:
    """Sends calls to one catalog; *exchange* replaces the network in tests."""

    def __init__(
        self, settings: PushSettings, *, exchange: Transport | None = None, clock: Clock | None = None
    ) -> None:
        self._pool = WorkerPool(threads=settings.http.concurrency)
        http = replace(settings.http, follows_redirects=False)  # a page to log in at would look like success
        target = push_target(settings.target)
        if target.login and http.auth is None and exchange is None:
            http = replace(http, auth=BearerAuth(token=target.login()))
        if target.transport and exchange is None:
            exchange = target.transport(settings)
        self._http = Http(http, SourceId(f"push:{settings.target}"), exchange=exchange, clock=clock)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def read(self, calls: Sequence[Call]) -> Iterator[Json | None]:
        """Yield the answer of each call in order, None where nothing is there; raises ScannerError.

        ServerFailed is raised where the server failed for some calls only, and PayloadUnexpected for an answer that
        is not the catalog's.
        """
        for start in range(0, len(calls), _WINDOW):
            answers = self._map(calls[start : start + _WINDOW], self._get)
            errors = [answer for answer in answers if isinstance(answer, ScannerError)]
            if len(errors) > _MOST_DENIED and isinstance(errors[0], ServerFailed):
                raise SourceUnreachable(errors[0].what, where=errors[0].where, hint=errors[0].hint)
            for answer in answers:
                if isinstance(answer, ScannerError):
                    raise answer
                yield answer.body

    def send(self, batches: Sequence[Batch]) -> list[Answer | ScannerError]:
        """Send the calls of each batch in order; return the answer to the last call, or why it was not accepted."""
        return self._map(batches, self._write)

    def _map(self, jobs: Sequence[Call] | Sequence[Batch], call: Callable[..., Answer]) -> list[Answer | ScannerError]:
        return map_concurrently(jobs, call, pool=self._pool)

    def _get(self, call: Call) -> Answer:
        try:
            answer = self._answer(call)
        except NotFound as error:
            if not error.body:
                raise  # not the catalog's own answer: a proxy's, or that of a wrong address
            return Answer(None)
        if answer.doubt:
            raise answer.doubt
        return answer

    def _write(self, batch: Batch) -> Answer:
        """Send the calls of a batch; the answer is in doubt if that of any call is."""
        answer, doubt = Answer(None), None
        for call in batch.calls:
            try:
                answer = self._answer(call)
                doubt = doubt or answer.doubt
            except NotFound as error:
                if call.method != "DELETE" or not error.body:  # what is to be removed is gone already
                    raise
        return answer._replace(doubt=doubt)

    def _answer(self, call: Call) -> Answer:
        body = self._send(call)
        try:
            call.check(Payload(body))
        except PayloadUnexpected as error:
            message = server_message(canonical(body).encode()).message
            what = f"unexpected answer: {error.what}" + (f", it says: {message}" if message else "")
            doubt = PayloadUnexpected(what, where=call.shown, hint="check that `url` is the API of the catalog itself")
            return Answer(body, doubt, call.ends_later)
        return Answer(body, None, call.ends_later)

    def _send(self, call: Call) -> Json:
        return self._http.send(call.method, *call.path, params=call.params, body=call.body, content=call.content)


def is_refusal(error: ScannerError, denied: int) -> bool:
    """Return whether a catalog refused one object, so that others may be sent; *denied* were denied just before."""
    if isinstance(error, SourceRefused | ServerFailed):
        return 0 < denied < _MOST_DENIED
    if isinstance(error, PayloadUnexpected):
        return denied < _MOST_DENIED
    return isinstance(error, SourceObjected | NotFound)
