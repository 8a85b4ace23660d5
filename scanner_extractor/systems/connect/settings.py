"""Settings of Kafka Connect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scanner_model.names import SourceId

if TYPE_CHECKING:
    pass
from scanner_extractor.settings.cluster import HttpSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectSettings:
    """One Kafka Connect cluster; *name* is the user's name for it, may be empty.

    *active_topics*: the topics that each connector uses are read, one request each. *secret_names*: settings of
    connectors that are hidden in addition to the known ones.
    """

    http: HttpSettings
    name: str = ""
    active_topics: bool = True
    secret_names: frozenset[str] = frozenset()

    @property
    def source(self) -> SourceId:
        """Return the identity of this source in every scan; a name stays when the address changes."""
        return SourceId(f"connect:{self.name or self.http.url}")

    @property
    def is_managed(self) -> bool:
        """Return whether these are the managed connectors of Confluent Cloud, whose API offers less."""
        return "/connect/v1/environments/" in self.http.url
