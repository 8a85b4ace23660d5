"""`scanner report`: answers as documents to sign or to file."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scanner_api.questions.table import BY_NAME
from scanner_cli import library
from scanner_cli.console import echo_err
from scanner_cli.lazy_group import Group
from scanner_cli.options import dictionary_option
from scanner_cli.output.render import Format, format_option, json_text
from scanner_cli.questions import Table, question_options, show_rows
from scanner_model.text import visible

if TYPE_CHECKING:
    from scanner_api.dictionary import Dictionary


@click.group(cls=Group)
def report() -> None:
    """Write an answer as a document: who may read personal data.

    \b
    Examples:
      scanner report personal-data -o personal-data.html
      scanner report personal-data --as-of 2026-06-30 -o june.csv
    """


@report.command("personal-data")
@question_options("personal_data_report")
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write a private file instead: .html, a page to sign, or .csv.",
)
@dictionary_option
@format_option()
def personal_data(*, output: Path | None, dictionary: Dictionary, style: str, **named: Any) -> None:  # noqa: ANN401 - of the question
    """Report who may read personal data: rules of access, tagged columns and their copies.

    Each row is a principal that may read a column, a reader of it, or a column whose readers are unknown. If no rules
    of access were read, the report says so first. It lists what cannot be known and which sources were not read.

    \b
    Examples:
      scanner report personal-data
      scanner report personal-data --tag finance --cluster retail
      scanner report personal-data --as-of 2026-06-30 -o june.html

    \b
    Exit status: 4 the cluster is not known, or no scan was finished then.
    """
    answer = library.personal_data_report(dictionary, **named)
    if output:
        library.write_personal_data_report(answer, output)
        echo_err(f"{visible(str(output))}: {len(answer.access)} rows, {len(answer.unknown)} things that are not known")
        return
    if style == Format.JSON:
        click.echo(json_text(library.document(answer)))
        return
    for text in answer.unknown:
        echo_err(visible(f"unknown: {text}"))
    if answer.undecided:
        tag = shlex.quote(answer.tag)
        echo_err(visible(f"note: `scanner columns --tag {tag} --found suggested` lists the columns to decide on"))
    question = BY_NAME["personal_data_report"]
    rows = [row._asdict() for row in answer.access]
    show_rows(rows, Table(question.shown, question.brief, question.optional), style)
