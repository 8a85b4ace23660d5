"""What an expression may be: symbolic values, and their canonical text.

A value has no names of locals: these are replaced by what they are bound to. An input is its place, never its name.
Two versions of a program that do the same have the same text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeAlias

from scanner_programs.ir import Function, Kind
from scanner_programs.libraries.others import watches
from scanner_programs.libraries.rows import without_async
from scanner_programs.libraries.standard import MAPS, VIEWS
from scanner_programs.residue import Digested, code_text, silent_in

if TYPE_CHECKING:
    from scanner_programs.program import Known, Scope

MOST_PARTS = 2_000
"""Parts of a value that its text has; what is beyond is opaque. A part that was written before counts as one."""
LONGEST_PART = 600
"""Characters of a part that are written out; a longer one is its beginning and a digest of the whole, since parts that
values share would grow exponentially with the length of the code that made them."""
LONGEST_TEXT = 10_000
"""Characters of a constant that is put together from others."""
Memo: TypeAlias = dict[bool | None, tuple[str, Any]]
"""The text of a value that never changes, and whether something in it was not followed.

It is known by whether what records are read with is shown as the records; by None, the texts of a condition and of its
opposite, as they were at first.
"""
_PLAIN = {"mapped": MAPS, "filtered": frozenset(("filter", "Where", "where", "retain", "flatMap", "collect"))}
_DEEPEST = 60
_EACH = re.compile(r"each\(([\w:.]++)\)")
"""An element of a sequence that has a name."""
CUT = "…"
"""The sign in the text of a value for what is too long to be written."""
_BEGINNING = 200
_DIGITS = 16


@dataclass(frozen=True, slots=True)
class Const:
    """A known constant."""

    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class Input:
    """What an entry of the program is given: a parameter by its place, or an object that a framework provides."""

    place: str
    type: str = ""


@dataclass(frozen=True, slots=True)
class Ref:
    """Something of a library, or of the language, by its full name."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Get(Digested):
    """A member of a value that is not known further."""

    of: Value
    name: str
    type: str = ""
    memo: Memo = field(init=False, default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class Apply(Digested):
    """What a call or an operator returns that is not known further; *of* is the object of a method.

    *via* is the method of a sequence that a function was given to, which `mapped` and `filtered` stand for.
    """

    name: str
    of: Value | None = None
    arguments: tuple[Value, ...] = ()
    names: tuple[str, ...] = ()
    type: str = ""
    via: str = ""
    memo: Memo = field(init=False, default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class Cond(Digested):
    """One of two values; *size* counts the ways to all that it may be, shared parts each time."""

    test: Value
    then: Value
    otherwise: Value
    memo: Memo = field(init=False, default_factory=dict, compare=False, repr=False)
    size: int = field(init=False, default=1, compare=False, repr=False)

    def __post_init__(self) -> None:
        sizes = (one.size if isinstance(one, Cond) else 1 for one in (self.then, self.otherwise))
        object.__setattr__(self, "size", sum(sizes))


@dataclass(frozen=True, slots=True, eq=False)
class Opaque(Digested):
    """What could not be followed, with the values in it."""

    text: str
    parts: tuple[Value, ...] = ()
    memo: Memo = field(init=False, default_factory=dict, compare=False, repr=False)


@dataclass(slots=True, eq=False)
class Thing:
    """An object: of a class of the program, of a library's class, or a map without a class.

    *base* is what it was copied from, for members that *fields* lacks. *touched*: calls that may have changed it.
    """

    type: str = ""
    known: Known | None = None
    fields: dict[str, Value] = field(default_factory=dict)
    arguments: tuple[Value, ...] = ()
    base: Value | None = None
    touched: list[str] = field(default_factory=list)
    depth: int = 0
    overridden: dict[str, Function] = field(default_factory=dict)
    line: int = 0


@dataclass(slots=True, eq=False)
class Items:
    """A list, set or tuple; *yielded*: what a function makes one after the other, each any number of times.

    *over* is what the loop goes over that put in the only value, once for each element.
    """

    values: list[Value] = field(default_factory=list)
    depth: int = 0
    yielded: bool = False
    over: Value | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Closure:
    """A function with what it was made in."""

    function: Function
    scope: Scope
    this: Value | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Method(Digested):
    """A method of an object, as a value."""

    of: Value
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Type:
    """A class of the program, as a value."""

    known: Known


Value: TypeAlias = Const | Input | Ref | Get | Apply | Cond | Opaque | Thing | Items | Closure | Method | Type

NULL = Const(Kind.NOTHING, "")
REMOVED = Ref("removed")
"""The value of a member of a copy that the copy does not have."""
TRUE, FALSE = Const(Kind.TRUTH, "true"), Const(Kind.TRUTH, "false")
_COMMUTES = frozenset(("==", "!=", "===", "!==", "*", "&&", "||", "and", "or", "is", "is not"))


class Shown:
    """Writes values as text, up to a number of parts; *opaque* says whether something in them was not followed.

    With *identity*, calls that may have changed an object are left out: its text is the same before and after them.
    With *numbered*, two objects that are made alike have texts of their own. *records* returns the text of what records
    are read with, which says which records these are and not how they are read; None for other values.
    """

    def __init__(
        self,
        most: int = MOST_PARTS,
        *,
        identity: bool = False,
        numbered: bool = False,
        records: Callable[[Value], str | None] | None = None,
    ) -> None:
        self.left = most
        self._records = records
        self._identity, self._numbered = identity, numbered
        self.opaque = False
        self._varies = False
        self._open = 0  # the places in *within* of the objects that what is written refers to, as bits
        self._within: list[int] = []
        self._written: dict[int, tuple[Value, str, bool]] = {}
        self._until: dict[int, list[int]] = {}

    def text(self, value: Value, depth: int = 0) -> str:
        """Return the canonical text of a value; two values with one text are the same."""
        if self._records is not None and isinstance(value, Apply | Thing):
            known = value.memo.get(True) if isinstance(value, Apply) else None
            named = self._records(value) if known is None else None
            if named is not None:
                return named
        if not depth:  # objects may have changed since the last text
            self._written.clear()
            self._until.clear()
        if not isinstance(value, Apply | Get | Cond | Opaque | Thing | Items):
            return self._text(value, depth)
        if id(value) in self._written:
            _, text, opaque = self._written[id(value)]
            return self._again(text, opaque=opaque)
        memo = None if self._numbered or isinstance(value, Thing | Items) else value.memo
        of_records = self._records is not None
        if memo is not None and of_records in memo:
            text, opaque = memo[of_records]
            return self._again(text, opaque=opaque)
        opaque, varies, opened = self.opaque, self._varies, self._open
        self.opaque, self._varies, self._open = False, isinstance(value, Thing | Items), 0
        text = self._text(value, depth)
        if len(text) > LONGEST_PART:
            text = f"{text[:_BEGINNING]}{CUT}{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:_DIGITS]}"
        if self.left >= 0 and depth < _DEEPEST // 2:
            self._written[id(value)] = value, text, self.opaque
            if self._open:  # it holds objects that it is in, and is written so as long as it is in all of them
                self._until.setdefault(self._open.bit_length() - 1, []).append(id(value))
            elif memo is not None and not self._varies:
                memo[of_records] = text, self.opaque
        self.opaque |= opaque
        self._varies |= varies
        self._open |= opened
        return text

    def _leave(self) -> None:
        """Forget the texts of what refers to the object or list that is left."""
        at = len(self._within) - 1
        for one in self._until.pop(at, ()):
            self._written.pop(one, None)
        self._within.pop()
        self._open &= ~(1 << at)

    def _again(self, text: str, *, opaque: bool) -> str:
        """Return the text of a part that was written before."""
        self.left -= 1
        self.opaque |= opaque or self.left < 0
        return text if self.left >= 0 else "…"

    def _text(self, value: Value, depth: int) -> str:
        self.left -= 1
        if self.left < 0 or depth > _DEEPEST:
            self.opaque = True
            return "…"
        match value:
            case Const():
                return _constant(value)
            case Input(place=place):
                return f"in:{place}"
            case Ref(name=name):
                return name
            case Get(of=of, name=name):
                return f"{self.text(of, depth + 1)}.{name}"
            case Apply():
                return self._apply(value, depth)
            case Cond(test=test, then=then, otherwise=otherwise):
                shown = [self.text(one, depth + 1) for one in (test, then, otherwise)]
                if _is_of(then, test):  # a value or another one where it is missing
                    return shown[1] if otherwise == NULL else f"??({shown[1]}, {shown[2]})"
                return f"if({', '.join(shown)})"
            case Opaque(text=text, parts=parts):
                self.opaque = True
                return f"?{text}({', '.join(self.text(one, depth + 1) for one in parts)})"
            case Thing():
                return self._thing(value, depth)
            case Items(values=values):
                if id(value) in self._within:
                    self._open |= 1 << self._within.index(id(value))
                    return "[…]"
                self._within.append(id(value))
                inside = ", ".join(self.text(one, depth + 1) for one in values)
                over = self.text(value.over, depth + 1) if value.over is not None else ""
                if len(values) == 1 and isinstance(values[0], Cond) and values[0].otherwise == NULL:
                    which, made = self.text(values[0].test, depth + 1), self.text(values[0].then, depth + 1)
                    over = over or (found[1] if (found := _EACH.search(f"{made} {which}")) else "")
                    if over:
                        inside, over = "" if made == f"each({over})" else made, f"{over}.filtered({which})"
                self._leave()
                return (f"{over}.mapped({inside})" if inside else over) if over else f"[{inside}]"
            case Closure(function=function, scope=scope):
                return f"fn({summary(function, scope)})"
            case Method(of=of, name=name):
                return f"{self.text(of, depth + 1)}::{name}"
            case Type(known=known):
                return known.cls.name

    def _apply(self, value: Apply, depth: int) -> str:
        if value.of is not None and not value.arguments and value.name.partition("<")[0] in VIEWS:
            return self.text(value.of, depth + 1)
        if value.of is not None and value.name == "collect" and value.arguments == _TO_LIST:
            return self.text(value.of, depth + 1)
        if self._numbered and is_made(value):
            return f"{value.name}#{id(value)}"  # whatever it is made of may change
        shown = [self.text(one, depth + 1) for one in value.arguments]
        if value.names:
            shown = [f"{name}={text}" if name else text for name, text in zip(value.names, shown, strict=True)]
        if value.name in _COMMUTES and value.of is None:
            shown.sort()
        of = f"{self.text(value.of, depth + 1)}." if value.of is not None else ""
        if value.name == "mapped" and shown == [f"each({of.partition('.filtered(')[0].rstrip('.')})"]:
            return of[:-1]  # of each element, the element
        via = ""
        if value.via and value.name in _PLAIN and value.via.partition("<")[0] not in _PLAIN[value.name]:
            via = f":{value.via}"  # more than a function of each element
        return f"{of}{without_async(value.name)}{via}({', '.join(shown)})"

    def _thing(self, value: Thing, depth: int) -> str:
        if self._numbered:
            return f"{value.type}#{id(value)}"
        if id(value) in self._within:
            self._open |= 1 << self._within.index(id(value))
            return "{…}"
        self._within.append(id(value))
        shown = [f"{name}: {self.text(one, depth + 1)}" for name, one in sorted(value.fields.items())]
        if value.base is not None:
            shown.insert(0, f"*: {self.text(value.base, depth + 1)}")
        shown += [f"after {call}" for call in value.touched if not self._identity]
        made = ", ".join(self.text(one, depth + 1) for one in value.arguments)
        self._leave()
        kind = "" if value.known is not None else value.type
        return f"{kind}{f'({made})' if made else ''}{{{', '.join(shown)}}}"


_TO_LIST = (Apply("Collectors.toList"),)


def _is_of(value: Value, test: Value) -> bool:
    """Return whether a test is whether what a value is taken from is there."""
    if not (isinstance(test, Apply) and test.name == "!=" and NULL in test.arguments and len(test.arguments) == 2):
        return False
    wanted = test.arguments[0] if test.arguments[1] == NULL else test.arguments[1]
    of: Value | None = value
    while of is not None and of != wanted:
        of = of.of if isinstance(of, Get | Apply) else None
    return of is not None


def _constant(value: Const) -> str:
    if value.kind is Kind.TEXT:
        return json.dumps(value.text, ensure_ascii=False)
    return "null" if value.kind is Kind.NOTHING else value.text.lower()


def without_cuts(text: str) -> str:
    """Return a text without what tells parts from others that are too long to be written."""
    first, *rest = text.split(CUT)
    return CUT.join((first, *(one[_DIGITS:] for one in rest)))


def show(value: Value) -> str:
    """Return the canonical text of a value."""
    return Shown().text(value)


def is_made(value: Value) -> bool:
    """Return whether a value is a new object of a library's class."""
    if isinstance(value, Apply) and value.of is None:
        return value.name.partition("<")[0].replace("::", ".").rpartition(".")[2][:1].isupper()
    return isinstance(value, Thing) and bool(value.type)


def is_function(value: Value) -> bool:
    """Return whether a value is a function of the program."""
    return isinstance(value, Closure | Method)


def summary(function: Function, scope: Scope) -> str:
    """Return the canonical text of a function: names of its own variables are gone, and what only logs."""
    if summary not in function.memo:
        is_silent = silent_in(scope.file, scope.known.cls if scope.known is not None else None, watches)
        function.memo[summary] = code_text(function, is_silent)
    text: str = function.memo[summary]
    return text
