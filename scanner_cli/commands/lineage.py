"""`scanner lineage`: where the data of a node come from, and where they go."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from scanner_cli.console import echo_err
from scanner_cli.graph.open import GraphPlace, find_node, graph_options, open_graph
from scanner_cli.output.graph import edge_document, edge_row, node_document, shown_name
from scanner_cli.output.impact import SHOWN, Impact, impact_document, impact_of, impact_rows, impact_sentence
from scanner_cli.output.render import Format, format_option, show
from scanner_model.errors import InputInvalid

if TYPE_CHECKING:
    from dataflow_generator.analysis.connectivity import Component
    from dataflow_generator.query.traversal import Hop
    from scanner_dictionary.graph.reader import GraphReader
    from scanner_dictionary.graph.store import EdgeRow, NodeRow

_SIZES = {"topic": "topics", "dataset": "datasets", "job": "jobs", "consumer-group": "groups"}
_STEP = ("from", "how", "to", "certainty")

_WAYS = {
    "upstream": "Only where its data come from.",
    "downstream": "Only where its data go.",
    "both": "Both ways, which is the default; --upstream and --downstream together are that, too.",
    "impact": "What is affected if NODE is renamed or dropped, and how.",
    "components": "What hangs together in the whole graph, without NODE.",
}
_APART = ("impact", "components")


def _way_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command a flag for each way to look, as its argument *way*."""

    @wraps(command)
    def with_way(**told: object) -> object:
        way = _way([each for each in _WAYS if told.pop(each)])
        return command(way=way, **told)

    for name, text in reversed(_WAYS.items()):
        with_way = click.option(f"--{name}", is_flag=True, help=text)(with_way)
    return with_way


def _way(named: Sequence[str]) -> str:
    """Return the way of the flags *named*; raises InputInvalid where they ask two things."""
    if len(named) > 1 and not set(named).isdisjoint(_APART):
        what = f"{' and '.join(f'--{each}' for each in named)} are different questions"
        raise InputInvalid(what, where="scanner lineage", hint="ask one of them at a time")
    return named[0] if len(named) == 1 else "both"


@click.command()
@click.argument("node", metavar="[NODE]", default="")
@_way_options
@click.option("--columns", is_flag=True, help="Flows of its columns, too.")
@click.option("--depth", type=click.IntRange(1), metavar="N", help="At most N steps each way; else to the end.")
@click.option("--evidence", is_flag=True, help="In the table: why each step is believed. JSON always tells.")
@graph_options
@format_option(Format.TABLE, Format.JSON)
def lineage(
    node: str, way: str, columns: bool, depth: int | None, evidence: bool, place: GraphPlace, style: str
) -> None:
    """Show where the data of NODE come from and where they go, a step a line, the nearest first.

    NODE is a topic, another dataset, a job, a consumer group, or a column: its name, its namespace and name, or its id
    in graph.json. Any broker's address will do, so will a table's name without database and schema. The answer is of
    the graph that `scanner dataflow` generated last.

    --impact lists jobs, topics, other datasets and columns, each with its closest use of NODE along the whole way:
    copies (unchanged), computes, depends (filters, joins, groups by it, reads as this group), unknown (reads it, which
    columns nobody tells), made (NODE writes it), writes (into NODE). Columns are always among them.

    \b
    Examples:
      scanner lineage orders
      scanner lineage orders.customer.id --downstream --evidence
      scanner lineage kafka://kafka-1:9092/orders --columns --format json
      scanner lineage nightly-invoicing --upstream --depth 1
      scanner lineage orders.customer.id --impact
      scanner lineage orders --graph flow
      scanner lineage --components

    Exit status: 2 several nodes have the name; 4 none has it, or no graph was generated yet.
    """
    _check_asked(node, way)
    with open_graph(place) as graph:
        if way == "components":
            _show_components(graph.components(), style)
            return
        root = find_node(graph.rows, node, "scanner lineage")
        beside = _beside(graph.rows, root, node)
        if way == "impact":
            _show_impact(impact_of(graph.rows, root, node, depth), evidence, style)
        else:
            from dataflow_generator.query.stored_graph import stored_lineage
            from dataflow_generator.query.traversal import TraversalOptions

            question = TraversalOptions(
                upstream=way != "downstream", downstream=way != "upstream", columns=columns, depth=depth
            )
            _show_steps(root, *stored_lineage(graph.rows, root, question), evidence, style)
    if beside:
        echo_err(f"note: there are flows of {', '.join(beside)}")


def _check_asked(node: str, way: str) -> None:
    if way == "components" and node:
        raise InputInvalid("--components are those of the whole graph", where="scanner lineage", hint="without NODE")
    if way != "components" and not node:
        raise InputInvalid("of which node?", where="scanner lineage", hint="scanner lineage NODE, or --components")


def _show_components(found: Sequence[Component], style: str) -> None:
    rows = [
        {"component": each.name, "nodes": each.nodes} | {name: each.sizes.get(kind, 0) for kind, name in _SIZES.items()}
        for each in found
    ]
    show(rows, ("component", "nodes", *_SIZES.values()), style)
    echo_err(f"{len(found)} components")


def _show_steps(
    root: NodeRow, hops: Sequence[Hop[int, EdgeRow]], nodes: Mapping[int, NodeRow], evidence: bool, style: str
) -> None:
    if not hops:
        echo_err(f"note: no such flow of {shown_name(root)!r} is known")
    document = {
        "root": root.node_key,
        "nodes": [node_document(each) for each in nodes.values()],
        "edges": [edge_document(hop.edge, nodes) for hop in hops],
    }
    shown = (*_STEP, "evidence") if evidence else _STEP
    show([edge_row(hop.edge, nodes) for hop in hops], shown, style, document=document)


def _show_impact(found: Impact, evidence: bool, style: str) -> None:
    shown = (*SHOWN, "evidence") if evidence else SHOWN
    show(impact_rows(found), shown, style, document=impact_document(found))
    echo_err(f"affected: {impact_sentence(found)}")


def _beside(graph: GraphReader, root: NodeRow, text: str) -> tuple[str, ...]:
    """Return the columns in flows around a column: what a structure's parts do is told of the parts."""
    from scanner_dictionary.queries.graph_nodes import columns_around

    return columns_around(graph, text) if root.kind == "column" else ()
