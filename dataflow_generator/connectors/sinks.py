"""Read sinks of any class: topics through the transforms, the datasets of their names, the columns written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from dataflow_generator.connectors.config import Config
from dataflow_generator.connectors.dataset_names import topic, topics_like, unique
from dataflow_generator.connectors.model import (
    Connector,
    ConnectorFlow,
    ConnectorFlows,
    Dataset,
    Direction,
    SinkColumn,
    SinkColumnReader,
)
from dataflow_generator.connectors.mongodb_fields import PostProcessors
from dataflow_generator.connectors.topics import ReadTopics, cluster_of, side_topics, topics_read
from dataflow_generator.connectors.transforms.model import Record, TracedColumn, moved, segments, starts_with
from dataflow_generator.connectors.transforms.registry import Chain
from dataflow_generator.connectors.transforms.topic_templates import Template
from dataflow_generator.sql.letter_case import folded
from scanner_model.columns import ColumnPath, field_segment
from scanner_model.errors import InputInvalid, Problem
from scanner_model.names import Role


def value_unchanged(config: Config, flow: ConnectorFlow, record: Record) -> tuple[SinkColumn, ...]:  # noqa: ARG001 - a Lands
    """Write the value unchanged, and nothing of the key."""
    return tuple(SinkColumn(column.path, column) for column in record.value or ())


def in_table(config: Config, flow: ConnectorFlow, record: Record) -> tuple[SinkColumn, ...]:
    """Write the value's fields as columns, with the key's by `pk.mode` (Confluent's and Aiven's JDBC)."""
    listed = frozenset(map(field_segment, config.items("fields.whitelist", "fields.included")))
    keys = _key_columns(config, record, ("pk.mode", "pk.fields"))
    named = {key.path for key in keys}
    value = (field for field in _fields(record.value) if not listed or field.path[0] in listed)
    rest = (SinkColumn(column.path, column) for column in value if column.path not in named)
    fold = _folding(config, flow, "quote.sql.identifiers", ("never",))
    return tuple(_renamed((*keys, *rest), fold))


def in_debezium_table(config: Config, flow: ConnectorFlow, record: Record) -> tuple[SinkColumn, ...]:
    """Write the row after a change, or a flat value, as columns (Debezium's JDBC sink unwraps the envelope)."""
    keys = _key_columns(config, record, ("primary.key.mode", "primary.key.fields"))
    named = {key.path for key in keys}
    value = (field for field in _fields(_row_after(record.value)) if _included(config, flow, field))
    rest = (SinkColumn(column.path, column) for column in value if column.path not in named)
    fold = _folding(config, flow, "quote.identifiers", ("false", ""))
    return tuple(_renamed((*keys, *rest), fold))


def in_snowflake(config: Config, flow: ConnectorFlow, record: Record) -> tuple[SinkColumn, ...]:  # noqa: ARG001 - a Lands
    """Write fields as columns in upper case, or all into `RECORD_CONTENT` (Snowflake, schema detection)."""
    streaming = config.text("connector.class").endswith("SnowflakeStreamingSinkConnector")
    key = "snowflake.enable.schematization"
    metadata = (SinkColumn(("RECORD_METADATA", "key", *column.path), column) for column in record.key or ())
    if config.is_on(key, default=streaming):
        fields = (
            SinkColumn((_snowflake(column.path[0]), *column.path[1:]), column, key)
            for column in record.value or ()
            if column.path
        )
        return (*fields, *metadata)
    return (*(SinkColumn(("RECORD_CONTENT", *column.path), column) for column in record.value or ()), *metadata)


def in_bigquery(config: Config, flow: ConnectorFlow, record: Record) -> tuple[SinkColumn, ...]:  # noqa: ARG001 - a Lands
    """Write fields as columns, with sanitized names where configured, and the key into its own column."""
    cleaning = config.key("sanitizeFieldNames", "sanitize.field.names")
    clean = config.is_on(cleaning)
    key = config.key("kafkaKeyFieldName", "kafka.key.field.name")
    value = (
        SinkColumn(_sanitized(column.path) if clean else column.path, column, cleaning * clean)
        for column in record.value or ()
    )
    field = (field_segment(config.text(key)),)
    return (*value, *(SinkColumn((*field, *column.path), column, key) for column in record.key or () if key))


def in_documents(config: Config, flow: ConnectorFlow, record: Record) -> tuple[SinkColumn, ...]:
    """Write the value as a MongoDB document; `_id` is the key where the strategy is configured so."""
    key, handler = "document.id.strategy", config.text("change.data.capture.handler")
    strategy = config.text(key).rpartition(".")[2]
    value = _row_after(record.value) if "debezium" in handler.lower() else record.value
    has_key_id = strategy in ("FullKeyStrategy", "ProvidedInKeyStrategy", "PartialKeyStrategy")
    keys = (SinkColumn(_in_id(column.path), column, key) for column in record.key or () if has_key_id)
    chain = PostProcessors(config, flow.topic)
    try:
        paths = [(chain.path(column.path), column) for column in value or ()]
    except InputInvalid:  # reported with the patterns that are not evaluated
        paths = []
    return (*(SinkColumn(path, column, chain.because) for path, column in paths if path is not None), *keys)


def _in_id(path: ColumnPath) -> ColumnPath:
    return path if path[:1] == ("_id",) else ("_id", *path)


def in_index(config: Config, flow: ConnectorFlow, record: Record) -> tuple[SinkColumn, ...]:  # noqa: ARG001 - a Lands
    """Write the value as a document of a search engine, whose `_id` is the key unless it is ignored."""
    value = tuple(SinkColumn(column.path, column) for column in record.value or ())
    if config.is_on("key.ignore") or config.is_on("schema.ignore.key"):
        return value
    return (*value, *(SinkColumn(("_id",), column, "key.ignore") for column in record.key or () if not column.path))


def by_mapping(config: Config, flow: ConnectorFlow, record: Record) -> tuple[SinkColumn, ...]:
    """Write the columns that `topic.….mapping` lists as `column=value.field, …` (DataStax's Cassandra sink)."""
    key = f"topic.{flow.topic}.{flow.target.name if flow.target else ''}.mapping"
    pairs = (part.partition("=") for part in config.text(key).split(","))
    return tuple(
        SinkColumn((field_segment(name.strip().strip('"')), *rest), column, key)
        for name, _, target in pairs
        for column, rest in _mapped(record, target.strip())
    )


def _mapped(record: Record, name: str) -> Iterator[tuple[TracedColumn, ColumnPath]]:
    """Yield the columns that `key`, `value` or a field of theirs refers to; functions and headers refer to none."""
    side, _, field = name.partition(".")
    if side not in ("key", "value"):
        return
    path = segments(field, nested=True) if field else ()
    for column in record.side(Role(side)) or ():
        if starts_with(column.path, path):
            yield column, column.path[len(path) :]


def _key_columns(config: Config, record: Record, keys: tuple[str, str]) -> tuple[SinkColumn, ...]:
    """Return the columns of the primary key, where they are not the value's."""
    mode, fields = keys
    names = [field_segment(name) for name in config.items(fields)]
    match config.text(mode).lower():
        case "record_key" if record.key is not None:
            plain = next((column for column in record.key if not column.path), None)
            if plain is not None:
                return (SinkColumn((names[0],), plain, f"{mode}, {fields}"),) if names else ()
            fields_of_key = (field for field in _fields(record.key) if not names or field.path[0] in names)
            return tuple(
                SinkColumn(column.path, column, ", ".join([mode, *([fields] if names else [])]))
                for column in fields_of_key
            )
        case "kafka":
            metadata = names or ["__connect_topic", "__connect_partition", "__connect_offset"]
            return tuple(SinkColumn((name,), None, mode) for name in metadata)
    return ()


def _fields(columns: Iterable[TracedColumn] | None) -> tuple[TracedColumn, ...]:
    """Return the top-level fields: a table's columns have no nested fields."""
    return tuple(column for column in columns or () if len(column.path) == 1)


def _row_after(columns: tuple[TracedColumn, ...] | None) -> tuple[TracedColumn, ...]:
    listed = columns or ()
    if not {("after",), ("op",)} <= {column.path[:1] for column in listed}:
        return listed
    return tuple(
        moved(column, column.path[1:])
        for column in listed
        if starts_with(column.path, ("after",)) and len(column.path) > 1
    )


def _included(config: Config, flow: ConnectorFlow, column: TracedColumn) -> bool:
    """Return whether `field.include.list` includes a field and `field.exclude.list` does not exclude it."""
    topic = flow.source.name if flow.source else ""
    names = {column.path[0], f"{topic}:{column.path[0]}", f"{flow.topic}:{column.path[0]}"}
    included = config.items("field.include.list")
    return (not included or bool(names & {*included})) and not names & {*config.items("field.exclude.list")}


def _folding(config: Config, flow: ConnectorFlow, key: str, unquoted: tuple[str, ...]) -> tuple[str, str]:
    """Return the scheme of the database that folds names (empty where they are quoted), and its key."""
    scheme = flow.target.namespace.partition(":")[0] if flow.target else ""
    folds = scheme == "redshift" or config.text(key).lower() in unquoted
    return (scheme, config.key(key)) if folds else ("", "")


def _renamed(columns: Iterable[SinkColumn], fold: tuple[str, str]) -> Iterator[SinkColumn]:
    scheme, key = fold
    for column in columns:
        path = (folded(column.path[0], scheme), *column.path[1:])
        because = ", ".join(filter(None, (column.because, key if path != column.path else "")))
        yield SinkColumn(path, column.origin, because)


def _snowflake(name: str) -> str:
    """Fold a name as Snowflake does: unquoted names to upper case."""
    return name[1:-1] if len(name) > 1 and name[0] == name[-1] == '"' else name.upper()


def _sanitized(path: ColumnPath) -> ColumnPath:
    return tuple(re.sub(r"^(?=\d)", "_", re.sub(r"\W", "_", part, flags=re.ASCII)) for part in path)


Targets = Callable[[str], tuple[Dataset, ...]]
"""Returns the datasets that records of a topic are written to, by the topic's name after the transforms."""

Target = Callable[[str], Dataset | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class SinkTargets:
    """What a sink's class derives from a topic: the datasets, the configuration keys, problems.

    *outside_known* is false for a class whose targets are unknown; *nowhere* is true where the configuration disables
    writing; *sink_columns* returns the columns that it writes.
    """

    targets: Targets
    keys: str = ""
    problems: tuple[Problem, ...] = ()
    outside_known: bool = True
    nowhere: bool = False
    read: ReadTopics | None = None
    sink_columns: SinkColumnReader = value_unchanged


def to(
    target: Target, *keys: str, problems: Iterable[Problem] = (), sink_columns: SinkColumnReader = value_unchanged
) -> SinkTargets:
    """Describe a class that writes to one dataset per topic."""

    def targets(name: str) -> tuple[Dataset, ...]:
        dataset = target(name)
        return () if dataset is None else (dataset,)

    return SinkTargets(
        targets=targets, keys=", ".join(filter(None, keys)), problems=tuple(problems), sink_columns=sink_columns
    )


def sink(connector: Connector, written: SinkTargets) -> ConnectorFlows:
    """Build the flows of a sink."""
    namespace = cluster_of(connector, Direction.SINK)
    read = written.read or topics_read(connector)
    chain = Chain.of(connector.config)
    side = side_topics(connector, namespace)
    problems: list[Problem] = [*read.problems, *written.problems, *chain.problems()]
    flows: list[ConnectorFlow] = []
    for name in read.names:
        flows.extend(_flows(written, topic(namespace, name), read.because, chain.names(name), problems))
    if read.pattern:
        pattern = topics_like(namespace, read.pattern)
        flows.extend(_flows(written, pattern, read.because, (None,), problems))
    return ConnectorFlows(
        name=connector.name,
        class_name=connector.class_name,
        direction=Direction.SINK,
        inputs=unique(flow.source for flow in flows),
        outputs=unique(flow.target for flow in flows),
        flows=in_order(flow for flow in flows if flow.target or not written.nowhere),
        side_topics=side,
        problems=tuple(dict.fromkeys(problems)),
        sink_columns=written.sink_columns,
        isolated=written.nowhere,
    )


def in_order(flows: Iterable[ConnectorFlow]) -> tuple[ConnectorFlow, ...]:
    """Sort flows and remove duplicates."""
    return tuple(sorted(set(flows), key=_order))


def _order(flow: ConnectorFlow) -> tuple[tuple[str, str], tuple[str, str], str, str]:
    ends = [(end.namespace, end.name) if end else ("", "") for end in (flow.source, flow.target)]
    return ends[0], ends[1], flow.topic, flow.because


def _flows(
    written: SinkTargets, source: Dataset, because: str, names: tuple[Template | None, ...], problems: list[Problem]
) -> Iterator[ConnectorFlow]:
    for template in names:
        name = template.name if template else None
        routed = "transforms" if name and name != source.name else ""
        reason = ", ".join(filter(None, (because, routed, written.keys)))
        targets = written.targets(name) if name else _whatever_the_topic(written)
        if not targets and written.outside_known and not written.nowhere:
            problems.append(_target_problem(source, template))
        for target in targets:
            yield ConnectorFlow(source, target, reason, name or "")
        if not targets:
            yield ConnectorFlow(source, None, because, name or "")


def _whatever_the_topic(written: SinkTargets) -> tuple[Dataset, ...]:
    """Return the datasets of a class whose targets do not depend on the topic."""
    first, second = (written.targets(name) for name in ("anyTopic", "otherTopic"))
    return first if first == second else ()


def _target_problem(source: Dataset, template: Template | None) -> Problem:
    if template is not None and template.name == "":
        return Problem("transforms", f"{source.name!r} is renamed to an empty name by a transform")
    if template is not None and template.name:
        return Problem("config", f"the target of {source.name!r} is not configured, or depends on data")
    family = f" (topic pattern {template.pattern})" if template else ""
    return Problem("transforms", f"the target of {source.name!r} is unknown or depends on data{family}")
