"""Match jobs in events of Flink's OpenLineage listener to scanned statements, by inputs, outputs and name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from dataflow_generator.jobs.model import Dataset, JobFlows, Use
from dataflow_generator.sql import Dialect, read_sql

_SCANNED, _INTEGRATION = "flink", "FLINK"
_TITLE = "insert-into_"
"""Prefix of a statement's job name; its sink tables follow, separated by `,` for a statement set."""


class RunningStatements(NamedTuple):
    """The statements that one job runs, several for a statement set; *why* justifies an uncertain match, else empty."""

    statements: tuple[JobFlows, ...]
    why: str = ""


class FlinkJobMatcher:
    """Finds the scanned statements, among *jobs*, that a Flink job in events runs."""

    def __init__(self, jobs: Iterable[JobFlows]) -> None:
        self._writers: dict[Dataset, list[JobFlows]] = {}
        for job in jobs:
            if dict(job.job.attributes).get("type") == _SCANNED:
                for dataset in _datasets(job.writes):
                    self._writers.setdefault(dataset, []).append(job)

    def match(self, job: JobFlows) -> RunningStatements | None:
        """Return the statements that *job* runs; None where it is not a Flink job, or the match is ambiguous.

        Certain where the tables in its name, its inputs and its outputs agree; uncertain where the name or the inputs
        differ.
        """
        if dict(job.job.attributes).get("integration") != _INTEGRATION:
            return None
        reads, writes = _datasets(job.reads), _datasets(job.writes)
        listed = [self._writer(dataset, reads) for dataset in sorted(writes)]
        statements = tuple({writer.job.key: writer for writer in listed if writer}.values())
        if not all(listed) or writes != _datasets(use for statement in statements for use in statement.writes):
            return None
        named = title_tables(job.job.name) == {sink_table(statement) for statement in statements}
        if reads == _datasets(use for statement in statements for use in statement.reads):
            return RunningStatements(statements, "" if named else "same inputs and outputs under another name")
        return RunningStatements(statements, "same name and outputs, but other inputs") if named else None

    def _writer(self, dataset: Dataset, reads: frozenset[Dataset]) -> JobFlows | None:
        """Return the only writer of *dataset*; of several, the only one whose inputs are among *reads*."""
        writers = self._writers.get(dataset, [])
        if len(writers) > 1:
            writers = [writer for writer in writers if _datasets(writer.reads) <= reads]
        return writers[0] if len(writers) == 1 else None


def _datasets(uses: Iterable[Use]) -> frozenset[Dataset]:
    return frozenset(use.dataset for use in uses)


def title_tables(name: str) -> set[str]:
    """Return the unqualified tables in a job's name; empty where the job has a user-defined name."""
    listed = name.removeprefix(_TITLE).split(",") if name.startswith(_TITLE) else ()
    return {table.rpartition(".")[2] for table in listed}


def sink_table(job: JobFlows) -> str:
    """Return the unqualified table that a statement writes; empty where it names none."""
    parsed = read_sql(str(dict(job.job.attributes).get("statement", "")), Dialect.FLINK)
    written = (table for flows in parsed for table in flows.datasets if table.name in flows.sinks)
    return next((table.qualified[-1] for table in written), "")
