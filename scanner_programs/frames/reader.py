"""Read jobs of Spark in Python: what each writes, and what each of its columns is derived from."""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from itertools import zip_longest
from pathlib import PurePosixPath

from scanner_model.documents.json_input import load_text
from scanner_programs.frames import datasets
from scanner_programs.frames.beam import beam_call, document, exprs_in, members_of
from scanner_programs.frames.bundles import Task, as_program, tasks_of
from scanner_programs.frames.drivers import Pandas, Warehouse, driver_call
from scanner_programs.frames.expressions import RECORD_PARSERS, Expr, Kind, call, column, literal
from scanner_programs.frames.flink import Environment, Scalar, Statements, flink_call
from scanner_programs.frames.languages.scala import EXTENSION, SELF, UNWRAPPED
from scanner_programs.frames.machine import (
    MOST_NODES,
    Arguments,
    Class,
    Evaluated,
    Exhausted,
    External,
    Function,
    Instance,
    Library,
    Machine,
    Method,
    Modules,
    Scope,
    Unknown,
    as_expr,
    frames_in,
    has_columns_in,
    joined_path,
    one_of,
)
from scanner_programs.frames.relations import Frame, opaque
from scanner_programs.frames.schemas import PLAIN, ddl_type, plain_type, sample_type, schema_type
from scanner_programs.frames.spark import (
    FRAME_METHODS,
    WRITE_METHODS,
    WRITERS,
    Job,
    Merge,
    Row,
    Rows,
    Session,
    Udf,
    Window,
    Writer,
    column_method,
    columns_of,
    frame_member,
    function_call,
    names_in,
    text_argument,
)
from scanner_programs.frames.standard import CommandOption, Dispatch, Sections, Wrapped, option, standard_call
from scanner_programs.frames.streams import PUTTING, Builder, Stream, member_of, stream_call
from scanner_programs.frames.values import Dataset, Type

_SIGNS = re.compile(
    r"\bpyspark\b|\borg\.apache\.(?:spark\.sql|flink\.table)\b|\bpyflink\.table\b"
    r"|\borg\.apache\.flink\.(?:streaming|connector)\b|\bpyflink\.datastream\b|\borg\.apache\.beam\.sdk\.io\b"
    r"|\b(?:GCSTo)?BigQuery\w*Operator\b|\bapache_beam\.io\b|^# Databricks notebook"
    r"|\.(?:read|write)Stream\b|^[ \t]*import dlt\b|\bspark\.(?:read|sql|table)\b",
    re.MULTILINE,
)
MOST_STEPS_OF_ALL = 3_000_000
LONGEST = 400_000
"""Characters of a file up to which it is read."""


@dataclass(frozen=True, slots=True)
class Program:
    """What one program of Spark does; *path* is its file."""

    path: str
    job: Job
    statements: Statements = field(default_factory=Statements)


def is_job(text: str) -> bool:
    """Return whether a file of Python imports Spark, or is a notebook or pipeline that has a session."""
    return _SIGNS.search(text) is not None


def read_jobs(
    files: Mapping[str, str],
    paths: Iterable[str],
    load: Callable[[str], Evaluated],
    lower: Callable[[str, str], ast.Module | None] = lambda _, __: None,
) -> Iterator[Program]:
    """Yield the programs among the files of Python and Scala at *paths*, with what is left of those that they import.

    *files* are all texts by path; *load* parses a text of YAML, and returns None if it is invalid. *lower* returns the
    syntax tree of a path and text of Scala as one of Python.
    """
    sources = _Sources(files, paths, lower)
    tasks = tasks_of(files, load)
    jobs = sources.with_importers(path for path in sources.paths if is_job(files[path]))
    evaluated: set[tuple[str, int]] = set()
    steps = 0
    libraries = sources.imported(jobs)
    for path in sorted(jobs, key=lambda each: (each in libraries, each)):
        reader = _Program(files, sources, path, load, evaluated, tasks.get(path, Task("")))
        if sources.tree(path) is None:
            reader.job.problem(f"{path}:1", "the file is too large, or invalid Python")
        elif steps > MOST_STEPS_OF_ALL:
            reader.job.problem(f"{path}:1", "the programs before it take all steps that are evaluated")
        else:
            reader.run()
            evaluated |= reader.machine.executed
            steps += reader.machine.steps
        yield Program(path, reader.job, reader.statements)


class _Sources:
    """The source files, each parsed when it is first needed."""

    def __init__(
        self, files: Mapping[str, str], paths: Iterable[str], lower: Callable[[str, str], ast.Module | None]
    ) -> None:
        self.paths = sorted(paths)
        self._lower = lower
        self._files = files
        self._trees: dict[str, ast.Module | None] = {}
        self._named: dict[str, list[str]] = {}
        self._declared: dict[str, list[str]] = {}
        self._words_of: dict[str, frozenset[str]] = {}
        for path in self.paths:
            self._named.setdefault(_module_name(path), []).append(path)
            for name in _DECLARED.findall(files[path]) if path.endswith((".scala", ".kt")) else ():
                self._declared.setdefault(name, []).append(path)

    def tree(self, path: str) -> ast.Module | None:
        """Return the syntax tree of a file; None if it is too large or invalid."""
        if path not in self._trees:
            is_python = path.endswith(".py")
            self._trees[path] = _parsed(self._files[path]) if is_python else self._lower(path, self._files[path])
        return self._trees[path]

    def file_of(self, name: str, level: int, path: str) -> str | None:
        """Return the file of a module: of several the one that is nearest to the file that imports it."""
        parts = name.split(".") if name else []
        if not parts:
            return None
        folder = PurePosixPath(path).parent
        for _ in range(level - 1):
            folder = folder.parent
        endings = ["/".join(parts) + ending for ending in (".py", "/__init__.py", ".scala", ".java", ".kt")]
        if level:
            endings = [str(folder / ending) for ending in endings]
        fitting = [
            each
            for each in self._named.get(parts[-1], ())
            if any(each == ending or (not level and each.endswith("/" + ending)) for ending in endings)
        ]
        return max(fitting, key=lambda each: _shared(each, path), default=None) or self._declaring(parts, path)

    def _declaring(self, parts: Sequence[str], path: str) -> str | None:
        """Return the file of a package that declares a name: in Scala and Kotlin it may have any name."""
        folder = "/".join(parts[:-1]) or str(PurePosixPath(path).parent)
        fitting = [each for each in self._declared.get(parts[-1], ()) if f"/{each}".rpartition("/")[0].endswith(folder)]
        return max(fitting, key=lambda each: _shared(each, path), default=None)

    def with_importers(self, jobs: Iterable[str]) -> list[str]:
        """Return files with those that import them: a job may leave Spark to functions of its own."""
        found = new = set(jobs)
        while new:
            names = {name for path in new for name in (_module_name(path), *_DECLARED.findall(self._files[path]))}
            others = (path for path in self.paths if path not in found and names & self._words(path))
            new = {path for path in others if self.imported([path]) & new}
            found = found | new
        return sorted(found)

    def _words(self, path: str) -> frozenset[str]:
        if path not in self._words_of:
            self._words_of[path] = frozenset(_WORD.findall(self._files[path]))
        return self._words_of[path]

    def imported(self, paths: Iterable[str]) -> set[str]:
        """Return the files that one of *paths* imports."""
        found = set()
        for path in paths:
            tree = self.tree(path)
            for node in ast.walk(tree) if tree is not None else ():
                names: list[tuple[str, int]] = []
                if isinstance(node, ast.Import):
                    names = [(alias.name, 0) for alias in node.names]
                elif isinstance(node, ast.ImportFrom):
                    own = [f"{node.module or ''}.{alias.name}".strip(".") for alias in node.names]
                    names = [(name, node.level) for name in (*own, node.module or "")]
                elif isinstance(node, ast.Name) and path.endswith((".scala", ".kt")) and node.id in self._declared:
                    names = [(node.id, 0)]  # a package's names need no import
                found |= {self.file_of(name, level, path) or path for name, level in names} - {path}
        return found


_DECLARED = re.compile(r"(?m)^(?:(?:case|sealed|final|abstract|data|private|internal) )*(?:object|class|trait) (\w+)")
"""A name that a file of Scala or Kotlin declares for its package."""
_OBJECT = re.compile(r"\bobject (\w+)")
_WORD = re.compile(r"\w+")


def _module_name(path: str) -> str:
    parts = PurePosixPath(path)
    return parts.parent.name if parts.name == "__init__.py" else parts.stem


def _parsed(text: str) -> ast.Module | None:
    if len(text) > LONGEST:
        return None
    try:
        with warnings.catch_warnings():  # of escapes in the texts of the program
            warnings.simplefilter("ignore", SyntaxWarning)
            warnings.simplefilter("ignore", DeprecationWarning)
            tree = ast.parse("\n".join(_plain_line(line) for line in as_program(text).split("\n")))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return tree if sum(1 for _ in ast.walk(tree)) <= MOST_NODES else None


def _plain_line(line: str) -> str:
    """Return a line without the magic commands of notebooks."""
    return "pass" if line.startswith(("%", "!")) else line


def _shared(left: str, right: str) -> int:
    """Return how many folders two paths share."""
    pairs = zip(PurePosixPath(left).parts, PurePosixPath(right).parts, strict=False)
    return sum(1 for a, b in pairs if a == b)


class _Text(Library):
    """A file of the repository that a program opens."""

    def __init__(self, text: str) -> None:
        self.text = text

    def do_read(self, machine: Machine, arguments: Arguments) -> str:
        return self.text

    do_read_text = do_getvalue = do_read


@dataclass(slots=True, eq=False)
class _Settings(Library):
    """A section of the settings of a program, by the names that lead to it."""

    section: str = ""

    def do_getConfig(self, machine: Machine, arguments: Arguments) -> Evaluated:
        name = arguments.text(0)
        return _Settings(f"{self.section}{name}.") if name else Unknown()

    def do_getString(self, machine: Machine, arguments: Arguments) -> Evaluated:
        name = arguments.text(0)
        return f"${{{self.section}{name}}}" if name else Unknown()

    do_getProperty = do_getString

    def other(self, name: str, machine: Machine, place: str) -> Evaluated:
        return self if name in ("resolve", "root") else Unknown()


class _Log(Library):
    """A logger: rows passed to it are not written to a sink."""

    def other(self, name: str, machine: Machine, place: str) -> Evaluated:
        return Method(self, lambda machine, arguments: None)


class _Options(Library):
    """A parser of command-line options, with their defaults; *given* are the arguments that a task passes."""

    def __init__(self, given: Sequence[str] = ()) -> None:
        self.names: dict[str, Evaluated] = {}
        self.given = {
            flag.lstrip("-").partition("=")[0].replace("-", "_"): flag.partition("=")[2] or value
            for flag, value in zip_longest(given, given[1:], fillvalue="")
            if flag.startswith("--")
        }

    def do_add_argument(self, machine: Machine, arguments: Arguments) -> Unknown:
        flags = [each for each in arguments.values if isinstance(each, str)]
        name = arguments.named.get("dest") or max(flags, key=len, default="").lstrip("-").replace("-", "_")
        choices = arguments.named.get("choices")
        default = arguments.named.get("default", Unknown())
        known = default if default is not None or not isinstance(choices, list) else one_of(choices)
        self.names[str(name)] = self.given.get(str(name), Unknown() if known is None else known)
        return Unknown()

    do_add_value_provider_argument = do_add_argument

    def do_set_defaults(self, machine: Machine, arguments: Arguments) -> Unknown:
        self.names |= arguments.named
        return Unknown()

    def do_parse_args(self, machine: Machine, arguments: Arguments) -> Instance:
        return Instance(None, self.names)

    def do_parse_known_args(self, machine: Machine, arguments: Arguments) -> tuple[Instance, list[Evaluated]]:
        return Instance(None, self.names), []

    def other(self, name: str, machine: Machine, place: str) -> Evaluated:
        return Method(self, lambda machine, arguments: self)


class _Live(Library):
    """A decorator of a table or view of a declarative pipeline."""

    def __init__(self, name: str | None, *, is_view: bool) -> None:
        self.name, self.is_view = name, is_view


_FUNCTIONS = ("pyspark.sql.functions", "pyspark.sql.avro.functions", "pyspark.sql.protobuf.functions")
_PIPELINES = ("dlt", "pyspark.pipelines")


@dataclass(slots=True)
class _Program(Modules):
    """One program: the environment of the machine that evaluates it."""

    files: Mapping[str, str]
    sources: _Sources
    path: str
    load: Callable[[str], Evaluated]
    evaluated: set[tuple[str, int]]
    task: Task = field(default_factory=lambda: Task(""))
    job: Job = field(default_factory=Job)
    machine: Machine = field(init=False)
    statements: Statements = field(default_factory=Statements)
    widgets: dict[str, str] = field(default_factory=dict)
    scopes: dict[str, Scope] = field(default_factory=dict)
    live: dict[str, list[Function]] = field(default_factory=dict)
    live_views: set[str] = field(default_factory=set)
    live_sinks: dict[str, Dataset | None] = field(default_factory=dict)
    warehouse: Warehouse = field(init=False)

    def run(self) -> None:
        """Evaluate the file, then its tables of pipelines, then the functions that nothing has called."""
        self.machine = Machine(self)
        self.statements.problem = self.job.problem
        self.job.pipeline = self._of_pipeline
        self.warehouse = Warehouse(self.job, lambda name: self.files.get(self._file(name) or ""))
        self.job.name = self.task.name
        try:
            self._module(self.path)
            for name in list(self.live):
                self._live_frame(name, f"{self.path}:1")
            self._uncalled()
            self._unused()
        except Exhausted:
            self.job.problem(f"{self.path}:1", "the program takes more steps than are evaluated")
        except RecursionError:
            self.job.problem(f"{self.path}:1", "the program nests more deeply than is evaluated")
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            # A program may pass any value to any function; the rest of the scan does not depend on it.
            self.job.problem(f"{self.path}:1", f"the program is evaluated in part only ({type(error).__name__})")

    def _module(self, path: str) -> Scope:
        if path not in self.scopes:
            scope = self.scopes[path] = Scope(path)
            scope.names["__name__"] = "__main__" if path == self.path else PurePosixPath(path).stem
            scope.names["__file__"] = path
            if (tree := self.sources.tree(path)) is not None:
                self.machine.run(tree, scope)
        return self.scopes[path]

    def _unused(self) -> None:
        """Note the frames of the module that nothing is done with, of topics that reach no other end.

        Spark would not read them; what is done with them may not be recognized.
        """
        ends = [sink.frame for sink in self.job.sinks] + [frame for frame, _ in self.job.used]
        reached = frozenset().union(*(frame.sources for frame in ends))
        for value in self.scopes[self.path].names.values():
            for frame in frames_in(value):
                if frame not in self.job.derived and not frame.sources <= reached:
                    self.job.used.append((frame, f"{self.path}:1"))

    def _uncalled(self) -> None:
        """Call the functions of the file that were not run, as a scheduler or a framework would."""
        for key, found in list(self.machine.functions.items()):
            if key[0] != self.path or key in self.machine.executed | self.evaluated:
                continue
            of, function = found if isinstance(found, tuple) else (None, found)
            if function.scope.parent is not None or not _reaches(function.node):
                continue
            names = function.node.args.args
            needed = len(names) - len(function.node.args.defaults)
            values = tuple(
                self._parameter(each.arg, each.annotation)
                if each.arg not in function.given
                else function.given[each.arg]
                for each in names[:needed]
            )
            later = {each.arg: self._parameter(each.arg, each.annotation) for each in names[needed:]}
            named = {name: value for name, value in later.items() if not isinstance(value, Unknown)}
            given = Arguments(values, named, f"{key[0]}:{key[1]}")
            if of is None:
                self.machine.call(function, given)
            elif "staticmethod" in function.marks:
                self.machine.invoke(function, given)
            else:
                made = self.machine.call(of, Arguments((), {}, f"{key[0]}:{key[1]}"))
                rest = Arguments(given.values[1:], given.named, given.place)
                self.machine.call(self.machine.attribute(made, function.name, given.place), rest)

    def _parameter(self, name: str, annotation: ast.expr | None) -> Evaluated:
        """Return what a framework passes for a parameter: a session, or what is not known."""
        named = ast.unparse(annotation).rpartition(".")[2] if annotation is not None else ""
        kind = named.strip("'\"")
        if kind == "StreamExecutionEnvironment":
            return Stream(self.job, self.files)
        if kind.endswith("TableEnvironment"):
            return Environment(self.statements)
        return Session(self.job) if kind == "SparkSession" or name == "spark" else Unknown()

    # --- what the machine needs

    def imported(self, machine: Machine, name: str, level: int, path: str) -> Evaluated:
        found = self.sources.file_of(name, level, path)
        if found is None:
            return External(name)
        module = self._module(found)
        own = name.rpartition(".")[2]
        if found.endswith(".scala"):  # the members of an object are those of its module
            is_object = own in _OBJECT.findall(self.files[found])
            return module if is_object else module.names.get(own, module)
        return module.names.get(PurePosixPath(found).stem, module) if found.endswith((".java", ".kt")) else module

    def undefined(self, machine: Machine, name: str, scope: Scope) -> Evaluated:
        if name == "spark":
            return Session(self.job)
        if name == "dbutils":
            return External(name)
        if name == EXTENSION:
            return Method(self, self._extended)
        if name == UNWRAPPED:
            return Method(self, lambda _, given: _unwrapped(given.get(0)))
        of = scope.module.names.get(SELF)
        if isinstance(of, Instance) and of.of is not None and of.of.find(name) is not None:
            return machine.attribute(of, name, "")
        if scope.path.endswith((".scala", ".java", ".kt")) and name[:1].isupper():
            found = self.sources.file_of(name, 0, scope.path)  # a class of the same package needs no import
            if found is not None and found != scope.path:
                return self.imported(machine, name, 0, scope.path)
        if name in _UNIMPORTED:
            return External(name)
        inherited = self._inherited(machine, name, scope)
        if inherited is not None or name.startswith("@"):
            return inherited if inherited is not None else Unknown()
        starred = scope.module.starred
        is_lowered = scope.path.endswith((".scala", ".java", ".kt"))
        if starred and (name not in _BUILTINS or name in _SHADOWING or (is_lowered and name not in _LOWERED)):
            is_function = name[:1].islower()
            fitting = [each for each in starred if (each in _FUNCTIONS) == is_function]
            if not fitting and not is_function:
                return Unknown(why=f"{name} is not defined")
            if not fitting and is_function and "pyspark.sql" in starred:
                return External(f"pyspark.sql.functions.{name}")  # a static import that an excerpt leaves out
            return External(f"{max(reversed(fitting or starred), key=partial(_likeness, name))}.{name}")
        return External(f"builtins.{name}") if name in _BUILTINS else Unknown(why=f"{name} is not defined")

    @staticmethod
    def _inherited(machine: Machine, name: str, scope: Scope) -> Evaluated:
        """Return a member of the object that a method of Scala, Java or Kotlin is of; None if it has none."""
        owner = scope.owner("self") if scope.path.endswith((".scala", ".java", ".kt")) else None
        of = owner.names["self"] if owner is not None else None
        is_member = isinstance(of, Instance) and (
            name in of.names or (of.of is not None and of.of.find(name) is not None)
        )
        return machine.attribute(of, name, "") if is_member else None

    @staticmethod
    def _extended(machine: Machine, arguments: Arguments) -> None:
        """Add a method to the frames that the objects of a class wrap."""
        machine.extensions[arguments.get(0)] = arguments.get(1)

    def formatted(self, arguments: Arguments) -> Evaluated:
        given = [each for each in arguments.every if isinstance(each, Expr) or members_of(each) is not None]
        if len(given) != 1:
            return call("udf", *map(document, given)) if given else None
        return call("format", given[0]) if isinstance(given[0], Expr) else given[0]

    def discarded(self, machine: Machine, value: Evaluated, place: str) -> None:
        is_passed = isinstance(value, Unknown) and value.has_columns
        is_passed = is_passed or (isinstance(value, Expr) and value.kind is Kind.CALL and value.name == "udf")
        if is_passed and self.job.collected:
            self.job.problem(place, "what becomes of the rows of a frame is not resolved")
        if isinstance(value, Frame):
            self.job.used.append((value, place))
        if isinstance(value, Unknown) and value.inputs and value.why:
            self.job.problem(place, f"what becomes of a frame is not resolved: {value.why}")
            for frame in value.inputs:
                self.job.used.append((frame, place))

    def decorated(self, machine: Machine, mark: Evaluated, function: Function, place: str) -> Evaluated:
        if isinstance(mark, External):
            package, _, last = mark.name.rpartition(".")
            if package in _PIPELINES:
                mark = _live_mark(last, None)
            elif last in ("udf", "pandas_udf"):
                mark = Udf()
        if isinstance(mark, External) and mark.name == "functools.singledispatch":
            return Dispatch(function)
        if isinstance(mark, Method) and isinstance(mark.owner, Dispatch):
            mark.run(machine, Arguments((function,), {}, place))
        if isinstance(mark, CommandOption):
            mark.decorate(function)
        if isinstance(mark, Scalar):
            machine.executed.add((function.scope.path, function.node.lineno))
            return Scalar(function.name)
        if isinstance(mark, Udf):
            machine.executed.add((function.scope.path, function.node.lineno))
            return mark
        if isinstance(mark, _Live):
            name = mark.name or function.name
            self.live.setdefault(name, []).append(function)  # several flows may append to one table
            self.live_views |= {name} if mark.is_view else set()
        return None

    def _live_frame(self, name: str, place: str) -> Evaluated:
        """Return the frame of a table or view of a pipeline."""
        plain = name.removeprefix("LIVE.").removeprefix("live.")
        known = self._of_pipeline(plain)
        return known if known is not None else self.job.read(datasets.table(plain), place, name=plain)

    def _of_pipeline(self, name: str) -> Frame | None:
        """Return the frame of a table or view of the pipeline; None if it has none of this name."""
        if name not in self.live:
            return None
        if name not in self.job.views:
            self.job.views[name] = Frame()
            frames = [self._flow(name, function) for function in self.live[name]]
            known = one_of(frames)
            place = f"{self.live[name][0].scope.path}:{self.live[name][0].node.lineno}"
            frame = known if isinstance(known, Frame) else opaque((), None, f"table {name} is not resolved")
            self.job.views[name] = frame if name in self.live_views else self._live_table(name, frame, place)
        return self.job.views[name]

    def _flow(self, name: str, function: Function) -> Evaluated:
        """Return what a function of the pipeline returns, which is written to its table or sink."""
        place = f"{function.scope.path}:{function.node.lineno}"
        frame = self.machine.call(function, Arguments((), {}, place))
        if name not in self.live_views:
            target = self.live_sinks.get(name, datasets.table(name))
            is_topic = target is not None and target.namespace == datasets.TOPIC
            self.job.write(target, frame, place, is_topic=is_topic)
        return frame

    def _live_table(self, name: str, frame: Frame, place: str) -> Frame:
        """Return the frame of a table, which has the columns that its function returns."""
        table = self.job.read(datasets.table(name), place, name=name)
        return table if frame.open else table.select(column(f"`{out.name}`") for out in frame.columns).called(name)

    def element(self, machine: Machine, base: Evaluated, key: Evaluated) -> Evaluated:
        match base:
            case Row() | Pandas() if isinstance(key, str):
                return base.frame.column(key)
            case Row() if isinstance(key, int) and not base.frame.open and -1 <= key < len(base.frame.columns):
                return base.frame.column(base.frame.columns[key].name)
            case Pandas() if isinstance(key, list | tuple):
                return Pandas(self.job, base.frame.select(columns_of(key)))
            case Frame() if isinstance(key, str):
                return base.column(key)
            case Frame() if isinstance(key, Expr):
                return base.decided_by([key], "FILTER")
            case Frame() if isinstance(key, list | tuple):
                return base.select(columns_of(key))
            case Frame():
                return base.columns and call(
                    "unknown", Expr(base.column(base.columns[0].name).kind, data=base.columns[0])
                )
            case Expr():
                return call("getitem", base, as_expr(key))
            case External() if base.name.endswith("environ"):
                return f"${{{key}}}" if isinstance(key, str) else Unknown()
            case External() if base.name == "sys.argv" and isinstance(key, int) and 0 < key <= len(self.task.listed):
                return self.task.listed[key - 1]
            case Type() if isinstance(key, str) and key in dict(base.fields):
                return Instance(None, {"name": key, "dataType": dict(base.fields)[key]})
        return Unknown(tuple(frames_in(base)))

    def attribute(self, machine: Machine, base: Evaluated, name: str, place: str) -> Evaluated:
        match base:
            case Frame() if name in machine.extensions and name not in FRAME_METHODS:
                made = machine.call(machine.extensions[name], Arguments((base,), {}, place))
                return machine.attribute(made, name, place)
            case Frame() | Expr() if added := machine.added.get((_ADDED_TO[type(base)], name.removesuffix("()"))):
                return Method(
                    base, lambda machine, given: machine.call(added, replace(given, values=(base, *given.values)))
                )
            case Frame() if name in ("getOrElse", "or_else") and not place.partition(":")[0].endswith(".py"):
                return Method(base, lambda _, __: base)  # of an Option, which is evaluated as its value
            case Frame() if name in ("toPandas", "to_pandas", "pandas_api"):
                self.job.collected.append(base)
                self.job.used.append((base, place))
                return Method(base, lambda _, __: Pandas(self.job, base))
            case Frame():
                return frame_member(base, name, self.job, machine)
            case Expr() if name.removesuffix("()") in machine.extensions:
                made = machine.call(machine.extensions[name.removesuffix("()")], Arguments((base,), {}, place))
                found = machine.attribute(made, name.removesuffix("()"), place)
                return Method(base, lambda machine, given: machine.call(found, given)) if name.endswith("()") else found
            case Expr() if name in ("map()", "flatMap()", "foreach()"):
                return Method(base, lambda machine, given: _of_elements(base, machine, given))
            case Expr() if machine.following and name.endswith("()") and not place.partition(":")[0].endswith(".py"):
                return Method(base, lambda _, given: member_of(base, name[:-2], given))
            case Expr() if name.removesuffix("()") in WRITERS and not machine.following:  # it was not a column
                writer = Writer(self.job, Unknown())
                return Method(base, lambda _, __: writer) if name.endswith("()") else writer
            case Expr() if name.endswith("()"):
                return Method(base, lambda _, arguments: column_method(base, name[:-2], arguments))
            case Expr():
                return call("getitem", base, literal(name))
            case Type():
                return self._of_type(base, name)
            case Method() if place.partition(":")[0].endswith(".scala"):  # a call without brackets
                return machine.attribute(machine.call(base, Arguments((), {}, place)), name, place)
            case Function() if base.scope.path.endswith((".java", ".kt", ".scala")):
                return _of_function(base, name)
            case Function():
                return Unknown()
            case str():
                return self._of_path(base, name)
            case None | Unknown() if name in ("write", "writeStream"):
                return Writer(self.job, base)
            case None | Unknown() if name in WRITE_METHODS:
                return frame_member(opaque(frames_in(base), None, _unresolved(base)), name, self.job, machine)
            case Unknown() if name in ("spark", "spark_session", "sparkSession"):
                return Session(self.job)
            case None | Unknown() if name in _INSERTS:
                return Method(base, self._inserted)
            case Unknown() if machine.following and name in PUTTING:
                return Builder("").member(name, machine, place)
            case Unknown() if name in _SETTINGS:
                return _Settings().member(name, machine, place)
            case Unknown() if name == "toDF" and base.inputs:
                return Method(base, lambda _, given: opaque(base.inputs, names_in(given.every) or None, base.why))
        why = base.why if isinstance(base, Unknown) and not base.inputs else f"{name} is not known"
        return Unknown(tuple(frames_in(base)), why, of_unknown=isinstance(base, Unknown))

    def _inserted(self, machine: Machine, arguments: Arguments) -> Unknown:
        """Report a table of Flink that is written from what is not resolved."""
        if target := arguments.text(0):
            self.job.problem(arguments.place, f"what is inserted into {target} is not resolved")
        return Unknown()

    def _of_path(self, base: str, name: str) -> Evaluated:
        """Return a member of a path; what its text does not contain is unknown."""
        path = PurePosixPath(base)
        match name:
            case "parent" | "stem" | "suffix":
                return str(getattr(path, name))
            case "parents":
                return [str(each) for each in path.parents]
            case "joinpath" | "with_name" | "with_suffix":
                return Method(base, lambda _, given: _moved_path(path, name, given.values))
            case "read_text" | "open":
                found = self._file(base)
                text = self.files[found] if found is not None else None
                return Method(
                    base, lambda _, __: Unknown() if text is None else text if name != "open" else _Text(text)
                )
        return Method(base, lambda _, __: Unknown() if name in ("exists", "is_file") else base)

    @staticmethod
    def _of_type(base: Type, name: str) -> Evaluated:
        if name == "schema":
            return base
        if name == "add":
            return Method(base, lambda _, given: _added(base, given))
        names = [each for each, _ in base.fields]
        if name in ("typeName", "simpleString"):
            shown = base.class_name if name == "typeName" else base.simple
            return Method(base, lambda _, __: shown or Unknown())
        if name == "fields":
            return [Instance(None, {"name": each, "dataType": kind}) for each, kind in base.fields]
        if name in ("names", "fieldNames"):
            return names if name == "names" else Method(base, lambda _, __: names)
        return Method(base, lambda _, __: Unknown())

    def called(self, machine: Machine, name: str, arguments: Arguments) -> Evaluated:
        name = name.replace("org.apache.spark.sql", "pyspark.sql")
        package, _, last = name.rpartition(".")
        first = arguments.get(0)
        if package == "logging":
            return _Log()
        if package in ("click", "rich_click") and last in ("option", "argument"):
            return option(arguments, self.task.named)
        if package == "typer" and last in ("Option", "Argument"):
            return Unknown() if first in (None, ...) else first
        if (made := standard_call(machine, name, arguments)) is not None:
            return made
        if (made := driver_call(self.job, machine, name, arguments)) is not None:
            return made
        if "flink" in name and (made := flink_call(self.statements, name, arguments)) is not None:
            return made
        if name.startswith("airflow.") and last == "DAG":
            self.job.name = self.job.name or arguments.text(0, "dag_id") or ""
            given = arguments.named.get("user_defined_macros")
            self.warehouse.macros |= given if isinstance(given, dict) else {}
        if name.startswith("airflow.") and last.endswith("Operator") and "BigQuery" in last:
            self.warehouse.run(last, arguments)
        if name.startswith(_STREAMING) and (made := stream_call(self.job, self.files, name, arguments)) is not None:
            return made
        if name.startswith("apache_beam.") and (last == "PipelineOptions" or ".PipelineOptions." in name):
            return self._pipeline_options(name, arguments)
        if name.startswith("apache_beam."):
            made = beam_call(self.job, machine, name, arguments)
            return made if made is not None else Unknown()
        if package in _FUNCTIONS or name.startswith("pyspark.sql.functions.") or last in RECORD_PARSERS:
            return self._function(last, arguments)
        if package == "builtins":
            return self._builtin(last, arguments)
        if package.endswith(".DataFrame") and isinstance(first, Frame) and last in FRAME_METHODS:
            return FRAME_METHODS[last](
                first, self.job, machine, Arguments(arguments.values[1:], arguments.named, arguments.place)
            )
        if last.removeprefix("create") in _TYPES:
            return _type(last.removeprefix("create"), arguments)
        if package == "pyspark.sql.types" and last.endswith("Type"):
            return plain_type(last)
        if package.endswith("Encoders") and isinstance(first, Class):
            return Type("struct", tuple((each, None) for each in first.fields))
        if ".Window." in f".{name}":
            return Window().member(last, machine, arguments.place).run(machine, arguments)
        if "SparkSession" in name or last in ("SparkSession", "SQLContext", "HiveContext", "DatabricksSession"):
            session = Session(self.job)
            member = session.member(last, machine, arguments.place)
            return member.run(machine, arguments) if isinstance(member, Method) else session
        if package.rpartition(".")[2] == "DeltaTable":
            return self._delta(last, arguments)
        if package in _PIPELINES:
            return self._pipeline(last, arguments)
        match name:
            case "functools.reduce":
                items = machine.items(arguments.get(1))
                result = arguments.get(2) if len(arguments.values) > 2 else items.pop(0) if items else Unknown()
                for item in items:
                    result = machine.call(first, Arguments((result, item), {}, arguments.place))
                return result
            case "importlib.import_module" if isinstance(first, str):
                return self.imported(machine, first, 0, self.path)
            case "functools.partial":
                return Method(
                    first,
                    lambda m, a: m.call(
                        first, Arguments((*arguments.values[1:], *a.values), {**arguments.named, **a.named}, a.place)
                    ),
                )
            case "os.getenv" | "os.environ.get" | "sys.env" | "sys.env.getOrElse" | "System.getenv" | "sys.env.get":
                default = arguments.get(1, "default")
                named = f"${{{first}" if isinstance(first, str) else ""
                return (
                    (f"{named}:{default}}}" if isinstance(default, str | int) else f"{named}}}") if named else default
                )
            case (
                "json.loads"
                | "json.load"
                | "yaml.safe_load"
                | "yaml.load"
                | "yaml.full_load"
                | "tomllib.load"
                | "tomllib.loads"
            ):
                if isinstance(first, Expr):
                    return call("from_json", first)
                return self._document(first.text if isinstance(first, _Text) else first)
            case "dataclasses.replace" | "attr.evolve" | "attrs.evolve" if isinstance(first, Instance):
                return Instance(first.of, {**first.names, **arguments.named})
            case "dataclasses.asdict" | "attr.asdict" | "attrs.asdict" if isinstance(first, Instance):
                return dict(first.names)
            case "dataclasses.field":
                made = arguments.named.get("default_factory")
                return arguments.named.get("default") if made is None else machine.call(made, Arguments((), {}, ""))
            case "json.dumps":
                return call("to_json", document(first)) if any(exprs_in(first)) else _dumped(first)
            case "copy.deepcopy" | "copy.copy" | "textwrap.dedent" | "inspect.cleandoc" | "typing.cast":
                return arguments.get(1) if last == "cast" else first
            case "pathlib.Path" | "pathlib.PurePath":
                known = arguments.values and all(isinstance(each, str) for each in arguments.values)
                return joined_path(*arguments.values) if known else first
            case "os.path.join" | "posixpath.join":
                known = all(isinstance(each, str) for each in arguments.values)
                return joined_path(*arguments.values) if known and arguments.values else Unknown()
            case "os.path.dirname" | "os.path.abspath" | "os.path.realpath" if isinstance(first, str):
                return str(PurePosixPath(first).parent) if last == "dirname" else first
            case "importlib.resources.files" if isinstance(first, str):
                return first.replace(".", "/")
        if last in _WRAPPING and arguments.values:
            return first if isinstance(first, Wrapped) else Wrapped(first)
        if package.endswith("ConfigFactory"):
            return _Settings()
        if package.rpartition(".")[2] == "configparser":
            return Sections(lambda name: self.files.get(self._file(name) or ""))
        if last == "ArgumentParser":
            return _Options(self.task.listed)
        if name in ("dbutils.widgets.get", "dbutils.widgets.getArgument") and isinstance(first, str):
            return self.task.named.get(first, self.widgets.get(first, f"${{{first}}}"))
        if name.startswith("dbutils.widgets.") and isinstance(first, str):
            default = arguments.get(1, "defaultValue")
            self.widgets[first] = f"${{{first}:{default}}}" if isinstance(default, str) else f"${{{first}}}"
            return Unknown()
        if last in ("Namespace", "SimpleNamespace"):
            return Instance(None, dict(arguments.named))
        if machine.following and (made := self.formatted(arguments)) is not None:
            return made
        if any(isinstance(each, Expr) for each in arguments.values):
            return call("udf", *(as_expr(each) for each in arguments.values))
        inputs = tuple(frame for each in arguments.every for frame in frames_in(each))
        return Unknown(inputs, f"{name} is not known", has_columns=any(map(has_columns_in, arguments.every)))

    def _function(self, name: str, arguments: Arguments) -> Evaluated:
        if name.startswith("schema_of_"):
            text = text_argument(arguments.get(0))
            return literal(sample_type(text) if text is not None else None)
        if name in ("udf", "pandas_udf"):
            function = arguments.get(0)
            if isinstance(function, Function):
                self.machine.executed.add((function.scope.path, function.node.lineno))
        return function_call(name, arguments, self.machine)

    def _builtin(self, name: str, arguments: Arguments) -> Evaluated:
        first = arguments.get(0)
        items = self.machine.items
        if isinstance(first, Expr) and name in _OF_VALUES:
            return call("cast" if name in ("str", "int", "float", "bool") else name, first)
        match name:
            case "str":
                return str(first) if isinstance(first, str | int | float) else Unknown()
            case "list" | "tuple" | "set" | "iter" | "frozenset":
                return items(first) if first is not None else []
            case "sorted":
                listed = items(first)
                key = arguments.named.get("key")
                keys = (
                    listed if key is None else [self.machine.call(key, replace(arguments, values=(x,))) for x in listed]
                )
                if not all(isinstance(each, str) for each in keys) and not all(
                    type(each) in (int, float) for each in keys
                ):
                    return listed
                order = sorted(range(len(keys)), key=keys.__getitem__)
                order = order[::-1] if self.machine.truth(arguments.named.get("reverse", False)) else order
                return [listed[at] for at in order]
            case "reversed":
                return items(first)[::-1]
            case "sum" if isinstance(first, list | tuple):
                start = arguments.get(1, "start", default=0)
                return reduce(partial(self.machine.binary, ast.Add()), items(first), start)
            case "any" | "all" if isinstance(first, list | tuple):
                truths = [self.machine.truth(each) for each in items(first)]
                decides = name == "any"
                return decides if decides in truths else Unknown() if None in truths else not decides
            case "dict":
                pairs = [each for each in items(first) if isinstance(each, tuple) and len(each) == 2]
                listed_pairs = first if isinstance(first, dict) else dict(pairs)
                return {**listed_pairs, **arguments.named}
            case "len" if not isinstance(first, Rows):
                return len(first) if isinstance(first, str | list | tuple | dict) else Unknown()
            case "range":
                known = [each for each in arguments.values if isinstance(each, int)]
                return (
                    range(*known) if 0 < len(known) == len(arguments.values) < 4 and 0 not in known[2:] else Unknown()
                )
            case "vars" if isinstance(first, Instance):
                return dict(first.names)
            case "zip":
                return list(zip(*map(items, arguments.values), strict=False))
            case "enumerate":
                return list(enumerate(items(first)))
            case "map":
                return [
                    self.machine.call(first, Arguments((each,), {}, arguments.place))
                    for each in items(arguments.get(1))
                ]
            case "filter" | "next":
                return items(arguments.get(1)) if name == "filter" else next(iter(items(first)), Unknown())
            case "open":
                found = self._file(first)
                return _Text(self.files[found]) if found is not None else Unknown()
            case "getattr":
                if (attribute := arguments.text(1)) is None:
                    return Unknown(tuple(frames_in(first)))
                found_attribute = self.machine.attribute(first, attribute, arguments.place)
                is_absent = isinstance(first, Instance | Class) and isinstance(found_attribute, Unknown)
                return arguments.get(2) if is_absent and len(arguments.values) > 2 else found_attribute
            case "callable" if isinstance(first, Function | Method | Library | External | str | Expr):
                return not isinstance(first, str | Expr)
            case "isinstance":
                return _is_instance(first, arguments.get(1))
            case "display":
                self.job.used += [(frame, arguments.place) for frame in frames_in(first)]
            case "print":
                return None
            case "eval" | "exec":
                self.job.problem(arguments.place, "a text that the program runs is not read")
        return Unknown(tuple(frame for each in arguments.every for frame in frames_in(each)))

    def _file(self, name: Evaluated) -> str | None:
        """Return the file of the repository that a program opens; None if it has none of this name."""
        if not isinstance(name, str) or not name or "${" in name:
            return None
        plain = name.removeprefix("./").lstrip("/")
        is_absolute = name.startswith("/")
        near = str(PurePosixPath(self.path).parent / plain)
        if near in self.files:
            return near
        fitting = [each for each in self.files if each == plain or each.endswith("/" + plain)]
        while not fitting and is_absolute and plain:  # of another machine: the repository has its last folders
            plain = plain.partition("/")[2]
            fitting = [each for each in self.files if plain and (each == plain or each.endswith("/" + plain))]
            fitting = fitting if len(fitting) == 1 else []
        return max(fitting, key=lambda each: _shared(each, self.path), default=None)

    def _document(self, text: Evaluated) -> Evaluated:
        if not isinstance(text, str):
            return Unknown()
        try:
            return load_text(text)
        except ValueError:
            found = self.load(text)
            return found if found is not None else Unknown()

    def _delta(self, name: str, arguments: Arguments) -> Evaluated:
        where = next((each for each in arguments.every if isinstance(each, str)), None)
        if name == "forName":
            return Merge(self.job, datasets.table(where) if where else None)
        if name == "forPath":
            return Merge(self.job, datasets.path(where) if where else None)
        return Unknown()

    def _pipeline_options(self, name: str, arguments: Arguments) -> Evaluated:
        """Return the options of a pipeline of Beam: those that a class of the program adds, or an unknown one."""
        of = arguments.get(0)
        adds = of.find("_add_argparse_args") if isinstance(of, Class) else None
        if not name.endswith(".view_as") or adds is None:
            return External("apache_beam.options.PipelineOptions")
        options = _Options(self.task.listed)
        self.machine.call(adds, Arguments((of, options), {}, arguments.place))
        return Instance(None, options.names)

    def _pipeline(self, name: str, arguments: Arguments) -> Evaluated:
        """Return what a function of a declarative pipeline returns: a decorator, or a table's frame."""
        if name in ("read", "read_stream", "readStream"):
            table = arguments.text(0, "name")
            return self._live_frame(table, arguments.place) if table else Unknown()
        if name in ("apply_changes", "create_auto_cdc_flow", "apply_changes_from_snapshot"):
            target, source = arguments.text(0, "target"), arguments.get(1, "source")
            frame = self._live_frame(source, arguments.place) if isinstance(source, str) else Unknown()
            dropped = columns_of([arguments.named.get("except_column_list")])
            kept = frame.without(dropped) if isinstance(frame, Frame) else frame
            self.job.write(datasets.table(target) if target else None, kept, arguments.place)
            return Unknown()
        if name == "create_sink" and (sink := arguments.text(0, "name")):
            given = arguments.get(2, "options")
            options = {str(key).lower(): each for key, each in given.items()} if isinstance(given, dict) else {}
            texts = {key: each if isinstance(each, str) else None for key, each in options.items()}
            kind = arguments.text(1, "format") or ""
            topic = texts.get("topic")
            is_kafka = kind == "kafka"
            named = (datasets.topic(topic) if topic else None) if is_kafka else datasets.external(kind, texts, None)
            self.live_sinks[sink] = named
            return Unknown()
        function = arguments.get(0)
        mark = _live_mark(name, arguments.text(-1, "target") or arguments.text(0, "name"))
        if isinstance(function, Function) and mark is not None:
            return self.decorated(self.machine, mark, function, arguments.place)
        return mark or Unknown()


def _of_elements(base: Expr, machine: Machine, given: Arguments) -> Evaluated:
    """Return what a function makes of an array's elements: one item for all of them."""
    function = given.get(0)
    if not isinstance(function, Function):
        return column_method(base, "map", given)
    return [machine.call(function, Arguments((call("getitem", base, literal(0)),), {}, given.place))]


def _likeness(name: str, package: str) -> tuple[bool, int]:
    """Return how likely a package has a name: JdbcSink is rather of `connector.jdbc` than of `table.api`."""
    words = package.split(".")
    return words[0] != "java", sum(1 for word in words if word in name.lower())


def _unresolved(value: Unknown | None) -> str:
    return (value and value.why) or "a frame is not resolved"


def _unwrapped(value: Evaluated) -> Evaluated:
    """Return what a value wraps; a `for` over wrapped values makes a list of one."""
    return value[0] if isinstance(value, list) and len(value) == 1 else getattr(value, "wrapped", value)


def _of_function(base: Function, name: str) -> Evaluated:
    """Return a method of a function: of an interface with one method, any name calls it."""
    if name in ("andThen", "compose"):
        return Method(base, lambda _, given: Method(base, partial(_chained, (base, given.get(0)), name == "compose")))
    return Method(base, lambda machine, given: machine.call(base, given))


def _chained(functions: Sequence[Evaluated], is_reversed: bool, machine: Machine, given: Arguments) -> Evaluated:
    for function in reversed(functions) if is_reversed else functions:
        given = Arguments((machine.call(function, given),), {}, given.place)
    return given.get(0)


def _moved_path(path: PurePosixPath, name: str, given: Sequence[Evaluated]) -> Evaluated:
    texts = [each for each in given if isinstance(each, str)]
    if len(texts) != len(given) or not texts:
        return Unknown()
    if name == "joinpath":
        return joined_path(str(path), *texts)
    try:
        return str(path.with_name(texts[0]) if name == "with_name" else path.with_suffix(texts[0]))
    except ValueError:
        return Unknown()


def _is_instance(value: Evaluated, kinds: Evaluated) -> Evaluated:
    """Return whether a value has one of the types; Unknown if that is not certain."""
    listed = kinds if isinstance(kinds, list | tuple) else [kinds]
    names = {each.name.rpartition(".")[2] for each in listed if isinstance(each, External)}
    if isinstance(value, Type):
        classes = {name.lower().removesuffix("type") for name in names}
        is_known = value.class_name and not classes & {"numeric", "atomic", "integral", "fractional", "data"}
        return value.class_name in classes if is_known else Unknown()
    if isinstance(value, Frame | Expr):
        return type(value).__name__ in {{"DataFrame": "Frame", "Column": "Expr"}.get(name) for name in names}
    return type(value).__name__ in names if isinstance(value, str | int | float | list | dict | tuple) else Unknown()


def _live_mark(name: str, given: str | None) -> _Live | None:
    if name in ("table", "view", "temporary_view", "materialized_view", "append_flow"):
        return _Live(given, is_view=name in ("view", "temporary_view"))
    return None


_TYPES = frozenset(
    {"StructType", "StructField", "ArrayType", "MapType", "fromJson", "fromDDL", "_parse_datatype_string"}
) | {"_parse_datatype_json_string"}


def _type(name: str, arguments: Arguments) -> Evaluated:
    """Return the type of a constructor of pyspark.sql.types."""
    first = arguments.get(0, "fields", "name", "elementType", "keyType")
    match name:
        case "StructType":
            if first is not None and not (isinstance(first, list | tuple) and all(map(_is_field, first))):
                return Unknown(why="the fields of a type are not known")
            return _added_all(Type("struct"), first or ())
        case "StructField":
            return Instance(None, {"name": first, "dataType": arguments.get(1, "dataType")})
        case "ArrayType":
            return Type("array", element=_as_type(first))
        case "MapType":
            return Type("map", element=_as_type(arguments.get(1, "valueType")))
    text = _dumped(first) if isinstance(first, dict) else first
    return (schema_type(text) if isinstance(text, str) else None) or Unknown()


def _is_field(value: Evaluated) -> bool:
    return isinstance(value, Instance) and isinstance(value.names.get("name"), str)


def _as_type(value: Evaluated) -> Type | None:
    return value if isinstance(value, Type) else ddl_type(value) if isinstance(value, str) else PLAIN


def _added_all(base: Type, fields: Iterable[Evaluated]) -> Type:
    for each in fields:
        if isinstance(each, Instance) and isinstance(name := each.names.get("name"), str):
            base = Type("struct", (*base.fields, (name, _as_type(each.names.get("dataType")))))
    return base


def _added(base: Type, given: Arguments) -> Type:
    first = given.get(0, "field")
    if isinstance(first, str):
        return Type("struct", (*base.fields, (first, _as_type(given.get(1, "data_type")))))
    return _added_all(base, [first])


def _dumped(value: Evaluated) -> Evaluated:
    """Return a value as JSON, unless it is large: its parts may be in it many times."""
    count, waiting = 0, [value]
    while waiting and count <= _MOST_PARTS:
        part = waiting.pop()
        count += 1
        waiting += part.values() if isinstance(part, dict) else part if isinstance(part, list | tuple) else ()
    if count > _MOST_PARTS:
        return Unknown()
    try:
        return json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        return Unknown()


_ADDED_TO = {Frame: "DataFrame", Expr: "Column"}
_INSERTS = frozenset({"executeInsert", "execute_insert"})
_SETTINGS = frozenset({"getString", "getProperty", "getConfig"})
"""Methods of configurations that return the text of a setting, or a section."""
_MOST_PARTS = 5_000
_REACHING = frozenset(
    ("write", "writeStream", "writeTo", "readStream", "read", "sql", "merge", "start", "save", "table", "toTable")
) | frozenset(
    (
        "executeSql",
        "execute_sql",
        "executeInsert",
        "execute_insert",
        "addInsert",
        "add_insert",
        "insertInto",
        "sqlQuery",
        "sinkTo",
        "addSink",
        "sink_to",
        "add_sink",
        "fromSource",
        "from_source",
    )
)
_BUILTINS = frozenset(
    ("str", "list", "tuple", "set", "iter", "frozenset", "sorted", "reversed", "dict", "len", "range", "zip", "map")
) | {
    *(
        "callable",
        "display",  # of notebooks
        "vars",
        "enumerate",
        "eval",
        "exec",
        "filter",
        "next",
        "open",
        "getattr",
        "print",
        "int",
        "float",
        "bool",
        "all",
        "any",
        "sum",
        "isinstance",
        "max",
        "min",
    )
}
"""Functions of Python that are known, or whose result does not matter."""
_WRAPPING = frozenset({"Try", "Success", "Right", "Left", "Failure"})
_STREAMING = ("org.apache.flink.", "pyflink.", "org.apache.beam.", "org.elasticsearch.")
_UNIMPORTED = frozenset({"sys", "System", "StringBuilder", "StringBuffer"})
"""Names of the libraries of Java and Scala that need no import."""
_OF_VALUES = frozenset({"str", "int", "float", "bool", "len", "round", "abs", "max", "min", "sum"})
"""Functions of Python that a pipeline of Beam applies to the values of elements."""
_LOWERED = frozenset(
    {"dict", "isinstance", "len", "list", "object", "print", "property", "set", "staticmethod", "super"}
)
"""Builtins that programs of other languages are lowered to; they do not have the others."""
_SHADOWING = frozenset({"max", "min", "filter", "sum"})
"""Those of them that pyspark.sql.functions has, too: all of its names are imported over them."""


def _reaches(node: ast.AST) -> bool:
    """Return whether a function may read or write a frame."""
    return any(isinstance(each, ast.Attribute) and each.attr in _REACHING for each in ast.walk(node))
