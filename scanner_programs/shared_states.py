"""What functions of a program share: the members of objects and the variables of files that they read and set."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from posixpath import dirname
from typing import NamedTuple

from scanner_programs import ir
from scanner_programs.ir import walk
from scanner_programs.libraries.rows import plain
from scanner_programs.libraries.standard import ADDS, PUTS, REMOVES
from scanner_programs.program import Known, Place, Program, accepts, base_type, in_package
from scanner_programs.sequences import is_container


class SharedState(NamedTuple):
    """A member of objects of a class, or a variable of a file; without the class where it is not known."""

    name: str
    owner: str = ""


class SharedStates:
    """What functions of a program share: who reads the members of objects and the variables of files, who sets them.

    What a function has itself, its variables and parameters, and what it makes, is not shared.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self._scopes: dict[int, _FunctionNames] = {}

    def read(self, place: Place) -> frozenset[SharedState]:
        """Return what a function reads, or may."""
        scope = self._scope(place)
        return frozenset(state for one in walk(place.function) for state in scope.named(one) if scope.is_shared(one))

    def set_by(self, place: Place) -> Iterator[tuple[SharedState, object]]:
        """Yield what a function sets or changes, each with the code that does."""
        scope = self._scope(place)
        for one in walk(place.function):
            for changed in scope.changed(one):
                yield from ((state, one) for state in scope.along(changed))

    def calls(self, call: ir.Call, place: Place, other: Place) -> bool:
        """Return whether a call with the name of another function may be one of it, by the class of its object."""
        if other.known is None:
            return not isinstance(call.function, ir.Member) or place.file is not other.file
        of = call.function.of if isinstance(call.function, ir.Member) else ir.Name("this")
        scope, name = self._scope(place), other.function.name
        if (known := scope.known(of)) is None:
            return len(self._program.methods.get(name, ())) == 1 and not scope.is_state(of)
        return self.is_one(SharedState(name, known.cls.name), SharedState(name, other.known.cls.name))

    def may_call(self, call: ir.Call, place: Place, other: Place) -> bool:
        """Return whether a call with the name of another function may be one of it, if only its class is not known."""
        is_spread = any(one.name == "*" for one in call.arguments)
        if not is_spread and not accepts(other.function, len(call.arguments)):
            return False
        return self.may_be_of(call.function.of if isinstance(call.function, ir.Member) else None, place, other)

    def may_be_of(self, of: ir.Expression | None, place: Place, other: Place) -> bool:
        """Return whether a member of an expression, or without one a name alone, may be another function."""
        scope, name = self._scope(place), other.function.name
        if of is None and scope.is_local(name):
            return False
        known = scope.known(of if of is not None else ir.Name("this"))
        if other.known is None:
            return (of is None or known is None) and self._is_visible(of, place, other)
        if of is None:
            return self._is_within(place.known, other.known) or (name in place.file.imports and other.function.static)
        if known is not None:
            return self.is_one(SharedState(name, known.cls.name), SharedState(name, other.known.cls.name))
        if scope.is_of_library(of):
            return self._program.extends_library(other.known)
        return not scope.is_state(of)

    def keeper(self, of: ir.Expression, place: Place) -> str:
        """Return the type of an object that the program does not implement, or its name; empty for other objects."""
        scope = self._scope(place)
        kind = base_type(scope.type_of(of)).rpartition(".")[2]
        if scope.is_state(of):
            return ""
        if not kind:
            imported = place.file.imports.get(of.name, "") if isinstance(of, ir.Name) else ""
            may_be_object = not imported or (place.file.language in _IMPORTS_OBJECTS and "." in imported)
            return _last(of) if may_be_object and scope.is_shared(of) and scope.known(of) is None else ""
        listed = self._program.classes.get(kind, ())
        is_open = all(one.cls.kind == "interface" and not self._program.subclasses(one) for one in listed)
        return kind if is_open else ""

    def is_done(self, call: ir.Call, place: Place) -> bool:
        """Return whether a call is a statement: nothing takes what it returns."""
        return self._scope(place).is_done(call)

    def is_local(self, name: str, place: Place) -> bool:
        """Return whether a name is a variable or parameter of a function."""
        return self._scope(place).is_local(name)

    @staticmethod
    def _is_visible(of: ir.Expression | None, place: Place, other: Place) -> bool:
        """Return whether code may name a function outside of classes: of its file or package, or of an import."""
        file, name = place.file, other.function.name
        if isinstance(of, ir.Name) and of.name in file.imports:
            return in_package(other.file, file.imports[of.name], name)
        if of is not None:
            return not isinstance(of, ir.Name) or file.language not in ("go", "python", "typescript")
        if file is other.file or any(in_package(other.file, one, "") for one in file.wildcards):
            return True
        if file.language == "go":
            return dirname(file.path) == dirname(other.file.path)
        is_of_package = bool(file.package) and file.package == other.file.package
        return is_of_package or any(one == name or full.endswith(name) for one, full in file.imports.items())

    def _is_within(self, known: Known | None, other: Known) -> bool:
        """Return whether a class, or one that it is in, may have the members of another one."""
        while known is not None:
            if self.is_one(SharedState("", known.cls.name), SharedState("", other.cls.name)):
                return True
            known = known.outer
        return False

    def is_one(self, one: SharedState, other: SharedState) -> bool:
        """Return whether two states may be the same: their classes are, or one extends the other, or is not known."""
        if one.name != other.name:
            return False
        if not one.owner or not other.owner or one.owner == other.owner:
            return True
        pairs = (one.owner, other.owner), (other.owner, one.owner)
        known = ((each, above) for below, above in pairs for each in self._program.classes.get(below, ()))
        return any(above in (up.cls.name for up in self._program.supers(each)) for each, above in known)

    def _scope(self, place: Place) -> _FunctionNames:
        if id(place) not in self._scopes:
            self._scopes[id(place)] = _FunctionNames(place, self._program)
        return self._scopes[id(place)]


_THIS = frozenset(("this", "self", "Self", "cls", "super"))
_DEEPEST = 12
_IMPORTS_OBJECTS = frozenset(("python", "typescript"))
"""Languages in which a file may import a variable of another one: behind a dot is a module, or what is in one."""
_OF_LANGUAGES = ("java.", "kotlin.", "scala.", "System.", "std.", "core.", "alloc.", "node:", "Object.", "Array.")
"""What names of the languages' own libraries begin with; those of Go and Python have a form and a list of their own."""


class _FunctionNames:
    """What the names in a function stand for."""

    def __init__(self, place: Place, program: Program) -> None:
        self._place, self._program = place, program
        self._types: dict[str, str] = {}
        self._values: dict[str, ir.Expression | None] = {}
        self._taken: set[str] = set()
        blocks = (one for one in walk(place.function) if isinstance(one, ir.Block))
        self._done = {id(one) for block in blocks for one in block.statements}
        is_declared = place.file.language == "python"  # by setting it
        outside = {
            name.name
            for one in walk(place.function)
            if isinstance(one, ir.Unknown) and one.what in ("global", "nonlocal")
            for name in one.parts
            if isinstance(name, ir.Name)
        }
        for one in walk(place.function):
            if isinstance(one, ir.Parameter):
                self._taken.add(one.name)
                self._types.setdefault(one.name, one.type)
            elif isinstance(one, ir.Declare) or (is_declared and isinstance(one, ir.Assign)):
                for name in _targets(one.target):
                    if isinstance(name, ir.Name) and name.name not in outside:
                        self._types.setdefault(name.name, one.type if isinstance(one, ir.Declare) else "")
                        self._values.setdefault(name.name, one.value if name is one.target else None)
            elif isinstance(one, ir.Loop):
                for name in _targets(one.target):
                    if isinstance(name, ir.Name):
                        self._types.setdefault(name.name, "")
                        self._values.setdefault(name.name, one.source)

    def named(self, code: object) -> Iterator[SharedState]:
        """Yield the state that a name or a member is."""
        if isinstance(code, ir.Member):
            known = self.known(code.of)
            is_class = known is None and isinstance(code.of, ir.Name) and code.of.name in self._program.classes
            owner = code.of.name if is_class and isinstance(code.of, ir.Name) else known.cls.name if known else ""
            yield SharedState(plain(code.name), owner)
        elif isinstance(code, ir.Name) and code.name not in _THIS and code.name not in self._types:
            own = self._field(code.name)
            yield SharedState(plain(code.name), own.cls.name if own is not None else "")

    def is_shared(self, code: object, depth: int = 0) -> bool:
        """Return whether others may reach what an expression stands for."""
        match code:
            case ir.Name(name=name):
                if name in self._values and name not in self._taken:
                    value = self._values[name]
                    return depth < _DEEPEST and isinstance(value, ir.Expression) and self.is_shared(value, depth + 1)
                return name not in self._types
            case ir.Member(of=of):
                return self.is_shared(of, depth)
            case ir.Index(of=of) | ir.Operation(operands=(of, *_)):
                return self.is_shared(of, depth)
            case ir.Call(function=ir.Member(of=of)):
                return self.is_shared(of, depth) and self.is_state(of)
        return False

    def changed(self, code: object) -> Iterator[ir.Expression]:
        """Yield what a statement changes: what it sets, or calls a method of that keeps something."""
        if isinstance(code, ir.Assign):
            for target in _targets(code.target):
                if not (isinstance(target, ir.Name) and (target.name in self._types or target.name == "_")):
                    yield target
        elif isinstance(code, ir.Operation) and code.operator == "delete":
            yield from code.operands
        elif isinstance(code, ir.Call) and code.arguments and self._changes(code):
            of = code.function.of if isinstance(code.function, ir.Member) else None
            if of is not None and self.is_shared(of) and self.is_state(of):
                yield of
            if not self._is_of_program(code.function):
                first = code.arguments[0].value
                if isinstance(first, ir.Name | ir.Member | ir.Operation) and self.is_shared(first):
                    yield from (first,) if self.is_state(first) else ()

    def _changes(self, call: ir.Call) -> bool:
        """Return whether a call may be there for what it does: nothing takes what it returns, or it is given code."""
        name = plain(call.function.name) if isinstance(call.function, ir.Member) else ""
        is_given_code = any(isinstance(one.value, ir.Lambda) for one in call.arguments)
        return id(call) in self._done or name in PUTS | ADDS | REMOVES or is_given_code

    def along(self, code: ir.Expression) -> Iterator[SharedState]:
        """Yield the states on the way to what is changed, if others may reach it."""
        current: object = code
        for _ in range(_DEEPEST):
            match current:
                case ir.Name(name=name) if name in self._values and name not in self._taken:
                    if not self.is_shared(current):
                        return
                    current = self._values[name]
                case ir.Member(of=of):
                    root = _root(of)
                    if root in self._values and root not in self._taken and not self.is_shared(of):
                        return
                    yield from self.named(current)
                    current = of
                case ir.Name():
                    yield from self.named(current)
                    return
                case ir.Index(of=of) | ir.Operation(operands=(of, *_)) | ir.Call(function=ir.Member(of=of)):
                    current = of
                case ir.Call(function=ir.Name() as of):  # an element of a map, in Scala
                    current = of
                case _:
                    return

    def known(self, code: object, depth: int = 0) -> Known | None:
        """Return the class of the program that an expression is an object of; None if it is not known."""
        if isinstance(code, ir.Name) and code.name in _THIS:
            return self._place.known
        kind = self._type(code, depth)
        return self._program.class_of(kind, self._place.file, self._place.known) if kind else None

    def _type(self, code: object, depth: int = 0) -> str:
        """Return the type of an expression, as declarations say it, or the class that it is an object of."""
        kind, value = self._declared(code, depth)
        match value if not kind and depth < _DEEPEST else None:
            case ir.New(type=made):
                return made
            case ir.Call(function=ir.Name(name=made)) if made in self._program.classes:
                return made
            case ir.Operation(operands=(of, *_)):
                return self._type(of, depth + 1)
            case ir.Name() | ir.Member():
                return self._type(value, depth + 1)
        return kind

    def _declared(self, code: object, depth: int = 0) -> tuple[str, object]:
        """Return the type that a name or member has, and the value that it begins with; anything else is its value."""
        match code:
            case ir.Name(name=name) if name in self._types:
                return self._types[name], self._values.get(name)
            case ir.Name(name=name):
                own = self._field(name)
                found = own.field(name) if own is not None else self._variable(name)
                return (found.type, found.value) if found is not None else ("", None)
            case ir.Member(of=of, name=name):
                known = self.known(of, depth + 1)
                field = self._program.field(known, name) if known is not None else None
                return (field[1].type, field[1].value) if field is not None else ("", None)
        return "", code

    def is_local(self, name: str) -> bool:
        """Return whether a name is a variable or parameter of the function."""
        return name in self._types

    def is_done(self, call: ir.Call) -> bool:
        """Return whether a call is a statement by itself."""
        return id(call) in self._done

    def is_of_library(self, code: object) -> bool:
        """Return whether an expression is an object of a class that is declared, and that the program does not have."""
        kind = self._type(code)
        return bool(kind) and self._program.class_of(kind, self._place.file, self._place.known) is None

    def type_of(self, code: object) -> str:
        """Return the type that an expression is declared as, or the class that it is made of; empty if not known."""
        return self._type(code)

    def _field(self, name: str) -> Known | None:
        """Return the class whose object a function belongs to, if that has a field of a name."""
        known = self._place.known
        while known is not None and self._program.field(known, name) is None:
            known = known.outer
        found = self._program.field(known, name) if known is not None else None
        return found[0] if found is not None else None

    def _variable(self, name: str) -> ir.Declare | None:
        for one in self._place.file.statements:
            if isinstance(one, ir.Declare | ir.Assign) and isinstance(one.target, ir.Name) and one.target.name == name:
                return one if isinstance(one, ir.Declare) else ir.Declare(one.target, "", one.value)
        return None

    def _is_of_program(self, function: ir.Expression) -> bool:
        name = plain(function.name) if isinstance(function, ir.Name | ir.Member) else ""
        return name in self._program.functions or name in self._program.methods or name in self._program.classes

    def is_state(self, code: object, depth: int = 0) -> bool:
        """Return whether an expression is an object of the language's own library: what is given to it, it keeps."""
        match code:
            case ir.Index():
                return True
            case ir.Operation(operands=(of, *_)) | ir.Call(function=ir.Member(of=of)):
                return self.is_state(of, depth)
        kind, value = self._declared(code)
        kind = kind or (value.type if isinstance(value, ir.New) else "")
        if kind or depth > _DEEPEST:
            return bool(kind) and self._program.class_of(kind, self._place.file) is None and self._is_of_language(kind)
        match value:
            case ir.Record() | ir.Sequence():
                return True
            case ir.Call(function=function) if not isinstance(code, ir.Name) or code.name not in self._values:
                return not self._is_of_program(function) and self._is_of_language(_root(function))
            case ir.Name() | ir.Member() | ir.Index() | ir.Call():
                return self.is_state(value, depth + 1)
        return False

    def _is_of_language(self, kind: str) -> bool:
        """Return whether a type or function is one of the language: no import of another library brings it."""
        file = self._place.file
        name = base_type(kind)
        if not name or name == "[]" or kind.lstrip("&*").startswith(("map[", "chan ", "<-")) or is_container(name):
            return True
        imported = file.imports.get(name) or file.imports.get(name.partition(".")[0])
        if imported is None:
            # It may be of any library that is imported as a whole.
            return all(of_language(one, file.language) for one in file.wildcards)
        return of_language(imported, file.language)


def of_language(imported: str, language: str) -> bool:
    """Return whether a package, or a name in one, is of the language itself."""
    first = imported.replace("::", ".").replace("/", ".").partition(".")[0]
    if language == "python":
        return first in sys.stdlib_module_names
    if language == "go":
        return "." not in imported.partition("/")[0]
    return f"{imported.replace('::', '.')}.".startswith(_OF_LANGUAGES)


def _targets(target: object) -> Iterator[ir.Expression]:
    """Yield the single targets of a statement that sets variables."""
    if isinstance(target, ir.Sequence):
        for one in target.items:
            yield from _targets(one)
    elif isinstance(target, ir.Expression):
        yield target


def _last(code: object) -> str:
    """Return the name of a variable or member; empty for other code."""
    return plain(code.name) if isinstance(code, ir.Name | ir.Member) else ""


def _root(code: object) -> str:
    """Return the name that a chain of members, elements and calls begins with; empty without one."""
    for _ in range(_DEEPEST):
        match code:
            case ir.Member(of=of) | ir.Index(of=of) | ir.Operation(operands=(of, *_)):
                code = of
            case ir.Call(function=function):
                code = function
            case _:
                break
    return code.name if isinstance(code, ir.Name) else ""
