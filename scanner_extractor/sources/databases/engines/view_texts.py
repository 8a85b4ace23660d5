"""The SQL texts of views in StarRocks and Doris, so that each names its columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scanner_extractor.sources.databases.engines import definitions

_TOKEN = re.compile(
    r"""(?P<text>'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.)*")|`(?P<quoted>(?:[^`]|``)*)`"""
    r"""|(?P<comment>/\*.*?\*/|--[^\n]*)|(?P<word>\w+)|(?P<sign>[(),])""",
    re.DOTALL,
)


def named_view(name: str, columns: Sequence[str], query: str) -> str:
    """Return `CREATE VIEW name (columns) AS query`; the query alone where *columns* are not known."""
    text = query.strip().rstrip(";").rstrip()
    if not text or not columns:
        return text
    return definitions.named_view(name, columns, text, quote="`")


def view_of_declaration(name: str, text: str) -> str:
    """Return the view that `CREATE MATERIALIZED VIEW … AS query` declares; a text that is none unchanged.

    How it is partitioned, distributed and refreshed, and its properties, are left out. Source: StarRocks, CREATE
    MATERIALIZED VIEW.
    """
    columns: list[str] = []
    in_header = True
    for token in _tokens(text):
        if token.depth == 0:
            if token.word == "AS":
                return named_view(name, columns, text[token.end :])
            in_header = in_header and not columns and token.word not in _CLAUSES
        elif in_header and token.depth == 1 and token.is_first and token.word != "INDEX":
            columns.append(token.name)
    return text


_CLAUSES = frozenset({"COMMENT", "DISTRIBUTED", "ORDER", "PARTITION", "PROPERTIES", "REFRESH"})
"""The words that begin what stands between the columns and the query."""


class _Token(NamedTuple):
    """A name or word inside *depth* brackets; *word* is in upper case, empty for a quoted *name*."""

    name: str
    word: str
    depth: int
    end: int
    is_first: bool


def _tokens(text: str) -> Iterator[_Token]:
    """Yield names and words; *is_first* are those that an item of a list begins with."""
    depth, is_first = 0, True
    for match in _TOKEN.finditer(text):
        if match["sign"]:
            depth += (match["sign"] == "(") - (match["sign"] == ")")
            is_first = match["sign"] != ")"
        elif match["word"] or match["quoted"] is not None:
            quoted, word = match["quoted"], match["word"] or ""
            yield _Token(word or (quoted or "").replace("``", "`"), word.upper(), depth, match.end(), is_first)
            is_first = False
