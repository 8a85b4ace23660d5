"""Build the jobs of Kafka Streams applications from their topologies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from dataflow_generator.connectors.java_regex import java_regex
from dataflow_generator.graph import Attributes, Certainty, Node, NodeKind, present
from dataflow_generator.jobs.model import GraphDataset, JobFlows, JobReading, Naming, Pair, Use, job_node, uses
from dataflow_generator.jobs.streams_topology import PATTERN_PREFIX, Topology, read_topology
from scanner_model.errors import InputInvalid, Problem
from scanner_model.kafka import StreamsTopology

INTERNAL = "internal"
"""The route of a job through its internal topics: repartition topics, and changelogs of its stores."""

Topics = Callable[[], Mapping[str, tuple[str, ...]]]


def streams_jobs(
    topologies: Iterable[tuple[str, StreamsTopology]], topics: Topics, naming: Naming
) -> Iterator[JobReading]:
    """Read each topology (with its cluster); *topics* are the live ones of each cluster. Topologies have no columns."""
    for cluster, topology in topologies:
        yield _Job(cluster, topology, topics, naming).read()


def streams_node(cluster: str, name: str, attributes: Attributes = ()) -> Node:
    """Return the node of the application *name*, which is also the name of its consumer group."""
    return job_node(f"kafka-streams://{cluster}", name, attributes)


class _Job:
    """Resolves one topology."""

    def __init__(self, cluster: str, application: StreamsTopology, topics: Topics, naming: Naming) -> None:
        self._cluster = cluster
        self._application = application
        self._topics = topics
        self._naming = naming
        self._topology = read_topology(application.topology, application.name)
        self._where = f"topology {application.name}" + (f" in {application.file}" if application.file else "")
        self._nodes = _nodes_by_topic(self._topology)
        self._resolved: dict[str, tuple[GraphDataset, ...]] = {}
        self._named: dict[GraphDataset, str] = {}
        self._problems = [
            Problem(f"{self._where}, {problem.where}", problem.what, problem.hint)
            for problem in self._topology.problems
        ]

    def read(self) -> JobReading:
        """Return the job, with the name of the application."""
        reads, writes = uses(self._pairs())
        reads, writes = (
            tuple(replace(use, evidence=self._why(use.dataset)) for use in side) for side in (reads, writes)
        )
        own = list(self._internal_uses())
        for sink in self._topology.dynamic:
            self._problems.append(Problem(f"{self._where}: sink {sink}", "its topic is chosen at run time"))
        flows = JobFlows(
            job=self._node(),
            certainty=Certainty.DERIVED,
            reads=(*reads, *own),
            writes=(*writes, *own),
        )
        return JobReading(flows=flows, problems=tuple(dict.fromkeys(self._problems)))

    def _node(self) -> Node:
        attributes = present(
            type="streams", application_id=self._application.name, unknown_sinks=self._topology.dynamic
        )
        return streams_node(self._cluster, self._application.name, attributes)

    def _pairs(self) -> Iterator[Pair]:
        """Yield the pairs of datasets between which records flow; a pattern stands for each topic that it matches."""
        for source, target in _pairs(self._topology):
            for read in self._datasets(source):
                for written in self._datasets(target):
                    yield Pair(read, written, "")

    def _why(self, dataset: GraphDataset) -> str:
        return f"{self._where}: {self._named.get(dataset, 'its nodes')}"

    def _datasets(self, topic: str) -> tuple[GraphDataset | None, ...]:
        """Return the datasets of a topic name or pattern; None for an empty name, which is an unknown end."""
        if not topic:
            return (None,)
        if topic not in self._resolved:
            self._resolved[topic] = tuple(self._resolve(topic))
            node = self._nodes.get(topic, "its nodes")
            self._named |= {dataset: node for dataset in self._resolved[topic] if dataset not in self._named}
        return self._resolved[topic]

    def _resolve(self, topic: str) -> Iterator[GraphDataset]:
        if not topic.startswith(PATTERN_PREFIX):
            yield self._naming.topic(self._cluster, topic)
            return
        pattern, known = topic.removeprefix(PATTERN_PREFIX), self._topics().get(self._cluster, ())
        try:
            matches = java_regex(pattern).matches
            names = [name for name in known if matches(name)]
        except InputInvalid as error:
            self._problems.append(Problem(self._where, error.what, error.hint))
            return
        if not names:
            what = f"the pattern {pattern!r} matches none of the {len(known)} known topics"
            self._problems.append(Problem(self._where, what))
            yield GraphDataset(NodeKind.DATASET, self._naming.clusters[self._cluster], topic)
        yield from (self._naming.topic(self._cluster, name) for name in names)

    def _internal_uses(self) -> Iterator[Use]:
        """Yield the internal topics; only the cluster shows whether a store has a changelog."""
        known = frozenset(self._topics().get(self._cluster, ()))
        for topic in self._topology.internal:
            if topic in known or not topic.endswith("-changelog"):
                why = f"{self._where}: an internal topic"
                yield Use(self._naming.topic(self._cluster, topic), why, INTERNAL)


def _pairs(topology: Topology) -> Iterator[tuple[str, str]]:
    """Yield each topic or pattern that is read with each topic that it reaches; either is empty if absent."""
    read = {*topology.sources, *(f"{PATTERN_PREFIX}{pattern}" for pattern in topology.patterns)}
    pairs = {(flow.source, flow.target) for flow in topology.flows}
    yield from sorted(pairs)
    yield from sorted((topic, "") for topic in read - {source for source, _ in pairs})
    yield from sorted(("", topic) for topic in set(topology.sinks) - {target for _, target in pairs})


def _nodes_by_topic(topology: Topology) -> Mapping[str, str]:
    """Return the first node that names each topic, with its sub-topology."""
    names: dict[str, str] = {}
    for part in topology.parts:
        for node in part.nodes:
            for topic in (*node.topics, *([f"{PATTERN_PREFIX}{node.pattern}"] if node.pattern else [])):
                names.setdefault(topic, f"sub-topology {part.number}, {node.kind} {node.name}")
    return names
