"""Applications that monitoring observed at topics: as jobs of their own, or beside what files say of one name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from dataflow_generator.graph import Certainty, present
from dataflow_generator.jobs.model import JobFlows, Naming, Use, job_node
from scanner_dictionary.queries.clients import ClientRow
from scanner_model.clients import Direction

APPLICATION = "application"
"""The type of the jobs."""


def with_observed(jobs: Iterable[JobFlows], uses: Iterable[ClientRow], naming: Naming) -> Iterator[JobFlows]:
    """Yield *jobs* with what was observed of those of one name, then the applications that were observed only.

    Connectors, groups and Streams applications are jobs already. What an application was observed to read does not
    reach what it was observed to write: that it does both does not say which of them come from which.
    """
    observed: dict[str, JobFlows] = {}
    for use in uses:
        if use.kind == APPLICATION:
            node = job_node(
                naming.clusters[use.cluster], use.application, present(type=APPLICATION, observed=True, owner=use.owner)
            )
            known = observed.setdefault(node.key, JobFlows(job=node, certainty=Certainty.OBSERVED))
            observed[node.key] = _with_use(known, use, naming)
    for job in jobs:
        seen = observed.pop(job.job.key, None)
        yield _merged(job, seen) if seen else job
    yield from map(_with_one_route, observed.values())


def _with_use(job: JobFlows, row: ClientRow, naming: Naming) -> JobFlows:
    use = Use(naming.topic(row.cluster, row.topic), f"observed: {row.evidence}", row.use, Certainty.OBSERVED)
    if row.use == Direction.READS:
        return replace(job, reads=(*job.reads, use))
    return replace(job, writes=(*job.writes, use))


def _with_one_route(job: JobFlows) -> JobFlows:
    """Return a job that only reads, or only writes, without routes: there is nothing to keep apart."""
    if job.reads and job.writes:
        return job
    reads, writes = (tuple(replace(use, route="") for use in uses) for uses in (job.reads, job.writes))
    return replace(job, reads=reads, writes=writes)


def _merged(job: JobFlows, seen: JobFlows) -> JobFlows:
    attributes = dict(seen.job.attributes) | dict(job.job.attributes)
    node = replace(job.job, attributes=tuple(sorted(attributes.items())))
    return replace(job, job=node, reads=(*job.reads, *seen.reads), writes=(*job.writes, *seen.writes))
