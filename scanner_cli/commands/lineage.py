"""`scanner lineage`: where the data of a node come from, where they go, and what a change affects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal

import click

from scanner_api.questions.table import BY_NAME
from scanner_cli import library
from scanner_cli.command import command
from scanner_cli.console import echo, echo_err
from scanner_cli.options import one_of
from scanner_cli.output.graph import edge_row, impact_document, impact_rows, shown_name
from scanner_cli.output.render import Format, format_option, narrow, show
from scanner_cli.output.tree import show_tree
from scanner_cli.questions import help_text, question_options
from scanner_cli.spark_options import graph_options
from scanner_model.errors import InputInvalid

if TYPE_CHECKING:
    from scanner_api.graph.open import GraphSource
    from scanner_api.questions.graph import Component, FieldUser, Lineage
    from scanner_api.questions.impact import ImpactList

_SIZES = {"topic": "topics", "dataset": "datasets", "job": "jobs", "consumer-group": "groups"}
_IMPACT = BY_NAME["impact"]
_STEPS = BY_NAME["lineage"].shown

_QUERIES = {
    "upstream": "Only where its data come from.",
    "downstream": "Only where its data go.",
    "both": "Both directions, the default; the same as --upstream and --downstream together.",
    "impact": "What is affected if NODE is renamed or dropped, and how.",
    "components": "The connected components of the whole graph, without NODE.",
}
_DIRECTIONS: Mapping[str, Literal["both", "upstream", "downstream"]] = {
    "both": "both",
    "upstream": "upstream",
    "downstream": "downstream",
}
_EXCLUSIVE = ("impact", "components")
_TREE = "tree"
_ALL = "all fields"
_PLACES = 3
_SCREEN = 24
"""Rows of an impact that fit on a screen of 30 lines, below the sentence and above the notes."""


def _query_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add a flag for each kind of query to a command, as its argument *query*."""

    @wraps(command)
    def with_query(**options: object) -> object:
        query = _query([name for name in _QUERIES if options.pop(name)])
        return command(query=query, **options)

    for name, text in reversed(_QUERIES.items()):
        with_query = click.option(f"--{name}", is_flag=True, help=text)(with_query)
    return with_query


def _query(flags: Sequence[str]) -> str:
    """Return the query that *flags* select; raises InputInvalid where they exclude each other."""
    if len(flags) > 1 and not set(flags).isdisjoint(_EXCLUSIVE):
        what = f"{' and '.join(f'--{flag}' for flag in flags)} exclude each other"
        raise InputInvalid(what, where="scanner lineage", hint="use one of them at a time")
    return flags[0] if len(flags) == 1 else "both"


@command()
@click.argument("node", metavar="[NODE]", default="")
@_query_options
@click.option("--columns", is_flag=True, help="Include flows of its columns.")
@click.option(
    "--depth", type=click.IntRange(1), metavar="N", help="At most N steps in each direction; else to the end."
)
@click.option("--evidence", is_flag=True, help="In the table: the evidence of each step. JSON always has it.")
@graph_options
@one_of(
    "--format",
    "style",
    words=("tree", "table", "json"),
    text="tree: one line for each step; table: one row for each edge; json: for programs.",
    default="tree",
    show_default=True,
)
def lineage(
    node: str, query: str, columns: bool, depth: int | None, evidence: bool, source: GraphSource, style: str
) -> None:
    """Show where the data of NODE comes from and where it goes, as a tree.

    NODE is a topic, another dataset, a job, a consumer group, or a column: its name, its namespace and name, or its id
    in graph.json. Any broker's address works, and so does a table's name without database and schema. The query reads
    the graph of the last scan, or with --as-of an earlier one. Every scan generates a graph, unless it ran with
    --no-graph.

    --impact lists jobs, topics, other datasets and columns, each with its closest use of NODE along the path:
    copies (unchanged), computes, depends (filters, joins, groups by it, reads as this group), unknown (reads it; which
    columns is unknown), made (NODE writes it), writes (into NODE). Columns are always included.

    \b
    Examples:
      scanner lineage orders
      scanner lineage orders.customer.id --downstream --evidence
      scanner lineage kafka://kafka-1:9092/orders --columns --format json
      scanner lineage nightly-invoicing --upstream --depth 1
      scanner lineage orders.customer.id --impact
      scanner lineage orders --graph flow
      scanner lineage orders --as-of 12
      scanner lineage orders --as-of 2026-01-31
      scanner lineage --components

    Exit status: 2 several nodes have the name; 4 none has it, no graph was generated yet, or none of --as-of.
    """
    _check_node(node, query)
    if query == "components":
        _show_components(library.components(source), style)
    elif query == "impact":
        _show_impact(library.impact(source, node, hops=depth, way=True), evidence, style)
    elif style == _TREE:
        traced = library.lineage(source, node, direction=_DIRECTIONS[query], columns=columns, hops=depth)
        _show_tree(traced, evidence)
    else:
        _show_steps(
            library.lineage(source, node, direction=_DIRECTIONS[query], columns=columns, hops=depth), evidence, style
        )


@command("impact", help=help_text(_IMPACT))
@question_options("impact", without=("as_of",))
@click.option("--columns", is_flag=True, help="In the table: every affected node, columns too, however many.")
@click.option("--evidence", is_flag=True, help="In the table: the evidence of the last step. JSON always has it.")
@graph_options
@format_option(Format.TABLE, Format.JSON)
def impact_command(node: str, hops: int | None, columns: bool, evidence: bool, source: GraphSource, style: str) -> None:
    """List what a change of *node* breaks."""
    _show_impact(library.impact(source, node, hops=hops, way=True), evidence, style, every=columns)


def _check_node(node: str, query: str) -> None:
    if query == "components" and node:
        raise InputInvalid("--components are those of the whole graph", where="scanner lineage", hint="without NODE")
    if query != "components" and not node:
        hint = "scanner lineage NODE, or --components"
        raise InputInvalid("NODE is missing", where="scanner lineage", hint=hint)


def _show_components(listed: Sequence[Component], style: str) -> None:
    rows = [
        {"component": component.name, "nodes": component.nodes}
        | {name: component.sizes.get(kind, 0) for kind, name in _SIZES.items()}
        for component in listed
    ]
    style = Format.TABLE if style == _TREE else style
    show(rows, ("component", "nodes", *_SIZES.values()), style)
    echo_err(f"{len(listed)} components")


def _show_steps(traced: Lineage, evidence: bool, style: str) -> None:
    nodes = {node.id: node for node in traced.nodes}
    if not traced.edges:
        echo_err(f"note: no such flow of {shown_name(nodes[traced.root])!r} is known")
    shown = (*_STEPS, "evidence") if evidence else _STEPS
    show([edge_row(edge, nodes) for edge in traced.edges], shown, style, document=library.document(traced))
    _print_unread(traced)


def _print_unread(traced: Lineage) -> None:
    nodes = {node.id: node for node in traced.nodes}
    if traced.unread:
        names = ", ".join(shown_name(nodes[job]) for job in traced.unread)
        echo_err(f"note: not read, so flows through them are not known: {names}")
    if traced.partly_read:
        names = ", ".join(shown_name(nodes[job]) for job in traced.partly_read)
        echo_err(f"note: read in part, so flows through them may be missing: {names}")
    _print_notes(traced.notes)
    _suggest(traced.column_suggestions)


def _show_tree(traced: Lineage, evidence: bool) -> None:
    show_tree(traced, evidence=evidence)
    _print_users(traced.field_users)
    _print_unread(traced)


def _show_impact(result: ImpactList, evidence: bool, style: str, *, every: bool = True) -> None:
    style = Format.TABLE if style == _TREE else style
    if style == Format.TABLE:
        echo(result.sentence)
        _print_users(result.field_users)
        if not result.affected:
            _print_notes(result.notes)
            return
    shown = (*_IMPACT.shown, "evidence") if evidence else _IMPACT.shown
    rows, more = (impact_rows(result), "") if every or style == Format.JSON else _first(impact_rows(result))
    show(rows, narrow(shown, rows, style, _IMPACT.optional), style, document=impact_document(result))
    if more:
        echo(f"and {more}: --columns")
    _print_notes(result.notes)
    _suggest(result.column_suggestions)


def _first(rows: Sequence[Mapping[str, Any]]) -> tuple[Sequence[Mapping[str, Any]], str]:
    """Return the rows that fit on a screen, and how many of each kind are left out.

    If not all rows fit, columns are left out first: a copied topic has as many as the original.
    """
    if len(rows) <= _SCREEN:
        return rows, ""
    kept = [row for row in rows if row["kind"] != "column"][:_SCREEN]
    left = Counter(row["kind"] for row in rows)
    left.subtract(row["kind"] for row in kept)
    return kept, ", ".join(f"{count} {kind}{'s' if count > 1 else ''}" for kind, count in left.items() if count)


def _print_users(users: Sequence[FieldUser]) -> None:
    """Print the programs whose source code uses the column that was asked for."""
    for user in users:
        fields = f" ({user.column})" if user.column.startswith(_ALL) else ""
        places = f": {', '.join(user.places[:_PLACES])}" if user.places else ""
        echo(f"{user.application} {user.use} it{fields}{places}")


def _print_notes(notes: Sequence[str]) -> None:
    for note in notes:
        echo_err(f"note: {note}")


def _suggest(columns: Sequence[str]) -> None:
    if columns:
        echo_err(f"note: there are flows of {', '.join(columns)}")
