"""What a JSON Schema cannot say of Confluent Cloud, Kafka over REST, stream catalogs, Tableflow and metrics."""

from __future__ import annotations

from collections.abc import Iterator

from scanner_extractor.exchange import Json
from scanner_extractor.settings_cloud import Plane
from scanner_model.complaints import Complaint, JsonPath

_SINGLE = ("kafka_rest", "tableflow", "metrics", "confluent_cloud")
_BROKERS_ONLY = frozenset({"type"})


def cloud_sources(document: Json) -> Iterator[tuple[JsonPath, Json]]:
    """Give every object that is asked over HTTP, with its place, of a document of any form."""
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


def cloud_complaints(document: Json) -> Iterator[Complaint]:
    """Say what is wrong between members: figures without brokers to ask, the same catalog twice."""
    metrics = _member(document, "metrics")
    if _member(metrics, "type") == "offsets":
        for name in sorted(metrics.keys() - _BROKERS_ONLY):
            yield ("metrics", name), f"{name!r} is not for offsets", "leave it out: the brokers of `kafka` are asked"
        if _member(document, "kafka") is None and _member(document, "confluent_cloud") is None:
            yield ("metrics", "type"), "offsets are asked of the brokers, and there is no `kafka`", 'add "kafka": {}'
    seen: set[tuple[str, str]] = set()
    for path, item in cloud_sources(document):
        known = (str(item.get("url", "")).rstrip("/").lower(), str(item.get("cluster", "")))
        if path[0] == "stream_catalogs" and known in seen:
            yield (*path, "url"), "this source is named twice", "keep one of them"
        seen |= {known} if path[0] == "stream_catalogs" else set()


def _member(value: Json, name: str) -> Json:
    return value.get(name) if isinstance(value, dict) else None
