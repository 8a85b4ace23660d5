"""The facts of other repositories and dictionaries that a check uses: who reads and writes there what changes here."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from scanner_api.change_check.hits import Hits
from scanner_api.change_check.model import ChangeFinding, Place
from scanner_api.change_check.settings import CheckOptions
from scanner_api.change_check.unknowns import Age, graph_findings, source_findings
from scanner_api.dictionary import Dictionary
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.write.scan import write_scan
from scanner_extractor.repository.reader import read_directory
from scanner_extractor.repository.settings import RepositorySettings
from scanner_extractor.results import Reading, SourceReadings, no_progress
from scanner_extractor.scan.merge import merge_results
from scanner_extractor.schemas.parsing import ParseTexts, parse_in_process
from scanner_extractor.settings.cluster import Settings
from scanner_model.lazy_names import load
from scanner_model.names import ClusterName
from scanner_model.private_files import temporary_directory
from scanner_model.schemas import Registry, SchemaVersion

CLUSTER = "repository"
"""The cluster of repositories that are read for a check."""
_GENERATE = "dataflow_generator.build.store:generate"
"""What generates a graph is imported when a finding needs one."""


def read_repositories(options: CheckOptions, top: Path | None = None) -> tuple[Reading, ...]:
    """Read the other repositories; *top* is the one that is checked, whose libraries they may use.

    Raises SourceUnreachable if a directory cannot be listed.
    """
    directories = options.beside
    everything = directories if top is None else (top, *directories)
    return tuple(
        read_directory(
            RepositorySettings(
                pattern=str(directory),
                directory=directory,
                name=directory.resolve().name,
                beside=tuple(other for other in everything if other != directory) or (directory,),
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


def open_others(options: CheckOptions, stack: ExitStack) -> tuple[Connection, ...]:
    """Open the other dictionaries of a check, and one with its other repositories, until *stack* is closed."""
    dictionaries = [Dictionary(url) for url in options.others]
    if options.beside:
        place = stack.enter_context(temporary_directory()) / "repositories.db"
        dictionaries.append(write_repositories(place, read_repositories(options)))
        load(_GENERATE)(dictionaries[-1].writing())
    return tuple(stack.enter_context(dictionary.reading()) for dictionary in dictionaries)


def about_others(
    conns: Sequence[Connection], options: CheckOptions, place: Place, age: Age | None
) -> Iterator[ChangeFinding]:
    """Yield what is not known of other dictionaries: stale sources, no graph."""
    for url, conn in zip(options.others, conns, strict=False):
        shown = Dictionary(url).shown
        hits = Hits(conn)
        for found in (*source_findings(conn, None, place, age), *graph_findings(conn, hits, place)):
            yield replace(found, target=f"{found.target} of {shown}", item=f"{shown} {found.item}".rstrip())
