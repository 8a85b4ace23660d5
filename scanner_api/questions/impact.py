"""The question what is affected if a node of the generated graph is renamed or dropped.

*node* and *as_of*, and the errors, are those of `scanner_api/questions/graph.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated

from dataflow_generator.query.impact import Affected
from dataflow_generator.stored.impact import Impact, column_node, impact_of, node_path
from dataflow_generator.stored.people import People
from scanner_api.dictionary import Dictionary
from scanner_api.graph.open import GraphSource, find_node, open_graph
from scanner_api.questions.graph import FieldUser, GraphEdge, Hops, graph_edge, users_of_column
from scanner_api.questions.question import AsOf, Cursor, Node, Parameter, read_cursor, write_cursor
from scanner_dictionary.graph.reader import GraphReader, SqlGraphReader
from scanner_dictionary.graph.store import EdgeRow, NodeRow
from scanner_model.columns import ColumnPath, path_name
from scanner_model.memory import uncollected
from scanner_model.text import csv_row

_ACTORS = ("job", "consumer-group")
_Subjects = Mapping[str, set[tuple[int, ColumnPath | None]]]
"""Nodes, with the path of a column, by kind."""

IMPACT_COLUMNS = ("kind", "namespace", "name", "column", "use", "steps", "through")


@dataclass(frozen=True, slots=True)
class AffectedNode:
    """A node that is affected; *use* is copies, computes, depends, unknown, made or writes.

    *through* are the ids of jobs, *way* the edges that lead there; None where they were not asked for. *cluster* is as
    in `GraphNode`. *groups* are the consumer groups through which a job reads; they do not count beside it.
    """

    id: str
    kind: str
    namespace: str
    name: str
    path: tuple[str, ...] | None
    use: str
    steps: int
    through: tuple[str, ...]
    way: tuple[GraphEdge, ...] | None = None
    cluster: str = ""
    owner: str = ""
    last_seen: str = ""
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ImpactList:
    """What is affected if *root*, a node's id, is renamed or dropped: jobs and groups first, then the nearest.

    *sentence* says in one line what is affected and whom to ask, of all pages together.
    *counts* are of all that is affected, by kind and use; *left_out* counts what comes after this page, which
    *next_cursor* continues, and *complete* is False where anything does. *scan* is the newest scan that the graph is
    of, None for a graph in files. *field_users* are the programs whose source code uses the column *root*, or may use
    all fields of its topic.
    """

    root: str
    scan: int | None
    sentence: str
    complete: bool
    affected: tuple[AffectedNode, ...]
    counts: Mapping[str, Mapping[str, int]]
    left_out: int
    column_suggestions: tuple[str, ...]
    notes: tuple[str, ...]
    next_cursor: str | None = None
    field_users: tuple[FieldUser, ...] = ()


def impact(
    graph: GraphSource | Dictionary,
    node: Node,
    *,
    hops: Hops = None,
    way: Annotated[bool, Parameter("Also the edges that lead to each.", option=None)] = False,
    limit: Annotated[
        int | None, Parameter("How many affected nodes a page has at most.", least=1, most=10_000, option=None)
    ] = None,
    cursor: Cursor = None,
    as_of: AsOf = None,
) -> ImpactList:
    """Return what is affected, in at most *hops* steps, if *node* is renamed or dropped.

    Jobs and consumer groups, whose owners are to be asked, come first; then the rest; each the nearest first.

    >>> [affected.steps for affected in impact(dictionary, "orders").affected]
    """
    # A hub affects thousands, which live until all is counted: collecting garbage meanwhile doubles the time.
    with uncollected():
        return _impact(GraphSource.of(graph, as_of), node, hops, way, limit, cursor)


def _impact(
    graph: GraphSource, node: str, hops: int | None, way: bool, limit: int | None, cursor: str | None
) -> ImpactList:
    (start,) = read_cursor(cursor, int) if cursor else (0,)
    with open_graph(graph) as opened:
        root, notes = find_node(opened.rows, node, "node")
        found = impact_of(opened.rows, root, node, hops)
        names = opened.rows.system_names()
        users = users_of_column(opened.rows, root, node)
        end = len(found.affected) if limit is None else max(start, 0) + limit
        listed = sorted(found.affected, key=lambda each: bool(each.path) or found.nodes[each.node].kind not in _ACTORS)
        listed = listed[max(start, 0) : end]
        ways = _way_nodes(opened.rows, listed) if way else None
        subjects = _subjects(found)
        people_at = {node for nodes in subjects.values() for node, _ in nodes}
        owners = _owners(opened.rows, found, people_at | {reached.node for reached in listed})
        counts: dict[str, dict[str, int]] = {}
        for (kind, use), count in Counter((_kind(found, reached), reached.use) for reached in found.affected).items():
            counts.setdefault(kind, {})[use.name.lower()] = count
        left_out = max(0, len(found.affected) - end)
        return ImpactList(
            root=found.root.node_key,
            scan=opened.about.last_scan,
            sentence=_sentence(found, subjects, names, owners),
            complete=not left_out,
            affected=_affected(found, listed, names, owners, ways),
            counts=counts,
            left_out=left_out,
            column_suggestions=found.column_suggestions,
            notes=notes,
            next_cursor=write_cursor(end) if left_out else None,
            field_users=users,
        )


_NOUNS = {
    "job": "job",
    "consumer-group": "consumer group",
    "topic": "topic",
    "dataset": "dataset",
    "catalog-table": "table",
    "column": "column",
}


def _kind(found: Impact, reached: Affected[int, EdgeRow]) -> str:
    return "column" if reached.path else found.nodes[reached.node].kind


def _owners(rows: object, found: Impact, keys: Iterable[int]) -> Mapping[int, tuple[str, str]]:
    """Return the owner and last observation of each of the nodes *keys*; none for a graph in files."""
    if not isinstance(rows, SqlGraphReader):
        return {}
    people = People(rows.conn)
    nodes = {key: found.nodes[key] for key in keys}
    return {key: (people.owner_and_tags(node)[0], people.last_seen(node)) for key, node in nodes.items()}


def _subjects(found: Impact) -> _Subjects:
    """Return what the sentence is about, by kind: jobs and consumer groups, or else data."""
    of_kind: dict[str, set[tuple[int, ColumnPath | None]]] = {}
    for reached in found.affected:
        of_kind.setdefault(_kind(found, reached), set()).add((reached.node, reached.path))
    actors = {kind: of_kind[kind] for kind in _ACTORS if kind in of_kind}
    return actors or {kind: of_kind[kind] for kind in _NOUNS if kind in of_kind}


def _sentence(found: Impact, shown: _Subjects, names: Mapping[str, str], owners: Mapping[int, tuple[str, str]]) -> str:
    """Return what is affected and whom to contact, in one sentence: jobs and consumer groups, or else data."""
    root = column_name(found.root)
    if not shown:
        return f"No known job, consumer group or dataset uses {root}."
    counted = [
        f"{len(nodes)} {_NOUNS.get(kind, kind)}{'' if len(nodes) == 1 else 's'}" for kind, nodes in shown.items()
    ]
    keys = {node for nodes in shown.values() for node, _ in nodes}
    systems = {names.get(found.nodes[key].namespace) or found.nodes[key].namespace for key in keys}
    where = "1 system" if len(systems) == 1 else f"{len(systems)} systems"
    return f"{root}: a change affects {' and '.join(counted)} in {where}{_contacts(keys, owners)}."


def _contacts(keys: Iterable[int], owners: Mapping[int, tuple[str, str]]) -> str:
    known = [owners.get(key, ("", ""))[0] for key in keys]
    teams = sorted({owner for owner in known if owner})
    unknown = sum(not owner for owner in known)
    if not teams:
        return "; no owner is known"
    return f"; ask {', '.join(teams)}" + (f" ({unknown} without a known owner)" if unknown else "")


def _way_nodes(rows: GraphReader, listed: Iterable[Affected[int, EdgeRow]]) -> Mapping[int, NodeRow]:
    """Return the nodes on the ways to what is listed."""
    return rows.nodes_of({end for reached in listed for hop in reached.route for end in (hop.source, hop.target)})


def column_name(node: NodeRow) -> str:
    """Return the name of a node as people write it, a column's below that of its dataset."""
    path = node_path(node)
    return f"{node.name}.{path_name(path)}" if path else node.name


def _affected(
    found: Impact,
    listed: Iterable[Affected[int, EdgeRow]],
    names: Mapping[str, str],
    owners: Mapping[int, tuple[str, str]],
    ways: Mapping[int, NodeRow] | None,
) -> tuple[AffectedNode, ...]:
    rows = []
    for reached in listed:
        node = found.nodes[reached.node]
        node = column_node(node, reached.path) if reached.path else node
        rows.append(
            AffectedNode(
                *(node.node_key, node.kind, node.namespace, node.name, node_path(node)),
                use=reached.use.name.lower(),
                steps=reached.steps,
                through=tuple(found.nodes[job].node_key for job in reached.through),
                way=None if ways is None else tuple(graph_edge(hop.edge, ways) for hop in reached.route),
                cluster=names.get(node.namespace, ""),
                owner=owners.get(reached.node, ("", ""))[0],
                last_seen=owners.get(reached.node, ("", ""))[1],
                groups=tuple(sorted(found.nodes[group].name for group in reached.groups)),
            )
        )
    return tuple(rows)


def impact_csv(dictionary: Dictionary, node: Node, *, hops: Hops = None, as_of: AsOf = None) -> str:
    """Return what is affected as CSV, one line a node.

    >>> impact_csv(dictionary, "orders").splitlines()[0]
    """
    rows = (
        (each.kind, each.namespace, each.name, path_name(each.path or ()), each.use, each.steps, " ".join(each.through))
        for each in impact(dictionary, node, hops=hops, as_of=as_of).affected
    )
    return "".join(map(csv_row, (IMPACT_COLUMNS, *rows)))
