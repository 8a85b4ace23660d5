"""`scanner manual-input`: check manual-input files, and print their JSON Schema and an example."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import click

from scanner_cli import library
from scanner_cli.console import echo
from scanner_cli.lazy_group import Group
from scanner_cli.output.render import Format, format_option, json_text, table_text
from scanner_cli.usage_errors import Exit
from scanner_model.text import visible, visible_json

_SUMMARY = ("cluster", "files", "brokers", "topics", "schemas", "assignments", "flows", "owners")


@click.group("manual-input", cls=Group)
def manual_input() -> None:
    """Check manual-input files, which declare what no registry knows, and print their schema or an example.

    \b
    Example:
      scanner manual-input check manual/*.json
    """


@manual_input.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE|DIRECTORY|GLOB…")
@format_option(Format.TABLE, Format.JSON)
def check(files: Sequence[str], style: str) -> int:
    """List every problem in manual-input files, with file, line and column.

    \b
    Examples:
      scanner manual-input check manual/*.json
      scanner manual-input check manual --format json

    Exit status 2: there is an error; warnings alone are not one.
    """
    result = library.check_manual_input(files)
    if style == Format.JSON:
        rows = {
            "problems": [asdict(row) for row in result.rows],
            "clusters": [asdict(summary) for summary in result.summaries],
        }
        echo(json_text({"valid": result.valid} | rows))
    else:
        for row in result.rows:
            echo(visible(f"{row.severity}: {row.where}: {row.what}" + (f" ({row.hint})" if row.hint else "")))
        echo(table_text([asdict(summary) for summary in result.summaries], _SUMMARY), end="")
    return Exit.DONE if result.valid else Exit.INPUT_INVALID


@manual_input.command()
def schema() -> None:
    """Print the JSON Schema of manual-input files, for editors.

    \b
    Example:
      scanner manual-input schema > manual.schema.json
    """
    click.echo(visible_json(library.manual_input_schema()))


@manual_input.command()
def example() -> None:
    """Print a complete example file.

    \b
    Example:
      scanner manual-input example > manual/legacy.json
    """
    click.echo(library.manual_input_example(), nl=False)
