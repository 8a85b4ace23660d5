"""Settings of connector classes that change names or columns and have no rule: the affected end is unknown.

Three kinds of settings, by family of classes. Those with a rule are *interpreted*. Those that change neither names nor
columns are *harmless*: they are not listed, except where their name suggests otherwise. Those of `UNINTERPRETED` change
names or columns in a way that scanner does not follow, so it reports the end as unknown instead of deriving it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum

from dataflow_generator.connectors.config import Config
from dataflow_generator.connectors.dataset_names import unique
from dataflow_generator.connectors.model import Connector, ConnectorFlow, ConnectorFlows, Direction, Shape
from dataflow_generator.connectors.mongodb_fields import RENAMER_MAPPING, RENAMER_REGEXP, is_list_of_objects
from dataflow_generator.connectors.sinks import in_order
from scanner_model.documents.json_input import load_text
from scanner_model.errors import Problem


class Affected(Enum):
    """The end of a flow whose name or columns a setting changes."""

    TOPICS = "the topics"
    DATASETS = "the external datasets"
    COLUMNS = "the columns"


Neutral = Callable[[str], bool]
"""Returns whether a setting with this value changes nothing, or only what a reader interprets."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of a family's classes; *neutral* accepts the values that leave the derived names and columns right.

    A key that ends in `*` stands for every key that begins with the text before it, one that begins with `*` for every
    key that ends in the text behind it.
    """

    key: str
    affected: Affected
    neutral: Neutral = lambda value: not value

    def keys(self, config: Config) -> Iterator[str]:
        """Yield the configured keys whose value has no rule."""
        prefix = self.key.removesuffix("*")
        names = (key.removeprefix("topic.override.") if key.endswith(f".{prefix}") else key for key, _ in config.pairs)
        for name, (key, _) in zip(names, config.pairs, strict=True):
            is_own = name == self.key or (name != key and name.endswith(f".{self.key}"))
            is_own |= self.key.startswith("*") and key.endswith(self.key[1:])
            if (is_own or (prefix != self.key and key.startswith(prefix))) and not self.neutral(config.text(key)):
                yield key


def classes(*names: str) -> Neutral:
    """Accept the classes whose simple names are *names*; a setting may list several."""
    return lambda value: all(item.strip().rpartition(".")[2] in names for item in value.split(","))


def values(*names: str) -> Neutral:
    """Accept *names* in any letter case."""
    return lambda value: value.lower() in names


def _only_matches(pipeline: str) -> bool:
    """Return whether an aggregation pipeline only selects documents, so that their fields stay."""
    try:
        stages = load_text(pipeline)
    except ValueError:
        return False
    return isinstance(stages, list) and all(isinstance(stage, dict) and stage.keys() <= {"$match"} for stage in stages)


def _keeps_value(fields: str) -> bool:
    return "value" in {item.strip().lower() for item in fields.split(",")}


_PARTITIONERS = ("DefaultPartitioner", "TimeBasedPartitioner", "HourlyPartitioner", "DailyPartitioner")
_PROJECTORS = ("BlockListKeyProjector", "BlacklistKeyProjector", "AllowListKeyProjector", "WhitelistKeyProjector")
_CHAIN = (
    *("DocumentIdAdder", "KafkaMetaAdder", "NullFieldValueRemover"),
    *("BlockListValueProjector", "BlacklistValueProjector", "AllowListValueProjector", "WhitelistValueProjector"),
    *("RenameByMapping", "RenameByRegExp", "RenameByRegex", *_PROJECTORS),
)
"""The post-processors of MongoDB's sink that `mongodb_fields` follows; those of keys change the key's fields only."""
_NAMING = (
    *("SchemaTopicNamingStrategy", "DefaultTopicNamingStrategy"),
    *("SchemaRegexTopicNamingStrategy", "DefaultRegexTopicNamingStrategy"),
)

UNINTERPRETED: Mapping[str, tuple[Setting, ...]] = {
    "debezium": (
        Setting("topic.naming.strategy", Affected.TOPICS, classes(*_NAMING)),
        Setting("vitess.override.data.change.topic.prefix", Affected.TOPICS),
        Setting("field.renames", Affected.COLUMNS),
    ),
    "debezium sink": (
        *(
            Setting(key, Affected.DATASETS, classes("DefaultCollectionNamingStrategy", "DefaultTableNamingStrategy"))
            for key in ("collection.naming.strategy", "table.naming.strategy")
        ),
        Setting("column.naming.strategy", Affected.COLUMNS, classes("DefaultColumnNamingStrategy")),
    ),
    "mirror": (
        Setting(
            "replication.policy.class",
            Affected.TOPICS,
            classes(
                "DefaultReplicationPolicy",
                "IdentityReplicationPolicy",
                "LegacyReplicationPolicy",
                "IdentityTopicReplicationPolicy",
            ),
        ),
        Setting("topic.filter.class", Affected.TOPICS, classes("DefaultTopicFilter")),
    ),
    "mongodb source": (
        Setting("topic.mapper", Affected.TOPICS, classes("DefaultTopicMapper")),
        Setting("pipeline", Affected.COLUMNS, _only_matches),
        Setting("startup.mode.copy.existing.pipeline", Affected.COLUMNS, _only_matches),
        Setting("copy.existing.pipeline", Affected.COLUMNS, _only_matches),
    ),
    "mongodb sink": (
        Setting("namespace.mapper", Affected.DATASETS, classes("Default", "DefaultNamespaceMapper")),
        Setting("post.processor.chain", Affected.COLUMNS, classes(*_CHAIN)),
        Setting(RENAMER_MAPPING, Affected.COLUMNS, is_list_of_objects),
        Setting(RENAMER_REGEXP, Affected.COLUMNS, is_list_of_objects),
        Setting("key.projection.type", Affected.COLUMNS, values("none")),
        Setting(
            "change.data.capture.handler",
            Affected.COLUMNS,
            lambda value: "debezium" in value.lower() or value.endswith("ChangeStreamHandler"),
        ),
    ),
    "object store": (
        Setting(
            "partitioner.class",
            Affected.DATASETS,
            lambda value: value.startswith("io.confluent.connect.storage.") or classes(*_PARTITIONERS)(value),
        ),
        Setting("format.output.fields", Affected.COLUMNS, _keeps_value),
    ),
    "starrocks": (
        Setting("sink.properties.columns", Affected.COLUMNS),
        Setting("sink.properties.jsonpaths", Affected.COLUMNS),
    ),
    "doris": (
        Setting("sink.properties.columns", Affected.COLUMNS),
        Setting("sink.properties.jsonpaths", Affected.COLUMNS),
        Setting("converter.mode", Affected.COLUMNS, values("normal")),
    ),
    "iceberg": (Setting("iceberg.tables.route-field", Affected.DATASETS),),
    "clickhouse": (),
    "search": (),
    "jdbc source": (),
    "jdbc sink": (),
    "snowflake": (Setting("snowflake.streaming.iceberg.enabled", Affected.COLUMNS, values("false")),),
    "bigquery": (
        Setting(
            "schemaRetriever",
            Affected.COLUMNS,
            classes("IdentitySchemaRetriever", "SchemaRegistrySchemaRetriever", "MemorySchemaRetriever"),
        ),
    ),
    "http": (Setting("regex.patterns", Affected.COLUMNS),),
    "cassandra": (Setting("*.query", Affected.COLUMNS),),
    "splunk": (Setting("splunk.header.support", Affected.DATASETS, values("false")),),
}
"""The settings of each family whose values have no rule, unless they are neutral."""

INTERPRETED: Mapping[str, tuple[str, ...]] = {
    "debezium": ("topic.regex", "topic.replacement", "topic.delimiter", "message.key.columns", "topic.prefix"),
    "mirror": ("topics.exclude", "replication.policy.separator", "source.cluster.alias"),
    "mongodb sink": ("value.projection.type", "value.projection.list"),
    "object store": ("file.name.template", "file.name.prefix", "topics.dir"),
    "jdbc sink": ("table.name.format", "table.name.normalize", "topics.to.tables.mapping", "fields.whitelist"),
    "clickhouse": ("enableDbTopicSplit", "dbTopicSplitChar", "topic2TableMap"),
    "search": ("data.stream.enabled", "data.stream.prefix", "data.stream.type", "topic.index.map"),
    "jdbc source": ("topic.prefix", "query", "table.whitelist", "table.include.list", "table.blacklist"),
    "snowflake": ("snowflake.database.name", "snowflake.schema.name", "snowflake.topic2table.map"),
    "bigquery": ("project", "defaultDataset", "datasets", "topic2TableMap", "sanitizeTopics", "sanitizeFieldNames"),
    "http": ("http.api.url", "http.url", "reporter.result.topic.name", "reporter.error.topic.name"),
    "splunk": ("splunk.indexes",),
    "cassandra": ("contactPoints", "cassandra.keyspace", "topic.*.mapping"),
}
"""Settings that change names or columns and have a rule, of the families above; for the documentation."""

HARMLESS: Mapping[str, tuple[str, ...]] = {
    "debezium": ("schema.name.adjustment.mode", "column.propagate.source.type", "converters"),
    "mongodb sink": ("writemodel.strategy", "timeseries.timefield"),
    "object store": ("path.format", "partition.field.name", "file.delim"),
    "search": ("type.name", "external.resource.usage"),
}
"""Settings whose names suggest a change of names or columns and that change neither; for the documentation."""


def family_of(reader_module: str, class_name: str, direction: Direction) -> tuple[str, ...]:
    """Return the families of settings of a class, by the module of its reader, its name and its direction."""
    module, name = reader_module.rpartition(".")[2], class_name.rpartition(".")[2].lower()
    if "debezium" in class_name.lower() and direction is Direction.SINK:
        return ("debezium sink", "mongodb sink") if "mongo" in name else ("debezium sink",)
    if module in _BY_MODULE:
        return (_BY_MODULE[module],)
    match module:
        case "jdbc":
            return ("jdbc sink" if direction is Direction.SINK else "jdbc source",)
        case "nosql" if "mongo" in name:
            return ("mongodb sink" if direction is Direction.SINK else "mongodb source",)
    return tuple(dict.fromkeys(family for part, family in _BY_NAME.get(module, {}).items() if part in name))


_BY_MODULE = {"debezium": "debezium", "mirror": "mirror", "object_stores": "object store"}
_WAREHOUSES = ("starrocks", "doris", "iceberg", "clickhouse", "snowflake", "bigquery")
_BY_NAME: Mapping[str, Mapping[str, str]] = {
    "nosql": {"search": "search", "cassandra": "cassandra", "dsesink": "cassandra"},
    "services": {"http": "http", "splunk": "splunk"},
    "warehouses": {family: family for family in _WAREHOUSES},
}
"""Families by what is in the simple names of their classes, by module."""


def with_unknown_ends(connector: Connector, flows: ConnectorFlows, families: Iterable[str]) -> ConnectorFlows:
    """Return *flows* with the ends unknown that settings without a rule affect, and a problem for each setting."""
    changes = [
        (key, setting.affected)
        for family in families
        for setting in UNINTERPRETED[family]
        for key in setting.keys(connector.config)
    ]
    for affected in dict.fromkeys(affected for _, affected in changes):
        flows = _unknown(flows, affected)
    problems = (
        Problem(key, f"{connector.config.text(key)!r} has no rule: {affected.value} are unknown")
        for key, affected in changes
    )
    return replace(flows, problems=tuple(dict.fromkeys((*flows.problems, *problems))))


def _unknown(flows: ConnectorFlows, affected: Affected) -> ConnectorFlows:
    if affected is Affected.COLUMNS:
        return replace(flows, shape=Shape.UNKNOWN, row=None)
    is_target = (affected is Affected.DATASETS) == (flows.direction is Direction.SINK)
    changed = in_order(_without_end(flow, is_target=is_target) for flow in flows.flows)
    return replace(
        flows,
        flows=changed,
        inputs=unique(flow.source for flow in changed),
        outputs=unique(flow.target for flow in changed),
    )


def _without_end(flow: ConnectorFlow, *, is_target: bool) -> ConnectorFlow:
    return replace(flow, target=None, topic="") if is_target else replace(flow, source=None)
