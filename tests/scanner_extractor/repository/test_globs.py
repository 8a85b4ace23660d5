"""Patterns of paths: what they match, and that the time is linear."""

from __future__ import annotations

import pytest

from scanner_extractor.repository.code_owners import code_owners
from scanner_extractor.repository.globs import glob_pattern
from scanner_extractor.repository.ignored import IgnoreFile
from scanner_extractor.repository.topic_files.settings import TopicFiles, is_listed

HOSTILE = ["*a" * 12 + "b", "**/" * 12 + "x", "*" + "a*" * 40 + "/b", "**a" * 30, "?*" * 40 + "!", "**/*" * 20 + "z"]
PATHS = ["a" * 60 + ".sql", "/".join("a" * 26) + "/q.sql", "a/" * 200 + "a" * 100]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("pattern", HOSTILE)
def test_hostile_patterns_end(pattern: str, path: str) -> None:
    """In CODEOWNERS, `.gitignore` and settings; with `re`, most do not."""
    code_owners(f"{pattern} @a\n")(path)
    IgnoreFile("", pattern).verdict(path, path.rpartition("/")[2], is_directory=False)
    is_listed(TopicFiles(files=pattern), path)


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("a/**/b", "a/b", True),
        ("a/**/b", "a/x/y/b", True),
        ("a/**", "a/x/y", True),
        ("**/x.yaml", "x.yaml", True),
        ("*.yaml", "a/x.yaml", False),
        ("topics/[ab]?.json", "topics/a1.json", True),
        ("topics/[!ab].json", "topics/a.json", False),
        (r"\*.json", "*.json", True),
        ("[z-a]", "b", False),
    ],
)
def test_a_pattern_fits_as_in_gitignore(pattern: str, path: str, fits: bool) -> None:
    compiled = glob_pattern(pattern)

    assert (compiled is not None and compiled.fits(path)) is fits


def test_patterns_of_codeowners_cover_what_is_below_them() -> None:
    owners = code_owners("docs @a\n/src/*.py @b\n**/x @c\n/out/ @d\n/deep/**/end @e\nexact/* @f\n[bad @g\n")

    assert [
        owners(path) for path in ("m/docs/q", "src/a.py", "n/x/y", "out/a/b", "deep/1/2/end", "exact/1", "exact/1/2")
    ] == [
        ("@a",),
        ("@b",),
        ("@c",),
        ("@d",),
        ("@e",),
        ("@f",),
        (),
    ]
