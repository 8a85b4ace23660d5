"""The rules of `.gitignore` files, in time that grows with the number of files only. Source: gitignore(5)."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice

_MOST_RULES = 1_000
"""Lines of one `.gitignore` that are followed."""
_LONGEST = 1_000
"""Characters of a line that is followed."""
_ORDINARY = 50e-6
"""Seconds that the rules of all `.gitignore` files above a path may take without being charged."""
PATIENCE = 5.0
"""Seconds that slow rules may take together; after that no path is ignored."""
_GLOB = re.compile(r"[*?\[\\]")


@dataclass(slots=True)
class Rule:
    """A line of a `.gitignore`; *negated*: what matches is not ignored after all."""

    number: int
    body: str
    negated: bool
    directories_only: bool
    _pattern: re.Pattern[str] | None = None

    def fits(self, name: str, inside: str) -> bool:
        """Check whether the pattern matches a *name*, or the path *inside* the directory if it contains a slash."""
        if self._pattern is None:
            try:
                self._pattern = re.compile(path_expression(self.body.removeprefix("/")), re.DOTALL)
            except re.error:  # an invalid set
                self._pattern = re.compile(r"(?!)")
        return self._pattern.fullmatch(inside if "/" in self.body else name) is not None


class IgnoreFile:
    """The rules of one file: plain names, endings and beginnings are looked up, and only other patterns are matched."""

    def __init__(self, directory: str, text: str) -> None:
        self._cut = len(directory) + 1 if directory else 0
        self._plain: dict[str, list[Rule]] = {}
        self._ends: dict[str, list[Rule]] = {}
        self._patterns: list[Rule] = []
        for number, line in enumerate(islice(text.splitlines(), _MOST_RULES)):
            self._add(number, line.rstrip())
        self._sizes = sorted({len(end) for end in self._ends})

    def _add(self, number: int, line: str) -> None:
        if not line or line.startswith("#") or len(line) > _LONGEST:
            return
        negated = line.startswith("!")
        plain = line.removeprefix("!").removeprefix("\\")
        rule = Rule(number, plain.rstrip("/"), negated, plain.endswith("/"))
        end = rule.body.removeprefix("*")
        if not _GLOB.search(rule.body):
            key = "/" + rule.body.removeprefix("/") if "/" in rule.body else rule.body
            self._plain.setdefault(key, []).append(rule)
        elif end and end != rule.body and "/" not in end and not _GLOB.search(end):
            self._ends.setdefault(end, []).append(rule)
        else:
            self._patterns.append(rule)

    def verdict(self, path: str, name: str, *, is_directory: bool) -> bool | None:
        """Return whether the last rule that matches *path* ignores it; None if no rule matches."""
        inside = path[self._cut :]
        last: Rule | None = None
        for rule in self._looked_up(name, inside):
            if (is_directory or not rule.directories_only) and (last is None or rule.number > last.number):
                last = rule
        for rule in reversed(self._patterns):
            if last is not None and rule.number < last.number:
                break
            if (is_directory or not rule.directories_only) and rule.fits(name, inside):
                last = rule
                break
        return None if last is None else not last.negated

    def _looked_up(self, name: str, inside: str) -> Iterator[Rule]:
        yield from self._plain.get(name, ())
        yield from self._plain.get(f"/{inside}", ())
        for size in self._sizes:
            if size <= len(name):
                yield from self._ends.get(name[-size:], ())


@dataclass(slots=True)
class Ignored:
    """Decides by the `.gitignore` files above a path, the nearest first; *left* are the seconds of slow rules."""

    left: float = PATIENCE
    clock: Callable[[], float] = field(default=time.thread_time)

    def __call__(self, files: tuple[IgnoreFile, ...], path: str, name: str, *, is_directory: bool) -> bool:
        """Return whether *path* is ignored."""
        if not files or self.left <= 0:
            return False
        start = self.clock()
        verdicts = (file.verdict(path, name, is_directory=is_directory) for file in reversed(files))
        ignored = next((verdict for verdict in verdicts if verdict is not None), False)
        took = self.clock() - start
        if took > _ORDINARY:
            self.left -= took
        return ignored


def path_expression(pattern: str) -> str:
    """Return the regular expression of a pattern; its time grows with the product of pattern and path at most.

    What stands before a star matches at the first place that fits and is not tried again elsewhere.
    """
    body = pattern.removesuffix("/**")
    first, *runs = body.split("**/")
    parts = [_run(first, is_last=not runs)]
    parts += [f"(?>(?:[^/]+/)*?{_run(run, is_last=False)})" for run in runs[:-1]]
    parts += [f"(?:[^/]+/)*?{_run(run, is_last=True)}" for run in runs[-1:]]
    return "".join(parts) + ("/.+" if body != pattern else "")


def _run(text: str, *, is_last: bool) -> str:
    """Return the expression of a part without `**/`."""
    first, *pieces = re.split(r"\*+", text)
    parts = [_fixed(first)]
    for position, piece in enumerate(pieces):
        ends = is_last and position == len(pieces) - 1
        parts.append(f"[^/]*{_fixed(piece)}" if ends else f"(?>[^/]*?{_fixed(piece)})")
    return "".join(parts)


def _fixed(text: str) -> str:
    parts: list[str] = []
    for piece in re.split(r"(\?|\[[^\]/]*\]|\\.)", text):
        if piece == "?":
            parts.append("[^/]")
        elif piece.startswith("[") and len(piece) > 2:
            inside = piece[1:-1].replace("\\", r"\\").replace("[", r"\[")
            parts.append("[" + ("^" + inside[1:] if inside[0] == "!" else inside) + "]")
        else:
            parts.append(re.escape(piece[1:] if piece.startswith("\\") else piece))
    return "".join(parts)
