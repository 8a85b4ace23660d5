"""`scanner check`: every connection and right, one line each; changes nothing."""

from __future__ import annotations

from collections.abc import Sequence

import click

from scanner_cli.exits import Exit
from scanner_cli.options import config_option
from scanner_cli.show import Format, format_option, show

_COLUMNS = ("cluster", "source", "tried", "answer", "detail", "hint")


@click.command()
@config_option
@format_option(Format.TABLE, Format.JSON)
def check(files: Sequence[str], style: str) -> int:
    """Try every connection and right of a cluster.json; change nothing.

    \b
    Examples:
      scanner check --config cluster.json
      scanner check --config eu.json --config us.json --format json

    Exit status 3: something could not be reached, or a right is missing.
    """
    from scanner_cli.clusters import read_clusters
    from scanner_extractor.checks import check as check_settings
    from scanner_extractor.sources.kafka_admin import probe

    rows = [
        {
            "cluster": settings.cluster,
            "source": result.source,
            "tried": result.tried,
            "answer": str(result.state),
            "detail": result.detail,
            "hint": result.hint,
        }
        for settings in read_clusters(files)
        for result in check_settings(settings, probe=probe)
    ]
    show(rows, _COLUMNS, style)
    return Exit.DONE if all(row["answer"] == "ok" for row in rows) else Exit.PARTIAL
