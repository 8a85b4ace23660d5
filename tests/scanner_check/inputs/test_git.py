"""Objects are read as their commits name them, and nothing that a foreign configuration names runs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from committed_repository import commit_all, git

from scanner_check.inputs.git import commit_trees, git_program, object_reader
from scanner_model.errors import InputInvalid


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a repository whose file `a` is `old` in `base` and `new` in HEAD."""
    directory = tmp_path / "r"
    directory.mkdir()
    git(directory, "init", "-q")
    (directory / "a").write_text("old")
    commit_all(directory)
    git(directory, "branch", "base")
    (directory / "a").write_text("new")
    commit_all(directory)
    return directory


def test_a_replaced_object_is_read_as_the_commit_names_it(repository: Path) -> None:
    """Who may push a branch may push refs/replace, too."""
    git(repository, "replace", "HEAD:a", "base:a")
    trees = commit_trees("base..HEAD", repository)

    assert trees.changed == ("a",)
    with object_reader(repository) as objects:
        assert objects.read(trees.head["a"]) == b"new"


def test_a_missing_object_is_not_fetched(repository: Path, tmp_path: Path) -> None:
    """The remote of a partial clone may be a program."""
    trees, ran = commit_trees("base..HEAD", repository), tmp_path / "ran"
    name = trees.head["a"]
    (repository / ".git" / "objects" / name[:2] / name[2:]).unlink()
    for key, value in (
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", f"ext::sh -c touch% {ran}"),
        ("protocol.ext.allow", "always"),
    ):
        git(repository, "config", key, value)

    with object_reader(repository) as objects, pytest.raises(OSError, match="has no object"):
        objects.read(name)
    assert not ran.exists()


def test_objects_after_a_missing_one_are_read_as_themselves(repository: Path) -> None:
    """A partial clone lacks some: what git answers of the others may not be taken for another file's."""
    trees = commit_trees("base..HEAD", repository)
    names = [trees.head["a"], "0" * 40, trees.base["a"]]

    with object_reader(repository) as objects:
        objects.expect(names)
        assert objects.read(names[0]) == b"new"
        with pytest.raises(OSError, match="has no object"):
            objects.read(names[1])
        assert objects.read(names[2]) == b"old"


def test_a_bare_repository_in_a_work_tree_is_a_file_of_it(repository: Path) -> None:
    """A change can bring one along, in whose commits nothing differs, where a pipeline runs the check."""
    inner = repository / "service"
    inner.mkdir()
    git(inner, "init", "-q", "--bare")
    for branch in ("base", "HEAD"):
        git(repository, "push", "-q", str(inner), f"base:refs/heads/{branch}")

    with pytest.raises(InputInvalid, match="no git repository"):
        commit_trees("base..HEAD", inner)


def test_a_bare_repository_of_its_own_is_read(repository: Path, tmp_path: Path) -> None:
    git(repository, "clone", "-q", "--bare", str(repository), str(tmp_path / "bare.git"))
    trees = commit_trees("base..HEAD", tmp_path / "bare.git")

    assert trees.changed == ("a",)


@pytest.mark.parametrize("place", [".", "", "bin"])
def test_git_is_not_taken_from_a_relative_directory(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`PATH=node_modules/.bin:…` is common, and a change can add a program there."""
    program = tmp_path / place / "git"
    program.parent.mkdir(exist_ok=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)

    assert git_program(place) is None
    assert git_program(f"{place}{os.pathsep}{program.parent}") == str(program)
