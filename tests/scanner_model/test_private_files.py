"""Files and directories of one user, whatever the umask and whatever somebody else put there."""

import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from scanner_model.private_files import (
    append_whole,
    atomic_path,
    create_private,
    make_directory,
    make_private,
    open_private,
    temporary_directory,
    user_directory,
)


@pytest.fixture(autouse=True, params=[0, 0o022], ids=["umask 000", "umask 022"])
def umask(request):
    """Set the umask of a careless and of a usual user."""
    before = os.umask(request.param)
    yield
    os.umask(before)


def rights(path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def test_a_file_takes_its_place_whole_and_private(tmp_path) -> None:
    """Also of one that others could read."""
    file = tmp_path / "report.json"
    file.touch()
    file.chmod(0o644)
    with atomic_path(file, durable=True) as part:
        part.write_text("new")
        assert file.read_text() == ""

    assert (file.read_text(), rights(file)) == ("new", 0o600)
    assert list(tmp_path.iterdir()) == [file]


def test_nothing_stays_of_a_file_that_failed(tmp_path) -> None:
    """The earlier one does."""
    (tmp_path / "a").write_bytes(b"old")
    with pytest.raises(UnicodeEncodeError), atomic_path(tmp_path / "a") as part:
        part.write_text("half a pair: \ud800")

    assert [file.name for file in tmp_path.iterdir()] == ["a"]


def test_a_link_is_replaced_and_what_it_leads_to_stays(tmp_path) -> None:
    """Somebody else may have put it there."""
    (tmp_path / "victim").write_bytes(b"precious")
    (tmp_path / "a").symlink_to("victim")
    with atomic_path(tmp_path / "a") as part:
        part.write_text("new")

    assert (tmp_path / "victim").read_bytes() == b"precious"
    assert not (tmp_path / "a").is_symlink()


def test_directories_are_created_private_with_their_parents(tmp_path) -> None:
    """One that is there keeps its rights."""
    make_directory(tmp_path / "a" / "b")
    make_directory(tmp_path / "a" / "b")
    (tmp_path / "file").touch()

    assert [rights(tmp_path / item) for item in ("a", "a/b")] == [0o700, 0o700]
    with pytest.raises(FileExistsError):
        make_directory(tmp_path / "file")


@pytest.mark.parametrize("target", ["victim", "nothing"])
def test_no_link_is_followed_to_append_or_create(tmp_path, target) -> None:
    """Neither one to a file nor one that leads nowhere."""
    (tmp_path / "victim").touch(0o600)
    (tmp_path / "a").symlink_to(target)

    with pytest.raises(OSError):  # noqa: PT011 - ELOOP
        open_private(tmp_path / "a", os.O_WRONLY | os.O_APPEND)
    with pytest.raises(FileExistsError):
        create_private(tmp_path / "a")
    assert not (tmp_path / "nothing").exists()


def test_a_link_to_a_device_is_followed(tmp_path) -> None:
    """`/dev/stderr` is one."""
    (tmp_path / "a").symlink_to("/dev/null")
    descriptor = open_private(tmp_path / "a", os.O_WRONLY | os.O_APPEND)

    assert os.fstat(descriptor).st_rdev == os.stat("/dev/null").st_rdev  # noqa: PTH116 - a device, not a file of ours
    os.close(descriptor)


def test_what_is_appended_is_private(tmp_path) -> None:
    """Refused events may hold anything."""
    descriptor = open_private(tmp_path / "a", os.O_WRONLY | os.O_APPEND)
    append_whole(descriptor, b"one")
    append_whole(descriptor, b"two")
    os.close(descriptor)

    assert (tmp_path / "a").read_bytes() == b"onetwo"
    assert rights(tmp_path / "a") == 0o600


def test_what_a_library_wrote_becomes_private(tmp_path) -> None:
    """Parquet files are created as the umask allows."""
    make_directory(tmp_path / "a" / "b")
    (tmp_path / "a" / "b" / "c").touch(0o666)
    make_private(tmp_path / "a")

    assert rights(tmp_path / "a" / "b" / "c") == 0o600


def test_the_users_directory_is_not_one_that_others_can_write_into(tmp_path) -> None:
    """Whoever foresees its name could put a dictionary there."""
    first = user_directory("scanner", tmp_path)
    assert user_directory("scanner", tmp_path) == first
    first.chmod(0o777)
    second = user_directory("scanner", tmp_path)

    assert first == tmp_path / f"scanner-{os.geteuid()}"
    assert second != first
    assert rights(second) & 0o077 == 0


def test_a_temporary_directory_is_removed_when_its_process_is_killed(tmp_path: Path) -> None:
    """It may contain what is confidential."""
    program = (
        "import pathlib, sys; from scanner_model.private_files import temporary_directory\n"
        "with temporary_directory() as place:\n"
        "    (place / 'a').write_text('x'); print(place, flush=True); sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        place = Path(process.stdout.readline().strip())
        assert (place / "a").exists()
        process.kill()
    while place.exists():
        time.sleep(0.01)


def test_a_temporary_directory_is_removed_at_the_end() -> None:
    """It is private until then."""
    with temporary_directory() as place:
        assert place.stat().st_mode & 0o777 == 0o700
    assert not place.exists()
