"""Commands that derive from questions: their options, help and examples, and the table of the answer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from scanner_api.questions.question import Question
from scanner_api.questions.table import BY_NAME
from scanner_cli import library
from scanner_cli.command import command
from scanner_cli.console import echo, echo_err
from scanner_cli.options import dictionary_option, one_of
from scanner_cli.output.columns import found_tag
from scanner_cli.output.render import Format, cell, format_option, narrow, ranges, shorten, show
from scanner_cli.output.terminal import terminal_width
from scanner_cli.parameters import Option, options_of
from scanner_model.columns import WHOLE_MESSAGE, path_name
from scanner_model.names import dataset_address
from scanner_model.text import tasks_apart

if TYPE_CHECKING:
    from scanner_api.dictionary import Dictionary

Command = TypeVar("Command", bound=Callable[..., Any])
Json = Any


def question_options(name: str, *, without: Sequence[str] = ()) -> Callable[[Command], Command]:
    """Add the parameters of a question to a command as arguments and options, all but those of *without*."""

    def add(command: Command) -> Command:
        for option in reversed(options_of(name)):
            if option.name not in without:
                command = _add_option(command, option)
        return command

    return add


def _add_option(command: Command, option: Option) -> Command:
    if option.argument:
        return click.argument(option.name, required=option.required)(command)
    names = (option.option, option.name)
    if option.flag:
        return click.option(*names, is_flag=True, help=option.text)(command)
    if option.words:
        return one_of(*names, words=option.words, text=option.text, default=option.default)(command)
    settings: dict[str, Any] = {"metavar": option.metavar, "help": option.text, "required": option.required}
    settings |= {} if option.default is None else {"default": option.default}
    if option.least is not None:
        settings["type"] = click.IntRange(option.least, option.most)
    return click.option(*names, **settings)(command)


def question_command(name: str) -> click.Command:
    """Return the command of the question *name*, which shows the items of its answer."""
    question = BY_NAME[name]

    def run(*, dictionary: Dictionary, style: str, wide: bool = False, **arguments: object) -> None:
        answer(question, dictionary, arguments, style, wide=wide)

    run.__doc__ = help_text(question)
    listed: click.Command = command(question.command)(question_options(name)(list_options(run)))
    return listed


def list_options(function: Callable[..., Any]) -> Any:  # noqa: ANN401 - a function, which options decorate
    """Add the options of a list to a command: its dictionary, format, and whether a terminal shows all columns."""
    return dictionary_option(wide_option(format_option()(function)))


def answer(
    question: Question,
    dictionary: Dictionary,
    arguments: Mapping[str, object],
    style: str,
    *,
    wide: bool,
    table: Callable[[Sequence[Any]], None] | None = None,
) -> None:
    """Write the answer to *question*: its items, then how many there are, and what may be missing.

    *table* writes the items for people, in place of a table with a row for each.
    """
    page = question.answer(dictionary, **arguments)
    if table and style == Format.TABLE:
        table(page)
    else:
        show_items(question, page, style, wide=wide)
    if not page:
        texts = [repr(value) for name, value in arguments.items() if name in _NAMING and value]
        echo_err(f"no {_noun(question)} found{' for ' + ' and '.join(texts) if texts else ''}")
        if not library.scans(dictionary, limit=1):
            echo_err("note: nothing was scanned into this dictionary yet: run `scanner scan`")
    elif page.next_cursor:
        every = question.answer(dictionary, **{**arguments, "limit": _MOST})
        least = "at least " if every.next_cursor else ""
        echo_err(f"{len(page)} of {least}{len(every)} {_noun(question)}; --limit shows more")
    elif style == Format.TABLE and terminal_width():
        counted = _is_filtered(question, arguments) and not arguments.get("as_of")
        total = _total(question, dictionary) if counted else 0
        of = f" of {total}" if total > len(page) else ""
        echo_err(f"{len(page)}{of} {_noun(question) if len(page) != 1 or of else _noun(question)[:-1]}")
    if not page.complete and question.incomplete:
        echo_err(f"note: something may be missing: {question.incomplete}")
    if page.did_you_mean:
        echo_err(f"did you mean {' or '.join(map(repr, page.did_you_mean))}?")


def _is_filtered(question: Question, arguments: Mapping[str, object]) -> bool:
    defaults = {option.name: option.default for option in options_of(question.name)}
    return any(value not in (None, False, defaults.get(name)) for name, value in arguments.items())


def _total(question: Question, dictionary: Dictionary) -> int:
    """Return how many items the list has without filters; 0 where that is not counted."""
    counts = BY_NAME["summary"].answer(dictionary).counts if question.counts else None
    return sum(counts[name] for name in question.counts) if counts else 0


_NAMING = ("pattern", "q", "topic", "name", "tag")
"""Parameters whose values an empty answer repeats."""

_MOST = 2_000
_NOUNS = {"search": "hits", "clients": "uses", "personal_data": "columns and readers", "version_uses": "versions"}


def _noun(question: Question) -> str:
    return _NOUNS.get(question.name, question.name)


def wide_option(command: Command) -> Command:
    """Add the option `--wide` to a command."""
    return click.option("--wide", is_flag=True, help="All columns, also on a terminal.")(command)


def show_items(question: Question, items: Sequence[Any], style: str, *, wide: bool = False) -> None:
    """Write the items of an answer: their documents as JSON, the shown columns as a table or CSV."""
    documents: list[Mapping[str, Json]] = [library.document(item) for item in items]
    cells = CELLS.get(question.name)
    rows = documents if cells is None or style == Format.JSON else [{**row, **cells(row, style)} for row in documents]
    table = Table(question.shown, question.brief, question.optional)
    show_rows(rows, table, style, document=documents, wide=wide)


class Table(NamedTuple):
    """The columns of a list, in their order; a table leaves out *optional* ones that no row has.

    *brief* are those that a terminal shows unless all are requested; empty: all of them.
    """

    shown: tuple[str, ...]
    brief: tuple[str, ...] = ()
    optional: Collection[str] = ()


def show_rows(rows: Sequence[Row], table: Table, style: str, *, document: Json = None, wide: bool = False) -> None:
    """Write *rows*: *document* as JSON, or the columns of *table*.

    A terminal shows nothing for an empty list, and, unless *wide*, a heading with what is equal in every row.
    """
    columns = narrow(table.shown, rows, style, table.optional)
    if style == Format.TABLE and terminal_width():
        if not rows:
            return
        columns = columns if wide else _differing(narrow(table.brief, rows, style, table.brief) or columns, rows)
        rows = [{name: _shown(name, row.get(name)) for name in columns} for row in rows]
    show(rows, columns, style, document=document)


def _differing(columns: tuple[str, ...], rows: Sequence[Row]) -> tuple[str, ...]:
    """Return the columns that differ between rows, and print the others as a heading."""
    if len(rows) < 2:
        return columns
    values = {name: {cell(row.get(name)) for row in rows} - ({""} if name == _CLUSTER else set()) for name in columns}
    equal = {name: "".join(those) for name, those in values.items() if len(those) <= 1}
    if filled := {name: value for name, value in equal.items() if value}:
        echo(" · ".join(f"{name.replace('_', ' ')} {_shown(name, value)}" for name, value in filled.items()))
    return tuple(name for name in columns if name not in equal) or columns[:1]


def _shown(name: str, value: Json) -> Json:
    """Return a time to the minute; other values as they are."""
    return value[:_MINUTE].replace("T", " ") if name in _TIMES and isinstance(value, str) else value


_CLUSTER = "cluster"
"""Data outside of Kafka has no cluster, so the heading shows a single one."""

_TIMES = ("finished", "first_seen", "last_seen")
_MINUTE = len("2026-01-31T12:00")


def help_text(question: Question) -> str:
    """Return the help of a command: summary, what else there is to know, examples, exit statuses."""
    pattern = "PATTERN is a glob (`orders*`) or a part of the name." if _has_pattern(question) else ""
    before, _, last = question.help.rpartition("\n\n")
    examples = "\n".join(["\b", "Examples:", *(f"  scanner {line}" for line in question.examples)])
    return "\n\n".join(filter(None, [question.summary, " ".join(filter(None, [pattern, before])), examples, last]))


def _has_pattern(question: Question) -> bool:
    return any(option.name == "pattern" for option in options_of(question.name))


Row = Mapping[str, Any]
_WIDEST = 80
_NARROW = 32
"""Characters of what a job uses, in a table with other columns."""


def _column(row: Row, _: str) -> Row:
    return {
        "name": row["name"] or WHOLE_MESSAGE,
        "found_tags": [found_tag(tag) for tag in row["found_tags"]],
        "where": row["topic"] or dataset_address(row["dataset"]),
    }


def _subject(row: Row, style: str) -> Row:
    """Return ranges of versions, and the ends of names that are too long for a line of a table."""
    if style != Format.TABLE:
        return {}
    topics = [shorten(topic) for topic in row["topics"]]
    return {"name": shorten(row["name"]), "versions": ranges(row["versions"]), "topics": topics}


def _job(row: Row, style: str) -> Row:
    """Return the cells of a connector or a statement: those that the other kind lacks are absent."""
    cells = {**_ABSENT, **(_connector(row, style) if "tasks" in row else _statement(row))}
    uses = cell(cells["topics"]) or cells["first_line"] or ""
    return cells | {"uses": uses if len(uses) <= _NARROW else uses[: _NARROW - 1] + "…"}


_ABSENT = dict.fromkeys(("class", "tasks", "failed", "topics", "first_line", "error", "detail", "hidden"))


def _statement(row: Row) -> Row:
    """Return the first line of a statement that is not a comment."""
    lines = [line.strip() for line in row["statement"].splitlines() if line.strip()]
    first = next((line for line in lines if not line.startswith("--")), next(iter(lines), ""))
    cells = {"first_line": first if len(first) <= _WIDEST else first[: _WIDEST - 1] + "…"}
    return (
        cells | {name: row[name] for name in ("detail", "hidden")} | {"type": row["kind"], "topics": row["topics_read"]}
    )


def _hit(row: Row, _: str) -> Row:
    path = path_name(tuple(row["path"] or ()))
    return {"path": path, "full_name": f"{row['name']}.{path}" if path else row["name"]}


def _table(row: Row, _: str) -> Row:
    return {"columns": len(row["columns"]) or None}


def _connector(row: Row, style: str) -> Row:
    """Return the counts of tasks; in a table, the state says which have another one than the connector."""
    failed, tasks = row["failed_tasks"], len(row["tasks"])
    cells = {"tasks": tasks, "failed": failed or None} | {name: row[name] for name in ("class", "topics", "error")}
    cells["type"] = row["class"].rpartition(".")[2].removesuffix("Connector")
    apart = tasks_apart(row["state"], [task["state"] for task in row["tasks"]])
    if apart and style == Format.TABLE:
        cells["state"] = f"{row['state']}, {apart}"
    return cells


CELLS: Mapping[str, Callable[[Row, str], Row]] = {
    "columns": _column,
    "schemas": _subject,
    "tables": _table,
    "jobs": _job,
    "search": _hit,
}
"""Question → the cells of a row, given as its document, for a table or CSV."""
