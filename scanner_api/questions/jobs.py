"""Questions about jobs: the connectors of Kafka Connect, and the statements of Flink and ksqlDB.

The parameters that all lists share are those of `scanner_api/questions/listings.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Annotated, Literal

from scanner_api.dictionary import Dictionary, known_cluster
from scanner_api.questions.question import Cluster, Cursor, Deleted, Limit, Moment, Page, Parameter, Pattern, page_of
from scanner_dictionary.queries import connectors as stored
from scanner_dictionary.queries.connectors import DEAD
from scanner_dictionary.queries.connectors import ConnectorRow as ConnectorRow
from scanner_dictionary.queries.connectors import StatementRow as StatementRow
from scanner_dictionary.queries.topics import name_filter

JobKind = Literal["connector", "statement"]
State = Annotated[
    str | None,
    Parameter("Of this state only, as its server calls it (RUNNING, FAILED, …), in any case.", metavar="WORD"),
]
OfSource = Annotated[
    str | None,
    Parameter("Of sources only whose id is, or holds, this: `flink`, `ksqldb:*`.", metavar="PATTERN"),
]


def jobs(
    dictionary: Dictionary,
    *,
    cluster: Cluster = None,
    pattern: Pattern = None,
    kind: Annotated[JobKind | None, Parameter("Only connectors, or only statements of Flink and ksqlDB.")] = None,
    failed: Annotated[bool, Parameter("Only jobs that failed, or have a failed task.")] = False,
    state: State = None,
    source: OfSource = None,
    deleted: Deleted = False,
    as_of: Moment = None,
    limit: Limit = None,
    cursor: Cursor = None,
) -> Page[ConnectorRow | StatementRow]:
    """Return the connectors, then the statements, each by cluster, source and name.

    >>> [job.name for job in jobs(dictionary, failed=True)]
    """
    with dictionary.at(as_of).reading() as conn:
        name, of_source = known_cluster(conn, cluster), name_filter(source)
        connectors = stored.connectors(conn, cluster=name, pattern=pattern, failed=failed, include_gone=deleted)
        statements = stored.statements(conn, cluster=name, pattern=pattern, source=source, include_gone=deleted)
        rows: Iterator[ConnectorRow | StatementRow] = chain(
            (row for row in connectors if kind != "statement" and of_source(row.source)),
            (row for row in statements if kind != "connector" and (not failed or row.state in DEAD)),
        )
        return page_of((row for row in rows if state is None or row.state.lower() == state.lower()), cursor, limit)


def connectors(
    dictionary: Dictionary,
    *,
    cluster: Cluster = None,
    pattern: Pattern = None,
    failed: Annotated[bool, Parameter("Only connectors that failed, or have a failed task.")] = False,
    deleted: Deleted = False,
    as_of: Moment = None,
    limit: Limit = None,
    cursor: Cursor = None,
) -> Page[ConnectorRow]:
    """Return the connectors by cluster, source and name; *failed*: only those that failed or have a failed task.

    >>> [connector.name for connector in connectors(dictionary, failed=True)]
    """
    with dictionary.at(as_of).reading() as conn:
        rows = stored.connectors(
            conn, cluster=known_cluster(conn, cluster), pattern=pattern, failed=failed, include_gone=deleted
        )
        return page_of(rows, cursor, limit)


def statements(
    dictionary: Dictionary,
    *,
    cluster: Cluster = None,
    pattern: Pattern = None,
    state: State = None,
    source: OfSource = None,
    deleted: Deleted = False,
    as_of: Moment = None,
    limit: Limit = None,
    cursor: Cursor = None,
) -> Page[StatementRow]:
    """Return Flink statements and ksqlDB queries by cluster, source and name; *source* is a pattern of its id."""
    with dictionary.at(as_of).reading() as conn:
        rows = stored.statements(
            conn,
            cluster=known_cluster(conn, cluster),
            pattern=pattern,
            state=state,
            source=source,
            include_gone=deleted,
        )
        return page_of(rows, cursor, limit)
