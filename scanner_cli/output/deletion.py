"""Whether things may be deleted: a line for each use, and the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from scanner_cli import library
from scanner_cli.console import echo_err
from scanner_cli.output.render import Format
from scanner_cli.questions import Table, show_rows
from scanner_cli.usage_errors import Exit
from scanner_model.errors import InputInvalid
from scanner_model.text import visible

if TYPE_CHECKING:
    from scanner_check.users.deletion import DeletionAnswer

_TABLE = Table(
    ("deletion", "answer", "kind", "name", "what", "safe_on", "owner", "last_seen", "evidence"),
    ("deletion", "answer", "kind", "name", "what", "safe_on", "owner"),
    ("safe_on", "owner", "last_seen"),
)
_STATUS = {"no": Exit.IMPACT, "unknown": Exit.UNCERTAIN, "yes": Exit.DONE}
"""Answer → exit status; the first that is among the answers decides."""


def show_deletions(answers: Sequence[DeletionAnswer], style: str) -> Exit:
    """Write *answers*, and return the exit status; raises InputInvalid for a format of reports on changes."""
    if style not in tuple(Format):
        hint = f"--format is one of {', '.join(Format)}"
        raise InputInvalid("a deletion has no such report", where=f"--format {style}", hint=hint)
    rows = [
        asdict(use) | {"deletion": answer.what, "answer": str(use.answer)} for answer in answers for use in answer.uses
    ]
    document = list(map(library.deletion_document, answers))
    show_rows(rows, _TABLE, style, document=document)
    if style == Format.TABLE:
        echo_err("\n".join(visible(_line(answer)) for answer in answers), lines=True)
    given = {str(answer.answer) for answer in answers}
    return next(status for answer, status in _STATUS.items() if answer in given)


def _line(answer: DeletionAnswer) -> str:
    since = f", unused since {answer.unused_since}" if answer.unused_since else ""
    return f"{answer.cluster}: may {answer.what} be deleted? {answer.answer}{since}{_date(answer)}"


def _date(answer: DeletionAnswer) -> str:
    """Return when no reader counts any more, or which readers have no such day; empty without a rule or reader."""
    if answer.safe_on:
        return f", safe on {answer.safe_on} if none of its readers is seen again"
    waiting = list(library.readers_without_date(answer))
    if not waiting or not any(use.safe_on for use in answer.uses):
        return ""
    more = f" and {len(waiting) - _LISTED} more" if len(waiting) > _LISTED else ""
    return f", no date yet: {', '.join(waiting[:_LISTED])}{more}"


_LISTED = 5
