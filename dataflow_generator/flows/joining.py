"""Jobs of all sources over one set of datasets: what events call otherwise is given the name that it is shown under."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

from dataflow_generator.flows.drawing import Flows
from dataflow_generator.flows.facts import ColumnFlow, Dataset, JobFlows, Place, Use
from dataflow_generator.flows.flink_runs import FlinkRuns, Running
from dataflow_generator.flows.openlineage import KIND
from dataflow_generator.flows.told_fields import ToldFields
from dataflow_generator.graph import Attributes, Certainty, Node

T = TypeVar("T", Use, ColumnFlow)

_OF_SCAN = {"kafka-connect": "connector", "ksqldb": "ksqldb", "flink": "flink"}
"""The type of a scanned job by the first word of the namespace under which others' events tell of the same."""
_TASK = re.compile(r"\.\d+")


class Renamed(NamedTuple):
    """The dataset that another one is; *why* is empty where nobody doubts it."""

    dataset: Dataset
    why: str = ""


Rename = Callable[[Dataset], Renamed]
Fields = Mapping[Dataset, ToldFields]


def is_told(job: JobFlows) -> bool:
    """Say whether events tell of *job*."""
    return dict(job.job.attributes).get("type") == KIND


def renamed(job: JobFlows, rename: Rename) -> JobFlows:
    """Give *job* over the datasets that *rename* gives; a likely join is MATCHED, and the evidence says why."""
    reads, writes = ([_renamed_use(use, rename) for use in uses] for uses in (job.reads, job.writes))
    columns = [_renamed_flow(flow, rename) for flow in job.columns]
    if is_told(job):
        # What events called differently, and is one, is told twice.
        reads, writes = _once(reads, lambda use: use.dataset), _once(writes, lambda use: use.dataset)
        columns = _once(columns, lambda flow: (flow.source, flow.target, flow.type, flow.subtype))
    return replace(job, reads=tuple(reads), writes=tuple(writes), columns=tuple(columns))


def _once(listed: Iterable[T], what: Callable[[T], Hashable]) -> list[T]:
    """Keep of what is the same the surest, and of equally sure ones that of the latest event."""
    found: dict[Hashable, T] = {}
    for each in listed:
        known = found.setdefault(what(each), each)
        found[what(each)] = max(known, each, key=lambda one: (one.certainty is None, one.evidence))
    return list(found.values())


def with_fields(job: JobFlows, fields: Fields) -> JobFlows:
    """Give *job* with columns as their datasets call them; a flow between two whole datasets is none of columns."""
    found = (
        replace(flow, source=_placed(flow.source, fields), target=_placed(flow.target, fields)) for flow in job.columns
    )
    kept = (flow for flow in found if flow.source.path is not None or flow.target.path is not None)
    return replace(job, columns=tuple(dict.fromkeys(kept)))


def merged_jobs(jobs: Sequence[JobFlows]) -> list[JobFlows]:
    """Add what events tell of a job that a scan found, too, to that job; of others with one name the later is kept."""
    known_jobs = [job for job in jobs if not is_told(job)]
    scanned, flink = _Scanned(known_jobs), FlinkRuns(known_jobs)
    found: dict[str, JobFlows] = {}
    for job in sorted(jobs, key=is_told):
        if running := flink.of(job) if is_told(job) else None:
            for each in running.statements:
                found[each.job.key] = _run_by(found[each.job.key], job, running)
            continue
        known = scanned.same(job) if is_told(job) else None
        key = known.key if known else job.job.key
        found[key] = _merged(found[key], job) if is_told(job) and key in found else job
    return list(found.values())


def with_attributes(flows: Flows, told: Mapping[str, Attributes]) -> Flows:
    """Give *flows* with what is *told*, by node key, of datasets of which they tell nothing."""
    nodes = (replace(node, attributes=node.attributes or told.get(node.key, ())) for node in flows.nodes)
    return replace(flows, nodes=tuple(nodes)) if told else flows


class _Scanned:
    """The jobs of scans, by what events may call them."""

    def __init__(self, jobs: Iterable[JobFlows]) -> None:
        self._named: dict[tuple[str, str], list[JobFlows]] = {}
        for job in jobs:
            kind = str(dict(job.job.attributes).get("type", ""))
            self._named.setdefault((kind, job.job.name), []).append(job)

    def same(self, job: JobFlows) -> Node | None:
        """Find the scanned job that *job* is, where there is exactly one."""
        kind = _OF_SCAN.get(job.job.namespace.partition(":")[0], "")
        found = self._named.get((kind, job.job.name), []) if kind else self._debezium(job)
        return found[0].job if len(found) == 1 else None

    def _debezium(self, told: JobFlows) -> list[JobFlows]:
        """List the connectors whose topics begin with the prefix that Debezium names its own job by.

        Where transforms gave the topics other names, those that read and write all that it says it does.
        """
        job, prefix = told.job, f"{told.job.namespace}."
        if not (job.name.startswith(job.namespace) and _TASK.fullmatch(job.name[len(job.namespace) :])):
            return []
        connectors = [each for (kind, _), jobs in self._named.items() if kind == "connector" for each in jobs]
        named = [
            each
            for each in connectors
            if each.writes and all(use.dataset.name.startswith(prefix) for use in each.writes)
        ]
        return named or [each for each in connectors if _does(each, told)]


def _does(job: JobFlows, told: JobFlows) -> bool:
    """Say whether *job* reads and writes all that *told* does, which must write something."""
    ways = ((job.reads, told.reads), (job.writes, told.writes))
    return bool(told.writes) and all(
        {use.dataset for use in one} >= {use.dataset for use in other} for one, other in ways
    )


def _run_by(statement: JobFlows, job: JobFlows, running: Running) -> JobFlows:
    """Add to a statement what events tell of the job that runs it; of a statement set only what is of this one."""
    if not running.why:
        return _merged(statement, _part(job, statement, running))
    likely = renamed(job, lambda dataset: Renamed(dataset, running.why))
    return _merged(statement, _part(likely, statement, running), "likely_aliases")


def _part(job: JobFlows, statement: JobFlows, running: Running) -> JobFlows:
    if len(running.statements) == 1:
        return job
    made = {use.dataset for use in statement.writes}
    return replace(job, reads=(), writes=(), columns=tuple(flow for flow in job.columns if flow.target.dataset in made))


def _merged(first: JobFlows, other: JobFlows, called: str = "aliases") -> JobFlows:
    attributes = dict(other.job.attributes) | dict(first.job.attributes)
    aliases = {other.job.namespace + "/" + other.job.name} - {first.job.namespace + "/" + first.job.name}
    if aliases:
        earlier = attributes.get(called, ())
        attributes[called] = tuple(sorted({*aliases, *(earlier if isinstance(earlier, tuple) else ())}))
    reads, writes = ({use.dataset for use in uses} for uses in (first.reads, first.writes))
    flows = {(flow.source, flow.target, flow.type) for flow in first.columns}
    new = (flow for flow in other.columns if (flow.source, flow.target, flow.type) not in flows)
    return replace(
        first,
        job=replace(first.job, attributes=tuple(sorted(attributes.items()))),
        reads=(*first.reads, *_as_sure_as(other, (use for use in other.reads if use.dataset not in reads))),
        writes=(*first.writes, *_as_sure_as(other, (use for use in other.writes if use.dataset not in writes))),
        columns=(*first.columns, *(replace(flow, certainty=flow.certainty or other.certainty) for flow in new)),
    )


def _as_sure_as(job: JobFlows, uses: Iterable[Use]) -> Iterator[Use]:
    return (replace(use, certainty=use.certainty or job.certainty) for use in uses)


def _renamed_use(use: Use, rename: Rename) -> Use:
    dataset, why = rename(use.dataset)
    if not why:
        return use if dataset == use.dataset else replace(use, dataset=dataset)
    return replace(use, dataset=dataset, evidence=f"{use.evidence}; joined: {why}", certainty=Certainty.MATCHED)


def _renamed_flow(flow: ColumnFlow, rename: Rename) -> ColumnFlow:
    source, target = rename(flow.source.dataset), rename(flow.target.dataset)
    ends = replace(flow.source, dataset=source.dataset), replace(flow.target, dataset=target.dataset)
    changed = replace(flow, source=ends[0], target=ends[1])
    if why := "; ".join(dict.fromkeys(filter(None, (source.why, target.why)))):
        return replace(changed, evidence=f"{flow.evidence}; joined: {why}", certainty=Certainty.MATCHED)
    return changed


def _placed(place: Place, fields: Fields) -> Place:
    known = fields.get(place.dataset)
    return replace(place, path=known.find(place.path)) if known else place
