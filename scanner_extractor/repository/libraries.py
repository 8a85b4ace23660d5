"""Libraries in other repositories: the source code of the modules that the build files of a repository name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from scanner_extractor.repository.applications.modules import OUTSIDE, Modules, build_name, is_build_file
from scanner_extractor.repository.files import Entry, UnreadText, directory_files, text_of
from scanner_extractor.repository.languages import language_of
from scanner_extractor.repository.syntax_trees import is_test

_GO_MODULE = re.compile(r"^module\s+(?P<name>\S+?)(?:/v\d+)?\s*$", re.MULTILINE)
_NO_LIBRARY = re.compile(r"(?i)(?:^|/)(?:examples?|samples?|cmd|mocks?|\w*test(?:s|ing)?)/|mock[^/]*$|(?:^|/)main\.go$")
_SCHEMAS = (".avsc", ".proto")
_SHORTEST = 3
"""Characters of a module's name: shorter ones are words of any build file."""


def library_files(directories: Iterable[Path], builds: str) -> Iterator[Entry]:
    """Yield the source, schema and build files of modules in *directories* that the text *builds* names.

    *builds* are the build files of the repository that uses the modules. Paths start with OUTSIDE and the name of the
    directory. Tests are left out. Raises OSError if a directory cannot be listed.
    """
    for directory in directories if builds else ():
        entries = [entry for entry in directory_files(directory) if not _is_beside_library(entry.path)]
        names = {_folder(entry.path): _name(entry) for entry in entries if is_build_file(entry.path)}
        used = {folder for folder, name in names.items() if _is_named(name, builds)}
        modules = Modules(names={"": "", **names})
        home = f"{OUTSIDE}{directory.resolve().name}"
        for entry in entries if used else ():
            is_read = language_of(entry.path) or entry.path.endswith(_SCHEMAS) or is_build_file(entry.path)
            if is_read and modules.of(entry.path) in used:
                yield entry._replace(path=f"{home}/{entry.path}")


def _is_beside_library(path: str) -> bool:
    """Return whether a file is one of tests, mocks, examples or commands: no part of a library."""
    return is_test(path) or _NO_LIBRARY.search(path) is not None


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _name(entry: Entry) -> str:
    """Return the name that build files of other modules have for a module; empty without one."""
    try:
        text = text_of(entry).text
    except UnreadText:
        return ""
    if entry.path.rpartition("/")[2] == "go.mod":
        match = _GO_MODULE.search(text)
        return match["name"] if match else ""
    return build_name(PurePosixPath(entry.path), text)[0]


def _is_named(name: str, builds: str) -> bool:
    return len(name) >= _SHORTEST and re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", builds) is not None
