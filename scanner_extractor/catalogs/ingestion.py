"""Tables that engines ingest from topics, and the fields that their expressions name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from scanner_extractor.catalogs.column_types import Part, columns_of, parameters, server_namespace
from scanner_extractor.settings.sources import CatalogSettings
from scanner_model.catalogs import (
    CatalogTable,
)


def ingested_table(
    settings: CatalogSettings, port: int, name: str, words: Mapping[str, str], columns: Iterable[Part]
) -> CatalogTable:
    """Return the table *name* of the engine that the settings name; *port* is its usual one, *words* are parameters."""
    engine = settings.type
    return CatalogTable(
        source=settings.source,
        provider=engine,
        namespace=server_namespace(engine, settings.http.url, port),
        name=name,
        kind="TABLE",
        table_format=engine.capitalize(),
        parameters=parameters(words),
        symlinks=tuple((server_namespace(engine, alias, port), name) for alias in settings.aliases),
        columns=tuple(columns_of(columns)),
    )


_TOKEN = re.compile(
    r"'(?:[^'\\]|\\[\s\S]|'')*+(?:'|\\?\Z)"  # a text
    r'|"(?P<quoted>(?:[^"\\]|\\[\s\S])*+)(?:"|\\?\Z)'
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
