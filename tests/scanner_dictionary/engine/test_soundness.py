"""Dictionaries of others: a file that is not as scanner makes it is refused, and a damaged value is named."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

import scanner_api
from scanner_api.dictionary import Dictionary, open_dictionary
from scanner_api.questions.listings import topics
from scanner_dictionary.engine.soundness import damage
from scanner_model.errors import DictionaryUnusable

RETAIL = Path(__file__).parents[3] / "examples/retail"
ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return the file of an empty dictionary."""
    path = tmp_path / "dictionary.db"
    open_dictionary(path, create=True)
    return path


def changed(file: Path, *statements: str) -> Dictionary:
    with sqlite3.connect(file) as conn:
        for statement in statements:
            conn.execute(statement)
    return Dictionary(str(file))


@pytest.mark.parametrize(
    "statements",
    [
        ("DROP TABLE topic", f"CREATE VIEW topic AS {ENDLESS} x AS id FROM n"),
        ("DROP TABLE dictionary_version", f"CREATE VIEW dictionary_version AS {ENDLESS} max(x) AS version_num FROM n"),
        ("DROP TABLE scan", f"CREATE VIEW scan AS {ENDLESS} count(*) AS id FROM n"),
        ("DROP TABLE cluster", "CREATE VIRTUAL TABLE cluster USING fts5(id, name)"),
        (f"CREATE TRIGGER t AFTER INSERT ON scan BEGIN INSERT INTO topic (id) {ENDLESS} x FROM n; END",),
        ("DROP VIEW v_topics", f"CREATE VIEW v_topics AS {ENDLESS} x FROM n"),
        ("DROP VIEW v_topics", "CREATE TABLE v_topics (id)"),
        ("ALTER TABLE scan ADD COLUMN more AS (hex(zeroblob(400000000)))",),
        ("DROP VIEW v_lineage", "CREATE VIEW v_lineage AS SELECT load_extension('/tmp/x.so')"),
        ("ALTER TABLE topic RENAME TO held", "CREATE VIEW topic AS SELECT * FROM held"),
    ],
)
def test_a_file_with_other_objects_is_refused(file: Path, statements: tuple[str, ...]) -> None:
    """Each would run SQL of whoever made the file, some of it without end."""
    with pytest.raises(DictionaryUnusable, match="not as scanner makes it") as raised:
        topics(changed(file, *statements))

    assert str(file) in str(raised.value)


def test_views_of_your_own_stay(file: Path) -> None:
    dictionary = changed(file, "CREATE VIEW mine AS SELECT topic FROM v_topics", "CREATE TABLE notes (id)")

    assert topics(dictionary).items == ()


@pytest.mark.parametrize("value", ["x'00ff'", "x''", "zeroblob(3)", "x'ed'"])
def test_a_value_of_another_type_is_named(file: Path, value: str) -> None:
    """As a reader meets it that raises an error of data."""
    dictionary = changed(file, f"INSERT INTO flow_node VALUES (1, {value}, 'k', 'n', 'x', '[]', '{{}}')")
    with pytest.raises(DictionaryUnusable, match=r"damaged: flow_node\.\w+"), dictionary.reading():
        raise TypeError("int() argument")


def test_a_text_that_is_not_the_json_of_its_column_is_named(file: Path) -> None:
    dictionary = changed(file, "INSERT INTO flow_node VALUES (1, 'x', 'topic', 'n', 'x', NULL, '[]')")
    with pytest.raises(DictionaryUnusable, match=r"damaged: flow_node\.attributes"), dictionary.reading():
        raise TypeError("list indices must be integers")


def test_a_defect_of_scanner_is_no_damage(file: Path) -> None:
    with pytest.raises(TypeError), Dictionary(str(file)).reading():
        raise TypeError("a defect")


def test_a_scanned_dictionary_is_sound(tmp_path: Path) -> None:
    """Else each defect of scanner is told as damage of the file, and people restore a copy in vain."""
    dictionary = scanner_api.open_dictionary(tmp_path / "d.db", create=True)
    scanner_api.scan([RETAIL / "cluster.json"], dictionary, replay=RETAIL / "capture")
    scanner_api.generate(dictionary)

    with dictionary.reading() as conn:
        assert damage(conn, {}) == ""


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("INSERT INTO flow_node VALUES (1, 'x', 'planet', 'n', 'x', NULL, '{}')", "flow_node.kind has a value"),
        ("INSERT INTO flow_node VALUES (1, 'x', 'topic', 'n', 'x', '[{}]', '{}')", "flow_node.path has a value"),
        (
            "INSERT INTO flow_edge VALUES (1, 7, 8, 'reads', '', '', '', 'derived')",
            "a row of flow_node that is missing",
        ),
    ],
)
def test_other_damage_is_named(file: Path, statement: str, what: str) -> None:
    """A word that no version knows, a list of other values, and a lost row."""
    dictionary = changed(file, statement)
    with pytest.raises(DictionaryUnusable, match=what), dictionary.reading():
        raise LookupError("7")
