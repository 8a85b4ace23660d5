"""Sending the OpenLineage events of a graph: delivery, refused events in a file, counts of events and facets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dataflow_generator.openlineage.emit.delivery import (
    DeliveryResult,
    Emitter,
    Transport,
    deliver,
    file_transport,
    http_transport,
)
from dataflow_generator.openlineage.emit.run_events import Event, event_line
from dataflow_generator.openlineage.facets import EventStatistics
from dataflow_generator.openlineage.spool import RejectedFile, rejection
from scanner_api.dictionary import Dictionary
from scanner_api.files import Notify, ScanProgress, check_file, ignore, no_scan_progress
from scanner_api.graph.events import EventOptions as EventOptions
from scanner_api.graph.events import graph_events
from scanner_api.graph.open import GraphSource
from scanner_api.scanning.clusters import read_files
from scanner_extractor.settings.cluster import Settings
from scanner_model.errors import InputInvalid, Problem, ScannerError
from scanner_model.names import SourceId

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
    dictionary's file. *on_console* gets the events of a console transport. Raises InputInvalid where nothing names
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


def event_clusters(config_files: Sequence[str]) -> tuple[Settings, ...]:
    """Return the settings of *config_files* for `transport_of`; nothing but the target of events is used.

    SQL files that they name need not exist. Raises InputInvalid for a bad file, or where none names a target.
    """
    clusters, problems = read_files(config_files, replayed=True)
    if problems:
        raise InputInvalid.listing(problems)
    if config_files and not any(settings.openlineage for settings in clusters):
        hint = 'add "openlineage": {"transport": {"type": "http", "url": …}}'
        raise InputInvalid("names no target of events", where=", ".join(config_files), hint=hint)
    return tuple(clusters)


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
