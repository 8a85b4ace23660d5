"""A compiled Java pattern: does it match a whole name, and what does replacing its first match give."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from dataflow_generator.connectors.java_regex.parser import Parser, refused
from dataflow_generator.connectors.java_regex.program import Machine, Program, Slots, TooLarge

_LONGEST_NAME = 4000
_REFERENCE = re.compile(
    r"\\(?P<literal>.)|\$\{(?P<name>[A-Za-z][A-Za-z0-9]*)\}|\$(?P<digits>\d+)|(?P<wrong>[$\\])", re.DOTALL
)
# What Python reads as Java does, and cannot search long: literals and few `.*`. Most patterns are of this kind.
_SAME = re.compile(r"(?:[\w-]|\\[.-])*(?:\.[*+](?:[\w-]|\\[.-])*){0,3}", re.ASCII)
_START = re.compile(r"(?:[\w-]|\\[.-])*", re.ASCII)


@dataclass(frozen=True, slots=True)
class JavaRegex:
    """A pattern that is evaluated as Java does (java.util.regex); every method may raise InputInvalid."""

    pattern: str
    program: Program
    groups: int
    names: tuple[tuple[str, int], ...]
    same: re.Pattern[str] | None

    @property
    def start(self) -> str:
        """Give what every text that matches begins with, as far as that is plain to see."""
        found = _START.match(self.pattern) if self.same else None
        return found[0].replace("\\", "") if found else ""

    def matches(self, text: str) -> bool:
        """Say whether the pattern matches the whole *text*, as `Matcher.matches()`."""
        if self.same and text.isascii() and text.isprintable():
            return self.same.fullmatch(text) is not None
        return self._run(text, whole=True) is not None

    def replace_first(self, text: str, replacement: str) -> str:
        """Replace the first match in *text*, as `Matcher.replaceFirst()`; *text* itself where there is none."""
        found = self._run(text, whole=False)
        if found is None:
            return text
        return text[: found[0]] + self._expanded(text, found, replacement) + text[found[1] :]

    def _run(self, text: str, *, whole: bool) -> Slots | None:
        if len(text) > _LONGEST_NAME:
            raise refused(self.pattern, "is not evaluated on so long a text")
        machine = Machine(text)
        seen: set[tuple[int, int]] = set()
        nothing = (-1,) * (2 * self.groups + 2)
        try:
            for start in range(1 if whole else len(text) + 1):
                found = machine.run(self.program, start, nothing, seen, len(text) if whole else None)
                if found is not None:
                    return found
        except TooLarge as error:
            raise refused(self.pattern, "takes too long to evaluate") from error
        return None

    def _expanded(self, text: str, found: Slots, replacement: str) -> str:
        def value(match: re.Match[str]) -> str:
            if match["literal"] is not None:
                return match["literal"]
            if match["wrong"]:
                raise refused(self.pattern, f"has a replacement {replacement!r} that Java refuses")
            number, rest = self._group(match, replacement)
            start, end = found[2 * number], found[2 * number + 1]
            return ("" if start < 0 else text[start:end]) + rest

        return _REFERENCE.sub(value, replacement)

    def _group(self, match: re.Match[str], replacement: str) -> tuple[int, str]:
        """Give the group, and digits that do not belong to it: `$12` is `$1` and a 2 where there is no group 12."""
        if match["name"]:
            number = dict(self.names).get(match["name"], -1)
            rest = ""
        else:
            digits = match["digits"]
            length = 1
            while length < len(digits) and length < 4 and int(digits[: length + 1]) <= self.groups:
                length += 1
            number, rest = int(digits[:length]), digits[length:]
        if not 0 <= number <= self.groups:
            raise refused(self.pattern, f"has no group for its replacement {replacement!r}")
        return number, rest


@lru_cache(maxsize=512)
def java_regex(pattern: str) -> JavaRegex:
    """Compile *pattern*; raises InputInvalid where Java refuses it, or where it holds what is not evaluated."""
    parser = Parser(pattern)
    node = parser.whole()
    try:
        program = Program.of(node)
    except TooLarge as error:
        raise refused(pattern, "repeats too much to be evaluated") from error
    same = re.compile(pattern) if _SAME.fullmatch(pattern) else None
    return JavaRegex(pattern, program, parser.groups, tuple(parser.names.items()), same)
