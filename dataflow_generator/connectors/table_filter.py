"""Table lists in a configuration: literal names, and regular expressions resolved by known tables."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from dataflow_generator.connectors.java_regex import java_regex
from dataflow_generator.connectors.model import Connector, DatasetKind
from scanner_model.errors import InputInvalid

_ANCHORED = re.compile(r"^\^?(.*?)\$?$", re.DOTALL)
_PATTERN_SIGNS = re.compile(r"(?<!\\)[*+?\[\](){}|^]|\\[^.\-_$\\]")
_ALTERNATIVES = re.compile(r"(?P<before>[^()|]*)\((?:\?:)?(?P<options>[^()]+)\)(?P<after>[^()|]*)")
_ESCAPED = re.compile(r"\\([.\-_$\\])")


@dataclass(frozen=True, slots=True)
class Selection:
    """The tables that a list selects: *names*, and *patterns* that match no known table.

    *key* is its configuration key, *configured* false where there is no list; *unclear* are errors of patterns that
    could not be evaluated.
    """

    names: tuple[str, ...]
    patterns: tuple[str, ...]
    key: str
    configured: bool
    unclear: tuple[str, ...] = ()
    kind: DatasetKind = DatasetKind.PATTERN


def literal(item: str) -> str | None:
    """Return the name that a list's item stands for, without its escapes; None for a real pattern."""
    text = _ANCHORED.sub(r"\1", item).replace("[.]", r"\.")  # a common way to escape a dot
    bare = re.sub(r'"[^"]*"|`[^`]*`', "", text)
    return None if _PATTERN_SIGNS.search(bare) else _ESCAPED.sub(r"\1", text)


def literals(item: str) -> tuple[str, ...]:
    """Return the names that an item stands for: itself, or the alternatives of one group; none for a real pattern."""
    match = _ALTERNATIVES.fullmatch(_ANCHORED.sub(r"\1", item))
    parts = [f"{match['before']}{part}{match['after']}" for part in match["options"].split("|")] if match else [item]
    names = [literal(part) for part in parts]
    return tuple(name for name in names if name) if all(names) else ()


def selection(
    connector: Connector, include: tuple[str, ...], exclude: tuple[str, ...], candidates: Iterable[str] = ()
) -> Selection:
    """Resolve an include list and an exclude list; *candidates* are tables besides the connector's known ones.

    Items match whole names case-insensitively (Debezium, Predicates). An exclude list applies to what patterns match,
    and to all tables where there is no include list.
    """
    config = connector.config
    items = config.items(*include)
    known = sorted({*(connector.tables or ()), *candidates})
    unclear: list[str] = []
    excluded = config.items(*exclude)
    open_names = [table for table in known if not any(matches_item(item, table, unclear) for item in excluded)]
    names: list[str] = []
    patterns: list[str] = []
    for item in items:
        tables = literals(item) or tuple(table for table in open_names if matches_item(item, table, unclear))
        names.extend(tables)
        if not tables:
            patterns.append(item)
    if not items:
        names = open_names if known else []
    key = config.key(*include) or config.key(*exclude)
    return Selection(tuple(dict.fromkeys(names)), tuple(patterns), key, bool(items), tuple(dict.fromkeys(unclear)))


def matches_item(item: str, name: str, unclear: list[str]) -> bool:
    """Return whether an item matches a whole name, case-insensitively; what cannot be evaluated matches nothing."""
    try:
        return java_regex(f"(?i){item}").matches(name)
    except InputInvalid as error:
        unclear.append(error.what)
        return False
