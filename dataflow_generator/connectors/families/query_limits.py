"""How long and how deep a text of SQL may be: sqlglot takes time and stack for whatever it is given."""

from __future__ import annotations

from sqlglot import exp

_LONGEST = 50_000
_DEEPEST = 60
HIGHEST = 400
"""The most levels of an expression."""


def excess(text: str) -> str:
    """Return which limit a text exceeds; empty where it exceeds none."""
    if len(text) > _LONGEST:
        return f"the query has {len(text)} characters, more than the limit of {_LONGEST}"
    if _depth(text) > _DEEPEST:
        return f"the query nests brackets more than {_DEEPEST} levels deep"
    return ""


def is_deep(query: exp.Expr) -> bool:
    """Return whether the tree is so deep that walking up from every column would take long."""
    level, depth = [query], 0
    while level and depth <= HIGHEST:
        level, depth = [inside for node in level for inside in node.iter_expressions()], depth + 1
    return bool(level)


def _depth(text: str) -> int:
    depth = deepest = 0
    for sign in text:
        depth += (sign in "([") - (sign in ")]")
        deepest = max(deepest, depth)
    return deepest
