"""The history of one thing, by the names that it has, or had, in graphs and facts."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from itertools import islice

from scanner_api.dictionary import Dictionary
from scanner_api.graph.open import find_node, past_rows
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.engine.rows import consistent_read
from scanner_dictionary.graph.reader import GraphReader, SqlGraphReader
from scanner_dictionary.graph.store import NodeRow, stored_graph
from scanner_dictionary.graph.versions import last_graphs_with
from scanner_dictionary.queries.graph_at import check_moment, read_moment
from scanner_dictionary.queries.node_history import HistoryRow as HistoryRow
from scanner_dictionary.queries.node_history import column_history, fact_history, graph_history
from scanner_dictionary.queries.resolve import unknown_name
from scanner_model.columns import ColumnPath, parse_path
from scanner_model.errors import InputInvalid, NameUnknown

_WHERE = "scanner changes"
_DIGITS_OF_A_DATE = len("20260131")
_LIKE_A_MOMENT = re.compile(r"\d[\d:.+TZ -]*")


def history(dictionary: Dictionary, node: str, target: str | None = None) -> tuple[HistoryRow, ...]:
    """Return what each scan changed of *node*: a topic, column, job, dataset, consumer group, subject or connector.

    With *target* the flows between the two. What no graph has is looked up among the names of facts. Raises NameUnknown
    where no scan has seen such a name, InputInvalid where several nodes have it.

    >>> [(row.scan, row.kind, row.action) for row in history(dictionary, "orders")]
    """
    with dictionary.reading() as conn:
        consistent_read(conn)
        ends = [_nodes_ever(conn, name) for name in (node, target) if name is not None]
        if target is not None:
            return tuple(
                graph_history(conn, *(_require_nodes(conn, *pair) for pair in zip(ends, (node, target), strict=True)))
            )
        rows = [*fact_history(conn, _fact_names(node, ends[0])), *graph_history(conn, ends[0])]
        rows += (row for topic, path in _columns_meant(node, ends[0]) for row in column_history(conn, topic, path))
        if not rows:
            _require_nodes(conn, (), node)
        return tuple(sorted(rows, key=lambda row: row.scan))


def is_moment(text: str) -> bool:
    """Return whether *text* names a scan or a time rather than a node: `12`, `2026-01-31`, `yesterday`, `7d`."""
    with suppress(InputInvalid):
        check_moment(text, "from")
        return True
    return bool(_LIKE_A_MOMENT.fullmatch(text))


def within(rows: Sequence[HistoryRow], since: str = "", until: str = "") -> tuple[HistoryRow, ...]:
    """Return the *rows* after the scan *since*, up to the scan *until*; each a number, or a date or time, or empty."""
    for moment, is_end in ((since, False), (until, True)):
        if not moment:
            continue
        check_moment(moment, "to" if is_end else "from")
        if moment.isdigit() and len(moment) < _DIGITS_OF_A_DATE:
            rows = [row for row in rows if (row.scan <= int(moment)) == is_end]
        else:
            at = read_moment(moment, "from", end_of_day=is_end)
            rows = [row for row in rows if ((row.finished or at) <= at) == is_end]
    return tuple(rows)


def _readers(conn: Connection, name: str) -> Iterator[GraphReader]:
    """Yield the stored graph, then those of earlier scans that had what *name* may mean, the newest first."""
    if stored_graph(conn) is not None:
        yield SqlGraphReader(conn)
    for version in last_graphs_with(conn, set(_possible_names(name))):
        yield past_rows(conn, version)


def _possible_names(text: str) -> Iterator[str]:
    """Yield the names that *text* may be, or begin with: a kind, a namespace and a path may stand around a name."""
    starts = [0, *(at + 1 for at, mark in enumerate(text) if mark in "/:")]
    ends = [*(at for at, mark in enumerate(text) if mark in ".#"), len(text)]
    yield from (text[start:end] for start in starts for end in ends if start < end)


def _nodes_ever(conn: Connection, name: str) -> tuple[NodeRow, ...]:
    """Return the node that *name* means in the newest graph that has it; nothing where none has.

    A column in flows comes before one that only a schema has, also where it was in flows in an earlier graph.
    """
    of_schema: tuple[NodeRow, ...] = ()
    for rows in _readers(conn, name):
        with suppress(NameUnknown):
            node = find_node(rows, name, _WHERE).node
            if node.namespace or node.kind != "column":
                return (node,)
            of_schema = of_schema or (node,)
    return of_schema


def _require_nodes(conn: Connection, nodes: Collection[NodeRow], name: str) -> Collection[NodeRow]:
    """Return *nodes*; raises NameUnknown with suggestions if empty."""
    if nodes:
        return nodes
    names = [shown for rows in islice(_readers(conn, name), 1) for shown, _ in rows.names_known()]
    raise unknown_name("node", name, names, "`scanner topics` lists the topics", "the history")


def _fact_names(text: str, nodes: Collection[NodeRow]) -> set[str]:
    """Return the names of facts that *text* may mean: of a node its own; of a column none, it has no fact."""
    if not nodes:
        return {text}
    return {node.name for node in nodes if not node.path}


def _columns_meant(text: str, nodes: Collection[NodeRow]) -> Iterator[tuple[str, ColumnPath]]:
    """Yield the topics and column paths that *text* may mean; a column of a schema has no topic in the graph."""
    for node in nodes:
        if node.path and node.namespace:
            yield node.name, tuple(json.loads(node.path))
            return
        if not node.path:
            return
    for at, mark in enumerate(text):
        if mark in ".#" and text[:at] and text[at + 1 :]:
            with suppress(InputInvalid):
                yield text[:at].rpartition("/")[2], parse_path(text[at + 1 :])
