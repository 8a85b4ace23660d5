"""Scala."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
    Sequence,
    Statement,
    Text,
    Try,
)
from scanner_programs.languages.lowering import (
    NOTHING,
    Code,
    Lowering,
    Node,
    Syntax,
    child,
    children,
    end,
    inside,
    is_expression,
    items,
    leave,
    line,
    literal,
    name,
    number,
    string,
    text,
)

_KINDS = {
    "class_definition": "class",
    "trait_definition": "interface",
    "object_definition": "object",
    "enum_definition": "enum",
    "package_object": "object",
}
_FUNCTIONS = ("function_definition", "function_declaration")
_VALUES = ("val_definition", "var_definition", "val_declaration", "var_declaration")
_SIGNS = frozenset(
    (
        "+", "-", "*", "/", "%", "==", "!=", "<", ">", "<=", ">=", "&&", "||", "++", "::", ":::", "+:", ":+",
        "eq", "ne"
    )
)  # fmt: skip


def _file(lower: Lowering, root: Node, path: str) -> File:
    found = _Contents(lower)
    found.read(root)
    return File(
        path,
        "scala",
        found.package,
        found.imports,
        tuple(found.wildcards),
        tuple(_with_companions(found.classes)),
        tuple(found.functions),
        tuple(found.statements),
        tuple(found.methods),
    )


def _with_companions(classes: list[Class]) -> Iterator[Class]:
    """Yield the classes; what is in an object of the same name is of the class itself."""
    objects = {one.name: one for one in classes if one.single}
    named = {one.name for one in classes if not one.single}
    for one in classes:
        if one.single and one.name in named:
            continue
        companion = objects.get(one.name) if not one.single else None
        if companion is None:
            yield one
            continue
        functions = (replace(each, static=True) for each in companion.functions)
        fields = (replace(each, static=True) for each in companion.fields)
        yield replace(
            one,
            fields=(*one.fields, *fields),
            functions=(*one.functions, *functions),
            classes=(*one.classes, *companion.classes),
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
        """Add the declarations of a file or package."""
        for node in self.lower.named(root):
            if node.type == "package_clause":
                known = text(node.child_by_field_name("name"))
                self.package = f"{self.package}.{known}" if self.package else known
                body = node.child_by_field_name("body")
                if body is not None:
                    self.read(body)
            elif node.type == "import_declaration":
                self._import(node)
            elif node.type in _KINDS:
                self.classes.append(_class(self.lower, node))
                self._extensions_in(node)
            elif node.type in _FUNCTIONS:
                self.functions.append(_function(self.lower, node))
            elif node.type == "extension_definition":
                self._extension(node)
            else:
                self.statements.append(self.lower.code(node))

    def _import(self, node: Node) -> None:
        path = ".".join(text(one) for one in node.children_by_field_name("path") if one.is_named)
        selectors = child(node, "namespace_selectors")
        if child(node, "namespace_wildcard") is not None:
            self.wildcards.append(path)
        elif selectors is not None:
            for one in self.lower.named(selectors):
                if one.type in ("arrow_renamed_identifier", "as_renamed_identifier"):
                    known = text(one.child_by_field_name("name"))
                    self.imports[text(one.child_by_field_name("alias")) or known] = f"{path}.{known}"
                elif one.type == "namespace_wildcard":
                    self.wildcards.append(path)
                else:
                    self.imports[text(one)] = f"{path}.{text(one)}"
        elif path:
            self.imports[path.rpartition(".")[2]] = path

    def _extensions_in(self, node: Node) -> None:
        """Add the extensions of a class or object, which its users import."""
        for one in self.lower.named(node.child_by_field_name("body") or node):
            if one.type == "extension_definition":
                self._extension(one)
            elif one.type == "class_definition" and "implicit" in text(child(one, "modifiers")).split():
                self._implicit(one)
            elif one.type in _KINDS:
                self._extensions_in(one)

    def _implicit(self, node: Node) -> None:
        """Add the methods of a class that objects of another one are taken as where these have none."""
        known = _class(self.lower, node)
        for one in known.functions if len(known.fields) else ():
            given = known.fields[0]
            inner = Block((Declare(Name(given.name), "", Name("this")), *(one.body.statements if one.body else ())))
            owner = given.type.partition("[")[0].rpartition(".")[2]
            self.methods.append((owner, replace(one, body=inner)))

    def _extension(self, node: Node) -> None:
        given = list(_parameters(self.lower, node))
        bodies = node.children_by_field_name("body")
        for one in (each for body in bodies for each in (body, *body.children) if each.type in _FUNCTIONS):
            function = _function(self.lower, one)
            if given:
                start = Declare(Name(given[0].name), "", Name("this"))
                inner = Block((start, *(function.body.statements if function.body else ())))
                owner = given[0].type.partition("[")[0].rpartition(".")[2]
                self.methods.append(
                    (owner, Function(function.name, function.parameters, inner, function.type, line=function.line))
                )


def _class(lower: Lowering, node: Node) -> Class:
    called = text(node.child_by_field_name("name"))
    words = {text(one) for one in node.children if not one.is_named}
    fields: list[Field] = []
    functions: list[Function] = []
    classes: list[Class] = []
    statements: list[Expression | Statement] = []
    for listed in children(node, "class_parameters"):
        for one in children(listed, "class_parameter"):
            fields.append(
                Field(
                    text(one.child_by_field_name("name")),
                    text(one.child_by_field_name("type")),
                    lower.maybe(one.child_by_field_name("default_value")),
                    _notes(lower, one),
                    False,
                    line(one),
                )
            )
    supers: list[str] = []
    extends = node.child_by_field_name("extend")
    for one in extends.named_children if extends is not None else ():
        if one.type == "arguments":
            statements.append(Call(Member(Name("super"), "new"), _arguments(lower, one), line(one)))
        else:
            supers.append(text(one))
    body = node.child_by_field_name("body")
    is_single = node.type in ("object_definition", "package_object")
    for one in lower.named(body) if body is not None else ():
        if one.type in _FUNCTIONS:
            functions.append(_function(lower, one))
        elif one.type in _KINDS:
            classes.append(_class(lower, one))
        elif one.type in _VALUES:
            fields += _fields(lower, one, static=is_single)
        elif one.type == "given_definition":
            kind = text(one.child_by_field_name("return_type"))
            called_as = text(one.child_by_field_name("name")) or f"given {kind}"
            fields.append(
                Field(called_as, kind, lower.maybe(one.child_by_field_name("body")), static=True, line=line(one))
            )
        elif one.type == "enum_case_definitions":
            for each in lower.named(one):
                known = text(each.child_by_field_name("name"))
                if child(each, "class_parameters") is not None:  # a case with members is a class of its own
                    inner = _class(lower, each)
                    classes.append(replace(inner, kind="data", supers=inner.supers or (called,)))
                    continue
                above = each.child_by_field_name("extend")
                given = _arguments(lower, child(above, "arguments")) if above is not None else ()
                value = Call(Name("new enum"), (Argument(Literal(Kind.TEXT, known)), *given), line(each))
                fields.append(Field(known, "enum", value, static=True, line=line(each)))
        elif one.type not in ("self_type", "extension_definition"):
            statements.append(lower.code(one))
    kind = "data" if "case" in words and not is_single else _KINDS.get(node.type, "data")
    return Class(
        called,
        kind,
        tuple(supers),
        tuple(fields),
        tuple(functions),
        tuple(classes),
        tuple(statements),
        _notes(lower, node),
        line(node),
        is_single,
    )


def _fields(lower: Lowering, node: Node, *, static: bool) -> Iterator[Field]:
    pattern = node.child_by_field_name("pattern") or node.child_by_field_name("name")
    kind = text(node.child_by_field_name("type"))
    value = lower.maybe(node.child_by_field_name("value"))
    notes = _notes(lower, node)
    if pattern is not None and pattern.type != "identifier":
        for place, one in enumerate(lower.named(pattern)):
            each = Index(value, Literal(Kind.NUMBER, str(place))) if value is not None else None
            yield Field(text(one), "", each, notes, static, line(node))
        return
    yield Field(text(pattern), kind, value, notes, static, line(node))


def _notes(lower: Lowering, node: Node) -> tuple[Note, ...]:
    return tuple(
        Note(
            text(one.child_by_field_name("name")).rpartition(".")[2],
            _arguments(lower, one.child_by_field_name("arguments")),
        )
        for one in children(node, "annotation")
    )


def _function(lower: Lowering, node: Node) -> Function:
    body = node.child_by_field_name("body")
    called = text(node.child_by_field_name("name"))
    lowered = None
    if body is not None:
        code = lower.code(body)
        lowered = code if isinstance(code, Block) else Block((code,))
    return Function(
        "constructor" if called == "this" else called,
        tuple(_parameters(lower, node)),
        lowered,
        text(node.child_by_field_name("return_type")),
        _notes(lower, node),
        line=line(node),
        end=end(node),
        getter=body is not None and not children(node, "parameters"),
    )


def _parameters(lower: Lowering, node: Node) -> Iterator[Parameter]:
    for listed in children(node, "parameters"):
        if text(listed).startswith(("(implicit", "(using")):
            continue
        for one in children(listed, "parameter"):
            kind = text(one.child_by_field_name("type"))
            default = lower.maybe(one.child_by_field_name("default_value"))
            yield Parameter(text(one.child_by_field_name("name")), kind.rstrip("*"), default, rest=kind.endswith("*"))


def _arguments(lower: Lowering, node: Node | None) -> tuple[Argument, ...]:
    if node is None:
        return ()
    if node.type in ("block", "case_block"):
        return (Argument(lower.value(node)),)
    found = []
    for one in lower.named(node):
        if one.type == "assignment_expression" and one.child_by_field_name("left").type == "identifier":
            found.append(Argument(lower.value(one.child_by_field_name("right")), text(one.child_by_field_name("left"))))
        elif one.type == "ascription_expression" and text(one).rstrip().endswith("*"):
            found.append(Argument(Operation("*", (lower.value(lower.named(one)[0]),))))
        else:
            value = lower.value(one)
            # A place alone is one of the call that it is given to.
            found.append(Argument(value if value == Name("_") else _placeholders(value, line(node))))
    return tuple(found)


def _applied(called: Expression, given: tuple[Argument, ...], at: int) -> Expression:
    """Return a call; `f(_, 1)` is the function that calls it."""
    names: list[str] = []
    filled = tuple(Argument(_filled(one.value, names), one.name) if one.value == Name("_") else one for one in given)
    if not names:
        return Call(called, given, at)
    body = Block((Exit(Leave.RETURN, Call(called, filled, at)),))
    return Lambda(Function("", tuple(Parameter(one) for one in names), body, line=at, end=at))


def _placeholders(code: Expression, at: int) -> Expression:
    """Return `_.x` as the function that it stands for."""
    names: list[str] = []
    replaced = _filled(code, names)
    if not names:
        return code
    body = Block((Exit(Leave.RETURN, replaced),))
    return Lambda(Function("", tuple(Parameter(one) for one in names), body, line=at, end=at))


def _filled(code: Expression, names: list[str]) -> Expression:
    match code:
        case Name(name="_"):
            names.append(f"(it {len(names)})")
            return Name(names[-1])
        case Member(of=of, name=called, line=at):
            return Member(_filled(of, names), called, at)
        case Call(function=Member(of=of, name=called, line=name_at), arguments=arguments, line=at):
            return Call(Member(_filled(of, names), called, name_at), arguments, at)
        case Operation(operator=operator, operands=operands):
            return Operation(operator, tuple(_filled(one, names) for one in operands))
    return code


def _call(lower: Lowering, node: Node) -> Expression:
    function = node.child_by_field_name("function")
    arguments = node.child_by_field_name("arguments")
    given = _arguments(lower, arguments)
    if arguments is not None and arguments.type == "block":
        inner = lower.named(arguments)
        given = (Argument(_placeholders(lower.value(inner[0] if len(inner) == 1 else arguments), line(node))),)
    called = lower.value(function)
    if isinstance(called, Call) and called.arguments and function is not None and function.type == "call_expression":
        # Further lists of parameters are parameters of the same function.
        return Call(called.function, (*called.arguments, *given), line(node))
    return _applied(called, given, line(node))


def _generic(lower: Lowering, node: Node) -> Expression:
    """Lower a function with types in brackets, which are part of its name in the form of the other languages."""
    function = lower.value(node.child_by_field_name("function"))
    kinds = text(node.child_by_field_name("type_arguments"))[1:-1]
    if isinstance(function, Name):
        return Name(f"{function.name}<{kinds}>")
    return Member(function.of, f"{function.name}<{kinds}>") if isinstance(function, Member) else function


def _new(lower: Lowering, node: Node) -> Expression:
    kind = child(node, "type_identifier", "generic_type", "stable_type_identifier", "compound_type")
    given = _arguments(lower, child(node, "arguments"))
    body = child(node, "template_body")
    inner = None
    if body is not None:
        functions = tuple(_function(lower, one) for one in children(body, *_FUNCTIONS))
        fields = tuple(field for one in children(body, *_VALUES) for field in _fields(lower, one, static=False))
        inner = Class("", "class", (text(kind),), fields, functions, line=line(node))
    return New(text(kind), given, body=inner, line=line(node))


def _access(lower: Lowering, node: Node) -> Expression:
    return Member(lower.value(node.child_by_field_name("value")), text(node.child_by_field_name("field")))


_SETS = ("+=", "-=", "*=", "/=", "%=", "++=", "--=", "|=", "&=")
"""Operators that set a variable, or change the collection that it has."""
_AFTER = ("*>", ">>", "&>")
"""Operators on effects that run what is on their right after what is on their left (cats, ZIO)."""


def _infix(lower: Lowering, node: Node) -> Expression:
    sign = text(node.child_by_field_name("operator"))
    left, right = lower.value(node.child_by_field_name("left")), node.child_by_field_name("right")
    if sign in ("->", "→"):
        return Sequence((left, lower.value(right)))
    if sign in _SIGNS:
        return Operation(sign, (left, lower.value(right)))
    if sign in _SETS and isinstance(left, Name | Member):
        return Assign(left, lower.value(right), sign[:-1])
    if sign == ":=":
        return Sequence((left, lower.value(right)))
    given = lower.value(right)
    if sign in _AFTER and not isinstance(given, Literal):  # what is on the right is run if the left one succeeds
        function = Function("", (Parameter("_"),), Block((given,)), line=line(node), end=end(node))
        return Call(Member(left, "flatMap"), (Argument(Lambda(function)),), line(node))
    return Call(Member(left, sign), (Argument(_placeholders(given, line(node))),), line(node))


def _prefix(lower: Lowering, node: Node) -> Expression:
    sign = next((text(one) for one in node.children if not one.is_named), "!")
    return Operation(sign, (lower.value(lower.named(node)[0]),))


def _variable(lower: Lowering, node: Node) -> Code:
    pattern = node.child_by_field_name("pattern")
    kind = text(node.child_by_field_name("type"))
    value = node.child_by_field_name("value")
    return Declare(lower.value(pattern), kind, lower.maybe(value))


def _assignment(lower: Lowering, node: Node) -> Expression:
    return Assign(lower.value(node.child_by_field_name("left")), lower.value(node.child_by_field_name("right")))


def _if(lower: Lowering, node: Node) -> Expression:
    other = node.child_by_field_name("alternative")
    return If(
        lower.value(node.child_by_field_name("condition")),
        lower.block(node.child_by_field_name("consequence")),
        lower.block(other) if other is not None else None,
    )


def _cases(lower: Lowering, node: Node | None) -> tuple[Case, ...]:
    cases = []
    for one in children(node, "case_clause"):
        pattern = one.child_by_field_name("pattern")
        guard = child(one, "guard")
        body = one.children_by_field_name("body")
        is_default = pattern is not None and pattern.type == "wildcard" and guard is None
        values = () if is_default else tuple(_alternatives(lower, pattern))
        test = lower.value(guard.child_by_field_name("condition")) if guard is not None else None
        cases.append(Case(values, lower.blocks(body) if len(body) != 1 else lower.block(body[0]), test))
    return tuple(cases)


def _alternatives(lower: Lowering, node: Node) -> Iterator[Expression]:
    if node.type == "alternative_pattern":
        for one in lower.named(node):
            yield from _alternatives(lower, one)
    else:
        yield _pattern(lower, node)


def _pattern(lower: Lowering, node: Node) -> Expression:
    if node.type == "case_class_pattern":
        parts = [Argument(_pattern(lower, one)) for one in node.children_by_field_name("pattern") if one.is_named]
        return Call(Name(text(node.child_by_field_name("type"))), tuple(parts), line(node))
    if node.type == "typed_pattern":
        known = text(node.child_by_field_name("pattern"))
        return Declare(Name(known), text(node.child_by_field_name("type")))  # type: ignore[return-value]
    if node.type == "tuple_pattern":
        return Sequence(tuple(_pattern(lower, one) for one in lower.named(node)))
    if node.type == "wildcard":
        return Name("_")
    if node.type == "capture_pattern":
        return Declare(Name(text(node.child_by_field_name("name"))), text(node.child_by_field_name("pattern")))  # type: ignore[return-value]
    return lower.value(node)


def _match(lower: Lowering, node: Node) -> Expression:
    return Match(lower.value(node.child_by_field_name("value")), _cases(lower, node.child_by_field_name("body")))


def _case_block(lower: Lowering, node: Node) -> Expression:
    """Lower `{ case … => … }` to a function of one parameter."""
    cases = _cases(lower, node)
    if len(cases) == 1 and len(cases[0].values) == 1 and isinstance(cases[0].values[0], Sequence):
        target = cases[0].values[0]
        body = Block((Declare(target, "", Name("(it)")), *cases[0].body.statements))
    else:
        body = Block((Match(Name("(it)"), cases),))
    return Lambda(Function("", (Parameter("(it)"),), body, line=line(node), end=end(node)))


def _for(lower: Lowering, node: Node) -> Code:
    body = lower.block(node.child_by_field_name("body"))
    is_yield = any(text(one) == "yield" for one in node.children)
    value: Expression = body
    steps = children(child(node, "enumerators"), "enumerator")
    for at in range(len(steps) - 1, -1, -1):
        one = steps[at]
        parts = lower.named(one)
        guards = [each for each in parts if each.type == "guard"]
        tests = [lower.value(each.child_by_field_name("condition")) for each in guards]
        parts = [each for each in parts if each.type != "guard"]
        for test in tests:
            value = If(test, Block((value,)))
        if len(parts) < 2:
            continue
        target, source = _pattern(lower, parts[0]), lower.value(parts[1])
        if any(text(each) == "=" for each in one.children):
            value = Block((Declare(target, "", source), value))
        elif is_yield:
            given, start = _taken(target)
            function = Function("", (given,), Block((*start, value)), line=line(one), end=end(node))
            value = Call(
                Member(source, "flatMap" if at + 1 < len(steps) else "map"), (Argument(Lambda(function)),), line(one)
            )
        else:
            value = Block((Loop(Block((value,)), target, source),))
    return value


def _taken(target: Expression) -> tuple[Parameter, tuple[Code, ...]]:
    if isinstance(target, Name):
        return Parameter(target.name), ()
    if isinstance(target, Declare) and isinstance(target.target, Name):
        return Parameter(target.target.name, target.type), ()
    return Parameter("(it)"), (Declare(target, "", Name("(it)")),)


def _while(lower: Lowering, node: Node) -> Code:
    return Loop(lower.block(node.child_by_field_name("body")), test=lower.value(node.child_by_field_name("condition")))


def _try(lower: Lowering, node: Node) -> Expression:
    caught, last = child(node, "catch_clause"), child(node, "finally_clause")
    handlers = tuple(one.body for one in _cases(lower, child(caught, "case_block"))) if caught is not None else ()
    ended = lower.block(lower.named(last)[0]) if last is not None and lower.named(last) else None
    return Try(lower.block(node.child_by_field_name("body")), handlers, ended)


def _lambda(lower: Lowering, node: Node) -> Expression:
    declared = node.child_by_field_name("parameters")
    known: list[Parameter] = []
    if declared is not None and declared.type in ("identifier", "wildcard"):
        known = [Parameter(text(declared))]
    else:
        for one in children(declared, "binding"):
            known.append(Parameter(text(one.child_by_field_name("name")), text(one.child_by_field_name("type"))))
    inner = [one for one in lower.named(node) if declared is None or one.id != declared.id]
    codes = [lower.code(one) for one in inner]
    body = codes[0] if len(codes) == 1 else Block(tuple(codes))
    if not isinstance(body, Block):
        body = Block((Exit(Leave.RETURN, body) if is_expression(body) else body,))
    return Lambda(Function("", tuple(known), body, line=line(node), end=end(node)))


def _string(lower: Lowering, node: Node) -> Expression:
    """Lower an interpolated text: what stands between the values has no nodes of its own."""
    inner = child(node, "interpolated_string") or node
    whole = text(inner)
    start = int(inner.start_byte)
    content = inner.text or b""
    quotes = 3 if whole.startswith('"""') else 1
    parts: list[Expression] = []
    place = quotes
    for one in children(inner, "interpolation"):
        before = content[place : one.start_byte - start].decode("utf-8", "replace")
        parts.append(Literal(Kind.TEXT, before))
        parts += [lower.value(each) for each in lower.named(one)]
        place = one.end_byte - start
    parts.append(Literal(Kind.TEXT, content[place : len(content) - quotes].decode("utf-8", "replace")))
    return Text(tuple(one for one in parts if one != Literal(Kind.TEXT, "")))


def _block(lower: Lowering, node: Node) -> Expression:
    inner = lower.named(node)
    if len(inner) == 1 and inner[0].type == "lambda_expression":
        return lower.value(inner[0])
    if inner and all(one.type == "case_clause" for one in inner):
        return _case_block(lower, node)
    return lower.blocks(inner)


_NAMED: Mapping[str, Expression] = {"None": NOTHING, "Nil": Sequence(())}
"""Objects of the standard library that stand for nothing and for the empty list."""

SYNTAX = Syntax(
    name="scala",
    inner=frozenset(("parenthesized_expression",)),
    nodes={
        "identifier": lambda lower, node: _NAMED.get(text(node)) or name(lower, node),
        "operator_identifier": name,
        "type_identifier": name,
        "stable_identifier": lambda _lower, node: Name(text(node)),
        "wildcard": lambda _lower, _node: Name("_"),
        "string": string(),
        "interpolated_string_expression": _string,
        "character_literal": string(),
        "integer_literal": number,
        "floating_point_literal": number,
        "boolean_literal": literal(Kind.TRUTH),
        "null_literal": lambda _lower, _node: Literal(Kind.NOTHING, ""),
        "unit": lambda _lower, _node: Literal(Kind.NOTHING, ""),
        "field_expression": _access,
        "call_expression": _call,
        "generic_function": _generic,
        "instance_expression": _new,
        "infix_expression": _infix,
        "postfix_expression": lambda lower, node: Member(
            lower.value(lower.named(node)[0]), text(lower.named(node)[-1])
        ),
        "prefix_expression": _prefix,
        "ascription_expression": inside,
        "tuple_expression": items,
        "tuple_pattern": items,
        "val_definition": _variable,
        "var_definition": _variable,
        "assignment_expression": _assignment,
        "block": _block,
        "indented_block": _block,
        "template_body": _block,
        "case_block": _case_block,
        "indented_cases": _case_block,
        "if_expression": _if,
        "match_expression": _match,
        "for_expression": _for,
        "while_expression": _while,
        "do_while_expression": _while,
        "try_expression": _try,
        "lambda_expression": _lambda,
        "return_expression": leave(Leave.RETURN),
        "throw_expression": leave(Leave.THROW),
        "function_definition": lambda lower, node: _function(lower, node),
        "class_definition": _class,
        "object_definition": _class,
        "trait_definition": _class,
        "import_declaration": lambda _lower, _node: Block(()),
    },
    file=_file,
)
