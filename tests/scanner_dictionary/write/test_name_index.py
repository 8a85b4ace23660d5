"""The index has each name of a definition's columns, and each word about them, once; long ones by their beginning."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import select

from scanner_dictionary.schema import tables as t
from scanner_dictionary.search.names import COLUMN, COLUMN_DOC, DOC_MARK, LONGEST_TERM
from scanner_model.columns import Column

LONG = "a" * LONGEST_TERM


@pytest.fixture
def indexed(sample, store, dictionary) -> Callable[..., dict[int, list[str]]]:
    """Store a definition with columns; return the terms of its names and of its words."""

    def read(*columns: Column) -> dict[int, list[str]]:
        store(sample.described(*columns))
        term, use = t.search_term.c, t.search_use.c
        query = select(use.kind, term.term).join(t.search_term, term.id == use.term_id)
        with dictionary.connect() as conn:
            rows = sorted((kind, text) for kind, text in conn.execute(query))
        return {kind: [text for one, text in rows if one == kind] for kind in (COLUMN, COLUMN_DOC)}

    return read


def column(name: str, doc: str | None = None) -> Column:
    return Column(path=(name,), type="string", doc=doc)


def test_a_name_of_several_columns_and_a_word_that_is_a_name_are_there_once(indexed) -> None:
    inside = Column(path=("order", "total"), type="int", doc="Total with surcharge")

    found = indexed(column("order"), inside, column("total", "surcharge"))

    assert found == {COLUMN: ["order", "total"], COLUMN_DOC: [f"{DOC_MARK}surcharge", f"{DOC_MARK}with"]}


def test_names_that_begin_alike_have_one_entry(indexed) -> None:
    found = indexed(column(f"{LONG}b"), column(f"{LONG}c"), column("id"))

    assert found[COLUMN] == [LONG, "id"]
