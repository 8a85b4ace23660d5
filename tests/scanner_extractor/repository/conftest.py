"""Repositories in temporary directories."""

from __future__ import annotations

import pytest

from scanner_extractor.repository.reader import directory_reading
from scanner_extractor.repository.reading import RepositoryReading
from scanner_extractor.repository.settings import RepositorySettings
from scanner_extractor.results import no_progress


@pytest.fixture
def read_repository(tmp_path):
    """Return a function that writes files, by path, and reads the directory."""

    def read(files: dict[str, str], **settings: object) -> RepositoryReading:
        for path, text in files.items():
            file = tmp_path / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return directory_reading(
            RepositorySettings(pattern=".", directory=tmp_path, name="shop", **settings), no_progress
        )

    return read
