"""Thirty small services in nine languages, each in the style of another company, with edits that readers notice or not.

Each style has eight edits that change what a reader of its topic sees, and four that do not. A breaking edit is named
if the comparison is certain of it; the rest are at least found. What is neither named nor silent today is listed.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from scanner_extractor.repository.syntax_trees import suffix
from scanner_programs.compare import Difference, compare
from scanner_programs.endpoints import Endpoints
from scanner_programs.languages import BY_ENDING

STYLES = {path.stem: path for path in sorted((Path(__file__).parent / "data" / "styles").glob("*.json"))}
BREAKING = (
    "remove_field", "rename_field", "retype_field", "change_topic", "change_serializer", "change_key", "stop_sending",
    "conditional_value",
)  # fmt: skip
HARMLESS = ("log_line", "metric", "rename_local", "optional_field")
FOUND_ONLY = {
    ("csharp-background-channel", "change_serializer"),
    ("kotlin-layered-bus", "change_serializer"),
}
"""Breaking edits of which only something is known to change."""
NOISE = {
    ("kotlin-sealed-envelope-headers", "optional_field"),
    ("typescript-zod-generic-publish", "optional_field"),
}
"""Harmless edits that something is said of."""


@cache
def style(name: str) -> Any:
    return json.loads(STYLES[name].read_text())


_BASES: dict[str, Endpoints] = {}


def differences(sends: Callable[..., Endpoints], name: str, edit: str) -> list[Difference]:
    files = dict(style(name)["files"])
    if name not in _BASES:
        _BASES[name] = sends(files)
    for path, old, new in style(name)["edits"][edit]:
        assert old in files[path]
        files[path] = files[path].replace(old, new)
    return compare(_BASES[name], sends(files))


def is_of_code(name: str, edit: str) -> bool:
    """Return whether an edit changes code: the form of records in settings is judged by the settings."""
    return edit != "change_serializer" or any(suffix(path) in BY_ENDING for path, _, _ in style(name)["edits"][edit])


@pytest.mark.parametrize("edit", BREAKING)
@pytest.mark.parametrize("name", STYLES)
def test_a_breaking_edit_is_found_and_named(sends, name: str, edit: str) -> None:
    if not is_of_code(name, edit):
        pytest.skip("the edit is one of settings only")
    found = differences(sends, name, edit)
    assert found
    assert any(one.certain for one in found) is ((name, edit) not in FOUND_ONLY)


@pytest.mark.parametrize("edit", HARMLESS)
@pytest.mark.parametrize("name", STYLES)
def test_a_harmless_edit_is_no_difference(sends, name: str, edit: str) -> None:
    assert bool(differences(sends, name, edit)) is ((name, edit) in NOISE)
