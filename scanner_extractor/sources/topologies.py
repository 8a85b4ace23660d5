"""Reads files with topologies of Kafka Streams, as `Topology.describe()` prints them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import PurePosixPath

from scanner_extractor.readings import JobsReading, Progress
from scanner_extractor.settings_flink import StreamsSettings
from scanner_extractor.sources.file_texts import FileText, file_outcome, file_problem, sorted_out
from scanner_model.streams import StreamsTopology

_MARK = "Sub-topology:"
_NONE = "it holds no topology as `Topology.describe()` prints it"


def read_topologies(settings: StreamsSettings, texts: Iterable[FileText], progress: Progress) -> JobsReading:
    """Give the topology of each file, named by the application id, sorted by name.

    The id is `name` of the settings, else the file's own name without its ending. Raises SourceUnreachable where no
    file can be read; one that cannot, or that holds no topology, is a problem, and what it said before stays.
    """
    readable, failed = sorted_out(texts, settings.files.pattern, settings.source)
    found = [each for each in readable if _MARK in each.text]
    failed += tuple(replace(each, failure=_NONE) for each in readable if _MARK not in each.text)
    topologies = tuple(sorted((_topology(each, settings) for each in found), key=lambda each: each.name))
    progress(settings.source, len(topologies), len(topologies))
    unread = frozenset(_application(each.name, settings) for each in failed)
    return JobsReading(
        outcome=file_outcome(settings.source, "streams", len(topologies), unread),
        topologies=topologies,
        problems=tuple(file_problem(each, settings.source) for each in failed),
    )


def _topology(each: FileText, settings: StreamsSettings) -> StreamsTopology:
    name = _application(each.name, settings)
    return StreamsTopology(source=settings.source, name=name, topology=each.text, file=each.name)


def _application(file: str, settings: StreamsSettings) -> str:
    return settings.name or PurePosixPath(file).stem
