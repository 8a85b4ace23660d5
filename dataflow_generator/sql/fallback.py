"""Find sources and sinks of a statement that could not be parsed, from its tokens; without columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from dataflow_generator.sql.lexer import Token, TokenKind
from dataflow_generator.sql.nodes import Parts

_CREATED = ("TABLE", "STREAM", "VIEW")
_MODIFIERS = ("OR", "REPLACE", "ALTER", "TEMPORARY", "SOURCE", "MATERIALIZED", "IF", "NOT", "EXISTS")


@dataclass(slots=True)
class _Level:
    """The state of one pair of brackets: whether a SELECT, and then its FROM, occurred in it."""

    selects: bool = False
    lists_tables: bool = False


@dataclass(slots=True)
class Tables:
    """The names found; *sink* is empty where there is none, *kind* covers the words that were recognized."""

    kind: str
    sink: Parts = ()
    sources: dict[Parts, None] = field(default_factory=dict)


def tables_of(tokens: Sequence[Token]) -> Tables:
    """Find the tables that a statement names as its sink and sources.

    A FROM counts only after a SELECT in the same brackets: in EXTRACT, TRIM and IS DISTINCT FROM it names no table.
    """
    result = Tables(kind=" ".join(_first_words(tokens)))
    start = _sink(tokens, result)
    common = set(_common(tokens))
    levels = [_Level()]
    position = start
    while position < len(tokens):
        token = tokens[position]
        position += 1
        if token.key == "(":
            levels.append(_Level())
        elif token.key == ")" and len(levels) > 1:
            levels.pop()
        elif token.key == "SELECT":
            levels[-1] = _Level(selects=True)
        elif _names_table(tokens, position - 1, levels[-1]):
            levels[-1].lists_tables = levels[-1].lists_tables or token.key in ("FROM", "JOIN")
            position += _key(tokens, position) == "LATERAL"
            name, position = _name(tokens, position)
            if name and (len(name) > 1 or name[0] not in common) and _key(tokens, position) != "(":
                result.sources[name] = None
        elif token.key in ("WHERE", "GROUP", "HAVING", "ORDER", "WINDOW", "LIMIT", "PARTITION"):
            levels[-1].lists_tables = False
    return result


def _names_table(tokens: Sequence[Token], position: int, level: _Level) -> bool:
    key, before = tokens[position].key, _key(tokens, position - 1)
    if key == "FROM":
        return level.selects and before != "DISTINCT"
    if key == "JOIN":
        return True
    if key == "TABLE":
        return before in ("(", ",", "=>") and _key(tokens, position + 1) != "("
    return key == "," and level.lists_tables


def _sink(tokens: Sequence[Token], result: Tables) -> int:
    """Find the sink, and the token from which to look for sources."""
    for position, token in enumerate(tokens):
        if token.key in ("INTO", "OVERWRITE") and _key(tokens, position - 1) == "INSERT":
            start = position + 1 + (_key(tokens, position + 1) == "TABLE")
            result.sink, start = _name(tokens, start)
            return start
        if token.key in _CREATED and _is_creation(tokens, position):
            while _key(tokens, position + 1) in ("IF", "NOT", "EXISTS"):
                position += 1
            name, start = _name(tokens, position + 1)
            if any(token.key == "SELECT" for token in tokens):
                result.sink = name
                result.kind += "" if token.key == "VIEW" else " AS SELECT"
            return start
    return 0


def _is_creation(tokens: Sequence[Token], position: int) -> bool:
    before = [token.key for token in tokens[:position]]
    return "CREATE" in before and all(key in _MODIFIERS for key in before[before.index("CREATE") + 1 :])


def _common(tokens: Sequence[Token]) -> Iterator[str]:
    """Return the names that WITH defines: `name AS (SELECT`, also with a list of columns."""
    for position in range(2, len(tokens) - 1):
        if tokens[position].key == "AS" and tokens[position + 1].key == "(":
            name = tokens[position - 1]
            if name.key == ")":
                back = position - 1
                while back and tokens[back].key != "(":
                    back -= 1
                name = tokens[back - 1]
            if name.kind <= TokenKind.QUOTED:
                yield name.value


def _name(tokens: Sequence[Token], position: int) -> tuple[Parts, int]:
    parts: list[str] = []
    while position < len(tokens) and tokens[position].kind <= TokenKind.QUOTED:
        parts.append(tokens[position].value)
        position += 1
        if _key(tokens, position) != ".":
            break
        position += 1
    return tuple(parts), position


def _first_words(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens[:4]:
        if token.kind is not TokenKind.WORD:
            return
        yield token.key
        if token.key in (*_CREATED, "INTO", "OVERWRITE", "SELECT", "WITH"):
            return


def _key(tokens: Sequence[Token], position: int) -> str:
    return tokens[position].key if 0 <= position < len(tokens) else ""
