"""Which functions of a program reach a call, over all that their names may mean, and which change nothing.

A function that returns nothing and changes nothing that others see is what a program wraps its logger in. Nothing that
is sent depends on it, so it need not be followed at each of its many calls. Whatever else a function does, such as a
call of what it is given, or of an object that it did not make, makes it one that is followed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from posixpath import dirname, join, normpath

from scanner_programs import ir
from scanner_programs.ir import Call, Kind, Leave, Literal, Member, Name, walk
from scanner_programs.libraries.clients import CLIENTS
from scanner_programs.libraries.rows import plain
from scanner_programs.libraries.standard import ASSIGNS
from scanner_programs.program import Place, Program
from scanner_programs.residue import silent_in

_CALLED = frozenset(("__call__", "invoke", "apply"))
"""Methods that are called by calling the object."""
_NOTHING = frozenset(("", "void", "Unit", "None"))
_ENDS = frozenset(
    name for row in CLIENTS for names in (row.sends, row.connects, row.subscribes, row.receives) for name in names
)
"""What clients call to send and to receive."""


def names_in(code: object) -> Iterator[str]:
    """Yield the names that code uses: of what it calls, of members, of types that it makes."""
    for one in walk(code):
        if isinstance(one, ir.Name | ir.Member):
            yield plain(one.name)
        elif isinstance(one, ir.Note):
            yield one.name
        elif isinstance(one, ir.New):
            yield one.type.partition("<")[0].rpartition(".")[2]
        elif isinstance(one, ir.Assign):
            if isinstance(one.target, ir.Member):
                yield one.target.name
            yield from ASSIGNS.get(one.operator, ())


def types_in(code: object) -> Iterator[str]:
    """Yield the types that code declares for fields, parameters, variables and results."""
    for one in walk(code):
        if isinstance(one, ir.Field | ir.Parameter | ir.Function | ir.Declare) and one.type:
            yield one.type


def called_in(code: object) -> Iterator[tuple[str, ir.Call]]:
    """Yield the calls in code, each with the simple name of what it calls."""
    for one in walk(code):
        if isinstance(one, ir.Call):
            name = one.function.name if isinstance(one.function, ir.Name | ir.Member) else ""
            yield plain(name), one


def passed_in(code: object) -> Iterator[tuple[str, str]]:
    """Yield the members of names that code does not call, each behind the name: methods that it passes on are such."""
    called = {id(one.function) for one in walk(code) if isinstance(one, ir.Call)}
    called |= {id(one.of) for one in walk(code) if isinstance(one, ir.Member)}
    for one in walk(code):
        if isinstance(one, ir.Member) and id(one) not in called and isinstance(one.of, ir.Name):
            yield one.of.name, plain(one.name)


def renamed(files: Iterable[ir.File]) -> dict[str, set[str]]:
    """Return the other names that imports and modules give what files declare, by the names there.

    What a module of JavaScript exports without a name is `default` behind the path of the module.
    """
    found: dict[str, set[str]] = {}
    for file in files:
        for name, imported in file.imports.items():
            known = imported.replace("::", ".").replace("/", ".").rpartition(".")[2]
            if known == "default" and imported.startswith("."):
                source = imported.removesuffix(".default")
                known = f"{normpath(join(dirname(file.path), source)).removesuffix('.js')} default"
            if known != name:
                found.setdefault(known, set()).add(name)
        for one in file.statements if file.language == "typescript" else ():
            value = one.value if isinstance(one, ir.Declare) else None
            exported = (
                [(one.target.name, value)] if isinstance(one, ir.Declare) and isinstance(one.target, ir.Name) else []
            )
            if exported and isinstance(value, ir.Record):
                exported = [(key.text, each) for key, each in value.entries if isinstance(key, ir.Literal)]
            for name, each in exported:
                if isinstance(each, ir.Name) and each.name != name:
                    found.setdefault(each.name, set()).add(name)
    return found


def called_as(place: Place, others: Mapping[str, Collection[str]]) -> set[str]:
    """Return the names that code calls a function by; *others* are those that it has elsewhere, by its own."""
    name = place.function.name
    if name in ("new", "__init__", "constructor") and place.known is not None:
        name = place.known.cls.name
    found: set[str] = set()
    waiting = [name] if name else []
    if name == "default":
        stem = place.file.path.rpartition(".")[0]
        waiting += [f"{one} default" for one in {stem, stem.removesuffix("/index")}]
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += others.get(one, ())
    return found


def reaching(
    places: Iterable[Place], targets: Collection[str], others: Mapping[str, Collection[str]] | None = None
) -> dict[int, Place]:
    """Return the functions that use one of the names *targets*, or a function that does, by identity.

    *others* are the names that functions have elsewhere, by their own.
    """
    listed = list(places)
    used = {id(place): frozenset(names_in(place.function)) for place in listed}
    users: dict[str, list[Place]] = {}
    for place in listed:
        for name in used[id(place)]:
            users.setdefault(name, []).append(place)
    found: dict[int, Place] = {}
    waiting = [place for name in targets for place in users.get(name, ())]
    known = set(targets)
    while waiting:
        place = waiting.pop()
        if id(place) in found:
            continue
        found[id(place)] = place
        of_object = place.function.name in _CALLED and place.known is not None
        called = {place.known.cls.name} if of_object and place.known is not None else set()
        for one in {*called_as(place, others or {}), *called, *_kept_in(place, known)}:
            known.add(one)
            waiting += users.get(one, ())
    return found


def _kept_in(place: Place, known: Collection[str]) -> Iterator[str]:
    """Yield the members that a function keeps one of the known functions in, and the variables of a file that do."""
    is_file = not place.function.name
    kept = set(known)
    for one in walk(place.function):
        target = one.target if isinstance(one, ir.Assign | ir.Declare) else None
        if not isinstance(target, ir.Member) and not (is_file and isinstance(target, ir.Name)):
            continue
        if isinstance(one, ir.Assign | ir.Declare) and not {*names_in(one.value)}.isdisjoint(kept):
            kept.add(target.name)
            yield target.name


class Quiet:
    """Which functions of a program are quiet.

    *watches* says whether a full name is one of a library that only watches a program.
    """

    def __init__(self, program: Program, watches: Callable[[str], bool]) -> None:
        self._program, self._watches = program, watches
        self._known: dict[int, bool] = {}
        self._places = {id(place.function): place for place in program.places}

    def is_quiet(self, function: ir.Function) -> bool:
        """Return whether a call of a function changes nothing, and has no result."""
        place = self._places.get(id(function))
        if place is None or function.type not in _NOTHING or function.body is None or function.getter:
            return False
        inner = {id(one) for code in _lambdas(function.body) for one in walk(code)}
        results = (one for one in walk(function.body) if isinstance(one, ir.Exit) and id(one) not in inner)
        has_result = any(one.value not in (None, Literal(Kind.NOTHING, "")) for one in results)
        return not has_result and self._changes_nothing(place)

    def within(self, function: ir.Function) -> Iterator[ir.Function]:
        """Yield the functions that a quiet one calls, and those that these call."""
        seen: set[int] = set()
        waiting = [function]
        while waiting:
            one = waiting.pop()
            if id(one) in seen:
                continue
            seen.add(id(one))
            yield one
            waiting += [place.function for name in _called(one) for place in self._meant(name)]

    def _meant(self, name: str) -> list[Place]:
        return [*self._program.functions.get(name, ()), *self._program.methods.get(name, ())]

    def _changes_nothing(self, place: Place) -> bool:
        if id(place.function) not in self._known:
            self._known[id(place.function)] = (
                True  # of functions that call each other, if nothing else speaks against it
            )
            self._known[id(place.function)] = self._is_free_of_effects(place)
        return self._known[id(place.function)]

    def _is_free_of_effects(self, place: Place) -> bool:
        body = place.function.body
        if body is None:
            return False
        names = _OwnNames(place, self._watches)
        known = place.known.cls if place.known is not None else None
        is_silent = silent_in(place.file, known, self._watches)
        alone = {id(one) for code in walk(body) if isinstance(code, ir.Block) for one in code.statements}
        for one in walk(body):
            match one:
                case ir.Exit(leave=Leave.THROW):
                    return False
                case ir.Unknown(parts=parts) if parts:
                    return False
                case ir.Assign(target=target) if not names.may_set(target):
                    return False
                case Member() | ir.Index() if names.is_part_of_given(one):
                    return False
                case Call() if not is_silent(one) and not self._is_harmless(one, names, place, id(one) in alone):
                    return False
        return True

    def _is_harmless(self, code: Call, names: _OwnNames, place: Place, alone: bool) -> bool:
        """Return whether a call changes nothing; if it stands *alone*, nothing uses its result."""
        function = code.function
        if isinstance(function, Name):
            own = self._meant(function.name)
            is_known = function.name not in names.own | names.given and function.name not in _ENDS
            return is_known and all(map(self._changes_nothing, own)) and (bool(own) or not alone)
        if not isinstance(function, Member) or function.name in _ENDS:
            return False
        own, root = self._meant(function.name), _root(function.of)
        if root in names.watching:
            return True
        if root in names.own:
            return not own or all(map(self._changes_nothing, own))
        if own:
            return root not in names.given and all(map(self._changes_nothing, own))
        if not alone:
            return root not in names.given or not code.arguments
        # The library of Go changes what it is given first, if anything.
        first = code.arguments[0].value if code.arguments else None
        package = place.file.imports.get(root, ".")
        is_standard = place.file.language == "go" and "." not in package.partition("/")[0]
        return is_standard and isinstance(first, Name) and first.name in names.made


class _OwnNames:
    """The names in a function: *own* variables, those of what it *made* itself, and what it is *given*."""

    def __init__(self, place: Place, watches: Callable[[str], bool]) -> None:
        function = place.function
        self.given = {one.name for one in function.parameters}
        self.watching = {
            one.name
            for one in function.parameters
            if watches(".".join(place.file.imports.get(part, part) for part in one.type.split(".")))
        }
        """What only a library that watches has the type of."""
        lists = {one.name for one in function.parameters if one.rest or one.type.startswith(("[]", "map["))}
        self._without_fields = lists | self.watching
        self.own: set[str] = set()
        self.made: set[str] = set()
        for one in walk(function.body):
            declares = ir.Declare | ir.Loop | (ir.Assign if place.file.language == "python" else ir.Declare)
            target = one.target if isinstance(one, declares) else None
            target = None if isinstance(target, Member | ir.Index) else target
            listed = {each.name for each in walk(target) if isinstance(each, Name)} if target is not None else set()
            self.own |= listed
            if isinstance(one, ir.Declare | ir.Assign) and isinstance(one.value, ir.Record | ir.Sequence | ir.New):
                self.made |= listed
            if isinstance(one, ir.Lambda):
                self.own |= {each.name for each in one.function.parameters}
        self.own -= self.given

    def may_set(self, target: ir.Expression) -> bool:
        """Return whether an assignment is to a variable of the function, or to a part of what it made itself."""
        if isinstance(target, Name):
            return target.name in self.own | self.given
        if isinstance(target, ir.Sequence):
            return all(map(self.may_set, target.items))
        return _root(target) in self.made

    def is_part_of_given(self, code: Member | ir.Index) -> bool:
        """Return whether code asks an object that it is given for a part, which may be a field of a record."""
        return isinstance(code.of, Name) and code.of.name in self.given - self._without_fields


def _lambdas(code: object) -> Iterator[ir.Function]:
    yield from (one.function for one in walk(code) if isinstance(one, ir.Lambda))


def _called(function: ir.Function) -> Iterator[str]:
    for one in walk(function.body):
        if isinstance(one, Call) and isinstance(one.function, Name | Member):
            yield one.function.name


def _root(code: ir.Expression) -> str:
    """Return the name that a chain of calls, members and elements begins with."""
    while isinstance(code, Call | Member | ir.Index):
        code = code.function if isinstance(code, Call) else code.of
    return code.name if isinstance(code, Name) else ""
