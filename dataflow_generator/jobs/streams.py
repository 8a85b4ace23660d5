"""Kafka Streams applications as jobs: topics that a described topology reads and writes, and which leads to which."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from dataflow_generator.connectors.java_regex import java_regex
from dataflow_generator.graph import Attributes, Certainty, Node, NodeKind, present
from dataflow_generator.jobs.dataset_naming import Naming
from dataflow_generator.jobs.model import Dataset, JobFlows, Pair, Use, job_node, uses
from dataflow_generator.jobs.streams_topology import Topology, read_topology
from scanner_model.errors import InputInvalid
from scanner_model.problems import Problem
from scanner_model.streams import StreamsTopology

INTERNAL = "internal"
"""The way of a job through topics that are only its own: repartition topics, and changelogs of its stores."""

_PATTERN = "regex:"

Topics = Callable[[], Mapping[str, tuple[str, ...]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class TopologyReading:
    """An application's job, and what of its topology could not be told."""

    flows: JobFlows
    problems: tuple[Problem, ...]


def streams_jobs(
    topologies: Iterable[tuple[str, StreamsTopology]], topics: Topics, naming: Naming
) -> Iterator[TopologyReading]:
    """Read each topology (with its cluster); *topics* are the live ones of each cluster. There are no columns in it."""
    for cluster, each in topologies:
        yield _Job(cluster, each, topics, naming).read()


def streams_node(cluster: str, name: str, attributes: Attributes = ()) -> Node:
    """Build the node of the application called *name*, as its consumer group is, too."""
    return job_node(f"kafka-streams://{cluster}", name, attributes)


class _Job:
    """The reading of one topology."""

    def __init__(self, cluster: str, told: StreamsTopology, topics: Topics, naming: Naming) -> None:
        self._cluster = cluster
        self._told = told
        self._topics = topics
        self._naming = naming
        self._topology = read_topology(told.topology, told.name)
        self._where = f"topology {told.name} in {told.file}" if told.file else f"topology {told.name}"
        self._nodes = _nodes_by_topic(self._topology)
        self._behind: dict[str, tuple[Dataset, ...]] = {}
        self._named: dict[Dataset, str] = {}
        self._problems = [
            Problem(f"{self._where}, {each.where}", each.what, each.hint) for each in self._topology.problems
        ]

    def read(self) -> TopologyReading:
        """Return the job, named as its application."""
        reads, writes = uses(self._pairs())
        reads, writes = (
            tuple(replace(use, evidence=self._why(use.dataset)) for use in side) for side in (reads, writes)
        )
        own = list(self._own())
        for sink in self._topology.dynamic:
            self._problems.append(Problem(f"{self._where}: sink {sink}", "data choose its topic"))
        flows = JobFlows(
            job=self._node(),
            certainty=Certainty.DERIVED,
            reads=(*reads, *own),
            writes=(*writes, *own),
        )
        return TopologyReading(flows=flows, problems=tuple(dict.fromkeys(self._problems)))

    def _node(self) -> Node:
        attributes = present(type="streams", application_id=self._told.name, unknown_sinks=self._topology.dynamic)
        return streams_node(self._cluster, self._told.name, attributes)

    def _pairs(self) -> Iterator[Pair]:
        """Return the pairs of datasets between which records go; a pattern is each topic that it matches."""
        for source, target in _pairs(self._topology):
            for read in self._datasets(source):
                for written in self._datasets(target):
                    yield Pair(read, written, "")

    def _why(self, dataset: Dataset) -> str:
        return f"{self._where}: {self._named.get(dataset, 'its nodes')}"

    def _datasets(self, topic: str) -> tuple[Dataset | None, ...]:
        """Return what a topic's name or pattern stands for; None for no topic, which is an end that nobody tells."""
        if not topic:
            return (None,)
        if topic not in self._behind:
            self._behind[topic] = tuple(self._found(topic))
            node = self._nodes.get(topic, "its nodes")
            self._named |= {dataset: node for dataset in self._behind[topic] if dataset not in self._named}
        return self._behind[topic]

    def _found(self, topic: str) -> Iterator[Dataset]:
        if not topic.startswith(_PATTERN):
            yield self._naming.topic(self._cluster, topic)
            return
        pattern, known = topic.removeprefix(_PATTERN), self._topics().get(self._cluster, ())
        try:
            matches = java_regex(pattern).matches
            names = [name for name in known if matches(name)]
        except InputInvalid as error:
            self._problems.append(Problem(self._where, error.what, error.hint))
            return
        if not names:
            what = f"the pattern {pattern!r} matches none of the {len(known)} known topics"
            self._problems.append(Problem(self._where, what))
            yield Dataset(NodeKind.DATASET, self._naming.clusters[self._cluster], topic)
        yield from (self._naming.topic(self._cluster, name) for name in names)

    def _own(self) -> Iterator[Use]:
        """Get the application's own topics; whether a store has a changelog is not in the text, but in the cluster."""
        known = frozenset(self._topics().get(self._cluster, ()))
        for topic in self._topology.internal:
            if topic in known or not topic.endswith("-changelog"):
                why = f"{self._where}: a topic of its own"
                yield Use(self._naming.topic(self._cluster, topic), why, INTERNAL)


def _pairs(topology: Topology) -> Iterator[tuple[str, str]]:
    """Get each topic or pattern that is read with each topic that it leads to; either is empty where there is none."""
    read = {*topology.sources, *(f"{_PATTERN}{pattern}" for pattern in topology.patterns)}
    pairs = {(flow.source, flow.target) for flow in topology.flows}
    yield from sorted(pairs)
    yield from sorted((topic, "") for topic in read - {source for source, _ in pairs})
    yield from sorted(("", topic) for topic in set(topology.sinks) - {target for _, target in pairs})


def _nodes_by_topic(topology: Topology) -> Mapping[str, str]:
    """Name the node that names each topic, with its part."""
    found: dict[str, str] = {}
    for part in topology.parts:
        for node in part.nodes:
            for topic in (*node.topics, *([f"{_PATTERN}{node.pattern}"] if node.pattern else [])):
                found.setdefault(topic, f"sub-topology {part.number}, {node.kind} {node.name}")
    return found
