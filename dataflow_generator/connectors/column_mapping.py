"""Map the columns of a flow's source to the columns of its target, with the reasons."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from dataflow_generator.connectors.columns import columns_before, columns_through, topic_before
from dataflow_generator.connectors.config import Config
from dataflow_generator.connectors.families.debezium import ColumnLists, Treatment, message_key
from dataflow_generator.connectors.model import ConnectorFlow, ConnectorFlows, DatasetKind, Direction, RowColumn, Shape
from dataflow_generator.connectors.sinks import value_unchanged
from dataflow_generator.connectors.transforms.model import Position
from scanner_model.columns import KEY, ColumnPath
from scanner_model.names import Role

_PAYLOAD = "payload"
_PARTS = {_PAYLOAD, "schema"}


@dataclass(frozen=True, slots=True)
class Envelope:
    """The sides of a topic's messages that are wrapped in `payload`, as its columns show.

    Source: JsonConverter with `schemas.enable`, Connect's JsonSchema.ENVELOPE_PAYLOAD_FIELD_NAME.
    """

    sides: frozenset[Role] = frozenset()

    @classmethod
    def of(cls, paths: Sequence[ColumnPath]) -> Envelope:
        """Detect the wrapped sides from the columns of a topic."""
        tops = {side: {path[:1] for path in _paths_of_side(side, paths)} for side in Role}
        wrapped = (side for side, names in tops.items() if (_PAYLOAD,) in names and {*map("".join, names)} <= _PARTS)
        return cls(frozenset(wrapped))

    def unwrap(self, paths: Sequence[ColumnPath]) -> tuple[ColumnPath, ...]:
        """Return the columns without the wrapper; a payload without fields is one primitive value."""
        parents = {path[:-1] for path in paths}
        return tuple(
            (*_side(path), *_rest(path)[1:]) if self._wraps(path) else path
            for path in paths
            if not self._wraps(path)
            or (_rest(path)[:1] == (_PAYLOAD,) and (len(_rest(path)) > 1 or path not in parents))
        )

    def wrap(self, path: ColumnPath) -> ColumnPath:
        """Return a column with the wrapper, as in the message."""
        return (*_side(path), _PAYLOAD, *_rest(path)) if self._wraps(path) else path

    def _wraps(self, path: ColumnPath) -> bool:
        return (Role.KEY if _side(path) else Role.VALUE) in self.sides


def _side(path: ColumnPath) -> ColumnPath:
    return path[:1] if path[:1] == (KEY,) else ()


def _rest(path: ColumnPath) -> ColumnPath:
    return path[len(_side(path)) :]


def _paths_of_side(side: Role, paths: Sequence[ColumnPath]) -> list[ColumnPath]:
    return [_rest(path) for path in paths if bool(_side(path)) is (side is Role.KEY)]


Paths = Sequence[ColumnPath]
"""Columns of a dataset; those of a message's key begin with `@key`."""


@dataclass(frozen=True, slots=True)
class MappedColumn:
    """A column of a flow's source and the column of its target that it is copied to, or converted to if *changed*.

    *because* names the transforms and keys that cause it, empty where the column is passed on unchanged. *alike*: its
    name at the target differs in case from what the connector writes, so that the two are matched by name. *masked*:
    its value shows nothing of the source's.
    """

    source: ColumnPath
    target: ColumnPath
    changed: bool = False
    because: str = ""
    alike: bool = False
    masked: bool = False


@dataclass(frozen=True, slots=True)
class ColumnMapping:
    """The column mapping of one flow; *complete* is false where some columns, or all, cannot be resolved."""

    columns: tuple[MappedColumn, ...] = ()
    complete: bool = True


def map_columns(
    config: Config, flows: ConnectorFlows, flow: ConnectorFlow, ends: tuple[Paths, Paths], *, partial: bool = False
) -> ColumnMapping:
    """Map columns along *flow* of a connector; *ends* are the known columns of its source and its target.

    Where the columns of only one end are known, those of the other are derived. Where neither is, or a transform is
    unknown, the result is empty and not complete. The wrapper of Connect's JSON converter is removed first. *partial*:
    the target of a source may have more columns than are known, as a topic that only the DDL of its reader describes.
    """
    sink = flows.direction is Direction.SINK
    source, target = _envelopes(flow, ends)
    paths = source.unwrap(ends[0]), target.unwrap(ends[1])
    mapping = _out(config, flows, flow, paths) if sink else _in(config, flows, flow, paths, partial=partial)
    if not (source.sides or target.sides):
        return mapping
    wrap = (
        replace(column, source=source.wrap(column.source), target=target.wrap(column.target))
        for column in mapping.columns
    )
    return replace(mapping, columns=tuple(wrap))


def columns_behind_sink(
    config: Config, flows: ConnectorFlows, flow: ConnectorFlow, table: Paths
) -> tuple[ColumnPath, ...]:
    """Return the columns of the messages from which a sink can fill those of a *table*; none where that is unknown.

    The table may have more columns than the messages, which the sink leaves alone.
    """
    positions = [(Role.VALUE, path) for path in table if path[:1] != (KEY,)]
    shape = Shape.UNKNOWN if flows.shape is Shape.UNKNOWN else Shape.ROW
    before = columns_before(config, shape, topic_before(flows, flow), positions) or ()
    return tuple(map(_column_path, before))


def _envelopes(flow: ConnectorFlow, ends: tuple[Paths, Paths]) -> tuple[Envelope, Envelope]:
    """Return the wrappers of the messages at both ends; from topic to topic, bytes are copied."""
    source, target = (end is not None and end.kind is DatasetKind.TOPIC for end in (flow.source, flow.target))
    if source == target:
        return Envelope(), Envelope()
    return Envelope.of(ends[0] if source else ()), Envelope.of(ends[1] if target else ())


def _out(config: Config, flows: ConnectorFlows, flow: ConnectorFlow, ends: tuple[Paths, Paths]) -> ColumnMapping:
    source, target = ends
    if not source:
        return ColumnMapping(complete=False)
    key, value = _sides(source)
    record = columns_through(config, flows.shape, topic_before(flows, flow), value, key)
    columns = (flows.sink_columns or value_unchanged)(config, flow, record)
    pairs = (
        MappedColumn(
            _column_path(column.origin.origin),
            column.path,
            column.origin.changed,
            _why(column.origin.steps, column.because),
            masked=column.origin.masked,
        )
        for column in columns
        if column.origin and column.origin.origin
    )
    return ColumnMapping(tuple(_at_target(pairs, target)), record.value is not None)


def _in(
    config: Config, flows: ConnectorFlows, flow: ConnectorFlow, ends: tuple[Paths, Paths], *, partial: bool
) -> ColumnMapping:
    target = ends[1]
    shape = _shape(flows.shape, target)
    topic = topic_before(flows, flow)
    rows = _rows(config, flows, flow, ends)
    if rows is None:
        return ColumnMapping(complete=False)
    value, key = ([path for side, path in rows if side is role] for role in (Role.VALUE, Role.KEY))
    key = message_key(config, flow, value) or key
    record = columns_through(config, shape, topic, value, key)
    computed = {column.path: column for column in flows.row.columns} if flows.row else {}
    lists = ColumnLists.of(config)
    pairs = (
        MappedColumn(
            origin,
            _column_path((side, column.path)),
            column.changed or what is Treatment.CHANGED,
            _why(column.steps, because),
            masked=column.masked or what is Treatment.MASKED,
        )
        for side in Role
        for column in record.side(side) or ()
        if column.origin
        for origin, what, because in _origins(lists, flow, column.origin, computed)
    )
    return ColumnMapping(tuple(_at_target(pairs, target, partial=partial)), record.value is not None)


def _rows(
    config: Config, flows: ConnectorFlows, flow: ConnectorFlow, ends: tuple[Paths, Paths]
) -> Sequence[Position] | None:
    """Return the columns of the rows that a source reads: from its configuration, its source, or else its topic."""
    source, target = ends
    from_topic = flow.source is not None and flow.source.kind is DatasetKind.TOPIC
    computed = [(Role.VALUE, column.path) for column in flows.row.columns] if flows.row else []
    if flows.row and flows.row.rest != flow.source:
        return computed
    known = [position for position in map(_position, source) if from_topic or _is_read(position, config, flows, target)]
    if from_topic and known:
        return known
    shape = _shape(flows.shape, target)
    positions = (
        columns_before(config, shape, topic_before(flows, flow), list(map(_position, target))) if target else None
    )
    keys = [position for position in positions or () if position[0] is Role.KEY and flows.keyed]
    if known:
        return [*computed, *(position for position in known if position not in computed), *keys]
    if positions is None:
        return computed or None
    return [
        *computed,
        *(position for position in positions if position[0] is Role.VALUE and position not in computed),
        *keys,
    ]


def _is_read(position: Position, config: Config, flows: ConnectorFlows, target: Paths) -> bool:
    """Return whether a source writes a column on this side: the primary key, where the topic's key is unknown."""
    has_key = any(path[:1] == (KEY,) for path in target)
    return position[0] is Role.VALUE or (flows.keyed and not has_key and not config.text("message.key.columns"))


def _origins(
    lists: ColumnLists, flow: ConnectorFlow, origin: Position, computed: dict[ColumnPath, RowColumn]
) -> Iterator[tuple[ColumnPath, Treatment, str]]:
    """Find the columns of the flow's own source that a row's column is derived from."""
    source = flow.source
    if source is None:
        return
    if source.kind is DatasetKind.TOPIC:
        yield _column_path(origin), Treatment.COPIED, ""
    elif origin[1] in computed:
        column = computed[origin[1]]
        what = Treatment.CHANGED if column.changed else Treatment.COPIED
        yield from ((path, what, "") for dataset, path in column.origins if dataset == source)
    else:
        what, key = lists.treatment(source.name, origin[1])
        if what is not Treatment.LEFT_OUT:
            yield origin[1], what, key


def _shape(shape: Shape, topic: Paths) -> Shape:
    """Return how rows are wrapped; whether MongoDB's change stream has full documents shows in the topic only."""
    tops = {path[:1] for path in topic}
    return Shape.FULL_DOCUMENT if shape is Shape.ROW and {("fullDocument",), ("operationType",)} <= tops else shape


def _at_target(pairs: Iterable[MappedColumn], target: Paths, *, partial: bool = False) -> Iterator[MappedColumn]:
    """Keep the columns that the target has, where it is known; a single name that differs in case only is matched.

    *partial*: the target may have others, which are kept, too.
    """
    known: Collection[ColumnPath] = frozenset(target)
    folded: dict[ColumnPath, list[ColumnPath]] = {}
    for path in known:
        folded.setdefault(_folded(path), []).append(path)
    for pair in dict.fromkeys(pairs):
        alike = folded.get(_folded(pair.target), [])
        if not known or pair.target in known:
            yield pair
        elif len(alike) == 1:
            yield replace(pair, target=alike[0], alike=True)
        elif partial:
            yield pair


def _folded(path: ColumnPath) -> ColumnPath:
    return tuple(segment.casefold() for segment in path)


def _why(steps: tuple[str, ...], because: str) -> str:
    named = ", ".join(f"transforms.{step}" for step in dict.fromkeys(steps))
    return ", ".join(filter(None, (named, because)))


def _sides(paths: Paths) -> tuple[list[ColumnPath], list[ColumnPath]]:
    positions = list(map(_position, paths))
    key, value = ([path for side, path in positions if side is role] for role in (Role.KEY, Role.VALUE))
    return key, value


def _position(path: ColumnPath) -> Position:
    return (Role.KEY, path[1:]) if path[:1] == (KEY,) else (Role.VALUE, path)


def _column_path(position: Position) -> ColumnPath:
    side, path = position
    return (KEY, *path) if side is Role.KEY else path
