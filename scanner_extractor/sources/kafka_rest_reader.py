"""Reads what Kafka's REST API v3 tells of topics, their settings, consumer groups and cluster links; asks nobody."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from scanner_extractor.exchange import Json
from scanner_extractor.sources.cloud_lists import objects, text
from scanner_model.brokers import broker_address
from scanner_model.catalogs import MirrorTopic
from scanner_model.errors import InputInvalid
from scanner_model.estate import ConsumerGroup, Topic
from scanner_model.names import SourceId, TopicName

Config = tuple[tuple[str, str], ...]


def read_topics(listed: Iterable[Json], source: SourceId) -> tuple[Topic, ...]:
    """Read `GET …/topics`, sorted by name; what has no name is none."""
    topics = {
        name: Topic(
            source=source,
            name=TopicName(name),
            partitions=_count(each.get("partitions_count")),
            replication=_count(each.get("replication_factor")),
            internal=each.get("is_internal") is True,
        )
        for each in objects(list(listed))
        if (name := text(each, "topic_name"))
    }
    return tuple(topics[name] for name in sorted(topics))


def read_configs(listed: Iterable[Json]) -> dict[TopicName, Config]:
    """Read `GET …/topics/-/configs`: by topic, sorted, what is not a default and not sensitive."""
    told: dict[TopicName, dict[str, str]] = defaultdict(dict)
    for each in objects(list(listed)):
        value = each.get("value")
        if each.get("is_default") is not True and each.get("is_sensitive") is not True and value is not None:
            told[TopicName(text(each, "topic_name"))][text(each, "name")] = _plain(value)
    return {topic: tuple(sorted(settings.items())) for topic, settings in told.items()}


def read_groups(listed: Iterable[Json], source: SourceId) -> tuple[ConsumerGroup, ...]:
    """Read `GET …/consumer-groups`, sorted by name; which topics they read, another request tells."""
    groups = {
        name: ConsumerGroup(source=source, name=name, state=text(each, "state"))
        for each in objects(list(listed))
        if (name := text(each, "consumer_group_id"))
    }
    return tuple(groups[name] for name in sorted(groups))


def read_lags(listed: Iterable[Json]) -> tuple[TopicName, ...]:
    """Read `GET …/consumer-groups/{id}/lags`: the topics that the group has an offset on or is assigned, sorted."""
    found = {text(each, "topic_name") for each in objects(list(listed)) if _reads(each)}
    return tuple(map(TopicName, sorted(found - {""})))


def read_mirrors(listed: Iterable[Json], links: Iterable[Json], source: SourceId) -> tuple[MirrorTopic, ...]:
    """Read `GET …/links/-/mirrors`, sorted by topic; `GET …/links` tells which cluster each link comes from."""
    origins = {
        text(link, "link_name"): text(link, "source_cluster_id") or text(link, "remote_cluster_id")
        for link in objects(list(links))
    }
    mirrors = {
        topic: MirrorTopic(
            source=source,
            topic=TopicName(topic),
            link=text(each, "link_name"),
            origin_topic=TopicName(text(each, "source_topic_name") or topic),
            origin_cluster=origins.get(text(each, "link_name"), ""),
            state=text(each, "mirror_status") or text(each, "state"),
        )
        for each in objects(list(listed))
        if (topic := text(each, "mirror_topic_name"))
    }
    return tuple(mirrors[topic] for topic in sorted(mirrors))


def read_brokers(listed: Iterable[Json]) -> tuple[str, ...]:
    """Read `GET …/brokers`: addresses in normal form, sorted; what is no address is left out."""
    addresses = set()
    for each in objects(list(listed)):
        host, port = text(each, "host"), each.get("port")
        try:
            addresses |= {broker_address(f"[{host}]:{port}" if ":" in host else f"{host}:{port}")}
        except InputInvalid:
            continue
    return tuple(sorted(addresses))


def _reads(lag: Mapping[str, Json]) -> bool:
    """Tell whether a group reads a partition: it has an offset there, or a member that is assigned it."""
    offset = lag.get("current_offset")
    return (isinstance(offset, int) and offset >= 0) or bool(text(lag, "consumer_id"))


def _count(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _plain(value: Json) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
