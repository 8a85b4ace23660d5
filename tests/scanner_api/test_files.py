"""Places to write to: judged before the work, written whole after it."""

import os
from pathlib import Path

import pytest

from scanner_api.files import check_directory, check_file, write_text
from scanner_model.errors import InputInvalid


def test_a_file_is_replaced_atomically(tmp_path) -> None:
    """Half a character, which UTF-8 has no bytes for, becomes an escape."""
    file = check_file(tmp_path / "a.json", "--report")
    for text in ("old", 'new "\ud800"'):
        write_text(file, text)

    assert file.read_text("utf-8") == 'new "\\ud800"'
    assert list(tmp_path.iterdir()) == [file]


def test_a_pipe_is_written_to_as_it_is(tmp_path) -> None:
    """Renaming a file over it would take it from its reader."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_text(pipe, "report")

    assert os.read(reader, 100) == b"report"
    os.close(reader)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_a_full_disk_names_the_file() -> None:
    """The report comes last, among other lines."""
    with pytest.raises(InputInvalid) as caught:
        write_text(Path("/dev/full"), "report")

    assert (caught.value.where, caught.value.what) == ("/dev/full", "cannot be written: No space left on device")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_rights_are_looked_at_first(tmp_path) -> None:
    """A scan takes longer than this."""
    tmp_path.chmod(0o500)

    for check in (lambda: check_file(tmp_path / "a", "--report"), lambda: check_directory(tmp_path, "--output")):
        with pytest.raises(InputInvalid) as caught:
            check()
        assert caught.value.hint == "check its permissions"
