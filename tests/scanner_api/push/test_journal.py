"""The journal of pushes: private, one push at a time, runs that can be undone."""

from __future__ import annotations

import sqlite3
import stat
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from scanner_api.push.journal import Entry, Journal, runs
from scanner_api.push.model import Ref
from scanner_model.errors import DictionaryBusy, DictionaryUnusable, InputInvalid

REF = Ref("topic", "orders")
ENTRY = Entry(ref=REF, ours={"a": 1}, restore=None, digest="d", created=True)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return the path of a journal."""
    return tmp_path / "d.db.push"


def test_journal_is_private_and_keeps_what_was_written(file: Path) -> None:
    with Journal(file, "datahub http://h") as journal:
        journal.write(journal.start("2026-03-01"), [ENTRY])
    with Journal(file, "datahub http://h") as journal:
        known = journal.entries([REF]), journal.digests()

    assert known == ({REF: ENTRY}, {REF: "d"})
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [run.id for run in runs(file)] == [1]


def test_pruned_runs_cannot_be_undone_and_what_is_ours_is_still_known(file: Path) -> None:
    with Journal(file, "a") as journal:
        for number in range(1, 5):
            run = journal.start("2026-03-01")
            journal.write(run, [replace(ENTRY, ours={"a": number}, restore={"a": number - 1})])
        gone = Ref("topic", "gone")
        journal.write(1, [replace(ENTRY, ref=gone, ours=None)])

        journal.prune(2)

        with pytest.raises(InputInvalid, match="runs after 2"):
            journal.written(2)
        assert [entry.restore for entry in journal.written(4)] == [{"a": 3}]
        journal.undo(4)
        journal.undo(3)
        assert [entry.ours for entry in journal.entries([REF, gone]).values()] == [{"a": 2}]


def test_run_is_undone_once_and_the_error_names_the_others(file: Path) -> None:
    with Journal(file, "a") as journal:
        for _ in range(2):
            journal.write(journal.start("2026-03-01"), [ENTRY])
        journal.undo(2)

        with pytest.raises(InputInvalid, match="undone already") as raised:
            journal.written(2)

    assert raised.value.hint == "runs: 1"


def test_targets_know_nothing_of_each_other(file: Path) -> None:
    with Journal(file, "datahub http://h") as journal:
        journal.write(journal.start("2026-03-01"), [ENTRY])
    with Journal(file, "unity http://h") as journal:
        assert journal.digests() == {}
        with pytest.raises(InputInvalid):
            journal.written(1)


def test_second_push_at_a_time_is_told_to_wait(file: Path) -> None:
    with Journal(file, "a"), pytest.raises(DictionaryBusy):
        Journal(file, "a")


def test_file_that_is_no_journal_is_an_error(file: Path) -> None:
    file.write_text("no database" * 100)

    with pytest.raises(DictionaryUnusable):
        Journal(file, "a")


def test_damaged_row_is_named(file: Path) -> None:
    with Journal(file, "a") as journal:
        journal.write(journal.start("2026-03-01"), [ENTRY, replace(ENTRY, ref=Ref("topic", "paid"))])
    with closing(sqlite3.connect(file)) as conn:
        conn.executescript("UPDATE write SET ours = '{' WHERE key = 'paid'")

    with Journal(file, "a") as journal, pytest.raises(DictionaryUnusable, match="damaged") as raised:
        journal.written(1)

    assert raised.value.where == f"{file} table write, row 2 (topic paid)"


@pytest.mark.parametrize("kept", [0, 1, 5_000])
def test_truncated_journal_is_an_error(file: Path, kept: int) -> None:
    with Journal(file, "a") as journal:
        journal.write(journal.start("2026-03-01"), [replace(ENTRY, ref=Ref("topic", str(n))) for n in range(200)])
    file.write_bytes(file.read_bytes()[:kept])

    with pytest.raises(DictionaryUnusable, match="damaged"), Journal(file, "a") as journal:
        journal.written(1)
