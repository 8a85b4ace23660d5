"""Lineage as a tree on the terminal: one branch upstream, one downstream."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from scanner_cli.output.graph import shown_name
from scanner_cli.output.terminal import has_colours, terminal_width
from scanner_model.columns import expression_of
from scanner_model.text import visible

if TYPE_CHECKING:
    from scanner_api.questions.graph import GraphEdge, GraphNode, Lineage

_COLOURS = {"copied": "green", "renamed": "green", "computed": "yellow", "aggregated": "yellow", "masked": "magenta"}
_KINDS = {"contains": "as a whole"}
_WORDS = {
    "": "flows",
    "IDENTITY": "copied",
    "TRANSFORMATION": "computed",
    "AGGREGATION": "aggregated",
    "MASKED": "masked",
    "FILTER": "filters",
    "JOIN": "joins",
    "GROUP_BY": "groups",
    "SORT": "sorts",
    "WINDOW": "windows",
    "CONDITIONAL": "condition",
}


def edge_word(edge: GraphEdge, nodes: Mapping[str, GraphNode]) -> str:
    """Return what an edge does to the data in a word, as the page does: a copy under another name is renamed."""
    if edge.kind != "column-flow":
        return _KINDS.get(edge.kind, edge.kind.replace("-", " "))
    source, target = nodes[edge.source].path, nodes[edge.target].path
    if edge.subtype == "IDENTITY" and source and target and source[-1] != target[-1]:
        return "renamed"
    return _WORDS.get(edge.subtype, edge.subtype.lower().replace("_", " "))


def show_tree(traced: Lineage, *, evidence: bool = False) -> None:
    """Print the lineage as one tree upstream and one downstream; a node that is shown already is not followed again."""
    nodes = {node.id: node for node in traced.nodes}
    sides = [
        (title, ahead)
        for title, ahead in (("comes from", False), ("goes to", True))
        if _edges(traced, traced.root, ahead)
    ]
    root = Tree(Text(visible(shown_name(nodes[traced.root])), style="bold"), guide_style="dim")
    for title, ahead in sides:
        _grow(root.add(Text(title, style="italic")), traced, nodes, ahead, evidence)
    if not sides:
        root.add(Text("no known flow", style="italic"))
    width = terminal_width()
    console = Console(file=sys.stdout, width=width or 10_000, no_color=not has_colours(), highlight=False, emoji=False)
    with console.capture() as captured:
        console.print(root)
    for line in captured.get().splitlines():
        click.echo(line.rstrip())


def _expression(edge: GraphEdge, column: str) -> str:
    expression = expression_of(edge.evidence, column)
    return f"  = {visible(expression)}" if expression else ""


def _edges(traced: Lineage, node: str, ahead: bool) -> list[tuple[GraphEdge, str]]:
    """Return the edges that leave *node* in one direction, each with the node at its other end."""
    ends = ((edge, *((edge.source, edge.target) if ahead else (edge.target, edge.source))) for edge in traced.edges)
    return [(edge, end) for edge, start, end in ends if start == node]


def _grow(tree: Tree, traced: Lineage, nodes: Mapping[str, GraphNode], ahead: bool, evidence: bool) -> None:
    shown = {traced.root}
    waiting = [(tree, traced.root)]
    while waiting:
        branch, node = waiting.pop(0)
        for edge, end in _edges(traced, node, ahead):
            word = edge_word(edge, nodes)
            label = Text.assemble(visible(shown_name(nodes[end])), "  ", (word, _COLOURS.get(word, "dim")))
            if (path := nodes[edge.target].path) and not evidence:
                label.append(_expression(edge, path[-1]))
            if evidence and edge.evidence:
                label.append(f"  {visible(edge.evidence)}", style="dim")
            if end in shown and _edges(traced, end, ahead):
                label.append("  (shown above)", style="dim")
            below = branch.add(label)
            if end not in shown:
                shown.add(end)
                waiting.append((below, end))
