"""Problems, and exceptions shown to the user without a traceback; each class stands for one way to react."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing that is wrong: `where` (file, JSON path, subject), `what`, and a `hint` (empty if absent)."""

    where: str
    what: str
    hint: str = ""

    def __str__(self) -> str:
        """Return one line of text."""
        return f"{self.where}: {self.what}" + (f" ({self.hint})" if self.hint else "")


class ScannerError(Exception):
    """Base class of reported errors: what failed, where, and what to do next.

    `what` is the error, `where` its location (URL, file, JSON path; empty if absent),
    `hint` the next step (empty if absent). Tests compare these parts, never the prose.
    """

    def __init__(self, what: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        """Return one line: location, error, hint."""
        prefix = f"{self.where}: " if self.where else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{prefix}{self.what}{hint}"


class SourceUnreachable(ScannerError):
    """Raised when a source did not respond: retry later; facts of the last scan are retained."""


class ServerFailed(SourceUnreachable):
    """Raised when a server answered each try with an error of its own (500): retry later, or leave this object out."""


class NotCaptured(SourceUnreachable):
    """Raised when a capture does not contain the requested response."""


class SourceRefused(ScannerError):
    """Raised when a source denied access: credentials or permissions must be corrected."""


class PayloadUnexpected(ScannerError):
    """Raised when a response cannot be parsed."""


class InputInvalid(ScannerError):
    """Raised when a file, option or query is invalid: the user corrects it. Exit status 2.

    `problems` lists everything that is wrong where a whole file was validated at once; empty if one thing is.
    `choices` are what may be written instead of a name that means several things, which the hint lists, too.
    """

    def __init__(
        self,
        what: str,
        *,
        where: str = "",
        hint: str = "",
        problems: Iterable[Problem] = (),
        choices: Iterable[str] = (),
    ) -> None:
        super().__init__(what, where=where, hint=hint)
        self.problems = tuple(problems)
        self.choices = tuple(choices)

    @classmethod
    def listing(cls, problems: Sequence[Problem]) -> Self:
        """Build one error of *problems* (at least one), a line each in their order."""
        if len(problems) == 1:
            first = problems[0]
            return cls(first.what, where=first.where, hint=first.hint, problems=problems)
        return cls("\n  ".join([f"{len(problems)} problems:", *map(str, problems)]), problems=problems)


class NameUnknown(ScannerError):
    """Raised when the dictionary does not contain the requested name. Exit status 4."""


class DictionaryUnusable(ScannerError):
    """Raised when the dictionary cannot be opened, read or written: full disk, rights, newer version."""


class DictionaryBusy(DictionaryUnusable):
    """Raised when another program is writing to the dictionary and did not finish within the wait time."""


class _Answered(ScannerError):
    """Server response: HTTP *status*, the body's own error *code* (0 without one), the body read as JSON."""

    def __init__(
        self, what: str, *, where: str = "", hint: str = "", status: int, code: int = 0, body: object = None
    ) -> None:
        super().__init__(what, where=where, hint=hint)
        self.status = status
        self.code = code
        self.body = body


class NotFound(_Answered):
    """Raised when the source has no such object or endpoint (404, 405, 410): the caller falls back, or goes on."""


class SourceObjected(_Answered):
    """Raised when the source rejected the request (other 4xx): the caller retries differently, or reports it."""
