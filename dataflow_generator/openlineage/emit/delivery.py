"""Events on their way to others: the one module that uses openlineage-python's client, transports and configuration."""

from __future__ import annotations

import socket
import ssl
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from dataflow_generator.openlineage.emit.client_events import ClientLog, typed
from dataflow_generator.openlineage.emit.run_events import Event
from dataflow_generator.openlineage.emit.transports import Transport, copied
from dataflow_generator.openlineage.redaction import clean_text
from scanner_model.errors import InputInvalid, ScannerError, SourceObjected, SourceRefused, SourceUnreachable

Json = Any

WHERE = "openlineage transport"
_EXTRA = "pip install 'kafka-lineage-scanner[openlineage]'"
_OBJECTED = frozenset({400, 413, 422})
"""Answers to one event, after which the next one may be taken."""
_DENIED = frozenset({401, 403})
_ELSEWHERE = frozenset({301, 302, 303})
"""Redirects after which the library asks for a page instead of sending the event again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryResult:
    """How many events were taken, refused, and not sent; *stopped* says why some were not, None where all were.

    *missed* counts by transport of a composite the events that it did not take and another did.
    """

    sent: int = 0
    refused: int = 0
    unsent: int = 0
    missed: Mapping[str, int] = field(default_factory=dict)
    stopped: ScannerError | None = None


class Emitter:
    """Sends events over a transport: *transport*, or the one that the library's own configuration names.

    That is `OPENLINEAGE_CONFIG`, `openlineage.yml` or `OPENLINEAGE__…`. *say* is told the library's warnings, *show*
    the events of a console transport. Raises InputInvalid where the library is not installed, the configuration is
    wrong, or nothing is configured.
    """

    def __init__(
        self, transport: Transport | None, *, say: Callable[[str], object], show: Callable[[str], object]
    ) -> None:
        self._words = ClientLog(say, show)
        self._words.listen()
        self.lost = 0
        try:
            self._client = _client(transport)
        except BaseException:
            self._words.leave()
            raise

    @property
    def kind(self) -> str:
        """Return the transport's kind, as `http`, `file`, `kafka`, `composite` or `noop`."""
        return str(self._client.transport.kind)

    @property
    def missed(self) -> tuple[str, ...]:
        """Name the transports of a composite that did not take the last event while another did."""
        return self._wanted(each.transport for each in self._words.missed)

    def send(self, event: Event) -> None:
        """Send an event; raises SourceObjected where this one is refused, another ScannerError where none gets on."""
        before = self._words.errors
        self._words.clear()
        try:
            self._client.emit(typed(event))
        except _failures() as error:
            raise _failed(error, [each.error for each in self._words.missed]) from error
        if self._words.errors > before:
            raise SourceUnreachable(self._words.last, where=WHERE)

    def leave_out_failed(self) -> tuple[str, ...]:
        """Send no more to the transports of a composite that the last event did not reach; name them."""
        gone = [each.transport for each in self._words.missed if not _is_objection(each.error)]
        for listed in _composites(self._client.transport):
            listed[:] = [each for each in listed if each not in gone]
        return self._wanted(gone)

    def _wanted(self, transports: Iterable[object]) -> tuple[str, ...]:
        """Name *transports*; none where one that takes an event is all that is wanted, and others stand in for it."""
        top = self._client.transport
        is_enough = top.kind == "composite" and not top.config.continue_on_success
        return () if is_enough else tuple(map(_named, transports))

    def close(self) -> None:
        """Wait for what is under way; raises SourceUnreachable where some of it (*lost*) is lost."""
        before = self._words.errors
        try:
            whole = self._client.close()
        except _failures() as error:
            raise _failed(error, ()) from error
        finally:
            self._words.leave()
        self.lost = self._words.errors - before
        if self.lost:
            raise SourceUnreachable(f"{self.lost} events were lost: {self._words.last}", where=WHERE)
        if not whole:
            raise SourceUnreachable("not all events were delivered", where=WHERE)

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()


def deliver(
    events: Iterable[Event], emitter: Emitter, refused: Callable[[Event, ScannerError], object]
) -> DeliveryResult:
    """Send *events* in their order and close; tell *refused* of each that was not taken, and stop where none is.

    A transport of a composite that cannot be reached gets no more of them, and the others do.
    """
    if emitter.kind == "noop":
        emitter.close()
        return DeliveryResult(unsent=sum(1 for _ in events))
    rest = iter(events)
    run = _Delivering(emitter, refused)
    run.send(rest)
    run.close()
    missed = dict(sorted(run.missed.items()))
    return DeliveryResult(sent=run.sent, refused=run.objected, unsent=run.unsent, missed=missed, stopped=run.stopped)


@dataclass(slots=True)
class _Delivering:
    """One delivery, as far as it got."""

    emitter: Emitter
    refused: Callable[[Event, ScannerError], object]
    sent: int = 0
    objected: int = 0
    unsent: int = 0
    missed: Counter[str] = field(default_factory=Counter)
    stopped: ScannerError | None = None
    _left_out: tuple[str, ...] = ()

    def send(self, events: Iterator[Event]) -> None:
        for event in events:
            try:
                self.emitter.send(event)
            except SourceObjected as error:
                self.objected += 1
                self.refused(event, error)
            except ScannerError as error:
                self.stopped = error
                self.unsent = 1 + sum(1 for _ in events)
            else:
                self.sent += 1
                self.missed.update((*self._left_out, *self.emitter.missed))
                self._left_out += self.emitter.leave_out_failed()

    def close(self) -> None:
        try:
            self.emitter.close()
        except ScannerError as error:
            self.stopped = self.stopped or error
            lost = min(self.emitter.lost, self.sent)
            self.sent -= lost
            self.unsent += lost


def _client(transport: Transport | None) -> Any:  # noqa: ANN401 - openlineage.client.OpenLineageClient, which is imported here only
    """Build the library's client; it must not describe our own directory as the source of other people's jobs."""
    try:
        from openlineage.client import OpenLineageClient
    except ImportError as error:
        raise InputInvalid("openlineage-python is not installed", where=WHERE, hint=_EXTRA) from error
    own: dict[str, Json] = {"facets": {"source_code_location": {"disabled": True}}}
    try:
        client = OpenLineageClient(config=own | ({"transport": copied(transport)} if transport else {}))
        told = client.config.transport
        _watch_answers(client.transport)
    except _failures() as error:
        raise InputInvalid(f"cannot be used: {_said(error)}", where=WHERE, hint="look at its settings") from error
    if client.transport.kind == "console" and not told:
        hint = "--url, --file, openlineage.yml, OPENLINEAGE_URL or `openlineage` in cluster.json"
        raise InputInvalid("nothing says where events go", where=WHERE, hint=hint)
    return client


def _watch_answers(transport: Any) -> None:  # noqa: ANN401 - a transport of the library's
    """Have HTTP transports take a page, or the way to one, for no answer: the library takes it for success."""
    inside = [each for listed in _composites(transport) for each in listed]
    for each in (transport, *inside):
        if each.kind == "http":
            each.session.hooks["response"].append(_refuse_page)


def _refuse_page(answer: Any, *_: object, **__: object) -> None:  # noqa: ANN401 - requests.Response
    if answer.is_redirect and answer.status_code in _ELSEWHERE:
        raise RuntimeError(
            f"answers {answer.status_code}, which leads to {answer.headers['Location']}: name that address"
        )
    if answer.ok and answer.headers.get("Content-Type", "").partition(";")[0].strip().lower() == "text/html":
        raise RuntimeError("answers with a web page: is the address that of an OpenLineage endpoint?")


def _composites(transport: Any) -> Iterator[list[Any]]:  # noqa: ANN401 - a transport of the library's
    """Return the lists of transports of a composite and of those inside it."""
    if transport.kind == "composite":
        yield transport.transports
        for each in transport.transports:
            yield from _composites(each)


def _named(transport: object) -> str:
    return str(getattr(transport, "name", None) or getattr(transport, "kind", None) or type(transport).__name__)


def _failures() -> tuple[type[Exception], ...]:
    """List what the library raises; the exceptions of requests are OSErrors."""
    from confluent_kafka import KafkaException

    return OSError, RuntimeError, ValueError, TypeError, KeyError, BufferError, ImportError, KafkaException


def _failed(error: Exception, inside: Iterable[Exception]) -> ScannerError:
    """Report what an error means; a composite's is what its transports' errors (*inside*, or its cause) mean."""
    cause = error.__cause__
    causes = list(inside) or [cause if isinstance(cause, Exception) and _status(cause) else error]
    what = "; ".join(dict.fromkeys(map(_said, causes)))
    statuses = [_status(each) for each in causes]
    if all(status in _OBJECTED for status in statuses):
        return SourceObjected(what, where=WHERE, status=statuses[0])
    if any(status in _DENIED for status in statuses):
        return SourceRefused(what, where=WHERE, hint="look at the token")
    hint = "is it running, and is its address right?" if any(map(_of_network, causes)) else ""
    return SourceUnreachable(what, where=WHERE, hint=hint)


def _is_objection(error: Exception) -> bool:
    return _status(error) in _OBJECTED


def _status(error: Exception) -> int:
    return int(getattr(getattr(error, "response", None), "status_code", None) or 0)


def _said(error: Exception) -> str:
    """Return what an error says, and what its answer says, on one line without secrets."""
    network = _of_network(error)
    if network:
        url = getattr(getattr(error, "request", None), "url", None)
        return clean_text(f"{url}: {network}" if url else network)
    answer = str(getattr(getattr(error, "response", None), "text", "") or "")
    return clean_text(" ".join(f"{error} {answer}".split())[:500]) or type(error).__name__


def _of_network(error: BaseException | None) -> str:
    """Return why a connection failed, behind what libraries made of it; empty for other errors."""
    while error is not None:
        match error:
            case ssl.SSLCertVerificationError(verify_message=why):
                return f"its certificate is not trusted: {why}"
            case ssl.SSLError():
                return "it does not speak TLS on this port"
            case ConnectionError(strerror=str(why)) | socket.gaierror(strerror=str(why)):
                return why.lower()
        inner = getattr(error, "reason", None)
        error = inner if isinstance(inner, BaseException) else error.__cause__ or error.__context__
    return ""
