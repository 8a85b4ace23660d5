"""Parse ksqlDB's queries, and merge the entries of one query from different responses."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from scanner_model.errors import NotCaptured, ScannerError
from scanner_model.names import SourceId, TopicName
from scanner_model.payload import Json, Payload
from scanner_model.redaction import mask_text
from scanner_model.streaming_sql import KsqlSource, Query, QueryError

PERSISTENT = "PERSISTENT"
RUNNING, PAUSED = "RUNNING", "PAUSED"


def read_query_description(payload: Payload, source: SourceId) -> Query:
    """Read a member of `queryDescriptions`: it names sources and sinks as collections; raises PayloadUnexpected."""
    return Query(
        source=source,
        name=payload.need("id").text(),
        kind=payload.text("queryType") or PERSISTENT,
        state=_state(payload, payload.object("ksqlHostQueryStatus").members()),
        statement=payload.text("statementText"),
        sources=payload.texts("sources"),
        sinks=payload.texts("sinks"),
        consumer_group=payload.text("consumerGroupId"),
    )


def read_running_query(payload: Payload, source: SourceId, reads: str = "") -> Query:
    """Read a member of `queries`, `readQueries` or `writeQueries`, which also has sink topics.

    *reads* is the collection whose `readQueries` list it; empty elsewhere. Raises PayloadUnexpected.
    """
    return Query(
        source=source,
        name=payload.need("id").text(),
        kind=payload.text("queryType") or PERSISTENT,
        state=_state(payload, {state: state for state in payload.object("statusCount").members()}),
        statement=payload.text("queryString"),
        sources=(reads,) if reads else (),
        sinks=payload.texts("sinks"),
        sink_topics=tuple(map(TopicName, payload.texts("sinkKafkaTopics"))),
    )


def read_query_error(payload: Payload) -> QueryError | None:
    """Return the newest of a member's `queryErrors`, secrets hidden; None if absent."""
    newest = max(payload.list("queryErrors"), key=_moment, default=Payload({}))
    message = mask_text(newest.text("errorMessage"))
    return QueryError(message=message, at=newest.time("timestamp")) if message else None


def joined_queries(queries: Iterable[Query], collections: Iterable[KsqlSource]) -> tuple[Query, ...]:
    """Return each persistent query once, sorted by name; sources, sinks and topics are merged from all responses.

    The topics of sinks come from the collections' own descriptions where a query has none. Transient queries (PUSH,
    PULL) write nowhere and are left out.
    """
    topics = {collection.name: collection.topic for collection in collections}
    joined: dict[str, Query] = {}
    for query in queries:
        if query.kind == PERSISTENT:
            joined[query.name] = _joined(joined[query.name], query) if query.name in joined else query
    return tuple(_with_topics(joined[name], topics) for name in sorted(joined))


def _joined(first: Query, later: Query) -> Query:
    return replace(
        first,
        state=first.state or later.state,
        statement=first.statement or later.statement,
        sources=_union(first.sources, later.sources),
        sinks=_union(first.sinks, later.sinks),
        sink_topics=tuple(map(TopicName, _union(first.sink_topics, later.sink_topics))),
        consumer_group=first.consumer_group or later.consumer_group,
    )


def _with_topics(query: Query, topics: Mapping[str, TopicName]) -> Query:
    described = (topics[sink] for sink in query.sinks if sink in topics)
    return replace(query, sink_topics=tuple(dict.fromkeys((*query.sink_topics, *described))))


def _union(first: Iterable[str], later: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *later)))


def _moment(error: Payload) -> datetime:
    return error.time("timestamp") or datetime.min.replace(tzinfo=UTC)


def _state(payload: Payload, hosts: Mapping[str, Json]) -> str:
    """Return the state of a query.

    For older clients, servers report RUNNING for a query that is paused on all hosts.
    """
    state = payload.text("state")
    if state == RUNNING and PAUSED in hosts.values() and RUNNING not in hosts.values():
        return PAUSED
    return state or _worst(hosts)


def _worst(states: Mapping[str, Json]) -> str:
    """Return the worst of the states on all hosts, for servers that do not report an overall state."""
    distinct = sorted({str(state) for state in states.values()})
    return next((state for state in distinct if state != RUNNING), distinct[0] if distinct else "")


WAIT = 5.0
"""Seconds between the two answers that are compared; a query is closed in less than one."""

KnownQueries = Mapping[str, frozenset[str]]
"""Queries that were running before, by name, each with the topics that it writes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """State of a server before the request; *pause* sleeps before the second request.

    *missing* are those of the *queries* that its last answer did not list.
    """

    queries: KnownQueries = field(default_factory=dict)
    missing: frozenset[str] = frozenset()
    pause: Callable[[float], None] = time.sleep


NOTHING_EARLIER = Earlier()


def closing_queries(
    earlier: Earlier, queries: Iterable[Query], collections: Iterable[KsqlSource], again: Callable[[], Iterable[Query]]
) -> frozenset[str]:
    """Return the queries that are missing, perhaps because their server is being stopped; empty: they were terminated.

    A query is missing where a collection on its topic still exists. One answer does not prove that it was terminated,
    because a server that is being stopped may take its time. Where the last answer did not list it either, the server
    is queried *again* after a pause: one that is being stopped lists even fewer, or does not respond.
    """
    listed = {query.name for query in queries}
    topics = {str(collection.topic) for collection in collections}
    missed = frozenset(
        name for name, sinks in earlier.queries.items() if name not in listed and (not sinks or sinks & topics)
    )
    if not missed & earlier.missing:
        return missed
    earlier.pause(WAIT)
    try:
        later = {query.name for query in again()}
    except NotCaptured:  # the capture of a scan that missed nothing
        return frozenset()
    except ScannerError:
        return missed
    return missed if listed - later or missed & later else missed - earlier.missing
