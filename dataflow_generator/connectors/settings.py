"""Settings of connector classes that change names or columns and have no rule: the affected end is unknown.

Three kinds of settings, by family of classes. Those with a rule are *interpreted*, and those that change neither names
nor columns *harmless* (`known_settings`). Those of `UNINTERPRETED` change names or columns in a way that scanner does
not follow, so it reports the end as unknown instead of deriving it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
    aliases: bool = False
    """Whether the value lists aliases: then *neutral* accepts the types of all of them, `<key>.<alias>.type`."""

    def keys(self, config: Config) -> Iterator[str]:
        """Yield the configured keys whose value has no rule."""
        prefix = self.key.removesuffix("*")
        names = (key.removeprefix("topic.override.") if key.endswith(f".{prefix}") else key for key, _ in config.pairs)
        for name, (key, _) in zip(names, config.pairs, strict=True):
            is_own = name == self.key or (name != key and name.endswith(f".{self.key}"))
            is_own |= self.key.startswith("*") and key.endswith(self.key[1:])
            if (is_own or (prefix != self.key and key.startswith(prefix))) and not self._is_neutral(config, key):
                yield key

    def _is_neutral(self, config: Config, key: str) -> bool:
        if not self.aliases:
            return self.neutral(config.text(key))
        types = (config.text(f"{alias}.type", f"{key}.{alias}.type") for alias in config.items(key))
        return all(self.neutral(named) for named in types)


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
        Setting("post.processors", Affected.COLUMNS, classes("ReselectColumnsPostProcessor"), aliases=True),
        Setting("sourceinfo.struct.maker", Affected.COLUMNS, lambda value: value.startswith("io.debezium.")),
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
        Setting("field.value.transformer.fields", Affected.COLUMNS),
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
        Setting("sink.properties.json_root", Affected.COLUMNS),
    ),
    "doris": (
        Setting("sink.properties.columns", Affected.COLUMNS),
        Setting("sink.properties.jsonpaths", Affected.COLUMNS),
        Setting("sink.properties.json_root", Affected.COLUMNS),
        Setting("converter.mode", Affected.COLUMNS, values("normal")),
    ),
    "iceberg": (),
    "clickhouse": (),
    "search": (),
    "jdbc source": (),
    "jdbc sink": (Setting("string.output.value.column.name", Affected.COLUMNS),),
    "snowflake": (
        Setting("snowflake.streaming.iceberg.enabled", Affected.COLUMNS, values("false")),
        Setting("snowflake.topic2table.map.regex.replacement", Affected.DATASETS, values("false")),
        Setting(
            "snowflake.compatibility.enable.autogenerated.table.name.sanitization", Affected.DATASETS, values("true")
        ),
        Setting("snowflake.compatibility.enable.column.identifier.normalization", Affected.COLUMNS, values("true")),
    ),
    "bigquery": (
        Setting(
            "schemaRetriever",
            Affected.COLUMNS,
            classes("IdentitySchemaRetriever", "SchemaRegistrySchemaRetriever", "MemorySchemaRetriever"),
        ),
    ),
    "http": (Setting("regex.patterns", Affected.COLUMNS), Setting("regex.replacements", Affected.COLUMNS)),
    "cassandra": (Setting("*.query", Affected.COLUMNS),),
    "splunk": (Setting("splunk.header.support", Affected.DATASETS, values("false")),),
    "neo4j": tuple(
        Setting(key, Affected.COLUMNS)
        for key in (
            *("neo4j.cypher.topic.*", "neo4j.pattern.topic.*", "neo4j.topic.cypher.*", "neo4j.topic.pattern.*"),
            *("neo4j.cdc.*", "neo4j.cud.topics", "neo4j.topic.cdc.*", "neo4j.topic.cud", "neo4j.query"),
            *("neo4j.source.query", "neo4j.streaming.*"),
        )
    ),
}
"""The settings of each family whose values have no rule, unless they are neutral."""


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
    "services": {"http": "http", "splunk": "splunk", "neo4j": "neo4j"},
    "warehouses": {family: family for family in _WAREHOUSES},
}
"""Families by what is in the simple names of their classes, by module."""


def uninterpreted(config: Config, families: Iterable[str]) -> Iterator[tuple[str, Affected]]:
    """Yield the settings of *families* whose values have no rule, each with what they change."""
    for family in families:
        for setting in UNINTERPRETED[family]:
            yield from ((key, setting.affected) for key in setting.keys(config))


def with_unknown_ends(
    connector: Connector, flows: ConnectorFlows, changes: Sequence[tuple[str, Affected]]
) -> ConnectorFlows:
    """Return *flows* with the ends unknown that *changes* affect, and a problem for each setting."""
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
