"""The kinds of source of repositories: directories, and files of one kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scanner_extractor.config.sections import Section
from scanner_extractor.probes import Probe
from scanner_extractor.repository.section import REPOSITORY_SECTION, SCHEMAS_SECTION
from scanner_extractor.repository.settings import RepositorySettings
from scanner_extractor.results import (
    Progress,
    SourceResults,
    no_progress,
)
from scanner_extractor.source_kind import (
    STREAMING,
    Connections,
    SourceKind,
    tested,
)
from scanner_model.lazy_names import load
from scanner_model.maturity import live

_REPOSITORY = "scanner_extractor.repository.reader"


def repository_probes(settings: RepositorySettings, _: Connections) -> Iterator[Probe]:
    """Try to read every file; what was found is counted by kind."""

    def read() -> str:
        reading = load(f"{_REPOSITORY}:directory_reading")(settings, no_progress)
        kinds = ", ".join(f"{len(files)} {kind}" for kind, files in reading.files.items())
        return f"{reading.seen} files, of them {kinds or 'none that is read'}"

    yield Probe("read its files", read)


def _read_repository(settings: RepositorySettings, _: Connections, progress: Progress) -> SourceResults:
    result: SourceResults = load(f"{_REPOSITORY}:read_directory")(settings, progress)
    return result


def repository_kind(section: Section[Any]) -> SourceKind[RepositorySettings]:
    """Return the kind of the repositories that *section* of cluster.json declares."""
    return SourceKind(
        name="repository",
        phase=STREAMING,
        section=section,
        settings=RepositorySettings,
        proofs=tested(live("repositories", "of 14 public examples", "benchmarks/estates.py")),
        read=_read_repository,
        check=repository_probes,
    )


REPOSITORY = repository_kind(REPOSITORY_SECTION)

SCHEMA_FILES = repository_kind(SCHEMAS_SECTION)
