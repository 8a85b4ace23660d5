"""The phases of a scan: which kinds of source are read side by side, and in which order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from scanner_extractor.scan import source_kinds
from scanner_extractor.scan.connections import Connections
from scanner_extractor.scan.results import KafkaResult, Progress, SourceResults
from scanner_extractor.scan.source_kinds import SOURCE_KINDS
from scanner_extractor.settings.cluster import Settings
from scanner_extractor.settings.confluent_cloud import Lacking
from scanner_model.errors import SourceRefused
from scanner_model.names import SourceId


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One source to read: *kind* is what `--only` and `--skip` name; *run* reads it and raises ScannerError."""

    source: SourceId
    kind: str
    run: Callable[[Progress], SourceResults]


class Mode(StrEnum):
    """Which phases a scan has."""

    FULL = "full"
    """Every phase."""
    EXTRACT = "extract"
    """The cluster's own systems: no enrichment from catalogs of tables, no metrics."""
    ENRICH = "enrich"
    """Catalogs of tables and metrics only, added to what the last scan stored."""


@dataclass(frozen=True, slots=True)
class Phase:
    """A step of a scan: its tasks run side by side, after all tasks of the phases before it.

    *enriches*: it reads what other systems know about what was extracted; `Mode` selects by it.
    """

    name: str
    tasks: Callable[[Settings, Connections], Iterator[Task]]
    enriches: bool = False

    def runs_in(self, mode: Mode) -> bool:
        """Return whether a scan of *mode* has this phase."""
        return mode is Mode.FULL or self.enriches is (mode is Mode.ENRICH)


def kind_tasks(phase: str, settings: Settings, connections: Connections) -> Iterator[Task]:
    """Yield a task for each source of the kinds of *phase*, in the order of the rows and of cluster.json."""
    for kind in SOURCE_KINDS:
        if kind.phase == phase:
            for source in kind.sources(settings):
                yield Task(source=source.source, kind=kind.name, run=partial(kind.read, source, connections))


def cluster_tasks(settings: Settings, connections: Connections) -> Iterator[Task]:
    """Yield a task for each source of the cluster itself; then one that fails for each source without a key."""
    yield from kind_tasks(source_kinds.CLUSTER, settings, connections)
    for lacking in settings.lacking:
        yield Task(source=lacking.source, kind=lacking.kind, run=partial(_refuse, lacking))


def _refuse(lacking: Lacking, _: Progress) -> KafkaResult:
    raise SourceRefused(lacking.what, hint=lacking.hint)


def _phase(name: str, *, enriches: bool = False) -> Phase:
    return Phase(name, partial(kind_tasks, name), enriches)


DISCOVERY = _phase(source_kinds.DISCOVERY)
"""Runs before the phases, in every mode: it finds which sources there are."""

PHASES = (
    Phase(source_kinds.CLUSTER, cluster_tasks),
    _phase(source_kinds.STREAMING),
    _phase(source_kinds.SCHEMAS),
    _phase(source_kinds.TABLES),
    _phase(source_kinds.CATALOG, enriches=True),
    _phase(source_kinds.METRICS, enriches=True),
)
