"""What connectors move: a job for each, with the datasets that its configuration names, and the key that names them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from dataflow_generator.connectors import Config, Connector, ConnectorFlows, DatasetKind, Direction, read_connector
from dataflow_generator.connectors import Dataset as Named
from dataflow_generator.flows.facts import Dataset, JobFlows, Use, job_node
from dataflow_generator.flows.naming import Naming
from dataflow_generator.graph import Certainty, NodeKind, present
from scanner_dictionary.queries.connectors import ConnectorRow
from scanner_model.problems import Problem

_DIRECTIONS = {"source": Direction.SOURCE, "sink": Direction.SINK}


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectorReading:
    """A connector's flows, and what could not be told of them; *known*: its class is one that we read."""

    flows: JobFlows
    known: bool
    problems: tuple[Problem, ...]


def connect_jobs(
    rows: Iterable[ConnectorRow], topics: Mapping[str, Collection[str]], naming: Naming
) -> Iterator[ConnectorReading]:
    """Read each connector's flows between datasets; *topics* are the live ones of each cluster.

    A class that nobody knows keeps the topics that are known of it. Columns are not matched here.
    """
    for row in rows:
        told = read_connector(
            Connector(
                name=row.name,
                config=Config.of(row.config),
                direction=_DIRECTIONS.get(row.kind),
                known=tuple(topics.get(row.cluster, ())),
                active=row.topics,
                namespace=naming.clusters[row.cluster],
            )
        )
        where = f"{row.source} {row.name}"
        yield ConnectorReading(
            flows=_job(row, told, naming),
            known=not any(problem.where == "connector.class" for problem in told.problems),
            problems=tuple(replace(problem, where=f"{where} {problem.where}") for problem in told.problems),
        )


def _job(row: ConnectorRow, told: ConnectorFlows, naming: Naming) -> JobFlows:
    attributes = present(type="connector", connector_class=row.connector_class, state=row.state)
    namespace = f"connect://{row.cluster}/{row.source.removeprefix('connect:')}"
    return JobFlows(
        job=job_node(namespace, row.name, attributes),
        certainty=Certainty.DERIVED,
        reads=_uses(((flow.source, flow.because) for flow in told.flows), row, naming),
        writes=_uses(((flow.target, flow.because) for flow in told.flows), row, naming),
    )


def _uses(ends: Iterable[tuple[Named | None, str]], row: ConnectorRow, naming: Naming) -> tuple[Use, ...]:
    """Name each dataset once, with the first evidence that names it; an end that nobody tells is left out."""
    evidence: dict[Dataset, str] = {}
    for named, because in sorted(((end, because) for end, because in ends if end), key=lambda each: each[0]):
        evidence.setdefault(_dataset(named, naming), f"connector {row.name}: {because}")
    return tuple(Use(dataset, why) for dataset, why in evidence.items())


def _dataset(named: Named, naming: Naming) -> Dataset:
    if named.kind is DatasetKind.PATTERN:
        return Dataset(NodeKind.DATASET, named.namespace, named.name)
    return naming.dataset(named.namespace, named.name)
