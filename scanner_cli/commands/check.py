"""`scanner check`: test every connection and permission, one line each; changes nothing."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from scanner_api.scanning.clusters import read_clusters
from scanner_cli.options import config_option
from scanner_cli.output.progress import progress_on
from scanner_cli.output.render import Format, format_option, show
from scanner_cli.usage_errors import Exit
from scanner_extractor.scan.checks import CheckResult
from scanner_extractor.scan.checks import check as check_settings
from scanner_extractor.sources.kafka.admin import probe
from scanner_model.names import SourceId

_COLUMNS = ("cluster", "source", "tried", "answer", "detail", "hint")


@click.command()
@config_option
@format_option(Format.TABLE, Format.JSON)
def check(files: Sequence[str], style: str) -> int:
    """Test every connection and permission of a cluster.json; change nothing.

    \b
    Examples:
      scanner check --config cluster.json
      scanner check --config eu.json --config us.json --format json

    Exit status 3: something could not be reached, or a permission is missing.
    """
    rows = []
    with progress_on(sys.stderr, quiet=False) as progress:
        for settings in read_clusters(files):
            progress(SourceId(f"checking {settings.cluster}"), 0, None)
            for number, result in enumerate(check_settings(settings, probe=probe), 1):
                progress(SourceId(f"checking {settings.cluster}"), number, None)
                rows.append(_row(settings.cluster, result))
    show(rows, _COLUMNS, style)
    return Exit.DONE if all(row["answer"] == "ok" for row in rows) else Exit.PARTIAL


def _row(cluster: str, result: CheckResult) -> dict[str, str]:
    return {
        "cluster": cluster,
        "source": result.source,
        "tried": result.tried,
        "answer": str(result.state),
        "detail": result.detail,
        "hint": result.hint,
    }
