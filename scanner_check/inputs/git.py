"""The files that differ between two commits, read with the git program; no hook, filter or external diff runs."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path, PurePath
from typing import IO, NamedTuple

from scanner_extractor.repository.files import LARGEST
from scanner_model.errors import InputInvalid

_SECONDS = 60
_AT_ONCE = 50
_PIECE = 1 << 20
_OPTIONS = (
    "--no-pager", "--no-optional-locks", "--no-replace-objects",
    "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false",
)  # fmt: skip
"""Objects are read as their commits name them, whatever `refs/replace` has instead."""
ENVIRONMENT = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "", "GIT_GRAFT_FILE": os.devnull}
"""A missing object is not fetched, as the remote of a partial clone may name a program; parents are not grafted."""
_NO_ENDING = "its ending is that of no schema, SQL, connector or deployment file"
_HINT = "fetch it first, for example with `git fetch origin BASE`, or `fetch-depth: 0` of actions/checkout"


def git_command(directory: Path) -> list[str]:
    """Return how to start git in *directory*, with the options for repositories of others; raises InputInvalid.

    A bare repository below a work tree is a file of that tree: its commits and settings come with the change.
    """
    program = git_program(os.environ.get("PATH", os.defpath))
    if program is None:
        raise InputInvalid("the program git is not installed", where="--git", hint="name files instead")
    place = directory.resolve()
    is_in_tree = any((parent / ".git").exists() for parent in (place, *place.parents))
    return [program, *_OPTIONS, "-c", f"safe.bareRepository={'explicit' if is_in_tree else 'all'}"]


def git_program(path: str) -> str | None:
    """Return git of the directories in *path*, a PATH; None if it is in none of them.

    Relative directories are left out: a change can add a program of that name to them.
    """
    directories = (Path(name) for name in path.split(os.pathsep))
    programs = (shutil.which(str(place / "git")) for place in directories if place.is_absolute())
    return next(filter(None, programs), None)


class ChangedFile(NamedTuple):
    """A changed file; *content* is that of the second commit, None where it deletes the file.

    *before* is that of the base, None where the file was not there. Neither is read of a file with another ending than
    was asked for, nor of a submodule or symbolic link: *skipped* says so.
    """

    path: str
    content: bytes | None
    before: bytes | None = None
    skipped: str = ""


def changed_files(commits: str, directory: Path, *, endings: Collection[str], largest: int) -> Iterator[ChangedFile]:
    """Yield the files that differ between BASE and HEAD of *commits*, `BASE..HEAD` or `BASE...HEAD`, by path.

    Paths are relative to the top of the repository that *directory* is in. A renamed file is one deleted and one added.
    With three dots the base is the last common commit. Only files with one of *endings* (lower case) are read,
    of each at most *largest* bytes and one.
    Raises InputInvalid where git is missing or fails, or where the repository does not have a commit.
    """
    trees = commit_trees(commits, directory)
    with object_reader(directory, largest) as objects:
        for path in sorted({*trees.changed, *trees.special}):
            if path in trees.special:
                yield ChangedFile(path, None, skipped=trees.special[path][0])
            elif PurePath(path).suffix.lower() not in endings:
                yield ChangedFile(path, None, skipped=_NO_ENDING)
            else:
                after, before = (
                    objects.read(tree[path]) if path in tree else None for tree in (trees.head, trees.base)
                )
                yield ChangedFile(path, after, before)


def _named_commits(commits: str, directory: Path) -> tuple[str, str, str]:
    """Return base, dots and head of `BASE..HEAD` or `BASE...HEAD`; raises InputInvalid where a commit is not there."""
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
    return base, dots, head


class Trees(NamedTuple):
    """All files of two commits, by path, each with the name of its object.

    *changed* are those whose content differs, or that are in one commit only. *special* are the paths that are no file
    in one of them, a link or a submodule, each with what it is and its object.
    """

    base: Mapping[str, str]
    head: Mapping[str, str]
    special: Mapping[str, tuple[str, str]]
    changed: tuple[str, ...]


def commit_trees(commits: str, directory: Path) -> Trees:
    """Return the files of the two commits of `BASE..HEAD` or `BASE...HEAD`; of links and submodules those that differ.

    With three dots the base is the last common commit. Raises InputInvalid where git is missing or fails, or where the
    repository does not have a commit.
    """
    base, dots, head = _named_commits(commits, directory)
    if dots == "...":
        common = _run(directory, "merge-base", base, head)
        if common.returncode:
            raise InputInvalid(f"git found no merge base of {base} and {head}", where=str(directory), hint=_HINT)
        base = common.stdout.decode().strip()
    before, special_before = _tree(directory, base)
    after, special_after = _tree(directory, head)
    differing = dict(special_before.items() ^ special_after.items())
    changed = sorted({path for path, _ in before.items() ^ after.items()})
    return Trees(before, after, differing, tuple(changed))


def target_tree(commits: str, directory: Path) -> tuple[Mapping[str, str], Mapping[str, tuple[str, str]]]:
    """Return the files, and the other entries, of BASE itself in `BASE...HEAD`: the branch that the change is for.

    Each is as in `Trees`; raises what `commit_trees` raises.
    """
    return _tree(directory, _named_commits(commits, directory)[0])


def _tree(directory: Path, commit: str) -> tuple[Mapping[str, str], Mapping[str, tuple[str, str]]]:
    """Return the files of a commit, and its other entries."""
    listed = _output(directory, "ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0")
    files: dict[str, str] = {}
    special: dict[str, tuple[str, str]] = {}
    for entry in filter(None, listed):
        about, _, name = entry.partition(b"\t")
        mode, _, content = about.decode().split(" ")
        path = name.decode("utf-8", "surrogateescape")
        if mode in _SPECIAL:
            special[path] = (_SPECIAL[mode], content)
        else:
            files[path] = content
    return files, special


class ObjectReader:
    """Reads objects from one process of git, some of those that are *expected* next at once."""

    def __init__(self, requests: IO[bytes], answers: IO[bytes], largest: int) -> None:
        self._requests = requests
        self._answers = answers
        self._largest = largest
        self._ahead: dict[str, bytes | None] = {}
        self._order: list[str] = []
        self._positions: dict[str, int] = {}
        self._next = 0

    def expect(self, names: Iterable[str]) -> None:
        """Set the names of the objects that are read next, in their order, once or several times."""
        self._order, self._ahead, self._next = list(names), {}, 0
        self._positions = {name: position for position, name in enumerate(self._order)}

    def read(self, name: str) -> bytes:
        """Return the content of an object, cut after *largest* bytes and one; raises OSError where it is missing."""
        if name not in self._ahead:
            is_next = name in self._order[self._next : self._next + _AT_ONCE]
            start = self._next if is_next else self._positions.get(name, len(self._order))
            names = self._order[start : start + _AT_ONCE] or [name]
            self._next = start + len(names)
            self._requests.write("".join(f"{other}\n" for other in names).encode())
            self._requests.flush()
            self._ahead = {other: self._answer() for other in names}  # all of them: none may be left in the pipe
        if (content := self._ahead[name]) is None:
            raise OSError(f"git has no object {name}")
        return content

    def texts(self, path: str, trees: Trees) -> tuple[str, str]:
        """Return the text of a file in both commits; empty in one that lacks it."""
        before, after = (self.text(tree[path]) if path in tree else "" for tree in (trees.base, trees.head))
        return before, after

    def text(self, name: str) -> str:
        """Return the text of an object; empty if it is too large, or binary."""
        content = self.read(name)
        is_text = len(content) <= LARGEST and b"\0" not in content[:8192]
        return content.decode("utf-8-sig", "replace") if is_text else ""

    def _answer(self) -> bytes | None:
        """Return the content that git sends next; None of an object that it does not have."""
        about = self._answers.readline().split()
        if len(about) != 3:
            return None
        content = self._answers.read(min(int(about[2]), self._largest + 1))
        rest = int(about[2]) - len(content) + 1
        while rest > 0 and (piece := self._answers.read(min(rest, _PIECE))):
            rest -= len(piece)
        return content


@contextmanager
def object_reader(directory: Path, largest: int = LARGEST) -> Iterator[ObjectReader]:
    """Return a reader of the objects of the repository that *directory* is in, with at most *largest* bytes and one."""
    with subprocess.Popen(  # noqa: S603 - a list, no shell
        [*git_command(directory), "cat-file", "--batch"],
        cwd=directory,
        env={**os.environ, **ENVIRONMENT},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        requests, answers = process.stdin, process.stdout
        if requests is None or answers is None:
            raise InputInvalid("git cat-file has no output", where=str(directory), hint=_HINT)

        try:
            yield ObjectReader(requests, answers, largest)
        finally:
            requests.close()
            process.terminate()


_SPECIAL = {"160000": "it is a submodule", "120000": "it is a symbolic link"}
"""Modes of entries other than files, with the reason why they are not read."""


def top_directory(directory: Path) -> Path | None:
    """Return the top of the work tree that *directory* is in; None outside of one, or if git is not installed."""
    with suppress(InputInvalid):
        answer = _run(directory, "rev-parse", "--show-toplevel")
        if not answer.returncode and (path := answer.stdout.decode("utf-8", "surrogateescape").rstrip("\n")):
            return Path(path)
    return None


def text_at(directory: Path, commit: str, path: str) -> bytes | None:
    """Return the content of a file of a commit; None if the commit does not contain it or it is too large."""
    answer = _run(directory, "cat-file", "blob", f"{commit}:{path}")
    return None if answer.returncode or len(answer.stdout) > LARGEST else answer.stdout


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
    environment = {**os.environ, **ENVIRONMENT}
    try:
        return subprocess.run(  # noqa: S603 - a list, no shell
            [*git_command(directory), *arguments],
            cwd=directory,
            env=environment,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except FileNotFoundError as error:
        raise InputInvalid("the directory does not exist", where=str(directory)) from error
    except subprocess.TimeoutExpired as error:
        raise InputInvalid(f"git {arguments[0]} took more than {_SECONDS} s", where=str(directory)) from error
