"""One model of source code for all languages: files, classes, functions, statements and expressions.

A language's module lowers its syntax trees into this model and nothing else; what follows knows no language. Whatever
a language has beyond it is `Unknown`, with the parts that are inside: nothing is dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from operator import attrgetter
from typing import Any, TypeAlias


class Kind(StrEnum):
    """What a literal is."""

    TEXT = "text"
    NUMBER = "number"
    TRUTH = "truth"
    NOTHING = "nothing"


class Leave(StrEnum):
    """What ends a function, a turn of a loop, or the function that a lambda is in."""

    RETURN = "return"
    THROW = "throw"
    BREAK = "break"
    CONTINUE = "continue"
    OUTER = "outer"


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant, without quotes."""

    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class Name:
    """A name alone; *this* and *self* are `this`."""

    name: str


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an object, or a name behind that of a package or class; *line* is that of the name."""

    of: Expression
    name: str
    line: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Index:
    """An element of a list or map."""

    of: Expression
    key: Expression
    line: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Argument:
    """A value that is passed, or that a member is set to; *name* is empty where its place counts.

    Spread arguments have the name `*`.
    """

    value: Expression
    name: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """A call of what *function* is."""

    function: Expression
    arguments: tuple[Argument, ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class New:
    """A new object of a type: by its constructor's *arguments*, *members* that are set by name, or both.

    *body* is an anonymous class.
    """

    type: str
    arguments: tuple[Argument, ...] = ()
    members: tuple[Argument, ...] = ()
    body: Class | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class Record:
    """A map or an object without a class: pairs of key and value; a key of None spreads the value."""

    entries: tuple[tuple[Expression | None, Expression], ...]


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list, set or tuple."""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Operation:
    """An operator on its operands."""

    operator: str
    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of two values, by a test."""

    test: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True, slots=True)
class Text:
    """A text with values in it."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Lambda:
    """A function as a value."""

    function: Function


@dataclass(frozen=True, slots=True)
class Assign:
    """A new value of a variable, a member or an element; *operator* is that of `+=`, else empty."""

    target: Expression
    value: Expression
    operator: str = ""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Something that the model has no form for: what it is called in the syntax, and the expressions in it."""

    what: str
    parts: tuple[Expression | Statement, ...] = ()


@dataclass(frozen=True, slots=True)
class Pattern:
    """What a value is compared with, in parts.

    They are patterns that fit all, one or none (`and`, `or`, `not`), what an operator such as `<` compares
    with, or patterns of members, each with the name of its member (`members`). The operator `matches` of an Operation
    asks whether a value fits one, and binds the names in it.
    """

    operator: str
    parts: tuple[Argument, ...] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """Statements, one after the other; as an expression, the value of the last."""

    statements: tuple[Expression | Statement, ...]


@dataclass(frozen=True, slots=True)
class Declare:
    """A new variable, or several that a value is taken apart into."""

    target: Expression
    type: str = ""
    value: Expression | None = None
    line: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class If:
    """Statements under a condition."""

    test: Expression
    then: Block
    otherwise: Block | None = None


@dataclass(frozen=True, slots=True)
class Loop:
    """Statements for each element of *source*, or while a *test* holds."""

    body: Block
    target: Expression | None = None
    source: Expression | None = None
    test: Expression | None = None


@dataclass(frozen=True, slots=True)
class Exit:
    """What ends a function or a turn of a loop."""

    leave: Leave
    value: Expression | None = None


@dataclass(frozen=True, slots=True)
class Try:
    """Statements, what runs when they fail, and what always runs after them."""

    body: Block
    handlers: tuple[Block, ...] = ()
    last: Block | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """Values or patterns, a further condition, and what runs for them; without values, what runs for all others."""

    values: tuple[Expression, ...]
    body: Block
    guard: Expression | None = None


@dataclass(frozen=True, slots=True)
class Match:
    """The case that fits a value; without one, the first whose value is true."""

    of: Expression | None
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class Note:
    """An annotation, attribute, decorator or tag of a field, with its arguments; *of* is the object of a decorator."""

    name: str
    arguments: tuple[Argument, ...] = ()
    of: Expression | None = None


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function; *keeps* says that it is a field of its class, too."""

    name: str
    type: str = ""
    default: Expression | None = None
    notes: tuple[Note, ...] = ()
    keeps: bool = False
    rest: bool = False


@dataclass(frozen=True, slots=True)
class Field:
    """A member of a class that holds a value; a *static* one is of the class itself."""

    name: str
    type: str = ""
    value: Expression | None = None
    notes: tuple[Note, ...] = ()
    static: bool = False
    line: int = 0
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Function:
    """A function, method, constructor (`new`) or accessor; without a *body*, one that others implement."""

    name: str
    parameters: tuple[Parameter, ...] = ()
    body: Block | None = None
    type: str = ""
    notes: tuple[Note, ...] = ()
    static: bool = False
    line: int = 0
    end: int = 0
    getter: bool = False
    receiver: str = ""
    """The class that it extends, if it stands outside of it."""
    kinds: tuple[str, ...] = field(default=(), compare=False)
    """The names of its type parameters."""
    memo: dict[object, Any] = field(init=False, default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Class:
    """A class, record, interface, enumeration, struct or object; *single* means one instance."""

    name: str
    kind: str
    supers: tuple[str, ...] = ()
    fields: tuple[Field, ...] = ()
    functions: tuple[Function, ...] = ()
    classes: tuple[Class, ...] = ()
    statements: tuple[Expression | Statement, ...] = ()
    notes: tuple[Note, ...] = ()
    line: int = 0
    single: bool = False


Expression: TypeAlias = (
    Literal
    | Name
    | Member
    | Index
    | Call
    | New
    | Record
    | Sequence
    | Operation
    | Choice
    | Text
    | Lambda
    | Assign
    | Unknown
    | Pattern
    | Block
    | If
    | Match
    | Try
    | Exit
)
Statement: TypeAlias = Declare | Loop | Class | Function


@dataclass(slots=True)
class File:
    """A source file; *imports* are what its names stand for, by name."""

    path: str
    language: str
    package: str = ""
    imports: Mapping[str, str] = field(default_factory=dict)
    wildcards: tuple[str, ...] = ()
    classes: tuple[Class, ...] = ()
    functions: tuple[Function, ...] = ()
    statements: tuple[Expression | Statement, ...] = ()
    methods: tuple[tuple[str, Function], ...] = ()
    """Functions that stand outside of the class that they belong to, each with its name."""
    aliases: Mapping[str, str] = field(default_factory=dict)  # types that it declares as another name of one
    is_cut: bool = False  # code nests too deeply in it: what is further inside was not lowered
    unread: str = ""  # the text of the code around what the grammar does not understand


_NOT_CODE = frozenset(("memo", "line", "end", "kinds"))
_WITHOUT_CODE = frozenset(("str", "int", "bool", "Kind", "Leave", "tuple[str, ...]", "Mapping[str, str]"))
"""The types of parts that no code is in."""
_PARTS: dict[type, tuple[str, ...] | None] = {}


def parts_of(kind: type) -> tuple[str, ...] | None:
    """Return the names of what a kind of code consists of; None for other types."""
    if kind not in _PARTS:
        listed = getattr(kind, "__dataclass_fields__", None)
        _PARTS[kind] = None if listed is None else tuple(name for name in listed if name not in _NOT_CODE)
    return _PARTS[kind]


class _Inside(dict[type, "Callable[[Any], tuple[object, ...]] | None"]):
    """What reads the parts of each kind of code that code may be in, the last first; None for other types."""

    def __missing__(self, kind: type) -> Callable[[Any], tuple[object, ...]] | None:
        types = {name: one.type for name, one in getattr(kind, "__dataclass_fields__", {}).items()}
        names = [name for name in reversed(parts_of(kind) or ()) if types[name] not in _WITHOUT_CODE]
        first = attrgetter(names[0]) if names else tuple
        several = attrgetter(*names) if len(names) > 1 else (lambda code: (first(code),)) if names else tuple
        self[kind] = None if parts_of(kind) is None else several
        return self[kind]


_INSIDE = _Inside()


def walk(code: object) -> Iterator[object]:
    """Yield code and all that is in it."""
    stack = [code]
    while stack:
        one = stack.pop()
        if isinstance(one, tuple):
            stack += one[::-1]
        elif (inside := _INSIDE[type(one)]) is not None:
            yield one
            if inside is not tuple:  # half of all code has nothing in it
                stack += inside(one)
