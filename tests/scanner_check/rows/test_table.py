"""The table of rules: each row has a function that finds it, and nothing else names a rule."""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

from scanner_check.report import TEMPLATES
from scanner_check.rows import files, flows, programs, schemas
from scanner_check.rows.rule import Rule
from scanner_check.rows.table import RULES

ROOT = Path(__file__).parents[3]
CONSTANTS = {
    value.name: name
    for module in (files, flows, programs, schemas)
    for name, value in vars(module).items()
    if isinstance(value, Rule)
}


def sources(*packages: str) -> Iterator[Path]:
    for package in packages:
        yield from (file for file in (ROOT / package).rglob("*.py") if file.parent.name != "rows")


def texts_in(file: Path) -> set[str]:
    nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def test_no_module_names_a_rule_by_its_text() -> None:
    """A name in a list somewhere is a property of the row that the next rule would lack."""
    listed = [file for file in sources("scanner_check", "scanner_cli") if file.name != "report.py"]
    named = {str(file.relative_to(ROOT)): texts_in(file) & set(RULES) for file in listed}

    assert {file: names for file, names in named.items() if names} == {}


@pytest.mark.parametrize("name", sorted(RULES))
def test_a_row_names_the_function_that_finds_it(name: str) -> None:
    """The function, or a table of its module, uses the row."""
    module, _, path = RULES[name].find.partition(":")
    found: object = importlib.import_module(module)
    text = inspect.getsource(found)  # type: ignore[arg-type]
    for part in path.split("."):
        found = getattr(found, part)

    assert callable(found)
    assert CONSTANTS[name] in text


def test_each_template_is_used_and_each_rule_has_one() -> None:
    """A template without a rule or a use would be a text that no finding has."""
    used = {text for file in sources("scanner_check") if file.name != "report.py" for text in texts_in(file)}
    forms = {f"{name} {form}".rstrip() for name in RULES for form in ("", *used)}

    assert {name for name in TEMPLATES if name not in used | forms and name} == set()
    assert {name for name in RULES if not any(one.split(" ")[0] == name for one in TEMPLATES)} == set()
