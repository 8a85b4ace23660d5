"""The jobs that all sources tell, brought together with what events of OpenLineage name: reads what that takes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from dataflow_generator.coverage import Coverage
from dataflow_generator.flows.drawing import Described, datasets_of
from dataflow_generator.flows.facts import Dataset, JobFlows
from dataflow_generator.flows.fields import unlisted
from dataflow_generator.flows.joining import Renamed, is_told, merged_jobs, renamed, with_fields
from dataflow_generator.flows.openlineage import dataset_attributes
from dataflow_generator.flows.told_fields import ToldFields
from dataflow_generator.graph import Attributes, NodeKind
from dataflow_generator.jobs import Around, described, merged
from dataflow_generator.openlineage.kafka_clusters import KafkaClusters
from dataflow_generator.openlineage.names import normal
from dataflow_generator.openlineage.stitching import Stitching
from scanner_dictionary.queries import graph_input, lineage_input
from scanner_dictionary.queries.graph_input import Connection
from scanner_model.columns import Column
from scanner_model.lineage_events import DatasetRef, Symlink


class JoinedJobs(NamedTuple):
    """Jobs over one set of datasets, the columns that events added to those known, and what could not be joined.

    *attributes* are what events tell of datasets, by the keys of their nodes.
    """

    jobs: Sequence[JobFlows]
    described: Described
    coverage: Coverage
    attributes: Mapping[str, Attributes]


def joined_jobs(conn: Connection, jobs: Sequence[JobFlows], around: Around) -> JoinedJobs:
    """Give every dataset of *jobs* the one name that it is shown under; without events all stay as they are."""
    if not any(map(is_told, jobs)):
        return JoinedJobs(jobs, {}, Coverage(), {})
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
    return JoinedJobs(merged_jobs(placed), merged((shown, topics)), unsure, _attributes(conn, stitching))


def _flowing(jobs: Iterable[JobFlows]) -> frozenset[Dataset]:
    return frozenset(end.dataset for job in jobs for flow in job.columns for end in (flow.source, flow.target))


def _undescribed(told: Mapping[Dataset, tuple[Column, ...]], around: Around) -> Described:
    """Give the columns that events tell of tables, and of topics where no schema has them."""
    clusters = {namespace: name for name, namespace in around.naming.clusters.items()}
    topics = {(clusters[each.namespace], each.name): each for each in told if each.namespace in clusters}
    known = around.columns(topics) if topics else {}
    paths = {topics[topic]: {column.path for column in columns} for topic, columns in known.items()}
    return {
        (each.namespace, each.name): tuple(column for column in told[each] if column.path not in paths.get(each, ()))
        for each in sorted(told)
    }


def _stitching(conn: Connection, jobs: Iterable[JobFlows], around: Around) -> Stitching:
    others = datasets_of(job for job in jobs if not is_told(job))
    of_catalogs = (
        (DatasetRef(*other), Symlink(namespace=shown[0], name=shown[1], kind="TABLE"))
        for other, shown in sorted(around.naming.shown.items())
    )
    return Stitching(
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


def _renamed(stitching: Stitching, dataset: Dataset) -> Renamed:
    """Give the dataset that is shown; one that no rule joins with another keeps the name that its source gave it."""
    if dataset.kind not in (NodeKind.TOPIC, NodeKind.DATASET):
        return Renamed(dataset)
    (namespace, name), why = stitching.join(dataset.namespace, dataset.name)
    kind = NodeKind.TOPIC if namespace.startswith("kafka://") else NodeKind.DATASET
    return Renamed(Dataset(kind, namespace, name), why)


def _told_columns(
    conn: Connection, stitching: Stitching, wanted: Collection[Dataset]
) -> Mapping[Dataset, tuple[Column, ...]]:
    """Read the columns that events tell of *wanted*; of several names of a dataset the one with most columns counts."""
    shown = {ref: _shown(stitching, ref) for ref in lineage_input.lineage_names(conn)}
    told = lineage_input.lineage_columns(conn, frozenset(ref for ref, dataset in shown.items() if dataset in wanted))
    found: dict[Dataset, tuple[Column, ...]] = {}
    for ref in sorted(told):
        found[shown[ref]] = max(found.get(shown[ref], ()), told[ref], key=len)
    return found


def _attributes(conn: Connection, stitching: Stitching) -> Mapping[str, Attributes]:
    """Read what events tell of datasets; of several names of one the first that tells anything counts."""
    found: dict[str, Attributes] = {}
    for ref, facets in lineage_input.dataset_facets(conn).items():
        if told := dataset_attributes(facets):
            found.setdefault(_shown(stitching, ref).key, told)
    return found


def _shown(stitching: Stitching, ref: DatasetRef) -> Dataset:
    (namespace, name), _ = stitching.join(ref.namespace, ref.name)
    kind = NodeKind.TOPIC if namespace.startswith("kafka://") else NodeKind.DATASET
    return Dataset(kind, namespace, name)


def _fields(
    datasets: Iterable[Dataset], told: Mapping[Dataset, tuple[Column, ...]], around: Around
) -> Mapping[Dataset, ToldFields]:
    """Give what finds columns: of a topic that the dictionary describes by its schemas, else by what events tell."""
    clusters = {namespace: name for name, namespace in around.naming.clusters.items()}
    listed = sorted(datasets)
    ours = {(clusters[each.namespace], each.name) for each in listed if each.namespace in clusters}
    known = around.columns(ours) if ours else {}
    found: dict[Dataset, ToldFields] = {}
    for each in listed:
        columns = known.get((clusters.get(each.namespace, ""), each.name)) or told.get(each, ())
        paths = (column.path for column in columns)
        found[each] = ToldFields(paths, topic=each.kind is NodeKind.TOPIC, unlisted=unlisted(columns))
    return found
