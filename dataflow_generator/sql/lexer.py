"""Split SQL text into tokens: names, strings, numbers, operators, each with its offset; comments are skipped."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum, StrEnum
from functools import cached_property
from itertools import takewhile
from typing import NamedTuple


class Dialect(StrEnum):
    """The engine whose SQL a text is."""

    KSQLDB = "ksqldb"
    FLINK = "flink"


_TELLING: tuple[tuple[Dialect, int, str], ...] = (
    (Dialect.KSQLDB, 3, r"\bEMIT\s+(?:CHANGES|FINAL)\b"),
    (Dialect.KSQLDB, 3, r"\b(?:CREATE|DROP|ALTER|ASSERT)\s+(?:OR\s+REPLACE\s+)?(?:SOURCE\s+)?STREAM\b"),
    (Dialect.KSQLDB, 3, r"\bCREATE\s+(?:SOURCE\s+TABLE|TYPE)\b"),
    (
        Dialect.KSQLDB,
        3,
        r"\b(?:KAFKA_TOPIC|VALUE_FORMAT|KEY_FORMAT)\s*=|->|:=|\b(?:DEFINE\s+\w+\s*=|(?:UNDEFINE|TERMINATE)\s)",
    ),
    (Dialect.KSQLDB, 2, r"\b(?:WITHIN|GRACE\s+PERIOD)\s+\(?\s*\d|\bWINDOW\s+(?:TUMBLING|HOPPING|SESSION)\b"),
    (Dialect.KSQLDB, 2, r"\b(?:LATEST|EARLIEST)_BY_OFFSET\s*\(|\bPARTITION\s+BY\s+[^()]*(?:;|$)"),
    (Dialect.KSQLDB, 2, r"\bCOUNT\s*\(\s*\)"),
    (Dialect.KSQLDB, 2, r"\b(?:AS_VALUE|COLLECT_(?:LIST|SET)|COUNT_DISTINCT|TOPK(?:DISTINCT)?|EXPLODE)\s*\("),
    (
        Dialect.KSQLDB,
        2,
        r"\b(?:[UL]CASE|EXTRACTJSONFIELD|TIMESTAMPTOSTRING|STRINGTOTIMESTAMP|(?:PARSE|FORMAT)_TIMESTAMP)\s*\(",
    ),
    (Dialect.KSQLDB, 2, r"\b(?:STDDEV_SAMPLE|SUM_LIST|CORRELATION|HISTOGRAM)\s*\("),
    (Dialect.KSQLDB, 2, r"\b(?:ROWKEY|ROWTIME|ROWPARTITION|WINDOWSTART|WINDOWEND)\b"),
    (Dialect.FLINK, 3, r"'connector'\s*=|\bDESCRIPTOR\s*\(|\bMATCH_RECOGNIZE\b|\bSTATEMENT\s+SET\b|\bNOT\s+ENFORCED\b"),
    (Dialect.FLINK, 3, r"\bWATERMARK\s+FOR\b|\bSYSTEM_TIME\s+AS\s+OF\b|\bINSERT\s+OVERWRITE\b|\bLATERAL\b|\bUNNEST\b"),
    (Dialect.FLINK, 3, r"\bCREATE\s+(?:OR\s+(?:REPLACE|ALTER)\s+)?(?:TEMPORARY|VIEW|MATERIALIZED|CATALOG|DATABASE)\b"),
    (Dialect.FLINK, 2, r"^\s*WITH\b|\bUNION\b|\bOVER\s*\(|\(\s*SELECT\b|\bINTERVAL\s+'|\bUSE\s|\bDISTRIBUTED\b"),
    (Dialect.FLINK, 1, r"\bINSERT\s+INTO\b|\bORDER\s+BY\b|\bMETADATA\b"),
)
_COMMENT = re.compile(r"--[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_PATTERNS = tuple((dialect, weight, re.compile(text, re.IGNORECASE)) for dialect, weight, text in _TELLING)


def guess_dialect(text: str) -> Dialect:
    """Return the dialect of *text* by constructs that only one of them has; Flink's by default."""
    code = _COMMENT.sub(" ", text)
    score = dict.fromkeys(Dialect, 0)
    for dialect, weight, pattern in _PATTERNS:
        if pattern.search(code):
            score[dialect] += weight
    return Dialect.KSQLDB if score[Dialect.KSQLDB] > score[Dialect.FLINK] else Dialect.FLINK


def words(text: str) -> frozenset[str]:
    """Return the words of *text* as a set; for the grammar's word lists."""
    return frozenset(text.split())


class TokenKind(IntEnum):
    """Kind of a token."""

    WORD = 1
    QUOTED = 2
    STRING = 3
    NUMBER = 4
    OPERATOR = 5
    END = 6


class Token(NamedTuple):
    """One token; a tuple, because a dataclass takes four times as long to build and statements have hundreds.

    *key* is what the grammar compares: a word in upper case, an operator itself, a placeholder for the other kinds.
    *value* is a name as the engine resolves it, or the text inside a string. *at* and *end* are offsets in the text.
    *hint* is the text of Flink's hints after the token, `/*+ … */`.
    """

    kind: TokenKind
    key: str
    value: str
    at: int
    end: int
    hint: str = ""


_KEYS = {TokenKind.QUOTED: "`", TokenKind.STRING: "'", TokenKind.NUMBER: "0"}

_COMMON = r"""
(?P<skip>\s+|\\[ \t]*(?:\r?\n|\Z)|--[^\n]*|/\*.*?(?:\*/|\Z))
|(?P<string>(?:_[A-Za-z][\w:.-]{0,30}|[Uu]&)?'[^']*(?:''[^']*)*(?:'|\Z))
|(?P<quoted>`[^`]*(?:``[^`]*)*(?:`|\Z))
|(?P<double>"[^"]*(?:""[^"]*)*(?:"|\Z))
|(?P<number>(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w@]))
|(?P<word>(?:[^\W\d]|\d(?=\w)|\$\{[^{}\s]*+\}|[@$])(?:\$\{[^{}\s]*+\}|[\w@$])*)
|(?P<operator>->|=>|:=|\|\||<>|!=|<=|>=|.)
"""
_PATTERN = re.compile(_COMMON, re.VERBOSE | re.DOTALL)
_HINT = "/*+"
_VARIABLE = re.compile(r"\$\{([^{}\s]*+)\}")


def tokenize(text: str, dialect: Dialect) -> list[Token]:
    """Split *text* into tokens; unrecognized characters become operators. The last token is END."""
    result: list[Token] = []
    folds = dialect is Dialect.KSQLDB
    for match in _PATTERN.finditer(text):
        group = match.lastgroup
        raw = match.group()
        if group == "skip":
            if raw.startswith(_HINT) and result and not folds:
                result[-1] = result[-1]._replace(hint=result[-1].hint + raw.removeprefix(_HINT).removesuffix("*/"))
            continue
        at, end = match.span()
        if group == "word":
            upper = raw.upper()
            result.append(Token(TokenKind.WORD, upper, upper if folds else raw, at, end))
        elif group == "operator":
            result.append(Token(TokenKind.OPERATOR, raw, raw, at, end))
        else:
            result.append(_literal(group, raw, at, folds=folds))
    result.append(Token(TokenKind.END, "", "", len(text), len(text)))
    return result


_BODY = frozenset(("SELECT", "WITH", "VALUES", "AS", "("))


def statement_title(text: str) -> str:
    """Return how a statement begins, up to its query: `INSERT INTO order_mails`; empty without a text."""
    tokens = tokenize(text, Dialect.FLINK)
    head = list(takewhile(lambda token: token.kind is not TokenKind.END and token.key not in _BODY, tokens))
    return text[head[0].at : head[-1].end] if head else ""


def _literal(group: str | None, raw: str, at: int, *, folds: bool) -> Token:
    # Double quotes delimit identifiers in ksqlDB, strings in Flink.
    kind = TokenKind.NUMBER if group == "number" else TokenKind.QUOTED if group == "quoted" else TokenKind.STRING
    if group == "double" and folds:
        kind = TokenKind.QUOTED
    quoted = raw[raw.index("'") :] if group == "string" else raw  # without its character set, `_UTF-16LE'a'`
    value = raw if kind is TokenKind.NUMBER else unquote(quoted)
    return Token(kind, _KEYS[kind], value, at, at + len(raw))


def unquote(raw: str) -> str:
    """Return the text inside quotes, with doubled quotes unescaped; the closing quote may be missing."""
    mark = raw[0]
    inner = raw[1:-1] if len(raw) > 1 and raw[-1] == mark else raw[1:]
    return inner.replace(mark * 2, mark)


def hint_options(token: Token) -> tuple[tuple[str, str], ...]:
    """Return the options of Flink's hint after *token*: `/*+ OPTIONS('key'='value') */`."""
    if not token.hint:
        return ()
    tokens = tokenize(token.hint, Dialect.FLINK)
    options, name = [], ""
    for at, sign in enumerate(tokens[1:-1], 1):
        before, after = tokens[at - 1], tokens[at + 1]
        if sign.key == "(":
            name = before.key
        elif sign.key == "=" and name == "OPTIONS" and after.kind is TokenKind.STRING:
            options.append((before.value, after.value))
    return tuple(options)


def split_statements(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Split tokens at semicolons; each statement ends with an END token, empty ones are skipped."""
    start = 0
    for position, token in enumerate(tokens):
        if token.key in (";", "") and token.kind in (TokenKind.OPERATOR, TokenKind.END):
            if position > start:
                yield [*tokens[start:position], Token(TokenKind.END, "", "", token.at, token.at)]
            start = position + 1


def substitute_variables(tokens: Sequence[Token], variables: Mapping[str, str], dialect: Dialect) -> Sequence[Token]:
    """Replace `${name}` by its value, as ksqlDB does before parsing; unknown variables are left unchanged."""
    if not variables:
        return tokens
    result: list[Token] = []
    for token in tokens:
        text = _VARIABLE.sub(lambda match: variables.get(match[1].lower(), match[0]), token.value)
        if text == token.value:
            result.append(token)
        elif token.kind is TokenKind.WORD:
            result += [piece._replace(at=token.at, end=token.end) for piece in tokenize(text, dialect)[:-1]]
        else:
            result.append(token._replace(value=text))
    return result


class Lines:
    """Line starts of a text, computed on first use."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        while (at := self._text.find("\n", starts[-1]) + 1) > 0:
            starts.append(at)
        return starts

    def position(self, at: int) -> str:
        """Return an offset as `line:column`, both from 1."""
        line = bisect_right(self._starts, at)
        return f"{line}:{at - self._starts[line - 1] + 1}"
