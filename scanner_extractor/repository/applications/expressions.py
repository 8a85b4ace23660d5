"""Expressions of all languages in one form, from the nodes of their syntax trees.

The language says which form the expression of a node has. A node without a form is OTHER: its parts are still searched
for calls, but it has no value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import count

from scanner_extractor.repository.languages.language import Form, Language
from scanner_extractor.repository.syntax_trees import Node

DEEPEST_NAME = 8
"""Maximum nesting within an expression where a variable is looked for."""


class Kind(StrEnum):
    """What an expression is."""

    TEXT = "text"
    NAME = "name"
    MEMBER = "member"
    CALL = "call"
    NEW = "new"
    JOIN = "join"
    CHOICE = "choice"
    LIST = "list"
    PAIR = "pair"
    LAMBDA = "lambda"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Expr:
    """An expression: *text* is the literal, the name, the member, the method, the type or the key.

    The first part of MEMBER and CALL is the object, OTHER where there is none; further parts of CALL, and all of NEW,
    are arguments. JOIN concatenates its parts, CHOICE is one of them. *line* counts from 1, *node* is a number that no
    other expression has.
    """

    kind: Kind
    text: str = ""
    parts: tuple[Expr, ...] = ()
    line: int = 0
    node: int = 0

    @property
    def arguments(self) -> tuple[Expr, ...]:
        """Return the arguments of a CALL or NEW."""
        return self.parts[1:] if self.kind is Kind.CALL else self.parts

    def positional(self) -> list[Expr]:
        """Return the arguments that have no name."""
        return [part for part in self.arguments if part.kind is not Kind.PAIR]

    def named(self, *names: str) -> Expr | None:
        """Return the argument of one of *names*, those of an object given as the only argument too; None without."""
        for part in self.arguments:
            if part.kind is Kind.PAIR and part.text in names:
                return part.parts[0]
            if part.kind is Kind.LIST:
                for item in part.parts:
                    if item.kind is Kind.PAIR and item.text in names:
                        return item.parts[0]
        return None

    def names(self, name: str, depth: int = 0) -> bool:
        """Return whether a part of the expression is the variable *name*."""
        if self.kind is Kind.NAME:
            return self.text == name
        return depth < DEEPEST_NAME and any(part.names(name, depth + 1) for part in self.parts)

    @property
    def receiver(self) -> Expr:
        """Return the object of a CALL or MEMBER, else NOTHING."""
        return self.parts[0] if self.kind in (Kind.CALL, Kind.MEMBER) and self.parts else NOTHING


NOTHING = Expr(Kind.OTHER)
_NUMBERS = count(1)

DEEPEST = 120
"""Maximum nesting of an expression that is read."""

_OPENING = re.compile(r"^[A-Za-z@$]{0,3}(\"\"\"|'''|\"|'|`)")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_PLAIN_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_TYPE_NAME = re.compile(r"[\w.]+")


@dataclass(slots=True)
class Expressions:
    """Converts the nodes of one tree, each once."""

    language: Language
    forms: dict[str, _Reader] = field(init=False)
    known: dict[int, Expr] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.forms = _forms(self.language)

    def of(self, node: Node | None, depth: int = 0) -> Expr:
        """Return the expression that *node* is."""
        if node is None or depth > DEEPEST:
            return NOTHING
        known = self.known.get(node.id)
        if known is None:
            known = self.known[node.id] = self._read(node, depth)
        return known

    def _read(self, node: Node, depth: int) -> Expr:
        if node.type in self.language.nodes.lambdas:
            return self.expr(Kind.LAMBDA, node)
        read = self.forms.get(node.type)
        return read(self, node, depth + 1) if read else NOTHING

    def expr(self, kind: Kind, node: Node, text: str = "", parts: tuple[Expr, ...] = ()) -> Expr:
        """Return an expression of *node*."""
        return Expr(kind, text, parts, node.start_point[0] + 1, next(_NUMBERS))

    def all(self, nodes: list[Node], depth: int) -> tuple[Expr, ...]:
        """Return the expressions of *nodes*, comments left out."""
        return tuple(self.of(node, depth) for node in nodes if not node.type.endswith("comment"))


_Reader = Callable[[Expressions, Node, int], Expr]


def text_of(node: Node | None) -> str:
    """Return the source text of a node; empty for None."""
    return node.text.decode("utf-8", "replace") if node is not None and node.text else ""


def type_name(node: Node | None) -> str:
    """Return the last name of a type, without its package and parameters; empty without one."""
    match = _TYPE_NAME.search(text_of(node))
    return match[0].rpartition(".")[2] if match else ""


def _string(reader: Expressions, node: Node, depth: int) -> Expr:
    raw = text_of(node)
    opening = _OPENING.match(raw)
    if not opening:
        return NOTHING
    data, start = node.text, node.start_byte
    result: list[Expr] = []
    at = len(opening[0].encode())
    is_raw = len(opening[1]) == 3 or opening[1] == "`" or raw[:1] in "rR@"
    end = len(data) - (len(opening[1]) if raw.endswith(opening[1]) and len(raw) > len(opening[0]) else 0)
    for child in _interpolations(node, reader.language.nodes.interpolations):
        before = data[at : child.start_byte - start].decode("utf-8", "replace")
        result += _literal(reader, node, before, is_raw=is_raw)
        inside = [part for part in child.named_children if "brace" not in part.type]
        result.append(reader.of(inside[0], depth) if inside else NOTHING)
        at = child.end_byte - start
    result += _literal(reader, node, data[at:end].decode("utf-8", "replace"), is_raw=is_raw)
    if not result:
        return reader.expr(Kind.TEXT, node)
    return result[0] if len(result) == 1 else reader.expr(Kind.JOIN, node, parts=tuple(result))


def _interpolations(node: Node, kinds: frozenset[str]) -> Iterator[Node]:
    for child in node.named_children:
        if child.type in kinds:
            yield child
        elif child.type == "interpolated_string":
            yield from _interpolations(child, kinds)


def _literal(reader: Expressions, node: Node, raw: str, *, is_raw: bool) -> Iterator[Expr]:
    at, plain = 0, reader.language.plain_interpolation
    for match in plain.finditer(raw) if plain is not None else ():
        yield from _text(reader, node, raw[at : match.start()], is_raw=is_raw)
        yield reader.expr(Kind.NAME, node, match[1])
        at = match.end()
    yield from _text(reader, node, raw[at:], is_raw=is_raw)


def _text(reader: Expressions, node: Node, raw: str, *, is_raw: bool) -> Iterator[Expr]:
    if raw:
        text = raw if is_raw else _ESCAPE.sub(lambda match: _PLAIN_ESCAPES.get(match[1], match[1]), raw)
        yield reader.expr(Kind.TEXT, node, text)


def _name(reader: Expressions, node: Node, _depth: int) -> Expr:
    name = text_of(node)
    return reader.expr(Kind.NAME, node, "this" if name == "self" else name)


def _member(reader: Expressions, node: Node, depth: int) -> Expr:
    inside = node.named_children
    if len(inside) < 2:  # C#'s grammar has no node with a name for `this`
        own = reader.expr(Kind.NAME, node, "this")
        return reader.expr(Kind.MEMBER, node, type_name(inside[0]), (own,)) if _is_own(node, inside) else NOTHING
    return reader.expr(Kind.MEMBER, node, type_name(inside[-1]), (reader.of(inside[0], depth),))


def _is_own(node: Node, inside: list[Node]) -> bool:
    return bool(inside) and text_of(node.children[0]) in ("this", "base")


def _call(reader: Expressions, node: Node, depth: int) -> Expr:
    """Read a call: its function is a field or the first part; Kotlin's lambda and Scala's further lists are added."""
    inside = node.named_children
    if not inside:
        return NOTHING
    callee = node.child_by_field_name("function") or inside[0]
    while callee.type in ("generic_function", "parenthesized_expression") and callee.named_children:
        callee = callee.child_by_field_name("function") or callee.named_children[0]
    arguments = _arguments(reader, inside, depth)
    function = reader.of(callee, depth)
    if callee.type == "generic_name":
        return reader.expr(Kind.CALL, node, type_name(callee), (NOTHING, *arguments))
    match function.kind:
        case Kind.NAME:
            return reader.expr(Kind.CALL, node, function.text, (NOTHING, *arguments))
        case Kind.MEMBER:
            return reader.expr(Kind.CALL, node, function.text, (function.parts[0], *arguments))
        case Kind.CALL | Kind.NEW:
            return reader.expr(function.kind, node, function.text, (*function.parts, *arguments))
    return reader.expr(Kind.CALL, node, "", (function, *arguments))


def _arguments(reader: Expressions, parts: list[Node], depth: int) -> list[Expr]:
    arguments: list[Expr] = []
    for part in parts:
        if part.type in reader.language.nodes.argument_lists:
            arguments += reader.all(part.named_children, depth)
        elif part.type == "annotated_lambda":
            arguments.append(reader.expr(Kind.LAMBDA, part.named_children[-1]))
    return arguments


def _method(reader: Expressions, node: Node, depth: int) -> Expr:
    """Read a call whose receiver and name are fields of one node, as in Java."""
    nodes = reader.language.nodes
    receiver = node.child_by_field_name(nodes.receiver)
    arguments = node.child_by_field_name("arguments")
    parts = reader.all(arguments.named_children, depth) if arguments else ()
    name = text_of(node.child_by_field_name(nodes.method))
    return reader.expr(Kind.CALL, node, name, (reader.of(receiver, depth), *parts))


def _new(reader: Expressions, node: Node, depth: int) -> Expr:
    """Read a constructor call, or a composite literal of Go; one of a list is a LIST."""
    kind = node.child_by_field_name("type") or node.child_by_field_name("constructor")
    inside = node.named_children
    if kind is None and inside and inside[0].type not in ("argument_list", "initializer_expression"):
        kind = inside[0]
    parts = _arguments(reader, inside, depth)
    if kind is not None and kind.type in ("slice_type", "array_type", "implicit_length_array_type"):
        return reader.expr(Kind.LIST, node, parts=tuple(parts))
    if kind is not None and kind.type == "generic_type" and kind.child_by_field_name("type") is not None:
        kind = kind.child_by_field_name("type")
    return reader.expr(Kind.NEW, node, type_name(kind), tuple(parts))


def _items(reader: Expressions, node: Node, depth: int) -> Expr:
    return reader.expr(Kind.LIST, node, parts=reader.all(node.named_children, depth))


def _array(reader: Expressions, node: Node, depth: int) -> Expr:
    """Read an array with its type before it."""
    inside = node.child_by_field_name("value") or (node.named_children[-1] if node.named_children else None)
    return reader.of(inside, depth)


def _index(reader: Expressions, node: Node, depth: int) -> Expr:
    inside = node.named_children
    if len(inside) < 2:
        return NOTHING
    index = inside[1].named_children[0] if inside[1].type.endswith("_list") and inside[1].named_children else inside[1]
    return reader.expr(Kind.CALL, node, "[]", (reader.of(inside[0], depth), reader.of(index, depth)))


_CHOICES = frozenset({"||", "??", "?:", "or", "orElse"})


def _binary(reader: Expressions, node: Node, depth: int) -> Expr:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    inside = node.named_children
    if left is None or right is None:
        if len(inside) < 2:
            return NOTHING
        left, right = inside[0], inside[-1]
    operator = text_of(node.child_by_field_name("operator") or (inside[1] if len(inside) == 3 else None))
    parts = (reader.of(left, depth), reader.of(right, depth))
    if operator == "+":
        return reader.expr(Kind.JOIN, node, parts=parts)
    if operator in _CHOICES:
        return reader.expr(Kind.CHOICE, node, parts=parts)
    if operator == "%":
        return reader.expr(Kind.CALL, node, "format", parts)
    if operator in reader.language.pair_operators or (operator == "to" and parts[0].kind is Kind.TEXT):
        return reader.expr(Kind.PAIR, node, parts[0].text, parts[1:])
    return reader.expr(Kind.CALL, node, operator, parts) if operator.isidentifier() else NOTHING


def _choice(reader: Expressions, node: Node, depth: int) -> Expr:
    first, second = node.child_by_field_name("consequence"), node.child_by_field_name("alternative")
    inside = node.named_children
    if first is None and node.type == "conditional_expression" and len(inside) == 3:
        first, second = inside[0], inside[2]  # Python's order
    elif first is None and len(inside) >= 2:
        first, second = inside[-2], inside[-1]
    return reader.expr(Kind.CHOICE, node, parts=(reader.of(first, depth), reader.of(second, depth)))


def _inner(reader: Expressions, node: Node, depth: int) -> Expr:
    """Read what brackets, casts, `await` and `&` enclose."""
    inside = node.child_by_field_name("value") or node.child_by_field_name("argument")
    named = node.named_children
    if inside is None and named:
        inside = (
            named[0] if node.type in ("as_expression", "satisfies_expression", "non_null_expression") else named[-1]
        )
    return reader.of(inside, depth)


def _block(reader: Expressions, node: Node, depth: int) -> Expr:
    """Read a block of one expression, as in Scala's `${name}`."""
    inside = node.named_children
    return reader.of(inside[0], depth) if len(inside) == 1 else NOTHING


def _argument(reader: Expressions, node: Node, depth: int) -> Expr:
    inside = node.named_children
    if len(inside) == 2 and inside[0].type in ("identifier", "simple_identifier") and "=" in text_of(node):
        return reader.expr(Kind.PAIR, node, text_of(inside[0]), (reader.of(inside[1], depth),))
    name = node.child_by_field_name("name")
    if name is not None and inside:
        return reader.expr(Kind.PAIR, node, text_of(name), (reader.of(inside[-1], depth),))
    return reader.of(inside[-1], depth) if inside else NOTHING


_LABELS = frozenset({"property_identifier", "string", "number"})
"""Keys that are what they say; others are expressions."""


def _pair(reader: Expressions, node: Node, depth: int) -> Expr:
    key = node.child_by_field_name("key") or node.child_by_field_name("name") or node.child_by_field_name("left")
    value = node.child_by_field_name("value") or node.child_by_field_name("right")
    is_label = key is not None and key.type in _LABELS
    while key is not None and key.type in ("literal_element", "computed_property_name") and key.named_children:
        key = key.named_children[0]
    name = reader.of(key, depth) if key is not None else NOTHING
    label = name.text if name.kind in (Kind.TEXT, Kind.NAME, Kind.MEMBER) else text_of(key)
    own = reader.expr(Kind.TEXT, node, label) if is_label else name
    return reader.expr(Kind.PAIR, node, label, (reader.of(value, depth), own))


def _note(reader: Expressions, node: Node, depth: int) -> Expr:
    """Read an annotation inside another."""
    arguments = node.child_by_field_name("arguments")
    parts = reader.all(arguments.named_children, depth) if arguments is not None else ()
    return reader.expr(Kind.CALL, node, type_name(node.child_by_field_name("name")), (NOTHING, *parts))


def _shorthand(reader: Expressions, node: Node, _depth: int) -> Expr:
    name = text_of(node)
    return reader.expr(Kind.PAIR, node, name, (reader.expr(Kind.NAME, node, name),))


def _joined(reader: Expressions, node: Node, depth: int) -> Expr:
    return reader.expr(Kind.JOIN, node, parts=reader.all(node.named_children, depth))


_READERS: Mapping[Form, _Reader] = {
    Form.STRING: _string,
    Form.JOINED: _joined,
    Form.NAME: _name,
    Form.MEMBER: _member,
    Form.CALL: _call,
    Form.METHOD: _method,
    Form.NEW: _new,
    Form.ITEMS: _items,
    Form.ARRAY: _array,
    Form.INDEX: _index,
    Form.BINARY: _binary,
    Form.CHOICE: _choice,
    Form.INNER: _inner,
    Form.BLOCK: _block,
    Form.ARGUMENT: _argument,
    Form.PAIR: _pair,
    Form.NOTE: _note,
    Form.SHORTHAND: _shorthand,
}


def _forms(language: Language) -> dict[str, _Reader]:
    """Return how the expression of each node of a language is read."""
    return {node: _READERS[form] for form, nodes in language.nodes.expressions.items() for node in nodes}
