"""What OpenLineage events add up to, for the graph: jobs, their uses and flows, names and columns of datasets."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, Select, func, select

from scanner_dictionary.engine.rows import in_chunks
from scanner_dictionary.lineage_inputs.catalogs import Name, catalog_tables
from scanner_dictionary.lineage_inputs.jobs import ClusterTopic
from scanner_dictionary.queries.columns import column_fact
from scanner_dictionary.queries.topics import CatalogAnnotations, catalog_annotations
from scanner_dictionary.schema import openlineage as events
from scanner_dictionary.schema import tables as t
from scanner_dictionary.schema.tables import cluster, cluster_alias
from scanner_model.columns import Column, ColumnPath
from scanner_model.openlineage import DatasetRef, FieldFlow, Side, Symlink


def newest_moment(conn: Connection) -> str | None:
    """Return the time (ISO 8601 in UTC) at which the newest scan ended, or without scans that of the latest event.

    None where the dictionary has neither.
    """
    moment = conn.scalar(select(func.max(t.scan.c.finished)))
    moment = moment or conn.scalar(select(func.max(t.openlineage.lineage_job.c.last_time)))
    return str(moment) if moment else None


def topic_annotations(conn: Connection) -> Mapping[ClusterTopic, CatalogAnnotations]:
    """Return the annotations of topics in stream catalogs, by the names of cluster and topic."""
    names = {row.id: row.name for row in conn.execute(select(t.cluster.c.id, t.cluster.c.name))}
    return {
        (names[cluster], topic): annotations
        for (cluster, topic), annotations in sorted(catalog_annotations(conn).items())
    }


def other_table_names(conn: Connection) -> Mapping[Name, tuple[Name, ...]]:
    """Return the other names of catalogs' tables, by the name in the catalog; tables without any are left out."""
    return {table.dataset: table.symlinks for table in catalog_tables(conn, columns=False) if table.symlinks}


_AT_ONCE = 500
_SHARED = ("environment", "environment_name")
"""Kinds of aliases that several clusters share."""
_OF_DATASETS = ("datasetType", "documentation", "ownership", "tags")
"""Facets of datasets that a dataset's node shows."""
_OF_JOBS = (
    "documentation",
    "errorMessage",
    "jobType",
    "ownership",
    "parent",
    "processing_engine",
    "sourceCodeLocation",
    "sql",
    "tags",
)
"""Facets of jobs and runs that a job's node shows."""


class UseRow(NamedTuple):
    """A dataset that a job uses, with the time and producer of the latest event that names it."""

    ref: DatasetRef
    side: Side
    time: str
    producer: str


class FlowRow(NamedTuple):
    """A flow of a facet; *of* is the dataset that the facet describes, None for a facet of the job."""

    flow: FieldFlow
    of: DatasetRef | None
    facet: str
    time: str
    producer: str


class LineageJobRow(NamedTuple):
    """A job of events: *state* is that of its latest run, *facets* are JSON texts by name."""

    namespace: str
    name: str
    time: str
    producer: str
    state: str
    facets: Mapping[str, str]
    uses: tuple[UseRow, ...]
    flows: tuple[FlowRow, ...]


class DatasetFlowsRow(NamedTuple):
    """Flows into a dataset from events of the dataset itself, without a job."""

    ref: DatasetRef
    flows: tuple[FlowRow, ...]


def lineage_jobs(conn: Connection) -> Iterator[LineageJobRow]:
    """Read all jobs, by name."""
    job = events.lineage_job.c
    keys = conn.scalars(select(job.id).order_by(job.namespace, job.name, job.id)).all()
    for chunk in in_chunks(keys, _AT_ONCE):
        yield from _jobs(conn, chunk)


def _jobs(conn: Connection, keys: Sequence[int]) -> Iterator[LineageJobRow]:
    rows = {row.id: row for row in conn.execute(select(events.lineage_job).where(events.lineage_job.c.id.in_(keys)))}
    states, uses, facets, flows = _states(conn, keys), _uses(conn, keys), _facets(conn, keys), _flows_of(conn, keys)
    for key in keys:
        row = rows[key]
        named = row.namespace, row.name, row.last_time, row.producer
        yield LineageJobRow(*named, states.get(key, ""), facets[key], tuple(uses[key]), _without_superseded(flows[key]))


def dataset_flows(conn: Connection) -> Iterator[DatasetFlowsRow]:
    """Yield the flows from events of datasets, without a job, by dataset."""
    flows: dict[DatasetRef, list[FlowRow]] = defaultdict(list)
    for row in conn.execute(_flows().where(events.lineage_facet.c.job_id.is_(None))):
        flow = _flow_row(row)
        if flow.of:
            flows[flow.of].append(flow)
    for ref in sorted(flows):
        yield DatasetFlowsRow(ref, _without_superseded(flows[ref]))


def lineage_names(conn: Connection) -> tuple[DatasetRef, ...]:
    """List every dataset that an event names, by name."""
    dataset = events.lineage_dataset.c
    rows = conn.execute(select(dataset.namespace, dataset.name))
    return tuple(sorted(DatasetRef(*row) for row in rows))


def cluster_aliases(conn: Connection) -> tuple[tuple[str, str], ...]:
    """Return aliases of clusters as sorted (name, alias) pairs; an alias of two clusters is left out."""
    query = select(cluster.c.name, cluster_alias.c.alias).join(
        cluster_alias, cluster_alias.c.cluster_id == cluster.c.id
    )
    pairs = sorted({(name, alias) for name, alias in conn.execute(query.where(cluster_alias.c.kind.not_in(_SHARED)))})
    names = Counter(alias for _, alias in pairs)
    return tuple((name, alias) for name, alias in pairs if names[alias] == 1)


def lineage_symlinks(conn: Connection) -> tuple[tuple[DatasetRef, Symlink], ...]:
    """Return the other names of datasets in events, by dataset."""
    link, facet, dataset = events.lineage_symlink.c, events.lineage_facet.c, events.lineage_dataset.c
    query = (
        select(dataset.namespace, dataset.name, link.namespace, link.name, link.kind)
        .select_from(events.lineage_symlink)
        .join(events.lineage_facet, facet.id == link.facet_id)
        .join(events.lineage_dataset, dataset.id == facet.dataset_id)
        .where(facet.removed.is_(False))
    )
    symlinks = (
        (DatasetRef(row[0], row[1]), Symlink(namespace=row[2], name=row[3], kind=row[4])) for row in conn.execute(query)
    )
    return tuple(sorted(symlinks, key=lambda pair: (pair[0], pair[1].namespace, pair[1].name, pair[1].kind)))


def lineage_columns(conn: Connection, refs: Collection[DatasetRef]) -> Mapping[DatasetRef, tuple[Column, ...]]:
    """Read the columns of *refs* in events, in document order; a dataset without any is not listed."""
    columns: dict[DatasetRef, list[Column]] = {}
    for chunk in in_chunks(sorted({ref.name for ref in refs}), _AT_ONCE):
        for row in conn.execute(_columns().where(events.lineage_dataset.c.name.in_(chunk))):
            ref = DatasetRef(row.dataset_namespace, row.dataset_name)
            if ref in refs:
                columns.setdefault(ref, []).append(column_fact(row))
    return {ref: tuple(reported) for ref, reported in columns.items()}


def dataset_facets(conn: Connection) -> Mapping[DatasetRef, Mapping[str, str]]:
    """Read the facets of datasets: JSON texts by name; a dataset without any is not listed."""
    facet, dataset = events.lineage_facet.c, events.lineage_dataset.c
    query = select(dataset.namespace, dataset.name, facet.name, facet.body).join(
        events.lineage_facet, facet.dataset_id == dataset.id
    )
    facets: dict[DatasetRef, dict[str, str]] = defaultdict(dict)
    dataset_facets = query.where(facet.scope == "dataset", facet.name.in_(_OF_DATASETS), facet.removed.is_(False))
    for namespace, name, facet_name, body in conn.execute(dataset_facets):
        facets[DatasetRef(namespace, name)][facet_name] = body
    return {ref: facets[ref] for ref in sorted(facets)}


def _columns() -> Select[Any]:
    facet, dataset = events.lineage_facet.c, events.lineage_dataset.c
    names = dataset.namespace.label("dataset_namespace"), dataset.name.label("dataset_name")
    return (
        select(*names, events.lineage_column)
        .select_from(events.lineage_column)
        .join(events.lineage_facet, facet.id == events.lineage_column.c.facet_id)
        .join(events.lineage_dataset, dataset.id == facet.dataset_id)
        .where(facet.scope == "dataset", facet.removed.is_(False))
        .order_by(events.lineage_column.c.facet_id, events.lineage_column.c.ordinal)
    )


def _states(conn: Connection, keys: Sequence[int]) -> dict[int, str]:
    run = events.lineage_run.c
    query = select(run.job_id, run.state).where(run.job_id.in_(keys), run.state != "")
    return {row.job_id: row.state for row in conn.execute(query.order_by(run.state_time, run.digest))}


def _uses(conn: Connection, keys: Sequence[int]) -> dict[int, list[UseRow]]:
    use, dataset = events.lineage_use.c, events.lineage_dataset.c
    query = (
        select(use.job_id, dataset.namespace, dataset.name, use.side, use.last_time, use.producer)
        .join(events.lineage_dataset, dataset.id == use.dataset_id)
        .where(use.job_id.in_(keys))
    )
    uses: dict[int, list[UseRow]] = defaultdict(list)
    for job, namespace, name, side, *last in conn.execute(query):
        uses[job].append(UseRow(DatasetRef(namespace, name), Side(side), *last))
    return defaultdict(list, {job: sorted(of_job) for job, of_job in uses.items()})


def _facets(conn: Connection, keys: Sequence[int]) -> dict[int, dict[str, str]]:
    facet = events.lineage_facet.c
    query = select(facet.job_id, facet.name, facet.body).where(
        facet.job_id.in_(keys), facet.scope.in_(("job", "run")), facet.name.in_(_OF_JOBS), facet.removed.is_(False)
    )
    facets: dict[int, dict[str, str]] = defaultdict(dict)
    # A job's own facet comes after that of a run with the same name (tags), and replaces it.
    for job, name, body in conn.execute(query.order_by(facet.scope.desc(), facet.digest)):
        facets[job][name] = body
    return facets


def _flows_of(conn: Connection, keys: Sequence[int]) -> dict[int, list[FlowRow]]:
    flows: dict[int, list[FlowRow]] = defaultdict(list)
    for row in conn.execute(_flows().where(events.lineage_facet.c.job_id.in_(keys))):
        flows[row.job_id].append(_flow_row(row))
    return flows


def _flows() -> Select[Any]:
    flow, facet, dataset = events.lineage_flow.c, events.lineage_facet.c, events.lineage_dataset.c
    of_facet = facet.job_id, facet.name.label("facet_name"), facet.event_time, facet.producer
    of_dataset = dataset.namespace.label("of_namespace"), dataset.name.label("of_name")
    return (
        select(events.lineage_flow, *of_facet, *of_dataset)
        .select_from(events.lineage_flow)
        .join(events.lineage_facet, facet.id == flow.facet_id)
        .outerjoin(events.lineage_dataset, dataset.id == facet.dataset_id)
        .where(facet.removed.is_(False))
        .order_by(facet.digest, flow.ordinal)
    )


def _flow_row(row: Row[Any]) -> FlowRow:
    of = None if row.of_name is None else DatasetRef(row.of_namespace, row.of_name)
    target = None if row.target_name is None else DatasetRef(row.target_namespace, row.target_name)
    flow = FieldFlow(
        origin=DatasetRef(row.origin_namespace, row.origin_name),
        origin_path=_path(row.origin_path),
        target_path=_path(row.target_path),
        target=target,
        type=row.flow_type,
        subtype=row.subtype,
        description=row.description,
        masking=row.masking,
    )
    return FlowRow(flow, of, row.facet_name, row.event_time, row.producer)


def _without_superseded(flows: Sequence[FlowRow]) -> tuple[FlowRow, ...]:
    """Return *flows* without those of `columnLineage` for datasets that the newer `lineage` facet describes, too."""
    newer = {row.flow.target or row.of for row in flows if row.facet == "lineage"}
    return tuple(row for row in flows if row.facet == "lineage" or row.of not in newer)


def _path(cell: str | None) -> ColumnPath | None:
    return None if cell is None else tuple(json.loads(cell))
