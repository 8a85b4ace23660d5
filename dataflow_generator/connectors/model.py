"""What a connector's configuration tells: datasets read and written, flows between them, and on what evidence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from dataflow_generator.connectors.config import Config
from dataflow_generator.connectors.transforms.records import Carried, Record
from scanner_model.column_path import ColumnPath
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
    """Before and after the change (Debezium)."""
    DOCUMENTS = "documents"
    """Before and after, each as one JSON text (Debezium's MongoDB connector): its fields are told by data."""
    FULL_DOCUMENT = "full-document"
    """In `fullDocument`, where the topic shows that it has what MongoDB's change stream tells."""


@dataclass(frozen=True, slots=True)
class RowColumn:
    """A column of the rows that a source makes itself, as of a query, and the columns of datasets that it is made of.

    *changed* says that its value is computed from them. An empty path is a row that is one plain value.
    """

    path: ColumnPath
    origins: tuple[tuple[Dataset, ColumnPath], ...] = ()
    changed: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """The columns of the rows that a source makes; beside *columns* all of the dataset *rest*, where there is one."""

    columns: tuple[RowColumn, ...] = ()
    rest: Dataset | None = None


@dataclass(frozen=True, slots=True)
class Landed:
    """A column of the dataset that a sink writes, and the column behind its transforms that it is made of.

    *origin* None: the connector made it. *because* names the keys that say so beside those of the flow.
    """

    path: ColumnPath
    origin: Carried | None = None
    because: str = ""


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

    *direction* is what the worker says (None: it was not asked). *known* are the topics of its cluster, in order, and
    *tables* the tables of its database; *active* are the topics that it was seen to use (KIP-558). None: nobody knows;
    empty: there are none. *namespace* is that of the worker's own cluster.
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
        """Return `connector.class` as it is written; empty where it is not."""
        return self.config.text("connector.class")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectorFlows:
    """What was read of one connector; inputs, outputs and flows are sorted, each once.

    *shape* is how a source's rows enter the transforms, *row* what stands in them where the configuration itself tells
    it, and *keyed* says that messages get keys. *lands* says which columns a sink makes of a message's. A class that
    nobody knows has the topics that are known of it.
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
    row: Row | None = None
    keyed: bool = False
    lands: Lands | None = None


Lands = Callable[[Config, Flow, Record], tuple[Landed, ...]]
"""Give the columns of a flow's target by the record behind a sink's transforms, of which both sides may be unknown."""

ConnectorReader = Callable[[Connector], ConnectorFlows]
"""Read a connector's flows; pure, and with a problem instead of an exception for whatever stands in a configuration."""
