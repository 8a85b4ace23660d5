"""Lineage over time: how the graphs of two scans differ, the history of one thing, and retention."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

from scanner_api.dictionary import Dictionary
from scanner_api.graph.open import find_node, past_rows
from scanner_dictionary.diff.causes import Cause as Cause
from scanner_dictionary.diff.documents import flows_as_json
from scanner_dictionary.diff.flows import FlowChange as FlowChange
from scanner_dictionary.diff.flows import FlowDiff as FlowDiff
from scanner_dictionary.diff.flows import NodeChange as NodeChange
from scanner_dictionary.diff.flows import Relation as Relation
from scanner_dictionary.diff.flows import diff_flows as compare_flows
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.engine.rows import consistent_read
from scanner_dictionary.graph.reader import GraphReader, SqlGraphReader
from scanner_dictionary.graph.store import NodeRow, newest_scan, stored_graph
from scanner_dictionary.graph.versions import last_graphs_with
from scanner_dictionary.queries.graph_at import first_scan_after, read_moment
from scanner_dictionary.queries.node_history import HistoryRow as HistoryRow
from scanner_dictionary.queries.node_history import column_history, fact_history, graph_history
from scanner_dictionary.queries.resolve import unknown_name
from scanner_dictionary.write.prune import PruneResult as PruneResult
from scanner_dictionary.write.prune import Retention
from scanner_dictionary.write.prune import prune as prune_dictionary
from scanner_model.columns import ColumnPath, parse_path
from scanner_model.errors import InputInvalid, NameUnknown

_WHERE = "scanner history"


def diff_flows(dictionary: Dictionary, first: int, second: int) -> FlowDiff:
    """Return the nodes and flows that differ between the graphs of two scans, each with the fact that caused it.

    Raises NameUnknown where the graph of one of the scans is not known: it was not generated before the next scan.

    >>> [(change.node.id, change.action) for change in diff_flows(dictionary, 1, 2).nodes]
    """
    with dictionary.reading() as conn:
        consistent_read(conn)
        return compare_flows(conn, first, second)


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


def flows_document(changes: FlowDiff) -> dict[str, Any]:
    """Return *changes* as JSON, with the members of `flows` of `scanner diff --flows --format json`."""
    return flows_as_json(changes)


def history_document(node: str, target: str | None, rows: Sequence[HistoryRow]) -> dict[str, Any]:
    """Return *rows* as JSON, with the members of `scanner history --format json`; values are parsed."""
    lines = [row._asdict() | {"before": _value(row.before), "after": _value(row.after)} for row in rows]
    return {"node": node, "target": target, "history": lines}


def _value(text: str | None) -> object:
    try:
        return None if text is None else json.loads(text)
    except ValueError:
        return text


def prune(
    dictionary: Dictionary, *, keep_scans: int | None = None, before: str | int | None = None, dry_run: bool = True
) -> PruneResult:
    """Delete the history before the newest *keep_scans* scans of each cluster, or *before* a scan number or date.

    With *dry_run*, the default, nothing is deleted: the result says what would be. The newest scan of each cluster,
    the newest graph, and every fact that exists stay in any case. Raises InputInvalid unless exactly one is given.

    >>> prune(dictionary, keep_scans=10).rows
    """
    if (keep_scans is None) == (before is None):
        raise InputInvalid("what to keep is not clear", where="prune", hint="--keep-scans N, or --before SCAN or DATE")
    engine = dictionary.writing()
    number = None if before is None else _scan_number(dictionary, before)
    return prune_dictionary(engine, Retention(scans=keep_scans, before=number), dry_run=dry_run)


def _scan_number(dictionary: Dictionary, before: str | int) -> int:
    """Return the first scan number to keep; of a date the first that was not finished then, whatever later ones say."""
    if isinstance(before, int) or (before.isascii() and before.isdigit() and len(before) < len("20260131")):
        return int(before)
    moment = read_moment(before, "--before", end_of_day=False)
    with dictionary.reading() as conn:
        return first_scan_after(conn, moment) or newest_scan(conn) + 1


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
    """Return *nodes*; raises NameUnknown with suggestions where there are none."""
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
