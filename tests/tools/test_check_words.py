"""Private words are found where they are, and nowhere else."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[2] / "tools" / "check_words.py"


@pytest.fixture(scope="module")
def check_words() -> ModuleType:
    """Return the script as a module; it is in no package."""
    specification = importlib.util.spec_from_file_location("check_words", SCRIPT)
    assert specification
    assert specification.loader
    module = importlib.util.module_from_spec(specification)
    sys.modules["check_words"] = module
    specification.loader.exec_module(module)
    return module


def patterns(check_words: ModuleType, path: str, text: str) -> list[str]:
    return [occurrence.pattern for occurrence in check_words.occurrences(path, text)]


@pytest.mark.parametrize(
    ("code", "pattern"),
    [
        ("told = 1", "name told"),
        ("def f(columns_told): ...", "name told"),
        ("class ToldGraph: ...", "name told"),
        ("for crew in (): ...", "name crew"),
        ("self._spoken = 1", "name spoken"),
        ("def read_here(): ...", "name here"),
        ('def f():\n    """Give the columns."""', "docstring"),
        ('"""Holds what was read."""', "docstring"),
        ("x = 1  # it is told later", "is told"),
        ('raise ValueError("no schema, and nobody tells why")', "nobody tells"),
    ],
)
def test_private_word_in_code_is_an_occurrence(check_words, code, pattern) -> None:
    """A name, a docstring's first word, a comment and a message are read by people alike."""
    assert pattern in patterns(check_words, "module.py", code)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("module.py", "tolding = task_count = spark.ask(); where = 1"),
        ("module.py", 'def f():\n    """Return what the server holds."""'),
        ("module.py", 'def f():\n    """Given a path, return its columns."""'),
        ("page.md", "The graph is no more than a list. No figure bears anything. An outdoor task."),
        ("page.md", "`benchmarks/estate.py` reads `estate=1`"),
    ],
)
def test_ordinary_text_is_no_occurrence(check_words, path, text) -> None:
    """A check with false alarms is switched off: names count where they are defined, words only as wholes."""
    assert patterns(check_words, path, text) == []


def test_recorded_responses_and_tests_are_not_checked(check_words) -> None:
    """What servers answered stays as it was; a test may quote a word."""
    checked = {file.relative_to(check_words.ROOT).as_posix() for file in check_words.checked_files(check_words.ROOT)}

    assert {"README.md", "CHANGELOG.md", "Makefile", "docs/performance.md", "scanner_cli/main.py"} <= checked
    assert not [path for path in checked if path.startswith("tests/") or "/capture/" in path]
