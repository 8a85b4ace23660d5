"""Find manual-input files, and read the files that they refer to."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from json import JSONDecodeError, loads
from pathlib import Path

from scanner_model.documents.json_input import TooLarge, check_size
from scanner_model.documents.json_positions import closest_match
from scanner_model.errors import InputInvalid, Problem

LARGEST = 64 * 1024 * 1024
"""Bytes of one file, at most."""

_MAGIC = re.compile(r"[*?\[]")
_MEMBERS = {"topics": list, "subjects": dict, "flows": list}
_LOOKS = re.compile(rf'"(?:{"|".join(_MEMBERS)})"\s*:')


def find_files(patterns: Sequence[str], base: Path) -> tuple[Path, ...]:
    """List the manual-input files that *patterns* (relative to *base*) name, each once, sorted.

    Explicit files and globs are always included. A directory stands for every `*.json` below it that looks like manual
    input: an object with a list of topics, a list of flows, or an object of subjects. Raises InputInvalid that lists
    every pattern without a file.
    """
    files: set[Path] = set()
    problems = []
    for pattern in patterns:
        matches = set(_named(pattern, base))
        if not matches:
            problems.append(Problem(pattern, "no manual-input file found", f"looked in {base}"))
        files |= matches
    if problems:
        raise InputInvalid.listing(problems)
    return tuple(sorted(files, key=Path.as_posix))


def matching(pattern: str, base: Path) -> tuple[Path, ...]:
    """List the files and directories that the path or glob *pattern* names, sorted; `**` follows no links."""
    plain = base / pattern
    try:
        if not _MAGIC.search(pattern) or plain.exists():
            return (plain,) if plain.exists() else ()
        anchor = Path(pattern).anchor
        paths = Path(anchor).glob(pattern.removeprefix(anchor)) if anchor else base.glob(pattern)
        return tuple(sorted(paths, key=Path.as_posix))
    except (ValueError, OSError):
        # A NUL, an overlong name, or `**` within a name: no such file can exist.
        return ()


def read_text(path: Path) -> str:
    """Read a text file as UTF-8, without a byte order mark; raises InputInvalid that says why not."""
    try:
        if path.exists() and not path.is_file():
            # Reading a pipe would block; a device never ends.
            raise InputInvalid(f"{path.name!r} is not a file")
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise InputInvalid(f"{path.name!r} is larger than {LARGEST} bytes", hint="write several files")
        return content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except FileNotFoundError:
        raise InputInvalid(
            f"no file {path.name!r} in {path.parent}", hint=closest_match(path.name, _beside(path))
        ) from None
    except UnicodeDecodeError as error:
        raise InputInvalid(f"{path.name!r} is not UTF-8 (byte {error.start})", hint="save it as UTF-8") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputInvalid(f"{path.name!r} cannot be read: {reason}") from error


def _named(pattern: str, base: Path) -> Iterator[Path]:
    for match in matching(pattern, base):
        if match.is_dir():
            yield from filter(_looks_like_manual_input, _json_below(match))
        else:
            yield match


def _json_below(directory: Path) -> Iterator[Path]:
    for parent, _, names in os.walk(directory):
        yield from (Path(parent, name) for name in names if name.endswith(".json"))


def _looks_like_manual_input(path: Path) -> bool:
    try:
        text = read_text(path)
    except InputInvalid:
        # Not skipped silently: reading it later reports the error.
        return True
    try:
        check_size(text.encode())
        value = loads(text)
    except TooLarge:
        return True  # as above
    except JSONDecodeError:
        # A syntax error must not hide the file.
        return bool(_LOOKS.search(text))
    except (RecursionError, ValueError):
        return False
    return isinstance(value, dict) and any(isinstance(value.get(key), kind) for key, kind in _MEMBERS.items())


def _beside(path: Path) -> Sequence[str]:
    try:
        return sorted(entry.name for entry in path.parent.iterdir())
    except OSError:
        return ()
