"""Settings of ksqlDB."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scanner_model.names import SourceId

if TYPE_CHECKING:
    pass
from scanner_extractor.settings.cluster import HttpSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class KsqlSettings:
    """One ksqlDB cluster."""

    http: HttpSettings

    @property
    def source(self) -> SourceId:
        """Return the identity of this source in every scan."""
        return SourceId(f"ksqldb:{self.http.url}")
