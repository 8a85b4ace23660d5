"""Private words are found where they are, and nowhere else."""

from __future__ import annotations

import importlib.util
import json
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


@pytest.mark.parametrize(
    ("text", "construction"),
    [
        ("it is no JSON", "is no X"),
        ("there are none", "is none"),
        ("Nobody reads it", "nobody, somebody"),
        ("a line of which nothing is read", "of which"),
        ("where it stands in a list", "stands in"),
        ("a name, besides localhost", "besides"),
        ("the graphs that there is", "that there is"),
    ],
)
def test_stilted_text_is_a_construction(check_words, text, construction) -> None:
    """Each is replaced by a plain sentence."""
    assert [occurrence.pattern for occurrence in check_words.constructions("page.md", text)] == [construction]


@pytest.mark.parametrize("text", ["it is no longer supported", "if found is None:", "there is no schema", "no matches"])
def test_plain_text_is_no_construction(check_words, text) -> None:
    """Python's None, "no longer" and "there is no" are plain English."""
    assert check_words.constructions("module.py", text) == []


def test_file_with_more_constructions_than_allowed_is_reported(check_words) -> None:
    """All of its lines are shown, because the check cannot know which one is new."""
    present = {"a.md": check_words.constructions("a.md", "it is no JSON\nthere are none\n")}

    assert check_words.unexpected(present, {"a.md": 2}) == []
    assert [occurrence.line for occurrence in check_words.unexpected(present, {"a.md": 1})] == [1, 2]
    assert [occurrence.line for occurrence in check_words.unexpected(present, {})] == [1, 2]


def test_allowances_only_shrink(check_words) -> None:
    """A new file has none, and a file with more keeps its count."""
    present = {
        path: check_words.constructions(path, "it is no JSON\n" * 2) for path in ("fewer.md", "more.md", "new.md")
    }

    assert check_words.shrunk({"fewer.md": 3, "more.md": 1, "gone.md": 4}, present) == {"fewer.md": 2, "more.md": 1}


def test_project_has_no_more_constructions_than_allowed(check_words) -> None:
    """An older file may keep its constructions, but gets no new ones."""
    allowed = json.loads(check_words.ALLOWED.read_text("utf-8"))

    assert check_words.unexpected(check_words.all_constructions(check_words.ROOT), allowed) == []
