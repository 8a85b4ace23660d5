"""`scanner diff`: what changed between two scans, down to columns, and which readers it breaks."""

from __future__ import annotations

import click

from scanner_api.dictionary import Dictionary
from scanner_api.queries import diff as compare_scans
from scanner_api.queries import diff_document, diff_rows
from scanner_cli.options import SCAN_NUMBER, dictionary_option
from scanner_cli.output.render import format_option, show

_COLUMNS = ("topic", "side", "column", "kind", "name", "action", "before", "after", "backward", "forward", "why")


@click.command()
@click.argument("first", type=SCAN_NUMBER, metavar="SCAN")
@click.argument("second", type=SCAN_NUMBER, metavar="SCAN")
@dictionary_option
@format_option()
def diff(first: int, second: int, dictionary: Dictionary, style: str) -> None:
    """Show what changed from one scan of a cluster to another; `scanner scans` lists their numbers.

    `backward`: new readers read old data; `forward`: old readers read new data.

    \b
    Examples:
      scanner diff 11 12
      scanner diff 11 12 --format json

    Exit status 4: a scan is not known, or the two are of different clusters.
    """
    changes = compare_scans(dictionary, first, second)
    show([row._asdict() for row in diff_rows(changes)], _COLUMNS, style, document=diff_document(changes))
