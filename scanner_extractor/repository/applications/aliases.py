"""What imports call directories of a repository: packages of JavaScript and Go, and paths of their settings."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping

from scanner_model.documents.json_input import load_text

_COMMENT = re.compile(r"^[ \t]*+//[^\n]*$", re.MULTILINE)
_GO_MODULE = re.compile(r"^module[ \t]++(\S++)", re.MULTILINE)


def aliases_of(files: Mapping[str, str]) -> dict[str, str]:
    """Return the directories that have a name for imports, each with a slash behind it, by the name."""
    found: dict[str, str] = {}
    for path, text in files.items():
        folder, _, name = path.rpartition("/")
        if name == "package.json" and folder and (known := _member(text, "name")):
            found[str(known)] = f"{folder}/"
        elif name == "go.mod" and (match := _GO_MODULE.search(text)):
            found[match[1]] = f"{folder}/" if folder else ""
        elif name.startswith(("tsconfig", "jsconfig")) and name.endswith(".json"):
            found |= dict(_paths_of(folder, text))
    return {alias: folder for alias, folder in found.items() if any(path.startswith(folder) for path in files)}


def beginnings(imported: str) -> Iterator[str]:
    """Yield what an import begins with, up to each slash, and the whole: its alias, if it has one, is among them."""
    yield from (imported[:at] for at, letter in enumerate(imported) if letter == "/")
    yield imported


def _paths_of(folder: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield the aliases of a tsconfig.json, each with the directory that its first target is in."""
    options = _member(text, "compilerOptions")
    paths = options.get("paths") if isinstance(options, dict) else None
    for alias, targets in paths.items() if isinstance(paths, dict) else ():
        if isinstance(targets, list) and targets and isinstance(targets[0], str) and alias.strip("*/"):
            target = posixpath.normpath(posixpath.join(folder, targets[0].partition("*")[0]))
            target = target if targets[0].endswith("*") else target.rpartition("/")[0]
            yield alias.rstrip("*").rstrip("/"), f"{target}/"


def _member(text: str, name: str) -> object:
    """Return a member of a JSON object; None if the text has none. Comments, as tsconfig.json may have, are dropped."""
    try:
        document = load_text(_COMMENT.sub("", text))
    except (ValueError, RecursionError):
        return None
    return document.get(name) if isinstance(document, dict) else None
