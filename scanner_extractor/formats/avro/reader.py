"""Read Avro schemas by our own traversal, because registries accept schemas that libraries reject."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from fastavro.schema import SchemaParseException, parse_schema

from scanner_extractor.formats.avro.columns import Walk
from scanner_extractor.formats.avro.names import NamedTypes, worded
from scanner_extractor.formats.avro.types import UNREADABLE, Shape, Types
from scanner_extractor.formats.limits import read_json
from scanner_model.columns import Lookup, ParsedSchema
from scanner_model.errors import InputInvalid, Problem
from scanner_model.names import RecordName

_LONGEST = 1_000_000
"""Characters beyond which fastavro is not called: a megabyte costs it some 15 ms."""

_MAX_LENGTH = 200


def fastavro_error(root: object, size: int, foreign: Iterable[str]) -> Problem | None:
    """Check with fastavro a schema of *size* characters whose references define the *foreign* names.

    Returns why it rejects the schema; None where it accepts it or was not called.
    """
    if size > _LONGEST or not isinstance(root, str | list | dict):
        return None
    known = {name: {"type": "record", "name": name, "fields": []} for name in foreign}
    try:
        parse_schema(root, named_schemas=known)
    except (
        SchemaParseException,
        ValueError,
        TypeError,
        KeyError,
        AttributeError,
        IndexError,
        OverflowError,
    ) as error:
        # What fastavro did not foresee comes as the plain error of the line that met it; UnknownType is a ValueError.
        return _problem(f"{type(error).__name__} {error}")
    except RecursionError:
        return _problem("nested too deeply")
    return None


def _problem(why: str) -> Problem:
    why = why if len(why) <= _MAX_LENGTH else f"{why[:_MAX_LENGTH]}…"
    return Problem(
        "$", f"fastavro rejects the schema: {why}", "Apache Avro readers may reject it; its columns are read"
    )


_BARE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
_ONCE = Problem(
    "$",
    "nested uses of named types give too many columns",
    "the columns of each named type are shown at its first use only",
)


def avro_fields(text: str, lookup: Lookup, record: RecordName | None = None) -> ParsedSchema:
    """List the columns of an Avro schema; *lookup* returns the text behind a type's full name or a reference's name.

    *record* picks one of the records of a union at the root; None, or a name that is not there, reads all of it. What
    is wrong at one place is a problem there and leaves the rest; fastavro's refusal is a problem of the whole.
    """
    try:
        return _read(_root(text), lookup, record, len(text))
    except InputInvalid as error:
        return ParsedSchema(problems=(Problem(error.where or "$", error.what, error.hint),))


def _read(root: object, lookup: Lookup, record: RecordName | None, size: int) -> ParsedSchema:
    if isinstance(root, dict) and "type" not in root and isinstance(root.get("types"), list):
        # A protocol (.avpr) is read as the union of its types.
        return _fields(root["types"], worded(root, "namespace"), lookup, record, None)
    return _fields(root, "", lookup, record, size)


def _root(text: str) -> object:
    """Read the JSON of a schema; registries also hold a type's bare name, in quotes or not."""
    bare = text.strip("\ufeff \t\r\n")
    return bare if _BARE_NAME.fullmatch(bare) else read_json(text)


def _fields(root: object, namespace: str, lookup: Lookup, record: RecordName | None, size: int | None) -> ParsedSchema:
    names = NamedTypes(root, lookup, namespace)
    problems: dict[Problem, None] = {}
    types = Types(names)
    shapes = types.alternatives(root, namespace, lambda what: problems.setdefault(Problem("$", what)))
    walk = _walked(types, _chosen(shapes, record))
    problems |= dict.fromkeys(names.problems) | walk.problems
    refused = fastavro_error(root, size, names.foreign()) if size is not None and not problems else None
    records = _records(shapes)
    name = [shape.name for shape in _chosen(shapes, record) if shape.word != "null"]
    return ParsedSchema(
        name=RecordName(name[0]) if len(name) == 1 and name[0] in records else RecordName(""),
        columns=tuple(walk.collected.columns),
        holders=walk.holders,
        record_tags=walk.record_tags,
        symbols=walk.symbols,
        records=records,
        problems=(*problems, refused) if refused else tuple(problems),
    )


def _walked(types: Types, shapes: Sequence[Shape]) -> Walk:
    walk = Walk(types)
    if shapes and all(shape.word == UNREADABLE for shape in shapes):
        return walk
    walk.read(shapes)
    if not walk.collected.full or not walk.repeated:
        return walk
    brief = Walk(types, once=True)
    brief.read(shapes)
    brief.problems[_ONCE] = None
    return brief


def _chosen(shapes: Sequence[Shape], record: RecordName | None) -> Sequence[Shape]:
    named = [shape for shape in shapes if record and shape.word == "record" and shape.name == record]
    return named[:1] or shapes


def _records(shapes: Sequence[Shape]) -> tuple[RecordName, ...]:
    names = [RecordName(shape.name) for shape in shapes if shape.word == "record" and shape.name]
    return tuple(dict.fromkeys(names))
