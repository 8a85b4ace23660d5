"""Calls of Kafka's client libraries: which argument of which call is a topic that is read, written or created.

The rows of calls and annotations are those of the file's language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import dropwhile
from typing import NamedTuple

from scanner_extractor.repository.applications.code import CodeScope, ScopeKind, Unit
from scanner_extractor.repository.applications.expressions import NOTHING, Expr, Kind
from scanner_extractor.repository.applications.index import Index
from scanner_extractor.repository.applications.members import RECEIVING
from scanner_extractor.repository.applications.modules import OUTSIDE
from scanner_extractor.repository.applications.names import ResolvedText
from scanner_extractor.repository.applications.retries import RETRIED, RETRIES, suffixes
from scanner_extractor.repository.applications.topology import TopologyWalk
from scanner_extractor.repository.applications.values import Resolver
from scanner_extractor.repository.applications.wrappers import USES_KAFKA, access_of, topic_arguments
from scanner_extractor.repository.languages import language_of
from scanner_extractor.repository.languages.language import BINDING, CHANNEL_IN, DESTINATION, Access, Note, Rule


class Found(NamedTuple):
    """A topic that a call reads, writes or creates; *sources* are the topics whose records the code passes to it.

    *declared*: an annotation says so, by which the framework finds the code.
    """

    access: Access
    value: ResolvedText
    unit: Unit
    line: int
    sources: tuple[str, ...] = ()
    streams: bool = False
    declared: bool = False


_R, _W = Access.READ, Access.WRITE
_NO_NOTE = Note(_R, needs=r"(?!)")


def is_of_kafka(setting: str) -> bool:
    """Return whether a setting is one of Kafka by its name."""
    return "kafka" in setting.lower()


def is_variable_of_kafka(name: str) -> bool:
    """Return whether a name is that of a variable of an environment that is about Kafka, such as `KAFKA_BROKERS`."""
    return name.isupper() and "_" in name and is_of_kafka(name)


def is_evaluated_only(path: str) -> bool:
    """Return whether a source file is of a language whose calls are not read by name: Rust."""
    return path.endswith(".rs")


def imports_client_of_rust(text: str) -> bool:
    """Return whether a file of Rust uses a crate of Kafka, other than modules of its own crate."""
    return any(_is_client(line.strip().removeprefix("pub ")) for line in text.splitlines() if "use " in line)


def _is_client(line: str) -> bool:
    crate = line.removeprefix("use ").partition("::")[0]
    named = "kafka" in line.partition("{")[0].lower() or crate == "samsa"
    return line.startswith("use ") and named and crate not in ("crate", "self", "super")


def mentions_client(path: str, text: str) -> bool:
    """Return whether a source file has the name of a client library, in any letter case."""
    language, lowered = language_of(path), text.lower()
    return language is not None and any(name in lowered for name in language.client_words)


_MOCKS = re.compile(r"(?i)(?:^|/)mocks?/|mocks?\.\w+$")


def is_mock(path: str) -> bool:
    """Return whether a file has what stands for something else in tests, by its path."""
    return _MOCKS.search(path) is not None


def imports_client(path: str, text: str, own: str = "") -> bool:
    """Return whether a source file imports a Kafka client that reads or writes records.

    *own* is what the imports of packages of the same module of Go begin with: these are no clients, whatever their
    name.
    """
    language = language_of(path)
    pattern = language.client_import if language is not None else None
    if pattern is None or is_mock(path):
        return False
    return any(not own or f'"{own}/' not in match[0] for match in pattern.finditer(text))


_PROCESSING = r"\.\s*(?:process|transform|flatTransform)\w*\s*\("
_TABLES = frozenset({"table", "globalTable", "addGlobalStore"})
MOST_HOPS = 3
"""Calls from a listener to the function that sends."""
_RECORD = re.compile(r"Record$")
"""The name of a function that makes a record."""
_URI = re.compile(r"kafka:(?://)?([\w.{}$-]+)")
_PLACEHOLDER, _SPEL = re.compile(r"\$\{[^{}]*\}"), re.compile(r"#\{[^{}]*\}")
_STREAM_TYPES = frozenset({"Multi", "Publisher", "PublisherBuilder", "Flowable", "Flux", "Flow"})
_NOT_NAMES = re.compile(r"[\s/\\*^|()\[\]+]")


class _Read(NamedTuple):
    """A call that reads topics, with the name of the consumer that it subscribes."""

    holder: str
    call: Expr
    values: list[ResolvedText]


@dataclass(slots=True)
class _Uses:
    """What the calls and annotations of one unit name; *listeners* are topics by the scope that handles records."""

    reads: list[_Read] = field(default_factory=list)
    writes: list[tuple[Expr, CodeScope, Rule, list[ResolvedText]]] = field(default_factory=list)
    found: list[Found] = field(default_factory=list)
    listeners: dict[int, list[str]] = field(default_factory=dict)
    read_by: dict[str, list[str]] = field(default_factory=dict)

    def handled(self, scope: CodeScope) -> list[str]:
        """Return the topics whose records are handled where a scope is."""
        topics: list[str] = []
        for outer in scope.outward():
            topics += self.listeners.get(id(outer), ())
            for name in sorted(outer.polled - {""}):
                topics += self.read_by.get(name, ())
        return list(dict.fromkeys(topics))


class Extractor:
    """Finds what the units of an index read, write and create."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.resolver = Resolver(index)
        self.unresolved: list[tuple[Unit, int]] = []
        self.unnamed: set[tuple[str, int]] = set()
        self.named: tuple[Unit | None, Mapping[int, str]] = (None, {})
        self.handlers: dict[int, list[str]] = {}
        self.followed: list[tuple[Access, Expr, CodeScope]] = []
        self._modules_near: dict[str, frozenset[str]] = {}

    def found(self) -> Iterator[Found]:
        """Yield what the calls and annotations of all units name."""
        uses = {unit.path: self._uses(unit) for unit in list(self.index.units.values())}
        self._note_handlers(uses)
        yield from self._lost(uses.values())
        known = {read.call.node: [value.text for value in read.values] for one in uses.values() for read in one.reads}
        for path, one in uses.items():
            yield from one.found
            unit = self.index.units[path]
            origins = {
                call.node: self._origins(call, scope, one, known) for call, scope, rule, _ in one.writes if rule.streams
            }
            stored = _stored(unit, one, origins) if origins else []
            for call, scope, rule, values in one.writes:
                sources = [*origins[call.node], *stored] if rule.streams else self._handled(scope, one)
                for value in values:
                    yield Found(Access.WRITE, value, unit, call.line, tuple(dict.fromkeys(sources)), rule.streams)

    def _handled(self, scope: CodeScope, uses: _Uses) -> list[str]:
        """Return the topics whose records are handled where a scope is, or by a function that it is in."""
        inner = (topic for outer in scope.outward() for topic in self.handlers.get(id(outer), ()))
        return [*uses.handled(scope), *inner]

    def _uses(self, unit: Unit) -> _Uses:
        uses = _Uses()
        once = {(call.text, call.node): (call, scope) for call, scope in unit.calls}
        for call, scope in once.values():
            for rule, values in self._matches(call, scope, unit):
                if rule.access is Access.WRITE:
                    uses.writes.append((call, scope, rule, values))
                else:
                    uses.found += [Found(rule.access, value, unit, call.line, streams=rule.streams) for value in values]
                if rule.access is Access.READ or call.text == "through":
                    uses.reads.append(_Read(self._holder(call, scope), call, values))
        uses.found += self._commands(unit)
        for scope, found in self._annotated(unit):
            uses.found.append(found)
            if found.access is Access.READ and scope.kind is ScopeKind.FUNCTION:
                uses.listeners.setdefault(id(scope), []).append(found.value.text)
        for read in uses.reads:
            uses.read_by.setdefault(read.holder, []).extend(value.text for value in read.values)
        _note_polls(unit)
        return uses

    def _note_handlers(self, uses: Mapping[str, _Uses]) -> None:
        """Note which functions handle the records of which topics, because a listener or a loop calls them."""
        for _ in range(MOST_HOPS):
            before = sum(map(len, self.handlers.values()))
            for path, one in uses.items():
                for call, scope in self.index.units[path].calls:
                    topics = [*one.handled(scope), *self.handlers.get(id(scope.nearest(ScopeKind.FUNCTION)), ())]
                    for target in self.resolver.targets(call, scope) if topics else ():
                        known = self.handlers.setdefault(id(target), [])
                        known += [topic for topic in topics if topic not in known]
            if sum(map(len, self.handlers.values())) == before:
                return

    # --- calls

    def _matches(self, call: Expr, scope: CodeScope, unit: Unit) -> Iterator[tuple[Rule, list[ResolvedText]]]:
        yield from self._special(call, scope, unit)
        rules = [rule for rule in unit.language.calls.get(call.text, ()) if self._applies(rule, unit)]
        fitting = [rule for rule in rules if self._is_on(rule, call, scope)]
        if not fitting:
            yield from self._wrapped(call, scope, unit)
        for rule in fitting:
            values = self._topics(rule, call, scope) or self._of_record(call, scope)
            if rule.access is Access.WRITE and call.text == "send" and rule.needs == "StreamBridge":
                values = [ResolvedText(DESTINATION + value.text, value.unit) for value in values]
            if values:
                yield rule, values
                return
            if rule.names or rule.streams:
                self._note_unresolved(rule, call, unit)

    def _applies(self, row: Rule | Note, unit: Unit) -> bool:
        """Return whether the file has what a row needs, and its module what the row needs near."""
        return unit.mentions(row.needs) and (not row.near or self.index.module(unit) in self._near(row.near))

    def _near(self, pattern: str) -> frozenset[str]:
        """Return the modules with a match of *pattern* in one of their files."""
        if pattern not in self._modules_near:
            units = self.index.units.values()
            self._modules_near[pattern] = frozenset(self.index.module(unit) for unit in units if unit.mentions(pattern))
        return self._modules_near[pattern]

    def _special(self, call: Expr, scope: CodeScope, unit: Unit) -> Iterator[tuple[Rule, list[ResolvedText]]]:
        """Yield topics that no argument names: those of Camel routes and Faust objects.

        Jobs of Spark, Beam in Python and Flink's Table API are evaluated (`scanner_programs/frames`).
        """
        if call.text in ("from", "to", "toD") and call.kind is Kind.CALL:
            yield from self._routes(call, scope)
        if call.text in ("withTopic", "withTopics"):
            access = _R if "read" in _chain(call) else _W
            yield Rule(access, streams=True), self.resolver.texts((call.positional() or [NOTHING])[0], scope)
        if call.text in ("send", "send_soon") and unit.path.endswith(".py"):
            yield from self._topic_object(call, scope)

    def _wrapped(self, call: Expr, scope: CodeScope, unit: Unit) -> Iterator[tuple[Rule, list[ResolvedText]]]:
        """Yield the topics of a call of a library around a Kafka client; a function of the repository is followed."""
        access = access_of(call) if unit.mentions(USES_KAFKA) else None
        topics = list(topic_arguments(call, unit.language.values)) if access is not None else []
        if access is None or not topics:
            return
        if self._is_defined(call, scope):
            if call.kind is Kind.CALL or call.text in self.index.classes:
                self.followed.append((access, call, scope))
            return
        for topic in topics:
            items = topic.parts if topic.kind is Kind.LIST else (topic,)
            values = [value for item in items for value in self.resolver.texts(item, scope)]
            named = [value for value in values if is_topic_text(value.text)]
            if named:
                yield Rule(access), named
            elif not _is_parameter(topic, scope):
                self.unresolved.append((unit, call.line))

    def _lost(self, uses: Iterable[_Uses]) -> Iterator[Found]:
        """Yield the topics given to functions of the repository that reach no call of a client that is recognized."""
        listed = [(found.access, found.value, found.unit) for one in uses for found in one.found]
        listed += [(_W, value, scope.unit) for one in uses for _, scope, _, values in one.writes for value in values]
        # A topic that only a library in another repository names is not used here.
        reached = {
            (access, value.text) for access, value, unit in listed if not (value.unit or unit).path.startswith(OUTSIDE)
        }
        for access, call, scope in self.followed:
            for topic in topic_arguments(call, scope.language.values):
                for value in self.resolver.texts(topic, scope) if not _is_parameter(topic, scope) else ():
                    if is_topic_text(value.text) and (access, value.text) not in reached:
                        yield Found(access, value, scope.unit, call.line)

    def _is_defined(self, call: Expr, scope: CodeScope) -> bool:
        """Return whether the repository defines the function or class that is called."""
        if call.kind is Kind.NEW or call.receiver.kind is Kind.OTHER:
            is_type = call.text in self.index.classes or call.text in self.index.types
            return is_type or call.text in self.index.functions
        return self._is_own(call, scope) or bool(self.resolver.targets(call, scope))

    def _note_unresolved(self, rule: Rule, call: Expr, unit: Unit) -> None:
        arguments = call.positional()
        is_record = call.text == "send" and len(arguments) == 1  # which names its topic itself
        given = [] if rule.access is Access.CREATE or is_record else arguments[rule.at :]
        if rule.access is not Access.CREATE:
            pairs = (part for part in call.arguments if part.kind == "pair" and part.text in rule.names)
            given = given or [value for pair in pairs for value in pair.parts]
        if given and given[0].kind is Kind.LIST:
            given = list(given[0].parts)
        if given and given[0].kind in (Kind.NAME, Kind.MEMBER, Kind.JOIN, Kind.CALL):
            self.unresolved.append((unit, call.line))

    def _is_on(self, rule: Rule, call: Expr, scope: CodeScope) -> bool:
        if call.text == "setHeader":
            first = (call.positional() or [NOTHING])[0]
            return first.kind in (Kind.MEMBER, Kind.NAME) and first.text == "TOPIC"
        if rule.made and call.kind is not Kind.NEW:
            return False
        if call.kind is Kind.CALL and call.text[:1].islower() and call.receiver.kind is Kind.OTHER:
            return scope.kind is ScopeKind.LAMBDA  # else it is a function, not a method of a client
        if not rule.on:
            return not self._is_own(call, scope)
        receiver = call.receiver
        name = receiver.text
        declared = self.resolver.class_name(receiver, scope)
        if self._is_own(call, scope):
            return False
        return bool(
            re.search(rule.on, name)
            or (declared and re.search(rule.on, declared))
            or re.search(rule.on, " ".join(_chain(call)))
        )

    def _is_own(self, call: Expr, scope: CodeScope) -> bool:
        """Return whether a method is one of a class of the repository: what it calls itself is read instead."""
        if call.kind is Kind.NEW or call.receiver.kind is Kind.OTHER:
            return False
        if call.receiver.kind is Kind.NAME and call.receiver.text == "this":
            owner = scope.nearest(ScopeKind.CLASS)
            return call.text in owner.functions
        made = self.resolver.object_of(call.receiver, scope)
        if made.kind is Kind.LIST and made.line and Expr(Kind.NEW, "", (made,)).named(call.text) is not None:
            return True  # an object of functions
        declared = self.resolver.class_name(call.receiver, scope)
        return any(call.text in owner.functions for owner in self.index.classes.get(declared, ()))

    def _topics(self, rule: Rule, call: Expr, scope: CodeScope) -> list[ResolvedText]:
        named = call.named(*rule.names) if rule.names else None
        positional = call.positional()
        if rule.several and rule.at:  # the topics follow a name, and what precedes that has none
            positional = list(dropwhile(lambda argument: not self.resolver.texts(argument, scope), positional))
        given = positional[rule.at :] if len(positional) >= -rule.at else []
        arguments = [named] if named is not None else given
        if named is None and not rule.several:
            arguments = arguments[:1]
        if rule.names and rule.names[0][0].isupper() and named is None and call.kind is Kind.NEW:
            return []  # a literal of Go without the member
        values: list[ResolvedText] = []
        for argument in arguments:
            if argument.kind is Kind.LAMBDA or (rule.several and argument.kind in (Kind.PAIR, Kind.OTHER)):
                continue
            items = argument.parts if argument.kind is Kind.LIST else (argument,)
            for item in items:
                inner = _topic_member(item)
                values += self.resolver.texts(inner, scope) if inner is not None else ()
        return [value for value in values if is_topic_text(value.text)]

    def _of_record(self, call: Expr, scope: CodeScope) -> list[ResolvedText]:
        """Return the topic of a record that a function of a library makes: `send(jsonRecord("orders", k, v))`."""
        given = call.positional() if call.text == "send" else []
        made = self.resolver.object_of(given[0], scope) if len(given) == 1 else NOTHING
        if made.kind is not Kind.CALL or not _RECORD.search(made.text) or self._is_defined(made, scope):
            return []
        first = next(iter(made.positional()), NOTHING)
        values = [value for value in self.resolver.texts(first, scope) if is_topic_text(value.text)]
        if not values and first.kind in (Kind.NAME, Kind.MEMBER, Kind.JOIN, Kind.CALL):
            self.unresolved.append((scope.unit, call.line))
        return values

    def _topic_object(self, call: Expr, scope: CodeScope) -> Iterator[tuple[Rule, list[ResolvedText]]]:
        """Yield the topic that an object of Faust sends to: `orders = app.topic("orders")`, `orders.send(…)`."""
        made = self.resolver.object_of(call.receiver, scope)
        if made.kind is Kind.CALL and made.text == "topic":
            yield Rule(_W), self.resolver.texts((made.positional() or [NOTHING])[0], scope)

    def _routes(self, call: Expr, scope: CodeScope) -> Iterator[tuple[Rule, list[ResolvedText]]]:
        """Yield the ends of Camel's routes: `from("kafka:orders").to("kafka:paid")`."""
        values = self.resolver.texts((call.positional() or [NOTHING])[0], scope)
        matches = [(match[1], value.unit) for value in values if (match := _URI.match(value.text))]
        if matches:
            access = _R if call.text == "from" else _W
            yield Rule(access, streams=True), [ResolvedText(name, unit) for name, unit in matches]

    def _commands(self, unit: Unit) -> Iterator[Found]:
        """Yield what commands read and write that a program runs: `["confluent", "kafka", "topic", "produce", "x"]`."""
        lists = [(argument, scope) for call, scope in unit.calls for argument in call.arguments]
        scopes = (unit.scope, *unit.classes, *unit.functions)
        lists += [(value, scope) for scope in scopes for values in scope.bindings.values() for value in values]
        for expr, scope in lists:
            words = [part.text if part.kind is Kind.TEXT else "" for part in expr.parts]
            if expr.kind is not Kind.LIST or len(words) < 4 or "topic" not in words[:-2]:
                continue
            at = words.index("topic") + 1
            access = {"produce": _W, "consume": _R}.get(words[at])
            for value in self.resolver.texts(expr.parts[at + 1], scope) if access else ():
                yield Found(access or _R, value, unit, expr.line)

    # --- annotations

    def _annotated(self, unit: Unit) -> Iterator[tuple[CodeScope, Found]]:
        """Yield what annotations name, with the function that they are at; what a method returns is sent on."""
        reads: dict[int, list[str]] = {}
        writes: list[tuple[CodeScope, Found]] = []
        for note, scope, label in unit.annotated:
            row = _note_row(note, scope, label)
            if not self._applies(row, unit):
                continue
            listed = [(row.access, expr) for expr in _note_arguments(note, row.names)]
            listed += [(_W, expr) for expr in self._sinks(note, row, scope)]
            for access, expr in listed:
                for value in self.resolver.texts(expr, scope):
                    if not is_topic_text(value.text):
                        continue
                    owned = ResolvedText(row.prefix + value.text)
                    found = Found(access, owned, unit, note.line, declared=True)
                    if access is Access.READ:
                        if scope.kind is ScopeKind.FUNCTION:
                            reads.setdefault(id(scope), []).append(owned.text)
                        yield scope, found
                        yield from self._retried(note, scope, found)
                    else:
                        writes.append((scope, found))
        for scope, found in writes:
            yield scope, found._replace(sources=tuple(dict.fromkeys(reads.get(id(scope), ()))))

    def _retried(self, note: Expr, scope: CodeScope, read: Found) -> Iterator[tuple[CodeScope, Found]]:
        """Yield the topics beside one that is read, on which Spring writes the records that a listener fails on."""
        for other in scope.annotations if note.text == RETRIED else ():
            for access, suffix in suffixes(other, scope, self.resolver) if other.text == RETRIES else ():
                if not suffix:
                    self.unnamed.add((scope.unit.path, other.line))
                    continue
                value = read.value._replace(text=read.value.text + suffix)
                sources = (read.value.text,) if access is Access.WRITE else ()
                yield scope, read._replace(access=access, value=value, line=other.line, sources=sources)

    def _sinks(self, note: Expr, row: Note, scope: CodeScope) -> Iterator[Expr]:
        """Yield what the results of a reader are sent to: topics, and for a reader of its kind what that one reads."""
        for part in note.arguments if row.sinks else ():
            for item in _items(part.parts[0]) if part.kind is Kind.PAIR and part.text in row.sinks else ():
                other = [
                    each for each, _, label in scope.unit.annotated if each.text == note.text and label == item.text
                ]
                is_known = bool(other) or bool(self.resolver.texts(item, scope))
                if not is_known and item.text not in self.index.functions:
                    self.unresolved.append((scope.unit, note.line))
                yield from (expr for each in other for expr in _note_arguments(each, row.names)) if other else (item,)

    # --- which input reaches an output

    def _origins(self, call: Expr, scope: CodeScope, uses: _Uses, known: Mapping[int, list[str]]) -> list[str]:
        """Return the topics that a topology writes on: those that its values come from, else all of the file."""
        flow = TopologyWalk(self.index, known)
        found = flow.origins(call.receiver, scope) or flow.sinks(call, scope.unit)
        return found or [value.text for read in uses.reads for value in read.values]

    def _holder(self, call: Expr, scope: CodeScope) -> str:
        """Return the name of the consumer that a call subscribes, or makes; empty without one."""
        if call.kind is Kind.CALL and call.receiver.kind in (Kind.NAME, Kind.MEMBER):
            return call.receiver.text
        return self._names(scope.unit).get(call.node, "")

    def _names(self, unit: Unit) -> Mapping[int, str]:
        """Return the name that each call of a unit is assigned to, or is a part of what is."""
        if self.named[0] is not unit:
            names: dict[int, str] = {}
            for scope in (unit.scope, *unit.classes, *unit.functions):
                for name, values in scope.bindings.items():
                    for value in values:
                        names |= dict.fromkeys(_calls_in(value, 0), name)
            self.named = (unit, names)
        return self.named[1]


def is_topic_text(text: str) -> bool:
    """Return whether a text may be the name of a topic, or has a placeholder."""
    plain = _SPEL.sub("", _PLACEHOLDER.sub("", text))
    return bool(text) and len(text) <= 400 and not _NOT_NAMES.search(plain)


def _topic_member(item: Expr) -> Expr | None:
    """Return the topic of one item: itself, or its member `topic` where it is an object."""
    if item.kind is Kind.LIST or (item.kind is Kind.NEW and item.named("topic", "Topic") is not None):
        holder = Expr(Kind.NEW, "", (item,)) if item.kind is Kind.LIST else item
        named = holder.named("topic", "Topic", "name")
        return named if named is not None else item
    return None if item.kind is Kind.PAIR else item


def _is_parameter(expr: Expr, scope: CodeScope) -> bool:
    """Return whether a name is a parameter of the function around it: a call without a caller says nothing."""
    names = (parameter.name for outer in scope.outward() for parameter in outer.parameters)
    return expr.kind is Kind.NAME and expr.text in names


def _note_arguments(note: Expr, names: tuple[str, ...]) -> Iterator[Expr]:
    positional = note.positional()
    named = [part.parts[0] for part in note.arguments if part.kind is Kind.PAIR and part.text in names]
    for expr in (*named, *positional[:1]) if not (named and positional) else named:
        for item in _items(expr):
            inner = (
                item.named("topic") if item.kind in (Kind.CALL, Kind.NEW) and item.text == "TopicPartition" else None
            )
            yield inner if inner is not None else item


def _items(expr: Expr) -> tuple[Expr, ...]:
    return expr.parts if expr.kind is Kind.LIST else (expr,)


def _stored(unit: Unit, uses: _Uses, origins: Mapping[int, list[str]]) -> list[str]:
    """Return the tables that no value comes from: the processors of the file read them through their stores."""
    if not unit.mentions(_PROCESSING):
        return []
    passed = {topic for topics in origins.values() for topic in topics}
    tables = (value.text for read in uses.reads if read.call.text in _TABLES for value in read.values)
    return [table for table in tables if table not in passed]


def _note_polls(unit: Unit) -> None:
    """Note the consumers whose records each loop and callback of a unit handles."""
    for call, scope in unit.calls:
        for outer in scope.outward():
            if outer.kind is ScopeKind.LOOP:
                outer.polled |= {outer.over.text, outer.over.receiver.text}
                if call.text in RECEIVING:
                    outer.polled.add(call.receiver.text)
            if outer.kind is ScopeKind.LAMBDA:
                outer.polled |= {caller.receiver.text for caller in outer.calls if caller.text in RECEIVING}


def _chain(call: Expr) -> list[str]:
    """Return the names of the calls that a call is chained to."""
    names = []
    expr = call.receiver
    for _ in range(40):
        if expr.kind not in (Kind.CALL, Kind.MEMBER, Kind.NEW, Kind.NAME):
            break
        names.append(expr.text)
        expr = expr.receiver
    return names


def _note_row(note: Expr, scope: CodeScope, label: str) -> Note:
    """Return what an annotation means where it stands; one that means nothing needs what no text has."""
    row = scope.language.notes.get(note.text, _NO_NOTE)
    if note.text == "Topic" and any(part.text == "KafkaClient" for part in scope.nearest(ScopeKind.CLASS).annotations):
        row = row._replace(access=_W)
    if note.text == "Channel" and _declared(scope, label) in _STREAM_TYPES:
        row = row._replace(access=_R, prefix=CHANNEL_IN)
    if note.text == "SendTo" and any(part.text == "StreamListener" for part in scope.annotations):
        row = row._replace(prefix=BINDING)
    return row


def _declared(scope: CodeScope, label: str) -> str:
    """Return the type that a field or parameter is declared with."""
    own = (parameter.type_name for parameter in scope.parameters if parameter.name == label)
    return next(own, "") or scope.types.get(label, "")


def _calls_in(expr: Expr, depth: int) -> Iterator[int]:
    """Yield the nodes of the calls in an expression."""
    if expr.kind in (Kind.CALL, Kind.NEW):
        yield expr.node
    for part in expr.parts if depth < 12 else ():
        yield from _calls_in(part, depth + 1)
