"""Distinguish ksqlDB queries that were terminated from queries of a server that is shutting down.

A server that is stopped closes its queries one after the other and keeps responding normally: collections
stay, `/info` and `/healthcheck` report it as running (8.3.1: 26 queries in 10 s; then it refuses connections at once).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from scanner_model.errors import NotCaptured, ScannerError
from scanner_model.ksqldb import KsqlSource, Query

WAIT = 5.0
"""Seconds between the two answers that are compared; a query is closed in less than one."""

KnownQueries = Mapping[str, frozenset[str]]
"""Queries that were running before, by name, each with the topics that it writes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """State of a server before the request; *pause* sleeps before the second request."""

    queries: KnownQueries = field(default_factory=dict)
    pause: Callable[[float], None] = time.sleep


NOTHING_EARLIER = Earlier()


def closing_queries(
    earlier: Earlier, queries: Iterable[Query], collections: Iterable[KsqlSource], again: Callable[[], Iterable[Query]]
) -> frozenset[str]:
    """Return the queries that are missing because their server is being stopped; empty where they were terminated.

    A query is missing where a collection on its topic still exists. Then the server is queried *again* after a pause:
    one that is being stopped lists even fewer, or does not respond.
    """
    listed = {query.name for query in queries}
    topics = {str(collection.topic) for collection in collections}
    missed = frozenset(
        name for name, sinks in earlier.queries.items() if name not in listed and (not sinks or sinks & topics)
    )
    if not missed:
        return missed
    earlier.pause(WAIT)
    try:
        later = {query.name for query in again()}
    except NotCaptured:  # the capture of a scan that missed nothing
        return frozenset()
    except ScannerError:
        return missed
    return missed if listed - later or missed & later else frozenset()
