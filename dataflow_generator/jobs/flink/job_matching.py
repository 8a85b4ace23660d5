"""Which scanned statements a job is that Flink's own events tell of: by what it reads and writes, and by its name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from dataflow_generator.jobs.model import Dataset, JobFlows, Use
from dataflow_generator.sql import Dialect, read_sql

_SCANNED, _INTEGRATION = "flink", "FLINK"
_TITLE = "insert-into_"
"""How Flink names the job of a statement; the tables that it writes follow, with `,` between those of a set."""


class Running(NamedTuple):
    """The statements that one job runs: of a statement set all; *why* is empty where nobody doubts it."""

    statements: tuple[JobFlows, ...]
    why: str = ""


class FlinkRuns:
    """Finds the statements of scans, *jobs*, that events tell as jobs of Flink's."""

    def __init__(self, jobs: Iterable[JobFlows]) -> None:
        self._writers: dict[Dataset, list[JobFlows]] = {}
        for job in jobs:
            if dict(job.job.attributes).get("type") == _SCANNED:
                for dataset in _datasets(job.writes):
                    self._writers.setdefault(dataset, []).append(job)

    def of(self, told: JobFlows) -> Running | None:
        """Return the statements that *told* runs; None where it is none of Flink's, or where there is not just one way.

        Sure where the tables in its name, what it reads and what it writes are theirs; likely where one of the first
        two is not.
        """
        if dict(told.job.attributes).get("integration") != _INTEGRATION:
            return None
        reads, writes = _datasets(told.reads), _datasets(told.writes)
        listed = [self._writer(dataset, reads) for dataset in sorted(writes)]
        statements = tuple({each.job.key: each for each in listed if each}.values())
        if not all(listed) or writes != _datasets(use for each in statements for use in each.writes):
            return None
        named = title_tables(told.job.name) == {sink_table(each) for each in statements}
        if reads == _datasets(use for each in statements for use in each.reads):
            return Running(statements, "" if named else "it reads and writes the same, and has another name")
        return Running(statements, "it has the same name and writes the same, and reads others") if named else None

    def _writer(self, dataset: Dataset, reads: frozenset[Dataset]) -> JobFlows | None:
        """Find who writes *dataset*; of several the one that reads nothing else than *reads*."""
        found = self._writers.get(dataset, [])
        if len(found) > 1:
            found = [each for each in found if _datasets(each.reads) <= reads]
        return found[0] if len(found) == 1 else None


def _datasets(uses: Iterable[Use]) -> frozenset[Dataset]:
    return frozenset(use.dataset for use in uses)


def title_tables(name: str) -> set[str]:
    """Return the tables in a job's name without catalog and database; none where somebody named the job."""
    listed = name.removeprefix(_TITLE).split(",") if name.startswith(_TITLE) else ()
    return {table.rpartition(".")[2] for table in listed}


def sink_table(job: JobFlows) -> str:
    """Return the table that a statement writes, without catalog and database; empty where it names none."""
    found = read_sql(str(dict(job.job.attributes).get("statement", "")), Dialect.FLINK)
    written = (table for one in found for table in one.datasets if table.name in one.sinks)
    return next((table.qualified[-1] for table in written), "")
