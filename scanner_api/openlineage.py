"""Sending the OpenLineage events of a graph: delivery, refused events in a file, counts of events and facets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dataflow_generator.openlineage.emit.datasets import dictionary_metadata
from dataflow_generator.openlineage.emit.delivery import DeliveryResult, Emitter, deliver
from dataflow_generator.openlineage.emit.graph_events import EventOptions as EmitOptions
from dataflow_generator.openlineage.emit.graph_events import graph_events as events_of
from dataflow_generator.openlineage.emit.run_events import Event, event_line
from dataflow_generator.openlineage.emit.transports import Transport, file_transport, http_transport
from dataflow_generator.openlineage.intake.spool import RejectedFile, rejection
from dataflow_generator.openlineage.intake.statistics import EventStatistics
from scanner_api.dictionary import Dictionary
from scanner_api.files import Notify, ScanProgress, check_file, ignore, no_scan_progress
from scanner_api.graph.open import GraphSource, open_with_dictionary
from scanner_dictionary.lineage_inputs.events import newest_moment
from scanner_extractor.settings.cluster import Settings
from scanner_model.errors import InputInvalid, NameUnknown, Problem, ScannerError
from scanner_model.names import SourceId


@dataclass(frozen=True, slots=True, kw_only=True)
class EventOptions:
    """How a graph is emitted as events.

    *style* is design (datasets and jobs), run (each job as a run) or both. *lineage* adds the newer `lineage` facet.
    *producer* is a URI, None for this program. *at* is the time of all events (ISO 8601 with a zone), None for the end
    of the newest scan. *job_namespace* replaces the namespace of every job; empty keeps them.
    """

    style: str = "design"
    lineage: bool = False
    producer: str | None = None
    at: str | None = None
    job_namespace: str = ""

    def emit_options(self, at: str) -> EmitOptions:
        """Return the settings of the event writer, for events at the time *at*."""
        producer: dict[str, Any] = {"producer": self.producer} if self.producer else {}
        return EmitOptions(at=at, mode=self.style, lineage=self.lineage, job_namespace=self.job_namespace, **producer)


@contextmanager
def graph_events(source: GraphSource, options: EventOptions = EventOptions()) -> Iterator[Iterator[Event]]:
    """Yield the events of the graph of *source*; facets of datasets, and the default time, are the dictionary's.

    Raises NameUnknown where there is no graph, or no scan.
    """
    with open_with_dictionary(source) as (graph, conn):
        at = options.at or newest_moment(conn)
        if at is None:
            raise NameUnknown("the dictionary holds no scan, so events have no time", hint="run `scanner extract`")
        yield events_of(graph.whole(), dictionary_metadata(conn), options.emit_options(at))


_PROGRESS_EVERY = 100
_NOTIFIED = 10
"""Refused events that are reported one by one; the file of refused events holds all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmitResult:
    """What became of the events: *delivery* counts them, *statistics* counts kinds and facets.

    *rejected* is the file of refused events, None where none was refused. *transport* is the kind of transport.
    """

    delivery: DeliveryResult
    statistics: EventStatistics
    rejected: Path | None
    transport: str


def emit(
    graph: GraphSource | Dictionary,
    transport: Transport | None = None,
    *,
    options: EventOptions = EventOptions(),
    rejected: Path | None = None,
    progress: ScanProgress = no_scan_progress,
    notify: Notify = ignore,
    on_console: Notify = ignore,
) -> EmitResult:
    """Send the graph that was generated last as OpenLineage events; sending them again changes nothing.

    *transport* is as in openlineage-python's configuration, for example `{"type": "http", "url": …}`; None: its own
    configuration (`OPENLINEAGE_URL`, `openlineage.yml`). Refused events are added to *rejected*, by default beside the
    dictionary's file. *on_console* gets the events of a console transport. Raises InputInvalid where nothing says
    where events go, NameUnknown where no graph was generated, SourceUnreachable where no event was delivered.

    >>> emit(dictionary, {"type": "file", "log_file_path": "events.ndjson", "append": True}).delivery.sent
    """
    source = GraphSource.of(graph)
    file = rejected or source.dictionary.sibling(".refused.ndjson")
    with graph_events(source, options) as events:
        result = send_events(events, transport, file, progress=progress, notify=notify, on_console=on_console)
    if result.delivery.stopped and not result.delivery.sent:
        raise result.delivery.stopped
    return result


def send_events(
    events: Iterable[Event],
    transport: Transport | None,
    rejected: Path,
    *,
    progress: ScanProgress = no_scan_progress,
    notify: Notify = ignore,
    on_console: Notify = ignore,
) -> EmitResult:
    """Send *events* in order; arguments as `emit`. Where delivery stops, its error is in the result."""
    statistics = EventStatistics()
    emitter = Emitter(transport, notify=notify, show=on_console)
    with RejectedFile(rejected) as file:
        refused = _Refused(file, notify)
        delivery = deliver(_counted(map(statistics.count, events), progress), emitter, refused.add)
    return EmitResult(
        delivery=delivery,
        statistics=statistics,
        rejected=rejected if delivery.refused else None,
        transport=emitter.kind,
    )


def count_events(events: Iterable[Event]) -> EventStatistics:
    """Return how many *events* there are, and their facets by version; nothing is sent."""
    statistics = EventStatistics()
    for event in events:
        statistics.count(event)
    return statistics


class _Refused:
    """Adds refused events to a file, and reports the first ones."""

    def __init__(self, file: RejectedFile, notify: Notify) -> None:
        self._file = file
        self._notify = notify
        self._count = 0

    def add(self, event: Event, error: ScannerError) -> None:
        named: Any = event.get("job") or event["dataset"]
        where = f"{named['namespace']}/{named['name']}"
        self._file.add(rejection(where, event_line(event), [Problem(error.where, error.what, error.hint)]))
        self._count += 1
        if self._count <= _NOTIFIED:
            self._notify(f"refused: {where}: {error}")


def _counted(events: Iterable[Event], progress: ScanProgress) -> Iterator[Event]:
    for number, event in enumerate(events):
        if not number % _PROGRESS_EVERY:
            progress(SourceId("events"), number, None)
        yield event


def transport_of(
    url: str | None, token: str | None, file: Path | None, clusters: Sequence[Settings] = ()
) -> Transport | None:
    """Return the transport to *url* or *file*, else that of *clusters*; None: openlineage-python's own configuration.

    Raises InputInvalid where *url* and *file*, or two clusters, name different ones.
    """
    if url and file:
        raise InputInvalid("both name a target of events", where="--url, --file", hint="leave one of them out")
    if file:
        return file_transport(check_file(file, "--file"))
    return http_transport(url, token or "") if url else _of_clusters(clusters)


def lines_file(transport: Transport | None) -> Path | None:
    """Return the file that *transport* appends lines to; None where it sends events elsewhere."""
    if transport and transport.get("type") == "file" and transport.get("append") and "://" not in _path(transport):
        return Path(_path(transport))
    return None


def _path(transport: Transport) -> str:
    return str(transport["log_file_path"])


def _of_clusters(clusters: Sequence[Settings]) -> Transport | None:
    configured = [(settings.file, settings.openlineage.transport) for settings in clusters if settings.openlineage]
    others = [file for file, transport in configured if transport != configured[0][1]]
    if others:
        where = f"{configured[0][0]}, {others[0]}"
        hint = "give --url or --file, or name one of them, or one transport of the type composite in both"
        raise InputInvalid("name different targets of events", where=where, hint=hint)
    return configured[0][1] if configured else None
