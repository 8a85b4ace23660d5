"""Which files of a large program are read: those around its clients, by the names that files declare and use."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from scanner_programs.libraries.clients import CLIENTS

MOST_FILES = 250
"""Files of one program that are read: beyond, those around its clients and the changed ones."""
_ROUNDS = 3
_DECLARED = re.compile(
    r"\b(?:class|interface|record|object|trait|struct|enum|type|def|func|fn|fun|function|const|val|var|let)\s++"
    r"(?:\([^()\n]{0,80}\)\s*+)?([A-Za-z_]\w*)"
)
_WORD = re.compile(r"[A-Za-z_]\w{2,}")
_COMMON = 4
"""Files that declare a name from which on it says nothing."""
_PACKAGES = tuple({package.rpartition("/")[2] for row in CLIENTS for package in row.packages})


def files_near_clients(texts: Mapping[str, str], changed: Collection[str] = ()) -> list[str]:
    """Return the paths of at most MOST_FILES files that name a client or are *changed*, and of what belongs to these.

    A file belongs to another that uses a name which few files declare.
    """
    declared: dict[str, set[str]] = {}
    for path, text in texts.items():
        for name in set(_DECLARED.findall(text)):
            declared.setdefault(name, set()).add(path)
    chosen = {path for path, text in texts.items() if path in changed or mentions_package(text)}
    words = {path: set(_WORD.findall(text)) for path, text in texts.items()}
    latest = set(chosen)
    for _ in range(_ROUNDS):
        own = {name for path in latest for name in _DECLARED.findall(texts[path]) if len(declared[name]) < _COMMON}
        named = {word for path in latest for word in words[path] if len(declared.get(word, ())) in range(1, _COMMON)}
        used = {other for word in named for other in declared[word]}
        using = {path for path in texts if words[path] & own}
        latest = (used | using) - chosen
        if len(chosen) + len(latest) > MOST_FILES:
            # Without what code uses, its values are unknown; without what uses it, some callers are.
            first = [*sorted(used - chosen), *sorted(using - used - chosen)]
            chosen |= set(first[: max(0, MOST_FILES - len(chosen))])
            break
        chosen |= latest
    return sorted(chosen)


def mentions_package(text: str) -> bool:
    """Return whether a text has the name of a package of a client."""
    return any(package in text for package in _PACKAGES)
