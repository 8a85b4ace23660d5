"""Settings of Kafka Streams topologies."""

from __future__ import annotations

from dataclasses import dataclass

from scanner_extractor.settings.sources import FileSettings
from scanner_model.names import SourceId


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamsSettings:
    """Topologies of Kafka Streams; *name* is the application id, empty where each file's stem is one."""

    files: FileSettings
    name: str = ""

    @property
    def source(self) -> SourceId:
        """Return the identity of this source in every scan."""
        return SourceId(f"streams:{self.name or self.files.pattern}")
