"""The table of transforms (SMTs): class → effects on topics and on columns."""

from __future__ import annotations

from collections.abc import Mapping

from dataflow_generator.connectors.transforms import debezium, fields, routing
from dataflow_generator.connectors.transforms import routing as inverse
from dataflow_generator.connectors.transforms.model import (
    ColumnEffect,
    TopicEffect,
    Transform,
    any_columns,
    any_topic,
    same_columns,
    same_position,
    same_topic,
)

_KAFKA = "org.apache.kafka.connect.transforms."
_CONFLUENT = "io.confluent.connect.transforms."
_CLOUD = "io.confluent.connect.cloud.transforms."
_DEBEZIUM = "io.debezium.transforms."
_AIVEN = "io.aiven.kafka.connect.transforms."
_COMMON = "com.github.jcustenborder.kafka.connect.transform.common."


def _columns(columns: ColumnEffect, about: str, before: inverse.Origins = same_position) -> Transform:
    return Transform(same_topic, columns, about, before)


def _topics(topics: TopicEffect, about: str) -> Transform:
    return Transform(topics, same_columns, about)


def _nothing(about: str) -> Transform:
    return Transform(same_topic, same_columns, about)


_REGEX = _topics(routing.regex_router, "topic by `regex` and `replacement`; only if the whole name matches")
_TIMESTAMP = _topics(routing.timestamp_router, "topic of name and date: a family of topics")
_EXTRACT_TOPIC = _topics(any_topic, "topic from data: resolved by the topics in use")
_REPLACED = "drops by `exclude`, `include`; renames by `renames`; top-level fields only"
_REPLACE = _columns(fields.replace_field, _REPLACED, inverse.renamed)
_CAST = _columns(fields.cast, "changes the types of the fields of `spec`")
_CONVERT = _columns(fields.convert_timestamp, "changes the type of `field`")
_EXTRACT = _columns(fields.extract_field, "the record becomes its `field`", inverse.extracted)
_ROWS = _nothing("rows only")
_UNWRAPPED = "`after.x` becomes `x`; metadata by `add.fields`"
_UNWRAP = Transform(routing.route_by_field, debezium.unwrap, _UNWRAPPED, inverse.unwrapped)
_SHARED = "topic by `topic.regex`; adds a field to the key"
_OUTBOXED = "payload becomes the value, a family of topics"
_OUTBOX = Transform(routing.outbox_router, debezium.outbox, _OUTBOXED, inverse.of_outbox)

TRANSFORMS: Mapping[str, Transform] = {
    f"{_KAFKA}Cast": _CAST,
    f"{_KAFKA}DropHeaders": _nothing("headers only"),
    f"{_KAFKA}ExtractField": _EXTRACT,
    f"{_KAFKA}Filter": _ROWS,
    f"{_KAFKA}Flatten": _columns(
        fields.flatten, "nested fields become `a<delimiter>b`; arrays and maps are unchanged", inverse.flattened
    ),
    f"{_KAFKA}HeaderFrom": _columns(fields.header_from, "fields become headers; removed if `operation` is move"),
    f"{_KAFKA}HoistField": _columns(fields.hoist_field, "the record is wrapped in `field`", inverse.hoisted),
    f"{_KAFKA}InsertField": _columns(fields.insert_field, "adds fields that come from no column"),
    f"{_KAFKA}InsertHeader": _nothing("headers only"),
    f"{_KAFKA}MaskField": _columns(fields.mask_field, "the column remains, masked"),
    f"{_KAFKA}RegexRouter": _REGEX,
    f"{_KAFKA}ReplaceField": _REPLACE,
    f"{_KAFKA}SetSchemaMetadata": _nothing("the schema's name and version only"),
    f"{_KAFKA}TimestampConverter": _CONVERT,
    f"{_KAFKA}TimestampRouter": _TIMESTAMP,
    f"{_KAFKA}ValueToKey": _columns(fields.value_to_key, "`fields` of the value become the key", inverse.of_value),
    f"{_CONFLUENT}Drop": _columns(fields.drop, "key or value becomes empty"),
    f"{_CONFLUENT}ExtractTopic": _EXTRACT_TOPIC,
    f"{_CONFLUENT}Filter": _ROWS,
    f"{_CONFLUENT}MessageTimestampRouter": _TIMESTAMP,
    f"{_CONFLUENT}ReplaceField": _REPLACE,
    f"{_CONFLUENT}TombstoneHandler": _ROWS,
    f"{_CLOUD}TopicRegexRouter": _REGEX,
    f"{_AIVEN}ExtractTopic": _EXTRACT_TOPIC,
    f"{_AIVEN}ExtractTopicFromValueSchema": _EXTRACT_TOPIC,
    f"{_AIVEN}FilterByFieldValue": _ROWS,
    f"{_AIVEN}Hash": _columns(fields.hash_field, "changes the value of `field.name`"),
    f"{_AIVEN}KeyToValue": _columns(fields.key_to_value, "`key.fields` are added to the value", inverse.of_key),
    f"{_AIVEN}MakeTombstone": _columns(fields.drop, "the value becomes empty"),
    f"{_AIVEN}TombstoneHandler": _ROWS,
    f"{_DEBEZIUM}ByLogicalTableRouter": Transform(
        routing.logical_table_router, debezium.logical_key("__dbz__physicalTableIdentifier"), _SHARED
    ),
    f"{_DEBEZIUM}ContentBasedRouter": _topics(any_topic, "topic from data: resolved by the topics in use"),
    f"{_DEBEZIUM}ExtractChangedRecordState": _nothing("headers only"),
    f"{_DEBEZIUM}ExtractNewRecordState": _UNWRAP,
    f"{_DEBEZIUM}Filter": _ROWS,
    f"{_DEBEZIUM}HeaderToValue": _columns(fields.header_to_value, "adds `fields` that come from headers"),
    f"{_DEBEZIUM}SchemaChangeEventFilter": _ROWS,
    f"{_DEBEZIUM}TimezoneConverter": _nothing("changes time zones in the same columns"),
    f"{_DEBEZIUM}ToLogicalTopicRouter": Transform(
        routing.logical_table_router, debezium.logical_key("__dbz__sourceIdentifier"), _SHARED
    ),
    f"{_DEBEZIUM}UnwrapFromEnvelope": _UNWRAP,
    f"{_DEBEZIUM}outbox.EventRouter": _OUTBOX,
    f"{_DEBEZIUM}partitions.PartitionRouting": _nothing("partitions only"),
    "io.debezium.connector.mongodb.transforms.ExtractNewDocumentState": Transform(
        routing.route_by_field, any_columns, "the document after the change; its fields are known from data only"
    ),
    "io.debezium.connector.mongodb.transforms.outbox.MongoEventRouter": Transform(
        routing.outbox_router, any_columns, "payload becomes the value, a family of topics"
    ),
    f"{_COMMON}AdjustPrecisionAndScale": _nothing("changes precisions in the same columns"),
    f"{_COMMON}BytesToString": _columns(fields.bytes_to_string, "changes the type of `fields`"),
    f"{_COMMON}ChangeTopicCase": _topics(routing.change_case, "changes the topic's case: `from`, `to`"),
    f"{_COMMON}PatternFilter": _ROWS,
    f"{_COMMON}TopicNameToField": _columns(fields.topic_to_field, "adds `field` with the topic's name"),
    "io.factorhouse.smt.OpenLineageLifecycleSmt": _nothing("passes records through; its dataset names are used"),
}
"""By class without `$Key` and `$Value`; classes that are not listed are unknown."""

_SHORT: Mapping[str, Transform] = {
    name.rpartition(".")[2]: transform for name, transform in reversed(list(TRANSFORMS.items()))
}


def find_transform(class_name: str) -> Transform | None:
    """Return a transform by its class, or by the short name that Connect's plug-in loader accepts; None if unknown."""
    plain = class_name.partition("$")[0]
    return TRANSFORMS.get(plain) or (_SHORT.get(plain) if "." not in plain else None)
