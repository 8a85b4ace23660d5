"""TypeScript and JavaScript: interfaces, type aliases, zod schemas, destructuring, objects."""

from __future__ import annotations

from scanner_extractor.repository.applications.fields import lowering as low
from scanner_extractor.repository.applications.fields.lowering import Lowering, key_text, text_of, type_of
from scanner_extractor.repository.applications.fields.parts import Class, Field, Kind, Note, Parameter, Part, Type
from scanner_extractor.repository.syntax_trees import Node


def _parameters(lowering: Lowering, node: Node) -> list[Parameter]:
    single = node.child_by_field_name("parameter")
    if single is not None:
        return [Parameter(text_of(single))]
    listed = node.child_by_field_name("parameters")
    found = []
    for child in listed.named_children if listed is not None else ():
        pattern = child.child_by_field_name("pattern") or child
        declared = type_of(child.child_by_field_name("type"))
        notes = tuple(
            Note(text_of(each).lstrip("@").partition("(")[0], (), each.start_point[0] + 1)
            for each in child.named_children
            if each.type == "decorator"
        )
        taken = lowering.part(pattern) if pattern.type in ("object_pattern", "array_pattern") else None
        found.append(Parameter("" if taken else text_of(pattern), declared, notes, taken))
        if any(each.type == "accessibility_modifier" for each in child.named_children):
            lowering.add_field(text_of(pattern), declared)
    return found


def _class(lowering: Lowering, node: Node) -> Part:
    declared = Class(text_of(node.child_by_field_name("name")), lowering.file.path, node.start_point[0] + 1)
    for child in node.named_children:
        if child.type in ("class_heritage", "extends_type_clause"):
            declared.supertypes += [type_of(each) for each in child.named_children]
    return lowering.in_class(declared, node.child_by_field_name("body"))


def _alias(lowering: Lowering, node: Node) -> Part:
    value = node.child_by_field_name("value")
    declared = Class(text_of(node.child_by_field_name("name")), lowering.file.path, node.start_point[0] + 1)
    if value is not None and value.type == "object_type":
        return lowering.in_class(declared, value)
    if value is not None and text_of(value).startswith("z.infer<typeof "):
        declared.supertypes = [Type(text_of(value)[15:].rstrip("> "))]
        lowering.file.classes.append(declared)
    return lowering.make(Kind.GROUP, node)


def _signature(lowering: Lowering, node: Node) -> Part:
    name = key_text(node.child_by_field_name("name"))
    declared = type_of(node.child_by_field_name("type"))
    lowering.add_field(name, declared)
    part = lowering.make(Kind.BIND, node)
    part.of, part.types = Part(Kind.NAME, name, part.line, part.start), (declared,)
    value = node.child_by_field_name("value")
    part.parts = [lowering.part(value)] if value is not None else []
    return part


def _function(lowering: Lowering, node: Node) -> Part:
    name = text_of(node.child_by_field_name("name"))
    parameters = _parameters(lowering, node)
    function = lowering.function(node, name, parameters, node.child_by_field_name("body"))
    function.returns = type_of(node.child_by_field_name("return_type"))
    if name == "constructor" and lowering.owners:
        lowering.owners[-1].constructors.append(function)
    lowering.declare(function)
    return lowering.make(Kind.GROUP, node)


def _variable(lowering: Lowering, node: Node) -> Part:
    label, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    part = low.bind("name", "value")(lowering, node)
    given = part.parts[0] if part.parts else None
    if given is not None and given.kind is Kind.LAMBDA and given.function is not None and label.type == "identifier":
        given.function.name = text_of(label)
        given.function.owner = None
        lowering.file.functions.append(given.function)
    if given is not None and text_of(value).startswith("z.object("):
        declared = Class(text_of(label), lowering.file.path, node.start_point[0] + 1)
        members = given.parts[0].named if given.parts else []
        declared.fields = {key: Field(key) for key, _, _ in members}
        lowering.file.classes.append(declared)
    return part


def _new(lowering: Lowering, node: Node) -> Part:
    label = type_of(node.child_by_field_name("constructor")).name
    part = lowering.make(Kind.NEW, node, label)
    types = node.child_by_field_name("type_arguments")
    part.types = (Type(label, tuple(type_of(each) for each in types.named_children) if types is not None else ()),)
    low.add_arguments(lowering, part, node.child_by_field_name("arguments"))
    return part


def _pattern(lowering: Lowering, node: Node) -> Part:
    """Read `{a, b: c, ...rest}` as the names that it takes apart."""
    part = lowering.make(Kind.OBJECT, node)
    for child in node.named_children:
        line = child.start_point[0] + 1
        if child.type == "pair_pattern":
            key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
            part.named.append((key_text(key), lowering.part(value), line))
        elif child.type == "shorthand_property_identifier_pattern":
            part.named.append((text_of(child), Part(Kind.NAME, text_of(child), line, line), line))
        elif child.type == "object_assignment_pattern":
            label = text_of(child.child_by_field_name("left"))
            part.named.append((label, Part(Kind.NAME, label, line, line), line))
        else:
            part.parts.append(lowering.part(child))
    return part


def _shorthand(lowering: Lowering, node: Node) -> Part:
    part = lowering.make(Kind.OBJECT, node, "named")
    part.named = [(text_of(node), low.name(lowering, node), part.line)]
    return part


def _as(lowering: Lowering, node: Node) -> Part:
    part = lowering.make(Kind.CAST, node)
    children = node.named_children
    part.of = lowering.part(children[0])
    part.types = (type_of(children[1]) if len(children) > 1 else Type(),)
    return part


def _or(lowering: Lowering, node: Node) -> Part:
    part = low.choice(lowering, node)
    if text_of(node.child_by_field_name("operator")) not in ("||", "??", "&&"):
        part.kind = Kind.GROUP
    return part


LANGUAGE = low.Language(
    rows={
        "class_declaration": _class,
        "abstract_class_declaration": _class,
        "interface_declaration": _class,
        "type_alias_declaration": _alias,
        "property_signature": _signature,
        "public_field_definition": _signature,
        "field_definition": _signature,
        "method_definition": _function,
        "function_declaration": _function,
        "generator_function_declaration": _function,
        "variable_declarator": _variable,
        "call_expression": low.call("function", "arguments"),
        "new_expression": _new,
        "arrow_function": low.lambda_of(_parameters),
        "function_expression": low.lambda_of(_parameters),
        "identifier": low.name,
        "this": low.name,
        "string": low.string,
        "template_string": low.string,
        "member_expression": low.member("object", "property"),
        "subscript_expression": low.index("object", "index"),
        "object": low.mapping,
        "pair": low.pair("key", "value"),
        "shorthand_property_identifier": _shorthand,
        "spread_element": low.spread,
        "array": low.listed,
        "object_pattern": _pattern,
        "array_pattern": low.listed,
        "assignment_expression": low.bind("left", "right"),
        "for_in_statement": low.each("left", "right"),
        "as_expression": _as,
        "satisfies_expression": _as,
        "binary_expression": _or,
        "parenthesized_expression": low.choice,
        "await_expression": low.choice,
        "non_null_expression": low.choice,
        "ternary_expression": low.conditional("condition"),
        "return_statement": low.returned,
        "import_statement": low.nothing,
        "type_annotation": low.nothing,
        "type_arguments": low.nothing,
        "decorator": low.nothing,
    },
)
