"""What happened to readers between two scans: new ones, also of personal data, lost ones, and fields without any."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple
from urllib.parse import quote

from scanner_api.dictionary import Dictionary
from scanner_api.questions.listings import TopicRow
from scanner_api.questions.personal_data import rows_of_tag
from scanner_api.watching.notifications import Change
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.graph.store import newest_scan, stored_graph
from scanner_dictionary.queries.clients import OBSERVED, ClientRow, configured, observed
from scanner_dictionary.queries.field_uses import unread_columns
from scanner_dictionary.queries.state import scan_time
from scanner_dictionary.search.columns_by_name import all_columns
from scanner_model.clients import Direction
from scanner_model.errors import ScannerError
from scanner_model.triggers import Trigger, Triggers

_FIELDS = 5
_TAGGED = ("declared", "inherited")


class _State(NamedTuple):
    """What a scan knows of the readers of a cluster, by topic and application.

    *seen* are those that read, *known* also those that monitoring saw in an earlier window. *unread* are the fields
    without a known reader, each with the readers that may use it; *fields* are all.
    """

    finished: datetime
    seen: Mapping[tuple[str, str], ClientRow]
    known: Mapping[tuple[str, str], ClientRow]
    unread: Mapping[tuple[str, str], Sequence[str]]
    fields: frozenset[tuple[str, str]]


class _Event(NamedTuple):
    topic: str
    what: str
    owner: str = ""


def triggered(
    dictionary: Dictionary, scans: tuple[int, int], triggers: Triggers, topics: Iterable[TopicRow]
) -> tuple[Change, ...]:
    """Return what the rules report between two *scans* of the cluster of *topics*, the second being the newest.

    Raises ScannerError if the graph is not of the newest scan: a reader may be missing for that reason.
    """
    known: dict[str, TopicRow] = {row.name: row for row in topics}
    cluster = next((row.cluster for row in known.values()), "")
    first, second = scans
    with replace(dictionary, notify=None).at(first).reading() as conn:
        before = _state(conn, cluster, first)
    with dictionary.reading() as conn:
        graph = stored_graph(conn)
        if graph is None or graph.last_scan < newest_scan(conn):
            raise ScannerError(
                "triggers wait for the graph of the newest scan", hint="run `scanner dictionary dataflow`"
            )
        after = _state(conn, cluster, second)
        events = [
            (rule, event)
            for rule in triggers.rules
            for event in _EVENTS[rule.when](conn, rule, before, after)
            if rule.is_of(event.topic, known[event.topic].owner if event.topic in known else "")
        ]
    reported: dict[str, list[str]] = {}
    for _, event in events:
        reported.setdefault(event.topic, []).append(event.what)
    # A new reader of personal data is a new consumer, too: what says more is reported.
    most = [
        (rule, event)
        for rule, event in events
        if not any(other != event.what and other.startswith(event.what) for other in reported[event.topic])
    ]
    return tuple(dict.fromkeys(_change(rule, event, known, triggers.page) for rule, event in most))


def _state(conn: Connection, cluster: str, scan: int) -> _State:
    rows = [*observed(conn, cluster=cluster, include_gone=True), *configured(conn, cluster=cluster)]
    known = {(row.topic, row.application): row for row in rows if row.use == Direction.READS}
    columns = [column for column in all_columns(conn, cluster=cluster) if column.topic and column.role == "value"]
    return _State(
        finished=datetime.fromisoformat(scan_time(conn, scan)),
        seen={(row.topic, row.application): row for row in rows if row.use == Direction.READS and not row.gone},
        known=known,
        unread={(row.topic, row.name): row.unseen for row in unread_columns(conn, columns)},
        fields=frozenset((column.topic, column.name) for column in columns),
    )


def _new_readers(_: Connection, __: Trigger, before: _State, after: _State) -> Iterator[_Event]:
    """Yield who reads a topic and was not known to; one that monitoring saw in an earlier window is not new."""
    for (topic, name), row in after.seen.items():
        if (topic, name) not in before.known:
            yield _Event(topic, f"new reader {name} ({row.kind}): {row.evidence}", row.owner)


def _new_personal_readers(conn: Connection, rule: Trigger, before: _State, after: _State) -> Iterator[_Event]:
    columns: dict[str, dict[str, None]] = {}
    for row in rows_of_tag(conn, rule.tag):
        if row.found in _TAGGED:
            columns.setdefault(row.dataset, {})[row.column] = None
    for event in _new_readers(conn, rule, before, after):
        if event.topic in columns:
            fields = _listed(tuple(columns[event.topic]))
            yield event._replace(what=f"{event.what}; {rule.tag}: {fields}")


def _gone_readers(_: Connection, rule: Trigger, before: _State, after: _State) -> Iterator[_Event]:
    """Yield who was removed, and who was not seen for the time of the rule, for the first time."""
    for (topic, name), row in before.seen.items():
        if row.certainty != OBSERVED and (topic, name) not in after.known:
            yield _Event(topic, f"reader {name} ({row.kind}) is gone", row.owner)
    for (topic, name), row in after.known.items():
        if row.gone and (topic, name) not in after.seen:
            end = datetime.fromisoformat(row.last_seen) + rule.after
            if before.finished < end <= after.finished:
                yield _Event(topic, f"reader {name} ({row.kind}) was last seen at {row.last_seen}", row.owner)


def _unread_fields(_: Connection, __: Trigger, before: _State, after: _State) -> Iterator[_Event]:
    """Yield the fields that had a known reader and have none; those that may use it are named."""
    for (topic, name), unseen in after.unread.items():
        if (topic, name) in before.fields and (topic, name) not in before.unread:
            may = f"; fields not known of {_listed(tuple(unseen))}" if unseen else ""
            yield _Event(topic, f"field {name} lost its last known reader{may}")


_EVENTS: Mapping[str, Callable[[Connection, Trigger, _State, _State], Iterator[_Event]]] = {
    "new-reader-of-personal-data": _new_personal_readers,
    "new-consumer": _new_readers,
    "reader-gone": _gone_readers,
    "field-without-reader": _unread_fields,
}


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _FIELDS} more" if len(names) > _FIELDS else ""
    return ", ".join(names[:_FIELDS]) + more


def _change(rule: Trigger, event: _Event, topics: Mapping[str, TopicRow], page: str) -> Change:
    owner = topics[event.topic].owner if event.topic in topics else ""
    owners = f" (topic of {owner or 'unknown owner'}" + (f", reader of {event.owner})" if event.owner else ")")
    link = f"{page}/flow#node={quote(event.topic, safe='')}" if page else ""
    return Change(event.topic, event.what + owners, False, trigger=rule.when, owner=owner, link=link)
