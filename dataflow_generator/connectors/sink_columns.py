"""The columns that sinks write: which of the key are included, and how the target names columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from dataflow_generator.connectors.config import Config
from dataflow_generator.connectors.dataset_names import folded
from dataflow_generator.connectors.model import Flow, Landed
from dataflow_generator.connectors.transforms.records import Carried, Record, begins, moved, segments
from scanner_model.column_path import ColumnPath, field_segment
from scanner_model.names import Role


def as_it_is(config: Config, flow: Flow, record: Record) -> tuple[Landed, ...]:  # noqa: ARG001 - a Lands
    """Write the value unchanged, and nothing of the key."""
    return tuple(Landed(one.path, one) for one in record.value or ())


def in_table(config: Config, flow: Flow, record: Record) -> tuple[Landed, ...]:
    """Write the value's fields as columns, with the key's by `pk.mode` (Confluent's and Aiven's JDBC)."""
    listed = frozenset(map(field_segment, config.items("fields.whitelist", "fields.included")))
    keys = _key_columns(config, record, ("pk.mode", "pk.fields"))
    named = {one.path for one in keys}
    value = (one for one in _fields(record.value) if not listed or one.path[0] in listed)
    rest = (Landed(one.path, one) for one in value if one.path not in named)
    fold = _folding(config, flow, "quote.sql.identifiers", ("never",))
    return tuple(_renamed((*keys, *rest), fold))


def in_debezium_table(config: Config, flow: Flow, record: Record) -> tuple[Landed, ...]:
    """Write the row after a change, or a flat value, as columns (Debezium's JDBC sink unwraps the envelope)."""
    keys = _key_columns(config, record, ("primary.key.mode", "primary.key.fields"))
    named = {one.path for one in keys}
    value = (one for one in _fields(_row_after(record.value)) if _included(config, flow, one))
    rest = (Landed(one.path, one) for one in value if one.path not in named)
    fold = _folding(config, flow, "quote.identifiers", ("false", ""))
    return tuple(_renamed((*keys, *rest), fold))


def in_snowflake(config: Config, flow: Flow, record: Record) -> tuple[Landed, ...]:  # noqa: ARG001 - a Lands
    """Write fields as columns in upper case, or all into `RECORD_CONTENT` (Snowflake, schema detection)."""
    streaming = config.text("connector.class").endswith("SnowflakeStreamingSinkConnector")
    key = "snowflake.enable.schematization"
    metadata = (Landed(("RECORD_METADATA", "key", *one.path), one) for one in record.key or ())
    if config.is_on(key, default=streaming):
        fields = (Landed((_snowflake(one.path[0]), *one.path[1:]), one, key) for one in record.value or () if one.path)
        return (*fields, *metadata)
    return (*(Landed(("RECORD_CONTENT", *one.path), one) for one in record.value or ()), *metadata)


def in_bigquery(config: Config, flow: Flow, record: Record) -> tuple[Landed, ...]:  # noqa: ARG001 - a Lands
    """Write fields as columns, with sanitized names where configured, and the key into its own column."""
    cleaning = config.key("sanitizeFieldNames", "sanitize.field.names")
    clean = config.is_on(cleaning)
    key = config.key("kafkaKeyFieldName", "kafka.key.field.name")
    value = (Landed(_sanitized(one.path) if clean else one.path, one, cleaning * clean) for one in record.value or ())
    field = (field_segment(config.text(key)),)
    return (*value, *(Landed((*field, *one.path), one, key) for one in record.key or () if key))


def in_documents(config: Config, flow: Flow, record: Record) -> tuple[Landed, ...]:  # noqa: ARG001 - a Lands
    """Write the value as a MongoDB document; `_id` is the key where the strategy is configured so."""
    key, handler = "document.id.strategy", config.text("change.data.capture.handler")
    strategy = config.text(key).rpartition(".")[2]
    value = _row_after(record.value) if "debezium" in handler.lower() else record.value
    whole = strategy in ("FullKeyStrategy", "ProvidedInKeyStrategy", "PartialKeyStrategy")
    keys = (Landed(_in_id(one.path), one, key) for one in record.key or () if whole)
    return (*(Landed(one.path, one) for one in value or ()), *keys)


def _in_id(path: ColumnPath) -> ColumnPath:
    return path if path[:1] == ("_id",) else ("_id", *path)


def in_index(config: Config, flow: Flow, record: Record) -> tuple[Landed, ...]:  # noqa: ARG001 - a Lands
    """Write the value as a document of a search engine, whose `_id` is the key unless it is ignored."""
    value = tuple(Landed(one.path, one) for one in record.value or ())
    if config.is_on("key.ignore") or config.is_on("schema.ignore.key"):
        return value
    return (*value, *(Landed(("_id",), one, "key.ignore") for one in record.key or () if not one.path))


def by_mapping(config: Config, flow: Flow, record: Record) -> tuple[Landed, ...]:
    """Write the columns that `topic.….mapping` lists as `column=value.field, …` (DataStax's Cassandra sink)."""
    key = f"topic.{flow.topic}.{flow.target.name if flow.target else ''}.mapping"
    pairs = (part.partition("=") for part in config.text(key).split(","))
    return tuple(
        Landed((field_segment(name.strip().strip('"')), *rest), one, key)
        for name, _, place in pairs
        for one, rest in _mapped(record, place.strip())
    )


def _mapped(record: Record, place: str) -> Iterator[tuple[Carried, ColumnPath]]:
    """Yield the columns that `key`, `value` or a field of theirs refers to; functions and headers refer to none."""
    side, _, field = place.partition(".")
    if side not in ("key", "value"):
        return
    path = segments(field, nested=True) if field else ()
    for one in record.side(Role(side)) or ():
        if begins(one.path, path):
            yield one, one.path[len(path) :]


def _key_columns(config: Config, record: Record, keys: tuple[str, str]) -> tuple[Landed, ...]:
    """Return the columns of the primary key, where they are not the value's."""
    mode, fields = keys
    names = [field_segment(name) for name in config.items(fields)]
    match config.text(mode).lower():
        case "record_key" if record.key is not None:
            plain = next((one for one in record.key if not one.path), None)
            if plain is not None:
                return (Landed((names[0],), plain, f"{mode}, {fields}"),) if names else ()
            found = (one for one in _fields(record.key) if not names or one.path[0] in names)
            return tuple(Landed(one.path, one, ", ".join([mode, *([fields] if names else [])])) for one in found)
        case "kafka":
            made = names or ["__connect_topic", "__connect_partition", "__connect_offset"]
            return tuple(Landed((name,), None, mode) for name in made)
    return ()


def _fields(columns: Iterable[Carried] | None) -> tuple[Carried, ...]:
    """Return the top-level fields: a table's columns have no nested fields."""
    return tuple(one for one in columns or () if len(one.path) == 1)


def _row_after(columns: tuple[Carried, ...] | None) -> tuple[Carried, ...]:
    listed = columns or ()
    if not {("after",), ("op",)} <= {one.path[:1] for one in listed}:
        return listed
    return tuple(moved(one, one.path[1:]) for one in listed if begins(one.path, ("after",)) and len(one.path) > 1)


def _included(config: Config, flow: Flow, one: Carried) -> bool:
    """Return whether `field.include.list` includes a field and `field.exclude.list` does not exclude it."""
    topic = flow.source.name if flow.source else ""
    names = {one.path[0], f"{topic}:{one.path[0]}", f"{flow.topic}:{one.path[0]}"}
    included = config.items("field.include.list")
    return (not included or bool(names & {*included})) and not names & {*config.items("field.exclude.list")}


def _folding(config: Config, flow: Flow, key: str, unquoted: tuple[str, ...]) -> tuple[str, str]:
    """Return the scheme of the database that folds names (empty where they are quoted), and its key."""
    scheme = flow.target.namespace.partition(":")[0] if flow.target else ""
    folds = scheme == "redshift" or config.text(key).lower() in unquoted
    return (scheme, config.key(key)) if folds else ("", "")


def _renamed(columns: Iterable[Landed], fold: tuple[str, str]) -> Iterator[Landed]:
    scheme, key = fold
    for one in columns:
        path = (folded(one.path[0], scheme), *one.path[1:])
        because = ", ".join(filter(None, (one.because, key if path != one.path else "")))
        yield Landed(path, one.origin, because)


def _snowflake(name: str) -> str:
    """Fold a name as Snowflake does: unquoted names to upper case."""
    return name[1:-1] if len(name) > 1 and name[0] == name[-1] == '"' else name.upper()


def _sanitized(path: ColumnPath) -> ColumnPath:
    return tuple(re.sub(r"^(?=\d)", "_", re.sub(r"\W", "_", part, flags=re.ASCII)) for part in path)
