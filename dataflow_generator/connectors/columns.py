"""Trace the columns of a dataset through a connector: into a topic's messages, or out of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from dataflow_generator.connectors.config import Config
from dataflow_generator.connectors.families.debezium import ColumnLists, Treatment, message_key
from dataflow_generator.connectors.model import ConnectorFlow, ConnectorFlows, DatasetKind, Direction, RowColumn, Shape
from dataflow_generator.connectors.sinks import value_unchanged
from dataflow_generator.connectors.transforms.model import Position, Record, TracedColumn
from dataflow_generator.connectors.transforms.registry import Chain
from dataflow_generator.connectors.transforms.topic_templates import Template
from scanner_model.columns import ColumnPath
from scanner_model.names import Role

_NO_TOPIC = "\ue000"
"""Placeholder for an unknown topic; it satisfies no real predicate."""

_WRAPPERS = {Shape.ENVELOPE: (("before",), ("after",)), Shape.FULL_DOCUMENT: (("fullDocument",),)}


@dataclass(frozen=True, slots=True)
class ColumnFlow:
    """A column of a flow's target, on one *side* of a message, and the source column that it is derived from.

    *origin* None: a transform or the connector adds it. *changed*: by a cast or the like; *masked*: its value shows
    nothing of the source's.
    """

    flow: ConnectorFlow
    side: Role
    path: ColumnPath
    origin: ColumnPath | None
    changed: bool
    masked: bool


def column_flows(
    config: Config, flows: ConnectorFlows, value: Sequence[ColumnPath], key: Sequence[ColumnPath] = ()
) -> tuple[tuple[ColumnFlow, ...], tuple[ConnectorFlow, ...]]:
    """Return the column flows of a connector, and the flows whose columns cannot be resolved.

    *value* and *key* are the columns of the source. A source that produces its own rows, as from a query, has the
    columns of those rows instead.
    """
    column_flows_: list[ColumnFlow] = []
    unknown: list[ConnectorFlow] = []
    for flow in flows.flows:
        row = _row(flows, flow, value)
        keys = key if key else message_key(config, flow, row)
        record = columns_through(config, flows.shape, topic_before(flows, flow), row, keys)
        sink = flows.direction is Direction.SINK
        column_flows_.extend(
            _sink_columns(config, flows, flow, record) if sink else _source_columns(config, flows, flow, record)
        )
        if record.key is None or record.value is None:
            unknown.append(flow)
    # A column without origin is listed once per target, however many sources flow there.
    once = {
        flow if flow.origin is not None else (flow.flow.target, flow.side, flow.path): flow for flow in column_flows_
    }
    return tuple(once.values()), tuple(unknown)


def topic_before(flows: ConnectorFlows, flow: ConnectorFlow) -> str:
    """Return the topic of *flow* before the transforms; a private-use character where it is unknown."""
    if flows.direction is Direction.SINK and flow.source and flow.source.kind is DatasetKind.TOPIC:
        return flow.source.name
    return flow.topic or _NO_TOPIC


def columns_through(
    config: Config, shape: Shape, topic: str, value: Iterable[ColumnPath], key: Iterable[ColumnPath] = ()
) -> Record:
    """Trace columns through the transforms of a connector.

    *topic* is the topic before them; *value* and *key* are a row's columns for a source, the message's for a sink.
    *shape* is how a source wraps the row first. A side is None where its columns cannot be resolved.
    """
    routes = Chain.of(config).routes(Template.of(topic), _wrapped(shape, Record.of(value, key)))
    keys, values = {route.record.key for route in routes}, {route.record.value for route in routes}
    return Record(keys.pop() if len(keys) == 1 else None, values.pop() if len(values) == 1 else None)


def columns_before(
    config: Config, shape: Shape, topic: str, positions: Sequence[Position]
) -> tuple[Position, ...] | None:
    """Return the columns that a source must have read for a topic to have those at *positions*, in their order.

    Columns that a transform or the connector adds have none. None: the transforms cannot be resolved.
    """
    origins = Chain.of(config).origins(Template.of(topic), positions)
    candidates = {
        position: tuple(row for before in origins_ for row in _row_of(shape, before))
        for position, origins_ in origins.items()
    }
    rows = tuple(dict.fromkeys(row for origins_ in candidates.values() for row in origins_))
    value, key = ([path for side, path in rows if side is role] for role in (Role.VALUE, Role.KEY))
    record = columns_through(config, shape, topic, value, key)
    if record.value is None and value:
        return None
    ends: dict[Position, set[Position]] = {}
    for role in Role:
        for column in record.side(role) or ():
            if column.origin:
                ends.setdefault(column.origin, set()).add((role, column.path))
    right = (
        next((row for row in origins_ if position in ends.get(row, ())), None)
        for position, origins_ in candidates.items()
    )
    return tuple(dict.fromkeys(row for row in right if row))


def _row(flows: ConnectorFlows, flow: ConnectorFlow, value: Sequence[ColumnPath]) -> Sequence[ColumnPath]:
    """Return the columns of the rows that a source reads along *flow*: those of its query; for `*`, also *value*."""
    if flows.row is None:
        return value
    computed = [column.path for column in flows.row.columns]
    return computed + [path for path in value if path not in computed] if flows.row.rest == flow.source else computed


def _source_columns(config: Config, flows: ConnectorFlows, flow: ConnectorFlow, record: Record) -> Iterator[ColumnFlow]:
    """Yield the columns of the messages that a source writes, without those that its column lists exclude."""
    lists = ColumnLists.of(config)
    computed = {column.path: column for column in flows.row.columns} if flows.row else {}
    for side in Role:
        for column in record.side(side) or ():
            origin = column.origin[1] if column.origin else None
            if origin is not None and origin in computed:
                yield from _computed(flow, side, column, computed[origin])
                continue
            what = lists.treatment(flow.source.name, origin)[0] if flow.source and origin else Treatment.COPIED
            if what is not Treatment.LEFT_OUT:
                changed, masked = what is Treatment.CHANGED, what is Treatment.MASKED
                yield ColumnFlow(flow, side, column.path, origin, column.changed or changed, column.masked or masked)


def _computed(flow: ConnectorFlow, side: Role, traced: TracedColumn, column: RowColumn) -> Iterator[ColumnFlow]:
    """Yield the origins, in the flow's own source, of a column that the source computes."""
    if not column.origins:
        yield ColumnFlow(flow, side, traced.path, None, changed=False, masked=traced.masked)
    for dataset, path in column.origins:
        if dataset == flow.source:
            yield ColumnFlow(flow, side, traced.path, path, traced.changed or column.changed, traced.masked)


def _sink_columns(config: Config, flows: ConnectorFlows, flow: ConnectorFlow, record: Record) -> Iterator[ColumnFlow]:
    """Yield the columns that a sink writes, under the target's names."""
    for written in (flows.sink_columns or value_unchanged)(config, flow, record):
        traced = written.origin
        if traced is None or traced.origin is None:
            yield ColumnFlow(flow, Role.VALUE, written.path, None, changed=False, masked=bool(traced and traced.masked))
        else:
            side, path = traced.origin
            yield ColumnFlow(flow, side, written.path, path, traced.changed, traced.masked)


def _wrapped(shape: Shape, record: Record) -> Record:
    if shape is Shape.DOCUMENTS:
        return Record(record.key, None)
    if shape is Shape.UNKNOWN:
        return Record(None, None)
    if shape in _WRAPPERS:
        return Record(record.key, tuple(_wrapped_row(shape, record.value or ())))
    return record


def _wrapped_row(shape: Shape, row: tuple[TracedColumn, ...]) -> Iterator[TracedColumn]:
    """Wrap the row as in the connector's messages: before and after the change, or in the full document."""
    for position in _WRAPPERS[shape]:
        for column in row:
            yield TracedColumn((*position, *column.path), column.origin)


def _row_of(shape: Shape, position: Position) -> Iterator[Position]:
    """Unwrap a column of the connector's envelope; other fields of the envelope have no row column."""
    side, path = position
    if shape is Shape.UNKNOWN:
        return
    if side is Role.KEY or shape not in _WRAPPERS:
        yield position
    elif len(path) > 1 and path[:1] in _WRAPPERS[shape]:
        yield side, path[1:]
