"""Evaluate Java's regular expressions (java.util.regex.Pattern) on names, within a time limit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import regex

from dataflow_generator.connectors.java_translation import refused, translated
from scanner_model.documents.pattern_limits import Match, TimeLimit, is_too_large
from scanner_model.errors import InputInvalid, Problem

_REFERENCE = re.compile(
    r"\\(?P<literal>.)|\$\{(?P<name>[A-Za-z][A-Za-z0-9]*)\}|\$(?P<digits>[0-9]+)|(?P<wrong>[$\\])", re.DOTALL
)
# Patterns that mean the same in Python and cannot take long: literals and few `.*`. Most patterns are of this kind.
_SAME = re.compile(r"(?:[\w-]|\\[.-])*(?:\.[*+](?:[\w-]|\\[.-])*){0,3}", re.ASCII)
_START = re.compile(r"(?:[\w-]|\\[.-])*", re.ASCII)

_LIMIT = TimeLimit()
_problems: ContextVar[dict[str, Problem] | None] = ContextVar("problems", default=None)


@contextmanager
def pattern_problems() -> Iterator[dict[str, Problem]]:
    """Collect one problem for each pattern that cannot be evaluated inside this context, by the pattern's text."""
    problems: dict[str, Problem] = {}
    token = _problems.set(problems)
    try:
        yield problems
    finally:
        _problems.reset(token)


@dataclass(slots=True, eq=False)
class JavaRegex:
    """A pattern evaluated like java.util.regex; every method may raise InputInvalid.

    A pattern that timed out once is not evaluated again: *failure* is its error.
    """

    pattern: str
    compiled: regex.Pattern[str]
    limit: TimeLimit
    same: re.Pattern[str] | None = None
    failure: InputInvalid | None = None

    @property
    def start(self) -> str:
        """Return the literal prefix of every matching text, as far as it is obvious."""
        prefix = _START.match(self.pattern) if self.same else None
        return prefix[0].replace("\\", "") if prefix else ""

    def matches(self, text: str) -> bool:
        """Return whether the pattern matches the whole *text*, as `Matcher.matches()`."""
        if self.same and text.isascii() and text.isprintable():
            return self.same.fullmatch(text) is not None
        return self._run(self.compiled.fullmatch, text) is not None

    def replace_first(self, text: str, replacement: str) -> str:
        """Replace the first match in *text*, as `Matcher.replaceFirst()`; without a match *text* is unchanged."""
        match = self._run(self.compiled.search, text)
        if match is None:
            return text
        return text[: match.start()] + self._expanded(match, replacement) + text[match.end() :]

    def _run(self, match: Match[Any], text: str) -> Any:  # noqa: ANN401 - a match of `regex`, or None
        try:
            if self.failure is None:
                return self.limit.run(match, text, self.pattern)
        except InputInvalid as error:
            self.failure = error
        assert self.failure
        _report(self.failure)
        raise InputInvalid(self.failure.what, hint=self.failure.hint)

    def _expanded(self, match: regex.Match[str], replacement: str) -> str:
        def value(reference: re.Match[str]) -> str:
            if reference["literal"] is not None:
                return reference["literal"]
            if reference["wrong"]:
                raise refused(self.pattern, f"has a replacement {replacement!r} that Java refuses")
            group, rest = (reference["name"], "") if reference["name"] else self._numbered(reference["digits"])
            if group not in self.compiled.groupindex and group not in range(self.compiled.groups + 1):
                raise refused(self.pattern, f"has no group for its replacement {replacement!r}")
            return (match[group] or "") + rest

        return _REFERENCE.sub(value, replacement)

    def _numbered(self, digits: str) -> tuple[int, str]:
        """Return the group, and digits that are not part of it: `$12` is `$1` and a 2 where there is no group 12."""
        length = 1
        while length < min(len(digits), 4) and int(digits[: length + 1]) <= self.compiled.groups:
            length += 1
        return int(digits[:length]), digits[length:]


def java_regex(pattern: str) -> JavaRegex:
    """Compile *pattern*; raises InputInvalid where Java refuses it, or for syntax that is not translated."""
    try:
        return _compiled(pattern)
    except InputInvalid as error:
        _report(error)
        raise


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> JavaRegex:
    return limited(pattern, _LIMIT)


def _report(error: InputInvalid) -> None:
    problems = _problems.get()
    if problems is not None:
        problems[error.what] = Problem("patterns", error.what, error.hint)


def limited(pattern: str, limit: TimeLimit) -> JavaRegex:
    """Compile *pattern* with its own time limit; raises InputInvalid as `java_regex` does."""
    text = translated(pattern)
    if is_too_large(text):
        raise refused(pattern, "repeats too much to be evaluated")
    try:
        compiled = regex.compile(text, regex.VERSION1)
    except (regex.error, OverflowError, RecursionError) as error:
        raise refused(pattern, f"is not evaluated: {error}") from error
    same = re.compile(pattern) if _SAME.fullmatch(pattern) else None
    return JavaRegex(pattern, compiled, limit, same)
