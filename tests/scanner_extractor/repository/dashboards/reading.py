"""A repository of dashboards, written and read: its charts, and the files that are left."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from scanner_extractor.repository.reader import read_directory
from scanner_extractor.repository.settings import RepositorySettings
from scanner_extractor.results import Reading, no_progress
from scanner_model.catalogs import CatalogTable
from scanner_model.declarations import UnreadFile


def read_files(folder: Path, files: Mapping[str, str]) -> Reading:
    """Read a directory with *files* by path."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    return read_directory(RepositorySettings(pattern=".", directory=folder), no_progress)


def queries(reading: Reading) -> dict[str, str]:
    """Return the queries of charts by name."""
    return {table.name: table.definition for table in reading.of(CatalogTable)}


def reasons(reading: Reading) -> list[str]:
    """Return why files of dashboards are left."""
    return [file.reason for file in reading.of(UnreadFile) if file.kind == "dashboard"]
