"""A Java pattern's text as nodes (java.util.regex.Pattern); what is not evaluated is refused with its name."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from dataflow_generator.connectors.java_regex.characters import (
    LINE_ENDS,
    PREDEFINED,
    any_case,
    is_word,
    named,
    one,
    opposite,
)
from dataflow_generator.connectors.java_regex.nodes import (
    Atomic,
    Char,
    CharTest,
    Choice,
    Greed,
    Group,
    Look,
    Node,
    Place,
    PlaceTest,
    Repeat,
    Sequence,
)
from scanner_model.errors import InputInvalid

_LONGEST = 2000
_DEEPEST = 40

_COUNT = re.compile(r"\{(\d{1,9})(,(\d{0,9}))?\}")
_NAMED = re.compile(r"\(\?<([A-Za-z][A-Za-z0-9]*)>")
_FLAGS = re.compile(r"\(\?([a-zA-Z]*)(?:-([a-zA-Z]+))?([:)])")
_CODE = re.compile(r"\\(?:x\{([0-9A-Fa-f]{1,6})\}|x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|0([0-3]?[0-7]{1,2}))")
_PROPERTY = re.compile(r"\\[pP](?:\{\^?([^{}]+)\}|([A-Za-z]))")
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "a": "\a", "e": "\x1b"}
_LOOKS = {"(?=": (True, True), "(?!": (True, False), "(?<=": (False, True), "(?<!": (False, False)}
# `m`, `u` and `d` change nothing in a name, which has no line ends.
_KNOWN_FLAGS = frozenset("ismud")


def _boundary(text: str, at: int) -> bool:
    return (at > 0 and is_word(text[at - 1])) != (at < len(text) and is_word(text[at]))


def _last_line(text: str, at: int) -> bool:
    return at == len(text) or (text[at:] in ("\r\n", *LINE_ENDS))


_PLACES: dict[str, PlaceTest] = {
    "b": _boundary,
    "B": lambda text, at: not _boundary(text, at),
    "A": lambda _, at: at == 0,
    "z": lambda text, at: at == len(text),
    "Z": _last_line,
}


def refused(pattern: str, what: str) -> InputInvalid:
    """Make the error of a pattern that Java refuses, or that we do not evaluate."""
    shown = pattern if len(pattern) <= 80 else pattern[:79] + "…"
    return InputInvalid(f"the regular expression {shown!r} {what}")


@dataclass(slots=True)
class Parser:
    """Reads one pattern; *names* tells the numbers of named groups, *groups* how many there are."""

    pattern: str
    at: int = 0
    depth: int = 0
    flags: frozenset[str] = frozenset()
    groups: int = 0
    names: dict[str, int] = field(default_factory=dict)

    def whole(self) -> Node:
        """Read the pattern to its end; raises InputInvalid."""
        if len(self.pattern) > _LONGEST:
            raise refused(self.pattern, f"is longer than the {_LONGEST} characters that are evaluated")
        node = self._choice()
        if self.at < len(self.pattern):
            raise self._wrong("has a ')' without its '('")
        return node

    def _wrong(self, what: str) -> InputInvalid:
        return refused(self.pattern, what)

    def _peek(self, length: int = 1) -> str:
        return self.pattern[self.at : self.at + length]

    def _take(self, text: str) -> bool:
        if not self.pattern.startswith(text, self.at):
            return False
        self.at += len(text)
        return True

    def _found(self, form: re.Pattern[str]) -> re.Match[str] | None:
        match = form.match(self.pattern, self.at)
        if match:
            self.at = match.end()
        return match

    def _choice(self) -> Node:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self._wrong(f"nests more than {_DEEPEST} groups: that is not evaluated")
        flags = self.flags
        options = [self._sequence()]
        while self._take("|"):
            options.append(self._sequence())
        self.depth -= 1
        self.flags = flags
        return options[0] if len(options) == 1 else Choice(tuple(options))

    def _sequence(self) -> Node:
        items: list[Node] = []
        while self._peek() not in ("", "|", ")"):
            if self._take("\\Q"):
                items.extend(self._literal(char) for char in self._quoted())
                if items:
                    items[-1] = self._repeated(items[-1])
            else:
                items.append(self._repeated(self._atom()))
        return items[0] if len(items) == 1 else Sequence(tuple(items))

    def _quoted(self) -> str:
        end = self.pattern.find("\\E", self.at)
        text = self.pattern[self.at :] if end < 0 else self.pattern[self.at : end]
        self.at = len(self.pattern) if end < 0 else end + 2
        return text

    def _repeated(self, node: Node) -> Node:
        least, most = self._times()
        if least < 0:
            return node
        greed = Greed.LAZY if self._take("?") else Greed.POSSESSIVE if self._take("+") else Greed.GREEDY
        return Repeat(node, least, most, greed)

    def _times(self) -> tuple[int, int | None]:
        """Read a quantifier; a negative least number where there is none."""
        for sign, times in {"?": (0, 1), "*": (0, None), "+": (1, None)}.items():
            if self._take(sign):
                return times
        if self._peek() != "{":
            return -1, None
        count = self._found(_COUNT)
        if not count:
            raise self._wrong("has a '{' that is no repetition")
        least = int(count[1])
        most = least if count[2] is None else int(count[3]) if count[3] else None
        if most is not None and most < least:
            raise self._wrong("has a repetition whose end is before its start")
        return least, most

    def _atom(self) -> Node:
        char = self._peek()
        if char in "*+?{":
            raise self._wrong(f"has a {char!r} that repeats nothing")
        if char == "(":
            return self._group()
        if char == "\\":
            return self._escaped()
        self.at += 1
        if char == "[":
            return Char(self._cased(self._class()))
        if char == ".":
            return Char((lambda _: True) if "s" in self.flags else opposite(LINE_ENDS.__contains__))
        if char in "^$":
            return Place(_PLACES["A" if char == "^" else "Z"])
        return self._literal(char)

    def _literal(self, char: str) -> Char:
        return Char(self._cased(one(char)))

    def _cased(self, test: CharTest) -> CharTest:
        return any_case(test) if "i" in self.flags else test

    def _group(self) -> Node:
        for opening, (ahead, wanted) in _LOOKS.items():
            if self._take(opening):
                return Look(self._closed(), ahead, wanted)
        if self._take("(?>"):
            return Atomic(self._closed())
        if self._take("(?:"):
            return self._closed()
        name = self._found(_NAMED)
        if not name and self._peek(2) == "(?":
            return self._flagged()
        self.at += 0 if name else 1
        self.groups += 1
        number = self.groups
        if name:
            if name[1] in self.names:
                raise self._wrong(f"names two groups {name[1]!r}")
            self.names[name[1]] = number
        return Group(self._closed(), number)

    def _flagged(self) -> Node:
        """Read `(?i:…)`, whose flags end with it, or `(?i)`, whose flags last to the end of the enclosing group."""
        match = self._found(_FLAGS)
        unknown = set((match[1] + (match[2] or "")) if match else "?") - _KNOWN_FLAGS
        if not match or unknown:
            raise self._wrong("has a group '(?…' that is not evaluated")
        outer = self.flags
        self.flags = (outer | frozenset(match[1])) - frozenset(match[2] or "")
        if match[3] == ")":
            if self._peek() in ("*", "+", "?", "{"):
                raise self._wrong(f"has a {self._peek()!r} that repeats nothing")
            return Sequence()
        node = self._closed()
        self.flags = outer
        return node

    def _closed(self) -> Node:
        node = self._choice()
        if not self._take(")"):
            raise self._wrong("has a '(' without its ')'")
        return node

    def _escaped(self) -> Node:
        letter = self._peek(2)[1:]
        if letter in _PLACES:
            self.at += 2
            return Place(_PLACES[letter])
        return Char(self._cased(self._escape()))

    def _escape(self) -> CharTest:
        """Read a backslash and what belongs to it, inside a class or outside."""
        letter = self._peek(2)[1:]
        if code := self._found(_CODE):
            number = int(code[4], 8) if code[4] else int(code[1] or code[2] or code[3], 16)
            if number > 0x10FFFF:
                raise self._wrong("names a character that does not exist")
            return one(chr(number))
        if letter in ("p", "P"):
            return self._property(letter)
        if (
            letter == ""
            or letter.isdigit()
            or (letter.isascii() and letter.isalpha() and letter not in "dDwWsShHvVtnrfae")
        ):
            raise self._wrong(f"has {self._peek(2)!r}, which Java refuses or which is not evaluated")
        self.at += 2
        if letter.lower() in PREDEFINED and letter.isalpha():
            test = PREDEFINED[letter.lower()]
            return opposite(test) if letter.isupper() else test
        return one(_CONTROLS.get(letter, letter))

    def _property(self, letter: str) -> CharTest:
        match = self._found(_PROPERTY)
        test = named(match[1] or match[2]) if match and "^" not in match[0] else None
        if test is None:
            raise self._wrong(f"has a \\{letter}{{…}} that is not evaluated")
        return opposite(test) if letter == "P" else test

    def _class(self) -> CharTest:
        """Read a class behind its `[`: unions, `&&` intersections and negation, as Java nests them."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self._wrong(f"nests more than {_DEEPEST} classes: that is not evaluated")
        negated = self._take("^")
        wanted: list[list[CharTest]] = [[]]
        first = True
        while first or self._peek() != "]":
            if not self._peek():
                raise self._wrong("has a '[' without its ']'")
            if self._take("&&"):
                wanted.append([])
            elif self._take("["):
                wanted[-1].append(self._class())
            elif self._take("\\Q"):
                wanted[-1].extend(map(one, self._quoted()))
            else:
                wanted[-1].append(self._member())
            first = False
        self.at += 1
        self.depth -= 1
        sets = [tuple(tests) for tests in wanted if tests]
        return _in_class(sets, negated)

    def _member(self) -> CharTest:
        """Read one character, a range or an escape."""
        if self._peek() == "\\":
            start = self._escape()
        else:
            start = one(self._peek())
            self.at += 1
        if self._peek() != "-" or self._peek(2) in ("-]", "-[", "-") or self._peek(3) == "-&&":
            return start
        low = getattr(start, "__self__", None)
        if not isinstance(low, str):
            return start
        self.at += 1
        if self._peek() == "\\":
            end = self._escape()
        else:
            end = one(self._peek())
            self.at += 1
        high = getattr(end, "__self__", None)
        if not isinstance(high, str) or high < low:
            raise self._wrong("has a range of characters whose end is before its start")
        return lambda char: low <= char <= high


def _in_class(sets: list[tuple[CharTest, ...]], negated: bool) -> CharTest:
    def test(char: str) -> bool:
        return all(any(member(char) for member in members) for members in sets) != negated

    return test
