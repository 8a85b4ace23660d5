"""Evaluate programs in Python without running them: what names, calls and loops over known values come to.

A value that is not known is Unknown, and remembers the frames that it may be computed from. A branch whose condition is
not known is taken and not taken; a loop over what is not known is run once.
"""

from __future__ import annotations

import ast
import itertools
import operator
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from scanner_programs.frames.expressions import Expr, Kind, call, literal
from scanner_programs.frames.languages.scala import CASES, NULLARY
from scanner_programs.frames.relations import Frame
from scanner_programs.frames.values import Type

Evaluated = Any
"""What an expression of a program comes to: a constant or container of Python, a frame, or a class of this module."""

MOST_STEPS = 150_000
"""Nodes of the syntax tree that are evaluated for one program."""
MOST_ITEMS = 200
MOST_NODES = 60_000
_DEEPEST = 40
_MOST_NESTED = 3
"""Calls of one function inside each other."""
_LONGEST = 20_000
_LARGEST = 10**18
_MOST_PLACES = 50
_MOST_LISTED = 2_000
_PLACE = re.compile(r"%[^%A-Za-z]*")
"""A place of a format up to the letter of its kind."""
_SETTING = re.compile(r"\$\{[\w.-]+\}")
GAP = "\0"
"""What is in a text instead of a part that is not known."""
_DEFAULTED = re.compile(r"\$\{[\w.-]+:[^{}]+\}")
"""A setting with a default."""
_WIDE = re.compile(r"\d{3}|\*")
"""A width or precision that makes a long text of a short one."""


class Exhausted(Exception):
    """Raised when a program takes more steps than MOST_STEPS; never leaves the reader, which reports a problem."""


@dataclass(frozen=True, slots=True, eq=False)
class Unknown:
    """A value that is not known; *inputs* are the frames that it may be computed from, *why* names the reason.

    *of_unknown*: it is an attribute of such a value, which may be a frame. *has_columns*: a call got columns or rows.
    *partly* is a text with a gap for each part that is not known.
    """

    inputs: tuple[Frame, ...] = ()
    why: str = ""
    of_unknown: bool = False
    has_columns: bool = False
    partly: str = ""


class EnumText(str):
    """A text that is a member of an enumeration, with the name of the member."""

    __slots__ = ("label",)
    label: str


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """One of several values."""

    options: tuple[Evaluated, ...]


@dataclass(frozen=True, slots=True, eq=False)
class External:
    """A name of a library, by its dotted name."""

    name: str


@dataclass(slots=True, eq=False)
class Scope:
    """The names of a module, function or class; *starred* are modules all of whose names it has.

    *outer* are the scopes of names that it declares `global` or `nonlocal`.
    """

    path: str
    parent: Scope | None = None
    names: dict[str, Evaluated] = field(default_factory=dict)
    starred: list[str] = field(default_factory=list)
    outer: dict[str, Scope] = field(default_factory=dict)

    def owner(self, name: str) -> Scope | None:
        """Return the scope that defines a name; None if none does."""
        scope: Scope | None = self
        while scope is not None and name not in scope.names:
            scope = scope.parent
        return scope

    @property
    def module(self) -> Scope:
        """Return the scope of the module."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope


@dataclass(slots=True, eq=False)
class Function:
    """A function, with the values that are bound to its first parameters."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    scope: Scope
    bound: tuple[Evaluated, ...] = ()
    owner: Class | None = None
    marks: frozenset[str] = frozenset()
    given: dict[str, Evaluated] = field(default_factory=dict)
    """Defaults of parameters that its decorators set."""

    @property
    def name(self) -> str:
        """Return its name; `lambda` without one."""
        return getattr(self.node, "name", "lambda")


@dataclass(slots=True, eq=False)
class Class:
    """A class, with its superclasses and attributes."""

    name: str
    bases: tuple[Evaluated, ...]
    names: dict[str, Evaluated]
    scope: Scope
    fields: tuple[str, ...] = ()

    def find(self, name: str, skipped: Class | None = None) -> Evaluated:
        """Return an attribute of the class or a superclass; None if absent."""
        for each in self.lineage():
            if each is not skipped and name in each.names:
                return each.names[name]
        return None

    def lineage(self) -> Iterator[Class]:
        """Yield the class and its superclasses."""
        yield self
        for base in self.bases:
            if isinstance(base, Class):
                yield from base.lineage()


@dataclass(slots=True, eq=False)
class Instance:
    """An object of a class; *of* None: a namespace."""

    of: Class | None
    names: dict[str, Evaluated] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Super:
    """The superclasses of an object's class."""

    instance: Evaluated
    of: Class


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of a call, and where it is."""

    values: tuple[Evaluated, ...]
    named: Mapping[str, Evaluated]
    place: str

    def get(self, at: int, *names: str, default: Evaluated = None) -> Evaluated:
        """Return the argument at a position or of a name; *default* if absent."""
        if 0 <= at < len(self.values):
            return self.values[at]
        return next((self.named[name] for name in names if name in self.named), default)

    def text(self, at: int, *names: str) -> str | None:
        """Return an argument that is a text; None if it is absent or not known."""
        value = self.get(at, *names)
        return value if isinstance(value, str) else None

    @property
    def every(self) -> tuple[Evaluated, ...]:
        """Return all arguments."""
        return (*self.values, *self.named.values())


class Library:
    """An object of a library that the machine knows; a method is an attribute whose name begins with `do_`."""

    def member(self, name: str, machine: Machine, place: str) -> Evaluated:
        """Return an attribute."""
        method = getattr(self, f"do_{name}", None)
        return Method(self, method) if method is not None else self.other(name, machine, place)

    def other(self, name: str, machine: Machine, place: str) -> Evaluated:
        """Return an attribute that has no method here."""
        return Unknown(why=f"{name} is not known")


@dataclass(frozen=True, slots=True, eq=False)
class Method:
    """A method of an object of a library."""

    owner: Evaluated
    run: Callable[[Machine, Arguments], Evaluated]


def frames_in(value: Evaluated, depth: int = 0) -> Iterator[Frame]:
    """Yield the frames that a value has inside."""
    if isinstance(value, Frame):
        yield value
    elif isinstance(value, Unknown):
        yield from value.inputs
    elif isinstance(value, Choice):
        yield from (frame for each in value.options for frame in frames_in(each, depth))
    elif hasattr(value, "frame") and isinstance(value.frame, Frame):
        yield value.frame
    elif hasattr(value, "wrapped"):
        yield from frames_in(value.wrapped, depth)
    elif depth < 2 and isinstance(value, list | tuple | dict):
        items = value.values() if isinstance(value, dict) else value
        yield from (frame for each in list(items)[:MOST_ITEMS] for frame in frames_in(each, depth + 1))


def one_of(values: Iterable[Evaluated]) -> Evaluated:
    """Return a value that is one of *values*; frames are united."""
    listed: list[Evaluated] = []
    for value in values:
        options = value.options if isinstance(value, Choice) else (value,)
        listed += [each for each in options if not any(_same(each, known) for known in listed)]
    known = [each for each in listed if each is not None and not (isinstance(each, Unknown) and not each.inputs)]
    if len(known) > 1 and all(isinstance(each, Frame) for each in known):
        frame = known[0]
        for each in known[1:]:
            frame = frame.united(each, by_name=True)
        return frame
    if len(known) == 1 and isinstance(known[0], Frame | Library | Instance | Function):
        return known[0]
    return listed[0] if len(listed) == 1 else Choice(tuple(listed[:20])) if listed else None


def _same(left: object, right: object) -> bool:
    if left is right:
        return True
    plain = (str, int, float, bool, type(None))
    return isinstance(left, plain) and isinstance(right, plain) and type(left) is type(right) and left == right


def is_plain(value: Evaluated) -> bool:
    """Return whether a value is a constant of the program, and no setting."""
    if isinstance(value, str):
        return "${" not in value
    return isinstance(value, int | float | bool | type(None))


_BINARY: Mapping[type, Callable[[Evaluated, Evaluated], Evaluated]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitOr: operator.or_,
}
_COMPARED: Mapping[type, Callable[[Evaluated, Evaluated], Evaluated]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda left, right: left in right,
    ast.NotIn: lambda left, right: left not in right,
}


_SIGNS: Mapping[type, str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Mod: "%",
    ast.BitAnd: "AND",
    ast.BitOr: "OR",
    ast.RShift: ">>",
    ast.Eq: "=",
    ast.NotEq: "<>",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
"""Operators, as libraries whose columns are objects of theirs name them."""


def _operated(sign: ast.operator | ast.cmpop, left: Evaluated, right: Evaluated) -> Evaluated:
    """Return what an operator makes of an object of a library; None if it has no operators."""
    for of, other in ((left, right), (right, left)):
        if isinstance(of, Library) and hasattr(of, "operated") and type(sign) in _SIGNS:
            return of.operated(_SIGNS[type(sign)], other, is_left=of is left)
    return None


_SPECIAL: Mapping[type, str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Mod: "mod",
    ast.BitOr: "or",
    ast.BitAnd: "and",
    ast.RShift: "rshift",
    ast.LShift: "lshift",
    ast.MatMult: "matmul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
}
"""Methods by which a class defines an operator."""


class Modules:
    """What the machine needs of the files and libraries around a program; the Spark API is a subclass."""

    def imported(self, machine: Machine, name: str, level: int, path: str) -> Evaluated:
        """Return a module: the scope of a file, else a library's name."""
        raise NotImplementedError

    def undefined(self, machine: Machine, name: str, scope: Scope) -> Evaluated:
        """Return the value of a name that the program does not define."""
        raise NotImplementedError

    def called(self, machine: Machine, name: str, arguments: Arguments) -> Evaluated:
        """Return what a function of a library returns."""
        raise NotImplementedError

    def attribute(self, machine: Machine, base: Evaluated, name: str, place: str) -> Evaluated:
        """Return an attribute of a value of the library."""
        raise NotImplementedError

    def element(self, machine: Machine, base: Evaluated, key: Evaluated) -> Evaluated:
        """Return `base[key]` of a value of the library."""
        raise NotImplementedError

    def formatted(self, arguments: Arguments) -> Evaluated:
        """Return an element in another form: what is not known gets it alone; None if it gets none, or several."""
        return None

    def discarded(self, machine: Machine, value: Evaluated, place: str) -> None:
        """Note a value that a statement computes and drops."""

    def decorated(self, machine: Machine, mark: Evaluated, function: Function, place: str) -> Evaluated:
        """Return what a decorator of a library makes of a function."""
        raise NotImplementedError


@dataclass(slots=True, eq=False)
class Machine:
    """Evaluates modules; *executed* are the functions that were run, by path and line."""

    modules: Modules
    executed: set[tuple[str, int]] = field(default_factory=set)
    functions: dict[tuple[str, int], Function | tuple[Class, Function]] = field(default_factory=dict)
    steps: int = 0
    extensions: dict[str, Class] = field(default_factory=dict)
    added: dict[tuple[str, str], Evaluated] = field(default_factory=dict)
    """Methods that the program adds to classes of libraries, by the names of both."""
    following: int = 0
    """How many functions of streams are called with elements."""
    _stack: list[tuple[str, int]] = field(default_factory=list)
    _returns: list[list[Evaluated]] = field(default_factory=list)

    # --- statements

    def run(self, tree: ast.Module, scope: Scope) -> None:
        """Run the statements of a module."""
        self._returns.append([])
        self._block(tree.body, scope)
        self._returns.pop()

    def step(self, count: int = 1) -> None:
        """Count work; raises Exhausted if it is too much."""
        self.steps += count
        if self.steps > MOST_STEPS:
            raise Exhausted

    def _block(self, body: Sequence[ast.stmt], scope: Scope) -> str:
        """Run statements; return how they end: `return`, `raise`, `break`, `continue`, or empty."""
        for statement in body:
            ended = self._statement(statement, scope)
            if ended:
                return ended
        return ""

    def _statement(self, node: ast.stmt, scope: Scope) -> str:
        self.step()
        match node:
            case ast.Expr():
                self.modules.discarded(self, self.value(node.value, scope), self.place(node, scope))
            case ast.Assign():
                value = self.value(node.value, scope)
                for target in node.targets:
                    self.assign(target, value, scope)
            case ast.AnnAssign():
                if node.value is not None:
                    self.assign(node.target, self.value(node.value, scope), scope)
                elif isinstance(node.target, ast.Name) and isinstance(scope, Scope):
                    scope.names.setdefault(f"@{node.target.id}", None)
            case ast.AugAssign():
                value = self.binary(node.op, self.value(node.target, scope), self.value(node.value, scope))
                self.assign(node.target, value, scope)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                scope.names[node.name] = self._function(node, scope)
            case ast.ClassDef():
                scope.names[node.name] = self._class(node, scope)
            case ast.Import():
                for alias in node.names:
                    module = self.modules.imported(self, alias.name, 0, scope.path)
                    first = alias.name.partition(".")[0]
                    is_part = alias.asname is None and "." in alias.name and isinstance(module, External)
                    scope.names[alias.asname or first] = External(first) if is_part else module
            case ast.ImportFrom():
                self._import_from(node, scope)
            case ast.Return():
                self._returns[-1].append(self.value(node.value, scope) if node.value is not None else None)
                return "return"
            case ast.If():
                return self._if(node, scope)
            case ast.For() | ast.AsyncFor():
                return self._for(node, scope)
            case ast.While():
                return self._while(node, scope)
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    value = self._entered(self.value(item.context_expr, scope))
                    if item.optional_vars is not None:
                        self.assign(item.optional_vars, value, scope)
                return self._block(node.body, scope)
            case ast.Try():
                return self._try(node, scope)
            case ast.Match():
                return self._cases(self.value(node.subject, scope), node.cases, scope)
            case ast.Raise():
                return "raise"
            case ast.Break():
                return "break"
            case ast.Continue():
                return "continue"
            case ast.Global():
                scope.outer |= dict.fromkeys(node.names, scope.module)
            case ast.Nonlocal() if scope.parent is not None:
                scope.outer |= {name: scope.parent.owner(name) or scope.parent for name in node.names}
        return ""

    def _if(self, node: ast.If, scope: Scope) -> str:
        truth = self.truth(self.value(node.test, scope))
        if truth is not None:
            return self._block(node.body if truth else node.orelse, scope)
        return self._one_of_two(lambda: self._block(node.body, scope), lambda: self._block(node.orelse, scope), scope)

    def _cases(self, subject: Evaluated, cases: Sequence[ast.match_case], scope: Scope) -> str:
        """Run the case that matches; of those that may match, each."""
        if not cases:
            return ""
        case, *rest = cases
        truth = self._matches(case.pattern, subject, scope)
        if truth is not False and case.guard is not None:
            guard = self.truth(self.value(case.guard, scope))
            truth = None if truth and guard is None else truth if guard else guard
        if truth is not None:
            return self._block(case.body, scope) if truth else self._cases(subject, rest, scope)
        return self._one_of_two(lambda: self._block(case.body, scope), lambda: self._cases(subject, rest, scope), scope)

    def _matches(self, pattern: ast.pattern, subject: Evaluated, scope: Scope) -> bool | None:
        """Return whether a value matches a pattern, and bind its names; None if that is not known."""
        match pattern:
            case ast.MatchValue() | ast.MatchSingleton():
                value = pattern.value
                known = self.value(value, scope) if isinstance(value, ast.expr) else value
                return known == subject if is_plain(known) and is_plain(subject) else None
            case ast.MatchOr():
                found = [self._matches(each, subject, scope) for each in pattern.patterns]
                return True if True in found else None if None in found else False
            case ast.MatchAs():
                truth = self._matches(pattern.pattern, subject, scope) if pattern.pattern is not None else True
                if pattern.name is not None:
                    scope.names[pattern.name] = subject
                return truth
            case ast.MatchSequence() if not isinstance(subject, list | tuple) and _is_known(subject):
                return False
            case ast.MatchSequence() if not any(isinstance(each, ast.MatchStar) for each in pattern.patterns):
                if isinstance(subject, list | tuple):
                    if len(pattern.patterns) != len(subject):
                        return False
                    return _all(self._matches(*each, scope) for each in zip(pattern.patterns, subject, strict=True))
            case ast.MatchMapping() if _is_known(subject):
                keys = [self.value(key, scope) for key in pattern.keys]
                if not isinstance(subject, dict) or not all(is_key(key) and key in subject for key in keys):
                    return False
                pairs = zip(pattern.patterns, (subject[key] for key in keys), strict=True)
                return _all([self._matches(each, value, scope) for each, value in pairs])
            case ast.MatchClass() if isinstance(of := self.value(pattern.cls, scope), Class) and _is_known(subject):
                if not isinstance(subject, Instance) or subject.of is None or of not in subject.of.lineage():
                    return False
                names = [*subject.of.fields[: len(pattern.patterns)], *pattern.kwd_attrs]
                values = [self._of_instance(subject, name) for name in names]
                patterns = [*pattern.patterns, *pattern.kwd_patterns]
                pairs = zip(patterns, values, strict=False)
                return _all([self._matches(each, value, scope) for each, value in pairs])
        for each in ast.walk(pattern):
            if isinstance(each, ast.MatchAs | ast.MatchStar) and each.name is not None:
                scope.names[each.name] = self._part(subject)
        return None

    def _one_of_two(self, left: Callable[[], str], right: Callable[[], str], scope: Scope) -> str:
        """Run two alternatives; each name has the value of either."""
        before = dict(scope.names)
        first = left()
        after = dict(scope.names)
        scope.names.clear()
        scope.names.update(before)
        second = right()
        if first and second:
            return first if first == second else "return"
        if first:
            return ""
        if second:
            scope.names.clear()
            scope.names.update(after)
            return ""
        for name, value in after.items():
            other = scope.names.get(name, value)
            scope.names[name] = value if value is other else one_of((value, other))
        return ""

    def _for(self, node: ast.For | ast.AsyncFor, scope: Scope) -> str:
        for item in self.items(self.value(node.iter, scope)):
            self.assign(node.target, item, scope)
            ended = self._block(node.body, scope)
            if ended in ("return", "raise"):
                return ended
            if ended == "break":
                break
        return self._block(node.orelse, scope)

    def _while(self, node: ast.While, scope: Scope) -> str:
        """Run a loop while its condition is certain; once if it is not, or never ends."""
        ended = ""
        for _ in range(MOST_ITEMS):
            truth = self.truth(self.value(node.test, scope))
            if truth is False:
                break
            ended = self._block(node.body, scope)
            if ended or truth is None or _is_true(node.test):
                break
        return ended if ended == "return" and _is_true(node.test) else ""

    def _try(self, node: ast.Try, scope: Scope) -> str:
        ended = self._block(node.body, scope)
        before = dict(scope.names)
        for handler in node.handlers:
            if handler.name:
                scope.names[handler.name] = Unknown()
            self._block(handler.body, scope)
        scope.names |= before
        ended = ended or self._block(node.orelse, scope)
        return self._block(node.finalbody, scope) or (ended if ended != "raise" else "")

    def _entered(self, value: Evaluated) -> Evaluated:
        """Return what a `with` binds: what a context manager of the program yields, else the value itself."""
        if isinstance(value, list):
            return value[0] if value else Unknown()
        if isinstance(value, Instance) and value.of is not None and (enter := value.of.find("__enter__")) is not None:
            return self.call(self._bound(enter, value), Arguments((), {}, ""))
        return value

    def _import_from(self, node: ast.ImportFrom, scope: Scope) -> None:
        module = self.modules.imported(self, node.module or "", node.level, scope.path)
        for alias in node.names:
            if alias.name == "*":
                if isinstance(module, Scope):
                    scope.names |= {name: value for name, value in module.names.items() if not name.startswith("_")}
                elif isinstance(module, External):
                    scope.starred.append(module.name)
                continue
            name = alias.asname or alias.name
            if isinstance(module, Scope) and alias.name in module.names:
                scope.names[name] = module.names[alias.name]
            else:
                inner = f"{node.module}.{alias.name}" if node.module else alias.name
                scope.names[name] = self.modules.imported(self, inner, node.level, scope.path)

    def assign(self, target: ast.expr, value: Evaluated, scope: Scope) -> None:
        """Bind a target to a value."""
        match target:
            case ast.Name():
                scope.outer.get(target.id, scope).names[target.id] = value
            case ast.Tuple() | ast.List():
                items = self._unpacked(value, len(target.elts))
                for at, each in enumerate(target.elts):
                    rest = isinstance(each, ast.Starred)
                    inner: Evaluated = items[at:] if rest else items[at] if at < len(items) else self._part(value)
                    self.assign(each.value if isinstance(each, ast.Starred) else each, inner, scope)
            case ast.Attribute():
                base = self.value(target.value, scope)
                for each in base.options if isinstance(base, Choice) else (base,):
                    if isinstance(each, Instance | Class | Scope):
                        each.names[target.attr] = value
                    elif isinstance(each, External):  # a method that a program adds to a class of a library
                        self.added[each.name.rpartition(".")[2], target.attr] = value
            case ast.Subscript():
                base, key = self.value(target.value, scope), self.value(target.slice, scope)
                if (isinstance(base, dict) and is_key(key)) or (
                    isinstance(base, list) and isinstance(key, int) and -len(base) <= key < len(base)
                ):
                    base[key] = value

    def _unpacked(self, value: Evaluated, count: int) -> list[Evaluated]:
        """Return the elements that several names are assigned: of sequences, and of the columns of a row."""
        options = value.options if isinstance(value, Choice) else (value,)
        listed = [self.items(each) for each in options if isinstance(each, list | tuple)]
        if listed:
            length = max(map(len, listed))
            return [one_of(each[at] for each in listed if at < len(each)) for at in range(length)]
        is_row = isinstance(value, Library)
        return [self.modules.element(self, value, at) for at in range(count)] if is_row else []

    @staticmethod
    def _part(value: Evaluated) -> Evaluated:
        return Unknown(tuple(frames_in(value)))

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> Evaluated:
        function = Function(node, scope)
        marks = [self.value(each, scope) for each in reversed(node.decorator_list)]
        names = frozenset(_dotted(each).rpartition(".")[2] for each in node.decorator_list)
        function.marks = names
        self.functions.setdefault((scope.path, node.lineno), function)
        result: Evaluated = function
        for mark in marks:
            if isinstance(mark, Function):
                inner = self.call(mark, Arguments((result,), {}, self.place(node, scope)))
                result = inner if isinstance(inner, Function | Library) else result
            elif isinstance(mark, External | Library | Method):
                result = self.modules.decorated(self, mark, function, self.place(node, scope)) or result
        return result

    def _class(self, node: ast.ClassDef, scope: Scope) -> Class:
        inner = Scope(scope.path, scope)
        self._block(node.body, inner)
        bases = tuple(self.value(base, scope) for base in node.bases)
        fields = tuple(
            item.target.id
            for item in node.body
            if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
        )
        if any(isinstance(base, External) and base.name.startswith("enum.") for base in bases):
            inner.names |= {name: _member(name, value) for name, value in inner.names.items()}
        made = Class(node.name, bases, inner.names, scope, fields)
        for value in inner.names.values():
            if isinstance(value, Function) and value.owner is None and value.scope is inner:
                value.owner = made
                value.scope = scope
                self.functions[scope.path, value.node.lineno] = (made, value)
        for mark in [self.value(each, scope) for each in reversed(node.decorator_list)]:
            given = Arguments((made,), {}, self.place(node, scope))
            result = self.call(mark, given) if isinstance(mark, Function) else None
            made = result if isinstance(result, Class) else made
        return made

    # --- expressions

    def place(self, node: ast.AST, scope: Scope) -> str:
        """Return file and line of a node."""
        return f"{scope.path}:{getattr(node, 'lineno', 0)}"

    def value(self, node: ast.expr, scope: Scope) -> Evaluated:
        """Return the value of an expression."""
        self.step()
        match node:
            case ast.Constant():
                return node.value
            case ast.Name():
                return self.named(node.id, scope)
            case ast.Attribute():
                return self.attribute(self.value(node.value, scope), node.attr, self.place(node, scope))
            case ast.Call():
                return self._call(node, scope)
            case ast.JoinedStr():
                pieces = [self._piece(each, scope) for each in node.values]
                if any(isinstance(each, Choice) for each in pieces):
                    ways = itertools.islice(itertools.product(*map(options_of, pieces)), 20)
                    return one_of([self._joined(each) for each in ways])
                if any(isinstance(each, Expr) for each in pieces):
                    return call("concat", *map(as_expr, pieces))
                return self._joined(pieces)
            case ast.BinOp():
                return self.binary(node.op, self.value(node.left, scope), self.value(node.right, scope))
            case ast.BoolOp():
                return self._either(node, scope)
            case ast.UnaryOp():
                return self._unary(node, self.value(node.operand, scope))
            case ast.Compare():
                return self._compare(node, scope)
            case ast.IfExp():
                truth = self.truth(self.value(node.test, scope))
                taken = [node.body, node.orelse] if truth is None else [node.body if truth else node.orelse]
                return one_of([self.value(each, scope) for each in taken])
            case ast.List() | ast.Set():
                return self._elements(node.elts, scope)
            case ast.Tuple():
                return tuple(self._elements(node.elts, scope))
            case ast.Dict():
                return self._dict(node, scope)
            case ast.Subscript():
                return self.subscript(self.value(node.value, scope), node.slice, scope)
            case ast.Lambda():
                return Function(node, scope)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                return [self.value(node.elt, inner) for inner in self._iterations(node.generators, scope)]
            case ast.DictComp():
                pairs = [
                    (self.value(node.key, each), self.value(node.value, each))
                    for each in self._iterations(node.generators, scope)
                ]
                return {key: value for key, value in pairs if is_name(key)}
            case ast.Starred() | ast.Await():
                return self.value(node.value, scope)
            case ast.NamedExpr():
                value = self.value(node.value, scope)
                self.assign(node.target, value, scope)
                return value
            case ast.Yield():
                value = self.value(node.value, scope) if node.value is not None else None
                self._returns[-1].append(value)
                return Unknown()
            case ast.YieldFrom():
                self._returns[-1] += self.items(self.value(node.value, scope))
                return Unknown()
        return Unknown()

    @staticmethod
    def _joined(pieces: Sequence[Evaluated]) -> Evaluated:
        text = "".join(each if isinstance(each, str) else GAP for each in pieces)
        is_known = len(text) <= _LONGEST and GAP not in text
        return text if is_known else Unknown(partly=text[:_LONGEST])

    def _piece(self, node: ast.expr, scope: Scope) -> Evaluated:
        if isinstance(node, ast.FormattedValue):
            value = self.value(node.value, scope)
            if isinstance(value, Choice):
                texts = dict.fromkeys(str(each) for each in value.options if isinstance(each, str | int | float))
                return Choice(tuple(texts)) if len(texts) > 1 else next(iter(texts), None)
            return str(value) if isinstance(value, str | int | float) else value if isinstance(value, Expr) else None
        return node.value if isinstance(node, ast.Constant) else None

    def named(self, name: str, scope: Scope) -> Evaluated:
        """Return the value of a name."""
        owner = scope.owner(name)
        return self._applied(owner.names[name]) if owner is not None else self.modules.undefined(self, name, scope)

    def _applied(self, value: Evaluated) -> Evaluated:
        """Return what a name means: of a function that is called by its name alone, its result."""
        is_call = isinstance(value, Function) and value.owner is None and NULLARY in value.marks
        return self.call(value, Arguments((), {}, "")) if is_call else value

    def _elements(self, nodes: Iterable[ast.expr], scope: Scope) -> list[Evaluated]:
        result: list[Evaluated] = []
        for node in nodes:
            value = self.value(node, scope)
            if isinstance(node, ast.Starred):
                result += self.items(value)
            else:
                result.append(value)
        return result

    def _dict(self, node: ast.Dict, scope: Scope) -> Evaluated:
        result: dict[Evaluated, Evaluated] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            inner = self.value(value, scope)
            if key is None and isinstance(inner, Expr):
                rest = [self.value(each, scope) for each in node.values]
                return call("map_concat", *(as_expr(each) for each in rest))
            if key is None:
                result |= inner if isinstance(inner, dict) else {}
            elif is_name(named := self.value(key, scope)):
                result[named] = inner
        return result

    def _iterations(self, generators: Sequence[ast.comprehension], scope: Scope) -> Iterator[Scope]:
        first, *rest = generators
        for item in self.items(self.value(first.iter, scope)):
            inner = Scope(scope.path, scope)
            self.assign(first.target, item, inner)
            if all(self.truth(self.value(test, inner)) is not False for test in first.ifs):
                yield from self._iterations(rest, inner) if rest else (inner,)

    def items(self, value: Evaluated) -> list[Evaluated]:
        """Return the elements of a value; of one that is not known, a single one that is not known."""
        if isinstance(value, list | tuple | set | range):
            return list(value)[:MOST_ITEMS]
        if isinstance(value, dict | str):
            return list(value)[:MOST_ITEMS]
        if isinstance(value, Choice):
            return [item for each in value.options for item in self.items(each)][:MOST_ITEMS]
        if isinstance(value, Class) and (of := [each for each in value.names.values() if isinstance(each, EnumText)]):
            return list(of)
        if isinstance(value, Type) and value.fields:
            return list(self.modules.attribute(self, value, "fields", ""))[:MOST_ITEMS]
        if hasattr(value, "wrapped"):
            return [value.wrapped]
        if isinstance(value, Instance) and (own := self._special(value, "__iter__", ())) is not None:
            return self.items(own)
        return [] if value is None else [self._part(value)]

    def binary(self, sign: ast.operator, left: Evaluated, right: Evaluated) -> Evaluated:
        """Return what an operator makes of two values."""
        if isinstance(left, Expr) or isinstance(right, Expr):
            return call(type(sign).__name__.lower(), as_expr(left), as_expr(right))
        if (own := _operated(sign, left, right)) is not None:
            return own
        if isinstance(sign, ast.Div) and isinstance(left, str) and isinstance(right, str):
            return joined_path(left, right)
        if isinstance(left, Choice) or isinstance(right, Choice):
            lefts, rights = (each.options if isinstance(each, Choice) else (each,) for each in (left, right))
            return one_of([self.binary(sign, a, b) for a in lefts for b in rights][:20])
        if isinstance(left, Instance) or isinstance(right, Instance):
            name = _SPECIAL.get(type(sign), "")
            own = self._special(left, f"__{name}__", (right,))
            own = own if own is not None else self._special(right, f"__r{name}__", (left,))
            return own if own is not None else Unknown((*frames_in(left), *frames_in(right)))
        run = _BINARY.get(type(sign))
        plain = (str, int, float, list, tuple, dict)
        if run is None or not isinstance(left, plain) or not isinstance(right, plain):
            return Unknown((*frames_in(left), *frames_in(right)))
        if isinstance(sign, ast.Mult) and not (isinstance(left, int | float) and isinstance(right, int | float)):
            length = len(left) if isinstance(left, str | list | tuple) else _MOST_LISTED
            if not isinstance(right, int) or isinstance(left, dict) or length * right > _MOST_LISTED:
                return Unknown()
        if (
            isinstance(sign, ast.Mod)
            and isinstance(left, str)
            and (any(_WIDE.search(found) for found in _PLACE.findall(left)) or left.count("%") > _MOST_PLACES)
        ):
            return Unknown()
        try:
            result = run(left, right)
        except (TypeError, ValueError, ArithmeticError, OverflowError, KeyError):
            return Unknown()
        is_large = (
            len(result) > (_LONGEST if isinstance(result, str) else _MOST_LISTED)
            if isinstance(result, str | list | tuple)
            else isinstance(result, int) and abs(result) > _LARGEST
        )
        return Unknown() if is_large else result

    def _special(self, value: Evaluated, name: str, given: tuple[Evaluated, ...]) -> Evaluated:
        """Return what a special method of an object returns; None if its class has none."""
        found = value.of.find(name) if isinstance(value, Instance) and value.of is not None else None
        return self.call(self._bound(found, value), Arguments(given, {}, "")) if found is not None else None

    def _either(self, node: ast.BoolOp, scope: Scope) -> Evaluated:
        values: list[Evaluated] = []
        for each in node.values:
            value = self.value(each, scope)
            if values and isinstance(node.op, ast.Or) and _is_setting(values[-1]) and isinstance(value, str):
                values[-1] = f"{values[-1][:-1]}:{value}}}"
                break
            truth = self.truth(value)
            if isinstance(node.op, ast.Or) and isinstance(value, str) and _DEFAULTED.fullmatch(value):
                truth = True  # its default is a text that counts as true
            if isinstance(node.op, ast.Or) and truth is False and each is not node.values[-1]:
                continue
            if isinstance(node.op, ast.And) and truth is True and each is not node.values[-1]:
                continue
            values.append(value)
            if truth is not None:
                break
        return one_of(values)

    def _unary(self, node: ast.UnaryOp, value: Evaluated) -> Evaluated:
        if isinstance(value, Expr):
            return call(type(node.op).__name__.lower(), value)
        if isinstance(node.op, ast.Not):
            truth = self.truth(value)
            return Unknown() if truth is None else not truth
        return -value if isinstance(node.op, ast.USub) and isinstance(value, int | float) else Unknown()

    def _compare(self, node: ast.Compare, scope: Scope) -> Evaluated:
        left, right = (_constant_name(self.value(each, scope)) for each in (node.left, node.comparators[0]))
        if isinstance(node.ops[0], ast.Is | ast.IsNot) and None in (left, right) and _is_object(left, right):
            return isinstance(node.ops[0], ast.IsNot)
        if isinstance(left, Expr) or isinstance(right, Expr):
            return call("compared", as_expr(left), *(as_expr(self.value(each, scope)) for each in node.comparators))
        if (own := _operated(node.ops[0], left, right)) is not None:
            return own
        run = _COMPARED[type(node.ops[0])]
        known = is_plain(left) and (is_plain(right) or _is_plain_list(right))
        if len(node.ops) > 1 or not known:
            return Unknown()
        try:
            return run(left, right)
        except TypeError:
            return Unknown()

    @staticmethod
    def truth(value: Evaluated) -> bool | None:
        """Return whether a value counts as true; None if that is not known."""
        if isinstance(value, list | tuple | dict) or is_plain(value):
            return bool(value)
        is_function = isinstance(value, External) and value.name.rpartition(".")[0].endswith(".functions")
        return True if is_function or isinstance(value, Library | Frame | Function | Instance) else None

    def subscript(self, base: Evaluated, key_node: ast.expr, scope: Scope) -> Evaluated:
        """Return an element of a value."""
        if isinstance(key_node, ast.Slice):
            bounds = [
                self.value(each, scope) if each else None for each in (key_node.lower, key_node.upper, key_node.step)
            ]
            known = all(each is None or isinstance(each, int) for each in bounds)
            return base[slice(*bounds)] if known and isinstance(base, list | tuple | str) else self._part(base)
        key = self.value(key_node, scope)
        if isinstance(base, Choice):
            return one_of([self._element(each, key) for each in base.options])
        return self._element(base, key)

    def _element(self, base: Evaluated, key: Evaluated) -> Evaluated:
        if isinstance(base, dict | list | tuple | str):
            return self._item(base, key)
        if isinstance(base, Instance) and (own := self._special(base, "__getitem__", (key,))) is not None:
            return own
        if isinstance(base, Class) and isinstance(key, str) and isinstance(base.find(key), EnumText):
            return base.find(key)
        if isinstance(base, Class) and isinstance(item := base.find("__class_getitem__"), Function):
            made = Function(item.node, item.scope, (base,), item.owner, item.marks)
            return self.call(made, Arguments((key,), {}, ""))
        return self.modules.element(self, base, key)

    @staticmethod
    def _item(base: Evaluated, key: Evaluated) -> Evaluated:
        if isinstance(base, dict):
            if is_name(key) and key in base:
                return base[key]
            return one_of(base.values()) if base and not is_plain(key) else Unknown()
        if isinstance(key, int) and -len(base) <= key < len(base):
            return base[key]
        return one_of(base) if base and not isinstance(base, str) else Unknown()

    # --- attributes and calls

    def attribute(self, base: Evaluated, name: str, place: str) -> Evaluated:
        """Return an attribute of a value."""
        if name == "__name__" and isinstance(base, Function | Class | External):
            return base.name.rpartition(".")[2]
        match base:
            case Library():
                return base.member(name, self, place)
            case Scope():
                is_own = name in base.names
                return self._applied(base.names[name]) if is_own else self.modules.imported(self, name, 1, base.path)
            case Instance():
                return self._of_instance(base, name)
            case Class() if name in ("class", "java", "class_"):
                return base
            case Class() if name in ("values", "entries") and "@constants" in base.names:
                return base.names["@constants"]
            case Class():
                found = base.find(name)
                return found if found is not None else Unknown()
            case Super():
                found = base.of.find(name, base.of)
                return self._bound(found, base.instance) if found is not None else Unknown()
            case External():
                return External(f"{base.name}.{name}")
            case Choice():
                return one_of([self.attribute(each, name, place) for each in base.options if each is not None])
            case EnumText() if name in ("name", "value"):
                return base.label if name == "name" else str(base)
            case None | str() | int() | bool() if name in _OF_OPTION and (not place.partition(":")[0].endswith(".py")):
                return _of_option(base, name)
            case str() if name in PATH_MEMBERS:
                return self.modules.attribute(self, base, name, place)
            case tuple() if name in _PARTS and _PARTS[name] < len(base):
                return base[_PARTS[name]]
            case list() | tuple() | dict() if name in ("write", "writeStream", "writeTo"):  # it is not what it seems
                return self.modules.attribute(self, self._part(base), name, place)
            case str() | list() | tuple() | dict() | set():
                return Method(base, _native(base, name))
        return self.modules.attribute(self, base, name, place)

    def _of_instance(self, base: Instance, name: str) -> Evaluated:
        if name in base.names:
            return base.names[name]
        if name in ("name", "toString") and "@name" in base.names:  # a constant of an enumeration
            return base.names["@name"]
        own = name[3:4].lower() + name[4:]
        if base.of is None and name.startswith("get") and own in base.names:  # a record in Java
            return Method(base, lambda _, __: base.names[own])
        found = base.of.find(name) if base.of is not None else None
        if found is None and base.of is not None and (dynamic := base.of.find("__getattr__")) is not None:
            return self.call(self._bound(dynamic, base), Arguments((name,), {}, ""))
        if found is None:
            external = next((each for each in base.of.bases if isinstance(each, External)), None) if base.of else None
            return External(f"{external.name}.{name}") if external is not None else Unknown()
        if isinstance(found, Function) and found.marks & {"property", "cached_property", NULLARY}:
            result = self.call(self._bound(found, base), Arguments((), {}, ""))
            base.names[name] = result
            return result
        return self._bound(found, base)

    @staticmethod
    def _bound(found: Evaluated, instance: Evaluated) -> Evaluated:
        if not isinstance(found, Function) or found.bound or found.owner is None or "staticmethod" in found.marks:
            return found
        first = instance.of if "classmethod" in found.marks and isinstance(instance, Instance) else instance
        return Function(found.node, found.scope, (first,), found.owner, found.marks)

    def _call(self, node: ast.Call, scope: Scope) -> Evaluated:
        base = None
        if isinstance(node.func, ast.Attribute) and isinstance(base := self.value(node.func.value, scope), Expr):
            place = self.place(node, scope)
            function: Evaluated = Method(base, self.modules.attribute(self, base, f"{node.func.attr}()", place).run)
        elif isinstance(node.func, ast.Attribute):
            function = self.attribute(base, node.func.attr, self.place(node, scope))
            if isinstance(base, Class) and isinstance(function, Function) and "classmethod" in function.marks:
                function = Function(function.node, function.scope, (base,), function.owner, function.marks)
        elif isinstance(node.func, ast.Name) and node.func.id == "super" and not scope.owner("super"):
            return self._super(scope)
        else:
            function = self.value(node.func, scope)
        values: list[Evaluated] = []
        for each in node.args:
            value = self.value(each, scope)
            values += self.items(value) if isinstance(each, ast.Starred) else [value]
        named: dict[str, Evaluated] = {}
        for keyword in node.keywords:
            value = self.value(keyword.value, scope)
            if keyword.arg is not None:
                named[keyword.arg] = value
            elif isinstance(value, dict):
                named |= {key: inner for key, inner in value.items() if isinstance(key, str)}
        return self.call(function, Arguments(tuple(values), named, self.place(node, scope)))

    def _super(self, scope: Scope) -> Evaluated:
        found = scope.owner("@class")
        return Super(scope.names.get("self"), found.names["@class"]) if found is not None else Unknown()

    def call(self, function: Evaluated, arguments: Arguments) -> Evaluated:
        """Return what a call returns."""
        self.step()
        match function:
            case Function():
                return self.invoke(function, arguments)
            case Class():
                return self._construct(function, arguments)
            case Method():
                return function.run(self, arguments)
            case External():
                return self.modules.called(self, function.name, arguments)
            case Library() if hasattr(function, "called"):
                return function.called(self, arguments)
            case Instance() if function.of is not None and (found := _called_method(function.of)) is not None:
                return self.call(self._bound(found, function), arguments)
            case Choice():
                return one_of([self.call(each, arguments) for each in function.options if each is not None])
            case Frame() | list() | dict() if len(arguments.values) == 1:  # an element in Scala
                key = arguments.values[0]
                return (
                    self.modules.element(self, function, key)
                    if isinstance(function, Frame)
                    else self._item(function, key)
                )
        if isinstance(function, Library | Type | str | int | float | list | tuple | dict) and not arguments.every:
            return function  # an accessor of Java: `frame.write()`, `route.topic()`
        if self.following and (made := self.modules.formatted(arguments)) is not None:
            return made
        may_be_frame = isinstance(function, Unknown) and (function.of_unknown or function.inputs)
        if not may_be_frame and any(isinstance(each, Expr) for each in arguments.values):  # such as a UDF
            return call("udf", *map(as_expr, arguments.values))
        why = function.why if isinstance(function, Unknown) else ""
        inputs = [*frames_in(function), *(frame for each in arguments.every for frame in frames_in(each))]
        has_columns = any(map(has_columns_in, arguments.every))
        return Unknown(tuple(dict.fromkeys(inputs)), why, has_columns=has_columns)

    def _construct(self, of: Class, arguments: Arguments) -> Evaluated:
        made = Instance(of)
        init = of.find("__init__")
        if isinstance(init, Function):
            self.call(self._bound(init, made), arguments)
            return made
        fields = [name for each in reversed(list(of.lineage())) for name in each.fields]
        for at, name in enumerate(fields):
            value = arguments.get(at, name, default=of.find(name))
            made.names[name] = value
        made.names |= {name: value for name, value in arguments.named.items() if name not in made.names}
        return made

    def invoke(self, function: Function, arguments: Arguments) -> Evaluated:
        """Run a function of the program; return what it returns, of several values one of them."""
        key = (function.scope.path, function.node.lineno)
        if len(self._stack) >= _DEEPEST or self._stack.count(key) >= _MOST_NESTED:
            return Unknown(tuple(frame for each in arguments.every for frame in frames_in(each)), "recursion")
        self.executed.add(key)
        inner = Scope(function.scope.path, function.scope)
        if function.owner is not None:
            inner.names["@class"] = function.owner
        self._bind(function, arguments, inner)
        self._stack.append(key)
        self._returns.append([])
        try:
            if isinstance(function.node, ast.Lambda):
                return self.value(function.node.body, inner)
            self._block(function.node.body, inner)
            returned = self._returns[-1]
            if any(isinstance(each, ast.Yield | ast.YieldFrom) for each in ast.walk(function.node)):
                return list(returned)[:MOST_ITEMS]
            return one_of(returned)
        finally:
            self._returns.pop()
            self._stack.pop()

    def _bind(self, function: Function, arguments: Arguments, inner: Scope) -> None:
        given = function.node.args
        names = [each.arg for each in (*given.posonlyargs, *given.args)]
        values = [*function.bound, *arguments.values]
        if function.name.startswith(CASES) and len(values) > len(names) == 1:  # cases of several parameters
            values = [tuple(values)]
        defaults = dict(zip(reversed(names), reversed(given.defaults), strict=False))
        defaults |= {
            each.arg: default for each, default in zip(given.kwonlyargs, given.kw_defaults, strict=True) if default
        }
        for name in [*names, *(each.arg for each in given.kwonlyargs)]:
            at = names.index(name) if name in names else len(values)
            if at < len(values):
                inner.names[name] = values[at]
            elif name in arguments.named:
                inner.names[name] = arguments.named[name]
            elif name in function.given:
                inner.names[name] = function.given[name]
            else:
                inner.names[name] = self.value(defaults[name], function.scope) if name in defaults else Unknown()
        if given.vararg is not None:
            inner.names[given.vararg.arg] = tuple(values[len(names) :])
        if given.kwarg is not None:
            rest = {name: value for name, value in arguments.named.items() if name not in inner.names}
            inner.names[given.kwarg.arg] = rest


def _member(name: str, value: Evaluated) -> Evaluated:
    """Return the value of a name of an enumeration: a text is a member."""
    if not isinstance(value, str) or name.startswith("_"):
        return value
    made = EnumText(value)
    made.label = name
    return made


_PARTS = {"_1": 0, "_2": 1, "_3": 2, "getKey": 0, "getValue": 1}
"""Members of tuples in Scala and of entries in Java; a call without arguments returns the member."""


_OF_OPTION = frozenset(
    ("getOrElse", "orElse", "or_else", "isDefined", "nonEmpty", "map", "flatMap", "foreach", "ifPresent")
)


def _of_option(value: Evaluated, name: str) -> Evaluated:
    """Return a member of an Option of Scala or Java, which is evaluated as its value."""
    if name in ("isDefined", "nonEmpty"):
        return value is not None
    if name in ("map", "flatMap", "foreach", "ifPresent"):
        return Method(value, partial(_mapped_option, value))
    return Method(value, lambda _, given: given.get(0) if value is None else value)


def _mapped_option(value: Evaluated, machine: Machine, given: Arguments) -> Evaluated:
    return None if value is None else machine.call(given.get(0), Arguments((value,), {}, given.place))


def _constant_name(value: Evaluated) -> Evaluated:
    """Return the name of a constant of an enumeration; of other values, the value."""
    return value.names.get("@name", value) if isinstance(value, Instance) else value


def _called_method(of: Class) -> Evaluated:
    """Return the method that a call of an object runs: if its class is one of a library's, the only one it has."""
    found = of.find("__call__") or of.find("apply")
    if found is not None or not any(isinstance(each, External) for each in of.bases):
        return found
    own = [each for name, each in of.names.items() if isinstance(each, Function) and not name.startswith("__")]
    return own[0] if len(own) == 1 else None


def has_columns_in(value: Evaluated) -> bool:
    """Return whether a value is a column, of Spark or of Flink, or a container of columns."""
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else [value]
    return any(isinstance(each, Expr) or hasattr(each, "operated") for each in list(items)[:MOST_ITEMS])


PATH_MEMBERS = frozenset(
    ("parent", "parents", "stem", "suffix", "joinpath", "read_text", "open", "resolve", "absolute", "expanduser")
) | {"as_posix", "with_name", "with_suffix", "exists", "is_file"}
"""Members of a path, which is evaluated as its text: a text itself has none of them."""


def joined_path(*parts: str) -> Evaluated:
    """Return a path of parts, without `..`; Unknown if it is too long."""
    return posixpath.normpath(posixpath.join(*parts)) if sum(map(len, parts)) <= _LONGEST else Unknown()


def options_of(value: Evaluated) -> tuple[Evaluated, ...]:
    """Return the values that a value may be."""
    return value.options if isinstance(value, Choice) else (value,)


def _is_object(*values: Evaluated) -> bool:
    """Return whether one of *values* is certainly not None."""
    return any(isinstance(each, Expr | Frame | Library | Function | Instance | list | dict | tuple) for each in values)


def _is_setting(value: Evaluated) -> bool:
    """Return whether a value is a setting without a default."""
    return isinstance(value, str) and _SETTING.fullmatch(value) is not None


def _is_known(value: Evaluated) -> bool:
    return is_plain(value) or isinstance(value, list | tuple | dict | Instance)


def _all(found: Iterable[bool | None]) -> bool | None:
    listed = list(found)
    return False if False in listed else None if None in listed else True


def as_expr(value: Evaluated) -> Expr:
    """Return a value as an expression: a constant, unless it is one already."""
    if isinstance(value, Choice):
        return Expr(Kind.CASE, args=tuple(map(as_expr, value.options)), data=())
    return value if isinstance(value, Expr) else literal(value if is_plain(value) else None)


def is_name(value: Evaluated) -> bool:
    """Return whether a value is a key of a dictionary: one that is not known is a key, too."""
    return is_key(value) or isinstance(value, Unknown | Instance)


def is_key(value: Evaluated) -> bool:
    """Return whether a value may be a key of a dictionary of constants."""
    return isinstance(value, str | int | float | bool | type(None))


def _is_plain_list(value: Evaluated) -> bool:
    return isinstance(value, list | tuple | dict) and all(map(is_plain, value))


def _is_true(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and bool(node.value)


def _dotted(node: ast.expr) -> str:
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _folded(machine: Machine, items: list[Evaluated], given: Arguments) -> Evaluated:
    """Return the method that takes the function of `foldLeft(start)(function)`."""

    def run(machine: Machine, rest: Arguments) -> Evaluated:
        result = given.get(0)
        for item in items:
            result = machine.call(rest.get(0), Arguments((result, item), {}, rest.place))
        return result

    return Method(items, run)


def _reduced(machine: Machine, items: list[Evaluated], given: Arguments) -> Evaluated:
    result = items[0] if items else Unknown()
    for item in items[1:]:
        result = machine.call(given.get(0), Arguments((result, item), {}, given.place))
    return result


def _mapped(machine: Machine, items: list[Evaluated], given: Arguments) -> list[Evaluated]:
    return [machine.call(given.get(0), Arguments((item,), {}, given.place)) for item in items]


def _kept(machine: Machine, items: list[Evaluated], given: Arguments, *, against: bool) -> list[Evaluated]:
    truths = map(machine.truth, _mapped(machine, items, given))
    return [item for item, truth in zip(items, truths, strict=True) if truth is not against]


_SCALA: Mapping[str, Callable[[Machine, list[Evaluated], Arguments], Evaluated]] = {
    **dict.fromkeys(("map", "foreach"), _mapped),
    "flatMap": lambda machine, items, given: [
        x for each in _mapped(machine, items, given) for x in machine.items(each)
    ],
    "filter": lambda machine, items, given: _kept(machine, items, given, against=False),
    "filterNot": lambda machine, items, given: _kept(machine, items, given, against=True),
    **dict.fromkeys(("toSeq", "toList", "toArray", "toSet", "distinct"), lambda _, items, __: items),
    **dict.fromkeys(("foldLeft", "fold"), _folded),
    **dict.fromkeys(("reduce", "reduceLeft"), _reduced),
    "zip": lambda machine, items, given: list(zip(items, machine.items(given.get(0)), strict=False)),
    **dict.fromkeys(("stream", "collect", "toMutableList", "asSequence", "sequential"), lambda _, items, __: items),
    "forEach": _mapped,
    "toMap": lambda _, items, __: {
        each[0]: each[1] for each in items if isinstance(each, tuple) and len(each) == 2 and is_name(each[0])
    },
    "head": lambda _, items, __: items[0] if items else Unknown(),
    "last": lambda _, items, __: items[-1] if items else Unknown(),
    "tail": lambda _, items, __: items[1:],
    "mkString": lambda _, items, given: given.text(0) and _joined(given.text(0) or "", items),
}
"""Methods of Scala's collections; a filter keeps an element unless its condition is certainly false."""


def _joined(text: str, items: list[Evaluated]) -> Evaluated:
    known = all(isinstance(each, str) for each in items) and sum(map(len, items)) + len(text) * len(items) <= _LONGEST
    return text.join(items) if known else Unknown()


_SPECIFIED = re.compile(r"\{[^{}]*[:{]")
_WIDENING = frozenset({"ljust", "rjust", "center", "zfill", "expandtabs"})


def _may_grow(text: str, name: str, values: Sequence[Evaluated]) -> bool:
    """Return whether a method may return a text that is much longer than its arguments."""
    parts = [part for each in values for part in (each if isinstance(each, list | tuple) else [each])]
    length = len(text) * len(parts) + sum(len(each) for each in parts if isinstance(each, str))
    if name in ("replace", "format"):
        length *= 1 + len(text) // 2
    return (name == "format" and _SPECIFIED.search(text) is not None) or length > _LONGEST * 10


def _native(base: Evaluated, name: str) -> Callable[[Machine, Arguments], Evaluated]:
    """Return a method of a text, list or dictionary."""

    def run(machine: Machine, arguments: Arguments) -> Evaluated:
        if isinstance(base, list | tuple | dict) and name in _SCALA:
            return _SCALA[name](
                machine, machine.items(list(base.items()) if isinstance(base, dict) else base), arguments
            )
        if isinstance(base, dict) and name in ("entrySet", "keySet"):
            return list(base.items() if name == "entrySet" else base)
        if isinstance(base, list | tuple) and name == "get":
            return machine.subscript(base, ast.Constant(value=arguments.get(0)), Scope(""))
        if isinstance(base, list) and name == "add" and len(arguments.values) == 1:
            return base.append(arguments.get(0))
        if isinstance(base, dict) and name == "put" and is_key(arguments.get(0)):
            return base.update({arguments.get(0): arguments.get(1)})
        if isinstance(base, dict) and name in ("getOrElse", "getOrDefault"):
            return base.get(arguments.get(0), arguments.get(1)) if is_key(arguments.get(0)) else Unknown()
        if isinstance(base, str) and name in ("equals", "equalsIgnoreCase", "contentEquals"):
            other = arguments.get(0)
            same = base.casefold() == str(other).casefold() if name == "equalsIgnoreCase" else base == other
            return same if is_plain(base) and is_plain(other) else Unknown()
        if isinstance(base, str) and name == "stripMargin":
            return re.sub(r"(?m)^[ \t]*\|", "", base)
        method = getattr(base, name, None)
        values = [machine.items(each) if name in ("join", "extend") else each for each in arguments.values]
        given = [*values, *arguments.named.values()]
        if method is None or (isinstance(base, str) and not all(map(_is_text_argument, given))):
            return Unknown()
        if name in _WIDENING or (isinstance(base, str) and _may_grow(base, name, given)):
            return Unknown()
        try:
            result = method(*values, **arguments.named)
        except (TypeError, ValueError, LookupError, AttributeError):
            return Unknown(tuple(frames_in(base)))
        if isinstance(result, str) and len(result) > _LONGEST:
            return Unknown()
        listed = isinstance(result, type({}.items()) | type({}.keys()) | type({}.values()))
        return list(result) if listed else result

    return run


def _is_text_argument(value: Evaluated) -> bool:
    return isinstance(value, str | int | float | type(None)) or (
        isinstance(value, list | tuple) and all(isinstance(each, str) for each in value)
    )
