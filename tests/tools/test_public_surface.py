"""Nothing public changes unannounced: each surface is what its file in `tests/public_surface` says."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOL = runpy.run_path(str(ROOT / "tools" / "public_surface.py"))
PAGE = (ROOT / "docs" / "stability.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", TOOL["SURFACES"])
def test_a_surface_is_what_its_file_lists(name: str) -> None:
    """Who changes it by accident must notice; who means it runs one command and announces it."""
    file = TOOL["FILES"] / f"{name}.txt"

    assert TOOL["surface"](name).splitlines() == file.read_text(encoding="utf-8").splitlines(), TOOL["HINT"]


def test_every_surface_has_lines_a_file_and_a_row_of_the_page() -> None:
    """The page promises no more and no less than what is compared."""
    files = {file.stem for file in TOOL["FILES"].iterdir()}

    assert files == set(TOOL["SURFACES"])
    assert {name for name in files if f"/public_surface/{name}.txt)" not in PAGE} == set()
    assert all(file.stat().st_size > 50 for file in TOOL["FILES"].iterdir())


def test_a_parameter_that_goes_changes_the_surface() -> None:
    """A comparison that saw no parameters would let everything pass."""

    def before(a: int, *, b: int = 1) -> None: ...
    def after(a: int) -> None: ...

    assert (TOOL["_parameters"](before), TOOL["_parameters"](after)) == ("(a, *, b=)", "(a)")
