"""`scanner columns`, `scanner jobs`: lists that answer two questions each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from scanner_api.questions.table import BY_NAME
from scanner_cli import library
from scanner_cli.choices import TAG_KINDS
from scanner_cli.command import command
from scanner_cli.options import one_of
from scanner_cli.output.groups import personal_groups, show_groups
from scanner_cli.output.render import Format, narrow, show
from scanner_cli.questions import answer, help_text, list_options, question_options

if TYPE_CHECKING:
    from scanner_api.dictionary import Dictionary

_TAGGED = ("tag", "found", "outside", "since")
"""Options with which `columns` lists tagged data and its readers."""


@command(help=help_text(BY_NAME["columns"]))
@question_options("columns", without=("tag", "tags"))
@click.option("--tag", metavar="TAG", help="Only data with this tag, such as PII, in any case.")
@question_options("personal_data", without=("cluster", "pattern", "name", "tag", "as_of"))
@one_of("--tags", words=TAG_KINDS, text="List columns only, without readers, whose tag is known in this way.")
@list_options
def columns(
    *,
    tags: str | None,
    dictionary: Dictionary,
    style: str,
    wide: bool,
    **named: Any,  # noqa: ANN401 - of the questions
) -> None:
    """List columns, or the places and readers of tagged ones."""
    tagged = {option: named.pop(option) for option in _TAGGED}
    given = {option: value for option, value in tagged.items() if value}
    if tags or named["unread"]:
        if given.keys() - {"tag"}:
            raise click.UsageError("--tags and --unread list columns only; leave out --found, --outside and --since")
        chosen = {"tag": tagged["tag"]} | ({"tags": tags} if tags else {})
        answer(BY_NAME["columns"], dictionary, {**named, **chosen}, style, wide=wide)
    elif given:
        del named["unread"]  # a filter of columns
        answer(
            BY_NAME["personal_data"],
            dictionary,
            {**named, **given},
            style,
            wide=wide,
            table=lambda rows: show_groups(personal_groups(list(map(library.document, rows)), wide=wide)),
        )
    else:
        answer(BY_NAME["columns"], dictionary, named, style, wide=wide)


_TASKS = ("cluster", "source", "name", "task", "state", "worker", "error")


@command(help=help_text(BY_NAME["jobs"]))
@question_options("jobs")
@click.option("--tasks", is_flag=True, help="A line for each task of a connector.")
@list_options
def jobs(*, tasks: bool, dictionary: Dictionary, style: str, wide: bool, **named: Any) -> None:  # noqa: ANN401 - of the question
    """List jobs, or the tasks of connectors."""
    if not tasks or style == Format.JSON:
        answer(BY_NAME["jobs"], dictionary, named, style, wide=wide)
        return
    listed = library.jobs(dictionary, **{**named, "kind": "connector"})
    rows = [row for job in listed for row in _tasks(job)]
    show(rows, narrow(_TASKS, rows, style, ("error",)), style)


def _tasks(row: Any) -> Iterator[Mapping[str, Any]]:  # noqa: ANN401 - a connector
    connector = {"cluster": row.cluster, "source": row.source, "name": row.name}
    for task in row.tasks:
        yield connector | {"task": task.number, "state": task.state, "worker": task.worker, "error": task.error}
