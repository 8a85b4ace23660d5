"""`scanner diff`: what changed between two scans, down to columns, and which readers it breaks."""

from __future__ import annotations

import click

from scanner_api.dictionary import Dictionary
from scanner_api.questions.changes import diff as compare_scans
from scanner_api.questions.changes import diff_document, diff_flows, diff_rows, flows_document, scan_numbers
from scanner_cli.options import cluster_option, dictionary_option
from scanner_cli.output.history import FLOW_COLUMNS, flow_rows
from scanner_cli.output.render import Format, format_option, show

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
    numbers = scan_numbers(dictionary, first, second, cluster=cluster)
    if flows and style != Format.JSON:
        show(flow_rows(diff_flows(dictionary, *numbers)), FLOW_COLUMNS, style)
        return
    changes = compare_scans(dictionary, *numbers)
    if flows:
        flow_changes = flows_document(diff_flows(dictionary, *numbers))
        show([], (), style, document=diff_document(changes) | {"flows": flow_changes})
        return
    show([row._asdict() for row in diff_rows(changes)], _COLUMNS, style, document=diff_document(changes))
