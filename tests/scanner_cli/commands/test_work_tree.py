"""`scanner check --work-tree`."""

from __future__ import annotations

from pathlib import Path

import pytest
from committed_repository import BASE, commit_all, git

FILE = "orders-value.avsc"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a repository with an uncommitted change the current directory."""
    git(tmp_path, "init", "-q")
    for name, text in BASE.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    commit_all(tmp_path)
    (tmp_path / FILE).write_text(BASE[FILE].replace("total", "price"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_an_uncommitted_change_is_judged(scanner, repository: Path) -> None:
    """The source line is that of the work tree."""
    done = scanner("check", "--work-tree")

    assert done.status == 5
    assert f"--> {FILE}:1:" in done.out
    assert "price" in done.out


def test_it_is_judged_from_a_directory_below(scanner, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (repository / "below").mkdir()
    monkeypatch.chdir(repository / "below")

    assert scanner("check", "--work-tree").status == 5


@pytest.mark.parametrize(
    "more", [["--git", "HEAD..HEAD"], [FILE], ["--map", "{subject}.avsc"], ["--subject", "orders-value"]]
)
def test_it_excludes_what_names_files(scanner, repository: Path, more: list[str]) -> None:
    """Half of the change would go unchecked without a word."""
    done = scanner("check", "--work-tree", *more)

    assert done.status == 2
    assert "--work-tree" in done.err
