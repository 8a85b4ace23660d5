"""Lineage of a node: rows, a graph of networkx, text, and a drawing from left to right in notebooks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

import scanner_api
from scanner_model.columns import path_name
from scanner_model.names import dataset_address

if TYPE_CHECKING:
    import networkx
    import pandas

_COLUMNS = ("source", "target", "kind", "type", "subtype", "certainty", "evidence")
_WIDTH, _HEIGHT, _GAP_X, _GAP_Y = 180, 34, 60, 14
"""Of a card in a drawing, and between two, in pixels."""

_FITTING = 26
"""Letters of a name that fit on a card."""


class Lineage:
    """What is around *root*, the name of a node. *nodes* and *edges* are those of `scanner_api.Lineage`, the *answer*.

    *complete* is False if edges were left out, or if a job on the way could not be parsed.
    """

    def __init__(self, answer: scanner_api.Lineage) -> None:
        self.answer = answer
        self.nodes, self.edges = answer.nodes, answer.edges
        self._names = {node.id: _name(node) for node in answer.nodes}
        self.root = self._names[answer.root]
        self.complete = answer.complete and not answer.unread and not answer.partly_read

    def rows(self) -> list[dict[str, str]]:
        """Return a row for each edge, with the names that people know."""
        names = self._names
        return [
            {
                **{name: getattr(edge, name) for name in _COLUMNS},
                "source": names[edge.source],
                "target": names[edge.target],
            }
            for edge in self.edges
        ]

    def to_frame(self) -> pandas.DataFrame:
        """Return a row for each edge as a DataFrame; it needs pandas."""
        import pandas  # noqa: PLC0415 - optional

        return pandas.DataFrame(self.rows(), columns=list(_COLUMNS))

    def to_networkx(self) -> networkx.MultiDiGraph[str]:
        """Return the graph, with ids as nodes and all members as attributes; it needs networkx."""
        import networkx  # noqa: PLC0415 - optional

        graph: networkx.MultiDiGraph[str] = networkx.MultiDiGraph()
        for node in self.nodes:
            graph.add_node(
                node.id, label=self._names[node.id], kind=node.kind, namespace=node.namespace, name=node.name
            )
        for edge in self.edges:
            members = {name: getattr(edge, name) for name in _COLUMNS[2:]}
            graph.add_edge(edge.source, edge.target, **members)
        return graph

    def to_svg(self) -> str:
        """Return a drawing: data flow from left to right in one row of columns, which may be wide, and never wraps."""
        places = self._places()
        width = max(x for x, _ in places.values()) + _WIDTH + 1
        height = max(y for _, y in places.values()) + _HEIGHT + 1
        body = "".join([*self._lines(places), *self._cards(places)])
        marker = '<marker id="a" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif"'
            f' font-size="12"><defs>{marker}<path d="M0 0 8 4 0 8z" fill="#888"/></marker></defs>{body}</svg>'
        )

    def layers(self) -> Mapping[str, int]:
        """Return the column of each node in a drawing: behind those of all nodes that its data come from.

        An edge that closes a cycle, as of a retry topic, is left out of the order.
        """
        after: dict[str, dict[str, None]] = defaultdict(dict)
        for edge in self.edges:
            after[edge.source][edge.target] = None
        place = {node: at for at, node in enumerate(_targets_first(self._names, after))}
        layers = dict.fromkeys(self._names, 0)
        for node in sorted(place, key=place.__getitem__, reverse=True):
            for target in after[node]:
                if place[target] < place[node]:
                    layers[target] = max(layers[target], layers[node] + 1)
        return layers

    def _places(self) -> Mapping[str, tuple[int, int]]:
        counts: dict[int, int] = defaultdict(int)
        places = {}
        for node, layer in self.layers().items():
            places[node] = (layer * (_WIDTH + _GAP_X) + 1, counts[layer] * (_HEIGHT + _GAP_Y) + 1)
            counts[layer] += 1
        return places

    def _cards(self, places: Mapping[str, tuple[int, int]]) -> Iterator[str]:
        for node in self.nodes:
            x, y = places[node.id]
            name, width = self._names[node.id], 2 if node.id == self.answer.root else 1
            shown = name if len(name) <= _FITTING else f"…{name[1 - _FITTING :]}"
            yield (
                f'<g><title>{escape(f"{node.kind} {name}")}</title><rect x="{x}" y="{y}" width="{_WIDTH - 2}"'
                f' height="{_HEIGHT - 2}" rx="4" fill="{_COLOURS.get(node.kind, "#eee")}" stroke="#555"'
                f' stroke-width="{width}"/><text x="{x + 8}" y="{y + 21}" fill="#111">{escape(shown)}</text></g>'
            )

    def _lines(self, places: Mapping[str, tuple[int, int]]) -> Iterator[str]:
        for edge in self.edges:
            (x, y), (to_x, to_y) = places[edge.source], places[edge.target]
            x, y, to_y = x + _WIDTH, y + _HEIGHT // 2, to_y + _HEIGHT // 2
            bend = (x + to_x) // 2
            yield (
                f'<path d="M{x} {y}C{bend} {y} {bend} {to_y} {to_x} {to_y}" fill="none" stroke="#888"'
                f' marker-end="url(#a)"><title>{escape(f"{edge.kind} {edge.evidence}")}</title></path>'
            )

    def __repr__(self) -> str:
        note = "" if self.complete else ", something may be missing"
        return f"<scanner.Lineage of {self.root}: {len(self.nodes)} nodes, {len(self.edges)} edges{note}>"

    def _repr_html_(self) -> str:
        note = "" if self.complete else "<p>Something may be missing: a job on the way could not be parsed.</p>"
        return f'<div style="overflow-x:auto">{self.to_svg()}</div>{note}'


_COLOURS = {"topic": "#d9ebff", "dataset": "#e2f3df", "job": "#fff0cc", "consumer-group": "#f6e3f3"}


def _targets_first(nodes: Iterable[str], after: Mapping[str, Mapping[str, None]]) -> Iterator[str]:
    """Yield each node behind those that are reachable from it, except through an edge that closes a cycle."""
    seen: set[str] = set()
    for start in nodes:
        waiting = [] if start in seen else [(start, iter(after.get(start, ())))]
        seen.add(start)
        while waiting:
            node, targets = waiting[-1]
            target = next((each for each in targets if each not in seen), None)
            if target is None:
                waiting.pop()
                yield node
            else:
                seen.add(target)
                waiting.append((target, iter(after.get(target, ()))))


def _name(node: Any) -> str:  # noqa: ANN401 - a node of scanner_api
    """Return the name that lists print; a dataset outside of Kafka begins with its server."""
    name = dataset_address(f"{node.cluster or node.namespace}/{node.name}") if node.kind == "dataset" else node.name
    return f"{name}.{path_name(node.path)}" if node.path else str(name)
