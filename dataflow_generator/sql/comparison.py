"""Compare two texts of one statement: whether they differ, and in which clause."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from dataflow_generator.sql.lexer import Dialect, Token, TokenKind, tokenize
from dataflow_generator.sql.parser.statements import parse_text

_MOST_COMPARED = 600
"""How many differing tokens are aligned; above, they count as one difference."""
_MOST_PHRASES = 3


def same_statement(before: str, after: str, dialect: Dialect) -> bool:
    """Return whether two texts are the same except for comments, blanks, a last semicolon and the case of keywords.

    Strings, numbers, quoted names and Flink's hints count, as do names in Flink, which are case-sensitive.
    """
    return _are_same(_pieces(before, dialect), _pieces(after, dialect), dialect)


def _are_same(first: _Pieces, second: _Pieces, dialect: Dialect) -> bool:
    if [piece.folded for piece in first] != [piece.folded for piece in second]:
        return False
    plain = [" ".join(piece.text for piece in pieces) for pieces in (first, second)]
    if dialect is Dialect.KSQLDB or plain[0] == plain[1]:
        return True
    # Both texts have their tokens at the same places: the trees differ only in names.
    trees = [parse_text(text, dialect) for text in plain]
    if any(parsed.error is not None for tree in trees for parsed in tree):
        return False
    return [parsed.tree for parsed in trees[0]] == [parsed.tree for parsed in trees[1]]


def difference(before: str, after: str, dialect: Dialect) -> str:
    """Return the clauses in which two texts differ, as one phrase without values; empty if they are the same."""
    first, second = _pieces(before, dialect), _pieces(after, dialect)
    if _are_same(first, second, dialect):
        return ""
    phrases = dict.fromkeys(_phrase(*change) for change in _changes(first, second))
    listed = list(phrases)[:_MOST_PHRASES] + (["more"] if len(phrases) > _MOST_PHRASES else [])
    return " and ".join(filter(None, (", ".join(listed[:-1]), listed[-1])))


def changed_clauses(before: str, after: str, dialect: Dialect) -> frozenset[str]:
    """Return the clauses in which two texts differ, named as in `difference`."""
    changes = _changes(_pieces(before, dialect), _pieces(after, dialect))
    return frozenset(piece.clause for change in changes for pieces in change for piece in pieces)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A token as it is compared, or the hint behind one; *clause* is where it is."""

    text: str
    folded: str
    is_literal: bool
    clause: str


_Pieces = Sequence[_Piece]


def _pieces(text: str, dialect: Dialect) -> list[_Piece]:
    tokens = tokenize(text, dialect)[:-1]
    while tokens and tokens[-1].key == ";" and tokens[-1].kind is TokenKind.OPERATOR:
        tokens.pop()
    pieces = []
    for token, clause in zip(tokens, _Clauses(tokens).read(), strict=True):
        raw = text[token.at : token.end]
        is_literal = token.kind in (TokenKind.STRING, TokenKind.NUMBER)
        pieces.append(_Piece(raw, token.key if token.kind is TokenKind.WORD else raw, is_literal, clause))
        if token.hint:
            inner = _pieces(token.hint, dialect)
            hint = f"/*+ {' '.join(piece.text for piece in inner)} */"
            folded = " ".join(piece.folded for piece in inner)
            pieces.append(_Piece(hint, f"/*+ {folded} */", is_literal=False, clause="a hint"))
    return pieces


def _changes(first: _Pieces, second: _Pieces) -> Iterator[tuple[_Pieces, _Pieces]]:
    """Yield the parts that differ, each as it is in both texts."""
    start = 0
    while start < min(len(first), len(second)) and first[start].text == second[start].text:
        start += 1
    end = 0
    while end < min(len(first), len(second)) - start and first[-1 - end].text == second[-1 - end].text:
        end += 1
    first, second = first[start : len(first) - end], second[start : len(second) - end]
    if len(first) + len(second) > _MOST_COMPARED:
        yield first, second
        return
    texts = [piece.text for piece in first], [piece.text for piece in second]
    folded = [piece.folded for piece in first], [piece.folded for piece in second]
    matcher = SequenceMatcher(None, *(texts if folded[0] == folded[1] else folded), autojunk=False)
    for kind, low, high, from_, to in matcher.get_opcodes():
        if kind != "equal":
            yield first[low:high], second[from_:to]


def _phrase(before: _Pieces, after: _Pieces) -> str:
    changed = [*after, *before]
    clause = changed[0].clause
    if clause in _CONDITIONS and before and after and all(piece.is_literal for piece in changed):
        return f"a literal in {clause}"
    return clause


_CONDITIONS = frozenset(
    ("the WHERE condition", "the HAVING condition", "a join condition", "a CASE expression", "the SELECT list")
)
_CLAUSES: Mapping[str, str] = {
    "SELECT": "the SELECT list",
    "FROM": "the FROM clause",
    "JOIN": "the FROM clause",
    "WHERE": "the WHERE condition",
    "HAVING": "the HAVING condition",
    "QUALIFY": "the QUALIFY condition",
    "ON": "a join condition",
    "USING": "a join condition",
    "WITHIN": "the time between joined rows (WITHIN)",
    "GRACE": "GRACE PERIOD",
    "RETENTION": "RETENTION",
    "GROUP": "GROUP BY",
    "ORDER": "ORDER BY",
    "PARTITION": "PARTITION BY",
    "PARTITIONED": "PARTITIONED BY",
    "DISTRIBUTED": "DISTRIBUTED BY",
    "LIMIT": "LIMIT",
    "OFFSET": "OFFSET",
    "FETCH": "FETCH FIRST",
    "TABLESAMPLE": "TABLESAMPLE",
    "EMIT": "EMIT",
    "WINDOW": "the window",
    "WATERMARK": "WATERMARK",
    "COMMENT": "a comment in the DDL",
    "FRESHNESS": "FRESHNESS",
    "UNION": "a set operation",
    "EXCEPT": "a set operation",
    "INTERSECT": "a set operation",
    "MINUS": "a set operation",
    "VALUES": "VALUES",
    "MEASURES": "MEASURES of MATCH_RECOGNIZE",
    "PATTERN": "PATTERN of MATCH_RECOGNIZE",
    "DEFINE": "DEFINE of MATCH_RECOGNIZE",
    "CASE": "a CASE expression",
    "PIVOT": "PIVOT",
    "UNPIVOT": "UNPIVOT",
}
"""The clauses by the word that opens them."""
_BRACKETS: Mapping[str, str] = {
    "IN": "an IN list",
    "OVER": "an OVER window",
    **dict.fromkeys(("TUMBLE", "HOP", "CUMULATE", "SESSION", "TUMBLING", "HOPPING"), "the window"),
}
"""What brackets hold, by the word before them."""
_COLUMNS, _OPTIONS = "a column definition", "a WITH option"
_PHRASES = {("FOR", "SYSTEM_TIME"): "FOR SYSTEM_TIME", ("ON", "CONFLICT"): "ON CONFLICT"}
_START = "the start of the statement"
CLAUSES_OF_COLUMNS = frozenset((_START, _COLUMNS, *(_CLAUSES[word] for word in ("SELECT", "FROM", "CASE", "COMMENT"))))
"""Clauses that say what columns there are, and what they come from, which flows have."""


@dataclass(slots=True)
class _Level:
    """A pair of brackets: what it holds as a whole, the current clause in it, and those around a CASE."""

    base: str
    clause: str
    start: int
    outer_clauses: list[str]


class _Clauses:
    """Finds the clause of each token."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._levels = [_Level(_START, _START, 0, [])]
        self._found: list[str] = []
        self._opening: set[str] = set()

    def read(self) -> list[str]:
        """Return the clause of each token."""
        for at, token in enumerate(self._tokens):
            self._take(at, token)
        return self._found

    def _take(self, at: int, token: Token) -> None:
        level = self._levels[-1]
        if token.kind is TokenKind.WORD:
            self._word(at, token.key, level)
        is_sign = token.kind is TokenKind.OPERATOR
        if is_sign and token.key in (",", ")") and level.base == _OPTIONS:
            self._name_option(level, at)
        if is_sign and token.key == ")" and len(self._levels) > 1:
            self._levels.pop()
        self._found.append(self._levels[-1].clause if is_sign and token.key == ")" else level.clause)
        if is_sign and token.key == ",":
            level.start = at + 1
            level.clause = level.base if level.base in (_COLUMNS, _OPTIONS) else level.clause
        if is_sign and token.key == "(":
            inside = self._inside(at, level)
            self._levels.append(_Level(inside, inside, at + 1, []))
        if is_sign and token.key == ";":
            self._levels, self._opening = [_Level(_START, _START, at + 1, [])], set()

    def _word(self, at: int, key: str, level: _Level) -> None:
        if len(self._levels) == 1:
            self._opening.add(key)
        if key == "END" and level.outer_clauses:
            level.clause = level.outer_clauses.pop()
            return
        if self._key(at - 1) == "." or (level.base == _COLUMNS and key not in ("WATERMARK", "COMMENT")):
            return
        if key == "CASE":
            level.outer_clauses.append(level.clause)
        clause = _PHRASES.get((key, self._key(at + 1))) or _CLAUSES.get(key)
        is_option = key == "WITH" and self._key(at + 1) == "("
        level.clause = _OPTIONS if is_option else clause or level.clause

    def _inside(self, at: int, level: _Level) -> str:
        before = self._key(at - 1)
        if before == "WITH":
            return _OPTIONS
        is_definition = "CREATE" in self._opening and not self._opening & {"AS", "INSERT"}
        if is_definition and len(self._levels) == 1 and level.clause == _START:
            return _COLUMNS
        return _BRACKETS.get(before, level.clause)

    def _name_option(self, level: _Level, end: int) -> None:
        """Name the tokens of an option by its key."""
        item = self._tokens[level.start : end]
        sign = next((at for at, token in enumerate(item) if token.key == "="), 0)
        if name := "".join(token.value for token in item[:sign]):
            self._found[level.start :] = [f"the option {name}"] * (len(self._found) - level.start)

    def _key(self, at: int) -> str:
        return self._tokens[at].key if 0 <= at < len(self._tokens) else ""
