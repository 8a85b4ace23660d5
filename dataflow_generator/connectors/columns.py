"""Columns of a dataset on their way through a connector: into the topic's messages, or out of them."""

from __future__ import annotations

from collections.abc import Iterable

from dataflow_generator.connectors.config import Config
from dataflow_generator.connectors.flows import Shape
from dataflow_generator.connectors.transforms import Carried, Chain, Record, Template
from dataflow_generator.connectors.transforms.records import UNKNOWN
from scanner_model.paths import ColumnPath


def columns_through(
    config: Config, shape: Shape, topic: str, value: Iterable[ColumnPath], key: Iterable[ColumnPath] = ()
) -> Record:
    """Follow columns through the transforms of a connector.

    *topic* is the topic before them; *value* and *key* are a row's columns for a source, the message's for a sink.
    *shape* says how a source wraps the row first. A side is None where its columns cannot be told.
    """
    ways = Chain.of(config).ways(Template.of(topic), _wrapped(shape, Record.of(value, key)))
    records = {way.record for way in ways}
    if len(records) == 1:
        return records.pop()
    keys, values = ({getattr(one, side) for one in records} for side in ("key", "value"))
    return Record(keys.pop() if len(keys) == 1 else None, values.pop() if len(values) == 1 else None)


def _wrapped(shape: Shape, record: Record) -> Record:
    match shape:
        case Shape.ENVELOPE:
            return Record(record.key, tuple(_envelope(record.value or ())))
        case Shape.OPAQUE:
            return UNKNOWN
        case _:
            return record


def _envelope(row: tuple[Carried, ...]) -> Iterable[Carried]:
    """Put the row where Debezium's envelope has it: before and after the change."""
    for place in ("before", "after"):
        for column in row:
            yield Carried((place, *column.path), column.origin)
