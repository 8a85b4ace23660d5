"""Drivers of databases: rows of a frame that a program sends with a statement of SQL are written to its table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from scanner_programs.frames import datasets
from scanner_programs.frames.beam import exprs_in
from scanner_programs.frames.expressions import Expr, Kind, literal
from scanner_programs.frames.machine import Arguments, Evaluated, Library, Machine, Method, as_expr, frames_in
from scanner_programs.frames.relations import Frame, opaque
from scanner_programs.frames.spark import Job, Row, Rows
from scanner_programs.frames.values import Dataset

_LONGEST = 20_000
_PRODUCTS: Mapping[str, str] = {
    **dict.fromkeys(("psycopg2", "psycopg", "asyncpg", "pg8000"), "postgresql"),
    **dict.fromkeys(("pymysql", "mysql", "MySQLdb", "mariadb"), "mysql"),
    "pymssql": "sqlserver",
    "oracledb": "oracle",
}
"""The products of drivers, by their packages."""
_DIALECTS = {"postgresql": "postgres", "sqlserver": "tsql"}
_PLACE = re.compile(r"%s|%\((\w+)\)s")
_REPLACED = re.compile(r"(?i)^\s*(?:REPLACE|INSERT\s+OR\s+REPLACE)\s+INTO\b")


@dataclass(slots=True, eq=False)
class Connection(Library):
    """A connection to a database, or a cursor of it."""

    job: Job
    product: str
    server: str = ""
    database: str = ""
    url: str = ""

    def dataset(self, table: str) -> Dataset:
        """Return a table of the database."""
        if self.product == "cassandra":
            return Dataset("cassandra", table if "." in table else f"{self.database}.{table}".lstrip("."))
        if self.url:
            return datasets.jdbc(self.url, table)
        is_known = self.server and "${" not in self.server
        return datasets.jdbc(f"jdbc:{self.product}://{self.server}/{self.database}" if is_known else "", table)

    def do_execute(self, machine: Machine, arguments: Arguments) -> Connection:
        self.run(arguments.get(0), arguments.get(1), arguments.place)
        return self

    def do_executemany(self, machine: Machine, arguments: Arguments) -> Connection:
        self.run_each(arguments.get(0), arguments.get(1), arguments.place)
        return self

    def do_connect(self, machine: Machine, arguments: Arguments) -> Connection:
        return Connection(self.job, self.product, self.server, arguments.text(0, "keyspace") or self.database)

    def other(self, name: str, machine: Machine, place: str) -> Evaluated:
        return Method(self, lambda _, __: self)

    def run_each(self, text: Evaluated, rows: Evaluated, place: str) -> None:
        """Note what a statement writes for each of several rows."""
        listed = rows[:1] if isinstance(rows, list) else [rows]
        for row in listed:
            self.run(text, row, place)

    def run(self, text: Evaluated, given: Evaluated, place: str) -> None:
        """Note what a statement writes, if its parameters are rows of a frame."""
        parts = given if isinstance(given, list | tuple | dict) else [given]
        sent = [*exprs_in(parts), *(each for each in frames_in(parts))]
        if not sent:
            return
        frames = [*frames_in(parts), *self.job.collected[-1:]]
        target, columns = _written(text, self.product) if isinstance(text, str) else (None, [])
        if target is None:
            if not isinstance(text, str) or not text.lstrip()[:6].upper().startswith(("SELECT", "DELETE")):
                self.job.problem(place, "the table that rows are sent to is not resolved")
            return
        values = list(_values(columns, parts))
        known = bool(values) and not any(isinstance(each, Frame) for each in sent)
        frame = (
            frames[0].select(Expr(Kind.ALIAS, args=(value,), data=(name,)) for name, value in values)
            if known and frames
            else opaque(
                frames, [name for name, _ in columns] or None, "" if columns else "the columns are not resolved"
            )
        )
        self.job.write(self.dataset(target), frame, place)


def _values(columns: Sequence[tuple[str, str | int | None]], given: Evaluated) -> Iterator[tuple[str, Expr]]:
    """Yield the columns with the parameters in their places; another value has no origin."""
    whole = given[0] if isinstance(given, list) and len(given) == 1 and isinstance(given[0], Row) else None
    if whole is not None:  # a row has its members in order
        given = [whole.frame.column(out.name) for out in whole.frame.columns]
    for name, at in columns:
        value: Evaluated = None
        if isinstance(given, dict):
            value = given.get(at)
        elif isinstance(at, int) and at < len(given):
            value = given[at]
        yield name, as_expr(value) if isinstance(value, Expr) else literal(None)


def _written(text: str, product: str) -> tuple[str | None, list[tuple[str, str | int | None]]]:
    """Return the table that a statement writes, and its columns with the parameter of each."""
    if len(text) > _LONGEST:
        return None, []
    marked = _PLACE.sub(lambda match: f":{match[1]}" if match[1] else "?", _REPLACED.sub("INSERT INTO", text))
    dialect = _DIALECTS.get(product, product if product == "mysql" else None)
    try:
        node = parse_one(marked.strip().rstrip(";"), dialect=dialect)
    except (SqlglotError, ValueError, RecursionError):
        return None, []
    numbers = {id(each): at for at, each in enumerate(_places(node))}

    def place(value: exp.Expr) -> str | int | None:
        found = next(_places(value), None)
        return None if found is None else found.this or numbers[id(found)]

    if isinstance(node, exp.Insert) and isinstance(node.this, exp.Schema):
        names = [each.name for each in node.this.expressions]
        rows = list(node.expression.find_all(exp.Tuple)) if isinstance(node.expression, exp.Values) else []
        listed = [place(each) for each in rows[0].expressions] if rows else []
        if len(listed) != len(names):  # VALUES %s: a row as a whole
            listed = list(range(len(names)))
        return _name(node.this.this), list(zip(names, listed, strict=True))
    if isinstance(node, exp.Insert):
        return _name(node.this), []
    if isinstance(node, exp.Update):
        sets = [each for each in node.expressions if isinstance(each, exp.EQ)]
        return _name(node.this), [(each.this.name, place(each.expression)) for each in sets]
    return None, []


def _places(node: exp.Expr) -> Iterator[exp.Placeholder]:
    return node.find_all(exp.Placeholder, bfs=False)


def _name(table: exp.Expression) -> str:
    return ".".join(each.name for each in (*table.parts,)) if isinstance(table, exp.Table) else ""


@dataclass(slots=True, eq=False)
class Pandas(Library):
    """A frame of pandas with the rows of a frame of Spark."""

    job: Job
    frame: Frame

    def do_iterrows(self, machine: Machine, arguments: Arguments) -> Rows:
        return Rows([(literal(None), Row(self.frame))])

    def do_itertuples(self, machine: Machine, arguments: Arguments) -> Rows:
        return Rows([Row(self.frame)])

    do_to_dict = do_to_records = do_itertuples

    def do_to_sql(self, machine: Machine, arguments: Arguments) -> None:
        name, to = arguments.text(0, "name"), arguments.get(1, "con")
        schema = arguments.text(-1, "schema")
        whole = ".".join(filter(None, (schema, name)))
        target = (to.dataset(whole) if isinstance(to, Connection) else Dataset("jdbc", whole)) if name else None
        self.job.write(target, self.frame, arguments.place)

    def _saved(self, machine: Machine, arguments: Arguments) -> None:
        where = arguments.text(0, "path", "path_or_buf", "excel_writer")
        self.job.write(datasets.path(where) if where else None, self.frame, arguments.place)

    do_to_csv = do_to_parquet = do_to_json = do_to_excel = do_to_feather = _saved

    def other(self, name: str, machine: Machine, place: str) -> Evaluated:
        if self.frame.named(name) is not None:
            return self.frame.column(name)
        if name.startswith("to_"):
            self.job.problem(place, f"what {name} of a frame of pandas writes is not resolved")
        return Method(self, lambda _, __: self)


def driver_call(job: Job, machine: Machine, name: str, arguments: Arguments) -> Evaluated:
    """Return what a function of a driver returns; None for one that is not known."""
    package, _, last = name.partition(".")
    last = last.rpartition(".")[2]
    first = arguments.get(0)
    if last in ("execute_batch", "execute_values") and isinstance(first, Connection):
        first.run_each(arguments.get(1), arguments.get(2), arguments.place)
        return first
    if last == "Cluster" and package == "cassandra":
        return Connection(job, "cassandra")
    if name == "sqlalchemy.create_engine" and isinstance(first, str):
        return _by_url(job, first)
    if last == "connect" and package in _PRODUCTS:
        if isinstance(first, str) and "://" in first:
            return _by_url(job, first)
        host, port = arguments.named.get("host"), arguments.named.get("port")
        server = f"{host}:{port}" if isinstance(port, int | str) and host else host
        names = (arguments.text(-1, each) for each in ("database", "dbname", "db"))
        database = next((each for each in names if each), "")
        return Connection(job, _PRODUCTS[package], server if isinstance(server, str) else "", database)
    return None


def _by_url(job: Job, url: str) -> Connection:
    scheme, _, rest = url.partition("://")
    product = scheme.partition("+")[0].replace("postgres", "postgresql").replace("postgresqlql", "postgresql")
    server, _, database = rest.rpartition("@")[2].partition("/")
    return Connection(job, product, server, database.partition("?")[0])
