"""Settings of dbt projects."""

from __future__ import annotations

from dataclasses import dataclass

from scanner_extractor.settings.sources import FileSettings
from scanner_model.names import SourceId


@dataclass(frozen=True, slots=True, kw_only=True)
class DbtSettings:
    """One dbt project by its manifest; *namespace* is OpenLineage's of the warehouse that it builds tables in."""

    files: FileSettings
    namespace: str
    name: str = ""

    @property
    def source(self) -> SourceId:
        """Return the identity of this source in every scan; a name stays when the file moves."""
        return SourceId(f"dbt:{self.name or self.files.pattern}")
