"""The syntax of Power Query's language M, as far as sources of tables need it. Source: Microsoft, M language reference.

Operators do not matter here, except `&`: an expression of others is the list of its operands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

_TOKEN = re.compile(r"//[^\n]*|=>|\.\.|\?\?|<=|>=|<>|[A-Za-z_\#][\w.]*|\d[\w.]*|[^\s\w]|\s+")
_ESCAPE = re.compile(r"#\(([^()]{1,40})\)")
_SIGNS = {"lf": "\n", "cr": "\r", "tab": "\t", "#": "#"}
_DEEPEST = 60
_UNARY = frozenset({"not", "+", "-", "@"})
_ENDS = frozenset({")", "]", "}", ",", "in", "then", "else", "otherwise", ""})


class InvalidM(Exception):
    """Raised for a text that is not M."""


class MExpression(NamedTuple):
    """An expression.

    *kind*: `text` and `name` (with *name*), `call` (the function, then arguments), `record` (with *members*), `list`,
    `item` (what is selected from, the selector), `field` (of *parts*, or of the row without any), `let` (with *members*
    and the result), `function` (the names in *names*, the body), `joined` (parts of a text) or `many`.
    """

    kind: str
    name: str = ""
    parts: tuple[MExpression, ...] = ()
    members: Mapping[str, MExpression] = MappingProxyType({})
    names: tuple[str, ...] = ()


def parse_m(text: str) -> MExpression:
    """Parse an expression; raises InvalidM."""
    return _MParser(text).expression(0)


class _MParser:
    def __init__(self, text: str) -> None:
        self._tokens = list(_tokens(text))
        self._at = 0
        self._closing = dict(_pairs(self._tokens))

    def _peek(self, ahead: int = 0) -> str:
        return self._tokens[self._at + ahead] if self._at + ahead < len(self._tokens) else ""

    def _next(self) -> str:
        token = self._peek()
        self._at += 1
        return token

    def _expect(self, sign: str) -> None:
        if self._next() != sign:
            raise InvalidM(f"no {sign!r} where it is expected")

    def expression(self, depth: int) -> MExpression:
        if depth > _DEEPEST:
            raise InvalidM("it is nested too deeply")
        operands, is_joined = [self._operand(depth + 1)], True
        while self._peek() not in _ENDS:
            sign = self._next()
            if sign == "meta":
                self._operand(depth + 1)  # what describes a value
                continue
            is_joined &= sign == "&"
            if self._peek() not in _ENDS:
                operands.append(self._operand(depth + 1))
        if len(operands) == 1:
            return operands[0]
        return MExpression("joined" if is_joined else "many", parts=tuple(operands))

    def _operand(self, depth: int) -> MExpression:
        while self._peek() in _UNARY:
            self._next()
        token = self._peek()
        match token:
            case "let":
                return self._let(depth)
            case "if" | "try":
                return self._branches(depth)
            case "each":
                self._next()
                return MExpression("function", parts=(self.expression(depth + 1),), names=("_",))
            case "(" if self._is_function():
                return self._function(depth)
        return self._postfix(self._primary(depth), depth)

    def _primary(self, depth: int) -> MExpression:
        token = self._next()
        if token.startswith('"'):
            return MExpression("text", _ESCAPE.sub(_escaped, token[1:-1].replace('""', '"')))
        if token.startswith('#"'):
            return MExpression("name", token[2:-1].replace('""', '"'))
        match token:
            case "(":
                inside = self.expression(depth + 1)
                self._expect(")")
                return inside
            case "{":
                return MExpression("list", parts=self._arguments("}", depth))
            case "[":
                return self._bracket(None, depth)
            case "":
                raise InvalidM("it ends within an expression")
        return MExpression("name", token)

    def _postfix(self, node: MExpression, depth: int) -> MExpression:
        while (sign := self._peek()) in ("(", "{", "[", "?"):
            self._next()
            if sign == "(":
                node = MExpression("call", parts=(node, *self._arguments(")", depth)))
            elif sign == "{":
                node = MExpression("item", parts=(node, *self._arguments("}", depth)))
            elif sign == "[":
                node = self._bracket(node, depth)
        return node

    def _bracket(self, of: MExpression | None, depth: int) -> MExpression:
        """Return a field `[name]`, or the record `[name = value, …]`."""
        if self._peek(1) == "=":
            return MExpression("record", members=self._members("]", depth))
        name = list[str]()
        while self._peek() not in ("]", ""):
            name.append(self._next())
        self._expect("]")
        plain = " ".join(name)
        plain = plain[2:-1].replace('""', '"') if plain.startswith('#"') else plain
        return MExpression("field", plain, (of,) if of else ())

    def _members(self, end: str, depth: int) -> Mapping[str, MExpression]:
        members = dict[str, MExpression]()
        while self._peek() not in (end, ""):
            name = self._next()
            self._expect("=")
            plain = name[2:-1].replace('""', '"') if name.startswith('#"') else name
            members[plain] = self.expression(depth + 1)
            if self._peek() == ",":
                self._next()
        self._expect(end)
        return members

    def _arguments(self, end: str, depth: int) -> tuple[MExpression, ...]:
        parts = list[MExpression]()
        while self._peek() not in (end, ""):
            parts.append(self.expression(depth + 1))
            if self._peek() == ",":
                self._next()
            elif self._peek() != end:
                raise InvalidM(f"no {end!r} where it is expected")
        self._expect(end)
        return tuple(parts)

    def _let(self, depth: int) -> MExpression:
        self._next()
        steps = self._members("in", depth)
        return MExpression("let", parts=(self.expression(depth + 1),), members=steps)

    def _branches(self, depth: int) -> MExpression:
        parts = list[MExpression]()
        self._next()
        parts.append(self.expression(depth + 1))
        while self._peek() in ("then", "else", "otherwise"):
            self._next()
            parts.append(self.expression(depth + 1))
        return MExpression("many", parts=tuple(parts))

    def _is_function(self) -> bool:
        after = self._closing.get(self._at, self._at) + 1
        return "=>" in self._tokens[after : after + 4]

    def _function(self, depth: int) -> MExpression:
        self._next()
        names = list[str]()
        while (token := self._next()) not in (")", ""):
            names += [token] if self._peek(-2) in ("(", ",", "optional") and token not in ("optional", ",") else []
        while self._next() not in ("=>", ""):
            pass
        return MExpression("function", parts=(self.expression(depth + 1),), names=tuple(names))


def _tokens(text: str) -> Iterator[str]:
    """Yield the tokens of a text, without space and comments."""
    at = 0
    while at < len(text):
        if text.startswith(('"', '#"'), at):
            end = _end_of_text(text, at + 1 + (text[at] == "#"))
            yield text[at:end]
        elif text.startswith("/*", at):
            end = text.find("*/", at + 2) + 2
            end = end if end > 1 else len(text)
        else:
            match = _TOKEN.match(text, at)
            end = match.end() if match else at + 1
            if match and match[0].strip() and not match[0].startswith("//"):
                yield match[0]
        at = end


def _end_of_text(text: str, at: int) -> int:
    """Return the place behind the quote that ends a text; one inside is doubled."""
    while (end := text.find('"', at)) >= 0 and text.startswith('""', end):
        at = end + 2
    return end + 1 if end >= 0 else len(text)


def _pairs(tokens: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the places of parentheses, each with that of the one that closes it."""
    opened = list[int]()
    for at, sign in enumerate(tokens):
        if sign == "(":
            opened.append(at)
        elif sign == ")" and opened:
            yield opened.pop(), at


def _escaped(match: re.Match[str]) -> str:
    """Return the signs of an escape: `#(cr,lf)`, or their codes in hexadecimal, which are a space here."""
    return "".join(_SIGNS.get(sign.strip(), " ") for sign in match[1].split(","))
