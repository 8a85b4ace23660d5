"""Read sinks of any class: topics through the transforms, then the datasets that the class derives from their names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from dataflow_generator.connectors.dataset_names import topic, topics_like, unique
from dataflow_generator.connectors.model import Connector, ConnectorFlows, Dataset, Direction, Flow, SinkColumnReader
from dataflow_generator.connectors.sink_columns import value_unchanged
from dataflow_generator.connectors.topics import ReadTopics, cluster_of, side_topics, topics_read
from dataflow_generator.connectors.transforms import Chain, Template
from scanner_model.errors import Problem

Targets = Callable[[str], tuple[Dataset, ...]]
"""Returns the datasets that records of a topic are written to, by the topic's name after the transforms."""

Target = Callable[[str], Dataset | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class SinkTargets:
    """What a sink's class derives from a topic: the datasets, the configuration keys, problems.

    *outside_known* is false for a class whose targets are unknown; *nowhere* is true where the configuration disables
    writing; *sink_columns* returns the columns that it writes.
    """

    targets: Targets
    keys: str = ""
    problems: tuple[Problem, ...] = ()
    outside_known: bool = True
    nowhere: bool = False
    read: ReadTopics | None = None
    sink_columns: SinkColumnReader = value_unchanged


def to(
    target: Target, *keys: str, problems: Iterable[Problem] = (), sink_columns: SinkColumnReader = value_unchanged
) -> SinkTargets:
    """Describe a class that writes to one dataset per topic."""

    def targets(name: str) -> tuple[Dataset, ...]:
        dataset = target(name)
        return () if dataset is None else (dataset,)

    return SinkTargets(
        targets=targets, keys=", ".join(filter(None, keys)), problems=tuple(problems), sink_columns=sink_columns
    )


def sink(connector: Connector, written: SinkTargets) -> ConnectorFlows:
    """Build the flows of a sink."""
    namespace = cluster_of(connector, Direction.SINK)
    read = written.read or topics_read(connector)
    chain = Chain.of(connector.config)
    side = side_topics(connector, namespace)
    problems: list[Problem] = [*read.problems, *written.problems, *chain.problems()]
    flows: list[Flow] = []
    for name in read.names:
        flows.extend(_flows(written, topic(namespace, name), read.because, chain.names(name), problems))
    if read.pattern:
        pattern = topics_like(namespace, read.pattern)
        flows.extend(_flows(written, pattern, read.because, (None,), problems))
    return ConnectorFlows(
        name=connector.name,
        class_name=connector.class_name,
        direction=Direction.SINK,
        inputs=unique(flow.source for flow in flows),
        outputs=unique(flow.target for flow in flows),
        flows=in_order(flow for flow in flows if flow.target or not written.nowhere),
        side_topics=side,
        problems=tuple(dict.fromkeys(problems)),
        sink_columns=written.sink_columns,
    )


def in_order(flows: Iterable[Flow]) -> tuple[Flow, ...]:
    """Sort flows and remove duplicates."""
    return tuple(sorted(set(flows), key=_order))


def _order(flow: Flow) -> tuple[tuple[str, str], tuple[str, str], str, str]:
    ends = [(end.namespace, end.name) if end else ("", "") for end in (flow.source, flow.target)]
    return ends[0], ends[1], flow.topic, flow.because


def _flows(
    written: SinkTargets, source: Dataset, because: str, names: tuple[Template | None, ...], problems: list[Problem]
) -> Iterator[Flow]:
    for template in names:
        name = template.name if template else None
        routed = "transforms" if name and name != source.name else ""
        reason = ", ".join(filter(None, (because, routed, written.keys)))
        targets = written.targets(name) if name else _whatever_the_topic(written)
        if not targets and written.outside_known and not written.nowhere:
            problems.append(_target_problem(source, template))
        for target in targets:
            yield Flow(source, target, reason, name or "")
        if not targets:
            yield Flow(source, None, because, name or "")


def _whatever_the_topic(written: SinkTargets) -> tuple[Dataset, ...]:
    """Return the datasets of a class whose targets do not depend on the topic."""
    first, second = (written.targets(name) for name in ("anyTopic", "otherTopic"))
    return first if first == second else ()


def _target_problem(source: Dataset, template: Template | None) -> Problem:
    if template is not None and template.name == "":
        return Problem("transforms", f"{source.name!r} is renamed to an empty name by a transform")
    if template is not None and template.name:
        return Problem("config", f"the target of {source.name!r} is not configured, or depends on data")
    family = f" (topic pattern {template.pattern})" if template else ""
    return Problem("transforms", f"the target of {source.name!r} is unknown or depends on data{family}")
