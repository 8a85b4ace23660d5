"""What a scan of directories reads is decided before the first file is read."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from scanner_api import open_dictionary, scan
from scanner_model.errors import InputInvalid
from scanner_model.scan import SourceStatus


@pytest.fixture
def deep(tmp_path: Path) -> Iterator[Path]:
    """Return a directory with a file 1,500 levels below it."""
    top = tmp_path / "shop"
    top.mkdir()
    here = os.open(top, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("d", dir_fd=here)
        deeper = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = deeper
    os.close(os.open("topics.txt", os.O_CREAT, dir_fd=here))
    os.close(here)
    yield top
    subprocess.run(["rm", "-rf", top], check=True)  # rmtree calls itself for each level


def test_a_repository_may_have_more_levels_than_python_allows_calls(deep: Path, tmp_path: Path) -> None:
    (report,) = scan([], open_dictionary(f"sqlite:///{tmp_path}/d.db", create=True), directories=[deep])

    assert [outcome.status for outcome in report.outcomes] == [SourceStatus.READ]


def test_a_directory_with_nothing_but_directories_is_empty(tmp_path: Path) -> None:
    (tmp_path / "shop/.git/objects").mkdir(parents=True)
    (tmp_path / "shop/.git/HEAD").touch()
    (tmp_path / "shop/src").mkdir()
    dictionary = open_dictionary(f"sqlite:///{tmp_path}/d.db", create=True)

    with pytest.raises(InputInvalid):
        scan([], dictionary, directories=[tmp_path / "shop"])
