"""The cluster.json files of a scan: all read and checked before the first request to a source."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from manual_input.loader import Reach, read_manual_input
from scanner_dictionary.validation.findings import Finding as Finding
from scanner_extractor.config.loader import read_cluster_file
from scanner_extractor.formats import format_names
from scanner_extractor.registries import REGISTRIES
from scanner_extractor.repository.settings import RepositorySettings
from scanner_extractor.scan.connections import Connections
from scanner_extractor.scan.expansion import KINDS
from scanner_extractor.scan.runner import DISCOVERY, PHASES, Choice
from scanner_extractor.settings.cluster import Settings
from scanner_model.documents.json_positions import closest_match
from scanner_model.errors import InputInvalid, Problem
from scanner_model.kafka import Cluster
from scanner_model.manual import ManualInput
from scanner_model.names import ClusterName
from scanner_model.scan import SourceResult, SourceStatus


def read_files(files: Sequence[str], *, replayed: bool = False) -> tuple[list[Settings], list[Problem]]:
    """Read every file, and return the settings with every problem found; *replayed*: see `read_clusters`."""
    clusters: list[Settings] = []
    problems: list[Problem] = []
    for file in files:
        try:
            clusters.append(read_cluster_file(Path(file), os.environ, tuple(REGISTRIES), replayed=replayed))
        except InputInvalid as error:
            problems += error.problems or (Problem(error.where, error.what, error.hint),)
    return clusters, [*problems, *_repeated(clusters)]


def _repeated(clusters: Sequence[Settings]) -> Iterator[Problem]:
    first: dict[ClusterName, Path] = {}
    for settings in clusters:
        if settings.cluster in first:
            what = f"the cluster {settings.cluster!r} is in {first[settings.cluster]} already"
            yield Problem(str(settings.file), what, "name the file once, or give each cluster a name of its own")
        first.setdefault(settings.cluster, settings.file)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedCluster:
    """A cluster.json and the manual input that it names, read and checked; *warnings* belong into the report."""

    settings: Settings
    manual: ManualInput
    warnings: tuple[Problem, ...]


def read_clusters(files: Sequence[str], *, replayed: bool = False) -> tuple[Settings, ...]:
    """Read every cluster.json; raises one InputInvalid that lists the problems of all of them.

    *replayed*: SQL files and topologies need not exist, as a capture holds their contents.
    """
    clusters, problems = read_files(files, replayed=replayed)
    problems += _without_source(clusters)
    if problems:
        raise InputInvalid.listing(problems)
    return tuple(clusters)


def load_clusters(files: Sequence[str], *, replayed: bool = False) -> tuple[LoadedCluster, ...]:
    """Read every cluster.json with its manual input; raises InputInvalid. *replayed*: see `read_clusters`."""
    return tuple(map(_loaded, read_clusters(files, replayed=replayed)))


def repository_cluster(directories: Sequence[Path], variables: Mapping[str, str]) -> LoadedCluster:
    """Return the cluster that *directories* of files describe, named after the first; *variables* fill placeholders.

    Raises InputInvalid for a path that is not a directory, and for a directory without files.
    """
    for directory in directories:
        if not directory.is_dir():
            raise InputInvalid("is not a directory", where=str(directory), hint="name a directory of files")
        if not _has_files(directory):
            raise InputInvalid("contains no files", where=str(directory), hint="was the repository checked out?")
    name = ClusterName(directories[0].resolve().name or "repository")
    repositories = tuple(
        RepositorySettings(
            pattern=str(directory),
            directory=directory,
            name=directory.resolve().name,
            variables=variables,
            beside=tuple(other for other in directories if other != directory),
        )
        for directory in directories
    )
    settings = Settings(
        cluster=name, brokers=(), file=directories[0] / "cluster.json", others={"repositories": repositories}
    )
    manual = ManualInput(cluster=Cluster(name=name, brokers=()))
    return LoadedCluster(settings=settings, manual=manual, warnings=())


def _has_files(directory: Path) -> bool:
    """Check whether a directory contains any file but those that git keeps for itself."""
    waiting = [directory]
    while waiting:  # os.walk of Python 3.11 calls itself for each level
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.name == _GIT:
                    continue
                if not entry.is_dir(follow_symlinks=False):
                    return True
                waiting.append(Path(entry.path))
    return False


_GIT = ".git"


def select_sources(only: Sequence[str], skip: Sequence[str], clusters: Collection[Settings]) -> Choice:
    """Parse *only* and *skip*: kinds and ids of sources, with commas between; raises InputInvalid for unknown names."""
    kinds, sources = _names(clusters)
    known = (*kinds, *sources)
    # Ids of sources that discovery finds when the scan starts are not known yet.
    later = any(settings.cloud for settings in clusters)
    return Choice(
        only=_checked_names(only, "--only", known, later=later), skip=_checked_names(skip, "--skip", known, later=later)
    )


def _loaded(settings: Settings) -> LoadedCluster:
    reach = Reach(base=settings.file.parent, formats=format_names(), scanned=bool(_names([settings])[1]))
    manual = read_manual_input(settings.manual_input, settings.cluster, settings.brokers, reach)
    return LoadedCluster(settings=settings, manual=manual.input, warnings=(*settings.warnings, *manual.warnings))


def _without_source(clusters: Sequence[Settings]) -> Iterator[Problem]:
    for settings in clusters:
        if not (settings.manual_input or _names([settings])[1]):
            what = "no source is configured"
            hint = "add schema_registries, kafka, ksqldb, connect, flink, streams or manual_input"
            if settings.brokers:
                what = "`brokers` are addresses only, and no source is configured"
                hint = 'add "kafka": {} to read topics and consumer groups from them'
            yield Problem(str(settings.file), what, hint)


def _names(clusters: Collection[Settings]) -> tuple[list[str], list[str]]:
    """List the kinds and the ids of all sources, each once."""
    phases = (DISCOVERY, *PHASES)
    tasks = [task for settings in clusters for phase in phases for task in phase.tasks(settings, Connections())]
    discovered = KINDS if any(settings.cloud for settings in clusters) else frozenset()
    return sorted({task.kind for task in tasks} | discovered), sorted({str(task.source) for task in tasks})


def _checked_names(options: Sequence[str], option: str, known: Sequence[str], *, later: bool = False) -> frozenset[str]:
    names = [name for text in options for name in _listed(text, known)]
    for name in names:
        if name not in known and not (later and ":" in name):
            hint = closest_match(name, known) or f"known: {', '.join(known)}"
            raise InputInvalid(f"no source, and no kind of source, is called {name!r}", where=option, hint=hint)
    return frozenset(names)


def _listed(text: str, known: Sequence[str]) -> Iterator[str]:
    """Split a list at its commas, except those inside a source's own id."""
    text = text.strip(" ,")
    while text:
        matches = (name for name in known if text == name or text.startswith(f"{name},"))
        name = max(matches, key=len, default=text.partition(",")[0])
        yield name.strip()
        text = text[len(name) :].strip(" ,")


INCOMPLETE = (SourceStatus.PARTIAL, SourceStatus.UNAVAILABLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanReport:
    """The result of scanning one cluster.

    *scan* is its number in the dictionary, None where nothing was stored. *counts* are what was read, by kind;
    *changes* are facts by action (added, changed, …). *seconds* is the elapsed time.
    """

    cluster: str
    scan: int | None
    outcomes: tuple[SourceResult, ...]
    counts: tuple[tuple[str, int], ...]
    changes: tuple[tuple[str, int], ...]
    problems: tuple[Problem, ...]
    seconds: float
    findings: tuple[Finding, ...] = ()

    @property
    def stored(self) -> bool:
        """Return whether the dictionary holds this scan."""
        return self.scan is not None

    @property
    def is_partial(self) -> bool:
        """Return whether a requested source could not be read, or not completely."""
        return any(outcome.status in INCOMPLETE for outcome in self.outcomes)
