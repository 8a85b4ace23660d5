"""Streams for the machine: Flink's DataStream API, and Beam in Java; their functions are called with an element.

Objects that programs in Java and Scala send to topics are left to the model of endpoints, which knows the names that
notes give to their fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from scanner_programs.frames import datasets
from scanner_programs.frames.beam import Rows, document, members_of, whole
from scanner_programs.frames.drivers import Connection
from scanner_programs.frames.expressions import Expr, Kind, Out, call, literal
from scanner_programs.frames.flink import Camel, Declared, declared
from scanner_programs.frames.machine import (
    Arguments,
    Class,
    Evaluated,
    Function,
    Instance,
    Machine,
    Method,
    Unknown,
    is_plain,
    options_of,
)
from scanner_programs.frames.relations import Frame
from scanner_programs.frames.spark import Job
from scanner_programs.frames.values import Dataset, Type, record_columns
from scanner_programs.libraries.streams import STREAMS, Step

_STEPS: Mapping[str, Step] = {
    **STREAMS["org.apache.flink"],
    "returns": Step(),
    "ParDo": Step({1: "context", 2: "value out"}, "values", ("processElement", "process")),
    "MapElements": Step({1: "value"}, "value", ("apply",)),
    "FlatMapElements": Step({1: "value"}, "values", ("apply",)),
    "Filter": Step({1: "value"}, "", ("apply",)),
}
_ENDLESS = frozenset({"print", "printToErr", "executeAndCollect", "collect"})
_NOT_KAFKA = frozenset({"fromCollection", "fromElements", "fromSequence", "generateSequence"})
_RENAMING = ("@JsonProperty", "@SerializedName", "@JsonNaming", "@JSONField", "@JsonAlias")
"""Notes that give fields other names in messages than in the program."""
PUTTING = frozenset({"put", "set", "add", "addProperty", "append", "field", "setField"})


@dataclass(slots=True, eq=False)
class Builder(Camel):
    """An object of a connector, with what it is made with: the calls of its methods."""

    name: str
    settings: tuple[tuple[str, tuple[Evaluated, ...]], ...] = ()

    def other(self, name: str, machine: Machine, place: str) -> Evaluated:
        def run(machine: Machine, given: Arguments) -> Evaluated:
            if machine.following and name not in PUTTING and any(isinstance(each, Expr) for each in given.every):
                return machine.modules.formatted(given)
            return Builder(self.name, (*self.settings, (name, given.every)))

        return Method(self, run)

    def called(self, machine: Machine, arguments: Arguments) -> Evaluated:
        return self

    def values(self, *names: str) -> Iterator[Evaluated]:
        """Yield what methods are called with, also of the objects that are given to it; without names, of all."""
        for name, given in self.settings:
            for value in given:
                if isinstance(value, Builder):
                    yield from value.values(*names)
                for each in options_of(value) if not names or name in names else ():
                    yield from each if isinstance(each, list | tuple) else [each]

    def texts(self, *names: str) -> list[str]:
        """Return the texts that methods are called with."""
        return [each for each in self.values(*names) if isinstance(each, str)]

    @property
    def built(self) -> dict[str, Evaluated]:
        """Return the members of a document that is built."""
        return {str(given[0]): given[1] for name, given in self.settings if name in PUTTING and len(given) == 2}

    @property
    def topics(self) -> list[str]:
        """Return the topics that it names."""
        named = self.texts("setTopics", "setTopic", "withTopic", "withTopics")
        own = self.texts("new") if self.name.startswith("FlinkKafka") else []
        return named or (own[1:2] if self.name == "FlinkKafkaProducer" and len(own) > 1 else own[:1])


@dataclass(slots=True, eq=False)
class Outlet(Camel):
    """What functions hand their results to, and statements and requests their parts."""

    element: Evaluated = None
    items: list[Evaluated] = field(default_factory=list)
    side: list[Evaluated] = field(default_factory=list)
    places: dict[int, Evaluated] = field(default_factory=dict)

    def do_collect(self, machine: Machine, arguments: Arguments) -> None:
        (self.side if len(arguments.values) > 1 else self.items).append(
            arguments.values[-1] if arguments.values else None
        )

    do_output = do_add = do_collect

    def do_element(self, machine: Machine, arguments: Arguments) -> Evaluated:
        return self.element

    def other(self, name: str, machine: Machine, place: str) -> Evaluated:
        def run(machine: Machine, given: Arguments) -> Outlet:
            if name.startswith("set") and len(given.values) > 1 and isinstance(at := given.get(0), int):
                self.places[at - 1] = given.get(1)
            return self

        return Method(self, run)


@dataclass(slots=True, eq=False)
class Stream(Camel):
    """A stream of elements, and those that its function put out beside it."""

    job: Job
    texts: Mapping[str, str]
    rows: tuple[Rows, ...] = ()
    side: tuple[Rows, ...] = ()

    def made(self, rows: Iterable[Rows], side: Iterable[Rows] = ()) -> Stream:
        """Return the stream of other elements."""
        return Stream(self.job, self.texts, tuple(rows), tuple(side))

    # --- sources

    def do_fromSource(self, machine: Machine, arguments: Arguments) -> Stream:
        source = arguments.get(0)
        topics = [datasets.topic(each) for each in source.topics] if isinstance(source, Builder) else []
        if not topics:
            self.job.problem(arguments.place, "what a stream reads is not resolved")
            return self.made([(Frame(), literal(None))])
        for topic in topics:
            self.job.reads.setdefault(topic, arguments.place)
        frame = Frame(tuple(Out(name, value) for name, value in record_columns(topics)), sources=frozenset(topics))
        value = frame.column("value")
        element = self._parsed(machine, source, value) if isinstance(source, Builder) else value
        if isinstance(source, Builder) and source.name == "KafkaIO":
            pair = {"key": frame.column("key"), "value": value}
            element = Instance(None, {**pair, "kV": Instance(None, pair)})
        return self.made([(frame, element)])

    do_addSource = do_fromSource

    def _parsed(self, machine: Machine, source: Builder, value: Expr) -> Evaluated:
        """Return an element as the deserializer of a source makes it."""
        for each in source.values():
            if isinstance(each, Instance) and each.of is not None and each.of.find("deserialize") is not None:
                made = self._called(machine, Step({1: "value", 2: "value out"}, "", ("deserialize",)), each, value)[0]
                return made if made is not None else whole(value, "udf")
            if isinstance(each, Class) and each.fields:
                if any(note in self.texts.get(each.scope.path, "") for note in _RENAMING):
                    return whole(value, "udf")
                return call("from_json", value, literal(Type("struct", tuple((name, None) for name in each.fields))))
        return value

    # --- steps

    def other(self, name: str, machine: Machine, place: str) -> Evaluated:
        if name in _ENDLESS:
            return Method(self, self._used)
        if name in _NOT_KAFKA:
            return Method(self, lambda _, __: self.made([(Frame(), literal(None))]))
        return Method(self, lambda machine, given: self._stepped(machine, name, given))

    def _stepped(self, machine: Machine, name: str, given: Arguments) -> Stream:
        step, function = _STEPS.get(name), given.get(0)
        if isinstance(function, Class):
            function = machine.call(function, Arguments((), {}, given.place))
        others = [row for each in given.values if isinstance(each, Stream) for row in each.rows]
        is_same = step is not None and (not step.given or step.makes in ("", "key"))
        if not isinstance(function, Function | Instance | Method) and (is_same or all(map(is_plain, given.values))):
            return self.made([*self.rows, *others], self.side)
        rows: list[Rows] = []
        side: list[Rows] = []
        for frame, element in self.rows:
            made, beside = self._called(machine, step, function, element) if step is not None else (None, [])
            if made is None and (step is None or step.makes not in ("", "key")):
                self.job.problem(given.place, "what a function makes of the elements of a stream is not resolved")
                made = whole(element, "udf")
            if step is not None and not step.makes:
                test = made if isinstance(made, Expr) else whole(element, "udf")
                rows.append((frame.decided_by([test], "FILTER"), element))
            else:
                rows.append((frame, element if step is not None and step.makes == "key" else made))
            side += [(frame, each) for each in beside]
        return self.made(rows, side)

    @staticmethod
    def _called(
        machine: Machine, step: Step, function: Evaluated, element: Evaluated
    ) -> tuple[Evaluated, list[Evaluated]]:
        """Return what a function makes of an element, and what it puts out beside the stream."""
        if isinstance(function, Instance) and function.of is not None:
            names = [name for each in step.methods for name in (each, _snake(each))]
            function = next(
                (machine.attribute(function, name, "") for name in names if function.of.find(name) is not None),
                Unknown(),
            )
        if not isinstance(function, Function | Method):
            return None, []
        count = len(function.node.args.args) - len(function.bound) if isinstance(function, Function) else 1
        collector = Outlet(element)
        given = {"value": element, "out": collector, "context": collector, "list": [element]}
        words = step.given.get(count, "value").split()
        result = _run(machine, function, *(given.get(each, Unknown()) for each in words))
        items = collector.items or (list(result) if isinstance(result, list) else [result])
        known = [each for each in items if each is not None and not isinstance(each, Unknown)]
        if len(known) == 1:
            return known[0], collector.side
        return whole(known, "udf") if known else None, collector.side

    def do_getSideOutput(self, machine: Machine, arguments: Arguments) -> Stream:
        return self.made(self.side or ((frame, whole(element, "udf")) for frame, element in self.rows))

    def do_apply(self, machine: Machine, arguments: Arguments) -> Stream:
        """Apply a transform of Beam."""
        transform = arguments.values[-1] if arguments.values else None
        given = Arguments(arguments.values[-1:], {}, arguments.place)
        if not isinstance(transform, Builder):
            return self.made((frame, whole(element, "udf")) for frame, element in self.rows)
        names = {name for name, _ in transform.settings}
        if any(name.startswith("read") for name in names):
            return self.do_fromSource(machine, given)
        if any(name.startswith("write") for name in names):
            self.do_sinkTo(machine, given)
            return self.made(())
        functions = [each for each in transform.values("of", "via", "by") if isinstance(each, Function | Instance)]
        if functions:
            return self._stepped(machine, transform.name, Arguments((functions[-1],), {}, arguments.place))
        if transform.name in ("Values", "Keys"):
            part = transform.name[:-1].lower()
            return self.made((frame, machine.attribute(element, part, "")) for frame, element in self.rows)
        return self

    # --- sinks

    def _used(self, machine: Machine, arguments: Arguments) -> Stream:
        self.job.used += [(frame.select(self._columns(frame, each)), arguments.place) for frame, each in self.rows]
        return self

    def do_sinkTo(self, machine: Machine, arguments: Arguments) -> Builder:
        sink, place = arguments.get(0), arguments.place
        if not self.rows:
            self.job.problem(place, "what a stream writes is not resolved")
        for frame, element in self.rows:
            self._sink(machine, sink, frame, element, place)
        return Builder("sink")

    do_addSink = do_sinkTo

    def _sink(self, machine: Machine, sink: Evaluated, frame: Frame, element: Evaluated, place: str) -> None:
        if isinstance(sink, Instance):
            before = len(self.job.sinks)
            self._called(machine, Step({1: "value", 2: "value context"}, "", ("invoke", "write")), sink, element)
            if len(self.job.sinks) == before:
                self.job.problem(place, "what a function of single rows does with them is not resolved")
                self.job.used.append((frame.select(self._columns(frame, element)), place))
            return
        builder = sink if isinstance(sink, Builder) else Builder("")
        if "Kafka" in builder.name:
            if place.partition(":")[0].endswith(".py") or isinstance(element, dict | Builder):
                records = frame.select([Expr(Kind.ALIAS, args=(document(element),), data=("value",))])
                for topic in builder.topics or [""]:
                    self.job.write(datasets.topic(topic) if topic else None, records, place, is_topic=True)
            return
        functions = [each for each in builder.values() if isinstance(each, Function)]
        statement = next((each for each in builder.texts() if each.lstrip()[:6].upper() in _STATEMENTS), None)
        if statement is not None:
            self._sent(machine, builder, statement, functions, (frame, element), place)
            return
        if functions:  # makes requests of an element
            collector = Outlet()
            _run(machine, functions[0], element, collector, collector)
            requests = [each for each in collector.items if isinstance(each, Builder)]
            for request in requests:
                index, sources = request.texts("index", "new"), [*request.values("source")]
                target = Dataset("elasticsearch://", index[0]) if index else None
                self.job.write(target, frame.select(self._columns(frame, sources[0] if sources else element)), place)
            if requests:
                return
        self.job.write(_target(builder), frame.select(self._columns(frame, element)), place)

    def _sent(
        self, machine: Machine, builder: Builder, statement: str, setters: list[Function], row: Rows, place: str
    ) -> None:
        """Note what a statement of SQL writes, whose places a function sets."""
        frame, element = row
        collector = Outlet()
        for setter in setters[:1]:
            pair = (element, collector) if "Beam" in builder.name or builder.name == "JdbcIO" else (collector, element)
            _run(machine, setter, *pair)
        places = collector.places
        known = [places.get(at) for at in range(max(places, default=-1) + 1)]
        named = element if isinstance(element, dict) else element.names if isinstance(element, Instance) else {}
        url = next((each for each in builder.texts() if each.startswith("jdbc:")), "")
        self.job.collected.append(frame)
        connection = Connection(self.job, url.split(":")[1] if url else "", url=url)
        connection.run(statement, known or list(named.values()) or [element], place)

    def _columns(self, frame: Frame, element: Evaluated) -> list[Expr]:
        """Return the columns of an element in a table."""
        named = members_of(element)
        if named is None and isinstance(element, Expr):
            outs = frame.select([Expr(Kind.ALIAS, args=(element,), data=("e",))]).columns
            names = outs[0].value.member_names if outs else None
            named = {name: call("getitem", element, literal(name)) for name in names} if names else None
        listed = named if named is not None else {"value": element}
        return [Expr(Kind.ALIAS, args=(document(each),), data=(name,)) for name, each in listed.items()]

    # --- as a table

    def table(self) -> Declared | None:
        """Return the stream as statements of Flink; None if it is not resolved."""
        return declared(frame.select(self._columns(frame, element)) for frame, element in self.rows)


def _run(machine: Machine, function: Evaluated, *given: Evaluated) -> Evaluated:
    """Return what a function makes of elements."""
    machine.following += 1
    result = machine.call(function, Arguments(given, {}, ""))
    machine.following -= 1
    return result


_STATEMENTS = ("INSERT", "UPDATE", "UPSERT", "REPLAC", "MERGE ")


def _snake(name: str) -> str:
    return "".join(f"_{each.lower()}" if each.isupper() else each for each in name)


def _target(builder: Builder) -> Dataset | None:
    """Return the dataset of a sink; None if it is not resolved."""
    texts = builder.texts()
    to = builder.texts("to", "forRowFormat", "forBulkFormat") or texts
    if "BigQuery" in builder.name and to:
        return Dataset("bigquery", to[0].replace(":", "."))
    path = next((each for each in to if datasets.is_path(each)), None)
    return datasets.path(path) if path is not None and "Jdbc" not in builder.name else None


def stream_call(job: Job, texts: Mapping[str, str], name: str, arguments: Arguments) -> Evaluated:
    """Return what a function of Flink's or Beam's streams in Java returns; None for one that is not known."""
    package, _, last = name.rpartition(".")
    owner = package.rpartition(".")[2]
    if last.startswith(("Tuple", "Row", "KV")) or owner.startswith(("Tuple", "Row", "KV")):
        names = ("key", "value") if "KV" in (owner, last) else [f"f{at}" for at in range(len(arguments.values))]
        return Instance(None, {**dict(zip(names, arguments.values, strict=False)), **arguments.named})
    if owner == "StreamExecutionEnvironment" or (owner == "Pipeline" and last == "create"):
        return Stream(job, texts)
    if any(each in name for each in (".table.", ".typeinfo.")):
        return None
    if owner[:1].isupper():
        return Builder(owner, ((last, arguments.every),))
    return Builder(last, (("new", arguments.every),)) if last[:1].isupper() else None


def member_of(base: Expr, name: str, given: Arguments) -> Expr:
    """Return what a method of an element returns in Java: a member, or the value in another form."""
    first = given.get(0)
    if isinstance(first, str) and len(given.every) == 1 and (name.startswith(_GETTING) or name == "_"):
        return call("getitem", base, literal(first.strip("/")))
    begin = 3 if name.startswith("get") else 2 if name.startswith("is") else 0
    if begin and not given.every and name[begin : begin + 1].isupper():
        return call("getitem", base, literal(name[begin].lower() + name[begin + 1 :]))
    others = [each for each in given.every if isinstance(each, Expr)]
    return call("udf", base, *others) if others else call("format", base)


_GETTING = ("get", "path", "at", "opt", "with", "required", "find")
