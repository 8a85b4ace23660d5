"""Ways for Spark to read the columns of a dictionary, side by side: `python benchmarks/read_paths.py FILE [NAME …]`.

Each reads every cell that generation needs and counts the rows in Spark, so that writing is not measured.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from dataflow_generator.build.dictionary_source import DictionarySource
from dataflow_generator.spark.session import spark_session
from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.export import export_parquet

_ROWS = "definition long, ordinal long, path string, name string, type string, nullable boolean"
_NAMES = ("definition_id", "ordinal", "path", "name", "data_type", "nullable")


def by_tasks(spark: Any, file: str) -> int:  # noqa: ANN401 - PySpark is not typed here
    """Read by `mapInArrow` over ranges of keys, as generation does."""
    source = DictionarySource(file)
    spans = source.ranges(100_000)

    def read(batches: Iterable[Any]) -> Iterator[Any]:
        for at in (at for batch in batches for at in batch.column(0).to_pylist()):
            yield from map(_batch, source.cells(spans[at]))

    return int(spark.range(0, len(spans), 1, len(spans)).mapInArrow(read, _ROWS).groupBy().count().first()[0])


def by_data_source(spark: Any, file: str) -> int:  # noqa: ANN401
    """Read by a Python data source with Arrow batches."""
    from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

    source = DictionarySource(file)

    class Reader(DataSourceReader):
        def partitions(self) -> list[InputPartition]:
            return [InputPartition(span) for span in source.ranges(100_000)]

        def read(self, partition: InputPartition) -> Iterator[Any]:
            yield from map(_batch, source.cells(partition.value))

    class Columns(DataSource):
        @classmethod
        def name(cls) -> str:
            return "dictionary_columns"

        def schema(self) -> str:
            return _ROWS

        def reader(self, schema: object) -> DataSourceReader:  # noqa: ARG002 - called by its name
            return Reader()

    spark.dataSource.register(Columns)
    return int(spark.read.format("dictionary_columns").load().groupBy().count().first()[0])


def by_snapshot(spark: Any, file: str) -> int:  # noqa: ANN401
    """Let Spark itself read the exported table; a definition may then be in two tasks."""
    table = Path(file).with_suffix(".tables")
    if not table.exists():
        with open_dictionary(file).connect() as conn:
            export_parquet(conn, table)
    frame = spark.read.parquet(str(table / "schema_column.parquet")).select(*_NAMES)
    return int(frame.mapInArrow(lambda batches: batches, frame.schema).groupBy().count().first()[0])


READERS: dict[str, Callable[[Any, str], int]] = {
    "tasks": by_tasks,
    "data source": by_data_source,
    "snapshot": by_snapshot,
}


def _batch(cells: Any) -> Any:  # noqa: ANN401
    import pyarrow as pa

    result = list(zip(*cells.columns, strict=True))
    arrays = [pa.array(result[at], pa.int64()) for at in (0, 1)] + [
        pa.array(result[at], pa.string()) for at in (2, 3, 4)
    ]
    return pa.RecordBatch.from_arrays(
        [*arrays, pa.array(list(map(bool, result[6])))], [part.split(" ")[0] for part in _ROWS.split(", ")]
    )


def main(file: str, names: list[str]) -> None:
    """Print the seconds of each way, thrice, in turn."""
    settings = {"spark.master": "local[2]", "spark.driver.memory": "1500m"}
    with spark_session(settings) as spark:
        for turn in range(3):
            for name in names or list(READERS):
                started = time.perf_counter()
                rows = READERS[name](spark, file)
                print(f"{turn} {name}: {rows:,} rows in {time.perf_counter() - started:.1f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
