"""`scanner may-delete`: whether a topic, a subject, a version or a schema id may be deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from scanner_cli import library
from scanner_cli.console import echo_err
from scanner_cli.options import dictionary_option
from scanner_cli.output.render import Format, format_option, narrow, show
from scanner_cli.questions import question_options
from scanner_cli.usage_errors import Exit
from scanner_model.text import visible

if TYPE_CHECKING:
    from scanner_api.change_check.deletion import DeletionAnswer
    from scanner_api.dictionary import Dictionary

_COLUMNS = ("deletion", "answer", "kind", "name", "what", "owner", "last_seen", "evidence")
_OPTIONAL = frozenset({"owner", "last_seen"})
_STATUS = {"no": Exit.IMPACT, "unknown": Exit.UNCERTAIN, "yes": Exit.DONE}
"""Answer → exit status; the first that is among the answers decides."""


@click.command("may-delete")
@question_options("may_delete", without=("limit",))
@dictionary_option
@format_option()
def may_delete(*, dictionary: Dictionary, style: str, **named: Any) -> int:  # noqa: ANN401 - what is deleted
    """Find out whether a topic, a subject, a version or a schema id may be deleted. Nothing is deleted.

    A line for each that refers to it, is described by it, reads or writes it, and for each reason why that may not be
    all: a stale source, a group without members, records of an older version. Answers: yes, no, unknown.

    \b
    Examples:
      scanner may-delete --topic orders.RETRY
      scanner may-delete --subject orders-value --version 1
      scanner may-delete --schema-id 42 --format json

    \b
    Exit status: 0 yes; 2 not exactly one thing is named; 4 the dictionary does not have it; 6 no; 7 unknown.
    """
    answers = library.may_delete(dictionary, **named)
    rows = [row for answer in answers for row in _rows(answer)]
    show(
        rows,
        narrow(_COLUMNS, rows, style, _OPTIONAL),
        style,
        document=list(map(library.deletion_document, answers)),
    )
    if style == Format.TABLE:
        echo_err("\n".join(visible(_line(answer)) for answer in answers), lines=True)
    given_answers = {str(answer.answer) for answer in answers}
    return next(status for answer, status in _STATUS.items() if answer in given_answers)


def _line(answer: DeletionAnswer) -> str:
    since = f", unused since {answer.unused_since}" if answer.unused_since else ""
    return f"{answer.cluster}: {answer.what}: {answer.answer}{since}"


def _rows(answer: DeletionAnswer) -> list[dict[str, object]]:
    return [
        {
            "deletion": answer.what,
            "answer": str(use.answer),
            "kind": use.kind,
            "name": use.name,
            "what": use.what,
            "owner": use.owner,
            "last_seen": use.last_seen,
            "evidence": use.evidence,
        }
        for use in answer.uses
    ]
