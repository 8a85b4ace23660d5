"""Jobs over data frames as flows between columns, and as uses of fields."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from scanner_extractor.repository.applications.field_uses import MOST_PLACES, FoundField
from scanner_extractor.repository.syntax_trees import parse_tree, suffix
from scanner_extractor.repository.yaml_documents import parse_yaml
from scanner_model.columns import ELEMENT, KEY, ColumnPath, field_name, field_segment
from scanner_model.manual import DeclaredFlow, FlowEnd
from scanner_model.names import SourceId
from scanner_programs.frames.datasets import TOPIC
from scanner_programs.frames.expressions import UNNAMED, Out
from scanner_programs.frames.languages.model import lowered as lowered_model
from scanner_programs.frames.languages.scala import lowered
from scanner_programs.frames.relations import Open
from scanner_programs.frames.spark import Job, Sink
from scanner_programs.frames.values import TEXT, Dataset, Origin, Value, every_origin
from scanner_programs.languages import BY_ENDING
from scanner_programs.languages.lowering import Lowering

Resolve = Callable[[Dataset], tuple[Dataset, ...]]
"""Returns what a dataset is called where a job runs: settings in its name have values; none if one has no value."""

_DEEPEST = 4
_MOST_FIELDS = 3_000
_MOST_ORIGINS = 100_000
"""Origins of columns that are followed for one job."""
_Target = tuple[Dataset, ColumnPath | None]
_Column = tuple[Dataset, ColumnPath]


@dataclass(slots=True)
class FrameUses:
    """What a job does, under the *name* of one of its deployments; *left* is how many origins are followed yet."""

    job: Job
    name: str
    description: str
    source: SourceId
    resolve: Resolve
    found: dict[tuple[FlowEnd, FlowEnd], DeclaredFlow] = field(default_factory=dict)
    fields: dict[tuple[str, bool, ColumnPath, bool], set[str]] = field(default_factory=dict)
    left: int = _MOST_ORIGINS
    held: Collection[_Column] = frozenset()
    """The columns of tables that hold whole messages."""
    inside: set[_Column] = field(default_factory=set)
    """Fields of such messages that the job reads."""
    columns: Mapping[Dataset, Collection[str]] = field(default_factory=dict)
    """The columns that the jobs write to each table."""

    def messages(self, held: Collection[_Column]) -> Iterator[_Column]:
        """Yield the columns of tables that the job copies whole messages to, from topics or from columns of *held*."""
        for target, out in self._written():
            origins = {(each, path) for dataset, path in out.value.origins for each in self.resolve(dataset)}
            is_copy = bool(origins) and not out.value.effect and out.value.parts is None
            if is_copy and all(
                (dataset.namespace == TOPIC and not path) or (dataset, path) in held for dataset, path in origins
            ):
                yield target, (field_segment(out.name),)

    def pass_on(self, fields: Collection[_Column]) -> Iterator[_Column]:
        """Add the flows of *fields* of messages to the columns that the job copies these to; yield their origins."""
        for target, out in self._written() if self.held else ():
            column = (target, (field_segment(out.name),))
            for dataset, path in fields if column in self.held else ():
                if (dataset, path[:1]) != column:
                    continue
                for origin, above in out.value.origins:
                    for each in self.resolve(origin):
                        ends = _end(each, (*above, *path[1:])), _end(dataset, path)
                        place = next(sink.place for sink in self.job.sinks if out in sink.frame.columns)
                        self._add(*ends, place, "IDENTITY")
                        yield each, (*above, *path[1:])

    def tables(self, known: Mapping[Dataset, Collection[str]]) -> Iterator[tuple[Dataset, str]]:
        """Yield the columns of tables that the job writes, with those that it copies from tables of *known* columns."""
        for target, out in self._written():
            yield target, out.name
        for sink in self.job.sinks:
            for target in self.resolve(sink.target) if sink.target is not None and not sink.is_topic else ():
                yield from ((target, name) for each in sink.frame.open for name in self._members(sink, each, known))

    def _members(self, sink: Sink, each: Open, known: Mapping[Dataset, Collection[str]]) -> Iterator[str]:
        """Yield the names of the columns that a frame copies from a table without listing them."""
        for origin, path in sorted(each.value.origins):
            for table in self.resolve(origin) if not path else ():
                for name in sorted(known.get(table, ())):
                    if name.casefold() not in each.hidden and sink.frame.named(name) is None:
                        yield name

    def _written(self) -> Iterator[tuple[Dataset, Out]]:
        """Yield the columns of tables that the job writes."""
        for sink in self.job.sinks:
            if sink.target is not None and not sink.is_topic:
                yield from ((target, out) for target in self.resolve(sink.target) for out in sink.frame.columns)

    def read(self) -> FrameUses:
        """Read the flows and field uses of the job."""
        for dataset, place in self.job.reads.items():
            for each in self.resolve(dataset):
                self._add(_end(each), FlowEnd(), place)
        for sink in self.job.sinks:
            self._sink(sink)
        for frame, place in self.job.used:
            values = [*(out.value for out in frame.columns), *(each.value for each in frame.open)]
            self._read(values, (origin for origin, _ in frame.deciders), place)
        known = {topic for topic, writes, _, _ in self.fields if not writes}
        for dataset, place in self.job.reads.items():
            if self.left < 0:
                self.job.problem(place, "the columns of the job have more origins than are followed")
            for each in self.resolve(dataset):
                if each.namespace == TOPIC and (each.name not in known or self.left < 0):
                    self._use(each, (), place, whole=False)
        return self

    @property
    def flows(self) -> Iterator[DeclaredFlow]:
        """Return the flows, without uses that are an end of another flow."""
        read = {origin for origin, target in self.found if target.name}
        return (flow for (origin, target), flow in self.found.items() if target.name or origin not in read)

    @property
    def field_uses(self) -> Iterator[FoundField]:
        """Return the uses of fields; of a topic with very many, all fields."""
        counts = Counter((topic, writes) for topic, writes, _, _ in self.fields)
        for (topic, writes), count in counts.items():
            if count > _MOST_FIELDS:
                places = next(each for key, each in self.fields.items() if key[:2] == (topic, writes))
                yield FoundField(self.name, topic, writes, (), True, tuple(sorted(places)[:MOST_PLACES]))
        for (topic, writes, path, whole), places in self.fields.items():
            if counts[topic, writes] > _MOST_FIELDS:
                continue
            yield FoundField(self.name, topic, writes, path, whole, tuple(sorted(places)[:MOST_PLACES]))

    def _sink(self, sink: Sink) -> None:
        frame = sink.frame
        values = [*(out.value for out in frame.columns), *(each.value for each in frame.open)]
        self._read(values, (origin for origin, _ in frame.deciders), sink.place)
        for target in self.resolve(sink.target) if sink.target is not None else ():
            if not frame.sources:
                self._add(FlowEnd(), _end(target), sink.place)
            for source in sorted(frame.sources):
                for each in self.resolve(source):
                    self._add(_end(each), _end(target), sink.place)
            for origin, subtype in sorted(frame.deciders):  # of two, the first is kept
                self._column(origin, (target, None), subtype, sink.place)
            for path, value in _topic_columns(sink) if sink.is_topic else self._table_columns(sink):
                self._value(value, (target, path), sink.place)
                if sink.is_topic and path is not None and path[0] != KEY:
                    self._use(target, path, sink.place, whole=False, writes=True)
            if sink.is_topic and not any(known == target.name and writes for known, writes, _, _ in self.fields):
                self._use(target, (), sink.place, whole=False, writes=True)

    def _table_columns(self, sink: Sink) -> Iterator[tuple[ColumnPath | None, Value]]:
        """Yield the columns of a table: those that the program lists, and those of the tables that it copies."""
        yield from _table_columns(sink)
        for each in sink.frame.open:
            for name in self._members(sink, each, self.columns):
                yield (field_segment(name),), each.value.member(name)

    def _value(self, value: Value, target: _Target, place: str) -> None:
        if self.left < 0:
            return
        for origin in sorted(value.origins):
            self._column(origin, target, value.effect or "IDENTITY", place)
        for origin, subtype in sorted(value.deciders):
            self._column(origin, target, subtype, place)

    def _column(self, origin: Origin, target: _Target, subtype: str, place: str) -> None:
        self.left -= 1
        for each in self.resolve(origin[0]) if self.left > 0 else ():
            path, effect = self._inside(each, origin[1], subtype)
            self._add(_end(each, path or None), _end(*target), place, effect)

    def _inside(self, dataset: Dataset, path: ColumnPath, effect: str) -> tuple[ColumnPath, str]:
        """Return where a value is in a table: in the text of a column only if that holds messages."""
        if TEXT not in path:
            return path, effect
        at = path.index(TEXT)
        if (dataset, path[:at]) not in self.held:
            return path[:at], "TRANSFORMATION" if effect == "IDENTITY" else effect
        plain = tuple(segment for segment in path if segment != TEXT)
        self.inside.add((dataset, plain))
        return plain, effect

    def _read(self, values: Iterable[Value], deciders: Iterable[Origin], place: str) -> None:
        """Note the fields of topics that values are derived from."""
        listed = list(values)
        clear = every_origin(value for value in listed if not value.unclear).union(deciders)
        for origin in clear:
            self._origin(origin, place, is_clear=True)
        for origin in every_origin(value for value in listed if value.unclear):
            self._origin(origin, place, is_clear=False)

    def _origin(self, origin: Origin, place: str, *, is_clear: bool) -> None:
        dataset, path = origin
        self.left -= 1
        if path[:1] == (KEY,) or self.left < 0:
            return
        for each in self.resolve(dataset) if dataset.namespace == TOPIC else ():
            self._use(each, path, place, whole=not path and is_clear)
            if not is_clear:
                self._use(each, (), place, whole=False)

    def _use(self, topic: Dataset, path: ColumnPath, place: str, *, whole: bool, writes: bool = False) -> None:
        plain = tuple(segment for segment in path if field_name(segment) is not None)
        self.fields.setdefault((topic.name, writes, plain, whole), set()).add(place)

    def _add(self, origin: FlowEnd, target: FlowEnd, place: str, effect: str = "") -> None:
        known = self.found.get((origin, target))
        if known is None or (effect and not known.effect):
            self.found[origin, target] = DeclaredFlow(
                source=self.source,
                origin=origin,
                target=target,
                job=self.name,
                description=self.description,
                evidence=place,
                suggested=True,
                effect=effect,
            )


def read_all(jobs: Sequence[FrameUses]) -> None:
    """Read the flows and field uses of jobs; a field of a message is followed through the tables that hold messages."""
    held: set[_Column] = set()
    while found := {column for job in jobs for column in job.messages(held)} - held:
        held |= found
    known: dict[Dataset, set[str]] = {}
    while new := [pair for job in jobs for pair in job.tables(known) if pair[1] not in known.get(pair[0], ())]:
        for table, name in new:
            known.setdefault(table, set()).add(name)
    for job in jobs:
        job.held, job.columns = held, known
        job.read()
    waiting = set().union(*(job.inside for job in jobs))
    done: set[_Column] = set()
    while waiting:
        done |= waiting
        waiting = {
            column for job in jobs for column in job.pass_on(waiting) if column[1][:1] and column[0].namespace
        } - done


def _end(dataset: Dataset, path: ColumnPath | None = None) -> FlowEnd:
    return FlowEnd(namespace=dataset.namespace, name=dataset.name, path=path)


def _table_columns(sink: Sink) -> Iterator[tuple[ColumnPath | None, Value]]:
    """Yield the columns of a table, with what is inside of those that are copied or that the program builds."""
    for out in sink.frame.columns:
        if out.name == UNNAMED:
            yield None, out.value
        else:
            yield from _members(out.value, (field_segment(out.name),), 0)
    for each in sink.frame.open:
        yield None, each.value


def _topic_columns(sink: Sink) -> Iterator[tuple[ColumnPath | None, Value]]:
    """Yield the columns of the records that a frame is sent as."""
    for name, prefix in (("key", (KEY,)), ("value", ())):
        out = sink.frame.named(name)
        if out is not None:
            yield from _members(out.value, prefix, 0)
    for each in sink.frame.open:
        yield None, each.value


def _members(value: Value, path: ColumnPath, depth: int) -> Iterator[tuple[ColumnPath | None, Value]]:
    """Yield a value, and the members of a struct or of the elements of an array, unless all are computed as one."""
    is_array = value.inner is not None or (value.type is not None and value.type.kind == "array")
    element = value.element() if is_array and path else value
    names = element.member_names if depth < _DEEPEST and (element.parts is not None or not element.effect) else None
    if path or not names:
        yield path or None, value
    within = (*path, ELEMENT) if element is not value else path
    for name in names or ():
        yield from _members(element.member(name), (*within, field_segment(name)), depth + 1)


def document_of(text: str) -> object:
    """Return the first document of a text of YAML; None if it is invalid."""
    return next((parsed.value for parsed in parse_yaml(text) if not parsed.error), None)


def python_tree(path: str, text: str) -> ast.Module | None:
    """Return a file of Scala, Java or Kotlin as a syntax tree of Python; None if it nests too deeply."""
    try:
        root = parse_tree(path, text)
        if path.endswith(".scala"):
            return lowered(root)
        syntax = BY_ENDING[suffix(path)]
        return lowered_model(syntax.file(Lowering(syntax), root, path))
    except RecursionError:
        return None


def problems_by_file(job: Job) -> Mapping[str, dict[str, list[int]]]:
    """Return what is not resolved of a job, with its lines, by file."""
    found: dict[str, dict[str, list[int]]] = {}
    listed = [*job.problems, *((sink.place, what) for sink in job.sinks for what in sorted(sink.frame.problems))]
    for place, what in listed:
        path, _, line = place.rpartition(":")
        lines = found.setdefault(path, {}).setdefault(what, [])
        if line.isdigit() and int(line) not in lines:
            lines.append(int(line))
    return found
