"""Programs that use Kafka in a language that is not read, or not here: what a change of their code does is unknown."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import PurePosixPath

from scanner_check.edits.documents import is_document
from scanner_check.inputs.git import ObjectReader, Trees
from scanner_check.model import ChangeFinding, Message, Place
from scanner_check.rows.files import NOT_READ
from scanner_check.sides.mentions import changed_programs
from scanner_check.sides.programs import is_readable
from scanner_extractor.repository.languages import LANGUAGES

_BUILD_FILES = frozenset(
    ("Cargo.toml", "composer.json", "Gemfile", *(name for language in LANGUAGES for name in language.build_files))
)
"""Files that describe how a program is built."""
_COMMENT = re.compile(r"(?m)^[^\S\n]*+//.*$")
_SPACE = re.compile(r"\s+")


def is_unread(path: str) -> bool:
    """Return whether code is in a language that is not read, or whose grammar is not installed."""
    return not is_readable(path)


def unread_programs(
    using: Mapping[str, str], trees: Trees, objects: ObjectReader, is_unread: Callable[[str], bool] = is_unread
) -> Iterator[ChangeFinding]:
    """Yield a finding for each unread program with changed code.

    *using* are the files of both commits that use Kafka in a form that is not read, each with the reason. Settings
    among them are left out: they are compared line by line. A program is the files of one language below the nearest
    build file.
    """
    roots = {path.rpartition("/")[0] for tree in (trees.base, trees.head) for path in tree if _is_build_file(path)}
    reasons: dict[tuple[str, str], Message] = {}
    for path, reason in sorted(using.items()):
        reasons.setdefault(_program(path, roots), Message("of file", (path, reason)))
    changed: dict[tuple[str, str], list[str]] = {}
    code = (path for path in trees.changed if path in using and not is_document(path))
    for path in dict.fromkeys((*changed_programs(trees), *code)):
        if is_unread(path) and _program(path, roots) in reasons and _differs(path, trees, objects):
            changed.setdefault(_program(path, roots), []).append(path)
    for program, paths in changed.items():
        place = Place(file=paths[0])
        yield NOT_READ.unknown(place, paths[0], tuple(paths), form="program", reasons=(reasons[program],))


def _is_build_file(path: str) -> bool:
    return path.rpartition("/")[2] in _BUILD_FILES


def _program(path: str, roots: Collection[str]) -> tuple[str, str]:
    """Return the directory of the nearest build file, empty without one, and the ending of the file."""
    file = PurePosixPath(path)
    folders = (str(parent).removeprefix(".") for parent in file.parents)
    return next((folder for folder in folders if folder in roots), ""), file.suffix.lower()


def _differs(path: str, trees: Trees, objects: ObjectReader) -> bool:
    """Return whether more than comments and layout differs."""
    before, after = (_SPACE.sub("", _COMMENT.sub("", text)) for text in objects.texts(path, trees))
    return before != after
