"""Lineage over time as rows and texts: differences of two graphs, what retention deletes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from scanner_model.columns import path_name

if TYPE_CHECKING:
    from scanner_api.graph.history import HistoryRow
    from scanner_api.maintenance import PruneResult
    from scanner_api.questions.changes import Cause, FlowChange, FlowDiff, NodeChange, Relation

Json = Any

FLOW_COLUMNS = ("action", "kind", "what", "before", "after", "cause")


HISTORY_COLUMNS = ("scan", "when", "cluster", "change")


def history_rows(rows: Sequence[HistoryRow]) -> list[dict[str, Json]]:
    """Return the lines of a table: what each scan changed of a node, in words.

    The node of a fact is left out, and so is the link of a topic to a schema: the fact says both.
    """
    stated = {row.scan for row in rows if row.cluster}
    return [
        {"scan": row.scan, "when": _minute(row.finished), "cluster": row.cluster, "change": words}
        for row in rows
        if not (row.kind == "has-schema" or (row.kind == "node" and row.scan in stated))
        and (words := _history_words(row))
    ]


def _history_words(row: HistoryRow) -> str:
    kind = row.kind.replace("_", " ").replace("-", " ")
    if row.member == "definition":
        return f"{kind} {row.name}: its text changed"
    if not row.cluster:
        effect = f" ({row.before or row.after})" if row.kind == "column-flow" else ""
        return f"{'' if row.kind == 'node' else kind} {_names(row.name)} {row.action}{effect}".strip()
    name = " ".join(part for part in row.name.split(" ") if not part.startswith(_SOURCES))
    if row.member:
        values = [_value(value) for value in (row.before, row.after) if value is not None]
        shown = f"{row.member} " + " → ".join(values) if len(values) == 2 else f"{row.action} ({', '.join(values)})"
        return f"{kind} {name} {shown}"
    return f"{kind} {name} {row.action}"


_SOURCES = ("schema_registry:", "kafka:", "connect:", "manual:", "repository:", "flink:")


def _names(text: str) -> str:
    """Return the names of the nodes that keys stand for, without their kinds and hosts."""
    return " → ".join(_node_name(key) for key in text.split(" → "))


def _node_name(key: str) -> str:
    place = _short(key)
    return (place.partition("://")[2].partition("/")[2] if "://" in place else place).replace("#", ".")


def _minute(time: str | None) -> str:
    return (time or "")[:16].replace("T", " ")


def _value(text: str) -> str:
    """Return a stored JSON value for people; other texts unchanged."""
    try:
        return _text(json.loads(text))
    except ValueError:
        return text


def flow_rows(changes: FlowDiff) -> list[dict[str, Json]]:
    """Return the lines of a table: nodes, then edges."""
    return [*map(_node_row, changes.nodes), *map(_edge_row, changes.edges)]


def prune_lines(result: PruneResult, *, dry_run: bool) -> Iterator[str]:
    """Yield what goes, and what is kept, for people."""
    verb = "would be deleted" if dry_run else "deleted"
    for plan in result.clusters:
        numbers = f"scans {plan.removed[0]} to {plan.removed[-1]}" if plan.removed else "no scan"
        yield f"{plan.name}: {numbers} {verb}; history begins with scan {plan.oldest}"
    if result.graphs:
        yield f"graphs of {len(result.graphs)} scans {verb}: {', '.join(map(str, result.graphs))}"
    rows = ", ".join(f"{count} {table}" for table, count in result.rows)
    yield f"rows {verb}: {rows or 'none'}"


def prune_document(result: PruneResult, *, dry_run: bool) -> Json:
    """Return what goes, and what is kept."""
    clusters = [
        {"name": cluster.name, "removed": list(cluster.removed), "oldest": cluster.oldest}
        for cluster in result.clusters
    ]
    return {"dry_run": dry_run, "clusters": clusters, "graphs": list(result.graphs), "rows": dict(result.rows)}


def _node_row(change: NodeChange) -> dict[str, Json]:
    path = tuple(json.loads(change.node.path)) if change.node.path else ()
    name = f"{change.node.name}.{path_name(path)}" if path else change.node.name or _short(change.node.id)
    before, after = change.before or {}, change.after or {}
    differing = sorted(key for key in before.keys() | after.keys() if before.get(key) != after.get(key))
    both = change.before is not None and change.after is not None
    old, new = ([f"{key} {_text(state.get(key))}" for key in differing] if both else [] for state in (before, after))
    return _row(str(change.action), change.node.kind, name, ", ".join(old), ", ".join(new), change.cause)


def _edge_row(change: FlowChange) -> dict[str, Json]:
    what = f"{_short(change.source)} → {_short(change.target)}"
    before, after = (_relation(relation) for relation in (change.before, change.after))
    return _row(str(change.action), change.kind, what, before, after, change.cause)


def _row(action: str, kind: str, what: str, before: str, after: str, cause: Cause | None) -> dict[str, Json]:
    values = {"action": action, "kind": kind, "what": what, "before": before, "after": after}
    return values | {"cause": _cause_text(cause)}


def _cause_text(cause: Cause | None) -> str:
    if cause is None:
        return ""
    name = " ".join(str(part) for part in cause.name if part not in (None, "", "."))
    members = f" ({', '.join(cause.members)})" if cause.members else ""
    return f"{cause.kind} {name} {cause.action}{members}"


def _relation(relation: Relation | None) -> str:
    return " ".join(filter(None, relation[:3])) if relation else ""


def _short(key: str) -> str:
    return key.partition(":")[2]


def _text(value: Json) -> str:
    return "-" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
