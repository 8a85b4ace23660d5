"""MongoDB's own source and sink, their managed twins, and Debezium's MongoDB sink."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from dataflow_generator.connectors.config import Config
from dataflow_generator.connectors.dataset_names import addresses
from dataflow_generator.connectors.flows import Connector, ConnectorFlows, Dataset
from dataflow_generator.connectors.landing import in_documents
from dataflow_generator.connectors.sinks import sink, to
from dataflow_generator.connectors.sources import Read, Reads, source
from dataflow_generator.connectors.topics import seen
from dataflow_generator.connectors.transforms.templates import quoted
from scanner_model.problems import Problem

_ADDRESS = ("connection.uri", "mongodb.connection.string", "connection.host", "connection.url")


def mongodb_namespace(config: Config) -> str:
    """Name the deployment: its hosts as they are listed, without user, options and path."""
    return addresses("mongodb", config.text(*_ADDRESS))


def mongodb_source(connector: Connector) -> ConnectorFlows:
    """Read a change stream of a collection, of a database, or of everything."""
    config = connector.config
    database, collection = config.text("database"), config.text("collection")
    sign = config.text("topic.separator", default=".")
    before = f"{prefix}{sign}" if (prefix := config.text("topic.prefix")) else ""
    after = f"{sign}{suffix}" if (suffix := config.text("topic.suffix")) else ""
    mapped, problems = _namespace_map(config)
    place = mongodb_namespace(config)
    because = ", ".join(filter(None, (config.key("collection"), config.key("database"), config.key("topic.prefix"))))
    if collection:
        name = _mapped(mapped, database, collection, sign)
        dataset = Dataset(place, ".".join(filter(None, (database, collection))))
        reads = [Read(source=dataset, topic=f"{before}{name}{after}", because=because)]
    else:
        start = f"{before}{database}{sign}" if database else before
        reads = list(_found(connector, place, (start, after, database), because)) if not mapped else []
        everything = Dataset(place, database) if database else None
        pattern = f"{quoted(start)}.*{quoted(after)}" if start and not mapped else ""
        reads = reads or [Read(source=everything, pattern=pattern, because=because)]
    return source(connector, Reads(reads=tuple(reads), problems=problems))


def _found(connector: Connector, place: str, around: tuple[str, str, str], because: str) -> Iterator[Read]:
    """Find collections in the topics in use: what stands between prefix and suffix."""
    start, after, database = around
    if connector.active is None or connector.config.text("transforms"):
        return
    for name in seen(connector)[0]:
        inside = name[len(start) : len(name) - len(after)]
        if start and name.startswith(start) and name.endswith(after) and inside:
            named = f"{database}.{inside}" if database else inside
            yield Read(source=Dataset(place, named), topic=name, because=f"{because}, topics in use")


def _namespace_map(config: Config) -> tuple[Mapping[str, str], tuple[Problem, ...]]:
    text = config.text("topic.namespace.map")
    try:
        value = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        return {}, (Problem("topic.namespace.map", "is no JSON object: the topics are those without it"),)
    return {str(key): name for key, name in value.items() if isinstance(name, str)}, ()


def _mapped(mapped: Mapping[str, str], database: str, collection: str, sign: str) -> str:
    """Give a collection's topic: its own mapping, its database's, everything's, or its name (DefaultTopicMapper)."""
    if own := mapped.get(f"{database}.{collection}"):
        return own
    if database in mapped:
        return f"{mapped[database]}{sign}{collection}"
    return mapped.get("*") or sign.join(filter(None, (database, collection)))


def mongodb_sink(connector: Connector) -> ConnectorFlows:
    """Read a sink: the collection is a topic's own, else the default one, else the topic's name."""
    config = connector.config
    place = mongodb_namespace(config)

    def target(name: str) -> Dataset | None:
        own = f"topic.override.{name}."
        database = config.text(f"{own}database", "database", "sink.database")
        form = config.text("collection.name.format", default="${topic}").replace("${topic}", name)
        collection = config.text(f"{own}collection", "collection") or form
        return Dataset(place, ".".join(filter(None, (database, collection)))) if "${" not in collection else None

    problems = (
        (Problem("namespace.mapper", "chooses database and collection by data"),)
        if config.text("namespace.mapper", default="Default").rpartition(".")[2]
        not in ("Default", "DefaultNamespaceMapper")
        else ()
    )
    keys = (config.key("collection", "collection.name.format"), config.key("database", "sink.database"))
    return sink(connector, to(target, *keys, problems=problems, lands=in_documents))
