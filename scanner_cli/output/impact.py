"""The output of `scanner lineage --impact`: what is affected, grouped by kind, as JSON and as rows of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scanner_api.graph.lineage import Impact, column_node
from scanner_cli.output.graph import edge_document, node_document, shown_name

if TYPE_CHECKING:
    from dataflow_generator.query.impact import Affected
    from scanner_dictionary.graph.store import EdgeRow, NodeRow

Json = Any
SHOWN = ("affected", "kind", "use", "steps", "through")
_GROUPS = {
    "job": "jobs",
    "consumer-group": "groups",
    "topic": "topics",
    "dataset": "datasets",
    "catalog-table": "tables",
    "column": "columns",
}


def impact_document(impact: Impact) -> dict[str, Json]:
    """Return what is affected by kind, the nearest first."""
    groups: dict[str, list[Json]] = {name: [] for name in _GROUPS.values()}
    for each in impact.affected:
        node = _node(each, impact)
        groups.setdefault(_GROUPS.get(node.kind, f"{node.kind}s"), []).append(
            node_document(node)
            | {
                "use": each.use.name.lower(),
                "steps": each.steps,
                "through": [impact.nodes[job].node_key for job in each.through],
                "way": [edge_document(hop.edge, impact.nodes) for hop in each.way],
            }
        )
    return {"root": impact.root.node_key, "affected": groups}


def impact_rows(impact: Impact) -> list[dict[str, Json]]:
    """Return a row for each, jobs first and columns last; *evidence* is that of the last step."""
    order = list(_GROUPS)
    rows = [(_node(each, impact), each) for each in impact.affected]
    rows.sort(key=lambda row: order.index(row[0].kind) if row[0].kind in order else len(order))
    return [
        {
            "affected": shown_name(node),
            "kind": node.kind,
            "use": each.use.name.lower(),
            "steps": each.steps,
            "through": [impact.nodes[job].name for job in each.through],
            "evidence": each.way[-1].edge.evidence,
        }
        for node, each in rows
    ]


def impact_summary(impact: Impact) -> str:
    """Count what is affected, by kind and use."""
    counts: dict[str, dict[str, int]] = {}
    for each in impact.affected:
        kind = _GROUPS.get(_node(each, impact).kind, "others")
        uses = counts.setdefault(kind, {})
        uses[each.use.name.lower()] = uses.get(each.use.name.lower(), 0) + 1
    listed = (
        f"{sum(uses.values())} {kind} ({', '.join(f'{count} {use}' for use, count in uses.items())})"
        for kind, uses in ((kind, counts[kind]) for kind in (*_GROUPS.values(), "others") if kind in counts)
    )
    return "; ".join(listed) or "nothing is known to be affected"


def _node(each: Affected[int, EdgeRow], impact: Impact) -> NodeRow:
    node = impact.nodes[each.node]
    return column_node(node, each.path) if each.path else node
