"""`scanner statements`: which statements of streaming SQL there are, and how they do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from scanner_cli.options import cluster_option, dictionary_option, known_cluster, reading
from scanner_cli.show import format_option, narrowed, show

if TYPE_CHECKING:
    from scanner_dictionary.queries import StatementRow

_COLUMNS = ("cluster", "source", "name", "kind", "state", "first_line", "detail", "hidden", "stale", "gone")
_MARKS = frozenset({"kind", "state", "detail", "hidden", "stale", "gone"})
_WIDEST = 80


@click.command()
@click.argument("pattern", required=False)
@cluster_option
@click.option("--state", metavar="WORD", help="Of this state only, as its server calls it: RUNNING, FAILED, …")
@click.option("--source", metavar="PATTERN", help="Of sources only whose id is, or holds, this: `flink`, `ksqldb:*`.")
@click.option("--all", "include_gone", is_flag=True, help="Statements that are gone, too.")
@dictionary_option
@format_option()
def statements(
    pattern: str | None,
    cluster: str | None,
    state: str | None,
    source: str | None,
    include_gone: bool,
    url: str,
    style: str,
) -> None:
    """List the statements of Flink and the queries of ksqlDB: kind, state, and how each begins.

    PATTERN is a glob (`orders*`) or a part of the name. `--format json` tells the whole text, too; what is secret in
    it was never stored.

    \b
    Examples:
      scanner statements
      scanner statements --state failed
      scanner statements 'enrich*' --source flink
      scanner statements --format json

    Exit status 4: the cluster is not known.
    """
    from scanner_dictionary.queries import statements as listed

    with reading(url) as conn:
        name = known_cluster(conn, cluster)
        found = listed(conn, cluster=name, pattern=pattern, state=state, source=source, include_gone=include_gone)
        rows = [_line(each) for each in found]
    document = [{name: value for name, value in row.items() if name != "first_line"} for row in rows]
    show(rows, narrowed(_COLUMNS, rows, style, _MARKS), style, document=document)


def _line(row: StatementRow) -> Mapping[str, Any]:
    """Give what is known of a statement, and how its text begins: its first line that is no comment."""
    lines = [line.strip() for line in row.statement.splitlines() if line.strip()]
    first = next((line for line in lines if not line.startswith("--")), next(iter(lines), ""))
    return row._asdict() | {"first_line": first if len(first) <= _WIDEST else first[: _WIDEST - 1] + "…"}
