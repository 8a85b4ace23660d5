"""What imports call directories of a repository: packages of JavaScript, Go and Rust, and paths of their settings."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping

from scanner_model.documents.json_input import load_text

_COMMENT = re.compile(r"^[ \t]*+//[^\n]*$", re.MULTILINE)
_GO_MODULE = re.compile(r"^module[ \t]++(\S++)", re.MULTILINE)
_CRATE = re.compile(r"^\[package\][^\[]*?^name[ \t]*=[ \t]*\"([^\"\n]+)\"", re.MULTILINE)


def aliases_of(files: Mapping[str, str]) -> dict[str, str]:
    """Return the directories that have a name for imports, each with a slash behind it, by the name."""
    found: dict[str, str] = {}
    for path, text in files.items():
        folder, _, name = path.rpartition("/")
        if name == "package.json" and folder and (known := _member(text, "name")):
            found[str(known)] = f"{folder}/"
        elif name == "go.mod" and (match := _GO_MODULE.search(text)):
            found[match[1]] = f"{folder}/" if folder else ""
        elif name == "Cargo.toml" and folder and (match := _CRATE.search(text)):
            found[match[1].replace("-", "_")] = f"{folder}/src/"
        elif name.startswith(("tsconfig", "jsconfig")) and name.endswith(".json"):
            found |= dict(_paths_of(folder, text))
    return {alias: folder for alias, folder in found.items() if any(path.startswith(folder) for path in files)}


_GO_REPLACED = re.compile(
    r"^(?:module|replace)[ \t]++[^\n]*+|^[ \t]*+\S++(?:[ \t]++v\S++)?[ \t]*+=>[^\n]*+", re.MULTILINE
)
EVERY = ""
"""The beginning of every import."""
_RESOLVING = ("exports", "main", "module", "browser")
_LOCAL = ("file:", "link:", "portal:", "./", "../", "npm:")


def resolution(path: str, text: str) -> dict[str, str]:
    """Return what a settings file says about the meaning of imports, by their beginnings; empty for other files."""
    name = path.rpartition("/")[2]
    if name == "go.mod":
        return {line.split()[-3 if "=>" in line else 0]: line for line in _GO_REPLACED.findall(text)}
    found: dict[str, object] = {}
    if name == "package.json":
        own = {member: known for member in _RESOLVING if (known := _member(text, member))}
        found = {str(_member(text, "name") or EVERY): own}
        inside = _member(text, "imports")
        found |= {str(key).rstrip("*/"): of for key, of in inside.items()} if isinstance(inside, dict) else {}
        packages = [_member(text, member) for member in ("dependencies", "overrides")]
        listed = [one for known in packages if isinstance(known, dict) for one in known.items()]
        found |= {str(key): of for key, of in listed if str(of).startswith(_LOCAL)}
    elif name.startswith(("tsconfig", "jsconfig")) and name.endswith(".json"):
        options = _member(text, "compilerOptions")
        options = options if isinstance(options, dict) else {}
        paths = options.get("paths")
        found = {str(key).rstrip("*/"): of for key, of in paths.items()} if isinstance(paths, dict) else {}
        others = (options.get("baseUrl"), options.get("rootDirs"), _member(text, "extends"))
        found |= {EVERY: others} if any(others) else {}
    return {key: json.dumps(of, sort_keys=True) for key, of in found.items() if of}


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
