"""Captures and dictionaries of others with mutations: each is an answer or one error, whatever the file holds."""

from __future__ import annotations

import inspect
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from mutating import STRANGE, TIMES, mutated
from sqlalchemy import Table

import scanner_api
from scanner_api.dictionary import Dictionary
from scanner_api.questions.question import Question
from scanner_api.questions.table import QUESTIONS
from scanner_dictionary.schema.tables import metadata
from scanner_model.errors import DictionaryUnusable, ScannerError

EXAMPLE = Path(__file__).parents[2] / "examples/retail"
ARGUMENTS = {
    "cluster": "retail", "topic": "orders", "subject": "orders-value", "first": 1, "second": 1, "version": 2,
    "tag": "PII", "scan": 1, "q": "order", "node": "orders", "start": "order-service", "end": "orders",
    "owner": "team-shop", "change": "rename orders.placed_at → ordered_at", "short": "aeddeaf40d",
    "text": '{"type": "record", "name": "Order", "fields": []}',
}  # fmt: skip
"""Arguments of questions by the names of their parameters."""
CAPTURES = [range(8), pytest.param(range(8, 8 + 30 * TIMES), marks=pytest.mark.slow)]
DICTIONARIES = [range(30), pytest.param(range(30, 30 + 160 * TIMES), marks=pytest.mark.slow)]


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the example, with its dictionary."""
    directory = tmp_path_factory.mktemp("example") / "retail"
    shutil.copytree(EXAMPLE, directory)
    dictionary = scanner_api.open_dictionary(directory / "good.db", create=True)
    scanner_api.scan([directory / "cluster.json"], dictionary, replay=directory / "capture")
    scanner_api.generate(dictionary)
    return directory


@pytest.mark.no_cover
@pytest.mark.parametrize("seeds", CAPTURES, ids=["few", "many"])
def test_a_mutated_capture_ends_no_scan(example: Path, seeds: range) -> None:
    """A capture is what others send for support: it costs what is damaged, and a reader never fails."""
    files = sorted(path for path in (example / "capture").rglob("*") if path.is_file())
    dictionary = Dictionary(str(example / "replayed.db"))
    for seed in seeds:
        random = Random(seed)
        file = random.choice(files)
        good = file.read_bytes()
        file.write_bytes(mutated(good, random))
        try:
            reports = scanner_api.scan([example / "cluster.json"], dictionary, replay=example / "capture")
        except ScannerError:
            continue
        finally:
            file.write_bytes(good)

        assert not [one.reason for report in reports for one in report.outcomes if "reader failed" in one.reason], seed


@pytest.mark.no_cover
@pytest.mark.parametrize("seeds", DICTIONARIES, ids=["few", "many"])
def test_a_mutated_dictionary_answers_or_is_named(example: Path, tmp_path: Path, seeds: range) -> None:
    """A value of another type, a lost row or a damaged page is an answer without it, or an error with the file."""
    good = (example / "good.db").read_bytes()
    for seed in seeds:
        random = Random(seed)
        file = tmp_path / str(seed) / "other.db"  # errors of the one before may still have theirs open
        file.parent.mkdir()
        shutil.copy(example / "good.db", file)
        (_damage if seed % 5 == 0 else _change_cells)(file, random)
        before = file.read_bytes()
        assert before != good, seed
        errors = [_error_of(question, Dictionary(str(file))) for question in random.sample(ASKED, 4)]

        assert all("other.db" in error.where for error in errors if isinstance(error, DictionaryUnusable)), seed
        assert file.read_bytes() == before
        file.unlink()


ASKED = [question for question in QUESTIONS if question.name != "check_work_tree"]
"""The questions that need nothing but a dictionary."""


def _error_of(question: Question, dictionary: Dictionary) -> ScannerError | None:
    """Ask a question of the example; return the error, None for an answer."""
    parameters = list(inspect.signature(question.answer).parameters.values())[1:]
    needed = {one.name for one in parameters if one.default is one.empty}
    needed |= {"subject", "text"} if question.name == "check_change" else set()
    try:
        question.answer(dictionary, **{name: ARGUMENTS[name] for name in needed})
    except ScannerError as error:
        return error
    return None


def _damage(file: Path, random: Random) -> None:
    text = bytearray(file.read_bytes())
    for _ in range(random.randrange(1, 20)):
        text[random.randrange(len(text))] ^= random.randrange(1, 256)
    file.write_bytes(text)


def _change_cells(file: Path, random: Random) -> None:
    """Change some cells of one table with rows; what the table itself forbids is drawn again."""
    with closing(sqlite3.connect(file, isolation_level=None)) as conn:
        conn.execute("PRAGMA ignore_check_constraints = ON")
        filled = [table for table in metadata.sorted_tables if _keys(conn, table)]
        while not _cells_changed(conn, random.choice(filled), random):
            continue


def _cells_changed(conn: sqlite3.Connection, table: Table, random: Random) -> bool:
    """Change cells of a column of some rows, or delete the rows; return whether a value is another one now."""
    keys = _keys(conn, table)
    chosen = random.sample(keys, min(len(keys), random.randrange(1, 30)))
    row = " AND ".join(f'"{column.name}" IS ?' for column in table.primary_key)
    if random.random() < 0.2:
        return conn.executemany(f"DELETE FROM {table.name} WHERE {row}", chosen).rowcount > 0
    column = f'"{random.choice(list(table.columns)).name}"'
    value = random.choice([*STRANGE, b"\xff\xfe", b""])
    if isinstance(value, list | dict | bool) or value == 10**400:
        value = str(value)
    other = f"({column} IS NOT ? OR typeof({column}) <> typeof(?))"
    change = f"UPDATE OR IGNORE {table.name} SET {column} = ? WHERE {row} AND {other}"
    try:
        return conn.executemany(change, [(value, *key, value, value) for key in chosen]).rowcount > 0
    except (sqlite3.Error, OverflowError, UnicodeEncodeError):
        return False


def _keys(conn: sqlite3.Connection, table: Table) -> list[tuple[object, ...]]:
    names = ", ".join(f'"{column.name}"' for column in table.primary_key)
    return list(conn.execute(f"SELECT {names} FROM {table.name} ORDER BY {names}"))
