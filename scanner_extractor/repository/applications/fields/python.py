"""Python: dataclasses, pydantic models, attrs classes, dictionaries, comprehensions, `match`."""

from __future__ import annotations

import re

from scanner_extractor.repository.applications.fields import lowering as low
from scanner_extractor.repository.applications.fields.lowering import Lowering, text_of, type_of
from scanner_extractor.repository.applications.fields.parts import Class, Field, Kind, Note, Parameter, Part, Type
from scanner_extractor.repository.syntax_trees import Node

_ALIAS = re.compile(r"(?:alias|serialization_alias|validation_alias|data_key)\s*=\s*['\"]([^'\"]+)['\"]")
_FIELD = re.compile(r"attrs?\.|attrib|field|Field|ib\(")


def _parameters(lowering: Lowering, node: Node) -> list[Parameter]:
    listed = node.child_by_field_name("parameters")
    found = []
    for child in listed.named_children if listed is not None else ():
        label = child.child_by_field_name("name") or (child.named_children[0] if child.named_children else child)
        if child.type != "list_splat_pattern":
            found.append(Parameter(text_of(label), type_of(child.child_by_field_name("type"))))
    if found and found[0].name in ("self", "cls") and lowering.owners and node.type == "function_definition":
        found = found[1:]
    return found


def _class(lowering: Lowering, node: Node) -> Part:
    declared = Class(text_of(node.child_by_field_name("name")), lowering.file.path, node.start_point[0] + 1)
    above = node.child_by_field_name("superclasses")
    declared.supertypes = [type_of(child) for child in above.named_children] if above is not None else []
    return lowering.in_class(declared, node.child_by_field_name("body"))


def _function(lowering: Lowering, node: Node) -> Part:
    function = lowering.function(
        node, text_of(node.child_by_field_name("name")), _parameters(lowering, node), node.child_by_field_name("body")
    )
    function.returns = type_of(node.child_by_field_name("return_type"))
    holder = node.parent
    if holder is not None and holder.type == "decorated_definition":
        notes = (child for child in holder.named_children if child.type == "decorator")
        function.notes = tuple(
            Note(text_of(each).lstrip("@").partition("(")[0], (), each.start_point[0] + 1) for each in notes
        )
    lowering.declare(function)
    if function.name == "__init__" and lowering.owners:
        lowering.owners[-1].constructors.append(function)
    return lowering.make(Kind.GROUP, node)


def _assignment(lowering: Lowering, node: Node) -> Part:
    part = low.bind("left", "right")(lowering, node)
    left = node.child_by_field_name("left")
    if lowering.owners and not lowering.functions and left is not None and left.type == "identifier":
        value = node.child_by_field_name("right")
        is_field = node.child_by_field_name("type") is not None or _FIELD.match(text_of(value)) is not None
        if is_field:
            alias = _ALIAS.search(text_of(value))
            wire = alias[1] if alias else text_of(left)
            lowering.owners[-1].fields.setdefault(text_of(left), Field(wire, part.types[0]))
    return part


def _comprehension(lowering: Lowering, node: Node) -> Part:
    """Read `[e["x"] for e in orders]`: the loop stands before what it makes."""
    children = node.named_children
    part = lowering.make(Kind.LIST, node)
    loops = [lowering.part(child) for child in children if child.type == "for_in_clause"]
    others = [lowering.part(child) for child in children if child.type not in ("for_in_clause", "comment")]
    part.parts = [*loops, *others]
    return part


def _clause(lowering: Lowering, node: Node) -> Part:
    return low.each("left", "right")(lowering, node).parts[0]


def _call(lowering: Lowering, node: Node) -> Part:
    part = low.call("function", "arguments")(lowering, node)
    if part.of is None and part.text[:1].isupper():
        part.kind, part.types = Kind.NEW, (Type(part.text),)
    return part


def _conditional(lowering: Lowering, node: Node) -> Part:
    """Read `a if test else b`."""
    part = low.choice(lowering, node)
    if len(part.parts) > 1:
        part.of = part.parts.pop(1)
    return part


def _with(lowering: Lowering, node: Node) -> Part:
    part = lowering.make(Kind.BIND, node)
    value = node.child_by_field_name("value") or node
    children = value.named_children
    if value.type != "as_pattern" or len(children) < 2:
        return lowering.part(value) if value is not node else low.group(lowering, node)
    part.of = Part(Kind.NAME, text_of(children[1]), part.line, part.start)
    part.parts = [lowering.part(children[0])]
    return part


def _case(lowering: Lowering, node: Node) -> Part:
    """Read `match order: case {"a": b}` as uses of the members."""
    part = lowering.make(Kind.GROUP, node)
    subject = lowering.part(node.child_by_field_name("subject"))
    part.parts = [subject]
    stack = [node.child_by_field_name("body")]
    while stack:
        inner = stack.pop()
        if inner is not None and inner.type == "dict_pattern":
            for key in inner.children_by_field_name("key"):
                used = lowering.make(Kind.INDEX, key)
                used.of, used.parts = subject, [lowering.part(key)]
                part.parts.append(used)
        stack += [child for child in inner.named_children if child.type != "block"] if inner is not None else []
    part.parts.append(lowering.part(node.child_by_field_name("body")))
    return part


LANGUAGE = low.Language(
    rows={
        "class_definition": _class,
        "function_definition": _function,
        "assignment": _assignment,
        "call": _call,
        "lambda": low.lambda_of(_parameters),
        "identifier": low.name,
        "string": low.string,
        "attribute": low.member("object", "attribute"),
        "subscript": low.index("value", "subscript"),
        "dictionary": low.mapping,
        "pair": low.pair("key", "value"),
        "keyword_argument": low.pair("name", "value"),
        "dictionary_splat": low.spread,
        "list_splat": low.spread,
        "list": low.listed,
        "tuple": low.listed,
        "pattern_list": low.listed,
        "tuple_pattern": low.listed,
        "list_comprehension": _comprehension,
        "generator_expression": _comprehension,
        "set_comprehension": _comprehension,
        "for_in_clause": _clause,
        "for_statement": low.each("left", "right"),
        "with_item": _with,
        "match_statement": _case,
        "boolean_operator": low.choice,
        "parenthesized_expression": low.choice,
        "await": low.choice,
        "conditional_expression": _conditional,
        "named_expression": low.bind("name", "value"),
        "return_statement": low.returned,
        "yield": low.returned,
        "import_statement": low.nothing,
        "import_from_statement": low.nothing,
        "decorator": low.nothing,
        "type": low.nothing,
    },
)
