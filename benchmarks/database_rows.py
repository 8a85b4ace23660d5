"""Figures of databases: a large one scanned into a dictionary, and a thousand views to columns."""

from __future__ import annotations

import json
import math
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pymysql
from mariadb_server import NoMariaDb, mariadb
from measure import Row, medians, scanner, sized
from postgres_server import NoPostgres, postgres

from dataflow_generator.jobs.databases.views import view_jobs
from dataflow_generator.jobs.model import Naming
from scanner_dictionary.lineage_inputs.catalogs import TableRow
from scanner_model.names import SourceId

_TABLES = sized(5_000)
_COLUMNS = 20
_VIEWS = sized(1_000)
_TYPES = ("bigint", "varchar(40)", "numeric(12,2)", "timestamp", "text", "boolean", "integer", "date")
_SECONDS, _MEMORY, _VIEW_SECONDS = 10.0, 200.0, 5.0
_RUNS = 3
_Server = Callable[[], AbstractContextManager[str]]
_SPACE = "postgres://dw:5432"
_SELECT = (
    "SELECT a.id, upper(a.c1) AS name, CASE WHEN b.c6 > 0 THEN b.c2 + a.c2 ELSE 0 END AS total, s.top"
    " FROM {} a JOIN {} b ON a.id = b.id LEFT JOIN (SELECT c.id, max(c.c3) AS top FROM {} c GROUP BY c.id) s"
    " ON s.id = a.id WHERE a.c5 AND b.c7 IS NOT NULL"
)


def database_row(directory: Path) -> list[Row]:
    """How long and with how much memory `scanner scan` reads and stores 5,000 tables with 100,000 columns."""
    return [
        *_scan_rows(directory, "PostgreSQL", postgres, _create_in_postgres),
        *_scan_rows(directory, "MariaDB", mariadb, _create_in_mariadb),
    ]


def _scan_rows(directory: Path, product: str, server: _Server, create: Callable[[str], None]) -> list[Row]:
    name = f"scan of {product}: {_TABLES:,} tables, {_TABLES * _COLUMNS:,} columns"
    try:
        with server() as url:
            create(url)
            file = directory / "database.json"
            item = {"name": "large", "url": url}
            file.write_text(json.dumps({"cluster": "bench", "brokers": ["localhost:1"], "databases": [item]}), "utf-8")
            dictionary = directory / "database.db"
            command = [scanner(), "extract", "--config", str(file), "--dictionary", str(dictionary), "--quiet"]
            measured = medians(lambda: command, runs=_RUNS, before=lambda: dictionary.unlink(missing_ok=True))
    except (NoPostgres, NoMariaDb) as error:
        return [Row(name=name, ours=math.nan, unit="s", target="", met=True, detail=str(error))]
    seconds, memory = measured.seconds, measured.memory
    detail = f"{measured.processor:.1f} s of processor time"
    return [
        Row(name=name, ours=seconds, unit="s", target="≤ 10", met=seconds <= _SECONDS, detail=detail),
        Row(name="its memory", ours=memory, unit="MiB", target="≤ 200", met=memory <= _MEMORY),
    ]


def views_row(_: Path) -> list[Row]:
    """How long a thousand views of three tables each take to columns."""
    columns = tuple((f"c{number}",) for number in range(1, _COLUMNS))
    naming = Naming([])
    tables = {naming.dataset(_SPACE, f"dw.public.t{number}"): (("id",), *columns) for number in range(_VIEWS + 2)}
    rows = [_view(number) for number in range(_VIEWS)]
    seconds = []
    for _run in range(_RUNS):
        started = time.perf_counter()
        flows = sum(len(reading.flows.columns) for reading in view_jobs(rows, tables, naming))
        seconds.append(time.perf_counter() - started)
    ours = statistics.median(seconds)
    detail = f"{flows:,} column flows"
    met = ours <= _VIEW_SECONDS
    return [Row(name=f"{_VIEWS:,} views to columns", ours=ours, unit="s", target="≤ 5", met=met, detail=detail)]


def _view(number: int) -> TableRow:
    text = _SELECT.format(*(f"t{number + step}" for step in range(3)))
    return TableRow(
        source=SourceId("database:dw"),
        cluster="retail",
        provider="database",
        namespace=_SPACE,
        name=f"dw.public.v{number}",
        kind="VIEW",
        definition=text,
        parameters=(("database", "dw"), ("schema", "public")),
    )


def _create_in_postgres(url: str) -> None:
    with psycopg.connect(url) as connection:
        for number, statement in enumerate(_tables()):
            connection.execute(statement)
            if number % 500 == 499:
                connection.commit()


def _create_in_mariadb(url: str) -> None:
    place = urlsplit(url)
    with pymysql.connect(host=place.hostname, port=place.port or 0, user="root", database="bench") as connection:
        cursor = connection.cursor()
        for statement in _tables():
            cursor.execute(statement)


def _tables() -> Iterator[str]:
    columns = ", ".join(f"c{column} {_TYPES[column % len(_TYPES)]}" for column in range(1, _COLUMNS))
    return (f"CREATE TABLE t{number} (id bigint PRIMARY KEY, {columns})" for number in range(_TABLES))
