"""The question what changed, for people: a line for each change, with the readers and owners of its topic."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from scanner_api.dictionary import Dictionary, known_cluster
from scanner_api.questions.changes import scan_numbers
from scanner_api.questions.question import Cluster, Cursor, Limit, Page, Parameter, Since, page_of
from scanner_dictionary.diff.scans import diff as compare_scans
from scanner_dictionary.diff.summaries import summaries
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.queries import history
from scanner_dictionary.queries.clients import configured, observed
from scanner_dictionary.queries.graph_at import check_moment, check_scan, scan_before
from scanner_dictionary.queries.topics import catalog_annotations, cluster_ids


class ChangeSummary(NamedTuple):
    """One change of a cluster from scan *first* to scan *second*, in words.

    *what* is the side of a *topic*, `topic`, `access`, `owner`, or the fact that changed. *breaks* is `readers` (old
    readers reject new data), `old data` (new readers reject it), both, or empty; with `?` if that is not known.
    *readers* use the topic now; *owners* are those of the topic and of its readers. Both are empty for a change of no
    topic.
    """

    cluster: str
    first: int
    second: int
    topic: str
    what: str
    change: str
    breaks: str
    readers: tuple[str, ...]
    owners: tuple[str, ...]


def change_summaries(
    dictionary: Dictionary,
    *,
    since: Since = "last week",
    until: Annotated[
        str | None,
        Parameter("Compare with this scan of a cluster, its number or a date; else with the newest.", longest=64),
    ] = None,
    cluster: Cluster = None,
    limit: Limit = None,
    cursor: Cursor = None,
) -> Page[ChangeSummary]:
    """Return what changed since a scan or date, each change in one line; the lines are as those of `changes`.

    With *until* two scans of one cluster are compared, as in `diff`. The answer is not `complete` if a cluster was
    first scanned after *since*. Raises NameUnknown for an unknown scan or cluster.

    >>> [(change.topic, change.change, change.readers) for change in change_summaries(dictionary, since="7d")]
    """
    if until is not None:
        pair = scan_numbers(dictionary, since, until, cluster=cluster)
        with dictionary.reading() as conn:
            return page_of(_lines(conn, *pair), cursor, limit)
    check_moment(since, "since")
    with dictionary.reading() as conn:
        name = known_cluster(conn, cluster)
        check_scan(conn, since, "since")
        known = tuple(row for row in history.clusters(conn) if name in (None, row.name) and row.last_scan)
        firsts = {row.name: scan_before(conn, since, "since", row.name) for row in known}
        pairs = [(firsts[row.name][0], row.last_scan or 0) for row in known]
        lines = [line for first, last in pairs if first < last for line in _lines(conn, first, last)]
        page = page_of(lines, cursor, limit)
        return Page(page.items, page.next_cursor, all(earlier for _, earlier in firsts.values()))


def _lines(conn: Connection, first: int, second: int) -> tuple[ChangeSummary, ...]:
    compared = compare_scans(conn, first, second)
    listed = summaries(compared)
    at = cluster_ids(conn)[compared.cluster]
    owners = {name: noted.owner for (cluster, name), noted in catalog_annotations(conn).items() if cluster == at}
    users = {
        topic: _users(conn, compared.cluster, topic, owners.get(topic, ""))
        for topic in {line.topic for line in listed} - {""}
    }
    return tuple(
        ChangeSummary(compared.cluster, first, second, *line, *users.get(line.topic, ((), ()))) for line in listed
    )


def _users(conn: Connection, cluster: str, topic: str, owner: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the readers of a topic, and the owners of the topic and of them."""
    seen = [
        row
        for rows in (observed(conn, cluster=cluster, topic=topic), configured(conn, cluster=cluster, topic=topic))
        for row in rows
        if row.use == "reads"
    ]
    owners = [owner, *(row.owner for row in seen)]
    return tuple(dict.fromkeys(row.application for row in seen)), tuple(dict.fromkeys(filter(None, owners)))
