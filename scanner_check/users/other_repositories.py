"""Other repositories that a check uses, read into a dictionary: imported only where there are some."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from pathlib import Path

from dataflow_generator.stored.dictionary import Dictionary
from scanner_check.inputs.options import CheckOptions
from scanner_check.users.others import CLUSTER
from scanner_dictionary.write.scan import write_scan
from scanner_extractor.repository.reader import read_directory
from scanner_extractor.repository.settings import RepositorySettings
from scanner_extractor.results import Reading, SourceReadings, no_progress
from scanner_extractor.scan.merge import merge_results
from scanner_extractor.schemas.parsing import ParseTexts, parse_in_process
from scanner_extractor.settings.cluster import Settings
from scanner_model.names import ClusterName
from scanner_model.schemas import Registry, SchemaVersion


def read_repositories(options: CheckOptions, top: Path | None = None) -> tuple[Reading, ...]:
    """Read the other repositories; *top* is the one that is checked, whose libraries they may use.

    Raises SourceUnreachable if a directory cannot be listed.
    """
    directories = options.beside
    repositories = directories if top is None else (top, *directories)
    return tuple(
        read_directory(
            RepositorySettings(
                pattern=str(directory),
                directory=directory,
                name=directory.resolve().name,
                beside=tuple(other for other in repositories if other != directory) or (directory,),
            ),
            no_progress,
        )
        for directory in directories
    )


def without_subjects(reading: Reading, subjects: Collection[str]) -> Reading:
    """Return what another repository declares, without its copies of the schemas of *subjects*."""
    kept = tuple(version for version in reading.of(SchemaVersion) if version.subject not in subjects)
    return reading.with_facts({SchemaVersion: kept, Registry: reading.of(Registry) if kept else ()})


def write_repositories(place: Path, results: Sequence[Reading], read: ParseTexts = parse_in_process) -> Dictionary:
    """Write a dictionary with what repositories declare, as one cluster, and return it; it has no graph yet."""
    scanned = merge_results(
        Settings(cluster=ClusterName(CLUSTER), brokers=(), file=Path("cluster.json")),
        SourceReadings(outcomes=tuple(result.outcome for result in results), readings=tuple(results)),
        read=read,
    )
    dictionary = Dictionary(str(place))
    engine = dictionary.writing(create=True)
    now = datetime.now(UTC)
    write_scan(engine, scanned, started=now, finished=now, rules=())
    engine.dispose()
    return dictionary
