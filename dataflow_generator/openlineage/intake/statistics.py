"""Event statistics: counts by kind of event, and by facet and version."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from dataflow_generator.openlineage.emit.facets import Home
from dataflow_generator.openlineage.emit.run_events import Event

Json = Any

_VERSION = re.compile(r"/(\d+-\d+-\d+)/[^/]+$")


class FacetCount(NamedTuple):
    """How often a facet of one kind of entity occurred, in one version (empty: none is named)."""

    facet: str
    of: str
    version: str
    times: int


class EventStatistics:
    """Counts events."""

    def __init__(self) -> None:
        self._kinds: Counter[str] = Counter()
        self._facets: Counter[tuple[str, str, str]] = Counter()

    def count(self, event: Event) -> Event:
        """Count *event*, and return it."""
        self._kinds[str(event["schemaURL"]).rpartition("/")[2]] += 1
        for home, facets in _holders(event):
            for name, facet in facets.items():
                version = _VERSION.search(str(facet.get("_schemaURL", "")).partition("#")[0])
                self._facets[name, str(home), version[1] if version else ""] += 1
        return event

    @property
    def events(self) -> int:
        """Return the number of events."""
        return self._kinds.total()

    @property
    def kinds(self) -> dict[str, int]:
        """Return the number of events by kind."""
        return dict(sorted(self._kinds.items()))

    @property
    def facets(self) -> list[FacetCount]:
        """Return the counts of facets, sorted by name."""
        return [FacetCount(*key, count) for key, count in sorted(self._facets.items())]


def _holders(event: Event) -> Iterator[tuple[Home, Mapping[str, Json]]]:
    """Yield the facets in *event*, each with the kind of entity that it describes."""
    for member, home in (("run", Home.RUN), ("job", Home.JOB), ("dataset", Home.DATASET)):
        if member in event:
            yield home, event[member]["facets"]
    for side in ("inputs", "outputs"):
        yield from ((Home.DATASET, dataset["facets"]) for dataset in event.get(side, ()))
