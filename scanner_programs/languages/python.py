"""Python."""

from __future__ import annotations

from collections.abc import Iterator
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
    Note,
    Operation,
    Parameter,
    Record,
    Sequence,
    Statement,
    Text,
    Try,
    Unknown,
)
from scanner_programs.languages.forms import formatted
from scanner_programs.languages.lowering import (
    Code,
    Lowering,
    Node,
    Syntax,
    block,
    child,
    children,
    declare,
    end,
    function_of,
    index,
    inside,
    items,
    leave,
    line,
    literal,
    member,
    name,
    number,
    operation,
    text,
    yielded,
)


def _file(lower: Lowering, root: Node, path: str) -> File:
    imports: dict[str, str] = {}
    wildcards: list[str] = []
    classes: list[Class] = []
    functions: list[Function] = []
    statements: list[Expression | Statement] = []
    for node in _flat(root):
        if node.type in ("import_statement", "import_from_statement", "future_import_statement"):
            imports |= dict(_imported(node))
            if child(node, "wildcard_import") is not None:
                wildcards.append(text(node.child_by_field_name("module_name")).lstrip("."))
        elif _definition(node).type == "class_definition":
            classes.append(_class(lower, node))
        elif _definition(node).type == "function_definition":
            functions.append(_function(lower, node))
        elif node.type not in lower.syntax.comments:
            statements.append(lower.code(node))
    package = path.rpartition("/")[0].replace("/", ".")
    whole = tuple(_dispatching(functions))
    return File(path, "python", package, imports, tuple(wildcards), tuple(classes), whole, tuple(statements))


def _dispatching(functions: list[Function]) -> Iterator[Function]:
    """Yield functions; one with forms for types of its first argument (`singledispatch`) chooses among them."""
    for one in functions:
        if not any(note.name == "singledispatch" for note in one.notes) or not one.parameters:
            yield one
            continue
        cases = []
        for form in functions:
            noted = [note for note in form.notes if note.name == "register" and note.of == Name(one.name)]
            kind = next((each.value for note in noted for each in note.arguments), None)
            declared = form.parameters[0].type if form.parameters else ""
            wanted = kind.name if isinstance(kind, Name | Member) else declared
            if noted and wanted:
                given = tuple(Argument(Name(each.name)) for each in one.parameters)
                chosen = Call(Lambda(replace(form, notes=(), name="")), given, form.line)
                test = Declare(Name("_"), wanted)
                cases.append(Case((test,), Block((Exit(Leave.RETURN, chosen),))))  # type: ignore[arg-type]
        other = Case((), one.body or Block(()))
        yield replace(one, body=Block((Match(Name(one.parameters[0].name), (*cases, other)),)), notes=())


def _flat(root: Node) -> Iterator[Node]:
    """Yield the statements of a file, those that only guard imports without the guard."""
    for node in root.named_children:
        if node.type == "try_statement" or (node.type == "if_statement" and "TYPE_CHECKING" in text(node)[:40]):
            inner = [one for part in node.children for one in _blocks(part)]
            if any(_definition(one).type in ("import_statement", "import_from_statement") for one in inner):
                yield from inner
                continue
        yield node


def _blocks(node: Node) -> Iterator[Node]:
    if node.type == "block":
        yield from node.named_children
    elif node.type in ("except_clause", "else_clause"):
        for part in children(node, "block"):
            yield from part.named_children


def _definition(node: Node) -> Node:
    inner = node.child_by_field_name("definition") if node.type == "decorated_definition" else None
    return inner if inner is not None else node


def _imported(node: Node) -> Iterator[tuple[str, str]]:
    module = text(node.child_by_field_name("module_name")).lstrip(".")
    for one in node.children_by_field_name("name"):
        whole = text(one.child_by_field_name("name") or one)
        called = text(one.child_by_field_name("alias")) or (whole if module else whole.partition(".")[0])
        full = f"{module}.{whole}" if module else whole
        yield called, full if module or text(one.child_by_field_name("alias")) else whole.partition(".")[0]


def _notes(lower: Lowering, node: Node) -> tuple[Note, ...]:
    found = []
    for one in children(node, "decorator"):
        code = lower.value(lower.named(one)[0])
        given: tuple[Argument, ...] = ()
        if isinstance(code, Call):
            given, code = code.arguments, code.function
        if isinstance(code, Name | Member):
            found.append(Note(code.name, given, code.of if isinstance(code, Member) else None))
    return tuple(found)


def _class(lower: Lowering, node: Node) -> Class:
    inner = _definition(node)
    supers: list[str] = []
    notes = list(_notes(lower, node))
    for one in (
        lower.named(inner.child_by_field_name("superclasses")) if inner.child_by_field_name("superclasses") else ()
    ):
        if one.type == "keyword_argument":
            argument = Argument(lower.value(one.child_by_field_name("value")), text(one.child_by_field_name("name")))
            notes.append(Note("class", (argument,)))
        else:
            supers.append(text(one))
    fields: list[Field] = []
    functions: list[Function] = []
    classes: list[Class] = []
    statements: list[Expression | Statement] = []
    is_data = any(note.name in ("dataclass", "define", "frozen", "s", "attrs") for note in notes) or any(
        one.rpartition(".")[2]
        in ("BaseModel", "NamedTuple", "TypedDict", "Record", "BaseSettings", "Struct", "SQLModel")
        for one in supers
    )
    for each in inner.child_by_field_name("body").named_children:
        kind = _definition(each).type
        if kind == "function_definition":
            functions.append(_function(lower, each))
        elif kind == "class_definition":
            classes.append(_class(lower, each))
        elif each.type == "expression_statement" and each.named_children[0].type == "assignment":
            fields.append(_field(lower, each.named_children[0]))
        elif each.type not in ("comment", "pass_statement") and not _is_text(each):
            statements.append(lower.code(each))
    notes += _configured(fields, classes)
    is_enum = any("Enum" in one for one in supers)
    return Class(
        text(inner.child_by_field_name("name")),
        "enum" if is_enum else "data" if is_data else "interface" if "Protocol" in supers else "class",
        tuple(supers),
        tuple(fields),
        tuple(functions),
        tuple(classes),
        tuple(statements),
        tuple(notes),
        line(inner),
    )


def _configured(fields: list[Field], classes: list[Class]) -> Iterator[Note]:
    """Yield the notes of a class in the form of pydantic: its model_config, or a class Config inside it."""
    for one in fields:
        if one.name == "model_config" and isinstance(one.value, Call):
            yield Note(one.name, one.value.arguments)
        elif one.name == "model_config" and isinstance(one.value, Record):
            named = [(key.text, value) for key, value in one.value.entries if isinstance(key, Literal)]
            yield Note(one.name, tuple(Argument(value, name) for name, value in named))
    for inner in classes:
        if inner.name == "Config":
            yield Note(inner.name, tuple(Argument(one.value, one.name) for one in inner.fields if one.value))


def _is_text(node: Node) -> bool:
    return bool(node.type == "expression_statement" and node.named_children and node.named_children[0].type == "string")


def _field(lower: Lowering, node: Node) -> Field:
    kind = text(node.child_by_field_name("type"))
    right = node.child_by_field_name("right")
    value = lower.maybe(right)
    notes: tuple[Note, ...] = ()
    if isinstance(value, Call) and isinstance(value.function, Name | Member) and value.function.name in _FIELDS:
        notes = (Note(value.function.name, value.arguments),)
        named = {one.name: one.value for one in value.arguments}
        value = named.get("default")
        if value is None and right is not None and notes[0].arguments and not notes[0].arguments[0].name:
            value = notes[0].arguments[0].value
        if not kind and isinstance(of := named.get("type"), Name | Member):
            kind = of.name
    # PEP 526: what is annotated is a variable of the instances, unless its type says that it is one of the class.
    static = not notes if not kind else kind.rpartition(".")[2].startswith("ClassVar")
    return Field(text(node.child_by_field_name("left")), kind, value, notes, static, line(node))


_FIELDS = frozenset(("Field", "field", "ib", "attrib"))


def _function(lower: Lowering, node: Node) -> Function:
    inner = _definition(node)
    notes = _notes(lower, node)
    parameters = list(_parameters(lower, inner.child_by_field_name("parameters")))
    names = {note.name for note in notes}
    if parameters and parameters[0].name in ("self", "cls", "this") and "staticmethod" not in names:
        parameters = parameters[1:]
    return Function(
        text(inner.child_by_field_name("name")),
        tuple(parameters),
        None if "abstractmethod" in names else _body(lower, inner.child_by_field_name("body")),
        text(inner.child_by_field_name("return_type")),
        notes,
        "staticmethod" in names,
        line(inner),
        end(inner),
        bool(names & {"property", "cached_property"}),
    )


def _body(lower: Lowering, node: Node) -> Block | None:
    """Return the statements of a function; None for one that others implement."""
    found = [one for one in lower.named(node) if not _is_text(one)]
    if len(found) == 1 and (text(found[0]) == "..." or text(found[0]).startswith("raise NotImplementedError")):
        return None
    return lower.block(node)


def _parameters(lower: Lowering, node: Node | None) -> Iterator[Parameter]:
    for one in lower.named(node) if node is not None else ():
        if one.type == "identifier":
            yield Parameter(text(one))
        elif one.type == "typed_parameter":
            known = one.named_children[0]
            kind = text(one.child_by_field_name("type"))
            yield Parameter(text(known).lstrip("*"), kind, rest=known.type.endswith("splat_pattern"))
        elif one.type in ("default_parameter", "typed_default_parameter"):
            kind = text(one.child_by_field_name("type"))
            default = lower.maybe(one.child_by_field_name("value"))
            yield Parameter(text(one.child_by_field_name("name")), kind, default)
        elif one.type in ("list_splat_pattern", "dictionary_splat_pattern"):
            yield Parameter(text(one).lstrip("*"), rest=True)


def _arguments(lower: Lowering, node: Node | None) -> tuple[Argument, ...]:
    found = []
    for one in lower.named(node) if node is not None else ():
        if one.type == "keyword_argument":
            found.append(Argument(lower.value(one.child_by_field_name("value")), text(one.child_by_field_name("name"))))
        else:
            found.append(Argument(lower.value(one)))
    return tuple(found)


def _call(lower: Lowering, node: Node) -> Expression:
    function = lower.value(node.child_by_field_name("function"))
    arguments = node.child_by_field_name("arguments")
    if arguments is not None and arguments.type == "generator_expression":
        return Call(function, (Argument(lower.value(arguments)),), line(node))
    if isinstance(function, Member) and isinstance(function.of, Call) and function.of.function == Name("super"):
        function = Member(Name("super"), function.name)
    return Call(function, _arguments(lower, arguments), line(node))


def _string(lower: Lowering, node: Node) -> Expression:
    parts: list[Expression] = []
    for one in node.named_children:
        if one.type == "interpolation":
            value = lower.value(one.child_by_field_name("expression"))
            forms = [text(each) for each in one.named_children if each.type in ("format_specifier", "type_conversion")]
            parts.append(formatted(value, "".join(forms)))
        elif one.type == "string_content":
            parts.append(Literal(Kind.TEXT, text(one)))
    if all(isinstance(one, Literal) for one in parts):
        return Literal(Kind.TEXT, "".join(one.text for one in parts if isinstance(one, Literal)))
    return Text(tuple(parts))


def _deleted(lower: Lowering, node: Node) -> Code:
    """Lower `del a[b]` to the call that takes the entry out; variables that are deleted are only gone."""
    listed = lower.named(node)
    listed = lower.named(listed[0]) if listed[0].type == "expression_list" else listed
    found: list[Code] = []
    for one in map(lower.value, listed):
        if isinstance(one, Index):
            found.append(Call(Member(one.of, "pop"), (Argument(one.key),), line(node)))
        elif isinstance(one, Member):
            found.append(Call(Member(one.of, "pop"), (Argument(Literal(Kind.TEXT, one.name)),), line(node)))
    return Block(tuple(found))


def _joined(lower: Lowering, node: Node) -> Expression:
    return Text(tuple(lower.value(one) for one in lower.named(node)))


def _dictionary(lower: Lowering, node: Node) -> Expression:
    entries: list[tuple[Expression | None, Expression]] = []
    for one in lower.named(node):
        if one.type == "pair":
            entries.append((lower.value(one.child_by_field_name("key")), lower.value(one.child_by_field_name("value"))))
        elif one.type == "dictionary_splat":
            entries.append((None, lower.value(lower.named(one)[0])))
    return Record(tuple(entries))


def _assignment(lower: Lowering, node: Node) -> Code:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    kind = text(node.child_by_field_name("type"))
    if kind and left.type == "identifier":
        return declare(lower.value(left), kind, lower.maybe(right))
    return Assign(lower.value(left), lower.value(right))


def _augmented(lower: Lowering, node: Node) -> Expression:
    sign = text(node.child_by_field_name("operator")).removesuffix("=")
    return Assign(lower.value(node.child_by_field_name("left")), lower.value(node.child_by_field_name("right")), sign)


def _if(lower: Lowering, node: Node) -> Expression:
    rest = [one for one in node.children if one.type in ("elif_clause", "else_clause")]
    return _branch(lower, node, rest)


def _branch(lower: Lowering, node: Node, rest: list[Node]) -> Expression:
    other: Block | None = None
    if rest:
        first = rest[0]
        if first.type == "elif_clause":
            other = Block((_branch(lower, first, rest[1:]),))
        else:
            other = lower.block(first.child_by_field_name("body"))
    test = lower.value(node.child_by_field_name("condition"))
    return If(test, lower.block(node.child_by_field_name("consequence")), other)


def _for(lower: Lowering, node: Node) -> Code:
    target = lower.value(node.child_by_field_name("left"))
    body = lower.block(node.child_by_field_name("body"))
    return _ended(lower, node, Loop(body, target, lower.value(node.child_by_field_name("right"))))


def _ended(lower: Lowering, node: Node, loop: Loop) -> Code:
    """Return a loop with what runs after it unless it was left."""
    other = node.child_by_field_name("alternative")
    return Block((loop, *lower.block(other.child_by_field_name("body")).statements)) if other is not None else loop


def _while(lower: Lowering, node: Node) -> Code:
    body = lower.block(node.child_by_field_name("body"))
    return _ended(lower, node, Loop(body, test=lower.value(node.child_by_field_name("condition"))))


def _try(lower: Lowering, node: Node) -> Expression:
    body = lower.block(node.child_by_field_name("body"))
    handlers = tuple(lower.block(child(one, "block")) for one in children(node, "except_clause", "except_group_clause"))
    following = child(node, "else_clause")
    if following is not None:
        body = Block((*body.statements, *lower.block(following.child_by_field_name("body")).statements))
    last = child(node, "finally_clause")
    return Try(body, handlers, lower.block(child(last, "block")) if last is not None else None)


_LEAVES = frozenset(("return_statement", "raise_statement", "continue_statement", "break_statement"))


def _with(lower: Lowering, node: Node) -> Code:
    opened: list[Code] = []
    for clause in children(node, "with_clause"):
        for one in children(clause, "with_item"):
            value = one.child_by_field_name("value")
            if value.type == "as_pattern":
                parts = value.named_children
                target = parts[-1].named_children[0] if parts[-1].named_children else parts[-1]
                entered = Operation("enter", (lower.value(parts[0]),))
                opened.append(declare(lower.value(target), "", entered))
            else:
                opened.append(lower.code(value))
    body = lower.block(node.child_by_field_name("body"))
    if _ends(node.child_by_field_name("body")) and _is_followed(node):
        return Try(Block((*opened, *body.statements)), (Block(()),), None)
    return Block((*opened, *body.statements))


def _ends(block: Node) -> bool:
    """Return whether the last statement of a block leaves it."""
    last = next((one for one in reversed(block.named_children) if one.type != "comment"), None)
    return last is not None and last.type in _LEAVES


def _is_followed(node: Node) -> bool:
    """Return whether statements follow one in its block: behind a `with` that leaves, its manager swallows failures."""
    return node.next_named_sibling is not None and any(
        one.type != "comment" for one in node.parent.named_children if one.start_byte > node.start_byte
    )


def _lambda(lower: Lowering, node: Node) -> Expression:
    known = list(_parameters(lower, node.child_by_field_name("parameters")))
    return function_of(known, lower.value(node.child_by_field_name("body")), node)


def _comprehension(lower: Lowering, node: Node) -> Expression:
    """Lower `[f(x) for x in xs if t]` to what is called with each element."""
    body = node.child_by_field_name("body")
    if (entries := _entries_kept(lower, node, body)) is not None:
        return entries
    if body.type == "pair":
        value: Expression = Sequence(tuple(lower.value(one) for one in lower.named(body)))
    else:
        value = lower.value(body)
    tests: list[Expression] = []
    for one in reversed(node.named_children[1:]):
        if one.type == "if_clause":
            tests.insert(0, lower.value(one.named_children[0]))
        elif one.type == "for_in_clause":
            target = lower.value(one.child_by_field_name("left"))
            source = lower.value(one.child_by_field_name("right"))
            given = Parameter(target.name) if isinstance(target, Name) else Parameter("(each)")
            start = () if isinstance(target, Name) else (declare(target, "", Name("(each)")),)
            for test in tests:
                kept = function_of([given], Block((*start, test)), node)
                source = Call(Member(source, "filter"), (Argument(kept),), line(node))
            tests = []
            code: Code = Block((*start, value)) if start else value
            value = Call(Member(source, "map"), (Argument(function_of([given], code, node)),), line(node))
    is_map = body.type == "pair"  # {k: v for …} is dict((k, v) for …)
    return Call(Name("dict"), (Argument(value),), line(node)) if is_map else value


def _entries_kept(lower: Lowering, node: Node, body: Node) -> Expression | None:
    """Return a comprehension that makes a map of entries of another one as they are; None for others."""
    clauses = children(node, "for_in_clause")
    if body.type != "pair" or len(clauses) != 1:
        return None
    target, source = (
        lower.value(clauses[0].child_by_field_name("left")),
        lower.value(clauses[0].child_by_field_name("right")),
    )
    is_same = target == Sequence(tuple(lower.value(one) for one in lower.named(body)))
    is_items = isinstance(source, Call) and isinstance(source.function, Member) and source.function.name == "items"
    if not (is_same and is_items and isinstance(source, Call) and isinstance(source.function, Member)):
        return None
    tests = tuple(lower.value(one.named_children[0]) for one in children(node, "if_clause"))
    return Operation("kept", (source.function.of, *tests))


def _definition_code(lower: Lowering, node: Node) -> Code:
    inner = _definition(node)
    return _class(lower, node) if inner.type == "class_definition" else _function(lower, node)


def _choice(lower: Lowering, node: Node) -> Expression:
    then, test, other = lower.named(node)
    return Choice(lower.value(test), lower.value(then), lower.value(other))


def _match(lower: Lowering, node: Node) -> Expression:
    cases: list[Case] = []
    of = lower.value(node.child_by_field_name("subject"))
    for one in children(node.child_by_field_name("body"), "case_clause"):
        values = [lower.value(each) for each in children(one, "case_pattern")]
        values = [] if len(values) == 1 and values[0] == Name("_") else values
        guard = one.child_by_field_name("guard")
        test = lower.value(lower.named(guard)[0]) if guard is not None else None
        cases.append(Case(tuple(values), lower.block(one.child_by_field_name("consequence")), test))
    return Match(of, tuple(cases))


def _pattern(lower: Lowering, node: Node) -> Code:
    found = lower.named(node)
    return lower.code(found[0]) if len(found) == 1 else Name(text(node))


def _walrus(lower: Lowering, node: Node) -> Expression:
    return Assign(lower.value(node.child_by_field_name("name")), lower.value(node.child_by_field_name("value")))


def _splat(lower: Lowering, node: Node) -> Expression:
    sign = "**" if node.type.startswith("dictionary") else "*"
    return Operation(sign, (lower.value(lower.named(node)[0]),))


SYNTAX = Syntax(
    name="python",
    nodes={
        "yield": yielded,
        "identifier": name,
        "string": _string,
        "concatenated_string": _joined,
        "integer": number,
        "float": number,
        "true": literal(Kind.TRUTH),
        "false": literal(Kind.TRUTH),
        "none": lambda _lower, _node: Literal(Kind.NOTHING, ""),
        "ellipsis": lambda _lower, _node: Literal(Kind.NOTHING, ""),
        "attribute": member("object", "attribute"),
        "dotted_name": lambda _lower, node: Name(text(node)),
        "call": _call,
        "subscript": index("value", "subscript"),
        "slice": lambda lower, node: Call(
            Name("slice"), tuple(Argument(lower.value(one)) for one in lower.named(node)), line(node)
        ),
        "dictionary": _dictionary,
        "list": items,
        "tuple": items,
        "set": items,
        "expression_list": items,
        "pattern_list": items,
        "tuple_pattern": items,
        "list_splat": _splat,
        "dictionary_splat": _splat,
        "binary_operator": operation,
        "boolean_operator": operation,
        "not_operator": operation,
        "unary_operator": operation,
        "comparison_operator": operation,
        "conditional_expression": _choice,
        "await": inside,
        "assignment": _assignment,
        "augmented_assignment": _augmented,
        "named_expression": _walrus,
        "lambda": _lambda,
        "list_comprehension": _comprehension,
        "set_comprehension": _comprehension,
        "generator_expression": _comprehension,
        "dictionary_comprehension": _comprehension,
        "block": block,
        "if_statement": _if,
        "for_statement": _for,
        "while_statement": _while,
        "try_statement": _try,
        "with_statement": _with,
        "match_statement": _match,
        "case_pattern": _pattern,
        "return_statement": leave(Leave.RETURN),
        "raise_statement": leave(Leave.THROW),
        "break_statement": leave(Leave.BREAK),
        "continue_statement": leave(Leave.CONTINUE),
        "pass_statement": lambda _lower, _node: Block(()),
        "delete_statement": _deleted,
        "assert_statement": lambda lower, node: Call(
            Name("assert"), (Argument(lower.value(lower.named(node)[0])),), line(node)
        ),
        "global_statement": lambda _lower, node: Unknown("global", tuple(map(Name, map(text, node.named_children)))),
        "nonlocal_statement": lambda _lower, _node: Block(()),
        "import_statement": lambda _lower, _node: Block(()),
        "import_from_statement": lambda _lower, _node: Block(()),
        "class_definition": _definition_code,
        "function_definition": _definition_code,
        "decorated_definition": _definition_code,
    },
    file=_file,
)
