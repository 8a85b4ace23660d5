"""Java."""

from __future__ import annotations

from collections.abc import Iterator

from scanner_programs.ir import (
    Argument,
    Assign,
    Block,
    Call,
    Case,
    Class,
    Expression,
    Field,
    File,
    Function,
    Index,
    Kind,
    Leave,
    Literal,
    Loop,
    Match,
    Member,
    Name,
    New,
    Note,
    Operation,
    Parameter,
    Record,
    Sequence,
    Statement,
    Try,
    Unknown,
)
from scanner_programs.languages.forms import fallen
from scanner_programs.languages.lowering import (
    Code,
    Lowering,
    Node,
    Syntax,
    assign,
    block,
    branch,
    child,
    children,
    choice,
    declare,
    end,
    function_of,
    inside,
    items,
    leave,
    line,
    literal,
    member,
    name,
    number,
    operation,
    string,
    text,
    type_parameters,
)

_KINDS = {
    "class_declaration": "class",
    "record_declaration": "record",
    "interface_declaration": "interface",
    "enum_declaration": "enum",
    "annotation_type_declaration": "interface",
}


def _file(lower: Lowering, root: Node, path: str) -> File:
    imports: dict[str, str] = {}
    wildcards: list[str] = []
    for node in children(root, "import_declaration"):
        whole = text(child(node, "scoped_identifier", "identifier"))
        if child(node, "asterisk") is not None:
            wildcards.append(whole)
        else:
            imports[whole.rpartition(".")[2]] = whole
    package = text(child(child(root, "package_declaration") or root, "scoped_identifier", "identifier"))
    classes = [_class(lower, node) for node in root.named_children if node.type in _KINDS]
    others = [one for one in root.named_children if one.type == "ERROR"]
    functions = [_function(lower, node) for node in children(root, "method_declaration")]
    return File(
        path,
        "java",
        package,
        imports,
        tuple(wildcards),
        tuple(classes),
        tuple(functions),
        tuple(lower.code(one) for one in others),
    )


def _class(lower: Lowering, node: Node) -> Class:
    body = node.child_by_field_name("body")
    found = _Members(lower)
    for parameter in children(node.child_by_field_name("parameters"), "formal_parameter"):
        found.fields.append(
            Field(
                _called(parameter),
                text(parameter.child_by_field_name("type")),
                notes=_notes(lower, parameter),
                line=line(parameter),
            )
        )
    found.read(body, is_interface=node.type == "interface_declaration")
    supers = tuple(_types(node.child_by_field_name("superclass")))
    for one in children(node, "super_interfaces", "extends_interfaces"):
        supers += tuple(_types(one))
    return Class(
        _called(node),
        _KINDS.get(node.type, "class"),
        supers,
        tuple(found.fields),
        tuple(found.functions),
        tuple(found.classes),
        tuple(found.statements),
        _notes(lower, node),
        line(node),
    )


def _types(node: Node | None) -> Iterator[str]:
    for one in node.named_children if node is not None else ():
        if one.type == "type_list":
            yield from (text(each) for each in one.named_children)
        else:
            yield text(one)


def _constant(lower: Lowering, called: str, body: Node) -> Class:
    """Lower what one constant of an enumeration does otherwise, as a class of its own."""
    found = _Members(lower)
    found.read(body)
    return Class(called, "object", (), tuple(found.fields), tuple(found.functions), line=line(body))


class _Members:
    """Collects the members of a class."""

    def __init__(self, lower: Lowering) -> None:
        self.lower = lower
        self.fields: list[Field] = []
        self.functions: list[Function] = []
        self.classes: list[Class] = []
        self.statements: list[Expression | Statement] = []

    def read(self, body: Node | None, *, is_interface: bool = False) -> None:
        """Add the members in the body of a class."""
        for node in self.lower.named(body) if body is not None else ():
            if node.type in ("field_declaration", "constant_declaration"):
                self._field(node, is_static=is_interface or _is(node, "static"))
            elif node.type in (
                "method_declaration",
                "constructor_declaration",
                "compact_constructor_declaration",
                "annotation_type_element_declaration",
            ):
                self.functions.append(_function(self.lower, node))
            elif node.type in _KINDS:
                self.classes.append(_class(self.lower, node))
            elif node.type == "enum_constant":
                arguments = self.lower.arguments(node.child_by_field_name("arguments"))
                value = Call(Name("new enum"), (Argument(Literal(Kind.TEXT, _called(node))), *arguments), line(node))
                notes = _notes(self.lower, node)
                self.fields.append(Field(_called(node), "enum", value, notes, True, line(node)))
                if (body := node.child_by_field_name("body")) is not None:
                    self.classes.append(_constant(self.lower, _called(node), body))
            elif node.type == "enum_body_declarations":
                self.read(node)
            else:
                self.statements.append(self.lower.code(child(node, "block") or node))

    def _field(self, node: Node, *, is_static: bool) -> None:
        kind = text(node.child_by_field_name("type"))
        notes = _notes(self.lower, node)
        for each in children(node, "variable_declarator"):
            value = self.lower.maybe(each.child_by_field_name("value"))
            optional = _is(node, "transient")
            self.fields.append(Field(_called(each), kind, value, notes, is_static, line(each), optional))


def _called(node: Node) -> str:
    return text(node.child_by_field_name("name"))


def _is(node: Node, modifier: str) -> bool:
    return any(text(one) == modifier for one in getattr(child(node, "modifiers"), "children", ()))


def _notes(lower: Lowering, node: Node) -> tuple[Note, ...]:
    modifiers = child(node, "modifiers")
    return tuple(_note(lower, one) for one in children(modifiers, "annotation", "marker_annotation"))


def _note(lower: Lowering, node: Node) -> Note:
    arguments = []
    for one in lower.named(node.child_by_field_name("arguments")) if node.child_by_field_name("arguments") else ():
        if one.type == "element_value_pair":
            value = lower.value(one.child_by_field_name("value"))
            arguments.append(Argument(value, text(one.child_by_field_name("key"))))
        else:
            arguments.append(Argument(lower.value(one)))
    return Note(_called(node).rpartition(".")[2], tuple(arguments))


def _function(lower: Lowering, node: Node) -> Function:
    is_new = node.type in ("constructor_declaration", "compact_constructor_declaration")
    body = node.child_by_field_name("body")
    return Function(
        "new" if is_new else _called(node),
        tuple(_parameters(lower, node.child_by_field_name("parameters"))),
        lower.block(body) if body is not None else None,
        text(node.child_by_field_name("type")),
        _notes(lower, node),
        _is(node, "static"),
        line(node),
        end(node),
        node.type == "compact_constructor_declaration",
        kinds=type_parameters(node),
    )


def _parameters(lower: Lowering, node: Node | None) -> Iterator[Parameter]:
    for one in lower.named(node) if node is not None else ():
        if one.type == "identifier":
            yield Parameter(text(one))
        elif one.type == "spread_parameter":
            declared = child(one, "variable_declarator")
            yield Parameter(text(declared), rest=True)
        elif one.type == "formal_parameter":
            yield Parameter(_called(one), text(one.child_by_field_name("type")), notes=_notes(lower, one))


def _call(lower: Lowering, node: Node) -> Expression:
    of, label = node.child_by_field_name("object"), node.child_by_field_name("name")
    function: Expression = Name(text(label)) if of is None else Member(lower.value(of), text(label), line(label))
    return Call(function, lower.arguments(node.child_by_field_name("arguments")), line(node))


def _super_call(lower: Lowering, node: Node) -> Expression:
    of = text(node.child_by_field_name("constructor"))
    return Call(Member(Name(of), "new"), lower.arguments(node.child_by_field_name("arguments")), line(node))


def _new(lower: Lowering, node: Node) -> Expression:
    body = child(node, "class_body")
    kind = text(node.child_by_field_name("type"))
    inner = None
    if body is not None:
        found = _Members(lower)
        found.read(body)
        inner = Class(
            "",
            "class",
            (kind,),
            tuple(found.fields),
            tuple(found.functions),
            tuple(found.classes),
            tuple(found.statements),
            line=line(node),
        )
    return New(kind, lower.arguments(node.child_by_field_name("arguments")), body=inner, line=line(node))


def _local(lower: Lowering, node: Node) -> Code:
    kind = text(node.child_by_field_name("type"))
    found = [
        declare(Name(_called(one)), "" if kind == "var" else kind, lower.maybe(one.child_by_field_name("value")))
        for one in children(node, "variable_declarator")
    ]
    return found[0] if len(found) == 1 else Block(tuple(found))


def _lambda(lower: Lowering, node: Node) -> Expression:
    parameters = node.child_by_field_name("parameters")
    if parameters is not None and parameters.type == "identifier":
        known = [Parameter(text(parameters))]
    else:
        known = list(_parameters(lower, parameters))
    return function_of(known, lower.code(node.child_by_field_name("body")), node)


def _reference(lower: Lowering, node: Node) -> Expression:
    """Lower `a::b`; what is called with the argument is decided where it is called."""
    parts = node.children
    called = text(parts[-1])
    if called == "new":
        given = Parameter("it")
        return function_of([given], New(text(parts[0]), (Argument(Name("it")),), line=line(node)), node)
    of = lower.value(parts[0])
    if isinstance(of, Name) and of.name[:1].islower() and of.name not in ("this", "super"):  # a method of an object
        return function_of([Parameter("it")], Call(Member(of, called), (Argument(Name("it")),), line(node)), node)
    return Member(of, called)


def _for_each(lower: Lowering, node: Node) -> Code:
    source = lower.value(node.child_by_field_name("value"))
    body = lower.block(node.child_by_field_name("body"))
    return Loop(body, Name(_called(node)), source)


def _for(lower: Lowering, node: Node) -> Code:
    before = [lower.code(one) for one in node.children_by_field_name("init")]
    after = [lower.code(one) for one in node.children_by_field_name("update")]
    body = lower.block(node.child_by_field_name("body"))
    test = lower.maybe(node.child_by_field_name("condition"))
    return Block((*before, Loop(Block((*body.statements, *after)), test=test)))


def _while(lower: Lowering, node: Node) -> Code:
    test = lower.value(node.child_by_field_name("condition"))
    return Loop(lower.block(node.child_by_field_name("body")), test=test)


def _try(lower: Lowering, node: Node) -> Expression:
    resources = [
        declare(
            Name(_called(one)), text(one.child_by_field_name("type")), lower.maybe(one.child_by_field_name("value"))
        )
        if _called(one)
        else lower.code(one)
        for one in lower.named(node.child_by_field_name("resources") or node)
        if one.type == "resource"
    ]
    body = lower.block(node.child_by_field_name("body"))
    handlers = tuple(lower.block(one.child_by_field_name("body")) for one in children(node, "catch_clause"))
    last = child(node, "finally_clause")
    ended = lower.block(child(last, "block")) if last is not None else None
    return Try(Block((*resources, *body.statements)), handlers, ended)


def _switch(lower: Lowering, node: Node) -> Expression:
    cases: list[Case] = []
    waiting: list[Expression] = []
    is_default = falls = False
    for group in lower.named(node.child_by_field_name("body")) if node.child_by_field_name("body") else ():
        labels = children(group, "switch_label")
        guard = None
        for label in labels:
            values = [one for one in lower.named(label) if one.type != "guard"]
            is_default = is_default or not values
            waiting += [lower.value(one) for one in values]
            found = child(label, "guard")
            guard = lower.value(lower.named(found)[0]) if found is not None and lower.named(found) else guard
        statements = [one for one in lower.named(group) if one.type != "switch_label"]
        if statements or group.type == "switch_rule":
            cases.append(Case(() if is_default else tuple(waiting), lower.blocks(statements), guard))
            waiting, is_default = [], False
        falls = falls or group.type != "switch_rule"
    return Match(lower.value(node.child_by_field_name("condition")), fallen(cases) if falls else tuple(cases))


def _update(lower: Lowering, node: Node) -> Expression:
    sign = next((text(one) for one in node.children if not one.is_named), "++")
    return Assign(lower.value(lower.named(node)[0]), Literal(Kind.NUMBER, "1"), sign[:1])


def _instance_of(lower: Lowering, node: Node) -> Code:
    test = Operation(
        "instanceof",
        (lower.value(node.child_by_field_name("left")), Unknown(text(node.child_by_field_name("right")))),
    )
    bound = node.child_by_field_name("name")
    if bound is None:
        return test
    kind = text(node.child_by_field_name("right"))
    return Block((declare(Name(text(bound)), kind, lower.value(node.child_by_field_name("left"))), test))


def _cast(lower: Lowering, node: Node) -> Expression:
    kind, value = text(node.child_by_field_name("type")), lower.value(node.child_by_field_name("value"))
    return Operation("as", (value, Unknown(kind)))


def _array(lower: Lowering, node: Node) -> Code:
    value = node.child_by_field_name("value")
    return lower.code(value) if value is not None else Sequence(())


def _element(lower: Lowering, node: Node) -> Expression:
    of, key = (lower.value(node.child_by_field_name(one)) for one in ("array", "index"))
    return Index(of, key)


SYNTAX = Syntax(
    name="java",
    nodes={
        "scoped_type_identifier": lambda lower, node: Member(
            lower.value(lower.named(node)[0]), text(lower.named(node)[-1])
        ),
        "identifier": name,
        "type_identifier": name,
        "this": name,
        "super": name,
        "string_literal": string("string_interpolation"),
        "character_literal": string(),
        "decimal_integer_literal": number,
        "decimal_floating_point_literal": number,
        "hex_integer_literal": number,
        "true": literal(Kind.TRUTH),
        "false": literal(Kind.TRUTH),
        "null_literal": lambda _lower, _node: Literal(Kind.NOTHING, ""),
        "method_invocation": _call,
        "explicit_constructor_invocation": _super_call,
        "object_creation_expression": _new,
        "field_access": member("object", "field"),
        "scoped_identifier": member("scope", "name"),
        "class_literal": lambda lower, node: Member(lower.value(lower.named(node)[0]), "class"),
        "array_access": _element,
        "array_initializer": items,
        "element_value_array_initializer": items,
        "array_creation_expression": _array,
        "binary_expression": operation,
        "unary_expression": operation,
        "update_expression": _update,
        "instanceof_expression": _instance_of,
        "cast_expression": _cast,
        "ternary_expression": choice("condition", "consequence", "alternative"),
        "assignment_expression": assign(),
        "local_variable_declaration": _local,
        "lambda_expression": _lambda,
        "method_reference": _reference,
        "block": block,
        "constructor_body": block,
        "if_statement": branch(),
        "enhanced_for_statement": _for_each,
        "for_statement": _for,
        "while_statement": _while,
        "do_statement": _while,
        "try_statement": _try,
        "try_with_resources_statement": _try,
        "switch_expression": _switch,
        "switch_statement": _switch,
        "return_statement": leave(Leave.RETURN),
        "yield_statement": inside,
        "throw_statement": leave(Leave.THROW),
        "break_statement": leave(Leave.BREAK),
        "continue_statement": leave(Leave.CONTINUE),
        "synchronized_statement": lambda lower, node: lower.block(node.child_by_field_name("body")),
        "labeled_statement": lambda lower, node: lower.code(lower.named(node)[-1]),
        "annotation": lambda lower, node: Record(
            tuple((Literal(Kind.TEXT, one.name), one.value) for one in _note(lower, node).arguments)
        ),
        "class_declaration": _class,
        "record_declaration": _class,
        "interface_declaration": _class,
        "enum_declaration": _class,
    },
    file=_file,
)
