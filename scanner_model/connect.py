"""Kafka Connect: connectors and their tasks, as a worker or Confluent Cloud tells them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from scanner_model.names import SourceId, TopicName


class ConnectorKind(StrEnum):
    """Which way a connector moves records."""

    SOURCE = "source"
    """Into Kafka."""
    SINK = "sink"
    """Out of Kafka."""
    UNKNOWN = "unknown"
    """Nobody tells, as where its class is not installed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectorTask:
    """One task of a connector; *state* is the server's word, *trace* empty while it has not failed."""

    number: int
    state: str
    worker: str = ""
    trace: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Connector:
    """A connector: what it was told, and how it does.

    *config* is sorted (key, value) pairs; values that are secret are hidden, references to them (`${file:…}`) are not.
    *state* is the server's word. *topics* are those that it was seen to use since it started or was reset, None where
    that cannot be told. *managed_id* is the id that Confluent Cloud gives it, empty elsewhere.
    """

    source: SourceId
    name: str
    kind: ConnectorKind
    connector_class: str
    config: tuple[tuple[str, str], ...] = ()
    state: str = ""
    worker: str = ""
    trace: str = ""
    tasks: tuple[ConnectorTask, ...] = ()
    topics: tuple[TopicName, ...] | None = None
    plugin_version: str = ""
    managed_id: str = ""
