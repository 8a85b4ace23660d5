"""Events on their way to others: the one module that uses openlineage-python, its transports and its configuration."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from dataflow_generator.openlineage.door import clean_text
from dataflow_generator.openlineage.run_events import Event
from scanner_model.errors import InputInvalid, ScannerError, SourceObjected, SourceRefused, SourceUnreachable

if TYPE_CHECKING:
    from openlineage.client.event_v2 import DatasetEvent, JobEvent, RunEvent

Json = Any
Transport = Mapping[str, Json]
"""A transport's settings as openlineage-python takes them: `{"type": "http", "url": …}`."""

WHERE = "openlineage transport"
_EXTRA = "pip install 'scanner[openlineage]'"
_LIBRARY = "openlineage"
_CONSOLE = "openlineage.client.transport.console"
_LEVELS_SAID = logging.WARNING
_OBJECTED = frozenset({400, 413, 422})
"""Answers to one event, after which the next one may be taken."""
_DENIED = frozenset({401, 403})


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivered:
    """How many events were taken and refused; *stopped* says why the rest was not sent, None where all were."""

    sent: int = 0
    refused: int = 0
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
        self._words = _Words(say, show)
        self._words.listen()
        try:
            self._client = _client(transport)
        except BaseException:
            self._words.leave()
            raise

    @property
    def kind(self) -> str:
        """Give the transport's kind, as `http`, `file`, `kafka`, `composite` or `noop`."""
        return str(self._client.transport.kind)

    def send(self, event: Event) -> None:
        """Send an event; raises SourceObjected where this one is refused, another ScannerError where none gets on."""
        before = self._words.errors
        try:
            self._client.emit(_typed(event))
        except _failures() as error:
            raise _failed(error) from error
        if self._words.errors > before:
            raise SourceUnreachable(self._words.last, where=WHERE)

    def close(self) -> None:
        """Wait for what is under way; raises SourceUnreachable where some of it is lost."""
        try:
            if not self._client.close():
                raise SourceUnreachable("not all events were delivered", where=WHERE)
        except _failures() as error:
            raise _failed(error) from error
        finally:
            self._words.leave()

    def __enter__(self) -> Self:
        """Give itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()


def deliver(events: Iterable[Event], emitter: Emitter, refused: Callable[[Event, ScannerError], object]) -> Delivered:
    """Send *events* in their order and close; tell *refused* of each that was not taken, and stop where none is."""
    sent = objected = 0
    stopped: ScannerError | None = None
    for event in events:
        try:
            emitter.send(event)
            sent += 1
        except SourceObjected as error:
            objected += 1
            refused(event, error)
        except ScannerError as error:
            stopped = error
            break
    try:
        emitter.close()
    except ScannerError as error:
        stopped = stopped or error
    return Delivered(sent=sent, refused=objected, stopped=stopped)


def http_transport(url: str, token: str = "") -> Transport:
    """Give the settings for *url*, which may name the endpoint, too; *token* is sent as a Bearer's."""
    from urllib.parse import urlsplit

    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputInvalid(f"{clean_text(url)!r} is no http address", where="--url", hint="as in http://host:5000")
    endpoint = {"endpoint": parts.path.strip("/")} if parts.path.strip("/") else {}
    auth = {"auth": {"type": "api_key", "apiKey": token}} if token else {}
    return {"type": "http", "url": f"{parts.scheme}://{parts.netloc}", **endpoint, **auth}


class _Words(logging.Handler):
    """Hears what the library says: events of its console, warnings, and failures that it tells in no other way."""

    def __init__(self, say: Callable[[str], object], show: Callable[[str], object]) -> None:
        super().__init__(logging.INFO)
        self._say, self._show = say, show
        self.errors = 0
        self.last = ""

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if record.name == _CONSOLE and record.levelno == logging.INFO:
            self._show(text)
        elif record.levelno >= _LEVELS_SAID:
            self.last = clean_text(text)
            self.errors += record.levelno >= logging.ERROR
            self._say(self.last)

    def listen(self) -> None:
        library = logging.getLogger(_LIBRARY)
        library.addHandler(self)
        library.propagate = False
        logging.getLogger(_CONSOLE).setLevel(logging.INFO)

    def leave(self) -> None:
        logging.getLogger(_LIBRARY).removeHandler(self)


def _client(transport: Transport | None) -> Any:  # noqa: ANN401 - openlineage.client.OpenLineageClient, which is imported here only
    """Make the library's client; it must not describe our own directory as the source of other people's jobs."""
    try:
        from openlineage.client import OpenLineageClient
    except ImportError as error:
        raise InputInvalid("openlineage-python is not installed", where=WHERE, hint=_EXTRA) from error
    own: dict[str, Json] = {"facets": {"source_code_location": {"disabled": True}}}
    try:
        client = OpenLineageClient(config=own | ({"transport": dict(transport)} if transport else {}))
        told = client.config.transport
    except _failures() as error:
        raise InputInvalid(f"cannot be used: {_said(error)}", where=WHERE, hint="look at its settings") from error
    if client.transport.kind == "console" and not told:
        hint = "--url, --file, openlineage.yml, OPENLINEAGE_URL or `openlineage` in cluster.json"
        raise InputInvalid("nothing says where events go", where=WHERE, hint=hint)
    return client


def _failures() -> tuple[type[Exception], ...]:
    """List what the library raises; the exceptions of requests are OSErrors."""
    from confluent_kafka import KafkaException

    return OSError, RuntimeError, ValueError, TypeError, KeyError, BufferError, ImportError, KafkaException


def _failed(error: Exception) -> ScannerError:
    status = getattr(getattr(error, "response", None), "status_code", None)
    if status in _OBJECTED:
        return SourceObjected(_said(error), where=WHERE, status=int(status or 0))
    if status in _DENIED:
        return SourceRefused(_said(error), where=WHERE, hint="look at the token")
    return SourceUnreachable(_said(error), where=WHERE)


def _said(error: Exception) -> str:
    """Give what an error says, and what its answer says, on one line without secrets."""
    answer = str(getattr(getattr(error, "response", None), "text", "") or "")
    return clean_text(" ".join(f"{error} {answer}".split())[:500]) or type(error).__name__


def _typed(event: Event) -> RunEvent | JobEvent | DatasetEvent:
    """Give an event as the library's type: facets stay JSON, but those that the library adds to."""
    from openlineage.client import event_v2

    named = {"eventTime": event["eventTime"], "producer": event["producer"]}
    if "dataset" in event:
        return event_v2.DatasetEvent(**named, dataset=event_v2.StaticDataset(**event["dataset"]))
    job = event_v2.Job(**event["job"] | {"facets": _facets(event["job"]["facets"])})
    inputs = [event_v2.InputDataset(**each) for each in event["inputs"]]
    outputs = [event_v2.OutputDataset(**each) for each in event["outputs"]]
    if "run" not in event:
        return event_v2.JobEvent(**named, job=job, inputs=inputs, outputs=outputs)
    run = event_v2.Run(runId=event["run"]["runId"], facets=dict(event["run"]["facets"]))
    state = event_v2.RunState(event["eventType"])
    return event_v2.RunEvent(**named, eventType=state, run=run, job=job, inputs=inputs, outputs=outputs)


def _facets(facets: Mapping[str, Json]) -> dict[str, Json]:
    """Give a job's facets; its tags as the library's type, because it adds those that its configuration names."""
    if "tags" not in facets:
        return dict(facets)
    from openlineage.client.facet_v2 import tags_job

    told = facets["tags"]
    fields = [tags_job.TagsJobFacetFields(**each) for each in told["tags"]]
    return dict(facets) | {"tags": tags_job.TagsJobFacet(tags=fields, producer=told["_producer"])}
