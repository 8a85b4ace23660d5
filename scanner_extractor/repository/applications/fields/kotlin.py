"""Kotlin: data classes, named arguments, trailing lambdas, destructuring."""

from __future__ import annotations

from scanner_extractor.repository.applications.fields import lowering as low
from scanner_extractor.repository.applications.fields.lowering import Lowering, text_of, type_of
from scanner_extractor.repository.applications.fields.parts import Class, Kind, Note, Parameter, Part, Type
from scanner_extractor.repository.syntax_trees import Node

_TYPES = frozenset({"user_type", "nullable_type", "function_type", "parenthesized_type"})


def _child(node: Node | None, *types: str) -> Node | None:
    return next((child for child in node.named_children if child.type in types), None) if node is not None else None


def _notes(node: Node | None) -> tuple[Note, ...]:
    modifiers = _child(node, "modifiers") if node is not None and node.type != "parameter_modifiers" else node
    found = []
    for note in modifiers.named_children if modifiers is not None else ():
        invoked = _child(note, "constructor_invocation")
        named = _child(invoked if invoked is not None else note, "user_type")
        if note.type == "annotation":
            found.append(Note(text_of(named).rpartition(".")[2], _string_texts(note), note.start_point[0] + 1))
    return tuple(found)


def _string_texts(note: Node) -> tuple[str, ...]:
    stack, texts = [note], []
    while stack:
        node = stack.pop(0)
        if node.type == "string_literal":
            texts.append(low.literal(node))
        stack += node.named_children
    return tuple(texts)


def _parameters(listed: Node | None) -> list[Parameter]:
    found: list[Parameter] = []
    notes: tuple[Note, ...] = ()
    for child in listed.named_children if listed is not None else ():
        if child.type == "parameter_modifiers":
            notes = _notes(child)
        elif child.type in ("parameter", "class_parameter", "variable_declaration"):
            label = text_of(_child(child, "identifier") or child)
            found.append(Parameter(label, type_of(_child(child, *_TYPES)), (*notes, *_notes(child))))
            notes = ()
        elif child.type == "multi_variable_declaration":
            names = [Parameter(text_of(_child(each, "identifier") or each)) for each in child.named_children]
            found.append(Parameter(names[-1].name if names else ""))
    return found


def _class(lowering: Lowering, node: Node) -> Part:
    declared = Class(text_of(node.child_by_field_name("name")), lowering.file.path, node.start_point[0] + 1)
    specifiers = _child(node, "delegation_specifiers")
    for child in specifiers.named_children if specifiers is not None else ():
        declared.supertypes.append(type_of(child))
    lowering.file.classes.append(declared)
    lowering.owners.append(declared)
    constructor = _child(node, "primary_constructor")
    parameters = _parameters(_child(constructor, "class_parameters"))
    for parameter in parameters:
        lowering.add_field(parameter.name, parameter.type, parameter.notes)
    rest = lowering.part(_child(node, "class_body", "enum_class_body"))
    lowering.owners.pop()
    return rest


def _property(lowering: Lowering, node: Node) -> Part:
    part = lowering.make(Kind.BIND, node)
    holder = _child(node, "variable_declaration")
    several = _child(node, "multi_variable_declaration")
    label = _child(holder, "identifier") if holder is not None else None
    part.types = (type_of(_child(holder, *_TYPES)),)
    if node.parent is not None and node.parent.type == "class_body" and holder is not None:
        lowering.add_field(text_of(label or holder), part.types[0], _notes(node))
    if several is not None:
        part.of = Part(Kind.LIST, "", part.line, part.start)
        part.of.parts = [Part(Kind.NAME, text_of(each), part.line, part.start) for each in several.named_children]
    else:
        part.of = lowering.make(Kind.NAME, node, text_of(label or holder))
    skipped = ("modifiers", "variable_declaration", "multi_variable_declaration", "type_constraints")
    values = [child for child in node.named_children if child.type not in skipped and "comment" not in child.type]
    part.parts = [lowering.part(values[0])] if values else []
    group = lowering.make(Kind.GROUP, node)
    group.parts = [part, *lowering.parts(values[1:])]
    return group


def _function(lowering: Lowering, node: Node) -> Part:
    named = node.child_by_field_name("name")
    body = _child(node, "function_body")
    inner = _child(body, "block") or (body.named_children[0] if body is not None and body.named_children else None)
    listed = _child(node, "function_value_parameters")
    function = lowering.function(node, text_of(named), _parameters(listed), inner)
    end = listed.end_byte if listed is not None else node.start_byte
    returns = [child for child in node.named_children if child.type in _TYPES and child.start_byte > end]
    function.returns = _function_type(returns[0]) if returns else Type()
    function.notes = _notes(node)
    lowering.declare(function)
    return lowering.make(Kind.GROUP, node)


def _function_type(node: Node) -> Type:
    """Return a type; that of a function as `Function` of its parameters and its result."""
    if node.type != "function_type":
        return type_of(node)
    listed = _child(node, "function_type_parameters")
    inputs = tuple(type_of(child) for child in listed.named_children) if listed is not None else ()
    return Type("Function", (*inputs, type_of(node.named_children[-1])))


def _call(lowering: Lowering, node: Node) -> Part:
    children = node.named_children
    inner = lowering.part(children[0])
    if inner.kind in (Kind.CALL, Kind.NEW) and all(child.type == "annotated_lambda" for child in children[1:]):
        for child in children[1:]:  # `fold(start) { … }` is one call
            inner.parts += lowering.parts(child.named_children)
        return inner
    part = low.called(lowering, node, inner, "")
    for child in children[1:]:
        if child.type == "value_arguments":
            low.add_arguments(lowering, part, child)
        elif child.type == "annotated_lambda":
            part.parts += lowering.parts(child.named_children)
    if part.text[:1].isupper() and part.of is None:
        part.kind, part.types = Kind.NEW, (Type(part.text, part.types),)
    return part


def _argument(lowering: Lowering, node: Node) -> Part:
    children = node.named_children
    if len(children) == 2 and children[0].type == "identifier" and b"=" in node.text[: children[1].start_byte]:
        part = lowering.make(Kind.OBJECT, node, "named")
        part.named = [(text_of(children[0]), lowering.part(children[1]), part.line)]
        return part
    return lowering.part(children[0]) if children else low.nothing(lowering, node)


def _navigation(lowering: Lowering, node: Node) -> Part:
    children = node.named_children
    part = lowering.make(Kind.MEMBER, node, text_of(children[-1]), children[-1])
    part.of = lowering.part(children[0])
    return part


def _index(lowering: Lowering, node: Node) -> Part:
    children = node.named_children
    part = lowering.make(Kind.INDEX, node)
    part.of, part.parts = lowering.part(children[0]), lowering.parts(children[1:])
    return part


def _lambda(lowering: Lowering, node: Node) -> Part:
    part = lowering.make(Kind.LAMBDA, node)
    listed = _child(node, "lambda_parameters")
    function = lowering.function(node, "", _parameters(listed) or [Parameter("it")], None)
    lowering.functions.append(function)
    statements = [child for child in node.named_children if child.type != "lambda_parameters"]
    function.body = lowering.parts(statements)
    lowering.functions.pop()
    if function.body:
        last = function.body[-1]
        function.body[-1] = Part(Kind.RETURN, "", last.line, last.start, parts=[last])
    part.function = function
    return part


def _for(lowering: Lowering, node: Node) -> Part:
    children = node.named_children
    part = lowering.make(Kind.EACH, node)
    named = _child(children[0], "identifier") or children[0]
    part.of = lowering.make(Kind.NAME, node, text_of(named))
    part.types = (type_of(_child(children[0], *_TYPES)),)
    part.parts = lowering.parts(children[1:2])
    group = lowering.make(Kind.GROUP, node)
    group.parts = [part, *lowering.parts(children[2:])]
    return group


def _elvis(lowering: Lowering, node: Node) -> Part:
    is_choice = any(text_of(child) in ("?:", "to") for child in node.children)
    part = low.choice(lowering, node)
    if not is_choice:
        part.kind = Kind.GROUP
    return part


def _infix(lowering: Lowering, node: Node) -> Part:
    """Read `"key" to value` as a pair."""
    children = node.named_children
    if len(children) == 3 and text_of(children[1]) == "to" and children[0].type == "string_literal":
        part = lowering.make(Kind.OBJECT, node, "named")
        part.named = [(low.literal(children[0]), lowering.part(children[2]), part.line)]
        return part
    return low.group(lowering, node)


LANGUAGE = low.Language(
    rows={
        "class_declaration": _class,
        "object_declaration": _class,
        "property_declaration": _property,
        "function_declaration": _function,
        "call_expression": _call,
        "value_argument": _argument,
        "navigation_expression": _navigation,
        "index_expression": _index,
        "lambda_literal": _lambda,
        "identifier": low.name,
        "this_expression": low.name,
        "string_literal": low.string,
        "multiline_string_literal": low.string,
        "assignment": low.bind("left", "right"),
        "for_statement": _for,
        "as_expression": low.cast("left", "right"),
        "binary_expression": _elvis,
        "infix_expression": _infix,
        "parenthesized_expression": low.choice,
        "if_expression": low.conditional("condition"),
        "when_expression": low.choice,
        "unary_expression": low.choice,
        "return_expression": low.returned,
        "import": low.nothing,
        "import_header": low.nothing,
        "package_header": low.nothing,
        "modifiers": low.nothing,
    },
    wires=frozenset({"SerialName", "JsonProperty", "SerializedName", "Json"}),
)
