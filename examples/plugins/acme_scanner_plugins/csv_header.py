"""A schema format: the header of a CSV file with types, as in `id:long,name:text?`."""

from __future__ import annotations

from scanner_model.columns import Column, Lookup, ParsedSchema
from scanner_model.errors import Problem
from scanner_model.names import RecordName


def csv_fields(text: str, _lookup: Lookup, _record: RecordName | None) -> ParsedSchema:
    """Return a column for each field; a question mark makes it nullable, a field without a type is text.

    The format has no references and no records to select from.
    """
    columns: list[Column] = []
    problems: list[Problem] = []
    for number, field in enumerate(text.strip().split(","), 1):
        name, _, type_ = field.strip().partition(":")
        if not name:
            problems.append(Problem(f"field {number}", "it has no name", "write name:type"))
            continue
        columns.append(Column(path=(name,), type=type_.removesuffix("?") or "text", nullable=type_.endswith("?")))
    return ParsedSchema(columns=tuple(columns), problems=tuple(problems))
