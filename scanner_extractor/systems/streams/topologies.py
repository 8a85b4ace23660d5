"""Read topologies that Kafka Streams applications print."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import PurePosixPath

from scanner_extractor.job_files import FileText, file_outcome, file_problem, separate_failed
from scanner_extractor.results import Progress, Reading
from scanner_extractor.systems.streams.settings import StreamsSettings
from scanner_model.kafka import StreamsTopology

_MARK = "Sub-topology:"
_NONE = "it has no topology as printed by `Topology.describe()`"


def read_topologies(settings: StreamsSettings, texts: Iterable[FileText], progress: Progress) -> Reading:
    """Return the topology of each file, named by the application id, sorted by name.

    The id is `name` of the settings, else the file's own name without its ending. Raises SourceUnreachable where no
    file can be read; one that cannot, or that holds no topology, is a problem, and its earlier facts are retained.
    """
    readable, failed = separate_failed(texts, settings.files.pattern, settings.source)
    topology_files = [file for file in readable if _MARK in file.text]
    failed += tuple(replace(file, failure=_NONE) for file in readable if _MARK not in file.text)
    topologies = tuple(sorted((_topology(file, settings) for file in topology_files), key=lambda file: file.name))
    progress(settings.source, len(topologies), len(topologies))
    unread = frozenset(_application(file.name, settings) for file in failed)
    return Reading(
        outcome=file_outcome(settings.source, "streams", len(topologies), unread),
        facts=topologies,
        problems=tuple(file_problem(file, settings.source) for file in failed),
    )


def _topology(file: FileText, settings: StreamsSettings) -> StreamsTopology:
    name = _application(file.name, settings)
    return StreamsTopology(source=settings.source, name=name, topology=file.text, file=file.name)


def _application(file: str, settings: StreamsSettings) -> str:
    return settings.name or PurePosixPath(file).stem
