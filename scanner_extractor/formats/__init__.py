"""Schema text to columns: the table of formats and one way to ask it. A reader's libraries load when it reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points

from scanner_extractor.formats.json_text import REPLACEMENT, SURROGATE
from scanner_model.columns import FieldReader, Lookup, ParsedSchema
from scanner_model.names import RecordName
from scanner_model.problems import Problem

PLUG_INS = "scanner.schema_formats"
"""The entry-point group by which other people's packages add formats; an entry's name is the format's, upper case."""


def _reader(module: str, function: str) -> FieldReader:
    def read(text: str, lookup: Lookup, record: RecordName | None) -> ParsedSchema:
        reader: FieldReader = getattr(import_module(f"{__name__}.{module}"), function)
        return reader(text, lookup, record)

    return read


MOST_PROBLEMS = 100
"""Problems listed of one schema."""

_HALF_A_PAIR = Problem("$", "the text holds half a surrogate pair", "it is read as U+FFFD, the replacement character")

FORMATS: Mapping[str, FieldReader] = {
    "AVRO": _reader("avro.reader", "avro_fields"),
    "JSON": _reader("json_schema.reader", "json_schema_fields"),
    "JSON_PAYLOAD": _reader("json_payload", "json_payload_fields"),
    "PROTOBUF": _reader("protobuf.reader", "protobuf_fields"),
}


def read_columns(format: str, text: str, lookup: Lookup, record: RecordName | None = None) -> ParsedSchema:
    """Read the columns of a schema *text*; *record* names which of several records (None: the format's default root).

    A format that nobody reads gives no columns and a problem; the text is the caller's to keep.
    """
    name = format.upper()
    try:
        reader = FORMATS.get(name) or _plugged_in(name)
    except (ImportError, AttributeError) as error:
        hint = f"mend or remove the package that offers it in {PLUG_INS}"
        return ParsedSchema(problems=(Problem("$", f"the reader for {format!r} cannot be loaded: {error}", hint),))
    if reader:
        storable = SURROGATE.sub(REPLACEMENT, text)
        return _bounded(reader(storable, lookup, record), () if storable == text else (_HALF_A_PAIR,))
    hint = f"the text is kept as it is; formats that are read: {', '.join(FORMATS)}"
    return ParsedSchema(problems=(Problem("$", f"no reader for the schema format {format!r}", hint),))


def _bounded(parsed: ParsedSchema, first: tuple[Problem, ...]) -> ParsedSchema:
    """Return *parsed* with the *first* problems before its own; those beyond MOST_PROBLEMS are counted."""
    problems = first + parsed.problems
    if len(problems) > MOST_PROBLEMS:
        more = Problem(
            "$", f"{len(problems) - MOST_PROBLEMS} more problems of this schema", "the first ones are listed"
        )
        problems = (*problems[:MOST_PROBLEMS], more)
    return parsed if problems is parsed.problems else replace(parsed, problems=problems)


@cache
def _plugged_in(name: str) -> FieldReader | None:
    for entry in entry_points(group=PLUG_INS, name=name):
        reader: FieldReader = entry.load()
        return reader
    return None
