"""Lower syntax trees into the model: what the modules of languages share.

A language is a table from the types of syntax nodes to functions that build an expression, and one function for the
declarations of a file. A node without an entry becomes `Unknown` with all that is inside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, TypeGuard

from scanner_programs.ir import (
    Argument,
    Assign,
    Block,
    Call,
    Choice,
    Class,
    Declare,
    Exit,
    Expression,
    File,
    Function,
    If,
    Index,
    Kind,
    Lambda,
    Leave,
    Literal,
    Loop,
    Member,
    Name,
    Operation,
    Parameter,
    Statement,
    Text,
    Unknown,
)
from scanner_programs.ir import (
    Sequence as Items,
)

Node: TypeAlias = Any
"""A node of tree-sitter, whose library may be missing."""
Code: TypeAlias = Expression | Statement
Build: TypeAlias = "Callable[[Lowering, Node], Code]"

NOTHING = Literal(Kind.NOTHING, "")
_DEEPEST = 150
_UNITS = ("function", "method", "constructor", "lambda")
"""What the types of nodes of functions contain."""


@dataclass(frozen=True, slots=True)
class Syntax:
    """How a language is lowered: a function for each type of node, one for a file, and the types that are no code."""

    name: str
    nodes: Mapping[str, Build]
    file: Callable[[Lowering, Node, str], File]
    comments: frozenset[str] = frozenset(("comment", "line_comment", "block_comment", "multiline_comment"))
    inner: frozenset[str] = frozenset(("parenthesized_expression", "expression_statement"))
    """Nodes that stand for the one in them."""


@dataclass(slots=True)
class Lowering:
    """Lowers the nodes of one syntax tree.

    *parse* returns the tree of a text in the same language, for code that a grammar has no tree of; None without one.
    """

    syntax: Syntax
    parse: Callable[[str], Node] | None = None
    depth: int = 0
    is_cut: bool = False
    extra: dict[str, str] = field(default_factory=dict)

    def file(self, node: Node, path: str) -> File:
        """Return the file whose syntax tree a node is the root of."""
        found = self.syntax.file(self, node, path)
        found.is_cut = self.is_cut
        found.unread = " ".join(self._unread(node)) if node.has_error else ""
        return found

    def _unread(self, node: Node) -> Iterator[str]:
        """Yield the texts of the smallest functions and classes with what the grammar does not understand."""
        inside = [one for one in node.children if one.has_error]
        if any(one.type == "ERROR" for one in inside) or (inside and any(one in node.type for one in _UNITS)):
            yield " ".join(text(node).split())
        else:
            for one in inside:
                yield from self._unread(one)

    def code(self, node: Node | None) -> Code:
        """Return the statement or expression of a node; nothing for no node."""
        while node is not None and node.type in self.syntax.inner:
            inside = self.named(node)
            if len(inside) != 1:
                break
            node = inside[0]
        if node is None:
            return NOTHING
        if self.depth > _DEEPEST:
            self.is_cut = True
            return Unknown(f"deep {text(node)[:200]}")
        build = self.syntax.nodes.get(node.type)
        self.depth += 1
        try:
            found = build(self, node) if build is not None else self.unknown(node)
        finally:
            self.depth -= 1
        if isinstance(found, Member | Index | Declare) and not found.line:
            return replace(found, line=line(node) if isinstance(found, Declare) else end(node))
        return found

    def value(self, node: Node | None) -> Expression:
        """Return the expression of a node; a statement in its place is a block."""
        found = self.code(node)
        return found if is_expression(found) else Block((found,))

    def maybe(self, node: Node | None) -> Expression | None:
        """Return the expression of a node; None for no node."""
        return None if node is None else self.value(node)

    def unknown(self, node: Node) -> Unknown:
        """Return what has no form in the model, with the parts of it that are code."""
        inside = self.named(node)
        if not inside:
            return Unknown(text(node))
        words = " ".join(text(child) for child in node.children if not child.is_named)
        return Unknown(f"{node.type} {words}".strip(), tuple(self.code(child) for child in inside))

    def block(self, node: Node | None) -> Block:
        """Return the statements of a node, which may be a single one."""
        if node is None:
            return Block(())
        found = self.code(node)
        return found if isinstance(found, Block) else Block((found,))

    def blocks(self, nodes: Iterable[Node]) -> Block:
        """Return several statements as one block."""
        return Block(tuple(self.code(node) for node in nodes))

    def named(self, node: Node) -> list[Node]:
        """Return the children of a node that are code: no punctuation, no comments.

        Some grammars have a word that is a value, as `this` is, as a token without a name.
        """
        nodes, comments, own = self.syntax.nodes, self.syntax.comments, node.type
        return [
            child
            for child in node.children
            if (child.is_named or (child.type in nodes and child.type != own))
            and not child.is_extra
            and child.type not in comments
        ]

    def arguments(self, node: Node | None) -> tuple[Argument, ...]:
        """Return the arguments in a list of them, in order and without names."""
        return () if node is None else tuple(Argument(self.value(child)) for child in self.named(node))


def is_expression(code: Code) -> TypeGuard[Expression]:
    """Return whether code has a value."""
    return not isinstance(code, Declare | Loop | Class | Function)


def text(node: Node | None) -> str:
    """Return the source text of a node; empty for no node."""
    return "" if node is None or node.text is None else node.text.decode("utf-8", "replace")


def line(node: Node) -> int:
    """Return the line that a node starts in, from 1."""
    return int(node.start_point[0]) + 1


def end(node: Node) -> int:
    """Return the line that a node ends in, from 1."""
    return int(node.end_point[0]) + 1


def child(node: Node, *kinds: str) -> Node | None:
    """Return the first child of one of the types; None without one."""
    return next((one for one in node.children if one.type in kinds), None)


def children(node: Node | None, *kinds: str) -> list[Node]:
    """Return the children of one of the types."""
    return [] if node is None else [one for one in node.children if one.type in kinds]


def type_parameters(node: Node) -> tuple[str, ...]:
    """Return the names of the types that a function is generic in."""
    listed = child(node, "type_parameters", "type_parameter_list")
    kinds = children(listed, "type_parameter", "type_parameter_declaration")
    return tuple(text(one) for each in kinds for one in children(each, "identifier", "type_identifier"))


# --- forms that languages share


def name(_lower: Lowering, node: Node) -> Expression:
    """Return a name; `self` and `this` are the same."""
    known = text(node)
    return Name("this" if known in ("self", "this", "@this", "cls") else known)


def literal(kind: Kind) -> Build:
    """Return what builds a literal of a kind from the text of a node."""

    def build(_lower: Lowering, node: Node) -> Expression:
        return Literal(kind, text(node))

    return build


def number(_lower: Lowering, node: Node) -> Expression:
    """Return a number without the letters and lines of its type."""
    found = text(node).replace("_", "")
    return Literal(Kind.NUMBER, found if found[:2].lower() == "0x" else found.rstrip("LlFfDdUuMm") or found)


def string(*inside: str) -> Build:
    """Return what builds a text; nodes of the types *inside* have values in it."""

    def build(lower: Lowering, node: Node) -> Expression:
        parts: list[Expression] = []
        for part in node.children:
            if part.type in inside:
                parts += [lower.value(value) for value in lower.named(part)] or [Unknown(text(part))]
            elif part.is_named:
                parts.append(Literal(Kind.TEXT, text(part)))
        if not any(not isinstance(part, Literal) for part in parts):
            known = "".join(part.text for part in parts if isinstance(part, Literal))
            return Literal(Kind.TEXT, known if known else _unquoted(text(node)))
        return Text(tuple(parts))

    return build


def _unquoted(found: str) -> str:
    found = found.lstrip("rRbBuUfF@$") if found[-1:] in "\"'`" else found
    for quotes in ('"""', "'''", '"', "'", "`"):
        if found.startswith(quotes) and found.endswith(quotes) and len(found) >= 2 * len(quotes):
            return found[len(quotes) : -len(quotes)]
    return found


def member(of: str, called: str) -> Build:
    """Return what builds a member from the fields of a node that are its object and its name."""

    def build(lower: Lowering, node: Node) -> Expression:
        return Member(lower.value(node.child_by_field_name(of)), text(node.child_by_field_name(called)))

    return build


def call(function: str, arguments: str = "arguments") -> Build:
    """Return what builds a call from the fields of a node that are its function and its arguments."""

    def build(lower: Lowering, node: Node) -> Expression:
        called = lower.value(node.child_by_field_name(function))
        return Call(called, lower.arguments(node.child_by_field_name(arguments)), line(node))

    return build


def index(of: str, key: str) -> Build:
    """Return what builds an element from the fields of a node."""

    def build(lower: Lowering, node: Node) -> Expression:
        return Index(lower.value(node.child_by_field_name(of)), lower.value(node.child_by_field_name(key)))

    return build


def operation(lower: Lowering, node: Node) -> Expression:
    """Return an operator on its operands: what stands between them is the operator."""
    operator = node.child_by_field_name("operator")
    words = text(operator) if operator is not None else " ".join(text(one) for one in node.children if not one.is_named)
    operands = [one for one in lower.named(node) if operator is None or one.id != operator.id]
    return Operation(words, tuple(lower.value(one) for one in operands))


def assign(left: str = "left", right: str = "right") -> Build:
    """Return what builds an assignment from the fields of a node."""

    def build(lower: Lowering, node: Node) -> Expression:
        target, value = node.child_by_field_name(left), node.child_by_field_name(right)
        operator = node.child_by_field_name("operator")
        sign = text(operator) or next((text(one) for one in node.children if text(one).endswith("=")), "=")
        return Assign(lower.value(target), lower.value(value), sign.removesuffix("=").rstrip(":"))

    return build


def choice(test: str, then: str, otherwise: str) -> Build:
    """Return what builds a choice from the fields of a node."""

    def build(lower: Lowering, node: Node) -> Expression:
        test_, then_, otherwise_ = (node.child_by_field_name(one) for one in (test, then, otherwise))
        return Choice(lower.value(test_), lower.value(then_), lower.value(otherwise_))

    return build


def branch(test: str = "condition", then: str = "consequence", otherwise: str = "alternative") -> Build:
    """Return what builds statements under a condition."""

    def build(lower: Lowering, node: Node) -> Expression:
        other = node.child_by_field_name(otherwise)
        return If(
            lower.value(node.child_by_field_name(test)),
            lower.block(node.child_by_field_name(then)),
            lower.block(other) if other is not None else None,
        )

    return build


def leave(how: Leave) -> Build:
    """Return what builds the end of a function or of a turn of a loop."""

    def build(lower: Lowering, node: Node) -> Expression:
        label = node.child_by_field_name("label")
        inside = [one for one in lower.named(node) if one != label]
        if not inside or how in (Leave.BREAK, Leave.CONTINUE):
            return Exit(how)
        values = [lower.value(one) for one in inside]
        return Exit(how, values[0] if len(values) == 1 else Items(tuple(values)))

    return build


def yielded(lower: Lowering, node: Node) -> Expression:
    """Return what a function yields next: a call of `yield`, or of `yieldAll` for all elements of a value."""
    inside = lower.named(node)
    words = {text(one) for one in node.children if not one.is_named}
    if not inside:
        return Exit(Leave.RETURN) if "break" in words else NOTHING
    name = "yieldAll" if words & {"from", "*"} else "yield"
    return Call(Name(f" {name}"), (Argument(lower.value(inside[0])),), line(node))


def block(lower: Lowering, node: Node) -> Expression:
    """Return the statements of a node."""
    return lower.blocks(lower.named(node))


def items(lower: Lowering, node: Node) -> Expression:
    """Return a list of what is inside."""
    return Items(tuple(lower.value(one) for one in lower.named(node)))


def inside(lower: Lowering, node: Node) -> Code:
    """Return the first code in a node, which stands for it."""
    return next((lower.code(one) for one in lower.named(node)), NOTHING)


def last(lower: Lowering, node: Node) -> Code:
    """Return the last code in a node, which stands for it."""
    found = lower.named(node)
    return lower.code(found[-1]) if found else NOTHING


def function_of(parameters: Sequence[Parameter], body: Code, at: Node, called: str = "") -> Lambda:
    """Return a function as a value; a body that is an expression is what it returns."""
    if not isinstance(body, Block):
        body = Block((Exit(Leave.RETURN, body) if is_expression(body) else body,))
    return Lambda(Function(called, tuple(parameters), body, line=line(at), end=end(at)))


def loop(
    body: Block, target: Expression | None = None, source: Expression | None = None, test: Expression | None = None
) -> Loop:
    """Return a loop."""
    return Loop(body, target, source, test)


def declare(target: Expression, kind: str, value: Expression | None) -> Declare:
    """Return a new variable."""
    return Declare(target, kind, value)


def compiled_if(function: Function, conditions: Iterable[str]) -> Function:
    """Return a function that does nothing unless all *conditions* of the compiler are true."""
    body = function.body
    for condition in conditions:
        body = Block((If(Name(condition), body, None),)) if body is not None else None
    return function if body is function.body else replace(function, body=body)
