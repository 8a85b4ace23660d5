"""What git ignores and what it tracks, in time that grows with the number of files only.

Sources: gitignore(5), gitformat-index(5).
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from scanner_extractor.repository.globs import glob_pattern
from scanner_model.linear_patterns import LinearPattern

_MOST_RULES = 1_000
"""Lines of one `.gitignore` that are followed."""
_LONGEST = 1_000
"""Characters of a line that is followed."""
_ORDINARY = 50e-6
"""Seconds that the rules of all `.gitignore` files above a path may take without being charged."""
PATIENCE = 5.0
"""Seconds that slow rules may take together; after that no path is ignored."""
_GLOB = re.compile(r"[*?\[\\]")


_HEADER, _FIXED, _NAME = 12, 62, 0xFFF
"""Bytes of an index before its entries, and of an entry before its path; the bits of its flags with that length."""
_EXTENDED = 0x4000


def tracked_paths(index: bytes) -> frozenset[str]:
    """Return the files that the index of a repository has, and their directories; none of one in another form.

    Files of the format's version 4, which shortens paths, are not read.
    """
    if index[:4] != b"DIRC" or int.from_bytes(index[4:8], "big") not in (2, 3):
        return frozenset()
    found: set[str] = set()
    at = _HEADER
    for _ in range(int.from_bytes(index[8:_HEADER], "big")):
        flags = int.from_bytes(index[at + _FIXED - 2 : at + _FIXED], "big")
        start = at + _FIXED + (2 if flags & _EXTENDED else 0)
        end = index.find(b"\0", start + (flags & _NAME))
        if end < 0:
            break
        path = index[start:end].decode("utf-8", "surrogateescape")
        while path and path not in found:
            found.add(path)
            path = path.rpartition("/")[0]
        at = end + 8 - (end - at) % 8  # entries are filled up to eight bytes
    return frozenset(found)


@dataclass(slots=True)
class Rule:
    """A line of a `.gitignore`; *negated*: what matches is not ignored after all."""

    number: int
    body: str
    negated: bool
    directories_only: bool
    _compiled: LinearPattern | None = None
    _is_compiled: bool = False

    def fits(self, name: str, inside: str) -> bool:
        """Check whether the pattern matches a *name*, or the path *inside* the directory if it contains a slash."""
        pattern = self._pattern()
        return pattern is not None and pattern.fits(inside if "/" in self.body else name)

    def _pattern(self) -> LinearPattern | None:
        if not self._is_compiled:
            self._is_compiled, self._compiled = True, glob_pattern(self.body.removeprefix("/"))
        return self._compiled


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
