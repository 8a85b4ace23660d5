"""Settings of Prometheus."""

from __future__ import annotations

from dataclasses import dataclass

from scanner_extractor.settings.cluster import HttpSettings
from scanner_model.clients import Direction
from scanner_model.names import SourceId


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricProfile:
    """A metric that counts what clients do with topics, and the labels that name topic and client.

    *labels* are (label, kind of name) pairs. A *level* is a gauge: its last value is read, not its increase.
    *lag*: it is the lag of a consumer group. *matchers* are added to the selector, as `messaging_system="kafka"`.
    """

    name: str
    metric: str
    direction: Direction
    topic: str = "topic"
    labels: tuple[tuple[str, str], ...] = ()
    matchers: str = ""
    level: bool = False
    lag: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PrometheusSettings:
    """One server with the HTTP API of Prometheus; *selector* are label matchers of this cluster's series.

    *profiles* are the user's own, read with the built-in ones.
    """

    http: HttpSettings
    name: str = ""
    selector: str = ""
    window: str = "1d"
    profiles: tuple[MetricProfile, ...] = ()

    @property
    def source(self) -> SourceId:
        """Return the identity of this source in every scan; a name stays when the address changes."""
        return SourceId(f"prometheus:{self.name or self.http.url}")
