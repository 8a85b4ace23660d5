"""Trace the columns of a dataset through a connector: into a topic's messages, or out of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from dataflow_generator.connectors.config import Config
from dataflow_generator.connectors.families.debezium import ColumnLists, Treatment
from dataflow_generator.connectors.model import ConnectorFlows, DatasetKind, Direction, Flow, RowColumn, Shape
from dataflow_generator.connectors.sink_columns import as_it_is
from dataflow_generator.connectors.transforms import Carried, Chain, Record, Template
from dataflow_generator.connectors.transforms.model import Place
from scanner_model.column_path import ColumnPath
from scanner_model.names import Role

_NO_TOPIC = "\ue000"
"""Placeholder for an unknown topic; it satisfies no real predicate."""

_WRAPPERS = {Shape.ENVELOPE: (("before",), ("after",)), Shape.FULL_DOCUMENT: (("fullDocument",),)}


@dataclass(frozen=True, slots=True)
class ColumnFlow:
    """A column of a flow's target, on one *side* of a message, and the source column that it is derived from.

    *origin* None: a transform or the connector adds it. *changed*: by a cast or the like; *masked*: its data do not
    flow.
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
    """Return the column flows of a connector, and the flows whose columns cannot be resolved.

    *value* and *key* are the columns of the source. A source that produces its own rows, as from a query, has the
    columns of those rows instead.
    """
    found: list[ColumnFlow] = []
    unknown: list[Flow] = []
    for flow in flows.flows:
        record = columns_through(config, flows.shape, topic_before(flows, flow), _row(flows, flow, value), key)
        sink = flows.direction is Direction.SINK
        found.extend(_landed(config, flows, flow, record) if sink else _told(config, flows, flow, record))
        if record.key is None or record.value is None:
            unknown.append(flow)
    # A column without origin is listed once per target, however many sources flow there.
    once = {one if one.origin is not None else (one.flow.target, one.side, one.path): one for one in found}
    return tuple(once.values()), tuple(unknown)


def topic_before(flows: ConnectorFlows, flow: Flow) -> str:
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
    ways = Chain.of(config).ways(Template.of(topic), _wrapped(shape, Record.of(value, key)))
    keys, values = {way.record.key for way in ways}, {way.record.value for way in ways}
    return Record(keys.pop() if len(keys) == 1 else None, values.pop() if len(values) == 1 else None)


def columns_behind(config: Config, shape: Shape, topic: str, places: Sequence[Place]) -> tuple[Place, ...] | None:
    """Return the columns that a source must have read for a topic to have those at *places*, in their order.

    Columns that a transform or the connector adds have none. None: the transforms cannot be resolved.
    """
    origins = Chain.of(config).origins(Template.of(topic), places)
    behind = {
        place: tuple(row for before in found for row in _row_of(shape, before)) for place, found in origins.items()
    }
    rows = tuple(dict.fromkeys(row for found in behind.values() for row in found))
    value, key = ([path for side, path in rows if side is role] for role in (Role.VALUE, Role.KEY))
    record = columns_through(config, shape, topic, value, key)
    if record.value is None and value:
        return None
    ends: dict[Place, set[Place]] = {}
    for role in Role:
        for one in record.side(role) or ():
            if one.origin:
                ends.setdefault(one.origin, set()).add((role, one.path))
    right = (next((row for row in found if place in ends.get(row, ())), None) for place, found in behind.items())
    return tuple(dict.fromkeys(row for row in right if row))


def _row(flows: ConnectorFlows, flow: Flow, value: Sequence[ColumnPath]) -> Sequence[ColumnPath]:
    """Return the columns of the rows that a source reads along *flow*: those of its query; for `*`, also *value*."""
    if flows.row is None:
        return value
    made = [one.path for one in flows.row.columns]
    return made + [path for path in value if path not in made] if flows.row.rest == flow.source else made


def _told(config: Config, flows: ConnectorFlows, flow: Flow, record: Record) -> Iterator[ColumnFlow]:
    """Yield the columns of the messages that a source writes, without those that its column lists exclude."""
    lists = ColumnLists.of(config)
    made = {one.path: one for one in flows.row.columns} if flows.row else {}
    for side in Role:
        for one in record.side(side) or ():
            origin = one.origin[1] if one.origin else None
            if origin is not None and origin in made:
                yield from _made(flow, side, one, made[origin])
                continue
            what = lists.treatment(flow.source, origin)[0] if flow.source and origin else Treatment.COPIED
            if what is not Treatment.LEFT_OUT:
                changed, masked = what is Treatment.CHANGED, what is Treatment.MASKED
                yield ColumnFlow(flow, side, one.path, origin, one.changed or changed, one.masked or masked)


def _made(flow: Flow, side: Role, one: Carried, column: RowColumn) -> Iterator[ColumnFlow]:
    """Yield the origins, in the flow's own source, of a column that the source computes."""
    if not column.origins:
        yield ColumnFlow(flow, side, one.path, None, changed=False, masked=one.masked)
    for dataset, path in column.origins:
        if dataset == flow.source:
            yield ColumnFlow(flow, side, one.path, path, one.changed or column.changed, one.masked)


def _landed(config: Config, flows: ConnectorFlows, flow: Flow, record: Record) -> Iterator[ColumnFlow]:
    """Yield the columns that a sink writes, under the target's names."""
    for one in (flows.lands or as_it_is)(config, flow, record):
        made = one.origin
        if made is None or made.origin is None:
            yield ColumnFlow(flow, Role.VALUE, one.path, None, changed=False, masked=bool(made and made.masked))
        else:
            side, path = made.origin
            yield ColumnFlow(flow, side, one.path, path, made.changed, made.masked)


def _wrapped(shape: Shape, record: Record) -> Record:
    if shape is Shape.DOCUMENTS:
        return Record(record.key, None)
    if shape in _WRAPPERS:
        return Record(record.key, tuple(_wrapped_row(shape, record.value or ())))
    return record


def _wrapped_row(shape: Shape, row: tuple[Carried, ...]) -> Iterator[Carried]:
    """Wrap the row as in the connector's messages: before and after the change, or in the full document."""
    for place in _WRAPPERS[shape]:
        for column in row:
            yield Carried((*place, *column.path), column.origin)


def _row_of(shape: Shape, place: Place) -> Iterator[Place]:
    """Unwrap a column of the connector's envelope; other fields of the envelope have no row column."""
    side, path = place
    if side is Role.KEY or shape not in _WRAPPERS:
        yield place
    elif len(path) > 1 and path[:1] in _WRAPPERS[shape]:
        yield side, path[1:]
