"""Drivers of databases, and operators of Airflow: what statements of SQL write, and tables over the files of a path.

Rows of a frame that a program sends with a statement are written to the table of the statement.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from scanner_model.errors import InputInvalid
from scanner_programs.frames import datasets
from scanner_programs.frames.beam import exprs_in
from scanner_programs.frames.expressions import Expr, Kind, literal
from scanner_programs.frames.machine import Arguments, Evaluated, Library, Machine, Method, as_expr, frames_in
from scanner_programs.frames.relations import Frame, opaque
from scanner_programs.frames.spark import Job, Row, Rows
from scanner_programs.frames.sql import execute
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


_TEMPLATE = re.compile(r"\{\{([^{}]*)\}\}")
_INCLUDED = re.compile(r"\{%-?\s*include\s+['\"]([^'\"]+)['\"]\s*-?%\}")
_INSERT = re.compile(r"(?i)\bINSERT\s+(?!INTO\b|OVERWRITE\b)")
_UNSET = re.compile(r"\$\{\w+\}\.")
_SETTING = re.compile(r"\$\{[\w.-]+(?::[^${}]*)?\}")
_LEGACY = re.compile(r"^([\w-]+):")
_ANY, _SETTING_MARK = "any_value_of_a_template", "setting_of_a_statement_"


@dataclass(slots=True)
class Warehouse:
    """The tables of BigQuery that tasks of Airflow read and write; *macros* are known in their templates."""

    job: Job
    open: Callable[[str], str | None]
    macros: dict[str, Evaluated] = field(default_factory=dict)
    place: str = ""
    views: dict[str, Frame] = field(default_factory=dict)
    settings: list[str] = field(default_factory=list)

    def dataset(self, name: str) -> Dataset:
        """Return a table: with a star where a template fills its name, and without a project that is not set."""
        for number, setting in enumerate(self.settings):
            name = name.replace(f"{_SETTING_MARK}{number}_", setting)
        plain = _UNSET.sub("", _TEMPLATE.sub("*", name)).replace(_ANY, "*").replace("`", "")
        return Dataset("bigquery", _LEGACY.sub(r"\1.", plain))

    def table(self, parts: tuple[str, ...]) -> Frame:
        """Return the frame of a table or view."""
        name = ".".join(parts)
        return self.views.get(name) or self.job.read(self.dataset(name), self.place, name=parts[-1])

    def define(self, name: str, frame: Frame) -> None:
        """Define a view."""
        self.views[name] = frame

    def write(self, parts: tuple[str, ...], frame: Frame) -> None:
        """Note that a table is written."""
        self.job.write(self.dataset(".".join(parts)), frame, self.place)

    def run(self, name: str, arguments: Arguments) -> None:
        """Note what an operator reads and writes."""
        self.place, before = arguments.place, len(self.job.sinks)
        resource, bucket = arguments.named.get("table_resource"), arguments.named.get("bucket")
        target = arguments.text(-1, "destination_project_dataset_table")
        objects = arguments.named.get("source_objects")
        uris = [f"gs://{bucket}/{each}" for each in objects] if isinstance(objects, list) else []
        if isinstance(resource, dict):
            named = resource.get("tableReference")
            parts = (
                [named.get(each) for each in ("projectId", "datasetId", "tableId")] if isinstance(named, dict) else []
            )
            target = ".".join(each for each in parts if isinstance(each, str))
            inner = resource.get("externalDataConfiguration")
            uris = inner.get("sourceUris", []) if isinstance(inner, dict) else []
        for uri in uris if target and isinstance(uris, list) else ():
            if isinstance(uri, str):
                frame = self.job.read(datasets.path(_folder(uri)), self.place)
                self.job.write(self.dataset(str(target)), frame, self.place)
        if len(self.job.sinks) == before and ("External" in name or "ToBigQuery" in name):
            self.job.problem(self.place, "a table over files is not resolved")
        configuration = arguments.named.get("configuration")
        query = configuration.get("query") if isinstance(configuration, dict) else None
        text = query.get("query") if isinstance(query, dict) else arguments.named.get("sql")
        if isinstance(text, str):
            self._statement(text)

    def _statement(self, text: str) -> None:
        for _ in range(2):  # a file may have templates
            text = _INCLUDED.sub(lambda match: self.open(match[1]) or match[0], text)
            text = _TEMPLATE.sub(self._filled, text)
        text = _SETTING.sub(self._marked, text)
        try:
            execute(_INSERT.sub("INSERT INTO ", text), self)
        except InputInvalid as error:
            self.job.problem(self.place, error.what)

    def _marked(self, match: re.Match[str]) -> str:
        """Return a setting as part of a name."""
        self.settings.append(match[0])
        return f"{_SETTING_MARK}{len(self.settings) - 1}_"

    def _filled(self, match: re.Match[str]) -> str:
        value = self.macros.get(match[1].strip("- \t\n"))
        return value if isinstance(value, str) and "{{" not in value else _ANY


def _folder(uri: str) -> str:
    """Return the path of files up to the part that a wildcard, template or partition begins."""
    plain = _TEMPLATE.sub("*", uri)
    kept: list[str] = []
    for part in plain.split("/"):
        if "*" in part or ("=" in part and kept):
            break
        kept.append(part)
    return "/".join(kept)
