"""The files that differ between two commits, read with the git program; no hook, filter or external diff runs."""

from __future__ import annotations

import subprocess
from collections.abc import Collection, Iterator
from pathlib import Path, PurePath
from typing import NamedTuple

from scanner_model.errors import InputInvalid

_SECONDS = 60
_HINT = "fetch it first, for example with `git fetch origin BASE`, or `fetch-depth: 0` of actions/checkout"


class ChangedFile(NamedTuple):
    """A changed file; *content* is that of the second commit, None where it deletes the file.

    *before* is that of the base, None where the file was not there. Neither is read of a file with another ending than
    was asked for, nor of a submodule or symbolic link: *skipped* says so.
    """

    path: str
    content: bytes | None
    before: bytes | None = None
    skipped: str = ""


def changed_files(commits: str, directory: Path, *, endings: Collection[str]) -> Iterator[ChangedFile]:
    """Yield the files that differ between BASE and HEAD of *commits*, `BASE..HEAD` or `BASE...HEAD`, by path.

    Paths are relative to the top of the repository that *directory* is in. A renamed file is one deleted and one added.
    With three dots the base is the last common commit. Only files with one of *endings* (lower case) are read.
    Raises InputInvalid where git is missing or fails, or where the repository does not have a commit.
    """
    dots = "..." if "..." in commits else ".."
    base, separator, head = commits.partition(dots)
    head = head or "HEAD"
    if not (base and separator) or base.startswith("-") or head.startswith("-"):
        raise InputInvalid(f"{commits!r} is not BASE..HEAD", where="--git", hint="as in --git origin/main...HEAD")
    for commit in (base, head):
        checked = _run(directory, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{commit}}")
        if checked.returncode:
            _check_repository(directory)
            raise InputInvalid(f"the repository has no commit {commit!r}", where=str(directory), hint=_HINT)
    options = ("--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--raw", "--no-abbrev", "-z")
    parts = _output(directory, "diff", *options, f"{base}{dots}{head}", "--").split(b"\0")
    for about, path in sorted(zip(parts[::2], parts[1::2], strict=False), key=lambda pair: pair[1]):
        yield _changed_file(directory, about.decode(), path.decode("utf-8", "surrogateescape"), endings)


def _changed_file(directory: Path, about: str, path: str, endings: Collection[str]) -> ChangedFile:
    """Read a changed file; *about* is its line of `git diff --raw`: both modes, both objects, the kind of change."""
    old_mode, mode, old, new, _ = about.removeprefix(":").split(" ")
    for special, reason in _SPECIAL.items():
        if special in (old_mode, mode):
            return ChangedFile(path, None, skipped=reason)
    if PurePath(path).suffix.lower() not in endings:
        return ChangedFile(path, None, skipped="its ending is that of no schema, SQL, connector or deployment file")
    return ChangedFile(path, _blob(directory, mode, new), _blob(directory, old_mode, old))


_SPECIAL = {"160000": "it is a submodule", "120000": "it is a symbolic link"}
"""Modes of what is no file, with the reason why it is not read."""


def _blob(directory: Path, mode: str, name: str) -> bytes | None:
    """Return an object's content; None where there is no file (its mode is zero)."""
    return _output(directory, "cat-file", "blob", name) if mode.strip("0") else None


def _check_repository(directory: Path) -> None:
    if _run(directory, "rev-parse", "--git-dir").returncode:
        raise InputInvalid("it is in no git repository", where=str(directory), hint="run it inside the work tree")


def _output(directory: Path, *arguments: str) -> bytes:
    result = _run(directory, *arguments)
    if result.returncode:
        lines = result.stderr.decode("utf-8", "replace").strip().splitlines()
        what = f"git {arguments[0]} failed: {lines[-1] if lines else f'exit status {result.returncode}'}"
        raise InputInvalid(what, where=str(directory), hint=_HINT)
    return result.stdout


def _run(directory: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    safe = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false")
    command = ["git", "--no-pager", "--no-optional-locks", *safe, *arguments]
    try:
        return subprocess.run(command, cwd=directory, capture_output=True, timeout=_SECONDS, check=False)  # noqa: S603 - a list, no shell
    except FileNotFoundError as error:
        raise InputInvalid("the program git is not installed", where="--git", hint="name files instead") from error
    except subprocess.TimeoutExpired as error:
        raise InputInvalid(f"git {arguments[0]} took more than {_SECONDS} s", where=str(directory)) from error
