"""The uncommitted work tree as the next commit would be."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
from datetime import date, timedelta
from pathlib import Path

import pytest
from committed_repository import BASE, SCHEMA, commit_all, git, new_repository, rules

from dataflow_generator.stored.dictionary import open_dictionary
from scanner_check.inputs.baseline import Accepted, accept
from scanner_check.work_tree import check_work_tree, open_work_tree
from scanner_model.errors import InputInvalid

pytestmark = pytest.mark.slow

FILE = "orders-value.avsc"
RENAMED = json.dumps(SCHEMA).replace("total", "price")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return new_repository(tmp_path / "repository")


def state(repository: Path) -> tuple[str, str, list[Path]]:
    """Return what git shows of a repository, its objects included."""
    shown = (
        subprocess.run(["git", *command], cwd=repository, check=True, capture_output=True, text=True).stdout
        for command in (("status", "--porcelain"), ("for-each-ref",))
    )
    return next(shown), next(shown), sorted((repository / ".git").rglob("*"))


def test_an_unchanged_work_tree_is_fine(repository: Path) -> None:
    assert check_work_tree(repository).verdict == "fine"


def test_saved_and_unsaved_changes_give_the_findings_of_a_commit(repository: Path) -> None:
    with open_work_tree(repository) as tree:
        unsaved = check_work_tree(tree, {FILE: RENAMED})
    (repository / FILE).write_text(RENAMED, encoding="utf-8")
    saved = check_work_tree(repository)

    assert ("column-renamed", "total") in rules(saved)
    assert rules(unsaved) == rules(saved)


def test_a_change_right_after_the_commit_is_seen(repository: Path) -> None:
    """Size and second are the same: git looks whether the file is as old as its index."""
    with open_work_tree(repository) as tree:
        for _ in range(5):
            (repository / FILE).write_text(BASE[FILE].replace("total", "price"), encoding="utf-8")
            assert check_work_tree(tree).verdict == "breaks"
            (repository / FILE).write_text(BASE[FILE], encoding="utf-8")
            assert check_work_tree(tree).verdict == "fine"


def test_an_unsaved_text_replaces_the_file(repository: Path) -> None:
    """The editor shows the text, not the file: an undone change has no findings."""
    (repository / FILE).write_text(RENAMED, encoding="utf-8")
    with open_work_tree(repository) as tree:
        assert check_work_tree(tree, {FILE: BASE[FILE]}).verdict == "fine"
        assert check_work_tree(tree).verdict == "breaks"


def test_new_and_deleted_files_count_and_ignored_ones_do_not(repository: Path) -> None:
    (repository / "sink.json").unlink()
    (repository / "new.ksql").write_text("CREATE STREAM more AS SELECT id FROM orders;\n", encoding="utf-8")
    (repository / ".gitignore").write_text("secret.ksql\n", encoding="utf-8")
    (repository / "secret.ksql").write_text("CREATE STREAM secret AS SELECT id FROM orders;\n", encoding="utf-8")
    with open_work_tree(repository) as tree:
        report = check_work_tree(tree, {"secret.ksql": "CREATE STREAM other AS SELECT id FROM orders;\n"})
    files = {file.file for file in report.files} | {skipped.file for skipped in report.skipped}

    assert {"sink.json", "new.ksql", ".gitignore"} <= files
    assert "secret.ksql" not in files


def test_the_repository_stays_as_it_is(repository: Path) -> None:
    """Neither its index nor its objects get anything: a check may run while a person commits."""
    (repository / FILE).write_text(RENAMED, encoding="utf-8")
    before = state(repository)
    with open_work_tree(repository) as tree:
        check_work_tree(tree, {FILE: RENAMED})

    assert state(repository) == before


def test_a_finding_accepted_in_the_work_tree_does_not_count(repository: Path) -> None:
    with open_work_tree(repository) as tree:
        for finding in check_work_tree(tree, {FILE: RENAMED}).findings:
            entry = Accepted(fingerprint=finding.fingerprint, reason="agreed", expires=date.today() + timedelta(days=9))
            accept(repository / ".scanner-baseline.json", entry)

        assert check_work_tree(tree, {FILE: RENAMED}).verdict == "fine"


def test_settings_of_the_repository_apply(repository: Path) -> None:
    (repository / ".scanner.yaml").write_text("strict: true\n", encoding="utf-8")
    (repository / "notes.xyz").write_text("anything", encoding="utf-8")

    assert "not-examined" in {finding.rule for finding in check_work_tree(repository).findings}


def test_a_directory_below_the_top_means_the_whole_repository(repository: Path) -> None:
    (repository / "below").mkdir()
    (repository / FILE).write_text(RENAMED, encoding="utf-8")

    assert check_work_tree(repository / "below").verdict == "breaks"


@pytest.mark.parametrize("prepare", [lambda home: None, lambda home: git(home, "init", "-q")], ids=["none", "empty"])
def test_without_a_commit_there_is_an_error(tmp_path: Path, prepare) -> None:
    """An empty answer would look like a change without findings."""
    prepare(tmp_path)
    with pytest.raises(InputInvalid):
        check_work_tree(tmp_path)


def test_no_filter_of_the_repository_runs(repository: Path) -> None:
    """Its configuration names programs, and an assistant may be asked to check a directory of strangers."""
    git(repository, "config", "filter.evil.clean", "touch ran; cat")
    git(repository, "config", "filter.evil.required", "true")
    (repository / ".gitattributes").write_text("* filter=evil\n", encoding="utf-8")
    (repository / FILE).write_text(RENAMED, encoding="utf-8")

    assert ("column-renamed", "total") in rules(check_work_tree(repository))
    assert not (repository / "ran").exists()


def test_a_filter_that_cannot_be_switched_off_is_refused(repository: Path) -> None:
    """`git -c` ends the name of a setting at the first `=`."""
    git(repository, "config", "filter.a=b.clean", "touch ran; cat")
    (repository / ".gitattributes").write_text("* filter=a=b\n", encoding="utf-8")
    (repository / FILE).write_text(RENAMED, encoding="utf-8")

    with pytest.raises(InputInvalid, match="a=b"):
        check_work_tree(repository)
    assert not (repository / "ran").exists()


def test_no_filter_of_a_submodule_runs(repository: Path, tmp_path: Path) -> None:
    """The submodule has a configuration of its own; that it moved is still seen."""
    inner = tmp_path / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    (inner / ".gitattributes").write_text("* filter=evil\n", encoding="utf-8")
    (inner / "topic.txt").write_text("orders", encoding="utf-8")
    commit_all(inner)
    git(repository, "-c", "protocol.file.allow=always", "submodule", "add", str(inner), "shared")
    commit_all(repository)
    git(repository / "shared", "config", "filter.evil.clean", f"touch {tmp_path}/ran; cat")
    (repository / "shared/topic.txt").write_text("payments", encoding="utf-8")

    assert check_work_tree(repository).verdict == "fine"
    assert not (tmp_path / "ran").exists()

    git(repository / "shared", "-c", "filter.evil.clean=", "commit", "-qm", "moved", "--allow-empty")
    (tmp_path / "ran").unlink(missing_ok=True)
    assert ("not-read", "") in rules(check_work_tree(repository))
    assert not (tmp_path / "ran").exists()


def test_a_submodule_that_is_not_checked_out_stays(repository: Path, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    commit_all(inner)
    git(repository, "-c", "protocol.file.allow=always", "submodule", "add", str(inner), "shared")
    commit_all(repository)
    git(repository, "submodule", "deinit", "-f", "shared")

    assert check_work_tree(repository).verdict == "fine"


@pytest.mark.parametrize("name", ["dictionary.db", "-a file*.sqlite", "below/[x].db"])
def test_an_untracked_dictionary_is_no_change(repository: Path, name: str, tmp_path: Path) -> None:
    """`scanner scan .` writes it where it runs: the next check must not complain about it."""
    file = repository / name
    file.parent.mkdir(exist_ok=True)
    open_dictionary(tmp_path / "made.db", create=True).close()
    shutil.copy(tmp_path / "made.db", file)
    (repository / f"{name}-wal").write_bytes(b"")
    report = check_work_tree(repository)

    assert not report.files
    assert not report.skipped


def test_another_database_is_reported_as_not_examined(repository: Path) -> None:
    """Only what scanner wrote itself is left out."""
    with sqlite3.connect(repository / "app.db") as other:
        other.execute("CREATE TABLE orders (id INTEGER)")
    other.close()

    assert [skipped.file for skipped in check_work_tree(repository).skipped] == ["app.db"]
