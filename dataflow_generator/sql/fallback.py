"""Find sources and sinks of a statement that could not be parsed, from its tokens; without columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from dataflow_generator.sql.lexer import Kind, Token
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


def tables_of(found: Sequence[Token]) -> Tables:
    """Find the tables that a statement names as its sink and sources.

    A FROM counts only after a SELECT in the same brackets: in EXTRACT, TRIM and IS DISTINCT FROM it names no table.
    """
    result = Tables(kind=" ".join(_first_words(found)))
    start = _sink(found, result)
    common = set(_common(found))
    levels = [_Level()]
    place = start
    while place < len(found):
        token = found[place]
        place += 1
        if token.key == "(":
            levels.append(_Level())
        elif token.key == ")" and len(levels) > 1:
            levels.pop()
        elif token.key == "SELECT":
            levels[-1] = _Level(selects=True)
        elif _names_table(found, place - 1, levels[-1]):
            levels[-1].lists_tables = levels[-1].lists_tables or token.key in ("FROM", "JOIN")
            place += _key(found, place) == "LATERAL"
            name, place = _name(found, place)
            if name and (len(name) > 1 or name[0] not in common) and _key(found, place) != "(":
                result.sources[name] = None
        elif token.key in ("WHERE", "GROUP", "HAVING", "ORDER", "WINDOW", "LIMIT", "PARTITION"):
            levels[-1].lists_tables = False
    return result


def _names_table(found: Sequence[Token], place: int, level: _Level) -> bool:
    key, before = found[place].key, _key(found, place - 1)
    if key == "FROM":
        return level.selects and before != "DISTINCT"
    if key == "JOIN":
        return True
    if key == "TABLE":
        return before in ("(", ",", "=>") and _key(found, place + 1) != "("
    return key == "," and level.lists_tables


def _sink(found: Sequence[Token], result: Tables) -> int:
    """Find the sink, and the token from which to look for sources."""
    for place, token in enumerate(found):
        if token.key in ("INTO", "OVERWRITE") and _key(found, place - 1) == "INSERT":
            start = place + 1 + (_key(found, place + 1) == "TABLE")
            result.sink, start = _name(found, start)
            return start
        if token.key in _CREATED and _is_creation(found, place):
            while _key(found, place + 1) in ("IF", "NOT", "EXISTS"):
                place += 1
            name, start = _name(found, place + 1)
            if any(one.key == "SELECT" for one in found):
                result.sink = name
                result.kind += "" if token.key == "VIEW" else " AS SELECT"
            return start
    return 0


def _is_creation(found: Sequence[Token], place: int) -> bool:
    before = [one.key for one in found[:place]]
    return "CREATE" in before and all(key in _MODIFIERS for key in before[before.index("CREATE") + 1 :])


def _common(found: Sequence[Token]) -> Iterator[str]:
    """Return the names that WITH defines: `name AS (SELECT`, also with a list of columns."""
    for place in range(2, len(found) - 1):
        if found[place].key == "AS" and found[place + 1].key == "(":
            name = found[place - 1]
            if name.key == ")":
                back = place - 1
                while back and found[back].key != "(":
                    back -= 1
                name = found[back - 1]
            if name.kind <= Kind.QUOTED:
                yield name.value


def _name(found: Sequence[Token], place: int) -> tuple[Parts, int]:
    parts: list[str] = []
    while place < len(found) and found[place].kind <= Kind.QUOTED:
        parts.append(found[place].value)
        place += 1
        if _key(found, place) != ".":
            break
        place += 1
    return tuple(parts), place


def _first_words(found: Sequence[Token]) -> Iterator[str]:
    for token in found[:4]:
        if token.kind is not Kind.WORD:
            return
        yield token.key
        if token.key in (*_CREATED, "INTO", "OVERWRITE", "SELECT", "WITH"):
            return


def _key(found: Sequence[Token], place: int) -> str:
    return found[place].key if 0 <= place < len(found) else ""
