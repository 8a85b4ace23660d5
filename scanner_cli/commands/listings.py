"""`scanner columns`, `topics`, `schemas`, `scans`, `statements`, `tables`: lists of what the dictionary holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from scanner_api import queries
from scanner_api.dictionary import Dictionary
from scanner_api.queries import StatementRow, TableLine
from scanner_cli.options import SCAN_NUMBER, cluster_option, dictionary_option
from scanner_cli.output.columns import RARE, ROOT, column_document, problem_document
from scanner_cli.output.render import Format, format_option, narrow, ranges, shorten, show

_COLUMN_MARKS = RARE | {"logical_type", "nullable", "tags", "doc", "context", "subject", "version"}
_COLUMN_HEADERS = (
    "cluster",
    "topic",
    "role",
    "name",
    "type",
    "logical_type",
    "nullable",
    "tags",
    "doc",
    "context",
    "subject",
    "version",
    "inherited_tags",
)


@click.command()
@click.argument("pattern", required=False)
@cluster_option
@click.option("--tag", metavar="TAG", help="Only columns with this tag, of the schema or of a stream catalog.")
@dictionary_option
@format_option()
def columns(pattern: str | None, cluster: str | None, tag: str | None, dictionary: Dictionary, style: str) -> None:
    """List the columns of the current schemas of topics, by name or tag.

    PATTERN is a glob (`*.email`) or a part of a column's name. `scanner lineage TOPIC.COLUMN --impact` shows where
    one is used.

    \b
    Examples:
      scanner columns email
      scanner columns --tag PII
      scanner columns '*.address.*' --cluster retail --format csv

    Exit status 4: the cluster is not known.
    """
    listed = queries.columns(dictionary, cluster=cluster, pattern=pattern, tag=tag)
    document = [row._asdict() for row in listed]
    rows = [row | {"name": row["name"] or ROOT} for row in document]
    show(rows, narrow(_COLUMN_HEADERS, rows, style, _COLUMN_MARKS), style, document=document)


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
_SCANS = ("id", "cluster", "finished", "status", "added", "changed", "gone", "returned", "stale", "refused")
_OUTCOMES = ("source", "status", "requested", "received", "requests", "seconds", "reason", "hint", "unread")
_PROBLEMS = ("where", "what", "hint")

Rows = list[dict[str, Any]]
Columns = tuple[str, ...]


@click.command()
@click.argument("pattern", required=False)
@cluster_option
@click.option("--without-schema", is_flag=True, help="Only topics that no schema describes.")
@click.option("--all", "include_gone", is_flag=True, help="Include deleted topics.")
@dictionary_option
@format_option()
def topics(
    pattern: str | None,
    cluster: str | None,
    without_schema: bool,
    include_gone: bool,
    dictionary: Dictionary,
    style: str,
) -> None:
    """List the topics of the dictionary: all, or those that fit PATTERN, a glob (`orders*`) or a part of the name.

    \b
    Examples:
      scanner topics
      scanner topics 'orders*' --cluster retail
      scanner topics --without-schema --format json

    Exit status 4: the cluster is not known.
    """
    listed = queries.topics(
        dictionary, cluster=cluster, pattern=pattern, without_schema=without_schema, include_deleted=include_gone
    )
    rows = [row._asdict() for row in listed]
    show(rows, narrow(_TOPICS, rows, style, _MARKS), style)


@click.command()
@click.argument("pattern", required=False)
@cluster_option
@click.option("--all", "include_gone", is_flag=True, help="Include deleted subjects.")
@dictionary_option
@format_option()
def schemas(pattern: str | None, cluster: str | None, include_gone: bool, dictionary: Dictionary, style: str) -> None:
    """List the subjects of every registry, with their versions and the topics that they describe.

    PATTERN is a glob (`com.acme.*`) or a part of the name. The table shows versions as ranges and only the ends of very
    long names; the other formats show all of them.

    \b
    Examples:
      scanner schemas
      scanner schemas 'com.acme.*' --format csv

    Exit status 4: the cluster is not known.
    """
    listed = queries.schemas(dictionary, cluster=cluster, pattern=pattern, include_deleted=include_gone)
    rows = [row._asdict() for row in listed]
    shown = [_subject(row) for row in rows] if style == Format.TABLE else rows
    show(shown, narrow(_SCHEMAS, rows, style, _MARKS), style)


def _subject(row: dict[str, Any]) -> dict[str, Any]:
    """Return a subject as a table shows it: ranges of versions, and the ends of a name that is too long for a line."""
    topics = [shorten(topic) for topic in row["topics"]]
    return row | {"name": shorten(row["name"]), "versions": ranges(row["versions"]), "topics": topics}


@click.command()
@click.argument("scan", type=SCAN_NUMBER, required=False)
@click.option("--problems", is_flag=True, help="What SCAN, or the newest scan, could not read or parse.")
@cluster_option
@dictionary_option
@format_option()
def scans(scan: int | None, problems: bool, cluster: str | None, dictionary: Dictionary, style: str) -> None:
    """List the scans, newest first; of one SCAN, how each source responded.

    \b
    Examples:
      scanner scans
      scanner scans 12
      scanner scans 12 --problems
      scanner scans --problems --cluster retail

    Exit status 4: the scan or the cluster is not known.
    """
    rows, columns = _of_scans(dictionary, scan, problems=problems, cluster=cluster)
    show(rows, columns if columns is _SCANS else narrow(columns, rows, style, _MARKS), style)


def _of_scans(dictionary: Dictionary, scan: int | None, *, problems: bool, cluster: str | None) -> tuple[Rows, Columns]:
    listed = [row._asdict() for row in queries.scans(dictionary, cluster=cluster)]
    number = listed[0]["id"] if scan is None and problems and listed else scan
    if number is None:
        return listed, _SCANS
    if problems:
        return [problem_document(problem) for problem in queries.scan_problems(dictionary, number)], _PROBLEMS
    return [_rounded(row._asdict()) for row in queries.scan_sources(dictionary, number)], _OUTCOMES


def _rounded(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"seconds": round(row["seconds"], 2)}


_COLUMNS = ("cluster", "source", "name", "kind", "state", "first_line", "detail", "hidden", "stale", "gone")
_STATEMENT_MARKS = frozenset({"kind", "state", "detail", "hidden", "stale", "gone"})
_WIDEST = 80


@click.command()
@click.argument("pattern", required=False)
@cluster_option
@click.option("--state", metavar="WORD", help="Of this state only, as its server calls it: RUNNING, FAILED, …")
@click.option("--source", metavar="PATTERN", help="Of sources only whose id is, or holds, this: `flink`, `ksqldb:*`.")
@click.option("--all", "include_gone", is_flag=True, help="Include deleted statements.")
@dictionary_option
@format_option()
def statements(
    pattern: str | None,
    cluster: str | None,
    state: str | None,
    source: str | None,
    include_gone: bool,
    dictionary: Dictionary,
    style: str,
) -> None:
    """List the statements of Flink and the queries of ksqlDB: kind, state, and how each begins.

    PATTERN is a glob (`orders*`) or a part of the name. `--format json` includes the whole text; secrets in it were
    never stored.

    \b
    Examples:
      scanner statements
      scanner statements --state failed
      scanner statements 'enrich*' --source flink
      scanner statements --format json

    Exit status 4: the cluster is not known.
    """
    listed = queries.statements(
        dictionary, cluster=cluster, pattern=pattern, state=state, source=source, include_deleted=include_gone
    )
    rows = [_statement_line(statement) for statement in listed]
    document = [{name: value for name, value in row.items() if name != "first_line"} for row in rows]
    show(rows, narrow(_COLUMNS, rows, style, _STATEMENT_MARKS), style, document=document)


def _statement_line(row: StatementRow) -> Mapping[str, Any]:
    """Return a statement as a row, with the first line of its text that is not a comment."""
    lines = [line.strip() for line in row.statement.splitlines() if line.strip()]
    first = next((line for line in lines if not line.startswith("--")), next(iter(lines), ""))
    return row._asdict() | {"first_line": first if len(first) <= _WIDEST else first[: _WIDEST - 1] + "…"}


_TABLES = ("cluster", "provider", "name", "topic", "kind", "format", "state", "columns", "location", "stale", "gone")
_TABLE_MARKS = frozenset({"topic", "state", "location", "stale", "gone"})


@click.command()
@click.argument("pattern", required=False)
@cluster_option
@click.option(
    "--provider",
    metavar="NAME",
    help="Only those of a kind: unity, glue, google, datazone, iceberg, druid, pinot, dbt, database, …",
)
@click.option("--all", "include_gone", is_flag=True, help="Include deleted tables.")
@dictionary_option
@format_option()
def tables(
    pattern: str | None,
    cluster: str | None,
    provider: str | None,
    include_gone: bool,
    dictionary: Dictionary,
    style: str,
) -> None:
    """List the tables of catalogs, and the tables that topics are materialized as.

    PATTERN is a glob (`*orders*`) or a part of a table's or a topic's name. `--format json` includes columns.

    \b
    Examples:
      scanner tables
      scanner tables orders --provider glue
      scanner tables '*.sales.*' --format json
      scanner tables --format csv

    Exit status 4: the cluster is not known.
    """
    listed = queries.tables(
        dictionary, cluster=cluster, provider=provider, pattern=pattern, include_deleted=include_gone
    )
    rows = [_line(table) for table in listed]
    show(rows, narrow(_TABLES, rows, style, _TABLE_MARKS), style, document=[_document(table) for table in listed])


def _line(line: TableLine) -> Mapping[str, Any]:
    """Return a table as a row."""
    return line._asdict() | {"format": line.table_format, "columns": len(line.columns) or None}


def _document(line: TableLine) -> Mapping[str, Any]:
    """Return a table as JSON, with its columns and parameters."""
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
        "definition": line.definition,
        "keys": [
            key._asdict() | {"columns": list(key.columns), "referenced": list(key.referenced)} for key in line.keys
        ],
        "columns": [column_document(column) for column in line.columns],
        "stale": line.stale,
        "gone": line.gone,
    }
