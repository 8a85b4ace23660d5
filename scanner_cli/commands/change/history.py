"""`scanner history`: what each scan changed of one topic, schema, column, job or flow."""

from __future__ import annotations

import click

from scanner_api.dictionary import Dictionary
from scanner_api.graph.history import history as history_of
from scanner_api.questions.documents import document
from scanner_cli.console import echo_err
from scanner_cli.options import dictionary_option
from scanner_cli.output.history import HISTORY_COLUMNS
from scanner_cli.output.render import format_option, narrow, show


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
    rows = history_of(dictionary, node, target)
    listed = [row._asdict() for row in rows]
    columns = narrow(HISTORY_COLUMNS, listed, style, ("cluster", "member", "before"))
    show(listed, columns, style, document={"node": node, "target": target, "history": document(rows)})
    if not rows:
        echo_err(f"note: no change of the flows from {node!r} to {target!r} is known")
