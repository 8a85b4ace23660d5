"""The bundled example: a small shop with recorded answers of its servers."""

from __future__ import annotations

from pathlib import Path

from scanner_model.errors import InputInvalid


def example_directory() -> Path:
    """Return the directory of the bundled example; raises InputInvalid if it is not installed."""
    parents = Path(__file__).parents
    for directory in (parents[0] / "example", parents[1] / "examples" / "retail"):
        if (directory / "cluster.json").is_file():
            return directory
    raise InputInvalid("the bundled example is missing", where="scanner demo", hint="install the package again")
