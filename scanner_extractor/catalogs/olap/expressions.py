"""The fields that an expression of an engine names, as Druid's transforms and Pinot's transform functions."""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"'(?:[^'\\]|\\.|'')*'"  # a text
    r'|"(?P<quoted>(?:[^"\\]|\\.)*)"'
    r"|(?P<name>[A-Za-z_$][\w$]*)(?P<call>\s*\()?"
    r"|\d[\w.]*"
)
_WORDS = frozenset({"and", "as", "case", "cast", "else", "end", "false", "in", "is", "like", "not", "null", "or"}) | {
    *("then", "true", "when", "between")
}
_LONGEST = 100_000


def fields_of(expression: str) -> tuple[str, ...]:
    """Return the fields that *expression* names, each once, in order: neither functions, texts nor words of SQL."""
    names: dict[str, None] = {}
    for match in _TOKEN.finditer(expression[:_LONGEST]):
        name = match["quoted"] if match["name"] is None else match["name"]
        if name and not match["call"] and (match["name"] is None or name.lower() not in _WORDS):
            names.setdefault(name)
    return tuple(names)
