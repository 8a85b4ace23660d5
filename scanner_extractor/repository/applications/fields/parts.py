"""Source files as declarations and expressions, in one form for all languages.

An expression or statement is a `Part`. A block is a part of kind GROUP: what it contains is evaluated in order, and
branches are evaluated one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple


class Type(NamedTuple):
    """A declared type: its name without package and its type arguments; the name is empty if it is unknown."""

    name: str = ""
    args: tuple[Type, ...] = ()


class Kind(StrEnum):
    """The kinds of parts."""

    NAME = "name"
    TEXT = "text"
    MEMBER = "member"
    INDEX = "index"
    CALL = "call"
    NEW = "new"
    OBJECT = "object"
    LIST = "list"
    LAMBDA = "lambda"
    CHOICE = "choice"
    CAST = "cast"
    SPREAD = "spread"
    BIND = "bind"
    EACH = "each"
    RETURN = "return"
    GROUP = "group"


@dataclass(slots=True, eq=False)
class Part:
    """An expression or statement.

    *text* is the name, member, method or literal; *line* is that of the name, *start* that of the whole expression.
    *of* is the receiver, the value of an INDEX or CAST, or the target of a BIND. *parts* are arguments, items or
    alternatives. *named* are named arguments, members of an object, or the names that a pattern takes apart, each
    with its line.
    """

    kind: Kind
    text: str = ""
    line: int = 0
    start: int = 0
    of: Part | None = None
    parts: list[Part] = field(default_factory=list)
    named: list[tuple[str, Part, int]] = field(default_factory=list)
    types: tuple[Type, ...] = ()
    function: Function | None = None

    def children(self) -> Iterator[Part]:
        """Yield the parts inside, but not those of a lambda's body."""
        if self.of is not None:
            yield self.of
        yield from self.parts
        yield from (value for _, value, _ in self.named)


class Note(NamedTuple):
    """An annotation: its name, its texts, and its line."""

    name: str
    texts: tuple[str, ...]
    line: int


@dataclass(slots=True, eq=False)
class Parameter:
    """A parameter; *pattern* takes it apart, None if it has a name only."""

    name: str
    type: Type = Type()
    notes: tuple[Note, ...] = ()
    pattern: Part | None = None


@dataclass(slots=True, eq=False)
class Function:
    """A function, method, constructor (without a name) or lambda, with the class that it is in."""

    name: str
    path: str
    line: int
    parameters: list[Parameter] = field(default_factory=list)
    returns: Type = Type()
    notes: tuple[Note, ...] = ()
    body: list[Part] = field(default_factory=list)
    owner: Class | None = None


class Field(NamedTuple):
    """A field of a message type: its name in the message, and its type."""

    wire: str
    type: Type = Type()


@dataclass(slots=True, eq=False)
class Class:
    """A class, record, struct or interface: its fields by member name, in order.

    *package* is that of the file or schema; *is_schema*: it is generated from a schema.
    """

    name: str
    path: str = ""
    line: int = 0
    package: str = ""
    fields: dict[str, Field] = field(default_factory=dict)
    supertypes: list[Type] = field(default_factory=list)
    functions: dict[str, list[Function]] = field(default_factory=dict)
    constructors: list[Function] = field(default_factory=list)
    is_schema: bool = False


@dataclass(slots=True, eq=False)
class SourceFile:
    """The classes and functions of a file; *body* are the statements outside of functions.

    *imports* are the full names that it imports, by their last word. *is_cut*: a part nests too deeply to be read.
    """

    path: str
    package: str = ""
    is_cut: bool = False
    imports: dict[str, str] = field(default_factory=dict)
    classes: list[Class] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    body: Function = field(init=False)

    def __post_init__(self) -> None:
        self.body = Function("", self.path, 1)
        self.functions.append(self.body)
