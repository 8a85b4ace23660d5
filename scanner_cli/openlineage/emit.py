"""Events sent, counted and told of: what `scanner openlineage emit` does with those of a graph."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scanner_cli.console import echo, echo_err, echo_lines, report_error
from scanner_cli.exit_codes import Exit
from scanner_cli.output.progress import progress_on
from scanner_cli.output.render import show
from scanner_extractor.scan.results import Progress
from scanner_model.names import SourceId

if TYPE_CHECKING:
    from dataflow_generator.openlineage.emit.delivery import DeliveryResult
    from dataflow_generator.openlineage.emit.run_events import Event
    from dataflow_generator.openlineage.emit.transports import Transport
    from dataflow_generator.openlineage.intake.statistics import EventStatistics
    from scanner_model.errors import ScannerError

Json = Any

_FACETS = ("facet", "of", "version", "times")
_AT_ONCE = 100
_SHOWN = 10
"""Refused events that are told on stderr; the file of the refused holds all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SendResult:
    """How events are sent: over *transport*, refused ones *aside*, and the report in *style* (None: on stderr only)."""

    transport: Transport | None
    aside: Path
    style: str | None = None


def count_events(events: Iterable[Event], style: str) -> Exit:
    """Send nothing, and tell what would be sent."""
    from dataflow_generator.openlineage.intake.statistics import EventStatistics

    tally = EventStatistics()
    for event in events:
        tally.count(event)
    show(_rows(tally), _FACETS, style, document=_counted(tally))
    return Exit.DONE


def write_events(events: Iterable[Event]) -> Exit:
    """Write what would be sent to stdout, a line each."""
    from dataflow_generator.openlineage.emit.run_events import event_line

    echo_lines(map(event_line, events))
    return Exit.DONE


def send_events(events: Iterable[Event], how: SendResult) -> Exit:
    """Send *events* and tell what became of them; raises ScannerError where none was taken."""
    from dataflow_generator.openlineage.emit.delivery import Emitter, deliver
    from dataflow_generator.openlineage.intake.dead_letter import RejectedFile
    from dataflow_generator.openlineage.intake.statistics import EventStatistics

    tally = EventStatistics()
    # The answer alone is on stdout: where that is the report, events of a console are not.
    emitter = Emitter(how.transport, say=echo_err, show=echo_err if how.style else echo)
    with RejectedFile(how.aside) as aside, progress_on(sys.stderr, quiet=False) as progress:
        refused = _Refused(aside)
        delivered = deliver(_moving(map(tally.count, events), progress), emitter, refused.add)
    _told(tally, delivered, how, emitter.kind)
    if delivered.stopped and not delivered.sent:
        raise delivered.stopped
    return _status(delivered)


def _status(delivered: DeliveryResult) -> Exit:
    if delivered.stopped:
        report_error(delivered.stopped)
        echo_err("the same command sends the same events again: who took some of them takes nothing twice")
    if delivered.refused and not delivered.sent:
        return Exit.FAILED
    return Exit.PARTIAL if delivered.stopped or delivered.refused or delivered.missed else Exit.DONE


class _Refused:
    """Puts refused events aside, and tells of the first ones."""

    def __init__(self, aside: Any) -> None:  # noqa: ANN401 - RejectedFile, which is loaded when it is needed
        self._aside = aside
        self._told = 0

    def add(self, event: Event, error: ScannerError) -> None:
        from dataflow_generator.openlineage.emit.run_events import event_line
        from dataflow_generator.openlineage.intake.dead_letter import rejection
        from scanner_model.problems import Problem

        named = event.get("job") or event["dataset"]
        where = f"{named['namespace']}/{named['name']}"
        self._aside.add(rejection(where, event_line(event), [Problem(error.where, error.what, error.hint)]))
        self._told += 1
        if self._told <= _SHOWN:
            echo_err(f"refused: {where}: {error}")


def _moving(events: Iterable[Event], progress: Progress) -> Iterator[Event]:
    for number, event in enumerate(events):
        if not number % _AT_ONCE:
            progress(SourceId("events"), number, None)
        yield event


def _told(tally: EventStatistics, delivered: DeliveryResult, how: SendResult, kind: str) -> None:
    if how.style:
        document = _counted(tally) | _became(delivered, how.aside) | {"transport": kind}
        show(_rows(tally), _FACETS, how.style, document=document)
    counts = [(delivered.refused, "refused"), (delivered.unsent, "not sent")]
    more = "".join(f", {count} {what}" for count, what in counts if count)
    more += "".join(f", {count} not taken by {name}" for name, count in delivered.missed.items())
    echo_err(f"{delivered.sent} events delivered{more}")
    if delivered.refused:
        echo_err(f"refused events are in {how.aside}")
    if kind == "noop":
        echo_err("note: the transport is `noop`, which sends nothing (OPENLINEAGE_DISABLED turns it on)")


def _became(delivered: DeliveryResult, aside: Path) -> dict[str, Json]:
    return {
        "delivered": delivered.sent,
        "refused": delivered.refused,
        "not_sent": delivered.unsent,
        "missed": dict(delivered.missed),
        "rejected": str(aside) if delivered.refused else None,
        "problem": str(delivered.stopped) if delivered.stopped else None,
    }


def _counted(tally: EventStatistics) -> dict[str, Json]:
    return {"events": tally.events, "kinds": tally.kinds, "facets": _rows(tally)}


def _rows(tally: EventStatistics) -> list[dict[str, Json]]:
    return [each._asdict() for each in tally.facets]
