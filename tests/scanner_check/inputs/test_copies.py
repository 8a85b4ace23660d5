"""An added file with a changed file's former text is a copy; a part of it that moves is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from committed_repository import commit_all, git

from scanner_check.inputs.copies import copied_files
from scanner_check.inputs.git import commit_trees, object_reader

TEXT = "".join(f"line {number}\n" for number in range(20))


@pytest.mark.parametrize(
    ("kept", "added", "is_copy"),
    [
        (TEXT.replace("line 3\n", ""), TEXT, True),
        (TEXT.replace("line 3\n", ""), f"\n{TEXT.replace('line', '  line')}# more\n", True),
        ("".join(f"line {number}\n" for number in range(10, 20)), "".join(f"line {n}\n" for n in range(10)), False),
        ("line 19\n", TEXT.replace("line 19\n", ""), False),
        ("something else\n", TEXT, False),
        (TEXT.replace("line 3", "line three"), "one line\n", False),
        (TEXT.replace("line 3", "line three"), TEXT.replace("line 3", "line three"), False),
    ],
)
def test_a_copy_is_known_by_what_its_origin_keeps(tmp_path: Path, kept: str, added: str, is_copy: bool) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "a.sql").write_text(TEXT)
    commit_all(tmp_path)
    (tmp_path / "a.sql").write_text(kept)
    (tmp_path / "b.sql").write_text(added)
    commit_all(tmp_path)

    with object_reader(tmp_path) as objects:
        copies = copied_files(commit_trees("HEAD~1..HEAD", tmp_path), objects)

    assert copies == ({"b.sql": "a.sql"} if is_copy else {})
