"""`scanner check`: every connection and right, one line each; changes nothing."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import click

from scanner_cli.main import Exit
from scanner_cli.options import config_option
from scanner_cli.show import Format, format_option, show

_COLUMNS = ("cluster", "source", "tried", "answer", "detail", "hint")


@click.command()
@config_option
@format_option(Format.TABLE, Format.JSON)
def check(files: Sequence[str], style: str) -> int:
    """Try every connection and right of a cluster.json; change nothing.

    \b
    Example:
      scanner check --config cluster.json

    Exit status 3: something could not be reached, or a right is missing.
    """
    from scanner_extractor.checks import check as check_settings
    from scanner_extractor.cluster_file import read_cluster_file
    from scanner_extractor.registries import registries
    from scanner_extractor.sources.kafka_admin import probe

    clusters = [read_cluster_file(Path(file), os.environ, tuple(registries())) for file in files]
    results = [(settings.cluster, result) for settings in clusters for result in check_settings(settings, probe=probe)]
    rows = [
        {
            "cluster": cluster,
            "source": result.source,
            "tried": result.tried,
            "answer": str(result.state),
            "detail": result.detail,
            "hint": result.hint,
        }
        for cluster, result in results
    ]
    show(rows, _COLUMNS, style)
    return Exit.DONE if all(row["answer"] == "ok" for row in rows) else Exit.PARTIAL
