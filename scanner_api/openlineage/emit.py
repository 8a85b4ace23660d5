"""Sending the OpenLineage events of a graph: delivery, refused events in a file, counts of events and facets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dataflow_generator.openlineage.emit.delivery import DeliveryResult, Emitter, deliver
from dataflow_generator.openlineage.emit.run_events import Event, event_line
from dataflow_generator.openlineage.emit.transports import Transport
from dataflow_generator.openlineage.intake.dead_letter import RejectedFile, rejection
from dataflow_generator.openlineage.intake.statistics import EventStatistics
from scanner_api.callbacks import Notify, ScanProgress, ignore, no_scan_progress
from scanner_api.dictionary import Dictionary
from scanner_api.graph.open import GraphSource
from scanner_api.openlineage.events import EventOptions, graph_events
from scanner_model.errors import ScannerError
from scanner_model.names import SourceId
from scanner_model.problems import Problem

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
    options: EventOptions = EventOptions(),  # noqa: B008 - frozen
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
    emitter = Emitter(transport, say=notify, show=on_console)
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
