"""Report the progress of Spark tasks while they run; Spark's own progress bar is disabled."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from pyspark.sql import SparkSession

from dataflow_generator.build.coverage import ProgressCallback, silent

TASKS = "Spark tasks"
_EVERY = 0.5
"""Seconds between two reports."""


@contextmanager
def report_tasks(spark: SparkSession, report: ProgressCallback) -> Iterator[None]:
    """Report, while the block runs, how many tasks of all started stages are done."""
    if report is silent:
        yield
    elif type(spark).__module__.startswith("pyspark.sql.connect"):
        with _reported_by_server(spark, StageProgress(report)):
            yield
    else:
        with _reported_by_driver(spark, StageProgress(report)):
            yield


class StageProgress:
    """Sums the tasks of all observed stages, and reports them."""

    def __init__(self, report: ProgressCallback) -> None:
        self._report = report
        self._stages: dict[int, tuple[int, int]] = {}

    def poll(self, tracker: Any) -> None:  # noqa: ANN401 - PySpark's own
        """Query the running stages of this driver."""
        infos = ((stage, tracker.getStageInfo(stage)) for stage in tracker.getActiveStageIds())
        self._update({stage: (info.numCompletedTasks, info.numTasks) for stage, info in infos if info is not None})

    def on_update(self, stages: Iterable[Any] | None, **_: object) -> None:
        """Handle a progress message of a Spark Connect server."""
        self._update({stage.stage_id: (stage.num_completed_tasks, stage.num_tasks) for stage in stages or ()})

    def _update(self, now: dict[int, tuple[int, int]]) -> None:
        # A stage that is no longer listed has ended.
        ended = {stage: (count, count) for stage, (_, count) in self._stages.items() if stage not in now}
        self._stages |= ended | now
        if self._stages:
            self._report(TASKS, *map(sum, zip(*self._stages.values(), strict=True)))


@contextmanager
def _reported_by_driver(spark: SparkSession, progress: StageProgress) -> Iterator[None]:
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(_EVERY):
            progress.poll(spark.sparkContext.statusTracker())

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()


@contextmanager
def _reported_by_server(spark: Any, progress: StageProgress) -> Iterator[None]:  # noqa: ANN401 - a handler has no type here
    spark.registerProgressHandler(progress.on_update)
    try:
        yield
    finally:
        spark.removeProgressHandler(progress.on_update)
