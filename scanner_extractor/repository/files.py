"""The files of a directory: what git ignores, vendored and built is left out, and no link is followed."""

from __future__ import annotations

import os
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from scanner_extractor.repository.ignored import Ignored, IgnoreFile, tracked_paths
from scanner_extractor.repository.syntax_trees import suffix, words

LARGEST = 4 * 1024 * 1024
"""Maximum bytes of one file: more than people write."""
_LARGEST_INDEX = 64 * 1024 * 1024
MOST_FILES = 200_000
"""Files of one directory that are looked at."""


_VENDORED = words(
    ".git .hg .svn .gradle .idea .mvn .terraform .tox .venv .vscode __pycache__ bower_components dist"
    " node_modules site-packages target vendor venv .pytest_cache .mypy_cache .next .nuxt"
)
_BUILT = frozenset(("build", "out", "bin", "obj"))
"""Directories of what a build makes, where a build file is beside them."""
_BUILD_FILES = frozenset(("build.gradle", "build.gradle.kts", "pom.xml", "package.json", "Makefile", "CMakeLists.txt"))
_NEVER = words(
    ".7z .avi .bin .bz2 .class .css .dll .doc .docx .eot .exe .gif .gz .ico .jar .jks .jpeg .jpg"
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

    *identity* is the same for the same content at the same path; empty where that is not known. A path that ends with a
    slash is a directory that is not listed: its *read* raises the reason.
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
    """Yield the files of *directory* in the order of their paths; raises OSError if it cannot be listed."""
    yield from _Walk(directory).entries()


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
    ignored: Ignored = field(default_factory=Ignored)
    tracked: frozenset[str] = frozenset()

    def entries(self) -> Iterator[Entry]:
        """Yield the files of all directories, without recursion: directories may be nested thousands of times.

        What git tracks is not left out, whatever rules ignore it.
        """
        self.tracked = tracked_paths(_index_of(self.root))
        stack = [self._listed("", (), os.scandir(self.root))]
        while stack:
            found = next(stack[-1], None)
            if found is None:
                stack.pop()
            elif isinstance(found, Entry):
                yield found
            else:
                stack.append(found)

    def _listed(
        self, path: str, rules: tuple[IgnoreFile, ...], listing: Iterable[os.DirEntry[str]]
    ) -> Iterator[Entry | Iterator[Any]]:
        """Yield the files of one directory, and an iterator for each directory in it."""
        listed = sorted(listing, key=lambda entry: entry.name)
        names = {entry.name for entry in listed}
        if any(entry.name == ".gitignore" and entry.is_file(follow_symlinks=False) for entry in listed):
            rules = (*rules, _ignore_file(self.root / path / ".gitignore", path))
        for entry in listed:
            place = f"{path}/{entry.name}" if path else entry.name
            if entry.is_symlink():
                continue
            if self.count >= MOST_FILES:
                yield Entry(f"{path}/", _refused(f"the repository has more than {MOST_FILES} files"))
                return
            if entry.is_dir(follow_symlinks=False):
                if self._is_left_out(entry.name, place, names):
                    continue
                if place not in self.tracked and self.ignored(rules, place, entry.name, is_directory=True):
                    continue
                try:
                    yield self._listed(place, rules, os.scandir(entry.path))
                except OSError as error:
                    yield Entry(f"{place}/", _refused(error.strerror or str(error)))
            elif (
                entry.is_file(follow_symlinks=False)
                and is_candidate(place)
                and (place in self.tracked or not self.ignored(rules, place, entry.name, is_directory=False))
            ):
                self.count += 1
                yield Entry(place, _reader(entry.path))

    def _is_left_out(self, name: str, place: str, beside: set[str]) -> bool:
        is_built = name in _BUILT and bool(beside & _BUILD_FILES) and place not in self.tracked
        return name in _VENDORED or is_built


def _refused(reason: str) -> Callable[[], bytes]:
    def read() -> bytes:
        raise OSError(0, reason)

    return read


def _index_of(root: Path) -> bytes:
    """Return the index of a repository; empty without one, or for one that is too large."""
    try:
        with (root / ".git" / "index").open("rb") as opened:
            content = opened.read(_LARGEST_INDEX + 1)
    except OSError:
        return b""
    return content if len(content) <= _LARGEST_INDEX else b""


def _ignore_file(file: Path, directory: str) -> IgnoreFile:
    try:
        with file.open("rb") as opened:
            return IgnoreFile(directory, opened.read(LARGEST).decode("utf-8", "replace"))
    except OSError:
        return IgnoreFile(directory, "")


def _reader(path: str) -> Callable[[], bytes]:
    def read() -> bytes:
        with open(path, "rb") as file:  # noqa: PTH123 - 20,000 of them
            return file.read(LARGEST + 1)

    return read
