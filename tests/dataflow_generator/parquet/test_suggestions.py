"""Which of many names may be near a wrong one: the same that would be found among all of them."""

import random

import pyarrow as pa
import pytest

from dataflow_generator.parquet.suggestions import likely
from scanner_dictionary.queries.resolve import suggestions

WORDS = ("order", "Orders", "customer", "id", "žluť", "payment", "x", "amount", "EU")
SCHEMA = pa.schema([("name", pa.string()), ("path", pa.list_(pa.string()))])


def written(row):
    return ".".join((row["name"], *(row["path"] or ())))


def rows_of(seed, count):
    """Build rows, many of them alike, as topics and columns of several clusters are."""
    chance = random.Random(seed)
    for _ in range(count):
        name = ".".join(chance.choices(WORDS, k=chance.randrange(1, 3))) + str(chance.randrange(90))
        path = chance.choice((None, chance.choices(WORDS, k=chance.randrange(1, 4))))
        yield {"name": name, "path": path}


@pytest.mark.parametrize("text", ["ordrs", "orders7.custmer.id", "žlut.", "pymnt8.x", "x", "", "zzz", "EU.EU1.amuont"])
@pytest.mark.parametrize("size", [300, 5000])
def test_the_nearest_of_all_are_among_the_likely(text, size) -> None:
    """A graph in files suggests what the dictionary does."""
    rows = list(rows_of(size, 5000))
    batches = pa.Table.from_pylist(rows, schema=SCHEMA).to_batches(max_chunksize=size)
    (found,) = likely(batches, text)

    assert found.num_rows <= 200
    assert suggestions(text, map(written, found.to_pylist())) == suggestions(text, map(written, rows))


def test_a_name_of_many_clusters_is_there_once() -> None:
    """Else a hundred of one topic would leave no place for others."""
    rows = [{"name": "orders", "path": None}] * 1000 + [{"name": "ordering", "path": None}] * 2
    (found,) = likely(pa.Table.from_pylist(rows, schema=SCHEMA).to_batches(), "ordrs")

    assert sorted(map(written, found.to_pylist())) == ["ordering", "orders"]


def test_nothing_is_likely_among_nothing() -> None:
    """A graph may be empty, and so may a batch."""
    assert list(likely(SCHEMA.empty_table().to_batches(), "orders")) == []
    assert list(likely([pa.RecordBatch.from_pylist([], schema=SCHEMA)], "orders")) == []
