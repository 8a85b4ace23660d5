"""The figures of the product's structure, on modules of a few lines."""

from __future__ import annotations

import ast
import runpy
from pathlib import Path

HOUSE = runpy.run_path(str(Path(__file__).parents[2] / "tools/house.py"))


def trees(**modules: str) -> dict[Path, ast.Module]:
    return {Path(f"{name.replace('__', '/')}.py"): ast.parse(text) for name, text in modules.items()}


def test_folders_that_import_each_other_are_a_pair() -> None:
    """Also where a function imports; one direction alone is none."""
    both = trees(
        a__x="from b.y import f\nfrom d.l import g", b__y="def f():\n    import a.x", c__z="from a.x import g", d__l=""
    )

    assert HOUSE["mutual_imports"](both) == [("a", "b")]


def test_a_text_that_names_something_of_a_module_is_a_late_name() -> None:
    """Others with a colon are none."""
    modules = trees(a__x="NAMES = ('a.x:f', 'b.y:f', 'a.x:')", b__z="TEXT = 'a.x:f: note'")

    assert HOUSE["late_names"](modules) == ["a.x:", "a.x:f"]


def test_a_class_name_of_two_modules_is_repeated() -> None:
    """Nested classes belong to their class."""
    modules = trees(a__x="class A:\n    class B: ...", b__y="class A: ...\nclass B: ...")

    assert HOUSE["repeated_classes"](modules) == ["A"]


def test_a_figure_above_its_limit_or_without_one_grew() -> None:
    """A new figure gets its limit with `--shrink`."""
    assert HOUSE["grown"]({"a": 2, "b": 1, "c": 0}, {"a": 1, "b": 1}) == ["a", "c"]
