"""Objects are read as their commits name them, and nothing that a foreign configuration names runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from committed_repository import commit_all, git

from scanner_check.inputs.git import commit_trees, object_reader


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
