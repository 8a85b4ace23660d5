"""Schema text to columns: the table of formats. A reader and its libraries are imported when it reads first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module

from scanner_extractor.formats.limits import REPLACEMENT, SURROGATE
from scanner_model.columns import Column, ColumnPath, FieldReader, Lookup, ParsedSchema
from scanner_model.documents.json_positions import repeated_members
from scanner_model.errors import Problem
from scanner_model.names import RecordName
from scanner_model.plugins import SCHEMA_FORMATS, Plugin, PluginError, plugins


def _reader(module: str, function: str) -> FieldReader:
    def read(text: str, lookup: Lookup, record: RecordName | None) -> ParsedSchema:
        reader: FieldReader = getattr(import_module(f"{__name__}.{module}"), function)
        return reader(text, lookup, record)

    return read


MOST_PROBLEMS = 100
"""Problems listed of one schema."""

_JSON_FORMATS = ("AVRO", "JSON", "JSON_PAYLOAD")
_HALF_A_PAIR = Problem("$", "the text holds half a surrogate pair", "it is read as U+FFFD, the replacement character")

FORMATS: Mapping[str, FieldReader] = {
    "AVRO": _reader("avro.reader", "avro_fields"),
    "JSON": _reader("json_schema.reader", "json_schema_fields"),
    "JSON_PAYLOAD": _reader("json_payload", "json_payload_fields"),
    "PROTOBUF": _reader("protobuf.reader", "protobuf_fields"),
}


def read_columns(format: str, text: str, lookup: Lookup, record: RecordName | None = None) -> ParsedSchema:
    """Read the columns of a schema *text*; *record* names which of several records (None: the format's default root).

    A format without a reader gives no columns and a problem; the caller stores the text. A plug-in's entry point has
    the name of its format in upper case.
    """
    name = format.upper()
    reader = FORMATS.get(name) or _plugged_in(name)
    if reader:
        storable = SURROGATE.sub(REPLACEMENT, text)
        parsed = with_inherited_tags(reader(storable, lookup, record))
        first = () if storable == text else (_HALF_A_PAIR,)
        return _bounded(parsed, (*first, *(repeated_members(text, "") if name in _JSON_FORMATS else ())))
    hint = f"the text is stored as it is; formats that can be read: {', '.join(format_names())}"
    return ParsedSchema(problems=(Problem("$", f"no reader for the schema format {format!r}", hint),))


def with_inherited_tags(schema: ParsedSchema) -> ParsedSchema:
    """Return *schema* with the tags of each record on the columns in it, after their own."""
    if not schema.record_tags:
        return schema
    return replace(schema, columns=tuple(_inheriting(column, schema.record_tags) for column in schema.columns))


def _inheriting(column: Column, record_tags: Mapping[ColumnPath, tuple[str, ...]]) -> Column:
    above = (tag for end in range(len(column.path)) for tag in record_tags.get(column.path[:end], ()))
    inherited = tuple(dict.fromkeys(tag for tag in above if tag not in column.tags))
    return replace(column, tags=(*column.tags, *inherited), inherited_tags=inherited) if inherited else column


def format_names() -> tuple[str, ...]:
    """Return the names of the formats that can be read, ours and those of plug-ins."""
    return (*FORMATS, *sorted(plugins(SCHEMA_FORMATS).keys() - FORMATS.keys()))


def _bounded(parsed: ParsedSchema, first: tuple[Problem, ...]) -> ParsedSchema:
    """Return *parsed* with the *first* problems before its own; those beyond MOST_PROBLEMS are counted."""
    problems = first + parsed.problems
    if len(problems) > MOST_PROBLEMS:
        more = Problem(
            "$", f"{len(problems) - MOST_PROBLEMS} more problems of this schema", "the first ones are listed"
        )
        problems = (*problems[:MOST_PROBLEMS], more)
    return parsed if problems is parsed.problems else replace(parsed, problems=problems)


def _plugged_in(name: str) -> FieldReader | None:
    plugin = plugins(SCHEMA_FORMATS).get(name)
    return _plugin_reader(plugin) if plugin else None


@cache
def _plugin_reader(plugin: Plugin) -> FieldReader:
    """Return the reader of a plug-in; where it cannot be loaded, or fails on a text, that is a problem of the text."""
    fields = plugin.load_or_raise_later()

    def read(text: str, lookup: Lookup, record: RecordName | None) -> ParsedSchema:
        try:
            parsed = fields(text, lookup, record)
            if isinstance(parsed, ParsedSchema):
                return parsed
            raise plugin.error(f"returned {type(parsed).__name__}, which is not a ParsedSchema")
        except PluginError as error:
            return ParsedSchema(problems=(error.problem,))

    return read
