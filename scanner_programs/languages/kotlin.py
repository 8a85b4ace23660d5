"""Kotlin."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from scanner_programs.ir import (
    Argument,
    Assign,
    Block,
    Call,
    Case,
    Choice,
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
    Sequence,
    Statement,
    Text,
    Try,
    Unknown,
)
from scanner_programs.languages.lowering import (
    Code,
    Lowering,
    Node,
    Syntax,
    block,
    child,
    children,
    end,
    is_expression,
    items,
    leave,
    line,
    number,
    operation,
    text,
    type_parameters,
)

_TYPES = ("user_type", "nullable_type", "function_type", "parenthesized_type", "non_nullable_type")
_NO_VALUE = (
    *_TYPES,
    "modifiers",
    "variable_declaration",
    "getter",
    "setter",
    "identifier",
    "type_parameters",
    "type_constraints",
)
_OWN = ("class_declaration", "object_declaration")


def _file(lower: Lowering, root: Node, path: str) -> File:
    imports: dict[str, str] = {}
    wildcards: list[str] = []
    classes: list[Class] = []
    functions: list[Function] = []
    statements: list[Expression | Statement] = []
    package = ""
    for node in lower.named(root):
        if node.type == "package_header":
            package = text(node.named_children[0]) if node.named_children else ""
        elif node.type == "import":
            whole = text(node.named_children[0])
            alias = text(node.named_children[1]) if len(node.named_children) > 1 else ""
            if text(node).rstrip().endswith("*"):
                wildcards.append(whole)
            else:
                imports[alias or whole.rpartition(".")[2]] = whole
        elif node.type in _OWN:
            classes.append(_class(lower, node))
        elif node.type == "function_declaration":
            functions.append(replace(_function(lower, node), receiver=_receiver(node)))
        elif node.type == "property_declaration" and _extends(node):
            functions.append(_computed(lower, node))
        elif node.type != "file_annotation":
            statements.append(lower.code(node))
    return File(
        path,
        "kotlin",
        package,
        imports,
        tuple(wildcards),
        tuple(classes),
        tuple(functions),
        tuple(statements),
        tuple((_extended(one), one) for one in (*functions, *_functions_in(classes)) if one.receiver),
    )


def _extends(node: Node) -> bool:
    """Return whether a property belongs to another type, for whose objects it is computed."""
    return _getter(node) is not None and any(one.type in _TYPES for one in node.children)


def _getter(node: Node) -> Node | None:
    getter = child(node, "getter")
    return child(getter, "function_body") if getter is not None else None


def _computed(lower: Lowering, node: Node) -> Function:
    """Return the function that a property without a field is."""
    declared = child(node, "variable_declaration")
    kind = text(child(declared, *_TYPES)) if declared is not None else ""
    body = _body(lower, _getter(node))
    called, owner = text(child(declared or node, "identifier")), text(child(node, *_TYPES))
    notes = _notes(lower, node)
    return Function(called, (), body, kind, notes, line=line(node), end=end(node), getter=True, receiver=owner)


def _extended(function: Function) -> str:
    return function.receiver.rpartition(".")[2].partition("<")[0]


def _functions_in(classes: Iterable[Class]) -> Iterator[Function]:
    """Yield the functions of classes, which may extend other classes, and of those inside of them."""
    for one in classes:
        yield from one.functions
        yield from _functions_in(one.classes)


def _receiver(node: Node) -> str:
    """Return the type that a function extends."""
    for one in node.children:
        if one.type == "identifier":
            return ""
        if one.type in _TYPES:
            return text(one)
    return ""


def _modifiers(node: Node) -> set[str]:
    return {text(one) for one in getattr(child(node, "modifiers"), "children", ())}


def _notes(lower: Lowering, node: Node) -> tuple[Note, ...]:
    return _noted(lower, child(node, "modifiers"))


def _noted(lower: Lowering, node: Node | None) -> tuple[Note, ...]:
    found = []
    for one in children(node, "annotation"):
        made = child(one, "constructor_invocation")
        kind = child(made or one, "user_type")
        given = _arguments(lower, child(made, "value_arguments")) if made is not None else ()
        found.append(Note(text(kind).rpartition(".")[2], given))
    return tuple(found)


def _class(lower: Lowering, node: Node) -> Class:
    called = text(node.child_by_field_name("name") or child(node, "identifier", "type_identifier"))
    modifiers = _modifiers(node)
    words = {text(one) for one in node.children if not one.is_named}
    found = _Members(lower)
    primary = child(node, "primary_constructor")
    starts: list[Code] = []
    if primary is not None:
        for one in children(child(primary, "class_parameters") or primary, "class_parameter"):
            found.parameter(one)
    supers, given = _supers(lower, node)
    if given is not None:
        starts.append(Call(Member(Name("super"), "new"), given, line(node)))
    for one in children(child(node, "delegation_specifiers"), "delegation_specifier"):
        starts += [lower.code(each.named_children[-1]) for each in children(one, "explicit_delegation")]
    for body in children(node, "class_body", "enum_class_body"):
        found.read(body)
    kind = (
        "interface"
        if "interface" in words
        else "enum"
        if "enum" in modifiers
        else "data"
        if "data" in modifiers
        else "class"
    )
    is_single = node.type in ("object_declaration", "companion_object") or "object" in words
    return Class(
        called or "Companion",
        kind,
        supers,
        tuple(found.fields),
        tuple(found.functions),
        tuple(found.classes),
        (*starts, *found.statements),
        _notes(lower, node),
        line(node),
        is_single,
    )


def _supers(lower: Lowering, node: Node) -> tuple[tuple[str, ...], tuple[Argument, ...] | None]:
    supers: list[str] = []
    given: tuple[Argument, ...] | None = None
    for one in children(child(node, "delegation_specifiers"), "delegation_specifier"):
        made = child(one, "constructor_invocation")
        if made is not None:
            supers.append(text(child(made, "user_type")))
            given = _arguments(lower, child(made, "value_arguments"))
        else:
            supers.append(text(child(one, *_TYPES) or child(child(one, "explicit_delegation") or one, *_TYPES)))
    return tuple(supers), given


class _Members:
    """Collects the members of a class."""

    def __init__(self, lower: Lowering) -> None:
        self.lower = lower
        self.fields: list[Field] = []
        self.functions: list[Function] = []
        self.classes: list[Class] = []
        self.statements: list[Expression | Statement] = []

    def parameter(self, node: Node) -> None:
        """Add a parameter of the primary constructor, which the class keeps."""
        kind = text(child(node, *_TYPES))
        at = next((place for place, one in enumerate(node.children) if text(one) == "="), len(node.children))
        value = next((one for one in node.children[at + 1 :] if one.is_named), None)
        notes = _notes(self.lower, node)
        self.fields.append(
            Field(text(child(node, "identifier")), kind, self.lower.maybe(value), notes, False, line(node))
        )

    def read(self, body: Node) -> None:
        """Add the members in the body of a class."""
        for node in self.lower.named(body):
            if node.type == "property_declaration":
                self._property(node)
            elif node.type == "function_declaration":
                self.functions.append(replace(_function(self.lower, node), receiver=_receiver(node)))
            elif node.type == "secondary_constructor":
                self.functions.append(_secondary(self.lower, node))
            elif node.type == "companion_object":
                inner = _class(self.lower, node)
                self.classes.append(inner)
                self.fields += [Field(one.name, one.type, one.value, one.notes, True, one.line) for one in inner.fields]
            elif node.type in _OWN:
                self.classes.append(_class(self.lower, node))
            elif node.type == "enum_entry":
                given = _arguments(self.lower, child(node, "value_arguments"))
                called = text(child(node, "identifier"))
                value = Call(Name("new enum"), (Argument(Literal(Kind.TEXT, called)), *given), line(node))
                self.fields.append(Field(called, "enum", value, _notes(self.lower, node), True, line(node)))
                if (body := child(node, "class_body")) is not None:
                    own = _Members(self.lower)
                    own.read(body)
                    self.classes.append(
                        Class(
                            *(called, "object", (), tuple(own.fields), tuple(own.functions), tuple(own.classes)),
                            statements=tuple(own.statements),
                            line=line(node),
                        )
                    )
            elif node.type == "anonymous_initializer":
                self.statements.append(self.lower.block(child(node, "block")))
            elif node.type == "ERROR":
                self.read(node)
            else:
                self.statements.append(self.lower.code(node))

    def _property(self, node: Node) -> None:
        declared = child(node, "variable_declaration")
        called = text(child(declared or node, "identifier"))
        kind = text(child(declared, *_TYPES)) if declared is not None else ""
        setter = next((body for one in children(node, "setter") for body in children(one, "function_body")), None)
        if setter is not None:
            given = (Parameter("value"),)
            self.functions.append(Function(f"set {called}", given, _body(self.lower, setter), line=line(setter)))
        notes = _notes(self.lower, node)
        if _getter(node) is not None:
            self.functions.append(_computed(self.lower, node))
            return
        self.fields.append(Field(called, kind, _initial(self.lower, node), notes, False, line(node)))


def _initial(lower: Lowering, node: Node) -> Expression | None:
    """Return the first value of a property; of `by lazy { … }`, what is computed."""
    delegate = child(node, "property_delegate")
    if delegate is not None:
        value = lower.value(lower.named(delegate)[0])
        if isinstance(value, Call) and value.function == Name("lazy") and value.arguments:
            last = value.arguments[-1].value
            return Call(last, (), line(node)) if isinstance(last, Lambda) else value
        return value
    values = [one for one in lower.named(node) if one.type not in (*_NO_VALUE, "multi_variable_declaration")]
    plain = [one for one in node.children if one.type == "="]
    return lower.value(values[-1]) if values and plain else _plain_name(node)


def _plain_name(node: Node) -> Expression | None:
    """Return the name that is the value of a property, as in `val a = b`."""
    after = False
    for one in node.children:
        if one.type == "identifier" and after:
            return Name(text(one))
        after = after or one.type == "="
    return None


def _secondary(lower: Lowering, node: Node) -> Function:
    """Lower a further constructor, which is called by the types of its parameters."""
    parameters = tuple(_parameters(lower, child(node, "function_value_parameters")))
    body = lower.block(child(node, "block"))
    first = child(node, "constructor_delegation_call")
    if first is not None:
        of = "super" if text(first).startswith("super") else "this"
        given = _arguments(lower, child(first, "value_arguments"))
        body = Block((Call(Member(Name(of), "new"), given, line(first)), *body.statements))
    kinds = ", ".join(one.type for one in parameters)
    return Function(f"constructor({kinds})", parameters, body, line=line(node), end=end(node))


def _function(lower: Lowering, node: Node) -> Function:
    body = child(node, "function_body")
    name = node.child_by_field_name("name") or child(node, "identifier")
    after = False
    kind = ""
    for one in node.children:
        after = after or one.type == "function_value_parameters"
        if after and one.type in _TYPES:
            kind = text(one)
    return Function(
        text(name),
        tuple(_parameters(lower, child(node, "function_value_parameters"))),
        _body(lower, body) if body is not None else None,
        kind,
        _notes(lower, node),
        line=line(node),
        end=end(node),
        kinds=type_parameters(node),
    )


def _body(lower: Lowering, node: Node) -> Block:
    inner = lower.named(node)
    if not inner:
        return Block(())
    if inner[0].type == "block":
        return lower.block(inner[0])
    code = lower.code(inner[0])
    return Block((Exit(Leave.RETURN, code),)) if is_expression(code) else Block((code,))


def _parameters(lower: Lowering, node: Node | None) -> Iterator[Parameter]:
    waiting: Parameter | None = None
    modifiers: Node | None = None
    for one in lower.named(node) if node is not None else ():
        if one.type in ("parameter_modifiers", "modifiers"):
            modifiers = one
        elif one.type == "parameter":
            if waiting is not None:
                yield waiting
            is_rest = modifiers is not None and "vararg" in text(modifiers)
            notes = (*_notes(lower, one), *(_noted(lower, modifiers) if modifiers is not None else ()))
            waiting = Parameter(text(child(one, "identifier")), text(child(one, *_TYPES)), notes=notes, rest=is_rest)
            modifiers = None
        elif waiting is not None:
            yield Parameter(waiting.name, waiting.type, lower.value(one), waiting.notes, rest=waiting.rest)
            waiting = None
    if waiting is not None:
        yield waiting


def _arguments(lower: Lowering, node: Node | None) -> tuple[Argument, ...]:
    found = []
    for one in children(node, "value_argument"):
        inner = lower.named(one)
        is_named = any(text(each) == "=" for each in one.children)
        if is_named and len(inner) > 1:
            found.append(Argument(lower.value(inner[-1]), text(inner[0])))
        elif any(text(each) == "*" for each in one.children) and inner:
            found.append(Argument(Operation("*", (lower.value(inner[-1]),))))
        elif inner:
            found.append(Argument(lower.value(inner[-1])))
    return tuple(found)


_NOTHING = Literal(Kind.NOTHING, "")
_SCOPES = frozenset(("apply", "also", "let", "run", "takeIf", "takeUnless"))
"""Functions of any object that evaluate code with it."""


def _call(lower: Lowering, node: Node) -> Expression:
    trailing = child(node, "annotated_lambda", "lambda_literal")
    listed = child(node, "value_arguments")
    inner = lower.named(node)[0]
    if trailing is not None and listed is None and inner.type == "call_expression" and child(inner, "value_arguments"):
        node = inner  # the lambda behind the brackets is the last argument of the same call
        listed = child(node, "value_arguments")
    function = lower.named(node)[0]
    given = list(_arguments(lower, listed))
    if trailing is not None:
        given.append(Argument(lower.value(trailing)))
    kinds, called = child(node, "type_arguments"), lower.value(function)
    if isinstance(called, Operation) and _is_signed(function):
        made = _called(called.operands[0], given, text(kinds), line(node), is_trailing=trailing is not None)
        return Operation(called.operator, (made,))
    return _called(called, given, text(kinds), line(node), is_trailing=trailing is not None)


def _is_signed(node: Node) -> bool:
    """Return whether a sign is before a value that something is behind: in the grammar, it belongs to the value alone.

    In Kotlin, `!a.b(c)` is `!(a.b(c))`.
    """
    while node.type in ("navigation_expression", "call_expression", "index_expression") and node.named_children:
        node = node.named_children[0]
    return bool(node.type == "unary_expression" and not node.children[0].is_named and text(node.children[0]) in "!-+")


def _behind(lower: Lowering, node: Node, make: Callable[[Expression], Expression]) -> Expression:
    """Return what is behind a value, such as its member; a sign before the value is one before all of it."""
    value = lower.value(node)
    if isinstance(value, Operation) and _is_signed(node):
        return Operation(value.operator, (make(value.operands[0]),))
    return make(value)


_COLLECTED = {"buildList": "mutableListOf", "buildSet": "mutableSetOf", "buildMap": "mutableMapOf"}
"""Functions of Kotlin with the collection that a lambda fills for them."""


def _called(called: Expression, given: list[Argument], shown: str, at: int, *, is_trailing: bool) -> Expression:
    if shown and isinstance(called, Name | Member):
        called = Name(called.name + shown) if isinstance(called, Name) else Member(called.of, called.name + shown)
    if isinstance(called, Member) and called.name in _SCOPES and len(given) == 1:
        return _scoped(called, given[0].value, at)
    if isinstance(called, Name) and called.name == "run" and is_trailing and len(given) == 1:
        return Call(given[0].value, (), at)
    if isinstance(called, Name) and called.name in _SCOPES and is_trailing and len(given) == 1:
        return _scoped(Member(Name("this"), called.name), given[0].value, at)
    made = _COLLECTED.get(called.name.partition("<")[0]) if isinstance(called, Name) and is_trailing else None
    if made is not None and isinstance(given[-1].value, Lambda):
        return _scoped(Member(Call(Name(made), (), at), "apply"), given[-1].value, at)
    if isinstance(called, Name) and called.name == "with" and len(given) == 2:
        return _scoped(Member(given[0].value, "run"), given[1].value, at)
    return Call(called, tuple(given), at)


def _binary(lower: Lowering, node: Node) -> Expression:
    """Return an operator on its operands; what reads as `f < T > (x)` is a call with the type in angle brackets."""
    found = operation(lower, node)
    if isinstance(found, Operation) and found.operator == ">" and len(found.operands) == 2:
        first, _ = found.operands
        given = lower.named(node)[-1]
        if (
            isinstance(first, Operation)
            and first.operator == "<"
            and isinstance(first.operands[0], Name | Member)
            and isinstance(first.operands[1], Name)
            and first.operands[1].name[:1].isupper()
            and given.type == "parenthesized_expression"
        ):
            called, kind = first.operands[0], f"<{first.operands[1].name}>"
            function = Name(called.name + kind) if isinstance(called, Name) else Member(called.of, called.name + kind)
            return Call(function, (Argument(found.operands[1]),), line(node))
    return found


def _scoped(called: Member, given: Expression, at: int) -> Expression:
    """Lower `x.apply { … }` and its like: statements with `x` as *this* or *it*, whose value is `x` or the last one."""
    kind, of = called.name, (Argument(called.of),)
    if kind in ("takeIf", "takeUnless"):
        ways = (Name("it"), _NOTHING) if kind == "takeIf" else (_NOTHING, Name("it"))
        body = Block((Exit(Leave.RETURN, Choice(Call(given, (Argument(Name("it")),), at), *ways)),))
        return Call(Lambda(Function("", (Parameter("it"),), body, line=at)), of, at)
    if not isinstance(given, Lambda):
        if kind in ("let", "run"):
            return Call(given, of, at)
        body = Block((Call(given, (Argument(Name("this")),), at), Exit(Leave.RETURN, Name("this"))))
        return Call(Lambda(Function("with receiver", (Parameter("this"),), body, line=at)), of, at)
    function = given.function
    body = function.body or Block(())
    if kind in ("let", "also"):
        taken = Parameter(function.parameters[0].name if function.parameters else "it")
        if kind == "also":
            body = Block((*body.statements, Exit(Leave.RETURN, Name(taken.name))))
        return Call(Lambda(Function("", (taken,), body, line=function.line)), of, at)
    if kind == "apply":
        body = Block((*body.statements, Exit(Leave.RETURN, Name("this"))))
    return Call(Lambda(Function("with receiver", (Parameter("this"),), body, line=function.line)), of, at)


def _return(lower: Lowering, node: Node) -> Expression:
    """Lower a return; without a label, one in a lambda ends the function that the lambda is in."""
    found = leave(Leave.RETURN)(lower, node)
    above = node.parent
    while above is not None and above.type not in ("lambda_literal", "anonymous_function", "function_declaration"):
        above = above.parent
    is_outer = above is not None and above.type == "lambda_literal" and node.child_by_field_name("label") is None
    assert isinstance(found, Exit)
    return replace(found, leave=Leave.OUTER) if is_outer else found


def _lambda(lower: Lowering, node: Node) -> Expression:
    inner = child(node, "lambda_literal") or node
    declared = child(inner, "lambda_parameters")
    parameters: list[Parameter] = []
    starts: list[Code] = []
    for place, one in enumerate(lower.named(declared) if declared is not None else ()):
        if one.type == "variable_declaration":
            parameters.append(Parameter(text(child(one, "identifier")), text(child(one, *_TYPES))))
        else:
            names = [Name(text(child(each, "identifier"))) for each in children(one, "variable_declaration")]
            parameters.append(Parameter(f"(pattern {place})"))
            starts.append(Declare(Sequence(tuple(names)), "", Name(f"(pattern {place})")))
    statements = [lower.code(one) for one in lower.named(inner) if one.type != "lambda_parameters"]
    if not parameters:
        parameters = [Parameter("it", default=Literal(Kind.NOTHING, ""))]
    return Lambda(Function("", tuple(parameters), Block((*starts, *statements)), line=line(node), end=end(node)))


def _navigation(lower: Lowering, node: Node) -> Expression:
    parts = lower.named(node)
    return _behind(lower, parts[0], lambda of: Member(of, text(parts[-1])))


def _identifier(_lower: Lowering, node: Node) -> Expression:
    known = text(node)
    if known in ("true", "false"):
        return Literal(Kind.TRUTH, known)
    if known == "null":
        return Literal(Kind.NOTHING, "")
    if known in ("break", "continue"):
        return Exit(Leave.BREAK if known == "break" else Leave.CONTINUE)
    return Name(known)


def _string(lower: Lowering, node: Node) -> Expression:
    """Lower a text; `$name` is a name, which the grammar has as text."""
    parts: list[Expression] = []
    after_sign = False
    for one in node.named_children:
        known = text(one)
        if one.type == "interpolation":
            parts += [lower.value(each) for each in lower.named(one)]
        elif one.type == "string_content" and known == "$":
            after_sign = True
            continue
        elif after_sign:
            stop = next((place for place, sign in enumerate(known) if not (sign.isalnum() or sign == "_")), len(known))
            parts += [Name(known[:stop]), Literal(Kind.TEXT, known[stop:])]
        else:
            parts.append(Literal(Kind.TEXT, "$" if known == "\\$" else known))
        after_sign = False
    if all(isinstance(one, Literal) for one in parts):
        return Literal(Kind.TEXT, "".join(one.text for one in parts if isinstance(one, Literal)))
    return Text(tuple(one for one in parts if one != Literal(Kind.TEXT, "")))


def _variable(lower: Lowering, node: Node) -> Code:
    several = child(node, "multi_variable_declaration")
    if several is not None:
        names = tuple(Name(text(child(one, "identifier"))) for one in children(several, "variable_declaration"))
        return Declare(Sequence(names), "", _initial(lower, node))
    declared = child(node, "variable_declaration")
    kind = text(child(declared, *_TYPES)) if declared is not None else ""
    return Declare(Name(text(child(declared or node, "identifier"))), kind, _initial(lower, node))


def _assignment(lower: Lowering, node: Node) -> Expression:
    sign = next((text(one) for one in node.children if text(one).endswith("=") and not one.is_named), "=")
    left, right = lower.named(node)[0], lower.named(node)[-1]
    return Assign(lower.value(left), lower.value(right), sign.removesuffix("="))


def _if(lower: Lowering, node: Node) -> Expression:
    test = node.child_by_field_name("condition")
    rest = [one for one in lower.named(node) if test is None or one.id != test.id]
    is_empty = not any(text(one) == "else" for one in node.children)
    then = lower.block(rest[0]) if rest else Block(())
    other = lower.block(rest[1]) if len(rest) > 1 and not is_empty else None
    return If(lower.value(test), then, other)


def _when(lower: Lowering, node: Node) -> Expression:
    subject = child(node, "when_subject")
    of = lower.maybe(lower.named(subject)[-1]) if subject is not None and lower.named(subject) else None
    cases: list[Case] = []
    for one in children(node, "when_entry"):
        conditions = one.children_by_field_name("condition")
        ids = {each.id for each in conditions}
        body = [each for each in lower.named(one) if each.id not in ids]
        values = tuple(_condition(lower, each) for each in conditions)
        cases.append(Case(values, lower.block(body[-1]) if body else Block(())))
    return Match(of, tuple(cases))


def _condition(lower: Lowering, node: Node) -> Expression:
    if node.type == "type_test":
        of_kind: Expression = Declare(Name("_"), text(child(node, *_TYPES)))  # type: ignore[assignment]
        return Pattern("not", (Argument(of_kind),)) if text(node).startswith("!") else of_kind
    return lower.value(node)


def _for(lower: Lowering, node: Node) -> Code:
    parts = lower.named(node)
    target = parts[0]
    if target.type == "multi_variable_declaration":
        names = tuple(Name(text(child(one, "identifier"))) for one in children(target, "variable_declaration"))
        bound: Expression = Sequence(names)
    else:
        bound = Name(text(child(target, "identifier") or target))
    return Loop(lower.block(parts[-1] if len(parts) > 2 else None), bound, lower.value(parts[1]))


def _while(lower: Lowering, node: Node) -> Code:
    test = node.child_by_field_name("condition")
    body = [one for one in lower.named(node) if test is None or one.id != test.id]
    return Loop(lower.block(body[-1] if body else None), test=lower.maybe(test))


def _try(lower: Lowering, node: Node) -> Expression:
    handlers = tuple(lower.block(child(one, "block")) for one in children(node, "catch_block"))
    last = child(node, "finally_block")
    return Try(
        lower.block(child(node, "block")), handlers, lower.block(child(last, "block")) if last is not None else None
    )


def _infix(lower: Lowering, node: Node) -> Expression:
    left, sign, right = (*lower.named(node), None, None)[:3]
    if text(sign) == "to":
        return Sequence((lower.value(left), lower.value(right)))
    return Call(Member(lower.value(left), text(sign)), (Argument(lower.value(right)),), line(node))


def _reference(lower: Lowering, node: Node) -> Expression:
    parts = lower.named(node)
    if len(parts) == 1:
        return Name(text(parts[0]))
    of, called = lower.value(parts[0]), text(parts[-1])
    if isinstance(of, Name) and of.name[:1].islower() and of.name not in ("this", "super"):  # a method of an object
        body = Block((Exit(Leave.RETURN, Call(Member(of, called), (Argument(Name("it")),), line(node))),))
        return Lambda(Function("", (Parameter("it"),), body, line=line(node), end=end(node)))
    return Member(of, called)


def _object(lower: Lowering, node: Node) -> Expression:
    supers, given = _supers(lower, node)
    found = _Members(lower)
    for body in children(node, "class_body"):
        found.read(body)
    inner = Class("", "class", supers, tuple(found.fields), tuple(found.functions), line=line(node))
    return New(supers[0] if supers else "object", given or (), body=inner, line=line(node))


def _unary(lower: Lowering, node: Node) -> Expression:
    sign = next((text(one) for one in node.children if not one.is_named), "")
    value = lower.value(lower.named(node)[0])
    if sign in ("++", "--"):
        return Assign(value, Literal(Kind.NUMBER, "1"), sign[:1])
    return value if sign == "!!" else Operation(sign, (value,))


def _as(lower: Lowering, node: Node) -> Expression:
    value, kind = lower.named(node)[0], lower.named(node)[-1]
    return Operation("as", (lower.value(value), Unknown(text(kind))))


def _index(lower: Lowering, node: Node) -> Expression:
    parts = lower.named(node)
    return _behind(lower, parts[0], lambda of: Index(of, lower.value(parts[-1])))


def _this(_lower: Lowering, _node: Node) -> Expression:
    return Name("this")


def _test(lower: Lowering, node: Node) -> Expression:
    found = Operation("instanceof", (lower.value(lower.named(node)[0]), Unknown(text(lower.named(node)[-1]))))
    return Operation("!", (found,)) if any(one.type == "!is" for one in node.children) else found


def _contains(lower: Lowering, node: Node) -> Expression:
    operator = "not in" if any(one.type == "!in" for one in node.children) else "in"
    return Operation(operator, tuple(lower.value(one) for one in lower.named(node)))


SYNTAX = Syntax(
    name="kotlin",
    nodes={
        "identifier": _identifier,
        "simple_identifier": _identifier,
        "this_expression": _this,
        "super_expression": lambda _lower, _node: Name("super"),
        "string_literal": _string,
        "multiline_string_literal": _string,
        "character_literal": _string,
        "number_literal": number,
        "float_literal": number,
        "null": lambda _lower, _node: Literal(Kind.NOTHING, ""),
        "navigation_expression": _navigation,
        "call_expression": _call,
        "index_expression": _index,
        "annotated_lambda": _lambda,
        "lambda_literal": _lambda,
        "anonymous_function": lambda lower, node: Lambda(_function(lower, node)),
        "callable_reference": _reference,
        "object_literal": _object,
        "collection_literal": items,
        "binary_expression": _binary,
        "infix_expression": _infix,
        "unary_expression": _unary,
        "as_expression": _as,
        "is_expression": _test,
        "in_expression": _contains,
        "property_declaration": _variable,
        "assignment": _assignment,
        "block": block,
        "function_body": _body,
        "if_expression": _if,
        "when_expression": _when,
        "for_statement": _for,
        "while_statement": _while,
        "do_while_statement": _while,
        "try_expression": _try,
        "return_expression": _return,
        "throw_expression": leave(Leave.THROW),
        "function_declaration": lambda lower, node: replace(_function(lower, node), receiver=_receiver(node)),
        "class_declaration": _class,
        "object_declaration": _class,
        "annotated_expression": lambda lower, node: lower.code(lower.named(node)[-1]),
        "spread_expression": lambda lower, node: Operation("*", (lower.value(lower.named(node)[0]),)),
        "labeled_expression": lambda lower, node: lower.code(lower.named(node)[-1]),
    },
    file=_file,
)
