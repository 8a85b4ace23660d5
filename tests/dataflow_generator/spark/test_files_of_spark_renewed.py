"""A graph that Spark wrote into Parquet files is brought up to date without Spark."""

import pytest
from pyarrow import parquet
from sqlalchemy import text

from dataflow_generator.build.dictionary_source import DictionarySource
from dataflow_generator.parquet.dataset import EDGES, NODES, ParquetTables
from dataflow_generator.parquet.incremental.update import renew_graph
from dataflow_generator.parquet.manifest import MADE
from dataflow_generator.parquet.writer import write_graph as write_here
from dataflow_generator.spark.assemble import write_graph as write_on_spark
from scanner_dictionary.engine.open import open_dictionary, writing

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark")]


def rows(directory):
    return [list(ParquetTables(directory).every_row(name)) for name in (NODES, EDGES)]


def test_files_of_spark_are_renewed_here(spark, estate_of, tmp_path) -> None:
    """Both engines remember the same of what they made a graph of: an estate without events."""
    source = DictionarySource(estate_of(6, tmp_path))
    for name, write in (("here", write_here), ("there", lambda *told: write_on_spark(spark, *told))):
        write(source, tmp_path / name)
    here, there = (parquet.read_table(tmp_path / name / MADE) for name in ("here", "there"))
    engine = open_dictionary(source.url)
    with writing(engine) as conn:
        conn.execute(text("UPDATE topic SET gone = 9 WHERE id = (SELECT min(id) FROM topic WHERE gone IS NULL)"))
    engine.dispose()
    renewed = renew_graph(source, tmp_path / "there")
    write_here(source, tmp_path / "anew")

    assert sorted(here.to_pylist(), key=repr) == sorted(there.to_pylist(), key=repr)
    assert here.schema.metadata == there.schema.metadata
    assert renewed
    assert rows(tmp_path / "there") == rows(tmp_path / "anew")
