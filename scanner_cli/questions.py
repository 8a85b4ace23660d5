"""Commands that derive from questions: their options, help and examples, and the table of the answer."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import click

from scanner_api.questions.question import Parameter, Question
from scanner_api.questions.table import BY_NAME
from scanner_cli import library
from scanner_cli.console import echo, echo_err
from scanner_cli.options import dictionary_option, one_of
from scanner_cli.output.columns import ROOT, found_tag
from scanner_cli.output.render import Format, cell, format_option, narrow, ranges, shorten, show
from scanner_cli.output.terminal import terminal_width
from scanner_model.columns import path_name

if TYPE_CHECKING:
    from scanner_api.dictionary import Dictionary

Command = TypeVar("Command", bound=Callable[..., Any])
Json = Any


def question_options(name: str, *, without: Sequence[str] = ()) -> Callable[[Command], Command]:
    """Add the parameters of a question to a command as arguments and options, all but those of *without*."""

    def add(command: Command) -> Command:
        answer = BY_NAME[name].answer
        hints = get_type_hints(answer, include_extras=True)
        parameters = list(inspect.signature(answer).parameters.values())[1:]
        for parameter in reversed(parameters):
            if parameter.name not in without:
                command = _add_parameter(command, parameter, hints[parameter.name])
        return command

    return add


def _add_parameter(command: Command, parameter: inspect.Parameter, hint: object) -> Command:
    kind, *notes = get_args(hint)
    described = next(note for note in notes if isinstance(note, Parameter))
    if described.option is None:
        return command
    required = parameter.default is parameter.empty
    if described.argument:
        return click.argument(parameter.name, required=required)(command)
    option = described.option or f"--{parameter.name.replace('_', '-')}"
    if kind is bool:
        return click.option(option, parameter.name, is_flag=True, help=described.text)(command)
    words = _words(kind)
    if words:
        return one_of(option, parameter.name, words=words, text=described.text, default=parameter.default)(command)
    settings: dict[str, Any] = {"metavar": described.metavar, "help": described.text, "required": required}
    settings |= {} if parameter.default in (None, parameter.empty) else {"default": parameter.default}
    if described.least is not None:
        settings["type"] = click.IntRange(described.least, described.most)
    return click.option(option, parameter.name, **settings)(command)


def _words(kind: Any) -> tuple[str, ...]:  # noqa: ANN401 - a type or a generic alias
    """Return the words that a parameter takes; none where it takes others."""
    kinds = get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)
    return next((get_args(one) for one in kinds if get_origin(one) is Literal), ())


def question_command(name: str) -> click.Command:
    """Return the command of the question *name*, which shows the items of its answer."""
    question = BY_NAME[name]

    def run(*, dictionary: Dictionary, style: str, wide: bool = False, **arguments: object) -> None:
        page = question.answer(dictionary, **arguments)
        show_items(question, page, style, wide=wide)
        if not page:
            given = [f"{name} {value!r}" for name, value in arguments.items() if isinstance(value, str) and value]
            echo_err(f"no {question.command} found{' for ' + ', '.join(given) if given else ''}")
        if not page.complete and question.incomplete:
            echo_err(f"note: something may be missing: {question.incomplete}")
        if page.did_you_mean:
            echo_err(f"did you mean {' or '.join(map(repr, page.did_you_mean))}?")

    run.__doc__ = help_text(question)
    options = question_options(name)
    command = wide_option(format_option()(run)) if question.brief else format_option()(run)
    return click.command(question.command)(options(dictionary_option(command)))


def wide_option(command: Command) -> Command:
    """Add the option `--wide` to a command."""
    return click.option("--wide", is_flag=True, help="All columns, also on a terminal.")(command)


def show_items(question: Question, items: Sequence[Any], style: str, *, wide: bool = False) -> None:
    """Write the items of an answer: their documents as JSON, the shown columns as a table or CSV.

    A table on a terminal has the brief columns, and a heading with those that are equal in every row, unless *wide*.
    """
    documents: list[Mapping[str, Json]] = [library.document(item) for item in items]
    cells = CELLS.get(question.name)
    rows = documents if cells is None else [{**row, **cells(row, style)} for row in documents]
    if style == Format.JSON:
        show([], (), style, document=documents)
    else:
        columns = narrow(question.shown, rows, style, question.optional)
        if style == Format.TABLE and question.brief and terminal_width() and not wide:
            columns = _brief(question, rows)
        show(rows, columns, style)


def _brief(question: Question, rows: Sequence[Row]) -> tuple[str, ...]:
    """Return the brief columns that differ between rows, and print the others as a heading."""
    used = narrow(question.brief, rows, Format.TABLE, question.brief)
    if len(rows) < 2:
        return used
    equal = {name: cell(rows[0].get(name)) for name in used if len({cell(row.get(name)) for row in rows}) == 1}
    if equal:
        echo(" · ".join(f"{name.replace('_', ' ')} {value}" for name, value in equal.items()))
    return tuple(name for name in used if name not in equal)


def help_text(question: Question) -> str:
    """Return the help of a command: summary, what else there is to know, examples, exit statuses."""
    pattern = "PATTERN is a glob (`orders*`) or a part of the name." if _has_pattern(question) else ""
    before, _, last = question.help.rpartition("\n\n")
    examples = "\n".join(["\b", "Examples:", *(f"  scanner {line}" for line in question.examples)])
    return "\n\n".join(filter(None, [question.summary, " ".join(filter(None, [pattern, before])), examples, last]))


def _has_pattern(question: Question) -> bool:
    return "pattern" in inspect.signature(question.answer).parameters


Row = Mapping[str, Any]
_WIDEST = 80


def _column(row: Row, _: str) -> Row:
    return {"name": row["name"] or ROOT, "found_tags": [found_tag(tag) for tag in row["found_tags"]]}


def _subject(row: Row, style: str) -> Row:
    """Return ranges of versions, and the ends of names that are too long for a line of a table."""
    if style != Format.TABLE:
        return {}
    topics = [shorten(topic) for topic in row["topics"]]
    return {"name": shorten(row["name"]), "versions": ranges(row["versions"]), "topics": topics}


def _statement(row: Row, _: str) -> Row:
    """Return the first line of a statement that is not a comment."""
    lines = [line.strip() for line in row["statement"].splitlines() if line.strip()]
    first = next((line for line in lines if not line.startswith("--")), next(iter(lines), ""))
    return {"first_line": first if len(first) <= _WIDEST else first[: _WIDEST - 1] + "…"}


def _hit(row: Row, _: str) -> Row:
    return {"path": path_name(tuple(row["path"] or ()))}


def _table(row: Row, _: str) -> Row:
    return {"columns": len(row["columns"]) or None}


def _connector(row: Row, style: str) -> Row:
    """Return the counts of tasks; a worker calls a connector RUNNING even where all of its tasks are FAILED."""
    failed, tasks = row["failed_tasks"], len(row["tasks"])
    cells = {"tasks": tasks, "failed": failed or None}
    if style == Format.TABLE and terminal_width():
        cells["class"] = row["class"].rpartition(".")[2]
    if failed and style == Format.TABLE:
        cells["state"] = f"{row['state']}, {failed} of {tasks} tasks FAILED"
    return cells


CELLS: Mapping[str, Callable[[Row, str], Row]] = {
    "columns": _column,
    "schemas": _subject,
    "statements": _statement,
    "tables": _table,
    "connectors": _connector,
    "search": _hit,
}
"""Question → the cells of a row, given as its document, for a table or CSV."""
