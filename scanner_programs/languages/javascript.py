"""JavaScript and TypeScript."""

from __future__ import annotations

from collections.abc import Iterator

from scanner_programs.ir import (
    Argument,
    Assign,
    Block,
    Call,
    Case,
    Class,
    Declare,
    Exit,
    Expression,
    Field,
    File,
    Function,
    If,
    Index,
    Kind,
    Lambda,
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
    walk,
)
from scanner_programs.languages.forms import fallen
from scanner_programs.languages.lowering import (
    NOTHING,
    Code,
    Lowering,
    Node,
    Syntax,
    block,
    child,
    children,
    choice,
    end,
    inside,
    is_expression,
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
    yielded,
)

_CLASSES = (
    "class_declaration",
    "abstract_class_declaration",
    "interface_declaration",
    "type_alias_declaration",
    "enum_declaration",
    "class",
)


def _file(lower: Lowering, root: Node, path: str) -> File:
    found = _Contents(lower)
    found.read(root)
    for one in walk((tuple(found.statements), tuple(found.functions), tuple(found.classes))):
        if isinstance(one, Call) and one.function == Name("require") and one.arguments:
            module = one.arguments[0].value
            if isinstance(module, Literal):
                found.imports.setdefault(f"require {module.text}", module.text)
    return File(
        path,
        "typescript",
        path.rpartition("/")[0],
        found.imports,
        (),
        tuple(found.classes),
        tuple(found.functions),
        tuple(found.statements),
    )


_EXPORTS = Member(Name("module"), "exports")


def _named_class(lower: Lowering, node: Node) -> Node | None:
    """Return the class with a name that a statement assigns, as in `module.exports = class Orders {}`."""
    inside = lower.named(node) if node.type == "expression_statement" else []
    assigned = inside[0] if len(inside) == 1 and inside[0].type == "assignment_expression" else None
    value = assigned.child_by_field_name("right") if assigned is not None else None
    is_named = value is not None and value.type in _CLASSES and value.child_by_field_name("name") is not None
    return value if is_named else None


class _Contents:
    """Collects what a file declares."""

    def __init__(self, lower: Lowering) -> None:
        self.lower = lower
        self.imports: dict[str, str] = {}
        self.classes: list[Class] = []
        self.functions: list[Function] = []
        self.statements: list[Expression | Statement] = []

    def read(self, root: Node) -> None:
        """Add what stands at the top of a file."""
        for node in self.lower.named(root):
            self._one(node, children(node, "decorator") if node.type == "export_statement" else [])

    def _one(self, node: Node, decorators: list[Node]) -> None:
        declared = node.child_by_field_name("declaration") if node.type == "export_statement" else None
        if declared is not None:
            self._one(declared, decorators)
        elif node.type == "import_statement":
            self.imports |= dict(_imported(node))
        elif node.type in _CLASSES:
            self.classes.append(_class(self.lower, node, decorators))
        elif node.type in ("function_declaration", "generator_function_declaration"):
            self.functions.append(_function(self.lower, node))
        elif node.type == "export_statement":
            value = node.child_by_field_name("value")
            self._handed_on(node)
            if value is not None and value.type in _CLASSES:
                self.classes.append(_class(self.lower, value, decorators))
            elif value is not None:
                default = self.lower.value(value)
                self._assigned(Name("default"), default)
                self.statements.append(Declare(Name("default"), "", default))
        elif (value := _named_class(self.lower, node)) is not None:
            self.classes.append(found := _class(self.lower, value, decorators))
            target = self.lower.value(self.lower.named(node)[0].child_by_field_name("left"))
            self._statement(Assign(target, Name(found.name)))
        else:
            code = self.lower.code(node)
            for one in code.statements if isinstance(code, Block) and node.type != "statement_block" else (code,):
                self._statement(one)

    def _handed_on(self, node: Node) -> None:
        """Add what a file exports of others, and its own under other names."""
        source = text(node.child_by_field_name("source")).strip("'\"`")
        spaces = children(node, "namespace_export")
        if source and not spaces and child(node, "export_clause") is None:
            self.imports[f"* {source}"] = source
        self.imports |= {text(one.named_children[0]): source for one in spaces}
        for one in children(child(node, "export_clause") or node, "export_specifier"):
            known = text(one.child_by_field_name("name"))
            called = text(one.child_by_field_name("alias")) or known
            if source:
                self.imports[called] = f"{source}.{known}"
            elif called != known:
                self.statements.append(Declare(Name(called), "", Name(known)))

    def _statement(self, code: Expression | Statement) -> None:
        if isinstance(code, Declare) and isinstance(code.value, Call) and code.value.function == Name("require"):
            module = code.value.arguments[0].value if code.value.arguments else None
            if isinstance(module, Literal):
                self.imports |= dict(_required(code.target, module.text))
                return
        if isinstance(code, Declare) and isinstance(code.target, Name) and isinstance(code.value, Lambda):
            function = code.value.function
            self.functions.append(
                Function(
                    code.target.name,
                    function.parameters,
                    function.body,
                    function.type,
                    line=function.line,
                    end=function.end,
                )
            )
            return
        if isinstance(code, Assign) and isinstance(code.target, Member):
            self._assigned(code.target, code.value)
            if code.target == _EXPORTS and not isinstance(code.value, Lambda):
                code = Declare(Name("default"), "", code.value)
        self.statements.append(code)

    def _assigned(self, target: Expression, value: Expression) -> None:
        """Add a function that a file exports under a name."""
        called = target.name if isinstance(target, Name | Member) else ""
        of = target.of if isinstance(target, Member) else None
        if target == _EXPORTS:
            called, of = "default", None
        if isinstance(value, Lambda) and (of is None or of in (Name("exports"), _EXPORTS)):
            function = value.function
            self.functions.append(
                Function(
                    called, function.parameters, function.body, function.type, line=function.line, end=function.end
                )
            )


def _imported(node: Node) -> Iterator[tuple[str, str]]:
    source = text(node.child_by_field_name("source")).strip("'\"`")
    clause = child(node, "import_clause")
    for one in clause.named_children if clause is not None else ():
        if one.type == "identifier":
            yield text(one), f"{source}.default" if source.startswith(".") else source
        elif one.type == "namespace_import":
            yield text(one.named_children[0]), source
        elif one.type == "named_imports":
            for each in children(one, "import_specifier"):
                known = text(each.child_by_field_name("name"))
                yield text(each.child_by_field_name("alias")) or known, f"{source}.{known}"
    for one in children(node, "import_require_clause"):
        yield text(one.named_children[0]), text(one.child_by_field_name("source")).strip("'\"`")


def _required(target: Expression, module: str) -> Iterator[tuple[str, str]]:
    if isinstance(target, Name):
        yield target.name, module
    elif isinstance(target, Record):
        for key, one in target.entries:
            if isinstance(key, Literal) and isinstance(one, Name):
                yield one.name, f"{module}.{key.text}"


def _notes(lower: Lowering, nodes: list[Node]) -> tuple[Note, ...]:
    found = []
    for one in nodes:
        code = lower.value(lower.named(one)[0]) if lower.named(one) else Name("")
        given: tuple[Argument, ...] = ()
        if isinstance(code, Call):
            given, code = code.arguments, code.function
        if isinstance(code, Name | Member):
            found.append(Note(code.name, given, code.of if isinstance(code, Member) else None))
    return tuple(found)


def _type(node: Node | None) -> str:
    return text(node).lstrip(":").strip()


def _class(lower: Lowering, node: Node, decorators: list[Node] | None = None) -> Class:
    notes = _notes(lower, [*(decorators or []), *children(node, "decorator")])
    called = text(node.child_by_field_name("name"))
    if node.type == "enum_declaration":
        return Class(called, "enum", fields=tuple(_constants(lower, node)), notes=notes, line=line(node))
    body = node.child_by_field_name("body")
    supers: list[str] = []
    if node.type == "type_alias_declaration":
        value = node.child_by_field_name("value")
        parts = lower.named(value) if value is not None and value.type == "intersection_type" else [value]
        body = next((one for one in parts if one is not None and one.type == "object_type"), None)
        supers = [text(one) for one in parts if one is not None and one.type in ("type_identifier", "generic_type")]
        if body is None:
            return Class(called, "alias", tuple(supers), statements=(Unknown(text(value)),), line=line(node))
    heritage = child(node, "class_heritage", "extends_type_clause")
    for one in heritage.named_children if heritage is not None else ():
        listed = one.named_children if one.type in ("extends_clause", "implements_clause") else [one]
        supers += [text(each) for each in listed if each.type != "type_arguments"]
    fields: list[Field] = []
    functions: list[Function] = []
    statements: list[Expression | Statement] = []
    waiting: list[Node] = []
    for one in body.named_children if body is not None else ():
        if one.type == "decorator":
            waiting.append(one)
            continue
        if one.type in ("public_field_definition", "property_signature", "field_definition"):
            field = _field(lower, one, waiting)
            types = children(one, "type_annotation") if one.type == "property_signature" else []
            kind = next((known for each in types for known in children(each, "function_type")), None)
            if isinstance(field.value, Lambda) or kind is not None:
                # A member of a function type is a method, whichever way it is written.
                function = field.value.function if isinstance(field.value, Lambda) else _function(lower, kind)
                functions.append(
                    Function(
                        field.name, function.parameters, function.body, function.type, field.notes, line=function.line
                    )
                )
            else:
                fields.append(field)
        elif one.type in ("method_definition", "method_signature", "abstract_method_signature"):
            function = _function(lower, one, _notes(lower, [*waiting, *children(one, "decorator")]))
            functions.append(function)
            fields += [
                Field(each.name, each.type, None, each.notes, False, line(one))
                for each in function.parameters
                if each.keeps
            ]
        elif one.type == "class_static_block":
            statements.append(lower.block(child(one, "statement_block")))
        waiting = []
    kind = "class" if "class" in node.type else "interface"
    inner = tuple(_inner_types(lower, body)) if body is not None else ()
    members = tuple(fields), tuple(functions), inner, tuple(statements)
    return Class(called, kind, tuple(supers), *members, notes=notes, line=line(node))


def _inner_types(lower: Lowering, body: Node) -> Iterator[Class]:
    """Yield the types of members that are written where they are used, each called as the member."""
    for one in children(body, "public_field_definition", "property_signature"):
        inner = _object_type(one.child_by_field_name("type"))
        if inner is not None:
            called = _inner_name(one)
            fields = [_field(lower, each, []) for each in children(inner, "property_signature")]
            yield Class(called, "interface", (), tuple(fields), (), tuple(_inner_types(lower, inner)), line=line(one))


def _inner_name(node: Node) -> str:
    called = node.child_by_field_name("name") or node.child_by_field_name("property")
    return f"{text(called)} inside"


def _object_type(node: Node | None) -> Node | None:
    """Return the object type that a type is, or has several of; None for other types."""
    while node is not None and node.type in ("type_annotation", "array_type", "parenthesized_type", "readonly_type"):
        node = node.named_children[0] if node.named_children else None
    return node if node is not None and node.type == "object_type" else None


def _constants(lower: Lowering, node: Node) -> Iterator[Field]:
    body = node.child_by_field_name("body")
    for one in body.named_children if body is not None else ():
        known = one.child_by_field_name("name") if one.type == "enum_assignment" else one
        value = lower.maybe(one.child_by_field_name("value")) if one.type == "enum_assignment" else None
        yield Field(text(known), "enum", value or Literal(Kind.TEXT, text(known)), static=True, line=line(one))


def _field(lower: Lowering, node: Node, decorators: list[Node]) -> Field:
    words = {text(one) for one in node.children if not one.is_named} | {
        text(one) for one in children(node, "accessibility_modifier")
    }
    kind = _type(node.child_by_field_name("type"))
    inner = _object_type(node.child_by_field_name("type"))
    if inner is not None and node.type != "field_definition":
        kind = kind.replace(text(inner), _inner_name(node))
    called = node.child_by_field_name("name") or node.child_by_field_name("property")
    is_optional = "?" in words
    return Field(
        text(called).strip("'\""),
        f"{kind}?" if is_optional else kind,
        lower.maybe(node.child_by_field_name("value")),
        _notes(lower, [*decorators, *children(node, "decorator")]),
        "static" in words,
        line(node),
        is_optional,
    )


def _function(lower: Lowering, node: Node, notes: tuple[Note, ...] = ()) -> Function:
    body = node.child_by_field_name("body")
    words = {text(one) for one in node.children if not one.is_named}
    called = text(node.child_by_field_name("name"))
    parameters, starts = _parameters(lower, node)
    lowered = lower.block(body) if body is not None else None
    kept: tuple[Code, ...] = ()
    if called == "constructor":
        kept = tuple(Assign(Member(Name("this"), one.name), Name(one.name)) for one in parameters if one.keeps)
    if lowered is not None:
        lowered = Block((*starts, *kept, *lowered.statements))
    return Function(
        called,
        parameters,
        lowered,
        _type(node.child_by_field_name("return_type")),
        notes,
        "static" in words,
        line(node),
        end(node),
        "get" in words,
        kinds=type_parameters(node),
    )


def _parameters(lower: Lowering, node: Node) -> tuple[tuple[Parameter, ...], tuple[Code, ...]]:
    """Return the parameters, and the statements that take those apart that are patterns."""
    single = node.child_by_field_name("parameter")
    if single is not None:
        return (Parameter(text(single)),), ()
    found: list[Parameter] = []
    starts: list[Code] = []
    listed = node.child_by_field_name("parameters")
    for place, one in enumerate(lower.named(listed) if listed is not None else ()):
        pattern, default = one.child_by_field_name("pattern") or one, one.child_by_field_name("value")
        if one.type == "assignment_pattern":
            pattern, default = one.child_by_field_name("left"), one.child_by_field_name("right")
        kind = _type(one.child_by_field_name("type")) if one.type.endswith("parameter") else ""
        is_rest = pattern.type == "rest_pattern"
        called = (
            text(pattern).lstrip(".")
            if pattern.type in ("identifier", "rest_pattern", "this")
            else f"(pattern {place})"
        )
        is_kept = child(one, "accessibility_modifier") is not None or "readonly" in {
            text(each) for each in one.children
        }
        notes = _notes(lower, children(one, "decorator"))
        value = lower.maybe(default)
        if value is None and any(text(each) == "?" for each in one.children):
            value = Literal(Kind.NOTHING, "")
        found.append(Parameter(called, kind, value, notes, is_kept, is_rest))
        if pattern.type in ("object_pattern", "array_pattern"):
            starts.append(Declare(lower.value(pattern), "", Name(called)))
    return tuple(found), tuple(starts)


def _arrow(lower: Lowering, node: Node) -> Expression:
    parameters, starts = _parameters(lower, node)
    body = lower.code(node.child_by_field_name("body"))
    if not isinstance(body, Block) or node.child_by_field_name("body").type != "statement_block":
        body = Block((Exit(Leave.RETURN, body) if is_expression(body) else body,))
    kind = _type(node.child_by_field_name("return_type"))
    return Lambda(Function("", parameters, Block((*starts, *body.statements)), kind, line=line(node), end=end(node)))


def _arguments(lower: Lowering, node: Node | None) -> tuple[Argument, ...]:
    if node is None:
        return ()
    if node.type == "template_string":
        return (Argument(lower.value(node)),)
    return tuple(Argument(lower.value(one)) for one in lower.named(node))


def _call(lower: Lowering, node: Node) -> Expression:
    function = node.child_by_field_name("function")
    given = _arguments(lower, node.child_by_field_name("arguments"))
    if function is not None and function.type == "super":
        return Call(Member(Name("super"), "constructor"), given, line(node))
    return Call(lower.value(function), given, line(node))


def _new(lower: Lowering, node: Node) -> Expression:
    kind = text(node.child_by_field_name("constructor"))
    return New(kind, _arguments(lower, node.child_by_field_name("arguments")), line=line(node))


def _object(lower: Lowering, node: Node) -> Expression:
    entries: list[tuple[Expression | None, Expression]] = []
    for one in lower.named(node):
        if one.type in ("pair", "pair_pattern"):
            entries.append((_key(lower, one.child_by_field_name("key")), lower.value(one.child_by_field_name("value"))))
        elif one.type in ("shorthand_property_identifier", "shorthand_property_identifier_pattern"):
            entries.append((Literal(Kind.TEXT, text(one)), Name(text(one))))
        elif one.type in ("spread_element", "rest_pattern"):
            entries.append((None, lower.value(lower.named(one)[0])))
        elif one.type == "method_definition":
            function = _function(lower, one)
            entries.append((Literal(Kind.TEXT, function.name), Lambda(function)))
        elif one.type == "object_assignment_pattern":
            left, default = one.child_by_field_name("left"), lower.value(one.child_by_field_name("right"))
            target = Name(text(left)) if left.type.startswith("shorthand") else lower.value(left)
            entries.append((Literal(Kind.TEXT, text(left)), Assign(target, default)))
    return Record(tuple(entries))


def _key(lower: Lowering, node: Node) -> Expression:
    if node.type == "computed_property_name":
        return lower.value(lower.named(node)[0])
    return Literal(Kind.TEXT, text(node).strip("'\""))


def _variables(lower: Lowering, node: Node) -> Code:
    found: list[Code] = []
    for one in children(node, "variable_declarator"):
        target = lower.value(one.child_by_field_name("name"))
        kind = _type(one.child_by_field_name("type"))
        found.append(Declare(target, kind, lower.maybe(one.child_by_field_name("value"))))
    return found[0] if len(found) == 1 else Block(tuple(found))


def _as(lower: Lowering, node: Node) -> Expression:
    parts = lower.named(node)
    value = lower.value(parts[0])
    return Operation("as", (value, Unknown(text(parts[1])))) if len(parts) == 2 else value


def _assigned(lower: Lowering, node: Node) -> Expression:
    sign = text(node.child_by_field_name("operator")).removesuffix("=")
    return Assign(lower.value(node.child_by_field_name("left")), lower.value(node.child_by_field_name("right")), sign)


def _update(lower: Lowering, node: Node) -> Expression:
    sign = text(node.child_by_field_name("operator"))[:1] or "+"
    return Assign(lower.value(node.child_by_field_name("argument")), Literal(Kind.NUMBER, "1"), sign)


def _if(lower: Lowering, node: Node) -> Expression:
    other = node.child_by_field_name("alternative")
    return If(
        lower.value(node.child_by_field_name("condition")),
        lower.block(node.child_by_field_name("consequence")),
        lower.block(lower.named(other)[0]) if other is not None and lower.named(other) else None,
    )


def _for_each(lower: Lowering, node: Node) -> Code:
    source = lower.value(node.child_by_field_name("right"))
    if any(text(one) == "in" for one in node.children):
        source = Call(Member(Name("Object"), "keys"), (Argument(source),), line(node))
    return Loop(lower.block(node.child_by_field_name("body")), lower.value(node.child_by_field_name("left")), source)


def _for(lower: Lowering, node: Node) -> Code:
    before, after = node.child_by_field_name("initializer"), node.child_by_field_name("increment")
    body = lower.block(node.child_by_field_name("body"))
    ends = (lower.code(after),) if after is not None else ()
    test = node.child_by_field_name("condition")
    return Block((lower.code(before), Loop(Block((*body.statements, *ends)), test=lower.maybe(test))))


def _while(lower: Lowering, node: Node) -> Code:
    return Loop(lower.block(node.child_by_field_name("body")), test=lower.value(node.child_by_field_name("condition")))


def _try(lower: Lowering, node: Node) -> Expression:
    handler, last = node.child_by_field_name("handler"), node.child_by_field_name("finalizer")
    return Try(
        lower.block(node.child_by_field_name("body")),
        (lower.block(handler.child_by_field_name("body")),) if handler is not None else (),
        lower.block(last.child_by_field_name("body")) if last is not None else None,
    )


def _switch(lower: Lowering, node: Node) -> Expression:
    cases: list[Case] = []
    waiting: list[Expression] = []
    is_default = False
    for one in children(node.child_by_field_name("body"), "switch_case", "switch_default"):
        value = one.child_by_field_name("value")
        is_default = is_default or value is None
        waiting += [lower.value(value)] if value is not None else []
        statements = one.children_by_field_name("body")
        if statements:
            cases.append(Case(() if is_default else tuple(waiting), lower.blocks(statements)))
            waiting, is_default = [], False
    return Match(lower.value(node.child_by_field_name("value")), fallen(cases))


def _subscript(lower: Lowering, node: Node) -> Expression:
    return Index(lower.value(node.child_by_field_name("object")), lower.value(node.child_by_field_name("index")))


def _unary(lower: Lowering, node: Node) -> Expression:
    sign, value = text(node.child_by_field_name("operator")), lower.value(node.child_by_field_name("argument"))
    if sign == "delete" and isinstance(value, Member | Index):
        key = Literal(Kind.TEXT, value.name) if isinstance(value, Member) else value.key
        return Call(Member(value.of, "delete"), (Argument(key),), line(node))
    return Operation(sign, (value,))


def _places(lower: Lowering, node: Node) -> Expression:
    """Lower the names that a list is taken apart to; a place without one has none."""
    found: list[Expression] = []
    was_comma = True
    for one in node.children[1:-1]:
        if one.is_named:
            found.append(lower.value(one))
        elif was_comma:
            found.append(NOTHING)
        was_comma = not one.is_named
    return Sequence(tuple(found))


def _array(lower: Lowering, node: Node) -> Expression:
    return Sequence(tuple(lower.value(one) for one in lower.named(node)))


def _function_code(lower: Lowering, node: Node) -> Code:
    return _function(lower, node)


SYNTAX = Syntax(
    name="typescript",
    nodes={
        "yield_expression": yielded,
        "identifier": name,
        "property_identifier": name,
        "private_property_identifier": name,
        "type_identifier": name,
        "shorthand_property_identifier": name,
        "this": name,
        "super": name,
        "undefined": lambda _lower, _node: Literal(Kind.NOTHING, ""),
        "null": lambda _lower, _node: Literal(Kind.NOTHING, ""),
        "string": string(),
        "template_string": string("template_substitution"),
        "number": number,
        "true": literal(Kind.TRUTH),
        "false": literal(Kind.TRUTH),
        "member_expression": member("object", "property"),
        "subscript_expression": _subscript,
        "call_expression": _call,
        "new_expression": _new,
        "object": _object,
        "object_pattern": _object,
        "array": _array,
        "array_pattern": _places,
        "arrow_function": _arrow,
        "function_expression": _arrow,
        "function": _arrow,
        "function_declaration": _function_code,
        "binary_expression": operation,
        "unary_expression": _unary,
        "update_expression": _update,
        "ternary_expression": choice("condition", "consequence", "alternative"),
        "assignment_expression": _assigned,
        "augmented_assignment_expression": _assigned,
        "await_expression": inside,
        "as_expression": _as,
        "satisfies_expression": _as,
        "assignment_pattern": lambda lower, node: Assign(
            lower.value(node.child_by_field_name("left")), lower.value(node.child_by_field_name("right"))
        ),
        "non_null_expression": inside,
        "type_assertion": lambda lower, node: lower.value(lower.named(node)[-1]),
        "spread_element": lambda lower, node: Operation("...", (lower.value(lower.named(node)[0]),)),
        "sequence_expression": lambda lower, node: lower.blocks(lower.named(node)),
        "lexical_declaration": _variables,
        "variable_declaration": _variables,
        "statement_block": block,
        "if_statement": _if,
        "for_statement": _for,
        "for_in_statement": _for_each,
        "while_statement": _while,
        "do_statement": _while,
        "try_statement": _try,
        "switch_statement": _switch,
        "return_statement": leave(Leave.RETURN),
        "throw_statement": leave(Leave.THROW),
        "break_statement": leave(Leave.BREAK),
        "continue_statement": leave(Leave.CONTINUE),
        "empty_statement": lambda _lower, _node: Block(()),
        "class_declaration": _class,
        "interface_declaration": _class,
        "type_alias_declaration": _class,
        "enum_declaration": _class,
    },
    file=_file,
)
