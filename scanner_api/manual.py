"""Manual-input files: checking them without a scan, their JSON Schema and an example."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from manual_input.files import find_files
from manual_input.json_cursor import example, schema
from manual_input.loader import Check as ManualCheck
from manual_input.loader import Reach
from manual_input.loader import check as check_files
from scanner_extractor.formats import format_names

__all__ = ["ManualCheck", "check_manual_input", "manual_input_example", "manual_input_schema"]


def check_manual_input(files: Sequence[str | Path], *, base: Path = Path()) -> ManualCheck:
    """Return every problem of manual-input files, with file, line and column, and counts for each cluster.

    *files* are files, globs and directories, relative to *base*. The result is valid where a scan would accept the
    files: warnings alone leave it valid. Schemas may have any format that is installed. Raises InputInvalid that lists
    every name without a file.

    >>> check_manual_input(["manual"]).valid
    """
    return check_files(find_files([str(file) for file in files], base), Reach(formats=format_names()))


def manual_input_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of manual-input files, by which editors complete one."""
    return schema()


def manual_input_example() -> str:
    """Return the text of an example file that uses every part of the format."""
    return example()
