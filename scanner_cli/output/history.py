"""Lineage over time as rows and texts: differences of two graphs, what retention deletes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from scanner_model.columns import path_name

if TYPE_CHECKING:
    from scanner_api.maintenance import PruneResult
    from scanner_api.questions.changes import Cause, FlowChange, FlowDiff, NodeChange, Relation

Json = Any

FLOW_COLUMNS = ("action", "kind", "what", "before", "after", "cause")


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
