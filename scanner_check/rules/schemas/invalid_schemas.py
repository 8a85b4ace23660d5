"""Schema texts that their own format rejects: no registry registers them, and nothing generated from them compiles."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from scanner_check.model import ChangeFinding, Place, Verdict
from scanner_check.rows.schemas import SCHEMA_INVALID
from scanner_extractor.evolution import SchemaText, rejection


def invalid_schema(
    place: Place, target: str, format: str, schema: SchemaText, before: Callable[[], str]
) -> Iterator[ChangeFinding]:
    """Yield the finding of an invalid *schema*; unknown if the text *before* it was invalid, too."""
    found = rejection(format, schema)
    if found is None:
        return
    was_invalid = rejection(format, replace(schema, text=before())) is not None if before() else False
    verdict = Verdict.UNKNOWN if was_invalid else Verdict.BREAKS
    at = Place(file=place.file, line=found.line, column=found.column)
    yield SCHEMA_INVALID.found(verdict, at, target, format, found.why, was_invalid)
