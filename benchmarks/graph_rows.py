"""Figures of the flow graph: generating it into the dictionary as a whole process, and what SQL takes of that."""

from __future__ import annotations

import shutil
import statistics
import sys
import time
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dictionary_rows import scan_of
from installation import topic_name
from job_installation import CONNECT, FLINK, KSQL, connectors, flink_statements, ksql
from measure import Row, Run, medians, scanner, sized

from dataflow_generator.sql.lexer import Dialect
from dataflow_generator.sql.reader import read_sql
from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.write.scan import write_scan
from scanner_model.kafka import Connector
from scanner_model.scan import ClusterScan, SourceResult, SourceStatus
from scanner_model.schemas import Definition, TopicSchema
from scanner_model.streaming_sql import KsqlSource, Query, StreamingStatement

_NOW = datetime(2024, 2, 29, tzinfo=UTC)
_RUNS = 5
_JOBS = sized(500)


def graph_row(directory: Path) -> list[Row]:
    """How long a graph of 1,000 topics and 500 jobs takes, and how many columns a second a larger one."""
    small, large = directory / "small.db", directory / "large.db"
    first, columns = _generated(small, sized(1_000))
    longer, more = _generated(large, sized(20_000), runs=3)
    speed = more / longer.seconds
    nothing = medians(lambda: [sys.executable, "-c", "import sqlalchemy"], runs=_RUNS).seconds
    return [
        Row(
            name="flow graph of 1,000 topics and 500 jobs",
            ours=first.seconds,
            unit="s",
            target="< 3 s",
            met=first.seconds < 3,
            limit="a Python that imports SQLAlchemy",
            ratio=first.seconds / nothing,
            detail=f"{columns:,} columns, whole process, stored; {first.processor:.1f} s of processor",
        ),
        Row(
            name="flow graph, local",
            ours=speed,
            unit="columns/s",
            target="≥ 50,000",
            met=speed >= 50_000,
            detail=(
                f"{more:,} columns of 20,000 topics, 500 jobs, {longer.seconds:.1f} s, whole process, stored; "
                f"{longer.processor:.1f} s of processor, {longer.memory:.0f} MiB"
            ),
        ),
    ]


def statements_row(_: Path) -> list[Row]:
    """How long one statement takes, read down to columns: the middle one, the slowest, and long ones made to hurt."""
    texts = statements()
    for text, dialect in texts:
        read_sql(text, dialect)
    seconds = [min(read_seconds(text, dialect) for _ in range(3)) for text, dialect in texts]
    middle, slowest = 1000 * statistics.median(seconds), 1000 * max(seconds)
    return [
        Row(
            name="a statement, parsed and followed to columns",
            ours=middle,
            unit="ms",
            target="< 0.5 ms",
            met=middle < 0.5,
            detail=f"slowest of {len(texts)}: {slowest:.2f} ms",
        ),
        _long_row(),
    ]


def _long_row() -> Row:
    """Measure the slowest of some statements of 10 KB that no person writes."""
    texts = {
        "brackets": "SELECT " + "(" * 4900 + "a" + ")" * 4900 + " FROM t",
        "subqueries": "SELECT * FROM (" * 600 + "t" + ")" * 600,
        "joins": "SELECT * FROM t " + " ".join(f"JOIN t{n} ON t{n}.a = t.a" for n in range(350)),
        "columns": "SELECT " + ",".join(["a"] * 4900) + " FROM t",
    }
    milliseconds = {
        shape: 1000 * min(read_seconds(text, Dialect.FLINK) for _ in range(3)) for shape, text in texts.items()
    }
    slowest = max(milliseconds.values())
    return Row(
        name="a statement of 10 KB, made to hurt",
        ours=slowest,
        unit="ms",
        target="< 1,000 ms",
        met=slowest < 1000,
        detail=", ".join(f"{shape} {figure:.0f} ms" for shape, figure in milliseconds.items()),
    )


def statements() -> list[tuple[str, Dialect]]:
    """List the statements that are read: 500 of Flink, 500 of ksqlDB."""
    fields = _fields(_JOBS)
    texts = [(flink_statement.statement, Dialect.FLINK) for flink_statement in flink_statements(fields)]
    return texts + [(item.statement, Dialect.KSQLDB) for item in ksql(fields)[1]]


def read_seconds(text: str, dialect: Dialect) -> float:
    """Read a statement once; give what it took."""
    started = time.perf_counter()
    read_sql(text, dialect)
    return time.perf_counter() - started


def _generated(file: Path, topics: int, *, runs: int = _RUNS) -> tuple[Run, int]:
    """Generate the graph of a new dictionary; give what it took and the columns."""
    scan = _scan(topics)
    engine = open_dictionary(str(file))
    write_scan(engine, scan, started=_NOW, finished=_NOW)
    engine.dispose()
    columns = sum(len(definition.columns) for definition in scan.of(Definition))
    copy = file.with_suffix(".copy")
    command = [scanner(), "dataflow", "--engine", "local", "--dictionary", str(copy)]
    # Each run begins without a stored graph: of a second one the schemas would be there.

    def fresh() -> None:
        shutil.copy(file, copy)

    return medians(lambda: command, runs=runs, before=fresh), columns


def _scan(topics: int) -> ClusterScan:
    scan = scan_of(topics)
    share = _JOBS // 10
    fields = _fields(4 * share)
    collections, queries = ksql(fields[: 3 * share])
    sources = ((CONNECT, "connect"), (FLINK, "flink"), (KSQL, "ksqldb"))
    outcomes = tuple(SourceResult(source=source, kind=kind, status=SourceStatus.READ) for source, kind in sources)
    facts: dict[type, Iterable[Any]] = {
        Connector: connectors(3 * share),
        StreamingStatement: flink_statements(fields),
        KsqlSource: collections,
        Query: queries,
    }
    return replace(scan.with_facts(facts), outcomes=(*scan.outcomes, *outcomes))


def _fields(count: int) -> list[list[str]]:
    by_topic: dict[str, list[str]] = {}
    scan = scan_of(count + 1)
    columns = {definition.fingerprint: definition.columns for definition in scan.of(Definition)}
    for link in scan.of(TopicSchema):
        if link.role == "value":
            by_topic[link.topic] = [item.path[0] for item in columns[link.fingerprint] if len(item.path) == 1]
    return [by_topic[topic_name(number)] for number in range(count)]
