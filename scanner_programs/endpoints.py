"""The sends of a program as contracts: topic, key, fields and conditions, from each function that reaches one."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from itertools import chain, islice, product
from typing import NamedTuple

from scanner_programs import ir
from scanner_programs.behaviour import Behaviours
from scanner_programs.calls import (
    called_as,
    called_in,
    deep_recursion,
    forget,
    names_in,
    names_within,
    passed_in,
    reaching,
    remembered,
    renamed,
    types_in,
)
from scanner_programs.guards import is_failed, is_topic, negate, parts_of_test, settings_named
from scanner_programs.ir import Kind, Literal, Name, walk
from scanner_programs.libraries.clients import CLIENTS
from scanner_programs.libraries.others import LOGGERS, PROVIDES, watches
from scanner_programs.libraries.rows import Client, begins, plain
from scanner_programs.libraries.selection import owner_of, unknown_client
from scanner_programs.libraries.standard import ADDS, CONSTRUCTORS, TAKES
from scanner_programs.machine import MOST_STEPS_TOGETHER, Given, Machine, Made
from scanner_programs.nearness import Nearness
from scanner_programs.program import (
    Known,
    Place,
    Program,
    Scope,
    accepts,
    base_type,
    container_name,
    in_package,
    parameters_of,
)
from scanner_programs.received.origins import Origin, OriginReader, shortest
from scanner_programs.received.receives import Receives
from scanner_programs.received.uses import FieldUses, ReadAs, Used
from scanner_programs.residue import (
    ORDER,
    WAY,
    class_texts,
    code_text,
    is_logged,
    leading_to,
    silent_in,
    typed_in,
    watchers_in,
)
from scanner_programs.sequences import is_container
from scanner_programs.shapes import Shape, notes_of, shape_of
from scanner_programs.shared_states import SharedState, SharedStates
from scanner_programs.stores import (
    SendTriggers,
    Store,
    form_of,
    holding,
    kept_in,
    taken_from,
    triggered_by,
    triggering,
    triggers_of,
)
from scanner_programs.values import (
    MOST_PARTS,
    NULL,
    Apply,
    Closure,
    Cond,
    Const,
    Get,
    Input,
    Items,
    Method,
    Opaque,
    Ref,
    Shown,
    Thing,
    Type,
    Value,
    is_function,
    is_made,
    show,
)

_PLACEHOLDER = re.compile(r"\$\{([^{}]+)\}")
"""The place of a setting in a text, with its default behind a colon."""
_WORD = re.compile(r"\w+")
MOST_VIEWS = 400
"""Functions of one program that are evaluated."""
_GIVEN = Opaque("what a library gives")
_MOST_SETTERS = 3
"""How far the calls are followed of functions that set what others send."""
_MOST_MEANT = 2
_MOST_WAYS = 8
"""Names of topics that one text may have."""
_MOST_TEXTS = 1000
_LONGEST_TEXT = 4000
"""Letters of a text; the name of a topic has at most 249, and the place of a setting in it a default."""
_MOST_CALLERS = 50
_MOST_MAKING = 8
"""Functions that call one of a name which makes objects; a name that more of them call has many meanings."""
_MOST_RECORDS = 16
_MOST_KEEPERS = 3
"""Turns of looking for what is kept where something that is kept comes from."""
_MOST_OF_SMALL = 150
"""Functions of a program whose code counts whole if names alone say that something sends.

In a larger one nearly every name that calls is that of another function, too, and all its code would count.
"""
_PARTS = {
    "topic": "topic", "topicname": "topic", "key": "key", "value": "value", "payload": "value", "body": "value",
    "message": "value", "data": "value", "headers": "headers", "header": "headers", "partition": "partition",
    "timestamp": "timestamp", "timestamp_ms": "timestamp", "messages": "messages", "topicpartition": "topic",
    "topicmessages": "messages", "records": "messages",
}  # fmt: skip
"""The parts of a record by the names that clients have for them."""
_NOTED = {"Key": "key", "Header": "headers", "Partition": "partition", "Timestamp": "timestamp", "Topic": "topic"}
"""What is in the names of notes at the parameters of a method that a library implements, for parts of a record."""
_OF_LANGUAGES = ("java.", "javax.", "kotlin.", "scala.", "System.")
"""What the classes of the languages' own libraries begin with: an object of one sends nothing."""
_DONE = negate(Ref("failure"))
"""That nothing failed before: it decides no more than an error does that ends a function."""
_RECORD = frozenset(("key", "value", "headers", "topic", "partition", "timestamp"))
_HEADERS = {"KEY": "key", "MESSAGE_KEY": "key", "TOPIC": "topic", "PARTITION": "partition", "PARTITION_ID": "partition"}
"""The constants of Spring's KafkaHeaders for parts of a record."""


@dataclass(frozen=True, slots=True)
class Contract:
    """What one call writes, as one function of the program sees it; all texts are canonical.

    *topics* are the names of the topic as far as they are known. *opaque* says that something in it was not followed.
    *path* are the functions from the view to the call, *files* those that they are in, from the call outwards.
    *sites* are the file and line of the call, and of the calls that lead to it. *managed*: a framework finds the view
    by its notes, so that no code needs to name it. *inner*: only what is outside of the view knows what is given to it,
    and the calls from there have contracts of their own. *is_rooted*: all that the value is made of is known, down to
    constants and what the view is given.
    """

    view: str
    method: str
    topic: str
    topics: tuple[str, ...]
    parts: tuple[tuple[str, str], ...]
    shape: Shape
    guards: frozenset[str]
    client: tuple[tuple[str, str], ...]
    place: tuple[str, int]
    opaque: bool
    signature: str = ""
    path: tuple[str, ...] = ()
    files: tuple[str, ...] = field(default=(), compare=False)
    sites: tuple[tuple[str, int], ...] = field(default=(), compare=False)
    managed: bool = field(default=False, compare=False)
    inner: bool = field(default=False, compare=False)
    is_rooted: bool = field(default=False, compare=False)

    @property
    def content(self) -> tuple[object, ...]:
        """Return what is written, without where and as whom."""
        return self.topic, self.parts, self.shape, self.guards, self.client


@dataclass(frozen=True, slots=True)
class Passed:
    """What a program passes from the records of one topic to those of others, as one function of it sees it.

    *field* and *target* are paths of fields, empty for the whole value. *copied*: the field is passed on as it is,
    otherwise it decides or is part of what is computed. *sites* are the send, and the calls that lead to it.
    """

    topic: str
    field: tuple[str, ...]
    topics: tuple[str, ...]
    target: str
    copied: bool
    sites: tuple[tuple[str, int], ...]


class Received(NamedTuple):
    """A topic that is read, where that is said, and the files of the functions on the way there, from it outwards."""

    topic: str
    place: tuple[str, int]
    files: tuple[str, ...]


@dataclass(slots=True)
class _Sent:
    """The origins of one send, until all subscriptions of the program are known."""

    contract: Contract
    view: Place
    fields: dict[str, tuple[Origin, ...]]
    inputs: tuple[Origin, ...]
    only: frozenset[str]
    never: frozenset[str] = frozenset()


@dataclass(slots=True)
class Endpoints:
    """What a program sends, and what of it could not be followed.

    *kept* is what it gives to what it takes parts of that from again, as a database.
    *passed* is what comes from the records that it receives, *received* the topics of these, *used* the fields of these
    that code uses, *classes* what they are read as. *unnamed* are calls that name topics which are read, whose names
    are not known. *followed* are the places of calls that lead to code of the
    program alone. *is_partial*: code that was not read or evaluated may use more of these fields.

    *residue* are the canonical texts of its functions and classes, by name, *near* those that may be part of what was
    not followed, *setup* those of functions that use a client and send nothing, *loose* of those that may be part of
    what is sent and that no evaluation came to. *unresolved* are places
    of calls that may send without a known record, *steps* the expressions that were evaluated, *clients* the files that
    use a client, *unknown* the unknown ones, each with one of the files, *uses* the texts of all code
    there that names one. *started* are the functions that send and whose class is named by code outside of it.
    *evaluated* are the functions that were evaluated, each with its file, first and last line.
    *settings* are names that settings may have which are part of what is sent, and whose values are not known.
    *is_bounded*: *loose* has the code on the way to what is sent and was not followed whole.
    """

    contracts: list[Contract] = field(default_factory=list)
    kept: list[Contract] = field(default_factory=list)
    passed: list[Passed] = field(default_factory=list)
    received: list[Received] = field(default_factory=list)
    followed: frozenset[tuple[str, int]] = frozenset()
    unnamed: frozenset[tuple[str, int]] = frozenset()
    used: list[Used] = field(default_factory=list)
    classes: list[ReadAs] = field(default_factory=list)
    is_partial: bool = False
    unresolved: list[tuple[str, int]] = field(default_factory=list)
    steps: int = 0
    clients: set[str] = field(default_factory=set)
    unknown: dict[str, str] = field(default_factory=dict)
    uses: set[str] = field(default_factory=set)
    residue: dict[str, tuple[str, tuple[str, int]]] = field(default_factory=dict)
    setup: dict[str, tuple[str, tuple[str, int]]] = field(default_factory=dict)
    loose: dict[str, tuple[str, tuple[str, int]]] = field(default_factory=dict)
    near: frozenset[str] = frozenset()
    started: set[str] = field(default_factory=set)
    evaluated: frozenset[tuple[str, int, int]] = frozenset()
    is_bounded: bool = False
    settings: frozenset[str] = frozenset()

    @property
    def is_cut(self) -> bool:
        """Return whether a limit ended the evaluation, or a file could not be parsed."""
        return ("", 0) in self.unresolved

    @property
    def is_opaque(self) -> bool:
        """Return whether something that is sent was not followed."""
        return bool(self.unresolved) or (not self.is_bounded and any(one.opaque for one in self.contracts))


def endpoints_of(program: Program, *, texts: bool = True, own: Collection[str] | None = None) -> Endpoints:
    """Return what a program sends; with *texts*, what comparing two versions needs of the rest of it.

    *own* are the files of the program itself; of the others, that is of its libraries, only what it calls is evaluated,
    and what a framework finds by its notes. None stands for all files.
    """
    with deep_recursion():
        found = _Reader(program, own).read(texts=texts)
    forget(place.function for place in program.places)
    return found


_TYPES = frozenset().union(*(row.types for row in CLIENTS))
"""The classes of all clients: an object of one is not of another."""


def _is_name(machine: Machine, value: Value) -> bool:
    """Return whether a value is a text, as far as its type or its setting says."""
    return _is_text(value) or machine.is_scalar(value) or _is_setting(value)


def _is_text(value: Value) -> bool:
    return isinstance(value, Const) and value.kind is Kind.TEXT


def _is_managed(place: Place) -> bool:
    """Return whether notes of a function or its class let a framework find it."""
    return bool(place.function.notes or (place.known is not None and place.known.cls.notes))


def _provides(place: Place) -> bool:
    """Return whether a container calls a function for an object: what code has its name only holds that object."""
    return any(note.name in PROVIDES for note in place.function.notes)


def _has_parts(value: Value) -> bool:
    """Return whether a value is an object with the parts of a record."""
    return isinstance(value, Thing) and bool({"key", "value"} & value.fields.keys())


_ROUTER = "functionRouter"
"""The function of Spring Cloud Function that gives each record to another function."""
_NEXT = "\n"
_TRIGGER = "a trigger"
"""What the contract keeps of a call that makes a library call a function of the program."""


class _Reader:
    def __init__(self, program: Program, own: Collection[str] | None) -> None:
        self._program, self._own = program, own
        self._found = Endpoints()
        self._seen: set[tuple[str, int]] = set()
        self._met: set[str] = set()
        self._of_unknown: set[tuple[str, int]] = set()
        self._foreign: set[tuple[str, int, str]] = set()
        self._view: Place | None = None
        self._others: tuple[Place | None, dict[int, Value]] = None, {}
        self._guards: tuple[Place | None, dict[int, tuple[Value, str]]] = None, {}
        self._topics: dict[str, Value] = {}
        self._defaults: dict[str, Value] = {}
        self._silent = False
        self._inner, self._steps = False, 0
        self._fed: set[int] = set()
        self._imported: dict[str, list[str]] = {}
        self._sent: list[_Sent] = []
        self._contracts: set[Contract] = set()
        self._values: list[Value] = []
        self._kept: list[Value] = []
        self._stores: frozenset[Store] = frozenset()
        self._triggers: SendTriggers | None = None
        self._of_stores: set[tuple[str, int]] = set()
        self._of_process: set[tuple[str, int]] = set()
        self._direct: list[Place] = []
        self._residue_of: dict[int, list[str]] = {}
        self._statement_of: dict[int, str] = {}
        self._silences: dict[tuple[str, int], Callable[[object], bool]] = {}

    @cached_property
    def _clients(self) -> dict[str, list[Client]]:
        """Return the clients that files of the program use, by language."""
        found: dict[str, list[Client]] = {}
        for row in CLIENTS:
            for language in row.languages:
                files = [file for file in self._program.files if file.language == language]
                if any(self._uses(file, row) for file in files) and not self._is_other_broker(row):
                    found.setdefault(language, []).append(row)
        for file in self._program.files:
            listed = found.get(file.language, [])
            for one in self._imports(file):
                named = unknown_client(one, file.language)
                if named is not None and named not in listed and not self._is_declared(one, file):
                    listed = found.setdefault(file.language, listed)
                    listed.append(named)
        return found

    def _is_declared(self, imported: str, file: ir.File) -> bool:
        """Return whether an import is of a package that files of the program are part of, or of one of its files."""
        if file.language in ("typescript", "javascript", "python"):
            package, _, name = imported.rpartition("." if file.language == "python" else "/")
            own = self._program.at(file, imported) or self._program.at(file, package)
            is_beside = (
                file.language == "python" and not package and imported in self._program.classes
            )  # `from . import`
            return own is not None or is_beside or any(in_package(one, imported, name) for one in self._program.files)
        parts = imported.split(".")
        if file.language == "scala" and self._is_relative(parts, file):
            return True
        return any(".".join(parts[: len(parts) - cut]) in self._packages for cut in range(min(3, len(parts))))

    def _is_relative(self, parts: Sequence[str], file: ir.File) -> bool:
        """Return whether an import of Scala begins with an object of the program or a package beside the file's own."""
        folders = file.package.split(".")
        beside = (".".join((*folders[:cut], parts[0])) for cut in range(len(folders), 0, -1))
        return parts[0] in self._program.classes or any(one in self._packages for one in beside)

    @cached_property
    def _packages(self) -> frozenset[str]:
        return frozenset(file.package for file in self._program.files if file.package)

    @cached_property
    def _rows(self) -> list[Client]:
        return [row for listed in self._clients.values() for row in listed]

    def _is_other_broker(self, row: Client) -> bool:
        """Return whether the program chooses another broker for a library that can use several."""
        enumeration, wanted = row.choice
        chosen = {
            one.name
            for file in self._program.files
            if enumeration and file.language in row.languages
            for one in walk(file)
            if isinstance(one, ir.Member) and isinstance(one.of, Name) and one.of.name == enumeration
        }
        return bool(chosen) and wanted not in chosen

    def read(self, *, texts: bool) -> Endpoints:
        """Evaluate every function that reaches a send."""
        bound = list(self._bound())
        if not self._clients and not self._program.rows and not bound:
            return self._found
        self._found.clients = {
            file.path
            for file in self._program.files
            if any(self._uses(file, row) for row in self._clients.get(file.language, ()))
        }
        for file in self._program.files:
            for row in self._clients.get(file.language, ()):
                if row.is_unknown and self._uses(file, row):
                    self._found.unknown.setdefault(row.name, file.path)
        places = self._program.places
        self._names = {id(place.function): place.name for place in places}
        self._files = {id(place.function): place.file.path for place in places}
        found = self._reaching(places)
        makers = [place for place in places if id(place) not in found and self._registers(place)]
        assembling = self._assemblers(places)
        self._assembling = {id(place) for place in assembling}
        assemblers = [place for place in assembling if id(place) not in found and place not in makers]
        outer = self._outermost(assemblers)
        makers += [place for place in assemblers if id(place) in outer or _provides(place)]
        styles = {row.style for listed in self._clients.values() for row in listed}
        self._program.usual = next(iter(styles)) if len(styles) == 1 else ""
        late = self._evaluate(places, found, makers, texts=texts)
        if late is not None:  # what others put in a container was not known when it was taken
            self._found.contracts.clear()
            self._contracts.clear()
            self._sent.clear()
            self._values.clear()
            self._used.clear()
            self._evaluate(places, found, makers, late, texts=texts)
        for place in self._handed(found):
            self._run(place)
        for bean, topics in bound:
            self._run_bound(bean, *topics)
        if self._machine.spent:
            self._found.unresolved.append(("", 0))
        if texts:
            self._keep(places, found)
        self._idle(found)
        self._uncovered(found)
        if len(places) <= _MOST_OF_SMALL:
            listed = (*self._unentered(found), *self._unnamed(places), *self._registered(found))
            vague = {id(place): place for place in listed}
            self._found.unresolved += [(place.file.path, place.function.line or 1) for place in vague.values()]
        self._unsent()
        self._unmet()
        self._note_unread()
        if texts:
            self._found.started = self._started(places)
            self._loose(places)
            self._found.settings = settings_named(self._values)
            if len(places) > _MOST_OF_SMALL:
                self._cover_ways(places)
            self._summaries(places, found, {id(place) for place in makers})
            if self._found.is_opaque:
                self._note_near(places)
        self._read_records(places)
        self._pass(places)
        self._found.used = list(dict.fromkeys((*self._used.by_topic(), *self._found.used)))
        self._found.classes = list(dict.fromkeys(self._used.classes()))
        is_cut = self._machine.spent or self._used.is_cut
        self._found.is_partial = is_cut or any(one.is_cut for one in self._program.files)
        self._found.steps = self._machine.steps - self._steps
        of_libraries = {at[:2] for at in self._machine.of_libraries}
        self._found.followed = frozenset({at[:2] for at in self._machine.followed} - of_libraries)
        visited = (place for place in places if id(place.function) in self._machine.visited)
        self._found.evaluated = frozenset((one.file.path, one.function.line, one.function.end) for one in visited)
        return self._found

    def _evaluate(
        self,
        places: Sequence[Place],
        found: Mapping[int, Place],
        makers: Sequence[Place],
        before: Machine | None = None,
        *,
        texts: bool,
    ) -> Machine | None:
        """Evaluate every function that reaches a send; *before* knows what is in containers.

        Return the machine if another turn can know more of that.
        """
        self._machine = Machine(self._program, self._watch, self._serves)
        if before is not None:
            self._machine.learn(before)
        self._receives = Receives(self._machine, self._rows, lambda value: iter(topic_texts(self._set(value))))
        self._used = FieldUses(self._machine, self._receives, self._origin_reader, self._compared)
        self._machine.record_text = self._record_text
        self._machine.is_received = self._is_received
        for place in places:  # before what is evaluated reaches a limit
            self._receives.listened(place)
        self._machine.keeps = False  # but for what variables outside of functions hold
        self._feed([place for place in places if place.file.language in self._languages])
        self._machine.keeps = True
        for place in places:
            self._view = place
            self._machine.load(place)
        first = self._outermost(found.values())
        entries = [place for place in found.values() if self._is_entry(place)]
        views = [place for place in entries if _provides(place)]
        makes = len(makers) + len(views)
        outer = [place for place in entries if id(place) in first and not _provides(place)]
        views += sorted(outer, key=lambda place: id(place) not in self._assembling)  # which knows what objects hold
        outermost = len(makers) + len(views)
        views += [place for place in entries if id(place) not in first and not _provides(place)]
        views += [place for place in places if id(place) in self._makers_of_records]
        self._machine.renews = any(map(_provides, (*makers, *views)))
        inner, fed = [], self._machine.visited
        self._machine.visited = set()  # what was evaluated so far had nothing sent
        for at, place in enumerate((*makers, *views[:MOST_VIEWS])):
            if at == makes and self._machine.renews:
                self._machine.forget_injected()
            self._machine.keeps = at < outermost
            if at < outermost or id(place.function) not in self._machine.visited:
                self._run(place)
            else:
                inner.append(place)
        self._fed = fed - self._machine.visited
        self._machine.visited |= fed
        self._inner, steps = True, self._machine.steps
        for place in inner if texts else ():
            self._run(place)
        self._inner, self._steps = False, self._machine.steps - steps
        self._machine.spent |= len(views) > MOST_VIEWS
        return None if self._machine.empty.isdisjoint(self._machine.fed) else self._machine

    def _is_entry(self, place: Place) -> bool:
        """Return whether a function may be called from outside of what is evaluated."""
        return self._own is None or place.file.path in self._own or _is_managed(place)

    def _handed(self, found: Mapping[int, Place]) -> list[Place]:
        """Return the methods that only a library calls, of objects that it was given for this.

        Their class implements what the program does not define.
        """
        visited = self._machine.visited
        left = [place for place in found.values() if place.known is not None and id(place.function) not in visited]
        left = [place for place in left if place.known is not None and id(place.known.cls) in self._machine.handed]
        called = {name for place in self._program.places for name in names_in(place.function)} if left else set()
        return [
            place
            for place in left
            if place.function.name not in called and place.known and self._program.extends_library(place.known)
        ]

    @cached_property
    def _renamed(self) -> Mapping[str, Collection[str]]:
        return renamed(self._program.files)

    def _reaching(self, places: Sequence[Place]) -> dict[int, Place]:
        """Return the functions that may reach a send, by identity."""
        names = {name for rows in self._clients.values() for row in rows for name in (*row.sends, *row.connects)}
        names |= {note for rows in self._clients.values() for row in rows for note in (*row.result, *row.declared)}
        names |= {name for rows in self._clients.values() for row in rows for name in row.registers}
        names |= {function.name for function in self._declared}
        names |= {name for rows in self._clients.values() for row in rows for name in row.records if "." not in name}
        names |= self._called_of_unknown
        self._direct = [place for place in places if not names.isdisjoint(names_in(place.function))]
        found = reaching(places, names, self._renamed)
        for _ in range(_MOST_MEANT):  # what makes an object of a class that a library gives one of these
            handled = {id(one.function) for one in found.values()}
            names |= {
                known.cls.name
                for listed in self._program.classes.values()
                for known in listed
                if any(id(one.function) in handled for one in self._program.handling.get(id(known.cls), ()))
            }
            found = reaching(places, names, self._renamed)
        self._senders = set(found)
        found |= {id(place): place for place in places if self._is_written(place)}
        self._serving = {id(one.known.cls) for one in found.values() if one.known is not None}
        for place in places:
            # What an object does that holds a client, or has others send, may send by what it keeps in its members.
            if place.known is not None and id(place.known.cls) in self._serving:
                found.setdefault(id(place), place)
        for one in list(found.values()):
            if one.known is not None:
                self._serving |= {id(above.cls) for above in self._program.supers(one.known)}
                if one.function.body is not None:  # which the classes below inherit
                    self._serving |= {id(below.cls) for below in self._program.subclasses(one.known)}
        self._makers_of_records = {
            id(place) for place in places if id(place) not in found and self._makes_record(place)
        }
        return found

    @cached_property
    def _owners(self) -> dict[str, set[str]]:
        """Return who publishes the unknown clients, by language."""
        return {
            language: {owner_of(row.packages[0], language) for row in rows if row.is_unknown}
            for language, rows in self._clients.items()
        }

    @cached_property
    def _called_of_unknown(self) -> frozenset[str]:
        """Return the methods of libraries that files call which import something of an unknown client's publisher.

        Any of them may write.
        """
        found: set[str] = set()
        for file in self._program.files:
            owners = self._owners.get(file.language, ())
            imported = (one for one in self._imports(file) if owners and owner_of(one, file.language) in owners)
            if any(not self._is_declared(one, file) for one in imported):
                code = (file.classes, file.functions, file.statements, file.methods)
                found |= {
                    name
                    for name, call in called_in(code)
                    if call.arguments and isinstance(call.function, ir.Member) and not self._is_own(name)
                }
        return frozenset(found)

    def _assemblers(self, places: Sequence[Place]) -> list[Place]:
        """Return the functions that make objects which send, also by a function that returns a new one, and callers.

        What such a function is given, and what its object holds, is known from where it is called.
        """
        names = {known.cls.name for listed in self._program.classes.values() for known in listed if self._serves(known)}
        made = {id(place): frozenset(_made_by(place.function)) for place in places}
        users: dict[str, list[Place]] = {}
        for place in places:
            for name in made[id(place)]:
                users.setdefault(name, []).append(place)
        makes = names | {
            place.function.name for place in places if not names.isdisjoint(_WORD.findall(place.function.type))
        }
        waiting = [place for place in places if not makes.isdisjoint(made[id(place)])]
        found: dict[int, Place] = {}
        while waiting:
            place = waiting.pop()
            if id(place) in found:
                continue
            found[id(place)] = place
            is_given = bool(place.function.parameters) or place.known is not None
            for name in called_as(place, self._renamed) if is_given else ():
                callers = users.get(name, [])
                waiting += callers if len(callers) <= _MOST_MAKING else []
        return [place for place in places if id(place) in found]

    def _run(self, place: Place) -> None:
        """Evaluate a function, and note what it returns if that is written, and the records that it makes."""
        self._view = place
        at = (place.file.path, place.function.line or 1)
        try:
            result = self._machine.run(place)
        except RecursionError:  # one that nests deeper than any stack; what it sent before is known
            self._machine.spent = True
            return
        for name in self._machine.hand_on:
            calls = ", ".join(sorted(self._machine.calls_on[name]))
            self._found.setup[f"{place.name} {name}"] = calls, at
        self._note_uses(place)
        sent = self._machine.element(result) if isinstance(result, Items) and result.yielded else result
        for topic in self._results(place):
            known = {} if topic == Ref("?") else {"topic": topic}
            self._emit({**known, "value": sent}, place.function.name, at, ())
        for thing in self._machine.records if id(place) in self._makers_of_records else ():
            known = {"table": Const(Kind.TEXT, thing.type)} if thing.type in self._program.rows else {}
            self._emit({**known, "value": thing}, f"new {thing.type}", at, ())

    def _bound(self) -> Iterator[tuple[Place, tuple[str, str]]]:
        """Yield the functions that make what a framework calls with records, with the topics by its settings.

        The topic that it writes is empty where the settings name none. What a router is bound to it gives to functions
        that are bound to nothing.
        """
        routed = self._bindings_of(_ROUTER)
        for place in self._program.places:
            if any(note.name == "Bean" for note in place.function.notes):
                ends = self._bindings_of(place.function.name)
                is_function = base_type(place.function.type).rpartition(".")[2] in ("Consumer", "Function")
                ends = ends if any(ends) or not is_function else routed
                if ends[0]:
                    yield place, ends

    def _bindings_of(self, name: str) -> tuple[str, str]:
        """Return the topics that a function of Spring Cloud Stream is bound to, empty if to none: reads and writes."""
        ends = (f"spring.cloud.stream.bindings.{name}-{one}-0.destination" for one in ("in", "out"))
        received, sent = (self._program.setting(one) or "" for one in ends)
        return received, sent

    def _run_bound(self, place: Place, received: str, sent: str) -> None:
        """Evaluate the function that a framework gets from another one and calls with the records of a topic."""
        self._view = place
        at = (place.file.path, place.function.line or 1)
        self._receives.given[received] = at
        taken = parameters_of(place.function.type)
        is_whole = bool(taken) and "Message" in _WORD.findall(taken[0])  # with its headers
        record: Value = Apply("received", None, (Const(Kind.TEXT, received),), via="record" if is_whole else "")
        record = self._machine.declared(record, taken[0] if taken else "", place.file, place.known)
        code = ir.Call(Name(place.function.name), (), at[1])
        result = self._machine.call(
            self._machine.run(place), [("", record)], code, Scope(place.file, None, None, place.known)
        )
        self._note_uses(place)
        is_nothing = {"Void", "Unit"}.intersection(*[_WORD.findall(one) for one in taken[-1:]])
        if sent and len(taken) != 1 and not (taken and is_nothing):  # one without a result only reads
            self._emit({"topic": Const(Kind.TEXT, sent), "value": result}, place.function.name, at, ())

    def _outermost(self, places: Iterable[Place]) -> set[int]:
        """Return the functions among *places* that no other one of them calls, by identity."""
        listed = list(places)
        used: dict[str, set[int]] = {}
        for place in listed:
            for name in names_in(place.function):
                imported = place.file.imports.get(name, "")
                if not imported or self._is_declared(imported, place.file):  # otherwise it is what a library calls so
                    used.setdefault(name, set()).add(id(place))
        return {
            id(place)
            for place in listed
            if not {one for name in called_as(place, self._renamed) for one in used.get(name, ())} - {id(place)}
        }

    def _feed(self, places: Iterable[Place]) -> None:
        """Evaluate the functions that put something in a queue or channel which others take it from."""
        taken, feeders = set(), []
        for place in places:
            own = _own_lists(place.function)
            for name, one in called_in(place.function):
                of = one.function.of if isinstance(one.function, ir.Member) else None
                if of is not None and (name in TAKES or (name == "get" and not one.arguments)):
                    taken.add(self._container(of))
                elif of is not None and name in ADDS and not (isinstance(of, ir.Name) and of.name in own):
                    feeders.append((self._container(of), place))
            taken |= {
                self._container(one.source) for one in walk(place.function) if isinstance(one, ir.Loop) and one.source
            }
        feeders += self._exchanging(places)
        taken |= {name for name, _ in feeders if name in self._exchanges or " " in name}
        self._silent = True
        listed = {id(place): place for name, place in feeders if name and name in taken}
        called = {name for place in listed.values() for name in called_as(place, self._renamed)}
        callers = reaching(places, called, self._renamed)
        outer = self._outermost(callers.values())
        listed |= {key: place for key, place in [*callers.items()][:_MOST_CALLERS] if key in outer}
        for place in listed.values():  # from outside, it is known what the container is
            if self._machine.steps > MOST_STEPS_TOGETHER // 2:  # the rest is for what is sent
                self._machine.spent = True
                break
            self._view = place
            self._machine.run(place)
            if id(place) in outer:
                self._note_uses(place)
        self._silent = False

    @cached_property
    def _exchanges(self) -> set[str]:
        """Return the names of fields and variables that are declared as containers or channels of the language."""
        found: set[str] = set()
        code = self._program.code
        declared: Iterable[ir.Field | ir.Declare | ir.Parameter]
        declared = chain(code(ir.Field), code(ir.Declare), code(ir.Parameter))
        for one in declared:
            value = getattr(one, "value", None)
            name = container_name(one.target) if isinstance(one, ir.Declare) else one.name.lstrip("_")
            if any(map(is_container, (one.type, *_made_types(value)))):
                found.add(name)
        return found

    def _exchanging(self, places: Iterable[Place]) -> list[tuple[str, Place]]:
        """Return the functions that put something in a container, or give a bus something for handlers."""
        found: list[tuple[str, Place]] = []
        handled: set[str] = set()
        given: list[tuple[str, Place]] = []
        for place in places:
            own = _own_lists(place.function)
            for _, one in called_in(place.function):
                of = one.function.of if isinstance(one.function, ir.Member) else None
                if isinstance(of, ir.Name) and of.name in own:
                    continue
                name = self._container(of) if of is not None and one.arguments else ""
                if name in self._exchanges:
                    found.append((name, place))
                elif name and len(one.arguments) > 1 and isinstance(one.arguments[0].value, Literal | ir.Member):
                    bus = f"{name} {code_text(one.arguments[0].value)}"
                    if isinstance(one.arguments[1].value, ir.Lambda):
                        handled.add(bus)
                    else:
                        given.append((bus, place))
        return found + [(bus, place) for bus, place in given if bus in handled]

    def _container(self, code: ir.Expression) -> str:
        name = container_name(code)
        return self._program.ends.get(name, name)

    def _serves(self, known: Known) -> bool:
        if id(known.cls) in self._serving:
            return True
        if known.cls.kind == "interface":
            return any(id(one.cls) in self._serving for one in self._program.subclasses(known))
        return False

    def _makes_record(self, place: Place) -> bool:
        """Return whether a function makes an object of a class that a schema generates."""
        records = self._program.records | self._program.rows.keys()
        return bool(records) and any(_made_in(one) in records for one in walk(place.function))

    def _registers(self, place: Place) -> bool:
        """Return whether a function calls something with a type of the program and a text: a topic of that type."""
        return (
            any(
                isinstance(one.function, ir.Member | ir.Name) and "<" in one.function.name and one.arguments
                for _, one in called_in(place.function)
            )
            or (not place.function.name and not _is_go(place.file))  # there, a file only declares
        )

    @cached_property
    def _declared(self) -> list[ir.Function]:
        """Return the methods that a library implements and that write what they are given."""
        notes = {note for rows in self._clients.values() for row in rows for note in row.declared}
        return [
            place.function
            for place in self._program.places
            if place.function.body is None and any(note.name in notes for note in place.function.notes)
        ]

    def _is_serializer(self, place: Place) -> bool:
        """Return whether a function makes the bytes of records for a client."""
        makes = {name for row in self._clients.get(place.file.language, ()) for name in row.implements}
        is_named = place.function.body is not None and place.function.name.lower().startswith("serialize")
        supers = place.known.cls.supers if place.known is not None and is_named else ()
        return not makes.isdisjoint(base_type(one).rpartition(".")[2] for one in supers)

    def _written_by(self, place: Place) -> Iterator[ir.Expression]:
        """Yield the topics by which the notes of a function have a client write its result."""
        notes = {
            note: names for row in self._clients.get(place.file.language, ()) for note, names in row.result.items()
        }
        for note in place.function.notes:
            for one in note.arguments if note.name in notes else ():
                if one.name in notes[note.name]:
                    yield from one.value.items if isinstance(one.value, ir.Sequence) else (one.value,)

    def _is_written(self, place: Place) -> bool:
        return self._is_serializer(place) or any(self._written_by(place))

    def _results(self, place: Place) -> list[Value]:
        """Return the topics that the result of a function is written to."""
        found: list[Value] = [Ref("?")] if self._is_serializer(place) else []
        for known in self._written_by(place):
            topic = self._machine.apart(known, Scope(place.file, None, None, place.known))
            if isinstance(known, Literal):
                found.append(Const(Kind.TEXT, self._channel(known.text)))
            elif isinstance(topic, Closure):  # a listener gets what it reads otherwise, any other function no record
                readers = (one for one in self._program.places if one.function is topic.function)
                found += [Const(Kind.TEXT, name) for one in readers for name in self._receives.listened(one) or ()]
            else:
                found.append(topic)
        return found

    def _channel(self, name: str) -> str:
        return self._program.setting(f"mp.messaging.outgoing.{name}.topic") or name

    # --- calls

    def _watch(self, machine: Machine, made: Made) -> bool:
        """Note a call if it is a send; return whether it is one."""
        name = plain(made.name).rpartition(".")[2]
        for kind, value in kept_in(made, self._stores, self._program) if self._stores else ():
            parts = {"kept": Const(Kind.TEXT, kind), "form of": Const(Kind.TEXT, form_of(value)), "value": value}
            self._emit(parts, name, made.place, made.guards)
        if self._triggers is not None:
            self._note_trigger(made)
        if self._silent:
            self._receives.note(made, name.removeprefix("new "), self._files_on_the_way(made.place))
            is_plain = made.of is not None and not any(is_function(one) for _, one in made.given)
            return is_plain and self._client_of(machine, made, name) is not None
        is_generic = "<" in f"{made.name}{made.of.name if isinstance(made.of, Apply) else ''}"
        if made.given and is_generic and made.file.path in self._found.clients:
            self._register(made)
        if made.of is None and made.name.startswith("new "):
            self._application(made, made.name.rpartition(".")[2].removeprefix("new "))
            self._receives.note(
                made, made.name.rpartition(".")[2].removeprefix("new "), self._files_on_the_way(made.place)
            )
            return False
        if made.of is not None and any(function.name == name for function in self._declared):
            return self._declared_send(machine, made, name)
        if made.of is not None and len(made.given) == 1 and any(name == row.defaults[0] for row in self._rows):
            self._defaults[show(made.of)] = made.given[0][1]
            return False
        if self._add_registered(machine, made, name):
            return True
        row = self._client_of(machine, made, name)
        if row is None and (record := self._record_given(machine, made, name)) is not None:
            self._seen.add(made.place)
            self._records(machine, made, name, {"record": record})
            return True
        if row is None and self._subscribed_to_unknown(machine, made, name):
            return True
        if row is None and self._given_to_unknown(machine, made, name):
            return True
        if row is None:
            self._receives.note(made, name, self._files_on_the_way(made.place))
            self._connect(machine, made, name)
            return False
        signature = row.sends[name].get(len(made.given), row.sends[name].get(0))
        if signature is None:
            return False
        parts = _bound(signature, made.given)
        if "binding" in parts and len(made.given) > 2 and _is_name(machine, made.given[1][1]):  # of a binder
            parts["value"] = made.given[2][1]
        self._seen.add(made.place)
        if name in row.whole and made.of is not None:
            of_stream = _of_stream(made.of, machine.element(made.of))
            if "sink" in parts:  # which makes the keys itself
                of_stream.pop("key", None)
            parts = of_stream | parts
            made = replace(made, of=None, guards=(*made.guards, *_kept(made.of)))
        self._records(machine, made, name, parts)
        return True

    def _note_trigger(self, made: Made) -> None:
        """Note what makes a library call a function of the program that sends."""
        if self._triggers is None or self._view is None or made.place in self._seen:
            return
        found = triggered_by(made, self._triggers, self._view.name, self._program)
        if found is None or self._machine.is_watcher(made.of, made.name):
            return
        topics = dict.fromkeys(topic for one in self._found.contracts if one.view in found[0] for topic in one.topics)
        names = [Const(Kind.TEXT, one) for one in topics]
        known: dict[str, Value] = {"topic": names[0] if len(names) == 1 else Items(list(names))} if names else {}
        parts = {"kept": Const(Kind.TEXT, _TRIGGER), "form of": Const(Kind.TEXT, form_of(found[1])), "value": found[1]}
        self._emit(known | parts, plain(made.name).rpartition(".")[2], made.place, made.guards)

    def _add_registered(self, machine: Machine, made: Made, name: str) -> bool:
        """Note that objects of the class in brackets are written to a topic; return whether the call says so."""
        rows = (row for row in self._clients.get(made.file.language, ()) if name in row.registers)
        names = [*_origins(machine, made)]
        imported = (*made.file.imports.values(), *made.file.wildcards) if "<" in made.name else ()
        is_listed = bool(made.given) and isinstance(made.given[0][1], Const)  # of functions, no type is declared
        row = next(
            (row for row in rows if any(_is_of(one, row) for one in (*names, *(imported if is_listed else ())))), None
        )
        kinds = self._receives.kinds_of(made) if row is not None else ()
        known = [one for kind in sorted(kinds) for one in self._program.classes[kind][:1]]
        if row is None or not known:
            return False
        self._seen.add(made.place)
        parts = _bound(row.registers[name], made.given)
        for one in known:
            self._emit({"topic": parts.get("topic", NULL), "value": machine.object_of(one)}, name, made.place, ())
        return True

    def _connect(self, machine: Machine, made: Made, name: str) -> None:
        """Call the function that a client is given for the records of a topic, and note what it returns as sent."""
        row = next((row for row in self._clients.get(made.file.language, ()) if name in row.connects), None)
        given = (value for _, value in made.given)
        parts = dict(zip(row.connects[name].split(), given, strict=False)) if row is not None else {}
        function = parts.get("function")
        if function is None or not is_function(function):
            return
        topics = [Const(Kind.TEXT, one) for one in topic_texts(self._set(parts["received"]))]
        record = Apply("received", None, tuple(topics), via="record")
        result = machine.call(function, [("", record)], ir.Call(Name(name), (), made.place[1]), Scope(made.file))
        self._seen.add(made.place)
        if "topic" in parts:
            sent = machine.part(result, 0) if made.file.language == "go" else result  # an error is the second result
            self._records(machine, made, name, {"topic": parts["topic"], "record": sent})

    def _application(self, made: Made, kind: str) -> None:
        """Note the settings that what runs a topology is given."""
        rows = self._clients.get(made.file.language, ())
        if self._view is not None and any(kind in row.applications for row in rows):
            for _, value in made.given:
                known = {key: show(one) for key, one in self._machine.written(value).items()}
                if isinstance(value, Thing) or known:
                    for key, text in {**_client_parts(value, self._machine.changes_of), **known}.items():
                        self._found.setup[f"{self._view.name} {kind} {key}"] = text, made.place

    def _register(self, made: Made) -> None:
        """Note which topic a call gives a type of the program."""
        given = (self._set(value) if isinstance(value, Get) else value for _, value in made.given)
        text = next((value for value in given if isinstance(value, Const) and value.kind is Kind.TEXT), None)
        kinds = self._receives.kinds_of(made)
        if text is not None and kinds:
            shown = ", ".join(show(value) for _, value in made.given)
            self._found.setup[f"{made.name} {text.text}"] = shown, made.place
            for kind in kinds:
                self._topics.setdefault(kind, text)

    def _declared_send(self, machine: Machine, made: Made, name: str) -> bool:
        known = machine.known_type(made.of) if made.of is not None else None
        method = self._program.method(known, name, len(made.given)) if known is not None else None
        if method is None or not any(method.function is one for one in self._declared):
            return False
        topic: Value = Opaque(name)
        for note in method.function.notes:
            if note.arguments and isinstance(note.arguments[0].value, Literal):
                topic = Const(Kind.TEXT, note.arguments[0].value.text)
        parts: dict[str, Value] = {"topic": topic}
        for parameter, (_, value) in zip(method.function.parameters, made.given, strict=False):
            noted = [note.name for note in parameter.notes]
            part = next((part for word, part in _NOTED.items() if any(word in one for one in noted)), "value")
            parts[part] = machine.declared(value, parameter.type, method.file, method.known)
        self._seen.add(made.place)
        self._records(machine, made, name, parts)
        return True

    def _record_given(self, machine: Machine, made: Made, name: str) -> Value | None:
        """Return the record with a topic that a call is given which no client is known to have: it is for sending."""
        kind = machine.full_type(made.of) if made.of is not None else ""
        if name in ADDS or kind.startswith(_OF_LANGUAGES) or machine.is_watcher(made.of, made.name):
            return None
        for _, value in made.given:
            is_new = isinstance(value, Thing) or (isinstance(value, Apply) and value.of is None)
            full = (value.type if isinstance(value, Thing) else value.name) if is_new else ""  # type: ignore[union-attr]
            signature = self._signature(full, len(value.arguments)) if full else None  # type: ignore[union-attr]
            if signature is not None and "topic" in signature.split() and any(_is_of(full, row) for row in self._rows):
                return value
        return None

    def _subscribed_to_unknown(self, machine: Machine, made: Made, name: str) -> bool:
        """Note what a call of an unknown client reads that is given a topic and a function; return whether it is one.

        One that writes is given what it writes as well: a function is called with the records of the topic then.
        """
        unknown = [row for row in self._clients.get(made.file.language, ()) if row.is_unknown]
        functions = [value for _, value in made.given if isinstance(value, Closure | Method)]
        if not unknown or not functions:
            return False
        names = [*_origins(machine, made)]
        met = [row for row in unknown if any(_is_of(one, row) for one in names)]
        parts = {_PARTS.get(key.lower(), ""): value for key, value in made.given}
        for _, value in made.given:
            if isinstance(value, Thing) and value.known is None:
                parts |= {_PARTS.get(key.lower(), ""): one for key, one in value.fields.items()}
        topics = [Const(Kind.TEXT, one) for one in topic_texts(self._set(parts["topic"]))] if "topic" in parts else []
        if not met or not topics or {"value", "key", "messages"} & parts.keys():
            return False
        for topic in topics:
            self._receives.given[topic.text] = made.place
        record = Apply("received", None, tuple(topics))
        for function in functions:
            code = machine.place_of(function)
            taken = [_GIVEN if "ontext" in one.type else record for one in code.parameters] if code else [record]
            listed: list[Given] = [("", one) for one in taken]
            machine.call(function, listed, ir.Call(Name(name), (), made.place[1]), Scope(made.file))
        self._seen.add(made.place)
        self._met |= {row.name for row in met}
        return True

    def _given_to_unknown(self, machine: Machine, made: Made, name: str) -> bool:
        """Note what an object of an unknown client is given; return whether it is one.

        Which argument is what, only their names say, which are those of the protocol. Others are part of what is sent.
        """
        language = made.file.language
        owners = self._owners.get(language, ())
        names = list(_origins(machine, made)) if owners and made.given and made.of is not None else []
        unknown = [row for row in self._clients.get(language, ()) if row.is_unknown]
        is_known = any(_is_of(one, row) for one in names for row in unknown)
        is_known |= any(self._may_be_of(one, made.file, unknown) for one in names)
        # An interface of the same publisher that is given a topic is the client's, if nothing is known of the object.
        is_free = made.of is not None and _is_free(made.of) and any(owner_of(one, language) in owners for one in names)
        is_free &= any(_PARTS.get(key.lower()) == "topic" for key, _ in made.given)
        is_logged = machine.is_watcher(made.of, made.name) or any(plain(one) in self._logging for one in names)
        if not (is_known or is_free) or is_logged:
            return False
        parts: dict[str, Value] = {}
        others: list[Value] = []
        for key, value in made.given:
            part = _PARTS.get(key.lower(), key)
            if part and part != "*":
                parts[key if part in parts else part] = value
            else:
                others.append(value)
        records = [one for each in others for one in self._parts_of(machine, each, 0) if "topic" in one]
        if others and not records:
            parts["given" if "value" in parts else "value"] = others[0] if len(others) == 1 else Items(others)
        self._seen.add(made.place)
        own = {owner_of(one, language) for one in names}
        self._met |= {
            row.name
            for row in unknown
            if any(_is_of(one, row) or self._may_be_of(one, made.file, [row]) for one in names)
            or (is_free and owner_of(row.packages[0], language) in own)
        }
        self._of_unknown.add(made.place)
        if self._view is not None and self._view.function.name not in self._called:
            parts["entry"] = Const(Kind.TEXT, self._view.name)  # the library may call it by its name
        for one in records or ({},):
            self._emit({**parts, **one}, name, made.place, made.guards, made.of)
        return True

    @cached_property
    def _called(self) -> frozenset[str]:
        """Return the names that functions of the program use."""
        return frozenset(name for place in self._program.places for name in names_in(place.function))

    def _may_be_of(self, kind: str, file: ir.File, rows: Sequence[Client]) -> bool:
        """Return whether a class without a package may be of one that a file imports as a whole."""
        is_plain = kind[:1].isupper() and kind.isidentifier() and kind not in {*file.imports, *self._program.classes}
        return is_plain and any(begins(one, row.packages) for one in file.wildcards for row in rows)

    def _client_of(self, machine: Machine, made: Made, name: str) -> Client | None:
        rows = [row for row in self._clients.get(made.file.language, ()) if name in row.sends]
        if not rows:
            return None
        names = list(_origins(machine, made))
        # Without an object that says it, a record or sink that is given says whose call it is.
        sent = [machine.full_type(value) for _, value in made.given if isinstance(value, Thing)]
        # The package says more than the name of the class, which those of several clients have.
        rows.sort(key=lambda row: not any(begins(one.replace("::", "."), row.packages) for one in names))
        for row in rows:
            signature = row.sends[name].get(len(made.given), row.sends[name].get(0, ""))
            if "sink" in signature.split():
                of_sinks = [one for _, value in made.given for one in _origins_of(machine, value)]
                is_other = any("." in one for one in of_sinks)
                names = of_sinks if is_other else names
            for one in names:
                if _is_of(one, row):
                    return row
        for row in rows:
            signature = row.sends[name].get(len(made.given), row.sends[name].get(0, ""))
            if {"record", "sink"} & {*signature.split()} and any(_is_of(one, row) for one in sent):
                return row
        is_named = any("." in one or "/" in one or one in made.file.imports or one in _TYPES for one in names)
        if is_named:
            self._foreign.add((*made.place, name))
        is_free = _is_free(made.of) if made.of is not None else "." in made.name
        if name == "<-" and made.of is not None and machine.carries_own(made.of):
            return None
        if is_named or not is_free:
            return None
        fitting = [row for row in rows if len(made.given) in row.sends[name] or 0 in row.sends[name]]
        return fitting[0] if fitting else None

    # --- records

    def _records(self, machine: Machine, made: Made, name: str, parts: Mapping[str, Value]) -> None:
        """Note the records of one send."""
        rest = {key: value for key, value in parts.items() if key not in ("record", "sink", "binding")}
        if "binding" in parts:
            rest["topic"] = self._bound_topic(parts["binding"])
        listed: list[dict[str, Value]] = [{}]
        made_by = _function_in(parts["sink"]) if "sink" in parts and "value" in rest else None
        if made_by is not None:  # the sink has a function of the element that makes the record
            code = ir.Call(Name(name), (), made.place[1])
            record = machine.call(made_by, [("", rest["value"])], code, Scope(made.file))
            found = [one for one in self._parts_of(machine, record, 0) if "topic" in one]
            rest, parts = ({}, {"record": record}) if found else (rest, parts)
        for key in ("record", "sink"):
            if key in parts:
                listed = list(self._parts_of(machine, parts[key], 0))
                if key == "sink" and all(one.keys() <= {"value"} for one in listed):
                    listed = [{}]  # it writes the records that the stream has
                    made = made if made.of is not None else replace(made, of=parts[key])
        if "form" in rest:
            message = list(self._parts_of(machine, rest["form"], 0))
            if any(one.keys() & {"key", "value"} for one in message) and _has_parts(rest["form"]):
                listed = message
            else:
                rest["value"] = rest["form"]
            del rest["form"]
        # A map without a class is what is written, whatever its members are called.
        is_map = isinstance(rest.get("value"), Thing) and not rest["value"].type  # type: ignore[union-attr]
        if "value" in rest and not is_map and not any("value" in one for one in listed):
            message = [one for one in self._parts_of(machine, rest["value"], 0) if not self._is_nothing(one)]
            if message and all(one.keys() - {"value", "guard"} for one in message):
                rest = {key: value for key, value in rest.items() if key != "value"}
                listed = message
        for one in listed[:_MOST_RECORDS]:
            together = {**one, **rest} if "topic" not in one else {**rest, **one}
            if "topic" not in together and made.of is not None:
                topic = self._topic_of(made.of) or self._set_topic(made)
                if topic is not None:
                    together["topic"] = topic
            self._emit(together, name, made.place, made.guards, made.of)

    def _set_topic(self, made: Made) -> Value | None:
        """Return the topic that settings give a client for what is sent to none; None without one."""
        name = plain(made.name).rpartition(".")[2]
        rows = (row for row in self._rows if row.defaults[1] and name in row.sends)
        known = next(filter(None, (self._program.setting(row.defaults[1]) for row in rows)), None)
        return Const(Kind.TEXT, known) if known is not None else None

    def _is_nothing(self, parts: Mapping[str, Value]) -> bool:
        """Return whether one way of a send has no record: nothing, an empty list, or what a library makes of it."""
        value = parts.get("value") if parts.keys() <= {"value", "guard"} else None
        while isinstance(value, Apply) and len(value.arguments) == 1 and self._signature(value.name, 1) is not None:
            value = value.arguments[0]
        return value == NULL or (isinstance(value, Items) and not value.values)

    def _bound_topic(self, value: Value) -> Value:
        if isinstance(value, Const):
            known = self._program.setting(f"spring.cloud.stream.bindings.{value.text}.destination")
            return Const(Kind.TEXT, known or value.text)
        return value

    def _parts_of(self, machine: Machine, value: Value, depth: int) -> Iterator[dict[str, Value]]:
        """Yield the parts of each record in what is given to a send."""
        if depth > 6:
            yield {"value": value}
            return
        match value:
            case Items(values=values) if values:
                for one in values:
                    yield from self._parts_of(machine, one, depth + 1)
            case Cond(test=test, then=then, otherwise=otherwise):
                for way, guard in ((then, show(test)), (otherwise, f"not {show(test)}")):
                    for found in self._parts_of(machine, way, depth + 1):
                        inner = found.get("guard")
                        yield {**found, "guard": Ref(f"{guard} && {inner.name}" if isinstance(inner, Ref) else guard)}
            case Apply(name="each" | "mapped") | Apply(name="#0"):
                inside = machine.element(value) if value.name != "each" else value.arguments[0]
                kept = " && ".join(show(one) for one in _filters(inside if value.name == "each" else value))
                is_record = (
                    isinstance(inside, Apply) and self._signature(inside.name, len(inside.arguments)) is not None
                )
                if inside is value or not (isinstance(inside, Thing | Items | Cond) or is_made(inside) or is_record):
                    yield {"value": value}
                else:
                    for found in self._parts_of(machine, inside, depth + 1):
                        yield {**found, "guard": Ref(kept)} if kept and "guard" not in found else found
            case Thing():
                yield from self._of_thing(machine, value, depth)
            case Apply(name="...", arguments=(inside,)):
                yield from self._parts_of(machine, machine.element(inside), depth + 1)
            case Apply(of=None, arguments=(Items() | Apply(name="mapped") as inside,)):
                yield from self._parts_of(machine, inside, depth + 1)
            case Apply():
                yield from self._of_chain(machine, value, depth)
            case _:
                yield {"value": value}

    def _of_thing(self, machine: Machine, thing: Thing, depth: int) -> Iterator[dict[str, Value]]:
        signature = self._signature(thing.type, len(thing.arguments)) if thing.known is None else None
        parts: dict[str, Value] = {}
        if signature is not None:
            parts = _bound(signature, [("", one) for one in thing.arguments])
        is_record = {"value"} <= thing.fields.keys() <= _RECORD  # by its form, whatever its type is called
        for key, value in thing.fields.items():
            part = _PARTS.get(key.lower().strip("_"))
            if part is not None and (thing.known is None or thing.type == "" or is_record):
                parts[part] = value
        if signature is not None and thing.touched:  # a record has no methods that change it but those of its headers
            _add_headers(parts, thing.touched)
        if isinstance(parts.get("topic"), Thing):
            inner = parts["topic"]
            named = next(iter(self._parts_of(machine, inner, depth + 1)), {})
            parts["topic"] = named.get("topic", inner)
        if "messages" in parts:
            rest = {key: value for key, value in parts.items() if key != "messages"}
            for one in self._parts_of(machine, parts["messages"], depth + 1):
                yield {**rest, **one}
            return
        if "record" in parts:
            for one in self._parts_of(machine, parts.pop("record"), depth + 1):
                yield {**one, **parts}
            return
        for value in thing.fields.values() if thing.known is None and thing.type else ():
            for key, inner in self._of_serializer(machine, value, depth).items():
                parts.setdefault(key, inner)
        is_client = thing.known is None and any(_is_of(thing.type, row) for row in self._rows)
        if is_client and parts and parts.keys() <= {"key", "headers", "partition", "timestamp"}:
            parts["value"] = NULL
        if (thing.known is None or is_record) and {"value", "topic"} & parts.keys():
            more = {key: one for key, one in thing.fields.items() if key.lower().strip("_") not in _PARTS}
            if more:
                parts["options"] = Thing("", None, more)
            yield parts
        else:
            yield {"value": thing}

    def _of_chain(self, machine: Machine, value: Apply, depth: int) -> Iterator[dict[str, Value]]:
        """Yield the parts in a chain of calls that makes a record."""
        parts: dict[str, Value] = {}
        options: list[Value] = []
        current: Value | None = value
        while isinstance(current, Apply):
            name = current.name.partition("<")[0].replace("::", ".").rpartition(".")[2]
            signature = self._signature(current.name, len(current.arguments))
            part = _PARTS.get(name.lower().removeprefix("with").removeprefix("set"))
            if signature is not None:
                for key, one in _bound(signature, [("", each) for each in current.arguments]).items():
                    parts.setdefault(key, one)
                _add_headers(parts, machine.changes_of(current))
            elif part is not None and len(current.arguments) == 1 and current.of is not None:
                parts.setdefault(part, current.arguments[0])
            elif current.of is None and any(_PARTS.get(one) for one in current.names):  # an object made by names
                for key, inner in zip(current.names, current.arguments, strict=True):
                    if key in _PARTS:
                        parts.setdefault(_PARTS[key], inner)
            elif current.of is None and current.arguments and name in ("to", "withPayload", "create"):
                parts.setdefault("topic" if name == "to" else "value", current.arguments[0])
            elif current.of is not None and (header := _header(current)):
                parts.setdefault(header, current.arguments[1])
            elif current.of is not None and current.arguments:
                options.append(replace(current, of=None))
            elif current.of is None:
                break
            for one in current.arguments if current.of is not None else ():
                for key, inner in self._of_serializer(machine, one, depth).items():
                    parts.setdefault(key, inner)
            current = current.of
        if isinstance(current, Thing) and parts:
            for found in self._of_thing(machine, current, depth + 1):
                parts = {**found, **parts} if set(found) != {"value"} or "value" not in parts else parts
        if "record" in parts:
            for found in self._parts_of(machine, parts.pop("record"), depth + 1):
                yield {**found, **parts}
            return
        if "value" in parts or "topic" in parts:
            if options:
                parts["options"] = Items(list(options))
            yield parts
        else:
            yield {"value": value}

    def _of_serializer(self, machine: Machine, value: Value, depth: int) -> dict[str, Value]:
        """Return the topic and key that a serializer gives the records that it makes of values."""
        if isinstance(value, Thing) and value.known is not None:
            makes = {name for rows in self._clients.values() for row in rows for name in row.implements}
            method = self._program.method(value.known, "serialize")
            if method is not None and makes & {base_type(one).rpartition(".")[2] for one in value.known.cls.supers}:
                record = machine.call_own(method, value)
                found = next(iter(self._parts_of(machine, record, depth + 1)), {})
                return {key: one for key, one in found.items() if key in ("topic", "key")}
        if isinstance(value, Thing) and value.known is None and "topic" in value.fields:
            return {"topic": value.fields["topic"]}
        if isinstance(value, Apply) and value.of is not None and depth < 3:
            found = next(iter(self._of_chain(machine, value, depth + 1)), {})
            return {key: one for key, one in found.items() if key in ("topic", "key")}
        return {}

    def _signature(self, name: str, count: int) -> str | None:
        plain = name.replace("::", ".").partition("<")[0]
        for rows in self._clients.values():
            for row in rows:
                for made, forms in row.records.items():
                    if plain == made or plain.endswith(f".{made}"):
                        return forms.get(count, forms.get(0))
        return None

    def _topic_of(self, client: Value) -> Value | None:
        """Return the topic that a client was made for; None if it was made for none."""
        value: Value | None = client
        if self._defaults and (given := self._defaults.get(show(client))) is not None:
            return given
        for _ in range(12):
            if isinstance(value, Input) and value.place.startswith("channel "):
                return Const(Kind.TEXT, self._channel(value.place.removeprefix("channel ")))
            kinds = value.type if isinstance(value, Input | Get | Apply) else ""
            for kind in kinds.partition("\0")[0].partition("<")[2].rstrip(">?").split(","):
                found = self._topics.get(base_type(kind.strip()).rpartition(".")[2])
                if found is not None:
                    return found
            if isinstance(value, Thing):
                return _topic_in(value)
            if isinstance(value, Apply):
                inside = next((_topic_in(one) for one in value.arguments if isinstance(one, Thing)), None)
                if inside is not None:
                    return inside
                if value.of is None:
                    plain = [one for one in value.arguments if isinstance(one, Const) and one.kind is Kind.TEXT]
                    return plain[0] if len(plain) == 1 and "opic" in value.name else None
                topic = next((one for one in value.arguments if value.name in ("topic", "GetTopicProducer")), None)
                if topic is not None:
                    return topic
                value = value.of
            elif isinstance(value, Get):
                value = value.of
            else:
                return None
        return None

    def _emit(
        self,
        parts: Mapping[str, Value],
        method: str,
        place: tuple[str, int],
        guards: Sequence[Value],
        client: Value | None = None,
    ) -> None:
        assert self._view is not None
        shown = Shown(records=self._record_text)
        topic = parts.get("topic")
        if topic is not None:
            topic = self._set(topic)
        # What is sent is chosen with the topic.
        if isinstance(topic, Cond) and (self._is_of_topics(topic.test) or _is_class_test(topic.test)):
            for guard, way in ((topic.test, topic.then), (negate(topic.test), topic.otherwise)):
                self._machine.guards.append(guard)
                chosen = {key: self._machine.chosen(value) for key, value in parts.items()}
                self._emit({**chosen, "topic": way}, method, place, (*guards, guard), client)
                self._machine.guards.pop()
            return
        if topic is None and parts.keys() == {"value"} and any(is_failed(one) for one in _inside_each(parts["value"])):
            return  # a step of a stream let nothing through
        text = shown.text(topic) if topic is not None else ""
        others = sorted(
            (key, _way_of(value) if key.endswith("serializer") else shown.text(value))
            for key, value in parts.items()
            if key not in ("topic", "value", "-")
        )
        if method in self._program.replaced:
            others.append(("replaced", code_text(self._program.replaced[method])))
        shape, values = shape_of(self._machine, parts["value"]) if "value" in parts else (Shape(), {})
        noted = self._kept if "kept" in parts else self._values
        noted += [*parts.values(), *guards, *(one for listed in values.values() for one in listed)]
        noted += [client] if client is not None else []
        decide = (each for one in guards for each in parts_of_test(one) if each != _DONE)
        held = frozenset(map(self._held, decide))
        changes = self._machine.changes_of
        of = tuple(sorted(_client_parts(client, changes).items())) if client is not None else ()
        contract = Contract(
            view=self._view.name,
            method=method,
            topic=text,
            topics=tuple(dict.fromkeys(topic_texts(topic))) if topic is not None else self._topics_of_row(parts),
            parts=tuple(others),
            shape=shape,
            guards=held,
            client=of,
            place=place,
            opaque=shown.opaque or shape.opaque or "value" not in parts,
            signature=", ".join(one.type for one in self._view.function.parameters)
            + f"/{len(self._view.function.parameters)}",
            path=tuple(self._names[id(one)] for one in self._machine.functions if id(one) in self._names),
            files=self._files_on_the_way(place),
            sites=tuple(dict.fromkeys((place, *(site for site in self._machine.sites if site[0])))),
            managed=_is_managed(self._view),
            inner=self._inner,
            is_rooted=bool(values) and all(_is_rooted(one) for listed in values.values() for one in listed),
        )
        self._machine.charge(MOST_PARTS - shown.left)
        if topic is not None and not contract.topics:
            if taken_from([topic], self._program):
                self._of_stores.add(place)
            if self._is_set_at_start(topic):
                self._of_process.add(place)
        if contract in self._contracts:
            return
        self._contracts.add(contract)
        if "kept" in parts:
            self._found.kept.append(contract)
        else:
            self._found.contracts.append(contract)
            self._sent.append(self._origins(contract, values, guards))

    def _origins(self, contract: Contract, values: Mapping[str, Sequence[Value]], guards: Sequence[Value]) -> _Sent:
        """Return where the fields of a record come from, and which records decide that it is sent."""
        assert self._view is not None
        view = self._view
        origins = self._origin_reader(view)
        fields = {
            path: shortest(one for value in listed for one in origins.of(value)) for path, listed in values.items()
        }
        inputs = shortest(one for guard in guards for one in origins.of(guard))
        only = frozenset(topic for guard in guards for topic in self._topics_compared(guard))
        never = frozenset(topic for guard in guards for topic in self._topics_compared(guard, "!=", "&&"))
        return _Sent(contract, view, fields, inputs, only, never)

    def _origin_reader(self, view: Place) -> OriginReader:
        return OriginReader(
            self._machine,
            lambda value: self._receives.root(value, view),
            lambda test: frozenset(self._topics_compared(test, "==", "&&")),
        )

    def _compared(self, guard: Value) -> tuple[frozenset[str], frozenset[str]]:
        """Return the topics that a condition says records come from, and those that it says they do not come from."""
        return frozenset(self._topics_compared(guard)), frozenset(self._topics_compared(guard, "!=", "&&"))

    def _held(self, guard: Value) -> str:
        """Return the text of what has to be true, as it was when a record of this view was first sent under it."""
        if self._guards[0] is not self._view:
            self._guards = self._view, {}
        texts = self._guards[1]
        if id(guard) not in texts:
            texts[id(guard)] = guard, Shown(records=self._record_text).text(guard)
        return texts[id(guard)][1]

    def _record_text(self, value: Value) -> str | None:
        """Return the text of what records come from; None for other values.

        How they are read changes no record, but for code that makes values of them.
        """
        view = self._view
        if self._others[0] is not view:
            self._others = view, {}  # what no records come from, as this view sees it, by identity
        if view is None or id(value) in self._others[1]:
            return None
        if self._receives.root(value, view) is None and not self._is_made_to_read(value, view):
            self._others[1][id(value)] = value
            return None
        topics: tuple[str, ...] = ()
        if len({one.topics for one in self._receives.noted}) > 1:
            topics = self._receives.topics(value, view, ())
            if not topics:
                return None
        return f"received({', '.join((*topics, *_reading(value)))})"

    def _is_received(self, value: Value) -> bool:
        """Return whether records come from a value, as the present view sees it."""
        return self._view is not None and self._receives.root(value, self._view) is not None

    def _is_made_to_read(self, value: Value, view: Place) -> bool:
        """Return whether an object is made of options, and one of them names the topics that it reads."""
        options = value.arguments if isinstance(value, Apply) and value.of is None and is_made(value) else ()
        return any(isinstance(one, Apply) and self._receives.root(one, view) is not None for one in options)

    def _is_of_topics(self, test: Value) -> bool:
        """Return whether a condition is about the topic that a record came from."""
        return any(any(True for _ in self._topics_compared(test, sign)) for sign in ("==", "!="))

    def _topics_compared(self, guard: Value, sign: str = "==", *joins: str) -> Iterator[str]:
        """Yield the topics that a condition compares the topic of a record with by an operator."""
        joins = joins or ("||", "&&")
        if isinstance(guard, Apply) and guard.of is None and guard.name in (sign, *joins):
            sides = guard.arguments
            if guard.name == sign and any(is_topic(one) for one in sides):
                for one in sides:
                    yield from () if is_topic(one) else topic_texts(self._set(one))
            for one in sides if guard.name != sign else ():
                yield from self._topics_compared(one, sign, *joins)

    def _files_on_the_way(self, place: tuple[str, int]) -> tuple[str, ...]:
        on_the_way = [self._files[id(one)] for one in reversed(self._machine.functions) if id(one) in self._files]
        files = tuple(dict.fromkeys([place[0], *on_the_way]))
        view = self._view.file.path if self._view is not None else place[0]
        return files if files[-1] == view else (*files, view)

    def _keep(self, places: Sequence[Place], senders: Mapping[int, Place]) -> None:
        """Note what the program gives to what it takes parts of sent values from: it is sent from there.

        Nothing is noted as sent, so *senders* that nothing else came to remain so.
        """
        machine = self._machine
        was_spent, visited, seen = machine.spent, machine.visited, set[int]()
        entered = {function: set(views) for function, views in machine.entered.items()}
        followed = set(machine.followed)
        self._silent, machine.keeps, machine.spent = True, False, False
        triggers = self._triggers_of_senders(places)
        for at in range(_MOST_KEEPERS):  # what is kept may come from what something else keeps
            stores = taken_from((*self._values, *self._kept), self._program)
            giving = {id(place): place for place in triggering(places, triggers, self._program)} if at == 0 else {}
            if stores <= self._stores and not giving:
                break
            self._stores |= stores
            self._triggers = triggers if giving else None
            machine.triggers_at, machine.note_trigger = triggers.calls if giving else (), self._note_trigger
            giving |= {id(place): place for place in holding(places, stores, self._program)}
            called = {name for place in giving.values() for name in called_as(place, self._renamed)}
            found = reaching(places, called - {""}, self._renamed) | giving
            self._serving |= {id(place.known.cls) for place in found.values() if place.known is not None}
            outer = self._outermost(found.values())
            steps, machine.steps = machine.steps, 0
            machine.visited = set()
            for place in sorted(found.values(), key=lambda one: id(one) not in outer)[:MOST_VIEWS]:
                if id(place) in outer or id(place.function) not in machine.visited:
                    self._view = place
                    machine.run(place)
            machine.steps += steps
            seen |= machine.visited
            if machine.spent:  # those that were not evaluated may give it anything
                for place in giving.values():
                    self._note_text(self._found.loose, place)
                break
        self._stores, self._triggers, machine.triggers_at = frozenset(), None, ()
        machine.visited = visited | seen - {id(place.function) for place in senders.values()}
        machine.entered, machine.followed = entered, followed
        self._silent, machine.keeps, machine.spent = False, True, was_spent

    def _triggers_of_senders(self, places: Sequence[Place]) -> SendTriggers:
        """Return what leads a library to call the functions that send and that nothing in the program calls.

        The records of a topic lead to those that listen to it.
        """
        contracts = self._found.contracts
        called = {name for one in contracts for name in one.path if name != one.view}
        views = {one.view for one in contracts} - called
        entered = [place for place in places if place.name in views and self._receives.listened(place) is None]
        ways: dict[str, set[str]] = {}
        for one in contracts:
            ways.setdefault(one.view, set()).update((one.method, *(name.rpartition(".")[2] for name in one.path[1:])))
        return triggers_of(entered, ways, places, self._program)

    def _read_records(self, places: Iterable[Place]) -> None:
        """Evaluate the functions that read records and that no evaluation came to, from outside."""
        machine = self._machine
        rows = self._rows
        places = [place for place in places if place.file.language in self._languages]
        names = {name for row in rows for name in (*row.subscribes, *row.receives, *row.connects)}
        found = reaching(places, names, self._renamed)
        handles = {name for row in rows for name in row.handles}
        classes = {id(one.known.cls): one.known for one in places if one.known is not None}
        holding = {key for key, known in classes.items() if self._holds_reader(known)}
        for place in places:
            is_given = place.function.name in handles or self._receives.listened(place) is not None
            if is_given or (place.known is not None and id(place.known.cls) in holding):
                found.setdefault(id(place), place)
        outer = self._outermost(found.values())
        # What a method reads with is known from how its object is made.
        self._serving |= {id(place.known.cls) for place in found.values() if place.known is not None}
        self._silent, machine.keeps = True, False
        steps, machine.steps = machine.steps, 0
        for place in sorted(found.values(), key=lambda one: id(one) not in outer)[:MOST_VIEWS]:
            if id(place.function) not in machine.visited or id(place.function) in self._fed:
                self._view = place
                machine.run(place)
                self._note_uses(place)
        machine.steps += steps
        machine.spent |= len(found) > MOST_VIEWS
        self._silent, machine.keeps = False, True

    @cached_property
    def _languages(self) -> frozenset[str]:
        """Return the languages in which the clients that the program uses can be called, or that settings bind."""
        known = {one for listed in self._clients.values() for row in listed for one in row.languages}
        return frozenset(known | {place.file.language for place, _ in self._bound()})

    def _note_uses(self, view: Place) -> None:
        """Note which fields of records a view used, as it was evaluated last."""
        if view.file.language in self._languages and not self._inner:
            self._used.add(view)

    def _holds_reader(self, known: Known) -> bool:
        """Return whether an object of a class has one that records are read with."""
        rows = self._clients.get(known.file.language, ())
        receives = {name for row in rows for name in row.receives}
        types = (*(one.type for one in known.cls.fields), *(p.type for f in known.cls.functions for p in f.parameters))
        return any(not receives.isdisjoint(_WORD.findall(one)) for one in types)

    def _pass(self, places: Iterable[Place]) -> None:
        """Note what comes from the records that the program receives, now that all subscriptions are known."""
        passed: dict[Passed, None] = {}
        for sent in (one for one in self._sent if not one.contract.inner):
            at = sent.contract.sites
            for target, origins in sent.fields.items():
                for one in origins:
                    for topic in self._topics_for(one, sent):
                        fields = one.path if one.inside or not one.exact else ()
                        if one.exact and one.inside and not one.path:
                            self._found.used.append(Used(topic, (), at[0], sent.contract.files))
                        passed[Passed(topic, fields, sent.contract.topics, target, one.exact, at)] = None
                        passed[Passed(topic, (), sent.contract.topics, "", False, at)] = None
            for one in sent.inputs:
                for topic in self._topics_for(one, sent):
                    passed[Passed(topic, (), sent.contract.topics, "", False, at)] = None
            for topic in self._receives.listened(sent.view) or ():  # what is sent because of a record
                passed.setdefault(Passed(topic, (), sent.contract.topics, "", False, at))
        self._found.passed = list(passed)
        received = {Received(topic, one.place, one.files): None for one in self._receives.noted for topic in one.topics}
        received |= {Received(topic, place, (place[0],)): None for topic, place in self._receives.given.items()}
        for place in places:
            for topic in self._receives.listened(place) or ():
                line = place.function.line or 1
                received[Received(topic, (place.file.path, line), (place.file.path,))] = None
        self._found.received = list(received)
        known = {one.place for one in self._receives.noted}
        self._found.unnamed = frozenset(one.place for one in self._receives.unnamed) - known

    def _topics_for(self, one: Origin, sent: _Sent) -> tuple[str, ...]:
        found = self._receives.topics(one.root, sent.view, sent.contract.files)
        never = sent.never | one.never
        wanted = [only for only in (sent.only, one.only) if only]
        return tuple(topic for topic in found if topic not in never and all(topic in only for only in wanted))

    def _is_set_at_start(self, value: Value) -> bool:
        """Return whether a value is what a process is started with: a member of its arguments or settings, or of these.

        Only a deployment says which topic it is. No record decides it: no code sets such a member later, or makes an
        object of the class. Where it comes from is compared.
        """
        match value:
            case Const():
                return True
            case Cond(test=test, then=then, otherwise=otherwise):
                return all(map(self._is_set_at_start, (test, then, otherwise)))
            case Apply(name="text", of=None, arguments=parts):
                return all(map(self._is_set_at_start, parts))
            case Get():
                of: Value | None = value
                while isinstance(of, Get):
                    if of.name in self._set_later:
                        return False
                    of = of.of
                if isinstance(of, Input):
                    known = self._machine.known_type(of)
                    return known.cls.name not in self._made if known is not None else bool(self._machine.full_type(of))
                is_made = isinstance(of, Apply)
                while isinstance(of, Apply) and all(isinstance(one, Const) for one in of.arguments):
                    of = of.of
                return is_made and (of is None or isinstance(of, Ref | Type))
        return False

    @cached_property
    def _set_later(self) -> frozenset[str]:
        """Return the members that code sets which does not make their object, also by a method that is generated."""
        called = (name for place in self._program.places for name in names_in(place.function) if name[:3] == "set")
        generated = (f"{name[3:4].lower()}{name[4:]}" for name in called)
        shared, places = SharedStates(self._program), self._program.places
        making = ("", *CONSTRUCTORS)
        set_ = (shared.set_by(place) for place in places if place.function.name not in making)
        return frozenset(generated).union(state.name for each in set_ for state, _ in each)

    @cached_property
    def _made(self) -> frozenset[str]:
        """Return the names of what code may make objects of."""
        return frozenset(name for name, _ in self._made_with)

    def _topics_of_row(self, parts: Mapping[str, Value]) -> tuple[str, ...]:
        """Return the topics that a row of a table comes to."""
        table = parts.get("table")
        return self._program.rows.get(table.text, ()) if isinstance(table, Const) else ()

    def _set(self, topic: Value) -> Value:
        """Return a topic that is a member of an object of settings as what the settings have for it."""
        if isinstance(topic, Cond):
            return Cond(topic.test, self._set(topic.then), self._set(topic.otherwise))
        if isinstance(topic, Const) and topic.kind is Kind.TEXT:
            return Const(Kind.TEXT, _PLACEHOLDER.sub(self._placeholder, topic.text))
        is_looked_up = isinstance(topic, Apply) and topic.name.rpartition(".")[2].lower().startswith(("get", "opt"))
        if is_looked_up and isinstance(topic, Apply) and [*map(_is_text, topic.arguments)] == [True, True]:
            name, default = (one.text for one in topic.arguments if isinstance(one, Const))
            return self._machine.setting(name, default)  # a look-up with a default
        if isinstance(topic, Apply) and topic.name.lower() in ("topic", "newtopic") and topic.arguments:
            return replace(topic, arguments=(self._set(topic.arguments[0]), *topic.arguments[1:]))
        if isinstance(topic, Apply) and topic.of is None and topic.name in ("??", "||"):
            return replace(topic, arguments=tuple(map(self._set, topic.arguments)))
        return self._machine.settled(topic)

    def _placeholder(self, match: re.Match[str]) -> str:
        name, _, default = match[1].partition(":")
        return self._program.setting(name) or default or match[0]

    # --- what was not followed

    def _uncovered(self, found: Mapping[int, Place]) -> None:
        """Note the calls that may send and that no evaluation came to, and methods that are given to others for it."""
        sending = {path for path, _ in self._seen}
        for place in found.values():
            rows = [row for row in self._clients.get(place.file.language, ()) if self._uses(place.file, row)]
            names = {name for row in rows for name in row.sends}
            for name, code in called_in(place.function):
                at = (place.file.path, code.line)
                is_known = name not in names or at in self._seen
                is_known |= (*at, name) in self._machine.followed | self._foreign
                if not is_known and not (self._is_own(name) and id(place.function) in self._machine.visited):
                    self._found.unresolved.append(at)
            if place.file.path not in sending and not names.isdisjoint(name for _, name in passed_in(place.function)):
                self._found.unresolved.append((place.file.path, place.function.line or 1))

    def _unentered(self, found: Mapping[int, Place]) -> Iterator[Place]:
        """Yield the functions with calls that may mean functions which send and that nothing was seen to call."""
        machine = self._machine
        waiting: dict[str, list[Place]] = {}
        for place in found.values():
            function = place.function
            is_sender = id(place) in self._senders and function.body is not None and bool(function.name)
            if is_sender and id(function) not in machine.entered:
                waiting.setdefault(function.name, []).append(place)
        for place in found.values() if waiting else ():
            for of, name in passed_in(place.function):  # what is given the function may call it
                if of == "this" and any(one.known is place.known for one in waiting.get(name, ())):
                    yield place
            for name, code in called_in(place.function):
                at = (place.file.path, code.line)
                if (
                    name not in waiting
                    or (*at, name) in machine.followed
                    or at in self._seen
                    or (*at, name) in machine.of_libraries
                ):
                    continue
                meant = [
                    one for one in self._program.methods.get(name, ()) if accepts(one.function, len(code.arguments))
                ]
                meant = [one for one in meant if one.function.body is not None]
                if meant and all(id(one) in found and id(one.function) not in machine.entered for one in meant):
                    yield place

    def _registered(self, found: Mapping[int, Place]) -> Iterator[Place]:
        """Yield the functions that send, that the program's own notes register, and that nothing was seen to call."""
        named = {name for place in self._program.places for name in names_in(place.function) if name != place.name}
        for place in found.values():
            meant = (one for note in place.function.notes for one in self._program.functions.get(note.name, ()))
            own = [one for one in meant if one.function is not place.function]
            is_known = place.function.name in named or id(place.function) in self._machine.entered
            if own and not is_known and id(place) in self._senders:
                yield place

    def _unnamed(self, places: Iterable[Place]) -> Iterator[Place]:
        """Yield the functions on the way to sends whose topic none of them knows: records may be of any topic.

        One that was kept with the record is known by what the program gives to what keeps it.
        """
        named = {one.place for one in self._found.contracts if one.topics or one.topic.startswith("setting(")}
        named |= self._of_unknown  # whichever topic it is of, it is compared whole
        named |= self._of_stores if self._found.kept else set()
        named |= self._of_process
        contracts = (one for one in self._found.contracts if one.place in self._seen and one.place not in named)
        calls = {one.place for one in contracts}
        yield from (place for place in places if any(_is_in(place, at) for at in calls)) if calls else ()

    def _started(self, places: Sequence[Place]) -> set[str]:
        """Return the functions that send and whose class is named outside of it, as where a program starts it."""
        views = {one.view for one in self._found.contracts}
        classes = {place.name: place.known for place in places if place.known is not None and place.name in views}
        wanted = {known.cls.name for known in classes.values()}
        named: dict[str, set[int]] = {}
        for place in places:
            own = id(place.known.cls) if place.known is not None else 0
            types = types_in((place.function, place.known.cls.fields if place.known is not None else ()))
            for text in (*types, *(_whole_name(one) for one in walk(place.function))):
                for word in wanted.intersection(_WORD.findall(text)):
                    named.setdefault(word, set()).add(own)
        return {view for view, known in classes.items() if named.get(known.cls.name, set()) - {id(known.cls)}}

    def _loose(self, places: Sequence[Place]) -> None:
        """Note the functions and classes that may be part of what is sent, and that no evaluation came to.

        They have a name that what is sent leads to, or that a function on the way to a send calls. If nothing is known
        to be sent, all that was evaluated counts.
        """
        visited = self._machine.visited
        leads = names_within(self._values) if self._values else None
        waiting = list(self._machine.unfollowed)
        mentioned: set[str] = set()
        if leads is not None:
            ways = {name for one in self._found.contracts for name in (one.view, *one.path)}
            on_the_way = {name for place in places if place.name in ways for name in names_in(place.function)}
            waiting = [name for name in waiting if name in leads or name in on_the_way]
            mentioned |= leads | on_the_way
        for place in places if leads is None else ():
            if id(place.function) in visited:
                mentioned |= {*names_in(place.function), *map(base_type, types_in(place.function))}
                mentioned |= set(map(base_type, types_in(place.known.cls.fields if place.known is not None else ())))
        direct = {name for name in mentioned if name in self._program.functions}
        waiting += [
            name for name in direct if not any(id(one.function) in visited for one in self._program.functions[name])
        ]
        named: dict[str, list[Place]] = {}
        for place in places:
            named.setdefault(_called_by(place), []).append(place)
        seen: set[int] = set()
        while waiting:
            meant = named.get(waiting.pop(), ())
            # A name that functions of many kinds have does not say which one is meant.
            for place in meant if len(set(map(self._declarer, meant))) <= _MOST_MEANT else ():
                if id(place.function) in visited or id(place) in seen:
                    continue
                seen.add(id(place))
                self._note_text(self._found.loose, place)
                used = {*names_in(place.function), *map(base_type, types_in(place.function))}
                mentioned |= used
                waiting += [name for name in used if name in named]
        if leads is not None:
            self._note_states(places)
        classes = [name for name in mentioned if name in self._program.classes]
        known_names = set(classes)
        while classes:
            for known in self._program.classes[classes.pop()]:
                if id(known.cls) not in self._machine.shaped and known.cls.kind != "interface":
                    at = (known.file.path, known.cls.line)
                    loggers = self._loggers.get(known.cls.name, ())
                    for one in (one for one in known.cls.fields if one.name not in loggers):
                        # A topic that is not known may be the value of a field that code on the way names.
                        is_named = isinstance(one.value, Literal) and one.name in mentioned
                        code = (one.type, notes_of(one), one.value if is_named else None)
                        self._found.loose[f"{known.qualified}.{one.name}"] = code_text(code), at
                held = {word for one in known.cls.fields for word in _WORD.findall(one.type)}
                held = {name for name in held - known_names if name in self._program.classes}
                known_names |= held
                classes += held

    def _note_states(self, places: Sequence[Place]) -> None:
        """Note how functions set what others send later: members of objects and variables that both share.

        Of such a function, and of those that call it, what decides whether and with what it is set counts.
        """
        shared = SharedStates(self._program)
        by_id = {id(place.function): place for place in places}
        views = {one.view for one in self._found.contracts}
        ways = {id(place.function): [place] for place in places if place.name in views}
        for function, seen_by in self._machine.entered.items():
            for view in seen_by & ways.keys() if function in by_id else ():
                ways[view].append(by_id[function])
        read: dict[str, dict[SharedState, set[int]]] = {}
        for view, on_the_way in ways.items():
            for state in (one for place in on_the_way for one in shared.read(place)):
                read.setdefault(state.name, {}).setdefault(state, set()).add(view)
        setting: dict[int, dict[int, set[int]]] = {}
        for at, place in enumerate(places):
            if place.function.name and place.function.name not in CONSTRUCTORS:
                for state, code in shared.set_by(place):
                    used = {
                        view for one, by in read.get(state.name, {}).items() if shared.is_one(one, state) for view in by
                    }
                    if used:
                        setting.setdefault(at, {}).setdefault(id(code), set()).update(used)
        self._with_callers(setting, places, shared)
        for at, code in setting.items():
            function = id(places[at].function)
            followed = {function, *self._machine.entered.get(function, ())}
            wanted = {one for one, by in code.items() if by - followed}
            if wanted:
                part = leading_to(places[at].function, wanted)
                self._note_text(self._found.loose, Place(part, places[at].file, places[at].known))

    def _with_callers(
        self, setting: dict[int, dict[int, set[int]]], places: Sequence[Place], shared: SharedStates
    ) -> None:
        """Add the calls of functions that set something, and of those that make these calls, with what they set."""
        latest = set(setting)
        ways = [{one.view, *one.path} for one in self._found.contracts]
        for _ in range(_MOST_SETTERS):
            called: dict[str, list[int]] = {}
            for at in latest:
                called.setdefault(places[at].function.name, []).append(at)
            latest = set()
            for at, place in enumerate(places):
                for name, call in called_in(place.function) if place.function.name else ():
                    for setter in called.get(name, ()):
                        if setter == at or not shared.calls(call, place, places[setter]):
                            continue
                        if any(place.name in way and places[setter].name in way for way in ways):
                            continue  # a contract has what it is given
                        used = set().union(*setting[setter].values())
                        noted = setting.setdefault(at, {}).setdefault(id(call), set())
                        if not used <= noted:
                            noted |= used
                            latest.add(at)

    def _cover_ways(self, places: Iterable[Place]) -> None:
        """Note the functions on the way to sends that are not followed whole: of a large program, they stand for all.

        What is sent and not known is in their texts, or comes from where no name leads.
        """
        self._found.is_bounded = True
        ways = {name for one in self._found.contracts if one.opaque for name in (one.view, *one.path)}
        for place in places:
            if place.name in ways:
                self._note_text(self._found.loose, place)

    def _declarer(self, place: Place) -> int:
        """Return what a function is one form of: the class furthest above that has the method, or the function."""
        if place.known is None:
            return id(place.function)
        above = [one for one in self._program.supers(place.known) if self._program.method(one, place.function.name)]
        return id(above[-1].cls if above else place.function)

    def _uses(self, file: ir.File, row: Client) -> bool:
        """Return whether a file imports a client."""
        return any(
            begins(one, row.packages) or begins(one.replace("::", "."), row.packages) for one in self._imports(file)
        )

    def _imports(self, file: ir.File) -> list[str]:
        """Return what a file imports of libraries."""
        if file.path not in self._imported:
            self._imported[file.path] = [
                one for one in (*file.imports.values(), *file.wildcards) if not self._is_local(one, file)
            ]
        return self._imported[file.path]

    def _is_local(self, imported: str, file: ir.File) -> bool:
        """Return whether an import is of the program itself, which may have a module that is called as a client is."""
        first, *rest = imported.replace("::", ".").replace("/", ".").split(".")
        if self._program.alias_of(imported) is not None:
            return True
        if file.language not in ("python", "rust"):
            return imported.startswith(".")
        is_own = file.language == "rust" and first in ("crate", "self", "super")
        return is_own or first in self._modules or f"{first}/{''.join(rest[:1])}" in self._modules

    @cached_property
    def _modules(self) -> frozenset[str]:
        """Return the names of the modules of the program: of its files, of packages, and of files in directories.

        A directory of Python without a file that makes it a package is only one by the files that are imported of it.
        """
        found: set[str] = set()
        packages = {file.path.rpartition("/")[0] for file in self._program.files if file.path.endswith("/__init__.py")}
        for file in self._program.files:
            folders = file.path.split("/")[:-1]
            name = file.path.rpartition("/")[2].partition(".")[0]
            if file.language == "rust":
                found |= {*folders, name}
            elif file.language == "python":
                found |= {name, f"{''.join(folders[-1:])}/{name}"}
                found |= {one for at, one in enumerate(folders) if "/".join(folders[: at + 1]) in packages}
        return frozenset(found)

    def _idle(self, found: Mapping[int, Place]) -> None:
        """Note the files that use a client and neither send nor read with it, as far as is known."""
        visited = {place.file.path for place in found.values()}
        visited |= {place.file.path for place in self._program.places if id(place.function) in self._machine.visited}
        for file in self._program.files:
            rows = [
                row
                for row in self._clients.get(file.language, ())
                if self._uses(file, row) and (row.sends or row.result)
            ]
            reads = {name for row in rows for name in row.receives}
            if not rows or file.path in visited or not _runs(file):
                continue
            code = (file.classes, file.functions, file.statements, file.methods)
            names = self._of_clients(file)
            types = {base_type(one) for one in types_in(code)}
            used = names & {*names_in(code), *types}
            is_reading = names & reads or {one.rpartition(".")[2] for one in types} & reads
            if not used and not is_reading:
                self._found.unresolved.append((file.path, 1))

    def _unmet(self) -> None:
        """Note the files with an unknown client, if no call of one of its objects was seen.

        What only names its classes as types is given their objects, as a function that a platform calls with records.
        """
        rows = [row for row in self._rows if row.is_unknown and row.name not in self._met]
        for file in self._program.files if rows else ():
            code = (file.classes, file.functions, file.methods, file.statements)
            used = {*names_in(code)} if any(self._uses(file, row) for row in rows) else set()
            own = {name for name, full in file.imports.items() if any(begins(full, row.packages) for row in rows)}
            if not own.isdisjoint(used) or any(begins(one, row.packages) for one in file.wildcards for row in rows):
                self._found.unresolved.append((file.path, 1))

    def _unsent(self) -> None:
        """Note where a program that sends nothing, as far as is known, uses a class that sends in an unknown way."""
        if self._found.contracts or self._found.unresolved:
            return
        for file in self._program.files:
            rows = [row for row in self._clients.get(file.language, ()) if row.sends and self._uses(file, row)]
            senders = frozenset[str]().union(*(row.types - row.receives for row in rows))
            for _, call in called_in((file.classes, file.functions, file.statements, file.methods)):
                of = call.function.of if isinstance(call.function, ir.Member) else None
                if isinstance(of, Name) and plain(of.name) in senders:
                    self._found.unresolved.append((file.path, call.line or 1))
            code = (file.classes, file.functions, file.statements, file.methods)
            if senders & {base_type(one).rpartition(".")[2] for one in types_in(code)}:
                self._found.unresolved.append((file.path, 1))

    def _note_unread(self) -> None:
        """Note the code that no grammar understands: it may send, in whatever file it is."""
        for file in self._program.files:
            if file.unread:
                unread = file.unread, (file.path, 1)
                self._found.residue[f"{file.path}: not understood"] = unread
                self._found.loose[f"{file.path}: not understood"] = unread
                if file.path in self._found.clients:
                    self._found.unresolved.append((file.path, 1))

    def _is_own(self, name: str) -> bool:
        """Return whether a call is one of a function of the program."""
        return name in self._program.methods or name in self._program.functions

    def _note_near(self, places: Sequence[Place]) -> None:
        """Note which code may be part of what was not followed, and the parts of functions that lead there."""
        near = Nearness(self._program, self._renamed, self._silent_in).of(self._unfollowed(places))
        known = {*near.whole, *near.classes}
        names = {name for one in known for name in self._residue_of.get(one, ())}
        names |= {f"{path}: not understood" for path in (file.path for file in self._program.files if file.unread)}
        by_id = {id(place): place for place in places}
        for key, place in near.parts.items():
            if not place.function.name:  # of a file, its statements are known by what they set
                kept = {id(one) for one in walk(place.function)}
                names |= {
                    self._statement_of[id(one)]
                    for one in getattr(by_id[key].function.body, "statements", ())
                    if id(one) in self._statement_of and any(id(each) in kept for each in walk(one))
                }
                continue
            before = f"{place.file.path}: "
            self._note_text(self._found.residue, place, before, WAY)
            names.add(f"{before}{place.name}/{len(place.function.parameters)}{WAY}")
        self._found.near = frozenset(names)
        self._found.settings |= {name for place in near.places() for name in names_in(place.function)}

    def _unfollowed(self, places: Sequence[Place]) -> Iterator[Place]:
        """Yield the functions with what was not followed: all of a file if no line of it is known."""
        lines: dict[str, set[int]] = {}
        for path, line in self._found.unresolved:
            lines.setdefault(path, set()).add(line)
        opaque = [] if self._found.is_bounded else [one for one in self._found.contracts if one.opaque]
        sends = {one.place for one in opaque}
        inner = {
            (path, line): max(
                (one.function.line for one in places if one.file.path == path and _spans(one.function, line)), default=0
            )
            for path, listed in lines.items()
            for line in listed
        }
        for place in places:
            of_file = {line: inner[place.file.path, line] for line in lines.get(place.file.path, ())}
            is_meant = 1 in of_file or any(_is_in(place, at) for at in sends)
            is_meant |= any(at == place.function.line if at else not place.function.name for at in of_file.values())
            if is_meant or ("" in lines and place in self._direct):
                yield place

    def _summaries(self, places: Iterable[Place], found: Mapping[int, Place], makers: set[int]) -> None:
        for place in places:
            at = (place.file.path, place.function.line or 1)
            name = f"{place.file.path}: {place.name}/{len(place.function.parameters)}"
            noted = self._residue_of.setdefault(id(place), [])
            if not place.function.name:
                for code, text in self._behaviours.statements(place):
                    target = _target(code, 0)
                    named = target if target != "0" else sha256(text.encode()).hexdigest()[:16]
                    self._found.residue[f"{name} {named}"] = text, at
                    noted.append(f"{name} {named}")
                    self._statement_of[id(code)] = f"{name} {named}"
            elif not self._behaviours.is_helper(place):
                self._note_text(self._found.residue, place, f"{place.file.path}: ")
                noted.append(name)
            names = self._of_clients(place.file)
            is_followed = id(place.function) in self._machine.visited and id(place) not in makers
            if names and id(place) not in found and not is_followed and not self._reads(place):
                self._found.setup |= self._using(place, names)
        for listed in self._program.classes.values():
            for known in listed:
                of_class = f"{known.file.path}: class {known.qualified}"
                is_placed = known.cls.name in self._placed or known.cls.name not in self._named
                for name, text, line in class_texts(known.cls):
                    if name == ORDER and not is_placed:
                        continue  # what makes objects of it names the members
                    self._found.residue[of_class + name] = text, (known.file.path, line)
                    self._residue_of.setdefault(id(known.cls), []).append(of_class + name)

    @cached_property
    def _placed(self) -> set[str]:
        """Return the classes that code gives values of several members by their place."""
        return {name for name, given in self._made_with if sum(not one.name for one in given) > 1}

    @cached_property
    def _named(self) -> set[str]:
        """Return the classes that code gives values of members by their names."""
        return {name for name, given in self._made_with if any(one.name for one in given)}

    @cached_property
    def _made_with(self) -> list[tuple[str, tuple[ir.Argument, ...]]]:
        """Return what code calls that may be a class, with what it gives it."""
        found: list[tuple[str, tuple[ir.Argument, ...]]] = []
        for one in (one for place in self._program.places for one in walk(place.function)):
            if isinstance(one, ir.New):
                found.append((_made_in(one), (*one.arguments, *one.members)))
            elif isinstance(one, ir.Call) and isinstance(one.function, ir.Name | ir.Member):
                found.append((plain(one.function.name), one.arguments))
        return found

    def _using(self, place: Place, names: set[str]) -> dict[str, tuple[str, tuple[str, int]]]:
        """Return the text of a function that uses one of the names; of statements of a file, of each that does.

        A variable that was evaluated is part of what was sent with it.
        """
        body = place.function.body
        parts: list[tuple[str, object]] = [(f"{place.name}/{len(place.function.parameters)}", place.function)]
        if not place.function.name and body is not None:
            parts = [(f"{place.name} {_target(one, at)}", one) for at, one in enumerate(body.statements)]
        at = (place.file.path, place.function.line or 1)
        is_silent = self._silent_in(place)
        found = {}
        for name, code in parts:
            if names & {*names_in(code)}:
                self._found.uses.add(text := code_text(code, is_silent))
                if not self._machine.has_evaluated(place.file, code):
                    found[name] = text, at
        return found

    def _note_text(
        self, known: dict[str, tuple[str, tuple[str, int]]], place: Place, before: str = "", behind: str = ""
    ) -> None:
        """Note the text of a function under its name; those of all functions that have the name are one text."""
        name = f"{before}{place.name}/{len(place.function.parameters)}{behind}"
        at = place.file.path, place.function.line or 1
        texts = {*known[name][0].split(_NEXT), self._text(place)} if name in known else {self._text(place)}
        known[name] = _NEXT.join(sorted(texts)), known[name][1] if name in known else at

    def _text(self, place: Place) -> str:
        """Return the canonical text of a function without what only watches the program."""
        return self._behaviours.text(place)

    @cached_property
    def _behaviours(self) -> Behaviours:
        return Behaviours(self._program, self._silent_in)

    def _silent_in(self, place: Place) -> Callable[[object], bool]:
        key = place.file.path, id(place.known)
        if key not in self._silences:
            self._silences[key] = self._silence_of(place)
        return self._silences[key]

    def _silence_of(self, place: Place) -> Callable[[object], bool]:
        known = place.known.cls if place.known is not None else None
        beside = self._package_watchers.get(place.file.path.rpartition("/")[0], ()) if _is_go(place.file) else ()
        wrapping = typed_in(place.file, known, self._wrappers) if self._wrappers else set()
        return silent_in(place.file, known, watches, self._loggers, {*beside, *wrapping})

    @cached_property
    def _logging(self) -> frozenset[str]:
        """Return the full names of the library's classes whose objects the program declares as loggers.

        One that writes to a topic is a logger all the same.
        """
        found: set[str] = set()
        for file in self._program.files:
            nodes = list(walk((file.classes, file.functions, file.methods, file.statements)))
            kinds = [one for one in nodes if isinstance(one, ir.Field | ir.Parameter | ir.Declare) and one.type]
            names = {
                one.name if not isinstance(one, ir.Declare) else _whole_name(one.target)
                for one in kinds
                if base_type(one.type).rpartition(".")[2] in LOGGERS
            }
            for one in nodes if names else ():
                if isinstance(one, ir.Assign | ir.Declare) and _whole_name(one.target) in names:
                    made = (each.type for each in walk(one.value) if isinstance(each, ir.New))
                    found |= {file.imports.get(base_type(kind), kind) for kind in made}
        return frozenset(found)

    @cached_property
    def _wrappers(self) -> frozenset[str]:
        """Return the classes of the program that have nothing but loggers: what is called on them is logged."""
        classes = [known for listed in self._program.classes.values() for known in listed]
        fields = {known.cls.name: {one.name for one in known.cls.fields} for known in classes}
        return frozenset(name for name, own in self._loggers.items() if fields.get(name) and fields[name] <= own)

    @cached_property
    def _package_watchers(self) -> dict[str, set[str]]:
        """Return the counters and loggers that files of Go declare, by directory: a package is all of its files."""
        found: dict[str, set[str]] = {}
        for file in filter(_is_go, self._program.files):
            own = watchers_in(file, None, watches) - file.imports.keys()
            if own:
                found.setdefault(file.path.rpartition("/")[0], set()).update(own)
        return found

    @cached_property
    def _loggers(self) -> dict[str, set[str]]:
        """Return the loggers that classes of the program share, by the name of the class."""
        found: dict[str, set[str]] = {}
        for listed in self._program.classes.values():
            for known in listed:
                own = watchers_in(known.file, known.cls, watches) & {one.name for one in known.cls.fields}
                own |= {one.name for one in known.cls.functions if is_logged(one)}
                if own:
                    found.setdefault(known.cls.name, set()).update(own)
        return found

    def _of_clients(self, file: ir.File) -> set[str]:
        """Return the names that a file imports from clients."""
        rows = self._clients.get(file.language, ())
        names = {
            name
            for name, full in file.imports.items()
            if any(begins(full, row.packages) or begins(full.replace("::", "."), row.packages) for row in rows)
        }
        if any(begins(one, row.packages) for row in rows for one in file.wildcards):
            names |= {name for row in rows for name in row.types}
        return names

    @staticmethod
    def _reads(place: Place) -> bool:
        """Return whether a function only reads topics: a library calls it with records."""
        return any(
            "Listener" in note.name or note.name in ("Incoming", "StreamListener") for note in place.function.notes
        )


def _is_in(place: Place, at: tuple[str, int]) -> bool:
    """Return whether a place in a file is one in a function; statements of a file have all that is in no function."""
    return place.file.path == at[0] and (not place.function.name or _spans(place.function, at[1]))


def _spans(function: ir.Function, line: int) -> bool:
    """Return whether a line is one of a function."""
    return bool(function.name) and function.line <= line <= max(function.end, function.line)


def _made_types(code: object) -> Iterator[str]:
    """Yield the type of a new object, also where a function makes it, and of what a chain of calls begins with."""
    if isinstance(code, ir.New):
        yield code.type
    while isinstance(code, ir.Call | ir.Member):
        if isinstance(code, ir.Call) and isinstance(code.function, ir.Name | ir.Member):
            kind = next((one.value.what for one in code.arguments[:1] if isinstance(one.value, ir.Unknown)), "")
            yield code.function.name if code.function.name != "make" else kind
        code = code.function if isinstance(code, ir.Call) else code.of


def _made_in(code: object) -> str:
    """Return the class that code makes an object of, or calls a method of; empty for other code."""
    if isinstance(code, ir.New):
        return base_type(code.type).rpartition(".")[2]
    if isinstance(code, ir.Call):
        function = code.function
        of = function.of if isinstance(function, ir.Member) else function
        return of.name if isinstance(of, ir.Name) else ""
    return ""


@remembered
def _made_by(code: object) -> Iterator[str]:
    """Yield the names of the classes that code makes objects of, and of the functions that it calls."""
    for one in walk(code):
        if isinstance(one, ir.New):
            yield base_type(one.type).rpartition(".")[2]
        elif isinstance(one, ir.Call) and isinstance(one.function, ir.Name | ir.Member):
            yield plain(one.function.name)


def _whole_name(code: object) -> str:
    """Return a name, or the type of a new object, with the types in brackets behind it; empty for other code."""
    return code.name if isinstance(code, ir.Name | ir.Member) else code.type if isinstance(code, ir.New) else ""


def _called_by(place: Place) -> str:
    """Return the name that others call a function by."""
    if place.function.name in ("new", "__init__", "constructor") and place.known is not None:
        return place.known.cls.name
    return place.function.name


def _runs(file: ir.File) -> bool:
    """Return whether a file has code that runs: more than declarations of what others do."""
    return bool(file.statements) or any(one.body is not None for one in walk(file) if isinstance(one, ir.Function))


def _is_go(file: ir.File) -> bool:
    return file.language == "go"


def _target(code: object, place: int) -> str:
    target = code.target if isinstance(code, ir.Declare | ir.Assign) else None
    return code_text(target) if target is not None else str(place)


def _origins(machine: Machine, made: Made) -> Iterator[str]:
    """Yield the full names of what the object of a call is of, and of what it comes from."""
    if made.of is None:
        yield made.name.rpartition(".")[0]
        return
    yield from _origins_of(machine, made.of)


def _origins_of(machine: Machine, value: Value | None) -> Iterator[str]:
    """Yield the full names of what a value is of, and of what it comes from."""
    for _ in range(30):
        if value is None:
            return
        if isinstance(value, Cond):
            value = value.then
            continue
        kind = machine.full_type(value)
        if kind:
            yield kind
        if isinstance(value, Apply):
            if value.of is None and not value.name.startswith("#"):
                yield value.name
            value = value.of if value.of is not None else (value.arguments[0] if value.arguments else None)
        elif isinstance(value, Get):
            value = value.of
        else:
            return


def _is_of(name: str, row: Client) -> bool:
    """Return whether a full name is one of a client's package or of one of its classes."""
    dotted = name.replace("::", ".")
    words = dotted.partition("<")[0].partition("[")[0].split(".")
    return begins(name, row.packages) or begins(dotted, row.packages) or bool(row.types & {*words})


def _is_free(value: Value) -> bool:
    """Return whether nothing is known of what a value is: an entry was given it."""
    while isinstance(value, Get):
        if value.type:
            return False
        value = value.of
    return isinstance(value, Input | Opaque | Ref) or (isinstance(value, Apply) and value.name == "unset")


def _bound(signature: str, given: Sequence[Given]) -> dict[str, Value]:
    """Return the parts of a record by a signature; arguments beyond it that are alike are further records."""
    names = signature.split()
    parts: dict[str, Value] = {}
    place = 0
    for key, value in given:
        if key and key != "*":
            part = _PARTS.get(key.lower(), key.lower() if key.lower() in names else "")
            if part:
                parts[part] = value
            continue
        name = names[place] if place < len(names) else names[-1]
        if place >= len(names) and name == "record" and isinstance(parts.get("record"), Items):
            parts["record"].values.append(value)  # type: ignore[union-attr]
        elif place >= len(names) and name == "record":
            parts["record"] = Items([parts["record"], value])
        elif name != "-" and place < len(names):
            parts[_PARTS.get(name, name)] = value
        place += 1
    return parts


def _way_of(value: Value) -> str:
    """Return how a serializer writes, by the names of what makes it, and not what of a record it is given."""
    match value:
        case Apply(name=name, of=of, arguments=arguments):
            parts = [*([of] if of is not None else []), *arguments]
            return f"{name}({', '.join(filter(None, map(_way_of, parts)))})"
        case Const() | Ref() | Closure() | Method() | Type():
            return show(value)
        case Get(of=of, name=name):
            return f"{_way_of(of)}.{name}"
        case Thing(type=kind):
            return kind
    return ""


def _inside_each(value: Value) -> tuple[Value, ...]:
    """Return what a value is an element of, and the value itself."""
    return (value, *(value.arguments if isinstance(value, Apply) and value.name == "each" else ()))


def _function_in(sink: Value) -> Value | None:
    """Return the function that a sink is built with; None without one."""
    members = sink.fields.values() if isinstance(sink, Thing) else ()
    return next(filter(is_function, members), None)


def _of_stream(stream: Value, element: Value) -> dict[str, Value]:
    """Return the parts of the records of a stream: what its steps make of each, and the key that one of them sets."""
    parts: dict[str, Value] = {"value": element}
    value: Value | None = stream
    while isinstance(value, Apply):
        if (value.name == "keyed" or value.via in _KEYED) and value.arguments:
            parts.setdefault("key", value.arguments[0])
        value = value.of
    return parts


_KEYED = frozenset(("selectKey", "groupBy", "keyBy", "key_by", "group_by", "map", "flatMap"))
"""Methods of streams that give each record a key."""


def _kept(stream: Value) -> Iterator[Value]:
    """Yield the conditions under which a record of a stream goes on, and what it is joined with."""
    value: Value | None = stream
    while isinstance(value, Apply):
        if value.name not in ("mapped", "keyed") and value.arguments:
            yield value if value.of is None else Apply(value.name, None, value.arguments, value.names)
        value = value.of


@remembered
def _own_lists(code: object) -> Collection[str]:
    """Return the variables of a function with lists that it makes and keeps for itself: no other takes from them.

    A list that it gives to a call, stores elsewhere or uses in a function inside of it is shared.
    """
    made: set[str] = set()
    shared: set[str] = set()
    for one in walk(code.body if isinstance(code, ir.Function) else code):
        given: object = None
        if isinstance(one, ir.Declare | ir.Assign):
            if isinstance(one.target, ir.Name) and isinstance(one.value, ir.Sequence):
                made.add(one.target.name)
            if isinstance(one.value, ir.Name | ir.Sequence | ir.Record | ir.Choice):
                given = one.value
        elif isinstance(one, ir.Argument):
            given = one.value
        elif isinstance(one, ir.Lambda | ir.Function):
            given = one
        if given is not None:
            shared |= {name.name for name in walk(given) if isinstance(name, ir.Name)}
    return made - shared


def _is_class_test(test: Value) -> bool:
    """Return whether a condition asks for the class of an object."""
    return isinstance(test, Apply) and test.of is None and test.name == "is"


def _filters(value: Value | None) -> Iterator[Value]:
    """Yield the conditions that methods of sequences keep elements for, in a chain of them."""
    while isinstance(value, Apply) and value.of is not None:
        if value.name == "filtered":
            yield from value.arguments
        value = value.of


def _header(value: Apply) -> str:
    """Return the part of a record that a header of Spring stands for; empty for other calls."""
    if len(value.arguments) == 2 and isinstance(value.arguments[0], Ref):
        return _HEADERS.get(value.arguments[0].name.rpartition("KafkaHeaders.")[2], "")
    return ""


def _topic_in(thing: Thing) -> Value | None:
    for key, value in thing.fields.items():
        if key.lower().replace("_", "") in ("topic", "topicname", "defaulttopic"):
            return value
    for one in (*thing.arguments, *thing.fields.values()):
        if isinstance(one, Thing) and one is not thing:
            for key, value in one.fields.items():
                if key.lower() == "topic":
                    return value
    return None


def _reading(value: Value, depth: int = 0) -> Iterator[str]:
    """Yield the texts of the code and the formats by which what records come from makes values of them."""
    parts: list[tuple[str, Value]] = []
    match value:
        case Closure() | Method():
            yield show(value)
        case Thing(known=None):
            parts = [*value.fields.items(), *(("", one) for one in value.arguments)]
        case Thing():
            yield show(value)
        case Apply():
            names = value.names or ("",) * len(value.arguments)
            parts = [*zip(names, value.arguments, strict=True), *((("", value.of),) if value.of is not None else ())]
        case Items(values=values):
            parts = [("", one) for one in values]
    for name, one in parts if depth < _MOST_RECORDS else ():
        if "serde" in name.lower() or "serializer" in name.lower():
            yield f"{name}: {show(one)}"
        else:
            yield from _reading(one, depth + 1)


def topic_texts(value: Value) -> tuple[str, ...]:
    """Return the names that a topic may have; a value that occurs several times is read once."""
    return _TopicTexts().texts(value)


class _TopicTexts:
    def __init__(self) -> None:
        self._known: dict[int, tuple[str, ...]] = {}

    def texts(self, value: Value) -> tuple[str, ...]:
        if id(value) not in self._known:
            self._known[id(value)] = ()
            self._known[id(value)] = _bounded_texts(self._read(value))
        return self._known[id(value)]

    def _read(self, value: Value) -> Iterator[str]:
        match value:
            case Const(kind=Kind.TEXT, text=text):
                yield text
            case Cond(then=then, otherwise=otherwise):
                yield from self.texts(then)
                yield from self.texts(otherwise)
            case Apply(arguments=(first, *_)) if value.name.lower() in ("topic", "newtopic"):
                yield from self.texts(first)  # an object that is made of the name
            case Apply(arguments=arguments) if value.name in ("??", "||", "or", "one of"):
                for one in arguments:
                    yield from self.texts(one)
            case Apply(name="text" | "+", of=None, arguments=parts):
                ways = [list(islice(self._in_text(one), _MOST_WAYS)) for one in parts]
                yield from ("".join(way) for way in islice(product(*ways), _MOST_WAYS) if any(way))
            case Items(values=values):
                for one in values:
                    yield from self.texts(one)

    def _in_text(self, value: Value) -> Iterator[str]:
        """Yield what a part of a name may be: a text, or the place of the setting that it is, with its default."""
        match value:
            case Apply(name="setting", of=None, arguments=(Const(text=name),)):
                yield f"${{{name}}}"
            case Apply(name="??" | "||" | "or", arguments=(first, second)) if _is_setting(first):
                name = next(self._in_text(first)).strip("${}")
                yield from (f"${{{name}:{one}}}" for one in self._in_text(second) if "}" not in one)
            case _:
                yield from self.texts(value)


def _is_setting(value: Value) -> bool:
    return isinstance(value, Apply) and value.of is None and value.name == "setting"


def _bounded_texts(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(islice(dict.fromkeys(text for text in texts if len(text) <= _LONGEST_TEXT), _MOST_TEXTS))


def _is_rooted(value: Value) -> bool:
    """Return whether all that a value is made of is known, down to constants and what a function is given."""
    waiting, seen = [value], set[int]()
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        match one:
            case Const() | Input():
                pass
            case Get(of=of):
                waiting.append(of)
            case Cond(then=then, otherwise=otherwise):
                waiting += (then, otherwise)
            case Items(values=listed):
                waiting += listed
            case Thing(fields=fields, base=base, arguments=arguments):
                waiting += (*fields.values(), *arguments, *((base,) if base is not None else ()))
            case Apply(of=of, arguments=arguments):
                waiting += (*arguments, *((of,) if of is not None else ()))
            case _:
                return False
    return True


def _add_headers(parts: dict[str, Value], calls: Sequence[str]) -> None:
    """Add what calls give a record beside the headers that it is made with."""
    if calls:
        made = (parts["headers"],) if "headers" in parts else ()
        parts["headers"] = Items([*made, *map(Ref, calls)])


def _is_chain(value: Value) -> bool:
    """Return whether a value is an object of a library after calls on it, as settings are that a client is made of."""
    while isinstance(value, Apply) and value.of is not None:
        value = value.of
    return isinstance(value, Apply) and is_made(value)


def _client_parts(value: Value, changes_of: Callable[[Value], Sequence[str]]) -> dict[str, str]:
    """Return how a client was made: its settings by name, and the rest under an empty name."""
    parts: dict[str, str] = {}
    rest: list[str] = []

    def collect(one: Value, depth: int, *, is_part: bool = False) -> None:
        if isinstance(one, Thing) and depth < 6:
            if one.type and one.known is None:
                rest.append(one.type)
            for key, each in one.fields.items():
                if isinstance(each, Thing) and depth < 5 and not each.type:
                    collect(each, depth + 1)
                else:
                    parts[key] = show(each)
            for each in one.arguments:
                collect(each, depth + 1)
            rest.extend(one.touched)
        elif isinstance(one, Apply) and depth < 12:
            if one.of is not None:
                collect(one.of, depth + 1, is_part=is_part)
            rest.extend(changes_of(one) if is_part else ())  # what is called on the client itself does not set it up
            nested = [each for each in one.arguments if isinstance(each, Thing) or _is_chain(each)]
            constants = [each for each in one.arguments if each not in nested]
            if len(one.arguments) == 2 and isinstance(one.arguments[0], Const) and one.of is not None:
                parts[one.arguments[0].text] = show(one.arguments[1])
            else:
                rest.append(f"{one.name}({', '.join(map(show, constants))})")
            for each in nested:
                collect(each, depth + 1, is_part=True)
        elif not isinstance(one, Input | Get | Ref):
            rest.append(show(one))

    collect(value, 0)
    if rest:
        parts[""] = "; ".join(rest)
    return parts
