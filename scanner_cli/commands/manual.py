"""`scanner manual-input`: check the files people write by hand, and help to write them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from scanner_cli.exits import Exit
from scanner_cli.groups import Group
from scanner_cli.show import Format, format_option, json_text, table_text
from scanner_cli.telling import put
from scanner_model.text import visible

_SUMMARY = ("cluster", "files", "brokers", "topics", "schemas", "assignments", "flows")


@click.group("manual-input", cls=Group)
def manual_input() -> None:
    """Check, describe and exemplify manual-input files: what no registry knows.

    \b
    Example:
      scanner manual-input check manual/*.json
    """


@manual_input.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE|DIRECTORY|GLOB…")
@format_option(Format.TABLE, Format.JSON)
def check(files: Sequence[str], style: str) -> int:
    """Tell everything that is wrong in manual-input files, each with file, line and column.

    \b
    Examples:
      scanner manual-input check manual/*.json
      scanner manual-input check manual --format json

    Exit status 2: something is wrong; warnings alone are no error.
    """
    from manual_input.checking import check as check_files
    from manual_input.files import find_files
    from manual_input.reading import Reach
    from scanner_extractor.formats import FORMATS

    result = check_files(find_files(files, Path()), Reach(formats=tuple(FORMATS)))
    if style == Format.JSON:
        rows = {
            "problems": [asdict(row) for row in result.rows],
            "clusters": [asdict(one) for one in result.summaries],
        }
        put(json_text({"valid": result.valid} | rows))
    else:
        for row in result.rows:
            put(visible(f"{row.severity}: {row.where}: {row.what}" + (f" ({row.hint})" if row.hint else "")))
        put(table_text([asdict(summary) for summary in result.summaries], _SUMMARY), end="")
    return Exit.DONE if result.valid else Exit.INPUT_INVALID


@manual_input.command()
def schema() -> None:
    """Print the JSON Schema of manual-input files, for editors.

    \b
    Example:
      scanner manual-input schema > manual.schema.json
    """
    from manual_input.example import schema as manual_schema

    click.echo(json_text(manual_schema()))


@manual_input.command()
def example() -> None:
    """Print a whole example, to begin with.

    \b
    Example:
      scanner manual-input example > manual/legacy.json
    """
    from manual_input.example import example as manual_example

    click.echo(manual_example(), nl=False)
