"""Confluent Cloud, Kafka REST, tags, tables and metrics in cluster.json: settings, and what is checked of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from scanner_extractor.http.messages import Json
from scanner_extractor.settings.cluster import HttpSettings, KafkaSettings
from scanner_extractor.settings.confluent_cloud import (
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
from scanner_model.documents.schema_errors import ErrorMessage, JsonPath

_SINGLE = ("kafka_rest", "tableflow", "metrics", "confluent_cloud")
_BROKERS_ONLY = frozenset({"type"})


def cloud_sources(document: Json) -> Iterator[tuple[JsonPath, Json]]:
    """Yield every object that is read over HTTP, with its position, of a document of any form."""
    for member in _SINGLE:
        if isinstance(item := _member(document, member), dict):
            yield (member,), item
    for plane in Plane:
        if isinstance(item := _member(_member(document, "confluent_cloud"), plane), dict):
            yield ("confluent_cloud", str(plane)), item
    listed = _member(document, "stream_catalogs")
    for index, item in enumerate(listed if isinstance(listed, list) else ()):
        if isinstance(item, dict):
            yield ("stream_catalogs", index), item


def cloud_errors(document: Json) -> Iterator[ErrorMessage]:
    """Yield what is wrong between members: metrics without brokers, the same catalog twice."""
    metrics = _member(document, "metrics")
    if _member(metrics, "type") == "offsets":
        for name in sorted(metrics.keys() - _BROKERS_ONLY):
            yield (
                ("metrics", name),
                f"{name!r} is not for offsets",
                "leave it out: offsets come from the brokers of `kafka`",
            )
        if _member(document, "kafka") is None and _member(document, "confluent_cloud") is None:
            yield ("metrics", "type"), "offsets come from the brokers, and there is no `kafka`", 'add "kafka": {}'
    sources: set[tuple[str, str]] = set()
    for path, item in cloud_sources(document):
        known = (str(item.get("url", "")).rstrip("/").lower(), str(item.get("cluster", "")))
        if path[0] == "stream_catalogs" and known in sources:
            yield (*path, "url"), "this source is named twice", "keep one of them"
        sources |= {known} if path[0] == "stream_catalogs" else set()


def _member(value: Json, name: str) -> Json:
    return value.get(name) if isinstance(value, dict) else None


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
        """Return the settings of Kafka REST, None without the member."""
        item = self.document.get("kafka_rest")
        own = {name: item[name] for name in ("cluster", "lags") if name in item} if item else {}
        return KafkaRestSettings(http=self.http(item), **own) if item else None

    def stream_catalogs(self) -> tuple[StreamCatalogSettings, ...]:
        """Return the stream catalogs."""
        return tuple(
            StreamCatalogSettings(http=self.http(item), cluster=item["cluster"], fields=item.get("fields", True))
            for item in self.document.get("stream_catalogs", ())
        )

    def tableflow(self) -> TableflowSettings | None:
        """Return the settings of Tableflow, None without the member."""
        item = self.document.get("tableflow")
        if not item:
            return None
        own = {name: item[name] for name in ("environment", "cluster", "aws_account") if name in item}
        return TableflowSettings(http=self.http({"url": CLOUD_URL} | item), **own)

    def metrics(self, kafka: KafkaSettings | None) -> MetricsSettings | OffsetSettings | None:
        """Return the settings of metrics, None without the member; those of the brokers need *kafka*."""
        item = self.document.get("metrics")
        if not item:
            return None
        if item["type"] == "offsets":
            settings = kafka or KafkaSettings(brokers=())
            return OffsetSettings(brokers=settings.brokers, properties=settings.properties, timeout=settings.timeout)
        http = metrics_limited(self.http({"url": METRICS_URL} | item), item)
        look_back = item.get("look_back_minutes", 60)
        return MetricsSettings(http=http, cluster=item["cluster"], look_back=look_back)

    def cloud(self) -> CloudSettings | None:
        """Return the settings of the control plane, None without the member."""
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
