"""Figures of the dictionary alone: writing a scan, and the platform's question at ten million columns."""

from __future__ import annotations

import random
import sqlite3
import statistics
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from installation import SEED, schemas
from large_dictionary import BROKER, COLUMNS, TOPICS, build, schema_id, subject, topic_name
from measure import Row, sized

from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.queries.topic_schemas import schemas_of
from scanner_dictionary.write.scan import write_scan
from scanner_extractor.results import Reading, SourceReadings
from scanner_extractor.scan.merge import merge_results
from scanner_extractor.settings.cluster import HttpSettings, RegistrySettings, Settings
from scanner_model.names import ClusterName, SubjectName
from scanner_model.scan import ClusterScan, SourceResult, SourceStatus
from scanner_model.schemas import Definition, Registry, SchemaVersion

_NOW = datetime(2024, 2, 29, tzinfo=UTC)
_QUESTIONS = 300
_RUNS = 5

TraversalOptions = dict[str, str | int]


def write_row(directory: Path) -> list[Row]:
    """How many columns a second a whole scan of 3,000 topics is stored with; facts and change log are included."""
    scan = scan_of(sized(3000))
    count = sum(len(definition.columns) for definition in scan.of(Definition))
    ours = _median(lambda: _write(directory / "write.db", scan))
    rows = _column_rows(directory / "write.db")
    floor = _median(lambda: _insert(directory / "floor.db", rows))
    speed = count / ours
    return [
        Row(
            name="writing a scan to SQLite",
            ours=speed,
            unit="columns/s",
            target="≥ 50,000",
            met=speed >= 50_000,
            limit="bare executemany of the same rows of columns",
            ratio=ours / floor,
            detail=f"{count:,} columns of {len(scan.of(SchemaVersion)):,} versions, ratio of times",
        )
    ]


def query_row(directory: Path) -> list[Row]:
    """How long a question takes at ten million columns, in milliseconds: the middle one and the slowest hundredth."""
    file = directory / "ten-million.db"
    try:
        build(file)
        seconds = _time_queries(file)
        floor = _look_up(file)
        size = file.stat().st_size / 2**30
    finally:
        file.unlink(missing_ok=True)
    middle, slow = (1000 * statistics.quantiles(seconds, n=100)[at] for at in (49, 98))
    return [
        Row(
            name="the platform's question",
            ours=middle,
            unit="ms",
            target="< 10 ms, 99th percentile too",
            met=slow < 10,
            limit="one look-up by primary key in the same file",
            ratio=middle / (1000 * floor),
            detail=f"99th percentile {slow:.1f} ms; {COLUMNS:,} columns, {TOPICS:,} topics, {size:.1f} GiB",
        )
    ]


def scan_of(topics: int) -> ClusterScan:
    """Return a scan of a registry with the key and value schemas of *topics* topics."""
    settings = RegistrySettings(type="confluent", http=HttpSettings(url="http://registry:8081"))
    versions = tuple(
        SchemaVersion(
            source=settings.source,
            subject=SubjectName(name),
            version=number,
            schema_id=str(id_),
            format="AVRO",
            text=text,
        )
        for id_, (name, number, text) in enumerate(schemas(topics), 1)
    )
    outcome = SourceResult(
        source=settings.source,
        kind="schema_registry",
        status=SourceStatus.READ,
        received=len(versions),
        requested=len(versions),
    )
    registry = Registry(source=settings.source, kind="confluent", url=settings.http.url)
    reading = Reading(outcome=outcome, facts=(registry, *versions))
    cluster = Settings(
        cluster=ClusterName("bench"), brokers=(BROKER,), file=Path("cluster.json"), registries=(settings,)
    )
    return merge_results(cluster, SourceReadings(outcomes=(outcome,), readings=(reading,)))


def _write(file: Path, scan: ClusterScan) -> float:
    file.unlink(missing_ok=True)
    engine = open_dictionary(str(file))
    return _seconds(lambda: write_scan(engine, scan, started=_NOW, finished=_NOW))


def _column_rows(file: Path) -> list[tuple[Any, ...]]:
    with sqlite3.connect(file) as conn:
        return conn.execute("SELECT * FROM schema_column").fetchall()


def _insert(file: Path, rows: Sequence[tuple[Any, ...]]) -> float:
    """Insert *rows* with nothing but the driver, into a table that has the key of ours."""
    file.unlink(missing_ok=True)
    names = [f"c{at}" for at in range(len(rows[0]))]
    with sqlite3.connect(file) as conn:
        conn.execute(f"CREATE TABLE bare ({', '.join(names)}, PRIMARY KEY (c0, c1)) WITHOUT ROWID")
        holes = ", ".join("?" * len(names))

        def work() -> None:
            conn.executemany(f"INSERT INTO bare VALUES ({holes})", rows)
            conn.commit()

        return _seconds(work)


def _time_queries(file: Path) -> list[float]:
    """Query random questions of all five kinds; the first round, which compiles the statements, does not count."""
    engine = open_dictionary(str(file), create=False)
    chance = random.Random(SEED)
    questions = [_question(chance, at) for at in range(_QUESTIONS)]
    with engine.connect() as conn:

        def run_query(number: int, question: TraversalOptions) -> None:
            answers = schemas_of(conn, BROKER, topic_name(number), **question)  # type: ignore[arg-type]
            assert answers
            assert all(len(answer.columns) > 1 for answer in answers)

        for number, question in questions[:10]:
            run_query(number, question)
        return [_seconds(lambda question=question: run_query(*question)) for question in questions]  # type: ignore[misc]


def _question(chance: random.Random, at: int) -> tuple[int, TraversalOptions]:
    number, version = chance.randrange(TOPICS), chance.choice((1, 2))
    kinds: tuple[TraversalOptions, ...] = (
        {},
        {"schema_id": schema_id(number, version)},
        {"subject": subject(number)},
        {"subject": subject(number), "version": version},
        {"schema_id": schema_id(number, version), "subject": subject(number), "version": version},
    )
    return number, kinds[at % len(kinds)]


def _look_up(file: Path) -> float:
    chance = random.Random(SEED)
    with sqlite3.connect(file) as conn:
        statement = "SELECT name FROM topic WHERE id = ?"
        keys = [(chance.randrange(TOPICS) + 1,) for _ in range(_QUESTIONS)]
        return statistics.median(_seconds(lambda key=key: conn.execute(statement, key).fetchall()) for key in keys)  # type: ignore[misc]


def _median(run: Callable[[], float]) -> float:
    return statistics.median([run() for _ in range(_RUNS + 1)][1:])


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started
