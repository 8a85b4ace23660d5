"""`scanner plan`: the steps of a migration, as an issue or as a list of what is done."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from scanner_api.questions.table import BY_NAME
from scanner_cli import library
from scanner_cli.command import command
from scanner_cli.console import echo, echo_err
from scanner_cli.options import dictionary_option, one_of
from scanner_cli.output.plan_markdown import plan_markdown
from scanner_cli.output.render import Format
from scanner_cli.questions import Table, help_text, question_options, show_rows
from scanner_model.text import visible

if TYPE_CHECKING:
    from scanner_api.dictionary import Dictionary

_PLAN = BY_NAME["plan"]
_MARKDOWN = "markdown"


@command("plan", help=help_text(_PLAN))
@question_options("plan")
@click.option("--status", is_flag=True, help="Only a line for each step: which are done as of the newest scan.")
@click.option(
    "--output", "-o", type=click.Path(path_type=Path), metavar="FILE", help="Write Markdown to a file instead."
)
@click.option(
    "--schemas",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Also write the schema of each open step, as DIR/STEP/SUBJECT.avsc, for `scanner check`.",
)
@dictionary_option
@one_of("--format", "style", words=(_MARKDOWN, *Format), text="By default markdown, with --status a table.")
def plan(
    *,
    change: str,
    as_of: str | None,
    status: bool,
    output: Path | None,
    schemas: Path | None,
    dictionary: Dictionary,
    style: str | None,
) -> None:
    """Write the plan."""
    answer = library.plan(dictionary, change=change, as_of=as_of)
    for file in library.write_plan_schemas(answer, schemas) if schemas else ():
        echo_err(visible(str(file)))
    style = style or (Format.TABLE if status else _MARKDOWN)
    if output:
        library.write_text(library.check_file(output, "--output"), plan_markdown(answer, brief=status))
        echo_err(f"{visible(str(output))}: {len(answer.steps)} steps")
    elif style == _MARKDOWN:
        echo(plan_markdown(answer, brief=status), end="")
    else:
        document = library.document(answer)
        show_rows(document["steps"], Table(_PLAN.shown, (), _PLAN.optional), style, document=document)
    if not answer.complete:
        echo_err("note: users may be missing; the plan lists why")
