"""`scanner connectors`: the connectors, their state, and why one failed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click

from scanner_api.dictionary import Dictionary
from scanner_api.questions import listings
from scanner_api.questions.listings import ConnectorRow
from scanner_api.questions.table import BY_NAME
from scanner_cli.options import dictionary_option
from scanner_cli.output.render import Format, format_option, narrow, show
from scanner_cli.questions import question_options, show_items

_TASKS = ("cluster", "source", "name", "task", "state", "worker", "error")


@click.command()
@question_options("connectors")
@click.option("--tasks", is_flag=True, help="A line for each task.")
@dictionary_option
@format_option()
def connectors(*, tasks: bool, dictionary: Dictionary, style: str, **named: Any) -> None:  # noqa: ANN401 - of the question
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
    listed = listings.connectors(dictionary, **named)
    if tasks and style != Format.JSON:
        rows = [row for connector in listed for row in _tasks(connector)]
        show(rows, narrow(_TASKS, rows, style, ("error",)), style)
    else:
        show_items(BY_NAME["connectors"], listed, style)


def _tasks(row: ConnectorRow) -> Iterator[Mapping[str, Any]]:
    connector = {"cluster": row.cluster, "source": row.source, "name": row.name}
    for task in row.tasks:
        yield connector | {"task": task.number, "state": task.state, "worker": task.worker, "error": task.error}
