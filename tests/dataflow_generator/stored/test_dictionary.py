"""Dictionaries of others are read, and never written."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import text

from dataflow_generator.stored.dictionary import Dictionary, open_dictionary
from scanner_api.questions.listings import topics
from scanner_dictionary.engine.open import open_for_reading
from scanner_model.errors import DictionaryUnusable

WRITE = text("INSERT INTO cluster (id, name) VALUES (9, 'x')")

KILLED = """
import os, sqlite3, sys
conn = sqlite3.connect(sys.argv[1], isolation_level=None)
conn.execute("PRAGMA cache_size = 1")
conn.execute("BEGIN")
conn.execute("CREATE TABLE filler (x)")
conn.executemany("INSERT INTO filler VALUES (?)", ((b"x" * 900,) for _ in range(5000)))
os._exit(9)
"""


@pytest.fixture
def file(new_dictionary: str) -> Path:
    return Path(new_dictionary)


def state(file: Path) -> dict[str, str]:
    """Return the files of the directory with their digests."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(file.parent.iterdir())}


@pytest.mark.parametrize("pooled", [False, True])
def test_a_question_changes_no_byte_and_leaves_no_file(file: Path, pooled: bool) -> None:
    before = state(file)
    dictionary = Dictionary(str(file)).pooled() if pooled else Dictionary(str(file))

    topics(dictionary)
    open_dictionary(file)
    dictionary.close()

    assert state(file) == before


@pytest.mark.parametrize("pooled", [False, True])
def test_a_statement_that_writes_is_rejected(file: Path, pooled: bool) -> None:
    dictionary = Dictionary(str(file)).pooled() if pooled else Dictionary(str(file))

    with dictionary.reading() as conn, pytest.raises(DictionaryUnusable, match="cannot be written"):
        conn.execute(WRITE)
    dictionary.close()


@pytest.mark.process
@pytest.mark.parametrize("pooled", [False, True])
def test_a_write_that_was_killed_is_rolled_back_in_a_copy(file: Path, pooled: bool) -> None:
    """The journal beside a dictionary of another is not applied to that file."""
    subprocess.run([sys.executable, "-c", KILLED, str(file)], check=False)
    before = state(file)
    dictionary = Dictionary(str(file)).pooled() if pooled else Dictionary(str(file))

    assert f"{file.name}-journal" in before
    assert topics(dictionary).items == ()
    assert state(file) == before
    dictionary.close()


def test_a_copy_is_removed_with_the_question(file: Path, tmp_path: Path) -> None:
    shutil.copy(file, other := tmp_path / "other.db")
    (tmp_path / "other.db-journal").write_bytes(b"")

    with open_for_reading(str(other)) as engine, engine.connect() as conn:
        (place,) = {row[2] for row in conn.exec_driver_sql("PRAGMA database_list") if row[1] == "main"}

    assert Path(place).samefile(other)  # an empty journal needs no copy


def test_an_endless_view_is_refused_by_every_way_of_opening(file: Path) -> None:
    with sqlite3.connect(file) as conn:
        conn.execute("DROP TABLE dictionary_version")
        conn.execute(
            "CREATE VIEW dictionary_version AS WITH RECURSIVE n(x) AS"
            " (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) AS version_num FROM n"
        )
    pooled = Dictionary(str(file)).pooled()

    for question in (lambda: topics(Dictionary(str(file))), lambda: topics(pooled), lambda: open_dictionary(file)):
        with pytest.raises(DictionaryUnusable, match="the table dictionary_version is a view"):
            question()
