"""Figures of `scanner check`: one file, and a hundred, against a large dictionary with its graph."""

from __future__ import annotations

import json
import re
import statistics
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from itertools import groupby
from multiprocessing import get_context
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from large_installation import Size, build
from measure import Row, Run, run, scanner, sized
from sqlalchemy import Connection, delete, insert, select, update

from scanner_dictionary.engine.open import open_dictionary, writing
from scanner_dictionary.queries.columns import columns_of
from scanner_dictionary.schema import tables as t
from scanner_dictionary.write.apply import next_id
from scanner_model.columns import Column, ColumnPath

_RUNS = 5
_FILES = 100
_SIZE = Size(columns=sized(1_000_000), topics=sized(10_000), jobs=sized(2_000))
_IMPACT = 6
_PLAIN = frozenset(("boolean", "int", "long", "float", "double", "bytes", "string"))


def change_row(directory: Path) -> list[Row]:
    """How long a check takes of a schema that loses a column which jobs use, and of a hundred such schemas.

    Each run is a whole process. The subjects, which the built dictionary lacks, are made of its columns.
    """
    file, folder = directory / "change.db", directory / "schemas"
    # A process starts with the memory of the one that forked it, so that this one stays small.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        pool.submit(_prepare, file, folder).result()
    runs_of_one = [_checked(file, next(iter(sorted(folder.iterdir())))) for _ in range(_RUNS)]
    runs_of_many = [_checked(file, folder) for _ in range(_RUNS)]
    file.unlink()
    size = f"{_SIZE.topics:,} topics, {_SIZE.columns:,} columns, {_SIZE.jobs:,} jobs"
    return [
        _row("check of one schema", runs_of_one, 1, size),
        _row(f"check of {_FILES} schemas", runs_of_many, 5, size),
    ]


def _prepare(file: Path, folder: Path) -> None:
    build(str(file), _SIZE)
    run([scanner(), "dataflow", "--engine", "local", "--dictionary", str(file)])
    folder.mkdir()
    _propose(file, folder)


def _row(name: str, runs: list[Run], most: float, size: str) -> Row:
    processor, clock, memory = (
        statistics.median(getattr(measured, member) for measured in runs)
        for member in ("processor", "seconds", "memory")
    )
    small = most > 1 or memory <= 200
    return Row(
        name=name,
        ours=processor,
        unit="s of processor",
        target=f"≤ {most:g} s" + ("" if most > 1 else ", 200 MB"),
        met=processor <= most and small,
        detail=f"{size}; by the clock {clock:.1f} s; {memory:,.0f} MiB",
    )


def _checked(dictionary: Path, path: Path) -> Run:
    options = ("--compatibility", "none", "--format", "json", "--dictionary", str(dictionary))
    return run([scanner(), "check-change", str(path), *options], expect=_IMPACT)


def _propose(file: Path, folder: Path) -> None:
    """Store a subject for some topics whose columns flow, and write a schema of each without such a column."""
    engine = open_dictionary(str(file))
    with writing(engine) as conn:
        for number, (topic, path) in enumerate(_used(conn), 1):
            link = conn.execute(_current().where(t.topic.c.name == topic)).one()
            columns = list(columns_of(conn, (link.definition_id,))[link.definition_id])
            # Avro allows no dot in a name: such columns are in neither text.
            columns = [column for column in columns if not any("." in step for step in column.path)]
            name = f"R{number}"
            text = json.dumps(_record(name, columns, ()), indent=1)
            _store(conn, link.subject, (link.definition_id, text, name))
            left = [column for column in columns if column.path[: len(path)] != path]
            changed = json.dumps(_record(name, left, ()), indent=1)
            (folder / f"{link.subject}.avsc").write_text(changed, encoding="utf-8")
    engine.dispose()


def _current() -> Any:  # noqa: ANN401 - SQLAlchemy's own type
    link = t.topic_schema.c
    query = select(link.definition_id, link.subject).join(t.topic, t.topic.c.id == link.topic_id)
    return query.where(link.is_current, link.schema_role == "value")


def _used(conn: Connection) -> Iterable[tuple[str, ColumnPath]]:
    """Return topics by name, each with its first top-level column that a column is copied or computed from."""
    node, edge = t.flow_node.c, t.flow_edge.c
    query = (
        select(node.name, node.path)
        .join(t.flow_edge, edge.source_node_id == node.id)
        .where(node.kind == "column", node.namespace.like("kafka:%"), edge.flow_type == "DIRECT")
        .order_by(node.name, node.path)
    )
    names = {row.name for row in conn.execute(select(t.topic.c.name))}
    rows = [(row.name, tuple(json.loads(row.path))) for row in conn.execute(query) if row.name in names]
    plain = (row for row in rows if len(row[1]) == 1 and not row[1][0].startswith("@"))
    return [next(group) for _, group in groupby(plain, key=lambda row: row[0])][:_FILES]


def _store(conn: Connection, name: str, schema: tuple[int, str, str]) -> None:
    """Store a subject with one version; its definition gets the text."""
    definition, text, record = schema
    provenance = {"source_id": 1, "first_seen": 1, "last_seen": 1}
    subject = next_id(conn, t.subject)
    about = {"registry_id": 1, "context": ".", "name": name, "deleted": False}
    conn.execute(insert(t.subject).values(id=subject, **about, **provenance))
    empty = dict.fromkeys(("guid", "metadata", "rule_set", "state"), "")
    version = {"subject_id": subject, "version": 1, "schema_id": str(definition), "format": "AVRO", "tags": "[]"}
    conn.execute(
        insert(t.subject_version).values(
            id=next_id(conn, t.subject_version),
            definition_id=definition,
            deleted=False,
            **version,
            **empty,
            **provenance,
        )
    )
    dotted = t.schema_column.c.path.like("%.%"), t.schema_column.c.definition_id == definition
    conn.execute(delete(t.schema_column).where(*dotted))
    cell = t.schema_definition.c
    conn.execute(update(t.schema_definition).where(cell.id == definition).values(schema_text=text, name=record))


def _record(name: str, columns: Iterable[Column], above: ColumnPath) -> dict[str, Any]:
    """Return the Avro record of the columns below *above*."""
    listed = list(columns)
    direct = [column for column in listed if column.path[:-1] == above]
    return {"type": "record", "name": name, "fields": [_field(column, listed, name) for column in direct]}


def _field(column: Column, columns: list[Column], name: str) -> dict[str, Any]:
    kind = _type(column, columns, name)
    if not column.nullable:
        return {"name": re.sub(r"\W", "_", column.path[-1]), "type": kind}
    return {"name": re.sub(r"\W", "_", column.path[-1]), "type": ["null", kind], "default": None}


def _type(column: Column, columns: list[Column], name: str) -> Any:  # noqa: ANN401 - JSON
    inner = re.sub(r"\W", "_", f"{name}_{column.path[-1]}")
    inside = [other for other in columns if other.path[: len(column.path)] == column.path and other is not column]
    if column.type == "record":
        return _record(inner, inside, column.path)
    if column.type == "array":
        # Schemas are cut at their width, so that an array may have no element.
        element = next((candidate for candidate in inside if candidate.path == (*column.path, "[]")), None)
        return {"type": "array", "items": "string" if element is None else _type(element, inside, inner)}
    word = column.type if column.type in _PLAIN else "string"
    decimal = re.fullmatch(r"decimal\((\d+),(\d+)\)", column.logical_type or "")
    if decimal:
        return {"type": word, "logicalType": "decimal", "precision": int(decimal[1]), "scale": int(decimal[2])}
    return {"type": word, "logicalType": column.logical_type} if column.logical_type else word
