"""Which paths the lines of a `.gitignore` ignore, as git does."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from scanner_extractor.repository.ignored import Ignored, IgnoreFile

PATHS = (
    "a.json", "b.json", "x.bak.json", "keep.bak.json", "src/a.json", "src/deep/a.json", "src/deep/b.bak", "xa/xy/z",
    "logs/x.txt", "logs/deep/x.txt", "aXbYc", "a/b/c", "a/x/b/c", "a/x/y/b/q/c", "b[1].txt", "b1.txt",
)  # fmt: skip
RULES = (
    "a.json", "/a.json", "*.json", "*.bak.json\n!keep.bak.json", "src/", "src/*", "/src/deep", "**/deep", "logs/**",
    "a*b*c", "a?b?c", "a/**/b/**/c", "a/**/c", "**/x*y/z", "**/a.json", "b[0-9].txt", "b[!0-9]*", "deep/a.json", "*",
    "[a-b].json", "# a.json", "\\!a", "?a.json", "src/**/a.json", "x.*", "a\n!a", "[", "*e*.txt",
)  # fmt: skip


@pytest.mark.parametrize("rules", RULES)
def test_the_rules_are_those_of_git(tmp_path: Path, rules: str) -> None:
    """Each directory above a path is decided first."""
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / ".gitignore").write_text(rules + "\n")
    answer = subprocess.run(
        ["git", "-c", "core.quotePath=false", "check-ignore", "--no-index", *PATHS],
        cwd=tmp_path, capture_output=True, check=False, text=True,
    )  # fmt: skip

    assert [path for path in PATHS if is_ignored(IgnoreFile("", rules), path)] == answer.stdout.splitlines()


def is_ignored(file: IgnoreFile, path: str) -> bool:
    """Return whether *path*, or a directory above it, is ignored."""
    parts = path.split("/")
    ignored = Ignored()
    above = ["/".join(parts[:size]) for size in range(1, len(parts))]
    is_above = any(ignored((file,), place, place.rpartition("/")[2], is_directory=True) for place in above)
    return is_above or ignored((file,), path, parts[-1], is_directory=False)


def test_a_file_below_the_root_decides_on_its_own_directory() -> None:
    """The nearest file that has a matching rule decides."""
    root, inner = IgnoreFile("", "*.json"), IgnoreFile("src", "!/a.json")
    ignored = Ignored()

    assert not ignored((root, inner), "src/a.json", "a.json", is_directory=False)
    assert ignored((root, inner), "src/deep/a.json", "a.json", is_directory=False)


def test_rules_that_are_slow_stop_deciding() -> None:
    """Files are then read rather than left out."""
    ticks = iter(range(100))
    ignored = Ignored(left=1.5, clock=lambda: float(next(ticks)))
    file = IgnoreFile("", "a*c")

    assert [ignored((file,), "abc", "abc", is_directory=False) for _ in range(3)] == [True, True, False]
