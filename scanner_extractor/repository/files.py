"""The files of a directory: what git ignores, vendored and built is left out, and no link is followed."""

from __future__ import annotations

import os
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import regex

from scanner_extractor.sources.syntax_trees import suffix, words
from scanner_model.documents.pattern_limits import TimeLimit, TookTooLong

LARGEST = 4 * 1024 * 1024
"""Maximum bytes of one file: more than people write."""
MOST_FILES = 200_000
"""Files of one directory that are looked at."""
_MOST_RULES = 1_000
"""Lines of one `.gitignore` that are followed."""


_VENDORED = words(
    ".git .hg .svn .gradle .idea .mvn .terraform .tox .venv .vscode __pycache__ bower_components dist"
    " node_modules site-packages target vendor venv .pytest_cache .mypy_cache .next .nuxt"
)
_BUILT = frozenset(("build", "out", "bin", "obj"))
"""Directories of what a build makes, where a build file is beside them."""
_BUILD_FILES = frozenset(("build.gradle", "build.gradle.kts", "pom.xml", "package.json", "Makefile", "CMakeLists.txt"))
_NEVER = words(
    ".7z .avi .bin .bz2 .class .css .dll .doc .docx .eot .exe .gif .gz .ico .ipynb .jar .jks .jpeg .jpg"
    " .keystore .lock .map .mov .mp3 .mp4 .odt .p12 .parquet .pdf .pem .png .ppt .pptx .pyc .so .svg .tar"
    " .tgz .tif .tiff .truststore .ttf .war .webm .webp .whl .woff .woff2 .xls .xlsx .zip"
)
"""Endings of files that are never text of a kind that is read."""


class RepositoryFile(NamedTuple):
    """A text file: *path* is relative to the directory, with slashes."""

    path: str
    text: str

    @property
    def directory(self) -> str:
        """Return the path of its directory; empty for the topmost."""
        return self.path.rpartition("/")[0]

    @property
    def name(self) -> str:
        """Return its name without directories."""
        return self.path.rpartition("/")[2]

    @property
    def stem(self) -> str:
        """Return its name without its ending."""
        return PurePosixPath(self.path).stem

    @property
    def ending(self) -> str:
        """Return its ending in lower case, with the dot."""
        return suffix(self.path)


class Entry(NamedTuple):
    """A file that is not read yet: *read* returns its bytes, at most LARGEST and one more; it raises OSError.

    *identity* is the same for the same content at the same path; empty where that is not known.
    """

    path: str
    read: Callable[[], bytes]
    identity: str = ""


class UnreadText(Exception):
    """Raised where a file has no text that can be read; the text says why."""


def text_of(entry: Entry) -> RepositoryFile:
    """Return a file with its text: UTF-8, UTF-16 with its mark, else Latin-1; raises UnreadText where it has none."""
    try:
        content = entry.read()
    except OSError as error:
        raise UnreadText(f"it cannot be read: {error.strerror or error}") from error
    if len(content) > LARGEST:
        raise UnreadText(f"it is larger than {LARGEST // 2**20} MiB")
    if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return RepositoryFile(entry.path, content.decode("utf-16", "replace").replace("\r\n", "\n"))
    if b"\0" in content[:8192]:
        raise UnreadText("it is no text, or in an encoding that does not show")
    try:
        return RepositoryFile(entry.path, content.decode("utf-8-sig").replace("\r\n", "\n"))
    except UnicodeDecodeError:
        return RepositoryFile(entry.path, content.decode("latin-1").replace("\r\n", "\n"))


def directory_files(directory: Path) -> Iterator[Entry]:
    """Yield the files of *directory* in the order of their paths; raises OSError where it cannot be listed."""
    yield from _Walk(directory).entries("", (), os.scandir(directory))


def is_left_out(path: str) -> bool:
    """Check whether a path is in a directory of vendored files."""
    return not _VENDORED.isdisjoint(path.split("/")[:-1])


def is_candidate(path: str) -> bool:
    """Check whether a file of this name may be text of a kind that is read."""
    name = path.rpartition("/")[2]
    return suffix(name) not in _NEVER and not name.endswith((".min.js", "-lock.json"))


@dataclass(slots=True)
class _Walk:
    root: Path
    count: int = 0
    limit: TimeLimit = field(default_factory=TimeLimit)
    slow: set[str] = field(default_factory=set)

    def entries(
        self, path: str, rules: tuple[_IgnoreRule, ...], listing: Iterator[os.DirEntry[str]]
    ) -> Iterator[Entry]:
        listed = sorted(listing, key=lambda entry: entry.name)
        names = {entry.name for entry in listed}
        if any(entry.name == ".gitignore" and entry.is_file(follow_symlinks=False) for entry in listed):
            rules = (*rules, *_ignore_rules(self.root / path / ".gitignore", path))
        for entry in listed:
            place = f"{path}/{entry.name}" if path else entry.name
            if entry.is_symlink() or self.count >= MOST_FILES:
                continue
            if entry.is_dir(follow_symlinks=False):
                if self._is_left_out(entry.name, names) or self._is_ignored(place, rules, is_directory=True):
                    continue
                try:
                    inside = os.scandir(entry.path)
                except OSError:
                    continue
                yield from self.entries(place, rules, inside)
            elif (
                entry.is_file(follow_symlinks=False)
                and is_candidate(place)
                and not self._is_ignored(place, rules, is_directory=False)
            ):
                self.count += 1
                yield Entry(place, _reader(entry.path))

    def _is_ignored(self, path: str, rules: tuple[_IgnoreRule, ...], *, is_directory: bool) -> bool:
        """Return whether the last rule that fits *path* ignores it; a pattern that takes too long fits nothing."""
        return next(
            (
                not rule.negated
                for rule in reversed(rules)
                if (is_directory or not rule.directories_only) and self._fits(path, rule)
            ),
            False,
        )

    def _fits(self, path: str, rule: _IgnoreRule) -> bool:
        pattern = rule.pattern.pattern
        try:
            return pattern not in self.slow and bool(self.limit.run(rule.pattern.fullmatch, path, pattern))
        except TookTooLong:
            self.slow.add(pattern)
            return False

    @staticmethod
    def _is_left_out(name: str, beside: set[str]) -> bool:
        return name in _VENDORED or (name in _BUILT and bool(beside & _BUILD_FILES))


def _reader(path: str) -> Callable[[], bytes]:
    def read() -> bytes:
        with open(path, "rb") as file:  # noqa: PTH123 - 20,000 of them
            return file.read(LARGEST + 1)

    return read


class _IgnoreRule(NamedTuple):
    """A line of a `.gitignore`; *negated*: what matches is not ignored after all. Source: gitignore(5)."""

    pattern: regex.Pattern[str]
    negated: bool
    directories_only: bool


def _ignore_rules(file: Path, directory: str) -> Iterator[_IgnoreRule]:
    try:
        with file.open("rb") as opened:
            text = opened.read(LARGEST).decode("utf-8", "replace")
    except OSError:
        return
    for line in islice(text.splitlines(), _MOST_RULES):
        written = line.rstrip()
        if not written or written.startswith("#"):
            continue
        negated = written.startswith("!")
        plain = written.removeprefix("!").removeprefix("\\")
        body = plain.rstrip("/")
        anchored = "/" in body
        prefix = re.escape(directory) + "/" if directory else ""
        middle = "" if anchored else "(?:.*/)?"
        expression = prefix + middle + glob_expression(body.removeprefix("/"))
        try:
            yield _IgnoreRule(regex.compile(expression, regex.DOTALL), negated, plain.endswith("/"))
        except regex.error:  # a set that is none
            continue


def glob_expression(pattern: str) -> str:
    """Return the regular expression of a pattern as `.gitignore` has them; it may be none where a set is damaged."""
    parts: list[str] = []
    for piece in re.split(r"(\*\*/|/\*\*|\*+|\?|\[[^\]/]*\])", pattern):
        match piece:
            case "**/":
                parts.append("(?:.*/)?")
            case "/**":
                parts.append("/.*")
            case "?":
                parts.append("[^/]")
            case _ if piece and not piece.strip("*"):
                parts.append("[^/]*")
            case _ if piece.startswith("[") and len(piece) > 2:
                inside = piece[1:-1].replace("\\", r"\\").replace("[", r"\[")
                parts.append("[" + ("^" + inside[1:] if inside[0] == "!" else inside) + "]")
            case _:
                parts.append(re.escape(piece))
    return "".join(parts)
