"""`scanner columns`: which topics have a field of this name, or of this tag."""

from __future__ import annotations

import click

from scanner_cli.column_rows import ROOT
from scanner_cli.options import cluster_option, dictionary_option, known_cluster, reading
from scanner_cli.show import format_option, narrowed, show

_MARKS = frozenset({"logical_type", "nullable", "tags", "doc", "context", "subject", "version"})
_COLUMNS = (
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
)


@click.command()
@click.argument("pattern", required=False)
@cluster_option
@click.option("--tag", metavar="TAG", help="Only columns with this tag, of the schema or of a stream catalog.")
@dictionary_option
@format_option()
def columns(pattern: str | None, cluster: str | None, tag: str | None, url: str, style: str) -> None:
    """List the columns of the schemas that topics have now: where is this field, where is this tag?

    PATTERN is a glob (`*.email`) or a part of a column's name. `scanner lineage TOPIC.COLUMN --impact` tells where one
    goes.

    \b
    Examples:
      scanner columns email
      scanner columns --tag PII
      scanner columns '*.address.*' --cluster retail --format csv

    Exit status 4: the cluster is not known.
    """
    from scanner_dictionary.queries.topic_columns import topic_columns

    with reading(url) as conn:
        found = topic_columns(conn, cluster=known_cluster(conn, cluster), pattern=pattern, tag=tag)
        document = [row._asdict() for row in found]
    rows = [row | {"name": row["name"] or ROOT} for row in document]
    show(rows, narrowed(_COLUMNS, rows, style, _MARKS), style, document=document)
