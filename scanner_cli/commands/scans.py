"""`scanner scans`: the scans, how the sources of one responded, and what it could not read."""

from __future__ import annotations

from typing import Any

import click

from scanner_api.dictionary import Dictionary
from scanner_api.questions import listings
from scanner_api.questions.documents import document
from scanner_cli.options import cluster_option, dictionary_option
from scanner_cli.output.render import format_option, narrow, show

_MARKS = frozenset({"unread", "hint", "reason"})
_SCANS = ("id", "cluster", "finished", "status", "added", "changed", "gone", "returned", "stale", "refused")
_OUTCOMES = ("source", "status", "requested", "received", "requests", "seconds", "reason", "hint", "unread")
_PROBLEMS = ("where", "what", "hint")

Rows = list[dict[str, Any]]
Columns = tuple[str, ...]


@click.command()
@click.argument("scan", metavar="[SCAN|DATE]", required=False)
@click.option("--problems", is_flag=True, help="What SCAN, or the newest scan, could not read or parse.")
@cluster_option
@dictionary_option
@format_option()
def scans(scan: str | None, problems: bool, cluster: str | None, dictionary: Dictionary, style: str) -> None:
    """List the scans, newest first; of one SCAN, how each source responded.

    \b
    Examples:
      scanner scans
      scanner scans 12
      scanner scans yesterday
      scanner scans 12 --problems
      scanner scans --problems --cluster retail

    Exit status 4: the scan or the cluster is not known.
    """
    rows, columns = _of_scans(dictionary, scan, problems=problems, cluster=cluster)
    show(rows, columns if columns is _SCANS else narrow(columns, rows, style, _MARKS), style)


def _of_scans(dictionary: Dictionary, scan: str | None, *, problems: bool, cluster: str | None) -> tuple[Rows, Columns]:
    number: str | int | None = scan
    if number is None:
        listed = listings.scans(dictionary, cluster=cluster)
        if not problems or not listed:
            return document(listed.items), _SCANS
        number = listed[0].id
    if problems:
        return document(listings.scan_problems(dictionary, number).items), _PROBLEMS
    return document(listings.scan_sources(dictionary, number).items), _OUTCOMES
