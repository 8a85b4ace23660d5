"""MongoDB's own source and sink, their managed equivalents, and Debezium's MongoDB sink."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from dataflow_generator.connectors.config import Config
from dataflow_generator.connectors.dataset_names import addresses
from dataflow_generator.connectors.model import Connector, ConnectorFlows, Dataset
from dataflow_generator.connectors.sink_columns import in_documents
from dataflow_generator.connectors.sinks import sink, to
from dataflow_generator.connectors.sources import SourceRead, SourceReads, source
from dataflow_generator.connectors.topics import candidate_topics
from dataflow_generator.connectors.transforms.topic_templates import quoted
from scanner_model.problems import Problem

_TOPIC = re.compile(r"[a-zA-Z0-9._-]+")
_ADDRESS = ("connection.uri", "mongodb.connection.string", "connection.host", "connection.url")


def mongodb_namespace(config: Config) -> str:
    """Name the deployment by its hosts as listed, without user, options and path."""
    return addresses("mongodb", config.text(*_ADDRESS))


def mongodb_source(connector: Connector) -> ConnectorFlows:
    """Read a change stream of a collection, of a database, or of the deployment."""
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
        reads = [SourceRead(source=dataset, topic=f"{before}{name}{after}", because=because)]
    else:
        reads = [*_mapped_reads(connector, place, (before, after, sign), mapped)]
        if database not in mapped:
            reads += _others(connector, Dataset(place, database), (before, after, sign), reads, mapped)
    return source(connector, SourceReads(reads=tuple(reads), problems=problems))


def _others(
    connector: Connector,
    whole: Dataset,
    naming: tuple[str, str, str],
    reads: Sequence[SourceRead],
    mapped: Mapping[str, str],
) -> list[SourceRead]:
    """Return the collections that the map does not name: those found in topics in use, else all of *whole*."""
    before, after, sign = naming
    everything = whole if whole.name else None
    if "*" in mapped:
        return [SourceRead(source=everything, because="topic.namespace.map")]
    because = ", ".join(filter(None, (connector.config.key("database"), connector.config.key("topic.prefix"))))
    start = f"{before}{whole.name}{sign}" if whole.name else before
    own = {read.topic for read in reads}
    observed = [read for read in _found(connector, whole, (start, after, sign), because) if read.topic not in own]
    if observed or (reads and connector.active is not None):
        return observed
    return [
        SourceRead(source=everything, pattern=f"{quoted(start)}.*{quoted(after)}" if start else "", because=because)
    ]


def _found(connector: Connector, whole: Dataset, naming: tuple[str, str, str], because: str) -> Iterator[SourceRead]:
    """Find collections in the topics in use: the text between prefix and suffix."""
    start, after, sign = naming
    if connector.active is None or connector.config.text("transforms"):
        return
    for name in candidate_topics(connector)[0]:
        inside = name[len(start) : len(name) - len(after)]
        if not (start and inside and name.startswith(start) and name.endswith(after)):
            continue
        if _TOPIC.fullmatch(name) and (whole.name or sign in inside):
            named = f"{whole.name}.{inside}" if whole.name else inside.replace(sign, ".", 1)
            yield SourceRead(source=Dataset(whole.namespace, named), topic=name, because=f"{because}, topics in use")


def _mapped_reads(
    connector: Connector, place: str, naming: tuple[str, str, str], mapped: Mapping[str, str]
) -> Iterator[SourceRead]:
    """Return the collections that the map names, and those of a mapped database found in topics in use."""
    before, after, sign = naming
    only = connector.config.text("database")
    used = (
        candidate_topics(connector)[0]
        if connector.active is not None and not connector.config.text("transforms")
        else ()
    )
    for key, name in mapped.items():
        database, _, collection = key.partition(".")
        if key == "*" or only not in ("", database):
            continue
        if collection:
            yield SourceRead(source=Dataset(place, key), topic=f"{before}{name}{after}", because="topic.namespace.map")
            continue
        start = f"{before}{name}{sign}"
        inside = [topic[len(start) : len(topic) - len(after)] for topic in used if topic.startswith(start)]
        collections = [
            collection
            for collection in inside
            if collection and f"{start}{collection}{after}" in used and f"{database}.{collection}" not in mapped
        ]
        because = "topic.namespace.map, topics in use"
        for collection in collections:
            yield SourceRead(
                source=Dataset(place, f"{database}.{collection}"), topic=f"{start}{collection}{after}", because=because
            )
        if not collections:
            pattern = f"{quoted(start)}.*{quoted(after)}"
            yield SourceRead(source=Dataset(place, database), pattern=pattern, because="topic.namespace.map")


def _namespace_map(config: Config) -> tuple[Mapping[str, str], tuple[Problem, ...]]:
    text = config.text("topic.namespace.map")
    try:
        value = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        return {}, (Problem("topic.namespace.map", "is not a JSON object; topics are derived without it"),)
    return {str(key): name for key, name in value.items() if isinstance(name, str)}, ()


def _mapped(mapped: Mapping[str, str], database: str, collection: str, sign: str) -> str:
    """Return a collection's topic: its own mapping, its database's, the default, or its name (DefaultTopicMapper)."""
    if own := mapped.get(f"{database}.{collection}"):
        return own
    if database in mapped:
        return f"{mapped[database]}{sign}{collection}"
    return mapped.get("*") or sign.join(filter(None, (database, collection)))


def mongodb_sink(connector: Connector) -> ConnectorFlows:
    """Read a sink: the collection is configured for the topic, else the default one, else the topic's name."""
    config = connector.config
    place = mongodb_namespace(config)

    def target(name: str) -> Dataset | None:
        own = f"topic.override.{name}."
        database = config.text(f"{own}database", "database", "sink.database")
        form = config.text("collection.name.format", default="${topic}").replace("${topic}", name)
        collection = config.text(f"{own}collection", "collection") or form
        return Dataset(place, ".".join(filter(None, (database, collection)))) if "${" not in collection else None

    problems = (
        (Problem("namespace.mapper", "selects database and collection by data"),)
        if config.text("namespace.mapper", default="Default").rpartition(".")[2]
        not in ("Default", "DefaultNamespaceMapper")
        else ()
    )
    keys = (config.key("collection", "collection.name.format"), config.key("database", "sink.database"))
    return sink(connector, to(target, *keys, problems=problems, sink_columns=in_documents))
