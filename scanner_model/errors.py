"""The errors that a user sees without a traceback, each named after what the reader of it does next."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Self

from scanner_model.problems import Problem


class ScannerError(Exception):
    """Report that something could not be done: where, what, and what next.

    `what` says what is wrong, `where` the place (URL, file, JSON path; empty where there is none),
    `hint` the next step (empty where there is none). Tests compare these parts, never the prose.
    """

    def __init__(self, what: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        """Give one line: place, what, hint."""
        place = f"{self.where}: " if self.where else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{place}{self.what}{hint}"


class SourceUnreachable(ScannerError):
    """Say that a source did not answer: try later; what the last scan found stays."""


class NotCaptured(SourceUnreachable):
    """Report that a capture does not hold what it is asked for."""


class SourceRefused(ScannerError):
    """Say that a source denied access: an operator mends credentials or rights."""


class PayloadUnexpected(ScannerError):
    """Say that a source answered and the answer cannot be read."""


class InputInvalid(ScannerError):
    """Say that a file, option or query is wrong: the user mends it. Exit status 2.

    `problems` lists everything that is wrong where a whole file was judged at once; empty where one thing is.
    """

    def __init__(self, what: str, *, where: str = "", hint: str = "", problems: Iterable[Problem] = ()) -> None:
        super().__init__(what, where=where, hint=hint)
        self.problems = tuple(problems)

    @classmethod
    def listing(cls, problems: Sequence[Problem]) -> Self:
        """Make one error of *problems* (at least one), a line each in their order."""
        if len(problems) == 1:
            first = problems[0]
            return cls(first.what, where=first.where, hint=first.hint, problems=problems)
        return cls("\n  ".join([f"{len(problems)} problems:", *map(str, problems)]), problems=problems)


class NameUnknown(ScannerError):
    """Say that the dictionary does not know what was asked for. Exit status 4."""


class DictionaryUnusable(ScannerError):
    """Say that the dictionary cannot be opened, read or written: full disk, rights, newer version."""


class DictionaryBusy(DictionaryUnusable):
    """Report that another program is writing the dictionary, and did not finish while it was waited for."""


class _Answered(ScannerError):
    """Carry what the server said: HTTP *status*, the body's own error *code* (0 without one), the body read as JSON."""

    def __init__(
        self, what: str, *, where: str = "", hint: str = "", status: int, code: int = 0, body: object = None
    ) -> None:
        super().__init__(what, where=where, hint=hint)
        self.status = status
        self.code = code
        self.body = body


class NotFound(_Answered):
    """Say that the source has no such object or endpoint (404, 405, 410): the caller asks the older way, or goes on."""


class SourceObjected(_Answered):
    """Say that the source would not take this request (other 4xx): the caller asks differently, or reports it."""
