"""`make test` leaves out what is costly, but for one test of each kind."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
COSTLY = set(re.findall(r"^COSTLY = (.*)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)[0].split(" or "))
MARK = re.compile(r"pytest\.mark\.(\w+)")


def marks(nodes: Sequence[ast.AST]) -> set[str]:
    """Return the markers that decorators, or the value of `pytestmark`, name."""
    return {name for node in nodes for name in MARK.findall(ast.unparse(node))}


def marked(body: Sequence[ast.stmt], outer: set[str]) -> Iterator[tuple[str, set[str]]]:
    """Yield every test below *body* with its markers and those of its class and module."""
    own = outer | marks([node for node in body if isinstance(node, ast.Assign) and "pytestmark" in ast.unparse(node)])
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from marked(node.body, own | marks(node.decorator_list))
        elif isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node.name, own | marks(node.decorator_list)


def test_each_costly_kind_has_one_test_that_always_runs() -> None:
    """Whoever breaks what only costly tests reach learns of the worst in two minutes."""
    texts = (file.read_text("utf-8") for file in (ROOT / "tests").rglob("test_*.py"))
    tests = (test for text in texts if "mark.smoke" in text for test in marked(ast.parse(text).body, set()))
    smoke = [test for test in tests if "smoke" in test[1]]

    assert sorted(kind for _, markers in smoke for kind in markers & COSTLY) == sorted(COSTLY), smoke
    assert all(len(markers & COSTLY) == 1 for _, markers in smoke), smoke
