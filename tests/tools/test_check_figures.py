"""The figures of the change check beside those of a commit."""

import runpy
import subprocess
from pathlib import Path

import pytest

FIGURES = runpy.run_path(str(Path(__file__).parents[2] / "tools" / "check_figures.py"))
extracted = FIGURES["extracted"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a repository with one commit."""
    root = tmp_path / "root"
    (root / "scanner_check").mkdir(parents=True)
    (root / "scanner_check" / "check.py").write_text("ROW = 1\n")
    person = ("-c", "user.name=t", "-c", "user.email=t@localhost")
    for arguments in (("init", "-q"), ("add", "-A"), (*person, "commit", "-q", "-m", "x")):
        subprocess.run(["git", *arguments], cwd=root, check=True)
    return root


def test_source_of_a_commit_is_written_to_a_directory(root: Path, tmp_path: Path) -> None:
    folder = extracted("HEAD", tmp_path / "out", root)

    assert (folder / "scanner_check" / "check.py").read_text() == "ROW = 1\n"


@pytest.mark.parametrize("commit", ["15968703", "--help", ""])
def test_commit_that_is_not_there_is_an_error_line(root: Path, tmp_path: Path, commit: str) -> None:
    """A clone may lack the commit: git then writes no archive."""
    with pytest.raises(SystemExit, match="has no commit"):
        extracted(commit, tmp_path / "out", root)
