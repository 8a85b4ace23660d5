"""Merge the jobs of events with scanned jobs, over one set of datasets: names in events become display names."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

from dataflow_generator.build.coverage import Coverage
from dataflow_generator.build.graph_builder import Described, Flows, datasets_of, merged_columns
from dataflow_generator.build.snapshot import EventInputs, Snapshot
from dataflow_generator.graph import Attributes, Certainty, Node, NodeKind
from dataflow_generator.jobs.field_matching import EventFields, unlisted
from dataflow_generator.jobs.flink.statements import FlinkJobMatcher, RunningStatements
from dataflow_generator.jobs.kinds import LookupContext, described
from dataflow_generator.jobs.model import ColumnFlow, ColumnRef, GraphDataset, JobFlows, Use
from dataflow_generator.jobs.openlineage import KIND, dataset_attributes
from dataflow_generator.openlineage.dataset_identity import DatasetIdentity, KafkaClusters
from dataflow_generator.openlineage.names import normal
from scanner_model.columns import Column
from scanner_model.openlineage import DatasetRef, Symlink

T = TypeVar("T", Use, ColumnFlow)

_OF_SCAN = {"kafka-connect": "connector", "ksqldb": "ksqldb", "flink": "flink"}
"""The type of a scanned job by the scheme of the namespace that events of other producers use for it."""
_TASK = re.compile(r"\.\d+")


class Renamed(NamedTuple):
    """The display dataset of another one; *why* is the reason of an uncertain match, empty for a certain one."""

    dataset: GraphDataset
    why: str = ""


Rename = Callable[[GraphDataset], Renamed]
Fields = Mapping[GraphDataset, EventFields]


def is_from_events(job: JobFlows) -> bool:
    """Return whether *job* is known from events."""
    return dict(job.job.attributes).get("type") == KIND


def renamed(job: JobFlows, rename: Rename) -> JobFlows:
    """Return *job* with datasets replaced by *rename*; an uncertain match is MATCHED, with the reason as evidence."""
    reads, writes = ([_renamed_use(use, rename) for use in uses] for uses in (job.reads, job.writes))
    columns = [_renamed_flow(flow, rename) for flow in job.columns]
    if is_from_events(job):
        # Different names of one dataset lead to duplicates.
        reads, writes = _most_certain(reads, lambda use: use.dataset), _most_certain(writes, lambda use: use.dataset)
        columns = _most_certain(columns, lambda flow: (flow.source, flow.target, flow.type, flow.subtype))
    return replace(job, reads=tuple(reads), writes=tuple(writes), columns=tuple(columns))


def _most_certain(listed: Iterable[T], what: Callable[[T], Hashable]) -> list[T]:
    """Remove duplicates: keep the most certain one, and of equally certain ones that of the latest event."""
    unique: dict[Hashable, T] = {}
    for item in listed:
        known = unique.setdefault(what(item), item)
        unique[what(item)] = max(known, item, key=lambda entry: (entry.certainty is None, entry.evidence))
    return list(unique.values())


def with_fields(job: JobFlows, fields: Fields) -> JobFlows:
    """Return *job* with columns resolved to those of their datasets; flows between two whole datasets are removed."""
    resolved = (
        replace(flow, source=_resolved(flow.source, fields), target=_resolved(flow.target, fields))
        for flow in job.columns
    )
    between_columns = (flow for flow in resolved if flow.source.path is not None or flow.target.path is not None)
    return replace(job, columns=tuple(dict.fromkeys(between_columns)))


def merged_jobs(jobs: Sequence[JobFlows]) -> list[JobFlows]:
    """Merge jobs of events into the scanned jobs that they are; of other jobs with one name the later one is kept."""
    known_jobs = [job for job in jobs if not is_from_events(job)]
    scanned, flink = _Scanned(known_jobs), FlinkJobMatcher(known_jobs)
    merged_by_key: dict[str, JobFlows] = {}
    for job in sorted(jobs, key=is_from_events):
        if running := flink.match(job) if is_from_events(job) else None:
            for statement in running.statements:
                merged_by_key[statement.job.key] = _run_by(merged_by_key[statement.job.key], job, running)
            continue
        known = scanned.same(job) if is_from_events(job) else None
        key = known.key if known else job.job.key
        is_known = is_from_events(job) and key in merged_by_key
        merged_by_key[key] = _merged(merged_by_key[key], job) if is_known else job
    return list(merged_by_key.values())


def with_attributes(flows: Flows, attributes: Mapping[str, Attributes]) -> Flows:
    """Return *flows* with *attributes* (by node key) for the nodes that have none."""
    nodes = (replace(node, attributes=node.attributes or attributes.get(node.key, ())) for node in flows.nodes)
    return replace(flows, nodes=tuple(nodes)) if attributes else flows


class _Scanned:
    """Scanned jobs, by the names that events may use for them."""

    def __init__(self, jobs: Iterable[JobFlows]) -> None:
        self._named: dict[tuple[str, str], list[JobFlows]] = {}
        for job in jobs:
            kind = str(dict(job.job.attributes).get("type", ""))
            self._named.setdefault((kind, job.job.name), []).append(job)

    def same(self, job: JobFlows) -> Node | None:
        """Return the scanned job that *job* is; None unless there is exactly one."""
        kind = _OF_SCAN.get(job.job.namespace.partition(":")[0], "")
        candidates = self._named.get((kind, job.job.name), []) if kind else self._debezium(job)
        return candidates[0].job if len(candidates) == 1 else None

    def _debezium(self, reported: JobFlows) -> list[JobFlows]:
        """Return the connectors whose topics begin with the prefix that is the namespace of Debezium's own job.

        Where transforms renamed the topics, those that read and write all that the reported job does.
        """
        job, prefix = reported.job, f"{reported.job.namespace}."
        if not (job.name.startswith(job.namespace) and _TASK.fullmatch(job.name[len(job.namespace) :])):
            return []
        connectors = [job for (kind, _), jobs in self._named.items() if kind == "connector" for job in jobs]
        named = [
            connector
            for connector in connectors
            if connector.writes and all(use.dataset.name.startswith(prefix) for use in connector.writes)
        ]
        return named or [connector for connector in connectors if _covers(connector, reported)]


def _covers(job: JobFlows, reported: JobFlows) -> bool:
    """Return whether *job* reads and writes all that *reported* does, which must write something."""
    sides = ((job.reads, reported.reads), (job.writes, reported.writes))
    return bool(reported.writes) and all(
        {use.dataset for use in own} >= {use.dataset for use in other} for own, other in sides
    )


def _run_by(statement: JobFlows, job: JobFlows, running: RunningStatements) -> JobFlows:
    """Merge a job of events into the statement that it runs; of a statement set only the part of this statement."""
    if not running.why:
        return _merged(statement, _part(job, statement, running))
    uncertain = renamed(job, lambda dataset: Renamed(dataset, running.why))
    return _merged(statement, _part(uncertain, statement, running), "likely_aliases")


def _part(job: JobFlows, statement: JobFlows, running: RunningStatements) -> JobFlows:
    if len(running.statements) == 1:
        return job
    written = {use.dataset for use in statement.writes}
    columns = tuple(flow for flow in job.columns if flow.target.dataset in written)
    return replace(job, reads=(), writes=(), columns=columns)


def _merged(first: JobFlows, other: JobFlows, attribute: str = "aliases") -> JobFlows:
    attributes = dict(other.job.attributes) | dict(first.job.attributes)
    aliases = {other.job.namespace + "/" + other.job.name} - {first.job.namespace + "/" + first.job.name}
    if aliases:
        earlier = attributes.get(attribute, ())
        attributes[attribute] = tuple(sorted({*aliases, *(earlier if isinstance(earlier, tuple) else ())}))
    reads, writes = ({use.dataset for use in uses} for uses in (first.reads, first.writes))
    flows = {(flow.source, flow.target, flow.type) for flow in first.columns}
    new = (flow for flow in other.columns if (flow.source, flow.target, flow.type) not in flows)
    return replace(
        first,
        job=replace(first.job, attributes=tuple(sorted(attributes.items()))),
        reads=(*first.reads, *_with_certainty(other, (use for use in other.reads if use.dataset not in reads))),
        writes=(*first.writes, *_with_certainty(other, (use for use in other.writes if use.dataset not in writes))),
        columns=(*first.columns, *(replace(flow, certainty=flow.certainty or other.certainty) for flow in new)),
    )


def _with_certainty(job: JobFlows, uses: Iterable[Use]) -> Iterator[Use]:
    return (replace(use, certainty=use.certainty or job.certainty) for use in uses)


def _renamed_use(use: Use, rename: Rename) -> Use:
    dataset, why = rename(use.dataset)
    if not why:
        return use if dataset == use.dataset else replace(use, dataset=dataset)
    return replace(use, dataset=dataset, evidence=f"{use.evidence}; matched: {why}", certainty=Certainty.MATCHED)


def _renamed_flow(flow: ColumnFlow, rename: Rename) -> ColumnFlow:
    source, target = rename(flow.source.dataset), rename(flow.target.dataset)
    ends = replace(flow.source, dataset=source.dataset), replace(flow.target, dataset=target.dataset)
    changed = replace(flow, source=ends[0], target=ends[1])
    if why := "; ".join(dict.fromkeys(filter(None, (source.why, target.why)))):
        return replace(changed, evidence=f"{flow.evidence}; matched: {why}", certainty=Certainty.MATCHED)
    return changed


def _resolved(column: ColumnRef, fields: Fields) -> ColumnRef:
    known = fields.get(column.dataset)
    return replace(column, path=known.find(column.path)) if known else column


class MergedJobs(NamedTuple):
    """Jobs over one set of datasets, the columns that are known from events, and problems of unresolved names.

    *attributes* are those of datasets in events, by node key.
    """

    jobs: Sequence[JobFlows]
    described: Described
    coverage: Coverage
    attributes: Mapping[str, Attributes]


def merge_jobs(snapshot: Snapshot, jobs: Sequence[JobFlows], context: LookupContext) -> MergedJobs:
    """Replace every dataset of *jobs* by its display dataset and merge jobs; unchanged without jobs of events."""
    if not any(map(is_from_events, jobs)):
        return MergedJobs(jobs, {}, Coverage(), {})
    identity = _identity(snapshot, jobs, context)
    display = {dataset: _display(identity, dataset) for dataset in datasets_of(jobs)}
    renamed_jobs = [renamed(job, display.__getitem__) for job in jobs]
    from_events = _datasets_in_flows(filter(is_from_events, renamed_jobs))
    columns = _event_columns(snapshot.events, identity, from_events | _datasets_in_flows(renamed_jobs))
    fields = _fields(from_events, columns, context)
    resolved = [with_fields(job, fields) if is_from_events(job) else job for job in renamed_jobs]
    topics = described(filter(is_from_events, resolved), context)
    added = _undescribed(columns, context)
    unresolved = Coverage(problems=identity.problems)
    return MergedJobs(
        merged_jobs(resolved), merged_columns((added, topics)), unresolved, _attributes(snapshot.events, identity)
    )


def _datasets_in_flows(jobs: Iterable[JobFlows]) -> frozenset[GraphDataset]:
    return frozenset(end.dataset for job in jobs for flow in job.columns for end in (flow.source, flow.target))


def _undescribed(reported: Mapping[GraphDataset, tuple[Column, ...]], context: LookupContext) -> Described:
    """Return the columns of tables from events, and those of topics that no schema has."""
    clusters = {namespace: name for name, namespace in context.naming.clusters.items()}
    topics = {
        (clusters[dataset.namespace], dataset.name): dataset for dataset in reported if dataset.namespace in clusters
    }
    known = context.columns.full(topics) if topics else {}
    paths = {topics[topic]: {column.path for column in columns} for topic, columns in known.items()}
    return {
        (dataset.namespace, dataset.name): tuple(
            column for column in reported[dataset] if column.path not in paths.get(dataset, ())
        )
        for dataset in sorted(reported)
    }


def _identity(snapshot: Snapshot, jobs: Iterable[JobFlows], context: LookupContext) -> DatasetIdentity:
    others = datasets_of(job for job in jobs if not is_from_events(job))
    of_catalogs = (
        (DatasetRef(*other), Symlink(namespace=shown[0], name=shown[1], kind="TABLE"))
        for other, shown in sorted(context.naming.shown.items())
    )
    return DatasetIdentity(
        snapshot.events.names,
        snapshot.events.symlinks,
        catalogs=of_catalogs,
        clusters=_clusters(snapshot),
        known={
            *(normal(end.namespace, end.name) for end in others if end.kind in (NodeKind.DATASET, NodeKind.TOPIC)),
            *(normal(*name) for name in context.naming.tables.names),
        },
        tables=context.naming.tables,
    )


def _clusters(snapshot: Snapshot) -> KafkaClusters:
    rows = snapshot.clusters
    spaces = {row.name: f"kafka://{row.brokers[0] if row.brokers else row.name}" for row in rows}
    brokers = {address: spaces[row.name] for row in reversed(rows) for address in row.brokers}
    nameless = [(row.name, spaces[row.name]) for row in rows if not row.brokers]
    aliases = ((alias, spaces[name]) for name, alias in snapshot.events.aliases)
    return KafkaClusters.of(brokers, (*nameless, *aliases))


def _display(identity: DatasetIdentity, dataset: GraphDataset) -> Renamed:
    """Return the display dataset; one that no rule matches with another keeps the name that its source gave it."""
    if dataset.kind not in (NodeKind.TOPIC, NodeKind.DATASET):
        return Renamed(dataset)
    (namespace, name), why = identity.resolve(dataset.namespace, dataset.name)
    kind = NodeKind.TOPIC if namespace.startswith("kafka://") else NodeKind.DATASET
    return Renamed(GraphDataset(kind, namespace, name), why)


def _event_columns(
    events: EventInputs, identity: DatasetIdentity, datasets: Collection[GraphDataset]
) -> Mapping[GraphDataset, tuple[Column, ...]]:
    """Return the columns of *datasets* from events; of several names of a dataset, the one with most columns counts."""
    display = {ref: _dataset_of(identity, ref) for ref in events.names}
    refs = frozenset(ref for ref, dataset in display.items() if dataset in datasets)
    reported = events.columns(refs)
    columns: dict[GraphDataset, tuple[Column, ...]] = {}
    for ref in sorted(reported):
        columns[display[ref]] = max(columns.get(display[ref], ()), reported[ref], key=len)
    return columns


def _attributes(events: EventInputs, identity: DatasetIdentity) -> Mapping[str, Attributes]:
    """Return the attributes of datasets from events; of several names of one, the first with attributes counts."""
    attributes: dict[str, Attributes] = {}
    for ref, facets in events.facets.items():
        if of_ref := dataset_attributes(facets):
            attributes.setdefault(_dataset_of(identity, ref).key, of_ref)
    return attributes


def _dataset_of(identity: DatasetIdentity, ref: DatasetRef) -> GraphDataset:
    (namespace, name), _ = identity.resolve(ref.namespace, ref.name)
    kind = NodeKind.TOPIC if namespace.startswith("kafka://") else NodeKind.DATASET
    return GraphDataset(kind, namespace, name)


def _fields(
    datasets: Iterable[GraphDataset], reported: Mapping[GraphDataset, tuple[Column, ...]], context: LookupContext
) -> Mapping[GraphDataset, EventFields]:
    """Return the column resolvers: by the schemas of a topic in the dictionary, else by columns from events."""
    clusters = {namespace: name for name, namespace in context.naming.clusters.items()}
    listed = sorted(datasets)
    topics = {(clusters[dataset.namespace], dataset.name) for dataset in listed if dataset.namespace in clusters}
    known = context.columns.full(topics) if topics else {}
    fields: dict[GraphDataset, EventFields] = {}
    for dataset in listed:
        columns = known.get((clusters.get(dataset.namespace, ""), dataset.name)) or reported.get(dataset, ())
        paths = (column.path for column in columns)
        fields[dataset] = EventFields(paths, topic=dataset.kind is NodeKind.TOPIC, unlisted=unlisted(columns))
    return fields
