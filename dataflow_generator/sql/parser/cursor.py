"""A cursor over a statement's tokens: look ahead, take, expect, and report where parsing failed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property

from dataflow_generator.sql.lexer import Dialect, Token, TokenKind, words
from dataflow_generator.sql.nodes import Expression, Query

DEEPEST = 140
"""Levels of brackets, cases and subqueries that are parsed; real statements reach about 100."""

_OPENING = {"(": ")", "[": "]"}


class UnparsedError(Exception):
    """Raised for an unsupported construct: what was expected, and the token in its position.

    Never leaves the reader, which reports it as a problem.
    """

    def __init__(self, what: str, token: Token) -> None:
        super().__init__(what)
        self.what = what
        self.token = token


class NotReadError(UnparsedError):
    """Raised for a statement that is understood and not read for lineage."""


class Cursor:
    """The tokens of one statement and a position in them.

    *expression* and *query* parse one; they are passed in, because each may contain the other.
    """

    def __init__(
        self,
        tokens: Sequence[Token],
        dialect: Dialect,
        expression: Callable[[Cursor], Expression],
        query: Callable[[Cursor], Query],
    ) -> None:
        self._tokens = tokens
        self._depth = 0
        self.position = 0
        self.flink = dialect is Dialect.FLINK
        self.expression = expression
        self.query = query

    @property
    def token(self) -> Token:
        """Return the current token."""
        return self._tokens[self.position]

    @property
    def key(self) -> str:
        """Return the key of the current token."""
        return self._tokens[self.position].key

    def brackets_ahead(self) -> int:
        """Count consecutive opening brackets from here, up to one more than can be parsed."""
        steps = 0
        while steps <= DEEPEST and self.ahead(steps) == "(":
            steps += 1
        return steps

    @property
    def last_token(self) -> Token:
        """Return the last token taken."""
        return self._tokens[max(0, self.position - 1)]

    def ahead(self, steps: int = 1) -> str:
        """Return the key of a later token; empty past the end."""
        position = self.position + steps
        return self._tokens[position].key if position < len(self._tokens) else ""

    def between(self, start: int, end: int) -> Sequence[Token]:
        """Return the tokens from one position up to another."""
        return self._tokens[start:end]

    def next(self) -> Token:
        """Take one token; END is never passed."""
        token = self._tokens[self.position]
        if token.kind is not TokenKind.END:
            self.position += 1
        return token

    def accept(self, *keys: str) -> bool:
        """Take *keys* if exactly these follow, and return whether they did."""
        if self._tokens[self.position].key != keys[0]:  # the usual case
            return False
        for step, key in enumerate(keys):
            if self.ahead(step) != key:
                return False
        self.position += len(keys)
        return True

    def accept_any(self, *keys: str) -> str:
        """Take the token if it is one of *keys*; return its key, or the empty string."""
        key = self.key
        if key in keys:
            self.position += 1
            return key
        return ""

    def expect(self, *keys: str) -> None:
        """Take *keys*; raises UnparsedError where other tokens follow."""
        if not self.accept(*keys):
            raise self.error(f"expected {' '.join(keys)}")

    def is_name(self) -> bool:
        """Return whether a name can start here."""
        return self._tokens[self.position].kind <= TokenKind.QUOTED

    def name(self) -> str:
        """Take a name; raises UnparsedError for anything else."""
        if not self.is_name():
            raise self.error("expected a name")
        return self.next().value

    def dotted(self) -> tuple[str, ...]:
        """Take a name with its qualifiers."""
        first = self.name()
        if self.key != ".":
            return (first,)
        parts = [first]
        while self.key == "." and self.ahead() != "*":
            self.position += 1
            parts.append(self.name())
        return tuple(parts)

    def names(self) -> tuple[str, ...]:
        """Take a list of names in brackets."""
        self.expect("(")
        result = [self.name()]
        while self.accept(","):
            result.append(self.name())
        self.expect(")")
        return tuple(result)

    def error(self, what: str) -> UnparsedError:
        """Build the error that says what is expected here."""
        return UnparsedError(what, self.token)

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """Count one nesting level for a block; raises UnparsedError beyond DEEPEST."""
        self.enter()
        try:
            yield
        finally:
            self.leave()

    def enter(self) -> None:
        """Go one level down; raises UnparsedError beyond DEEPEST."""
        self._depth += 1
        if self._depth > DEEPEST:
            raise self.error(f"nested deeper than {DEEPEST} levels")

    def leave(self) -> None:
        """Go one level up."""
        self._depth -= 1

    def skip_brackets(self) -> None:
        """Skip one balanced pair of brackets; raises UnparsedError where it is not closed."""
        if self.key not in _OPENING:
            raise self.error("expected (")
        closing = self._closing.get(self.position)
        if closing is None:
            raise self.error(f"expected {_OPENING[self.key]} to close")
        self.position = closing + 1

    @cached_property
    def _closing(self) -> dict[int, int]:
        """Return the index of the closing bracket for each opening one; computed once."""
        closing: dict[int, int] = {}
        opened: list[int] = []
        for position, token in enumerate(self._tokens):
            if token.kind is not TokenKind.OPERATOR:
                continue
            if token.key in _OPENING:
                opened.append(position)
            elif token.key in _OPENING.values() and opened:
                closing[opened.pop()] = position
        return closing

    def skip_until(self, *keys: str) -> bool:
        """Skip tokens up to one of *keys* outside brackets; return whether there is one."""
        while self.token.kind is not TokenKind.END:
            if self.key in keys:
                return True
            if self.key == ")":
                return False
            if self.key in _OPENING:
                self.skip_brackets()
            else:
                self.position += 1
        return False


_UNITS = words("YEAR QUARTER MONTH WEEK DAY HOUR MINUTE SECOND MILLISECOND")
UNITS = (
    _UNITS | frozenset(f"{unit}S" for unit in _UNITS) | frozenset(("MICROSECOND", "NANOSECOND", "EPOCH", "DOW", "DOY"))
)


def starts_query(cursor: Cursor, steps: int = 0) -> bool:
    """Return whether a query starts *steps* tokens ahead; in ksqlDB WITH and VALUES may be names."""
    key = cursor.ahead(steps)
    return key == "SELECT" or (cursor.flink and key in ("WITH", "VALUES"))


def on_conflict(cursor: Cursor) -> bool:
    """Return whether Flink's `ON CONFLICT DO` follows, which ends the query of an INSERT."""
    return cursor.flink and tuple(map(cursor.ahead, range(3))) == ("ON", "CONFLICT", "DO")


def expressions(cursor: Cursor) -> tuple[Expression, ...]:
    """Parse expressions separated by commas."""
    result = [cursor.expression(cursor)]
    while cursor.accept(","):
        result.append(cursor.expression(cursor))
    return tuple(result)


def sort_keys(cursor: Cursor) -> tuple[Expression, ...]:
    """Parse the expressions after ORDER BY."""
    keys = []
    while True:
        keys.append(cursor.expression(cursor))
        cursor.accept_any("ASC", "DESC")
        if cursor.accept("NULLS"):
            cursor.next()
        if not cursor.accept(","):
            return tuple(keys)
