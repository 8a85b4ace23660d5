"""How far Spark's tasks are, told while they run; its own bar on the terminal is switched off."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from dataflow_generator.build.progress import ProgressCallback, silent

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TASKS = "tasks of Spark"
_EVERY = 0.5
"""Seconds between two looks."""


@contextmanager
def report_tasks(spark: SparkSession, told: ProgressCallback) -> Iterator[None]:
    """Tell, while the block runs, how many tasks are done of those of all stages that began."""
    if told is silent:
        yield
    elif type(spark).__module__.startswith("pyspark.sql.connect"):
        with _told_by_server(spark, StageProgress(told)):
            yield
    else:
        with _told_by_driver(spark, StageProgress(told)):
            yield


class StageProgress:
    """Adds up the tasks of all stages that were seen, and tells them."""

    def __init__(self, told: ProgressCallback) -> None:
        self._told = told
        self._seen: dict[int, tuple[int, int]] = {}

    def ask(self, tracker: Any) -> None:  # noqa: ANN401 - PySpark's own
        """Look which stages run, of those of this Spark's own driver."""
        infos = ((stage, tracker.getStageInfo(stage)) for stage in tracker.getActiveStageIds())
        self._tell({stage: (info.numCompletedTasks, info.numTasks) for stage, info in infos if info is not None})

    def hear(self, stages: Iterable[Any] | None, **_: object) -> None:
        """Take what a Spark Connect server tells by itself."""
        self._tell({each.stage_id: (each.num_completed_tasks, each.num_tasks) for each in stages or ()})

    def _tell(self, now: dict[int, tuple[int, int]]) -> None:
        # A stage that is not named any more has ended.
        ended = {stage: (count, count) for stage, (_, count) in self._seen.items() if stage not in now}
        self._seen |= ended | now
        if self._seen:
            self._told(TASKS, *map(sum, zip(*self._seen.values(), strict=True)))


@contextmanager
def _told_by_driver(spark: SparkSession, seen: StageProgress) -> Iterator[None]:
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(_EVERY):
            seen.ask(spark.sparkContext.statusTracker())

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()


@contextmanager
def _told_by_server(spark: Any, seen: StageProgress) -> Iterator[None]:  # noqa: ANN401 - a handler has no type here
    spark.registerProgressHandler(seen.hear)
    try:
        yield
    finally:
        spark.removeProgressHandler(seen.hear)
