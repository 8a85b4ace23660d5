"""Files in the encodings that editors write."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from scanner_extractor.repository.files import UnreadText, directory_files, text_of
from scanner_model.declarations import Declaration, UnreadFile

STREAM = "CREATE STREAM s (a INT) WITH (KAFKA_TOPIC='t', VALUE_FORMAT='JSON');\r\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_a_file_is_read_in_the_encoding_that_it_shows(read_repository, tmp_path, encoding):
    (tmp_path / "a.ksql").write_bytes(f"-- café\r\n{STREAM}".encode(encoding))
    assert [entry.name for entry in read_repository({}).of(Declaration)] == ["t"]


def test_a_file_whose_encoding_does_not_show_is_left_with_the_reason(read_repository, tmp_path):
    for name in ("a.ksql", "b.avsc", "logo.png"):
        (tmp_path / name).write_bytes(STREAM.encode("utf-16-le"))
    unread = read_repository({}).of(UnreadFile)
    assert [each.name for each in unread] == ["a.ksql", "b.avsc"]
    assert "encoding" in unread[0].reason


@pytest.fixture
def deep(tmp_path: Path) -> Iterator[Path]:
    """Return a directory that is removed by a program that does not recurse, as pytest would."""
    place = tmp_path / "deep"
    place.mkdir()
    yield place
    subprocess.run(["rm", "-rf", place], check=True)


def nest(place: Path, name: str, times: int) -> None:
    """Make directories in each other, also where their path is longer than the system allows; a file is innermost."""
    descriptor = os.open(place, os.O_RDONLY)
    for _ in range(times):
        os.mkdir(name, dir_fd=descriptor)
        inner = os.open(name, os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = inner
    os.close(os.open("a.json", os.O_CREAT | os.O_WRONLY, dir_fd=descriptor))
    os.close(descriptor)


def test_directories_may_be_nested_deeper_than_functions_call_each_other(deep: Path) -> None:
    """A file below them is found."""
    nest(deep, "d", 1_500)

    assert [entry.path.rpartition("/")[2] for entry in directory_files(deep)] == ["a.json"]


def test_a_directory_that_cannot_be_listed_is_an_entry_with_the_reason(deep: Path) -> None:
    """Without the entry its files would count as absent."""
    nest(deep, "d" * 200, 30)

    (entry,) = directory_files(deep)

    assert entry.path.endswith("d/")
    with pytest.raises(UnreadText, match="too long"):
        text_of(entry)


def test_what_git_tracks_is_read_whatever_ignores_it(tmp_path):
    """A Go repository ignores its binary, which is called as the directory of the program."""
    (tmp_path / ".gitignore").write_text("billing\n*.out\n")
    (tmp_path / "cmd/billing").mkdir(parents=True)
    (tmp_path / "cmd/billing/main.go").write_text("package main\n")
    for command in (["init", "-q"], ["add", "-f", "cmd/billing/main.go", ".gitignore"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    (tmp_path / "billing").write_text("binary\n")
    (tmp_path / "cmd/billing/a.out").write_text("built\n")

    assert [entry.path for entry in directory_files(tmp_path)] == [".gitignore", "cmd/billing/main.go"]
