"""Which files and imports of a program are around its clients, by the names that files declare, use and import."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import cache

from scanner_programs.libraries.clients import CLIENTS
from scanner_programs.libraries.others import WATCHERS
from scanner_programs.libraries.rows import Client

MOST_FILES = 250
"""Files of one program that are read: beyond, those around its clients and the changed ones."""
_ROUNDS = 3
_DECLARED = re.compile(
    r"\b(?:class|interface|record|object|trait|struct|enum|type|def|func|fn|fun|function|const|val|var|let)\s++"
    r"(?:\([^()\n]{0,80}\)\s*+)?([A-Za-z_]\w*)"
)
_WORD = re.compile(r"[A-Za-z_]\w{2,}")
_KAFKA = "kafka"
_COMMON = 4
"""Files that declare a name from which on it says nothing."""
_OWNERS = {"python": 1, "csharp": 1, "rust": 1, "java": 2, "kotlin": 2, "scala": 2, "go": 2}
"""How many parts of an import name whoever publishes a library; in JavaScript it is the scope, or the package."""
_SEPARATORS = re.compile(r"::|[./]")
_BESIDE = re.compile(r"(?i)[./:](?:avro|mocks?|test\w*)$")
"""What modules of a client are called that have schemas or help tests."""
_KNOWN = tuple({one for row in CLIENTS for one in row.packages} | {one for row in WATCHERS for one in row.packages})
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


def owner_of(imported: str, language: str) -> str:
    """Return whoever publishes the library of an import, as the first parts of the import say it."""
    if language in ("typescript", "javascript"):
        return imported.partition("/")[0].partition(".")[0]
    parts = imported.split("/") if language == "go" else _SEPARATORS.split(imported)
    return ("/" if language == "go" else ".").join(parts[: _OWNERS.get(language, 1)])


def unknown_client(imported: str, language: str) -> Client | None:
    """Return the unknown client that an import is of; None if it does not have Kafka in its name, or is not unknown.

    It is unknown if no row has anything of its publisher. Libraries are named for the protocol that they speak: the
    package, one of its modules, or the class. One that does not write is a client all the same: what it is given may
    be sent.
    """
    is_named = _KAFKA in imported.lower() and not _BESIDE.search(imported)
    if not is_named or owner_of(imported, language) in _owners(language):
        return None
    package, end = imported, imported.lower().index(_KAFKA)
    found = _SEPARATORS.search(imported, end)
    if found is not None:
        package = imported[: found.start()]
    return Client(package, (package,), languages=frozenset((language,)), is_unknown=True)


@cache
def _owners(language: str) -> frozenset[str]:
    return frozenset(owner_of(package, language) for package in _KNOWN)
