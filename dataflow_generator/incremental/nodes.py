"""The nodes above the schemas as they are stored, and room for new ones among them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from dataflow_generator.build.store import node_row
from dataflow_generator.graph import Edge, Node, NodeKind
from dataflow_generator.incremental.keys import Line, Unrenewable
from scanner_dictionary.graph import update as graph_changes
from scanner_dictionary.graph.store import NodeRow
from scanner_dictionary.graph.update import UpperNode
from scanner_dictionary.lineage_inputs.topics import Connection

CLUSTERS, TOPICS, DATASETS, JOBS, COLUMNS = range(5)
_KINDS: Mapping[str, int] = {
    NodeKind.CLUSTER: CLUSTERS,
    NodeKind.TOPIC: DATASETS,
    NodeKind.DATASET: DATASETS,
}


@dataclass(slots=True)
class Upper:
    """The nodes above the schemas by key, and where new ones go; *touched* are nodes that lost or won an edge.

    *columns* are the numbers of columns in flows, *nodes* are all others. *fresh* are new columns, each with the key of
    its topic or dataset.
    """

    conn: Connection
    nodes: dict[str, UpperNode]
    columns: dict[str, int]
    line: Line
    touched: set[int] = field(default_factory=set)
    fresh: dict[int, str] = field(default_factory=dict)

    def place(self, section: int, wanted: Mapping[Any, Node]) -> None:
        """Add nodes, by what they are sorted by."""
        numbers = self.line.insert(section, wanted)
        rows = [node_row(numbers[sort], node) for sort, node in wanted.items()]
        graph_changes.add_rows(self.conn, sorted(rows, key=_number))
        self._know(rows)

    def move(self, section: int, sort: Any, node: Node) -> int:  # noqa: ANN401 - what a section is sorted by
        """Put a node into another section, with all its edges; gives its new number."""
        row = node_row(self.line.insert(section, [sort])[sort], node)
        graph_changes.move_node(self.conn, self.number(node.key), row)
        self._know([row])
        return row.id

    def remove(self, keys: Iterable[str]) -> None:
        """Take away nodes that have no edges."""
        listed = list(keys)
        numbers = sorted(map(self.number, listed))
        for key in listed:
            if self.columns.pop(key, None) is None:
                del self.nodes[key]
        graph_changes.delete_spans(self.conn, [(number, number) for number in numbers], nodes=True)

    def number(self, key: str) -> int:
        """Return the stored key of a node; raises Unrenewable where it is not there."""
        if (number := self.columns.get(key)) is not None:
            return number
        if key not in self.nodes:
            raise Unrenewable
        return self.nodes[key].id

    def numbers(self, edges: Iterable[Edge]) -> dict[str, int]:
        """Return the stored keys of the nodes at the ends of *edges*, as far as they are there."""
        ends = {end for edge in edges for end in (edge.source, edge.target)}
        return {key: self.number(key) for key in ends if key in self.columns or key in self.nodes}

    def _know(self, rows: Iterable[NodeRow]) -> None:
        for row in rows:
            if row.kind == NodeKind.COLUMN:
                self.columns[row.node_key] = row.id
                continue
            self.nodes[row.node_key] = UpperNode(row.id, row.node_key, row.kind, row.namespace, row.name)


def read_upper(conn: Connection, before: Iterable[str], now: Iterable[str]) -> Upper:
    """Read what is there; the topics of clusters *before* and *now*, by key, are a section of their own.

    Raises Unrenewable where the nodes are not what this program wrote.
    """
    nodes = {node.node_key: node for node in graph_changes.upper_nodes(conn)}
    columns = dict(graph_changes.column_numbers(conn))
    topics = dict(_topics_in_order(nodes, frozenset(before), topic_sorts(now)))
    sections: list[tuple[list[Any], list[int]]] = [([], []) for _ in range(COLUMNS)]
    for key, node in nodes.items():
        section = TOPICS if key in topics else _KINDS.get(node.kind, JOBS)
        sort = topics[key] if section == TOPICS else dataset_sort(node) if section == DATASETS else key
        sorts, numbers = sections[section]
        sorts.append(node.id if section == CLUSTERS else sort)
        numbers.append(node.id)
    return Upper(conn, nodes, columns, Line([*sections, (columns, columns.values())]))


def topic_sorts(topics: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Return what topics are sorted by: their places now, and behind each of them room for those that are no more."""
    return {key: (place, 0) for place, key in enumerate(topics)}


def dataset_sort(node: Node | UpperNode) -> tuple[str, str, str]:
    """Return what datasets are sorted by."""
    return str(node.kind), node.namespace, node.name


def _topics_in_order(
    nodes: Mapping[str, UpperNode], before: frozenset[str], now: Mapping[str, tuple[int, int]]
) -> Iterator[tuple[str, tuple[int, int]]]:
    last = (-1, 0)
    for key in nodes:
        if key in before:
            last = now.get(key, (last[0], last[1] + 1))
            yield key, last


def _number(row: NodeRow) -> int:
    return row.id
