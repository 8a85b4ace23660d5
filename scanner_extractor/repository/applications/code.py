"""Source files as calls, bindings, functions and annotations, each in its scope: one walk of the syntax tree."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache

from scanner_extractor.repository.applications.expressions import (
    NOTHING,
    Expr,
    Expressions,
    Kind,
    text_of,
    type_name,
)
from scanner_extractor.repository.bounded_parsing import MOST_NODES
from scanner_extractor.repository.languages import BY_ENDING, BY_NAME
from scanner_extractor.repository.languages.language import Language, Nodes
from scanner_extractor.repository.syntax_trees import Node, parse_tree, suffix, words
from scanner_model.errors import InputInvalid

_Calls = tuple[Expr, ...]

SLOWEST = 2.0
"""Seconds of processor time to read the tree of one file, in addition to those of PACE."""
PACE = 5e-6
"""Seconds per character: three times what ordinary code takes."""


class ScopeKind(StrEnum):
    """What a scope is."""

    FILE = "file"
    CLASS = "class"
    FUNCTION = "function"
    LAMBDA = "lambda"
    LOOP = "loop"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function, with its default and annotations."""

    name: str
    default: Expr = NOTHING
    annotations: tuple[Expr, ...] = ()
    type_name: str = ""


@dataclass(slots=True, eq=False)
class CodeScope:
    """A part of a file in which names are bound.

    *bindings* are the values that a name is assigned, *types* the type that a name is declared with, *returns* what a
    function returns, *supertypes* the names of classes, *calls* the calls outer a lambda, innermost last. *over* is
    what a loop goes through, *polled* the names of the consumers whose records a loop or lambda handles. *replaced*
    says how many values before one that is built from them nothing else can see.
    """

    unit: Unit
    kind: ScopeKind
    name: str = ""
    parent: CodeScope | None = None
    parameters: tuple[Parameter, ...] = ()
    annotations: tuple[Expr, ...] = ()
    supertypes: tuple[str, ...] = ()
    bindings: dict[str, list[Expr]] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    returns: list[Expr] = field(default_factory=list)
    functions: dict[str, list[CodeScope]] = field(default_factory=dict)
    calls: tuple[Expr, ...] = ()
    over: Expr = NOTHING
    polled: set[str] = field(default_factory=set)
    replaced: dict[int, int] = field(default_factory=dict)

    @property
    def language(self) -> Language:
        """Return the language of the file."""
        return self.unit.language

    def outward(self) -> Iterator[CodeScope]:
        """Yield the scope and those outer it."""
        scope: CodeScope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def nearest(self, *kinds: ScopeKind) -> CodeScope:
        """Return the innermost scope of one of *kinds*; the file's where there is none."""
        for scope in self.outward():
            if scope.kind in kinds:
                return scope
        return self.unit.scope


@dataclass(slots=True, eq=False)
class Unit:
    """One source file: *calls* in the order of the text, each with its scope; *annotated* what has annotations.

    *types* are the names of structs, *tags* the texts beside their fields, by the names of the fields.
    """

    path: str
    text: str
    calls: list[tuple[Expr, CodeScope]] = field(default_factory=list)
    classes: list[CodeScope] = field(default_factory=list)
    functions: list[CodeScope] = field(default_factory=list)
    annotated: list[tuple[Expr, CodeScope, str]] = field(default_factory=list)
    types: set[str] = field(default_factory=set)
    tags: dict[str, list[str]] = field(default_factory=dict)
    scope: CodeScope = field(init=False)
    language: Language = field(init=False)
    _mentions: dict[str, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.scope = CodeScope(self, ScopeKind.FILE)
        self.language = BY_ENDING[suffix(self.path)]

    def mentions(self, pattern: str) -> bool:
        """Return whether the text has a match of *pattern*."""
        if pattern not in self._mentions:
            self._mentions[pattern] = re.search(pattern, self.text) is not None
        return self._mentions[pattern]


def read_unit(path: str, text: str, clock: Callable[[], float] = time.thread_time) -> Unit:
    """Parse one source file, whose text `bounded_parsing` accepted; what its grammar cannot read is left out.

    Raises InputInvalid if that takes too long by *clock*, or the text has more than MOST_NODES parts.
    """
    unit, until = Unit(path, text), clock() + SLOWEST + PACE * len(text)
    walk = _Walk(unit, Expressions(unit.language))
    for _ in walk.steps(parse_tree(path, text)):
        if clock() > until:
            raise InputInvalid("reading it takes too much time", where=path)
    return unit


@dataclass(slots=True)
class _Walk:
    unit: Unit
    expressions: Expressions
    decorated: dict[int, tuple[Expr, ...]] = field(default_factory=dict)
    latest: dict[tuple[int, str], tuple[Node, int]] = field(default_factory=dict)
    nodes: Nodes = field(init=False)
    enter: Mapping[str, _Enter] = field(init=False)
    binders: Mapping[str, _Bind] = field(init=False)
    source: bytes = field(init=False)

    def __post_init__(self) -> None:
        self.source = self.unit.text.encode("utf-8", "replace")
        self.nodes = self.unit.language.nodes
        self.enter, self.binders = _entering(self.unit.language.name)

    def steps(self, root: Node) -> Iterator[None]:
        """Walk the tree and pause every 64 nodes; without recursion, since a text may be nested as deep as it is long.

        Raises InputInvalid after MOST_NODES nodes.
        """
        stack: list[tuple[Node, CodeScope, _Calls]] = [(root, self.unit.scope, ())]
        for done in range(MOST_NODES):
            if not stack:
                return
            if done % 64 == 0:  # what is nested a thousand times is read as often
                yield
            node, scope, calls = stack.pop()
            enter = self.enter.get(node.type)
            if enter is not None:
                scope, calls = enter(self, node, scope, calls)
            named = node.named_children
            if any(child.type == "decorator" for child in named) and node.type != "decorated_definition":
                self._decorate(named, scope)
            for child in reversed(named):
                if child.type not in self.nodes.skipped and child.named_child_count:
                    stack.append((child, scope, calls))
        if stack:
            raise InputInvalid(f"it has more than {MOST_NODES} parts", where=self.unit.path)

    def _call(self, node: Node, scope: CodeScope, calls: _Calls) -> tuple[CodeScope, _Calls]:
        call = self.expressions.of(node)
        if call.kind in (Kind.CALL, Kind.NEW):
            self.unit.calls.append((call, scope))
            if call.text in self.unit.language.values.appends and call.receiver.kind is Kind.NAME:
                self._append(call, scope)
            if _calls_super(node, call):
                self._construct(node, call.arguments, scope)
            return scope, (*calls[-24:], call)
        return scope, calls

    def _super(self, node: Node, scope: CodeScope, calls: _Calls) -> tuple[CodeScope, _Calls]:
        """Note what a class gives the constructor of its superclass, in languages with a node for that."""
        if any(child.type == "this" for child in node.children):
            return scope, calls  # another constructor of the class
        listed = next((child for child in node.named_children if child.type in self.nodes.argument_lists), None)
        if listed is not None and (node.parent is None or "annotation" not in node.parent.type):
            self._construct(node, self.expressions.all(listed.named_children, 0), scope)
        return scope, calls

    def _construct(self, node: Node, arguments: tuple[Expr, ...], scope: CodeScope) -> None:
        for name in scope.nearest(ScopeKind.CLASS).supertypes:
            self.unit.calls.append((self.expressions.expr(Kind.NEW, node, name, arguments), scope))

    def _append(self, call: Expr, scope: CodeScope) -> None:
        """Bind what is added to a list that begins empty: `topics = []`, `topics.append("orders")`."""
        for outer in scope.outward():
            bound = outer.bindings.get(call.receiver.text, [])
            if any(value.kind is Kind.LIST and not value.parts for value in bound):
                bound += call.positional()[:1]
                return

    def _returned(self, node: Node, scope: CodeScope, calls: _Calls) -> tuple[CodeScope, _Calls]:
        named = node.named_children
        if named and named[-1].type == "expression_list" and self.unit.language.has_packages:
            named = named[-1].named_children[:1]  # before the error
        if named:
            scope.nearest(ScopeKind.FUNCTION).returns.append(self.expressions.of(named[-1]))
        return scope, calls

    def _bound(self, node: Node, scope: CodeScope, calls: _Calls) -> tuple[CodeScope, _Calls]:
        self.binders[node.type](self, node, scope)
        return scope, calls

    # --- scopes

    def _class(self, node: Node, scope: CodeScope, _: _Calls) -> tuple[CodeScope, _Calls]:
        name = text_of(node.child_by_field_name("name")) or (scope.name if scope.kind is ScopeKind.CLASS else "")
        inner = CodeScope(self.unit, ScopeKind.CLASS, name, scope, self._parameters(node, ("class_parameters",)))
        supertypes = []
        for child in node.named_children:
            if child.type in self.nodes.supertypes:
                supertypes += [text for text in _type_names(child) if text]
        inner.supertypes = tuple(supertypes)
        inner.annotations = (*self._annotations(node), *self.decorated.pop(node.id, ()))
        self.unit.classes.append(inner)
        self.unit.annotated += [(annotation, inner, name) for annotation in inner.annotations]
        for parameter in inner.parameters:
            self.unit.annotated += [(annotation, inner, parameter.name) for annotation in parameter.annotations]
            if parameter.default is not NOTHING:
                inner.bindings.setdefault(parameter.name, []).append(parameter.default)
        return inner, ()

    def _function(self, node: Node, scope: CodeScope, _: _Calls) -> tuple[CodeScope, _Calls]:
        holder = _assigned(node) if node.type in self.nodes.named_lambdas else node
        name = text_of(holder.child_by_field_name("name")) or _first_identifier(holder)
        inner = CodeScope(
            self.unit, ScopeKind.FUNCTION, name, scope, self._parameters(node, self.nodes.parameter_lists)
        )
        inner.annotations = (*self._annotations(node), *self.decorated.pop(node.id, ()))
        body = node.child_by_field_name("body")
        expression = body if body is not None and not body.type.endswith(("block", "body", "braces")) else None
        for child in node.named_children:
            if child.type == "function_body" and child.named_children and child.named_children[0].type != "block":
                expression = child.named_children[0]
        if expression is not None:
            inner.returns.append(self.expressions.of(expression))
        receiver = node.child_by_field_name("receiver")
        for parameter in self._listed(receiver) if receiver is not None and self.unit.language.has_packages else ():
            inner.types[parameter.name] = parameter.type_name
        self.unit.functions.append(inner)
        owner = scope.nearest(ScopeKind.CLASS, ScopeKind.FILE)
        owner.functions.setdefault(name, []).append(inner)
        if name in self.unit.language.values.constructors:
            for field_name in _parameter_fields(node):
                owner.bindings.setdefault(field_name, []).append(self.expressions.expr(Kind.NAME, node, field_name))
        self.unit.annotated += [(annotation, inner, name) for annotation in inner.annotations]
        for parameter in inner.parameters:
            self.unit.annotated += [(annotation, inner, parameter.name) for annotation in parameter.annotations]
        return inner, ()

    def _lambda(self, node: Node, scope: CodeScope, calls: _Calls) -> tuple[CodeScope, _Calls]:
        naming = self.nodes.variables | self.nodes.assignments | self.nodes.specifications
        if node.type in self.nodes.named_lambdas and _assigned(node).type in naming:
            return self._function(node, scope, calls)
        names = self._parameters(node, self.nodes.parameter_lists)
        if not names:
            parameters = node.child_by_field_name("parameters") or node.child_by_field_name("parameter")
            plain = text_of(parameters) if parameters is not None else ""
            names = (Parameter(plain),) if plain.isidentifier() else (Parameter("it"),)
        return CodeScope(self.unit, ScopeKind.LAMBDA, "", scope, names, calls=calls), calls

    def _loop(self, node: Node, scope: CodeScope, calls: _Calls) -> tuple[CodeScope, _Calls]:
        inner = CodeScope(self.unit, ScopeKind.LOOP, "", scope)
        name = node.child_by_field_name("left") or node.child_by_field_name("name")
        over = node.child_by_field_name("right") or node.child_by_field_name("value")
        clause = next((child for child in node.named_children if child.type == "range_clause"), None)
        if clause is not None:  # Go's: with two names the second is the element
            names = clause.child_by_field_name("left")
            name = names.named_children[1] if names is not None and len(names.named_children) > 1 else None
            over = clause.child_by_field_name("right")
        if over is None and node.type == "for_statement" and len(node.named_children) >= 3:
            name, over = node.named_children[0], node.named_children[1]  # Kotlin's
        if over is not None:
            inner.over = self.expressions.of(over)
            variable = _first_identifier(name) if name is not None else ""
            element = Expr(Kind.CALL, "[]", (inner.over, NOTHING), inner.over.line, inner.over.node)
            elements = inner.over.parts if inner.over.kind is Kind.LIST else (element,)
            if variable:
                self._assign(scope.nearest(*_BINDING), variable, over, elements)
        return inner, calls

    def _type(self, node: Node, scope: CodeScope, calls: _Calls) -> tuple[CodeScope, _Calls]:
        self.unit.types.add(text_of(node.child_by_field_name("name")))
        return scope, calls

    def _tagged(self, node: Node, scope: CodeScope, calls: _Calls) -> tuple[CodeScope, _Calls]:
        tag = text_of(node.child_by_field_name("tag"))
        for name in node.children_by_field_name("name") if tag else ():
            self.unit.tags.setdefault(text_of(name), []).append(tag)
        return scope, calls

    # --- parts of declarations

    def _parameters(self, node: Node, lists: Collection[str]) -> tuple[Parameter, ...]:
        parameters: list[Parameter] = []
        for child in node.named_children:
            if child.type == "primary_constructor" or child.type in lists:
                if child == node.child_by_field_name("receiver"):
                    continue
                parameters += self._listed(child)
        return tuple(parameters)

    def _listed(self, node: Node) -> Iterator[Parameter]:
        children = node.named_children
        for position, child in enumerate(children):
            if child.type in ("class_parameters", "parameter_list"):
                yield from self._listed(child)
            elif child.type == "identifier" or child.type == "variable_declaration":
                yield Parameter(_first_identifier(child))
            elif child.type == "parameter" and text_of(child.child(0)) == "this":
                continue  # the object that an extension method of C# is called on
            elif child.type in self.nodes.parameters:
                before = children[position - 1] if position else None
                after = children[position + 1] if position + 1 < len(children) else None
                notes = (
                    self._annotations_in(before) if before is not None and before.type == "parameter_modifiers" else ()
                )
                for parameter in self._parameter(child, after):
                    yield replace(parameter, annotations=(*parameter.annotations, *notes))

    def _parameter(self, node: Node, after: Node | None) -> Iterator[Parameter]:
        names = node.children_by_field_name("name") or node.children_by_field_name("pattern")
        names = names or node.children_by_field_name("left") or _identifiers(node)[:1]
        default = node.child_by_field_name("value") or node.child_by_field_name("default_value")
        default = default or node.child_by_field_name("right")
        if default is None and node.type == "class_parameter" and len(node.named_children) > 2:
            last = node.named_children[-1]
            default = last if last.type not in ("user_type", "nullable_type") else None
        if default is None and after is not None and node.type == "parameter" and "literal" in after.type:
            default = after  # Kotlin's stands beside it
        value = self.expressions.of(default) if default is not None else NOTHING
        kinds = (child for child in node.named_children if child.type in ("user_type", "nullable_type"))  # Kotlin's
        declared = type_name(node.child_by_field_name("type") or next(kinds, None))
        for name in names:
            yield Parameter(_first_identifier(name), value, self._annotations(node), declared)

    def _annotations(self, node: Node) -> tuple[Expr, ...]:
        found: list[Expr] = []
        stack = [child for child in node.named_children if child.type in self.nodes.modifiers]
        if node.parent is not None and node.parent.type == "decorated_definition":
            stack += [child for child in node.parent.named_children if child.type == "decorator"]
        while stack:
            part = stack.pop()
            if part.type in ("modifiers", "annotations"):
                stack += [child for child in part.named_children if child.type in self.nodes.modifiers]
            else:
                found.append(self._annotation(part))
        return tuple(found)

    def _annotations_in(self, node: Node) -> tuple[Expr, ...]:
        """Return the annotations of Kotlin's modifiers of a parameter, which stand before it."""
        return tuple(self._annotation(child) for child in node.named_children if child.type == "annotation")

    def _annotation(self, node: Node) -> Expr:
        """Read an annotation or decorator as a call of its name."""
        inside = node.named_children
        arguments = node.child_by_field_name("arguments")
        if node.type == "decorator" or (arguments is None and inside and inside[0].type == "constructor_invocation"):
            value = self.expressions.of(inside[0]) if inside else NOTHING
            if value.kind is Kind.NEW:
                return Expr(Kind.CALL, value.text, (NOTHING, *value.parts), value.line, value.node)
            if value.kind in (Kind.NAME, Kind.MEMBER):
                return Expr(Kind.CALL, value.text, (value.receiver,), value.line, value.node)
            return value
        parts = self.expressions.all(arguments.named_children, 0) if arguments is not None else ()
        name = type_name(node.child_by_field_name("name") or (inside[0] if inside else None))
        return self.expressions.expr(Kind.CALL, node, name, (NOTHING, *parts))

    def _decorate(self, nodes: list[Node], scope: CodeScope) -> None:
        """Note TypeScript's decorators, which stand before what they decorate."""
        decorators: list[Node] = []
        for node in nodes:
            if node.type == "decorator":
                decorators.append(node)
            elif decorators and node.type in self.nodes.functions | self.nodes.classes | self.nodes.variables:
                notes = tuple(map(self._annotation, decorators))
                if node.type in self.nodes.functions | self.nodes.classes:
                    self.decorated[node.id] = notes
                else:
                    name = text_of(node.child_by_field_name("name"))
                    self.unit.annotated += [(note, scope, name) for note in notes]
                decorators = []

    # --- bindings

    def bind(self, scope: CodeScope, target: Node | None, value: Node | None, *, declares: bool = False) -> None:
        """Note that *target* has *value*; a member of the object itself is bound in its class.

        *declares*: the target is a new variable, even if one of that name is known outside.
        """
        if target is None or value is None:
            return
        name = self.expressions.of(target)
        of_package = self.unit.language.has_packages  # the members of structs are known by their names
        if name.kind is Kind.MEMBER and (name.receiver.kind is Kind.NAME or of_package):
            own = name.receiver.text == "this" or of_package
            owner = scope.nearest(ScopeKind.CLASS) if own else scope.nearest(*_BINDING)
            label = name.text if own else f"{name.receiver.text}.{name.text}"
            owner.bindings.setdefault(label, []).append(self.expressions.of(value))
        elif name.kind is Kind.NAME:
            owner = scope.nearest(*_BINDING)
            if owner.kind is ScopeKind.FUNCTION and name.text not in owner.bindings and not declares:
                outer = owner.nearest(ScopeKind.CLASS)
                if name.text in outer.types and name.text not in owner.types:
                    owner = outer
            self._assign(owner, name.text, value, (self.expressions.of(value),), target.start_byte)

    def _assign(
        self, owner: CodeScope, name: str, node: Node, values: tuple[Expr, ...], start: int | None = None
    ) -> None:
        """Bind *name* to the *values* of *node*; note whether one that is built from the former value replaces that.

        *start* is where the assignment begins, by default where *node* does.
        """
        before = self.latest.get((id(owner), name))
        if before is not None and len(values) == 1 and values[0].kind is not Kind.NAME and values[0].names(name):
            former, count = before
            between = self.source[former.end_byte : node.start_byte if start is None else start]
            seen = between.decode("utf-8", "replace")
            if _follows(node, former) and not re.search(rf"\b{re.escape(name)}\b", seen):
                owner.replaced[values[0].node] = count
        owner.bindings.setdefault(name, []).extend(values)
        self.latest[id(owner), name] = (node, len(values))

    def variable(self, node: Node, scope: CodeScope) -> None:
        """Bind a declared variable, whose value is a field or the last part."""
        name = node.child_by_field_name("name") or node.child_by_field_name("pattern")
        name = name or node.child_by_field_name("property")
        named = node.named_children
        if name is None:
            name = next((child for child in named if child.type in ("variable_declaration", "identifier")), None)
        if name is None:
            return
        label = _first_identifier(name)
        declared = node.child_by_field_name("type") or (
            node.parent.child_by_field_name("type") if node.parent is not None else None
        )
        owner = scope.nearest(*_BINDING)
        if declared is None and name.type == "variable_declaration" and len(name.named_children) > 1:
            declared = name.named_children[-1]
        if label:
            owner.types.setdefault(label, type_name(declared))
        holder = node.parent if node.parent is not None and node.parent.type == "field_declaration" else node
        annotations = self._annotations(holder)
        if not annotations and holder.parent is not None and holder.parent.type == "field_declaration":
            annotations = self._annotations(holder.parent)
        self.unit.annotated += [(annotation, owner, label) for annotation in annotations]
        value = node.child_by_field_name("value")
        if value is None and len(named) > 1 and named[-1] != name and not named[-1].type.endswith(("type", "list")):
            value = named[-1]
        if value is not None and value.type == "property_delegate":
            value = _lazy_value(value)
        if value is not None and label:
            self._assign(owner, label, node, (self.expressions.of(value),))

    def assignment(self, node: Node, scope: CodeScope) -> None:
        """Bind the left side of an assignment."""
        named = node.named_children
        left = node.child_by_field_name("left") or (named[0] if len(named) > 1 else None)
        right = node.child_by_field_name("right") or (named[-1] if len(named) > 1 else None)
        if left is None or right is None:
            return
        declares = node.type == "short_var_declaration"
        if left.type == "expression_list" or left.type == "pattern_list":
            values = right.named_children if right.type in ("expression_list", "tuple") else [right]
            for position, target in enumerate(left.named_children):
                if position < len(values):
                    self.bind(scope, target, values[position], declares=declares)
            return
        if node.parent is not None and node.parent.type in ("arguments", "initializer_expression"):
            return  # a named argument
        self.bind(scope, left, right, declares=declares)

    def specification(self, node: Node, scope: CodeScope) -> None:
        """Bind the names of Go's `const` and `var`."""
        names = node.children_by_field_name("name")
        values = node.child_by_field_name("value")
        listed = values.named_children if values is not None else []
        for name in names:
            scope.nearest(*_BINDING).types.setdefault(text_of(name), type_name(node.child_by_field_name("type")))
        for name, value in zip(names, listed, strict=False):
            self.bind(scope, name, value)

    def constant(self, node: Node, scope: CodeScope) -> None:
        """Bind a constant of an enumeration: a new object of it."""
        name = text_of(node.child_by_field_name("name")) or _first_identifier(node)
        parts: list[Expr] = []
        value = node.child_by_field_name("value")
        for child in node.named_children:
            if child.type in ("argument_list", "value_arguments", "arguments"):
                parts += self.expressions.all(child.named_children, 0)
        owner = scope.nearest(ScopeKind.CLASS)
        new = self.expressions.expr(Kind.NEW, node, owner.name, tuple(parts))
        owner.bindings.setdefault(name, []).append(self.expressions.of(value) if value is not None else new)


_BINDING = (ScopeKind.FUNCTION, ScopeKind.CLASS, ScopeKind.FILE)
_Enter = Callable[[_Walk, Node, CodeScope, _Calls], tuple[CodeScope, _Calls]]
_Bind = Callable[[_Walk, Node, CodeScope], None]


@cache
def _entering(language: str) -> tuple[Mapping[str, _Enter], Mapping[str, _Bind]]:
    """Return what is done where the walk enters a node, and how a node binds names, by the type of the node."""
    nodes = BY_NAME[language].nodes
    binders = {
        **dict.fromkeys(nodes.variables, _Walk.variable),
        **dict.fromkeys(nodes.assignments, _Walk.assignment),
        **dict.fromkeys(nodes.specifications, _Walk.specification),
        **dict.fromkeys(nodes.constants, _Walk.constant),
    }
    enter = {
        **dict.fromkeys(nodes.calls, _Walk._call),
        **dict.fromkeys(nodes.super_calls, _Walk._super),
        **dict.fromkeys(nodes.classes, _Walk._class),
        **dict.fromkeys(nodes.functions, _Walk._function),
        **dict.fromkeys(nodes.lambdas, _Walk._lambda),
        **dict.fromkeys(nodes.loops, _Walk._loop),
        **dict.fromkeys(nodes.returns, _Walk._returned),
        **dict.fromkeys(nodes.types, _Walk._type),
        **dict.fromkeys(nodes.tagged, _Walk._tagged),
        **dict.fromkeys(binders, _Walk._bound),
    }
    return enter, binders


_IN_ORDER = words(
    "assignment assignment_expression assignment_statement block compilation_unit directly_assignable_expression"
    " expression_list expression_statement function_body global_statement local_declaration_statement module program"
    " source_file statement_block statement_list statements template_body"
)
"""Nodes around an assignment that run it always, and once."""


def _follows(node: Node, former: Node) -> bool:
    """Return whether what runs *former* runs *node* after it."""
    outer = node.parent
    while outer is not None and not (outer.start_byte <= former.start_byte and former.end_byte <= outer.end_byte):
        if outer.type not in _IN_ORDER:
            return False
        outer = outer.parent
    return outer is not None


def _assigned(node: Node) -> Node:
    """Return what names a function: the variable it is assigned to, alone in a list of values."""
    holder = node.parent if node.parent is not None else node
    is_only = holder.type == "expression_list" and len(holder.named_children) == 1 and holder.parent is not None
    return holder.parent if is_only else holder


def _lazy_value(node: Node) -> Node | None:
    """Return the last expression of Kotlin's `by lazy { … }`."""
    found = [node]
    while found:
        part = found.pop()
        if part.type == "lambda_literal":
            return part.named_children[-1] if part.named_children else None
        found += part.named_children
    return None


def _identifiers(node: Node) -> list[Node]:
    if node.type == "variable_declarator":
        return [child for child in node.named_children if child.type == "identifier"]
    found = [child for child in node.named_children if child.type in ("identifier", "simple_identifier")]
    return found or [inner for child in node.named_children for inner in _identifiers(child)][:1]


def _first_identifier(node: Node) -> str:
    if node.type.endswith("identifier"):
        return text_of(node)
    for child in node.named_children:
        if child.type.endswith("identifier"):
            return text_of(child)
    return text_of(node) if not node.named_children and text_of(node).isidentifier() else ""


def _parameter_fields(constructor: Node) -> Iterator[str]:
    """Yield the parameters of a constructor of TypeScript that are fields: `constructor(private topic: string)`."""
    parameters = constructor.child_by_field_name("parameters")
    for parameter in parameters.named_children if parameters is not None else ():
        if any(child.type in ("accessibility_modifier", "readonly") for child in parameter.children):
            yield text_of(parameter.child_by_field_name("pattern"))


def _calls_super(node: Node, call: Expr) -> bool:
    """Return whether a call of JavaScript or Python is one of the superclass's constructor."""
    callee = node.child_by_field_name("function")
    is_script = callee is not None and callee.type == "super"
    return is_script or (call.text == "__init__" and call.receiver.text == "super")


def _type_names(node: Node) -> Iterator[str]:
    """Yield the names of types at the top of a list of supertypes, without their parameters."""
    stack = [node]
    while stack:
        part = stack.pop()
        if part.type in ("type_arguments", "value_arguments", "type_argument_list", "type_projection"):
            continue
        if part.type in ("type_identifier", "identifier"):
            yield text_of(part)
        else:
            stack += part.named_children
