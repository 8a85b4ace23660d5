"""Evaluate Java's regular expressions on names within a time limit, translated to the syntax of `regex`, version 1."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import lru_cache
from string import ascii_letters, punctuation
from typing import Any

import regex

from scanner_model.documents.pattern_limits import Match, TimeLimit, is_too_large, shown
from scanner_model.errors import InputInvalid, Problem

_LONGEST = 2000
_DEEPEST = 40

_QUANTIFIER = re.compile(r"(?:[?*+]|\{[0-9]{1,9}(?:,[0-9]{0,9})?\})[?+]?")
_GROUP = re.compile(r"\((?:\?(?:[:=!>]|<[=!]|<(?P<name>[A-Za-z][A-Za-z0-9]*)>))?(?!\?)")
_FLAGS = re.compile(r"\(\?(?P<on>[a-zA-Z]*)(?:-(?P<off>[a-zA-Z]+))?(?P<end>[:)])")
_CODE = re.compile(r"\\(?:x\{([0-9A-Fa-f]{1,6})\}|x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|0([0-3]?[0-7]{1,2}))")
_PROPERTY = re.compile(r"\\(?P<letter>[pP])(?:\{(?P<name>\w+=)?(?P<value>\w+)\}|(?P<short>[A-Za-z]))")
_QUOTED = re.compile(r"\\Q(.*?)(?:\\E|\Z)", re.DOTALL)
_CATEGORY = re.compile(r"L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?|C[cfosn]?")
# `m` and `d` have no effect on names, which have no line ends.
_KNOWN_FLAGS = frozenset("ismud")

_LINE_ENDS = "\n\r\x85\u2028\u2029"
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "a": "\a", "e": "\x1b"}
_END = rf"(?:(?=(?:\r\n|[{_LINE_ENDS}])?\Z)(?<!\r(?=\n)))"
_ANCHORS = {"b": r"(?a:\b)", "B": r"(?a:\B)", "A": r"(?:\A)", "z": r"(?:\Z)", "Z": _END}
_SETS = {
    "d": "0-9",
    "w": "A-Za-z0-9_",
    "s": " \t\n\x0b\f\r",
    "h": " \t\xa0\u1680\u180e\u2000-\u200a\u202f\u205f\u3000",
    "v": "\n\x0b\f\r\x85\u2028\u2029",
}
_PROPERTIES: Mapping[str, str] = {
    "Lower": "a-z",
    "Upper": "A-Z",
    "ASCII": "\0-\x7f",
    "Alpha": "A-Za-z",
    "Digit": "0-9",
    "Alnum": "A-Za-z0-9",
    "Punct": "".join(f"\\{sign}" for sign in punctuation),
    "Graph": "!-~",
    "Print": " -~",
    "Blank": " \t",
    "Cntrl": "\0-\x1f\x7f",
    "XDigit": "0-9a-fA-F",
    "Space": _SETS["s"],
    "IsAlphabetic": r"\p{Alphabetic}",
    "IsLetter": r"\p{L}",
    "IsDigit": r"\p{Nd}",
    "IsUppercase": r"\p{Uppercase}",
    "IsLowercase": r"\p{Lowercase}",
    "javaLowerCase": r"\p{Lowercase}",
    "javaUpperCase": r"\p{Uppercase}",
}
_CASED: Mapping[str, str] = {
    **dict.fromkeys(("Lower", "Upper"), "a-zA-Z"),
    **dict.fromkeys(("Lu", "Ll", "Lt"), r"\p{L&}"),
    **dict.fromkeys(("IsUppercase", "IsLowercase", "javaUpperCase", "javaLowerCase"), r"\p{Cased}"),
}
"""Under `(?i)` a class of one case is one of both (Java 15 and later)."""


def refused(pattern: str, what: str) -> InputInvalid:
    """Build the error for a pattern that Java refuses, or that is not evaluated."""
    return InputInvalid(f"the regular expression {shown(pattern)} {what}")


def translated(pattern: str) -> str:
    """Return *pattern* in the syntax of `regex`; raises InputInvalid."""
    if len(pattern) > _LONGEST:
        raise refused(pattern, f"is longer than the {_LONGEST} characters that are evaluated")
    return _Translator(pattern).translate()


@dataclass(slots=True)
class _Translator:
    """Translates one pattern from left to right; *outer* are the flags outside each open group."""

    pattern: str
    at: int = 0
    flags: frozenset[str] = frozenset()
    outer: list[frozenset[str]] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    written: list[str] = field(default_factory=list)
    repeatable: bool = False

    def translate(self) -> str:
        while self.at < len(self.pattern):
            self._next()
        if self.outer:
            raise self._wrong("has a '(' without its ')'")
        return "".join(self.written)

    def _wrong(self, what: str) -> InputInvalid:
        return refused(self.pattern, what)

    def _peek(self, length: int = 1) -> str:
        return self.pattern[self.at : self.at + length]

    def _take(self, text: str) -> bool:
        present = self.pattern.startswith(text, self.at)
        self.at += len(text) if present else 0
        return present

    def _match(self, form: re.Pattern[str]) -> re.Match[str] | None:
        match = form.match(self.pattern, self.at)
        self.at = match.end() if match else self.at
        return match

    def _write(self, text: str, *, repeatable: bool = True) -> None:
        self.written.append(text)
        self.repeatable = repeatable

    def _next(self) -> None:
        if quoted := self._match(_QUOTED):
            for char in quoted[1]:
                self._write(self._literal(char))
        elif self._peek() in ("?", "*", "+", "{"):
            self._quantifier()
        elif self._peek() == "(":
            self._open()
        elif self._peek() == "\\" and self._peek(2)[1:] in _ANCHORS:
            self._write(_ANCHORS[self._peek(2)[1]])
            self.at += 2
        elif self._peek() == "\\":
            text = self._escape()
            self._write(self._literal(text) if len(text) == 1 else text)
        else:
            self._sign(self._peek())

    def _sign(self, char: str) -> None:
        self.at += 1
        if char == "|":
            self._write(char, repeatable=False)
        elif char == ")":
            if not self.outer:
                raise self._wrong("has a ')' without its '('")
            self.flags = self.outer.pop()
            self._write(char)
        elif char == "[":
            self._write(self._class(1))
        elif char == ".":
            self._write("(?s:.)" if "s" in self.flags else f"[^{_LINE_ENDS}]")
        elif char in "^$":
            self._write(_ANCHORS["A" if char == "^" else "Z"])
        else:
            self._write(self._literal(char))

    def _quantifier(self) -> None:
        sign = self._peek()
        match = self._match(_QUANTIFIER)
        if not match:
            raise self._wrong("has a '{' that does not start a repetition")
        if not self.repeatable:
            raise self._wrong(f"has a {sign!r} that repeats nothing")
        self._write(match[0], repeatable=False)

    def _open(self) -> None:
        """Translate the start of a group; `(?i:…)` ends its flags with it, `(?i)` with the enclosing group."""
        match = self._match(_GROUP)
        if match:
            name = match["name"]
            if name in self.names:
                raise self._wrong(f"names two groups {name!r}")
            self.names |= {name} if name else set()
            self.outer.append(self.flags)
            self._write(match[0], repeatable=False)
        else:
            self._flagged()
        if len(self.outer) > _DEEPEST:
            raise self._wrong(f"nests more than {_DEEPEST} groups: that is not evaluated")

    def _flagged(self) -> None:
        match = self._match(_FLAGS)
        if not match or not set(match["on"] + (match["off"] or "")) <= _KNOWN_FLAGS:
            raise self._wrong("has a group '(?…' that is not evaluated")
        flags = (self.flags | frozenset(match["on"])) - frozenset(match["off"] or "")
        if match["end"] == ":":
            self.outer.append(self.flags)
        self._write("(?:" if match["end"] == ":" else "", repeatable=False)
        self.flags = flags

    def _literal(self, char: str) -> str:
        text = self._range(char, char)
        return text if len(text) == 1 or text[0] == "\\" else f"[{text}]"

    def _range(self, low: str, high: str) -> str:
        """Translate a range, or one character, to members of a class, with `(?i)` also in the other case."""
        text = _escaped(low) if low == high else f"{_escaped(low)}-{_escaped(high)}"
        if "i" not in self.flags:
            return text
        if "u" in self.flags and not high.isascii():
            raise self._wrong("has (?u) and a letter that is not ASCII: that is not evaluated")
        return text + "".join(char.swapcase() for char in ascii_letters if low <= char <= high)

    def _escape(self) -> str:
        """Translate an escape, in a class or outside: one character, or a class in brackets."""
        letter = self._peek(2)[1:]
        if code := self._match(_CODE):
            number = int(code[4], 8) if code[4] else int(code[1] or code[2] or code[3], 16)
            if number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
                raise self._wrong("names a character that does not exist, or half of one")
            return chr(number)
        if letter in ("p", "P"):
            return self._property()
        self.at += 2
        if letter.lower() in _SETS:
            return f"[{'^' if letter.isupper() else ''}{_SETS[letter.lower()]}]"
        if letter in _CONTROLS or (letter and not (letter.isascii() and letter.isalnum())):
            return _CONTROLS.get(letter, letter)
        raise self._wrong(f"has '\\{letter}', which Java refuses or which is not evaluated")

    def _property(self) -> str:
        match = self._match(_PROPERTY)
        name = (match["short"] or match["value"]) if match else ""
        category = name.removeprefix("Is")
        members = _PROPERTIES.get(name)
        if match and match["name"] not in (None, "gc=", "general_category="):
            members = category = ""
        if not members and _CATEGORY.fullmatch(category):
            members = rf"\p{{{category}}}"
        if not match or not members:
            raise self._wrong(rf"has a '\p{{{name}}}' that is not evaluated")
        if "i" in self.flags:
            members = _CASED.get(name, _CASED.get(category, members))
        return f"[{'^' if match['letter'] == 'P' else ''}{members}]"

    def _class(self, depth: int) -> str:
        """Translate a class after its `[`: unions, `&&` intersections and negation, as Java nests them."""
        if depth > _DEEPEST:
            raise self._wrong(f"nests more than {_DEEPEST} classes: that is not evaluated")
        negated = "^" if self._take("^") else ""
        operands: list[list[str]] = [[]]
        first = True
        while first or self._peek() != "]":
            if not self._peek():
                raise self._wrong("has a '[' without its ']'")
            if self._take("&&"):
                operands.append([])
            elif self._take("["):
                operands[-1].append(self._class(depth + 1))
            elif quoted := self._match(_QUOTED):
                operands[-1].extend(self._range(char, char) for char in quoted[1])
            else:
                operands[-1].append(self._member())
            first = False
        self.at += 1
        if not all(operands) or any(members[0] == r"\&" for members in operands[1:]):
            raise self._wrong("has a class with an empty part or a third '&': that is not evaluated")
        return f"[{negated}{'&&'.join(''.join(('[', *members, ']')) for members in operands)}]"

    def _member(self) -> str:
        """Read one character, a range or an escape."""
        low = self._character()
        if len(low) > 1 or self._peek() != "-" or self._peek(2) in ("-]", "-[", "-"):
            return low if len(low) > 1 else self._range(low, low)
        self.at += 1
        high = self._character()
        if len(high) > 1 or high < low:
            raise self._wrong("has a range of characters whose end is before its start")
        return self._range(low, high)

    def _character(self) -> str:
        if self._peek() == "\\":
            return self._escape()
        self.at += 1
        return self.pattern[self.at - 1]


def _escaped(char: str) -> str:
    return f"\\{char}" if char in punctuation else char


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

    def replace_all(self, text: str, replacement: str) -> str:
        """Replace every match in *text*, as `Matcher.replaceAll()`."""

        def substituted(value: str, /, *, timeout: float) -> str:
            return self.compiled.sub(lambda match: self._expanded(match, replacement), value, timeout=timeout)

        return str(self._run(substituted, text))

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
