"""The table of transforms (SMTs): class → effects on topics and columns; and a connector's, applied in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from dataflow_generator.connectors.config import Config
from dataflow_generator.connectors.java_regex import java_regex
from dataflow_generator.connectors.transforms import fields, routing
from dataflow_generator.connectors.transforms import routing as inverse
from dataflow_generator.connectors.transforms.model import (
    UNKNOWN,
    ColumnEffect,
    Position,
    Positions,
    Record,
    Step,
    TopicEffect,
    Transform,
    any_columns,
    any_topic,
    same_columns,
    same_position,
    same_topic,
)
from dataflow_generator.connectors.transforms.topic_templates import Template
from scanner_model.errors import InputInvalid, Problem
from scanner_model.names import Role

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
_UNWRAP = Transform(routing.route_by_field, routing.unwrap, _UNWRAPPED, inverse.unwrapped)
_SHARED = "topic by `topic.regex`; adds a field to the key"
_OUTBOXED = "payload becomes the value, a family of topics"
_OUTBOX = Transform(routing.outbox_router, routing.outbox, _OUTBOXED, inverse.of_outbox)

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
    f"{_AIVEN}Hash": _columns(fields.hash_field, "the value of `field.name` becomes its hash: masked"),
    f"{_AIVEN}KeyToValue": _columns(fields.key_to_value, "`key.fields` are added to the value", inverse.of_key),
    f"{_AIVEN}MakeTombstone": _columns(fields.drop, "the value becomes empty"),
    f"{_AIVEN}TombstoneHandler": _ROWS,
    f"{_DEBEZIUM}ByLogicalTableRouter": Transform(
        routing.logical_table_router, routing.logical_key("__dbz__physicalTableIdentifier"), _SHARED
    ),
    f"{_DEBEZIUM}ContentBasedRouter": _topics(any_topic, "topic from data: resolved by the topics in use"),
    f"{_DEBEZIUM}ExtractChangedRecordState": _nothing("headers only"),
    f"{_DEBEZIUM}ExtractNewRecordState": _UNWRAP,
    f"{_DEBEZIUM}Filter": _ROWS,
    f"{_DEBEZIUM}GeometryFormatTransformer": _nothing("changes geometries in the same columns"),
    f"{_DEBEZIUM}HeaderToValue": _columns(fields.header_to_value, "adds `fields` that come from headers"),
    f"{_DEBEZIUM}ReadToInsertEvent": _nothing("rows of a snapshot become inserts"),
    f"{_DEBEZIUM}SchemaChangeEventFilter": _ROWS,
    f"{_DEBEZIUM}SwapGeometryCoordinates": _nothing("changes geometries in the same columns"),
    f"{_DEBEZIUM}TimezoneConverter": _nothing("changes time zones in the same columns"),
    f"{_DEBEZIUM}ToLogicalTopicRouter": Transform(
        routing.logical_table_router, routing.logical_key("__dbz__sourceIdentifier"), _SHARED
    ),
    f"{_DEBEZIUM}UnwrapFromEnvelope": _UNWRAP,
    f"{_DEBEZIUM}outbox.EventRouter": _OUTBOX,
    f"{_DEBEZIUM}VectorToJsonConverter": _nothing("changes vectors in the same columns"),
    f"{_DEBEZIUM}partitions.PartitionRouting": _nothing("partitions only"),
    f"{_DEBEZIUM}tracing.ActivateTracingSpan": _nothing("headers only"),
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


_PREDICATES = "org.apache.kafka.connect.transforms.predicates."


def applies(config: Config, alias: str, topic: Template | None) -> bool | None:
    """Return whether the transform *alias* applies to records of *topic*; None: it depends on data.

    Raises InputInvalid for a predicate that Kafka refuses.
    """
    settings = config.under(f"transforms.{alias}.")
    name = settings.text("predicate")
    if not name:
        return True
    holds = _predicate_result(config.under(f"predicates.{name}."), f"predicates.{name}", topic)
    return None if holds is None else holds != settings.is_on("negate")


def _predicate_result(settings: Config, where: str, topic: Template | None) -> bool | None:
    match settings.text("type").removeprefix(_PREDICATES):
        case "TopicNameMatches":
            pattern = settings.text("pattern")
            if not pattern:
                raise InputInvalid("a TopicNameMatches without pattern: Kafka refuses the connector", where=where)
            return _matches(pattern, topic)
        case "RecordIsTombstone":
            return False  # a tombstone has no columns, and a row is never one
        case "":
            raise InputInvalid("the predicate is not configured: Kafka refuses the connector", where=where)
        case _:
            return None


def _matches(pattern: str, topic: Template | None) -> bool | None:
    if topic is None:
        return None
    if topic.name is not None:
        return java_regex(pattern).matches(topic.name)
    samples = min(len(wild.samples) for wild in topic.wildcards)
    answers = {java_regex(pattern).matches(topic.sample(number)) for number in range(samples)}
    return answers.pop() if len(answers) == 1 else None


_MOST_ROUTES = 32


@dataclass(frozen=True, slots=True)
class Route:
    """One possible result for a record: its final topic (None: depends on data) and columns."""

    topic: Template | None
    record: Record


@dataclass(frozen=True, slots=True)
class Chain:
    """The transforms of one connector, in order; a step without Transform has an unknown class."""

    config: Config
    steps: tuple[tuple[Step, Transform | None], ...]

    @classmethod
    def of(cls, config: Config) -> Chain:
        """Parse the transforms of a configuration."""
        listed = (item.strip() for item in config.text("transforms").split(","))
        steps = (_step(config, alias) for alias in dict.fromkeys(listed) if alias)
        return cls(config, tuple((step, find_transform(step.class_name)) for step in steps))

    @property
    def is_known(self) -> bool:
        """Return whether every transform is known: else records may go elsewhere than it says."""
        return all(transform for _, transform in self.steps)

    def problems(self) -> Iterator[Problem]:
        """Yield a problem for every transform that is unknown or that Kafka refuses."""
        for step, transform in self.steps:
            where = f"transforms.{step.alias}"
            if not transform:
                what = f"the class {step.class_name}" if step.class_name else "no class"
                hint = (
                    "the flow is kept with less certainty, as if it renamed no topic; its effect on columns is unknown"
                )
                yield Problem(f"{where}.type", f"{what} is not a known transform", hint)
                continue
            try:
                applies(self.config, step.alias, Template.of(""))
                transform.topics(step, Template.of(""))
                transform.columns(step, Record())
            except InputInvalid as error:
                yield Problem(error.where or where, error.what, error.hint)

    def routes(self, topic: Template, record: Record | None = None) -> tuple[Route, ...]:
        """Apply the transforms to a record of *topic*; several routes where a predicate depends on data."""
        routes: tuple[Route, ...] = (Route(topic, record or Record()),)
        for step, transform in self.steps:
            routes = tuple(dict.fromkeys(after for route in routes for after in self._after(step, transform, route)))
            if len(routes) > _MOST_ROUTES:
                return (Route(None, UNKNOWN),)
        return routes

    def origins(self, topic: Template, positions: Iterable[Position]) -> dict[Position, Positions]:
        """Return where each final column may have been before all transforms; none for an added column.

        Candidates are in order of plausibility: the caller applies the transforms forwards and takes the first match.
        """
        steps = [
            (step, transform, _created_fields(step, transform)) for step, transform in reversed(self._applied_to(topic))
        ]
        result: dict[Position, Positions] = {}
        for position in positions:
            before: Positions = (position,)
            for step, transform, added in steps:
                listed = (
                    earlier for after in before if after not in added for earlier in _before(step, transform, after)
                )
                before = tuple(dict.fromkeys(listed))[:_MOST_ROUTES]
            result[position] = before
        return result

    def _applied_to(self, topic: Template) -> list[tuple[Step, Transform]]:
        """Return the transforms that records of *topic* may pass."""
        applicable: list[tuple[Step, Transform]] = []
        for step, transform in self.steps:
            if transform is None or self._is_skipped(step, topic):
                continue
            applicable.append((step, transform))
            routes = self._after(step, transform, Route(topic, Record()))
            topic = next((route.topic for route in reversed(routes) if route.topic is not None), topic)
        return applicable

    def _is_skipped(self, step: Step, topic: Template) -> bool:
        try:
            return applies(self.config, step.alias, topic) is False
        except InputInvalid:
            return True

    def names(self, topic: str) -> tuple[Template | None, ...]:
        """Return the final names of *topic*."""
        return tuple(dict.fromkeys(route.topic for route in self.routes(Template.of(topic))))

    def _after(self, step: Step, transform: Transform | None, route: Route) -> tuple[Route, ...]:
        try:
            applied = applies(self.config, step.alias, route.topic)
            if applied is False:
                return (route,)
            after = _applied(step, transform, route)
        except InputInvalid:
            after = (Route(None, UNKNOWN),)
            applied = True
        return after if applied else (route, *after)


def _applied(step: Step, transform: Transform | None, route: Route) -> tuple[Route, ...]:
    if transform is None:
        return (Route(route.topic, UNKNOWN),)  # most transforms change fields; the routers are known
    topics = transform.topics(step, route.topic) if route.topic is not None else _topics_after_unknown(step, transform)
    record = _signed(step.alias, route.record, transform.columns(step, route.record))
    return tuple(Route(topic, record) for topic in topics)


def _signed(alias: str, before: Record, after: Record) -> Record:
    """Add *alias* to the steps of each column that the transform moved, changed or added."""
    if after is before:
        return after
    stood = {pair for role in Role for pair in ((role, column) for column in before.side(role) or ())}
    for role in Role:
        columns = after.side(role)
        if columns is not None and columns is not before.side(role):
            signed = (
                column if (role, column) in stood else replace(column, steps=(*column.steps, alias))
                for column in columns
            )
            after = after.with_side(role, tuple(signed))
    return after


def _topics_after_unknown(step: Step, transform: Transform) -> tuple[Template | None, ...]:
    """Return the topics of a transform with unknown input: known only if it ignores the input name."""
    first, second = (transform.topics(step, Template.of(name)) for name in ("\ue000", "\ue001"))
    return first if first == second else (None,)


def _created_fields(step: Step, transform: Transform) -> frozenset[Position]:
    """Return the positions of columns that a transform adds to any record."""
    try:
        record = transform.columns(step, Record())
    except InputInvalid:
        return frozenset()
    return frozenset((role, column.path) for role in Role for column in record.side(role) or ())


def _before(step: Step, transform: Transform, position: Position) -> Positions:
    try:
        return transform.origins(step, position)
    except InputInvalid:
        return ()


def _step(config: Config, alias: str) -> Step:
    settings = config.under(f"transforms.{alias}.")
    class_name = settings.text("type")
    side = Role.KEY if class_name.endswith("$Key") else Role.VALUE
    return Step(alias, class_name, side, settings)
