"""`scanner tables`: which tables catalogs know, and which topics are kept as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from scanner_cli.documents import column_document
from scanner_cli.options import cluster_option, dictionary_option, known_cluster, reading
from scanner_cli.show import format_option, narrowed, show

if TYPE_CHECKING:
    from scanner_dictionary.queries.tables_of import TableLine

_TABLES = ("cluster", "provider", "name", "topic", "kind", "format", "state", "columns", "location", "stale", "gone")
_MARKS = frozenset({"topic", "state", "location", "stale", "gone"})


@click.command()
@click.argument("pattern", required=False)
@cluster_option
@click.option("--provider", metavar="NAME", help="Only those of a kind of catalog: unity, glue, google, datazone, …")
@click.option("--all", "include_gone", is_flag=True, help="Tables that are gone, too.")
@dictionary_option
@format_option()
def tables(
    pattern: str | None, cluster: str | None, provider: str | None, include_gone: bool, url: str, style: str
) -> None:
    """List the tables of catalogs, and the tables that topics are kept as.

    PATTERN is a glob (`*orders*`) or a part of a table's or a topic's name. `--format json` tells columns, too.

    \b
    Examples:
      scanner tables
      scanner tables orders --provider glue
      scanner tables '*.sales.*' --format json
      scanner tables --format csv

    Exit status 4: the cluster is not known.
    """
    from scanner_dictionary.queries.tables_of import tables as listed

    with reading(url) as conn:
        name = known_cluster(conn, cluster)
        found = list(listed(conn, cluster=name, provider=provider, pattern=pattern, include_gone=include_gone))
    rows = [_line(each) for each in found]
    show(rows, narrowed(_TABLES, rows, style, _MARKS), style, document=[_document(each) for each in found])


def _line(line: TableLine) -> Mapping[str, Any]:
    """Give what a table tells of a table."""
    return line._asdict() | {"format": line.table_format, "columns": len(line.columns) or None}


def _document(line: TableLine) -> Mapping[str, Any]:
    """Give all that is known of a table."""
    members = line._asdict()
    ordered = ("cluster", "source", "provider", "namespace", "name", "topic", "kind")
    rest = ("state", "write_mode", "location", "serde", "owner", "description", "created", "updated", "detail")
    return {
        **{name: members[name] for name in ordered},
        "format": line.table_format,
        **{name: members[name] for name in rest},
        "partition_keys": list(line.partition_keys),
        "symlinks": [{"namespace": namespace, "name": name} for namespace, name in line.symlinks],
        "parameters": dict(line.parameters),
        "columns": [column_document(column) for column in line.columns],
        "stale": line.stale,
        "gone": line.gone,
    }
