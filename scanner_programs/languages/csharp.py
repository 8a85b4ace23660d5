"""C#."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

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
    Pattern,
    Record,
    Sequence,
    Statement,
    Text,
    Try,
    Unknown,
)
from scanner_programs.languages.csharp_forms import compiled, directive, outputs, query, setting, with_outputs
from scanner_programs.languages.forms import formatted
from scanner_programs.languages.lowering import (
    Code,
    Lowering,
    Node,
    Syntax,
    block,
    child,
    children,
    choice,
    compiled_if,
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

_KINDS = {
    "class_declaration": "class",
    "record_declaration": "record",
    "record_struct_declaration": "record",
    "struct_declaration": "struct",
    "interface_declaration": "interface",
    "enum_declaration": "enum",
}
_SPACES = ("namespace_declaration", "file_scoped_namespace_declaration")


def _file(lower: Lowering, root: Node, path: str) -> File:
    found = _Contents(lower)
    found.read(root)
    return File(
        path,
        "csharp",
        found.package,
        found.imports,
        tuple(found.wildcards),
        tuple(found.classes),
        tuple(found.functions),
        tuple(found.statements),
        tuple(found.methods),
    )


class _Contents:
    """Collects what a file declares."""

    def __init__(self, lower: Lowering) -> None:
        self.lower = lower
        self.package = ""
        self.imports: dict[str, str] = {}
        self.wildcards: list[str] = []
        self.classes: list[Class] = []
        self.functions: list[Function] = []
        self.methods: list[tuple[str, Function]] = []
        self.statements: list[Expression | Statement] = []

    def read(self, root: Node) -> None:
        """Add the declarations of a file or namespace."""
        for node, conditions in compiled(self.lower, self.lower.named(root)):
            if node.type == "using_directive":
                alias = node.child_by_field_name("name")
                whole = text(self.lower.named(node)[-1])
                if alias is not None:
                    self.imports[text(alias)] = whole
                else:
                    self.wildcards.append(whole)
            elif node.type in _SPACES:
                self.package = self.package or text(node.child_by_field_name("name"))
                body = node.child_by_field_name("body")
                self.read(body if body is not None else node)
            elif node.type in _KINDS:
                known = _under(_class(self.lower, node), conditions)
                self.classes.append(known)
                self.methods += _extensions(known)
            elif node.type == "global_statement":
                code = self.lower.code(self.lower.named(node)[0])
                if isinstance(code, Function):
                    self.functions.append(compiled_if(code, conditions))
                else:
                    self.statements.append(code)
            elif node.type not in ("qualified_name", "identifier", "global_attribute", "extern_alias_directive"):
                self.statements.append(self.lower.code(node))


def _extensions(known: Class) -> Iterator[tuple[str, Function]]:
    """Yield the methods that extend other classes: their first parameter is the object."""
    for one in known.functions:
        if one.parameters and one.parameters[0].keeps and one.parameters[0].name.startswith("this "):
            called = one.parameters[0].name.removeprefix("this ")
            body = one.body
            start = Declare(Name(called), "", Name("this"))
            inner = Block((start, *body.statements)) if body is not None else None
            kind = one.parameters[0].type
            yield (
                kind.partition("<")[0].rpartition(".")[2],
                Function(one.name, one.parameters[1:], inner, one.type, one.notes, False, one.line, one.end),
            )


def _under(known: Class, conditions: tuple[str, ...]) -> Class:
    """Return a class whose functions are compiled under *conditions* only."""
    functions = tuple(compiled_if(one, conditions) for one in known.functions)
    classes = tuple(_under(one, conditions) for one in known.classes)
    return replace(known, functions=functions, classes=classes) if conditions else known


def _modifiers(node: Node) -> set[str]:
    return {text(one) for one in children(node, "modifier")}


def _notes(lower: Lowering, node: Node) -> tuple[Note, ...]:
    found = []
    for listed in children(node, "attribute_list"):
        for one in children(listed, "attribute"):
            arguments = []
            for given in children(child(one, "attribute_argument_list"), "attribute_argument"):
                inner = lower.named(given)
                is_named = any(text(each) in ("=", ":") for each in given.children) and len(inner) > 1
                arguments.append(Argument(lower.value(inner[-1]), text(inner[0]) if is_named else ""))
            called = text(one.child_by_field_name("name")).rpartition(".")[2].removesuffix("Attribute")
            found.append(Note(called, tuple(arguments)))
    return tuple(found)


def _class(lower: Lowering, node: Node) -> Class:
    called = text(node.child_by_field_name("name"))
    kind = _KINDS[node.type]
    body = node.child_by_field_name("body")
    fields: list[Field] = []
    functions: list[Function] = []
    classes: list[Class] = []
    primary = child(node, "parameter_list")
    parameters = tuple(_parameters(lower, primary))
    for one in parameters:
        fields.append(Field(one.name, one.type, one.default, one.notes, False, line(node)))
    supers: list[str] = []
    starts: list[Code] = []
    for one in children(node, "base_list"):
        for each in lower.named(one):
            if each.type == "primary_constructor_base_type":
                supers.append(text(each.child_by_field_name("type") or each.named_children[0]))
                starts += [_super(lower, given) for given in children(each, "argument_list")]
            elif each.type == "argument_list":
                starts.append(_super(lower, each))
            else:
                supers.append(text(each))
    for one, conditions in compiled(lower, lower.named(body) if body is not None else ()):
        if one.type == "field_declaration":
            fields += _fields(lower, one)
        elif one.type == "property_declaration":
            _property(lower, one, fields, functions, is_interface=kind == "interface")
        elif one.type in ("method_declaration", "constructor_declaration", "operator_declaration"):
            functions.append(compiled_if(_function(lower, one), conditions))
        elif one.type in _KINDS:
            classes.append(_under(_class(lower, one), conditions))
        elif one.type == "enum_member_declaration":
            known = text(one.child_by_field_name("name"))
            number = lower.maybe(one.child_by_field_name("value"))
            given = (Argument(Literal(Kind.TEXT, known)), *((Argument(number),) if number is not None else ()))
            value = Call(Name("new enum"), given, line(one))
            fields.append(Field(known, "enum", value, _notes(lower, one), True, line(one)))
        elif body := tuple(_bodies(lower, one)):
            functions.append(Function(one.type, (), Block(body), line=line(one), end=end(one)))
    return Class(
        called,
        kind,
        tuple(supers),
        tuple(fields),
        tuple(functions),
        tuple(classes),
        tuple(starts),
        notes=_notes(lower, node),
        line=line(node),
    )


def _super(lower: Lowering, given: Node) -> Code:
    return Call(Member(Name("super"), "new"), _arguments(lower, given), line(given))


def _bodies(lower: Lowering, node: Node) -> Iterator[Code]:
    """Yield the code of a member of a form that has no row: an indexer, the accessors of an event, a finalizer."""
    for one in lower.named(node):
        if one.type in ("block", "arrow_expression_clause"):
            body = _body(lower, one)
            yield from body.statements if body is not None else ()
        else:
            yield from _bodies(lower, one)


def _fields(lower: Lowering, node: Node) -> Iterator[Field]:
    declared = child(node, "variable_declaration")
    kind = text(declared.child_by_field_name("type")) if declared is not None else ""
    modifiers = _modifiers(node)
    for one in children(declared, "variable_declarator"):
        is_static = bool(modifiers & {"static", "const"})
        called = text(one.child_by_field_name("name"))
        yield Field(called, kind, _initial(lower, one), _notes(lower, node), is_static, line(one))


def _initial(lower: Lowering, node: Node) -> Expression | None:
    known = node.child_by_field_name("name")
    values = [one for one in lower.named(node) if known is None or one.id != known.id]
    values = [one for one in values if one.type not in ("tuple_pattern", "bracketed_argument_list")]
    return lower.value(values[-1]) if values else None


def _property(
    lower: Lowering, node: Node, fields: list[Field], functions: list[Function], *, is_interface: bool
) -> None:
    called = text(node.child_by_field_name("name"))
    kind = text(node.child_by_field_name("type"))
    notes = _notes(lower, node)
    value = node.child_by_field_name("value")
    is_static = "static" in _modifiers(node)
    if value is not None and value.type == "arrow_expression_clause":
        functions.append(
            Function(called, (), _body(lower, value), kind, notes, is_static, line(node), end(node), getter=True)
        )
        return
    accessors = children(node.child_by_field_name("accessors"), "accessor_declaration")
    for one in accessors:
        if not text(one).lstrip().startswith("get") and (setter := tuple(_bodies(lower, one))):
            functions.append(Function(f"set {called}", (Parameter("value"),), Block(setter), line=line(one)))
    for one in accessors:
        body = child(one, "block", "arrow_expression_clause")
        if text(one).lstrip().startswith("get") and body is not None and not is_interface:
            functions.append(Function(called, (), _body(lower, body), kind, notes, is_static, line(node), getter=True))
            return
    fields.append(Field(called, kind, lower.maybe(value), notes, is_static, line(node)))


def _body(lower: Lowering, node: Node | None) -> Block | None:
    if node is None:
        return None
    if node.type == "arrow_expression_clause":
        code = lower.code(lower.named(node)[0])
        return Block((Exit(Leave.RETURN, code),)) if is_expression(code) else Block((code,))
    return lower.block(node)


def _function(lower: Lowering, node: Node) -> Function:
    is_new = node.type == "constructor_declaration"
    body = _body(lower, node.child_by_field_name("body"))
    initializer = child(node, "constructor_initializer")
    if initializer is not None and body is not None:
        given = _arguments(lower, child(initializer, "argument_list"))
        of = "super" if text(initializer).lstrip(": ").startswith("base") else "this"
        body = Block((Call(Member(Name(of), "new"), given, line(node)), *body.statements))
    sign = text(node.child_by_field_name("operator")) if node.type == "operator_declaration" else ""
    function = Function(
        "new" if is_new else f"operator {sign}" if sign else text(node.child_by_field_name("name")),
        tuple(_parameters(lower, node.child_by_field_name("parameters"))),
        body,
        text(node.child_by_field_name("returns") or node.child_by_field_name("type")),
        _notes(lower, node),
        "static" in _modifiers(node),
        line(node),
        end(node),
        kinds=type_parameters(node),
    )
    return with_outputs(function, outputs(node.child_by_field_name("parameters")))


def _parameters(lower: Lowering, node: Node | None) -> Iterator[Parameter]:
    for one in children(node, "parameter"):
        known = one.child_by_field_name("name")
        kind = one.child_by_field_name("type")
        used = {each.id for each in (known, kind) if each is not None}
        values = [
            each for each in lower.named(one) if each.id not in used and each.type not in ("modifier", "attribute_list")
        ]
        modifiers = _modifiers(one)
        called = text(known)
        if "this" in modifiers:
            yield Parameter(f"this {called}", text(kind), notes=_notes(lower, one), keeps=True)
            continue
        default = lower.value(values[-1]) if values else None
        yield Parameter(called, text(kind), default, _notes(lower, one))
    if node is not None and (rest := node.child_by_field_name("name")) is not None:
        yield Parameter(text(rest), text(node.child_by_field_name("type")), rest=True)


def _arguments(lower: Lowering, node: Node | None) -> tuple[Argument, ...]:
    found = []
    for one in children(node, "argument"):
        known = one.child_by_field_name("name")
        inner = [each for each in lower.named(one) if known is None or each.id != known.id]
        if inner:
            found.append(Argument(lower.value(inner[-1]), text(known)))
    return tuple(found)


def _call(lower: Lowering, node: Node) -> Expression:
    function = lower.value(node.child_by_field_name("function"))
    return setting(lower, node, Call(function, _arguments(lower, node.child_by_field_name("arguments")), line(node)))


def _generic(_lower: Lowering, node: Node) -> Expression:
    return Name("".join(text(node).split()))


def _access(lower: Lowering, node: Node) -> Expression:
    return Member(
        lower.value(node.child_by_field_name("expression")), "".join(text(node.child_by_field_name("name")).split())
    )


def _conditional(lower: Lowering, node: Node) -> Expression:
    """Lower `a?.B.C()`: what follows is on the value before it."""
    parts = lower.named(node)
    of = lower.value(parts[0])
    return _rebound(lower.value(parts[-1]), of)


_PLACE = Name("?.")


def _rebound(code: Expression, of: Expression) -> Expression:
    if code == _PLACE:
        return of
    match code:
        case Member(of=inner, name=called, line=at):
            return Member(_rebound(inner, of), called, at)
        case Call(function=function, arguments=arguments, line=at):
            return Call(_rebound(function, of), arguments, at)
        case Index(of=inner, key=key):
            return Index(_rebound(inner, of), key)
    return code


def _new(lower: Lowering, node: Node) -> Expression:
    kind = text(node.child_by_field_name("type"))
    given = _arguments(lower, node.child_by_field_name("arguments") or child(node, "argument_list"))
    listed = node.child_by_field_name("initializer") or child(node, "initializer_expression")
    if listed is None:
        return New(kind, given, line=line(node))
    if kind.partition("<")[0].rpartition(".")[2] in ("Dictionary", "SortedDictionary", "ExpandoObject", "Headers"):
        return _pairs(lower, listed)
    inner = lower.named(listed)
    is_map = not kind or "Dictionary" in kind  # an initializer that sets nothing but indexes is one of a map
    if is_map and inner and all(_is_of_index(one) for one in inner):
        return _pairs(lower, listed)
    if inner and not any(one.type == "assignment_expression" for one in inner):
        return Sequence(tuple(lower.value(one) for one in inner))
    return New(kind, given, _members(lower, listed), line=line(node))


def _is_of_index(node: Node) -> bool:
    """Return whether a part of an initializer sets what is at an index."""
    return bool(node.type == "assignment_expression" and text(node.child_by_field_name("left")).startswith("["))


def _members(lower: Lowering, node: Node) -> tuple[Argument, ...]:
    found = []
    for one in children(node, "assignment_expression"):
        right = one.child_by_field_name("right")
        value = (
            Record(tuple((Literal(Kind.TEXT, each.name), each.value) for each in _members(lower, right)))
            if (right.type == "initializer_expression" and children(right, "assignment_expression"))
            else lower.value(right)
        )
        found.append(Argument(value, text(one.child_by_field_name("left")).strip('[]"')))
    return tuple(found)


def _pairs(lower: Lowering, node: Node) -> Expression:
    entries: list[tuple[Expression | None, Expression]] = []
    for one in lower.named(node):
        if one.type == "assignment_expression":
            left = one.child_by_field_name("left")
            argument = child(left, "argument") or left
            key = lower.value(lower.named(argument)[0] if lower.named(argument) else argument)
            entries.append((key, lower.value(one.child_by_field_name("right"))))
        elif one.type == "initializer_expression" and len(lower.named(one)) == 2:
            key, value = lower.named(one)
            entries.append((lower.value(key), lower.value(value)))
    return Record(tuple(entries))


def _anonymous(lower: Lowering, node: Node) -> Expression:
    entries: list[tuple[Expression | None, Expression]] = []
    waiting = ""
    for one in lower.named(node):
        if one.type == "assignment_expression":
            left = text(one.child_by_field_name("left"))
            entries.append((Literal(Kind.TEXT, left), lower.value(one.child_by_field_name("right"))))
        elif one.type == "identifier" and one.next_sibling is not None and text(one.next_sibling) == "=":
            waiting = text(one)
        else:
            known = waiting or text(one).rpartition(".")[2]
            entries.append((Literal(Kind.TEXT, known), lower.value(one)))
            waiting = ""
    return Record(tuple(entries))


def _type_of(lower: Lowering, node: Node) -> Expression:
    return Member(lower.value(lower.named(node)[0]), "class", line(node))


def _with(lower: Lowering, node: Node) -> Expression:
    parts = lower.named(node)
    given = []
    for one in parts[1:]:
        inner = lower.named(one)
        if one.type == "with_initializer" and len(inner) == 2:
            given.append(Argument(lower.value(inner[1]), text(inner[0])))
    return Call(Member(lower.value(parts[0]), "with"), tuple(given), line(node))


def _variables(lower: Lowering, node: Node) -> Code:
    declared = node if node.type == "variable_declaration" else child(node, "variable_declaration")
    kind = text(declared.child_by_field_name("type")) if declared is not None else ""
    kind = "" if kind == "var" else kind
    found: list[Code] = []
    for one in children(declared, "variable_declarator"):
        several = child(one, "tuple_pattern")
        value = _initial(lower, one)
        if several is not None:
            found.append(Declare(_several(several), "", value))
        else:
            found.append(Declare(Name(text(one.child_by_field_name("name"))), kind, value))
    return found[0] if len(found) == 1 else Block(tuple(found))


def _several(node: Node) -> Expression:
    """Return the names that a value is taken apart into."""
    if node.type != "tuple_pattern":
        return Name(text(node))
    return Sequence(tuple(_several(one) for one in node.named_children))


def _assigned(lower: Lowering, node: Node) -> Expression:
    sign = text(node.child_by_field_name("operator")) or next(
        (text(one) for one in node.children if not one.is_named and text(one).endswith("=")), "="
    )
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    return Assign(lower.value(left), lower.value(right), sign.removesuffix("="))


def _if(lower: Lowering, node: Node) -> Expression:
    other = node.child_by_field_name("alternative")
    return If(
        lower.value(node.child_by_field_name("condition")),
        lower.block(node.child_by_field_name("consequence")),
        lower.block(other) if other is not None else None,
    )


def _for_each(lower: Lowering, node: Node) -> Code:
    left = node.child_by_field_name("left")
    body = lower.block(node.child_by_field_name("body"))
    return Loop(body, lower.value(left), lower.value(node.child_by_field_name("right")))


def _for(lower: Lowering, node: Node) -> Code:
    before = [lower.code(one) for one in node.children_by_field_name("initializer")]
    after = [lower.code(one) for one in node.children_by_field_name("update")]
    body = lower.block(node.child_by_field_name("body"))
    test = lower.maybe(node.child_by_field_name("condition"))
    return Block((*before, Loop(Block((*body.statements, *after)), test=test)))


def _while(lower: Lowering, node: Node) -> Code:
    body = node.child_by_field_name("body") or child(node, "block")
    return Loop(lower.block(body), test=lower.maybe(node.child_by_field_name("condition")))


def _try(lower: Lowering, node: Node) -> Expression:
    handlers = tuple(lower.block(one.child_by_field_name("body")) for one in children(node, "catch_clause"))
    last = child(node, "finally_clause")
    return Try(
        lower.block(node.child_by_field_name("body")),
        handlers,
        lower.block(child(last, "block")) if last is not None else None,
    )


_PATTERNS = ("constant_pattern", "or_pattern", "relational_pattern", "declaration_pattern", "recursive_pattern",
             "negated_pattern", "and_pattern", "type_pattern", "var_pattern", "discard", "list_pattern")  # fmt: skip


def _switch(lower: Lowering, node: Node) -> Expression:
    cases = []
    for one in children(node.child_by_field_name("body"), "switch_section"):
        patterns = [each for each in lower.named(one) if each.type in _PATTERNS]
        ids = {each.id for each in patterns}
        body = [each for each in lower.named(one) if each.id not in ids and each.type != "when_clause"]
        guard = child(one, "when_clause")
        values = tuple(value for each in patterns for value in _patterns(lower, each))
        test = lower.value(lower.named(guard)[0]) if guard is not None else None
        cases.append(Case(values, lower.blocks(body), test))
    return Match(lower.value(node.child_by_field_name("value")), tuple(cases))


def _switch_value(lower: Lowering, node: Node) -> Expression:
    parts = lower.named(node)
    cases = []
    for one in children(node, "switch_expression_arm"):
        inner = lower.named(one)
        guard = child(one, "when_clause")
        values = () if inner[0].type == "discard" else tuple(_patterns(lower, inner[0]))
        test = lower.value(lower.named(guard)[0]) if guard is not None else None
        cases.append(Case(values, lower.block(inner[-1]), test))
    return Match(lower.value(parts[0]), tuple(cases))


def _patterns(lower: Lowering, node: Node) -> Iterator[Expression]:
    """Yield the patterns; one of them has to fit."""
    if node.type == "or_pattern":
        for one in lower.named(node):
            yield from _patterns(lower, one)
    else:
        yield _pattern(lower, node)


def _pattern(lower: Lowering, node: Node) -> Expression:
    inner = lower.named(node)
    match node.type:
        case "constant_pattern":
            return lower.value(inner[0])
        case "discard":
            return Name("_")
        case "declaration_pattern" | "var_pattern":
            kind = text(node.child_by_field_name("type")).removeprefix("var")
            return Declare(Name(text(node.child_by_field_name("name") or inner[-1])), kind)  # type: ignore[return-value]
        case "type_pattern":
            return Declare(Name("_"), text(node))  # type: ignore[return-value]
        case "parenthesized_pattern":
            return _pattern(lower, inner[0])
        case "or_pattern" | "and_pattern":
            operator = text(node.child_by_field_name("operator"))
            return Pattern(operator, tuple(Argument(_pattern(lower, one)) for one in inner))
        case "negated_pattern":
            return Pattern("not", (Argument(_pattern(lower, inner[0])),))
        case "relational_pattern":
            return Pattern(text(node.children[0]), (Argument(lower.value(inner[0])),))
        case "recursive_pattern":
            return Pattern("and", tuple(Argument(one) for one in _recursive(lower, node)))
    return Unknown(" ".join(text(node).split()), tuple(lower.code(one) for one in inner))


def _recursive(lower: Lowering, node: Node) -> Iterator[Expression]:
    """Yield the parts of a pattern of a type, of parts by place, of members and of a name for the whole."""
    kind, name = node.child_by_field_name("type"), node.child_by_field_name("name")
    if kind is not None:
        yield Declare(Name("_"), text(kind))  # type: ignore[misc]
    for one in children(node, "positional_pattern_clause"):
        parts = [lower.named(each)[-1] for each in children(one, "subpattern")]
        yield Sequence(tuple(_pattern(lower, each) for each in parts))
    for one in children(node, "property_pattern_clause"):
        listed = [lower.named(each) for each in children(one, "subpattern")]
        yield Pattern("members", tuple(Argument(_pattern(lower, each[-1]), text(each[0])) for each in listed))
    if name is not None:
        yield Declare(Name(text(name)))  # type: ignore[misc]


def _is(lower: Lowering, node: Node) -> Expression:
    value = lower.value(node.child_by_field_name("expression"))
    pattern = node.child_by_field_name("pattern")
    if pattern is None:
        return Operation("instanceof", (value, Unknown(" ".join(text(lower.named(node)[-1]).split()))))
    words = " ".join(text(pattern).split())
    if words in ("null", "not null"):
        return Operation("==" if words == "null" else "!=", (value, Literal(Kind.NOTHING, "")))
    return Operation("matches", (value, _pattern(lower, pattern)))


def _lambda(lower: Lowering, node: Node) -> Expression:
    declared = node.child_by_field_name("parameters")
    if declared is not None and declared.type in ("implicit_parameter", "identifier"):
        known: tuple[Parameter, ...] = (Parameter(text(declared)),)
    else:
        known = tuple(_parameters(lower, declared))
        if not known and declared is not None:
            known = tuple(
                Parameter(text(one))
                for one in lower.named(declared)
                if one.type in ("identifier", "implicit_parameter")
            )
    body = node.child_by_field_name("body")
    code = lower.code(body)
    if not isinstance(code, Block) or (body is not None and body.type != "block"):
        code = Block((Exit(Leave.RETURN, code) if is_expression(code) else code,))
    return Lambda(Function("", known, code, line=line(node), end=end(node)))


def _update(lower: Lowering, node: Node) -> Expression:
    sign = next((text(one) for one in node.children if not one.is_named), "")
    value = lower.value(lower.named(node)[0])
    if sign in ("++", "--"):
        return Assign(value, Literal(Kind.NUMBER, "1"), sign[:1])
    return value if sign == "!" and node.type.startswith("postfix") else Operation(sign, (value,))


def _element(lower: Lowering, node: Node) -> Expression:
    given = _arguments(lower, node.child_by_field_name("subscript"))
    return Index(lower.value(node.child_by_field_name("expression")), given[0].value if given else Unknown("[]"))


def _cast(lower: Lowering, node: Node) -> Expression:
    kind = text(node.child_by_field_name("type") or node.child_by_field_name("right"))
    return Operation(
        "as", (lower.value(node.child_by_field_name("value") or node.child_by_field_name("left")), Unknown(kind))
    )


def _items(lower: Lowering, node: Node) -> Expression:
    found = []
    for one in lower.named(node):
        while one.type in ("collection_element", "expression_element") and lower.named(one):
            one = lower.named(one)[0]
        found.append(lower.value(one))
    return Sequence(tuple(found))


def _using(lower: Lowering, node: Node) -> Code:
    body = node.child_by_field_name("body")
    opened = [lower.code(one) for one in lower.named(node) if body is None or one.id != body.id]
    return Block((*opened, *(lower.block(body).statements if body is not None else ())))


def _typed(_lower: Lowering, node: Node) -> Expression:
    return Declare(Name(text(node.child_by_field_name("name"))), "", Unknown("out"))  # type: ignore[return-value]


SYNTAX = Syntax(
    name="csharp",
    inner=frozenset(("parenthesized_expression", "expression_statement", "checked_expression", "ref_expression")),
    nodes={
        "identifier": name,
        "this": name,
        "this_expression": name,
        "base": lambda _lower, _node: Name("super"),
        "base_expression": lambda _lower, _node: Name("super"),
        "predefined_type": name,
        "generic_name": _generic,
        "string_literal": string(),
        "verbatim_string_literal": string(),
        "raw_string_literal": string(),
        "character_literal": string(),
        "interpolated_string_expression": lambda lower, node: _text(lower, node),
        "integer_literal": number,
        "real_literal": number,
        "boolean_literal": literal(Kind.TRUTH),
        "null_literal": lambda _lower, _node: Literal(Kind.NOTHING, ""),
        "default_expression": lambda _lower, _node: Literal(Kind.NOTHING, ""),
        "invocation_expression": _call,
        "member_access_expression": _access,
        "qualified_name": member("qualifier", "name"),
        "member_binding_expression": lambda _lower, node: Member(_PLACE, text(node.child_by_field_name("name"))),
        "element_binding_expression": lambda lower, node: Index(_PLACE, lower.value(lower.named(node)[0])),
        "conditional_access_expression": _conditional,
        "element_access_expression": _element,
        "object_creation_expression": _new,
        "implicit_object_creation_expression": _new,
        "anonymous_object_creation_expression": _anonymous,
        "initializer_expression": _items,
        "array_creation_expression": lambda lower, node: lower.value(child(node, "initializer_expression")),
        "implicit_array_creation_expression": lambda lower, node: lower.value(child(node, "initializer_expression")),
        "collection_expression": _items,
        "tuple_pattern": lambda _lower, node: _several(node),
        "tuple_expression": lambda lower, node: Sequence(tuple(one.value for one in _arguments(lower, node))),
        "with_expression": _with,
        "binary_expression": operation,
        "prefix_unary_expression": _update,
        "postfix_unary_expression": _update,
        "cast_expression": _cast,
        "typeof_expression": _type_of,
        "as_expression": _cast,
        "is_pattern_expression": _is,
        "query_expression": query,
        "is_expression": operation,
        "conditional_expression": choice("condition", "consequence", "alternative"),
        "assignment_expression": _assigned,
        "await_expression": inside,
        "lambda_expression": _lambda,
        "anonymous_method_expression": _lambda,
        "switch_expression": _switch_value,
        "throw_expression": leave(Leave.THROW),
        "declaration_expression": _typed,
        "argument": lambda lower, node: lower.value(lower.named(node)[-1]),
        "local_declaration_statement": _variables,
        "variable_declaration": _variables,
        "local_function_statement": lambda lower, node: _function(lower, node),
        "block": block,
        "if_statement": _if,
        "preproc_if": directive,
        "foreach_statement": _for_each,
        "for_statement": _for,
        "while_statement": _while,
        "do_statement": _while,
        "try_statement": _try,
        "switch_statement": _switch,
        "using_statement": _using,
        "lock_statement": _using,
        "return_statement": leave(Leave.RETURN),
        "yield_statement": yielded,
        "throw_statement": leave(Leave.THROW),
        "break_statement": leave(Leave.BREAK),
        "continue_statement": leave(Leave.CONTINUE),
        "empty_statement": lambda _lower, _node: Block(()),
        "global_statement": inside,
    },
    file=_file,
)


def _text(lower: Lowering, node: Node) -> Expression:
    parts: list[Expression] = []
    for one in node.named_children:
        if one.type == "interpolation":
            inner = [each for each in lower.named(one) if each.type != "interpolation_brace"]
            forms = "".join(text(each) for each in inner[1:])
            parts.append(formatted(lower.value(inner[0]), forms) if inner else Unknown(text(one)))
        elif one.type == "string_content":
            parts.append(Literal(Kind.TEXT, text(one)))
    return Text(tuple(parts))
