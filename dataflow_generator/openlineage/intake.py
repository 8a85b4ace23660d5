"""From texts of events to the dictionary: read, refused or stored, and counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from dataflow_generator.openlineage.files import EventText
from dataflow_generator.openlineage.reading import KNOWN_VERSION, Refused, read_event, version_of
from scanner_dictionary.event_writer import EventSummary
from scanner_model.lineage_events import LineageEvent
from scanner_model.problems import Problem

_AT_ONCE = 2_000

Store = Callable[[list[LineageEvent]], EventSummary]
Refuse = Callable[[EventText, tuple[Problem, ...]], None]


@dataclass(slots=True)
class Taken:
    """How many texts were *received*, and what became of them: *stored*, *repeated* or *refused*.

    Of those stored or repeated, *future* are of a version of the specification, or with a facet of one, that is newer
    than we know.
    """

    received: int = 0
    stored: int = 0
    repeated: int = 0
    refused: int = 0
    future: int = 0


def take_in(texts: Iterable[EventText], store: Store, refuse: Refuse) -> Taken:
    """Read *texts*, hand events to *store* in batches, each a transaction, and what is none to *refuse*."""
    taken = Taken()
    batch: list[LineageEvent] = []
    for text in texts:
        taken.received += 1
        found = read_event(text.text)
        if isinstance(found, Refused):
            taken.refused += 1
            refuse(text, found.problems)
            continue
        taken.future += is_future(found)
        batch.append(found)
        if len(batch) >= _AT_ONCE:
            _stored(batch, store, taken)
    _stored(batch, store, taken)
    return taken


def is_future(event: LineageEvent) -> bool:
    """Say whether *event*, or a facet of it, is of a newer version than we know: little is read of it, all is kept."""
    facets = [*(event.job.facets if event.job else ()), *(event.run.facets if event.run else ())]
    facets += (facet for each in event.datasets for facet in (*each.facets, *each.use_facets))
    return (version_of(event.schema_url) or KNOWN_VERSION) > KNOWN_VERSION or any(each.future for each in facets)


def _stored(batch: list[LineageEvent], store: Store, taken: Taken) -> None:
    if batch:
        summary = store(batch)
        taken.stored += summary.stored
        taken.repeated += summary.repeated
        batch.clear()
