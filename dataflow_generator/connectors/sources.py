"""Read sources of any class: their topics through the transforms, then resolved by the topics in use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from dataflow_generator.connectors.dataset_names import topic, topics_like, unique
from dataflow_generator.connectors.java_regex import java_regex
from dataflow_generator.connectors.model import (
    Connector,
    ConnectorFlow,
    ConnectorFlows,
    Dataset,
    Direction,
    Row,
    Shape,
    SideTopic,
)
from dataflow_generator.connectors.sinks import in_order
from dataflow_generator.connectors.topics import (
    USED,
    candidate_topics,
    cluster_of,
    placeholder_problems,
    side_topics,
    topics_written,
)
from dataflow_generator.connectors.transforms.registry import Chain
from dataflow_generator.connectors.transforms.topic_templates import Template, family
from scanner_model.errors import InputInvalid, Problem
from scanner_model.text import has_placeholder


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRead:
    """A dataset that a source reads (None: unknown) and the topic it is written to, before the transforms.

    *topic* is empty where it is unknown; *pattern* then is the Java pattern of the topics, or empty. *unknown* says why
    the dataset is unknown, after the key *because*.
    """

    source: Dataset | None
    topic: str = ""
    pattern: str = ""
    because: str = ""
    unknown: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceReads:
    """Everything a source's class reads, its own topics, how rows are wrapped, problems.

    *row* has the columns of the rows, where the configuration defines them; *keyed*: messages have keys. *isolated*:
    there is no external dataset.
    """

    reads: tuple[SourceRead, ...]
    side: tuple[SideTopic, ...] = ()
    shape: Shape = Shape.ROW
    problems: tuple[Problem, ...] = ()
    namespace: str = ""
    row: Row | None = None
    keyed: bool = False
    isolated: bool = False


@dataclass(frozen=True, slots=True)
class _Routed:
    """A read after the transforms; *template* None: the topic depends on data."""

    read: SourceRead
    template: Template | None


def source(connector: Connector, reads: SourceReads) -> ConnectorFlows:
    """Build the flows of a source."""
    namespace = reads.namespace or cluster_of(connector, Direction.SOURCE)
    chain = Chain.of(connector.config)
    if reads.reads or not reads.isolated:
        reads = replace(reads, reads=_with_named_topics(connector, reads.reads))
    side = tuple(sorted({*side_topics(connector, namespace), *reads.side}))
    problems: list[Problem] = [*reads.problems, *chain.problems()]
    for read in reads.reads:
        problems += placeholder_problems(read.because, [read.topic])
    routed = tuple(route for read in reads.reads for route in _routed(chain, read))
    resolver = _Resolver(connector, namespace, frozenset(auxiliary.dataset.name for auxiliary in side), problems)
    flows = in_order(resolver.flows(routed))
    problems += _unknown_ends(reads, flows, problems)
    return ConnectorFlows(
        name=connector.name,
        class_name=connector.class_name,
        direction=Direction.SOURCE,
        inputs=unique(read.source for read in reads.reads),
        outputs=unique(flow.target for flow in flows),
        flows=flows,
        side_topics=side,
        problems=tuple(dict.fromkeys(problems)),
        shape=reads.shape,
        row=reads.row,
        keyed=reads.keyed,
        isolated=reads.isolated,
    )


def _with_named_topics(connector: Connector, reads: tuple[SourceRead, ...]) -> tuple[SourceRead, ...]:
    """Return the reads; those without any topic get the topics that the configuration names, so that none is lost."""
    named = topics_written(connector.config)
    if not named or any(read.topic or read.pattern for read in reads):
        return reads
    return tuple(
        replace(read, topic=item.name, because=", ".join(filter(None, (read.because, item.key))))
        for read in reads or (SourceRead(source=None),)
        for item in named
    )


def _unknown_ends(
    reads: SourceReads, flows: tuple[ConnectorFlow, ...], problems: Iterable[Problem]
) -> Iterator[Problem]:
    """Yield a problem for each unknown end that nothing in *problems* explains yet."""
    explained = any(not problem.where.startswith("transforms.") for problem in problems)
    for read in reads.reads if not reads.isolated else ():
        if read.source is None and (read.unknown or not explained):
            what = read.unknown or "what the connector reads is not configured, or only by placeholders"
            yield Problem(read.because or "config", what)
    if not flows and not explained and not reads.side:
        yield Problem("topics", "the topics that the connector writes are unknown, and none is in use")


def _routed(chain: Chain, read: SourceRead) -> Iterator[_Routed]:
    if read.topic and not has_placeholder(read.topic):
        yield from (_Routed(read, template) for template in chain.names(read.topic))
        return
    if many := family(read.pattern):
        topics = dict.fromkeys(route.topic for route in chain.routes(many))
        yield from (_Routed(read, template) for template in topics)
        return
    templates = dict.fromkeys(chain.names("\ue000"))
    unchanged = read.pattern and tuple(templates) == (Template.of("\ue000"),)
    # A transform that ignores its input name determines the topic even where that name is unknown.
    decided = [template for template in templates if template and "\ue000" not in template.pattern]
    yield from (
        (_Routed(read, template) for template in decided) if decided and not unchanged else (_Routed(read, None),)
    )


@dataclass(slots=True)
class _Resolver:
    """Resolves topics with the help of those that the connector is reported to use."""

    connector: Connector
    namespace: str
    side: frozenset[str]
    problems: list[Problem]

    def flows(self, routed: tuple[_Routed, ...]) -> Iterator[ConnectorFlow]:
        exact = [route for route in routed if route.template and route.template.name]
        if self._is_overridden(routed, exact):
            for route in routed:
                yield from (
                    ConnectorFlow(route.read.source, topic(self.namespace, name), USED) for name in self._active()
                )
            return
        for route in exact:
            assert route.template
            yield self._flow(route.read, topic(self.namespace, str(route.template.name)))
        claimed = {str(route.template.name) for route in exact if route.template}
        for route in routed:
            if route not in exact:
                yield from self._family(route, claimed)

    def _active(self) -> tuple[str, ...]:
        return tuple(name for name in sorted(self.connector.active or ()) if name not in self.side)

    def _is_overridden(self, routed: tuple[_Routed, ...], exact: list[_Routed]) -> bool:
        """Return whether a read with one topic has another one: topics in use override the configuration."""
        sources = {route.read.source for route in routed}
        names = {route.template.name for route in exact if route.template}
        active = set(self._active())
        if not active or len(exact) < len(routed) or names & active:
            return False
        if len(sources) == 1 or len(names) == 1:
            return True
        what = f"none of the {len(names)} topics derived from the configuration is in use, but {len(active)} others are"
        self.problems.append(Problem("topics", what, "a transform or a strategy may change their names"))
        return False

    def _family(self, route: _Routed, claimed: set[str]) -> Iterator[ConnectorFlow]:
        """Yield flows to the topics of a template or pattern, or of a read without a known topic."""
        pattern = route.template.pattern if route.template else route.read.pattern if self._is_pattern(route) else ""
        try:
            fitting, evidence = self._matching_topics(pattern, claimed)
        except InputInvalid as error:
            self.problems.append(Problem(route.read.because, error.what))
            fitting, evidence = [], ""
        for name in fitting:
            yield self._flow(route.read, topic(self.namespace, name), evidence)
        if not fitting:
            yield from self._unresolved(route.read, pattern)

    def _matching_topics(self, pattern: str, claimed: set[str]) -> tuple[list[str], str]:
        """Return the unclaimed topics that match a pattern, and the evidence; raises InputInvalid."""
        if not _names_something(pattern):
            # That a topic exists does not show that this connector writes it.
            return [name for name in self._active() if name not in claimed], USED
        regex = java_regex(pattern)
        names, evidence = candidate_topics(self.connector, regex.start)
        free = (name for name in names if name not in claimed and name not in self.side)
        return [name for name in free if regex.matches(name)], evidence

    def _is_pattern(self, route: _Routed) -> bool:
        return bool(route.read.pattern) and not route.read.topic and not self.connector.config.text("transforms")

    def _unresolved(self, read: SourceRead, pattern: str) -> Iterator[ConnectorFlow]:
        if _names_something(pattern):
            yield self._flow(read, topics_like(self.namespace, pattern))
            return
        self.problems.append(Problem("topics", "the topics depend on data or are unknown, and none is in use"))
        if read.source is not None:
            yield self._flow(read, None)

    def _flow(self, read: SourceRead, target: Dataset | None, evidence: str = "") -> ConnectorFlow:
        routed = "transforms" if read.topic and target and target.name != read.topic else ""
        because = ", ".join(filter(None, (read.because, routed, evidence)))
        return ConnectorFlow(read.source, target, because or "connector.class", read.topic)


def _names_something(pattern: str) -> bool:
    """Return whether a pattern has any literal text: `.*` fits every topic and says nothing about them."""
    return any(char not in ".*+?()[]^$|:\\" for char in pattern)


def fixed(connector: Connector, dataset: Dataset | None, topics: Iterable[str], because: str) -> ConnectorFlows:
    """Build the flows of a source that writes one dataset to named topics, or to topics that are not configured."""
    reads = tuple(SourceRead(source=dataset, topic=name, because=because) for name in topics)
    return source(connector, SourceReads(reads=reads or (SourceRead(source=dataset, because=because),)))
