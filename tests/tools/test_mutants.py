"""Mutants are places of a module that are changed, each so that it still compiles."""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[2] / "tools" / "mutants.py"
MODULE = '''"""A module."""

LIMIT = 3


def größer(rows: "list[int]", limit: int = LIMIT) -> "int | None":
    """Return the first row above *limit*; None where there is none."""
    print("größer", f"than {limit}")
    for row in rows:
        if row is not None and not row <= limit < 1000:
            return row
    return None
'''


@pytest.fixture(scope="module")
def mutants() -> ModuleType:
    """Return the script as a module; it is in no package."""
    specification = importlib.util.spec_from_file_location("mutants_tool", SCRIPT)
    assert specification
    assert specification.loader
    module = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = module
    specification.loader.exec_module(module)
    return module


def changed(mutant: Any, text: str) -> str:
    content = text.encode()
    return (content[: mutant.start] + mutant.replacement.encode() + content[mutant.end :]).decode()


def test_a_mutant_differs_in_one_line_and_compiles(mutants) -> None:
    """One that does not is noticed by everybody, which proves nothing."""
    lines = MODULE.splitlines()
    for mutant in mutants.mutants_of("m.py", MODULE):
        after = changed(mutant, MODULE).splitlines()
        compile("\n".join(after), "m.py", "exec")

        differing = [at for at, (old, new) in enumerate(zip(lines, after, strict=True), 1) if old != new]
        assert differing == [mutant.first], mutant


def test_documentation_annotations_and_texts_with_fields_stay(mutants) -> None:
    """A change of what nobody executes is noticed by nobody."""
    operators = Counter(mutant.operator for mutant in mutants.mutants_of("m.py", MODULE))

    assert operators == {"statement": 1, "text": 1, "condition": 2, "comparison": 2, "constant": 1, "return": 1}


@pytest.mark.parametrize(
    ("before", "operator", "after"),
    [
        ("return a < b < c", "comparison", "return ((a) >= (b) < c)"),
        ("return (a or b) == c", "comparison", "return ((a or b) != (c))"),
        ("return a and b", "condition", "return ((a) or (b))"),
        ("return not a", "condition", "return (a)"),
        ("a = 1", "constant", "a = (2)"),
        ("a = True", "condition", "a = False"),
        ("a = 'x'", "text", "a = 'x~'"),
        ("work()", "statement", "pass"),
        ("return a", "return", "return None"),
    ],
)
def test_each_operator_changes_what_it_is_called_after(mutants, before: str, operator: str, after: str) -> None:
    """Readers of a result look the place up."""
    text = f"def f(a, b, c):\n    {before}\n"
    (mutant,) = (each for each in mutants.mutants_of("m.py", text) if each.operator == operator)

    assert changed(mutant, text) == f"def f(a, b, c):\n    {after}\n"


def test_functions_of_an_imported_module_get_the_code_of_its_file(mutants, tmp_path, monkeypatch) -> None:
    """Also those that others hold, as decorators do; a fork of the tests needs no import of its own then."""
    file = tmp_path / "module_of_mutants.py"
    text = """
from functools import cache

class Shop:
    @property
    def size(self):
        return 1

def counted():
    return [number for number in range(2)]

@cache
def kept():
    return 3
"""
    file.write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("module_of_mutants")
    file.write_text(text.replace("1", "10").replace("range(2)", "range(1)").replace("3", "30"), encoding="utf-8")

    mutants.replace_code(file)

    assert (module.Shop().size, module.counted(), module.kept()) == (10, [0], 30)
