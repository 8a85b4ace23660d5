"""From what a cluster.json says of Confluent Cloud, REST, tags, tables and figures to frozen settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from scanner_extractor.exchange import Json
from scanner_extractor.settings import HttpSettings, KafkaSettings
from scanner_extractor.settings_cloud import (
    CLOUD_URL,
    METRICS_URL,
    CloudSettings,
    KafkaRestSettings,
    MetricsSettings,
    OffsetSettings,
    Plane,
    StreamCatalogSettings,
    TableflowSettings,
)

METRICS_REQUESTS_PER_SECOND = 1.0
"""Confluent's Metrics API takes 60 requests a minute from one address."""

Http = Callable[[Json], HttpSettings]
"""Make the settings of an HTTP source of an item with `url`."""


@dataclass(frozen=True, slots=True)
class CloudMembers:
    """Reads the members of a valid *document*; *http* makes the settings of an HTTP source of an item with `url`."""

    document: Json
    http: Http

    def kafka_rest(self) -> KafkaRestSettings | None:
        """Give how Kafka is asked over REST, None where it is not."""
        item = self.document.get("kafka_rest")
        own = {name: item[name] for name in ("cluster", "lags") if name in item} if item else {}
        return KafkaRestSettings(http=self.http(item), **own) if item else None

    def stream_catalogs(self) -> tuple[StreamCatalogSettings, ...]:
        """Give the stream catalogs."""
        return tuple(
            StreamCatalogSettings(http=self.http(item), cluster=item["cluster"], fields=item.get("fields", True))
            for item in self.document.get("stream_catalogs", ())
        )

    def tableflow(self) -> TableflowSettings | None:
        """Give how Tableflow is asked, None where it is not."""
        item = self.document.get("tableflow")
        if not item:
            return None
        own = {name: item[name] for name in ("environment", "cluster", "aws_account") if name in item}
        return TableflowSettings(http=self.http({"url": CLOUD_URL} | item), **own)

    def metrics(self, kafka: KafkaSettings | None) -> MetricsSettings | OffsetSettings | None:
        """Give where figures come from, None where they are not asked; those of the brokers need *kafka*."""
        item = self.document.get("metrics")
        if not item:
            return None
        if item["type"] == "offsets":
            asked = kafka or KafkaSettings(brokers=())
            return OffsetSettings(brokers=asked.brokers, properties=asked.properties, timeout=asked.timeout)
        http = metrics_limited(self.http({"url": METRICS_URL} | item), item)
        look_back = item.get("look_back_minutes", 60)
        return MetricsSettings(http=http, cluster=item["cluster"], look_back=look_back)

    def cloud(self) -> CloudSettings | None:
        """Give the control plane that tells the rest, None where there is none."""
        item = self.document.get("confluent_cloud")
        if not item:
            return None
        return CloudSettings(
            http=self.http({"url": CLOUD_URL} | item),
            cluster=item["cluster"],
            environment=item.get("environment", ""),
            planes={plane: self._plane(plane, item[plane]) for plane in Plane if plane in item},
        )

    def _plane(self, plane: Plane, item: Json) -> HttpSettings:
        limited = self.http({"url": CLOUD_URL} | item)
        limited = metrics_limited(limited, item) if plane is Plane.METRICS else limited
        return limited if "url" in item else replace(limited, url="")


def metrics_limited(http: HttpSettings, item: Json) -> HttpSettings:
    """Lower the limit that a host of Confluent Cloud has to that of its Metrics API, where *item* sets none."""
    if http.requests_per_second is None or "requests_per_second" in item:
        return http
    return replace(http, requests_per_second=METRICS_REQUESTS_PER_SECOND)
