"""The uncommitted work tree of a repository, checked as the next commit would be."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from types import MappingProxyType

from dataflow_generator.stored.dictionary import Dictionary
from scanner_check.commits import check_commits
from scanner_check.inputs.git import ENVIRONMENT, git_command
from scanner_check.inputs.options import CheckOptions, read_judging
from scanner_check.inputs.proposals import PathRule
from scanner_check.model import ChangeReport
from scanner_dictionary.engine.sqlite import is_dictionary_file
from scanner_model.errors import InputInvalid
from scanner_model.private_files import temporary_directory

_SECONDS = 60
_AUTHOR = {
    f"GIT_{who}_{part}": value
    for who in ("AUTHOR", "COMMITTER")
    for part, value in (("NAME", "scanner"), ("EMAIL", "scanner@localhost"), ("DATE", "2020-01-01T00:00:00Z"))
}


class WorkTree:
    """Writes the work tree of a repository as a commit into a directory of its own; the repository stays as it is.

    *top* is the top of the repository, *copy* the directory whose objects are the repository's and the written ones.
    """

    def __init__(self, directory: Path, copy: Path) -> None:
        """Prepare *copy*, an empty directory; raises InputInvalid if *directory* is in no repository with a commit."""
        if not directory.is_dir():
            raise InputInvalid("it is not a directory", where=str(directory), hint="name the directory of a repository")
        self._own: dict[str, str] = {}
        self._options: list[str] = []
        self.top = directory
        self.top = Path(self._git("rev-parse", "--show-toplevel"))
        self.copy = copy
        objects, index = (self._path(name) for name in ("objects", "index"))
        for folder in ("objects/info", "refs"):
            (copy / folder).mkdir(parents=True)
        (copy / "HEAD").write_text("ref: refs/heads/none\n", encoding="utf-8")
        (copy / "objects/info/alternates").write_text(f"{objects}\n", encoding="utf-8")
        self._own = {"GIT_INDEX_FILE": str(copy / "index"), "GIT_OBJECT_DIRECTORY": str(copy / "objects"), **_AUTHOR}
        self._options = self._without_filters()
        if index.exists():
            # With its time: git reads only files that may have changed since then.
            shutil.copy2(index, copy / "index")

    def commits(self, texts: Mapping[str, str] = MappingProxyType({})) -> str:
        """Return `HEAD..COMMIT`, where COMMIT holds the files that are not ignored.

        *texts* replace the contents of files, by their paths in the repository: those of an editor that are not saved.
        Those of ignored and deleted files are left out.
        """
        head = self._git("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        self._add_all()
        for path in self._git("--literal-pathspecs", "ls-files", "-z", "--", *texts).split("\0") if texts else ():
            if path not in texts:
                continue
            name = self._git("hash-object", "-w", "--stdin", "--path", path, standard_input=texts[path])
            self._git("update-index", "--add", "--cacheinfo", f"100644,{name},{path}")
        commit = self._git("commit-tree", self._git("write-tree"), "-p", head, "-m", "work tree")
        return f"{head}..{commit}"

    def _add_all(self) -> None:
        """Add every file that is not ignored.

        Submodules leave the index before that: for one in the index, git runs `git status` in it, with its filters.
        """
        entries = self._git("ls-files", "--stage", "-z").split("\0")
        submodules = [entry for entry in entries if entry.startswith("160000 ")]
        if submodules:
            paths = [entry.partition("\t")[2] for entry in submodules]
            self._git("update-index", "--force-remove", "-z", "--stdin", standard_input="\0".join(paths))
        # As pathspecs of the directory's top: a file named like an option or a pattern is taken literally.
        self._git("add", "--all", "--", ":(top)", *(f":(top,exclude,literal){path}" for path in self._written()))
        added = set(self._git("ls-files", "-z").split("\0"))
        lost = [entry for entry in submodules if entry.partition("\t")[2] not in added]
        if lost:  # a submodule that is not checked out stays as it was
            self._git("update-index", "-z", "--index-info", standard_input="\0".join(lost))

    def _written(self) -> list[str]:
        """Return the untracked files that scanner wrote: dictionaries, and what SQLite keeps beside an open one."""
        others = self._git("ls-files", "--others", "--exclude-standard", "-z").split("\0")
        dictionaries = [path for path in others if path and is_dictionary_file(self.top / path)]
        beside = {f"{path}-{ending}" for path in dictionaries for ending in ("journal", "shm", "wal")}
        return [path for path in others if path in beside or path in dictionaries]

    def _without_filters(self) -> list[str]:
        """Return options that switch off the filters of the repository's configuration: they name programs to run."""
        names = self._git("config", "--name-only", "--get-regexp", r"^filter\.", accepted=(0, 1)).splitlines()
        drivers = {name.rpartition(".")[0] for name in names}
        if odd := next((driver for driver in sorted(drivers) if "=" in driver), ""):
            hint = "remove it from the configuration of git, or rename it without `=`"
            raise InputInvalid(f"{odd!r} cannot be switched off, and names a program", where=str(self.top), hint=hint)
        values = [f"{driver}.{key}" for driver in sorted(drivers) for key in ("clean=", "process=", "required=false")]
        return [option for value in values for option in ("-c", value)]

    def _path(self, name: str) -> Path:
        return self.top / self._git("rev-parse", "--git-path", name)

    def _git(self, *arguments: str, standard_input: str | None = None, accepted: tuple[int, ...] = (0,)) -> str:
        """Return what git prints; raises InputInvalid if it is missing or fails."""
        environment = {**os.environ, **ENVIRONMENT, **self._own}
        try:
            done = subprocess.run(  # noqa: S603 - a list, no shell
                [*git_command(self.top), *self._options, *arguments],
                cwd=self.top,
                env=environment,
                input=None if standard_input is None else standard_input.encode("utf-8", "surrogateescape"),
                stdin=subprocess.DEVNULL if standard_input is None else None,
                capture_output=True,
                timeout=_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise InputInvalid(f"git {arguments[0]} took more than {_SECONDS} s", where=str(self.top)) from error
        if done.returncode not in accepted:
            lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
            what = f"git {arguments[0]} failed: {lines[-1] if lines else 'the repository has no commit'}"
            raise InputInvalid(what, where=str(self.top), hint="run it in a git repository with a commit")
        return done.stdout.decode("utf-8", "surrogateescape").rstrip("\n")


@contextmanager
def open_work_tree(directory: Path) -> Iterator[WorkTree]:
    """Open the work tree of the repository that *directory* is in; raises InputInvalid."""
    with temporary_directory() as copy:
        yield WorkTree(directory, copy)


def check_work_tree(
    tree: WorkTree | Path,
    texts: Mapping[str, str] = MappingProxyType({}),
    *,
    options: CheckOptions | None = None,
    dictionary: Dictionary | None = None,
    now: datetime | None = None,
) -> ChangeReport:
    """Return what the changes since HEAD break, committed or not, and whom they hit.

    *texts* are as in `WorkTree.commits`. Without *options*, settings and baseline are those of the work tree, so that
    an accepted finding disappears; a pull request is judged by those of its base. With a *dictionary* the change is
    also judged against what runs. Raises InputInvalid outside of a repository, and for invalid settings.

    >>> check_work_tree(Path()).verdict
    """
    if isinstance(tree, Path):
        with open_work_tree(tree) as opened:
            return check_work_tree(opened, texts, options=options, dictionary=dictionary, now=now)
    chosen = options or _options(tree)
    return check_commits(tree.commits(texts), chosen, directory=tree.copy, dictionary=dictionary, now=now)


def _options(tree: WorkTree) -> CheckOptions:
    judging = read_judging(None, tree.top)
    return CheckOptions(
        rules=judging.policy,
        accepted=judging.accepted,
        strict=judging.settings.strict,
        map=tuple(map(PathRule.parse, judging.settings.map)),
        max_age=None if not judging.settings.max_age else _age(judging.settings.max_age),
    )


def _age(text: str) -> timedelta:
    """Return the time that a `max-age` of the settings names; its schema has checked it."""
    units = {"m": "minutes", "h": "hours", "d": "days"}
    return timedelta(**{units[text[-1]]: int(text[:-1])})
