"""A parsed OpenLineage event: job, run, input and output datasets, and facets."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from scanner_model.columns import Column, ColumnPath


class EventKind(StrEnum):
    """One of the three event types of the specification."""

    RUN = "run"
    JOB = "job"
    DATASET = "dataset"


class Side(StrEnum):
    """Direction in which a job uses a dataset."""

    INPUT = "input"
    OUTPUT = "output"


class Home(StrEnum):
    """What a facet describes; of a use (INPUT, OUTPUT) it is true for one job and one dataset together."""

    JOB = "job"
    RUN = "run"
    DATASET = "dataset"
    INPUT = "input"
    OUTPUT = "output"


@dataclass(frozen=True, slots=True, order=True)
class DatasetRef:
    """A dataset's namespace and name as the event writes them, credentials removed."""

    namespace: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldFlow:
    """One column that affects another; a path None is the whole dataset, *target* None the dataset of the facet.

    *type* and *subtype* are the event's words (DIRECT, IDENTITY, …), empty if not stated. *masking*: the value
    is hidden on its way.
    """

    origin: DatasetRef
    origin_path: ColumnPath | None
    target_path: ColumnPath | None
    target: DatasetRef | None = None
    type: str = ""
    subtype: str = ""
    description: str = ""
    masking: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Symlink:
    """Another name of a dataset; *kind* is the event's word, TABLE or LOCATION."""

    namespace: str
    name: str
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Facet:
    """A facet: *body* is its JSON text as received (secrets removed, keys sorted), the rest is what we read of it.

    *removed*: the producer took it back. *future*: its version is not supported, so it is not parsed.
    *uses* are datasets that the facet reports as read or written by its job, beyond those of the event.
    """

    name: str
    body: str
    removed: bool = False
    future: bool = False
    columns: tuple[Column, ...] = ()
    flows: tuple[FieldFlow, ...] = ()
    symlinks: tuple[Symlink, ...] = ()
    uses: tuple[tuple[DatasetRef, Side], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EventDataset:
    """A dataset of an event; *side* None if no job uses it (a DatasetEvent)."""

    ref: DatasetRef
    side: Side | None = None
    facets: tuple[Facet, ...] = ()
    use_facets: tuple[Facet, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EventJob:
    """The job of an event."""

    namespace: str
    name: str
    facets: tuple[Facet, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRun:
    """The run of an event: *state* is its eventType, empty if not stated."""

    run_id: str
    state: str
    facets: tuple[Facet, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LineageEvent:
    """An event; *time* is ISO 8601 in UTC with nine decimals, so that the text sorts as the moments do.

    *fingerprint* is the same for every repetition of the event. *schema_url* tells the version of the specification.
    """

    kind: EventKind
    time: str
    producer: str
    schema_url: str
    fingerprint: str = ""
    job: EventJob | None = None
    run: EventRun | None = None
    datasets: tuple[EventDataset, ...] = ()
