"""`scanner topics`, `schemas`, `scans`: what the dictionary holds."""

from __future__ import annotations

import click

from scanner_cli.documents import problem_document
from scanner_cli.options import dictionary_option, reading
from scanner_cli.show import format_option, show

_PATTERN = "A glob (`orders*`), or a part of the name."


@click.command()
@click.argument("pattern", required=False)
@click.option("--cluster", metavar="NAME", help="Of this cluster only.")
@click.option("--without-schema", is_flag=True, help="Only topics that no schema describes.")
@click.option("--all", "include_gone", is_flag=True, help="Topics that are gone, too.")
@dictionary_option
@format_option()
def topics(
    pattern: str | None, cluster: str | None, without_schema: bool, include_gone: bool, url: str, style: str
) -> None:
    """List the topics of the dictionary.

    \b
    Examples:
      scanner topics
      scanner topics 'orders*' --without-schema --format json
    """
    from scanner_dictionary.queries import topics as listed

    with reading(url) as conn:
        found = listed(
            conn, cluster=cluster, pattern=pattern, without_schema=without_schema, include_gone=include_gone
        )
        rows = [row._asdict() for row in found]
    columns = ("cluster", "name", "partitions", "replication", "internal", "schemas", "source", "tags", "stale", "gone")
    show(rows, _told(columns, rows), style)


@click.command()
@click.argument("pattern", required=False)
@click.option("--cluster", metavar="NAME", help="Of this cluster only.")
@click.option("--all", "include_gone", is_flag=True, help="Subjects that are gone, too.")
@dictionary_option
@format_option()
def schemas(pattern: str | None, cluster: str | None, include_gone: bool, url: str, style: str) -> None:
    """List the subjects of every registry, with their versions and the topics that they describe.

    \b
    Examples:
      scanner schemas
      scanner schemas 'com.acme.*' --format csv
    """
    from scanner_dictionary.queries import schemas as listed

    with reading(url) as conn:
        rows = [row._asdict() for row in listed(conn, cluster=cluster, pattern=pattern, include_gone=include_gone)]
    columns = ("cluster", "registry", "context", "name", "format", "versions", "topics", "deleted", "gone")
    show(rows, _told(columns, rows), style)


@click.command()
@click.argument("scan", type=int, required=False)
@click.option("--problems", is_flag=True, help="What the scan could not read or believe.")
@dictionary_option
@format_option()
def scans(scan: int | None, problems: bool, url: str, style: str) -> None:
    """List the scans; of one SCAN, how each source answered.

    \b
    Examples:
      scanner scans
      scanner scans 12
      scanner scans 12 --problems
    """
    from scanner_dictionary.queries import history

    with reading(url) as conn:
        if scan is None and problems:
            scan = max((row.id for row in history.scans(conn)), default=None)
        if scan is None:
            rows = [row._asdict() for row in history.scans(conn)]
            columns: tuple[str, ...] = ("id", "cluster", "finished", "answer", "added", "changed", "gone", "stale")
        elif problems:
            rows = [problem_document(problem) for problem in history.problems(conn, scan)]
            columns = ("where", "what", "hint")
        else:
            rows = [row._asdict() for row in history.outcomes(conn, scan)]
            columns = ("source", "answer", "asked", "got", "requests", "seconds", "reason", "unread")
    show(rows, columns, style)


def _told(columns: tuple[str, ...], rows: list[dict[str, object]]) -> tuple[str, ...]:
    """Leave out the marks that no row bears, so that a table stays narrow."""
    marks = {"tags", "stale", "gone", "deleted", "context", "internal"}
    plain = (None, False, (), "", ".")
    return tuple(name for name in columns if name not in marks or any(row[name] not in plain for row in rows))
