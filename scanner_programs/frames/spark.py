"""PySpark's API for the machine: sessions, readers, frames, columns and writers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from scanner_model.errors import InputInvalid
from scanner_programs.frames import datasets
from scanner_programs.frames.expressions import UNNAMED, Expr, Kind, Out, call, column, literal, name_of, text_of
from scanner_programs.frames.machine import (
    Arguments,
    Evaluated,
    Function,
    Instance,
    Library,
    Machine,
    Method,
    Unknown,
    as_expr,
    frames_in,
    is_plain,
    one_of,
    options_of,
)
from scanner_programs.frames.relations import Frame, Pivot, Setting, assigned, of_dataset, opaque
from scanner_programs.frames.schemas import PLAIN, ddl_type
from scanner_programs.frames.sql import execute, expression
from scanner_programs.frames.values import NOTHING, Dataset, Type, Value, record_columns

_DEEPEST_LIST = 3


@dataclass(frozen=True, slots=True)
class Sink:
    """A frame that is written to a dataset; None: one whose name is not resolved. *is_topic*: a record of Kafka."""

    target: Dataset | None
    frame: Frame
    place: str
    is_topic: bool = False


@dataclass(slots=True)
class Job:
    """What a program reads and writes, as far as it was evaluated.

    *used* are frames whose rows leave the program by another way: they are shown, collected or counted. *derived* are
    those with which something is done, *collected* those whose rows the program has. *settings* are those of the
    session. *pipeline* returns the frame of a table or view of a declarative pipeline, None if it has none.
    """

    sinks: list[Sink] = field(default_factory=list)
    reads: dict[Dataset, str] = field(default_factory=dict)
    used: list[tuple[Frame, str]] = field(default_factory=list)
    derived: set[Frame] = field(default_factory=set)
    collected: list[Frame] = field(default_factory=list)
    views: dict[str, Frame] = field(default_factory=dict)
    unnamed: list[Frame] = field(default_factory=list)
    settings: dict[str, str | None] = field(default_factory=dict)
    pipeline: Callable[[str], Frame | None] = lambda _: None
    problems: dict[tuple[str, str], None] = field(default_factory=dict)
    name: str = ""

    def problem(self, place: str, what: str) -> None:
        """Note what is not resolved, once."""
        self.problems.setdefault((place, what))

    def read(
        self, dataset: Dataset, place: str, columns: Iterable[tuple[str, Evaluated]] | None = None, name: str = ""
    ) -> Frame:
        """Return the frame of a dataset."""
        self.reads.setdefault(dataset, place)
        return of_dataset(dataset, columns, name)

    def write(self, target: Dataset | None, value: Evaluated, place: str, *, is_topic: bool = False) -> None:
        """Note that a frame is written; of a value that is not known, what it may be computed from."""
        frame = (
            value
            if isinstance(value, Frame)
            else opaque(frames_in(value), None, "the frame that is written is not resolved")
        )
        if target is None:
            self.problem(place, "what is written to is not resolved")
        self.sinks.append(Sink(target, frame, place, is_topic))


@dataclass(slots=True)
class _Statements:
    """The session that statements of SQL run in."""

    job: Job
    place: str

    def table(self, parts: tuple[str, ...]) -> Frame:
        name = ".".join(parts)
        view = self.job.views.get(parts[-1].casefold()) if len(parts) == 1 or parts[0] == "global_temp" else None
        if view is None and (len(parts) == 1 or parts[0].casefold() == "live"):
            view = self.job.pipeline(parts[-1])
        if view is not None:
            return view
        if len(parts) == 1 and self.job.unnamed:
            return opaque(self.job.unnamed, None, f"{name} may be a temporary view whose name is not resolved").called(
                name
            )
        return self.job.read(self._dataset(parts), self.place, name=name)

    def define(self, name: str, frame: Frame) -> None:
        self.job.views[name.rpartition(".")[2].casefold()] = frame

    def write(self, parts: tuple[str, ...], frame: Frame) -> None:
        self.job.write(self._dataset(parts), frame, self.place)

    @staticmethod
    def _dataset(parts: tuple[str, ...]) -> Dataset:
        is_path = len(parts) == 2 and datasets.is_path(parts[1])
        return datasets.path(parts[1]) if is_path else datasets.table(".".join(parts))


_TARGET = re.compile(
    r"(?i)\s*(?:MERGE\s+INTO|INSERT\s+(?:INTO|OVERWRITE)(?:\s+TABLE)?|CREATE\s+(?:OR\s+REPLACE\s+)?TABLE)"
    r"\s+([\w.`]+(?:\$\{[^{}]*\}[\w.`]*)*)\s"
)
"""The table that a statement writes, even if the rest of it is not known."""

_WORD = re.compile(r"\w+")


def sql(job: Job, text: Evaluated, place: str, named: Mapping[str, Evaluated]) -> Evaluated:
    """Run the statements of a text of SQL; *named* are the frames and values in its braces."""
    if not isinstance(text, str):
        job.problem(place, "a statement of SQL is not resolved")
        job.used += [(frame, place) for frame in job.views.values()]
        partly = text.partly if isinstance(text, Unknown) else ""
        if (match := _TARGET.match(partly)) is not None:
            words = set(_WORD.findall(partly.casefold()))
            found = [frame for name, frame in job.views.items() if words.issuperset(_WORD.findall(name))]
            frame = opaque(found or job.views.values(), None, "a statement of SQL is not resolved")
            job.write(datasets.table(match[1].replace("`", "")), frame, place)
        return Unknown(tuple(frames_in(text)), "a statement of SQL is not resolved")
    statements = _Statements(job, place)
    for name, value in named.items():
        if isinstance(value, Frame) and f"{{{name}}}" in text:
            statements.define(name, value)
            text = text.replace(f"{{{name}}}", name)
    try:
        return execute(text, statements) or Unknown()
    except InputInvalid as error:
        job.problem(place, error.what)
        return Unknown(tuple(frame for frame in job.views.values()), error.what)


def columns_of(values: Iterable[Evaluated], depth: int = 0) -> list[Expr]:
    """Return arguments as columns: texts are names, lists are taken apart."""
    result: list[Expr] = []
    for value in values:
        if isinstance(value, list | tuple | set):
            result += columns_of(value, depth + 1) if depth < _DEEPEST_LIST else []
        elif isinstance(value, str):
            result.append(column(value))
        elif isinstance(value, Expr):
            result.append(value)
        elif isinstance(value, dict):
            result += [call(str(function), column(str(name))) for name, function in value.items()]
    return result


def names_in(values: Iterable[Evaluated]) -> list[str]:
    """Return the texts among arguments, and those in their lists."""
    return [each.data[-1] for each in columns_of(values) if each.kind is Kind.COLUMN and each.data]


def condition(value: Evaluated) -> Expr:
    """Return a condition: a text is an expression of SQL."""
    return expression(value) if isinstance(value, str) else as_expr(value)


class Session(Library):
    """A Spark session, or its builder."""

    def __init__(self, job: Job) -> None:
        self.job = job

    def other(self, name: str, machine: Machine, place: str) -> Evaluated:
        if name in ("read", "readStream"):
            return Reader(self.job)
        if name in ("catalog", "udf", "conf"):
            return _Part(self.job, name)
        return self if name in ("builder", "sparkSession", "spark_session", "streams") else Unknown()

    def called(self, machine: Machine, arguments: Arguments) -> Session:
        return self

    def do_appName(self, machine: Machine, arguments: Arguments) -> Session:
        self.job.name = self.job.name or arguments.text(0, "name") or ""
        return self

    def do_config(self, machine: Machine, arguments: Arguments) -> Session:
        self.job.settings |= _texts(_option(arguments) | _lowered(replace(arguments, named={})))
        return self

    def _itself(self, machine: Machine, arguments: Arguments) -> Session:
        return self

    do_master = do_enableHiveSupport = do_getOrCreate = do_create = do_remote = do_newSession = _itself
    do_getActiveSession = _itself

    def do_sql(self, machine: Machine, arguments: Arguments) -> Evaluated:
        text = arguments.get(0, "sqlQuery")
        machine.step(len(text) // 5 if isinstance(text, str) else 1)
        return sql(self.job, text, arguments.place, arguments.named)

    def do_table(self, machine: Machine, arguments: Arguments) -> Evaluated:
        return Reader(self.job).do_table(machine, arguments)

    def do_createDataFrame(self, machine: Machine, arguments: Arguments) -> Frame:
        schema, data = arguments.get(1, "schema"), arguments.get(0, "data")
        inputs = list(frames_in(data))
        names = _schema_names(schema)
        if names is None and isinstance(data, list) and data and isinstance(data[0], dict):
            names = [str(key) for key in data[0]]
        if inputs:
            return opaque(inputs, names, "" if names else "the columns of a frame of rows are not known")
        return Frame(tuple(Out(name, NOTHING) for name in names or ()))

    def do_range(self, machine: Machine, arguments: Arguments) -> Frame:
        return Frame((Out("id", NOTHING),))


class _Part(Library):
    """The catalog, the registration of functions, or the configuration of a session."""

    def __init__(self, job: Job, name: str) -> None:
        self.job, self.name = job, name

    def do_register(self, machine: Machine, arguments: Arguments) -> Evaluated:
        return Unknown()

    def do_get(self, machine: Machine, arguments: Arguments) -> Evaluated:
        name, default = arguments.text(0), arguments.get(1, "default")
        return f"${{{name}:{default}}}" if name and isinstance(default, str) else Unknown()

    def other(self, name: str, machine: Machine, place: str) -> Evaluated:
        return Unknown()


def _schema_names(schema: Evaluated) -> list[str] | None:
    """Return the names of the columns of a schema in any form; None if unknown."""
    kind = schema if isinstance(schema, Type) else ddl_type(schema) if isinstance(schema, str) else None
    if kind is not None:
        return [name for name, _ in kind.fields]
    return [each for each in schema if isinstance(each, str)] if isinstance(schema, list | tuple) else None


_FILES = frozenset({"parquet", "json", "csv", "orc", "text", "textFile", "avro", "xml", "delta", "binaryFile"})


@dataclass(slots=True, eq=False)
class Reader(Library):
    """A reader of batches or streams, with its options."""

    job: Job
    kind: str = "parquet"
    options: Mapping[str, Evaluated] = field(default_factory=dict)
    type: Evaluated = None

    def do_format(self, machine: Machine, arguments: Arguments) -> Reader:
        return replace(self, kind=arguments.text(0, "source") or "")

    def do_option(self, machine: Machine, arguments: Arguments) -> Reader:
        return replace(self, options={**self.options, **_option(arguments)})

    def do_options(self, machine: Machine, arguments: Arguments) -> Reader:
        return replace(self, options={**self.options, **_lowered(arguments)})

    def do_schema(self, machine: Machine, arguments: Arguments) -> Reader:
        return replace(self, type=arguments.get(0, "schema"))

    def do_load(self, machine: Machine, arguments: Arguments) -> Frame:
        return self._load(arguments, arguments.get(0, "path"))

    def do_table(self, machine: Machine, arguments: Arguments) -> Frame:
        name = arguments.text(0, "tableName", "name")
        if name is None:
            self.job.problem(arguments.place, "a table that is read is not resolved")
            return opaque((), None, "a table that is read is not resolved")
        return _Statements(self.job, arguments.place).table(tuple(column(name).data))

    def do_jdbc(self, machine: Machine, arguments: Arguments) -> Frame:
        options = {"url": arguments.get(0, "url"), "dbtable": arguments.get(1, "table")}
        return replace(self, kind="jdbc", options={**self.options, **options})._load(arguments, None)

    def other(self, name: str, machine: Machine, place: str) -> Evaluated:
        if name not in _FILES:
            return Unknown()
        reader = replace(self, kind=name)
        return Method(self, lambda machine, arguments: reader._load(arguments, arguments.get(0, "path", "paths")))

    def _load(self, arguments: Arguments, where: Evaluated) -> Frame:
        kind = arguments.text(-1, "format") or self.kind
        options = {**self.options, **_lowered(replace(arguments, values=()))}
        if kind == "kafka":
            return self._kafka(options, arguments.place)
        if kind in ("rate", "socket", "rate-micro-batch"):
            return Frame((Out("timestamp", NOTHING), Out("value", NOTHING)))
        if "query" in options or str(options.get("dbtable", "")).lstrip().startswith("("):
            return self._query(options, arguments.place)
        listed = where if isinstance(where, list | tuple) else [where]
        given = {**self.job.settings, **_texts(options)}
        found = [datasets.external(kind, given, each if isinstance(each, str) else None) for each in listed]
        if None in found or not found:
            self.job.problem(arguments.place, f"what is read as {kind or 'an unknown format'} is not resolved")
        frames = [self.job.read(each, arguments.place, self._columns(each)) for each in found if each is not None]
        frame = frames[0] if frames else opaque((), None, "what is read is not resolved")
        for each in frames[1:]:
            frame = frame.united(each, by_name=True)
        return frame

    def _columns(self, dataset: Dataset) -> list[tuple[str, Evaluated]] | None:
        """Return the columns that the schema of the reader lists; None without one."""
        names = _schema_names(self.type)
        whole = of_dataset(dataset).open[0].value
        kind = self.type if isinstance(self.type, Type) else ddl_type(self.type) if isinstance(self.type, str) else None
        typed = replace(whole, type=kind)
        return [(name, typed.member(name)) for name in names] if names else None

    def _query(self, options: Mapping[str, Evaluated], place: str) -> Frame:
        """Return the frame of a query that a database runs."""
        text = options.get("query") or str(options.get("dbtable", "")).strip().rpartition(")")[0].removeprefix("(")
        inner = Job(views={})
        result = sql(inner, text, place, {})
        self.job.problems |= inner.problems
        url = options.get("url")
        names = {table: datasets.jdbc(url if isinstance(url, str) else "", table.name) for table in inner.reads}
        for dataset in names.values():
            self.job.reads.setdefault(dataset, place)
        return (
            _moved(result, names)
            if isinstance(result, Frame)
            else opaque([of_dataset(each) for each in names.values()], None, "a query is not resolved")
        )

    def _kafka(self, options: Mapping[str, Evaluated], place: str) -> Frame:
        topics: list[Dataset] = []
        for each in options_of(options.get("subscribe")):
            if isinstance(each, str):
                topics += [datasets.topic(name.strip()) for name in each.split(",")]
        if isinstance(pattern := options.get("subscribepattern"), str):
            topics.append(datasets.topic(f"regex:{pattern}"))
            self.job.problem(place, f"the topics that match {pattern!r} are not resolved")
        if isinstance(assigned_to := options.get("assign"), str):
            topics += [datasets.topic(name) for name in datasets.assigned_topics(assigned_to)]
        if not topics:
            self.job.problem(place, "the topic that is read is not resolved")
        for topic in topics:
            self.job.reads.setdefault(topic, place)
        columns = tuple(Out(name, value) for name, value in record_columns(topics))
        return Frame(columns, sources=frozenset(topics))


def _moved(frame: Frame, names: Mapping[Dataset, Dataset]) -> Frame:
    """Return a frame whose sources have other names."""

    def moved(value: Evaluated) -> Evaluated:
        origins = frozenset((names.get(dataset, dataset), path) for dataset, path in value.origins)
        deciders = frozenset(((names.get(o[0], o[0]), o[1]), subtype) for o, subtype in value.deciders)
        return replace(value, origins=origins, deciders=deciders, parts=None, inner=None)

    columns = tuple(replace(out, value=moved(out.value), origin=None) for out in frame.columns)
    open_ = tuple(replace(each, value=moved(each.value)) for each in frame.open)
    deciders = frozenset(((names.get(o[0], o[0]), o[1]), subtype) for o, subtype in frame.deciders)
    return replace(
        frame, columns=columns, open=open_, deciders=deciders, sources=frozenset(names.get(s, s) for s in frame.sources)
    )


def _option(arguments: Arguments) -> dict[str, Evaluated]:
    key = arguments.text(0, "key")
    value = arguments.get(1, "value")
    return {key.lower(): value} if key is not None else {}


def _lowered(arguments: Arguments) -> dict[str, Evaluated]:
    """Return options by their names in lower case: keywords, or a dictionary as Scala has it."""
    listed = {**arguments.named}
    for each in arguments.values:
        listed |= each if isinstance(each, dict) else {}
    return {str(name).lower(): value for name, value in listed.items()}


def _texts(options: Mapping[str, Evaluated]) -> dict[str, str | None]:
    return {name: value if isinstance(value, str) else None for name, value in options.items()}


_NOWHERE = frozenset({"console", "memory", "noop"})


@dataclass(slots=True, eq=False)
class Writer(Library):
    """A writer of a frame, or of a value that is not known, with its options."""

    job: Job
    value: Evaluated
    kind: str = "parquet"
    options: Mapping[str, Evaluated] = field(default_factory=dict)
    is_done: bool = False
    table: str = ""

    @property
    def frame(self) -> Evaluated:
        """Return what is written."""
        return self.value

    def do_format(self, machine: Machine, arguments: Arguments) -> Writer:
        return replace(self, kind=arguments.text(0, "source") or "")

    def do_option(self, machine: Machine, arguments: Arguments) -> Writer:
        return replace(self, options={**self.options, **_option(arguments)})

    def do_options(self, machine: Machine, arguments: Arguments) -> Writer:
        return replace(self, options={**self.options, **_lowered(arguments)})

    def do_queryName(self, machine: Machine, arguments: Arguments) -> Writer:
        return self

    def do_foreachBatch(self, machine: Machine, arguments: Arguments) -> Writer:
        function = arguments.get(0, "func")
        before = len(self.job.sinks), len(self.job.used)
        machine.call(function, Arguments((self.value, Unknown()), {}, arguments.place))
        if before == (len(self.job.sinks), len(self.job.used)):
            self.job.write(None, self.value, arguments.place)
        return replace(self, is_done=True)

    def do_foreach(self, machine: Machine, arguments: Arguments) -> Writer:
        function, before = arguments.get(0, "f"), len(self.job.sinks)
        if isinstance(function, Instance):
            function = machine.attribute(function, "process", arguments.place)
        for frame in frames_in(self.value):
            _each_row(frame, self.job, machine, Arguments((function,), {}, arguments.place))
        if len(self.job.sinks) == before:
            self.job.problem(arguments.place, "what a function of single rows does with them is not resolved")
        return replace(self, is_done=True)

    def do_start(self, machine: Machine, arguments: Arguments) -> Unknown:
        return self._save(arguments, arguments.get(0, "path"))

    do_save = do_start

    def _table(self, machine: Machine, arguments: Arguments) -> Unknown:
        name = arguments.text(0, "tableName", "name") or self.table or None
        self._write(_Statements._dataset(tuple(column(name).data)) if name else None, arguments.place)
        return Unknown()

    do_toTable = do_saveAsTable = do_insertInto = do_table = _table
    do_append = do_create = do_createOrReplace = do_replace = do_overwrite = do_overwritePartitions = _table

    def do_jdbc(self, machine: Machine, arguments: Arguments) -> Unknown:
        options = {"url": arguments.get(0, "url"), "dbtable": arguments.get(1, "table")}
        return replace(self, kind="jdbc", options={**self.options, **options})._save(
            Arguments((), {}, arguments.place), None
        )

    def other(self, name: str, machine: Machine, place: str) -> Evaluated:
        if name in _FILES:
            writer = replace(self, kind=name)
            return Method(self, lambda machine, arguments: writer._save(arguments, arguments.get(0, "path")))
        return Method(self, lambda machine, arguments: self)

    def _write(self, target: Dataset | None, place: str) -> None:
        self.job.write(target, self.value, place)

    def _save(self, arguments: Arguments, where: Evaluated) -> Unknown:
        kind = arguments.text(-1, "format") or self.kind
        options = {**self.options, **_lowered(replace(arguments, values=()))}
        if self.is_done:
            return Unknown()
        if kind in _NOWHERE:
            self.job.used += [(frame, arguments.place) for frame in frames_in(self.value)]
        elif kind == "kafka":
            self._send(options.get("topic"), arguments.place)
        else:
            given = {**self.job.settings, **_texts(options)}
            target = datasets.external(kind, given, where if isinstance(where, str) else None)
            self._write(target, arguments.place)
        return Unknown()

    def _send(self, named: Evaluated, place: str) -> None:
        """Note the records that are sent to a topic, or to the topics of the column of that name."""
        topics = {each for each in options_of(named) if isinstance(each, str)}
        if not topics and isinstance(self.value, Frame) and (out := self.value.named("topic")) is not None:
            topics |= out.value.texts
        for topic in sorted(topics):
            self.job.write(datasets.topic(topic), self.value, place, is_topic=True)
        if not topics:
            self.job.write(None, self.value, place, is_topic=True)


@dataclass(slots=True, eq=False)
class Grouped(Library):
    """The groups of a frame."""

    frame: Frame
    keys: Sequence[Expr]
    job: Job
    pivot: Pivot | None = None

    def do_agg(self, machine: Machine, arguments: Arguments) -> Frame:
        return self._aggregated(columns_of(arguments.every))

    def _aggregated(self, results: Sequence[Expr]) -> Frame:
        return self._pivoted(self.frame.grouped(self.keys, results), len(results))

    def _pivoted(self, frame: Frame, count: int) -> Frame:
        return self.pivot.of(frame, count) if self.pivot is not None else frame

    def do_pivot(self, machine: Machine, arguments: Arguments) -> Grouped:
        values = arguments.get(1, "values")
        is_known = isinstance(values, list | tuple) and values and all(is_plain(each) for each in values)
        by = columns_of([arguments.get(0, "pivot_col")])
        pivot = Pivot(self.frame.select(by).whole(), tuple(map(str, values)) if is_known else None)
        return replace(self, frame=self.frame.decided_by(by, "GROUP_BY"), pivot=pivot)

    def do_count(self, machine: Machine, arguments: Arguments) -> Frame:
        frame = self.frame.grouped(self.keys, [])
        return self._pivoted(replace(frame, columns=(*frame.columns, Out("count", NOTHING))), 1)

    def do_cogroup(self, machine: Machine, arguments: Arguments) -> Grouped:
        other = arguments.get(0, "other")
        rows = other.frame.decided_by(other.keys, "GROUP_BY") if isinstance(other, Grouped) else opaque((), None, "")
        return replace(self, frame=self.frame.joined(rows, None))

    def other(self, name: str, machine: Machine, place: str) -> Evaluated:
        if name in (
            "applyInPandas",
            "applyInPandasWithState",
            "applyInArrow",
            "transformWithStateInPandas",
            "transformWithState",
        ):
            return Method(
                self,
                lambda _, arguments: opaque(
                    [self.frame.decided_by(self.keys, "GROUP_BY")],
                    _schema_names(arguments.get(1, "schema", "outputStructType")),
                    "",
                ),
            )
        if name in ("sum", "avg", "mean", "min", "max"):
            return Method(
                self,
                lambda _, given: self._aggregated([call(name, each) for each in columns_of(given.values)]),
            )
        return Method(self, lambda _, given: opaque([self.frame], None, f"{name} of groups is not known"))


class Na(Library):
    """The handling of missing values of a frame."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame

    def _same(self, machine: Machine, arguments: Arguments) -> Frame:
        return self.frame

    do_fill = do_replace = _same

    def do_drop(self, machine: Machine, arguments: Arguments) -> Frame:
        return self.frame.decided_by(columns_of([arguments.get(2, "subset", default=())]) or [column("*")], "FILTER")


@dataclass(slots=True, eq=False)
class Merge(Library):
    """A table of Delta Lake, and a merge into it."""

    job: Job
    target: Dataset | None
    name: str = ""
    source: Frame | None = None
    on: Expr = field(default_factory=lambda: literal(None))
    settings: tuple[Setting, ...] = ()
    tests: tuple[Expr, ...] = ()
    """The conditions of its clauses."""

    def do_alias(self, machine: Machine, arguments: Arguments) -> Merge:
        return replace(self, name=arguments.text(0) or "")

    do_as = do_alias

    def do_toDF(self, machine: Machine, arguments: Arguments) -> Frame:
        if self.target is None:
            return opaque((), None, "a table that is read is not resolved")
        return self.job.read(self.target, arguments.place, name=self.target.name)

    def do_merge(self, machine: Machine, arguments: Arguments) -> Evaluated:
        if not arguments.every:  # of a frame that is merged into a table
            return self.do_execute(machine, arguments)
        source = arguments.get(0, "source")
        frame = (
            source
            if isinstance(source, Frame)
            else opaque(frames_in(source), None, "the source of a merge is not resolved")
        )
        return replace(self, source=frame, on=condition(arguments.get(1, "condition")))

    def _tested(self, arguments: Arguments) -> tuple[Expr, ...]:
        test = arguments.get(0, "condition")
        return (*self.tests, condition(test)) if isinstance(test, str | Expr) else self.tests

    def _all(self, machine: Machine, arguments: Arguments) -> Merge:
        return replace(self, settings=(*self.settings, None), tests=self._tested(arguments))

    do_whenMatchedUpdateAll = do_whenNotMatchedInsertAll = do_updateAll = do_insertAll = _all

    def _some(self, machine: Machine, arguments: Arguments) -> Merge:
        named = arguments.get(
            -1, "set", "values", default=next((each for each in arguments.values if isinstance(each, dict)), {})
        )
        if not isinstance(named, dict):
            self.job.problem(arguments.place, "the columns that a merge sets are not resolved")
        pairs = named.items() if isinstance(named, dict) else ()
        settings = ((str(name).rpartition(".")[2], condition(value)) for name, value in pairs)
        return replace(self, settings=(*self.settings, *settings), tests=self._tested(arguments))

    do_whenMatchedUpdate = do_whenNotMatchedInsert = do_whenNotMatchedBySourceUpdate = do_update = do_insert = _some
    do_updateExpr = do_insertExpr = _some

    def do_execute(self, machine: Machine, arguments: Arguments) -> Unknown:
        if self.source is not None:
            names = frozenset({self.name.casefold()} - {""})
            on = call("and", self.on, *self.tests)
            self.job.write(self.target, assigned(self.source, on, self.settings, names), arguments.place)
        return Unknown()

    def other(self, name: str, machine: Machine, place: str) -> Evaluated:
        return Method(self, lambda machine, arguments: replace(self, tests=self._tested(arguments)))


# --- methods of frames

_FrameMethod = Callable[[Frame, Job, Machine, Arguments], Evaluated]


def _same(frame: Frame, job: Job, machine: Machine, given: Arguments) -> Frame:
    return frame


def _select(frame: Frame, job: Job, machine: Machine, given: Arguments) -> Frame:
    if any(isinstance(each, Unknown) for each in given.values):
        return opaque([frame], None, "the columns of select are not resolved")
    return frame.select(columns_of(given.values))


def _select_expr(frame: Frame, job: Job, machine: Machine, given: Arguments) -> Frame:
    texts = [each for value in given.values for each in (value if isinstance(value, list | tuple) else [value])]
    if not all(isinstance(each, str) for each in texts):
        return opaque([frame], None, "the columns of selectExpr are not resolved")
    return frame.select(map(expression, texts))


def _with_column(frame: Frame, job: Job, machine: Machine, given: Arguments) -> Frame:
    name, value = given.text(0, "colName"), given.get(1, "col")
    if name is None:
        return opaque([frame], None, "the name of a column is not resolved")
    return frame.with_columns([(name, _column_of(value, frame))])


def _column_of(value: Evaluated, frame: Frame) -> Expr:
    """Return a column that a program computes; one that is not known is computed from all of the frame's."""
    return call("unknown", column("*")) if isinstance(value, Unknown) else as_expr(value)


def _with_columns(frame: Frame, job: Job, machine: Machine, given: Arguments) -> Frame:
    named = given.get(0, "colsMap")
    if not isinstance(named, dict):
        return opaque([frame], None, "the columns of withColumns are not resolved")
    known = {name: value for name, value in named.items() if isinstance(name, str)}
    more = frame.with_columns((name, _column_of(value, frame)) for name, value in known.items())
    if len(known) == len(named):
        return more
    unnamed = opaque([frame], None, "the name of a column is not resolved")
    return replace(more, open=(*more.open, *unnamed.open), problems=more.problems | unnamed.problems)


def _renamed(frame: Frame, job: Job, machine: Machine, given: Arguments) -> Frame:
    pairs = given.get(0, "colsMap")
    listed = pairs.items() if isinstance(pairs, dict) else [(given.text(0, "existing"), given.text(1, "new"))]
    if not all(isinstance(each, str) for pair in listed for each in pair):
        return opaque([frame], None, "the name of a column is not resolved")
    return frame.renamed((str(old), str(new)) for old, new in listed)


def _drop(frame: Frame, job: Job, machine: Machine, given: Arguments) -> Frame:
    return frame.without(columns_of(given.values))


def _filter(frame: Frame, job: Job, machine: Machine, given: Arguments) -> Frame:
    test = given.get(0, "condition")
    if isinstance(test, Function):
        test = machine.call(test, Arguments((Row(frame),), {}, given.place))
    return frame.decided_by([condition(test)], "FILTER")


@dataclass(slots=True, eq=False)
class Row(Library):
    """A row of a typed frame as a function of the program gets it: its members are columns."""

    frame: Frame

    def do_getAs(self, machine: Machine, arguments: Arguments) -> Expr:
        name = arguments.text(0)
        return self.frame.column(name) if name else call("unknown", column("*"))

    def do_copy(self, machine: Machine, arguments: Arguments) -> Instance:
        kept = {out.name: self.frame.column(out.name) for out in self.frame.columns}
        return Instance(None, {**kept, **arguments.named})

    def other(self, name: str, machine: Machine, place: str) -> Evaluated:
        own = name[3:4].lower() + name[4:] if name.startswith("get") else ""
        if own and self.frame.named(name) is None:
            made = self.frame.column(own) if self.frame.named(own) is not None else None
            return Method(self, lambda _, given: made if made is not None else self.do_getAs(machine, given))
        return self.frame.column(name)


class Rows(list):  # type: ignore[type-arg]
    """The rows of a frame: one stands for all of them, their number is not known."""


def _collected(frame: Frame, job: Job, machine: Machine, given: Arguments) -> Rows:
    job.used.append((frame, given.place))
    job.collected.append(frame)
    return Rows([Row(frame)])


def _first_row(frame: Frame, job: Job, machine: Machine, given: Arguments) -> Evaluated:
    return _collected(frame, job, machine, given) if given.values else _collected(frame, job, machine, given)[0]


def _each(frame: Frame, job: Job, machine: Machine, given: Arguments) -> Unknown:
    """Call a function with the rows of a frame."""
    rows = _collected(frame, job, machine, given)
    machine.call(given.get(0, "f"), Arguments((rows,), {}, given.place))
    return Unknown()


def _each_row(frame: Frame, job: Job, machine: Machine, given: Arguments) -> Unknown:
    return _each(
        frame,
        job,
        machine,
        Arguments(
            (
                Method(
                    None,
                    lambda m, a: [
                        m.call(given.get(0, "f"), Arguments((each,), {}, given.place)) for each in a.values[0]
                    ],
                ),
            ),
            {},
            given.place,
        ),
    )


def _map(frame: Frame, job: Job, machine: Machine, given: Arguments) -> Frame:
    """Return the rows that a function makes of typed rows: the members of the object that it returns."""
    made = machine.call(given.get(0, "func"), Arguments((Row(frame),), {}, given.place))
    if isinstance(made, list):  # of flatMap
        made = one_of(made)
    if isinstance(made, Row):
        return made.frame
    named = made.names if isinstance(made, Instance) else {}
    if isinstance(made, tuple):
        named = {f"_{at}": each for at, each in enumerate(made, 1)}
    elif isinstance(made, Expr) or is_plain(made):
        named = {"value": made}
    if not named:
        return opaque([frame], None, "what a function makes of rows is not resolved")
    whole = call("udf", Expr(Kind.STAR, data=()))
    return frame.select(
        Expr(Kind.ALIAS, args=(whole if isinstance(each, Unknown) else as_expr(each),), data=(name,))
        for name, each in named.items()
    )


@dataclass(slots=True, eq=False)
class KeyedRows(Library):
    """The rows of a typed frame in groups, by a key that a function returns of each."""

    frame: Frame

    def other(self, name: str, machine: Machine, place: str) -> Evaluated:
        def run(machine: Machine, given: Arguments) -> Evaluated:
            function = next((each for each in given.every if isinstance(each, Function)), None)
            if function is None:  # the first list of arguments
                return Method(self, run)
            rest = (Unknown(),) if name.endswith("WithState") else ()
            groups = (Unknown(), Rows([Row(self.frame)]), *rest)
            made = machine.call(function, Arguments(groups, {}, place)) if "mapgroups" in name.lower() else None
            made = one_of(machine.items(made)) if isinstance(made, list) else made
            names = list(made.names) if isinstance(made, Instance) else None
            return opaque([self.frame], names, "" if names else f"{name} of groups is not known")

        return Method(self, run)


def _group_by_key(frame: Frame, job: Job, machine: Machine, given: Arguments) -> KeyedRows:
    return KeyedRows(frame)


def _join(frame: Frame, job: Job, machine: Machine, given: Arguments) -> Evaluated:
    other, on, how = given.get(0, "other"), given.get(1, "on"), given.text(2, "how") or "inner"
    if not isinstance(other, Frame):
        return opaque([frame, *frames_in(other)], None, "a joined frame is not resolved")
    if isinstance(on, str):
        on = [on]
    if isinstance(on, list | tuple):
        if on and all(isinstance(each, Expr) for each in on):
            return frame.joined(other, call("and", *on), how)
        on = [each for each in on if isinstance(each, str)]
    return frame.joined(other, on if isinstance(on, list | Expr) else None, how)


def _group(frame: Frame, job: Job, machine: Machine, given: Arguments) -> Grouped:
    return Grouped(frame, columns_of(given.values), job)


def _agg(frame: Frame, job: Job, machine: Machine, given: Arguments) -> Frame:
    return frame.grouped([], columns_of(given.every))


def _union(*, by_name: bool) -> _FrameMethod:
    def run(frame: Frame, job: Job, machine: Machine, given: Arguments) -> Frame:
        other = given.get(0, "other")
        if not isinstance(other, Frame):
            return opaque([frame, *frames_in(other)], None, "a frame of a union is not resolved")
        return frame.united(other, by_name=by_name)

    return run


def _distinct(frame: Frame, job: Job, machine: Machine, given: Arguments) -> Frame:
    return frame.distinct(names_in(given.every))


def _alias(frame: Frame, job: Job, machine: Machine, given: Arguments) -> Frame:
    name = given.text(0, "alias")
    return frame.called(name) if name else frame


def _to_df(frame: Frame, job: Job, machine: Machine, given: Arguments) -> Frame:
    names = names_in(given.values)
    return frame.listed_as(names) if names else frame


def _sorted(frame: Frame, job: Job, machine: Machine, given: Arguments) -> Frame:
    return frame.decided_by(columns_of(given.values), "SORT")


def _watermark(frame: Frame, job: Job, machine: Machine, given: Arguments) -> Frame:
    return frame.decided_by(columns_of([given.get(0, "eventTime")]), "WINDOW")


def _transform(frame: Frame, job: Job, machine: Machine, given: Arguments) -> Evaluated:
    function, *rest = given.values or (given.named.get("func"),)
    named = {name: value for name, value in given.named.items() if name != "func"}
    return machine.call(function, Arguments((frame, *rest), named, given.place))


def _view(frame: Frame, job: Job, machine: Machine, given: Arguments) -> None:
    name = given.text(0, "name")
    if name is None:
        job.problem(given.place, "the name of a temporary view is not resolved")
        job.unnamed.append(frame)
    else:
        job.views[name.rpartition(".")[2].casefold()] = frame.called(name)


def _used(frame: Frame, job: Job, machine: Machine, given: Arguments) -> Unknown:
    job.used.append((frame, given.place))
    return Unknown((frame,))


def _counted(frame: Frame, job: Job, machine: Machine, given: Arguments) -> Unknown:
    job.used.append((replace(frame, columns=(), open=()), given.place))
    return Unknown()


def _in_pandas(frame: Frame, job: Job, machine: Machine, given: Arguments) -> Frame:
    return opaque([frame], _schema_names(given.get(1, "schema")), "")


def _within(frame: Frame, job: Job, machine: Machine, given: Arguments) -> Frame:
    """Return the rows of a frame that another one has, or has not."""
    other = given.get(0, "other")
    return frame.joined(other, None, "semi").distinct(()) if isinstance(other, Frame) else frame


def _unpivot(frame: Frame, job: Job, machine: Machine, given: Arguments) -> Frame:
    name, value = given.text(2, "variableColumnName"), given.text(3, "valueColumnName")
    kept, columns = (columns_of([given.get(at, key)]) for at, key in ((0, "ids"), (1, "values")))
    return frame.unpivoted(kept, columns, name or "variable", value or "value")


def _merge_into(frame: Frame, job: Job, machine: Machine, given: Arguments) -> Merge:
    name = given.text(0, "table")
    target = datasets.table(name) if name else None
    return Merge(job, target, name or "", frame, condition(given.get(1, "condition")))


def _write_to(frame: Frame, job: Job, machine: Machine, given: Arguments) -> Writer:
    return Writer(job, frame, table=given.text(0, "table") or "")


def _na_drop(frame: Frame, job: Job, machine: Machine, given: Arguments) -> Evaluated:
    return Na(frame).do_drop(machine, given)


FRAME_METHODS: Mapping[str, _FrameMethod] = {
    "select": _select,
    "selectExpr": _select_expr,
    "withColumn": _with_column,
    "withColumns": _with_columns,
    **dict.fromkeys(("withColumnRenamed", "withColumnsRenamed"), _renamed),
    "drop": _drop,
    **dict.fromkeys(("filter", "where"), _filter),
    **dict.fromkeys(("join", "crossJoin"), _join),
    **dict.fromkeys(("groupBy", "groupby", "rollup", "cube"), _group),
    "groupByKey": _group_by_key,
    "agg": _agg,
    **dict.fromkeys(("union", "unionAll"), _union(by_name=False)),
    "unionByName": _union(by_name=True),
    **dict.fromkeys(("distinct", "dropDuplicates", "drop_duplicates", "dropDuplicatesWithinWatermark"), _distinct),
    **dict.fromkeys(("alias", "as"), _alias),
    "toDF": _to_df,
    **dict.fromkeys(("orderBy", "sort", "sortWithinPartitions"), _sorted),
    "withWatermark": _watermark,
    "transform": _transform,
    **dict.fromkeys(("map", "flatMap"), _map),
    **dict.fromkeys(("createOrReplaceTempView", "createTempView", "registerTempTable"), _view),
    **dict.fromkeys(("createGlobalTempView", "createOrReplaceGlobalTempView"), _view),
    **dict.fromkeys(("show", "toPandas", "toJSON", "display"), _used),
    **dict.fromkeys(("collect", "take", "tail", "toLocalIterator"), _collected),
    **dict.fromkeys(("head", "first"), _first_row),
    "foreachPartition": _each,
    "foreach": _each_row,
    **dict.fromkeys(("count", "isEmpty"), _counted),
    **dict.fromkeys(("mapInPandas", "mapInArrow"), _in_pandas),
    **dict.fromkeys(("intersect", "intersectAll", "subtract", "exceptAll"), _within),
    "writeTo": _write_to,
    "mergeInto": _merge_into,
    "dropna": _na_drop,
    **dict.fromkeys(("unpivot", "melt"), _unpivot),
    **dict.fromkeys(
        ("cache", "persist", "unpersist", "checkpoint", "localCheckpoint", "hint", "coalesce", "limit"), _same
    ),
    **dict.fromkeys(("repartition", "repartitionByRange", "sample", "fillna", "replace", "offset", "observe"), _same),
    **dict.fromkeys(("explain", "printSchema"), _counted),
}
"""Methods of frames; another one makes a frame whose columns may be computed from all of its own."""
WRITERS = ("write", "writeStream", "writeTo")
"""Members of frames that nothing else has."""
WRITE_METHODS = frozenset(("writeTo", "createOrReplaceTempView", "createTempView", "createOrReplaceGlobalTempView"))
"""Methods that only frames have, and that others depend on: of a value that is not known, it is a frame."""


def _type_of(value: Value) -> Type:
    """Return the type of a value; of a struct that the program builds, with the names of its members."""
    if value.type is None and value.member_names is not None:
        return Type("struct", tuple((name, _type_of(value.member(name))) for name in value.member_names))
    return value.type or PLAIN


def frame_method(frame: Frame, name: str, job: Job, machine: Machine, given: Arguments) -> Evaluated:
    """Return what a method of a frame returns."""
    texts = sum(len(each) for each in given.values if isinstance(each, str))
    machine.step(texts // 5 + len(frame.columns) * (1 + len(given.values)) // 10)
    return FRAME_METHODS[name](frame, job, machine, given)


def frame_member(frame: Frame, name: str, job: Job, machine: Machine) -> Evaluated:
    """Return an attribute of a frame: a method, a property, else a column."""
    job.derived.add(frame)
    if name in ("write", "writeStream"):
        return Writer(job, frame)
    if name in FRAME_METHODS:
        return Method(frame, lambda machine, arguments: frame_method(frame, name, job, machine, arguments))
    if name == "columns":
        return [out.name for out in frame.columns] if not frame.open else Unknown((frame,))
    if name == "schema":
        return (
            Unknown((frame,))
            if frame.open
            else Type("struct", tuple((out.name, _type_of(out.value)) for out in frame.columns))
        )
    if name == "dtypes":
        return (
            [(out.name, _type_of(out.value).simple or Unknown()) for out in frame.columns]
            if not frame.open
            else Unknown((frame,))
        )
    if name == "na":
        return Na(frame)
    if name in ("sparkSession", "sql_ctx"):
        return Session(job)
    if name in ("rdd", "stat", "isStreaming", "storageLevel") or (frame.named(name) is None and not frame.open):
        return Unknown((frame,), f"{name} of a frame is not resolved")
    return frame.column(name)


# --- columns

_AS_IT_IS = frozenset({"desc", "asc", "asc_nulls_first", "asc_nulls_last", "desc_nulls_first", "desc_nulls_last"})


def column_method(base: Expr, name: str, given: Arguments) -> Evaluated:
    """Return what a method of a column returns."""
    match name:
        case "alias" | "name" | "as":
            listed = [each for value in given.values for each in (value if isinstance(value, list) else [value])]
            listed = [name_of(each) if isinstance(each, Expr) and each.kind is Kind.COLUMN else each for each in listed]
            names = tuple(each for each in listed if isinstance(each, str))
            if not names and given.values:
                return Expr(Kind.ALIAS, args=(call("unnamed", base),), data=(UNNAMED,))
            return Expr(Kind.ALIAS, args=(base,), data=names) if names else base
        case "cast" | "astype" | "try_cast":
            kind = given.get(0, "dataType")
            return call(
                "cast", base, data=kind if isinstance(kind, Type) else ddl_type(kind) if isinstance(kind, str) else None
            )
        case "when":
            return replace(base, args=(*base.args, as_expr(given.get(1))), data=(*base.data, as_expr(given.get(0))))
        case "otherwise":
            return replace(base, args=(*base.args, as_expr(given.get(0))))
        case "over":
            window = given.get(0)
            if not isinstance(window, Window):  # what it partitions and sorts by is not known
                return call("unknown", base, column("*"))
            return Expr(Kind.OVER, args=(base,), data=tuple(window.keys))
        case "getField" | "getItem" | "get":
            return call("getitem", base, as_expr(given.get(0)))
    if name in _AS_IT_IS:
        return call("asc", base)
    if name in ("encode", "decode"):  # a text of Python as bytes
        return base
    items = [each for value in given.values for each in (value if isinstance(value, list | tuple) else [value])]
    return call(name.lower(), base, *map(as_expr, items))


@dataclass(slots=True, eq=False)
class Window(Library):
    """A window of rows, with what it partitions and sorts by."""

    keys: tuple[Expr, ...] = ()

    def other(self, name: str, machine: Machine, place: str) -> Evaluated:
        if name in ("partitionBy", "orderBy"):
            return Method(self, lambda machine, given: Window((*self.keys, *columns_of(given.values))))
        return Method(self, lambda machine, given: self)


_FIRST_ONLY = """approx_count_distinct approxcountdistinct array_append array_contains array_join array_position
array_prepend array_remove assert_true bround collate date_format decode element_at encode from_avro from_csv from_json
from_protobuf from_unixtime from_utc_timestamp from_xml get_json_object histogram_numeric instr json_tuple lag lead
listagg listagg_distinct lpad map_contains_key next_day nth_value overlay percentile percentile_approx regexp_extract
regexp_replace round rpad session_window sha2 slice split string_agg string_agg_distinct substr substring
substring_index to_avro to_csv to_date to_json to_protobuf to_timestamp to_utc_timestamp to_xml translate trunc
try_to_date try_variant_get unix_timestamp variant_delete variant_get window"""
_ALL_BUT_FIRST = """call_function call_udf concat_ws date_part date_trunc datepart extract format_string locate
timestamp_add timestamp_diff"""
_CONSTANTS: Mapping[str, str] = {
    **dict.fromkeys(_FIRST_ONLY.split(), "c"),
    **dict.fromkeys(("array_insert", "ilike", "like", "split_part"), "cc"),
    **dict.fromkeys(_ALL_BUT_FIRST.split(), "-*"),
    **dict.fromkeys(("lit", "raise_error", "schema_of_json", "schema_of_csv", "schema_of_xml"), ""),
}
"""Functions with texts that are constants, not columns: `c` a column, `-` a constant, `*` columns from there on.

Source: the annotations of pyspark.sql.functions (ColumnOrName).
"""


def function_call(name: str, arguments: Arguments, machine: Machine) -> Evaluated:
    """Return the column of a function of pyspark.sql.functions."""
    plain = name.lower()
    if plain != "broadcast" and (inputs := [frame for each in arguments.every for frame in frames_in(each)]):
        return Unknown(tuple(inputs), f"{name} is not known")
    match plain:
        case "col" | "column":
            text = arguments.text(0, "col")
            return column(text) if text is not None else call("unknown", column("*"))
        case "lit":
            value = arguments.get(0, "col")
            return as_expr(value)
        case "expr":
            text = arguments.text(0, "str")
            machine.step(len(text or "") // 5)
            return expression(text) if text is not None else call("unknown", column("*"))
        case "when":
            return Expr(Kind.CASE, args=(as_expr(arguments.get(1)),), data=(as_expr(arguments.get(0)),))
        case "broadcast":
            return arguments.get(0, "df")
        case "udf" | "pandas_udf":
            return Udf()
    forms = _CONSTANTS.get(plain, "*")
    rest = "*" if forms.endswith("*") else "-"
    args = [
        _argument(value, forms[at] if at < len(forms) else rest, machine) for at, value in enumerate(arguments.values)
    ]
    columns = ("col", "timeColumn", "data")
    args += [_argument(value, "c" if key in columns else "-", machine) for key, value in arguments.named.items()]
    return call(plain, *(each for listed in args for each in listed))


def _argument(value: Evaluated, form: str, machine: Machine) -> list[Expr]:
    if isinstance(value, Function):
        names = tuple(each.arg for each in value.node.args.args)
        body = machine.call(value, Arguments(tuple(Expr(Kind.COLUMN, data=(name,)) for name in names), {}, ""))
        return [Expr(Kind.LAMBDA, args=(as_expr(body),), data=names)]
    if isinstance(value, Type):
        return [literal(value)]
    if isinstance(value, list | tuple):
        return [each for item in value if not isinstance(item, list | tuple) for each in _argument(item, form, machine)]
    return (
        [column(value)]
        if isinstance(value, str) and form in ("c", "*")
        else [as_expr(value)]
        if is_plain(value) or isinstance(value, Expr)
        else [literal(None)]
    )


class Udf(Library):
    """A function that a program defines for columns, or the decorator that makes one."""

    def called(self, machine: Machine, arguments: Arguments) -> Evaluated:
        if any(isinstance(each, Function) for each in arguments.every):
            return self
        return call("udf", *columns_of(arguments.every))


def text_argument(expr: Evaluated) -> str | None:
    """Return the text of a constant; None for other values."""
    return text_of(expr) if isinstance(expr, Expr) else expr if isinstance(expr, str) else None
