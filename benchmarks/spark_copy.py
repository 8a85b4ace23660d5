"""The limit of generation on Spark: read rows of columns, write them twice. `spark_copy.py FILE DIR [NAME=VALUE …]`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any

from dataflow_generator.build.dictionary_source import DictionarySource
from dataflow_generator.spark.session import spark_session

_TEXTS = "path string, name string, type string, logical string"
_ROWS = f"definition long, ordinal long, {_TEXTS}, nullable boolean, tags string"


def main(file: str, directory: str, settings: dict[str, str]) -> None:
    """Copy the rows of the dictionary in *file*, by tasks of as many rows as ours, for nodes and for edges."""
    source = DictionarySource(file)
    spans = source.ranges(100_000)

    def copied(batches: Iterable[Any]) -> Iterator[Any]:
        import pyarrow as pa

        names = [column.split(" ")[0] for column in _ROWS.split(", ")]
        types = [pa.int64()] * 2 + [pa.string()] * 4 + [pa.bool_(), pa.string()]
        for at in (at for batch in batches for at in batch.column(0).to_pylist()):
            for cells in source.cells(spans[at]):
                columns = [list(column) for column in zip(*cells.columns, strict=True)]
                columns[6] = list(map(bool, columns[6]))
                arrays = [pa.array(column, kind) for column, kind in zip(columns, types, strict=True)]
                yield pa.RecordBatch.from_arrays(arrays, names)

    with spark_session(settings) as spark:
        for name in ("nodes", "edges"):
            rows = spark.range(0, len(spans), 1, len(spans)).mapInArrow(copied, _ROWS)
            rows.write.option("compression", "zstd").parquet(f"{directory}/{name}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], dict(text.split("=", 1) for text in sys.argv[3:]))
