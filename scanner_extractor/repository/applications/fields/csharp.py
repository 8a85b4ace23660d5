"""C#: classes and records with the names of System.Text.Json and Newtonsoft, object initializers, patterns."""

from __future__ import annotations

from scanner_extractor.repository.applications.fields import lowering as low
from scanner_extractor.repository.applications.fields.lowering import Lowering, literal, text_of, type_of
from scanner_extractor.repository.applications.fields.parts import Class, Kind, Note, Parameter, Part
from scanner_extractor.repository.syntax_trees import Node


def _notes(node: Node) -> tuple[Note, ...]:
    lists = (child for child in node.named_children if child.type == "attribute_list")
    found = []
    for note in (each for listed in lists for each in listed.named_children if each.type == "attribute"):
        stack, texts = [note], []
        while stack:
            part = stack.pop(0)
            if part.type == "string_literal":
                texts.append(literal(part))
            stack += part.named_children
        label = text_of(note.child_by_field_name("name")).rpartition(".")[2]
        found.append(Note(label, tuple(texts), note.start_point[0] + 1))
    return tuple(found)


def _parameters(_: Lowering, node: Node) -> list[Parameter]:
    listed = node.child_by_field_name("parameters") or next(
        (child for child in node.named_children if child.type == "parameter_list"), None
    )
    if listed is None:
        return []
    if listed.type != "parameter_list":
        return [Parameter(text_of(listed))]
    return [
        Parameter(
            text_of(child.child_by_field_name("name") or child),
            type_of(child.child_by_field_name("type")),
            _notes(child),
        )
        for child in listed.named_children
        if child.type in ("parameter", "implicit_parameter", "identifier")
    ]


def _class(lowering: Lowering, node: Node) -> Part:
    declared = Class(text_of(node.child_by_field_name("name")), lowering.file.path, node.start_point[0] + 1)
    above = next((child for child in node.named_children if child.type == "base_list"), None)
    declared.supertypes = [type_of(child) for child in above.named_children] if above is not None else []
    lowering.file.classes.append(declared)
    lowering.owners.append(declared)
    for parameter in _parameters(lowering, node):
        lowering.add_field(parameter.name, parameter.type, parameter.notes)
    rest = lowering.part(node.child_by_field_name("body"))
    lowering.owners.pop()
    return rest


def _property(lowering: Lowering, node: Node) -> Part:
    declared = type_of(node.child_by_field_name("type"))
    lowering.add_field(text_of(node.child_by_field_name("name")), declared, _notes(node))
    part = lowering.make(Kind.GROUP, node)
    part.parts = lowering.parts([node.child_by_field_name("value")] if node.child_by_field_name("value") else [])
    return part


def _variables(lowering: Lowering, node: Node) -> Part:
    declared = type_of(node.child_by_field_name("type"))
    is_field = node.parent is not None and node.parent.type == "field_declaration"
    part = lowering.make(Kind.GROUP, node)
    for child in node.named_children:
        if child.type != "variable_declarator":
            continue
        name = child.child_by_field_name("name")
        if is_field and "static" not in text_of(node.parent).partition("=")[0].split():
            lowering.add_field(text_of(name), declared, _notes(node.parent))
        bound = lowering.make(Kind.BIND, child)
        bound.of, bound.types = lowering.make(Kind.NAME, child, text_of(name)), (declared,)
        bound.parts = lowering.parts(child.named_children[1:])[:1]
        part.parts.append(bound)
    return part


def _method(lowering: Lowering, node: Node) -> Part:
    body = node.child_by_field_name("body")
    is_constructor = node.type == "constructor_declaration"
    name = "" if is_constructor else text_of(node.child_by_field_name("name"))
    if body is not None and body.type == "arrow_expression_clause":
        body = body.named_children[0]
    function = lowering.function(node, name, _parameters(lowering, node), body)
    function.returns = type_of(node.child_by_field_name("returns") or node.child_by_field_name("type"))
    function.notes = _notes(node)
    if is_constructor and lowering.owners:
        lowering.owners[-1].constructors.append(function)
        lowering.file.functions.append(function)
    else:
        lowering.declare(function)
    return lowering.make(Kind.GROUP, node)


def _new(lowering: Lowering, node: Node) -> Part:
    declared = type_of(node.child_by_field_name("type"))
    part = lowering.make(Kind.NEW, node, declared.name)
    part.types = (declared,)
    listed = next((child for child in node.named_children if child.type == "argument_list"), None)
    low.add_arguments(lowering, part, listed)
    initializer = next((child for child in node.named_children if child.type == "initializer_expression"), None)
    _initialize(lowering, part, initializer)
    return part


def _initialize(lowering: Lowering, part: Part, node: Node | None) -> None:
    for child in node.named_children if node is not None else ():
        if child.type == "assignment_expression":
            value = lowering.part(child.child_by_field_name("right"))
            left = child.child_by_field_name("left")
            part.named.append((low.key_text(left).strip("[]"), value, child.start_point[0] + 1))
        else:
            part.parts.append(lowering.part(child))


def _anonymous(lowering: Lowering, node: Node) -> Part:
    """Read `new { Id = order.Id, total }`."""
    part = lowering.make(Kind.OBJECT, node)
    key = ""
    for child in node.named_children:
        following = child.next_sibling
        if following is not None and following.type == "=":
            key = text_of(child)
            continue
        label = key or text_of(child).rpartition(".")[2]
        part.named.append((label, lowering.part(child), child.start_point[0] + 1))
        key = ""
    return part


def _bound_member(lowering: Lowering, node: Node) -> Part:
    """Read `a?.B`: what is behind the mark is a member of what is before it."""
    children = node.named_children
    inner = lowering.part(children[-1])
    deepest = inner
    while deepest.of is not None and not (deepest.of.kind is Kind.NAME and deepest.of.text == "?"):
        deepest = deepest.of
    deepest.of = lowering.part(children[0])
    return inner


def _binding(lowering: Lowering, node: Node) -> Part:
    named = node.child_by_field_name("name")
    part = lowering.make(Kind.MEMBER, node, text_of(named), named)
    part.of = Part(Kind.NAME, "?", part.line, part.start)
    return part


def _pattern(lowering: Lowering, node: Node) -> Part:
    """Read `order is { Total: > 1 }` as uses of the members."""
    part = lowering.make(Kind.GROUP, node)
    value = lowering.part(node.child_by_field_name("expression"))
    part.parts = [value]
    stack = [node.child_by_field_name("pattern")]
    while stack:
        inner = stack.pop()
        if inner is not None and inner.type == "subpattern" and inner.named_children:
            label = inner.named_children[0]
            used = lowering.make(Kind.MEMBER, label, text_of(label), label)
            used.of = value
            part.parts.append(used)
        stack += inner.named_children if inner is not None else []
    return part


LANGUAGE = low.Language(
    rows={
        "class_declaration": _class,
        "record_declaration": _class,
        "struct_declaration": _class,
        "record_struct_declaration": _class,
        "interface_declaration": _class,
        "property_declaration": _property,
        "variable_declaration": _variables,
        "method_declaration": _method,
        "local_function_statement": _method,
        "constructor_declaration": _method,
        "invocation_expression": low.call("function", "arguments"),
        "object_creation_expression": _new,
        "implicit_object_creation_expression": _new,
        "anonymous_object_creation_expression": _anonymous,
        "lambda_expression": low.lambda_of(_parameters),
        "anonymous_method_expression": low.lambda_of(_parameters),
        "identifier": low.name,
        "generic_name": lambda lowering, node: _generic(lowering, node),
        "this": low.name,
        "string_literal": low.string,
        "interpolated_string_expression": low.string,
        "member_access_expression": low.member("expression", "name"),
        "conditional_access_expression": _bound_member,
        "member_binding_expression": _binding,
        "element_access_expression": low.index("expression", "subscript"),
        "assignment_expression": low.bind("left", "right"),
        "foreach_statement": low.each("left", "right"),
        "cast_expression": low.cast("value", "type"),
        "as_expression": low.cast("left", "right"),
        "is_pattern_expression": _pattern,
        "argument": low.choice,
        "parenthesized_expression": low.choice,
        "await_expression": low.choice,
        "postfix_unary_expression": low.choice,
        "conditional_expression": low.conditional("condition"),
        "return_statement": low.returned,
        "using_directive": low.nothing,
        "attribute_list": low.nothing,
        "predefined_type": low.nothing,
    },
    wires=frozenset({"JsonPropertyName", "JsonProperty", "DataMember", "BsonElement", "ProtoMember"}),
)


def _generic(lowering: Lowering, node: Node) -> Part:
    declared = type_of(node)
    part = lowering.make(Kind.NAME, node, declared.name)
    part.types = declared.args
    return part
