"""What is told of a watched job: its facets, and what it reads and writes, as the generator read it."""

from __future__ import annotations

from collections.abc import Iterable

from dataflow_generator.graph import NodeKind
from dataflow_generator.jobs.model import Dataset, JobFlows
from dataflow_generator.openlineage.emit.facets import dataset_type
from dataflow_generator.openlineage.emit.jobs import job_facets, job_name
from dataflow_generator.openlineage.emit.run_events import DatasetEntry, JobEntry


def described_job(flows: JobFlows) -> JobEntry:
    """Return a job as its runs tell it: named as in the graph, with its statement, without its columns."""
    name = job_name(flows.job)
    return JobEntry(
        namespace=name.namespace,
        name=name.name,
        facets=job_facets(flows.job),
        inputs=described_datasets(use.dataset for use in flows.reads),
        outputs=described_datasets(use.dataset for use in flows.writes),
    )


def described_datasets(found: Iterable[Dataset | None]) -> tuple[DatasetEntry, ...]:
    """Return datasets as runs tell them, each once, by name."""
    return tuple(
        DatasetEntry(
            namespace=each.namespace,
            name=each.name,
            facets={"datasetType": dataset_type("TOPIC")} if each.kind is NodeKind.TOPIC else {},
        )
        for each in sorted({each for each in found if each})
    )


def first_line(trace: str) -> str:
    """Return the first line of a trace, which says what happened."""
    return trace.strip().partition("\n")[0].strip()
