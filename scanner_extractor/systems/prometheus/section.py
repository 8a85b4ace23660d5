"""The `prometheus` of cluster.json."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from scanner_extractor.config.http import parse_http, valid_address
from scanner_extractor.config.sections import (
    HTTP_MEMBERS,
    Items,
    ParseContext,
    Section,
    ValidationContext,
    address,
    flag,
    nonempty,
    object_of,
    repeated_sources,
    text,
)
from scanner_extractor.http.messages import Json
from scanner_extractor.source_kind import (
    METRICS,
    http_kind,
)
from scanner_extractor.source_types import SourceType
from scanner_extractor.systems.prometheus.settings import MetricProfile, PrometheusSettings
from scanner_model.clients import Direction, IdentityKind
from scanner_model.documents.schema_errors import ErrorMessage
from scanner_model.lazy_names import deferred
from scanner_model.maturity import live

if TYPE_CHECKING:
    pass

_KINDS = [kind.value for kind in IdentityKind]
_LABEL = r"[a-zA-Z_][a-zA-Z0-9_]*"
_MATCHER = rf'\s*{_LABEL}\s*(?:=~|!~|!=|=)\s*"(?:[^"\\\n]|\\.)*"\s*'
_MATCHERS = rf"^(?:{_MATCHER}(?:,{_MATCHER})*)?$"

_PROFILE: Json = object_of(
    "Metric profile",
    "A metric that counts what clients do with topics.",
    {
        "metric": text(
            "Metric", "Name of the metric.", "acme_kafka_sent_records_total", pattern=r"^[a-zA-Z_:][a-zA-Z0-9_:]*$"
        ),
        "direction": {
            "title": "Direction",
            "description": "Whether the clients write or read the topic.",
            "type": "string",
            "enum": [direction.value for direction in Direction],
        },
        "topic_label": text(
            "Topic label", "Label with the topic.", "destination", pattern=f"^{_LABEL}$", default="topic"
        ),
        "labels": {
            "title": "Labels",
            "description": f"Labels with client names, each with its kind: {', '.join(_KINDS)}.",
            "type": "object",
            "minProperties": 1,
            "propertyNames": {"pattern": f"^{_LABEL}$"},
            "additionalProperties": {"enum": _KINDS},
            "examples": [{"client_id": "client.id", "app": "application"}],
        },
        "level": flag("Level", "The metric is a gauge, not a counter; read its last value.", default=False),
    },
    required=["metric", "direction"],
)

_PROMETHEUS: Json = object_of(
    "Prometheus",
    "A server with the HTTP API of Prometheus, which holds metrics of Kafka clients.",
    {
        "name": nonempty("Name", "Name of the source.", "main"),
        "url": address(
            "Address of the server, without /api/v1. Mimir and Thanos work as well.", "http://prometheus:9090"
        ),
        **HTTP_MEMBERS,
        "cluster_selector": text(
            "Cluster selector",
            "Label matchers for this cluster's series; empty if you have one cluster.",
            'kafka_cluster="retail"',
            pattern=_MATCHERS,
        ),
        "window": text(
            "Window", "Time window for activity.", "1d", "12h", pattern=r"^[1-9]\d{0,3}[mhdw]$", default="1d"
        ),
        "profiles": {
            "title": "Profiles",
            "description": "Additional metrics.",
            "type": "array",
            "items": {"$ref": "#/$defs/metric_profile"},
        },
    },
    required=["url", "cluster_selector"],
)


def parse_prometheus(item: Json, context: ParseContext) -> PrometheusSettings:
    """Return the settings of a Prometheus server."""
    return PrometheusSettings(
        http=parse_http(item, context),
        name=item.get("name", ""),
        selector=item["cluster_selector"].strip(),
        window=item.get("window", "1d").strip(),
        profiles=tuple(map(_profile, item.get("profiles", ()))),
    )


def _profile(item: Json) -> MetricProfile:
    return MetricProfile(
        name="cluster.json",
        metric=item["metric"],
        direction=Direction(item["direction"]),
        topic=item.get("topic_label", "topic"),
        labels=tuple(item.get("labels", {"client_id": IdentityKind.CLIENT_ID.value}).items()),
        level=item.get("level", False),
    )


def validate_prometheus(items: Items, _: ValidationContext) -> Iterator[ErrorMessage]:
    """Yield servers that are declared twice."""
    return repeated_sources(items, _identity)


def _identity(item: Json) -> tuple[str, str]:
    url, name = valid_address(item.get("url")), item.get("name")
    return ("name", name) if isinstance(name, str) else ("url", url.url if url else "")


PROMETHEUS_SECTION = Section(
    member="prometheus",
    listing={"title": "Prometheus", "description": "Prometheus servers with client metrics."},
    schema=_PROMETHEUS,
    parse=parse_prometheus,
    validate=validate_prometheus,
    definitions={"metric_profile": _PROFILE},
)


if TYPE_CHECKING:
    pass


_CLIENT = "scanner_extractor.systems.prometheus.client"

PROMETHEUS = http_kind(
    "prometheus",
    METRICS,
    PROMETHEUS_SECTION,
    PrometheusSettings,
    SourceType(
        read=deferred(f"{_CLIENT}:read_prometheus"),
        check=deferred(f"{_CLIENT}:prometheus_probes"),
        proofs=(live("Prometheus", "2.42", "tests/lab/test_lab_clients.py"),),
    ),
)
