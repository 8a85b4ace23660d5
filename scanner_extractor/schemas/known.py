"""Schema texts that an earlier scan read: recognized by a digest, and read again without parsing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version

from scanner_extractor.formats import FORMATS
from scanner_extractor.schemas.parsing import ParseRequest, parse_one
from scanner_model.columns import Column, ParsedSchema, StoredColumns
from scanner_model.documents.json_input import load_text
from scanner_model.errors import Problem
from scanner_model.names import RecordName

READERS = 3
"""Raised whenever a reader of ours reads anything else from a known text, so that the next scan reads it again."""

_LIBRARIES = ("kafka-lineage-scanner", "fastavro", "protobuf", "grpcio-tools", "jsonschema-specifications")


@cache
def reader_version() -> str:
    """Return the versions of all that reads schema texts: a text that others read is parsed again."""
    return " ".join([str(READERS), *map(_installed, _LIBRARIES)])


def _installed(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return "-"


def text_digest(request: ParseRequest) -> str:
    """Return a digest of everything that reading a text depends on, except the readers.

    Empty for a format of a plug-in: whether it reads the same again is not known.
    """
    if request.format.upper() not in FORMATS:
        return ""
    parts = (request.format, request.text, *map(tuple, request.texts.items()), request.tags, request.record)
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()


def reading_of(parsed: ParsedSchema) -> str:
    """Return as JSON what a text was read to, without the columns."""
    problems = [(problem.where, problem.what, problem.hint) for problem in parsed.problems]
    return json.dumps([parsed.name, len(parsed.columns), parsed.records, problems, parsed.tags])


def read_again(request: ParseRequest, reading: str) -> ParsedSchema:
    """Return what parsing *request* returned when *reading* was made of it; its columns are parsed when needed.

    If *reading* is damaged, the text is parsed again.
    """
    match load_text(reading):
        case [str(name), int(count), [*records], [*problems], [*tags]]:
            return ParsedSchema(
                name=RecordName(name),
                columns=StoredColumns(count, partial(_columns, request)),
                records=tuple(RecordName(str(record)) for record in records),
                problems=tuple(Problem(*map(str, one)) for one in problems if isinstance(one, list)),
                record_tags={(): tuple(map(str, tags))} if tags else {},
            )
    return parse_one(request)


def _columns(request: ParseRequest) -> Sequence[Column]:
    return parse_one(request).columns
