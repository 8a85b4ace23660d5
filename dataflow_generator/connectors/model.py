"""The types of a connector and of its flows: datasets read and written, flows between them, and their evidence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from dataflow_generator.connectors.config import Config
from dataflow_generator.connectors.transforms.model import Record, TracedColumn
from scanner_model.columns import ColumnPath
from scanner_model.errors import Problem

DEFAULT_NAMESPACE = "kafka://localhost:9092"
"""A worker's default Kafka address (`bootstrap.servers` in Connect's WorkerConfig)."""


class Direction(StrEnum):
    """The direction in which a connector moves data: a source writes topics, a sink reads them."""

    SOURCE = "source"
    SINK = "sink"
    BOTH = "both"
    UNKNOWN = "unknown"


class DatasetKind(StrEnum):
    """The kind of a dataset; a pattern represents every dataset that its regular expression matches."""

    TOPIC = "topic"
    EXTERNAL = "external"
    PATTERN = "pattern"


@dataclass(frozen=True, slots=True, order=True)
class Dataset:
    """A dataset in OpenLineage's naming; the name of a pattern is `regex:` and a Java regular expression."""

    namespace: str
    name: str
    kind: DatasetKind = DatasetKind.EXTERNAL


class Shape(StrEnum):
    """How a source wraps a row before the transforms are applied."""

    ROW = "row"
    ENVELOPE = "envelope"
    """Before and after the change (Debezium)."""
    DOCUMENTS = "documents"
    """Before and after, each as one JSON text (Debezium's MongoDB connector): its fields are known from data only."""
    UNKNOWN = "unknown"
    """A setting without a rule changes the columns."""
    FULL_DOCUMENT = "full-document"
    """In `fullDocument`, where the topic's columns show that MongoDB's change stream includes it."""


@dataclass(frozen=True, slots=True)
class RowColumn:
    """A column of the rows that a source produces, as from a query, and the dataset columns that it is derived from.

    *changed*: its value is computed from them. An empty path is a row that is one primitive value.
    """

    path: ColumnPath
    origins: tuple[tuple[Dataset, ColumnPath], ...] = ()
    changed: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """The columns of the rows that a source produces: *columns* and, if set, all of the dataset *rest*."""

    columns: tuple[RowColumn, ...] = ()
    rest: Dataset | None = None


@dataclass(frozen=True, slots=True)
class SinkColumn:
    """A column that a sink writes, and the column after the transforms that it is derived from.

    *origin* None: the connector adds it. *because* names the keys that cause it, in addition to those of the flow.
    """

    path: ColumnPath
    origin: TracedColumn | None = None
    because: str = ""


@dataclass(frozen=True, slots=True)
class ConnectorFlow:
    """Data flow from *source* to *target*, *because* of a configuration key or of the topics in use.

    An end is None where it is unknown. *topic* is the topic's name before the transforms of a source, and after those
    of a sink; empty where it is unknown.
    """

    source: Dataset | None
    target: Dataset | None
    because: str
    topic: str = ""


@dataclass(frozen=True, slots=True, order=True)
class SideTopic:
    """A topic that a connector uses for its own purposes; *role* is the purpose."""

    dataset: Dataset
    role: str
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Connector:
    """A connector's configuration and its context.

    *direction* is what the worker reports (None: not requested). *known* are the topics of its cluster, in order, and
    *tables* the tables of its database; *active* are the topics that Connect reports it to use (KIP-558). None:
    unknown; empty: no topics. *namespace* is that of the worker's own cluster.
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
        """Return `connector.class` as configured; empty where it is missing."""
        return self.config.text("connector.class")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectorFlows:
    """The result of reading one connector; inputs, outputs and flows are sorted, without duplicates.

    *shape* is how a source's rows are wrapped before the transforms, *row* their columns where the configuration
    defines them, and *keyed*: messages have keys. *sink_columns* returns the columns that a sink writes. An unknown
    class has the topics that are known of it. *isolated*: the connector moves no data between a topic and an external
    dataset, because it generates records, does bookkeeping, or its configuration disables writing.
    """

    name: str
    class_name: str
    direction: Direction
    inputs: tuple[Dataset, ...] = ()
    outputs: tuple[Dataset, ...] = ()
    flows: tuple[ConnectorFlow, ...] = ()
    side_topics: tuple[SideTopic, ...] = ()
    problems: tuple[Problem, ...] = ()
    shape: Shape = Shape.ROW
    row: Row | None = None
    keyed: bool = False
    sink_columns: SinkColumnReader | None = None
    isolated: bool = False


SinkColumnReader = Callable[[Config, ConnectorFlow, Record], tuple[SinkColumn, ...]]
"""Returns the columns of a flow's target for the record after a sink's transforms, whose sides may be unknown."""

ConnectorReader = Callable[[Connector], ConnectorFlows]
"""Reads a connector's flows; pure, reports problems instead of raising for any configuration."""
