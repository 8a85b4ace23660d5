"""The OpenLineage events of a generated graph, without sending them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from dataflow_generator.openlineage.emit.datasets import dictionary_metadata
from dataflow_generator.openlineage.emit.graph_events import EventOptions as EmitOptions
from dataflow_generator.openlineage.emit.graph_events import graph_events as events_of
from dataflow_generator.openlineage.emit.run_events import Event, event_line
from dataflow_generator.openlineage.facets import EventStatistics
from scanner_api.graph.open import GraphSource, open_with_dictionary
from scanner_dictionary.lineage_inputs.events import newest_moment
from scanner_model.errors import NameUnknown

__all__ = ["Event", "EventOptions", "EventStatistics", "count_events", "event_lines", "graph_events"]


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
            raise NameUnknown("the dictionary holds no scan, so events have no time", hint="run `scanner scan`")
        yield events_of(graph.whole(), dictionary_metadata(conn), options.emit_options(at))


def event_lines(events: Iterable[Event]) -> Iterator[str]:
    """Yield each of *events* as one line of JSON, with its line feed."""
    return map(event_line, events)


def count_events(events: Iterable[Event]) -> EventStatistics:
    """Return how many *events* there are, and their facets by version; nothing is sent."""
    statistics = EventStatistics()
    for event in events:
        statistics.count(event)
    return statistics
