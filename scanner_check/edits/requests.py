"""Code that changes topics otherwise than by sending: classes mapped to captured tables, requests to registries."""

from __future__ import annotations

import re

_ENTITY = re.compile(
    r"@(?:Entity|Table|Column|MappedSuperclass|Embeddable)\b|\bmodels\.Model\b|__tablename__|\bDbSet<|`gorm:|\bActiveRecord\b"
)
"""What maps a class to a table of a database."""
_ADMINISTERS = re.compile(r"(?i)schema[._-]?registry|registry[._-]?ur[li]|kafka[._-]?connect|connect[._-]?ur[li]")
_REQUEST = re.compile(r"[}\w\"'`]/(?:subjects|connectors)(?:/|[\"'`?])|[\"'`]/(?:subjects|connectors)/")


def maps_table(text: str) -> bool:
    """Return whether code has a class that is mapped to a table."""
    return _ENTITY.search(text) is not None


def request_lines(before: str, after: str) -> list[tuple[int, str]]:
    """Return the changed lines of a program that call a schema registry or Connect over HTTP, each with its number."""
    if not _ADMINISTERS.search(before + after):
        return []
    old, new = (
        {line.strip(): number for number, line in enumerate(text.splitlines(), 1) if _REQUEST.search(line)}
        for text in (before, after)
    )
    return sorted((number, line) for line, number in {**old, **new}.items() if (line in old) != (line in new))
