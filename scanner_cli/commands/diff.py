"""`scanner diff`, `scanner history`: what changed between two scans, and of one thing over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from scanner_cli import library
from scanner_cli.console import echo_err
from scanner_cli.options import cluster_option, dictionary_option
from scanner_cli.output.history import FLOW_COLUMNS, HISTORY_COLUMNS, flow_rows
from scanner_cli.output.render import Format, format_option, narrow, show

if TYPE_CHECKING:
    from scanner_api.dictionary import Dictionary

_COLUMNS = ("topic", "side", "column", "kind", "name", "action", "before", "after", "backward", "forward", "why")


@click.command()
@click.argument("first", metavar="SCAN|DATE")
@click.argument("second", metavar="SCAN|DATE")
@click.option(
    "--flows", is_flag=True, help="Compare the graphs of both scans: nodes and flows, with the cause of each."
)
@cluster_option
@dictionary_option
@format_option()
def diff(first: str, second: str, flows: bool, cluster: str | None, dictionary: Dictionary, style: str) -> None:
    """Show what changed from one scan of a cluster to another; `scanner scans` lists their numbers.

    A date or time means the newest scan that was finished then, of --cluster where several were scanned.

    `backward`: new readers read old data; `forward`: old readers read new data.

    --flows shows the nodes and flows of the graph that were added, removed or changed, and which connector, statement
    or schema caused it; a table or CSV has these only, JSON has both. It needs a graph of each scan: run
    `scanner dataflow` after each `scanner extract`.

    \b
    Examples:
      scanner diff 11 12
      scanner diff 11 12 --format json
      scanner diff 2026-11-15 today
      scanner diff 11 12 --flows

    Exit status 4: a scan is not known, the two are of different clusters, or the graph of one is not known.
    """
    numbers = library.scan_numbers(dictionary, first, second, cluster=cluster)
    if flows and style != Format.JSON:
        show(flow_rows(library.diff_flows(dictionary, *numbers)), FLOW_COLUMNS, style)
        return
    changes = library.diff(dictionary, *numbers)
    if flows:
        flow_changes = library.flows_document(library.diff_flows(dictionary, *numbers))
        show([], (), style, document=library.diff_document(changes) | {"flows": flow_changes})
        return
    show(
        [row._asdict() for row in library.diff_rows(changes)], _COLUMNS, style, document=library.diff_document(changes)
    )


@click.command()
@click.argument("node")
@click.argument("target", required=False)
@dictionary_option
@format_option()
def history(node: str, target: str | None, dictionary: Dictionary, style: str) -> None:
    """Show the history of NODE, one line for each change, the oldest first; with TARGET, of the flows between both.

    NODE is named as in `scanner lineage`, also one that exists no more; or it is a subject, a connector, a statement.
    Facts are shown as `scanner diff` names them, a column with what differs in the topic's current schemas. Lines of
    kind `node`, and of edges such as `reads` and `column-flow`, are from the graphs that `scanner dataflow` generated:
    their scan is the first whose graph differs. `known` and `first known` begin what the dictionary remembers.

    \b
    Examples:
      scanner history orders
      scanner history orders.customer.id
      scanner history orders-value --format json
      scanner history orders.id invoices.order_id

    Exit status: 2 several nodes have the name; 4 no scan has seen it.
    """
    rows = library.history(dictionary, node, target)
    listed = [row._asdict() for row in rows]
    columns = narrow(HISTORY_COLUMNS, listed, style, ("cluster", "member", "before"))
    show(listed, columns, style, document={"node": node, "target": target, "history": library.document(rows)})
    if not rows:
        echo_err(f"note: no change of the flows from {node!r} to {target!r} is known")
