"""A job with the datasets that it reads and writes, its column flows, and the evidence of each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import NamedTuple

from dataflow_generator.graph import Certainty, Node, NodeKind, kafka_namespace
from dataflow_generator.jobs.databases.names import TableNames
from scanner_model.columns import ColumnPath, path_name
from scanner_model.errors import InputInvalid, Problem
from scanner_model.names import broker_addresses


@dataclass(frozen=True, slots=True, order=True)
class GraphDataset:
    """A topic, or a dataset outside Kafka (*kind* DATASET), named as OpenLineage does."""

    kind: NodeKind
    namespace: str
    name: str

    @property
    def key(self) -> str:
        """Return the key of its node."""
        return f"{self.kind}:{self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True)
class ColumnRef:
    """A column of a dataset, or the whole dataset where *path* is None."""

    dataset: GraphDataset
    path: ColumnPath | None = None

    @property
    def key(self) -> str:
        """Return the key of its node; a `#` in the name is escaped, because one separates name and path."""
        if self.path is None:
            return self.dataset.key
        name = self.dataset.name.replace("#", "%23")
        return f"{NodeKind.COLUMN}:{self.dataset.namespace}/{name}#{path_name(self.path)}"


@dataclass(frozen=True, slots=True)
class Use:
    """A dataset that a job reads or writes.

    *route* separates independent paths through one job: data read on a route are written on that route only. An empty
    route means that the job has a single one, or that the dataset is on all of them. *certainty* None is the job's.
    """

    dataset: GraphDataset
    evidence: str
    route: str = ""
    certainty: Certainty | None = None


@dataclass(frozen=True, slots=True)
class ColumnFlow:
    """*source* affects *target*; *type* and *subtype* are OpenLineage's, the subtype is empty if unknown.

    *certainty* None is the job's.
    """

    source: ColumnRef
    target: ColumnRef
    type: str
    subtype: str
    evidence: str
    certainty: Certainty | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFlows:
    """A job and its flows; *certainty* holds for every use and flow without one of its own.

    A consumer group has the same form: it reads, or is a *member_of* the jobs (by node key) that read through it.
    """

    job: Node
    certainty: Certainty
    reads: tuple[Use, ...] = ()
    writes: tuple[Use, ...] = ()
    columns: tuple[ColumnFlow, ...] = ()
    member_of: tuple[str, ...] = ()


class JobReading(NamedTuple):
    """A job with its flows, and what of it could not be read."""

    flows: JobFlows
    problems: tuple[Problem, ...] = ()


def job_node(namespace: str, name: str, attributes: tuple[tuple[str, str | int | bool | tuple[str, ...]], ...]) -> Node:
    """Build the node of a job."""
    return Node(f"{NodeKind.JOB}:{namespace}/{name}", NodeKind.JOB, namespace, name, None, attributes)


def unread_job(flows: JobFlows) -> JobFlows:
    """Return *flows* with the attribute `unread` of the job: its statement, view or connector could not be parsed."""
    return replace(flows, job=replace(flows.job, attributes=(*flows.job.attributes, ("unread", True))))


def partly_read_job(flows: JobFlows) -> JobFlows:
    """Return *flows* with the attribute `partly_read` of the job: some columns of its statement are not resolved."""
    return replace(flows, job=replace(flows.job, attributes=(*flows.job.attributes, ("partly_read", True))))


class Pair(NamedTuple):
    """Data move from *source* to *target*; None is an unknown end."""

    source: GraphDataset | None
    target: GraphDataset | None
    evidence: str


def uses(pairs: Iterable[Pair]) -> tuple[tuple[Use, ...], tuple[Use, ...]]:
    """Return what a job reads and what it writes, each dataset once per route, with the first evidence that names it.

    The routes describe exactly *pairs*; the route of a job with a single one is empty.
    """
    listed = sorted(set(pairs), key=_order)
    routes = _routes(listed)
    reads: dict[tuple[GraphDataset, str], str] = {}
    writes: dict[tuple[GraphDataset, str], str] = {}
    for pair in listed:
        route = routes[pair.source] if len(set(routes.values())) > 1 else ""
        if pair.source:
            reads.setdefault((pair.source, route), pair.evidence)
        if pair.target:
            writes.setdefault((pair.target, route), pair.evidence)
    return _as_uses(reads), _as_uses(writes)


def _as_uses(evidence: Mapping[tuple[GraphDataset, str], str]) -> tuple[Use, ...]:
    return tuple(Use(dataset, why, route) for (dataset, route), why in evidence.items())


def _routes(pairs: list[Pair]) -> Mapping[GraphDataset | None, str]:
    """Name the route of each source after the first source that has the same targets."""
    targets: dict[GraphDataset | None, list[GraphDataset | None]] = {}
    for pair in pairs:
        targets.setdefault(pair.source, []).append(pair.target)
    first: dict[tuple[GraphDataset | None, ...], GraphDataset | None] = {}
    for source, sinks in targets.items():
        first.setdefault(tuple(dict.fromkeys(sinks)), source)
    named = [dataset.name for dataset in first.values() if dataset]
    return {source: _name(first[tuple(dict.fromkeys(sinks))], named) for source, sinks in targets.items()}


def _name(source: GraphDataset | None, named: list[str]) -> str:
    if source is None:
        return "?"
    return source.name if named.count(source.name) == 1 else source.key


def _order(pair: Pair) -> tuple[str, str, str]:
    return pair.source.key if pair.source else "", pair.target.key if pair.target else "", pair.evidence


_KAFKA = "kafka://"
_SERVICE = re.compile(r"\.svc(?:\.|$)|\.(?:local|internal)$|-kafka-bootstrap\.|-kafka-brokers\.")
"""Names of services in Kubernetes, and those that Strimzi gives to a cluster's.

Source: Kubernetes documentation, "DNS for Services and Pods".
"""


class Naming:
    """Resolves names to datasets; *clusters* are names with normalized broker addresses, the first one canonical.

    *shown* maps every other name of a dataset to its display name, as catalogs report them. *tables* finds the tables
    of databases by the names that jobs use.
    """

    def __init__(
        self,
        clusters: Iterable[tuple[str, tuple[str, ...]]],
        shown: Mapping[tuple[str, str], tuple[str, str]] = MappingProxyType({}),
        tables: TableNames | None = None,
    ) -> None:
        self._shown = shown
        self.tables = tables or TableNames()
        self._clusters: dict[str, str] = {}
        self._brokers: dict[str, str] = {}
        for name, brokers in clusters:
            self._clusters[name] = kafka_namespace(name, brokers)
            for address in brokers:
                self._brokers.setdefault(address, self._clusters[name])

    @property
    def clusters(self) -> Mapping[str, str]:
        """Return the canonical namespace of each cluster by cluster name."""
        return self._clusters

    @property
    def shown(self) -> Mapping[tuple[str, str], tuple[str, str]]:
        """Return the display name of a dataset by each of its other names."""
        return self._shown

    def topic(self, cluster: str, name: str) -> GraphDataset:
        """Return a topic of *cluster*."""
        return GraphDataset(NodeKind.TOPIC, self._clusters[cluster], name)

    def dataset(self, namespace: str, name: str) -> GraphDataset:
        """Return a dataset: a topic where *namespace* is Kafka's, with the canonical namespace of a known cluster."""
        if not namespace.startswith(_KAFKA):
            shown = self._shown.get((namespace, name)) or self.tables.find(namespace, name)
            if shown and shown[0].startswith(_KAFKA):
                return self.dataset(*shown)
            return GraphDataset(NodeKind.DATASET, *(shown or (namespace, name)))
        return GraphDataset(NodeKind.TOPIC, self._canonical(namespace), name)

    def _canonical(self, namespace: str) -> str:
        servers = namespace.removeprefix(_KAFKA)
        try:
            addresses = broker_addresses(servers)
        except InputInvalid:
            addresses = tuple(servers.split(","))
        known = next((self._brokers[address] for address in addresses if address in self._brokers), None)
        if known is None and not self._brokers and len(self._clusters) == 1 and all(map(_is_in_containers, addresses)):
            # Files alone describe the cluster: a name within a network is that of its broker.
            return next(iter(self._clusters.values()))
        return known or namespace


def _is_in_containers(address: str) -> bool:
    """Return whether a host has a meaning in its own network only: this machine's, a container's or a service's."""
    host = address.rpartition(":")[0]
    return re.fullmatch(r"[\w-]+", host) is not None or host.startswith("127.") or _SERVICE.search(host) is not None
