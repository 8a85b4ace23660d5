"""The question for the clients of topics: observed, configured and permitted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Annotated, Literal

from scanner_api.dictionary import Dictionary, known_cluster
from scanner_api.questions.question import Cluster, Cursor, Limit, Moment, Page, Parameter, page_of
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.graph.store import newest_scan, stored_graph
from scanner_dictionary.queries.clients import ClientRow as ClientRow
from scanner_dictionary.queries.clients import configured, group_lags, observed, permitted
from scanner_dictionary.queries.field_uses import by_column, field_users
from scanner_dictionary.queries.resolve import unknown_name
from scanner_dictionary.queries.subjects import topic_names, topics_named

Certain = Literal["observed", "configured", "permitted"]


def clients(
    dictionary: Dictionary,
    *,
    topic: Annotated[
        str | None, Parameter("The topic's exact name; without it, every topic.", argument=True, metavar="TOPIC")
    ] = None,
    cluster: Cluster = None,
    certainty: Annotated[Certain | None, Parameter("Only what is known in this way.")] = None,
    principals: Annotated[bool, Parameter("Each principal that rules of access permit, instead of a count.")] = False,
    columns: Annotated[bool, Parameter("A row for each field of the messages that a program is known to use.")] = False,
    earlier: Annotated[bool, Parameter("Also who was observed in earlier windows only.")] = False,
    as_of: Moment = None,
    limit: Limit = None,
    cursor: Cursor = None,
) -> Page[ClientRow]:
    """Return the applications that use topics: those observed, then those configured, then those permitted.

    What is permitted is listed for a *topic* only. The answer is not `complete` where no graph was generated since the
    newest scan: what is configured may be missing then. With *columns* each client has a row for each field that it
    uses, with the line of code; of a client whose fields are not known the row says that it may use all of them.
    Raises NameUnknown with the nearest names for an unknown topic.

    >>> [(row.application, row.use, row.certainty) for row in clients(dictionary, topic="orders")]
    """
    with dictionary.at(as_of).reading() as conn:
        name = known_cluster(conn, cluster)
        if topic is not None and not topics_named(conn, topic, name):
            raise unknown_name("topic", topic, topic_names(conn, name), "`scanner topics` lists the topics")
        rows = _rows(conn, name, topic, certainty, earlier=earlier)
        if topic is not None and certainty in (None, "permitted"):
            clusters = [row.cluster for row in topics_named(conn, topic, name)]
            rows = chain(rows, (row for at in clusters for row in permitted(conn, at, topic, each=principals)))
        rows = _with_lag(conn, rows)
        if columns:
            rows = by_column(rows, field_users(conn, cluster=name, topic=topic))
        graph = stored_graph(conn)
        current = graph is not None and graph.last_scan >= newest_scan(conn)
        page = page_of(rows, cursor, limit)
        return page if current or certainty in ("observed", "permitted") else replace(page, complete=False)


def _with_lag(conn: Connection, rows: Iterable[ClientRow]) -> Iterator[ClientRow]:
    lags: dict[tuple[str, str], Mapping[str, float]] = {}
    for row in rows:
        at = row.cluster, row.topic
        if row.kind != "consumer-group":
            yield row
            continue
        if at not in lags:
            lags[at] = group_lags(conn, *at)
        yield replace(row, lag=lags[at].get(row.application))


def _rows(
    conn: Connection, cluster: str | None, topic: str | None, certainty: str | None, *, earlier: bool
) -> Iterator[ClientRow]:
    if certainty in (None, "observed"):
        yield from observed(conn, cluster=cluster, topic=topic, include_gone=earlier)
    if certainty in (None, "configured"):
        yield from configured(conn, cluster=cluster, topic=topic)
