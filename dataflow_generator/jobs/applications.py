"""Applications that monitoring observed at topics: as jobs of their own, or beside what files say of one name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from dataflow_generator.graph import Certainty, Node, NodeKind, present
from dataflow_generator.jobs.consumer_groups import group_node
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


def with_observed_uses(jobs: Sequence[JobFlows], uses: Iterable[ClientRow], naming: Naming) -> list[JobFlows]:
    """Return *jobs* where connectors, groups and Streams applications have what was observed of them, too.

    A use that a job has anyway is not added, so that it counts once. What a group reads for one job is that job's. A
    group that no other source lists is added; where several jobs have the name, none gets the use.
    """
    known = _Known(jobs, naming)
    for row in uses:
        if row.kind != APPLICATION:
            known.add(row)
    return known.jobs


class _Known:
    """Jobs, found by their key (of several with one key the last), and by type and name."""

    def __init__(self, jobs: Iterable[JobFlows], naming: Naming) -> None:
        self.jobs = list(jobs)
        self._naming = naming
        self._at = {job.job.key: at for at, job in enumerate(self.jobs)}
        self._named: dict[tuple[str, str], dict[str, Node]] = {}
        for job in self.jobs:
            kind = dict(job.job.attributes).get("type", "") if job.job.kind is NodeKind.JOB else job.job.kind
            self._named.setdefault((str(kind), job.job.name), {})[job.job.key] = job.job

    def add(self, row: ClientRow) -> None:
        """Add the use to its job, if that lacks it."""
        if (at := self._find(row)) is None:
            return
        job, dataset = self.jobs[at], self._naming.topic(row.cluster, row.topic)
        if all(use.dataset != dataset for use in (job.reads if row.use == Direction.READS else job.writes)):
            self.jobs[at] = _with_use(job, row, self._naming)

    def _find(self, row: ClientRow) -> int | None:
        """Return the position of the job that a row is of; None where that is unknown."""
        named = self._named.get((row.kind, row.application), {})
        keys = [key for key, node in named.items() if self._is_of(node, row)]
        if not keys and row.kind == NodeKind.CONSUMER_GROUP:
            node = group_node(row.application, self._naming.clusters[row.cluster])
            self._at[node.key] = len(self.jobs)
            self._named[row.kind, row.application] = {**named, node.key: node}
            self.jobs.append(JobFlows(job=node, certainty=Certainty.OBSERVED))
            return self._at[node.key]
        owners = self.jobs[self._at[keys[0]]].member_of if len(keys) == 1 else ()
        keys = [key for key in owners if key in self._at] or keys
        return self._at[keys[0]] if len(keys) == 1 else None

    def _is_of(self, node: Node, row: ClientRow) -> bool:
        """Return whether a job is one of the cluster of *row*."""
        match row.kind:
            case "connector":
                return node.namespace.startswith(f"connect://{row.cluster}/")
            case "streams":
                return node.namespace == f"kafka-streams://{row.cluster}"
            case _:
                return node.namespace == self._naming.clusters[row.cluster]


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
