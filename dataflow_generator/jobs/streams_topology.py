"""Parse Kafka Streams topologies from `Topology.describe()` text: topics read and written, and flows between them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum

from scanner_model.errors import Problem

__all__ = [
    "PATTERN_PREFIX",
    "SubTopology",
    "TopicFlow",
    "Topology",
    "TopologyNode",
    "TopologyNodeKind",
    "read_topology",
]

PATTERN_PREFIX = "regex:"
"""How the source of a `TopicFlow` begins that is a pattern of topics."""

_SUB = re.compile(r"^[^\S\n]*Sub-topology:\s*(?P<number>\d+)\s*(?P<shared>for global store.*)?$")
_HEAD = re.compile(r"^[^\S\n]*(?:Topology|Topologies|Sub-topologies):\s*+(?P<name>.*)$")
_NODE = re.compile(
    r"^[^\S\n]*+(?P<kind>Source|Processor|Sink):\s++(?P<name>\S.*?)(?<!\s)\s++"
    r"\((?P<what>topics?|stores|extractor class):\s*+(?P<rest>.*)$"
)
_LINK = re.compile(r"^[^\S\n]*(?P<arrow>-->|<--)\s*(?P<names>.*)$")
# A stream-table join only reads the store of the table; in a foreign-key join both sides write.
_ONLY_READS = re.compile(r"(?<!FK-)join(?!.*windowed)", re.IGNORECASE)
_INTERNAL = re.compile(r".*-(?:repartition|changelog)|(?:KSTREAM|KTABLE)-.*")
_MOST_LINES = 200_000


class TopologyNodeKind(StrEnum):
    """The kind of a node in a topology."""

    SOURCE = "source"
    PROCESSOR = "processor"
    SINK = "sink"


@dataclass(frozen=True, slots=True, kw_only=True)
class TopologyNode:
    """A node: the topics of a source, the topic of a sink, the stores of a processor, and the nodes that follow.

    *pattern* is a source's pattern, empty where topics are listed; a sink without topics chooses them at run time
    (*extractor* is the class that does).
    """

    name: str
    kind: TopologyNodeKind
    topics: tuple[str, ...] = ()
    pattern: str = ""
    stores: tuple[str, ...] = ()
    extractor: str = ""
    next: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SubTopology:
    """A sub-topology, whose nodes run in the same tasks; a *shared* one feeds a global store and has no tasks."""

    number: int
    nodes: tuple[TopologyNode, ...] = ()
    shared: bool = False


@dataclass(frozen=True, slots=True, order=True)
class TopicFlow:
    """Records flow from topic *source* to topic *target*; a source `regex:…` is a pattern of topics."""

    source: str
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Topology:
    """A topology with its topics, sorted: external *sources*, *sinks*, and *internal* ones.

    *patterns* are topic patterns that are read. *dynamic* are the sinks that choose their topic at run time.
    *internal* are repartition and changelog topics, under their real names where the application id is known. *flows*
    are between topics; the text has no columns.
    """

    name: str = ""
    application_id: str = ""
    parts: tuple[SubTopology, ...] = ()
    sources: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    sinks: tuple[str, ...] = ()
    dynamic: tuple[str, ...] = ()
    stores: tuple[str, ...] = ()
    internal: tuple[str, ...] = ()
    flows: tuple[TopicFlow, ...] = ()
    problems: tuple[Problem, ...] = ()


def read_topology(text: str, application_id: str = "") -> Topology:
    """Parse the text of a topology; unknown lines are skipped and reported as problems, never as exceptions.

    *application_id* is needed for the real names of internal topics, which the text does not contain.
    """
    reader = _Reader()
    for number, line in enumerate(text.splitlines(), 1):
        if number > _MOST_LINES:
            reader.problems.append(Problem(f"line {number}", f"only {_MOST_LINES} lines are read"))
            break
        reader.take(line, number)
    parts = tuple(reader.parts())
    if not parts:
        hint = "expected is the output of Topology.describe()"
        reader.problems.append(Problem("line 1", "the text has no sub-topology", hint))
    return _build(parts, reader.name, application_id, tuple(reader.problems))


@dataclass(slots=True)
class _Part:
    number: int
    shared: bool
    nodes: dict[str, TopologyNode] = field(default_factory=dict)
    links: set[tuple[str, str]] = field(default_factory=set)


@dataclass(slots=True)
class _Reader:
    """Collects lines; *last* is the node to which the arrows below it belong."""

    name: str = ""
    open_parts: list[_Part] = field(default_factory=list)
    last: str = ""
    problems: list[Problem] = field(default_factory=list)

    def take(self, line: str, number: int) -> None:
        if match := _SUB.match(line):
            self.open_parts.append(_Part(int(match["number"][:9]), bool(match["shared"])))
            self.last = ""
        elif match := _NODE.match(line):
            self._node(match, number)
        elif match := _LINK.match(line):
            self._link(match, number)
        elif match := _HEAD.match(line):
            self.name = self.name or match["name"].rstrip().removesuffix(":")
        elif line.strip():
            self.problems.append(Problem(f"line {number}", f"is not a line of a topology: {line.strip()[:60]!r}"))

    def parts(self) -> Iterator[SubTopology]:
        """Yield the sub-topologies, each node with those that follow it."""
        for part in self.open_parts:
            following: dict[str, list[str]] = {name: [] for name in part.nodes}
            for start, end in sorted(part.links):
                if start in following and end in part.nodes:
                    following[start].append(end)
            nodes = tuple(replace(node, next=tuple(following[name])) for name, node in part.nodes.items())
            yield SubTopology(number=part.number, nodes=nodes, shared=part.shared)

    def _node(self, match: re.Match[str], number: int) -> None:
        if not self.open_parts:
            self.problems.append(Problem(f"line {number}", "a node comes before the first sub-topology"))
            self.open_parts.append(_Part(0, shared=False))
        node = _node(match)
        self.open_parts[-1].nodes[node.name] = node
        self.last = node.name

    def _link(self, match: re.Match[str], number: int) -> None:
        if not self.last:
            self.problems.append(Problem(f"line {number}", "an arrow belongs to no node"))
            return
        # Kafka separates names by a comma and a space; only user-chosen names contain commas.
        for name in match["names"].strip().split(", "):
            if name and name != "none":
                self.open_parts[-1].links.add((self.last, name) if match["arrow"] == "-->" else (name, self.last))


def _node(match: re.Match[str]) -> TopologyNode:
    rest = match["rest"].rstrip()
    inside = rest.removesuffix(")")
    listed = inside.startswith("[") and inside.endswith("]")
    names = tuple(part.strip() for part in inside[1:-1].split(",") if part.strip()) if listed else ()
    kind = TopologyNodeKind(match["kind"].lower())
    match kind, match["what"]:
        case TopologyNodeKind.SOURCE, _:
            return TopologyNode(name=match["name"], kind=kind, topics=names, pattern="" if listed else inside)
        case TopologyNodeKind.SINK, "extractor class":
            return TopologyNode(name=match["name"], kind=kind, extractor=inside)
        case TopologyNodeKind.SINK, _:
            return TopologyNode(name=match["name"], kind=kind, topics=(inside,) if inside else ())
        case _:
            return TopologyNode(name=match["name"], kind=kind, stores=names)


def _build(parts: tuple[SubTopology, ...], name: str, application_id: str, problems: tuple[Problem, ...]) -> Topology:
    nodes = [node for part in parts for node in part.nodes]
    read = {topic for node in nodes if node.kind is TopologyNodeKind.SOURCE for topic in node.topics}
    written = {topic for node in nodes if node.kind is TopologyNodeKind.SINK for topic in node.topics}
    stores = {store for node in nodes for store in node.stores}
    own = {topic for topic in read | written if _INTERNAL.fullmatch(topic)}
    return Topology(
        name=name,
        application_id=application_id,
        parts=parts,
        sources=tuple(sorted(read - written - own)),
        patterns=tuple(sorted({node.pattern for node in nodes if node.pattern})),
        sinks=tuple(sorted(written - own)),
        dynamic=tuple(sorted(node.name for node in nodes if node.extractor)),
        stores=tuple(sorted(stores)),
        internal=tuple(sorted(_internal(own, stores, application_id))),
        flows=tuple(_flows(parts, own)),
        problems=problems,
    )


def _internal(own: set[str], stores: set[str], application_id: str) -> Iterator[str]:
    """Yield the names of internal topics, as on the broker where the application id is known.

    A store's changelog is `<application.id>-<store>-changelog`; whether a store is logged is not in the text.
    """
    for topic in own:
        yield f"{application_id}-{topic}" if application_id and not topic.startswith(f"{application_id}-") else topic
    if application_id:
        yield from (f"{application_id}-{store}-changelog" for store in stores)


def _flows(parts: tuple[SubTopology, ...], own: set[str]) -> Iterator[TopicFlow]:
    """Yield the flows from every topic read to every topic written, across internal topics.

    A processor with a store reaches all others that share the store.
    """
    graph = _graph(parts)
    starts = sorted(name for kind, name in graph if kind == "topic" and name not in own)
    flows: set[TopicFlow] = set()
    for start in starts:
        for target in _reached(graph, start, own):
            flows.add(TopicFlow(start, target))
    yield from sorted(flows)


_Vertex = tuple[str, str]


def _graph(parts: tuple[SubTopology, ...]) -> dict[_Vertex, list[_Vertex]]:
    """Link topics to the nodes that read them, nodes to the next, sinks to their topics."""
    graph: dict[_Vertex, list[_Vertex]] = {}
    for index, part in enumerate(parts):
        for node in part.nodes:
            vertex = ("node", f"{index}:{node.name}")
            graph.setdefault(vertex, []).extend(("node", f"{index}:{name}") for name in node.next)
            if node.kind is TopologyNodeKind.SOURCE:
                for topic in (*node.topics, *([f"{PATTERN_PREFIX}{node.pattern}"] if node.pattern else [])):
                    graph.setdefault(("topic", topic), []).append(vertex)
            if node.kind is TopologyNodeKind.SINK:
                graph[vertex].extend(("topic", topic) for topic in node.topics)
            for store in node.stores:
                graph.setdefault(("store", store), []).append(vertex)
                if not _ONLY_READS.search(node.name):
                    graph[vertex].append(("store", store))
    return graph


def _reached(graph: dict[_Vertex, list[_Vertex]], start: str, own: set[str]) -> Iterable[str]:
    """Return the topics reachable from *start*; the search stops at external topics, and passes internal ones."""
    waiting = list(graph[("topic", start)])
    visited: set[_Vertex] = set()
    topics: set[str] = set()
    while waiting:
        vertex = waiting.pop()
        if vertex in visited:
            continue
        visited.add(vertex)
        kind, name = vertex
        if kind == "topic" and name not in own:
            topics.add(name)
            continue
        waiting.extend(graph.get(vertex, ()))
    return topics
