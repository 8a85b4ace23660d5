"""Columns of a dataset on their way through a connector: into the topic's messages, or out of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from dataflow_generator.connectors.config import Config
from dataflow_generator.connectors.flows import ConnectorFlows, Flow, Shape
from dataflow_generator.connectors.transforms import Carried, Chain, Record, Template
from scanner_model.names import Role
from scanner_model.paths import ColumnPath

_NO_TOPIC = "\ue000"
"""Stands for a topic that is not known; no predicate is true of it by accident."""


@dataclass(frozen=True, slots=True)
class ColumnFlow:
    """A column of a flow's target, on one *side* of a message, and the column of its source that it is made of.

    *origin* None: a transform or the connector made it. *changed*: by a cast or the like; *masked*: its data stay out.
    """

    flow: Flow
    side: Role
    path: ColumnPath
    origin: ColumnPath | None
    changed: bool
    masked: bool


def column_flows(
    config: Config, flows: ConnectorFlows, value: Sequence[ColumnPath], key: Sequence[ColumnPath] = ()
) -> tuple[tuple[ColumnFlow, ...], tuple[Flow, ...]]:
    """Follow columns along every flow of a connector; behind them, the flows whose columns cannot be told."""
    found: list[ColumnFlow] = []
    unknown: list[Flow] = []
    for flow in flows.flows:
        record = columns_through(config, flows.shape, flow.topic or _NO_TOPIC, value, key)
        found.extend(_told(flow, record))
        if record.key is None or record.value is None:
            unknown.append(flow)
    return tuple(found), tuple(unknown)


def _told(flow: Flow, record: Record) -> Iterator[ColumnFlow]:
    for side in Role:
        for one in record.side(side) or ():
            origin = one.origin[1] if one.origin else None
            yield ColumnFlow(flow, side, one.path, origin, one.changed, one.masked)


def columns_through(
    config: Config, shape: Shape, topic: str, value: Iterable[ColumnPath], key: Iterable[ColumnPath] = ()
) -> Record:
    """Follow columns through the transforms of a connector.

    *topic* is the topic before them; *value* and *key* are a row's columns for a source, the message's for a sink.
    *shape* says how a source wraps the row first. A side is None where its columns cannot be told.
    """
    ways = Chain.of(config).ways(Template.of(topic), _wrapped(shape, Record.of(value, key)))
    keys, values = {way.record.key for way in ways}, {way.record.value for way in ways}
    return Record(keys.pop() if len(keys) == 1 else None, values.pop() if len(values) == 1 else None)


def _wrapped(shape: Shape, record: Record) -> Record:
    if shape is Shape.ENVELOPE:
        return Record(record.key, tuple(_envelope(record.value or ())))
    return record


def _envelope(row: tuple[Carried, ...]) -> Iterator[Carried]:
    """Put the row where Debezium's envelope has it: before and after the change."""
    for place in ("before", "after"):
        for column in row:
            yield Carried((place, *column.path), column.origin)
