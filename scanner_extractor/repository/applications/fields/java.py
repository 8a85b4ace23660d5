"""Java: classes and records with the names of Jackson and Gson, lambdas, anonymous classes."""

from __future__ import annotations

from scanner_extractor.repository.applications.fields import lowering as low
from scanner_extractor.repository.applications.fields.lowering import Lowering, literal, text_of, type_of
from scanner_extractor.repository.applications.fields.parts import Class, Kind, Note, Parameter, Part, Type
from scanner_extractor.repository.syntax_trees import Node


def notes_of(node: Node) -> tuple[Note, ...]:
    """Return the annotations of a declaration."""
    modifiers = next((child for child in node.named_children if child.type == "modifiers"), None)
    found = modifiers.named_children if modifiers is not None else []
    return tuple(
        Note(text_of(note.child_by_field_name("name")).rpartition(".")[2], _texts(note), note.start_point[0] + 1)
        for note in found
        if note.type.endswith("annotation")
    )


def _texts(note: Node) -> tuple[str, ...]:
    arguments = note.child_by_field_name("arguments")
    stack, texts = ([arguments] if arguments is not None else []), []
    while stack:
        node = stack.pop(0)
        if node.type == "string_literal":
            texts.append(literal(node))
        stack += node.named_children
    return tuple(texts)


def _parameters(_: Lowering, node: Node) -> list[Parameter]:
    listed = node.child_by_field_name("parameters")
    if listed is None:
        return []
    if listed.type == "identifier":
        return [Parameter(text_of(listed))]
    found = []
    for child in listed.named_children:
        if child.type == "identifier":
            found.append(Parameter(text_of(child)))
        elif child.type in ("formal_parameter", "spread_parameter"):
            name = child.child_by_field_name("name")
            declared = type_of(child.child_by_field_name("type"))
            found.append(Parameter(text_of(name), declared, notes_of(child)))
    return found


def _class(lowering: Lowering, node: Node) -> Part:
    declared = Class(text_of(node.child_by_field_name("name")), lowering.file.path, node.start_point[0] + 1)
    for label in ("superclass", "interfaces"):
        above = node.child_by_field_name(label)
        for child in above.named_children if above is not None else ():
            listed = child.named_children if child.type == "type_list" else [child]
            declared.supertypes += [type_of(each) for each in listed]
    parameters = _parameters(lowering, node) if node.type == "record_declaration" else []
    rest = lowering.in_class(declared, None)
    lowering.owners.append(declared)
    for parameter in parameters:
        lowering.add_field(parameter.name, parameter.type, parameter.notes)
    rest = lowering.part(node.child_by_field_name("body"))
    lowering.owners.pop()
    return rest


def _field(lowering: Lowering, node: Node) -> Part:
    declared, notes = type_of(node.child_by_field_name("type")), notes_of(node)
    is_static = "static" in text_of(next((c for c in node.named_children if c.type == "modifiers"), None)).split()
    part = lowering.make(Kind.GROUP, node)
    for child in node.children_by_field_name("declarator"):
        name = child.child_by_field_name("name")
        if not is_static and node.type == "field_declaration":
            lowering.add_field(text_of(name).rstrip("_"), declared, notes)  # Protobuf's classes have `total_`
        bound = lowering.make(Kind.BIND, child)
        bound.of, bound.types = lowering.part(name), (declared,)
        value = child.child_by_field_name("value")
        bound.parts = [lowering.part(value)] if value is not None else []
        part.parts.append(bound)
    return part


def _method(lowering: Lowering, node: Node) -> Part:
    name = text_of(node.child_by_field_name("name"))
    body = node.child_by_field_name("body")
    is_constructor = node.type in ("constructor_declaration", "compact_constructor_declaration")
    function = lowering.function(node, "" if is_constructor else name, _parameters(lowering, node), body)
    function.returns, function.notes = type_of(node.child_by_field_name("type")), notes_of(node)
    if is_constructor and lowering.owners:
        lowering.owners[-1].constructors.append(function)
        lowering.file.functions.append(function)
    else:
        lowering.declare(function)
        for note in function.notes:  # `@JsonProperty("x") getX()`
            _rename(lowering, name, note)
    return lowering.make(Kind.GROUP, node)


def _rename(lowering: Lowering, method: str, note: Note) -> None:
    member = method[3:4].lower() + method[4:]
    if note.name in lowering.language.wires and note.texts and lowering.owners:
        fields = lowering.owners[-1].fields
        if member in fields:
            fields[member] = fields[member]._replace(wire=note.texts[0])


def _call(lowering: Lowering, node: Node) -> Part:
    label = node.child_by_field_name("name")
    part = lowering.make(Kind.CALL, node, text_of(label), label)
    receiver = node.child_by_field_name("object")
    part.of = lowering.part(receiver) if receiver is not None else None
    types = node.child_by_field_name("type_arguments")
    part.types = tuple(type_of(child) for child in types.named_children) if types is not None else ()
    low.add_arguments(lowering, part, node.child_by_field_name("arguments"))
    return part


def _new(lowering: Lowering, node: Node) -> Part:
    declared = type_of(node.child_by_field_name("type"))
    part = lowering.make(Kind.NEW, node, declared.name)
    part.types = (declared,)
    low.add_arguments(lowering, part, node.child_by_field_name("arguments"))
    body = next((child for child in node.named_children if child.type == "class_body"), None)
    if body is not None:  # its methods are read as lambdas that the call is given
        anonymous = Class(f"@{node.start_byte}", lowering.file.path, node.start_point[0] + 1)
        anonymous.supertypes = [declared]
        part.parts.append(lowering.in_class(anonymous, body))
        for functions in anonymous.functions.values():
            part.parts += [Part(Kind.LAMBDA, "", part.line, part.start, function=each) for each in functions]
    return part


def _reference(lowering: Lowering, node: Node) -> Part:
    """Read `Order::getId` as a lambda of one parameter, `this::handle` and `Order::new` as calls."""
    part = lowering.make(Kind.LAMBDA, node)
    named = node.named_children
    called = lowering.make(Kind.CALL, node, text_of(named[-1]) if len(named) > 1 else "new")
    called.of = lowering.part(named[0])
    holder = text_of(named[0])
    argument = Parameter("it", Type(holder if holder[:1].isupper() else ""))
    receiver = Part(Kind.NAME, "it", part.line, part.start)
    if holder[:1].isupper() and called.text != "new":
        called.of = receiver
    elif called.text == "new":
        called = Part(Kind.NEW, holder, part.line, part.start, types=(Type(holder),))
    else:
        called.parts = [receiver]
    function = lowering.function(node, "", [argument], None)
    function.name, function.body = "::", [Part(Kind.RETURN, parts=[called])]
    part.function = function
    return part


LANGUAGE = low.Language(
    rows={
        "class_declaration": _class,
        "interface_declaration": _class,
        "record_declaration": _class,
        "enum_declaration": _class,
        "field_declaration": _field,
        "local_variable_declaration": _field,
        "method_declaration": _method,
        "constructor_declaration": _method,
        "method_invocation": _call,
        "object_creation_expression": _new,
        "method_reference": _reference,
        "lambda_expression": low.lambda_of(_parameters),
        "identifier": low.name,
        "this": low.name,
        "string_literal": low.string,
        "field_access": low.member("object", "field"),
        "array_access": low.index("array", "index"),
        "array_initializer": low.listed,
        "assignment_expression": low.bind("left", "right"),
        "resource": low.bind("name", "value"),
        "enhanced_for_statement": low.each("name", "value"),
        "cast_expression": low.cast("value", "type"),
        "parenthesized_expression": low.choice,
        "ternary_expression": low.conditional("condition"),
        "return_statement": low.returned,
        "import_declaration": low.nothing,
        "package_declaration": low.nothing,
        "modifiers": low.nothing,
        "type_arguments": low.nothing,
    },
    wires=frozenset({"JsonProperty", "SerializedName", "JsonbProperty", "AvroName", "Json"}),
)
