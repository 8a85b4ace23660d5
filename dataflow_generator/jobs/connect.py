"""Connectors as jobs: the datasets and columns that each one moves, with keys and transforms as evidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from dataflow_generator.connectors import (
    Config,
    Connector,
    ConnectorFlow,
    ConnectorFlows,
    Dataset,
    DatasetKind,
    Direction,
    read_connector,
)
from dataflow_generator.connectors.transforms.registry import Chain
from dataflow_generator.graph import Certainty, Node, NodeKind, present
from dataflow_generator.jobs.connect_columns import KnownColumns, MappedColumns, map_columns
from dataflow_generator.jobs.model import GraphDataset, JobFlows, Naming, Pair, job_node, uses
from scanner_dictionary.queries.connectors import ConnectorRow
from scanner_model.errors import Problem

DIRECTIONS: Mapping[str, Direction] = {"source": Direction.SOURCE, "sink": Direction.SINK}
"""The direction of a connector, by the type that the worker reports."""


def connect_namespace(cluster: str, source: str) -> str:
    """Return the namespace of the jobs of a Connect cluster; two clusters may have connectors of one name."""
    return f"connect://{cluster}/{source.removeprefix('connect:')}"


def named_dataset(named: Dataset | None, naming: Naming) -> GraphDataset | None:
    """Return the graph's dataset for one that a connector names; None for an unknown one."""
    if named is None:
        return None
    if named.kind is DatasetKind.PATTERN:
        return GraphDataset(NodeKind.DATASET, named.namespace, named.name)
    return naming.dataset(named.namespace, named.name)


_GROUP = "consumer.override.group.id"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedConnector:
    """A connector as its configuration tells it, with the datasets of its flows as the graph names them."""

    row: ConnectorRow
    config: Config
    flows: ConnectorFlows
    pairs: tuple[tuple[ConnectorFlow, GraphDataset | None, GraphDataset | None], ...]

    @property
    def ends(self) -> frozenset[GraphDataset]:
        """Return the datasets at the ends of its flows."""
        return frozenset(end for _, *ends in self.pairs for end in ends if end is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectorReading:
    """A connector's flows, and problems where they are unknown; *known*: the class of the connector is supported.

    *complete* says that the columns of all its flows are reported.
    """

    flows: JobFlows
    known: bool
    complete: bool
    problems: tuple[Problem, ...]


def report_connector(row: ConnectorRow, topics: Mapping[str, tuple[str, ...]], naming: Naming) -> ReportedConnector:
    """Read a connector's configuration; *topics* are the live ones of each cluster, in order.

    A connector of an unknown class keeps the topics that are known of it.
    """
    config = Config.of(dict(row.config))
    connector = Connector(
        name=row.name,
        config=config,
        direction=DIRECTIONS.get(row.kind),
        known=topics.get(row.cluster, ()),
        active=row.topics,
        namespace=naming.clusters[row.cluster],
    )
    flows = read_connector(connector)
    if tables := _tables_of(flows, naming):
        flows = read_connector(replace(connector, tables=tables))
    pairs = tuple(
        (flow, named_dataset(flow.source, naming), named_dataset(flow.target, naming)) for flow in flows.flows
    )
    return ReportedConnector(row=row, config=config, flows=flows, pairs=pairs)


def _tables_of(flows: ConnectorFlows, naming: Naming) -> tuple[str, ...]:
    """Return the known tables of the servers that a connector reads by a pattern."""
    patterns = {end.namespace for end in flows.inputs if end.kind is DatasetKind.PATTERN}
    return tuple(table for namespace in sorted(patterns) for table in naming.tables.on_server(namespace))


def connect_jobs(connectors: Iterable[ReportedConnector], available: KnownColumns) -> Iterator[ConnectorReading]:
    """Yield the job of each connector; *available* are the columns of its datasets."""
    for connector in connectors:
        columns = map_columns(connector.row.name, connector.config, connector.flows, connector.pairs, available)
        problems = (*connector.flows.problems, *columns.problems)
        where = f"{connector.row.source} {connector.row.name}"
        yield ConnectorReading(
            flows=_job(connector, columns),
            known=not any(problem.where == "connector.class" for problem in problems),
            complete=columns.complete and not (connector.flows.problems and not connector.pairs),
            problems=tuple(replace(problem, where=f"{where} {problem.where}") for problem in problems),
        )


def connector_node(row: ConnectorRow) -> Node:
    """Build the node of a connector; `failed` or `tasks` says which tasks have another state than it."""
    namespace = connect_namespace(row.cluster, row.source)
    group = connector_group(row)
    attributes = present(
        type="connector",
        connector_class=row.connector_class,
        state=row.state,
        failed=row.apart if row.failed_tasks else "",
        tasks="" if row.failed_tasks else row.apart,
        error=row.error,
        consumer_group=group,
    )
    return job_node(namespace, row.name, attributes)


def connector_group(row: ConnectorRow) -> str:
    """Return the consumer group of a sink's tasks (`connect-` and its name, unless overridden); empty for a source.

    Source: Connect's SinkUtils.consumerGroupId; Confluent Cloud names groups by the connector's id.
    """
    if row.kind != "sink":
        return ""
    return dict(row.config).get(_GROUP) or f"connect-{row.managed_id or row.name}"


def _job(reported: ReportedConnector, columns: MappedColumns) -> JobFlows:
    reads, writes = uses(
        Pair(source, target, f"connector {reported.row.name}: {flow.because}")
        for flow, source, target in reported.pairs
    )
    # Where a transform is unknown, records may go elsewhere.
    certainty = None if Chain.of(reported.config).is_known else Certainty.MATCHED
    return JobFlows(
        job=connector_node(reported.row),
        certainty=Certainty.DERIVED,
        reads=reads,
        writes=tuple(replace(use, certainty=certainty) for use in writes),
        columns=columns.columns,
    )
