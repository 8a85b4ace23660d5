"""Events sent, counted and told of: what `scanner openlineage emit` does with those of a graph."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scanner_cli.exits import Exit
from scanner_cli.progress import progress_on
from scanner_cli.show import show
from scanner_cli.telling import put, put_lines, say, tell
from scanner_extractor.readings import Progress
from scanner_model.names import SourceId

if TYPE_CHECKING:
    from dataflow_generator.openlineage.delivery import Delivered
    from dataflow_generator.openlineage.run_events import Event
    from dataflow_generator.openlineage.tally import Tally
    from dataflow_generator.openlineage.transports import Transport
    from scanner_model.errors import ScannerError

Json = Any

_FACETS = ("facet", "of", "version", "times")
_AT_ONCE = 100
_SHOWN = 10
"""Refused events that are told on stderr; the file of the refused holds all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sending:
    """How events are sent: over *transport*, refused ones *aside*, and the report in *style* (None: on stderr only)."""

    transport: Transport | None
    aside: Path
    style: str | None = None


def count_events(events: Iterable[Event], style: str) -> Exit:
    """Send nothing, and tell what would be sent."""
    from dataflow_generator.openlineage.tally import Tally

    tally = Tally()
    for event in events:
        tally.count(event)
    show(_rows(tally), _FACETS, style, document=_counted(tally))
    return Exit.DONE


def write_events(events: Iterable[Event]) -> Exit:
    """Write what would be sent to stdout, a line each."""
    from dataflow_generator.openlineage.run_events import event_line

    put_lines(map(event_line, events))
    return Exit.DONE


def send_events(events: Iterable[Event], how: Sending) -> Exit:
    """Send *events* and tell what became of them; raises ScannerError where none was taken."""
    from dataflow_generator.openlineage.delivery import Emitter, deliver
    from dataflow_generator.openlineage.rejected import RejectedFile
    from dataflow_generator.openlineage.tally import Tally

    tally = Tally()
    # The answer alone is on stdout: where that is the report, events of a console are not.
    emitter = Emitter(how.transport, say=say, show=say if how.style else put)
    with RejectedFile(how.aside) as aside, progress_on(sys.stderr, quiet=False) as progress:
        refused = _Refused(aside)
        delivered = deliver(_moving(map(tally.count, events), progress), emitter, refused.add)
    _told(tally, delivered, how, emitter.kind)
    if delivered.stopped and not delivered.sent:
        raise delivered.stopped
    return _status(delivered)


def _status(delivered: Delivered) -> Exit:
    if delivered.stopped:
        tell(delivered.stopped)
        say("the same command sends the same events again: who took some of them takes nothing twice")
    if delivered.refused and not delivered.sent:
        return Exit.FAILED
    return Exit.PARTIAL if delivered.stopped or delivered.refused or delivered.missed else Exit.DONE


class _Refused:
    """Puts refused events aside, and tells of the first ones."""

    def __init__(self, aside: Any) -> None:  # noqa: ANN401 - RejectedFile, which is loaded when it is needed
        self._aside = aside
        self._told = 0

    def add(self, event: Event, error: ScannerError) -> None:
        from dataflow_generator.openlineage.rejected import rejection
        from dataflow_generator.openlineage.run_events import event_line
        from scanner_model.problems import Problem

        named = event.get("job") or event["dataset"]
        where = f"{named['namespace']}/{named['name']}"
        self._aside.add(rejection(where, event_line(event), [Problem(error.where, error.what, error.hint)]))
        self._told += 1
        if self._told <= _SHOWN:
            say(f"refused: {where}: {error}")


def _moving(events: Iterable[Event], progress: Progress) -> Iterator[Event]:
    for number, event in enumerate(events):
        if not number % _AT_ONCE:
            progress(SourceId("events"), number, None)
        yield event


def _told(tally: Tally, delivered: Delivered, how: Sending, kind: str) -> None:
    if how.style:
        document = _counted(tally) | _became(delivered, how.aside) | {"transport": kind}
        show(_rows(tally), _FACETS, how.style, document=document)
    counts = [(delivered.refused, "refused"), (delivered.unsent, "not sent")]
    more = "".join(f", {count} {what}" for count, what in counts if count)
    more += "".join(f", {count} not taken by {name}" for name, count in delivered.missed.items())
    say(f"{delivered.sent} events delivered{more}")
    if delivered.refused:
        say(f"refused events are in {how.aside}")
    if kind == "noop":
        say("note: the transport is `noop`, which sends nothing (OPENLINEAGE_DISABLED turns it on)")


def _became(delivered: Delivered, aside: Path) -> dict[str, Json]:
    return {
        "delivered": delivered.sent,
        "refused": delivered.refused,
        "not_sent": delivered.unsent,
        "missed": dict(delivered.missed),
        "rejected": str(aside) if delivered.refused else None,
        "problem": str(delivered.stopped) if delivered.stopped else None,
    }


def _counted(tally: Tally) -> dict[str, Json]:
    return {"events": tally.events, "kinds": tally.kinds, "facets": _rows(tally)}


def _rows(tally: Tally) -> list[dict[str, Json]]:
    return [each._asdict() for each in tally.facets]
