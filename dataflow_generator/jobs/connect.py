"""What connectors move: a job for each, with datasets and columns, and the keys and transforms that say so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from dataflow_generator.build.digest import digest
from dataflow_generator.connectors import (
    Config,
    Connector,
    ConnectorFlows,
    DatasetKind,
    Direction,
    Flow,
    read_connector,
)
from dataflow_generator.connectors import Dataset as Named
from dataflow_generator.connectors.topics import KnownTopics
from dataflow_generator.graph import Certainty, Node, NodeKind, present
from dataflow_generator.jobs.connect_columns import Moved, Seen, moved
from dataflow_generator.jobs.dataset_naming import Naming
from dataflow_generator.jobs.model import Dataset, JobFlows, Pair, job_node, uses
from scanner_dictionary.queries.connectors import ConnectorRow
from scanner_model.problems import Problem

DIRECTIONS: Mapping[str, Direction] = {"source": Direction.SOURCE, "sink": Direction.SINK}
"""Which way a connector moves data, by the worker's word."""


def connect_namespace(cluster: str, source: str) -> str:
    """Return the namespace of a Connect cluster's jobs; two of them may have connectors of one name."""
    return f"connect://{cluster}/{source.removeprefix('connect:')}"


def named_dataset(named: Named | None, naming: Naming) -> Dataset | None:
    """Name a connector's dataset as the graph does."""
    if named is None:
        return None
    if named.kind is DatasetKind.PATTERN:
        return Dataset(NodeKind.DATASET, named.namespace, named.name)
    return naming.dataset(named.namespace, named.name)


_GROUP = "consumer.override.group.id"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedConnector:
    """A connector as its configuration tells it, with the datasets of its flows as the graph names them.

    *starts* is what the names of live topics that were looked at began with; an empty text says that all were.
    """

    row: ConnectorRow
    config: Config
    flows: ConnectorFlows
    pairs: tuple[tuple[Flow, Dataset | None, Dataset | None], ...]
    starts: frozenset[str]

    @property
    def digest(self) -> str:
        """Hash all that was told; empty where a part of it is a function."""
        return "" if self.flows.sink_columns else digest((self.flows, self.pairs))

    @property
    def ends(self) -> frozenset[Dataset]:
        """Return the datasets at the ends of its flows."""
        return frozenset(end for _, *ends in self.pairs for end in ends if end is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectorReading:
    """A connector's flows, and what could not be told of them; *known*: its class is one that we read.

    *whole* says that the columns of all its flows are told. *ends* are the datasets whose columns were looked up, and
    of them *dark* those that nobody describes; *starts* is what names of topics began with that were looked at.
    """

    flows: JobFlows
    known: bool
    whole: bool
    problems: tuple[Problem, ...]
    ends: frozenset[Dataset]
    dark: frozenset[Dataset]
    starts: frozenset[str]


def report_connector(row: ConnectorRow, topics: Mapping[str, Sequence[str]], naming: Naming) -> ReportedConnector:
    """Read a connector's configuration; *topics* are the live ones of each cluster, in order.

    A class that nobody knows keeps the topics that are known of it.
    """
    config = Config.of(row.config)
    known = KnownTopics(tuple(topics.get(row.cluster, ())))
    flows = read_connector(
        Connector(
            name=row.name,
            config=config,
            direction=DIRECTIONS.get(row.kind),
            known=known,
            active=row.topics,
            namespace=naming.clusters[row.cluster],
        )
    )
    pairs = tuple(
        (flow, named_dataset(flow.source, naming), named_dataset(flow.target, naming)) for flow in flows.flows
    )
    return ReportedConnector(row=row, config=config, flows=flows, pairs=pairs, starts=frozenset(known.starts))


def connect_jobs(told: Iterable[ReportedConnector], seen: Seen) -> Iterator[ConnectorReading]:
    """Return each connector's job; *seen* are the columns of its datasets, as far as anybody tells them."""
    for one in told:
        columns = moved(one.row.name, one.config, one.flows, one.pairs, seen)
        problems = (*one.flows.problems, *columns.problems)
        where = f"{one.row.source} {one.row.name}"
        yield ConnectorReading(
            flows=_job(one, columns),
            known=not any(problem.where == "connector.class" for problem in problems),
            whole=columns.whole and not (one.flows.problems and not one.pairs),
            problems=tuple(replace(problem, where=f"{where} {problem.where}") for problem in problems),
            ends=one.ends,
            dark=frozenset(end for end in one.ends if not seen.known.get(end)),
            starts=one.starts,
        )


def connector_node(row: ConnectorRow) -> Node:
    """Build the node of a connector."""
    namespace = connect_namespace(row.cluster, row.source)
    group = connector_group(row)
    told = present(type="connector", connector_class=row.connector_class, state=row.state, consumer_group=group)
    return job_node(namespace, row.name, told)


def connector_group(row: ConnectorRow) -> str:
    """Return the consumer group of a sink's tasks (`connect-` and its name, unless it is overridden), else nothing.

    Source: Connect's SinkUtils.consumerGroupId; Confluent Cloud names groups by the connector's id.
    """
    if row.kind != "sink":
        return ""
    return row.config.get(_GROUP) or f"connect-{row.managed_id or row.name}"


def _job(one: ReportedConnector, columns: Moved) -> JobFlows:
    reads, writes = uses(
        Pair(source, target, f"connector {one.row.name}: {flow.because}") for flow, source, target in one.pairs
    )
    return JobFlows(
        job=connector_node(one.row),
        certainty=Certainty.DERIVED,
        reads=reads,
        writes=writes,
        columns=columns.columns,
    )
