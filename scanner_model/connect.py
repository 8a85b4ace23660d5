"""Kafka Connect: connectors and their tasks, as reported by a worker or by Confluent Cloud."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from scanner_model.names import SourceId, TopicName


class ConnectorKind(StrEnum):
    """Direction in which a connector moves records."""

    SOURCE = "source"
    """Into Kafka."""
    SINK = "sink"
    """Out of Kafka."""
    UNKNOWN = "unknown"
    """Unknown, as where its class is not installed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectorTask:
    """One task of a connector; *state* is as the server reports it, *trace* is empty unless it failed."""

    number: int
    state: str
    worker: str = ""
    trace: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Connector:
    """A connector: its configuration and its state.

    *config* is sorted (key, value) pairs; values that are secret are hidden, references to them (`${file:…}`) are
    not. *state* is as the server reports it. *topics* are those that it has used since it started or was reset,
    None where unknown. *managed_id* is the id that Confluent Cloud gives it, empty elsewhere.
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
