"""`scanner drift`: where deployment files and what runs disagree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from scanner_api.dictionary import Dictionary
from scanner_api.questions.listings import Difference, Drift, DriftRow
from scanner_api.questions.listings import drift as find_drift
from scanner_cli.console import echo_err
from scanner_cli.options import cluster_option, dictionary_option, one_of
from scanner_cli.output.render import Format, format_option, show
from scanner_cli.usage_errors import Exit

_COLUMNS = ("cluster", "kind", "name", "drift", "key", "declared", "running", "place", "source")
_NOTHING = Difference("", None, None)


@click.command()
@cluster_option
@one_of("--kind", words=("topic", "connector"), text="Topics or connectors only.")
@dictionary_option
@format_option(Format.TABLE, Format.JSON)
def drift(cluster: str | None, kind: str | None, dictionary: Dictionary, style: str) -> int:
    """Compare the deployment files of cluster.json (`files`) with the topics and connectors that run.

    Both are compared as the last scan read them: `scanner extract` first. not-running: declared, and the brokers or
    the Connect cluster do not have it. not-declared: it runs, and no file declares it, although files declare others
    of its kind. differs: it runs otherwise than declared, one line for each key. unknown: nothing that runs was read,
    or its source could not be read since. Defaults, masked secrets and filled-in placeholders are no differences.

    \b
    Examples:
      scanner drift
      scanner drift --cluster retail --kind connector
      scanner drift --format json

    \b
    Exit status: 0 everything runs as declared; 4 the cluster is not known; 6 there is drift; 7 it cannot be said:
    nothing is declared, or there is no drift but what is unknown.
    """
    result = find_drift(dictionary, cluster=cluster)
    rows = [row for row in result.rows if kind in (None, row.kind)]
    drifting = sum(row.drift is not Drift.UNKNOWN for row in rows)
    show([line for row in rows for line in _lines(row)], _COLUMNS, style, document=[_document(row) for row in rows])
    if not result.declared:
        echo_err("nothing is declared: name deployment files as `files` in cluster.json, and scan")
    else:
        echo_err(f"{result.declared} declared; {drifting} drift, {len(rows) - drifting} unknown")
    if drifting:
        return Exit.IMPACT
    return Exit.UNCERTAIN if rows or not result.declared else Exit.DONE


def _lines(row: DriftRow) -> Iterator[dict[str, Any]]:
    document = _document(row)
    for difference in row.differences or (_NOTHING,):
        yield document | difference._asdict()


def _document(row: DriftRow) -> dict[str, Any]:
    return row._asdict() | {
        "drift": str(row.drift),
        "differences": [difference._asdict() for difference in row.differences],
    }
