"""Deliver events through openlineage-python: its client, transports and configuration are used here only."""

from __future__ import annotations

import logging
import socket
import ssl
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self
from urllib.parse import urlsplit

from confluent_kafka import KafkaException

from dataflow_generator.openlineage.emit.run_events import Event
from dataflow_generator.openlineage.redaction import clean_text
from scanner_model.errors import InputInvalid, ScannerError, SourceObjected, SourceRefused, SourceUnreachable
from scanner_model.plugins import require

Json = Any
Transport = Mapping[str, Json]
"""The settings of a transport for openlineage-python: `{"type": "http", "url": …}`."""

_NO_AUTH = {"type": "openlineage.client.transport.http.TokenProvider"}
"""No credentials."""


def http_transport(url: str, token: str = "") -> Transport:
    """Return the settings for *url*, which may include the endpoint; *token* is sent as a bearer token."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputInvalid(f"{clean_text(url)!r} is not an http address", where="--url", hint="as in http://host:5000")
    endpoint = {"endpoint": parts.path.strip("/")} if parts.path.strip("/") else {}
    auth = {"type": "api_key", "apiKey": token} if token else _NO_AUTH
    # The library would merge a dict with its own configuration, which may have credentials of another server.
    own = {"auth": MappingProxyType(auth), "custom_headers": MappingProxyType({})}
    return {"type": "http", "url": f"{parts.scheme}://{parts.netloc}", **endpoint, **own}


def file_transport(file: Path) -> Transport:
    """Return the settings of a transport that appends lines to *file*."""
    return {"type": "file", "log_file_path": str(file), "append": True}


def copied(settings: Json) -> Json:
    """Return a deep copy of *settings*, because the library removes members from its argument."""
    match settings:
        case dict():
            return {name: copied(setting) for name, setting in settings.items()}
        case list() | tuple():
            return [copied(setting) for setting in settings]
        case _:
            return settings


def typed(event: Event) -> Any:  # noqa: ANN401 - of openlineage-python, which is an extra
    """Return *event* as the library's RunEvent, JobEvent or DatasetEvent."""
    event_v2 = _library("event_v2")
    named = {"eventTime": event["eventTime"], "producer": event["producer"]}
    if "dataset" in event:
        return event_v2.DatasetEvent(**named, dataset=event_v2.StaticDataset(**event["dataset"]))
    job = event_v2.Job(**event["job"] | {"facets": _facets(event["job"]["facets"])})
    inputs = [event_v2.InputDataset(**dataset) for dataset in event["inputs"]]
    outputs = [event_v2.OutputDataset(**dataset) for dataset in event["outputs"]]
    if "run" not in event:
        return event_v2.JobEvent(**named, job=job, inputs=inputs, outputs=outputs)
    run = event_v2.Run(runId=event["run"]["runId"], facets=dict(event["run"]["facets"]))
    state = event_v2.RunState(event["eventType"])
    return event_v2.RunEvent(**named, eventType=state, run=run, job=job, inputs=inputs, outputs=outputs)


def _facets(facets: Mapping[str, Json]) -> dict[str, Json]:
    """Return a job's facets; tags as the library's type, because it adds those of its own configuration."""
    if "tags" not in facets:
        return dict(facets)
    tags_job = _library("facet_v2").tags_job
    tags = facets["tags"]
    fields = [tags_job.TagsJobFacetFields(**tag) for tag in tags["tags"]]
    return dict(facets) | {"tags": tags_job.TagsJobFacet(tags=fields, producer=tags["_producer"])}


_LIBRARY = "openlineage"
_CONSOLE = "openlineage.client.transport.console"
_COMPOSITE = "openlineage.client.transport.composite"


class ClientLog(logging.Handler):
    """Handles the library's log: *show* gets the events of its console transport, *notify* each warning once.

    *errors* counts records of level ERROR, *last* is the latest warning or error; *missed* are the transports of a
    composite that failed while others succeeded, each with its error, until `clear`.
    """

    def __init__(self, notify: Callable[[str], object], show: Callable[[str], object]) -> None:
        super().__init__(logging.INFO)
        self._notify, self._show = notify, show
        self.errors = 0
        self.last = ""
        self.missed: list[tuple[object, Exception]] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Handle one log record."""
        text = record.getMessage()
        if record.name == _CONSOLE and record.levelno == logging.INFO:
            self._show(text)
        elif record.levelno >= logging.WARNING:
            self.errors += record.levelno >= logging.ERROR
            self._note(record)
            message = clean_text(" ".join(text.split()))
            if message != self.last:
                self._notify(message)
            self.last = message

    def clear(self) -> None:
        """Reset the failed transports."""
        self.missed = []

    def attach(self) -> None:
        """Add this handler to the library's logger, as the only one."""
        library = logging.getLogger(_LIBRARY)
        library.addHandler(self)
        library.propagate = False
        logging.getLogger(_CONSOLE).setLevel(logging.INFO)

    def detach(self) -> None:
        """Remove this handler."""
        logging.getLogger(_LIBRARY).removeHandler(self)

    def _note(self, record: logging.LogRecord) -> None:
        match record.args:
            case (transport, Exception() as error) if record.name.startswith(_COMPOSITE):
                self.missed.append((transport, error))


WHERE = "openlineage transport"
_FAILURES = (OSError, RuntimeError, ValueError, TypeError, KeyError, BufferError, ImportError, KafkaException)
"""The exceptions that the library raises; those of requests are OSErrors."""
_OBJECTED = frozenset({400, 413, 422})
"""Statuses that reject one event, while the next one may be accepted."""
_DENIED = frozenset({401, 403})
_ELSEWHERE = frozenset({301, 302, 303})
"""Redirects after which the library sends a GET instead of the event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryResult:
    """How many events were accepted, refused and not sent; *stopped* is why some were not sent, None where all were.

    *missed* counts, by transport of a composite, the events that it did not deliver while another did.
    """

    sent: int = 0
    refused: int = 0
    unsent: int = 0
    missed: Mapping[str, int] = field(default_factory=dict)
    stopped: ScannerError | None = None


class Emitter:
    """Sends events over *transport*, or over the one in the library's own configuration.

    That is `OPENLINEAGE_CONFIG`, `openlineage.yml` or `OPENLINEAGE__…`. *notify* gets the library's warnings, *show*
    the events of a console transport. Raises InputInvalid where the library is not installed, the configuration is
    invalid, or nothing is configured.
    """

    def __init__(
        self, transport: Transport | None, *, notify: Callable[[str], object], show: Callable[[str], object]
    ) -> None:
        self._log = ClientLog(notify, show)
        self._log.attach()
        self.lost = 0
        try:
            self._client = _client(transport)
        except BaseException:  # raised again: Ctrl-C, too, must not leave the log attached
            self._log.detach()
            raise

    @property
    def kind(self) -> str:
        """Return the kind of the transport, such as `http`, `file`, `kafka`, `composite` or `noop`."""
        return str(self._client.transport.kind)

    @property
    def missed(self) -> tuple[str, ...]:
        """Return the transports of a composite that did not deliver the last event while another did."""
        return self._failed_transports(transport for transport, _ in self._log.missed)

    def send(self, event: Event) -> None:
        """Send an event; raises SourceObjected where it is refused, another ScannerError for an unavailable target."""
        before = self._log.errors
        self._log.clear()
        try:
            self._client.emit(typed(event))
        except _FAILURES as error:
            raise _failed(error, [missed for _, missed in self._log.missed]) from error
        if self._log.errors > before:
            raise SourceUnreachable(self._log.last, where=WHERE)

    def disable_failed(self) -> tuple[str, ...]:
        """Disable the transports of a composite that the last event did not reach, and return their names."""
        failed = [transport for transport, missed in self._log.missed if not _is_objection(missed)]
        for listed in _composites(self._client.transport):
            listed[:] = [transport for transport in listed if transport not in failed]
        return self._failed_transports(failed)

    def _failed_transports(self, transports: Iterable[object]) -> tuple[str, ...]:
        """Return the names of *transports*; empty where a single successful transport is sufficient."""
        top = self._client.transport
        is_enough = top.kind == "composite" and not top.config.continue_on_success
        return () if is_enough else tuple(map(_named, transports))

    def close(self) -> None:
        """Wait for pending events; raises SourceUnreachable where some of them (*lost*) were lost."""
        before = self._log.errors
        try:
            all_delivered = self._client.close()
        except _FAILURES as error:
            raise _failed(error, ()) from error
        finally:
            self._log.detach()
        self.lost = self._log.errors - before
        if self.lost:
            raise SourceUnreachable(f"{self.lost} events were lost: {self._log.last}", where=WHERE)
        if not all_delivered:
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
    """Send *events* in order and close; call *refused* for each that was rejected, and stop if none can be sent.

    A transport of a composite that cannot be reached gets no further events; the others do.
    """
    if emitter.kind == "noop":
        emitter.close()
        return DeliveryResult(unsent=sum(1 for _ in events))
    rest = iter(events)
    run = _Delivery(emitter, refused)
    run.send(rest)
    run.close()
    missed = dict(sorted(run.missed.items()))
    return DeliveryResult(sent=run.sent, refused=run.objected, unsent=run.unsent, missed=missed, stopped=run.stopped)


@dataclass(slots=True)
class _Delivery:
    """The state of one delivery."""

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
                self._left_out += self.emitter.disable_failed()

    def close(self) -> None:
        try:
            self.emitter.close()
        except ScannerError as error:
            self.stopped = self.stopped or error
            lost = min(self.emitter.lost, self.sent)
            self.sent -= lost
            self.unsent += lost


def _library(module: str) -> Any:  # noqa: ANN401 - a module of openlineage-python, which is an extra
    """Import a module of the client library; raises InputInvalid where it is not installed."""
    what = "openlineage-python is not installed"
    return require(f"openlineage.client.{module}", what, extra="openlineage", where=WHERE)


def _client(transport: Transport | None) -> Any:  # noqa: ANN401 - openlineage.client.OpenLineageClient, which is imported here only
    """Build the library's client; it must not report our working directory as the source of the jobs."""
    own: dict[str, Json] = {"facets": {"source_code_location": {"disabled": True}}}
    client_type = _library("client").OpenLineageClient
    try:
        client = client_type(config=own | ({"transport": copied(transport)} if transport else {}))
        configured = client.config.transport
        _check_responses(client.transport)
    except _FAILURES as error:
        raise InputInvalid(f"cannot be used: {_message(error)}", where=WHERE, hint="check its settings") from error
    if client.transport.kind == "console" and not configured:
        hint = "--url, --file, openlineage.yml, OPENLINEAGE_URL or `openlineage` in cluster.json"
        raise InputInvalid("no transport is configured", where=WHERE, hint=hint)
    return client


def _check_responses(transport: Any) -> None:  # noqa: ANN401 - a transport of the library's
    """Make HTTP transports reject web pages and redirects to one, which the library treats as success."""
    inside = [inner for listed in _composites(transport) for inner in listed]
    for inner in (transport, *inside):
        if inner.kind == "http":
            inner.session.hooks["response"].append(_refuse_page)


def _refuse_page(response: Any, *_: object, **__: object) -> None:  # noqa: ANN401 - requests.Response
    if response.is_redirect and response.status_code in _ELSEWHERE:
        raise RuntimeError(
            f"status {response.status_code} redirects to {response.headers['Location']}: use that address"
        )
    if response.ok and response.headers.get("Content-Type", "").partition(";")[0].strip().lower() == "text/html":
        raise RuntimeError("the response is a web page: is the address that of an OpenLineage endpoint?")


def _composites(transport: Any) -> Iterator[list[Any]]:  # noqa: ANN401 - a transport of the library's
    """Yield the transport lists of a composite and of the composites inside it."""
    if transport.kind == "composite":
        yield transport.transports
        for inner in transport.transports:
            yield from _composites(inner)


def _named(transport: object) -> str:
    return str(getattr(transport, "name", None) or getattr(transport, "kind", None) or type(transport).__name__)


def _failed(error: Exception, inside: Iterable[Exception]) -> ScannerError:
    """Return the ScannerError for an exception; for a composite, that of its transports' (*inside*, or the cause)."""
    cause = error.__cause__
    causes = list(inside) or [cause if isinstance(cause, Exception) and _status(cause) else error]
    what = "; ".join(dict.fromkeys(map(_message, causes)))
    statuses = [_status(cause) for cause in causes]
    if all(status in _OBJECTED for status in statuses):
        return SourceObjected(what, where=WHERE, status=statuses[0])
    if any(status in _DENIED for status in statuses):
        return SourceRefused(what, where=WHERE, hint="check the token")
    hint = "is it running, and is its address right?" if any(map(_of_network, causes)) else ""
    return SourceUnreachable(what, where=WHERE, hint=hint)


def _is_objection(error: Exception) -> bool:
    return _status(error) in _OBJECTED


def _status(error: Exception) -> int:
    return int(getattr(getattr(error, "response", None), "status_code", None) or 0)


def _message(error: Exception) -> str:
    """Return the message of an error, with the text of its response, on one line and redacted."""
    network = _of_network(error)
    if network:
        url = getattr(getattr(error, "request", None), "url", None)
        return clean_text(f"{url}: {network}" if url else network)
    body = str(getattr(getattr(error, "response", None), "text", "") or "")
    return clean_text(" ".join(f"{error} {body}".split())[:500]) or type(error).__name__


def _of_network(error: BaseException | None) -> str:
    """Return the root cause of a failed connection; empty for other errors."""
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
