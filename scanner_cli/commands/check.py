"""`scanner check`: test every connection and permission, one line each; changes nothing."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from scanner_cli import library
from scanner_cli.lazy_group import Group
from scanner_cli.options import config_option, one_of
from scanner_cli.output.progress import progress_on
from scanner_cli.output.render import Format, format_option, show
from scanner_cli.usage_errors import Exit
from scanner_model.text import visible_json

if TYPE_CHECKING:
    from scanner_api.configuration import ConnectionCheck

_COLUMNS = ("cluster", "source", "tried", "answer", "detail", "hint", "note")


SETTINGS_FILE = ".scanner.yaml"


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
    with progress_on(sys.stderr, quiet=False) as progress:
        checks = library.check(files, progress=progress)
    show([_row(result) for result in checks], _COLUMNS, style)
    return Exit.DONE if all(result.is_ok for result in checks) else Exit.PARTIAL


def _row(result: ConnectionCheck) -> dict[str, str]:
    return {
        "cluster": result.cluster,
        "source": result.source,
        "tried": result.tried,
        "answer": result.state,
        "detail": result.detail,
        "hint": result.hint,
        "note": result.note,
    }


@click.group(cls=Group)
def config() -> None:
    """Describe cluster.json.

    \b
    Example:
      scanner config schema > cluster.schema.json
    """


@config.command()
@one_of(
    "--of", "file", words=("cluster.json", SETTINGS_FILE), text="The file.", default="cluster.json", show_default=True
)
def schema(file: str) -> None:
    """Print the JSON Schema of cluster.json, or of the settings of check-change.

    \b
    Example, so that an editor completes the file:
      scanner config schema > cluster.schema.json
      # and in cluster.json: "$schema": "cluster.schema.json"
      scanner config schema --of .scanner.yaml > scanner.schema.json
    """
    click.echo(visible_json(library.SETTINGS_SCHEMA if file == SETTINGS_FILE else library.cluster_schema()))
