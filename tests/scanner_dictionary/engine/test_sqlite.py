"""Connections to a dictionary in a file that only ask."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.engine.sqlite import only_read
from scanner_model.errors import DictionaryUnusable


def test_a_question_that_never_ends_is_interrupted_and_the_next_one_is_answered(tmp_path) -> None:
    """A dictionary of others may have an endless view: the error names the file."""
    engine = open_dictionary(str(tmp_path / "d.db"))
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

    with engine.connect() as conn:
        only_read(conn, most=3)
        with pytest.raises(DictionaryUnusable, match=r"too slow") as error:
            conn.execute(text(endless)).all()
        assert error.value.where.endswith("d.db")
        assert conn.execute(text("SELECT 1")).scalar() == 1


def test_a_connection_that_only_reads_rejects_writes(tmp_path) -> None:
    engine = open_dictionary(str(tmp_path / "d.db"))

    with engine.connect() as conn:
        only_read(conn)
        with pytest.raises(DictionaryUnusable, match="cannot be written"):
            conn.execute(text("INSERT INTO cluster (id, name) VALUES (1, 'x')"))
