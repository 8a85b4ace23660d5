"""Jobs inside an engine that fill its tables from topics, and the fields of a message that columns come from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from scanner_dictionary.lineage_inputs.catalogs import TableRow
from scanner_model.catalogs import KAFKA_COLUMNS, KAFKA_JOB, KAFKA_JOBS, KAFKA_PARTS
from scanner_model.columns import ColumnPath, field_segment


def separate_jobs(rows: Iterable[TableRow]) -> Iterator[TableRow]:
    """Yield a row for each job: the table itself where its engine reads topics, else one for each job that fills it."""
    for row in rows:
        words = dict(row.parameters)
        if KAFKA_JOBS not in words:
            yield row
            continue
        for job in _parsed(words.pop(KAFKA_JOBS), list):
            if isinstance(job, dict) and KAFKA_JOB in job:
                named = {name: str(value) for name, value in job.items()}
                yield replace(row, parameters=tuple(sorted((words | named).items())))


class Source(NamedTuple):
    """The fields that a column comes from; *copied*: it has the value of the only one."""

    fields: tuple[ColumnPath, ...]
    copied: bool = False


def column_sources(row: TableRow) -> Mapping[str, Source]:
    """Return the fields that columns come from which have another name, or are computed."""
    listed = _parsed(dict(row.parameters).get(KAFKA_COLUMNS, "{}"), dict)
    sources: dict[str, Source] = {}
    for column, value in listed.items():
        match value:
            case {"field": field}:
                sources[column] = Source((_field(field),), copied=True)
            case list():
                sources[column] = Source(tuple(map(_field, value)))
    return sources


def message_parts(row: TableRow) -> Mapping[ColumnPath, str]:
    """Return the columns that hold a part of a message as a whole, with the part."""
    listed = _parsed(dict(row.parameters).get(KAFKA_PARTS, "{}"), dict)
    return {(field_segment(name),): part for name, part in listed.items() if isinstance(part, str)}


def _field(value: object) -> ColumnPath:
    """Return the path of a field: a name, or a list of names."""
    return tuple(field_segment(str(name)) for name in (value if isinstance(value, list) else [value]))


Container = TypeVar("Container", list[Any], dict[str, Any])


def _parsed(text: str, kind: type[Container]) -> Container:
    """Parse JSON; an empty value of the *kind* where it is something else."""
    try:
        value = json.loads(text)
    except ValueError:
        return kind()
    return value if isinstance(value, kind) else kind()
