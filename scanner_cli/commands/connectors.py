"""`scanner connectors`, `scanner scans`: lists of which a part has lines of its own, tasks and sources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from scanner_api.questions.table import BY_NAME
from scanner_cli import library
from scanner_cli.options import cluster_option, dictionary_option
from scanner_cli.output.render import Format, format_option, narrow, show
from scanner_cli.questions import question_options, show_items, wide_option

if TYPE_CHECKING:
    from scanner_api.dictionary import Dictionary
    from scanner_api.questions.listings import ConnectorRow

_TASKS = ("cluster", "source", "name", "task", "state", "worker", "error")


@click.command()
@question_options("connectors")
@click.option("--tasks", is_flag=True, help="A line for each task.")
@wide_option
@dictionary_option
@format_option()
def connectors(*, tasks: bool, wide: bool, dictionary: Dictionary, style: str, **named: Any) -> None:  # noqa: ANN401 - of the question
    """List the connectors of Kafka Connect: class, state, the topics that they use, and why they failed.

    PATTERN is a glob (`orders*`) or a part of the name. `--format json` includes configuration and traces; secrets in
    them were never stored.

    \b
    Examples:
      scanner connectors
      scanner connectors --failed
      scanner connectors 'orders*' --tasks
      scanner connectors --format json

    Exit status 4: the cluster is not known.
    """
    listed = library.connectors(dictionary, **named)
    if tasks and style != Format.JSON:
        rows = [row for connector in listed for row in _tasks(connector)]
        show(rows, narrow(_TASKS, rows, style, ("error",)), style)
    else:
        show_items(BY_NAME["connectors"], listed, style, wide=wide)


def _tasks(row: ConnectorRow) -> Iterator[Mapping[str, Any]]:
    connector = {"cluster": row.cluster, "source": row.source, "name": row.name}
    for task in row.tasks:
        yield connector | {"task": task.number, "state": task.state, "worker": task.worker, "error": task.error}


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
        listed = library.scans(dictionary, cluster=cluster)
        if not problems or not listed:
            return library.document(listed.items), _SCANS
        number = listed[0].id
    if problems:
        return library.document(library.scan_problems(dictionary, number).items), _PROBLEMS
    return library.document(library.scan_sources(dictionary, number).items), _OUTCOMES
