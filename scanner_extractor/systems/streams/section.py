"""The `streams` of cluster.json."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial

from scanner_extractor.config.interpolation import named_files
from scanner_extractor.config.job_files import file_errors, job_files, namesake_errors
from scanner_extractor.config.sections import Items, ParseContext, Section, ValidationContext, nonempty, object_of
from scanner_extractor.http.messages import Json
from scanner_extractor.job_files import file_probes
from scanner_extractor.results import Progress, Reading
from scanner_extractor.source_kind import (
    STREAMING,
    Connections,
    SourceKind,
    tested,
)
from scanner_extractor.systems.streams.settings import StreamsSettings
from scanner_extractor.systems.streams.topologies import read_topologies
from scanner_model.documents.schema_errors import ErrorMessage, JsonPath
from scanner_model.maturity import Proof
from scanner_model.redaction import mask_text

TOPOLOGY_ENDING = "*.txt"
"""The files of a directory that are read."""

_STREAMS: Json = object_of(
    "Kafka Streams",
    "Topologies printed by Kafka Streams applications.",
    {
        "name": nonempty(
            "Application",
            ("The `application.id`, if `path` is one file. By default each file is named after its application."),
            "order-enricher",
        ),
        "path": nonempty(
            "Files",
            "Output of Topology.describe(): a file, a pattern, or a directory (all its *.txt).",
            "topologies/*.txt",
        ),
    },
    required=["path"],
) | {"examples": [{"path": "topologies/*.txt"}]}


def parse_streams(item: Json, context: ParseContext) -> StreamsSettings:
    """Return the settings of Kafka Streams topologies."""
    return StreamsSettings(files=job_files(item["path"], context, TOPOLOGY_ENDING), name=item.get("name", ""))


def validate_streams(items: Items, context: ValidationContext) -> Iterator[ErrorMessage]:
    """Yield what is wrong with topologies: no file, several under one application id, two ids that are the same."""
    for path, item in items:
        yield from file_errors(path, item, TOPOLOGY_ENDING, context)
        yield from _application_errors(path, item, context)
    yield from namesake_errors(items, context)


def _application_errors(path: JsonPath, item: Json, context: ValidationContext) -> Iterator[ErrorMessage]:
    pattern = item.get("path")
    files = named_files(pattern, context.directory, TOPOLOGY_ENDING) if isinstance(pattern, str) else ()
    if "name" in item and len(files) > 1:
        what = f"{context.shown((*path, 'path'))} matches {len(files)} files, and an application has one topology"
        yield (*path, "name"), what, "leave `name` out: then each file is named after its application id"
    elif "name" not in item:
        twice = sorted(stem for stem, times in Counter(file.stem for file in files).items() if times > 1)
        for stem in twice:
            what = f"several files are called {stem!r}, and the name is the application id"
            yield (*path, "path"), what, "give each a `name` of its own"


STREAMS_SECTION = Section(
    member="streams",
    listing={
        "title": "Kafka Streams",
        "description": "Topologies printed by Kafka Streams applications.",
        "examples": [[{"path": "topologies/*.txt"}]],
    },
    schema=_STREAMS,
    parse=parse_streams,
    validate=validate_streams,
    over_http=False,
)


def _read_topologies(settings: StreamsSettings, connections: Connections, progress: Progress) -> Reading:
    mask = partial(mask_text, extra=settings.files.secret_names)
    return read_topologies(settings, connections.texts(settings.files, settings.source, mask), progress)


TOPOLOGIES = SourceKind(
    name="streams",
    phase=STREAMING,
    section=STREAMS_SECTION,
    settings=StreamsSettings,
    proofs=tested(Proof("Kafka Streams topology descriptions")),
    read=_read_topologies,
    check=lambda settings, _: file_probes(settings.files, settings.source),
)
