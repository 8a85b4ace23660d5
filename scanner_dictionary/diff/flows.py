"""What changed between the graphs of two scans: nodes and edges, each with the fact that caused it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Table, and_, or_

from scanner_dictionary.compatibility.changes import Action
from scanner_dictionary.diff.causes import Cause, Causes, causes
from scanner_dictionary.graph.versions import EdgeVersion, NodeVersion, edge_versions, is_valid, node_versions
from scanner_dictionary.queries.graph_at import graph_at
from scanner_dictionary.schema import tables as t

_CONTAINS = "contains"


class GraphNode(NamedTuple):
    """A node as graphs show it; *path* is JSON text, None except for columns."""

    id: str
    kind: str
    namespace: str
    name: str
    path: str | None


class Relation(NamedTuple):
    """How two nodes are related in one of the graphs."""

    type: str
    subtype: str
    evidence: str
    certainty: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeChange:
    """A node that differs; *before* and *after* are its attributes, None where it does not exist.

    *cause* is the fact that changed; None where no fact of these scans explains it.
    """

    node: GraphNode
    action: Action
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    cause: Cause | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowChange:
    """An edge that differs, between node ids; *before* and *after* as those of a node.

    *source_name* and *target_name* are the names of topics, datasets and jobs; of columns those of their dataset.
    """

    source: str
    source_name: str
    target: str
    target_name: str
    kind: str
    action: Action
    before: Relation | None
    after: Relation | None
    cause: Cause | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowDiff:
    """What changed from the graph of scan *first* to that of scan *second*, in the order of kinds and ids.

    Columns of schemas and the edges that only contain something are left out: `ScanDiff` has the columns.
    """

    first: int
    second: int
    nodes: tuple[NodeChange, ...]
    edges: tuple[FlowChange, ...]


def diff_flows(conn: Connection, first: int, second: int) -> FlowDiff:
    """Return how the graphs of two scans differ, in the direction given.

    Raises NameUnknown where the graph of one of the scans is not known.
    """
    for scan in (first, second):
        graph_at(conn, scan)
    known_causes = causes(conn, first, second)
    edges = list(_edges(conn, first, second, known_causes))
    touching = {end: edge.cause for edge in reversed(edges) if edge.cause for end in (edge.source, edge.target)}
    nodes = _nodes(conn, first, second, known_causes, touching)
    return FlowDiff(
        first=first,
        second=second,
        nodes=tuple(sorted(nodes, key=lambda change: (change.node.kind, change.node.id))),
        edges=tuple(edge for edge in edges if edge.kind != _CONTAINS),
    )


def _between(table: Table, first: int, second: int) -> ColumnElement[bool]:
    older, newer = sorted((first, second))
    begin, gone = table.c.first_scan, table.c.gone
    return or_(and_(begin > older, begin <= newer), and_(gone > older, gone <= newer))


def _nodes(
    conn: Connection, first: int, second: int, causes: Causes, touching: Mapping[str, Cause]
) -> Iterator[NodeChange]:
    states: dict[str, list[NodeVersion | None]] = defaultdict(lambda: [None, None])
    for version in node_versions(conn, _between(t.flow_node_version, first, second)):
        for at, scan in enumerate((first, second)):
            if is_valid(version, scan):
                states[version.node_key][at] = version
    for before, after in states.values():
        known = after or before
        if known is None or (before and after and before[1:7] == after[1:7]):
            continue
        node = GraphNode(*known[1:6])
        cause = _cause_of_node(node, causes) or touching.get(node.id)
        attributes = [json.loads(version.attributes) if version else None for version in (before, after)]
        yield NodeChange(
            node=node, action=_action(before, after), before=attributes[0], after=attributes[1], cause=cause
        )


def _edges(conn: Connection, first: int, second: int, causes: Causes) -> Iterator[FlowChange]:
    pairs: dict[tuple[str, ...], tuple[set[Relation], set[Relation]]] = defaultdict(lambda: (set(), set()))
    for version in edge_versions(conn, _between(t.flow_edge_version, first, second)):
        for at, scan in enumerate((first, second)):
            if is_valid(version, scan):
                pairs[version[1:6]][at].add(Relation(*version[6:10]))
    for ends, (before, after) in sorted(pairs.items(), key=lambda item: (item[0][4], item[0])):
        for old, new in zip_longest(sorted(before - after), sorted(after - before)):
            yield _edge(ends, old, new, causes)


def _edge(ends: tuple[str, ...], old: Relation | None, new: Relation | None, causes: Causes) -> FlowChange:
    source, source_name, target, target_name, kind = ends
    named = (causes.of_evidence(relation.evidence) for relation in (new, old) if relation)
    of_ends = (causes.of_dataset(name) for name in (source_name, target_name))
    return FlowChange(
        source=source,
        source_name=source_name,
        target=target,
        target_name=target_name,
        kind=kind,
        action=_action(old, new),
        before=old,
        after=new,
        cause=_first(named) or _first(of_ends),
    )


def _cause_of_node(node: GraphNode, causes: Causes) -> Cause | None:
    match node.kind:
        case "topic":
            return causes.of_topic_itself(node.name)
        case "job" | "consumer-group":
            return causes.of_job(node.name)
        case "cluster":
            return causes.of_cluster(node.name)
    return None


def _first(listed: Iterable[Cause | None]) -> Cause | None:
    return next((cause for cause in listed if cause), None)


def _action(before: EdgeVersion | NodeVersion | Relation | None, after: object) -> Action:
    if before is None:
        return Action.ADDED
    return Action.REMOVED if after is None else Action.CHANGED
