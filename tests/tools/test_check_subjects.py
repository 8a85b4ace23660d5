"""The subjects of commits are short and begin with their area."""

from __future__ import annotations

import runpy
from pathlib import Path

TOOL = runpy.run_path(str(Path(__file__).parents[2] / "tools/check_subjects.py"))


def test_a_subject_with_an_area_and_72_characters_is_right() -> None:
    """As CONTRIBUTING.md asks."""
    assert list(TOOL["faults"]([f"lab: {'x' * 67}"])) == []


def test_a_longer_subject_and_one_without_area_are_faults() -> None:
    """Each is printed with the reason."""
    long, bare = f"lab: {'x' * 68}", "Mend the lab"

    assert list(TOOL["faults"]([long, bare])) == [
        f"73 characters, 72 are allowed: {long}",
        f"has no area (`area: imperative`): {bare}",
    ]
