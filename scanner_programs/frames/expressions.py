"""Expressions over the columns of a frame: their names, and the values that they have."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Protocol

from scanner_programs.frames.schemas import schema_type
from scanner_programs.frames.values import (
    AGGREGATION,
    IDENTITY,
    NOTHING,
    TRANSFORMATION,
    Type,
    Value,
    any_of,
    array_of,
    combined,
    decided,
    either,
    struct,
    with_effect,
)

Parts = tuple[str, ...]
_FILE_METADATA = "_metadata"
"""A hidden column of Spark's file sources: the path, size and time of a file."""
UNNAMED = "?"
"""The name of a column whose name is not resolved."""


class Kind(Enum):
    """The kinds of expressions; what `data` holds is in brackets."""

    COLUMN = "column"
    """A name (its parts)."""
    STAR = "star"
    """All columns but those of its arguments (the parts of the qualifier)."""
    LITERAL = "literal"
    """A constant (itself)."""
    KNOWN = "known"
    """A column of a certain frame (the column)."""
    CALL = "call"
    """A function (its type, if declared)."""
    ALIAS = "alias"
    """An expression with names (these)."""
    CASE = "case"
    """One of its arguments (the conditions)."""
    OVER = "over"
    """A function over a window (what the window partitions and sorts by)."""
    LAMBDA = "lambda"
    """A function of an array's elements (the parameters)."""
    QUERY = "query"
    """A subquery (its frame)."""


@dataclass(frozen=True, slots=True, eq=False)
class Expr:
    """An expression; *name* is a function's, *data* depends on the kind."""

    kind: Kind
    name: str = ""
    args: tuple[Expr, ...] = ()
    data: Any = None


@dataclass(frozen=True, slots=True, eq=False)
class Out:
    """A column of a frame, the same one as long as it is passed on; *qualifiers* are what its frame is called."""

    name: str
    value: Value
    qualifiers: frozenset[str] = frozenset()
    origin: Out | None = None

    @property
    def identity(self) -> Out:
        """Return the column that this one was when it was computed."""
        return self.origin or self


class Columns(Protocol):
    """What expressions are resolved against."""

    def find(self, parts: Parts) -> Value | None:
        """Return the value of a name; None if unknown."""

    def passed(self, column: Out) -> Value:
        """Return the value that a column of an earlier frame has in this one."""

    def star(self, parts: Parts) -> tuple[Sequence[Out], Sequence[Value]]:
        """Return the columns of a star, and values that contribute all of their members."""


def column(name: str) -> Expr:
    """Return the expression of a column's name, `a.b` or "`a.b`.c"; `*` is all columns."""
    parts = tuple(_parts_of(name.strip()))
    if parts and parts[-1] == "*":
        return Expr(Kind.STAR, data=parts[:-1])
    return Expr(Kind.COLUMN, data=parts)


def _parts_of(name: str) -> Iterator[str]:
    """Yield the parts between dots; a dot in backticks is part of a name, and two backticks there are one."""
    part, is_quoted = "", False
    for piece in name.replace("``", "\0").split("`"):
        if is_quoted:
            part += piece.replace("\0", "`")
        else:
            first, *others = piece.replace("\0", "").split(".")
            part += first
            for other in others:
                yield from (part,) if part else ()
                part = other
        is_quoted = not is_quoted
    yield from (part,) if part else ()


def literal(value: object) -> Expr:
    """Return the expression of a constant."""
    return Expr(Kind.LITERAL, data=value)


def call(name: str, *args: Expr, data: Type | None = None) -> Expr:
    """Return the call of a function."""
    return Expr(Kind.CALL, name, args, data)


def text_of(expr: Expr) -> str | None:
    """Return the text of a constant; None for other expressions."""
    return expr.data if expr.kind is Kind.LITERAL and isinstance(expr.data, str) else None


_DEEPEST_NAME = 5
_NAMELESS = frozenset({"aggregated", "cast", "try_cast", "asc", "desc", "withfield", "dropfields"})
RECORD_PARSERS = ("from_avro", "from_protobuf")
"""Functions that parse whole records; a library that knows a registry has its own of the same names."""
_PARSING = ("from_json", *RECORD_PARSERS, "from_csv", "from_xml")
_MEMBERS = frozenset({"getfield", "getitem"})


def name_of(expr: Expr, depth: int = 0) -> str:
    """Return the name that Spark gives to the column of an expression, as far as it is short."""
    if depth > _DEEPEST_NAME:
        return "…"
    depth += 1
    match expr.kind:
        case Kind.ALIAS:
            return str(expr.data[0])
        case Kind.COLUMN:
            return expr.data[-1] if expr.data else ""
        case Kind.KNOWN:
            return str(expr.data.name)
        case Kind.LITERAL:
            return str(expr.data)
        case Kind.CALL if expr.name in _NAMELESS and expr.args:
            return name_of(expr.args[0], depth)
        case Kind.CALL if expr.name in _MEMBERS and len(expr.args) > 1:
            inner = text_of(expr.args[1])
            return inner if inner is not None else f"{name_of(expr.args[0], depth)}[{name_of(expr.args[1], depth)}]"
        case Kind.CALL if expr.name in ("window", "session_window"):
            return expr.name
        case Kind.CALL if expr.name in _PARSING:
            return f"{expr.name}({name_of(expr.args[0], depth)})"
        case Kind.OVER:
            return f"{name_of(expr.args[0], depth)} OVER (…)"
        case Kind.CASE:
            return "CASE …"
    shown = "1" if expr.name == "count" and any(each.kind is Kind.STAR for each in expr.args) else None
    return f"{expr.name}({shown or ', '.join(name_of(each, depth) for each in expr.args)})"


GENERATORS: Mapping[str, Parts] = {
    "explode": ("col",),
    "explode_outer": ("col",),
    "posexplode": ("pos", "col"),
    "posexplode_outer": ("pos", "col"),
    "inline": (),
    "inline_outer": (),
    "stack": (),
    "json_tuple": (),
}
"""Functions with several rows or columns, with the names of their columns."""


@dataclass(frozen=True, slots=True)
class Resolver:
    """Resolves expressions against *columns*; *names* are the parameters of lambdas around them.

    *unresolved* notes the names that are not known.
    """

    columns: Columns
    unresolved: Callable[[str], None]
    names: Mapping[str, Value] = field(default_factory=dict)
    known: dict[Expr, Value] = field(default_factory=dict)

    def outputs(self, expr: Expr) -> tuple[list[Out], list[Value]]:
        """Return the columns of a select item, and values that contribute all of their members."""
        if expr.kind is Kind.STAR:
            listed, open_ = self.columns.star(expr.data)
            left_out = {name_of(each).casefold() for each in expr.args}
            return [out for out in listed if out.name.casefold() not in left_out], list(open_)
        inner = expr.args[0] if expr.kind is Kind.ALIAS else expr
        if inner.kind is Kind.CALL and inner.name in GENERATORS:
            return self._generated(inner, expr.data if expr.kind is Kind.ALIAS else ())
        value = self.value(expr)
        if expr.kind is Kind.KNOWN:
            return [Out(expr.data.name, value, expr.data.qualifiers, expr.data.identity)], []
        return [Out(name_of(expr), value)], []

    def _generated(self, expr: Expr, names: Parts) -> tuple[list[Out], list[Value]]:
        source = self.value(expr.args[0]) if expr.args else NOTHING
        if expr.name == "json_tuple":
            members = [_content(source, None).member(text_of(each) or "") for each in expr.args[1:]]
            return _named(members, names or tuple(f"c{at}" for at in range(len(members)))), []
        if expr.name == "stack":
            return _named([combined(map(self.value, expr.args[1:]))] * max(len(names), 1), names or ("col0",)), []
        element = source.element()
        if expr.name.startswith("inline"):
            known = element.member_names
            if known is None:
                return ([], [element]) if not names else (_named([element] * len(names), names), [])
            return _named([element.member(name) for name in known], names or known), []
        is_map = source.type is not None and source.type.kind == "map"
        values = [replace(element, type=None), element] if is_map else [element]
        own = ("key", "value") if is_map else ("col",)
        if expr.name.startswith("pos"):
            values, own = [NOTHING, *values], ("pos", *own)
        return _named(values, names if len(names) == len(values) else own), []

    def value(self, expr: Expr) -> Value:
        """Return the value of an expression; a part that is used twice is resolved once."""
        if expr not in self.known:
            self.known[expr] = self._value(expr)
        return self.known[expr]

    def _value(self, expr: Expr) -> Value:
        match expr.kind:
            case Kind.COLUMN:
                return self._column(expr.data)
            case Kind.KNOWN:
                return self.columns.passed(expr.data)
            case Kind.STAR:
                listed, open_ = self.columns.star(expr.data)
                return combined([*(each.value for each in listed), *open_])
            case Kind.LITERAL:
                return Value(texts=frozenset({expr.data})) if isinstance(expr.data, str) else NOTHING
            case Kind.ALIAS:
                return self.value(expr.args[0])
            case Kind.CASE:
                result = either(map(self.value, expr.args))
                result = result if not result.origins else with_effect(result, TRANSFORMATION)
                return decided(result, map(self.value, expr.data), "CONDITIONAL")
            case Kind.OVER:
                inner = self.value(expr.args[0])
                return decided(with_effect(inner, TRANSFORMATION), map(self.value, expr.data), "WINDOW")
            case Kind.LAMBDA:
                return self.value(expr.args[0])
            case Kind.QUERY:
                inside = combined(each.value for each in expr.data.columns)
                return replace(inside, deciders=inside.deciders | expr.data.deciders)
            case Kind.CALL:
                known = _FUNCTIONS.get(expr.name)
                is_complete = len(expr.args) >= _NEEDED.get(expr.name, 1)
                return known(self, expr) if known is not None and is_complete else self.computed(expr)

    def computed(self, expr: Expr) -> Value:
        """Return the value of a function of its arguments; lambdas among them are of the elements of the others."""
        if any(each.kind is Kind.LAMBDA for each in expr.args):
            return _higher(self, expr)
        return combined(map(self.value, expr.args), kind=expr.data)

    def _column(self, parts: Parts) -> Value:
        if parts and parts[0] in self.names:
            value = self.names[parts[0]]
            for name in parts[1:]:
                value = value.member(name)
            return value
        found = self.columns.find(parts)
        if found is None and parts[:1] == (_FILE_METADATA,):
            return NOTHING
        if found is None:
            self.unresolved(".".join(parts))
            listed, open_ = self.columns.star(())
            return any_of([*(each.value for each in listed), *open_])
        if found.unclear:
            self.unresolved(".".join(parts))
        return found

    def within(self, parameters: Iterable[str], values: Iterable[Value]) -> Resolver:
        """Return the resolver of the body of a lambda."""
        return replace(self, names={**self.names, **dict(zip(parameters, values, strict=False))}, known={})


def _named(values: Sequence[Value], names: Sequence[str]) -> list[Out]:
    return [Out(name, value) for name, value in zip(names, values, strict=False)]


def _parsed(resolver: Resolver, expr: Expr) -> Value:
    return _content(resolver.value(expr.args[0]), _schema(expr.args[1:]))


def _formatted(resolver: Resolver, expr: Expr) -> Value:
    """Return what an unknown function makes of a value: of a message without a known form, its content."""
    value = resolver.value(expr.args[0])
    is_whole = value.member_names is None and value.effect == IDENTITY
    is_message = is_whole and not any(path for _, path in value.origins)
    return value.parsed(None) if is_message else resolver.computed(expr)


def _content(message: Value, kind: Type | None) -> Value:
    """Return what a message contains: of one that the program builds, what it is built of."""
    return message if message.parts is not None else message.parsed(kind)


def _schema(args: Iterable[Expr]) -> Type | None:
    """Return the type that a parsing function is given."""
    for each in args:
        if isinstance(each.data, Type):
            return each.data
        text = text_of(each)
        if text is not None and (found := schema_type(text)) is not None and found.kind in ("struct", "array", "map"):
            return found
    return None


def _first(resolver: Resolver, expr: Expr) -> Value:
    return resolver.value(expr.args[0]) if expr.args else NOTHING


def _cast(resolver: Resolver, expr: Expr) -> Value:
    value = resolver.value(expr.args[0])
    is_typed = expr.data is not None and (expr.data.kind != "plain" or value.type is not None)
    return replace(value, type=expr.data) if is_typed else value


def _struct(resolver: Resolver, expr: Expr) -> Value:
    parts: list[tuple[str, Value]] = []
    whole: list[Value] = []
    for each in expr.args:
        outs, open_ = resolver.outputs(each)
        parts += [(out.name, out.value) for out in outs]
        whole += open_
    return struct(parts) if not whole else _partly(parts, whole)


def _partly(parts: Iterable[tuple[str, Value]], whole: Sequence[Value]) -> Value:
    """Return a struct some of whose members are not known by name."""
    listed = [value for _, value in parts]
    return either(whole) if not listed else replace(combined([*listed, *whole]), unclear=True)


def _named_struct(resolver: Resolver, expr: Expr) -> Value:
    pairs = zip(expr.args[::2], expr.args[1::2], strict=False)
    return struct((text_of(name) or name_of(name), resolver.value(value)) for name, value in pairs)


def _array(resolver: Resolver, expr: Expr) -> Value:
    items = [resolver.value(each) for each in expr.args]
    return array_of(either(items)) if items else NOTHING


def _zipped(resolver: Resolver, expr: Expr) -> Value:
    """Return the array whose elements have a member for each of several arrays."""
    return array_of(struct((name_of(each), resolver.value(each).element()) for each in expr.args))


def _member(resolver: Resolver, expr: Expr) -> Value:
    base = resolver.value(expr.args[0])
    name = text_of(expr.args[1])
    if name is not None:
        return base.member(name)
    return decided(base.element(), [resolver.value(expr.args[1])], "CONDITIONAL")


def _json_path(resolver: Resolver, expr: Expr) -> Value:
    value = _content(resolver.value(expr.args[0]), None)
    for name, index in _STEPS.findall(text_of(expr.args[1]) or ""):
        value = value.element() if index else value.member(name)
    return value


_STEPS = re.compile(r"\.([^.\[\]]+)|(\[(?:\d+|\*)\])")


def _window(resolver: Resolver, expr: Expr) -> Value:
    bound = combined([resolver.value(expr.args[0])])
    return struct((("start", bound), ("end", bound)))


def _kept(resolver: Resolver, expr: Expr) -> Value:
    """Return the value of an aggregate that is one of the values of its first argument."""
    values = [resolver.value(each) for each in expr.args]
    return decided(with_effect(values[0], AGGREGATION), values[1:], "SORT") if values else NOTHING


def _collected(resolver: Resolver, expr: Expr) -> Value:
    return array_of(with_effect(resolver.value(expr.args[0]), AGGREGATION), AGGREGATION)


def _counted(resolver: Resolver, expr: Expr) -> Value:
    values = [resolver.value(each) for each in expr.args if each.kind is not Kind.STAR]
    return combined(values, AGGREGATION) if values else NOTHING


def _level(resolver: Resolver, expr: Expr) -> Value:
    """Return which of several groupings a row belongs to: not a value of its keys."""
    return decided(NOTHING, map(resolver.value, expr.args), "GROUP_BY")


def _mapped(resolver: Resolver, expr: Expr) -> Value:
    """Return the array of what a lambda returns for each element."""
    array, body = resolver.value(expr.args[0]), expr.args[-1]
    if body.kind is not Kind.LAMBDA:
        return resolver.computed(expr)
    inner = resolver.within(body.data, [array.element(), NOTHING]).value(body.args[0])
    return array_of(inner if inner.origins else combined([array, inner]))


def _filtered(resolver: Resolver, expr: Expr) -> Value:
    array, body = resolver.value(expr.args[0]), expr.args[-1]
    if body.kind is not Kind.LAMBDA:
        return resolver.computed(expr)
    return decided(array, [resolver.within(body.data, [array.element(), NOTHING]).value(body.args[0])], "FILTER")


def _higher(resolver: Resolver, expr: Expr) -> Value:
    """Return the value of a function of arrays and lambdas over their elements."""
    arrays = [resolver.value(each) for each in expr.args if each.kind is not Kind.LAMBDA]
    elements = [array.element() for array in arrays]
    bodies = [each for each in expr.args if each.kind is Kind.LAMBDA]
    count = max(len(each.data) for each in bodies)
    if count > len(elements) and all(array.type is not None and array.type.kind == "map" for array in arrays):
        elements = [combined(arrays), *elements]  # the key is the first parameter
    inner = [resolver.within(each.data, _cycled(elements, len(each.data))).value(each.args[0]) for each in bodies]
    return combined([*arrays[count:], *(inner if any(each.origins for each in inner) else arrays)])


def _aggregated(resolver: Resolver, expr: Expr) -> Value:
    """Return the value of `aggregate(array, start, merge, finish)`: the first parameter of *merge* is the result."""
    array, start, *bodies = expr.args
    result = resolver.value(start)
    for body in bodies:
        if body.kind is Kind.LAMBDA:
            given = [result, resolver.value(array).element()]
            result = combined([result, resolver.within(body.data, given).value(body.args[0])])
    return result


def _unnamed(resolver: Resolver, expr: Expr) -> Value:
    resolver.unresolved(UNNAMED)
    return resolver.value(expr.args[0]) if expr.name == "unnamed" else resolver.computed(expr)


def _cycled(values: Sequence[Value], count: int) -> Iterator[Value]:
    whole = combined(values)
    return (values[at] if at < len(values) else whole for at in range(count))


def _with_field(resolver: Resolver, expr: Expr) -> Value:
    base, name, value = resolver.value(expr.args[0]), text_of(expr.args[1]) or "", resolver.value(expr.args[2])
    names = base.member_names
    if names is None:
        return replace(combined([base, value]), unclear=True)
    return struct([*((each, base.member(each)) for each in names if each != name), (name, value)])


def _without_fields(resolver: Resolver, expr: Expr) -> Value:
    base, dropped = resolver.value(expr.args[0]), {text_of(each) for each in expr.args[1:]}
    names = base.member_names
    return base if names is None else struct((each, base.member(each)) for each in names if each not in dropped)


def _conditional(resolver: Resolver, expr: Expr) -> Value:
    condition, *results = expr.args
    return resolver.value(Expr(Kind.CASE, args=tuple(results), data=(condition,)))


_NEEDED = {
    **dict.fromkeys(("getfield", "getitem", "element_at", "try_element_at", "get_json_object"), 2),
    "withfield": 3,
}
"""How many arguments a function needs; most need one."""

_Function = Callable[[Resolver, Expr], Value]
_FUNCTIONS: Mapping[str, _Function] = {
    **dict.fromkeys(_PARSING, _parsed),
    "format": _formatted,
    **dict.fromkeys(("to_json", "to_avro", "to_protobuf", "to_csv", "to_xml", "asc", "desc"), _first),
    **dict.fromkeys(("encode", "decode"), _first),  # a text as bytes, and back
    **dict.fromkeys(("cast", "try_cast"), _cast),
    "struct": _struct,
    "named_struct": _named_struct,
    "array": _array,
    **dict.fromkeys(("create_map", "map"), lambda resolver, expr: replace(resolver.computed(expr), type=Type("map"))),
    **dict.fromkeys(("getfield", "getitem", "element_at", "try_element_at"), _member),
    "get_json_object": _json_path,
    **dict.fromkeys(("window", "session_window"), _window),
    **dict.fromkeys(("first", "last", "max", "min", "any_value", "first_value", "last_value"), _kept),
    **dict.fromkeys(("max_by", "min_by", "arg_max", "arg_min"), _kept),
    "aggregated": lambda resolver, expr: with_effect(resolver.value(expr.args[0]), AGGREGATION),
    **dict.fromkeys(("collect_list", "collect_set", "array_agg"), _collected),
    **dict.fromkeys(("count", "count_distinct", "countdistinct", "approx_count_distinct"), _counted),
    **dict.fromkeys(("grouping", "grouping_id"), _level),
    "transform": _mapped,
    "filter": _filtered,
    **dict.fromkeys(("aggregate", "reduce"), _aggregated),
    **dict.fromkeys(("unnamed", "unknown"), _unnamed),
    "arrays_zip": _zipped,
    "withfield": _with_field,
    "dropfields": _without_fields,
    **dict.fromkeys(("if", "iff", "nvl2"), _conditional),
}
"""Functions whose result has a structure, or of whose arguments some only decide; all others are computed."""
