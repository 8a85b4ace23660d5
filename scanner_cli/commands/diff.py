"""`scanner diff`: what changed between two scans, down to columns, and which readers that breaks."""

from __future__ import annotations

import click

from scanner_cli.options import SCAN_NUMBER, dictionary_option, reading
from scanner_cli.output.render import format_option, show

_COLUMNS = ("topic", "side", "column", "kind", "name", "action", "before", "after", "backward", "forward", "why")


@click.command()
@click.argument("first", type=SCAN_NUMBER, metavar="SCAN")
@click.argument("second", type=SCAN_NUMBER, metavar="SCAN")
@dictionary_option
@format_option()
def diff(first: int, second: int, url: str, style: str) -> None:
    """Show what changed from one scan of a cluster to another; `scanner scans` lists their numbers.

    `backward`: new readers read old data; `forward`: old readers read new data.

    \b
    Examples:
      scanner diff 11 12
      scanner diff 11 12 --format json

    Exit status 4: a scan is not known, or the two are of different clusters.
    """
    from scanner_dictionary.diff import as_json, rows
    from scanner_dictionary.diff import diff as compared

    with reading(url) as conn:
        changes = compared(conn, first, second)
    show([row._asdict() for row in rows(changes)], _COLUMNS, style, document=as_json(changes))
