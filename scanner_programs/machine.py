"""Evaluate a function of a program symbolically: what each value is, and what reaches a send.

There is one heap and no forks: what is written under a condition is `Cond(condition, new, old)`. After a return, a
throw or the next turn of a loop the rest runs under the negation. An unknown call with an unused result may have
changed its arguments. Limits make values opaque, never absent.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, reduce
from typing import TypeAlias

from scanner_model.redaction import is_secret_variable
from scanner_programs import ir
from scanner_programs.guards import (
    JOINS,
    LONGEST_TEST,
    choose,
    conjuncts,
    deciding_tests,
    is_failed,
    is_failure,
    is_fixed,
    is_of_presence,
    is_present,
    is_test,
    is_turn,
    joined_text,
    leaves_of,
    negate,
    operate,
    truth,
    without_missing,
)
from scanner_programs.ir import Argument, Block, Call, Function, Kind, Leave, Literal, Member, Name, New, parts_of, walk
from scanner_programs.libraries.clients import is_source, reads
from scanner_programs.libraries.others import (
    CONTAINERS,
    ENV_PREFIXES,
    ENVIRONMENT,
    INJECTED_SETTINGS,
    LAYERS,
    LOADS,
    LOGGER_NOTES,
    PROVIDED,
    PROVIDERS,
    SECTIONS,
    SETTING_DEFAULTS,
    SETTINGS_BASES,
    SETTINGS_CLASSES,
    VARIABLES,
    checks,
    watches,
)
from scanner_programs.libraries.rows import plain as plain_name
from scanner_programs.libraries.standard import (
    ABSENT,
    ADDS,
    AS_OTHER,
    AS_RESULT,
    AS_TEXT,
    ASSERTS,
    ASSERTS_EQUAL,
    ASSIGNS,
    CHANGES,
    CHECKED,
    CHOOSES,
    CLASS_NAMES,
    CLASSES,
    CONSTANTS,
    CONSTRUCTORS,
    CONVERSIONS,
    CONVERTS,
    CURRIED,
    DEFAULTS,
    DROPS,
    EMITS,
    EMPTY,
    ENDS,
    EQUAL,
    EXHAUSTIVE,
    FAILS,
    FALLBACKS,
    FIELDS,
    FLATTENS,
    FOLDS,
    FUNCTIONAL,
    GETS,
    GROUPS,
    HELD,
    HOLDERS,
    IMPLICIT,
    INDEXES,
    INVOKES,
    ITERATES,
    JOINED_TO,
    KEYS,
    LIFTS,
    LISTS,
    MAKERS,
    MAPS,
    MERGES,
    MISSABLE,
    NEXTS,
    NO_FIELDS,
    NOTES,
    NUMBERS,
    OF_FAILURE,
    OF_FAILURES,
    OF_FIRST,
    OF_KIND,
    OPERATORS,
    PAIRS,
    PARSES,
    PRESENT,
    PUTS,
    REMOVES,
    RESULTS,
    ROW_OPTIONS,
    ROWS,
    SAME,
    SCALARS,
    SEQUENCES,
    SIZES,
    SOME,
    STATEMENTS,
    STATES,
    STREAMS,
    SUMS,
    TABLES,
    TAKEN_FROM,
    TAKES,
    TEXTS,
    THENS,
    THROUGH,
    TYPES_OF,
    UNTYPED,
    VALUED,
    WAITS,
    WATCHED,
    WRAPS,
    WRITES,
)
from scanner_programs.libraries.streams import CONNECTED, Step, step_of
from scanner_programs.libraries.templates import parts_of_template
from scanner_programs.program import (
    Known,
    Place,
    Program,
    Scope,
    accepts,
    base_type,
    common_folders,
    container_name,
    declaration_in,
    declared_below,
    declared_defaults,
    elements_of,
    held_in,
    in_package,
    is_alike,
    parameters_of,
    replaced,
    texts_of_chain,
)
from scanner_programs.residue import code_text
from scanner_programs.sequences import (
    Mapper,
    Profile,
    connected_with,
    exchange_of,
    grouped,
    indexed_over,
    is_container,
    joined_items,
    keeps_elements,
    member_of_items,
    origin_of,
    pair_of,
    profiles,
    put,
    sequence_in,
    stands_for_any,
    taken,
    topic_of,
)
from scanner_programs.shared_states import of_language
from scanner_programs.values import (
    FALSE,
    MOST_PARTS,
    NULL,
    REMOVED,
    TRUE,
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
)

MOST_STEPS = 200_000
"""Expressions that one view evaluates."""
MOST_STEPS_TOGETHER = 300_000
"""Expressions that all views of a program evaluate."""
_PARTS_OF_STEP = 20
"""Parts of values whose writing takes as long as an expression."""
_DEEPEST = 24
_NESTED = 120
_WORD = re.compile(r"\w+")
_STEPS = re.compile(r"[.\[\]]")
"""What stands between the names in a path of members."""
_OF_SETTINGS = (".yml", ".yaml", ".json", ".toml", ".ini")
"""What the names of files end in that have settings."""
_GIVEN = Opaque("what a library gives")
"""An argument of a function that a library calls."""
_CHANNEL = re.compile(r"(?:<-\s*+)?+chan\b\s*+(?:<-\s*+)?+([*\w.]++)")
"""A type of Go for channels, and the type of what goes through one."""
_MOST_NESTED = 4
"""Objects inside of each other whose same method is followed, as the steps of a chain are."""
_JVM = ("java", "kotlin", "scala")
_ROOT = ir.File("", "typescript")
"""What names of modules by their paths begin at."""
_MOST_TURNS = 8
_MOST_WAYS_CALLED = 64
"""Ways in which a value may be one or another for whose methods each is followed."""
_EQUAL = {"==": True, "===": True, "is": True, "!=": False, "!==": False, "is not": False}
"""Operators that compare, each with whether they say that both are the same."""
_CONTEXT, _SIDE = " context", "getSideOutput"
"""What a function of a stream writes to outputs beside it with, and the method that reads one of them."""
_OF_CLASS, _OF_CONSTANT = "<class ", "<constant "
"""What the names of entries of a map begin with whose keys are classes, or constants of an enumeration."""
_PUT = "put under"
"""The condition under which others put something in a container that a function takes it from."""
_CALLED = ("invoke", "apply", "__call__", "call", "accept")
"""The methods of an object that is called like a function, in the languages."""
_MOST_OF_TEST = 120
_TOO_LONG = "too long: "
_ERRORS = ("Exception", "Error")
"""What the classes of errors end in: their own methods raise them, or do not, by what they are given (.NET)."""
_SETTER = re.compile(r"set(?=[A-Z_])")
_COLLECTIONS = ("HashMap", "LinkedHashMap", "TreeMap", "ArrayList", "LinkedList", "HashSet", "LinkedHashSet", "TreeSet")
"""Collections of the JVM that Kotlin and Scala make by a call of the class."""
_OF_TEMPLATE = ("format", "formatted")
"""Methods of templates; other functions are given the template first."""
_BUILDERS = ("strings.Builder", "bytes.Buffer")
"""Structs of Go's library that texts are put together in, which need no value to begin with."""
_AFTER = "after"
"""The name of what an object is after calls that changed it."""
_LONGEST = 200
_MOST_IMPLEMENTERS = 4

Given = tuple[str, Value]
"""An argument: its name, empty where its place counts, and its value."""


@dataclass(slots=True)
class _Frame:
    function: Function
    site: tuple[str, int]
    file: str
    scope: Scope
    this: Value | None = None
    returned: list[tuple[Value, Value]] = field(default_factory=list)
    guards: int = 0
    yielded: list[Value] = field(default_factory=list)
    thrown: list[Value] = field(default_factory=list)
    kinds: dict[str, str] = field(default_factory=dict)
    classes: dict[str, Known] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Made:
    """A call that a view makes: its object, its name and arguments, where it is, and under which conditions."""

    of: Value | None
    name: str
    given: tuple[Given, ...]
    place: tuple[str, int]
    guards: tuple[Value, ...]
    file: ir.File
    type: str = ""


@dataclass(frozen=True, slots=True)
class Access:
    """A part of an object that code asks for, or a value that it gives to what is not followed.

    *result* is what is made of a value that is given. *place* is where, *guards* are the conditions there, *files*
    those of the functions that are evaluated, outermost first.
    """

    value: Value
    place: tuple[str, int]
    guards: tuple[Value, ...]
    files: tuple[str, ...]
    result: Value | None = None


_Way: TypeAlias = tuple[tuple[str, int], ...]
"""The calls that lead to a call, which is the first."""


@dataclass(slots=True)
class _Puts:
    """The conditions of what is put in a container, by the way to the call; *longer* has the beginnings of ways."""

    tests: dict[tuple[_Way, str], Value] = field(default_factory=dict)
    texts: dict[_Way, set[str]] = field(default_factory=dict)
    longer: set[_Way] = field(default_factory=set)

    def add(self, way: _Way, text: str, test: Value) -> None:
        """Add a value by its *text*; what was seen nearer to the call, on the way to it, is replaced."""
        for end in range(1, len(way)):
            for other in self.texts.pop(way[:end], ()):
                del self.tests[way[:end], other]
        self.tests.pop((way, text), None)
        self.tests[way, text] = test
        self.longer.update(way[:end] for end in range(1, len(way)))
        self.texts.setdefault(way, set()).add(text)


class Machine:
    """Evaluates functions of one program.

    *OPEN* is the type of a new object that is of the type of where it goes.

    *watch* is called before each call of a library, and returns whether that is a send, which changes nothing.
    *serves* says whether an object of a class is needed to follow it.
    """

    OPEN = "(new)"

    def __init__(
        self, program: Program, watch: Callable[[Machine, Made], bool], serves: Callable[[Known], bool]
    ) -> None:
        self.program = program
        self._watch, self._serves = watch, serves
        self._steps = self._depth = 0
        self.guards: list[Value] = []
        self._left: Leave | None = None
        self._exits: list[tuple[Leave, tuple[Value, ...]]] = []
        self._sends = 0
        self._calls_of_lambda: list[list[str]] = []
        self._broken: list[Value] = []
        self._ended: list[tuple[Value, ...]] = []
        self._sent: dict[int, Apply] = {}
        self._altered: dict[str, list[str]] = {}
        self._frames: list[_Frame] = []
        self._written: dict[tuple[str, str], Value] = {}
        self._owners: list[Value] = []
        self._injected: dict[int, Thing] = {}
        self._next_call = ""
        self._containers: dict[int, Thing] = {}
        self._builders: list[Thing] = []
        self._kinds_given: tuple[Sequence[str], str] = (), ""
        self._of_providers: dict[int, Value | None] = {}
        self._files: dict[str, Scope] = {}
        self._globals: dict[tuple[str, str], Value | None] = {}
        self.record_text: Callable[[Value], str | None] = lambda _: None
        self.is_received: Callable[[Value], bool] = lambda _: False
        self.triggers_at: Collection[tuple[str, int, str]] = frozenset()
        self.note_trigger: Callable[[Made], None] = lambda _: None
        self.made: dict[int, list[Thing]] = {}
        self.types: dict[str, tuple[ir.File, Known | None]] = {}
        self._classes: dict[str, Known | None] = {}
        self._full_types: dict[str, str] = {}
        self._simpler: dict[int, tuple[Value, Value]] = {}
        self.spent = False
        self.visited: set[int] = set()
        self.fed: dict[str, list[Value]] = {}
        self.empty: set[str] = set()
        self._put_under: dict[str, _Puts] = {}
        self._ways: dict[str, list[tuple[tuple[tuple[str, int], ...], str]]] = {}
        self.records: list[Thing] = []
        self.calls_on: dict[str, set[str]] = {}
        self.hand_on: set[str] = set()
        self.followed: set[tuple[str, int, str]] = set()
        self.entered: dict[int, set[int]] = {}
        self.of_libraries: set[tuple[str, int, str]] = set()
        self.unfollowed: set[str] = set()
        self.shaped: set[int] = set()
        self.handed: set[int] = set()
        self._site = self._at = ("", 0)
        self.accesses: list[Access] = []
        self.given: list[Access] = []
        self.compared: list[Value] = []
        self._texts: dict[int, tuple[Value, str]] = {}
        self._opposites: dict[int, tuple[Value, str]] = {}
        self._noted_tests: list[tuple[Value, list[str]]] = []
        self._known: Counter[str] = Counter()
        self._rests: dict[int, tuple[Value, Value]] = {}
        self._written_names: set[str] = set()
        self._changed: dict[int, tuple[Apply, list[str]]] = {}
        self._named: dict[tuple[str, str, int], Value] = {}
        self._packages: dict[tuple[str, str, str], bool] = {}
        self._sides: dict[str, Items] = {}
        self._maps_of: dict[int, frozenset[str]] = {}
        self._profiles: Mapping[tuple[str, str], Profile] | None = None
        self._inner: dict[str, list[ir.Declare | ir.Assign]] = {}
        self._constants: dict[tuple[str, str], Value] = {}
        self._singles: dict[int, Value] = {}
        self._settings: dict[str, Value] | None = None
        self._layered: set[int] = set()
        self._bound: dict[int, list[tuple[str, Thing]]] = {}
        self._bound_of_library: dict[str, list[tuple[str, Value]]] = {}
        self._modules: dict[str, list[ir.File]] = {}
        self._resolving: set[tuple[str, str]] = set()
        self._decorations: dict[int, Value] = {}
        self._flags: list[tuple[Thing, str, Value]] = []  # what this entry set a flag from: others do not see it
        self._replayed: dict[str, tuple[Value | None, str, list[Given], Call, Scope]] = {}
        self.steps = 0
        self.keeps, self.renews = True, False
        self._discarded = False
        self._mapper = Mapper(
            program, self.member, self.element, self.known_type, lambda place, value: self._map(place, value)
        )

    @property
    def functions(self) -> list[Function]:
        """Return the functions that are being evaluated, outermost first."""
        return [frame.function for frame in self._frames]

    @property
    def sites(self) -> list[tuple[str, int]]:
        """Return where the functions that are being evaluated are called, innermost first, without the outermost."""
        return [frame.site for frame in reversed(self._frames[1:])]

    # --- entries

    def learn(self, other: Machine) -> None:
        """Know what another evaluation of the program saw being put in containers."""
        self.fed, self._ways, self._put_under, self.types = other.fed, other._ways, other._put_under, other.types
        for listed in self.program.classes.values():
            for known in listed:
                known.statics.clear()

    def run(self, place: Place) -> Value:
        """Evaluate a function as an entry of the program, with inputs for what it is given; return its result."""
        self._steps, self._site, self._at = 0, ("", 0), (place.file.path, place.function.line or 1)
        self.accesses, self.given, self.compared = [], [], []
        for thing, name, old in reversed(self._flags):
            thing.fields[name] = old
        self.guards, self._left, self._frames, self._flags = [], None, [], []
        self._written, self._written_names, self._owners, self._altered = {}, set(), [], {}
        self.records, self.calls_on, self.hand_on = [], {}, set()
        this = self._this_of(place)
        scope = Scope(place.file, None, this, place.known)
        given = [
            (
                one.name,
                self._injected_into(one, scope) or self._given(f"{at}", one.type, place.file, place.known, one.notes),
            )
            for at, one in enumerate(place.function.parameters)
        ]
        if place.function.notes and place.known is None:
            value = self._decorated(place.function, Closure(place.function, scope), place.file)
            if not isinstance(value, Closure) or value.function is not place.function:
                listed = [("", one) for _, one in given]
                return self.call(value, listed, Call(Name(place.function.name), (), place.function.line), scope)
        return self._invoke(place.function, scope, given)

    def _taken(self, value: Get | Apply) -> Value:
        """Note that code asks an object for a part; what a method asks its own object for, its caller asks for."""
        at, of = self._at, value.of
        for frame in reversed(self._frames[1:]):
            if frame.this is not of:
                break
            at = frame.site
        self.accesses.append(Access(value, at, tuple(self.guards), self._files_within))
        return value

    def _gives(self, values: Iterable[Value], result: Value | None, at: tuple[str, int] | None = None) -> None:
        """Note that values are given to what is not followed."""
        for one in values:
            if isinstance(one, Get | Apply | Input | Thing | Items | Cond):
                self.given.append(Access(one, at or self._at, tuple(self.guards), self._files_within, result))

    @property
    def _files_within(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(frame.file for frame in self._frames))

    def _this_of(self, place: Place) -> Value | None:
        if place.known is None:
            receiver = place.function.receiver
            return self._given("receiver", receiver, place.file, None) if receiver else None
        listed = self.made.get(id(place.known.cls), [])
        if listed and place.function.name in CONSTRUCTORS:  # what the program gave the object stays known
            return Thing(place.known.cls.name, place.known)
        if len({self._show(one) for one in listed}) == 1:
            return listed[0]
        if self._serves(place.known):
            return self._instance(place.known)
        if self.program.is_abstract(place.known) and len(self.program.concrete(place.known)) == 1:
            return self._instance(place.known)
        return self._input(place.known.cls.name, place.known.cls.name, place.file, place.known)

    def _given(
        self, place: str, kind: str, file: ir.File, near: Known | None, notes: tuple[ir.Note, ...] = (), name: str = ""
    ) -> Value:
        """Return what an entry, a constructor or a field is given: a setting, an object of the program, or an input.

        *name* is what code calls what is given.
        """
        section = _OF_SECTION.fullmatch(kind)  # of settings that a function returns (Nest)
        made = self._outside(section[1], file, near) if section else None
        if isinstance(made, Apply) and made.arguments and _simple(made.name) in SECTIONS:
            return made.arguments[-1]
        for note in notes:
            if note.name in INJECTED_SETTINGS:
                found = self._setting_of(note, INJECTED_SETTINGS[note.name])
                if found is not None:
                    return found
            if note.name == "Channel" and note.arguments and isinstance(note.arguments[0].value, Literal):
                return self._input(f"channel {note.arguments[0].value.text}", kind, file, near)
        known = self.program.class_of(kind, file, near) if kind else None
        if known is not None:
            prefix = self._prefix(known)
            if prefix is not None:
                return self._input(f"setting {prefix}", kind, file, near)
            provider = self.program.provider(known, kind, name, notes) if name else None
            made = self._of_provider(provider) if provider is not None else None
            if made is not None:
                return made
            if self._serves(known):
                return self._instance(known, kind)
            made = self._only(known, kind) if not place[:1].isdigit() else None
            if made is not None:
                return made
        return self._input(place, kind, file, near)

    def _injected_into(self, parameter: ir.Parameter, scope: Scope) -> Value | None:
        """Return the object of a container that the default of a parameter of Python asks for; None for others."""
        code = parameter.default
        while isinstance(code, ir.Index) and isinstance(code.of, Name) and code.of.name in PROVIDED:
            code = code.key
        if code is not parameter.default and code is not None:
            return self.apart(code, scope)
        if isinstance(code, Call) and isinstance(code.function, Name) and code.function.name in PROVIDED:
            maker = code.arguments[0].value if len(code.arguments) == 1 else None
            return self.apart(Call(maker, (), code.line), scope) if isinstance(maker, Name | Member) else None
        return None

    def _container_of(self, known: Known) -> Thing | None:
        """Return the object of a class whose members say how objects are made; None for other classes."""
        if not any(base_type(one).rpartition(".")[2] == CONTAINERS for one in known.cls.supers):
            return None
        if id(known.cls) not in self._containers:
            self._containers[id(known.cls)] = self._assembled(known, {})
        return self._containers[id(known.cls)]

    def _assembled(self, known: Known, given: Mapping[str, Value]) -> Thing:
        """Return an object of a container's class, with the parts that it is given: its members are made in order."""
        thing = Thing(known.cls.name, known, dict(given))
        self._containers.setdefault(id(known.cls), thing)
        for one in known.cls.fields:
            if one.name not in thing.fields and one.value is not None:
                scope = Scope(known.file, None, thing, known)
                scope.variables.update(thing.fields)
                thing.fields[one.name] = self.apart(one.value, scope)
        return thing

    def _of_container(self, name: str, given: list[Given], code: Call, scope: Scope) -> Value | None:
        """Return what a member of a container's class is made with; None for other calls."""
        kind = PROVIDERS.get(_simple(name)) if "providers." in name else None
        first = given[0][1] if given else None
        match kind:
            case "make" if isinstance(first, Type | Closure | Method):
                return self.call(first, given[1:], code, scope)
            case "container" if isinstance(first, Type):
                return self._assembled(first.known, dict(given[1:]))
            case "settings":
                listed = next((one for key, one in given if key == "pydantic_settings"), None)
                return listed.values[0] if isinstance(listed, Items) and listed.values else Input("setting ")
            case "same" if first is not None:
                return first
        return None

    def _of_provider(self, place: Place) -> Value | None:
        """Return what a function returns that a container calls for an object; None while it is being evaluated."""
        if id(place.function) not in self._of_providers:
            self._of_providers[id(place.function)] = None
            saved, self.guards, left, self._left = self.guards, [], self._left, None
            given = [
                (one.name, self._given(one.type or one.name, one.type, place.file, place.known, one.notes, one.name))
                for one in place.function.parameters
            ]
            scope = Scope(place.file, None, self._this_of(place), place.known)
            self._of_providers[id(place.function)] = self._invoke(place.function, scope, given)
            self.guards, self._left = saved, left
        return self._of_providers[id(place.function)]

    def _make_in_layer(self, known: Known) -> None:
        """Evaluate the only member of a class that makes objects of another one for whatever asks for one."""
        if known.file.language != "scala" or id(known) in self._layered:
            return
        self._layered.add(id(known))
        listed = [
            (owner, one)
            for each in self.program.classes.values()
            for owner in each
            for one in owner.cls.fields
            if base_type(one.type).rpartition(".")[2] in LAYERS
            and self.program.class_of((parameters_of(one.type) or ("",))[-1], owner.file, owner) is known
        ]
        if len(listed) == 1 and (listed[0][1].static or listed[0][0].cls.single):
            keeps, self.keeps = self.keeps, True
            self._static(*listed[0])
            self.keeps = keeps

    def _bind_type(self, name: str, results: Sequence[Value], scope: Scope) -> None:
        """Note the object that a function made which a library is given, with the type in brackets that asks for it.

        Containers give this object to whatever asks for one of the type (Koin, .NET, Kodein, Guice).
        """
        kinds = parameters_of(name) if name.endswith(">") else ()
        known = self.program.class_of(kinds[0], scope.file, scope.known) if kinds else None
        made = results[-1] if results else None
        if kinds and known is None and made is not None and is_made(made):
            self._bound_of_library.setdefault(base_type(kinds[0]).rpartition(".")[2], []).append((kinds[0], made))
        if known is None or not isinstance(made, Thing) or made.known is None or made.known is known:
            return
        if known in self.program.supers(made.known):
            listed = self._bound.setdefault(id(known.cls), [])
            if all(one is not made for _, one in listed):
                listed.append((kinds[0], made))

    def _of_container_by_type(self, value: Value) -> Value:
        """Return the object of a library that a container gives whatever asks it for one of a type; else the value."""
        kind = value.type.partition("\0")[0] if isinstance(value, Apply) and not (value.of or value.arguments) else ""
        listed = self._bound_of_library.get(base_type(kind).rpartition(".")[2], []) if kind else []
        alike = {self._show(one): one for text, one in listed if is_alike(kind, text)}
        return next(iter(alike.values())) if len(alike) == 1 else value

    def _bound_to(self, known: Known, kind: str) -> Thing | None:
        """Return the only object that a container gives whatever asks for one of a type; None without one."""
        listed = self._bound.get(id(known.cls), [])
        alike = [one for text, one in listed if is_alike(kind, text)] if kind else [one for _, one in listed]
        shown = {self._which_made(one) for one in alike}
        return alike[-1] if len(shown) == 1 else None

    def _which_made(self, thing: Thing) -> str:
        """Return what tells an object from those that other code makes: one function makes the same again."""
        return f"{thing.type} {thing.line} {thing.known.file.path if thing.known is not None else ''}"

    def _only(self, known: Known, kind: str = "") -> Value | None:
        """Return the object of a class, if the program makes one only, or gives a container one for the type."""
        if (bound := self._bound_to(known, kind)) is not None:
            return bound
        self._make_in_layer(known)
        made = [one for below in self.program.concrete(known) for one in self.made.get(id(below.cls), [])]
        return made[0] if made and len({self._show(one) for one in made}) == 1 else None

    def settled(self, value: Value) -> Value:
        """Return a member of an object of settings as what the settings have for it; other values as they are."""
        names: list[str] = []
        of: Value | None = value
        while isinstance(of, Get) or (isinstance(of, Apply) and of.of is not None and not of.arguments):
            names.insert(0, of.name)
            of = of.of
        for listed in texts_of_chain(value) or [names]:
            while listed:
                known = self.program.ending(".".join(listed))
                if known is not None:
                    return Const(Kind.TEXT, known)
                listed.pop(0)
        default = self._default_for(value) if isinstance(value, Get) else None
        return value if default is None else default

    def _default_for(self, value: Get) -> Value | None:
        """Return what a member of settings is if nothing sets it, as their class or their declaration says."""
        known = self.known_type(value.of)
        found = self.program.field(known, value.name) if known is not None else None
        if found is not None:
            default = found[1].value
            return Const(default.kind, default.text) if isinstance(default, Literal) else None
        declared = declaration_in(value.of, value.name)
        return declared_defaults(declared.fields[value.name]) if declared is not None else None

    def _setting_of(self, note: ir.Note, name: str) -> Value | None:
        for one in note.arguments:
            if one.name in (name, "value", "") and isinstance(one.value, Literal):
                text = one.value.text.strip()
                if text.startswith("${") and text.endswith("}"):
                    return self.setting(*text[2:-1].split(":", 1))
                return self.setting(text) if name else Const(Kind.TEXT, text)
        return None

    def setting(self, name: str, default: str | None = None) -> Value:
        """Return the value of a setting, or what stands for it."""
        known = self.program.setting(name)
        known = default if known is None else known
        return Apply("setting", None, (Const(Kind.TEXT, name),)) if known is None else Const(Kind.TEXT, known)

    @staticmethod
    def _prefix(known: Known) -> str | None:
        """Return what the settings in a class begin with; None if its members are no settings."""
        for note in known.cls.notes:
            if note.name in SETTINGS_CLASSES:
                named = {one.name: one.value for one in note.arguments}
                value = named.get(SETTINGS_CLASSES[note.name], named.get("value", named.get("")))
                return value.text if isinstance(value, Literal) else ""
        return None

    def _set_outside(self, known: Known) -> dict[str, Value]:
        """Return the members of an object of settings whose values the environment has, by their names."""
        noted = {key.name: key.value for note in known.cls.notes for key in note.arguments if key.name in ENV_PREFIXES}
        prefix = next((one.text for one in noted.values() if isinstance(one, Literal)), "")
        found: dict[str, Value] = {}
        for _, one in self.program.fields(known):
            text = self.program.setting(f"{prefix}{one.name}".upper())
            if text is not None:
                found[one.name] = Const(one.value.kind if isinstance(one.value, Literal) else Kind.TEXT, text)
        return found

    def _instance(self, known: Known, kind: str = "") -> Value:
        """Return the object of a class that a framework makes: what its constructor is given is made likewise."""
        if (bound := self._bound_to(known, kind)) is not None:
            return bound
        if self.program.is_abstract(known):
            below = self.program.concrete(known)
            if len(below) != 1:
                return self._input(known.cls.name, known.cls.name, known.file, known)
            known = below[0]
        listed = self.made.get(id(known.cls), [])
        cached = self._injected.get(id(known))
        is_new = listed and (cached is None or self.renews) and all(one is not cached for one in listed)
        if is_new and len({self._show(one) for one in listed}) == 1:
            self._injected[id(known)] = listed[0]  # also after one was made up, before the program made its own
        if id(known) not in self._injected:
            thing = Thing(known.cls.name, known)
            self._injected[id(known)] = thing
            saved, self.guards, left, self._left = self.guards, [], self._left, None
            new = self._constructor(known)
            scope = Scope(known.file, None, thing, known)
            if new is not None:
                given = [
                    (one.name, self._given(one.type or one.name, one.type, known.file, known, one.notes, one.name))
                    for one in new.function.parameters
                ]
                self._initialize(thing, known)
                self._invoke(new.function, scope, given)
            else:
                self._initialize(thing, known)
                for owner, one in self.program.fields(known):
                    if one.name not in thing.fields:
                        thing.fields[one.name] = self._given(
                            one.type or one.name, one.type, owner.file, owner, one.notes, one.name
                        )
            self.guards, self._left = saved, left
        return self._injected[id(known)]

    def forget_injected(self) -> None:
        """Forget the objects that a framework was taken to make: the program may have made some of what they hold."""
        self._injected.clear()

    def _provided(self, value: Apply, known: Known) -> Value | None:
        """Return the object that a call of a library gives a program which asks for one of a class, as containers do.

        The call is given nothing but classes, and the program makes one object of the class, or it is one that sends.
        An object that a call fills is that of the call.
        """
        root: Value | None = value
        while isinstance(root, Apply | Get):
            if isinstance(root, Apply) and root.name == "each":
                return None
            root = root.of
        is_by_class = all(isinstance(one, Type | Ref) for one in value.arguments) and value.name != "unset"
        if not is_by_class or isinstance(root, Input | Thing) or value.via:
            return None
        kind = value.type.partition("\0")[0]
        made = self._only(known, kind)
        if isinstance(made, Thing) and made.base is not None:
            return None
        return self._instance(known, kind) if made is None and self._serves(known) else made

    def _input(self, place: str, kind: str, file: ir.File, near: Known | None = None) -> Value:
        full = self.qualify(base_type(kind), file) if place.isdigit() and kind else ""
        is_foreign = "." in full and self.program.class_of(kind, file, near) is None
        return Input(f"{place} {full}" if is_foreign else place, self._typed(kind, file, near))

    def _meant(self, kind: str) -> str:
        """Return a type with what the types stand for that the function being evaluated is generic in."""
        frame = next((one for one in reversed(self._frames) if one.kinds or one.function.name), None)
        kinds = frame.kinds if frame is not None else {}
        return _WORD.sub(lambda one: kinds.get(one[0], one[0]), kind) if kinds else kind

    def _typed(self, kind: str, file: ir.File, near: Known | None) -> str:
        """Return a type as a text that says in which file it is named."""
        if not kind:
            return ""
        kind = self._meant(kind)
        key = f"{kind}\0{file.path}"
        self.types.setdefault(key, (file, near))
        return key

    # --- types

    def known_type(self, value: Value) -> Known | None:
        """Return the class of the program that a value is of; None if it is of none, or that is not known."""
        match value:
            case Thing(known=known):
                return known
            case Input(type=kind) | Get(type=kind) | Apply(type=kind) if kind:
                return self._class_named(kind)
            case Cond(then=then, otherwise=otherwise):
                return self.known_type(then) or self.known_type(otherwise)
        return None

    def kind_of(self, value: Value) -> tuple[str, Known | None]:
        """Return the simple name of the class that a value is of, empty if unknown, and the class of the program."""
        known = self.known_type(value)
        if known is not None:
            return known.cls.name, known
        kind = value.type.partition("\0")[0] if isinstance(value, Input | Get | Apply | Thing) else ""
        while held := held_in(kind):
            kind = held
        of = value.of if isinstance(value, Get | Apply) else None
        if not kind and isinstance(value, Get | Apply) and value.name.lower().removeprefix("get") in HELD:
            inside = parameters_of(of.type.partition("\0")[0]) if isinstance(of, Input | Get | Apply) else ()
            kind = inside[-1] if inside else ""
        if not kind and isinstance(value, Apply) and of is None:  # `Order.Parser.ParseFrom(bytes)`
            kind = next((word for word in value.name.partition("<")[0].split(".") if word[:1].isupper()), "")
        return base_type(kind).lstrip("*&").rpartition(".")[2], None

    def _class_named(self, kind: str) -> Known | None:
        if kind not in self._classes:
            self._classes[kind] = self._find_class(kind)
        return self._classes[kind]

    def _find_class(self, kind: str) -> Known | None:
        file, near = self.types[kind]
        text = kind.partition("\0")[0]
        if text.rstrip("?! ").endswith("[]"):
            return None
        known = self.program.class_of(text, file, near)
        held = held_in(text) if known is None else ""
        return self.program.class_of(held, file, near) if held else known

    def full_type(self, value: Value) -> str:
        """Return the full name of the library's class that a value is of; empty if that is not known."""
        match value:
            case Thing(type=kind, known=None):
                return kind
            case Input(type=kind) | Get(type=kind) | Apply(type=kind) if kind:
                return self._of_library(kind)
            case Ref(name=name):
                return name
            case Thing(known=known) if known is not None:
                for name in known.cls.supers:
                    if self.program.class_of(name, known.file, known) is None:
                        return self.qualify(base_type(name), known.file)
        return ""

    def _of_library(self, kind: str) -> str:
        """Return the full name of the library's class that a type means; empty for a class of the program."""
        if kind not in self._full_types:
            file, near = self.types[kind]
            text = kind.partition("\0")[0]
            base = base_type(text)
            if held := held_in(text):
                base = base_type(held)
            is_own = self.program.class_of(text, file, near) is not None
            self._full_types[kind] = "" if is_own else self.qualify(base, file)
        return self._full_types[kind]

    def place_of(self, value: Closure | Method) -> Function | None:
        """Return the function that a function as a value is; None for a method that is not known."""
        if isinstance(value, Closure):
            return value.function
        known = value.of.known if isinstance(value.of, Thing | Type) else self.known_type(value.of)
        found = self.program.method(known, value.name) if known is not None else None
        return found.function if found is not None else None

    def object_of(self, known: Known) -> Value:
        """Return an unknown object of a class."""
        return self._input(known.cls.name, known.cls.name, known.file, known)

    def carries_own(self, value: Value) -> bool:
        """Return whether a channel of Go is declared as one of a class of the program."""
        declared = value.type if isinstance(value, Input | Get | Apply) else ""
        channel = _CHANNEL.match(declared)
        return channel is not None and self.program.class_of(channel[1], *self.types[declared]) is not None

    def qualify(self, name: str, file: ir.File) -> str:
        """Return the full name of something that no file of the program defines, by the imports of a file."""
        if file.language == "go":
            return self.program.underlying(name, file)
        first, dot, rest = name.partition(".")
        if first in file.imports:
            return f"{file.imports[first]}{dot}{rest}"
        return name

    def element_type(self, value: Value) -> str:
        """Return the type of the elements of a value; empty if that is not known."""
        match value:
            case Input(type=kind) | Get(type=kind) | Apply(type=kind) if kind:
                file, near = self.types[kind]
                text = kind.partition("\0")[0]
                inside = parameters_of(text)
                if not inside and text.endswith("[]"):
                    inside = (text[:-2],)
                return self._typed(inside[-1], file, near) if inside else ""
        return ""

    def is_single(self, value: Value) -> bool:
        """Return whether a value is declared as one that holds at most one other, as an optional value does."""
        kind = value.type.partition("\0")[0] if isinstance(value, Input | Get | Apply) else ""
        is_sequence = bool(elements_of(kind)) or base_type(kind).rpartition(".")[2].lower().endswith(SEQUENCES)
        return bool(kind) and not is_sequence

    def _held(self, value: Value, name: str) -> str:
        """Return the type of what a member or method of a library's generic object has: its last type parameter.

        That is so for members which libraries call the value of a record by.
        """
        kind = value.type if isinstance(value, Input | Get | Apply) else ""
        if not kind or name.lower().removeprefix("get") not in HELD:
            return ""
        file, near = self.types[kind]
        inside = parameters_of(kind.partition("\0")[0])
        known = self.program.class_of(inside[-1], file, near) if inside else None
        return self._typed(inside[-1], file, near) if known is not None else ""

    def is_map(self, value: Value) -> bool:
        """Return whether a value is declared as a map of the language's library."""
        kind = value.type.partition("\0")[0] if isinstance(value, Input | Get | Apply) else ""
        return (
            bool(kind)
            and (kind.startswith("map[") or "Map" in base_type(kind) or "Dict" in base_type(kind))
            and (len(parameters_of(kind)) == 2 or kind.startswith("map["))
        )

    def is_plain(self, value: Value) -> bool:
        """Return whether a value is declared as a sequence or a scalar: it has no members that a record names."""
        kind = value.type.partition("\0")[0] if isinstance(value, Input | Get | Apply) else ""
        return bool(elements_of(kind)) or self.is_scalar(value)

    @staticmethod
    def is_scalar(value: Value) -> bool:
        """Return whether a value is declared as a scalar of the language, in any form that may be missing."""
        kind = value.type.partition("\0")[0] if isinstance(value, Input | Get | Apply) else ""
        while held := held_in(kind):
            kind = held
        return base_type(kind).rpartition(".")[2].lower() in SCALARS and not elements_of(kind)

    def is_port(self, value: Value) -> bool:
        """Return whether a value is of an interface of the program that nothing in it implements.

        What its methods return comes from elsewhere: they look it up by what they are given.
        """
        known = self.known_type(value) if isinstance(value, Input | Get | Apply) else None
        return known is not None and known.cls.kind == "interface" and not self.program.concrete(known)

    def elements(self, value: Value) -> Value | None:
        """Return an element of a value that is declared as a sequence of a class of the program; None for others."""
        kind = value.type if isinstance(value, Input | Get | Apply) else ""
        if not kind:
            return None
        file, near = self.types[kind]
        text = kind.partition("\0")[0]
        inside = elements_of(text)
        is_own = not text.rstrip("?! ").endswith("[]") and self.program.class_of(text, file, near) is not None
        if not inside or is_own or self.program.class_of(inside, file, near) is None:
            return None
        return Apply("each", None, (value,), (), self._typed(inside, file, near))

    def declared(self, value: Value, kind: str, file: ir.File, near: Known | None) -> Value:
        """Return a value as one of a declared type, if it is not known to be of another one.

        A value whose type is a parameter of a function or class is of what it stands for where it is passed on.
        """
        if not kind:
            return value
        kind = self._meant(kind)
        match value:
            case Opaque() if value == _GIVEN:
                return self._input(f"given {kind}", kind, file, near)
            case Apply(name="mapped", arguments=(inner,)) if self._lists(inner, kind, file, near):
                return inner  # what a library's function returns of a function that returns a list is the list
            case Apply(type=own) | Get(type=own) if not own or self._is_open(own):
                found = replace(value, type=self._typed(kind, file, near))
                if id(value) in self._changed and isinstance(found, Apply):
                    self._changed[id(found)] = found, self._changed[id(value)][1]
                return found
            case Cond(test=test, then=then, otherwise=otherwise):
                ways = self.declared(then, kind, file, near), self.declared(otherwise, kind, file, near)
                return value if ways == (then, otherwise) else Cond(test, *ways)
            case Thing(known=None, type=self.OPEN):
                known = self.program.class_of(kind, file, near)
                if known is not None:
                    given = [("", one) for one in value.arguments]
                    return self._construct(known, given, list(value.fields.items()), value.line)
                value.type = self.qualify(base_type(kind), file)
            case Thing(known=None, type=""):
                known = self.program.class_of(kind, file, near)
                is_its_form = file.language == "typescript" and bool(value.fields or value.base)
                if known is not None and not is_its_form:  # there, what is written is what the object has
                    value.known, value.type = known, known.cls.name
                    if value.base is not None:
                        value.base = self.declared(value.base, kind, file, near)
        return value

    def _lists(self, value: Value, kind: str, file: ir.File, near: Known | None) -> bool:
        """Return whether a value has several objects of the class that a type has in its brackets."""
        inside = parameters_of(kind)
        known = self.program.class_of(inside[-1], file, near) if inside else None
        element = self.element(value) if isinstance(value, Apply | Items) and known is not None else None
        return isinstance(element, Thing) and element.known is known

    def converted(self, value: Value, kind: str, scope: Scope) -> Value:
        """Return a value as one of the type of where it goes, made so by the type's own conversion if it has one."""
        if not kind:
            return value
        if isinstance(value, Closure) and ".(" in kind.partition("->")[0] and scope.file.language == "kotlin":
            return extending(value, kind)
        if isinstance(value, Cond):
            ways = self.converted(value.then, kind, scope), self.converted(value.otherwise, kind, scope)
            return value if ways == (value.then, value.otherwise) else Cond(value.test, *ways)
        if isinstance(value, Apply) and value.name in CONVERTS and value.of is not None and not value.arguments:
            wanted = kind
            while held := held_in(wanted):
                wanted = held
            known = self.program.class_of(wanted, scope.file, scope.known)
            found = self._conversion(known, value.of) if known is not None else None
            if found is not None:
                return self._invoke(found.function, Scope(found.file, None, None, found.known), [("", value.of)])
            value = value.of if found is None and known is None else value
        return self.declared(value, kind, scope.file, scope.known)

    def _conversion(self, known: Known, value: Value) -> Place | None:
        """Return the function of a class that makes an object of it from a value; None without one for the value."""
        own = self.known_type(value)
        for function in self.program.members(known):
            if function.name in CONVERSIONS and len(function.parameters) == 1 and function.body is not None:
                wanted = self.program.class_of(function.parameters[0].type, known.file, known)
                if wanted is None or own is None or wanted is own:
                    return Place(function, known.file, known)
        return None

    def _is_open(self, kind: str) -> bool:
        """Return whether a type is a name alone that stands for no class: a parameter of what it is used in."""
        file, near = self.types[kind]
        text = base_type(kind.partition("\0")[0])
        first, _, rest = text.partition(".")
        if file.language == "rust" and rest.isidentifier() and first not in file.imports:  # a type of a trait
            return self.program.class_of(first, file, near) is None
        is_name = text.isidentifier() and text.lower() not in SCALARS and text not in file.imports
        return is_name and self.program.class_of(text, file, near) is None and not self._is_generic(kind)

    @staticmethod
    def _is_generic(kind: str) -> bool:
        return bool(parameters_of(kind.partition("\0")[0]))

    # --- names

    def _file_scope(self, file: ir.File) -> Scope:
        if file.path not in self._files:
            self._files[file.path] = Scope(file)
        return self._files[file.path]

    def _global(self, file: ir.File, name: str) -> Value | None:
        """Return the value of a variable outside of functions; None if a file has none of the name."""
        key = (file.path, name)
        if key in self._globals:
            return self._globals[key]
        if len(nested := self._nested(file, name)) > 1:
            value = self._set_by(file.statements, key, file, Opaque(name))
            self._globals[key] = None if value == Opaque(name) else value
            return self._globals[key]
        for one in (*file.statements, *nested):
            target = one.target if isinstance(one, ir.Declare | ir.Assign) else None
            names = (
                [target] if isinstance(target, Name) else list(target.items) if isinstance(target, ir.Sequence) else []
            )
            for place, each in enumerate(names):
                if isinstance(each, Name) and each.name == name and isinstance(one, ir.Declare | ir.Assign):
                    if isinstance(one, ir.Assign) and one.operator:
                        continue
                    self._globals[key] = Opaque(f"global {name}")
                    keeps, self.keeps = self.keeps, True
                    value = self._apart(one.value, file)
                    self.keeps = keeps
                    if len(names) > 1:
                        value = self.part(value, place)
                    kind = one.type if isinstance(one, ir.Declare) else ""
                    if value == NULL and kind:
                        value = self._given(f"global {kind}", kind, file, None)
                    self._globals[key] = value
                    return value
        self._globals[key] = None
        return None

    def _nested(self, file: ir.File, name: str) -> list[ir.Declare | ir.Assign]:
        """Return the statements inside others, outside of functions, that set a variable of a file."""
        if file.path not in self._inner:
            self._inner[file.path] = list(_set_inside(file.statements))
        return [one for one in self._inner[file.path] if isinstance(one.target, Name) and one.target.name == name]

    def _set_by(self, statements: Sequence[object], key: tuple[str, str], file: ir.File, before: Value) -> Value:
        """Return the value of a variable outside of functions after statements, which had another one *before*."""
        value = before
        for one in statements:
            self._globals[key] = value
            match one:
                case ir.Declare(target=Name(name=name), value=code) | ir.Assign(target=Name(name=name), value=code):
                    is_set = name == key[1] and not getattr(one, "operator", "")
                    value = self._apart(code, file) if is_set else value
                case ir.If(test=test, then=then, otherwise=otherwise):
                    ways = [self._set_by(way.statements if way else (), key, file, value) for way in (then, otherwise)]
                    known = [way for way in ways if not (isinstance(way, Opaque) and way.text == key[1])]
                    value = choose(self._apart(test, file), *ways) if len(known) > 1 else (known or [value])[0]
                case ir.Try(body=body, last=last):
                    value = self._set_by((*body.statements, *(last.statements if last else ())), key, file, value)
                case ir.Block(statements=inside) | ir.Loop(body=ir.Block(statements=inside)):
                    value = self._set_by(inside, key, file, value)
        return value

    def has_evaluated(self, file: ir.File, code: object) -> bool:
        """Return whether a statement of a file sets a variable whose value something needed."""
        target = code.target if isinstance(code, ir.Declare | ir.Assign) else None
        return isinstance(target, Name) and self._globals.get((file.path, target.name)) is not None

    def _apart(self, code: ir.Expression | None, file: ir.File) -> Value:
        return NULL if code is None else self.apart(code, self._file_scope(file))

    def apart(self, code: ir.Expression, scope: Scope) -> Value:
        """Evaluate code outside of any function and condition."""
        saved, self.guards, left, self._left = self.guards, [], self._left, None
        value = self.value(code, scope)
        self.guards, self._left = saved, left
        return value

    def _name(self, name: str, scope: Scope) -> Value:
        found = scope.find(name)
        if found is not None:
            return self._by_now(self.simplified(found.variables[name]))
        this = self._this(scope)
        if name == "this":
            return this if this is not None else Ref("this")
        if name == "super":
            return this if this is not None else Ref("super")
        if scope.file.language in IMPLICIT:
            for receiver, known in self._receivers(scope):
                value = self._own_member(known, name, receiver) if known is not None else None
                if value is None and isinstance(receiver, Thing) and name in receiver.fields:
                    value = self.member(receiver, name)
                if value is not None:
                    return value
        kind, _, member = name.partition("::")
        known = self._frames[-1].classes.get(kind) if self._frames else None
        if known is not None:
            return self.member(Type(known), member) if member else Type(known)
        return self._outside(name, scope.file, scope.known)

    def _receivers(self, scope: Scope) -> Iterator[tuple[Value | None, Known | None]]:
        """Yield the objects whose members code sees by name alone, innermost first, each with its class."""
        enclosing: Scope | None = scope
        while enclosing is not None:
            if "this" in enclosing.variables:
                receiver = enclosing.variables["this"]
                yield receiver, self.known_type(receiver)
            if enclosing.known is not None:
                yield (enclosing.this if enclosing.this is not None else self._this(scope)), enclosing.known
            elif enclosing.this is not None:
                yield enclosing.this, self.known_type(enclosing.this)
            enclosing = enclosing.parent

    @staticmethod
    def _this(scope: Scope) -> Value | None:
        enclosing: Scope | None = scope
        while enclosing is not None:
            if enclosing.this is not None:
                return enclosing.this
            enclosing = enclosing.parent
        return None

    def _own_member(self, known: Known, name: str, this: Value | None) -> Value | None:
        """Return a member of a class or of a class enclosing it, named without an object; None without one."""
        enclosing: Known | None = known
        while enclosing is not None:
            found = self.program.field(enclosing, name)
            if found is not None:
                owner, one = found
                if one.static or owner.cls.single:
                    return self._static(owner, one)
                if this is not None:
                    return self.member(this, name)
            method = self.program.method(enclosing, name)
            if method is not None:
                if method.function.getter and this is not None:
                    return self.member(this, name)
                owner_value: Value = Type(enclosing) if method.function.static or this is None else this
                return Method(owner_value, name)
            inner = next((one for one in self.program.classes.get(name, ()) if one.outer is enclosing), None)
            if inner is not None:
                return Type(inner)
            for note in enclosing.cls.notes:
                if LOGGER_NOTES.get(note.name) == name:
                    return Ref("org.slf4j.Logger")
            enclosing = enclosing.outer
        return None

    def _static(self, owner: Known, one: ir.Field) -> Value:
        container = self._container_of(owner) if owner.file.language == "python" else None
        if container is not None and one.name in container.fields:
            return container.fields[one.name]
        if one.name not in owner.statics:
            owner.statics[one.name] = Opaque(f"static {one.name}")
            saved, self.guards, left, self._left = self.guards, [], self._left, None
            scope = Scope(owner.file, None, Type(owner), owner)
            if one.value is not None:
                value = self.converted(self.value(one.value, scope), one.type, scope)
            else:
                value = self._given(one.type or one.name, one.type, owner.file, owner, one.notes)
            self.guards, self._left = saved, left
            owner.statics[one.name] = value
        return owner.statics[one.name]

    def _outside(self, name: str, file: ir.File, near: Known | None) -> Value:
        """Return what a name outside of functions and classes means in a file."""
        key = (name, file.path, id(near))
        if key not in self._named:
            self._named[key] = Opaque(name)
            self._named[key] = self._meaning(name, file, near)
        return self._named[key]

    def _meaning(self, name: str, file: ir.File, near: Known | None) -> Value:
        if name.endswith(">") and not name.startswith("<"):
            bare, _, kinds = name.partition("<")
            found = self._outside(bare, file, near)
            return Ref(f"{found.name}<{kinds}") if isinstance(found, Ref) else found
        value = self._in_file(name, file)
        if value is not None:
            return value
        imported = file.imports.get(name)
        if imported is not None and file.language == "typescript" and _is_module(imported):
            return Ref(self._module(imported, file))
        if imported is not None:
            simple = imported.replace("::", ".").replace("/", ".").rpartition(".")[2] or name
            for candidate in dict.fromkeys((simple, name)):
                value = self._in_program(candidate, file, imported)
                if value is not None:
                    return value
            known = self.program.class_of(name, file, near)
            if known is not None:
                return Type(known)
            value = self._static_of(name, file, [imported.rpartition(".")[0]])
            return value if value is not None else Ref(imported)
        for other in self.program.files:
            if other is not file and other.language == file.language and file.package and other.package == file.package:
                value = self._in_file(name, other)
                if value is not None:
                    return value
        known = self.program.class_of(name, file, near)
        if known is not None:
            return Type(known)
        if file.wildcards:
            value = self._static_of(name, file, file.wildcards) or self._in_program(name, file, "")
            if value is not None:
                return value
        return Ref(name)

    def _static_of(self, name: str, file: ir.File, imported: Iterable[str]) -> Value | None:
        """Return a member that an import of Java, Kotlin or Scala takes from a class of the program, or an object."""
        for full in imported:
            package, _, simple = full.rpartition(".")
            for known in self.program.classes.get(simple, ()) if file.language in _JVM else ():
                is_meant = not known.file.package or known.file.package == package or package.endswith(known.cls.name)
                if is_meant and self.program.field(known, name) is not None:
                    return self.member(Type(known), name)
                if is_meant and self.program.method(known, name) is not None:
                    return Method(Type(known), name)
        return None

    def _in_file(self, name: str, file: ir.File) -> Value | None:
        for function in file.functions:
            if function.name == name:
                if id(function) not in self._decorations:
                    plain = Closure(function, self._file_scope(file))
                    self._decorations[id(function)] = plain  # what its decorators see of it meanwhile
                    self._decorations[id(function)] = self._decorated(function, plain, file)
                return self._decorations[id(function)]
        value = self._global(file, name)
        if value is not None:
            return value
        known = next(
            (one for one in self.program.classes.get(name, ()) if one.file is file and one.outer is None), None
        )
        return Type(known) if known is not None else None

    def _decorated(self, function: Function, value: Value, file: ir.File) -> Value:
        """Return what decorators of the program make of a function, innermost first."""
        for note in reversed(function.notes):
            found = self._decorator(note, function, file)
            if found is None:
                continue
            scope = self._file_scope(file)
            code = Call(Name(note.name), note.arguments, function.line)
            if note.arguments:
                given = self._arguments(note.arguments, scope)
                found = self.call(found, given, code, scope)
            value = self.call(found, [("", value)], code, scope)
        return value

    def _decorator(self, note: ir.Note, function: Function, file: ir.File) -> Value | None:
        """Return the function or method of the program that a decorator is; None for one of a library."""
        if note.of is None:
            found = self._outside(note.name, file, None) if note.name != function.name else None
            return found if isinstance(found, Closure) else None
        of = self._apart(note.of, file)
        known = of.known if isinstance(of, Thing | Type) else None
        method = self.program.method(known, note.name) if known is not None else None
        return Method(of, note.name) if method is not None else None

    def load(self, place: Place) -> None:
        """Evaluate the decorators of a function, which may keep it for what calls it later."""
        if place.known is None and place.function.notes:
            self._in_file(place.function.name, place.file)

    def _means(self, file: ir.File, imported: str, name: str) -> bool:
        key = (file.path, imported, name)
        if key not in self._packages:
            folder = self.program.folder_of(imported, name) if self.program.aliases else ""
            self._packages[key] = file.path.startswith(folder) if folder else in_package(file, imported, name)
        return self._packages[key]

    def _in_program(self, name: str, file: ir.File, imported: str) -> Value | None:
        """Return what another file of the program has under a name, if an import of that file means it.

        Of several files, the nearest one is meant; of several that are as near, none unless they have the same.
        """
        found: dict[int, list[Value]] = {}
        meant = self.program.at(file, imported.removesuffix(f".{name}"))
        if meant is not None and (value := self._exported(name, meant)) is not None:
            return value
        for other in self.program.files:
            if other is not file and (not imported or self._means(other, imported, name)):
                value = self._in_file(name, other)
                if value is not None:
                    found.setdefault(common_folders(file.path, other.path), []).append(value)
        nearest = found[max(found)] if found else []
        same = all(one == nearest[0] for one in nearest[1:] if isinstance(one, Const))
        return nearest[0] if nearest and (same or not imported) else None

    def _module(self, imported: str, file: ir.File) -> str:
        """Return the name of a module that a file of JavaScript imports: of a file of the program, its path."""
        meant = self.program.at(file, imported)
        return imported if meant is None else f"./{meant.path.rpartition('.')[0]}"

    def _exported(self, name: str, file: ir.File) -> Value | None:
        """Return what a file of JavaScript has under a name, also what it only hands on from another one."""
        value = self._in_file(name, file)
        if value is not None or (file.path, name) in self._resolving:
            return value
        self._resolving.add((file.path, name))
        own = file.imports.get(name)
        if own and _is_module(own):
            value, own = Ref(self._module(own, file)), None
        handed = [own] if own else [f"{one}.{name}" for key, one in file.imports.items() if key.startswith("* ")]
        for one in handed:
            value = value or self._in_program(one.rpartition(".")[2] if own else name, file, one)
        exported = self._in_file("default", file) if value is None and name != "default" else None
        if isinstance(exported, Thing) and name in exported.fields:  # of an object that is all that a module exports
            value = exported.fields[name]
        self._resolving.discard((file.path, name))
        return value

    # --- members

    def member(self, value: Value, name: str) -> Value:
        """Return a member of a value."""
        match value:
            case Const() if value == NULL:
                return NULL
            case Cond(test=test, then=then, otherwise=otherwise):
                return choose(test, self.member(then, name), self.member(otherwise, name))
            case Thing():
                return self._of_thing(value, name)
            case Apply(name="each" | "one of" as kind, of=None, arguments=ways) if len(ways) > 1 and all(
                isinstance(one, Thing) for one in ways
            ):
                return Apply(kind, None, tuple(self.member(one, name) for one in ways))
            case Type(known=known):
                return self._of_type(value, known, name)
            case Ref(name=before):
                if before in VARIABLES:
                    return self.setting(name)
                found = self._of_ref(before, name)
                return Ref(f"{before}.{name}") if found is None else found
            case Items() if name in ("0", "1", "2", "3"):
                return self.part(value, int(name))
            case Items() if (found := member_of_items(value, name)) is not None:
                return found
        if name in ("Key", "key") and (key := grouped(value)) is not None:
            return key
        own = self.known_type(value)
        if own is not None and isinstance(value, Apply) and (provided := self._provided(value, own)) is not None:
            return self.member(provided, name)
        written = self._written.get((self._which(value), name)) if name in self._written_names else None
        if written is not None:
            return self.simplified(written)
        if own is None and isinstance(value, Input) and value.place.startswith("setting ") and not value.type:
            return self._settings_member(value, name, None)
        if own is None:
            if isinstance(value, Apply) and (declared := declaration_in(value, name)) is not None:
                # What others are declared as changes nothing of this member.
                value = replaced(value, declared, Thing(declared.type, None, {name: declared.fields[name]}))
            simple = self.full_type(value).replace("::", ".").rpartition(".")[2]
            computed = self.program.extension(name, simple) if simple else self._only_extension(value, name, 0, "")
            if computed is not None and computed.function.getter:
                this = self.declared(value, computed.function.receiver, computed.file, None)
                return self._invoke(computed.function, Scope(computed.file, None, this, None), [])
            return self._taken(Get(value, name, self._held(value, name)))
        found_field = self.program.field(own, name)
        part = self._embedded(own, name) if found_field is None else None
        if part is not None and isinstance(value, Input | Get | Apply):
            return replace(value, type=self._typed(part.cls.name, own.file, own))
        if isinstance(value, Input) and value.place.startswith("setting "):
            return self._settings_member(value, name, found_field)
        if found_field is not None:
            owner, one = found_field
            if one.static:
                return self._static(owner, one)
            if isinstance(value, Apply) and value.name == "enum":
                return self.member(self._constant(value, own), name)
            default = self._default_of(owner, one)
            if default is not None:
                return default
            return self._taken(Get(value, name, self._typed(one.type, owner.file, owner)))
        method = self.program.method(own, name)
        if method is not None and method.function.getter and method.function.body is not None:
            return self._invoke(method.function, Scope(method.file, None, value, method.known), [])
        return Method(value, name) if method is not None else self._taken(Get(value, name))

    def _is_class_of(self, value: Value, name: str) -> bool:
        """Return whether a member that the languages call the class of an object by is not one of the object's own."""
        if isinstance(value, Ref) or (isinstance(value, Thing) and name in value.fields):
            return False
        known = value.known if isinstance(value, Type) else self.known_type(value)
        method = self.program.method(known, name) if known is not None and name not in CONSTRUCTORS else None
        return known is None or (self.program.field(known, name) is None and method is None)

    def _class_of(self, value: Value) -> Value:
        """Return the class of an object: whatever the object holds, it is the same."""
        if isinstance(value, Type):
            return value
        if isinstance(value, Cond):
            return choose(value.test, self._class_of(value.then), self._class_of(value.otherwise))
        known = self.known_type(value)
        if known is None:
            return Ref("the class of an object")
        is_exact = isinstance(value, Thing) or not self.program.subclasses(known)
        return Type(known) if is_exact else Ref(f"the class of {known.cls.name}")

    def _of_parameter(self, kind: str, scope: Scope) -> Value | None:
        """Return what a function is given whose type is a parameter of the function; None without any."""
        listed = self._frames[-1].function.parameters if self._frames else ()
        given = next((one.name for one in listed if one.type.rstrip("?!") == kind), "")
        found = scope.find(given) if given else None
        return found.variables[given] if found is not None else None

    def _notes_of(self, values: Sequence[Value], name: str, scope: Scope) -> Value | None:
        """Return what a function that reads annotations of a class returns; None if the class is not known."""
        if any(isinstance(one, Cond) for one in values):
            at, case = next((at, one) for at, one in enumerate(values) if isinstance(one, Cond))
            ways = [
                self._notes_of([*values[:at], way, *values[at + 1 :]], name, scope)
                for way in (case.then, case.otherwise)
            ]
            return choose(case.test, ways[0], ways[1]) if ways[0] is not None and ways[1] is not None else None
        classes = [one.known for one in values if isinstance(one, Type)]
        wanted = {base_type(one).rpartition(".")[2] for one in parameters_of(name)}
        wanted |= {one.cls.name for one in classes[1:]}
        wanted |= {_simple(one.name) for one in values[1:] if isinstance(one, Ref)}
        if not classes:
            return None
        found: list[Value] = []
        for owner in (classes[0], *self.program.supers(classes[0])):
            for note in owner.cls.notes:
                if not wanted or {note.name, f"{note.name}Attribute"} & wanted:
                    found.append(self._note(note, owner))
        if NOTES[name.partition("<")[0]]:
            return Items(found, len(self.guards))
        return found[0] if found else NULL

    def _note(self, note: ir.Note, owner: Known) -> Value:
        """Return an annotation of a class as an object."""
        listed = [(one.name, self._apart(one.value, owner.file)) for one in note.arguments]
        names = (note.name, f"{note.name}Attribute")
        found = (self.program.class_of(one, owner.file, owner) for one in names)
        known = next((one for one in found if one is not None), None)
        if known is None or known.cls.kind == "interface":
            return Thing(note.name, None, {name or "value": value for name, value in listed}, depth=len(self.guards))
        taken = {
            one.name for each in self.program.members(known) if each.name in CONSTRUCTORS for one in each.parameters
        }
        members = [(name, value) for name, value in listed if name and name not in taken]
        saved, self.guards, left, self._left, keeps = self.guards, [], self._left, None, self.keeps
        self.keeps = False
        value = self._construct(known, [one for one in listed if one not in members], members, 0)
        self.guards, self._left, self.keeps = saved, left, keeps
        return value

    def _embedded(self, known: Known, name: str) -> Known | None:
        """Return the struct of Go that another one has as part of itself under its own name; None without one."""
        if known.file.language != "go" or not any(
            base_type(one).rpartition(".")[2] == name for one in known.cls.supers
        ):
            return None
        return next((one for one in self.program.supers(known) if one.cls.name == name), None)

    def _promoted(self, thing: Thing) -> Value | None:
        """Return what a struct of Go embeds whose methods are its own: an object of a library, or of an interface."""
        for kind in thing.known.cls.supers if thing.known is not None else ():
            part = thing.fields.get(base_type(kind).rpartition(".")[2])
            if part is not None:
                return part
        return None

    def _settings_member(self, value: Input, name: str, found: tuple[Known, ir.Field] | None) -> Value:
        path = f"{value.place.removeprefix('setting ')}.{name}".strip(".")
        if found is None:
            is_inner = not value.type and self.program.setting(path) is None
            return Input(f"setting {path}") if is_inner else self.setting(path)
        owner, one = found
        inner = self.program.class_of(one.type, owner.file, owner)
        if inner is not None and inner.cls.kind != "enum":
            return self._input(f"setting {path}", one.type, owner.file, owner)
        known = self.program.setting(path)
        if known is None and one.value is not None:
            return self._apart(one.value, owner.file)
        return self.setting(path)

    def _constant(self, value: Apply, known: Known) -> Value:
        """Return the object that a constant of an enumeration is: what its constructor makes of its arguments."""
        key = (known.cls.name, self._show(value))
        if key not in self._constants:
            saved, self.guards, left, self._left, keeps = self.guards, [], self._left, None, self.keeps
            self.keeps = False
            self._constants[key] = NULL
            names = value.names or ("",) * len(value.arguments)
            self._constants[key] = self._construct(known, list(zip(names, value.arguments, strict=True))[1:], (), 0)
            self.guards, self._left, self.keeps = saved, left, keeps
        return self._constants[key]

    def _constants_of(self, known: Known) -> Items | None:
        """Return the constants of an enumeration; None for other classes."""
        fields = [one for one in known.cls.fields if one.static and known.cls.kind == "enum"]
        values = [self._static(known, one) for one in fields]
        constants = [one for one in values if _is_constant(one)]
        return Items(constants, len(self.guards)) if constants else None

    def _only_object(self, known: Known) -> Value:
        """Return the object that a class with one object has: what it gives the class that it extends is its own."""
        if id(known) not in self._singles:
            saved, self.guards, left, self._left, keeps = self.guards, [], self._left, None, self.keeps
            self.keeps = False
            self._singles[id(known)] = Opaque(known.cls.name)
            self._singles[id(known)] = self._construct(known, [], (), known.cls.line)
            self.guards, self._left, self.keeps = saved, left, keeps
        return self._singles[id(known)]

    @staticmethod
    def _default_of(owner: Known, one: ir.Field) -> Value | None:
        """Return the default that a tag of a field has for its setting; None without one.

        In Python, where the default is the value of the field, a note says nothing more.
        """
        for note in one.notes if owner.file.language != "python" else ():
            for given in note.arguments:
                is_default = given.name in DEFAULTS or (note.name in DEFAULTS and not given.name)
                if is_default and isinstance(given.value, Literal):
                    return Const(Kind.TEXT, given.value.text)
        return None

    def _of_thing(self, thing: Thing, name: str) -> Value:
        if name in thing.fields:
            return NULL if thing.fields[name] == REMOVED else self.simplified(thing.fields[name])
        if thing.known is not None:
            found = self.program.field(thing.known, name)
            method = self.program.method(thing.known, name)
            if method is not None and method.function.getter and method.function.body is not None:
                return self._invoke(method.function, Scope(method.file, None, thing, method.known), [])
            if found is not None:
                owner, one = found
                if one.static:
                    return self._static(owner, one)
                if thing.base is not None:
                    return self.member(thing.base, name)
                default = self._default_of(owner, one)
                if default is not None:
                    return default
                if any(note.name in INJECTED_SETTINGS for note in one.notes):
                    return self._given(one.name, one.type, owner.file, owner, one.notes)
                return Apply("unset", None, (), (), self._typed(one.type, owner.file, owner))
            if method is not None:
                return Method(thing, name)
            if self._embedded(thing.known, name) is not None:
                return thing
        if thing.base is not None:
            return self.member(thing.base, name)
        if name in KEYS and self._is_table(thing):
            return Items([Const(Kind.TEXT, key) for key in thing.fields], len(self.guards))
        return Get(thing, name)

    def _of_type(self, value: Type, known: Known, name: str) -> Value:
        found = self.program.field(known, name)
        if found is not None and known.cls.single and found[0] is not known and not found[1].static:
            return self.member(self._only_object(known), name)
        if found is not None and (found[1].static or known.cls.single):
            return self._static(*found)
        inner = next((one for one in self.program.classes.get(name, ()) if one.outer is known), None)
        if inner is not None:
            return Type(inner)
        companion = next((one for one in self.program.classes.get("Companion", ()) if one.outer is known), None)
        if companion is not None and self.program.field(companion, name) is not None:
            return self.member(Type(companion), name)
        if found is not None and found[1].value is not None:
            return self._static(*found)
        if self.program.method(known, name) is None:
            if name in CONSTANTS and (constants := self._constants_of(known)) is not None:
                return constants
            if name in CLASS_NAMES:
                return Const(Kind.TEXT, known.cls.name)
            if name in CLASSES:
                return value
        return Method(value, name)

    def _of_ref(self, before: str, name: str) -> Value | None:
        """Return what a package or module of the program has under a name; None if it is of a library."""
        if before not in self._modules:
            meant = self.program.at(_ROOT, before)
            listed = [file for file in self.program.files if self._means(file, before, "")]
            self._modules[before] = listed if meant is None else [meant]
        for file in self._modules[before]:
            value = self._exported(name, file) if file.language == "typescript" else self._in_file(name, file)
            if value is not None:
                return value
            exported = self._in_file("default", file) if file.language == "typescript" and name != "default" else None
            if isinstance(exported, Thing | Type):  # `require` returns what a module exports
                return self.member(exported, name)
        return None

    def written(self, value: Value) -> dict[str, Value]:
        """Return the members of an object that is not known further that were given a value."""
        of = self._which(value) if self._written else ""
        return {name: self.simplified(one) for (owner, name), one in self._written.items() if owner == of}

    def set_member(self, value: Value, name: str, new: Value) -> None:
        """Set a member of a value, under the conditions that hold."""
        match value:
            case Thing():
                old = value.fields.get(name)
                if old is None and len(self.guards) > value.depth:
                    old = self._of_thing(value, name) if value.known is not None else NULL
                if old is not None and old in (TRUE, FALSE):
                    self._flags.append((value, name, old))
                value.fields[name] = self._under(new, old, value.depth)
            case Cond(then=then, otherwise=otherwise):
                self.set_member(then, name, new)
                self.set_member(otherwise, name, new)
            case Type(known=known):
                known.statics[name] = new
            case _:
                key = self._which(value), name
                self._owners.append(value)
                tests = [one for one in self.guards if not is_turn(one)]  # it is an element of what a loop goes over
                if tests:
                    count = len(self.accesses)
                    old = self._written[key] if key in self._written else self.member(value, name)
                    del self.accesses[count:]  # code does not ask for what it replaces
                    new = choose(self._all(tests), new, old)
                self._written[key] = new
                self._written_names.add(name)

    def _under(self, new: Value, old: Value | None, depth: int) -> Value:
        """Return a new value, or the old one if the conditions since a depth do not hold."""
        since = self.guards[depth:]
        if old is None or not since:
            return new
        return old if self._is_set(new, old, since) else choose(self._all(since), new, old)

    def _is_set(self, new: Value, old: Value, since: Sequence[Value]) -> bool:
        """Return whether a variable may have a value already, and gets it again only where it has none.

        Each call of a function that sets a variable at its first use would make a longer value of it.
        """
        if not isinstance(old, Cond):
            return False
        alike = [one for one in leaves_of(old) if type(one) is type(new) and _name_of(one) == _name_of(new)]
        if not alike or self._show(new) not in map(self._show, alike):
            return False
        absent = self._show(negate(is_present(old)))
        return any(self._show(one) == absent for one in since)

    @staticmethod
    def _all(tests: Sequence[Value]) -> Value:
        found = tests[0]
        for one in tests[1:]:
            found = operate("&&", (found, one))
        return found

    def simplified(self, value: Value) -> Value:
        """Return the value that holds under the conditions of here."""
        if not isinstance(value, Cond) or not self.guards:
            return value
        try:
            return self._simplified(value)
        finally:
            self._simpler.clear()  # other conditions hold the next time

    def _simplified(self, value: Value) -> Value:
        """Simplify a value once, wherever it is part of others; each takes a step, since there may be many."""
        if id(value) in self._simpler:
            return self._simpler[id(value)][1]
        self._steps += 1
        self.steps += 1
        found, turns = value, 0
        while isinstance(found, Cond) and turns < _MOST_TURNS and self._steps <= MOST_STEPS:
            turns += 1
            holds = self._holds(found.test)
            if holds is None:
                rest = self._rest(found.test)
                if rest is found.test:
                    break
                holds = self._holds(rest)
                if holds is None:
                    found = choose(rest, self._simplified(found.then), self._simplified(found.otherwise))
                    break
            found = found.then if holds else found.otherwise
        self._simpler[id(value)] = value, found
        return found

    def _rest(self, test: Value) -> Value:
        """Return what of a condition the conditions of here do not say."""
        if not (isinstance(test, Apply) and test.of is None and test.name == "&&" and len(test.arguments) == 2):
            return test
        self._known_tests()
        if id(test) not in self._rests:
            self._steps += 1
            self.steps += 1
            if self._steps > MOST_STEPS:
                return test
            self._rests[id(test)] = test, self._rest_of(*test.arguments, test)
        return self._rests[id(test)][1]

    def _rest_of(self, first: Value, second: Value, test: Value) -> Value:
        for one, other in ((first, second), (second, first)):
            holds = self._holds(one)
            if holds is not None:
                return self._rest(other) if holds else FALSE
        rest = self._rest(first), self._rest(second)
        return test if rest == (first, second) else operate("&&", rest)

    def chosen(self, value: Value, depth: int = 0) -> Value:
        """Return a value with what holds under the conditions of here, also inside the calls that made it."""
        value = self.simplified(value)
        if not isinstance(value, Apply) or depth > _MOST_TURNS:
            return value
        of = self.chosen(value.of, depth + 1) if value.of is not None else None
        arguments = tuple(self.chosen(one, depth + 1) for one in value.arguments)
        is_same = of is value.of and all(one is two for one, two in zip(arguments, value.arguments, strict=True))
        return value if is_same else replace(value, of=of, arguments=arguments)

    def _holds(self, test: Value) -> bool | None:
        """Return whether a test holds under the conditions of here; None if they do not say."""
        known = self._known_tests()
        if known[self._shown(test)]:
            return True
        return False if known[self._shown_opposite(test)] else None

    def _known_tests(self) -> Counter[str]:
        """Return how often the conditions of here say each text; what the last question had of them is kept."""
        same = 0
        for (one, _), guard in zip(self._noted_tests, self.guards, strict=False):
            if one is not guard:
                break
            same += 1
        if same < len(self._noted_tests) or same < len(self.guards):
            self._rests.clear()
        for _, texts in self._noted_tests[same:]:
            self._known.subtract(texts)
        del self._noted_tests[same:]
        for guard in self.guards[same:]:
            texts = [self._shown(one) for one in conjuncts(guard)]
            self._noted_tests.append((guard, texts))
            self._known.update(texts)
        return self._known

    def changes_of(self, value: Value) -> list[str]:
        """Return the calls that may have changed an object which a library's function made."""
        return self._changed[id(value)][1] if id(value) in self._changed else []

    def charge(self, parts: int) -> None:
        """Count the writing of so many parts of values as steps: objects that hold many others take long to write."""
        steps = parts // _PARTS_OF_STEP
        self._steps += steps
        self.steps += steps

    def _show(self, value: Value) -> str:
        """Return the canonical text of a value."""
        shown = Shown()
        text = shown.text(value)
        self.charge(MOST_PARTS - shown.left)
        return text

    def _which(self, value: Value) -> str:
        """Return the text that tells an object which is not known further from others, whatever it holds by now."""
        shown = Shown(numbered=True)
        text = shown.text(value)
        self.charge(MOST_PARTS - shown.left)
        return text

    def _shown(self, value: Value) -> str:
        """Return the text of a condition, as it was at first; one that is too long is equal to no other."""
        if id(value) not in self._texts:
            if isinstance(value, Apply) and value.of is None and value.name in JOINS:
                texts = sorted(map(self._shown, value.arguments))  # which are parts of other conditions, too
                text = f"{value.name}({', '.join(texts)})"
                is_long = len(text) > LONGEST_TEST or any(one.startswith(_TOO_LONG) for one in texts)
            else:
                shown = Shown(_MOST_OF_TEST)
                text = shown.text(value)
                is_long = shown.left < 0
            self._texts[id(value)] = value, f"{_TOO_LONG}{id(value)}" if is_long else text
        return self._texts[id(value)][1]

    def _shown_opposite(self, value: Value) -> str:
        if id(value) not in self._opposites:
            is_long = self._shown(value).startswith(_TOO_LONG)
            self._opposites[id(value)] = value, _TOO_LONG if is_long else self._shown(negate(value))
        return self._opposites[id(value)][1]

    # --- expressions

    def value(self, code: ir.Expression | ir.Statement, scope: Scope) -> Value:
        """Evaluate an expression or statement; a statement has no value."""
        self._steps += 1
        self.steps += 1
        if self._steps > MOST_STEPS or self._depth > _NESTED or self.steps > MOST_STEPS_TOGETHER:
            self.spent = True
            return Opaque("the limit of one view")
        self._depth += 1
        try:
            return self._value(code, scope)
        finally:
            self._depth -= 1

    def _value(self, code: ir.Expression | ir.Statement, scope: Scope) -> Value:
        discarded, self._discarded = self._discarded, False
        match code:
            case Literal(kind=kind, text=text):
                return NULL if kind is Kind.NOTHING else Const(kind, text.lower() if kind is Kind.TRUTH else text)
            case Name(name=name):
                return _shown(name, self._name(name, scope))
            case Member(name=name) if name.endswith(">"):  # a method that is given types and nothing else
                return self._call(Call(code), scope, discarded=discarded)
            case Member(of=of, name=name) if name in CLASSES:
                of_object = self.value(of, scope)
                if isinstance(of, Name) and of_object == Ref(of.name):
                    of_object = self._of_parameter(of.name, scope) or of_object
                return self._class_of(of_object) if self._is_class_of(of_object, name) else self.member(of_object, name)
            case Member(of=of, name=name):
                of_object = self.value(of, scope)
                self._at = (scope.file.path, code.line or self._at[1])
                if name in AS_OTHER and scope.file.language in CURRIED:  # a method that is called without brackets
                    return self.call_method(of_object, name, [], Call(code, (), self._at[1]), scope)
                return _shown(name, self.member(of_object, name))
            case ir.Index():
                of_object, key = self.value(code.of, scope), self.value(code.key, scope)
                self._at = (scope.file.path, code.line or self._at[1])
                return self._index(of_object, key)
            case Call():
                return self._call(code, scope, discarded=discarded)
            case New():
                return self._new(code, scope)
            case ir.Record(entries=entries):
                return self._record(entries, scope)
            case ir.Sequence(items=items):
                return self._sequence(items, scope)
            case ir.Operation(operator=operator, operands=operands):
                return self._operation(operator, operands, scope)
            case ir.Choice(test=test, then=then, otherwise=otherwise):
                return self._choice(self.value(test, scope), then, otherwise, scope)
            case ir.Text(parts=parts):
                found = joined_text(values := [self._as_text(self.value(one, scope)) for one in parts])
                self._gives(values, found)
                return found
            case ir.Lambda(function=function):
                return Closure(function, scope)
            case ir.Assign():
                return self._assign(code, scope)
            case Block(statements=statements):
                return self._block(statements, scope, discarded=discarded)
            case ir.If():
                held = self.value(code.test, scope)
                if _breaks(code.then) and not isinstance(held, Const) and not is_of_presence(held):
                    held = Apply("first", None, (held,))  # the first turn of the loop for which it holds is the last
                return self._choice(held, code.then, code.otherwise or Block(()), scope, discarded=discarded)
            case ir.Match():
                return self._match(code, scope)
            case ir.Try():
                return self._try(code, scope)
            case ir.Exit():
                return self._exit(code, scope)
            case ir.Declare():
                self._at = (scope.file.path, code.line or self._at[1])
                self._declare(code, scope)
                return NULL
            case ir.Loop():
                return self._loop(code, scope)
            case Function():
                self._bind(scope, code.name, Closure(code, scope))
                return NULL
            case ir.Class():
                return NULL
            case ir.Pattern(operator=operator, parts=given):
                return Opaque(f"pattern {operator}", tuple(self.value(one.value, scope) for one in given))
            case ir.Unknown(what=what, parts=parts):
                return Opaque(what, tuple(self.value(one, scope) for one in parts))
        return NULL

    def _operation(self, operator: str, operands: tuple[ir.Expression, ...], scope: Scope) -> Value:
        is_same = operator in ("&", "*", "&mut", "await", "try", "!!", "<-") and len(operands) == 1
        if is_same or operator == "as":
            value = self.value(operands[0], scope)
            wanted = operands[-1]
            kind = wanted.what if operator == "as" and isinstance(wanted, ir.Unknown) else ""
            inside = elements_of(kind) or kind
            known = self.program.class_of(inside, scope.file, scope.known) if inside else None
            is_number = kind in NUMBERS.get(scope.file.language, ()) and not isinstance(value, Const)
            if known is None and is_number and self.known_type(value) is None:
                given = self._declared_type(value)
                return value if given == kind else Apply(kind, None, (value,))
            return value if known is None else self.declared(value, kind, scope.file, scope.known)
        if operator in ("??", "?:", "||", "or") and len(operands) == 2:
            first = self.value(operands[0], scope)
            if isinstance(first, Const) and first.kind is Kind.TEXT:
                return first
            if isinstance(operands[1], ir.Exit) or self._never_returns(
                operands[1], scope
            ):  # only where the first is missing, the code after it is not reached
                test = negate(is_present(_copied_from(first))) if operator in ("??", "?:") else operate("!", (first,))
                self._choice(test, Block((operands[1],)), Block(()), scope)
                return first
            either = first, self.value(operands[1], scope)
            is_test_ = any(map(is_test, either)) or scope.file.language not in UNTYPED
            return operate(operator if operator in ("||", "or") and is_test_ else "??", either)
        if operator == "?":
            return self._or_leaves(self.value(operands[0], scope))
        if operator == "enter":  # what a function yields that is used as a context is what the context gives
            value = self.value(operands[0], scope)
            return self.element(value) if isinstance(value, Items) and value.yielded else value
        if operator == "kept":  # the entries of a map for which something holds
            value = self.value(operands[0], scope)
            tests = [code_text(one) for one in operands[1:]]
            if isinstance(value, Thing) and tests:
                value = self._copied(value, ())
                assert isinstance(value, Thing)
                value.touched.append(_brief(f"kept if {', '.join(tests)}"))
            elif tests and isinstance(value, Input | Get | Apply):
                value = Apply("kept", value, tuple(Const(Kind.TEXT, one) for one in tests), (), value.type)
            return value
        if operator == "matches":
            return self._pattern(self.value(operands[0], scope), operands[1], scope)
        if operator == "instanceof" and len(operands) == 2 and isinstance(operands[1], ir.Unknown):
            return self._is_of(self.value(operands[0], scope), operands[1].what)
        values = tuple(self.value(one, scope) for one in operands)
        if NULL not in values:
            self.compared += values
        own = values[0].known if len(values) == 2 and isinstance(values[0], Thing) else None
        static = self.program.method(own, f"operator {operator}", 2) if own is not None else None
        if static is not None and static.function.body is not None:  # as C# has them
            return self._invoke(
                static.function, Scope(static.file, None, None, static.known), [("", one) for one in values]
            )
        for name in OPERATORS.get(operator, ()) if own is not None else ():
            method = self.program.method(own, name, 1) if own is not None else None
            if method is not None and method.function.body is not None:
                call = Scope(method.file, None, values[0], method.known)
                return self._invoke(method.function, call, [("", values[1])])
        if operator == "%" and isinstance(values[0], Const) and values[0].kind is Kind.TEXT:
            filling = values[1].values if isinstance(values[1], Items) else values[1:]
            if (filled := _filled_in_template("%", values[0].text, filling)) is not None:
                return filled
        if operator in _EQUAL and len(values) == 2 and NULL in values:
            other = values[1] if values[0] == NULL else values[0]
            if isinstance(other, Cond | Thing | Items):
                return negate(is_present(other)) if _EQUAL[operator] else is_present(other)
        if operator in ("|", "|=") and len(values) == 2 and all(isinstance(one, Thing | Cond) for one in values):
            return self._merged(*values)
        if operator == "&&" and len(values) == 2 and isinstance(values[1], Thing):  # an object, or nothing
            return choose(is_present(values[0]), values[1], NULL)
        listed = joined_items(operator, values)
        return Items(listed, len(self.guards)) if listed is not None else operate(operator, values)

    def _or_leaves(self, value: Value) -> Value:
        """Return a result without its failure: where it has one, the function ends with it, as by `?` of Rust."""
        if isinstance(value, Cond):
            then, otherwise = value.then, value.otherwise
            return self._either(value.test, lambda: self._or_leaves(then), lambda: self._or_leaves(otherwise))
        if not is_failed(value):
            return value
        self._returns(value)
        self._left = Leave.RETURN
        return NULL

    def _sequence(self, items: tuple[ir.Expression, ...], scope: Scope) -> Value:
        values: list[Value] = []
        for one in items:
            if isinstance(one, ir.Operation) and one.operator in ("...", "*", "**") and len(one.operands) == 1:
                value = self.value(one.operands[0], scope)
                values += value.values if isinstance(value, Items) else [Apply("...", None, (value,))]
            else:
                values.append(self.value(one, scope))
        return Items(values, len(self.guards))

    def _record(self, entries: tuple[tuple[ir.Expression | None, ir.Expression], ...], scope: Scope) -> Value:
        thing = Thing(depth=len(self.guards))
        for key, one in entries:
            value = self.value(one, scope)
            if key is None:
                if isinstance(value, Thing) and value.base is None:
                    thing.fields |= value.fields
                    thing.touched += value.touched
                elif isinstance(value, Cond) and (entries_of := self._entries_of(value)) is not None:
                    thing.fields |= entries_of
                else:
                    thing.base = value if thing.base is None else Apply("merge", None, (thing.base, value))
            else:
                name = key.text if isinstance(key, Literal) else self._key(self.value(key, scope))
                thing.fields[name] = value
        return thing

    def _entries_of(self, value: Cond) -> dict[str, Value] | None:
        """Return the entries of an object that is there under a condition; None for other values."""
        ways = [one for one in (value.then, value.otherwise) if one != NULL]
        if len(ways) != 1 or not isinstance(ways[0], Thing) or ways[0].base is not None or ways[0].known is not None:
            return None
        is_first = ways[0] is value.then
        return {
            name: Cond(value.test, *((one, REMOVED) if is_first else (REMOVED, one)))
            for name, one in ways[0].fields.items()
        }

    def _key(self, value: Value) -> str:
        value = self.settled(value)
        if isinstance(value, Ref):
            return value.name.rpartition(".")[2]
        if isinstance(value, Type):
            return f"{_OF_CLASS}{value.known.qualified}>"
        if _is_constant(value):
            return f"{_OF_CONSTANT}{self._show(value)}>"
        return value.text if isinstance(value, Const) else f"<{self._show(value)}>"

    def _index(self, of: Value, key: Value) -> Value:
        if isinstance(of, Ref) and of.name in ENVIRONMENT and isinstance(key, Const):
            return self.setting(key.text)
        if isinstance(of, Ref) and _simple(of.name) in PROVIDED and not isinstance(key, Const):
            return key
        if isinstance(of, Get | Input | Ref) and isinstance(key, Const):
            known = self._looked_up([("", key)])
            if known is not None:
                return known
        if isinstance(of, Thing | Cond) and isinstance(key, Const):
            return self.member(of, key.text)
        if isinstance(of, Thing) and self._is_table(of) and not isinstance(key, Const):
            return self._entry_of(of, key, NULL)
        if isinstance(of, Items) and isinstance(key, Const) and key.text.lstrip("-").isdigit():
            return self.part(of, int(key.text))
        is_step = isinstance(key, Apply) and key.of is not None and key.name in ("mapped", "filtered")
        if is_step and isinstance(key, Apply) and key.of is not None and self._show(key.of) == self._show(of):
            return Apply("filtered", of, key.arguments)  # as data frames keep the rows for which something holds
        if (over := indexed_over(key)) is not None and self._show(over) == self._show(of):
            return self.element(of)
        if isinstance(key, Const) and key.kind is Kind.TEXT:
            return self.member(of, key.text)
        if isinstance(of, Thing) and of.known is None:
            of = self._copied(of, ())  # what it has now: the entry is the same when others are put in later
        found = Apply("[]", of, (key,), (), self.element_type(of))
        self._gives((of,), found)
        return found

    @staticmethod
    def _is_table(thing: Thing) -> bool:
        """Return whether an object is a map with known keys that is made in one place, as a table of handlers is."""
        computed = [one for one in thing.fields if one.startswith("<")]
        is_known = all(one.startswith((_OF_CLASS, _OF_CONSTANT)) for one in computed)
        is_plain = thing.known is None and not thing.type and thing.base is None
        return is_plain and is_known and 0 < len(thing.fields) <= _MOST_TURNS

    def _table_of(self, pairs: Value) -> Thing | None:
        """Return a map with the entries of a list of known pairs; None for other values."""
        if not isinstance(pairs, Items) or not 0 < len(pairs.values) <= _MOST_TURNS:
            return None
        listed = [pair_of(one) for one in pairs.values]
        if not all(isinstance(key, Const | Type) or (key is not None and _is_constant(key)) for key, _ in listed):
            return None
        return Thing("", None, {self._key(key): one for key, one in listed if key is not None}, depth=pairs.depth)

    def _by_key(self, of: Items, name: str, functions: Sequence[Value], code: Call, scope: Scope) -> Value | None:
        """Return a map of the elements of a known list by the keys that a function gives them."""
        if not 0 < len(of.values) <= _MOST_TURNS:
            return None
        pairs: list[Value] = []
        for one in of.values:
            key = self.call(functions[0], [("", one)], code, scope)
            value = self.call(functions[1], [("", one)], code, scope) if len(functions) > 1 else one
            pairs.append(key if INDEXES[name] else Items([key, value]))
        return self._table_of(Items(pairs, len(self.guards)))

    def _entry_of(self, table: Thing, key: Value, missing: Value) -> Value:
        """Return the entry of a map with known keys for a key; a class or a constant is known, too."""
        if isinstance(key, Cond):
            ways = self._entry_of(table, key.then, missing), self._entry_of(table, key.otherwise, missing)
            return choose(key.test, *ways)
        if isinstance(key, Type | Const) or _is_constant(key):
            found = table.fields.get(self._key(key), REMOVED)
            return missing if found == REMOVED else self.simplified(found)
        return self._entry(table, key, missing)

    def _entry(self, table: Thing, key: Value, missing: Value) -> Value:
        """Return the entry of a map with known keys that a key which is not known has: that of the key it equals."""
        found = missing
        for name, value in reversed(table.fields.items()):
            if value != REMOVED:
                found = choose(operate("==", (key, Const(Kind.TEXT, name))), value, found)
        return found

    @staticmethod
    def part(value: Value, place: int) -> Value:
        """Return one of several results."""
        if isinstance(value, Items):
            if -len(value.values) <= place < len(value.values):
                return value.values[place]
            return Get(value, str(place))
        if isinstance(value, Cond):
            return choose(value.test, Machine.part(value.then, place), Machine.part(value.otherwise, place))
        return value if place == 0 or value == NULL else Apply(f"#{place}", None, (value,))

    def _choice(
        self, test: Value, then: ir.Expression, otherwise: ir.Expression, scope: Scope, *, discarded: bool = False
    ) -> Value:
        test = self.simplified(test)
        if self.guards and isinstance(test, Apply | Get | Input):
            holds = self._holds(test)
            test = test if holds is None else TRUE if holds else FALSE
        return self._either(
            test,
            lambda: self._way(then, Scope(scope.file, scope), discarded=discarded),
            lambda: self._way(otherwise, Scope(scope.file, scope), discarded=discarded),
        )

    def _way(self, code: ir.Expression, scope: Scope, *, discarded: bool) -> Value:
        """Return the value of one of two ways; *discarded* says that nothing takes it."""
        self._discarded = discarded
        return self.value(code, scope)

    def _either(
        self, test: Value, then: Callable[[], Value], otherwise: Callable[[], Value], *, breaks: bool = False
    ) -> Value:
        """Evaluate one of two ways under a test; *breaks* says that `break` only leaves the way."""
        is_python = bool(self._frames) and self._frames[-1].file.endswith(".py")
        test = truth(test, has_elements=is_python)
        if test == TRUE:
            return then()
        if test in (FALSE, NULL):
            return otherwise()
        start = len(self.guards)
        values, endings = [], []
        nested: list[tuple[Leave, tuple[Value, ...]]] = []
        for guard, way in ((test, then), (negate(test), otherwise)):
            self.guards.append(guard)
            count = len(self._exits)
            values.append(way())
            endings.append(None if breaks and self._left is Leave.BREAK else self._left)
            if endings[-1] is None:  # it goes on where nothing further inside ended it
                nested += self._exits[count:]
            self._left = None
            del self.guards[start:]
        if None not in endings:
            self._left = endings[0]
            return NULL
        if endings != [None, None]:
            is_first = endings[0] is not None
            rest, ending = (negate(test), endings[0]) if is_first else (test, endings[1])
            # A check whether a call failed does not decide which records are sent, nor does one of no value of theirs.
            if not is_failure(test if is_first else negate(test)) and not is_fixed(test):
                if ending is not None:
                    self._exits.append((ending, (*self.guards, negate(rest))))
                held = Apply("until", None, (negate(rest),)) if ending is Leave.BREAK else rest
                self.guards.append(held)
                if Leave.THROW in endings and self._frames:
                    self._frames[-1].thrown.append(rest)
            self._unless(nested, start)
            return values[1] if is_first else values[0]
        self._unless(nested, start)
        return choose(test, values[0], values[1])

    def _unless(self, exits: Sequence[tuple[Leave, tuple[Value, ...]]], start: int) -> None:
        """Note that what follows runs only if none of the ends of the function, or of the turn, was reached."""
        self.guards += [self._unreached(tests[start:]) for _, tests in exits if len(tests) > start]

    def _unreached(self, tests: tuple[Value, ...]) -> Value:
        """Return the condition of what follows something that ends a function under others, in a loop or not."""
        turn = tests[0]
        if not any(map(is_turn, tests)):
            return negate(self._all(tests))
        if isinstance(turn, Apply) and turn.name == "for" and not any(map(is_turn, tests[1:])):
            return negate(Apply("exists", None, (turn.arguments[0], self._all(tests[1:]) if tests[1:] else TRUE)))
        return Apply("unless", None, tests)

    def _match(self, code: ir.Match, scope: Scope) -> Value:
        of = self.value(code.of, scope) if code.of is not None else None
        cases = list(code.cases)
        default = next((one for one in cases if not one.values), None)
        ordered = [one for one in cases if one.values] + ([default] if default is not None else [])
        return self._cases(of, ordered, scope)

    def _cases(self, of: Value | None, cases: list[ir.Case], scope: Scope) -> Value:
        if not cases:
            return NULL
        case = cases[0]
        inner = Scope(scope.file, scope)
        if not case.values:
            return self.value(case.body, inner)
        tests: list[Value] = []
        for one in case.values:
            if of is None:
                tests.append(self.value(one, inner))
            elif isinstance(one, Literal | Member):
                tests.append(operate("==", (of, self.value(one, inner))))
            else:
                tests.append(self._pattern(of, one, inner))
        if len(cases) == 1 and of is not None and case.guard is None and scope.file.language in EXHAUSTIVE:
            return self.value(case.body, inner)  # the values that are left fit the last case
        test = tests[0]
        for other in tests[1:]:
            test = operate("||", (test, other))
        if case.guard is not None:
            test = operate("&&", (test, self.value(case.guard, inner)))
        return self._either(
            test, lambda: self.value(case.body, inner), lambda: self._cases(of, cases[1:], scope), breaks=True
        )

    def _pattern(self, of: Value, pattern: ir.Expression, scope: Scope) -> Value:
        """Bind the names of a pattern to parts of a value; return the test of the pattern."""
        match pattern:
            case Name(name="_"):
                return TRUE
            case Name(name=name) if name[:1].islower():
                self._bind(scope, name, of)
                return TRUE
            case Name(name=name):
                constant = self._name(name, scope)  # a pattern that names a constant compares with it
                return operate("==", (of, constant)) if isinstance(constant, Const) else self._is_of(of, name)
            case ir.Declare(target=target, type=kind, value=None):
                if isinstance(target, Name):
                    self._bind(scope, target.name, self._as_type(of, kind, scope))
                else:
                    self._take_apart(target, self._as_type(of, kind, scope), scope)
                return self._is_of(of, kind) if kind else TRUE
            case Call(function=function, arguments=arguments):
                kind = function.name if isinstance(function, Name | Member) else "?"
                if kind in PRESENT and len(arguments) == 1:
                    inner = without_missing(of) or of
                    return operate("&&", (is_present(of), self._pattern(inner, arguments[0].value, scope)))
                if kind in ABSENT and len(arguments) == 1:
                    self._pattern(Opaque("failure"), arguments[0].value, scope)
                    return negate(is_present(of))
                fields = self._fields_of(of, kind, scope)
                for place, one in enumerate(arguments):
                    name = fields[place] if place < len(fields) else str(place)
                    self._pattern(self.member(of, name), one.value, scope)
                return self._is_of(of, kind)
            case ir.Sequence(items=items):
                names = self._members_by_place(of) if scope.file.language in IMPLICIT else []
                tests = [
                    self._pattern(
                        self.member(of, names[place]) if place < len(names) else self.part(of, place), each, scope
                    )
                    for place, each in enumerate(items)
                ]
                return reduce(lambda one, other: operate("&&", (one, other)), tests) if tests else TRUE
            case ir.Pattern():
                return self._compared(of, pattern, scope)
            case ir.Unknown(parts=parts) | Block(statements=parts):
                for part in parts:
                    if isinstance(part, ir.Declare):
                        self._pattern(of, part, scope)  # type: ignore[arg-type]
        return operate("==", (of, self.value(pattern, scope)))

    def _compared(self, of: Value, pattern: ir.Pattern, scope: Scope) -> Value:
        """Bind the names of a pattern of several parts; return its test."""
        parts = pattern.parts
        match pattern.operator:
            case "and" | "or" | "not":
                tests = [self._pattern(of, one.value, scope) for one in parts]
                if pattern.operator == "not":
                    return negate(tests[0])
                sign = "&&" if pattern.operator == "and" else "||"
                return reduce(lambda one, other: operate(sign, (one, other)), tests)
            case "members":
                test = is_present(of)
                for one in parts:
                    inner = of
                    for name in one.name.split("."):
                        inner = self.member(inner, name)
                    test = operate("&&", (test, self._pattern(inner, one.value, scope)))
                return test
        return operate(pattern.operator, (of, self.value(parts[0].value, scope)))

    def _is_of(self, of: Value, kind: str) -> Value:
        """Return whether a value is of a class, as far as that is known."""
        name = base_type(kind).rpartition(".")[2]
        if name in PRESENT | ABSENT and name not in self.program.classes:
            return is_present(of) if name in PRESENT else negate(is_present(of))
        if isinstance(of, Thing) and of.known is not None:
            names = {of.known.cls.name, *(one.cls.name for one in self.program.supers(of.known))}
            return TRUE if name in names else FALSE
        if isinstance(of, Cond):
            return choose(of.test, self._is_of(of.then, kind), self._is_of(of.otherwise, kind))
        if is_failed(of):
            return FALSE
        return Apply("is", None, (of, Ref(name)))

    def _as_type(self, of: Value, kind: str, scope: Scope) -> Value:
        """Return a value that is known to be of a class as one of it."""
        if kind and isinstance(of, Input | Get | Apply):
            return replace(of, type=self._typed(kind, scope.file, scope.known))
        return of

    def _fields_of(self, of: Value, kind: str, scope: Scope) -> list[str]:
        known = self.program.class_of(kind, scope.file, scope.known) or self.known_type(of)
        return [one.name for _, one in self.program.fields(known)] if known is not None else []

    def _try(self, code: ir.Try, scope: Scope) -> Value:
        start, thrown = len(self.guards), self._frames[-1].thrown if self._frames else []
        before, count = len(thrown), len(self._exits)
        value = self.value(code.body, Scope(scope.file, scope))
        ended, self._left = self._left, None
        endings: list[Leave | None] = []
        instead: list[Value] = []
        kept, failed = self.guards[start:], thrown[before:]
        returned = [one for one in self._exits[count:] if one[0] is not Leave.THROW]
        for handler in code.handlers:
            del self.guards[start:]
            self.guards.append(Ref("failure"))
            instead.append(self.value(handler, Scope(scope.file, scope)))
            endings.append(self._left)
            self._left = None
        del self.guards[start:]
        if all(one is not None for one in endings):  # what is behind runs if nothing failed
            self.guards += kept
        else:
            self._unless(returned, start)
        if not all(one is Leave.THROW for one in endings):  # who calls this function goes on
            del thrown[before : before + len(failed)]
        if ended is not None and all(one is not None for one in endings):
            self._left = ended
        if code.last is not None:
            left, self._left = self._left, None
            self.value(code.last, Scope(scope.file, scope))
            self._left = self._left or left
        if scope.file.language in VALUED:
            for ending, one in zip(endings, instead, strict=True):
                value = choose(Ref("failure"), one, value) if ending is None else value
        return value

    def _exit(self, code: ir.Exit, scope: Scope) -> Value:
        value = self.value(code.value, scope) if code.value is not None else NULL
        if code.leave is Leave.RETURN:
            self._returns(value)
        if code.leave is Leave.OUTER:
            self._returns_outside(value)
        if code.leave is Leave.BREAK and code.value is not None:
            self._broken.append(value)
        self._left = code.leave
        return NULL

    def _returns_outside(self, value: Value) -> None:
        """Note what the function that a lambda is in returns because of the lambda."""
        frame = next((one for one in reversed(self._frames) if one.function.name), None)
        if frame is not None:
            since = self.guards[frame.guards :]
            frame.returned.append((self._all(since) if since else TRUE, value))

    def _returns(self, value: Value) -> None:
        """Note what the function that is being evaluated returns under the present conditions."""
        if self._frames:
            frame = self._frames[-1]
            since = self.guards[frame.guards :]
            frame.returned.append((self._all(since) if since else TRUE, value))

    def _loop(self, code: ir.Loop, scope: Scope) -> Value:
        inner = Scope(scope.file, scope)
        start = len(self.guards)
        if code.source is not None:
            source = self.value(code.source, scope)
            if isinstance(code.source, Call) and isinstance(source, Apply):
                kept = [one for one in self.fed.get(self._container(code.source), []) if is_function(one)]
                source = Items(kept) if kept else source
            name = self._container(code.source)
            is_given = isinstance(source, Apply | Input | Get) and is_container(self.full_type(source))
            if (isinstance(source, Items) and not source.values and self._frames) or (is_given and name in self.fed):
                listed = self.fed.get(name, [])
                self._take(name)
                source = Apply("one of", None, tuple(listed)) if listed else Opaque(f"contents of {name}")
                self._take_apart(code.target, source, inner)
                self._turn(code.body, inner, start)
                return NULL
            if isinstance(source, Items) and len(source.values) <= _MOST_TURNS:
                for one in source.values:
                    turn, first = Scope(scope.file, scope), len(self.guards)
                    if isinstance(one, Cond) and one.otherwise == NULL:  # it is in the list if that holds
                        self.guards.append(one.test)
                        one = one.then
                    self._take_apart(code.target, one, turn)
                    self._turn(code.body, turn, first)
                return NULL
            is_by_place = scope.file.language == "go" and isinstance(source, Apply) and source.name == "range"
            over = source.arguments[0] if is_by_place and isinstance(source, Apply) and source.arguments else source
            self.guards.append(Apply("for", None, (origin_of(over),)))
            self._take_apart(code.target, self.element(source), inner)
        else:
            test = self.value(code.test, scope) if code.test is not None else TRUE
            if test == FALSE and not self._is_shared(code.test, scope):
                return NULL
            if test not in (TRUE, FALSE):  # a variable that is false by now was set by what ends the loop
                self.guards.append(Apply("while", None, (test,)))
        varied = self._vary(code.body, scope)
        broken, self._broken = self._broken, []
        self._turn(code.body, inner, start)
        values, self._broken = self._broken, broken
        for owner, name, before in varied if code.source is not None else ():
            folded = _next_of(owner.variables[name], before)
            if folded is not None and folded != _SO_FAR:
                owner.variables[name] = Apply("folded", None, (folded, *before.arguments))
        return values[0] if len(values) == 1 else Apply("one of", None, tuple(values)) if values else NULL

    @staticmethod
    def _is_shared(code: ir.Expression | None, scope: Scope) -> bool:
        """Return whether others see a variable: one of a file or an object."""
        return isinstance(code, Member) or (isinstance(code, Name) and scope.find(code.name) is None)

    def _vary(self, body: Block, scope: Scope) -> list[tuple[Scope, str, Apply]]:
        """Make numbers and truths that a loop changes unknown: they only have their first value in its first turn.

        Return the variables, each with its scope and what it is now.
        """
        varied: list[tuple[Scope, str, Apply]] = []
        for one in walk(body):
            targets: tuple[ir.Expression, ...] = (one.target,) if isinstance(one, ir.Assign) else ()
            for target in targets[0].items if targets and isinstance(targets[0], ir.Sequence) else targets:
                found = scope.find(target.name) if isinstance(target, Name) else None
                value = found.variables[target.name] if found is not None and isinstance(target, Name) else None
                if found is not None and isinstance(value, Const) and value.kind in (Kind.NUMBER, Kind.TRUTH):
                    assert isinstance(target, Name)
                    turn = Apply("turn", None, (value,))
                    found.variables[target.name] = turn
                    varied.append((found, target.name, turn))
        return varied

    def _turn(self, body: Block, scope: Scope, start: int) -> None:
        """Evaluate the body of a loop once; what follows the loop runs only if no turn of it ended the function."""
        before, self._exits, self._discarded = self._exits, [], True
        self.value(body, scope)
        if self._left in (Leave.RETURN, Leave.THROW):
            self._exits.append((self._left, tuple(self.guards)))
        self._left = None
        ends = [one for one in self._exits if one[0] in (Leave.RETURN, Leave.THROW)]
        del self.guards[start:]
        self._exits = before + ends
        for leave, tests in ends:
            if len(tests) <= start:
                continue  # nothing says under which condition it is reached
            held = self._unreached(tests[start:])
            self.guards.append(held)
            if leave is Leave.THROW and self._frames:
                self._frames[-1].thrown.append(held)

    def element(self, value: Value) -> Value:
        """Return what an element of a value is."""
        if exchange := exchange_of(value):
            self._take(exchange)
            listed = self.fed.get(exchange, ())
            holds = value.arguments if isinstance(value, Apply) else ()
            if not listed and any(isinstance(one, Thing | Input | Get) for one in holds):
                return Apply("each", None, holds)  # its initial elements
            if listed or is_made(value) or (isinstance(value, Apply) and value.name.startswith("chan")):
                return taken(listed, exchange)
            self.empty.add(exchange)
        match value:
            case Cond(test=test, then=then, otherwise=otherwise):
                return choose(test, self.element(then), self.element(otherwise))
            case Apply(name="range", of=None, arguments=(Thing() as channel,)) if exchange_of(channel):
                return self.element(channel)
            case Apply(name="grouped", of=of) if of is not None:
                return value if value.via == "element" else replace(value, via="element")
            case Apply(name=name, of=None, arguments=(Thing(known=known) as inner,)) if (
                known is not None and name in SAME
            ):
                return self.element(inner)
            case Apply(name=name, of=None, arguments=(inner,)) if plain_name(name).rpartition(".")[2] in STREAMS:
                found = self.element(inner)
                if isinstance(inner, Items) and isinstance(found, Thing) and found.known is not None:
                    # An object in the code stands for others of its class: its members decide nothing.
                    kind = self._typed(found.known.cls.name, found.known.file, found.known)
                    return Apply("each", None, (inner,), (), kind)
                return found
            case Thing(known=known) if known is not None:
                for name in NEXTS:
                    method = self.program.method(known, name, 0)
                    if method is not None and method.function.body is not None:
                        result = self._invoke(method.function, Scope(method.file, None, value, method.known), [])
                        return result if NEXTS[name] or result is value else self.element(result)
                return value  # what is taken one by one from where others put it
            case Items(values=values) if len(values) == 1:
                return values[0]
            case Items(values=values) if values:
                return Apply("each", None, tuple(values))
            case Apply(name="mapped", arguments=arguments, via=via):
                first = arguments[0]
                is_yielded = isinstance(first, Items) and first.yielded
                is_list = isinstance(first, Apply) and first.name in ("mapped", "filtered")
                is_many = is_yielded or (via in FLATTENS and (is_list or self.elements(first) is not None))
                return self.element(first) if is_many else first
            case Apply(name=name, of=of, arguments=arguments) if of is not None and arguments and is_source(name):
                return Apply("each", None, (value,), (), self.element_type(value))
            case Apply(name="filtered" | "keyed" | "joined", of=of) if of is not None:
                return self.element(of)
            case Apply(of=of, arguments=arguments, type="") if of is not None and not arguments:
                return self.element(of)
            case Apply(of=of, arguments=arguments, type="") if of is not None:
                inside = self.element(of)
                if isinstance(inside, Thing | Items) or all(isinstance(one, Const | Ref) for one in arguments):
                    return inside if not self.is_scalar(of) else Apply("each", None, (value,))  # of a range
        return Apply("each", None, (value,), (), self.element_type(value))

    # --- statements

    def _block(
        self, statements: Sequence[ir.Expression | ir.Statement], scope: Scope, *, discarded: bool = False
    ) -> Value:
        value: Value = NULL
        start = len(self.guards)
        for one in statements:
            if isinstance(one, Function):
                self._bind(scope, one.name, Closure(one, scope))
        for at, one in enumerate(statements):
            self._discarded = discarded or at + 1 < len(statements)
            value = self.value(one, scope)
            self._discarded = False
            self._go_on(start)
            if self._left is not None:
                return value
        return value

    def _go_on(self, start: int) -> None:
        """Note that what follows a statement runs only if no lambda in it ended the function."""
        if self._ended and self._frames and self._frames[-1].function.name:
            for tests in self._ended:
                self._exits.append((Leave.RETURN, tests))
                if len(tests) > start:
                    self.guards.append(self._unreached(tests[start:]))
            self._ended = []

    def _made_before(self, target: ir.Expression | None, scope: Scope) -> Value | None:
        """Return the object that a variable of a file has, if something needed it before: there is one of it."""
        is_file = bool(self._frames) and not self._frames[-1].function.name and scope.parent is None
        if not is_file or scope.known is not None or not isinstance(target, Name):
            return None
        known = self._globals.get((scope.file.path, target.name))
        return known if isinstance(known, Thing) else None

    def _declare(self, code: ir.Declare, scope: Scope) -> None:
        if (made := self._made_before(code.target, scope)) is not None:
            self._take_apart(code.target, made, scope)
            return
        value = self.value(code.value, scope) if code.value is not None else None
        if value is None and isinstance(code.target, Name):
            scope.types[code.target.name] = code.type
        value = self._zero(code.type, scope) if value is None else self.converted(value, code.type, scope)
        if isinstance(value, Apply) and not value.arguments and isinstance(code.target, Name) and self._frames:
            function = self._frames[-1].function
            if id(function) not in self._maps_of:
                self._maps_of[id(function)] = _filled_in(function)
            if code.target.name in self._maps_of[id(function)]:
                value = Thing(depth=len(self.guards), base=value)
        self._take_apart(code.target, value, scope)

    def _zero(self, kind: str, scope: Scope) -> Value:
        """Return what a variable without a value is: of a struct in Go, an empty one."""
        if scope.file.language != "go" or not kind:
            return NULL
        known = self.program.class_of(kind, scope.file, scope.known)
        if known is not None:
            return Thing(known.cls.name, known, depth=len(self.guards))
        if kind.lower() in SCALARS:
            is_number = kind not in ("string", "bool")
            return Const(Kind.NUMBER, "0") if is_number else FALSE if kind == "bool" else Const(Kind.TEXT, "")
        if kind.startswith("map["):
            return Thing(depth=len(self.guards))
        if kind in _BUILDERS:
            return Thing(kind, depth=len(self.guards))
        # A type without a package that nothing declares is a parameter: what it stands for may have members.
        is_parameter = kind.isidentifier() and kind.lower() not in SCALARS
        return Thing(depth=len(self.guards)) if is_parameter and not self.program.is_alias(kind) else NULL

    def _take_apart(self, target: ir.Expression | None, value: Value, scope: Scope) -> None:
        match target:
            case Name(name=name):
                self._bind(scope, name, value)
            case ir.Sequence(items=items):
                names = self._members_by_place(value) if scope.file.language in IMPLICIT else []
                for place, one in enumerate(items):
                    part = self.member(value, names[place]) if place < len(names) else self.part(value, place)
                    self._take_apart(one, part, scope)
            case ir.Record(entries=entries):
                taken = [key.text for key, _ in entries if isinstance(key, Literal)]
                for key, one in entries:
                    if isinstance(key, Literal):
                        self._take_apart(one, self.member(value, key.text), scope)
                    else:
                        rest = Thing("", None, dict.fromkeys(taken, REMOVED), base=value, depth=len(self.guards))
                        self._take_apart(one, rest if taken else value, scope)
            case Call(arguments=arguments):
                for place, given in enumerate(arguments):
                    self._take_apart(given.value, Get(value, str(place)), scope)
            case ir.Assign(target=inner, value=default):  # a part that may be missing
                self._take_apart(inner, operate("??", (value, self.value(default, scope))), scope)
            case Member() | ir.Index():
                self._store(target, value, scope)

    def _members_by_place(self, value: Value) -> list[str]:
        """Return the members of a record that a value is taken apart into by place; none for other values."""
        known = self.known_type(value) if not isinstance(value, Items) else None
        return [one.name for _, one in self.program.fields(known)] if known is not None else []

    def _bind(self, scope: Scope, name: str, value: Value) -> None:
        scope.variables[name] = value
        scope.depths[name] = len(self.guards)

    def _assign(self, code: ir.Assign, scope: Scope) -> Value:
        made = self._made_before(code.target, scope) if not code.operator else None
        if (longer := self._appended(code, scope)) is not None:
            return longer
        value = self.value(code.value, scope) if made is None else made
        if code.operator and (done := self._set_by_operator(code, value, scope)) is not None:
            return done
        if code.operator:
            if code.operator in ("??", "||"):
                value = operate("??", (self.value(code.target, scope), value))
            else:
                value = operate(code.operator, (self.value(code.target, scope), value))
        self._store(code.target, value, scope)
        return value

    def _set_by_operator(self, code: ir.Assign, value: Value, scope: Scope) -> Value | None:
        """Call the method that the class of an object has for an operator such as `+=`; None without one."""
        of = self.value(code.target, scope)
        known = of.known if isinstance(of, Thing) else self.known_type(of)
        for name in ASSIGNS.get(code.operator, ()) if known is not None else ():
            method = self.program.method(known, name, 1) if known is not None else None
            if method is not None and method.function.body is not None:
                return self.call_method(of, name, [("", value)], Call(Name(name)), scope)
        return None

    def _appended(self, code: ir.Assign, scope: Scope) -> Items | None:
        """Put further elements in a list of Go that is set to itself with these; return None for other code."""
        call = code.value
        if not isinstance(call, Call) or call.function != Name("append"):
            return None
        if call.arguments[:1] != (Argument(code.target),):
            return None
        of, rest = self.value(code.target, scope), [one.value for one in call.arguments[1:]]
        if not isinstance(of, Items) or any(isinstance(one, ir.Operation) and one.operator == "..." for one in rest):
            return None
        for one in rest:
            self._change_items(of, "add", [("", self.value(one, scope))])
        return of

    def _store(self, target: ir.Expression, value: Value, scope: Scope) -> None:
        match target:
            case Name(name=name):
                self._store_name(name, value, scope)
            case Member(of=of, name=name):
                self.set_member(self.value(of, scope), name, value)
            case ir.Index(of=of, key=key):
                holder, at = self.value(of, scope), self.value(key, scope)
                if isinstance(holder, Items):
                    self._put_at(holder, at, value)
                else:
                    if isinstance(holder, Get):
                        self._touch(holder, "set", [], [at, value])
                    self.set_member(holder, self._key(at), value)
            case ir.Sequence() | ir.Record():
                parts = target.items if isinstance(target, ir.Sequence) else ()
                for place, one in enumerate(parts):
                    self._store(one, self.part(value, place), scope)
            case ir.Operation(operands=operands) if len(operands) == 1:
                self._store(operands[0], value, scope)

    def _put_at(self, of: Items, place: Value, value: Value) -> None:
        """Set an element of a list; one that a loop goes to is a further one of all that it sets."""
        at = int(place.text) if isinstance(place, Const) and place.text.isdecimal() else len(of.values)
        if at < len(of.values):
            of.values[at] = self._under(value, of.values[at], of.depth)
        else:
            self._change_items(of, "add", [("", value)])

    def _store_name(self, name: str, value: Value, scope: Scope) -> None:
        found = scope.find(name)
        if found is not None:
            old = found.variables[name]
            found.variables[name] = self._under(value, old, found.depths.get(name, 0))
            return
        if scope.file.language in IMPLICIT:
            for receiver, known in self._receivers(scope):
                if receiver is None:
                    continue
                if known is not None and self.program.field(known, name) is not None:
                    self.set_member(receiver, name, value)
                    return
                if known is None and isinstance(receiver, Thing):
                    self.set_member(receiver, name, value)
                    return
        if scope.file.language == "python" and not self._is_global(name):
            own, inner = self._frames[-1].scope if self._frames else scope, scope
            while inner is not own and inner.parent is not None:
                inner = inner.parent
            self._bind(own if inner is own else scope, name, value)  # a block has no variables of its own
            own.depths[name] = self._frames[-1].guards if self._frames else 0
            return
        depth = self._frames[-1].guards if self._frames else len(self.guards)
        old = self._globals.get((scope.file.path, name)) or NULL
        self._globals[scope.file.path, name] = self._under(value, old, depth)
        self._named = {key: one for key, one in self._named.items() if key[0] != name}

    def _is_global(self, name: str) -> bool:
        """Return whether the function that is evaluated says that a variable is one of its file."""
        body = self._frames[-1].function.body if self._frames else None
        declared = (one.parts for one in walk(body) if isinstance(one, ir.Unknown) and one.what == "global")
        return any(Name(name) in parts for parts in declared)

    # --- calls

    def _arguments(self, arguments: Sequence[Argument], scope: Scope) -> list[Given]:
        given: list[Given] = []
        for one in arguments:
            value = one.value
            if isinstance(value, ir.Operation) and value.operator in ("...", "*", "**") and len(value.operands) == 1:
                spread = self.value(value.operands[0], scope)
                if isinstance(spread, Items):
                    given += [("", each) for each in spread.values]
                elif isinstance(spread, Thing) and spread.base is None and value.operator == "**":
                    given += list(spread.fields.items())
                else:
                    given.append(("*", spread))
            else:
                given.append((one.name, self.value(value, scope)))
        return given

    def _call(self, code: Call, scope: Scope, *, discarded: bool) -> Value:
        bare = self._without_types(code.function)
        if bare is not code.function:
            kinds = parameters_of(code.function.name) if isinstance(code.function, Name | Member) else ()
            meant = [self._meant(one) for one in kinds or _types_of_go(code.function)]
            value = self._called(replace(code, function=bare), scope, meant, discarded=discarded)
            return self.declared(value, meant[-1], scope.file, scope.known) if meant else value
        return self._called(code, scope, discarded=discarded)

    def _called(self, code: Call, scope: Scope, kinds: Sequence[str] = (), *, discarded: bool) -> Value:
        """Return what a call returns; *kinds* are the types that it has in brackets."""
        function = code.function
        following, self._next_call = self._next_call, ""
        if isinstance(function, Name) and function.name == "new enum":
            given = self._arguments(code.arguments, scope)
            kind = scope.known.cls.name if scope.known is not None else ""
            names = tuple(name for name, _ in given) if any(name for name, _ in given) else ()
            return Apply(
                "enum", None, tuple(one for _, one in given), names, self._typed(kind, scope.file, scope.known)
            )
        if isinstance(function, Name) and scope.find(function.name) is None:
            given = self._arguments(code.arguments, scope)
            is_next = function.name.startswith(" ") or scope.file.language == "kotlin"
            found = self._own_method(function.name, len(given), scope)
            is_next = is_next and function.name.strip() in EMITS and function.name not in self.program.functions
            if is_next and given and found is None:
                return self._yield(function.name, given[0][1])
            self._kinds_given = kinds, function.name
            if found is not None:
                return self.call_method(*found, given, code, scope, discarded=discarded)
            value = self._name(function.name, scope)
            is_object = function.name[:1].isupper() and scope.file.language in ("scala", "kotlin")  # what makes one
            if value == Ref(function.name) and scope.file.language in IMPLICIT:
                own = ((one, known) for one, known in self._receivers(scope) if one is not None and known is not None)
                generated = (self._generated(one, function.name, given) for one, _ in own)
                made = next((one for one in generated if one is not None), None)
                if made is not None:  # as the `copy` of a data class of Kotlin
                    return made
            if value == Ref(function.name) and scope.file.language in IMPLICIT and not is_object:
                listed = (one for one, _ in self._receivers(scope) if one is not None)
                receiver = next(
                    (
                        one
                        for one in listed
                        if self.full_type(one)
                        or (isinstance(one, Apply) and is_made(one))
                        or (function.name in CHANGES | PUTS and _is_collection(one))
                    ),
                    None,
                )
                if receiver is not None:
                    return self.call_method(receiver, function.name, given, code, scope, discarded=discarded)
                if (
                    discarded
                    and self._calls_of_lambda
                    and scope.file.language == "kotlin"
                    and not watches(function.name)
                ):
                    shown = ", ".join(self._show(one) for _, one in given)
                    tests = "".join(f" if {self._show(one)}" for one in self.guards if not is_turn(one))
                    self._calls_of_lambda[-1].append(_brief(f"{function.name}({shown}){tests}"))
            return self.call(value, given, code, scope, discarded=discarded)
        if isinstance(function, Member):
            is_above = isinstance(function.of, Name) and function.of.name == "super"
            if function.name in CLASSES and not code.arguments and not is_above:
                of_object = self.value(function.of, scope)
                if self._is_class_of(of_object, function.name):
                    return self._class_of(of_object)
                return self.call_method(of_object, function.name, [], code, scope, discarded=discarded)
            if is_above:
                return self._call_super(function.name, self._arguments(code.arguments, scope), scope)
            self._next_call = function.name if isinstance(function.of, Call) else ""
            of, self._next_call = self.value(function.of, scope), ""
            if function.name in TAKEN_FROM and isinstance(of, Input | Get | Apply):
                given = self._arguments(code.arguments, scope)
                self._alter(of, function.name, given, [one for _, one in given], scope)
            takes = function.name in TAKES or (function.name == "get" and not code.arguments)
            if takes and (contents := self._contents(function.of, of, code)) is not None:
                return contents
            if isinstance(of, Ref) and of.name == "super":
                return self._call_super(function.name, self._arguments(code.arguments, scope), scope)
            is_scala = scope.file.language == "scala" and len(code.arguments) > 1
            given = self._given_effects(of, code, scope) if is_scala else self._arguments(code.arguments, scope)
            is_state = function.name in STATES and scope.file.language in IMPLICIT
            if is_state and STATES[function.name] and (kept := self.fed.get(self._container(function.of))):
                return kept[0] if len(kept) == 1 else Apply("each", None, tuple(kept))
            if (scope.file.path, code.line, plain_name(function.name)) in self.triggers_at:
                self.note_trigger(self._made(of, function.name, given, code, scope))
            if exchange := self._exchange(of, function.name, given):
                self._feed(exchange[0], exchange[1], (scope.file.path, code.line))
                discarded = False  # it is for those that take it, and changes nothing else
            if (function.name in ADDS or is_state) and given:
                self._feed(self._container(function.of), given[-1][1], (scope.file.path, code.line))
            self._next_call, self._kinds_given = following, (kinds, function.name)
            return self.call_method(of, function.name, given, code, scope, discarded=discarded)
        value = self.value(function, scope)
        return self.call(value, self._arguments(code.arguments, scope), code, scope, discarded=discarded)

    def _given_effects(self, of: Value, code: Call, scope: Scope) -> list[Given]:
        """Return what a library's function is given; what it does of that, it does if its first value says so.

        That is so in Scala, which has arguments that are evaluated when they are needed.
        """
        given = self._arguments(code.arguments[:1], scope)
        is_test_ = bool(given) and (is_test(given[0][1]) or isinstance(given[0][1], Get | Input))
        start = len(self.guards)
        if is_test_ and isinstance(of, Ref) and isinstance(code.function, Member):
            self.guards.append(Apply(f"{of.name}.{code.function.name}", None, (given[0][1],)))
        given += self._arguments(code.arguments[1:], scope)
        del self.guards[start:]
        return given

    def _without_types(self, function: ir.Expression) -> ir.Expression:
        """Return what a call is of without types in brackets, if it is a function or class of the program."""
        if isinstance(function, Name | Member) and function.name.endswith(">"):
            bare = function.name.partition("<")[0]
            program = self.program
            if bare in program.methods or bare in program.functions or bare in program.classes:
                return Name(bare) if isinstance(function, Name) else Member(function.of, bare)
        generic = function.of if isinstance(function, ir.Index) else None
        if isinstance(generic, Name | Member) and generic.name in self.program.functions:  # as Go writes types
            return generic
        return function

    def _yield(self, name: str, value: Value) -> Value:
        """Note what a sequence has next: that of the function, or of the one that a builder was given."""
        value = self.element(value) if name.endswith("All") else value
        for frame in reversed(self._frames):
            since = [one for one in self.guards[frame.guards :] if not is_turn(one)]
            frame.yielded.append(Cond(self._all(since), value, NULL) if since else value)
            if frame.function.name:
                break
        return NULL

    def _feed(self, name: str, value: Value, site: tuple[str, int]) -> None:
        """Note what is put in a queue or channel; what is seen from further outside replaces what it is part of."""
        if value in (Opaque(f"contents of {name}"), taken(self.fed.get(name, ()), name)):
            return  # what was taken from there is put back
        way, text = (site, *self.sites), self._show(value)
        tests = [one for one in self.guards if not is_turn(one) and not (isinstance(one, Apply) and one.name == _PUT)]
        puts = self._put_under.setdefault(name, _Puts())
        if way not in puts.longer:
            puts.add(way, text, self._all(tests) if tests else TRUE)
        listed, ways = self.fed.setdefault(name, []), self._ways.setdefault(name, [])
        for at in reversed(range(len(ways))):
            earlier, was = ways[at]
            if way[: len(earlier)] == earlier and len(earlier) < len(way):
                del listed[at], ways[at]
            elif earlier[: len(way)] == way and (len(earlier) > len(way) or was == text):
                return
        if len(listed) < _MOST_TURNS and all(text != was for _, was in ways):
            listed.append(value)
            ways.append((way, text))

    def _under_which(self, name: str) -> list[Value]:
        """Return the condition under which something is put in a container or given to a bus, if there is one."""
        puts = self._put_under.get(name) if name else None
        tests = {self._show(test): test for test in puts.tests.values()} if puts else {}
        if not tests or TRUE in tests.values():
            return []
        return [Apply(_PUT, None, (reduce(lambda one, other: operate("||", (one, other)), tests.values()),))]

    def _take(self, name: str) -> None:
        """Note that what follows is done with what was put in a container: under the conditions of that, too."""
        for test in self._under_which(name):
            if all(self._shown(one) != self._shown(test) for one in self.guards):
                self.guards.append(test)
            if self._frames:  # whoever called this function goes on with it
                self._frames[-1].thrown.append(test)

    def _exchange(self, of: Value, name: str, given: list[Given]) -> tuple[str, Value] | None:
        """Return the container or the handlers that a call puts a value in, and the value; None for other calls."""
        if (bus := topic_of(of, given)) and not isinstance(given[1][1], Closure | Method):
            return bus, given[1][1]
        if name in JOINED_TO:
            return None
        root = of
        while name in ADDS and isinstance(root, Apply) and root.of is not None:
            root = root.of  # what a stream that was started takes in at its beginning
        value = put(given) if (known := exchange_of(root)) and not self.is_watcher(of, name) else None
        return (known, value) if value is not None else None

    def _container(self, code: ir.Expression) -> str:
        """Return the name of a queue or channel; both ends of a channel have the same."""
        name = container_name(code)
        return self.program.ends.get(name, name)

    def _contents(self, code: ir.Expression, of: Value, call: Call) -> Value | None:
        """Return what others put in a queue or channel that something is taken from; None for other objects."""
        known = self.known_type(of)
        if known is not None and isinstance(call.function, Member) and self.program.method(known, call.function.name):
            return None
        listed = self.fed.get(self._container(code), [])
        if self.is_single(of) and not listed and not call.arguments:
            return of  # what an optional value has
        if listed:
            self._take(self._container(code))
            return listed[0] if len(listed) == 1 else Apply("each", None, tuple(listed))
        if reads(self.full_type(of)):
            return None
        is_plain = isinstance(call.function, Member) and call.function.name == "get"
        if is_plain or (call.arguments and not isinstance(of, Items)):
            return None
        is_object = isinstance(of, Items | Thing | Get | Input) or (isinstance(of, Ref) and "." not in of.name)
        return Opaque("taken", (of,)) if is_object else None

    def _own_method(self, name: str, count: int, scope: Scope) -> tuple[Value, str] | None:
        """Return the object and name of a method that is called without an object; None if the class has none."""
        if scope.file.language not in IMPLICIT:
            return None
        for receiver, owner in self._receivers(scope):
            known = owner
            while known is not None:
                if self.program.method(known, name, count) is not None:
                    return (receiver if receiver is not None else Type(known)), name
                known = known.outer
            is_free = owner is None and isinstance(receiver, Thing) and name not in self.program.functions
            if is_free and receiver is not None and name.startswith("set"):
                return receiver, name
        return None

    def _call_super(self, name: str, given: list[Given], scope: Scope) -> Value:
        enclosing: Scope | None = scope
        while enclosing is not None and enclosing.known is None:
            enclosing = enclosing.parent
        this = self._this(scope)
        if enclosing is None or enclosing.known is None:
            return NULL
        for above in self.program.supers(enclosing.known):
            found = self._constructor(above) if name in CONSTRUCTORS else self.program.method(above, name, len(given))
            if found is not None and found.function.body is not None:
                return self._invoke(found.function, Scope(found.file, None, this, found.known), given)
            if name in CONSTRUCTORS and isinstance(this, Thing):
                self._fill(this, above, given)
                self._block((*above.cls.statements, ir.Block(())), Scope(above.file, None, this, above))
                return NULL
        if isinstance(this, Thing) and name in CONSTRUCTORS:
            this.arguments = tuple(value for _, value in given)
            for key, value in given:
                if key:
                    this.fields.setdefault(key, value)
        return NULL

    def call_own(self, place: Place, this: Value) -> Value:
        """Return what a method of an object returns that is given nothing."""
        saved, self.guards, left, self._left = self.guards, [], self._left, None
        result = self._invoke(place.function, Scope(place.file, None, this, place.known), [])
        self.guards, self._left = saved, left
        return result

    def call(self, value: Value, given: list[Given], code: Call, scope: Scope, *, discarded: bool = False) -> Value:
        """Return what a call of a value returns."""
        self._site, self._at = (scope.file.path, code.line), _at(code, scope)
        match value:
            case Const() if value == NULL:
                return NULL
            case Closure():
                function = value.function
                if scope.file.language == "kotlin" and not function.name.isidentifier():
                    function, given = self._with_receiver(function, given, scope)
                return self._invoke(function, Scope(value.scope.file, value.scope, value.this, None), given)
            case Type(known=known):
                applied = self.program.method(known, "apply", len(given)) if known.cls.single else None
                if applied is not None:  # as Scala calls an object
                    return self._call_static(value, "apply", given, code, scope, discarded=discarded)
                return self._construct(known, given, (), code.line)
            case Method(of=of, name=name):
                return self.call_method(of, name, given, code, scope, discarded=discarded)
            case Cond(test=test, then=then, otherwise=otherwise):
                return self._either(
                    test,
                    lambda: self.call(then, given, code, scope, discarded=discarded),
                    lambda: self.call(otherwise, given, code, scope, discarded=discarded),
                )
            case Apply(name="each" | "one of", of=None, arguments=ways) if all(map(is_function, ways)) and ways:
                results = tuple(self.call(one, given, code, scope, discarded=discarded) for one in ways)
                return results[0] if len(results) == 1 else Apply("one of", None, results)
            case Ref(name=name):
                if name == "require" and len(given) == 1 and isinstance(given[0][1], Const):
                    return Ref(self._module(given[0][1].text, scope.file))
                exported = self._of_ref(name, "default") if name.startswith(".") else None
                if exported is not None:
                    return self.call(exported, given, code, scope, discarded=discarded)
                return self._library_call(None, name, given, code, scope, discarded=discarded)
            case Thing(known=known) if known is not None:
                for name in _CALLED:
                    if self.program.method(known, name, len(given)) is not None:
                        return self.call_method(value, name, given, code, scope, discarded=discarded)
                if not given and scope.file.language == "python":
                    return value
            case Input() | Get() | Apply() if (own := self.known_type(value)) is not None:
                name = next((one for one in _CALLED if self.program.method(own, one, len(given)) is not None), "")
                if name:
                    return self.call_method(value, name, given, code, scope, discarded=discarded)
        return self._library_call(value, "()", given, code, scope, discarded=discarded)

    def _with_receiver(self, function: Function, given: list[Given], scope: Scope) -> tuple[Function, list[Given]]:
        """Return a function of Kotlin that extends an object, and what it is given with the object first."""
        listed = function.parameters
        if listed and listed[0].name == "this":
            own = next((one for one, _ in self._receivers(scope) if one is not None), None)
            is_implied = len(given) < len(listed) and own is not None and listed[-1].default is None
            return function, [("", own), *given] if is_implied and own is not None else given
        if len(given) == len(listed) + 1:
            return replace(function, parameters=(ir.Parameter("this"), *listed)), given
        return function, given

    def call_method(
        self, of: Value, name: str, given: list[Given], code: Call, scope: Scope, *, discarded: bool = False
    ) -> Value:
        """Return what a method of a value returns."""
        self._site, self._at = (scope.file.path, code.line), _at(code, scope)
        if name.partition("<")[0] in NOTES:
            noted = self._notes_of([of, *(value for _, value in given)], name, scope)
            if noted is not None:
                return noted
        match of:
            case Const() if of == NULL and name not in FALLBACKS:
                return NULL
            case Cond(size=size) if size > _MOST_WAYS_CALLED:
                self._steps += size
                self.steps += size
                return Opaque(name, (of, *(value for _, value in given)))
            case Cond(test=test, then=then, otherwise=otherwise):
                return self._either(
                    test,
                    lambda: self.call_method(then, name, given, code, scope, discarded=discarded),
                    lambda: self.call_method(otherwise, name, given, code, scope, discarded=discarded),
                )
            case Thing(type=kind) if kind == _CONTEXT and name == "output" and len(given) == 2:
                listed = self._sides.setdefault(self._show(given[0][1]), Items(depth=0))
                return self._change_items(listed, "add", given[1:]) or NULL
            case Thing():
                if name in of.overridden:
                    return self._invoke(of.overridden[name], Scope(scope.file, scope, of, None), given)
                if name in of.fields and isinstance(of.fields[name], Closure | Method | Type | Cond):
                    return self.call(of.fields[name], given, code, scope, discarded=discarded)
                if of.known is not None:
                    found = self.program.method(of.known, name, len(given))
                    if found is not None and found.function.body is not None:
                        return self._invoke(found.function, Scope(found.file, None, of, found.known), given)
                is_extended = of.known is None and self.program.extension(name, _simple(of.type)) is not None
                generated = self._generated(of, name, given) if not is_extended else None
                if generated is not None:
                    return generated
                part = self._promoted(of) if scope.file.language == "go" else None
                if part is not None:
                    return self.call_method(part, name, given, code, scope, discarded=discarded)
                if not given and scope.file.language == "python" and isinstance(of.fields.get(name), Const):
                    return of.fields[name]  # a member that is called is one that a container provides
                if name in REMOVES and given and isinstance(given[0][1], Const) and given[0][1].text in of.fields:
                    old = self._of_thing(of, given[0][1].text)
                    self.set_member(of, given[0][1].text, REMOVED)
                    return old
            case Type():
                return self._call_static(of, name, given, code, scope, discarded=discarded)
            case Ref(name=before) if before.endswith(">") and _simple(before)[:1].isupper():
                # An object of a library that is given types and nothing else, as `Flow[Order]` is in Scala.
                return self._library_call(Apply(before, via=before), name, given, code, scope, discarded=discarded)
            case Ref(name=before):
                found_value = self._of_ref(before, name)
                if found_value is not None:
                    return self.call(found_value, given, code, scope, discarded=discarded)
                is_variable = bool({before, f"{before}.{name}", f"{before}::{name}"} & ENVIRONMENT)
                if is_variable and given and isinstance(given[0][1], Const):
                    default = given[1][1] if len(given) > 1 else None
                    text = default.text if isinstance(default, Const) else None
                    return self.setting(given[0][1].text, text)
                # In Scala, a member may be a method that is called without brackets.
                is_called = scope.file.language == "scala" and "." in before and _simple(before)[:1].islower()
                if is_called and any(is_function(one) for _, one in given):
                    return self._library_call(of, name, given, code, scope, discarded=discarded)
                return self._library_call(None, f"{before}.{name}", given, code, scope, discarded=discarded)
            case Closure() if name in INVOKES:
                return self.call(of, given, code, scope, discarded=discarded)
            case Method() if name in INVOKES:
                return self.call(of, given, code, scope, discarded=discarded)
            case Apply(name="each" | "one of", of=None, arguments=ways) if ways and all(map(is_function, ways)):
                return self.call(of, given, code, scope, discarded=discarded)
            case Items() if name.partition("<")[0] in OF_KIND and all(isinstance(one, Thing) for one in of.values):
                kinds = {base_type(one).rpartition(".")[2] for one in parameters_of(name)}
                kept: list[Value] = []
                kept += [one for one in of.values if isinstance(one, Thing) and _kinds(one, self.program) & kinds]
                return replace(of, values=kept)
            case Items():
                changed = self._change_items(of, name, given)
                if changed is not None:
                    return changed
                if not given and (converted := member_of_items(of, name)) is not None:
                    return converted
            case _:
                known_class = self.known_type(of)
                if known_class is None and isinstance(of, Input) and len(given) == 2:
                    generated = self._generated(of, name, given)
                    if generated is not None:
                        return generated
                if known_class is not None and isinstance(of, Apply):
                    provided = self._provided(of, known_class)
                    if provided is not None:
                        return self.call_method(provided, name, given, code, scope, discarded=discarded)
                if known_class is not None:
                    result = self._call_typed(of, known_class, name, given, code, scope)
                    if result is not None:
                        return result
                elif (
                    scope.file.language in ("python", "javascript", "typescript")
                    and not self.full_type(of)
                    and not _is_of_library(of)
                ):
                    result = self._call_untyped(name, given)
                    if result is not None:
                        return result
        kind = self.full_type(of).replace("::", ".").rpartition(".")[2]
        if not kind and self._may_be_own(name, len(given)):
            self.unfollowed.add(name)
        following, self._next_call = self._next_call, ""
        extension = (
            self.program.extension(name, kind) if kind else self._only_extension(of, name, len(given), following)
        )
        if extension is not None and not any(one is extension.function for one in self.functions):
            this = self.declared(of, extension.function.receiver, extension.file, None)
            return self._invoke(extension.function, Scope(extension.file, None, this, None), given)
        return self._library_call(of, name, given, code, scope, discarded=discarded)

    def _only_extension(self, of: Value, name: str, count: int, following: str) -> Place | None:
        """Return the only function of a name that extends a class, for an object whose class is not known.

        Of several, it is the one whose result has the method that is called next.
        """
        listed = self.program.extending.get(name, []) if self.known_type(of) is None else []
        fitting = [one for one in listed if accepts(one.function, count) and one.function.body is not None]
        if len(fitting) > 1 and following:
            made = [(one, self.program.class_of(one.function.type, one.file, one.known)) for one in fitting]
            following = following.partition("<")[0]
            fitting = [
                one for one, known in made if known is not None and self.program.method(known, following) is not None
            ]
        return fitting[0] if len(fitting) == 1 else None

    def _may_be_own(self, name: str, count: int) -> bool:
        """Return whether a class of the program has a method that a call of an unknown object may mean."""
        listed = self.program.methods.get(name, ())
        return any(accepts(place.function, count) and id(place.function) not in self.visited for place in listed)

    def _call_static(
        self, of: Type, name: str, given: list[Given], code: Call, scope: Scope, *, discarded: bool
    ) -> Value:
        known = of.known
        found = self.program.method(known, name, len(given))
        if found is not None and found.function.body is not None:
            this: Value = of
            is_bound = found.function.static or any(note.name == "classmethod" for note in found.function.notes)
            if given and not is_bound and not known.cls.single and scope.file.language == "python":
                this, given = given[0][1], given[1:]
            return self._invoke(found.function, Scope(found.file, None, this, found.known), given)
        companion = next((one for one in self.program.classes.get("Companion", ()) if one.outer is known), None)
        if companion is not None and self.program.method(companion, name) is not None:
            return self._call_static(Type(companion), name, given, code, scope, discarded=discarded)
        if known.statics.get(name) is not None:
            return self.call(known.statics[name], given, code, scope, discarded=discarded)
        inner = next((one for one in self.program.classes.get(name, ()) if one.outer is known), None)
        if inner is not None:
            return self._construct(inner, given, (), code.line)
        is_builder = name in ("builder", "newBuilder")
        if is_builder or (name in MAKERS and len(given) == len(self.program.fields(known))):
            return self._construct(known, given, (), code.line)
        if given and found is None and _MAKES.match(name):
            return Apply(
                name, None, tuple(value for _, value in given), (), self._typed(known.cls.name, known.file, known)
            )
        if not given and found is None and name in CLASS_NAMES:
            return Const(Kind.TEXT, known.cls.name)
        if not given and found is None and name in CONSTANTS and (listed := self._constants_of(known)) is not None:
            return listed
        field_value = self.program.field(known, name)
        if field_value is not None and field_value[1].static:
            return self.call(self._static(*field_value), given, code, scope, discarded=discarded)
        if known.cls.single and name.partition("<")[0] in MAPS:  # of the only object, as of any other result
            return self._library_call(of, name, given, code, scope, discarded=discarded)
        return self._library_call(None, f"{known.cls.name}.{name}", given, code, scope, discarded=discarded)

    def _call_typed(
        self, of: Value, known: Known, name: str, given: list[Given], code: Call, scope: Scope
    ) -> Value | None:
        """Return what a method of an object returns whose class is known; None if the class has no such method."""
        found = self.program.method(known, name, len(given))
        if found is None:
            return self._generated(of, name, given)
        if not self.program.is_abstract(known) and found.function.body is not None:
            below = [one for one in self.program.subclasses(known) if self._overrides(one, name, found)]
            if not below:
                return self._invoke(found.function, Scope(found.file, None, of, found.known), given)
            below = [known, *below]
        else:
            below = self.program.concrete(known)
        methods = [(one, method) for one in below if (method := self.program.method(one, name, len(given))) is not None]
        methods = [(one, method) for one, method in methods if method.function.body is not None]
        if not methods:
            if self._watch(self, self._made(of, name, given, code, scope)):
                return NULL
            mapped = self._mapper.mapped(found, [value for _, value in given])
            if mapped is not None:
                return mapped
            if found.function.body is not None:
                return self._invoke(found.function, Scope(found.file, None, of, found.known), given)
            kind = self._typed(found.function.type, found.file, found.known)
            found_value = Apply(name, of, tuple(value for _, value in given), self._names(given), kind)
            self._gives((value for _, value in given), found_value, _at(code, scope))
            return found_value
        if len(methods) > _MOST_IMPLEMENTERS:
            self._gives((of, *(value for _, value in given)), None)
            return Opaque(f"{name} of {len(methods)} classes", (of, *(value for _, value in given)))
        results: list[Value] = []
        for one, method in methods:
            start = len(self.guards)
            if len(methods) > 1:
                self.guards.append(Apply("is", None, (of, Ref(one.cls.name))))
            this = self._instance(one) if self._serves(one) else self._as_one(of, one)
            results.append(self._invoke(method.function, Scope(method.file, None, this, method.known), given))
            del self.guards[start:]
        return results[0] if len(results) == 1 else Apply("one of", None, tuple(results))

    def _as_one(self, value: Value, known: Known) -> Value:
        """Return an object as one of the class that implements its type: what is private there is its own, too."""
        if not isinstance(value, Input | Get | Apply) or self.known_type(value) is known:
            return value
        return replace(value, type=self._typed(known.cls.name, known.file, known))

    def _map(self, place: Place, value: Value) -> Value:
        """Return what a method of a mapper makes of a value."""
        if place.function.body is None:
            return self._mapper.mapped(place, [value]) or value
        return self._invoke(place.function, Scope(place.file, None, None, place.known), [("", value)])

    def _overrides(self, below: Known, name: str, found: Place) -> bool:
        method = self.program.method(below, name)
        return method is not None and method.function is not found.function and method.function.body is not None

    def _call_untyped(self, name: str, given: list[Given]) -> Value | None:
        """Return what a method returns if only one class of the program has one of the name; None otherwise."""
        listed = [one for one in self.program.methods.get(name, ()) if accepts(one.function, len(given))]
        listed = [one for one in listed if one.function.body is not None and not _is_abstract(one.function)]
        serving = [one for one in listed if one.known is not None and self._serves(one.known)]
        if len(serving) != 1 or serving[0].known is None:
            return None
        known = serving[0].known
        if any(frame.function is serving[0].function for frame in self._frames):
            return None
        this = self._instance(known)
        return self._invoke(serving[0].function, Scope(serving[0].file, None, this, known), given)

    def _generated(self, of: Value, name: str, given: list[Given]) -> Value | None:
        """Return what an accessor, setter or step of a builder does that the class has not itself; None for others."""
        known = of.known if isinstance(of, Thing) else self.known_type(of)
        is_free = isinstance(of, Thing) and known is None
        names = {one.name for _, one in self.program.fields(known)} if known is not None else set()
        method = self.program.method(known, name, len(given)) if known is not None else None
        if method is not None and (method.function.body is not None or name not in names):
            return None
        if not given:
            if isinstance(of, Thing) and name in ("build", "toBuilder", "clone", "Build", "to_dict", "toJSON"):
                return of
            for prefix in ("", "get", "is", "Get"):
                own = _lower(name[len(prefix) :]) if name.startswith(prefix) else ""
                for candidate in dict.fromkeys((name[len(prefix) :], own) if own else ()):
                    if candidate in names or (isinstance(of, Thing) and candidate in of.fields):
                        return self.member(of, candidate)
            if isinstance(of, Thing) and name in ("copy", "model_copy"):
                return self._copied(of, ())
            return None
        if name in ("copy", "model_copy", "_replace", "with") and all(key for key, _ in given) and (known or is_free):
            return self._copied(of, given)
        if len(given) == 1 and isinstance(of, Thing | Input | Get | Apply):
            for prefix in ("set", "with", "Set", "With", "add", "put", ""):
                own = _lower(name[len(prefix) :]) if name.startswith(prefix) and name != prefix else ""
                for candidate in dict.fromkeys((name[len(prefix) :], own) if own else ()):
                    if candidate in names or (is_free and prefix in ("set", "Set", "with") and candidate == own):
                        self.set_member(of, candidate, given[0][1])
                        return of
        if len(given) == 2 and is_free and isinstance(given[0][1], Const | Ref) and name in PUTS:
            self.set_member(of, self._key(given[0][1]), given[1][1])
            return of
        if len(given) == 2 and isinstance(of, Input) and known is None and name in PUTS:
            self.set_member(of, self._key(given[0][1]), given[1][1])
            return of
        if given and len(given) < 3 and is_free and name in GETS and isinstance(of, Thing):
            key, missing = given[0][1], given[1][1] if len(given) == 2 else NULL
            if isinstance(key, Const):
                return self.member(of, key.text) if key.text in of.fields or len(given) == 1 else missing
            if self._is_table(of):
                return self._entry_of(of, key, missing)
        if len(given) == 1 and is_free and name in MERGES and isinstance(given[0][1], Thing | Cond):
            return self._merged(of, given[0][1])
        if len(given) == 1 and is_free and name in ("update", "putAll", "addAll", "insertAll"):
            other = given[0][1]
            if isinstance(other, Thing) and isinstance(of, Thing):
                for member, value in other.fields.items():
                    self.set_member(of, member, value)
                return of
        return None

    def _copied(self, of: Value, given: Sequence[Given]) -> Value:
        known = of.known if isinstance(of, Thing) else self.known_type(of)
        kind = known.cls.name if known is not None else ""
        new = {name: self._as_field(known, name, value) for name, value in given}
        if isinstance(of, Thing):
            return Thing(kind, of.known, {**of.fields, **new}, of.arguments, of.base, depth=len(self.guards))
        return Thing(kind, known, new, base=of, depth=len(self.guards))

    def _merged(self, of: Value, other: Value) -> Value:
        """Return a map with the entries of two."""
        if isinstance(other, Cond):
            return choose(other.test, self._merged(of, other.then), self._merged(of, other.otherwise))
        if not isinstance(other, Thing):
            return of if other == NULL else Apply("merge", None, (of, other))
        return self._copied(of, list(other.fields.items()))

    def _as_field(self, known: Known | None, name: str, value: Value) -> Value:
        """Return a value as one of the type that a member of a class has."""
        found = self.program.field(known, name) if known is not None else None
        return (
            value if found is None else self.converted(value, found[1].type, Scope(found[0].file, None, None, found[0]))
        )

    def _change_items(self, of: Items, name: str, given: list[Given]) -> Value | None:
        if (
            name
            in ("add", "append", "push", "Add", "addOne", "offer", "insert", "add_all", "addAll", "extend", "collect")
            and given
            and not isinstance(given[-1][1], Closure | Method)
        ):
            value = given[-1][1]
            if isinstance(value, Items) and name in ("addAll", "extend", "add_all"):
                of.values += value.values
            else:
                since = [one for one in self.guards[of.depth :] if not is_turn(one)]
                turns = [one for one in self.guards[of.depth :] if is_turn(one)]
                turn = turns[0] if len(turns) == 1 and not of.values and not since else None
                of.over = turn.arguments[0] if isinstance(turn, Apply) and turn.name == "for" else None
                of.values.append(Cond(self._all(since), value, NULL) if since else value)
            return NULL
        return None

    # --- calls of libraries

    def _made(self, of: Value | None, name: str, given: list[Given], code: Call, scope: Scope) -> Made:
        return Made(of, name, tuple(given), (scope.file.path, code.line), tuple(self.guards), scope.file)

    @staticmethod
    def _names(given: Sequence[Given]) -> tuple[str, ...]:
        return tuple(name for name, _ in given) if any(name for name, _ in given) else ()

    def _library_call(
        self, of: Value | None, name: str, given: list[Given], code: Call, scope: Scope, *, discarded: bool
    ) -> Value:
        kinds, called = self._kinds_given
        self._kinds_given = (), ""
        name = f"{name}<{', '.join(kinds)}>" if kinds and called == name else name
        name = self._meant(name) if name.endswith(">") else name
        if of is None and (found := self._of_container(name, given, code, scope)) is not None:
            return found
        of = self._of_container_by_type(of) if of is not None and self._bound_of_library else of
        if of is None and len(given) == 1 and scope.file.language == "go":
            as_type = self._as_other(name, given[0][1], scope)
            if as_type is not None:
                return as_type
        if of is None and (found := self._of_first(name, given, code, scope, discarded=discarded)) is not None:
            return found
        if of is None or self.full_type(of):
            self.of_libraries.add((scope.file.path, code.line, name.rpartition(".")[2]))
        self.handed |= {id(known.cls) for known in self._classes_given(name, given, scope)}
        result = self._result_of(of, name, given, code, scope, discarded=discarded)
        root = of
        while isinstance(root, Apply) and root.of is not None:
            root = root.of
        if isinstance(root, Apply) and stands_for_any(root) and isinstance(result, Apply) and result is not of:
            self._replayed[self._show(result)] = of, name, given, code, scope
        return result

    def _as_other(self, name: str, value: Value, scope: Scope) -> Value | None:
        """Return a value that Go converts to a type which is declared as that of the value; None for other calls."""
        package, _, simple = name.rpartition(".")
        near = _package_named(package, scope.file)
        shown = f"{near}.{simple}" if package else simple
        meant = self.program.underlying(shown, scope.file)
        if meant == shown or "." not in meant:
            return None
        is_own_name = meant == f"{scope.file.imports.get(near, near)}.{simple}"  # of a type, or of a function
        if is_own_name and any(self.full_type(one) != meant for one in leaves_of(value) if one != NULL):
            return None
        return self._typed_as(value, shown, meant, scope)

    def _typed_as(self, value: Value, shown: str, meant: str, scope: Scope) -> Value | None:
        """Return a value as one of a library's type that a file calls by another name; None if it is of another."""
        if isinstance(value, Cond):
            ways = [self._typed_as(one, shown, meant, scope) for one in (value.then, value.otherwise)]
            return Cond(value.test, ways[0], ways[1]) if ways[0] is not None and ways[1] is not None else None
        own = self.full_type(value)
        if isinstance(value, Thing) or own == meant or value == NULL:
            return value if own == meant or value == NULL else None
        is_open = isinstance(value, Apply | Get | Input)
        return replace(value, type=self._typed(shown, scope.file, None)) if is_open else None  # type: ignore[arg-type]

    def _of_first(self, name: str, given: list[Given], code: Call, scope: Scope, *, discarded: bool) -> Value | None:
        """Return what a function returns that is a method of what it is given first; None for other functions."""
        library, _, method = name.rpartition(".")
        if library not in OF_FIRST or not given:
            return None
        of, path = given[0][1], given[1][1] if len(given) > 1 else None
        if method == "pick" and isinstance(path, Items) and all(isinstance(one, Const) for one in path.values):
            names = [one.text for one in path.values if isinstance(one, Const)]
            return Thing("", None, {one: self.member(of, one) for one in names}, depth=len(self.guards))
        if method not in ("get", "set") or not isinstance(path, Const):
            return self.call_method(of, method, given[1:], code, scope, discarded=discarded)
        steps = [one for one in _STEPS.split(path.text) if one]
        inner = of
        for one in steps[:-1] if method == "set" else steps:
            inner = self.member(inner, one)
        if method == "get":
            return inner if len(given) == 2 else operate("??", (inner, given[2][1]))
        if isinstance(inner, Thing) and steps and len(given) > 2:
            self.set_member(inner, steps[-1], given[2][1])
            return of
        return None

    def _classes_given(self, name: str, given: list[Given], scope: Scope) -> Iterator[Known]:
        """Yield the classes of the program that a library is given, or objects of: it may call their methods."""
        for kind in parameters_of(name) if name.endswith(">") else ():
            if (known := self.program.class_of(kind, scope.file, scope.known)) is not None:
                yield known
        for _, value in given:
            if isinstance(value, Thing | Type) and value.known is not None:
                yield value.known

    def _result_of(
        self, of: Value | None, name: str, given: list[Given], code: Call, scope: Scope, *, discarded: bool
    ) -> Value:
        """Return what a call of a library returns, as far as that is known."""
        if self._watch(self, self._made(of, name, given, code, scope)):
            self._sends += 1
            sent = Apply(name, of, tuple(value for _, value in given), self._names(given))
            self._sent[id(sent)] = sent
            return sent
        if not self.is_watcher(of, name):
            handled = [self._handle(value) for _, value in given]
            for one in (of, *(value for _, value in given)):
                self._note_call_on(one, name, is_given=any(handled) and one is of)
        if of is None and given and name in ENVIRONMENT and isinstance(given[0][1], Const):
            default = given[1][1] if len(given) > 1 else None
            return self.setting(given[0][1].text, default.text if isinstance(default, Const) else None)
        if isinstance(of, Items) and not given and name in SIZES:
            of = Ref("a list")  # how many it has does not depend on what they are
        if name in AS_TEXT and len(given) + (of is not None) == 1:
            subject = of if of is not None else given[0][1]
            if (written := self._as_text(subject)) is not subject:
                return written
        known = self._in_one_form(of, name, given)
        known = self._known_function(of, name, given) if known is None else known
        known = self._looked_up(given) if known is None else known
        known = self._by_profile(name, given, scope) if known is None and name.startswith("Map<") else known
        if known is not None:
            return known
        first = given[0][1] if len(given) == 1 else None
        if of is not None and is_test(of) and isinstance(first, Closure):  # a truth has no elements
            return self._either(of, lambda: self.call(first, [], code, scope), lambda: NULL)
        is_text = isinstance(of, Apply) and of.of is None and of.name == "text"
        if (is_text or (isinstance(of, Const) and of != NULL)) and isinstance(first, Closure):  # an optional value
            assert of is not None
            return self.call(first, [("", of)], code, scope)
        if isinstance(of, Const) and of.kind is Kind.TEXT and name in CONVERTS | TEXTS and not given:
            return of
        if isinstance(of, Const) and name.lower() == "split" and isinstance(first, Const) and first.text:
            return Items([Const(Kind.TEXT, one) for one in of.text.split(first.text)], len(self.guards))
        if of is None and isinstance(first, Closure) and name.rpartition(".")[2] in FUNCTIONAL:
            return first
        if (
            of is not None
            and name == "get"
            and isinstance(first, Const)
            and (declared := declared_below(of, first.text))
        ):
            return declared
        if of is not None and name in FALLBACKS and first is not None:
            other = self.call(first, [], code, scope) if isinstance(first, Closure | Method) else first
            return of if isinstance(of, Const) and of != NULL else operate("??", (of, other))
        functions = [one for _, one in given if isinstance(one, Closure | Method)]
        if isinstance(of, Items) and name in INDEXES and functions:
            table = self._by_key(of, name, functions, code, scope)
            if table is not None:
                return table
        if isinstance(of, Items) and len(functions) == len(given) == 1 and self._is_short(of):
            return self._each_of(of, name, functions[0], code, scope)
        plain_name = name.partition("<")[0]
        if of is not None and not given and plain_name in LIFTS:
            return of
        is_other = name in AS_RESULT or (name in AS_OTHER and of is not None and self._is_result(of))
        if of is not None and not given and is_other and not self.is_scalar(of):
            return of
        if isinstance(of, Get) and of.name == OF_FAILURE and plain_name in MAPS and len(functions) == len(given) == 1:
            return self._unless_failed(of.of, functions, code, scope, replaces=False)
        if of is not None and plain_name in MAPS and len(functions) == len(given) == 1 and self._is_result(of):
            if is_failed(of):
                return of
            return self._either(is_present(of), lambda: self.call(functions[0], [("", of)], code, scope), lambda: NULL)
        if of is not None and plain_name in THENS and functions:
            return self.call(functions[0], [("", of)], code, scope)
        if of is not None and plain_name in OF_FAILURES and functions and len(functions) == len(given):
            return self._unless_failed(of, functions, code, scope, replaces=OF_FAILURES[plain_name])
        if of is not None and name in THROUGH and given:
            through = self._through(of, given[0][1], code, scope)
            if through is not None:
                return through
        step = self._step_of(of, name, scope) if of is not None else None
        if of is not None and step is not None:
            return self._step(of, name, step, given, code, scope)
        at, empty = _at(code, scope), self._filled(of, given, scope)
        result = self._unknown_call(of, name, given, code, scope, discarded=discarded)
        if empty is None or empty.base is None:  # otherwise what it is filled with is known by what is done with it
            self._gives((value for _, value in given), result, at)
        return self._taken(result) if isinstance(result, Get | Apply) and result.of is of else result

    def _unknown_call(
        self, of: Value | None, name: str, given: list[Given], code: Call, scope: Scope, *, discarded: bool
    ) -> Value:
        """Return what an unknown call of a library returns; it calls the functions that it is given."""
        silent = self.is_watcher(of, name)
        if of is not None and _takes_function(name) and scope.file.language in _JVM:
            given = [(key, self._as_function(value, scope)) for key, value in given]
        sends = self._sends
        if not silent or checks(name):
            self._require(name, given, scope, discarded=discarded)
        if of is None and self._never_returns(code, scope):
            self._left = Leave.THROW
        first = given[0][1] if len(given) == 1 else None
        side = self._sides.get(self._show(given[0][1])) if of is not None and name == _SIDE and given else None
        if of is not None and side is not None and side.values:
            return Apply("mapped", of, (self.element(side),), via=name)
        if name.partition("<")[0].rpartition(".")[2] in FOLDS and (
            folded := self._folded(of, name, given, code, scope)
        ):
            return folded
        values: list[Value] = []
        called: list[Value] = []
        if of is not None and name in ADDS and isinstance(first, Closure | Method):
            return NULL  # what takes the function from there calls it
        for _, value in given:
            if isinstance(value, Closure) and silent:
                called.append(self.call(value, [], code, scope))
                values.append(value)
            elif isinstance(value, Closure | Method) and not silent:
                result = self._callback(of, value, given, code, scope)
                called.append(result)
                values.append(result)
            else:
                values.append(value)
            if isinstance(value, Thing) and value.known is None and not silent:
                self._handlers(of, value, given, code, scope)
        self._bind_type(name, called, scope)
        if of is None and name.rpartition(".")[2] in FIELDS:
            named = {key: one for (key, _), one in zip(given, values, strict=True)}
            default = named.get("default", named.get("default_factory"))
            if default is not None:
                return default
        if not silent:
            self._fill_out(of, name, given, code, scope)
        if discarded and not silent and self._sends == sends and not self._is_of_send(of):
            self._touch(of, name, given, values)
            self._alter(of, name, given, values, scope)
        if silent and called:
            return called[-1]  # what measures or logs a function returns what the function returns
        if of is None and len(called) == 1 and isinstance(called[0], Items) and called[0].yielded:
            return called[0]  # a builder of a sequence
        makers = [one for _, one in given if isinstance(one, Closure | Method) and self._count(one, 1) == 0]
        if of is None and len(called) == len(makers) == 1 and any(one in HOLDERS for one in _words_of(name)):
            return called[0]  # there later, or once something asks for it
        if called and of is not None and (name in WATCHED or self._only_watches(called)):
            return of
        simple = name.partition("<")[0].rpartition(".")[2]
        is_function = of is None and len(called) == 1 and simple[:1].islower()
        source = sequence_in(given, None) if is_function else Ref("?")
        if source != Ref("?"):  # a function of sequences, as `map` of Python
            return Apply("filtered" if keeps_elements(simple) else "mapped", source, (called[0],), via=simple)
        if name in SUMS and not (of is not None and self.known_type(of)):
            added = called[0] if of is not None and len(called) == len(given) == 1 else None
            total = _sum_of(of, added) if added is not None else None
            if added is None and len(given) == (of is None):
                total = self._summed(of if of is not None else given[0][1])
            if total is not None:
                return total
        if len(called) == len(given) == 1 and of is not None and name in SOME:
            return _exists(of, called[0], name)
        if called and of is not None and name in GROUPS:
            return Apply("grouped", of, tuple(called[:1]), via=name)
        is_alone = len(called) == 1 and all(isinstance(one, Closure | Method | Const) for _, one in given)
        others = [one for _, one in given if not isinstance(one, Closure | Method)]
        # A number beside the function says how many are done at a time.
        is_counted = all(isinstance(one, Const) and one.kind is Kind.NUMBER for one in others)
        if is_alone and of is not None and (is_counted or scope.file.language == "python"):
            values = called
            is_kept = is_test(called[0]) or keeps_elements(name)
            made = without_missing(called[0]) if not is_kept and name.partition("<")[0] in DROPS else None
            if made is not None and made is not called[0]:  # it keeps the elements for which there is a result
                of, values = Apply("filtered", of, (is_present(called[0]),), via=name), [made]
            return Apply("filtered" if is_kept else "mapped", of, tuple(values), via=name)
        if not given and of is not None:
            bare = _accessor(name) if name not in NO_FIELDS else ""
            if bare and not self.is_plain(of):
                return Get(of, bare, self._held(of, name))
        kind = self._result_type(name, given, scope) or (self._held(of, name) if of is not None and not given else "")
        if values and of is not None and not is_source(name) and all(map(_is_number, values)) and self._is_reader(of):
            return Apply(name, of, (), (), kind)  # how long it waits for records, or how many it takes
        return Apply(name, of, tuple(values), self._names(given), kind)

    @staticmethod
    def _as_function(value: Value, scope: Scope) -> Value:
        """Return a reference to a method of a library as the function that calls it; other values as they are.

        Without an object, the method is one of what it is given, unless its name says that it makes something of it.
        """
        match value:
            case Ref(name=name) if "." in name:
                owner, _, called = name.rpartition(".")
                is_static = bool(_MAKES.match(called)) or owner.endswith("s")
                function = Member(Name(owner), called) if is_static else Member(Name("it"), called)
                given = (Argument(Name("it")),) if is_static else ()
                inner = Scope(scope.file, scope)
            case Get(of=of, name=called):
                function, given = Member(Name("(of)"), called), (Argument(Name("it")),)
                inner = Scope(scope.file, scope)
                inner.variables["(of)"] = of
            case _:
                return value
        body = Block((ir.Exit(Leave.RETURN, Call(function, given)),))
        return Closure(Function("", (ir.Parameter("it"),), body), inner)

    def _as_text(self, value: Value) -> Value:
        """Return an object as the text that its class makes of it; other values as they are."""
        known = self.known_type(value) if isinstance(value, Thing | Input | Get | Apply) else None
        for name in WRITES if known is not None else ():
            method = self.program.method(known, name) if known is not None else None
            if method is not None and method.function.body is not None and method.function not in self.functions:
                return self._invoke(method.function, Scope(method.file, None, value, method.known), [])
        return value

    @staticmethod
    def _never_returns(code: ir.Expression, scope: Scope) -> bool:
        """Return whether a call is one of a function of the language that never returns."""
        function = code.function if isinstance(code, Call) else None
        called = code_text(function).removesuffix("!") if isinstance(function, Name | Member) else ""
        return called in ENDS.get(scope.file.language, ())

    def _is_of_send(self, of: Value | None) -> bool:
        """Return whether a value is what a send returned, or what was done with that: nothing is changed by it."""
        while isinstance(of, Get | Apply):
            if id(of) in self._sent:
                return True
            of = of.of
        return False

    def _require(self, name: str, given: list[Given], scope: Scope, *, discarded: bool) -> None:
        """Note that what follows only runs if a call does not fail that is given a test, whose result nothing takes."""
        plain_name = name.rpartition(".")[2].rpartition("::")[2]
        is_assert = plain_name in ASSERTS.get(scope.file.language, ())
        if not given or not (discarded or is_assert or checks(name)):
            return
        if is_assert:
            sign = ASSERTS_EQUAL.get(plain_name)
            first = operate(sign, (given[0][1], given[1][1])) if sign is not None and len(given) > 1 else given[0][1]
            held = [] if is_of_presence(first) or is_fixed(first) else [first]
        else:
            tests = tuple(one for _, value in given if is_test(value) for one in deciding_tests(value))
            is_of_error = name.partition(".")[0].endswith(_ERRORS) and len(given) > 1
            tests = tuple(value for _, value in given) if is_of_error else tests
            held = [Apply(name, None, tests)] if tests else []
        self.guards += held
        if self._frames:
            self._frames[-1].thrown += held

    def _note_call_on(self, of: Value | None, name: str, *, is_given: bool) -> None:
        """Note a library's method that is called on an object, or given one, of a class which extends a library's.

        It may be what hands on what the object *is_given* for others, as the events of an aggregate.
        """
        waiting, seen = [of], set[int]()
        while waiting:
            one = waiting.pop()
            if one is None or id(one) in seen:
                continue
            seen.add(id(one))
            known = self.known_type(one)
            if known is None and isinstance(one, Apply):  # what a library makes of an object
                waiting += one.arguments
            if known is not None and self.program.extends_library(known):
                self.calls_on.setdefault(known.cls.name, set()).add(name)
                if is_given:
                    self.hand_on.add(known.cls.name)

    def _handle(self, value: Value) -> bool:
        """Call what handles objects of a class with one that a library is given, and that sends because of it.

        Return whether something does.
        """
        is_handled = False
        known = value.known if isinstance(value, Thing) else None
        for place in self.program.handling.get(id(known.cls), ()) if known is not None else ():
            if place.known is not None and self._serves(place.known) and place.function not in self.functions:
                scope = Scope(place.file, None, self._instance(place.known), place.known)
                self._invoke(place.function, scope, [("", value)])
                is_handled = True
        return is_handled

    def _is_result(self, of: Value) -> bool:
        """Return whether a value is one that may be missing, as an optional value or a result, and no sequence."""
        match of:
            case Thing(known=known) if known is not None:
                return self._is_one(known)
            case Type() | Apply(name="enum"):
                return True
            case Input(type=kind) | Get(type=kind) | Apply(type=kind) if kind:
                declared = kind.partition("\0")[0]
                if base_type(declared).rpartition(".")[2] in RESULTS or self.is_scalar(of):
                    return True
                own = self.known_type(of) if not held_in(declared) else None
                return own is not None and self._is_one(own)
        return is_failed(of)

    def _is_one(self, known: Known) -> bool:
        """Return whether an object of a class is one value, and has no elements."""
        return not self.program.extends_library(known) and not any(self.program.method(known, one) for one in NEXTS)

    def _is_reader(self, of: Value) -> bool:
        """Return whether records are taken from an object of a library."""
        value: Value | None = of
        for _ in range(30):
            if value is None:
                return False
            kind = self.full_type(value) or (value.name if isinstance(value, Apply) and value.of is None else "")
            if kind:
                return reads(kind)
            value = value.of if isinstance(value, Apply | Get) else None
        return False

    def _result_type(self, name: str, given: list[Given], scope: Scope) -> str:
        """Return the type of what a library makes: the one in angle brackets, or a class that it is given."""
        inside = parameters_of(name) if name.endswith(">") else ()
        for kind in inside[:1]:
            if any(self.program.class_of(one, scope.file, scope.known) for one in (kind, *parameters_of(kind))):
                return self._typed(kind, scope.file, scope.known)
        classes = [value.known for _, value in given if isinstance(value, Type)]
        return self._typed(classes[0].cls.name, classes[0].file, classes[0]) if len(classes) == 1 else ""

    def is_watcher(self, of: Value | None, name: str) -> bool:
        """Return whether a call only watches the program: it logs, counts, traces or asserts."""
        names = [name] if of is None else []
        value = of
        for _ in range(8):
            if value is None:
                break
            kind = self.full_type(value)
            if kind:
                names.append(kind)
            if isinstance(value, Apply):
                if value.of is None:
                    names.append(value.name)
                value = value.of
            elif isinstance(value, Get):
                value = value.of
            else:
                break
        return any(watches(one) or checks(one) for one in names)

    def _only_watches(self, results: Sequence[Value]) -> bool:
        """Return whether functions return what a library returns that only watches a program: none goes on with it."""
        made = [one for one in results if isinstance(one, Apply) and one.of is not None]
        return len(made) == len(results) and all(self.is_watcher(one.of, one.name) for one in made)

    def _checked(self, schema: Value | None, value: Value, name: str) -> Thing:
        """Return what checking a value by a schema gives: the valid value under a name, and whether it is valid.

        Each member of the value is what the part of the schema for it makes of it. Whether the value is valid does not
        depend on a member that may be missing.
        """
        while isinstance(schema, Apply) and not any(isinstance(one, Thing) for one in schema.arguments):
            schema = schema.of
        given = schema.arguments if isinstance(schema, Apply) else ()
        members = next((one.fields for one in given if isinstance(one, Thing) and not (one.known or one.base)), {})
        fields, needed = {}, []
        for member, part in members.items():
            fields[member] = self.member(value, member)
            if isinstance(part, Apply) and (part.arguments or isinstance(part.of, Apply)):  # more than its type
                fields[member] = Apply("valid", part, (fields[member],))
            if not (isinstance(part, Apply) and part.name in MISSABLE):
                needed.append(fields[member])
        depth = len(self.guards)
        if not members:
            return Thing("", fields={name: value}, depth=depth)
        base = Ref(f"valid({', '.join(map(self._show, needed))})")
        return Thing("", fields={name: Thing("", fields=fields, depth=depth)}, base=base, depth=depth)

    def _looked_up(self, given: list[Given]) -> Value | None:
        """Return the setting that a call looks up, if its only text is the name of one; None otherwise."""
        first = given[0][1] if given and len(given) <= 2 else None
        if isinstance(first, Const) and first.kind is Kind.TEXT and any(sign in first.text for sign in ".:_"):
            known = self.program.setting(first.text)
            return Const(Kind.TEXT, known) if known is not None else self._declared_setting(first.text)
        return None

    def _declared_setting(self, path: str) -> Value | None:
        """Return a setting by its full name as the code of the program declares it; None if it does not."""
        if self._settings is None:
            self._settings = {}
            for place in self._declaring_settings():
                self._declare_settings(*place)
        begin = path
        while begin not in self._settings and begin:
            begin = begin.rpartition(".")[0]
        value = self._settings.get(begin)
        for name in path[len(begin) :].strip(".").split(".") if path != begin and value is not None else ():
            value = self.member(value, name) if isinstance(value, Thing) and name in value.fields else None
        return value

    def _declaring_settings(self) -> Iterator[tuple[ir.File, Call]]:
        """Yield the calls that declare settings, each with its file."""
        for file in self.program.files:
            for code in walk(file):
                name = code.function.name if isinstance(code, Call) and isinstance(code.function, Name | Member) else ""
                if isinstance(code, Call) and (name in SECTIONS | SETTING_DEFAULTS or any(_loaded_by(code))):
                    yield file, code

    def _declare_settings(self, file: ir.File, code: Call) -> None:
        """Note the settings that a call declares."""
        assert self._settings is not None
        scope = self._file_scope(file)
        for one in _loaded_by(code):
            function = self.apart(one, scope)
            found = self.call(function, [], code, scope) if is_function(function) else None
            for name, value in found.fields.items() if isinstance(found, Thing) else ():
                self._settings.setdefault(name, value)
        if len(code.arguments) == 2 and isinstance(code.function, Name | Member):
            named = self.apart(code.arguments[0].value, scope)
            value = self.apart(code.arguments[1].value, scope)
            if code.function.name in SECTIONS and is_function(value):
                value = self.call(value, [], code, scope)
            if isinstance(named, Const) and code.function.name in SECTIONS | SETTING_DEFAULTS:
                self._settings.setdefault(named.text, value)

    def _wraps(self, name: str) -> bool:
        """Return whether a function returns what it is given as an optional value, a result or one that is there later.

        That is the name of its form alone, or one of the functions of such a class that make one of a value.
        """
        words = name.replace("::", ".").split(".")
        if words[-1] in PRESENT | HOLDERS:
            return words[-1] not in self.program.classes
        return len(words) > 1 and words[-1] in WRAPS and words[-2] in HOLDERS

    @staticmethod
    def _in_one_form(of: Value | None, name: str, given: list[Given]) -> Value | None:
        """Return what a function of a language does in the form of what does the same; None for other functions."""
        values = [value for _, value in given]
        if name in EQUAL and len(values) + (of is not None) == 2:
            return operate("==", (of, values[0]) if of is not None else (values[0], values[1]))
        if of is not None and not given and name in EMPTY:
            found = Apply("isEmpty", of)
            return found if EMPTY[name] else negate(found)
        if of is not None and name == "concat" and len(values) == 1 and not isinstance(of, Items):
            joined = operate("+", (of, values[0]))
            return joined if isinstance(joined, Apply) and joined.name == "text" else None
        template, rest = (of, values) if of is not None else (values[0] if values else None, values[1:])
        if isinstance(template, Const) and template.kind is Kind.TEXT and (of is not None) == (name in _OF_TEMPLATE):
            return _filled_in_template(name, template.text, rest)
        if of is None and name in SOME and len(values) == 1:
            one = values[0]
            if isinstance(one, Apply) and one.of is not None and one.name in ("mapped", "filtered"):
                return _exists(one.of, one.arguments[0], name)
        return None

    def _known_function(self, of: Value | None, name: str, given: list[Given]) -> Value | None:
        """Return what functions of the languages themselves return; None for others."""
        name = name.partition("<")[0]
        simple = name.rpartition(".")[2].rpartition("::")[2]
        if of is None and len(given) == 1 and self._wraps(name) and not isinstance(given[0][1], Closure):
            return given[0][1]
        chosen = CHOOSES.get(".".join(name.split(".")[-2:])) if of is None and len(given) > 1 else None
        if chosen is not None:
            test, value = given[0][1], given[1][1]
            return choose(test if chosen else negate(test), value, NULL)
        waits = WAITS.get(name.replace("::", ".")) if of is None else None
        if waits is not None and len(given) > waits:
            return given[waits][1]
        options = given[0][1] if of is not None and len(given) == 1 and name in ROWS else None
        if isinstance(options, Thing) and options.known is None and ROWS[name] in options.fields.keys() <= ROW_OPTIONS:
            row = options.fields[ROWS[name]]
            known = row.known if isinstance(row, Thing) else self.known_type(row)
            fields = {one.name: self.member(row, one.name) for _, one in self.program.fields(known)} if known else {}
            fields |= row.fields if isinstance(row, Thing) else {}
            return Thing("", fields=fields, base=Apply(name, of), depth=0)  # the database adds what it generates
        if simple in CHECKED and (of is not None or "." in name) and len(given) == 1:
            return self._checked(of, given[0][1], CHECKED[simple])
        table = of if of is not None and not given else given[0][1] if of is None and len(given) == 1 else None
        if isinstance(table, Thing) and simple in KEYS and self._is_table(table):
            return Items([Const(Kind.TEXT, key) for key in table.fields], len(self.guards))
        if of is None and simple in PARSES and "." in name and given and _names_file(given[0][1]):
            return Input("setting ")
        if of is None and name == "operator.getitem" and len(given) == 2 and isinstance(given[1][1], Const):
            return self.member(given[0][1], given[1][1].text)
        if of is None and name in ("Object.assign",) and given:
            target = given[0][1]
            for _, value in given[1:]:
                if isinstance(target, Thing) and isinstance(value, Thing):
                    for key, one in value.fields.items():
                        self.set_member(target, key, one)
                elif isinstance(target, Thing):
                    target.base = value if target.base is None else Apply("merge", None, (target.base, value))
                elif isinstance(value, Thing) and isinstance(target, Input | Get | Apply):
                    for key, one in value.fields.items():
                        self.set_member(target, key, one)
            return target
        if of is None and name == "Object.freeze" and given:
            return given[0][1]
        if of is None and simple in ("newBuilder", "builder") and not given and "." in name:
            made = Thing(name.rpartition(".")[0], depth=len(self.guards))
            if made.type.rpartition(".")[2] in self.program.records:
                self.records.append(made)
            return made
        if of is None and (simple in LISTS or ".".join(name.split(".")[-2:]) in LISTS) and "." in name:
            return Items([value for _, value in given], len(self.guards))
        if of is None and (name in PAIRS or ".".join(name.split(".")[-2:]) in PAIRS):
            thing = Thing(depth=len(self.guards))
            values = [value for _, value in given]
            if name in ("Map.of", "java.util.Map.of") and len(values) % 2 == 0:
                for name_of, value in zip(values[::2], values[1::2], strict=True):
                    thing.fields[self._key(name_of)] = value
                return thing
            for value in values:
                if isinstance(value, Items) and len(value.values) == 2:
                    thing.fields[self._key(value.values[0])] = value.values[1]
                elif isinstance(value, Apply) and value.name in ("to", "->", "Map.entry", "entry") and value.arguments:
                    first = value.of if value.of is not None else value.arguments[0]
                    thing.fields[self._key(first)] = value.arguments[-1]
                else:
                    return None
            return thing
        if of is None and name.partition("<")[0] in (
            "listOf",
            "mutableListOf",
            "mutableSetOf",
            "Vec.create",
            "arrayOf",
            "List",
            "Seq",
            "Set",
            "setOf",
            "Vector",
            "Array",
        ):
            return Items([value for _, value in given], len(self.guards))
        if of is None and not given and simple in _COLLECTIONS:
            return Thing(depth=len(self.guards)) if simple.endswith("Map") else Items([], len(self.guards))
        if of is None and len(given) == 1 and name in ("dict", "Object.fromEntries", "Map"):
            table = self._table_of(given[0][1])
            if table is not None:
                return table
        if isinstance(of, Items) and name in TABLES and not given and (table := self._table_of(of)) is not None:
            return table
        if of is None and name in ("dict",):
            thing = Thing(depth=len(self.guards))
            for key, value in given:
                if key and key != "*":
                    thing.fields[key] = value
                elif isinstance(value, Thing):
                    thing.fields |= value.fields
                else:
                    thing.base = value
            return thing
        if of is None and simple in ("asdict", "vars") and len(given) == 1:
            return self._map_of(given[0][1])
        if of is None and name == "isinstance" and len(given) == 2:
            kinds = given[1][1].values if isinstance(given[1][1], Items) else [given[1][1]]
            if all(isinstance(one, Type) for one in kinds):
                tests = [self._is_of(given[0][1], one.known.cls.name) for one in kinds if isinstance(one, Type)]
                return reduce(lambda one, other: operate("||", (one, other)), tests) if tests else FALSE
        if of is None and name in TYPES_OF and len(given) == 1:
            return self._class_of(given[0][1])
        if of is None and simple in ITERATES and len(given) == 1 and isinstance(given[0][1], Items):
            return given[0][1]
        if of is None and name in ("append",) and given:
            first = given[0][1]
            is_empty = first == NULL or (isinstance(first, Apply) and first.name == "unset")
            table = first.of if isinstance(first, Get) else None
            is_empty |= isinstance(table, Thing) and not (table.known or table.base or table.type or table.touched)
            if isinstance(first, Items) or is_empty:
                before, depth = (first.values, first.depth) if isinstance(first, Items) else ([], len(self.guards))
                return Items([*before, *(value for _, value in given[1:])], depth)
        if isinstance(of, Thing) and not given and simple in ("model_dump", "dict", "_asdict", "to_dict"):
            return self._map_of(of)
        return None

    def _map_of(self, of: Value) -> Value:
        """Return the map of an object's members: what is done to it is not done to the object."""
        if isinstance(of, Thing):
            return self._copied(of, ())
        return Thing("", self.known_type(of), base=of, depth=len(self.guards)) if isinstance(of, Input | Get) else of

    def _callback(self, of: Value | None, value: Value, given: list[Given], code: Call, scope: Scope) -> Value:
        """Run a function once that something unknown is given, with elements of what it is called on."""
        function = value.function if isinstance(value, Closure) else None
        source = of if of is not None else sequence_in(given, value)
        if source == Ref("?"):
            source = next((one for _, one in given if one is not value), source)
        count = len(function.parameters) if function is not None else max(1, self._count(value, 1))
        inside = source if is_made(source) and not exchange_of(source) else self.element(source)
        bus = topic_of(of, given) if of is not None else ""
        if bus and bus in self.fed:
            inside = taken(self.fed[bus], bus)
        if source == Ref("?"):
            inside = _GIVEN
        wanted = parameters_of(code.function.name) if isinstance(code.function, Name | Member) else ()
        is_typed = len(wanted) == 1 and len(given) == 1
        service = self.program.class_of(wanted[0], scope.file, scope.known) if is_typed else None
        if service is not None and self._serves(service):  # the library returns the object of that class
            inside = self._only(service) or self._input(wanted[0], wanted[0], scope.file, scope.known)
        arguments: list[Given] = [
            ("", inside if at == 0 else Apply(f"each {at}", None, (source,))) for at in range(count)
        ]
        if function is not None:
            arguments = [
                (name, replace(one, type=self._typed(parameter.type, scope.file, scope.known)))
                if parameter.type and isinstance(one, Apply) and not one.type
                else (name, one)
                for (name, one), parameter in zip(arguments, function.parameters, strict=True)
            ]
        start, left = len(self.guards), self._left
        is_used = function is None or any(one.name != "_" for one in function.parameters)
        if count and is_used and not self.is_watcher(source, ""):
            self.guards.append(Apply("for", None, (origin_of(source),)))
        elif tests := tuple(deciding_tests(source)):  # an effect that may fail before it
            self.guards.append(_succeeds(source, tests))
        self.guards += self._under_which(bus or exchange_of(source))
        is_builder = isinstance(value, Closure) and self._sets_members(value)
        built = Thing(depth=len(self.guards))
        if is_builder:
            self._builders.append(built)
            result = self.call(value, [("", built), *arguments], code, scope)
            self._builders.pop()
        else:
            self._calls_of_lambda.append([])
            result = self._after_calls(self.call(value, arguments, code, scope), self._calls_of_lambda.pop())
        del self.guards[start:]
        self._left = left
        if is_builder and of is None and self._builders and isinstance(code.function, Name):
            self.set_member(self._builders[-1], code.function.name, built)
        return built if is_builder else result

    def _after_calls(self, result: Value, calls: Sequence[str]) -> Value:
        """Return what a lambda returns, with the calls in it of what only the object has that it is run on."""
        if isinstance(result, Thing):
            result.touched += calls
        if not calls or not isinstance(result, Input | Get | Apply | Const):
            return result
        kind = result.type if not isinstance(result, Const) else ""
        return Apply(_AFTER, result, tuple(Const(Kind.TEXT, one) for one in calls), (), kind)

    def _sets_members(self, value: Closure) -> bool:
        """Return whether a lambda of Kotlin sets names that only an object can have which a library calls it for."""
        if value.scope.file.language != "kotlin" or value.function.name or value.function.body is None:
            return False
        code = value.function.body
        declared = {
            one.target.name for one in walk(code) if isinstance(one, ir.Declare) and isinstance(one.target, Name)
        }
        names = {one.target.name for one in walk(code) if isinstance(one, ir.Assign) and isinstance(one.target, Name)}
        known = [kind for _, kind in self._receivers(value.scope) if kind is not None]
        return any(
            value.scope.find(name) is None
            and not any(self.program.field(kind, name) is not None for kind in known)
            and self._global(value.scope.file, name) is None
            for name in names - declared
        )

    def _folded(self, of: Value | None, name: str, given: list[Given], code: Call, scope: Scope) -> Value | None:
        """Return what a function makes of the elements of a sequence, each with what it made before; None for others.

        That it goes through the whole sequence does not make its result of all members of the elements.
        """
        named = given[0][1] if given else None
        known = given[1][1] if len(given) > 2 else None
        if isinstance(named, Ref) and of is None and isinstance(known, Items) and self._is_short(known):
            result = given[2][1]
            for one in known.values:
                result = self.call(named, [("", result), ("", one)], code, scope)
            return result
        function = next((one for _, one in given if isinstance(one, Closure)), None)
        if function is None or len(function.function.parameters) < 2:
            return None
        others = [one for _, one in given if not isinstance(one, Closure | Method)]
        if of is None and not others:
            return None
        source, others = (of, others) if of is not None else (others[0], others[1:])
        element = self.element(source)
        first = others[0] if others else element
        so_far = first if isinstance(first, Thing | Items) or not others else _SO_FAR
        listed: list[Given] = [("", so_far), ("", element)]
        if FOLDS[name.partition("<")[0].rpartition(".")[2]]:
            listed.reverse()
        more = range(2, len(function.function.parameters))
        listed += [("", Apply(f"each {at}", None, (source,))) for at in more]
        start, left = len(self.guards), self._left
        self.guards.append(Apply("for", None, (origin_of(source),)))
        result = self.call(function, listed, code, scope)
        del self.guards[start:]
        self._left = left
        if isinstance(result, Thing | Items):
            return result
        return Apply("folded", None, (result, first) if others else (result,))

    def _summed(self, sequence: Value) -> Value | None:
        """Return the sum of what a function makes of the elements of a sequence; None for other sequences."""
        is_made_of = isinstance(sequence, Apply) and sequence.name == "mapped" and sequence.of is not None
        return _sum_of(sequence, self.element(sequence)) if is_made_of else None

    def _through(self, of: Value, way: Value, code: Call, scope: Scope) -> Value | None:
        """Return a stream after a part of a pipeline that is put together elsewhere; None for other values.

        That is a function of the whole stream, or steps on an object that stands for any stream.
        """
        if isinstance(way, Closure | Method):
            return self.call(way, [("", of)], code, scope) if self._count(way, 1) == 1 else None
        steps = []
        value: Value | None = way
        while isinstance(value, Apply) and value.of is not None:
            known = self._replayed.get(self._show(value))
            steps.append((value, known))
            value = value.of if known is None else known[0]
        if not steps or not isinstance(value, Apply) or not stands_for_any(value):
            return None
        for one, known in reversed(steps):
            if known is None:
                of = replace(one, of=of)
            else:
                _, name, given, made, place = known
                of = self.call_method(of, name, given, made, place)
        return of

    def _is_short(self, of: Items) -> bool:
        """Return whether a list has few elements, all of them known: a function is called with one after the other."""
        listed = [each for one in of.values for each in (one.values if isinstance(one, Items) else [one])]
        are_known = all(isinstance(one, Const | Thing | Closure | Type) for one in listed)
        return 1 < len(of.values) <= _MOST_TURNS and are_known and not of.yielded

    def _each_of(self, of: Items, name: str, function: Value, code: Call, scope: Scope) -> Value:
        """Return what a method of a short list returns that calls a function with each element."""
        results: list[Value] = []
        for one in of.values:
            left, start = self._left, len(self.guards)
            if isinstance(one, Cond) and one.otherwise == NULL:  # it is in the list if that holds
                self.guards.append(one.test)
                one = one.then
            results.append(self.call(function, [("", one)], code, scope))
            del self.guards[start:]
            self._left = left
        if name in WATCHED:
            return of
        if keeps_elements(name) or all(map(is_test, results)):
            return Apply("filtered", of, (Apply("each", None, tuple(results)),), via=name)
        if name in FLATTENS:
            results = [inside for one in results for inside in (one.values if isinstance(one, Items) else [one])]
        return Items(results, len(self.guards))

    def _handlers(self, of: Value | None, thing: Thing, given: list[Given], code: Call, scope: Scope) -> None:
        """Run the functions that are members of an object which something unknown is given."""
        for one in list(thing.fields.values()):
            if isinstance(one, Closure | Method):
                self._callback(of if of is not None else Ref("?"), one, given, code, scope)

    def _fill_out(self, of: Value | None, name: str, given: list[Given], code: Call, scope: Scope) -> None:
        """Note that a function filled the only object without content that it was given, of its other arguments.

        In Go it also gives values to the variables whose addresses it is given.
        """
        empty = self._filled(of, given, scope)
        if empty is not None:
            others = tuple(value for _, value in given if isinstance(value, Input | Get | Apply))
            kind = self._typed(empty.known.cls.name, empty.known.file, empty.known) if empty.known is not None else ""
            empty.base = Apply(name, of if isinstance(of, Input | Get | Apply) else None, others, (), kind)
        variables = [_variable_at(one.value) for one in code.arguments] if scope.file.language == "go" else []
        for variable in filter(None, variables):
            owner = scope.find(variable)
            kind = owner.types.get(variable, "") if owner is not None else ""
            if owner is not None and kind and owner.variables[variable] == self._zero(kind, scope):
                rest = tuple(value for _, value in given if value != NULL)
                made = Apply(name, of, rest, (), self._typed(kind, scope.file, scope.known))
                self._store(Name(variable), made, scope)

    @staticmethod
    def _filled(of: Value | None, given: list[Given], scope: Scope) -> Thing | None:
        """Return the only object without content that a function of Go is given, with nothing but values beside it.

        A method has its object beside it.
        """
        empty = [
            value
            for _, value in given
            if isinstance(value, Thing) and not (value.fields or value.base or value.arguments or value.touched)
        ]
        others = [value for _, value in given if isinstance(value, Input | Get | Apply)]
        is_given = bool(others) or isinstance(of, Input | Get | Apply)
        is_filled = len(empty) == 1 and is_given and len(empty) + len(others) == len(given)
        return empty[0] if is_filled and scope.file.language == "go" else None

    def _by_profile(self, name: str, given: list[Given], scope: Scope) -> Value | None:
        """Return what a profile of the program makes of an object; None without one for the two classes."""
        if self._profiles is None:
            self._profiles = profiles(self.program)
        kinds = parameters_of(name)
        target = self.program.class_of(kinds[-1], scope.file, scope.known) if kinds else None
        source = self.known_type(given[0][1]) if len(given) == 1 else None
        if source is None or target is None:
            return None
        profile = self._profiles.get((source.cls.name, target.cls.name))
        if profile is None:
            return None
        value, place = given[0][1], profile.place
        made = self._mapper.alike(value, target)
        made.depth = len(self.guards)
        for member, code in profile.members.items():
            made.fields.pop(member, None)
            if code is not None:
                function = self.value(code, Scope(place.file, None, None, place.known))
                made.fields[member] = self.call(function, [("", value)], Call(code), scope)
        return made

    def _unless_failed(
        self, of: Value, functions: Sequence[Value], code: Call, scope: Scope, *, replaces: bool
    ) -> Value:
        """Return a result beside what functions return that a library calls in its place if there is a failure."""
        start, left = len(self.guards), self._left
        self.guards.append(Ref("failure"))
        results = [self.call(one, [("", Opaque("a failure"))], code, scope) for one in functions]
        del self.guards[start:]
        self._left = left
        others = [one for one in results if replaces and one != NULL]
        return operate("??", (of, others[0])) if others else of

    def _step_of(self, of: Value, name: str, scope: Scope) -> Step | None:
        """Return what a method does to a stream of a library; None for other objects."""
        value: Value | None = of
        for _ in range(30):
            if value is None:
                return None
            is_root = isinstance(value, Apply) and value.of is None
            kind = self.full_type(value) or (value.name if is_root and isinstance(value, Apply) else "")
            wildcards = scope.file.wildcards if kind[:1].isupper() else ()  # a class that no import names
            for package in (kind, *wildcards):
                found = step_of(package, name) if package else None
                if found is not None:
                    return found
            if kind and isinstance(value, Get):
                return None  # a member of a record whose type is another than a stream
            value = value.of if isinstance(value, Apply | Get) else None
        return None

    def _step(self, of: Value, name: str, step: Step, given: list[Given], code: Call, scope: Scope) -> Value:
        """Return the stream after a step: its records are what the functions that it is given make of them."""
        functions, others = self._functions(step, [(key, self._supplied(one, code, scope)) for key, one in given])
        other = next((one for one in others if isinstance(one, Input | Get | Apply)), None)
        element, key, out = self.element(of), Apply("key", of), Items(depth=len(self.guards))
        parts: dict[str, Value] = {"value": element, "key": key, "-": NULL, "out": out, "context": Thing(_CONTEXT)}
        parts["list"] = Apply("each", None, (element,))
        parts["other"] = self.element(other) if other is not None else NULL
        results: list[Value] = []
        start, left = len(self.guards), self._left
        connected = connected_with(of)
        for at, function in enumerate(functions):
            if connected is not None and isinstance(function, Method) and function.name.endswith(CONNECTED):
                parts["value"] = element if function.name.endswith(CONNECTED[0]) else self.element(connected)
            count = self._count(function, max(step.given, default=1))
            is_keying = step.makes == "value" and len(functions) > 1 and at == 0 and count == 2
            wanted = "key value" if is_keying else step.given.get(count, "value")
            parts["result"] = results[-1] if results else NULL
            self.guards.append(Apply("for", None, (origin_of(of),)))
            listed = [("", parts[each]) for each in wanted.split()]
            result = self.call(function, listed, code, scope)
            results.append(out if "out" in wanted.split() else result)
            del self.guards[start:]
            self._left = left
        last = results[-1] if results else None
        if (
            last is None
            and others
            and step.makes.startswith(("value", "pair"))
            and "other" not in step.given.get(2, "")
        ):
            last = Opaque(name, (element, *others))  # an object whose code is not known
        return self._after(of, name, step, last, others)

    def _supplied(self, value: Value, code: Call, scope: Scope) -> Value:
        """Return the object that a step is given by a function without parameters which makes it."""
        if isinstance(value, Closure) and not value.function.parameters:
            made = self.call(value, [], code, scope)
            return made if isinstance(made, Thing) else value
        return value

    def _functions(self, step: Step, given: list[Given]) -> tuple[list[Value], list[Value]]:
        """Return the functions that a step is given, also as objects with the method that is called, and the rest."""
        functions: list[Value] = []
        others: list[Value] = []
        for _, value in given:
            known = value.known if isinstance(value, Thing) else None
            own = value.overridden if isinstance(value, Thing) else {}
            named = (
                one for one in step.methods if one in own or (known is not None and self.program.method(known, one))
            )
            method = next(named, None)
            two = [f"{one}{ending}" for one in step.methods for ending in reversed(CONNECTED)]
            two = [one for one in two if known is not None and self.program.method(known, one)]
            if method is not None:
                functions.append(Method(value, method))
            elif two:  # of the second stream first: what it keeps is there for the first
                functions += [Method(value, one) for one in two]
            else:
                (functions if isinstance(value, Closure | Method) else others).append(value)
        return functions, others

    def _count(self, function: Value, default: int) -> int:
        """Return how many parameters a function has."""
        if isinstance(function, Closure):
            return len(function.function.parameters)
        if isinstance(function, Method):
            own = function.of.overridden.get(function.name) if isinstance(function.of, Thing) else None
            known = function.of.known if isinstance(function.of, Type) else self.known_type(function.of)
            place = self.program.method(known, function.name) if own is None and known is not None else None
            own = place.function if place is not None else own
            return len(own.parameters) if own is not None else default
        return default

    def _after(self, of: Value, name: str, step: Step, result: Value | None, others: list[Value]) -> Value:
        """Return the stream after a step whose functions made a result."""
        other = next((one for one in others if isinstance(one, Input | Get | Apply)), None)
        if other is not None and "other" in step.given.get(2, ""):
            of = Apply("joined", of, (other,), via=name)
        elif others and result is None:
            of = Apply("joined", of, tuple(others), via=name)
        if result is None:
            return of
        if step.makes == "key":
            return Apply("keyed", of, (result,), via=name)
        if step.makes in ("pair", "pairs"):
            pair = self.element(result) if step.makes == "pairs" else result
            new_key, new_value = pair_of(pair)
            made = Apply("mapped", of, (new_value,), via=name)
            return made if new_key is None else Apply("keyed", made, (new_key,), via=name)
        if step.makes == "values":
            return Apply("mapped", of, (self.element(result),), via=name)
        if step.makes == "value":
            return Apply("mapped", of, (result,), via=name)
        if is_test(result) or keeps_elements(name):
            return Apply("filtered", of, (result,), via=name)
        return of

    def _touch(self, of: Value | None, name: str, given: list[Given], values: list[Value]) -> None:
        """Note that a call with an unused result may have changed its object and its arguments."""
        things = [value for value in (of, *(one for _, one in given)) if isinstance(value, Thing | Apply)]
        roots = [root for one in things if (root := _root(one)) is not None]
        way, current = name.rpartition(".")[2], of
        while isinstance(current, Get | Apply) and current.of is not None:  # what a part of the object is given
            way, current = f"{current.name}.{way}", current.of
        if isinstance(of, Get) and isinstance(current, Thing) and current.known is None:
            roots.insert(0, current)
        made = [other for one in (of, *things) if one is not None and (other := _made_root(one)) is not None]
        if not roots and not made:
            return
        shown = Shown()
        listed = ", ".join("itself" if any(one is root for root in roots[:1]) else shown.text(one) for one in values)
        text = _brief(f"{way}({listed})")
        for root in roots:
            if len(root.touched) < _MOST_TURNS * 4:
                root.touched.append(text)
        for one in made:
            changes = self._changed.setdefault(id(one), (one, []))[1]
            if len(changes) < _MOST_TURNS * 4 and text not in changes:  # another view sees the same call
                changes.append(text)
        self.charge(MOST_PARTS - shown.left)

    def _alter(self, of: Value | None, name: str, given: list[Given], values: list[Value], scope: Scope) -> None:
        """Note that a call changes a list, a map or an object that is not known further, which it is of or given."""
        simple = name.rpartition(".")[2].rpartition("::")[2]
        target = of
        if of is None and given and "." in name and of_language(name.rpartition(".")[0], scope.file.language):
            target, values = given[0][1], values[1:]
        elif not (simple in CHANGES or _SETTER.match(simple) or is_container(self._declared_type(of))):
            return
        if isinstance(target, Apply) and target.name == _AFTER:
            target = target.of
        if not isinstance(target, Input | Get | Apply) or _made_root(target) is not None:
            return
        if self.is_scalar(target) and not elements_of(self._declared_type(target)):
            return
        tests = [self._show(one) for one in self.guards if not is_turn(one)]
        call = _brief(f"{simple}({', '.join(map(self._show, values))})" + "".join(f" if {one}" for one in tests))
        changes = self._altered.setdefault(self._which(target), [])
        if call not in changes and len(changes) < _MOST_TURNS * 4:
            changes.append(call)
        if isinstance(target, Get):
            self.set_member(target.of, target.name, self._by_now(target))

    @staticmethod
    def _declared_type(value: Value | None) -> str:
        return value.type.partition("\0")[0] if isinstance(value, Input | Get | Apply) else ""

    def _by_now(self, value: Value) -> Value:
        """Return a value with the calls that changed it since the function began."""
        if not self._altered or not isinstance(value, Input | Get | Apply) or getattr(value, "name", "") == _AFTER:
            return value
        changes = self._altered.get(self._which(value))
        if not changes:
            return value
        return Apply(_AFTER, value, tuple(Const(Kind.TEXT, one) for one in changes), (), value.type)

    # --- objects

    def _new(self, code: New, scope: Scope) -> Value:
        given = self._arguments(code.arguments, scope)
        members = [(one.name, self.value(one.value, scope)) for one in code.members]
        name = base_type(code.type)
        known = self.program.class_of(code.type, scope.file, scope.known) if name not in ("[]",) else None
        if known is not None and code.body is None:
            return self._construct(known, given, members, code.line)
        if name == "[]":
            return Items([value for _, value in (*given, *members)], len(self.guards))
        full = self.qualify(name, scope.file) if name else self.OPEN
        thing = Thing(
            full, None, dict(members), tuple(value for _, value in given), depth=len(self.guards), line=code.line
        )
        for key, value in given:
            if key:
                thing.fields.setdefault(key, value)
        if code.body is not None:
            thing.overridden = {one.name: one for one in code.body.functions if one.body is not None}
            if known is not None:
                thing.known = known
                self._initialize(thing, known)
        simple = full.rpartition(".")[2]
        if simple.endswith(("List", "Set", "Queue", "Deque", "Buffer")) and not members and code.body is None:
            copied = next((value.values for _, value in given if isinstance(value, Items)), [])
            is_named = any(isinstance(value, Const) and value.kind is Kind.TEXT for _, value in given)  # no list is
            others = any(isinstance(value, Thing | Input | Get | Apply) for _, value in given)
            if copied or not (others or is_named):
                return Items(list(copied), len(self.guards))
        if simple.endswith("Map"):
            table = self._table_of(thing.arguments[0]) if len(thing.arguments) == 1 else None
            if table is not None:
                return table
            thing.type = "" if not thing.arguments else thing.type
        place = (scope.file.path, code.line)
        self._watch(self, Made(None, f"new {full}", tuple(given), place, tuple(self.guards), scope.file))
        for _, value in given:
            if isinstance(value, Closure):  # a promise and a thread run what they are given
                self._callback(Ref(full), value, given, Call(Name(full), code.arguments, code.line), scope)
        if simple in self.program.records:
            self.records.append(thing)
        return thing

    def _construct(self, known: Known, given: list[Given], members: Sequence[Given], line: int) -> Value:
        thing = Thing(known.cls.name, known, depth=len(self.guards), line=line)
        if any(base_type(one).rpartition(".")[2] in SETTINGS_BASES for one in known.cls.supers):
            thing.fields |= self._set_outside(known)
        if known.file.language == "go" and known.cls.supers and not any(key for key, _ in given):
            names = [
                *(base_type(one).rpartition(".")[2] for one in known.cls.supers),
                *(one.name for one in known.cls.fields),
            ]
            if len(names) == len(given):  # a struct has the parts that it embeds under the names of their types
                given, members = [], [(name, value) for name, (_, value) in zip(names, given, strict=True)]
        for key, value in members:
            if key == "*":
                thing.base = value
        new = self._constructor(known, len(given))
        if new is not None and not new.function.getter:
            self._initialize(thing, known)
            self._invoke(new.function, Scope(new.file, None, thing, new.known), given)
        else:
            self._fill(thing, known, given)  # what it is given is there before what the class makes of it
            self._initialize(thing, known)
            if new is not None:
                self._invoke(new.function, Scope(new.file, None, thing, new.known), [])
        for key, value in members:
            part = self._embedded(known, key) if key and self.program.field(known, key) is None else None
            if part is not None and part.cls.kind != "interface":
                thing.fields |= {one.name: self.member(value, one.name) for _, one in self.program.fields(part)}
            elif key and key != "*":
                thing.fields[key] = self._as_field(known, key, value)
        if known.cls.name in self.program.rows:
            self.records.append(thing)
        if self.keeps:
            self.made.setdefault(id(known.cls), []).append(thing)
        return thing

    def _fill(self, thing: Thing, known: Known, given: list[Given]) -> None:
        """Set the fields of a class without a constructor by the order of the values, or by their names.

        Where a class has a header with what it is given, that is the order of its own fields.
        """
        fields = list(self.program.fields(known))
        named = {one.name: (owner, one) for owner, one in fields}
        own = [(known, one) for one in known.cls.fields if not one.static]
        fields = own if own and known.file.language in IMPLICIT else fields
        place = 0
        for key, value in given:
            if key == "*":
                thing.base = self.declared(value, known.cls.name, known.file, known)
            elif key:
                owner, one = named.get(key, (known, ir.Field(key)))
                thing.fields[key] = self.declared(value, one.type, owner.file, owner)
            elif place < len(fields):
                owner, one = fields[place]
                thing.fields[one.name] = self.declared(value, one.type, owner.file, owner)
                place += 1
            else:
                thing.touched.append(_brief(f"made of {self._show(value)}"))

    def _constructor(self, known: Known, count: int | None = None) -> Place | None:
        for owner in (known, *self.program.supers(known)):
            named = [one for one in self.program.members(owner) if one.name in CONSTRUCTORS]
            fitting = [one for one in named if count is None or accepts(one, count)] or named
            if fitting:
                longest = fitting[0] if count is not None else max(fitting, key=lambda one: len(one.parameters))
                return Place(longest, owner.file, owner)
            if owner.cls.kind in ("record", "data"):
                return None
        return None

    def _initialize(self, thing: Thing, known: Known) -> None:
        for owner, one in self.program.fields(known):
            if one.value is not None and one.name not in thing.fields:
                scope = Scope(owner.file, None, thing, owner)
                thing.fields[one.name] = self.converted(self.value(one.value, scope), one.type, scope)
        self._block((*known.cls.statements, ir.Block(())), Scope(known.file, None, thing, known))

    # --- functions

    def _invoke(self, function: Function, scope: Scope, given: list[Given]) -> Value:
        """Return what a function of the program returns; *scope* is what it is defined in."""
        if function.body is None:
            return Opaque(f"{function.name} without a body", tuple(value for _, value in given))
        if scope.file.language in CURRIED and (rest := _left_open(function, given)):
            self._parameters(function, scope, given)
            self.visited.add(id(function))
            return Closure(replace(function, name="", parameters=rest, notes=()), scope, scope.this)
        same = [frame for frame in self._frames if frame.function is function]
        is_other = isinstance(scope.this, Thing) and all(frame.this is not scope.this for frame in same)
        if len(self._frames) > _DEEPEST or len(same) > (_MOST_NESTED if is_other else 1):
            if len(self._frames) > _DEEPEST:
                self.spent = True
            return Opaque(f"{function.name} calls itself", tuple(value for _, value in given))
        if self._frames:
            self.entered.setdefault(id(function), set()).add(id(self._frames[0].function))
        if self._makes_watcher(function, scope):
            return self._input(function.name, function.type, scope.file, scope.known)
        self.visited.add(id(function))
        site, at = self._site, self._at
        self._at = (scope.file.path, function.line or 1)
        names = {function.name, scope.known.cls.name if function.name in CONSTRUCTORS and scope.known else ""}
        self.followed |= {(*site, name) for name in names}
        self._parameters(function, scope, given)
        frame = _Frame(function, site, scope.file.path, scope, scope.this, guards=len(self.guards))
        kinds, called = self._kinds_given
        frame.classes = self._classes_meant(function, scope) if function.kinds else {}
        frame.kinds = {kind: known.cls.name for kind, known in frame.classes.items()}
        if called == function.name and len(kinds) == len(function.kinds):
            for kind, given_kind in zip(function.kinds, kinds, strict=True):
                known = self._frames[-1].classes.get(given_kind) if self._frames else None
                known = known or self.program.class_of(given_kind, scope.file, scope.known)
                frame.classes |= {kind: known} if known is not None else {}
                frame.kinds |= {kind: self._meant(given_kind)}
        self._kinds_given = (), ""
        left, self._left = self._left, None
        exits, self._exits = self._exits, []
        self._frames.append(frame)
        self._discarded = _returns_by_word(function, scope.file.language)
        result = self.value(function.body, scope)
        self._ended += [tests for leave, tests in self._exits if leave is Leave.OUTER]
        if self._left is Leave.OUTER:
            self._ended.append(tuple(self.guards))
        self._exits = exits
        self._frames.pop()
        self._at = at
        ended, self._left = self._left, left
        del self.guards[frame.guards :]
        for conditions in (self.guards, *(one.thrown for one in self._frames[-1:])):
            before = set(conditions)
            conditions += [one for one in dict.fromkeys(frame.thrown) if one not in before]
        if ended is Leave.THROW and not frame.returned:
            self._left = Leave.THROW
        if frame.yielded:
            return Items(frame.yielded, len(self.guards), yielded=True)
        if not frame.returned:
            return self.converted(result, function.type, scope)
        value = result if ended is None else frame.returned[-1][1]
        value = self.converted(value, function.type, scope)
        returned = frame.returned if ended is None else frame.returned[:-1]
        for test, one in reversed(returned):
            value = choose(test, one, value)
        return value

    def _classes_meant(self, function: Function, scope: Scope) -> dict[str, Known]:
        """Return the classes that a function's type parameters stand for, by what it is given."""
        found: dict[str, Known] = {}
        for one in function.parameters:
            kind = base_type(one.type)
            known = self.known_type(scope.variables[one.name]) if kind in function.kinds else None
            if known is not None:
                found.setdefault(kind, known)
        return found

    def _makes_watcher(self, function: Function, scope: Scope) -> bool:
        """Return whether a function is declared to return what only watches the program.

        How that is made has no part in what is sent.
        """
        name = base_type(function.type)
        is_own = self.program.class_of(function.type, scope.file, scope.known) is not None
        return bool(name) and not is_own and watches(self.qualify(name, scope.file))

    def _parameters(self, function: Function, scope: Scope, given: list[Given]) -> None:
        named = {key: value for key, value in given if key and key != "*"}
        listed = [value for key, value in given if not key]
        spread = next((value for key, value in given if key == "*"), None)
        place = 0
        own = {one.name for one in function.parameters}
        others = {key: value for key, value in named.items() if key not in own}
        rests = [one for one in function.parameters if one.rest]
        for one in function.parameters:
            if one.rest and others and one is rests[-1] and (len(rests) > 1 or place >= len(listed)):
                self._bind(scope, one.name, Thing("", None, dict(others), depth=len(self.guards)))
                continue
            if one.rest and one.name in named:  # as an entry is given it
                self._bind(scope, one.name, named[one.name])
                continue
            if one.rest:
                rest = listed[place:]
                place = len(listed)
                self._bind(scope, one.name, Items(list(rest), len(self.guards)) if rest or spread is None else spread)
                continue
            if one.name in named:
                value = named[one.name]
            elif place < len(listed):
                value = listed[place]
                place += 1
            elif spread is not None:
                value = Get(spread, one.name)
            elif one.default is not None:
                value = self.value(one.default, scope)
            else:
                value = NULL
            self._bind(scope, one.name, self.converted(value, one.type, scope))


def _is_constant(value: Value) -> bool:
    """Return whether a value is a constant of an enumeration of the program."""
    return isinstance(value, Apply) and value.of is None and value.name == "enum"


_SO_FAR = Ref("so far")
"""What a loop or a fold made in the turns before."""


def _next_of(value: Value, turn: Apply) -> Value | None:
    """Return what a loop makes of a variable in each turn; None if it does more than to add to it, or the like."""
    if value is turn:
        return _SO_FAR
    if isinstance(value, Cond):
        ways = _next_of(value.then, turn), _next_of(value.otherwise, turn)
        listed = [one for one in conjuncts(value.test) if not (isinstance(one, Apply) and one.name == "&&")]
        tests = [one for one in listed if not is_turn(one)]
        if None in ways or _holds_turn(value.test, turn):
            return None
        then, otherwise = (_SO_FAR if one is None else one for one in ways)
        return reduce(lambda found, test: choose(test, found, otherwise), tests, then)
    if isinstance(value, Apply) and value.of is None and value.name in ("+", "*") and len(value.arguments) == 2:
        first, second = value.arguments
        first, second = (second, first) if second is turn else (first, second)
        if first is turn and not _holds_turn(second, turn):
            return Apply(value.name, None, (_SO_FAR, second))
    return None


def _holds_turn(value: Value, turn: Apply, depth: int = 0) -> bool:
    """Return whether a value has the value of a variable in a turn as a part; one that is too deep may have it."""
    if value is turn or depth > _DEEPEST:
        return True
    inside: tuple[Value | None, ...] = ()
    match value:
        case Apply(of=of, arguments=arguments):
            inside = (of, *arguments)
        case Get(of=of):
            inside = (of,)
        case Cond(test=test, then=then, otherwise=otherwise):
            inside = (test, then, otherwise)
        case Thing(fields=fields, base=base):
            inside, depth = (base, *fields.values()), depth + _MOST_TURNS
        case Items(values=values) | Opaque(parts=values):
            inside, depth = tuple(values), depth + _MOST_TURNS
    return any(one is not None and _holds_turn(one, turn, depth + 1) for one in inside)


def _sum_of(sequence: Value | None, element: Value) -> Value:
    """Return the sum of what is made of each element of a sequence, as a loop over it has it."""
    total = _added(element)
    while isinstance(sequence, Apply) and sequence.of is not None:
        for test in sequence.arguments if sequence.name == "filtered" else ():
            total = choose(test, total, _SO_FAR)
        sequence = sequence.of
    return Apply("folded", None, (total, Const(Kind.NUMBER, "0")))


def _added(element: Value) -> Value:
    if isinstance(element, Cond):
        return choose(element.test, _added(element.then), _added(element.otherwise))
    return _SO_FAR if element == NULL else Apply("+", None, (_SO_FAR, element))


def _loaded_by(code: Call) -> Iterator[ir.Expression]:
    """Yield the functions in the list of those that return settings, which a module of settings is given."""
    for one in code.arguments:
        for key, value in one.value.entries if isinstance(one.value, ir.Record) else ():
            if key == Literal(Kind.TEXT, LOADS) and isinstance(value, ir.Sequence):
                yield from value.items


def _left_open(function: Function, given: Sequence[Given]) -> tuple[ir.Parameter, ...]:
    """Return the parameters of further lists that a call gives nothing for, so that it returns a function of them."""
    named = {name for name, _ in given if name}
    places = sum(not name for name, _ in given)
    rest = function.parameters[places:]
    is_open = bool(given) and "*" not in named and function.name not in CONSTRUCTORS
    if not is_open or any(one.rest for one in function.parameters):
        return ()
    needed = [one for one in rest if one.default is None and one.name not in named]
    return tuple(rest[rest.index(needed[0]) :]) if needed and len(needed) < len(function.parameters) else ()


def _filled_in(function: Function) -> frozenset[str]:
    """Return the variables of a function on which it calls methods that put a value under a key: they are maps."""
    found = set()
    for one in walk(function.body):
        if isinstance(one, Call) and isinstance(one.function, Member) and isinstance(one.function.of, Name):
            is_key = len(one.arguments) == 2 and isinstance(one.arguments[0].value, Literal)
            if is_key and one.function.name in PUTS:
                found.add(one.function.of.name)
    return frozenset(found)


_OF_SECTION = re.compile(r"ConfigType<typeof (\w+)>")
_MAKES = re.compile(r"(?:valueOf|from|From|parse|Parse|decode|deserialize|model_validate|load)(?![a-z])")
"""How methods of a class begin that make an object of it from another form; the class may have them from a library."""


def _variable_at(code: ir.Expression) -> str:
    """Return the variable whose address code takes; empty for other code."""
    is_address = isinstance(code, ir.Operation) and code.operator == "&" and len(code.operands) == 1
    name = code.operands[0] if isinstance(code, ir.Operation) and is_address else None
    return name.name if isinstance(name, Name) else ""


def _at(code: Call, scope: Scope) -> tuple[str, int]:
    """Return where the name of what is called is."""
    line = code.function.line if isinstance(code.function, Member) else 0
    return scope.file.path, line or code.line


def _kinds(thing: Thing, program: Program) -> set[str]:
    """Return the names of the class of an object, and of the classes that it extends."""
    above = program.supers(thing.known) if thing.known is not None else []
    return {thing.type.rpartition(".")[2], f"{thing.type}Attribute", *(one.cls.name for one in above)}


def _words_of(name: str) -> list[str]:
    """Return the name of a function and of the class that has it."""
    return name.replace("::", ".").split(".")[-2:]


def _is_module(imported: str) -> bool:
    """Return whether an import of JavaScript names a module, and nothing in it."""
    last = imported.rpartition("/")[2]
    return "." not in last or not last.strip(".")


def _is_number(value: Value) -> bool:
    """Return whether a value is a number or a time that is known as it is written, or a flag."""
    match value:
        case Const(kind=kind):
            return kind is not Kind.TEXT
        case Ref(name=name):
            return "." in name
        case Apply(arguments=arguments, of=of):
            return all(map(_is_number, arguments)) and (of is None or _is_number(of)) and bool(arguments)
    return False


def _name_of(value: Value) -> str:
    return value.name if isinstance(value, Apply | Get) else ""


def _simple(name: str) -> str:
    """Return the last part of a full name without types."""
    return name.partition("<")[0].rpartition(".")[2]


def _set_inside(statements: Sequence[object]) -> Iterator[ir.Declare | ir.Assign]:
    """Yield what sets a variable inside statements, but for those of functions and classes."""
    waiting: list[object] = [
        getattr(one, name) for one in statements if not isinstance(one, ir.Declare | ir.Assign | Function | ir.Class)
        for name in parts_of(type(one)) or ()
    ]  # fmt: skip
    while waiting:
        one = waiting.pop()
        if isinstance(one, tuple):
            waiting.extend(reversed(one))
        elif isinstance(one, ir.Declare | ir.Assign):
            yield one
        elif not isinstance(one, Function | ir.Class | ir.Lambda) and (names := parts_of(type(one))) is not None:
            waiting.extend(getattr(one, name) for name in reversed(names))


def _types_of_go(function: ir.Expression) -> list[str]:
    """Return the types that a call of a generic function of Go has in brackets, as it names them."""
    if not isinstance(function, ir.Index):
        return []
    listed = function.key.items if isinstance(function.key, ir.Sequence) else (function.key,)
    return [code_text(one) for one in listed]


def _package_named(imported: str, file: ir.File) -> str:
    """Return what a file calls a package that it imports."""
    return next((name for name, full in file.imports.items() if full == imported), imported)


def _names_file(value: Value, depth: int = 0) -> bool:
    """Return whether a value is made of the name of a file of settings."""
    if isinstance(value, Const):
        return value.text.endswith(_OF_SETTINGS)
    inside = (*value.arguments, value.of) if isinstance(value, Apply) and depth < _MOST_NESTED else ()
    return any(one is not None and _names_file(one, depth + 1) for one in inside)


@lru_cache(maxsize=4096)
def _brief(text: str) -> str:
    """Return a text, or of a long one its start and what tells it from others."""
    if len(text) <= _LONGEST:
        return text
    return f"{text[:_LONGEST]}… {hashlib.sha256(text.encode()).hexdigest()[:16]}"


def extending(value: Closure, kind: str) -> Closure:
    """Return a lambda as a function that extends an object, as the type of where it goes says in Kotlin."""
    listed = value.function.parameters
    if listed and listed[0].name == "this":
        return value
    has_none = len(listed) == 1 and listed[0].name == "it" and kind.partition(".(")[2].lstrip().startswith(")")
    listed = tuple(replace(one, default=None) if one.name == "it" else one for one in listed)
    receiver = ir.Parameter("this", kind.partition(".(")[0].strip("( "))
    return replace(value, function=replace(value.function, parameters=(receiver, *(() if has_none else listed))))


def _is_abstract(function: Function) -> bool:
    """Return whether a function is only a promise: nothing is in it that does anything."""
    return any(note.name == "abstractmethod" for note in function.notes)


def _accessor(name: str) -> str:
    """Return the member that a method without arguments returns by its name; empty if it does not say."""
    for prefix in ("get", "is"):
        rest = name[len(prefix) :]
        if name.startswith(prefix) and rest[:1].isupper():
            return _lower(rest)
    return ""


def _shown(name: str, value: Value) -> Value:
    """Return the value of a variable; of one that holds a secret, its name: no topic or finding shows the secret."""
    is_text = isinstance(value, Const) and value.kind is Kind.TEXT
    return Ref(name) if is_text and is_secret_variable(name) else value


def _lower(name: str) -> str:
    return name[:1].lower() + name[1:]


def _copied_from(value: Value) -> Value:
    """Return what a copy was made of: it is there if that is."""
    while isinstance(value, Thing) and value.base is not None:
        value = value.base
    return value


def _takes_function(name: str) -> bool:
    return name in MAPS or name in SOME or keeps_elements(name)


def _exists(of: Value, test: Value, name: str) -> Value:
    """Return whether something holds for one, all or none of the elements of a sequence, in one form."""
    one, holds = SOME[name]
    found = Apply("exists", None, (of, test if holds else negate(test)))
    return found if one else negate(found)


def _filled_in_template(name: str, template: str, values: Sequence[Value]) -> Value | None:
    """Return the text that a function makes of a template; None if it is not known what it makes."""
    parts = parts_of_template(name, template)
    if parts is None or any(not isinstance(one, str) and one[0] >= len(values) for one in parts):
        return None
    shown = [
        Const(Kind.TEXT, one)
        if isinstance(one, str)
        else Apply("format", None, (values[one[0]], Const(Kind.TEXT, one[1])))
        if one[1]
        else values[one[0]]
        for one in parts
    ]
    return joined_text(shown)


def _is_collection(value: Value) -> bool:
    """Return whether a value is a list or a map that the program makes."""
    return isinstance(value, Items) or (isinstance(value, Thing) and value.known is None and not value.type)


def _succeeds(effect: Value, tests: tuple[Value, ...]) -> Value:
    """Return the condition that an effect which is given tests does not fail: a test, if it only fails by one."""
    one: Value | None = effect
    fails = any(word in Shown().text(effect).lower() for word in ("fail", "raise"))
    while isinstance(one, Apply) and len(tests) == 1 and fails:
        called = one.name.rpartition(".")[2]
        if called in FAILS:
            return tests[0] if FAILS[called] else negate(tests[0])
        one = one.of
    return Apply("succeeds", None, tests)


def _breaks(code: ir.Expression) -> bool:
    last = code.statements[-1] if isinstance(code, Block) and code.statements else code
    return isinstance(last, ir.Exit) and last.leave is Leave.BREAK


def _returns_by_word(function: Function, language: str) -> bool:
    """Return whether what the last statement of a function is worth is not what the function returns."""
    if language in STATEMENTS:
        return bool(function.name) or language != "kotlin"
    return bool(function.name) and function.type in ("Unit", "()", *([""] if language == "rust" else []))


def _made_root(value: Value) -> Apply | None:
    """Return the object of a library, made without `new`, that members are asked for before it is changed."""
    for _ in range(_MOST_TURNS):
        if not isinstance(value, Apply | Get) or value.of is None:
            break
        value = value.of
    return value if isinstance(value, Apply) and is_made(value) else None


def _root(value: Value) -> Thing | None:
    """Return the object that a chain of calls begins with; None if it begins with another value."""
    for _ in range(40):
        if isinstance(value, Thing):
            return value
        if isinstance(value, Apply) and value.of is not None:
            value = value.of
        else:
            return None
    return None


def _is_of_library(value: Value) -> bool:
    """Return whether a library made an object, and was given nothing that could make it one of the program."""
    while isinstance(value, Apply | Get):
        if isinstance(value, Apply):
            if any(is_function(one) or isinstance(one, Type | Input | Opaque) for one in value.arguments):
                return False
            if any(isinstance(one, Thing) and one.known is not None for one in value.arguments):
                return False
            if value.of is None:
                return "." in value.name or is_made(value)
        if value.of is None:
            return False
        value = value.of
    return False
