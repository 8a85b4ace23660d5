"""The code that may have a part in what some functions send: what leads to them, and what all of that uses.

Of a function that leads to another one, the statements count that decide whether and with what it does; a function that
is called on the way counts whole. What others share with these counts, too: the members of objects and the variables
that they set, what a library keeps for them, and the objects that they provide or make.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from posixpath import dirname

from scanner_programs import ir
from scanner_programs.calls import called_as, names_in, types_in
from scanner_programs.ir import walk
from scanner_programs.libraries.rows import plain
from scanner_programs.libraries.standard import ADDS, CONSTRUCTORS, IMPLICIT, PUTS
from scanner_programs.program import Known, Place, Program, base_type, in_package
from scanner_programs.residue import leading_to
from scanner_programs.shared_states import SharedState, SharedStates, of_language
from scanner_programs.stores import tables_in, triggering, triggers_of

_MOST_ROUNDS = 4
_ALL = 1_000
"""Calls over which what leads to a function is followed: more than any program has."""
_OF_SETTERS = 2
"""Calls over which what leads to code that sets something is followed."""
_WORD = re.compile(r"\w+")
_THIS = ("this", "self", "Self", "super", "cls")


@dataclass(slots=True)
class Near:
    """Code that counts: functions as a whole, parts of others, and classes, each by its identity."""

    whole: dict[int, Place] = field(default_factory=dict)
    parts: dict[int, Place] = field(default_factory=dict)
    classes: dict[int, Known] = field(default_factory=dict)

    def places(self) -> Iterator[Place]:
        """Yield the functions and parts of functions."""
        yield from self.whole.values()
        yield from self.parts.values()


class Nearness:
    """Finds the code near functions of a program; *others* are names that functions have elsewhere, by their own.

    *silent* says which statements of a function only watch the program.
    """

    def __init__(
        self,
        program: Program,
        others: Mapping[str, Collection[str]],
        silent: Callable[[Place], Callable[[object], bool]],
    ) -> None:
        self._program, self._others, self._silent = program, others, silent
        self._shared = SharedStates(program)
        self._users: dict[str, list[Place]] = defaultdict(list)
        for place in program.places:
            for name in dict.fromkeys(names_in(place.function)):
                self._users[name].append(place)
        self._variables: dict[str, list[tuple[Place, int]]] = defaultdict(list)
        for place in (one for one in program.places if not one.function.name and one.function.body is not None):
            for code in place.function.body.statements if place.function.body is not None else ():
                for name in _set_by(code):
                    self._variables[name].append((place, id(code)))
        self._found = Near()
        self._code: dict[int, set[int]] = defaultdict(set)
        self._above: dict[int, int] = {}
        self._waiting: list[tuple[Place, Collection[int]]] = []
        self._entered: dict[int, Place] = {}
        self._ways: dict[str, set[str]] = defaultdict(set)
        self._read: dict[int, tuple[Place, list[object]]] = {}
        self._setting: dict[int, list[tuple[SharedState, object]]] = {}

    def of(self, seeds: Iterable[Place]) -> Near:
        """Return the code near functions, with these."""
        for place in seeds:
            self._add(place, above=_ALL)
            self._add_unseen(place)
        for _ in range(_MOST_ROUNDS):
            while self._waiting:
                self._follow(*self._waiting.pop())
            self._add_setters()
            self._add_kept()
            self._add_provided()
            self._add_triggers()
            if not self._waiting:
                break
        return self._found

    def _add_unseen(self, place: Place) -> None:
        """Add the classes of a package that lacks code which a function uses: it may give objects of any of them.

        Of their functions, those count that no code names: what writes an object asks for them by name.
        """
        file = place.file
        if file.language not in IMPLICIT:  # others import what they use of their package
            return
        used = (one.function for one in walk(place.function) if isinstance(one, ir.Call))
        names = {one.of.name for one in used if isinstance(one, ir.Member) and isinstance(one.of, ir.Name)}
        known = {*file.imports, *self._program.classes, *_THIS}
        states = {one.name for listed in self._program.classes.values() for each in listed for one in each.cls.fields}
        if all(one in known | states or self._shared.is_local(one, place) for one in names):
            return
        for listed in self._program.classes.values():
            for one in (one for one in listed if one.file.package == file.package):
                self._hold(one.cls.name)
        for other in self._program.places:
            is_held = other.known is not None and id(other.known.cls) in self._found.classes
            if is_held and not self._users.get(other.function.name):
                self._add(other)

    def _add(self, place: Place, *, above: int = 0) -> None:
        """Add a function as a whole, and with *above* what leads to it over so many calls."""
        if id(place) not in self._found.whole:
            self._found.whole[id(place)] = place
            self._found.parts.pop(id(place), None)
            self._waiting.append((place, ()))
        self._lead(place, above)

    def _add_part(self, place: Place, code: Collection[int], above: int) -> None:
        """Add what leads to some code of a function."""
        key = id(place)
        if key not in self._found.whole and not self._code[key].issuperset(code):
            self._code[key].update(code)
            self._found.parts[key] = Place(leading_to(place.function, self._code[key]), place.file, place.known)
            self._waiting.append((self._found.parts[key], self._code[key]))
        self._lead(place, above)

    def _lead(self, place: Place, above: int) -> None:
        """Add what leads to a function over a number of calls, and what makes the objects that it belongs to."""
        if above <= self._above.get(id(place), 0):
            return
        self._above[id(place)] = above
        names = called_as(place, self._others)
        owner = place.known.cls.name if place.known is not None else ""
        is_called = False
        for user in {id(one): one for name in (*names, owner) for one in self._users.get(name, ())}.values():
            code = set(self._calling(user, place, names)) if user is not place else ()
            is_called |= bool(code)
            code = {*code, *_making(user.function, owner)}
            if code and user is not place:
                self._add_part(user, code, above - 1)
            if code and above > _OF_SETTERS and user is not place:
                self._ways[user.name].update(name for one in names for name in (one, plain(one)))
        if not is_called and above > _OF_SETTERS and place.function.name:
            self._entered[id(place)] = place

    def _calling(self, user: Place, place: Place, names: Collection[str]) -> Iterator[int]:
        """Yield the code of a function that calls another one, or gives it to something that may."""
        called: set[int] = set()
        for one in walk(user.function):
            if isinstance(one, ir.Call) and isinstance(one.function, ir.Name | ir.Member):
                called.add(id(one.function))
                if plain(one.function.name) in names and self._shared.may_call(one, user, place):
                    yield id(one)
            elif isinstance(one, ir.Name | ir.Member) and id(one) not in called and plain(one.name) in names:
                of = one.of if isinstance(one, ir.Member) else None
                if self._shared.may_be_of(of, user, place):
                    yield id(one)

    def _follow(self, place: Place, leading: Collection[int]) -> None:
        """Add what a function or a part of one uses, but for the code that leads to what is known."""
        listed = self._relevant(place)
        called = {id(one.function) for one in listed if isinstance(one, ir.Call)}
        for one in listed:
            if id(one) in leading:
                continue
            if isinstance(one, ir.Call):
                self._use(one.function, place, one)
            elif isinstance(one, ir.Name | ir.Member) and id(one) not in called:
                self._use(one, place, None)
            elif isinstance(one, ir.New):
                self._make(one.type)
            elif isinstance(one, ir.Field | ir.Parameter | ir.Function | ir.Declare) and one.type:
                self._hold(one.type)
        if place.known is not None:
            self._hold(place.known.cls.name)

    def _relevant(self, place: Place) -> list[object]:
        """Return the code of a function without what only watches the program, and without what is made for that."""
        if id(place) not in self._read:
            self._read[id(place)] = place, [*self._code_of(place)]
        return self._read[id(place)][1]

    def _code_of(self, place: Place) -> Iterator[object]:
        is_silent = self._silent(place)
        used, targets = set[str](), set[int]()
        listed: list[object] = []
        stack: list[object] = [place.function]
        while stack:
            one = stack.pop()
            if isinstance(one, tuple):
                stack.extend(each for each in one if not is_silent(each))
            elif (parts := ir.parts_of(type(one))) is not None:
                listed.append(one)
                if isinstance(one, ir.Declare) and isinstance(one.target, ir.Name):
                    targets.add(id(one.target))
                stack.extend(getattr(one, name) for name in parts)
        used = {one.name for one in listed if isinstance(one, ir.Name) and id(one) not in targets}
        unused = [one for one in listed if isinstance(one, ir.Declare) and _is_unused(one, used)]
        left = {id(each) for one in unused for each in walk(one)}
        yield from (one for one in listed if id(one) not in left)

    def _use(self, code: ir.Expression, place: Place, call: ir.Call | None) -> None:
        """Add what an expression is or calls."""
        if not isinstance(code, ir.Name | ir.Member):
            return
        name = plain(code.name)
        of = code.of if isinstance(code, ir.Member) else None
        if of is None and self._shared.is_local(name, place):
            return
        for other in (*self._program.functions.get(name, ()), *self._program.methods.get(name, ())):
            if id(other) not in self._found.whole and (
                self._shared.may_call(call, place, other)
                if call is not None
                else self._shared.may_be_of(of, place, other)
            ):
                self._add(other)
        for other in self._program.extending.get(name, ()):
            self._add(other)
        for beside, statement in self._variables.get(code.name, ()):
            if _may_be_variable(of, place.file, beside.file, code.name):
                self._add_part(beside, {statement}, 0)
        if name in self._program.classes:
            self._make(name)

    def _make(self, kind: str) -> None:
        """Add the classes in a type, and what makes an object of one."""
        self._hold(kind)
        for known in self._program.classes.get(base_type(kind).rpartition(".")[2], ()):
            for other in self._program.methods.get(known.cls.name, ()):  # a constructor that has its name
                if other.known is known:
                    self._add(other)
            for name in CONSTRUCTORS:
                for other in self._program.methods.get(name, ()):
                    if other.known is known:
                        self._add(other)

    def _hold(self, kind: str) -> None:
        """Add the classes in a type, those above them, and those of their members."""
        for name in _WORD.findall(kind):
            for known in self._program.classes.get(name, ()):
                if id(known.cls) not in self._found.classes:
                    self._found.classes[id(known.cls)] = known
                    values = tuple(one.value for one in known.cls.fields if one.value is not None)
                    code = ir.Block((*values, *known.cls.statements))
                    self._waiting.append((Place(ir.Function("", (), code), known.file, known), ()))
                    for one in known.cls.fields:
                        self._hold(one.type)
                    for above in self._program.supers(known):
                        self._hold(above.cls.name)

    def _add_setters(self) -> None:
        """Add how other functions set what the code reads: members of objects, and variables."""
        read: dict[str, set[SharedState]] = defaultdict(set)
        for place in [*self._found.places()]:
            for state in self._shared.read(place):
                read[state.name].add(state)
        for place in self._program.places:
            if id(place) not in self._found.whole and place.function.name not in CONSTRUCTORS:
                if id(place) not in self._setting:
                    self._setting[id(place)] = [*self._shared.set_by(place)]
                code = {
                    id(one)
                    for state, one in self._setting[id(place)]
                    if any(self._shared.is_one(state, other) for other in read.get(state.name, ()))
                }
                if code:
                    self._add_part(place, code, _OF_SETTERS)

    def _add_kept(self) -> None:
        """Add what others give to what keeps it, if the code takes something from there."""
        keepers: dict[str, set[str]] = defaultdict(set)
        for place in [*self._found.places()]:
            for call, keeper in self._keepers(place):
                if not self._shared.is_done(call, place):
                    keepers[keeper] |= self._things(place)
        for place in self._program.places if keepers else ():
            if id(place) in self._found.whole:
                continue
            code = set()
            for call, keeper in self._keepers(place):
                is_written = call.arguments and (self._shared.is_done(call, place) or plain(_name(call)) in PUTS | ADDS)
                if keeper in keepers and is_written:
                    is_meant = keeper in self._program.classes or not keepers[keeper].isdisjoint(self._things(place))
                    code |= {id(call)} if is_meant else set()
            if code:
                self._add_part(place, code, _OF_SETTERS)

    def _keepers(self, place: Place) -> Iterator[tuple[ir.Call, str]]:
        """Yield the calls of what the program does not implement, each with its type, or the name that it has."""
        for call in (one for one in self._relevant(place) if isinstance(one, ir.Call)):
            of = call.function.of if isinstance(call.function, ir.Member) else None
            if of is not None and (keeper := self._shared.keeper(of, place)):
                yield call, keeper

    def _things(self, place: Place) -> set[str]:
        """Return the classes that a function names, and the tables in its statements of SQL."""
        listed = self._relevant(place)
        texts = (one.text for one in listed if isinstance(one, ir.Literal) and one.kind is ir.Kind.TEXT)
        names = {one.name for one in listed if isinstance(one, ir.Name)}
        names |= {word for kind in types_in(place.function) for word in _WORD.findall(kind)}
        names |= {word for one in listed if isinstance(one, ir.New) for word in _WORD.findall(one.type)}
        given = (one.arguments for one in listed if isinstance(one, ir.Call))
        imported = {one.name for each in given for one in walk(each) if isinstance(one, ir.Name)}
        return {
            *names.intersection(self._program.classes),
            *imported.intersection(place.file.imports),
            *(f"table {one}" for text in texts for one in tables_in(text)),
        }

    def _add_provided(self) -> None:
        """Add what provides the objects that the classes hold, or is given them by a framework to change them."""
        held = {one for known in self._found.classes.values() for one in self._held_in(known)}
        for place in self._program.places:
            function = place.function
            is_held = place.known is not None and id(place.known.cls) in self._found.classes
            if is_held and _is_accessor(function) and not self._users.get(function.name):
                self._add(place)  # what writes an object asks for it by name
            if id(place) in self._found.whole or function.body is None or not function.notes:
                continue
            noted = {one for note in function.notes for each in note.arguments for one in names_in(each.value)}
            if any(id(one.cls) in self._found.classes for name in noted for one in self._program.classes.get(name, ())):
                self._add(place)  # a library calls it because of the objects of the class
                continue
            taken = {base_type(one.type).rpartition(".")[2] for one in function.parameters}
            is_given = not held.isdisjoint(taken) and not self._users.get(function.name)
            if base_type(function.type).rpartition(".")[2] in held or is_given:
                self._add(place)

    def _held_in(self, known: Known) -> Iterator[str]:
        """Yield the types of what the objects of a class hold: classes of the program and of libraries."""
        made = [one for function in known.cls.functions if function.name in CONSTRUCTORS for one in function.parameters]
        kinds = [*(one.type for one in known.cls.fields), *(one.type for one in made)]
        for kind in kinds:
            name = base_type(kind).rpartition(".")[2]
            imported = known.file.imports.get(name, "")
            if name in self._program.classes or (imported and not of_language(imported, known.file.language)):
                yield name

    def _add_triggers(self) -> None:
        """Add what makes a library call the functions that nothing in the program calls."""
        if self._entered:
            places = self._program.places
            triggers = triggers_of([*self._entered.values()], self._ways, places, self._program)
            for place in triggering(places, triggers, self._program):
                self._add(place, above=_ALL)


def _making(code: object, name: str) -> Iterator[int]:
    """Yield the code of a function that makes an object of a class, or names it for something that does."""
    for one in walk(code) if name else ():
        made = base_type(one.type).rpartition(".")[2] if isinstance(one, ir.New) else ""
        if name in (made, one.name if isinstance(one, ir.Name) else ""):
            yield id(one)


def _may_be_variable(of: ir.Expression | None, file: ir.File, other: ir.File, name: str) -> bool:
    """Return whether code of a file may name a variable that statements of another one set."""
    if of is not None:
        return isinstance(of, ir.Name) and of.name in file.imports
    if file is other or name in file.imports or any(in_package(other, one, "") for one in file.wildcards):
        return True
    if file.language == "go":
        return dirname(file.path) == dirname(other.path)
    return bool(file.package) and file.package == other.package


def _set_by(code: object) -> Iterator[str]:
    """Yield the variables that a statement of a file sets, or changes a member of."""
    target = code.target if isinstance(code, ir.Declare | ir.Assign) else None
    while isinstance(target, ir.Member | ir.Index):
        target = target.of
    for one in target.items if isinstance(target, ir.Sequence) else (target,):
        if isinstance(one, ir.Name):
            yield one.name


def _is_accessor(function: ir.Function) -> bool:
    """Return whether a function is a property, or a method that gives something without being given anything."""
    return function.getter or not (function.parameters or function.notes or function.static)


def _is_unused(code: ir.Declare, used: Collection[str]) -> bool:
    return isinstance(code.target, ir.Name) and code.target.name not in used


def _name(call: ir.Call) -> str:
    return call.function.name if isinstance(call.function, ir.Name | ir.Member) else ""
