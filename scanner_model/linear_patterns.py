"""Patterns that come from others: matched by RE2, in time that grows with the length of the text only.

Python's `re` backtracks: a line of 25 letters in CODEOWNERS held a check for good. RE2 has neither lookaround nor
references to groups. Patterns of the product itself stay with `re`; a test proves that each is linear.
"""

from __future__ import annotations

import re
from typing import Any

import re2

LONGEST = 10_000
"""Maximum characters of one pattern."""
_SURROGATE = re.compile("[\ud800-\udfff]")


class InvalidPattern(ValueError):
    """Raised for a pattern that RE2 does not compile: invalid, too large, or with lookaround."""


class LinearPattern:
    """A compiled pattern: a dot matches every character, and letter case counts."""

    __slots__ = ("_compiled",)

    def __init__(self, pattern: str) -> None:
        """Compile *pattern*; raises InvalidPattern."""
        if len(pattern) > LONGEST:
            raise InvalidPattern(f"it has more than {LONGEST} characters")
        try:
            self._compiled = re2.compile(_encodable(pattern), _options())
        except re2.error as error:
            raise InvalidPattern(str(error)) from error

    def fits(self, text: str) -> bool:
        """Check whether all of *text* matches."""
        return self._compiled.fullmatch(_encodable(text)) is not None

    def group(self, text: str, name: str) -> str:
        """Return what the group *name* has in *text*; empty if the whole text does not match."""
        match = self._compiled.fullmatch(_encodable(text))
        return (match[name] or "") if match else ""

    def replaced(self, text: str, new: str) -> str:
        """Return *text* with *new* for each match; a backslash and a digit in it are a group."""
        return str(self._compiled.sub(_encodable(new), _encodable(text)))


def _options() -> Any:  # noqa: ANN401 - RE2 has no types
    options = re2.Options()
    options.log_errors = False
    options.dot_nl = True
    return options


def _encodable(text: str) -> str:
    """Return *text* as UTF-8 can encode it: names of files may have bytes that are not UTF-8."""
    return _SURROGATE.sub("\ufffd", text)
