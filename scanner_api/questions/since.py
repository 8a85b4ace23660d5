"""Questions about time: what changed since a date, and a feed of the changes of one thing."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, islice
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

from scanner_api.dictionary import Dictionary, known_cluster
from scanner_api.graph.history import history
from scanner_api.questions.pages import Page, page_of
from scanner_api.questions.parameters import Cluster, Cursor, Limit, Node, Since
from scanner_dictionary import queries
from scanner_dictionary.diff.documents import DiffRow, rows
from scanner_dictionary.diff.scans import diff
from scanner_dictionary.queries.graph_at import check_moment, scan_before
from scanner_dictionary.queries.node_history import HistoryRow
from scanner_model.text import visible

_MOST_ENTRIES = 100
_LONGEST = 400


def changes(
    dictionary: Dictionary,
    *,
    since: Since = "last week",
    cluster: Cluster = None,
    limit: Limit = None,
    cursor: Cursor = None,
) -> Page[DiffRow]:
    """Return what changed in each cluster from the newest scan before *since* to its newest scan.

    A cluster that was not scanned before is compared from its first scan on: the answer is not `complete` then. The
    lines are by cluster, topic, side and column; what is of no topic comes last.

    >>> [(change.kind, change.name, change.action) for change in changes(dictionary, since="7d")]
    """
    check_moment(since, "since")
    with dictionary.reading() as conn:
        name = known_cluster(conn, cluster)
        known = tuple(row for row in queries.clusters(conn) if name in (None, row.name) and row.last_scan)
        firsts = {row.name: scan_before(conn, since, "since", row.name) for row in known}
        pairs = ((firsts[row.name][0], row.last_scan or 0) for row in known)
        lines = (line for first, last in pairs if first < last for line in rows(diff(conn, first, last)))
        page = page_of(lines, cursor, limit)
        return Page(page.items, page.next_cursor, all(earlier for _, earlier in firsts.values()))


def history_feed(dictionary: Dictionary, node: Node) -> str:
    """Return what the newest scans changed of a node, as an Atom feed (RFC 4287), an entry a scan, the newest first.

    >>> history_feed(dictionary, "orders").splitlines()[0]
    """
    by_scan = groupby(reversed(history(dictionary, node)), key=lambda row: row.scan)
    entries = [(scan, list(group)[::-1]) for scan, group in islice(by_scan, _MOST_ENTRIES)]
    name = quote(node, safe="")
    updated = next((row.finished for _, listed in entries for row in listed if row.finished), _UNKNOWN_TIME)
    head = f"<id>urn:scanner:{name}</id><title>{_text(node)}</title><updated>{updated}</updated>"
    author = "<author><name>scanner</name></author>"
    body = "".join(_entry(name, scan, listed) for scan, listed in entries)
    return f'<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">{head}{author}{body}</feed>\n'


_UNKNOWN_TIME = "1970-01-01T00:00:00Z"


def _entry(name: str, scan: int, listed: Sequence[HistoryRow]) -> str:
    first, more = listed[0], len(listed) - 1
    title = f"scan {scan} of {first.cluster}: {_change(first)}" + (f", and {more} more" if more else "")
    content = "\n".join(map(_change, listed))
    return (
        f"<entry><id>urn:scanner:{name}:{scan}</id><title>{_text(title)}</title>"
        f"<updated>{first.finished or _UNKNOWN_TIME}</updated>"
        f'<link rel="alternate" href={quoteattr(f"/api/v1/history?node={name}")}/>'
        f"<content>{_text(content)}</content></entry>\n"
    )


def _change(row: HistoryRow) -> str:
    what = " ".join(filter(None, (row.kind, row.name, row.member, row.action)))
    values = [_cut(value) for value in (row.before, row.after) if value is not None]
    return f"{what}: {' → '.join(values)}" if values else what


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _text(text: str) -> str:
    """Return *text* for XML, which cannot have control characters."""
    return escape(visible(text, lines=True))
