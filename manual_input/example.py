"""What is published with the package: the JSON Schema of the format, and a full example of it."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any


def schema() -> dict[str, Any]:
    """Give the JSON Schema (2020-12) by which editors complete a manual-input file."""
    published: dict[str, Any] = json.loads(_text("manual_input.schema.json"))
    return published


def example() -> str:
    """Give an example document that uses every part of the format and is valid where it stands alone."""
    return _text("example.json")


def _text(name: str) -> str:
    return files("manual_input").joinpath(name).read_text(encoding="utf-8")
