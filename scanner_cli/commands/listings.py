"""`scanner topics`, `schemas`, `scans`: what the dictionary holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from scanner_cli.documents import problem_document
from scanner_cli.options import SCAN_NUMBER, cluster_option, dictionary_option, known_cluster, reading
from scanner_cli.show import Format, format_option, narrowed, ranges, shortened, show

if TYPE_CHECKING:
    from scanner_dictionary.opening import Connection

_MARKS = frozenset({"owner", "tags", "stale", "gone", "deleted", "context", "internal", "unread", "hint", "reason"})

_TOPICS = (
    "cluster",
    "name",
    "partitions",
    "replication",
    "internal",
    "schemas",
    "source",
    "tags",
    "stale",
    "gone",
    "owner",
)
_SCHEMAS = ("cluster", "registry", "context", "name", "format", "versions", "topics", "deleted", "stale", "gone")
_SCANS = ("id", "cluster", "finished", "answer", "added", "changed", "gone", "returned", "stale", "refused")
_OUTCOMES = ("source", "answer", "asked", "got", "requests", "seconds", "reason", "hint", "unread")
_PROBLEMS = ("where", "what", "hint")

Rows = list[dict[str, Any]]
Columns = tuple[str, ...]


@click.command()
@click.argument("pattern", required=False)
@cluster_option
@click.option("--without-schema", is_flag=True, help="Only topics that no schema describes.")
@click.option("--all", "include_gone", is_flag=True, help="Topics that are gone, too.")
@dictionary_option
@format_option()
def topics(
    pattern: str | None, cluster: str | None, without_schema: bool, include_gone: bool, url: str, style: str
) -> None:
    """List the topics of the dictionary: all, or those that fit PATTERN, a glob (`orders*`) or a part of the name.

    \b
    Examples:
      scanner topics
      scanner topics 'orders*' --cluster retail
      scanner topics --without-schema --format json

    Exit status 4: the cluster is not known.
    """
    from scanner_dictionary.queries import topics as listed

    with reading(url) as conn:
        name = known_cluster(conn, cluster)
        found = listed(conn, cluster=name, pattern=pattern, without_schema=without_schema, include_gone=include_gone)
        rows = [row._asdict() for row in found]
    show(rows, narrowed(_TOPICS, rows, style, _MARKS), style)


@click.command()
@click.argument("pattern", required=False)
@cluster_option
@click.option("--all", "include_gone", is_flag=True, help="Subjects that are gone, too.")
@dictionary_option
@format_option()
def schemas(pattern: str | None, cluster: str | None, include_gone: bool, url: str, style: str) -> None:
    """List the subjects of every registry, with their versions and the topics that they describe.

    PATTERN is a glob (`com.acme.*`) or a part of the name. The table shows versions as ranges and only the ends of very
    long names; the other formats show all of them.

    \b
    Examples:
      scanner schemas
      scanner schemas 'com.acme.*' --format csv

    Exit status 4: the cluster is not known.
    """
    from scanner_dictionary.queries import schemas as listed

    with reading(url) as conn:
        name = known_cluster(conn, cluster)
        rows = [row._asdict() for row in listed(conn, cluster=name, pattern=pattern, include_gone=include_gone)]
    shown = [_subject(row) for row in rows] if style == Format.TABLE else rows
    show(shown, narrowed(_SCHEMAS, rows, style, _MARKS), style)


def _subject(row: dict[str, Any]) -> dict[str, Any]:
    """Return a subject as a table shows it: ranges of versions, and the ends of a name that is too long for a line."""
    topics = [shortened(topic) for topic in row["topics"]]
    return row | {"name": shortened(row["name"]), "versions": ranges(row["versions"]), "topics": topics}


@click.command()
@click.argument("scan", type=SCAN_NUMBER, required=False)
@click.option("--problems", is_flag=True, help="What SCAN, or the newest scan, could not read or believe.")
@cluster_option
@dictionary_option
@format_option()
def scans(scan: int | None, problems: bool, cluster: str | None, url: str, style: str) -> None:
    """List the scans, newest first; of one SCAN, how each source answered.

    \b
    Examples:
      scanner scans
      scanner scans 12
      scanner scans 12 --problems
      scanner scans --problems --cluster retail

    Exit status 4: the scan or the cluster is not known.
    """
    with reading(url) as conn:
        rows, columns = _of_scans(conn, scan, problems=problems, cluster=known_cluster(conn, cluster))
    show(rows, columns if columns is _SCANS else narrowed(columns, rows, style, _MARKS), style)


def _of_scans(conn: Connection, scan: int | None, *, problems: bool, cluster: str | None) -> tuple[Rows, Columns]:
    from scanner_dictionary import queries

    listed = [row._asdict() for row in queries.scans(conn, cluster=cluster)]
    number = listed[0]["id"] if scan is None and problems and listed else scan
    if number is None:
        return listed, _SCANS
    if problems:
        return [problem_document(problem) for problem in queries.problems(conn, number)], _PROBLEMS
    return [_rounded(row._asdict()) for row in queries.outcomes(conn, number)], _OUTCOMES


def _rounded(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"seconds": round(row["seconds"], 2)}
