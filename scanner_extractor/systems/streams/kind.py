"""The kind of source of Kafka Streams topologies."""

from __future__ import annotations

from functools import partial

from scanner_extractor.job_files import file_probes
from scanner_extractor.results import (
    JobsResult,
    Progress,
)
from scanner_extractor.source_kind import (
    STREAMING,
    Connections,
    SourceKind,
    tested,
)
from scanner_extractor.systems.streams.section import STREAMS_SECTION
from scanner_extractor.systems.streams.settings import StreamsSettings
from scanner_extractor.systems.streams.topologies import read_topologies
from scanner_model.maturity import Proof
from scanner_model.redaction import mask_text


def _read_topologies(settings: StreamsSettings, connections: Connections, progress: Progress) -> JobsResult:
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
