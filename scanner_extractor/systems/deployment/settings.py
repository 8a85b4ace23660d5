"""Settings of deployment files."""

from __future__ import annotations

from dataclasses import dataclass

from scanner_extractor.settings.sources import FileSettings
from scanner_model.names import SourceId


@dataclass(frozen=True, slots=True, kw_only=True)
class DeploymentSettings:
    """Files that declare topics and connectors."""

    files: FileSettings
    name: str = ""

    @property
    def source(self) -> SourceId:
        """Return the identity of this source in every scan; a name stays when the files move."""
        return SourceId(f"files:{self.name or self.files.pattern}")
