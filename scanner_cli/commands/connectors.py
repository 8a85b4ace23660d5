"""`scanner connectors`: which there are, how they do, and why one failed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from scanner_cli.options import cluster_option, dictionary_option, known_cluster, reading
from scanner_cli.output.render import format_option, narrowed, show

if TYPE_CHECKING:
    from scanner_dictionary.queries import ConnectorRow

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
@click.option("--failed", is_flag=True, help="Only those that failed, or of which a task did.")
@click.option("--tasks", is_flag=True, help="A line for each task.")
@click.option("--all", "include_gone", is_flag=True, help="Connectors that are gone, too.")
@dictionary_option
@format_option()
def connectors(
    pattern: str | None, cluster: str | None, failed: bool, tasks: bool, include_gone: bool, url: str, style: str
) -> None:
    """List the connectors of Kafka Connect: class, state, the topics that they use, and why they failed.

    PATTERN is a glob (`orders*`) or a part of the name. `--format json` tells configuration and traces, too; what is
    secret in them was never stored.

    \b
    Examples:
      scanner connectors
      scanner connectors --failed
      scanner connectors 'orders*' --tasks
      scanner connectors --format json

    Exit status 4: the cluster is not known.
    """
    from scanner_dictionary.queries import connectors as listed

    with reading(url) as conn:
        name = known_cluster(conn, cluster)
        found = list(listed(conn, cluster=name, pattern=pattern, failed=failed, include_gone=include_gone))
    rows = [row for each in found for row in _tasks(each)] if tasks else [_line(each) for each in found]
    columns = _TASKS if tasks else _CONNECTORS
    show(rows, narrowed(columns, rows, style, _MARKS), style, document=[_document(each) for each in found])


def _line(row: ConnectorRow) -> Mapping[str, Any]:
    """Return what a table tells of a connector."""
    return row._asdict() | {"class": row.connector_class, "tasks": len(row.tasks), "failed": row.failed_tasks or None}


def _tasks(row: ConnectorRow) -> Iterator[Mapping[str, Any]]:
    whose = {"cluster": row.cluster, "source": row.source, "name": row.name}
    for task in row.tasks:
        yield whose | {"task": task.number, "state": task.state, "worker": task.worker, "error": task.error}


def _document(row: ConnectorRow) -> Mapping[str, Any]:
    """Return all that is known of a connector."""
    members = row._asdict() | {"class": row.connector_class, "version": row.plugin_version}
    ordered = ("cluster", "source", "name", "kind", "class", "version", "state", "worker", "topics", "error", "trace")
    rest = ("managed_id", "config", "stale", "gone")
    return {name: members[name] for name in ordered} | {
        "tasks": [task._asdict() for task in row.tasks],
        **{name: members[name] for name in rest},
    }
