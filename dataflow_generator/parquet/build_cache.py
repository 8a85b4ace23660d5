"""What a graph in Parquet files was made of, remembered in a small file beside it, to bring it up to date later."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dataflow_generator.build.digest import digest
from dataflow_generator.incremental.keys import Unrenewable
from dataflow_generator.incremental.parts import part_row, topic_parts
from dataflow_generator.parquet.job_batches import JobRows
from dataflow_generator.parquet.manifest import ABOVE_SCHEMAS, MADE
from scanner_dictionary.graph.update import PartName, PartRow
from scanner_dictionary.lineage_inputs.fingerprints import definition_prints
from scanner_dictionary.lineage_inputs.topics import Connection

_COLUMNS = ("kind", "name", "digest", "told")
_TOLD = b"scanner"


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What the graph was made of: *said* bears on all jobs, *definitions* were all that there were.

    *flowing* counts the flows between columns of each job that has any, in their order. *parts* are the topics and the
    rows that tell of jobs, as `renewal.parts` writes them.
    """

    said: str
    definitions: str
    flowing: Sequence[tuple[str, int]]
    parts: Mapping[PartName, PartRow]


def made_of(conn: Connection, jobs: JobRows) -> Made | None:
    """Return what is remembered of a graph of *jobs*; None where it can only be made anew the next time, too."""
    if jobs.parts is None or jobs.flowing is None:
        return None
    rows = {name: part_row(part) for name, part in jobs.parts.items()}
    return Made(
        said=jobs.estate.said,
        definitions=all_definitions(conn),
        flowing=jobs.flowing,
        parts={**topic_parts(jobs.estate), **rows},
    )


def all_definitions(conn: Connection) -> str:
    """Return all definitions by the last one's key and a hash."""
    return _definitions(definition_prints(conn))


def definitions_after(conn: Connection, before: str) -> str:
    """Return all definitions of now; raises Unrenewable where they are not those *before*, and later ones."""
    found = definition_prints(conn)
    last = before.partition("/")[0]
    if not last.isdecimal() or _definitions([row for row in found if row[0] <= int(last)]) != before:
        raise Unrenewable
    return _definitions(found)


def _definitions(found: Sequence[tuple[Any, ...]]) -> str:
    return f"{found[-1][0] if found else 0}/{digest(found)}"


def write_made(directory: Path, made: Made) -> None:
    """Remember beside the rows that stand above the schemas in *directory*, all of them, what they were made of."""
    import pyarrow as pa
    from pyarrow import parquet

    told = {"said": made.said, "definitions": made.definitions, "flowing": made.flowing, "rows": _above(directory)}
    rows = [(*name, *row) for name, row in made.parts.items()]
    columns = [pa.array([row[at] for row in rows], pa.string()) for at in range(len(_COLUMNS))]
    table = pa.table(columns, list(_COLUMNS)).replace_schema_metadata({_TOLD: json.dumps(told)})
    parquet.write_table(table, directory / MADE, compression="zstd", use_dictionary=["kind"])


def read_made(directory: Path) -> Made:
    """Read it back; raises Unrenewable where nothing is told, or of other rows than those that are there."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        table = parquet.ParquetFile(directory / MADE).read(use_threads=False)
        told = json.loads(table.schema.metadata[_TOLD])
        kinds, *others = (table[name].to_pylist() for name in _COLUMNS)
        parts = {(kind, name): PartRow(*row) for kind, name, *row in zip(kinds, *others, strict=True)}
        flowing = tuple((str(key), int(count)) for key, count in told["flowing"])
        if told["rows"] != _above(directory):
            raise Unrenewable
        return Made(said=told["said"], definitions=told["definitions"], flowing=flowing, parts=parts)
    except (OSError, pa.ArrowException, ValueError, KeyError, TypeError) as error:
        raise Unrenewable from error


def _above(directory: Path) -> dict[str, int]:
    """Count the rows above the schemas by their kinds."""
    from pyarrow import parquet

    files = sorted(directory.glob(f"*/kind=*/{ABOVE_SCHEMAS}"))
    return {file.parent.relative_to(directory).as_posix(): parquet.read_metadata(file).num_rows for file in files}
