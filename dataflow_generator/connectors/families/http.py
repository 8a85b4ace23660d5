"""HTTP sinks and sources, with one endpoint or several."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dataflow_generator.connectors.config import Config
from dataflow_generator.connectors.dataset_names import web_dataset
from dataflow_generator.connectors.model import Connector, ConnectorFlows, Dataset
from dataflow_generator.connectors.sinks import SinkTargets, sink, to
from dataflow_generator.connectors.sources import SourceRead, SourceReads, fixed, source
from dataflow_generator.connectors.topics import ReadTopics

_URLS = ("http.api.url", "http.api.base.url", "http.url", "http.request.url", "url")
_TOPICS = ("topic.name.pattern", "kafka.topic", "topic")
_ENTITY = "${entityName}"
_API = re.compile(r"(api\d+)\.(?:http\.api\.path|topics|topic|http\.api\.topic)")


def http_sink(connector: Connector) -> ConnectorFlows:
    """Read a sink with one endpoint; `${topic}` in its URL is replaced by the topic."""
    url = connector.config.text(*_URLS)
    key = connector.config.key(*_URLS)
    return sink(connector, to(lambda name: web_dataset(url.replace("${topic}", name)) if url else None, key))


def http_sink_v2(connector: Connector) -> ConnectorFlows:
    """Read a sink with one endpoint per group of topics: `api<n>.topics` and `api<n>.http.api.path`."""
    apis = tuple(_apis(connector.config))
    base = connector.config.text(*_URLS)
    if not apis:
        return http_sink(connector)

    def targets(name: str) -> tuple[Dataset, ...]:
        paths = (path for topics, path, _ in apis if name in topics or not topics)
        return tuple(dataset for path in paths if (dataset := web_dataset(base, path.replace("${topic}", name))))

    listed = tuple(dict.fromkeys(name for topics, _, _ in apis for name in topics))
    read = ReadTopics(listed, "", "api.topics") if listed and not connector.config.text("topics") else None
    return sink(connector, SinkTargets(targets=targets, keys="http.api.base.url, http.api.path", read=read))


def http_source(connector: Connector) -> ConnectorFlows:
    """Read a source with one endpoint or several, each with its topic."""
    config = connector.config
    base = config.text(*_URLS)
    apis = tuple(_apis(config))
    if apis:
        reads = [
            SourceRead(source=web_dataset(base, path) if base else None, topic=name, because=f"{api}.topics")
            for topics, path, api in apis
            for name in topics
        ]
        return source(connector, SourceReads(reads=tuple(reads)))
    pattern = config.text(*_TOPICS)
    entities = config.items("entity.names") if _ENTITY in pattern + base else ()
    if entities:
        return source(
            connector, SourceReads(reads=tuple(_of_entity(config, base, pattern, entity) for entity in entities))
        )
    names = [pattern] if pattern and "${" not in pattern else []
    key = config.key(*_URLS)
    return fixed(connector, web_dataset(base) if base else None, names, ", ".join(filter(None, (key, "topic"))))


def _of_entity(config: Config, base: str, pattern: str, entity: str) -> SourceRead:
    """Read the endpoint and the topic of one entity (Confluent's HTTP Source, `entity.names`)."""
    url, topic = (text.replace(_ENTITY, entity) for text in (base, pattern))
    keys = (config.key(*_URLS), "entity.names", config.key(*_TOPICS))
    known = topic if "${" not in topic else ""
    return SourceRead(source=web_dataset(url) if url else None, topic=known, because=", ".join(filter(None, keys)))


def _apis(config: Config) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """Return topics, path and name of each API, by number."""
    numbered = sorted(
        {match[1] for key, _ in config.pairs if (match := _API.fullmatch(key))}, key=lambda api: int(api[3:])
    )
    for api in numbered:
        names = config.items(f"{api}.topics", f"{api}.topic", f"{api}.http.api.topic")
        yield names, config.text(f"{api}.http.api.path"), api
