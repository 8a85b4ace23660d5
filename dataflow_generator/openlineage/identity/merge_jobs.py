"""Jobs of all sources over one set of datasets: what events call otherwise is given the name that it is shown under."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

from dataflow_generator.build.coverage import Coverage
from dataflow_generator.build.graph_builder import Described, Flows, datasets_of
from dataflow_generator.graph import Attributes, Certainty, Node, NodeKind
from dataflow_generator.jobs.field_matching import EventFields, unlisted
from dataflow_generator.jobs.flink.job_matching import FlinkRuns, Running
from dataflow_generator.jobs.kinds import LookupContext, described, merged
from dataflow_generator.jobs.model import ColumnFlow, Dataset, JobFlows, Place, Use
from dataflow_generator.jobs.openlineage import KIND, dataset_attributes
from dataflow_generator.openlineage.identity.dataset_identity import DatasetIdentity
from dataflow_generator.openlineage.identity.kafka_clusters import KafkaClusters
from dataflow_generator.openlineage.identity.names import normal
from scanner_dictionary.lineage_inputs import events as lineage_input
from scanner_dictionary.lineage_inputs import topics as graph_input
from scanner_dictionary.lineage_inputs.topics import Connection
from scanner_model.columns import Column
from scanner_model.openlineage import DatasetRef, Symlink

T = TypeVar("T", Use, ColumnFlow)

_OF_SCAN = {"kafka-connect": "connector", "ksqldb": "ksqldb", "flink": "flink"}
"""The type of a scanned job by the first word of the namespace under which others' events tell of the same."""
_TASK = re.compile(r"\.\d+")


class Renamed(NamedTuple):
    """The dataset that another one is; *why* is empty where nobody doubts it."""

    dataset: Dataset
    why: str = ""


Rename = Callable[[Dataset], Renamed]
Fields = Mapping[Dataset, EventFields]


def is_told(job: JobFlows) -> bool:
    """Report whether events tell of *job*."""
    return dict(job.job.attributes).get("type") == KIND


def renamed(job: JobFlows, rename: Rename) -> JobFlows:
    """Return *job* over the datasets that *rename* gives; a likely join is MATCHED, and the evidence says why."""
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
    """Return *job* with columns as their datasets call them; a flow between two whole datasets is none of columns."""
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
    """Return *flows* with what is *told*, by node key, of datasets of which they tell nothing."""
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
    """Report whether *job* reads and writes all that *told* does, which must write something."""
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


class MergedJobs(NamedTuple):
    """Jobs over one set of datasets, the columns that events added to those known, and what could not be joined.

    *attributes* are what events tell of datasets, by the keys of their nodes.
    """

    jobs: Sequence[JobFlows]
    described: Described
    coverage: Coverage
    attributes: Mapping[str, Attributes]


def merge_jobs(conn: Connection, jobs: Sequence[JobFlows], around: LookupContext) -> MergedJobs:
    """Return every dataset of *jobs* the one name that it is shown under; without events all stay as they are."""
    if not any(map(is_told, jobs)):
        return MergedJobs(jobs, {}, Coverage(), {})
    stitching = _stitching(conn, jobs, around)
    found = {each: _renamed(stitching, each) for each in datasets_of(jobs)}
    moved = [renamed(job, found.__getitem__) for job in jobs]
    told = _flowing(filter(is_told, moved))
    columns = _told_columns(conn, stitching, told | _flowing(moved))
    fields = _fields(told, columns, around)
    placed = [with_fields(job, fields) if is_told(job) else job for job in moved]
    topics = described(filter(is_told, placed), around)
    shown = _undescribed(columns, around)
    unsure = Coverage(problems=stitching.problems)
    return MergedJobs(merged_jobs(placed), merged((shown, topics)), unsure, _attributes(conn, stitching))


def _flowing(jobs: Iterable[JobFlows]) -> frozenset[Dataset]:
    return frozenset(end.dataset for job in jobs for flow in job.columns for end in (flow.source, flow.target))


def _undescribed(told: Mapping[Dataset, tuple[Column, ...]], around: LookupContext) -> Described:
    """Return the columns that events tell of tables, and of topics where no schema has them."""
    clusters = {namespace: name for name, namespace in around.naming.clusters.items()}
    topics = {(clusters[each.namespace], each.name): each for each in told if each.namespace in clusters}
    known = around.columns(topics) if topics else {}
    paths = {topics[topic]: {column.path for column in columns} for topic, columns in known.items()}
    return {
        (each.namespace, each.name): tuple(column for column in told[each] if column.path not in paths.get(each, ()))
        for each in sorted(told)
    }


def _stitching(conn: Connection, jobs: Iterable[JobFlows], around: LookupContext) -> DatasetIdentity:
    others = datasets_of(job for job in jobs if not is_told(job))
    of_catalogs = (
        (DatasetRef(*other), Symlink(namespace=shown[0], name=shown[1], kind="TABLE"))
        for other, shown in sorted(around.naming.shown.items())
    )
    return DatasetIdentity(
        lineage_input.lineage_names(conn),
        (*lineage_input.lineage_symlinks(conn), *of_catalogs),
        clusters=_clusters(conn),
        known={normal(each.namespace, each.name) for each in others if each.kind is NodeKind.DATASET},
    )


def _clusters(conn: Connection) -> KafkaClusters:
    rows = graph_input.graph_clusters(conn)
    spaces = {row.name: f"kafka://{row.brokers[0] if row.brokers else row.name}" for row in rows}
    brokers = {address: spaces[row.name] for row in reversed(rows) for address in row.brokers}
    nameless = [(row.name, spaces[row.name]) for row in rows if not row.brokers]
    aliases = ((alias, spaces[name]) for name, alias in lineage_input.cluster_aliases(conn))
    return KafkaClusters.of(brokers, (*nameless, *aliases))


def _renamed(stitching: DatasetIdentity, dataset: Dataset) -> Renamed:
    """Return the dataset that is shown; one that no rule joins with another keeps the name that its source gave it."""
    if dataset.kind not in (NodeKind.TOPIC, NodeKind.DATASET):
        return Renamed(dataset)
    (namespace, name), why = stitching.join(dataset.namespace, dataset.name)
    kind = NodeKind.TOPIC if namespace.startswith("kafka://") else NodeKind.DATASET
    return Renamed(Dataset(kind, namespace, name), why)


def _told_columns(
    conn: Connection, stitching: DatasetIdentity, wanted: Collection[Dataset]
) -> Mapping[Dataset, tuple[Column, ...]]:
    """Read the columns that events tell of *wanted*; of several names of a dataset the one with most columns counts."""
    shown = {ref: _shown(stitching, ref) for ref in lineage_input.lineage_names(conn)}
    told = lineage_input.lineage_columns(conn, frozenset(ref for ref, dataset in shown.items() if dataset in wanted))
    found: dict[Dataset, tuple[Column, ...]] = {}
    for ref in sorted(told):
        found[shown[ref]] = max(found.get(shown[ref], ()), told[ref], key=len)
    return found


def _attributes(conn: Connection, stitching: DatasetIdentity) -> Mapping[str, Attributes]:
    """Read what events tell of datasets; of several names of one the first that tells anything counts."""
    found: dict[str, Attributes] = {}
    for ref, facets in lineage_input.dataset_facets(conn).items():
        if told := dataset_attributes(facets):
            found.setdefault(_shown(stitching, ref).key, told)
    return found


def _shown(stitching: DatasetIdentity, ref: DatasetRef) -> Dataset:
    (namespace, name), _ = stitching.join(ref.namespace, ref.name)
    kind = NodeKind.TOPIC if namespace.startswith("kafka://") else NodeKind.DATASET
    return Dataset(kind, namespace, name)


def _fields(
    datasets: Iterable[Dataset], told: Mapping[Dataset, tuple[Column, ...]], around: LookupContext
) -> Mapping[Dataset, EventFields]:
    """Return what finds columns: of a topic that the dictionary describes by its schemas, else by what events tell."""
    clusters = {namespace: name for name, namespace in around.naming.clusters.items()}
    listed = sorted(datasets)
    ours = {(clusters[each.namespace], each.name) for each in listed if each.namespace in clusters}
    known = around.columns(ours) if ours else {}
    found: dict[Dataset, EventFields] = {}
    for each in listed:
        columns = known.get((clusters.get(each.namespace, ""), each.name)) or told.get(each, ())
        paths = (column.path for column in columns)
        found[each] = EventFields(paths, topic=each.kind is NodeKind.TOPIC, unlisted=unlisted(columns))
    return found
