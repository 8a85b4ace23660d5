"""What a connector's configuration tells: datasets read and written, flows between them, and on what evidence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from dataflow_generator.connectors.config import Config
from scanner_model.problems import Problem

DEFAULT_NAMESPACE = "kafka://localhost:9092"
"""Where a worker finds Kafka if it is not told (`bootstrap.servers` in Connect's WorkerConfig)."""


class Direction(StrEnum):
    """Which way a connector moves data, seen from Kafka's outside: a source writes topics, a sink reads them."""

    SOURCE = "source"
    SINK = "sink"
    BOTH = "both"
    UNKNOWN = "unknown"


class DatasetKind(StrEnum):
    """What stands behind a name; a pattern stands for every dataset that its regular expression matches."""

    TOPIC = "topic"
    EXTERNAL = "external"
    PATTERN = "pattern"


@dataclass(frozen=True, slots=True, order=True)
class Dataset:
    """A dataset by OpenLineage's names; the name of a pattern is `regex:` and a Java regular expression."""

    namespace: str
    name: str
    kind: DatasetKind = DatasetKind.EXTERNAL


class Shape(StrEnum):
    """How a source wraps a row before the transforms see it."""

    ROW = "row"
    ENVELOPE = "envelope"


@dataclass(frozen=True, slots=True)
class Flow:
    """Data goes from *source* to *target*, *because* of a configuration key or of the topics seen in use.

    None is an end that the configuration does not tell. *topic* is the topic's name before the transforms of a source,
    and after those of a sink; empty where it is not known.
    """

    source: Dataset | None
    target: Dataset | None
    because: str
    topic: str = ""


@dataclass(frozen=True, slots=True, order=True)
class SideTopic:
    """A topic that a connector uses for itself: *role* tells for what."""

    dataset: Dataset
    role: str
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Connector:
    """A connector to be read: its configuration, and what is known around it.

    *direction* is what the worker says (None: it was not asked). *known* are the topics of its cluster and *tables* the
    tables of its database; *active* are the topics that it was seen to use (KIP-558). None: nobody knows; empty: there
    are none. *namespace* is that of the worker's own cluster.
    """

    name: str
    config: Config
    direction: Direction | None = None
    known: tuple[str, ...] | None = None
    active: tuple[str, ...] | None = None
    tables: tuple[str, ...] | None = None
    namespace: str = DEFAULT_NAMESPACE

    @property
    def class_name(self) -> str:
        """Give `connector.class` as it is written; empty where it is not."""
        return self.config.text("connector.class")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectorFlows:
    """What was read of one connector; inputs, outputs and flows are sorted, each once.

    *shape* is how a source's rows enter the transforms. A class that nobody knows has the topics that are known of it.
    """

    name: str
    class_name: str
    direction: Direction
    inputs: tuple[Dataset, ...] = ()
    outputs: tuple[Dataset, ...] = ()
    flows: tuple[Flow, ...] = ()
    side_topics: tuple[SideTopic, ...] = ()
    problems: tuple[Problem, ...] = ()
    shape: Shape = Shape.ROW


ConnectorReader = Callable[[Connector], ConnectorFlows]
"""Read a connector's flows; pure, and with a problem instead of an exception for whatever stands in a configuration."""
