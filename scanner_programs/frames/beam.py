"""Pipelines of Beam in Python for the machine: the values of elements are columns of what is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from scanner_programs.frames import datasets
from scanner_programs.frames.expressions import Expr, Kind, Out, call, literal
from scanner_programs.frames.machine import (
    Arguments,
    Class,
    Evaluated,
    Instance,
    Library,
    Machine,
    Method,
    Unknown,
    as_expr,
    options_of,
)
from scanner_programs.frames.relations import Frame
from scanner_programs.frames.spark import Job
from scanner_programs.frames.values import Dataset, record_columns

Rows = tuple[Frame, Evaluated]
"""What is read, and an element that is made of its columns."""
_MOST = 50
_SAME = frozenset({"WindowInto", "Reshuffle", "Distinct", "LogElements", "WithKeys", "BatchElements", "Sample"})
_WRITES = ("WriteTo", "WriteAll")


@dataclass(slots=True, eq=False)
class Collection(Library):
    """A collection; of several sources, the elements of each."""

    machine: Machine
    job: Job
    rows: tuple[Rows, ...] = ()

    def operated(self, sign: str, other: Evaluated, *, is_left: bool) -> Evaluated:
        """Return what a transform makes of the collection: `lines | Map(f)`."""
        if isinstance(other, Transform) and sign == "OR":
            return other.apply(self)
        return Unknown(tuple(frame for frame, _ in self.rows), "a transform of Beam is not resolved")

    @property
    def frame(self) -> Frame | None:
        """Return what the collection is made of."""
        return self.rows[0][0] if self.rows else None

    def made(self, make: Callable[[Evaluated], Evaluated]) -> Collection:
        """Return the collection of other elements."""
        return Collection(self.machine, self.job, tuple((frame, make(each)) for frame, each in self.rows))


@dataclass(slots=True, eq=False)
class Transform(Library):
    """A transform, which may have a label."""

    apply: Callable[[Collection], Evaluated]

    def operated(self, sign: str, other: Evaluated, *, is_left: bool) -> Evaluated:
        """Return the transform under its label, or applied to several collections: `(a, b) | Flatten()`."""
        if sign == "OR" and isinstance(other, tuple | list):
            listed = [each for each in other if isinstance(each, Collection)]
            if listed:
                rows = tuple(row for each in listed for row in each.rows)
                return self.apply(Collection(listed[0].machine, listed[0].job, rows))
        return self

    def other(self, name: str, machine: Machine, place: str) -> Evaluated:
        return Method(self, lambda _, __: self)


def exprs_in(value: Evaluated, depth: int = 0) -> Iterator[Expr]:
    """Yield the columns that a value is made of."""
    if isinstance(value, Expr):
        yield value
    elif depth < 4:
        parts = value.names if isinstance(value, Instance) else getattr(value, "built", value)
        items = parts.values() if isinstance(parts, dict) else parts if isinstance(parts, list | tuple) else ()
        yield from (each for item in list(items)[:_MOST] for each in exprs_in(item, depth + 1))


def whole(value: Evaluated, function: str) -> Expr:
    """Return what a function that is not followed makes of a value."""
    return call(function, *exprs_in(value))


def members_of(value: Evaluated) -> dict[str, Evaluated] | None:
    """Return the members of an object or document; None for other values."""
    if isinstance(value, Instance):
        return {name: each for name, each in value.names.items() if any(exprs_in(each))} or None
    named = value if isinstance(value, dict) else getattr(value, "built", None)
    return {str(key): each for key, each in named.items()} if isinstance(named, dict) and named else None


def document(value: Evaluated) -> Expr:
    """Return a value as the document that it is written as."""
    value = members_of(value) or value
    if isinstance(value, dict):
        parts = [part for key, each in value.items() for part in (literal(str(key)), document(each))]
        return call("named_struct", *parts)
    return as_expr(value) if isinstance(value, Expr) else whole(value, "array")


def beam_call(job: Job, machine: Machine, name: str, arguments: Arguments) -> Evaluated:
    """Return what a function of Beam returns; None for one that is not known."""
    last = name.rpartition(".")[2]
    first = arguments.get(0)
    match last:
        case "Pipeline" | "TestPipeline":
            return Collection(machine, job)
        case "ReadFromKafka":
            return Transform(lambda _: _read(job, machine, arguments))
        case "Map" | "MapTuple" | "FlatMap" | "FlatMapTuple" | "ParDo":
            return Transform(lambda collection: collection.made(lambda each: _mapped(machine, last, each, arguments)))
        case "Filter":
            return Transform(lambda collection: _filtered(machine, collection, arguments))
        case "Keys" | "Values":
            at = 0 if last == "Keys" else 1
            return Transform(lambda collection: collection.made(lambda each: machine._element(each, at)))
        case "KvSwap":
            return Transform(
                lambda collection: collection.made(lambda each: each[::-1] if isinstance(each, tuple) else each)
            )
        case "Flatten":
            return Transform(lambda collection: collection)
    if last in _SAME:
        return Transform(lambda collection: collection)
    if last.startswith(_WRITES):
        return Transform(lambda collection: _write(collection, last, arguments))
    if last.endswith("PerKey") or last in ("GroupByKey", "GroupIntoBatches"):
        return Transform(lambda collection: collection.made(_grouped))
    if last[:1].isupper() and not isinstance(first, Class):
        return Transform(lambda collection: collection.made(lambda each: whole(each, "combined")))
    return None


def _grouped(element: Evaluated) -> Evaluated:
    """Return the pair of a key and what is made of all values that have it."""
    if not isinstance(element, tuple) or len(element) != 2:
        return whole(element, "combined")
    return element[0], call("aggregated", whole(element[1], "combined"))


def _read(job: Job, machine: Machine, arguments: Arguments) -> Evaluated:
    listed = arguments.get(1, "topics")
    topics = [
        datasets.topic(each)
        for value in (listed if isinstance(listed, list | tuple) else [listed])
        for each in options_of(value)
        if isinstance(each, str)
    ]
    if not topics:
        job.problem(arguments.place, "the topic that is read is not resolved")
    for topic in topics:
        job.reads.setdefault(topic, arguments.place)
    frame = Frame(tuple(Out(name, value) for name, value in record_columns(topics)), sources=frozenset(topics))
    pair = (frame.column("key"), frame.column("value"))
    has_metadata = arguments.named.get("with_metadata") is True
    element = Instance(None, {"key": pair[0], "value": pair[1]}) if has_metadata else pair
    return Collection(machine, job, ((frame, element),))


def _mapped(machine: Machine, name: str, element: Evaluated, arguments: Arguments) -> Evaluated:
    function, *rest = arguments.values or (Unknown(),)
    if isinstance(function, Class):
        function = machine.call(function, Arguments((), {}, arguments.place))
    if name == "ParDo" and isinstance(function, Instance):
        function = machine.attribute(function, "process", arguments.place)
    given = tuple(element) if name.endswith("Tuple") and isinstance(element, tuple) else (element,)
    result = machine.call(function, Arguments((*given, *rest), arguments.named, arguments.place))
    if name in ("ParDo", "FlatMap", "FlatMapTuple") and isinstance(result, list):
        result = result[0] if len(result) == 1 else result and whole(result, "array")
    return result if not isinstance(result, Unknown) else whole(element, "udf")


def _filtered(machine: Machine, collection: Collection, arguments: Arguments) -> Evaluated:
    rows: list[Rows] = []
    for frame, element in collection.rows:
        test = machine.call(arguments.get(0), Arguments((element, *arguments.values[1:]), {}, arguments.place))
        kept = frame.decided_by([test if isinstance(test, Expr) else whole(element, "udf")], "FILTER")
        rows.append((kept, element))
    return Collection(machine, collection.job, tuple(rows))


def _write(collection: Collection, name: str, arguments: Arguments) -> Evaluated:
    job, place = collection.job, arguments.place
    if not collection.rows:
        job.problem(place, "what a pipeline of Beam writes is not resolved")
    for frame, element in collection.rows:
        if name == "WriteToKafka":
            topic = arguments.text(1, "topic")
            pair = element if isinstance(element, tuple) and len(element) == 2 else (None, element)
            columns = [
                Expr(Kind.ALIAS, args=(document(each),), data=(part,))
                for part, each in zip(("key", "value"), pair, strict=True)
            ]
            job.write(datasets.topic(topic) if topic else None, frame.select(columns), place, is_topic=True)
            continue
        named = element if isinstance(element, dict) else {"element": element}
        columns = [Expr(Kind.ALIAS, args=(document(each),), data=(str(key),)) for key, each in named.items()]
        job.write(_target(name, arguments), frame.select(columns), place)
    return Unknown()


def _target(name: str, arguments: Arguments) -> Dataset | None:
    where = arguments.text(0, "table", "file_path_prefix", "path", "table_name")
    if where is None:
        return None
    if name == "WriteToBigQuery":
        dataset, project = arguments.text(-1, "dataset"), arguments.text(-1, "project")
        return Dataset("bigquery", ".".join(filter(None, (project, dataset, where.replace(":", ".")))))
    if name in ("WriteToText", "WriteToParquet", "WriteToAvro", "WriteToJson", "WriteToCsv"):
        return datasets.path(where)
    return None
