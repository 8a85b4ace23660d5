"""Which modules may call the standard library's JSON parser: those that read what this program wrote itself."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
READER = "scanner_model/documents/"
"""The reader for JSON of others: bounded in size and depth, with positions of members that are written twice."""

BOUNDED = {"dataflow_generator/openlineage/importer.py", "dataflow_generator/openlineage/redaction.py"}
"""Modules that bound an OpenLineage event themselves, because its numbers are kept as they are written."""

OWN_JSON = frozenset((Path(__file__).parent / "modules_of_own_json.txt").read_text("utf-8").split())
"""Modules that parse columns of the dictionary, files of the package or of a user's own state. The list may shrink."""


def _calls_json(path: Path) -> bool:
    names = (node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Attribute))
    return any(isinstance(node.value, ast.Name) and (node.value.id, node.attr) in _CALLS for node in names)


_CALLS = {("json", "loads"), ("json", "load")}


def _modules() -> set[str]:
    packages = (path for path in ROOT.iterdir() if (path / "__init__.py").exists() and path.name != "tests")
    files = (file for package in packages for file in package.rglob("*.py") if _calls_json(file))
    return {file.relative_to(ROOT).as_posix() for file in files}


def test_json_of_others_is_read_by_the_bounded_reader_only() -> None:
    """`json.loads` has no bound of size or depth, and hides members that are written twice."""
    found = {path for path in _modules() if not path.startswith(READER)}

    assert found == OWN_JSON | BOUNDED


@pytest.mark.parametrize("call", ["json.loads(text)", "map(json.load, files)"])
def test_each_use_of_the_parser_is_found(tmp_path: Path, call: str) -> None:
    """A function that is passed on is used, too."""
    file = tmp_path / "module.py"
    file.write_text(f"import json\n{call}\n", encoding="utf-8")

    assert _calls_json(file)
