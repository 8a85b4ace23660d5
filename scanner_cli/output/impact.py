"""What `scanner lineage --impact` answers: what is affected, grouped, as JSON members and as rows of a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scanner_cli.output.graph import edge_document, node_document, node_path, shown_name
from scanner_model.errors import InputInvalid

if TYPE_CHECKING:
    from dataflow_generator.query.impact import Affected, Root, Spot
    from dataflow_generator.query.neighbourhood import Step
    from dataflow_generator.query.traversal import Hop
    from scanner_dictionary.graph.reader import GraphReader
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Impact:
    """What is affected, with all nodes that it names."""

    root: NodeRow
    affected: tuple[Affected[int, EdgeRow], ...]
    nodes: Mapping[int, NodeRow]


def impact_of(graph: GraphReader, node: NodeRow, text: str, depth: int | None = None) -> Impact:
    """Query what is affected, in at most *depth* steps, if *node*, which is called *text*, is renamed or dropped."""
    from dataflow_generator.query.impact import Asked, Spot, impact
    from dataflow_generator.query.neighbourhood import Step
    from dataflow_generator.query.traversal import Hop

    def ahead(nodes: Sequence[int], forward: bool, kinds: frozenset[str]) -> Iterable[Hop[int, EdgeRow]]:
        for row in graph.edges_at(nodes, forward=forward, kinds=kinds):
            yield Hop(row.source_node_id, row.target_node_id, row.kind, row)

    def spots(keys: Iterable[int]) -> Mapping[int, Spot]:
        rows = graph.nodes_of(keys).values()
        return {row.id: Spot(row.kind, row.name, node_path(row)) for row in rows}

    def step(edge: EdgeRow) -> Step:
        return Step(edge.flow_type, edge.subtype, edge.evidence)

    root = _root(graph, node, text)
    found = impact(root, Asked(ahead=ahead, spots=spots, step=step))
    affected = tuple(each for each in found if depth is None or each.steps <= depth)
    ends = (end for each in affected for hop in each.way for end in (hop.source, hop.target))
    jobs = (job for each in affected for job in each.through)
    nodes = graph.nodes_of({root.node, *(each.node for each in affected), *ends, *jobs})
    start = _column(nodes[root.node], root.path) if root.path else nodes[root.node]
    return Impact(root=start, affected=affected, nodes=nodes)


def impact_document(found: Impact) -> dict[str, Json]:
    """Return what is affected by kind, the nearest first."""
    groups: dict[str, list[Json]] = {name: [] for name in _GROUPS.values()}
    for each in found.affected:
        node = _node(each, found)
        groups.setdefault(_GROUPS.get(node.kind, f"{node.kind}s"), []).append(
            node_document(node)
            | {
                "use": each.use.name.lower(),
                "steps": each.steps,
                "through": [found.nodes[job].node_key for job in each.through],
                "way": [edge_document(hop.edge, found.nodes) for hop in each.way],
            }
        )
    return {"root": found.root.node_key, "affected": groups}


def impact_rows(found: Impact) -> list[dict[str, Json]]:
    """Return a row for each, jobs first and columns last; *evidence* is that of the last step."""
    order = list(_GROUPS)
    rows = [(_node(each, found), each) for each in found.affected]
    rows.sort(key=lambda row: order.index(row[0].kind) if row[0].kind in order else len(order))
    return [
        {
            "affected": shown_name(node),
            "kind": node.kind,
            "use": each.use.name.lower(),
            "steps": each.steps,
            "through": [found.nodes[job].name for job in each.through],
            "evidence": each.way[-1].edge.evidence,
        }
        for node, each in rows
    ]


def impact_sentence(found: Impact) -> str:
    """Count what is affected, by kind and use."""
    counts: dict[str, dict[str, int]] = {}
    for each in found.affected:
        kind = _GROUPS.get(_node(each, found).kind, "others")
        uses = counts.setdefault(kind, {})
        uses[each.use.name.lower()] = uses.get(each.use.name.lower(), 0) + 1
    listed = (
        f"{sum(uses.values())} {kind} ({', '.join(f'{count} {use}' for use, count in uses.items())})"
        for kind, uses in ((kind, counts[kind]) for kind in (*_GROUPS.values(), "others") if kind in counts)
    )
    return "; ".join(listed) or "nothing is known to be affected"


def _root(graph: GraphReader, node: NodeRow, text: str) -> Root[int]:
    from dataflow_generator.query.impact import Root
    from scanner_dictionary.queries.graph_nodes import topics_with_column

    if node.kind != "column":
        return Root(node=node.id, is_job=node.kind not in ("topic", "dataset"))
    holders = [edge.source_node_id for edge in graph.edges_at([node.id], forward=False, kinds=("contains",))]
    if not node.namespace:
        topics = topics_with_column(graph, text)
        if len(topics) > 1:
            hint = "write one of these: " + ", ".join(f"{each.namespace}/{each.name}" for each in topics)
            raise InputInvalid(f"{len(topics)} topics have {text!r}", where="scanner lineage", hint=hint)
        holders = [each.id for each in topics]
    return Root(node=holders[0], path=node_path(node) or ()) if holders else Root(node=node.id)


def _node(each: Affected[int, EdgeRow], found: Impact) -> NodeRow:
    node = found.nodes[each.node]
    return _column(node, each.path) if each.path else node


def _column(dataset: NodeRow, path: tuple[str, ...]) -> NodeRow:
    """Return the node of a column; a part of a copied structure may be no node of the graph."""
    import json

    from dataflow_generator.graph import NodeKind
    from dataflow_generator.jobs.model import ColumnRef, Dataset

    key = ColumnRef(Dataset(NodeKind(dataset.kind), dataset.namespace, dataset.name), path).key
    return dataset._replace(node_key=key, kind="column", path=json.dumps(path, ensure_ascii=False))
