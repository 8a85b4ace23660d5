"""Go."""

from __future__ import annotations

import re
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
    Record,
    Sequence,
    Statement,
    Unknown,
    parts_of,
)
from scanner_programs.languages.forms import fallen
from scanner_programs.languages.lowering import (
    Code,
    Lowering,
    Node,
    Syntax,
    block,
    child,
    children,
    compiled_if,
    end,
    index,
    leave,
    line,
    literal,
    member,
    number,
    operation,
    string,
    text,
    type_parameters,
)

_VERSION = re.compile(r"v\d+")


def _file(lower: Lowering, root: Node, path: str) -> File:
    imports: dict[str, str] = {}
    wildcards: list[str] = []
    functions: list[Function] = []
    methods: list[tuple[str, Function]] = []
    classes: list[Class] = []
    statements: list[Expression | Statement] = []
    aliases: dict[str, str] = {}
    for node in lower.named(root):
        if node.type == "import_declaration":
            for one in (*children(node, "import_spec"), *children(child(node, "import_spec_list"), "import_spec")):
                whole = text(one.child_by_field_name("path")).strip('"`')
                called = text(one.child_by_field_name("name"))
                if called == ".":
                    wildcards.append(whole)
                elif called != "_":
                    imports[called or _last(whole)] = whole
        elif node.type == "function_declaration":
            functions.append(_function(lower, node))
        elif node.type == "method_declaration":
            methods.append(_method(lower, node))
        elif node.type == "type_declaration":
            aliases |= {
                text(one.child_by_field_name("name")): text(one.child_by_field_name("type"))
                for one in node.named_children
            }
            classes += [found for one in node.named_children if (found := _type(lower, one)) is not None]
        elif node.type not in ("package_clause",):
            code = lower.code(node)
            statements += code.statements if isinstance(code, Block) else (code,)
    package = path.rpartition("/")[0] or "."
    tags = _build_tags(root)
    return File(
        path,
        "go",
        package,
        imports,
        tuple(wildcards),
        tuple(classes),
        tuple(compiled_if(one, tags) for one in functions),
        tuple(statements),
        tuple((known, compiled_if(one, tags)) for known, one in methods),
        aliases,
    )


def _build_tags(root: Node) -> list[str]:
    """Return the comments above the package that decide whether the file is compiled."""
    found: list[str] = []
    for node in root.children:
        if node.type != "comment":
            break
        comment = " ".join(text(node).split())
        if comment.startswith(("//go:build ", "// +build ")):
            found.append(comment)
    return found


def _last(path: str) -> str:
    """Return the name of a package by its path."""
    parts = [part for part in path.split("/") if not _VERSION.fullmatch(part)]
    found = parts[-1] if parts else path
    found = re.sub(r"\.v\d+$", "", found)
    return found.removesuffix("-go").removeprefix("go-") if found not in ("go",) else found


def _type(lower: Lowering, node: Node) -> Class | None:
    kind = node.child_by_field_name("type")
    name = text(node.child_by_field_name("name"))
    if kind is None or kind.type not in ("struct_type", "interface_type"):
        return None
    if kind.type == "struct_type":
        return _struct(name, kind)
    functions: list[Function] = []
    supers: list[str] = []
    for one in lower.named(kind):
        if one.type in ("method_elem", "method_spec"):
            functions.append(_function(lower, one))
        else:
            supers.append(text(one))
    return Class(name, "interface", tuple(supers), (), tuple(functions), line=line(node))


def _struct(name: str, kind: Node) -> Class:
    """Return a struct; one without a name in the type of a field is a class inside it that is called as the field."""
    fields: list[Field] = []
    supers: list[str] = []
    classes: list[Class] = []
    for one in children(child(kind, "field_declaration_list"), "field_declaration"):
        names = one.children_by_field_name("name")
        typed = text(one.child_by_field_name("type"))
        notes = _tags(text(one.child_by_field_name("tag")))
        inner = _inner_struct(one.child_by_field_name("type"))
        if inner is not None and names:
            called = f"{text(names[0])} inside"
            typed = typed.replace(text(inner), called)
            classes.append(_struct(called, inner))
        if not names:
            supers.append(typed)
        fields += [Field(text(each), typed, notes=notes, line=line(one)) for each in names]
    return Class(name, "struct", tuple(supers), tuple(fields), classes=tuple(classes), line=line(kind))


def _inner_struct(node: Node | None) -> Node | None:
    """Return the struct that a type points to or has several of; None for other types."""
    while node is not None and node.type in ("pointer_type", "slice_type", "array_type"):
        node = node.named_children[-1]
    return node if node is not None and node.type == "struct_type" else None


def _tags(tag: str) -> tuple[Note, ...]:
    """Return the tags of a field: the name of each, its first word, and what follows."""
    found = []
    for key, value in _pairs(tag):
        if key in ("default", "envDefault", "env-default"):
            found.append(Note(key, (Argument(Literal(Kind.TEXT, value)),)))
            continue
        first, _, rest = value.partition(",")
        arguments = [Argument(Literal(Kind.TEXT, first))]
        if rest:
            arguments.append(Argument(Literal(Kind.TEXT, rest), "options"))
        found.append(Note(key, tuple(arguments)))
    return tuple(found)


def _pairs(tag: str) -> Iterator[tuple[str, str]]:
    """Yield the keys of a tag and their values, as reflect.StructTag reads them."""
    rest = tag.strip("`")
    while ':"' in rest:
        key, _, rest = rest.partition(':"')
        at = 0
        while at < len(rest) and rest[at] != '"':
            at += 2 if rest[at] == "\\" else 1
        yield key.strip(), rest[:at]
        rest = rest[at + 1 :]


def _method(lower: Lowering, node: Node) -> tuple[str, Function]:
    declared = child(node.child_by_field_name("receiver"), "parameter_declaration")
    called = text(declared.child_by_field_name("name")) if declared is not None else ""
    owner = text(declared.child_by_field_name("type")) if declared is not None else ""
    known = lower.extra
    lower.extra = {called: "this"} if called else {}
    function = _function(lower, node)
    lower.extra = known
    return owner.lstrip("*& ").partition("[")[0], function


def _function(lower: Lowering, node: Node) -> Function:
    return Function(
        text(node.child_by_field_name("name")),
        tuple(_parameters(node.child_by_field_name("parameters"))),
        _body(lower, node),
        text(node.child_by_field_name("result")),
        line=line(node),
        end=end(node),
        kinds=type_parameters(node),
    )


_RESULTS = " results"
"""The key in a lowering's names of the results that a function has names for."""


def _body(lower: Lowering, node: Node) -> Block | None:
    """Return the statements of a function; results with names are variables, which a return without values returns."""
    body, result = node.child_by_field_name("body"), node.child_by_field_name("result")
    if body is None:
        return None
    listed = result if result is not None and result.type == "parameter_list" else None
    named = [one for one in _parameters(listed) if one.name != "_"]
    known = lower.extra
    lower.extra = {**known, _RESULTS: ",".join(one.name for one in named)}
    lowered = lower.block(body)
    lower.extra = known
    return Block((*(Declare(Name(one.name), one.type) for one in named), *lowered.statements)) if named else lowered


def _returned(lower: Lowering, node: Node) -> Expression:
    names = lower.extra.get(_RESULTS, "")
    if lower.named(node) or not names:
        found = leave(Leave.RETURN)(lower, node)
        assert not isinstance(found, Declare | Loop | Class | Function)
        return found
    values = tuple(Name(one) for one in names.split(","))
    return Exit(Leave.RETURN, values[0] if len(values) == 1 else Sequence(values))


def _parameters(node: Node | None) -> Iterator[Parameter]:
    for one in children(node, "parameter_declaration", "variadic_parameter_declaration"):
        kind = text(one.child_by_field_name("type"))
        is_rest = one.type.startswith("variadic")
        names = one.children_by_field_name("name")
        for each in names:
            yield Parameter(text(each), kind, rest=is_rest)
        if not names:
            yield Parameter("_", kind, rest=is_rest)


def _name(lower: Lowering, node: Node) -> Expression:
    known = text(node)
    return Name(lower.extra.get(known, known))


def _values(lower: Lowering, node: Node | None) -> Expression:
    """Return the values of a list, a single one without the list."""
    found = lower.named(node) if node is not None else []
    if node is not None and node.type != "expression_list":
        return lower.value(node)
    values = tuple(lower.value(one) for one in found)
    return values[0] if len(values) == 1 else Sequence(values)


def _declared(lower: Lowering, node: Node) -> Code:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    return Declare(_values(lower, left), "", _values(lower, right))


def _assigned(lower: Lowering, node: Node) -> Code:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    sign = text(node.child_by_field_name("operator")) or "="
    return Assign(_values(lower, left), _values(lower, right), sign.removesuffix("="))


def _with_iota(code: object, place: Literal) -> object:
    """Return the expression of a constant with its place among those declared with it."""
    if isinstance(code, tuple):
        return tuple(_with_iota(one, place) for one in code)
    if code == Unknown("iota"):
        return place
    names = parts_of(type(code))
    if not names:
        return code
    return replace(code, **{name: _with_iota(getattr(code, name), place) for name in names})  # type: ignore[type-var]


def _variables(lower: Lowering, node: Node) -> Code:
    found: list[Code] = []
    specs = [
        one for part in (node, *children(node, "var_spec_list")) for one in children(part, "var_spec", "const_spec")
    ]
    repeated: Node | None = None
    for at, one in enumerate(specs):
        names = [Name(text(each)) for each in one.children_by_field_name("name") if each.type == "identifier"]
        value = one.child_by_field_name("value")
        if one.type == "const_spec":  # one without a value has the expression of the one before it
            value = repeated = value if value is not None else repeated
        given = _values(lower, value) if value is not None else None
        if value is not None and re.search(r"\biota\b", text(value)):
            given = _with_iota(given, Literal(Kind.NUMBER, str(at)))  # type: ignore[assignment]
        target: Expression = names[0] if len(names) == 1 else Sequence(tuple(names))
        found.append(Declare(target, text(one.child_by_field_name("type")), given))
    return found[0] if len(found) == 1 else Block(tuple(found))


def _call(lower: Lowering, node: Node) -> Expression:
    function = node.child_by_field_name("function")
    arguments = []
    listed = node.child_by_field_name("arguments")
    for one in lower.named(listed) if listed is not None else ():
        if one.type == "variadic_argument":
            arguments.append(Argument(Operation("...", (lower.value(lower.named(one)[0]),))))
        elif one.type.endswith("_type") and text(function) in ("make", "new"):
            arguments.append(Argument(Unknown(text(one))))
        else:
            arguments.append(Argument(lower.value(one)))
    called = text(function)
    if called == "new" and listed is not None and lower.named(listed):
        return New(text(lower.named(listed)[0]), line=line(node))
    if called == "make" and listed is not None and lower.named(listed):
        kind = lower.named(listed)[0].type
        if kind == "map_type":
            return Record(())
        return Sequence(()) if kind == "slice_type" else New(f"chan {text(lower.named(listed)[0])}", line=line(node))
    return Call(lower.value(function), tuple(arguments), line(node))


def _composite(lower: Lowering, node: Node) -> Expression:
    return _literal_value(lower, node.child_by_field_name("body"), node.child_by_field_name("type"))


def _literal_value(lower: Lowering, node: Node, kind: Node | None) -> Expression:
    """Lower the values in braces by the type before them."""
    keyed = children(node, "keyed_element")
    elements = children(node, "literal_element")
    if kind is not None and kind.type == "pointer_type":
        kind = kind.named_children[0]
    if kind is not None and kind.type == "map_type":
        inner = kind.child_by_field_name("value")
        return Record(
            tuple(
                (
                    _element(lower, one.child_by_field_name("key"), None),
                    _element(lower, one.child_by_field_name("value"), inner),
                )
                for one in keyed
            )
        )
    if kind is not None and kind.type in ("slice_type", "array_type", "implicit_length_array_type"):
        inner = kind.child_by_field_name("element")
        listed = [*elements, *(one.child_by_field_name("value") for one in keyed)]
        return Sequence(tuple(_element(lower, one, inner) for one in listed))
    members = tuple(
        Argument(
            _element(lower, one.child_by_field_name("value"), None), text(one.child_by_field_name("key")).strip('"`')
        )
        for one in keyed
    )
    given = tuple(Argument(_element(lower, one, None)) for one in elements)
    if kind is None:
        return Record(tuple((Literal(Kind.TEXT, one.name), one.value) for one in members))
    return New(text(kind), given, members, line=line(node))


def _element(lower: Lowering, node: Node, kind: Node | None) -> Expression:
    inner = node.named_children[0] if node.type == "literal_element" and node.named_children else node
    if inner.type == "literal_value":
        return _literal_value(lower, inner, kind)
    return lower.value(inner)


def _if(lower: Lowering, node: Node) -> Code:
    before = node.child_by_field_name("initializer")
    other = node.child_by_field_name("alternative")
    found = If(
        lower.value(node.child_by_field_name("condition")),
        lower.block(node.child_by_field_name("consequence")),
        lower.block(other) if other is not None else None,
    )
    return Block((lower.code(before), found)) if before is not None else found


def _for(lower: Lowering, node: Node) -> Code:
    body = lower.block(node.child_by_field_name("body"))
    each, clause = child(node, "range_clause"), child(node, "for_clause")
    if each is not None:
        left = each.child_by_field_name("left")
        names = [lower.value(one) for one in lower.named(left)] if left is not None else []
        source = lower.value(each.child_by_field_name("right"))
        if len(names) < 2:
            return Loop(body, names[0] if names else None, Call(Name("range"), (Argument(source),), line(node)))
        start: tuple[Code, ...] = ()
        if names[0] != Name("_"):
            start = (Declare(names[0], "", Call(Name("range"), (Argument(source),), line(node))),)
        return Loop(Block((*start, *body.statements)), names[1], source)
    if clause is not None:
        before = clause.child_by_field_name("initializer")
        after = clause.child_by_field_name("update")
        test = lower.maybe(clause.child_by_field_name("condition"))
        ends = (lower.code(after),) if after is not None else ()
        starts = (lower.code(before),) if before is not None else ()
        return Block((*starts, Loop(Block((*body.statements, *ends)), test=test)))
    tests = [one for one in lower.named(node) if one.type != "block"]
    return Loop(body, test=lower.value(tests[0]) if tests else None)


_FALLS = Unknown("fallthrough")


def _ended(body: Block) -> Block:
    """Return the body of a case without the end that each has which does not fall through."""
    return Block(body.statements[:-1]) if body.statements and body.statements[-1] == Exit(Leave.BREAK) else body


def _switch(lower: Lowering, node: Node) -> Code:
    before, alias = node.child_by_field_name("initializer"), node.child_by_field_name("alias")
    of = lower.maybe(node.child_by_field_name("value"))
    cases: list[Case] = []
    for one in children(node, "expression_case", "type_case", "default_case", "communication_case"):
        kinds = one.children_by_field_name("type")
        listed = one.child_by_field_name("value")
        values: tuple[Expression, ...] = tuple(Declare(Name("_"), text(each)) for each in kinds)  # type: ignore[misc]
        if listed is not None:
            values = tuple(lower.value(each) for each in lower.named(listed))
        bound: tuple[Code, ...] = ()
        if alias is not None and of is not None:
            kind = text(kinds[0]) if len(kinds) == 1 else ""
            bound = (Declare(_values(lower, alias), kind, of),)
        communication = one.child_by_field_name("communication")
        if communication is not None:
            right = communication.child_by_field_name("right")
            values = (Name(f"(select {text(right if right is not None else communication)})"),)
            bound = (lower.code(communication),)
        statements = [each for each in one.named_children if each.type == "statement_list"]
        body = [code for each in statements for code in lower.block(each).statements]
        if not (body and body[-1] == _FALLS):
            body.append(Exit(Leave.BREAK))
        cases.append(Case(values, Block((*bound, *(code for code in body if code != _FALLS)))))
    found = Match(of, tuple(replace(one, body=_ended(one.body)) for one in fallen(cases)))
    return Block((lower.code(before), found)) if before is not None else found


def _received(lower: Lowering, node: Node) -> Code:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    value = lower.value(right)
    return Declare(_values(lower, left), "", value) if left is not None else value


def _function_value(lower: Lowering, node: Node) -> Expression:
    return Lambda(
        Function(
            "",
            tuple(_parameters(node.child_by_field_name("parameters"))),
            _body(lower, node),
            line=line(node),
            end=end(node),
        )
    )


def _asserted(lower: Lowering, node: Node) -> Expression:
    value = lower.value(node.child_by_field_name("operand"))
    return Operation("as", (value, Unknown(text(node.child_by_field_name("type")))))


def _converted(lower: Lowering, node: Node) -> Expression:
    """Lower what the grammar takes for a conversion: a generic function that is given one argument looks the same."""
    kind = node.child_by_field_name("type")
    value = lower.value(node.child_by_field_name("operand"))
    inside = kind.child_by_field_name("type") if kind.type == "generic_type" else None
    if inside is not None:
        package, _, name = text(inside).rpartition(".")
        generic: Expression = Member(Name(package), name) if package else Name(name)
        given = tuple(Name(text(one)) for one in lower.named(kind.child_by_field_name("type_arguments")))
        return Call(Index(generic, given[0] if given else Name("")), (Argument(value),), line(node))
    return Call(Name(text(kind)), (Argument(value),), line(node))


def _sent(lower: Lowering, node: Node) -> Expression:
    channel = lower.value(node.child_by_field_name("channel"))
    return Call(Member(channel, "<-"), (Argument(lower.value(node.child_by_field_name("value"))),), line(node))


def _started(lower: Lowering, node: Node) -> Code:
    return lower.code(lower.named(node)[0])


def _unary(lower: Lowering, node: Node) -> Expression:
    operator = text(node.child_by_field_name("operator"))
    value = lower.value(node.child_by_field_name("operand"))
    if operator == "<-":
        return Call(Member(value, "received"), (), line(node))
    return Operation(operator, (value,))


def _increment(lower: Lowering, node: Node) -> Expression:
    sign = "+" if node.type == "inc_statement" else "-"
    return Assign(lower.value(lower.named(node)[0]), Literal(Kind.NUMBER, "1"), sign)


SYNTAX = Syntax(
    name="go",
    nodes={
        "identifier": _name,
        "field_identifier": _name,
        "package_identifier": _name,
        "type_identifier": _name,
        "interpreted_string_literal": string(),
        "raw_string_literal": string(),
        "rune_literal": string(),
        "int_literal": number,
        "float_literal": number,
        "true": literal(Kind.TRUTH),
        "false": literal(Kind.TRUTH),
        "nil": lambda _lower, _node: Literal(Kind.NOTHING, ""),
        "selector_expression": member("operand", "field"),
        "qualified_type": member("package", "name"),
        "call_expression": _call,
        "type_conversion_expression": _converted,
        "composite_literal": _composite,
        "func_literal": _function_value,
        "index_expression": index("operand", "index"),
        "slice_expression": lambda lower, node: Call(
            Name("slice"), tuple(Argument(lower.value(one)) for one in lower.named(node)), line(node)
        ),
        "type_assertion_expression": _asserted,
        "binary_expression": operation,
        "unary_expression": _unary,
        "expression_list": _values,
        "short_var_declaration": _declared,
        "assignment_statement": _assigned,
        "var_declaration": _variables,
        "const_declaration": _variables,
        "inc_statement": _increment,
        "dec_statement": _increment,
        "block": lambda lower, node: lower.blocks(
            [
                one
                for part in lower.named(node)
                for one in (lower.named(part) if part.type == "statement_list" else (part,))
            ]
        ),
        "statement_list": block,
        "if_statement": _if,
        "for_statement": _for,
        "fallthrough_statement": lambda _lower, _node: _FALLS,
        "expression_switch_statement": _switch,
        "type_switch_statement": _switch,
        "select_statement": _switch,
        "receive_statement": _received,
        "return_statement": _returned,
        "break_statement": leave(Leave.BREAK),
        "continue_statement": leave(Leave.CONTINUE),
        "go_statement": _started,
        "defer_statement": _started,
        "send_statement": _sent,
        "labeled_statement": lambda lower, node: lower.code(lower.named(node)[-1]),
        "literal_element": lambda lower, node: lower.value(lower.named(node)[0]),
        "variadic_argument": lambda lower, node: Operation("...", (lower.value(lower.named(node)[0]),)),
    },
    file=_file,
)
