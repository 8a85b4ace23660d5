"""The history of a topic, schema, column, job or flow: what each scan changed of it, from the log and the graphs."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, NamedTuple

from sqlalchemy import Connection, or_, select

from scanner_dictionary.compatibility.changes import Action
from scanner_dictionary.diff.changes import FactAction
from scanner_dictionary.diff.scans import Replayed, definition_keys, fact_change, heads, next_state
from scanner_dictionary.engine.rows import in_chunks, json_cell
from scanner_dictionary.graph.store import NodeRow
from scanner_dictionary.graph.versions import EdgeVersion, NodeVersion, edge_versions, graph_versions, node_versions
from scanner_dictionary.queries.columns import columns_of
from scanner_dictionary.schema import tables as t
from scanner_model.columns import KEY, Column, ColumnPath, path_name

_AT_ONCE = 500
_FIRST = "first known"
_LINK = "topic_schema"
_COMPARED = ("type", "logical_type", "nullable", "default", "doc", "tags")


class HistoryRow(NamedTuple):
    """What one scan changed: *kind* is a fact's, `column`, `node`, or an edge's; *member* what of it, empty for all.

    *before* and *after* are None where it did not exist or nothing more is known. *action* is added, changed, gone,
    deleted, restored, removed, `known` (older entries were pruned) or `first known` (the oldest graph has it).
    """

    scan: int
    finished: str | None
    cluster: str
    kind: str
    name: str
    action: str
    member: str
    before: str | None
    after: str | None


def fact_history(conn: Connection, names: Collection[str]) -> list[HistoryRow]:
    """Return the changes of every fact that has one of *names* as a part of its name, by scan."""
    rows: list[HistoryRow] = []
    for cluster, entries in _entries(conn, names):
        replayed = list(_steps(entries))
        fingerprints = {key: definition.fingerprint for key, definition in heads(conn, _definitions(replayed)).items()}
        for entry, fact in replayed:
            rows += _fact_rows(entry, fact, cluster, fingerprints)
    return sorted(rows, key=_order)


def column_history(conn: Connection, topic: str, path: ColumnPath) -> list[HistoryRow]:
    """Return how a column of the current schemas of *topic* changed; *path* of a key's column begins with `@key`."""
    role = "key" if path[:1] == (KEY,) else "value"
    inner = path[1:] if role == "key" else path
    rows: list[HistoryRow] = []
    for cluster, entries in _entries(conn, [topic]):
        links = [
            entry for entry in entries if entry.entity_kind == _LINK and json.loads(entry.entity)[:2] == [topic, role]
        ]
        steps = list(_steps(links))
        columns = _columns_at(conn, _definitions(steps), inner)
        current: dict[str, Column | None] = {}
        before: Column | None = None
        for scan, of_scan in groupby(sorted(steps, key=lambda step: step[0].scan_id), key=lambda step: step[0].scan_id):
            listed = list(of_scan)
            for entry, fact in listed:
                state = fact.after or {}
                current.pop(entry.entity, None)
                if state.get("is_current"):
                    current[entry.entity] = columns.get(state["definition_id"])
            after = next((column for column in current.values() if column), None)
            if before != after:
                name = f"{topic}.{path_name(path)}"
                rows += _column_rows(scan, listed[0][0].finished, cluster, name, before, after)
            before = after
    return sorted(rows, key=_order)


def graph_history(conn: Connection, nodes: Collection[NodeRow], others: Collection[NodeRow] = ()) -> list[HistoryRow]:
    """Return how nodes and the edges at them changed in the graphs; of *others* only edges between both are listed."""
    versions = graph_versions(conn)
    if not versions:
        return []
    finished = {version.scan: version.finished for version in versions}
    keys = {node.node_key for node in nodes}
    ends = {node.node_key for node in others}
    rows = [] if others else _node_rows(conn, nodes, versions[0].scan)
    for edge in _edge_versions(conn, keys):
        if edge.kind != "contains" and (not ends or {edge.source_key, edge.target_key} <= keys | ends):
            rows += _edge_rows(edge)
    return sorted((row._replace(finished=finished.get(row.scan)) for row in rows), key=_order)


def _entries(conn: Connection, names: Collection[str]) -> Iterator[tuple[str, list[Any]]]:
    """Yield the entries of the log that have one of *names* in their entity, by cluster."""
    if not names:
        return
    log, scan = t.change_log.c, t.scan.c
    alike = or_(*(log.entity.contains(json_cell(name), autoescape=True) for name in sorted(names)))
    columns = (log.entity_kind, log.entity, log.scan_id, log.action, log.after_json, scan.finished)
    query = select(t.cluster.c.name.label("cluster"), *columns).select_from(t.change_log)
    query = query.join(t.scan, scan.id == log.scan_id).join(t.cluster, t.cluster.c.id == scan.cluster_id)
    query = query.where(alike).order_by(t.cluster.c.name, log.entity_kind, log.entity, log.scan_id, log.ordinal)
    wanted = frozenset(names)
    rows = (row for row in conn.execute(query) if not wanted.isdisjoint(map(str, json.loads(row.entity))))
    for cluster, entries in groupby(rows, key=lambda row: str(row.cluster)):
        yield cluster, list(entries)


def _steps(entries: Iterable[Any]) -> Iterator[tuple[Any, Replayed]]:
    """Yield each entry with its fact before and after it."""
    for (kind, entity), of_fact in groupby(entries, key=lambda entry: (entry.entity_kind, entry.entity)):
        state = None
        for entry in of_fact:
            after = next_state(state, entry)
            yield entry, Replayed(kind, tuple(json.loads(entity)), state, after)
            state = after


def _definitions(steps: Iterable[tuple[Any, Replayed]]) -> set[int]:
    return set(definition_keys(fact for _, fact in steps))


def _fact_rows(entry: Any, fact: Replayed, cluster: str, fingerprints: Mapping[int, str]) -> Iterator[HistoryRow]:  # noqa: ANN401 - a row
    change = fact_change(fact, fingerprints)
    if change is None:
        return
    shown = " ".join(str(part) for part in fact.name if part not in (None, "", "."))
    action = str(entry.action) if change.action in (FactAction.ADDED, FactAction.GONE) else str(change.action)
    line = HistoryRow(entry.scan_id, entry.finished, cluster, fact.kind, shown, action, "", None, None)
    yield from (
        (
            line._replace(member=attribute.name, before=attribute.before, after=attribute.after)
            for attribute in change.attributes
        )
        if change.attributes
        else [line]
    )


def _columns_at(conn: Connection, definitions: Collection[int], path: ColumnPath) -> dict[int, Column]:
    columns_by_definition: dict[int, Column] = {}
    for chunk in in_chunks(sorted(definitions), _AT_ONCE):
        for key, columns in columns_of(conn, chunk).items():
            column = next((candidate for candidate in columns if candidate.path == path), None)
            if column is not None:
                columns_by_definition[key] = column
    return columns_by_definition


def _column_rows(
    scan: int, finished: str, cluster: str, name: str, before: Column | None, after: Column | None
) -> Iterator[HistoryRow]:
    line = HistoryRow(scan, finished, cluster, "column", name, str(Action.CHANGED), "", None, None)
    if before is None or after is None:
        action = Action.ADDED if before is None else Action.REMOVED
        shown = [None if column is None else json_cell(column.type) for column in (before, after)]
        yield line._replace(action=str(action), member="type", before=shown[0], after=shown[1])
        return
    for member in _COMPARED:
        old, new = getattr(before, member), getattr(after, member)
        if old != new:
            yield line._replace(member=member, before=json_cell(old), after=json_cell(new))


def _node_rows(conn: Connection, nodes: Collection[NodeRow], oldest: int) -> list[HistoryRow]:
    rows = []
    for chunk in in_chunks(sorted({node.node_key: node for node in nodes}.items()), _AT_ONCE):
        keys = dict(chunk)
        versions = node_versions(conn, t.flow_node_version.c.node_key.in_(sorted(keys)))
        states: dict[str, list[NodeVersion]] = {key: [] for key in keys}
        for version in versions:
            states[version.node_key].append(version)
        for key, listed in states.items():
            node = keys[key]
            line = HistoryRow(oldest, None, "", "node", key, _FIRST, "", None, node.attributes)
            rows += _state_rows(line, sorted(listed, key=lambda version: version.first_scan or 0)) or [line]
    return rows


def _state_rows(line: HistoryRow, versions: list[NodeVersion]) -> list[HistoryRow]:
    """Return when each state of a node began, and when it ended unless another one began."""
    rows = []
    before: NodeVersion | None = None
    for version in versions:
        if version.first_scan is None:
            rows.append(line._replace(after=version.attributes))
        elif before is not None and before.gone == version.first_scan:
            rows.append(line._replace(scan=version.first_scan, action=str(Action.CHANGED), member="attributes"))
            rows[-1] = rows[-1]._replace(before=before.attributes, after=version.attributes)
        else:
            rows.append(line._replace(scan=version.first_scan, action=str(Action.ADDED), after=version.attributes))
        following = [later for later in versions if later.first_scan == version.gone and version.gone is not None]
        if version.gone is not None and not following:
            ended = line._replace(scan=version.gone, action=str(Action.REMOVED))
            rows.append(ended._replace(before=version.attributes, after=None))
        before = version
    return rows


def _edge_versions(conn: Connection, keys: Collection[str]) -> Iterator[EdgeVersion]:
    edge, seen = t.flow_edge_version.c, set()
    for chunk in in_chunks(sorted(keys), _AT_ONCE):
        for version in edge_versions(conn, or_(edge.source_key.in_(chunk), edge.target_key.in_(chunk))):
            if version.id not in seen:
                seen.add(version.id)
                yield version


def _edge_rows(edge: EdgeVersion) -> Iterator[HistoryRow]:
    name = f"{edge.source_key} → {edge.target_key}"
    how = " ".join(filter(None, (edge.flow_type, edge.subtype, edge.evidence)))
    line = HistoryRow(0, None, "", edge.kind, name, "", "", None, None)
    if edge.first_scan is not None:
        yield line._replace(scan=edge.first_scan, action=str(Action.ADDED), after=how)
    if edge.gone is not None:
        yield line._replace(scan=edge.gone, action=str(Action.REMOVED), before=how)


def _order(row: HistoryRow) -> tuple[Any, ...]:
    return row.scan, row.cluster, row.kind, row.name, row.action != str(Action.REMOVED), row.member
