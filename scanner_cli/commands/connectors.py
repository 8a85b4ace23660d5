"""`scanner connectors`: the connectors, their state, and why one failed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click

from scanner_api.dictionary import Dictionary
from scanner_api.queries import ConnectorRow
from scanner_api.queries import connectors as list_connectors
from scanner_cli.options import cluster_option, dictionary_option
from scanner_cli.output.render import format_option, narrow, show

_CONNECTORS = (
    "cluster",
    "source",
    "name",
    "kind",
    "class",
    "state",
    "tasks",
    "failed",
    "topics",
    "error",
    "stale",
    "gone",
)
_TASKS = ("cluster", "source", "name", "task", "state", "worker", "error")
_MARKS = frozenset({"failed", "topics", "error", "stale", "gone"})


@click.command()
@click.argument("pattern", required=False)
@cluster_option
@click.option("--failed", is_flag=True, help="Only those that failed, or have a failed task.")
@click.option("--tasks", is_flag=True, help="A line for each task.")
@click.option("--all", "include_gone", is_flag=True, help="Include deleted connectors.")
@dictionary_option
@format_option()
def connectors(
    pattern: str | None,
    cluster: str | None,
    failed: bool,
    tasks: bool,
    include_gone: bool,
    dictionary: Dictionary,
    style: str,
) -> None:
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
    listed = list_connectors(dictionary, cluster=cluster, pattern=pattern, failed=failed, include_deleted=include_gone)
    rows = (
        [row for connector in listed for row in _tasks(connector)]
        if tasks
        else [_line(connector) for connector in listed]
    )
    columns = _TASKS if tasks else _CONNECTORS
    show(rows, narrow(columns, rows, style, _MARKS), style, document=[_document(connector) for connector in listed])


def _line(row: ConnectorRow) -> Mapping[str, Any]:
    """Return a connector as a row of the table."""
    return row._asdict() | {"class": row.connector_class, "tasks": len(row.tasks), "failed": row.failed_tasks or None}


def _tasks(row: ConnectorRow) -> Iterator[Mapping[str, Any]]:
    connector = {"cluster": row.cluster, "source": row.source, "name": row.name}
    for task in row.tasks:
        yield connector | {"task": task.number, "state": task.state, "worker": task.worker, "error": task.error}


def _document(row: ConnectorRow) -> Mapping[str, Any]:
    """Return a connector as JSON, with configuration and traces."""
    members = row._asdict() | {"class": row.connector_class, "version": row.plugin_version}
    ordered = ("cluster", "source", "name", "kind", "class", "version", "state", "worker", "topics", "error", "trace")
    rest = ("managed_id", "config", "stale", "gone")
    return {name: members[name] for name in ordered} | {
        "tasks": [task._asdict() for task in row.tasks],
        **{name: members[name] for name in rest},
    }
