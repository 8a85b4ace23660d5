"""Map a pure function over byte strings in Spark tasks, with results in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession

from scanner_model.threads import run_ordered

Work = Callable[[bytes], bytes]

_WAVE = 16
"""The number of pieces in one Spark job, which bounds the memory of the driver and the effect of a slow piece."""

_AHEAD = 3
"""Waves that run or wait to be read, so that processors wait neither for the last piece of one nor for the reader."""

_PIECES = "place long, piece binary"


def map_bytes(spark: SparkSession, work: Work, pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the result of *work*, which can be pickled, for each of *pieces*, in order; each piece is a task.

    Pieces and results go through the driver in waves, so that no shared directory is needed.
    """
    rest = iter(pieces)
    waves = iter(lambda: list(islice(rest, _WAVE)), [])
    yield from chain.from_iterable(run_ordered((partial(_run_wave, spark, work, wave) for wave in waves), _AHEAD))


def _run_wave(spark: SparkSession, work: Work, wave: Sequence[bytes]) -> list[bytes]:
    def run_batches(batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            numbers, outputs = batch.column(0), [work(piece.as_py()) for piece in batch.column(1)]
            yield pa.RecordBatch.from_arrays([numbers, pa.array(outputs, pa.binary())], ["place", "piece"])

    sent = pa.table({"place": range(len(wave)), "piece": pa.array(wave, pa.binary())})
    # By place, so that a task has one piece: a schema as large as a thousand others keeps none of them waiting.
    spread = spark.createDataFrame(sent).repartitionByRange(len(wave), "place")
    results = spread.mapInArrow(run_batches, _PIECES).toArrow().sort_by("place")
    return [piece.as_py() for piece in results.column("piece")]
