"""The canonical text of what a function does: the same if a local, a constant or a helper is extracted or inlined.

It stands for code that no evaluation follows. A local that is set once is its value, a constant its literal, and a call
of a helper in the same file its body. What is thrown is known by its class: no reader sees its message.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from scanner_programs import ir
from scanner_programs.ir import (
    Assign,
    Call,
    Declare,
    Exit,
    Function,
    Leave,
    Literal,
    Member,
    Name,
    Parameter,
    parts_of,
    walk,
)
from scanner_programs.libraries.standard import ABSENT, ERRORS, UNTYPED
from scanner_programs.program import Known, Place, Program
from scanner_programs.residue import CodeWriter

_LONGEST = 400
_DEEPEST = 3
_OWN = frozenset(("this", "Self", "cls"))
_EXPRESSIONS = (Call, ir.New, ir.Record, ir.Sequence, ir.Operation, ir.Choice, ir.Text, Member)


@dataclass(frozen=True, slots=True)
class _FileNames:
    """What the names in a file stand for: its constants, and its functions that only it calls."""

    constants: Mapping[str, str] = field(default_factory=dict)
    helpers: Mapping[str, Function] = field(default_factory=dict)


class Behaviours:
    """Writes the functions of a program; *silent* says which statements of a function only watch the program."""

    def __init__(self, program: Program, silent: Callable[[Place], Callable[[object], bool]]) -> None:
        self._program, self._silent = program, silent
        self._contexts: dict[tuple[str, int], _FileNames] = {}
        self._users: dict[str, set[str]] = {}
        for place in program.places:
            for one in walk(place.function):
                if isinstance(one, Name | Member):
                    is_own = not isinstance(one, Member) or (isinstance(one.of, Name) and one.of.name in _OWN)
                    is_own = is_own and one.name != place.function.name
                    self._users.setdefault(one.name, set()).add(place.file.path if is_own else "")

    def text(self, place: Place) -> str:
        """Return the text of a function."""
        return self._writer(place).of(place.function)

    def statements(self, place: Place) -> Iterator[tuple[object, str]]:
        """Yield the statements of a file, each with its text."""
        writer = self._writer(place)
        for one in place.function.body.statements if place.function.body is not None else ():
            if not self._silent(place)(one):
                yield one, writer.text(one)

    def is_helper(self, place: Place) -> bool:
        """Return whether the text of a function is part of those of all functions that call it."""
        helpers = self._context(place).helpers
        return helpers.get(place.function.name) is place.function and place.function.name in self._users

    def _writer(self, place: Place) -> _Canonical:
        # Without notes, no framework looks at the types of a language that ignores them.
        notes = (*place.function.notes, *(place.known.cls.notes if place.known is not None else ()))
        is_typed = place.file.language not in UNTYPED or bool(notes)
        is_declared = place.file.language == "python"  # by setting it
        return _Canonical(self._silent(place), self._context(place), is_typed=is_typed, is_declared=is_declared)

    def _context(self, place: Place) -> _FileNames:
        key = place.file.path, id(place.known.cls) if place.known is not None else 0
        if key not in self._contexts:
            own = [one for one in self._program.places if one.file is place.file and self._is_near(one, place.known)]
            helpers = {one.function.name: one.function for one in own if self._is_callable(one)}
            self._contexts[key] = _FileNames(dict(_constants(place.file, place.known)), helpers)
        return self._contexts[key]

    @staticmethod
    def _is_near(one: Place, known: Known | None) -> bool:
        return one.known is None or one.known is known

    def _is_callable(self, place: Place) -> bool:
        """Return whether a name means one function only, which nothing outside of its file names."""
        name, program = place.function.name, self._program
        meant = [*program.functions.get(name, ()), *program.methods.get(name, ())]
        is_plain = place.function.body is not None and not place.function.notes and not place.function.receiver
        return is_plain and bool(name) and len(meant) == 1 and self._users.get(name, set()) <= {place.file.path}


def _constants(file: ir.File, known: Known | None) -> Iterator[tuple[str, str]]:
    """Yield the variables of a file and of a class that are literals, and that nothing in the file changes."""
    changed = {one.target.name for one in walk((file.classes, file.functions, file.methods))
               if isinstance(one, Assign) and isinstance(one.target, Name | Member)}  # fmt: skip
    listed: list[tuple[object, object]] = [
        (one.target, one.value) for one in file.statements if isinstance(one, Declare | Assign)
    ]
    while known is not None:
        listed += [(Name(one.name), one.value) for one in known.cls.fields if one.static]
        listed += [(Name(one.name), one.value) for each in known.cls.classes if each.single for one in each.fields]
        known = known.outer
    names = Counter(target.name for target, _ in listed if isinstance(target, Name))
    for target, value in listed:
        is_constant = isinstance(target, Name) and names[target.name] == 1 and target.name not in changed
        if is_constant and isinstance(target, Name) and isinstance(value, Literal):
            yield target.name, CodeWriter().text(value)


class _Canonical(CodeWriter):
    def __init__(
        self,
        is_silent: Callable[[object], bool],
        context: _FileNames,
        *,
        is_typed: bool,
        is_declared: bool,
        depth: int = 0,
    ) -> None:
        super().__init__(is_silent)
        self._context, self._is_typed, self._depth, self._is_declared = context, is_typed, depth, is_declared
        self._once: frozenset[str] = frozenset()
        self._used: frozenset[str] = frozenset()
        self._seen: Counter[str] = Counter()
        self._returns = ""
        self._is_inside = False

    def of(self, function: Function) -> str:
        """Return the text of a function that is written by itself."""
        self._enter(function)
        return self.text(function)

    def _enter(self, function: Function) -> None:
        own = {one.name for one in walk(function) if isinstance(one, Parameter)}
        setting = [one for one in walk(function.body) if isinstance(one, Declare | Assign | ir.Loop)]
        set_ = Counter(name for one in setting for name in _targets(one))
        # Others than the function's own variables are members of its object, or variables of the file.
        declared = {
            name for one in setting if self._is_declared or not isinstance(one, Assign) for name in _targets(one)
        }
        outside = (one.parts for one in walk(function.body) if isinstance(one, ir.Unknown) and one.what == "global")
        declared -= {one.name for parts in outside for one in parts if isinstance(one, Name)}
        self._once = frozenset(name for name, count in set_.items() if count == 1 and name in declared - own)
        self._used = frozenset(one.name for one in self._relevant(function.body) if isinstance(one, Name))
        self._returns = function.type

    def _relevant(self, code: object) -> Iterator[object]:
        """Yield code and what is in it, without what only watches the program, and without what is set."""
        stack = [code]
        while stack:
            one = stack.pop()
            if isinstance(one, tuple):
                stack.extend(each for each in one if not self._is_silent(each))
            elif (names := parts_of(type(one))) is not None:
                yield one
                is_set = isinstance(one, Declare) or (isinstance(one, Assign) and isinstance(one.target, Name))
                stack.extend(getattr(one, name) for name in names if not (is_set and name == "target"))

    def text(self, code: object) -> str:
        text = self._text(code)
        if len(text) > _LONGEST and isinstance(code, _EXPRESSIONS):
            return f"{text[:40]}…{sha256(text.encode()).hexdigest()[:20]}"
        return text

    def _text(self, code: object) -> str:
        match code:
            case ir.Block(statements=(Literal(), *rest)) if rest:  # what documents it
                return self._text(ir.Block(tuple(rest)))
            case tuple():
                return "; ".join(filter(None, self._listed(code)))
            case Name(name=name) if name not in self._names and name in self._context.constants:
                return self._context.constants[name]
            case Name(name=name) | Member(of=Name(name="this"), name=name) if self._is_helper(code):
                return self._inlined(self._context.helpers[name], None)
            case Member(of=Name(name=of), name=name) if of in _OWN and name in self._context.constants:
                return self._context.constants[name]
            case Parameter(notes=()) if not self._is_typed:
                self._names.setdefault(code.name, f"${len(self._names)}")
                return f"{self._names[code.name]}={self.text(code.default)}"
            case Function() if not self._is_typed:
                return super().text(Function(code.name, code.parameters, code.body, notes=code.notes))
            case Exit(leave=Leave.THROW, value=value):
                return f"throw {_class_of(value)}"
            case Exit(leave=Leave.RETURN, value=value) if self._is_inside:  # not what calls it
                return f"(end of a helper, {self.text(value)})"
            case Exit(leave=Leave.RETURN, value=value) if self._returns.rstrip(" )").endswith("error"):
                return f"({Leave.RETURN}, {self._result(value)})"
            case Call(function=Name() | Member() as function) if self._is_helper(function):
                return self._inlined(self._context.helpers[function.name], code.arguments)
            case Call(function=Name() | Member() as function) if _is_error(function):
                return "an error"
        return super().text(code)

    def _result(self, value: object) -> str:
        """Return the text of what a function of Go returns, whose last result is an error."""
        items = value.items if isinstance(value, ir.Sequence) else (value,)
        last = items[-1]
        is_error = isinstance(last, Name) and last.name in self._used - self._context.helpers.keys()
        texts = [self.text(one) for one in items[:-1]]
        return ", ".join([*texts, "an error" if is_error else self.text(last)])

    def _listed(self, code: Sequence[object]) -> Iterator[str]:
        relevant = [one for one in code if not self._is_silent(one)]
        for at, one in enumerate(relevant):
            if self._is_local(one):
                yield self._local(one, relevant[at + 1 :])
            else:
                yield self.text(one)

    def _is_local(self, code: object) -> bool:
        """Return whether a statement sets variables that nothing else sets."""
        names = list(_targets(code))
        return bool(names) and isinstance(code, Declare | Assign) and code.value is not None and {*names} <= self._once

    def _local(self, code: object, rest: Iterable[object]) -> str:
        """Return what is left of a statement that sets a variable: what it does, if other things are done before."""
        assert isinstance(code, Declare | Assign)
        value = self.text(code.value)
        self._seen[value] += 1
        value += f"#{self._seen[value]}" if self._seen[value] > 1 else ""
        names = list(_targets(code))
        is_single = isinstance(code.target, Name)
        self._names |= {name: value if is_single else f"{value}.{at}" for at, name in enumerate(names)}
        does = _does(code.value)
        if not does or self._used.isdisjoint(names):
            is_watched = any(isinstance(one, Name) and one.name in names for one in walk(tuple(rest)))
            return value if does and not is_watched else ""
        until: list[object] = []
        for one in rest:
            until.append(one)
            if not self._is_local(one):
                break
        is_next = any(isinstance(one, Name) and one.name in names for one in self._relevant(tuple(until)))
        return "" if is_next else f"let {value}"

    def _is_helper(self, code: object) -> bool:
        of = code.of if isinstance(code, Member) else None
        is_own = of is None or (isinstance(of, Name) and of.name in _OWN)
        is_name = isinstance(code, Name | Member) and is_own and code.name not in self._names
        return is_name and isinstance(code, Name | Member) and code.name in self._context.helpers

    def _inlined(self, function: Function, given: tuple[ir.Argument, ...] | None) -> str:
        """Return the text of a function for what it is given; of one that is passed on, for any."""
        if self._depth >= _DEEPEST:
            return (
                f"{function.name} {sha256(CodeWriter().text(function).encode()).hexdigest()[:20]}({self.text(given)})"
            )
        writer = _Canonical(
            self._is_silent,
            self._context,
            is_typed=self._is_typed,
            is_declared=self._is_declared,
            depth=self._depth + 1,
        )
        if given is None:
            return writer.of(function)
        named = {one.name: one.value for one in given if one.name}
        placed = iter([one.value for one in given if not one.name])
        writer._enter(function)
        writer._is_inside = True
        unused: list[str] = []
        for one in function.parameters:
            value = named[one.name] if one.name in named else next(placed, one.default)
            writer._names[one.name] = self.text(value)
            if one.name not in writer._used and _does(value):
                unused.append(self.text(value))
        statements = list(function.body.statements) if function.body is not None else []
        last = statements[-1] if statements else None
        if isinstance(last, Exit) and last.leave is Leave.RETURN:
            statements[-1] = last.value if last.value is not None else ir.Block(())
        return "; ".join((*unused, writer.text(tuple(statements))))


def _does(code: object) -> bool:
    """Return whether code may do something beside having a value."""
    return any(isinstance(one, Call | ir.New) for one in walk(code))


def _targets(code: object) -> Iterator[str]:
    """Yield the variables that a statement sets."""
    target = code.target if isinstance(code, Declare | Assign | ir.Loop) else None
    for one in target.items if isinstance(target, ir.Sequence) else (target,):
        if isinstance(one, Name):
            yield one.name


def _is_error(function: Name | Member) -> bool:
    of = f"{function.of.name}." if isinstance(function, Member) and isinstance(function.of, Name) else ""
    return f"{of}{function.name}" in ERRORS or (not of and function.name in ABSENT - {"None", "Nothing"})


def _class_of(value: object) -> str:
    if isinstance(value, ir.New):
        return value.type
    function = value.function if isinstance(value, Call) else value
    return function.name if isinstance(function, Name | Member) else ""
