"""What a value is made of: the fields of received records that reach it, each copied or computed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from scanner_programs.libraries.standard import CONVERTS, DECODED, HELD, ITERATES, LOOKUPS, NO_FIELDS, SIZES
from scanner_programs.machine import Machine
from scanner_programs.shapes import wire_name
from scanner_programs.values import (
    NULL,
    Apply,
    Closure,
    Cond,
    Const,
    Get,
    Items,
    Method,
    Opaque,
    Ref,
    Thing,
    Type,
    Value,
)

_MOST_NODES = 4_000
_MOST_ORIGINS = 200
_CONVERSION = re.compile(r"(?:to|as|parse|decode)[A-Z]")
"""What the names of members begin with that are the same value in another form."""
_PATH = re.compile(r"(?:\$(?:\.[\w-]+|\['[^']+'\]|\[[\d*]+\])+|(?:/[\w-]+)+)")
"""A path of JSON, `$.items[0].sku`, or a pointer, `/items/0/sku`."""
_NAME = re.compile(r"[A-Za-z_][\w-]*")
_WITHOUT_BRACKETS = frozenset(("nonEmpty", "is_empty", "get", "head"))
"""Members of optional values and sequences that are called without brackets."""
_RECORD = frozenset(("message", "record", "data", "msg", "delivery"))
"""What clients call a record among other things, such as its topic and partition."""
_BESIDE = frozenset(("key", "headers", "header", "topic", "partition", "offset", "timestamp", "error"))
"""What clients say of a record beside its value."""
_VALUE = frozenset(("value", "payload", "body", "content", "bytes"))
"""What clients call the value of a record."""


class Origin(NamedTuple):
    """A field of what a program receives that reaches a value.

    *root* is the object that records come from. *path* is the field, empty for the whole value. *exact*: it is copied.
    *inside*: the path is one in the value of the record; otherwise it still is the record. *form*: it is the value in
    another form, whose members are copied. *only* are the topics that it comes from where a program asks a record for
    its topic, *never* those that it does not come from; without any, that is not asked.
    """

    root: Value
    path: tuple[str, ...] = ()
    exact: bool = True
    inside: bool = False
    form: bool = False
    only: frozenset[str] = frozenset()
    never: frozenset[str] = frozenset()


@dataclass(slots=True)
class OriginReader:
    """Finds the origins of values; *root* returns whether records come from a value, and whether it is their value.

    *topics* returns the topics that a condition says a record comes from. *is_strict*: what a library makes of an
    object of the program, with no word of a class, has no fields of it.
    """

    machine: Machine
    root: Callable[[Value], bool | None]
    topics: Callable[[Value], frozenset[str]] = lambda _: frozenset()
    is_strict: bool = False
    left: int = _MOST_NODES
    _known: dict[int, tuple[Value, tuple[Origin, ...]]] = field(default_factory=dict)
    _tests: dict[int, tuple[Value, tuple[Origin, ...]]] = field(default_factory=dict)
    _within: set[int] = field(default_factory=set)

    def of(self, value: Value) -> tuple[Origin, ...]:
        """Return the origins of a value; beyond a number of parts, what is known until then."""
        if id(value) in self._known:
            return self._known[id(value)][1]
        if id(value) in self._within or self.left <= 0:
            return ()
        self.left -= 1
        self._within.add(id(value))
        found = tuple(dict.fromkeys(self._of(value)))[:_MOST_ORIGINS]
        self._within.discard(id(value))
        self._known[id(value)] = value, found
        return found

    def _of(self, value: Value) -> Iterable[Origin]:
        is_value = self.root(value)
        if is_value is not None:
            return (Origin(value, inside=is_value),)
        match value:
            case Get(of=of, name=name):
                return self._member(of, name)
            case Cond(test=test, then=then, otherwise=otherwise):
                ways = self.of(then), self.of(otherwise)
                if topics := self.topics(test):
                    return (*_from(ways[0], topics), *_but_from(ways[1], topics))
                return (*ways[0], *ways[1], *_computed(self._of_test(test)))
            case Thing(fields=fields, base=base, arguments=arguments):
                parts = [*fields.values(), *arguments, *((base,) if base is not None else ())]
                return self._together(parts)
            case Items(values=values):
                return self._together(values)
            case Opaque(parts=parts):
                return _computed(self._together(parts))
            case Apply():
                return self._applied(value)
        return ()

    def _together(self, values: Iterable[Value]) -> tuple[Origin, ...]:
        return tuple(one for each in values for one in self.of(each))

    def _of_test(self, test: Value) -> tuple[Origin, ...]:
        """Return the origins of a condition: not what loops run over, nor what is only asked whether it is there.

        Conditions share their parts: what is known of one is not looked for again, by as many as have it.
        """
        waiting = [test]
        while waiting:
            one = waiting[-1]
            if id(one) in self._tests:
                waiting.pop()
                continue
            is_joined = isinstance(one, Apply) and one.of is None and one.name in ("&&", "||", "!")
            parts = one.arguments if isinstance(one, Apply) and is_joined else ()
            if left := [each for each in parts if id(each) not in self._tests]:
                waiting += left
                continue
            found: Iterable[Origin] = (each for part in parts for each in self._tests[id(part)][1])
            if not is_joined and not (
                isinstance(one, Apply) and (one.name in ("for", "while") or NULL in one.arguments)
            ):
                found = (each for each in self.of(one) if each.path)
            self._tests[id(one)] = one, tuple(dict.fromkeys(found))[:_MOST_ORIGINS]
        return self._tests[id(test)][1]

    def _member(self, of: Value, name: str) -> Iterable[Origin]:
        if (
            _CONVERSION.match(name) or name.endswith(">") or name in _WITHOUT_BRACKETS | NO_FIELDS
        ):  # the value in another form
            return self._step(of, name)
        if name[:1] == "_" and name[1:].isdigit():  # a part of a tuple
            return _computed(self.of(of))
        is_held = name.lower().removeprefix("get") in HELD
        if isinstance(of, Thing) and of.known is None and of.type and not is_held and name not in of.fields:
            return _computed(self.of(of))  # what an object of a library makes of what it is given
        is_list = isinstance(of, Apply) and of.of is not None and of.name in ("mapped", "filtered")
        if not is_held and (is_list or self.machine.is_plain(of)):
            return _computed(self.of(of))
        return self.of(of) if self._is_embedded(of, name) else self._field(of, name)

    def _is_embedded(self, of: Value, name: str) -> bool:
        """Return whether a member is a struct of a library that a class of Go has as part of itself."""
        known = self.machine.known_type(of)
        is_go = known is not None and known.file.language == "go"
        return is_go and known is not None and any(_last(one) == name for one in known.cls.supers)

    def _field(self, of: Value, name: str) -> Iterable[Origin]:
        reader = of if name.lower() in _BESIDE else _only_element(of)
        if isinstance(reader, Apply) and self.root(reader) is False and name.lower() not in _VALUE:
            yield from self.of(of)  # a member of what reads the records, as a stream of them is
            return
        known = self.machine.known_type(of)
        decoded = DECODED.get(_simple(self.machine.full_type(of))) if known is None else None
        if decoded is not None:
            yield from (one._replace(inside=True) for one in self.of(of) if name == decoded)
            return
        wire = name
        if known is not None and (found := self.machine.program.field(known, name)) is not None:
            written = wire_name(found[1], found[0], self.machine.program, known)
            if written is None and known.file.language == "go":  # no reader of a format sets it
                return
            wire = name if written is None else written
        for one in self._of_object(of):
            is_value = known is not None and not one.inside and one.exact  # an object of the program is read from one
            yield from _below(one._replace(inside=True) if is_value else one, wire) if wire else (one,)

    def _of_object(self, of: Value) -> Iterable[Origin]:
        """Return the origins of an object whose member is asked for: one that is made of fields has none of theirs."""
        match of if self.is_strict else None:
            case Thing(base=base, arguments=arguments):
                return self._together([*arguments, *((base,) if base is not None else ())])
            case Cond(test=test, then=then, otherwise=otherwise):
                ways = self._of_object(then), self._of_object(otherwise)
                if topics := self.topics(test):
                    return (*_from(ways[0], topics), *_but_from(ways[1], topics))
                return (*ways[0], *ways[1])
            case Apply(name="one of", of=None, arguments=arguments):
                return [one for each in arguments for one in self._of_object(each)]
        return self.of(of)

    def _applied(self, value: Apply) -> Iterable[Origin]:
        of, arguments = value.of, value.arguments
        if value.name in ("each", "one of") and of is None:
            is_many = value.name == "each" and not all(map(self.machine.is_single, arguments))
            return (_element(one) if is_many else one for one in self._together(arguments))
        if value.name == "grouped" and of is not None:
            return self.of(self.machine.element(of))
        if value.name in ("mapped", "filtered", "keyed", "joined") and of is not None:
            return self.of(self.machine.element(value))
        if value.name == "folded" and of is None:
            return _computed(self._together(arguments))
        if value.name.startswith("each ") or value.name in ("key", "unset", "setting"):
            return ()
        if of is not None and self.machine.is_port(of):
            return ()
        if value.name == "[]" or (of is not None and self.machine.is_map(of)):
            found = self.of(of) if of is not None else ()
            is_known = isinstance(of, Const | Items | Thing) and not found
            if of is not None and self.machine.is_scalar(of):
                return _computed(self.of(of))
            # What a key looks up is not made of the key, unless the program says what it has for each.
            return _computed(self._together(arguments)) if is_known else map(_element, found)
        if of is not None and not arguments:
            return self.of(of) if value.name in CONVERTS else self._step(of, value.name)
        looked_up = _looked_up(value)
        if of is not None and looked_up and any(one.exact for one in self.of(of)):
            return self._field(of, looked_up)
        if steps := _steps(value):  # `JsonPath.read(text, "$.customer.name")`, `tree.at("/items/0/sku")`
            objects = [one for one in (of, *arguments) if one is not None and any(each.exact for each in self.of(one))]
            inside = [each._replace(inside=True) for one in objects[:1] for each in self.of(one)]
            for name in steps:
                inside = [below for one in inside for below in _below(one, name)]
            return inside
        parts = [self.of(one) for one in ((of, *arguments) if of is not None else arguments)]
        filled = [one for one in parts if one]
        together = [one for each in filled for one in each]
        if any(isinstance(one, Closure | Method) or (isinstance(one, Thing) and one.known) for one in arguments):
            return _computed(together)  # by code that is not known to have run
        is_given = any(self.machine.known_type(one) is not None for one in arguments) and not any(
            map(_is_class, arguments)
        )
        if self.is_strict and is_given and together:
            return tuple(one._replace(exact=False, form=False) for one in together)
        if len(filled) == 1 and all(not one.path and one.exact for one in together):
            is_method = (of is not None and bool(parts[0])) or value.name in ITERATES
            is_reader = any(isinstance(one, Apply) and self.root(one) is False for one in arguments)
            if is_method or is_reader:
                return together
            return (one._replace(inside=True) for one in together)  # a step of its format
        if len(filled) == 1 and (of is None or isinstance(of, Ref) or any(map(_is_class, arguments))):
            # Of a whole value, or of an object of the program, it is another form; what a field finds is not of it.
            is_object = any(self.machine.known_type(each) is not None for each in arguments)
            return tuple(one._replace(exact=False, form=one.exact and (is_object or not one.path)) for one in together)
        return _computed(together)

    def _step(self, of: Value, name: str) -> Iterable[Origin]:
        """Yield the origins of what a method returns that is given nothing."""
        while name in SIZES and isinstance(of, Apply) and of.name in ("mapped", "filtered") and of.of is not None:
            of = of.of  # how many there are does not depend on what they are made into
        for one in self.of(of):
            if one.path or not one.exact:
                yield one._replace(exact=False)
            elif not one.inside and name.lower().removeprefix("get") in _VALUE | _RECORD:
                yield from _below(one, name)
            elif one.inside or name.lower().removeprefix("get") not in _BESIDE:
                yield one


def _only_element(value: Value) -> Value:
    """Return what a value is the only element of, as what holds a consumer has that; other values as they are."""
    while isinstance(value, Apply) and value.of is None and value.name == "each" and len(value.arguments) == 1:
        value = value.arguments[0]
    return value


def _simple(kind: str) -> str:
    return kind.replace("::", ".").partition("<")[0].rpartition(".")[2]


def _last(kind: str) -> str:
    return kind.lstrip("*").rpartition(".")[2]


def _below(one: Origin, name: str) -> Iterable[Origin]:
    """Yield the origin of a member: a part of a record, or a field of its value.

    What an unknown call returns may have been looked up by what it is given: its members come from elsewhere.
    """
    if one.form:
        one = one._replace(exact=True, form=False)
    if not one.exact:
        return
    if one.inside:
        yield one._replace(path=(*one.path, name))
    elif (part := name.lower().removeprefix("get")) in _VALUE:
        yield one._replace(inside=True)
    elif part in _RECORD or name.isdigit():
        yield one


def _from(found: Iterable[Origin], topics: frozenset[str]) -> Iterable[Origin]:
    """Yield the origins that are of records of some topics."""
    for one in found:
        left = (one.only & topics if one.only else topics) - one.never
        if left:
            yield one._replace(only=left)


def _but_from(found: Iterable[Origin], topics: frozenset[str]) -> Iterable[Origin]:
    """Yield the origins that are of records of other topics."""
    for one in found:
        if not one.only or one.only - topics:
            yield one._replace(only=one.only - topics, never=one.never | topics)


def _element(one: Origin) -> Origin:
    """Return the origin of an element of a list: of a field, its items; of records, one of them."""
    return one._replace(path=(*one.path, "[]")) if one.path and one.exact and one.path[-1] != "[]" else one


def _computed(found: Iterable[Origin]) -> tuple[Origin, ...]:
    return tuple(one._replace(exact=False, form=False) for one in found)


def _is_class(value: Value) -> bool:
    """Return whether an argument is a class: what a call makes of the others is an object of it."""
    return isinstance(value, Type) or (
        isinstance(value, Ref) and value.name.endswith((".class", "::class.java", "::class"))
    )


def _looked_up(value: Apply) -> str:
    """Return the member that a call asks an object for by a text; empty for other calls."""
    first = value.arguments[0] if value.arguments and len(value.arguments) <= 2 else None
    name = value.name.partition("<")[0]
    is_name = isinstance(first, Const) and first.text.replace("_", "a").replace("-", "a").isalnum()
    is_lookup = (name != "getBytes" and name.startswith(("get", "Get", "opt", "as_", "path"))) or name in LOOKUPS
    return first.text if is_name and is_lookup and isinstance(first, Const) and not first.text.isdigit() else ""


def _steps(value: Apply) -> list[str]:
    """Return the names in a path or pointer of JSON that a call is given; none for other calls."""
    for one in value.arguments[:2]:
        if isinstance(one, Const) and one.text[:1] in ("$", "/") and (names := _PATH.fullmatch(one.text)):
            return _NAME.findall(names[0])
    return []


def shortest(found: Iterable[Origin]) -> tuple[Origin, ...]:
    """Return origins without those that another one says better: copied before computed."""
    best: dict[tuple[object, ...], Origin] = {}
    for one in found:
        key = (id(one.root), one.path, one.only, one.never)
        if key not in best or (one.exact and not best[key].exact):
            best[key] = one
    return tuple(best.values())
