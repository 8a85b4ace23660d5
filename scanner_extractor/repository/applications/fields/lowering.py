"""Syntax trees as parts: what the rows of all languages share.

A language is a table from node types to functions. A node without a row is a group of what is inside it, so that
nothing is lost if a grammar has a statement that has no row.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from scanner_extractor.repository.applications.fields.parts import (
    Class,
    Field,
    Function,
    Kind,
    Note,
    Parameter,
    Part,
    SourceFile,
    Type,
)
from scanner_extractor.repository.syntax_trees import Node

DEEPEST = 100
"""Maximum nesting of nodes that is read; the fields of a file with deeper ones are not resolved."""

_TYPE_WORD = re.compile(r"[A-Za-z_$][\w$]*|[<>,\[\]()|]")
_WRAPPERS = frozenset({"readonly", "const", "final", "out", "in", "new", "suspend", "var", "val", "let", "struct"})

_ENDS = frozenset(">],)|(")
_NULLS = frozenset({"", "None", "null", "undefined"})
_DEEPEST_TYPE = 12

Row = Callable[["Lowering", Node], Part]


@dataclass(frozen=True, slots=True)
class Language:
    """The rows of a language; *wires* are annotations that name a field in the message, by their name."""

    rows: Mapping[str, Row]
    wires: frozenset[str] = frozenset()


@dataclass(slots=True)
class Lowering:
    """Reads the tree of one file."""

    language: Language
    file: SourceFile
    owners: list[Class] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    depth: int = 0

    def part(self, node: Node | None) -> Part:
        """Return the part that a node is; an empty group for None."""
        if node is None:
            return Part(Kind.GROUP)
        if self.depth > DEEPEST:
            self.file.is_cut = True
            return Part(Kind.GROUP)
        self.depth += 1
        row = self.language.rows.get(node.type)
        part = row(self, node) if row is not None else group(self, node)
        self.depth -= 1
        return part

    def parts(self, nodes: list[Node]) -> list[Part]:
        """Return the parts of nodes, without comments."""
        return [self.part(node) for node in nodes if "comment" not in node.type]

    def make(self, kind: Kind, node: Node, text: str = "", at: Node | None = None) -> Part:
        """Return a part of *node* whose name stands at *at*."""
        start = node.start_point[0] + 1
        return Part(kind, text, at.start_point[0] + 1 if at is not None else start, start)

    def function(self, node: Node, name: str, parameters: list[Parameter], body: Node | None) -> Function:
        """Return a function with its body; the value of a body that is one expression is returned."""
        function = Function(name, self.file.path, node.start_point[0] + 1, parameters)
        function.owner = self.owners[-1] if self.owners else None
        self.functions.append(function)
        inner = self.part(body)
        self.functions.pop()
        is_block = body is not None and body.type.endswith(("block", "body", "statements"))
        function.body = inner.parts if is_block and inner.kind is Kind.GROUP else [Part(Kind.RETURN, parts=[inner])]
        return function

    def declare(self, function: Function) -> None:
        """Add a function to its class or file."""
        self.file.functions.append(function)
        if function.owner is not None:
            function.owner.functions.setdefault(function.name, []).append(function)

    def in_class(self, declared: Class, body: Node | None) -> Part:
        """Read the body of a class, and return what is left of it."""
        self.file.classes.append(declared)
        self.owners.append(declared)
        rest = self.part(body)
        self.owners.pop()
        return rest

    def wire(self, notes: tuple[Note, ...], name: str) -> str:
        """Return a field's name in the message: that of an annotation, else its own."""
        texts = (note.texts[0] for note in notes if note.name in self.language.wires and note.texts)
        return next(texts, name)

    def add_field(self, name: str, declared: Type, notes: tuple[Note, ...] = ()) -> None:
        """Add a field to the class that is read."""
        if self.owners:
            self.owners[-1].fields.setdefault(name, Field(self.wire(notes, name), declared))


def text_of(node: Node | None) -> str:
    """Return the source text of a node; empty for None."""
    return node.text.decode("utf-8", "replace") if node is not None and node.text else ""


def type_of(node: Node | None) -> Type:
    """Return the type that a node of any language names; pointers, packages and nullability are left out."""
    return parse_type(text_of(node))


def parse_type(text: str) -> Type:
    """Return the type that a text names: `Map<String, a.Order[]>`, `[]*pb.Order`, `list[Order]`, `Order | None`.

    >>> parse_type("[]*pb.Order")
    Type(name='[]', args=(Type(name='Order', args=()),))
    """
    words = [word for word in _TYPE_WORD.findall(text[:400]) if word not in _WRAPPERS]
    parsed, _ = _read_type(words, 0, 0)
    return parsed


def _read_type(words: list[str], at: int, depth: int) -> tuple[Type, int]:
    """Return the type that begins at a word, and where it ends."""
    name = ""
    args: list[Type] = []
    while at < len(words) and depth < _DEEPEST_TYPE:
        word = words[at]
        if words[at : at + 2] == ["[", "]"]:
            if not name:  # Go's `[]Order`
                inner, at = _read_type(words, at + 2, depth + 1)
                return Type("[]", (inner,)), at
            name, args, at = "[]", [Type(name, tuple(args))], at + 2  # `Order[]`
        elif word in "<[":
            args, at = _read_arguments(words, at + 1, depth)
            if name == "map" and at < len(words) and words[at] not in _ENDS:  # Go's `map[string]Order`
                inner, at = _read_type(words, at, depth + 1)
                args.append(inner)
        elif word == "|" and name in _NULLS:
            name, at = "", at + 1
        elif word in _ENDS:
            break
        else:
            name, at = word, at + 1  # the last word: packages stand before it
    return Type(name, tuple(args)), at


def _read_arguments(words: list[str], at: int, depth: int) -> tuple[list[Type], int]:
    """Return the type arguments up to a closing bracket, and the position after it."""
    args: list[Type] = []
    while at < len(words) and words[at] not in ">]":
        inner, at = _read_type(words, at, depth + 1)
        args.append(inner)
        if at < len(words) and words[at] not in ">]":
            at += 1
    return args, at + 1


def literal(node: Node) -> str:
    """Return the text of a string literal without its quotes."""
    return re.sub(r"^[A-Za-z@$]{0,3}(\"\"\"|'''|\"|'|`)(.*)\1$", r"\2", text_of(node), flags=re.DOTALL)


# --- rows that languages share


def group(lowering: Lowering, node: Node) -> Part:
    """Return what is inside a node, in order."""
    part = lowering.make(Kind.GROUP, node)
    part.parts = lowering.parts(node.named_children)
    return part


def nothing(lowering: Lowering, node: Node) -> Part:
    """Return an empty group: nothing inside the node is an expression."""
    return lowering.make(Kind.GROUP, node)


def name(lowering: Lowering, node: Node) -> Part:
    """Return a name."""
    return lowering.make(Kind.NAME, node, text_of(node))


def string(lowering: Lowering, node: Node) -> Part:
    """Return a literal, with the expressions that it interpolates."""
    part = lowering.make(Kind.TEXT, node, literal(node))
    inner = (child for child in node.named_children if "interpolation" in child.type or "substitution" in child.type)
    part.parts = [each for child in inner for each in lowering.parts(child.named_children)]
    return part


def choice(lowering: Lowering, node: Node) -> Part:
    """Return one of what is inside: parentheses, `await`, conditionals, defaults."""
    part = lowering.make(Kind.CHOICE, node)
    part.parts = lowering.parts(node.named_children)
    return part


def conditional(condition: str) -> Row:
    """Return a row for one of two values: the condition is evaluated only."""

    def row(lowering: Lowering, node: Node) -> Part:
        test = node.child_by_field_name(condition)
        part = lowering.make(Kind.CHOICE, node)
        part.of = lowering.part(test)
        part.parts = lowering.parts([child for child in node.named_children if test is None or child.id != test.id])
        return part

    return row


def listed(lowering: Lowering, node: Node) -> Part:
    """Return a list."""
    part = lowering.make(Kind.LIST, node)
    part.parts = lowering.parts(node.named_children)
    return part


def returned(lowering: Lowering, node: Node) -> Part:
    """Return the value that a function returns."""
    part = lowering.make(Kind.RETURN, node)
    part.parts = lowering.parts(node.named_children)
    return part


def member(of: str, label: str) -> Row:
    """Return a row for `object.member`."""

    def row(lowering: Lowering, node: Node) -> Part:
        named = node.child_by_field_name(label)
        part = lowering.make(Kind.MEMBER, node, type_of(named).name if named is not None else "", named)
        part.types = type_of(named).args
        part.of = lowering.part(node.child_by_field_name(of))
        return part

    return row


def index(of: str, key: str) -> Row:
    """Return a row for `object[key]`."""

    def row(lowering: Lowering, node: Node) -> Part:
        part = lowering.make(Kind.INDEX, node, at=node.child_by_field_name(key))
        part.of = lowering.part(node.child_by_field_name(of))
        part.parts = [lowering.part(node.child_by_field_name(key))]
        return part

    return row


def call(function: str, arguments: str) -> Row:
    """Return a row for `function(arguments)`, whose function is a name or a member."""

    def row(lowering: Lowering, node: Node) -> Part:
        return called(lowering, node, lowering.part(node.child_by_field_name(function)), arguments)

    return row


def called(lowering: Lowering, node: Node, function: Part, arguments: str) -> Part:
    """Return a call of *function*."""
    part = lowering.make(Kind.CALL, node)
    if function.kind in (Kind.MEMBER, Kind.NAME):
        part.text, part.line, part.of, part.types = function.text, function.line, function.of, function.types
    else:
        part.of = function
    add_arguments(lowering, part, node.child_by_field_name(arguments))
    lists = (child for child in node.named_children if child.type in ("type_arguments", "type_argument_list"))
    types = next(lists, None)
    if types is not None:
        part.types = tuple(type_of(child) for child in types.named_children)
    return part


def add_arguments(lowering: Lowering, part: Part, node: Node | None) -> None:
    """Add the arguments of a call: named ones are pairs."""
    for child in lowering.parts(node.named_children) if node is not None else ():
        if child.kind is Kind.OBJECT and child.text == "named":
            part.named += child.named
        else:
            part.parts.append(child)


def pair(label: str, value: str) -> Row:
    """Return a row for `name = value` in arguments, and for `key: value` in an object."""

    def row(lowering: Lowering, node: Node) -> Part:
        part = lowering.make(Kind.OBJECT, node, "named")
        key = node.child_by_field_name(label)
        part.named = [(key_text(key), lowering.part(node.child_by_field_name(value)), node.start_point[0] + 1)]
        return part

    return row


def key_text(node: Node | None) -> str:
    """Return the name of a member in an object; empty if it is computed."""
    text = text_of(node)
    if text[:1] in "\"'`":
        return text[1:-1]
    return text if re.fullmatch(r"[\w$]+", text) else ""


def mapping(lowering: Lowering, node: Node) -> Part:
    """Return an object: pairs, and what is spread into it."""
    part = lowering.make(Kind.OBJECT, node)
    for child in lowering.parts(node.named_children):
        if child.kind is Kind.OBJECT and child.text == "named":
            part.named += child.named
        else:
            part.parts.append(child)
    return part


def spread(lowering: Lowering, node: Node) -> Part:
    """Return what is spread into an object or a call."""
    part = lowering.make(Kind.SPREAD, node)
    part.parts = lowering.parts(node.named_children)
    return part


def bind(target: str, value: str, declared: str = "type") -> Row:
    """Return a row for an assignment, and for a declaration with a value."""

    def row(lowering: Lowering, node: Node) -> Part:
        part = lowering.make(Kind.BIND, node)
        part.of = lowering.part(node.child_by_field_name(target))
        part.types = (type_of(node.child_by_field_name(declared)),)
        given = node.child_by_field_name(value)
        part.parts = [lowering.part(given)] if given is not None else []
        return part

    return row


def each(target: str, over: str, body: str = "body", declared: str = "type") -> Row:
    """Return a row for a loop over a collection."""

    def row(lowering: Lowering, node: Node) -> Part:
        part = lowering.make(Kind.EACH, node)
        part.of = lowering.part(node.child_by_field_name(target))
        part.types = (type_of(node.child_by_field_name(declared)),)
        part.parts = [lowering.part(node.child_by_field_name(over))]
        outer = lowering.make(Kind.GROUP, node)
        outer.parts = [part, lowering.part(node.child_by_field_name(body))]
        return outer

    return row


def cast(value: str, declared: str) -> Row:
    """Return a row for a cast."""

    def row(lowering: Lowering, node: Node) -> Part:
        part = lowering.make(Kind.CAST, node)
        part.of = lowering.part(node.child_by_field_name(value))
        part.types = (type_of(node.child_by_field_name(declared)),)
        return part

    return row


def lambda_of(parameters: Callable[[Lowering, Node], list[Parameter]]) -> Row:
    """Return a row for a lambda or a function expression."""

    def row(lowering: Lowering, node: Node) -> Part:
        part = lowering.make(Kind.LAMBDA, node)
        part.function = lowering.function(node, "", parameters(lowering, node), node.child_by_field_name("body"))
        return part

    return row


_PACKAGE = re.compile(r"^[^\S\n]*(?:package|namespace)\s+([\w.]+)", re.MULTILINE)
_IMPORT = re.compile(r"^[^\S\n]*import\s+(?:static\s+)?([\w.]+)\.(\w+)(?:\s+as\s+(\w+))?", re.MULTILINE)


def read_file(language: Language, path: str, text: str, root: Node) -> SourceFile:
    """Return the declarations and expressions of a file."""
    package = _PACKAGE.search(text)
    file = SourceFile(path, package[1] if package else "")
    file.imports = {alias or last: f"{before}.{last}" for before, last, alias in _IMPORT.findall(text)}
    file.body.body = [Lowering(language, file).part(root)]
    for declared in file.classes:
        declared.package = file.package
    return file
