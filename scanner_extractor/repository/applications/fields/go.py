"""Go: structs with tags, composite literals, getters of generated code."""

from __future__ import annotations

import re

from scanner_extractor.repository.applications.fields import lowering as low
from scanner_extractor.repository.applications.fields.lowering import Lowering, text_of, type_of
from scanner_extractor.repository.applications.fields.parts import Class, Field, Kind, Parameter, Part, Type
from scanner_extractor.repository.syntax_trees import Node

_TAG = re.compile(r'(?:json|avro|bson|msgpack|yaml):"([^",]+)')


def _types(lowering: Lowering, node: Node) -> Part:
    declared = Class(text_of(node.child_by_field_name("name")), lowering.file.path, node.start_point[0] + 1)
    body = node.child_by_field_name("type")
    if body is None or body.type != "struct_type":
        return lowering.make(Kind.GROUP, node)
    lowering.file.classes.append(declared)
    for entry in body.named_children[0].named_children if body.named_children else ():
        if entry.type != "field_declaration":
            continue
        tag = _TAG.search(text_of(entry.child_by_field_name("tag")))
        kind = type_of(entry.child_by_field_name("type"))
        names = [text_of(label) for label in entry.children_by_field_name("name")]
        if not names:
            declared.supertypes.append(kind)  # an embedded struct
        for label in names:
            declared.fields[label] = Field(tag[1] if tag and tag[1] != "-" else label, kind)
    return lowering.make(Kind.GROUP, node)


def _parameters(_: Lowering, node: Node) -> list[Parameter]:
    found: list[Parameter] = []
    for label in ("receiver", "parameters"):
        listed = node.child_by_field_name(label)
        for child in listed.named_children if listed is not None else ():
            declared = type_of(child.child_by_field_name("type"))
            names = [text_of(each) for each in child.children_by_field_name("name")]
            found += [Parameter(each, declared) for each in names or ([""] if label == "parameters" else [])]
    return found


def _function(lowering: Lowering, node: Node) -> Part:
    name = text_of(node.child_by_field_name("name"))
    function = lowering.function(node, name, _parameters(lowering, node), node.child_by_field_name("body"))
    result = node.child_by_field_name("result")
    if result is not None and result.type == "parameter_list":
        result = result.named_children[0].child_by_field_name("type") if result.named_children else None
    function.returns = type_of(result)
    receiver = node.child_by_field_name("receiver")
    if receiver is not None:
        function.parameters, holder = function.parameters[1:], function.parameters[:1]
        self_name = Part(Kind.NAME, holder[0].name if holder else "")
        function.body = [Part(Kind.BIND, of=self_name, types=(holder[0].type,) if holder else ()), *function.body]
    lowering.file.functions.append(function)
    return lowering.make(Kind.GROUP, node)


def _literal(lowering: Lowering, node: Node) -> Part:
    declared = type_of(node.child_by_field_name("type"))
    body = node.child_by_field_name("body")
    return _value(lowering, body, declared)


def _value(lowering: Lowering, node: Node, declared: Type) -> Part:
    if declared.name == "map":
        return low.mapping(lowering, node)
    element = declared.args[0] if declared.name == "[]" and declared.args else None
    part = lowering.make(Kind.LIST if element else Kind.NEW, node, declared.name)
    part.types = (declared,)
    for child in node.named_children:
        if child.type == "keyed_element":
            key = child.child_by_field_name("key")
            part.named.append((low.key_text(key), _element(lowering, child, element), child.start_point[0] + 1))
        elif "comment" not in child.type:
            part.parts.append(_element(lowering, child, element))
    return part


def _element(lowering: Lowering, node: Node, declared: Type | None) -> Part:
    value = node.child_by_field_name("value") if node.type == "keyed_element" else node
    inner = value.named_children[0] if value is not None and value.named_children else None
    if inner is not None and inner.type == "literal_value":
        return _value(lowering, inner, declared or Type())
    return lowering.part(value)


def _bind(lowering: Lowering, node: Node) -> Part:
    """Read an assignment: of several values that a call returns, the first is the value."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    targets = left.named_children if left is not None else []
    values = right.named_children if right is not None else []
    part = lowering.make(Kind.GROUP, node)
    for position, target in enumerate(targets):
        if position >= len(values) and position:
            break
        bound = lowering.make(Kind.BIND, target)
        bound.of = lowering.part(target)
        bound.parts = lowering.parts(values[position : position + 1])
        part.parts.append(bound)
    return part


def _variable(lowering: Lowering, node: Node) -> Part:
    part = lowering.make(Kind.BIND, node)
    part.of = lowering.part(node.child_by_field_name("name"))
    part.types = (type_of(node.child_by_field_name("type")),)
    value = node.child_by_field_name("value")
    part.parts = lowering.parts(value.named_children[:1]) if value is not None else []
    return part


def _range(lowering: Lowering, node: Node) -> Part:
    part = lowering.make(Kind.EACH, node)
    left = node.child_by_field_name("left")
    names = left.named_children if left is not None else []
    part.of = lowering.part(names[-1]) if names else Part(Kind.GROUP)
    part.parts = [lowering.part(node.child_by_field_name("right"))]
    return part


def _returned(lowering: Lowering, node: Node) -> Part:
    part = lowering.make(Kind.RETURN, node)
    values = node.named_children[0].named_children if node.named_children else []
    part.parts = lowering.parts(values[:1])
    return part


LANGUAGE = low.Language(
    rows={
        "type_spec": _types,
        "function_declaration": _function,
        "method_declaration": _function,
        "call_expression": low.call("function", "arguments"),
        "composite_literal": _literal,
        "func_literal": low.lambda_of(_parameters),
        "identifier": low.name,
        "field_identifier": low.name,
        "interpreted_string_literal": low.string,
        "raw_string_literal": low.string,
        "selector_expression": low.member("operand", "field"),
        "index_expression": low.index("operand", "index"),
        "short_var_declaration": _bind,
        "assignment_statement": _bind,
        "var_spec": _variable,
        "range_clause": _range,
        "type_assertion_expression": low.cast("operand", "type"),
        "type_conversion_expression": low.choice,
        "unary_expression": low.choice,
        "parenthesized_expression": low.choice,
        "return_statement": _returned,
        "import_declaration": low.nothing,
        "package_clause": low.nothing,
    },
)
