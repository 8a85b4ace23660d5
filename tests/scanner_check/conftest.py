"""Dictionaries with the small installation, and proposed files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from checked_installation import AT, Stored, installation, text_of
from committed_repository import BASE, commit_all, git

import scanner_api
from scanner_check.commits import check_commits
from scanner_check.model import ChangeReport
from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.write.scan import write_scan
from scanner_model.scan import ClusterScan


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Stored]:
    """Store scans, one after the other, and generate the graph unless told not to."""

    def stored(*scans: ClusterScan, graph: bool = True) -> Stored:
        url = f"sqlite:///{tmp_path_factory.mktemp('change') / 'dictionary.db'}"
        engine = open_dictionary(url, create=True)
        for scan in scans:
            write_scan(engine, scan, started=AT, finished=AT, mode="full")
        dictionary = scanner_api.open_dictionary(url)
        if graph:
            scanner_api.generate(dictionary)
        return Stored(dictionary)

    return stored


@pytest.fixture(scope="session")
def shop(store: Callable[..., Stored]) -> Stored:
    """Return the installation, whose levels were not read."""
    return store(installation())


@pytest.fixture
def proposed(tmp_path: Path) -> Callable[..., Path]:
    """Write a proposed file, a schema under the name of its subject."""

    def write(name: str, text: Any) -> Path:
        file = tmp_path / name
        file.write_text(text_of(text), encoding="utf-8")
        return file

    return write


@pytest.fixture
def check(tmp_path: Path) -> Callable[..., ChangeReport]:
    """Return a function that checks the change from BASE to other files (None deletes one)."""

    def commit(files: dict[str, str | None]) -> None:
        for name, text in files.items():
            file = tmp_path / name
            if text is None:
                file.unlink()
            else:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
        commit_all(tmp_path)

    def run(files: dict[str, str | None], base: dict[str, str] = BASE) -> ChangeReport:
        git(tmp_path, "init", "-q")
        commit(dict(base))
        commit(files)
        return check_commits("HEAD~1...HEAD", directory=tmp_path)

    return run
