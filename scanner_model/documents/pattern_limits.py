"""Time and memory limits for user-supplied regular expressions."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from scanner_model.errors import InputInvalid

_Result = TypeVar("_Result", covariant=True)

_LARGEST = 20_000
_LONGEST_SHOWN = 80
_PIECE = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*+(?:\]|\Z)|\{(?P<count>\d+)(?:,\d*)?\}|.", re.DOTALL)
REWRITE = "rewrite the pattern without alternatives or repetitions that overlap, as in (a|aa)+ or (a+)+"
"""Hint for a pattern that takes too long."""


class TookTooLong(InputInvalid):
    """Raised when matching *pattern* exceeded its time limit; whether it matches is unknown."""

    def __init__(self, pattern: str, text: str) -> None:
        what = f"the pattern {shown(pattern)} takes too long on {shown(text)} and is not evaluated on it"
        super().__init__(what, hint=REWRITE)
        self.pattern = pattern


class Match(Protocol[_Result]):
    """A method of a compiled pattern of `regex`; raises TimeoutError after *timeout* seconds of processor time."""

    def __call__(self, text: str, /, *, timeout: float) -> _Result:
        """Match *text*."""


@dataclass(slots=True)
class TimeLimit:
    """The processor time, in seconds, that matching may take: *each* match, and *total* for all slow ones.

    A match is slow that takes longer than *least*, which is hundreds of times what an ordinary one takes. When the
    total is spent, every match still has *least*: ordinary ones go on as before, and the sum stays bounded.
    """

    each: float = 0.2
    total: float = 5.0
    least: float = 0.002
    clock: Callable[[], float] = time.thread_time

    def run(self, match: Match[_Result], text: str, pattern: str) -> _Result:
        """Return what *match* finds in *text*; raises TookTooLong."""
        start = self.clock()
        try:
            return match(text, timeout=max(self.least, min(self.each, self.total)))
        except TimeoutError as error:
            raise TookTooLong(pattern, text) from error
        finally:
            took = self.clock() - start
            if took > self.least:
                self.total -= took


def is_too_large(pattern: str) -> bool:
    """Check whether *pattern*, its counted repetitions written out, would take too much memory when compiled."""
    sizes = [0]
    last = 0
    for piece in _PIECE.finditer(pattern):
        if piece["count"]:
            repeated = last * int(piece["count"][:9])
            sizes[-1] += repeated - last
            last = repeated
        elif piece[0] == "(":
            sizes.append(0)
            continue
        else:
            last = sizes.pop() if piece[0] == ")" and len(sizes) > 1 else 1
            sizes[-1] += last
        if sizes[-1] > _LARGEST:
            return True
    return False


def shown(text: str) -> str:
    """Return *text* in quotation marks, cut where it is long."""
    return repr(text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…")
