"""Rust."""

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
    Record,
    Sequence,
    Statement,
    Text,
    Unknown,
)
from scanner_programs.languages.forms import formatted
from scanner_programs.languages.lowering import (
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
    last,
    leave,
    line,
    literal,
    name,
    number,
    operation,
    string,
    text,
    type_parameters,
)
from scanner_programs.libraries.standard import ABSENT, PRESENT

_SAME = frozenset(
    (
        "unwrap", "expect", "clone", "to_owned", "to_string_lossy", "as_ref", "as_mut", "borrow", "borrow_mut",
        "lock", "await", "unwrap_or_default", "as_str", "as_deref", "iter", "into_iter", "to_vec", "ok"
    )
)  # fmt: skip
"""Methods of the standard library that return what they are called on, in another form of ownership."""


def _file(lower: Lowering, root: Node, path: str) -> File:
    found = _Contents(lower)
    found.read(root)
    return File(
        path,
        "rust",
        "",
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
        self.imports: dict[str, str] = {}
        self.wildcards: list[str] = []
        self.classes: list[Class] = []
        self.functions: list[Function] = []
        self.methods: list[tuple[str, Function]] = []
        self.statements: list[Expression | Statement] = []
        self.supers: dict[str, list[str]] = {}
        self.constants: dict[str, list[Field]] = {}

    def read(self, root: Node) -> None:
        """Add the declarations of a file or module."""
        self._read(root)
        self.classes = [
            replace(
                one,
                supers=(*one.supers, *self.supers.get(one.name, ())),
                fields=(*one.fields, *self.constants.pop(one.name, ())),
            )
            for one in self.classes
        ]
        for owner, constants in self.constants.items():  # of a type of another file
            self.statements += [Declare(Name(f"{owner}::{one.name}"), one.type, one.value) for one in constants]

    def _read(self, root: Node) -> None:
        notes: list[Note] = []
        for node in self.lower.named(root):
            if node.type == "attribute_item":
                notes += _notes(node)
                continue
            if node.type == "use_declaration":
                self._use(node.child_by_field_name("argument"), "")
            elif node.type in ("struct_item", "enum_item", "union_item"):
                self.classes.append(_struct(self.lower, node, tuple(notes)))
            elif node.type == "trait_item":
                self.classes.append(_trait(self.lower, node))
            elif node.type == "impl_item":
                self._impl(node)
            elif node.type == "function_item":
                self.functions.append(_function(self.lower, node, tuple(notes)))
            elif node.type == "mod_item":
                body = node.child_by_field_name("body")
                if body is not None and not any(one.name == "cfg" for one in notes):
                    self._read(body)
            elif node.type in ("const_item", "static_item"):
                value = self.lower.maybe(node.child_by_field_name("value"))
                kind = text(node.child_by_field_name("type"))
                self.statements.append(Declare(Name(text(node.child_by_field_name("name"))), kind, value))
            elif node.type == "macro_definition":  # whatever uses it has its text in it
                self.statements.append(Unknown(" ".join(text(node).split())))
            elif (declared := _declared(self.lower, node)) is not None:
                self._read(declared)
            elif node.type not in ("extern_crate_declaration", "type_item", "inner_attribute_item"):
                self.statements.append(self.lower.code(node))
            notes = []

    def _use(self, node: Node | None, before: str) -> None:
        """Add the names that a `use` binds."""
        if node is None:
            return
        joined = f"{before}::" if before else ""
        if node.type == "scoped_use_list":
            path = joined + text(node.child_by_field_name("path"))
            for one in self.lower.named(node.child_by_field_name("list")):
                self._use(one, path)
        elif node.type == "use_list":
            for one in self.lower.named(node):
                self._use(one, before)
        elif node.type == "use_as_clause":
            self.imports[text(node.child_by_field_name("alias"))] = joined + text(node.child_by_field_name("path"))
        elif node.type == "use_wildcard":
            whole = joined + "".join(map(text, self.lower.named(node)[:1]))  # in braces, it is a star alone
            self.wildcards.append(whole.removesuffix("::"))
        elif node.type == "self":
            self.imports[before.rpartition("::")[2]] = before
        else:
            whole = joined + text(node)
            self.imports[whole.rpartition("::")[2]] = whole

    def _impl(self, node: Node) -> None:
        owner = text(node.child_by_field_name("type")).partition("<")[0].rpartition("::")[2]
        trait = node.child_by_field_name("trait")
        if trait is not None:
            self.supers.setdefault(owner, []).append(text(trait).partition("<")[0])
        known = self.lower.extra
        self.lower.extra = {"Self": owner}
        for one in children(node.child_by_field_name("body"), "function_item"):
            self.methods.append((owner, _function(self.lower, one)))
        self.constants.setdefault(owner, []).extend(_constants(self.lower, node))
        self.lower.extra = known


_ITEMS = frozenset(
    (
        "attribute_item", "const_item", "enum_item", "function_item", "impl_item", "line_comment", "block_comment",
        "mod_item", "static_item", "struct_item", "trait_item", "type_item", "use_declaration",
    )
)  # fmt: skip
"""What a file or module may declare."""


def _break(lower: Lowering, node: Node) -> Expression:
    values = [lower.value(one) for one in lower.named(node) if one.type not in ("label", "lifetime")]
    return Exit(Leave.BREAK, values[0] if values else None)


def _notes(node: Node) -> list[Note]:
    attribute = child(node, "attribute")
    if attribute is None:
        return []
    called = text(attribute.named_children[0]).rpartition("::")[2]
    tree = attribute.child_by_field_name("arguments")
    arguments: list[Argument] = []
    key = ""
    for one in tree.named_children if tree is not None else ():
        if one.type == "identifier":
            key = text(one)
            arguments.append(Argument(Name(key)))
        elif one.type.endswith("_literal") and key:
            if arguments and arguments[-1] == Argument(Name(key)):
                arguments.pop()
            is_text = one.type == "string_literal"
            value = Literal(Kind.TEXT, text(one).strip('"')) if is_text else Literal(Kind.NUMBER, text(one))
            arguments.append(Argument(value, key))
            key = ""
    return [Note(called, tuple(arguments))] if called not in ("derive", "allow", "doc") else []


def _struct(lower: Lowering, node: Node, notes: tuple[Note, ...]) -> Class:
    called = text(node.child_by_field_name("name"))
    body = node.child_by_field_name("body")
    if node.type == "enum_item":
        return _enum(lower, node, body, called, notes)
    return Class(called, "struct", (), tuple(_fields(lower, body)), notes=notes, line=line(node))


def _fields(lower: Lowering, body: Node | None) -> Iterator[Field]:
    """Yield the fields of a struct or of a variant: by name, or by place."""
    waiting: list[Note] = []
    place = 0
    for one in lower.named(body) if body is not None else ():
        if one.type == "attribute_item":
            waiting += _notes(one)
            continue
        if one.type == "field_declaration":
            called, kind = text(one.child_by_field_name("name")), text(one.child_by_field_name("type"))
            yield Field(called, kind, notes=tuple(waiting), line=line(one))
        elif one.type != "visibility_modifier":
            yield Field(str(place), text(one), notes=tuple(waiting), line=line(one))
            place += 1
        waiting = []


def _enum(lower: Lowering, node: Node, body: Node | None, called: str, notes: tuple[Note, ...]) -> Class:
    """Lower an enumeration: variants with fields are classes below it, others are constants."""
    fields: list[Field] = []
    variants: list[Class] = []
    waiting: list[Note] = []
    inherited = tuple(
        replace(note, arguments=tuple(replace(one, name="rename_all") if one.name == "rename_all_fields" else one
                                      for one in note.arguments if one.name != "rename_all"))
        for note in notes
    )  # fmt: skip
    for one in lower.named(body) if body is not None else ():
        if one.type == "attribute_item":
            waiting += _notes(one)
        elif one.type == "enum_variant":
            known = text(one.child_by_field_name("name"))
            inside = one.child_by_field_name("body")
            if inside is not None:
                listed = tuple(_fields(lower, inside))
                variants.append(Class(known, "data", (called,), listed, notes=(*inherited, *waiting), line=line(one)))
            else:
                value = Call(Name("new enum"), (Argument(Literal(Kind.TEXT, known)),), line(one))
                fields.append(Field(known, "enum", value, tuple(waiting), True, line(one)))
            waiting = []
    kind = "class" if variants else "enum"
    return Class(called, kind, (), tuple(fields), classes=tuple(variants), notes=notes, line=line(node))


def _constants(lower: Lowering, node: Node) -> Iterator[Field]:
    """Yield the constants of a type or trait."""
    for one in children(node.child_by_field_name("body"), "const_item"):
        value = lower.maybe(one.child_by_field_name("value"))
        kind = text(one.child_by_field_name("type"))
        yield Field(text(one.child_by_field_name("name")), kind, value, static=True, line=line(one))


def _trait(lower: Lowering, node: Node) -> Class:
    functions = [
        _function(lower, one)
        for one in children(node.child_by_field_name("body"), "function_signature_item", "function_item")
    ]
    constants = tuple(_constants(lower, node))
    return Class(text(node.child_by_field_name("name")), "interface", (), constants, tuple(functions), line=line(node))


def _function(lower: Lowering, node: Node, notes: tuple[Note, ...] = ()) -> Function:
    body = node.child_by_field_name("body")
    parameters: list[Parameter] = []
    starts: list[Code] = []
    has_self = False
    for one in lower.named(node.child_by_field_name("parameters")):
        if one.type == "self_parameter":
            has_self = True
        elif one.type == "parameter":
            pattern = one.child_by_field_name("pattern")
            kind = lower.extra.get(text(one.child_by_field_name("type")), text(one.child_by_field_name("type")))
            if pattern.type in ("identifier", "mut_pattern", "self"):
                parameters.append(Parameter(text(pattern).removeprefix("mut "), kind))
            else:
                called = f"(pattern {len(parameters)})"
                parameters.append(Parameter(called, kind))
                starts.append(Declare(lower.value(pattern), "", Name(called)))
    lowered = lower.block(body) if body is not None else None
    if lowered is not None and starts:
        lowered = Block((*starts, *lowered.statements))
    called = text(node.child_by_field_name("name"))
    return Function(
        "create" if called == "new" else called,
        tuple(parameters),
        lowered,
        text(node.child_by_field_name("return_type")),
        notes,
        not has_self,
        line(node),
        end(node),
        kinds=type_parameters(node),
    )


def _call(lower: Lowering, node: Node) -> Expression:
    function = node.child_by_field_name("function")
    given = lower.arguments(node.child_by_field_name("arguments"))
    kind = ""
    if function.type == "generic_function":
        listed = lower.named(function.child_by_field_name("type_arguments"))
        kind = text(listed[0]) if len(listed) == 1 and listed[0].type in _KINDS else ""
        function = function.child_by_field_name("function")
    called = lower.value(function)
    if kind and isinstance(called, Name | Member) and called.name not in _SAME | _COLLECTS:
        called = replace(called, name=f"{called.name}<{kind}>")
    if isinstance(called, Name) and called.name in ("Some", "Ok", "Box") and len(given) == 1:
        return given[0].value
    if isinstance(called, Member) and len(given) == 1 and called.name == "new" and called.of in _HOLDERS:
        return given[0].value
    if isinstance(called, Member) and len(given) == 1 and _is_made_late(called):
        return Call(given[0].value, (), line(node))
    if isinstance(called, Member):
        if called.name in _SAME and len(given) <= 1 and function.type == "field_expression":
            return called.of
        if called.name == "new":
            called = Member(called.of, "create")
    return Call(called, given, line(node))


_KINDS = frozenset(("type_identifier", "scoped_type_identifier"))
_COLLECTS = frozenset(("collect", "parse", "into", "try_into", "sum", "product", "new"))
"""Methods whose result is in the form of the type in brackets, not one of its objects."""
_HOLDERS = (Name("Box"), Name("Arc"), Name("Rc"), Name("Mutex"), Name("RwLock"), Name("Some"))


def _is_made_late(called: Member) -> bool:
    """Return whether a call makes a value when it is first asked for, by the function that it is given."""
    of = called.of.name if isinstance(called.of, Name | Member) else ""
    return called.name == "get_or_init" or (called.name == "new" and of in _MADE_LATE)


_MADE_LATE = frozenset(("Lazy", "LazyLock", "LazyCell"))


def _path(lower: Lowering, node: Node) -> Expression:
    path, called = node.child_by_field_name("path"), text(node.child_by_field_name("name"))
    if path is None:
        return Name(called)
    before = text(path).partition("<")[0].removesuffix("::")
    if before in ("self", "super", "crate"):
        return Name(called)
    return Member(lower.value(path), called)


def _name(lower: Lowering, node: Node) -> Expression:
    known = text(node)
    if known in ("self", "None"):
        return Name("this") if known == "self" else Literal(Kind.NOTHING, "")
    return Name(lower.extra.get(known, known))


def _field_of(lower: Lowering, node: Node) -> Expression:
    called = text(node.child_by_field_name("field"))
    value = lower.value(node.child_by_field_name("value"))
    return Member(value, called)


def _struct_value(lower: Lowering, node: Node) -> Expression:
    kind = text(node.child_by_field_name("name"))
    members = []
    for one in lower.named(node.child_by_field_name("body")):
        if one.type == "shorthand_field_initializer":
            known = text(child(one, "identifier"))
            members.append(Argument(Name(known), known))
        elif one.type == "field_initializer":
            members.append(
                Argument(lower.value(one.child_by_field_name("value")), text(one.child_by_field_name("field")))
            )
        elif one.type == "base_field_initializer":
            members.append(Argument(lower.value(lower.named(one)[0]), "*"))
    return New(lower.extra.get(kind, kind), (), tuple(members), line=line(node))


def _let(lower: Lowering, node: Node) -> Code:
    pattern, value = node.child_by_field_name("pattern"), node.child_by_field_name("value")
    kind = text(node.child_by_field_name("type"))
    if not kind and pattern.type == "struct_pattern":
        kind = text(pattern.child_by_field_name("type"))
    other = node.child_by_field_name("alternative")
    found = Declare(_bound(lower, pattern), kind, lower.maybe(value))
    if other is None:
        return found
    test = Operation("instanceof", (lower.value(value), Unknown(_tested(pattern))))
    return Block((found, If(Operation("!", (test,)), lower.block(other))))


def _tested(pattern: Node) -> str:
    """Return what a pattern asks a value for: the variant or struct that it is of."""
    return text(pattern).partition("(")[0].partition("{")[0].strip()


def _bound(lower: Lowering, node: Node) -> Expression:
    """Return what a pattern binds, for a value that fits it."""
    if node.type == "struct_pattern":
        entries: list[tuple[Expression | None, Expression]] = []
        for one in children(node, "field_pattern"):
            known = text(one.child_by_field_name("name"))
            inner = one.child_by_field_name("pattern")
            entries.append((Literal(Kind.TEXT, known), _bound(lower, inner) if inner is not None else Name(known)))
        return Record(tuple(entries))
    if node.type == "tuple_struct_pattern":
        kind = node.child_by_field_name("type")
        inner = [one for one in lower.named(node) if kind is None or one.id != kind.id]
        if text(kind) in ("Some", "Ok", "Err") and len(inner) == 1:
            return _bound(lower, inner[0])
        return Call(Name(text(kind)), tuple(Argument(_bound(lower, one)) for one in inner), line(node))
    if node.type in ("tuple_pattern", "slice_pattern"):
        return Sequence(tuple(_bound(lower, one) for one in lower.named(node)))
    if node.type in ("mut_pattern", "ref_pattern", "reference_pattern"):
        return _bound(lower, lower.named(node)[-1])
    return lower.value(node)


def _if(lower: Lowering, node: Node) -> Code:
    test = node.child_by_field_name("condition")
    other = node.child_by_field_name("alternative")
    then = lower.block(node.child_by_field_name("consequence"))
    otherwise = lower.block(lower.named(other)[0]) if other is not None and lower.named(other) else None
    if test.type == "let_condition":
        value, pattern = test.child_by_field_name("value"), test.child_by_field_name("pattern")
        of = lower.value(value)
        is_some = Operation("instanceof", (of, Unknown(_tested(pattern))))
        start = Declare(_bound(lower, pattern), "", of)
        return If(is_some, Block((start, *then.statements)), otherwise)
    return If(lower.value(test), then, otherwise)


def _match(lower: Lowering, node: Node) -> Expression:
    cases = []
    for one in children(node.child_by_field_name("body"), "match_arm", "last_match_arm"):
        pattern = one.child_by_field_name("pattern")
        condition = pattern.child_by_field_name("condition")
        inner = [each for each in lower.named(pattern) if condition is None or each.id != condition.id]
        body = lower.block(one.child_by_field_name("value"))
        test = lower.maybe(condition)
        if not inner:
            cases.append(Case((), body, test))
            continue
        listed = lower.named(inner[0]) if inner[0].type == "or_pattern" else [inner[0]]
        values = tuple(_pattern(lower, each) for each in listed)
        cases.append(Case(values, body, test))
    of = lower.value(node.child_by_field_name("value"))
    return Block((Declare(Name("(of)"), "", of), Match(Name("(of)"), tuple(cases))))


def _pattern(lower: Lowering, node: Node) -> Expression:
    if node.type in ("tuple_struct_pattern",):
        kind = node.child_by_field_name("type")
        inner = [one for one in lower.named(node) if kind is None or one.id != kind.id]
        path = [lower.extra.get(one, one) for one in text(kind).split("::") if one not in ("crate", "self", "super")]
        called = path[-1] if path[-1] in PRESENT | ABSENT else ".".join(path)
        return Call(Name(called), tuple(Argument(_pattern(lower, one)) for one in inner), line(node))
    if node.type == "struct_pattern":
        return Declare(_bound(lower, node), text(node.child_by_field_name("type")))  # type: ignore[return-value]
    return lower.value(node)


def _for(lower: Lowering, node: Node) -> Code:
    body = lower.block(node.child_by_field_name("body"))
    return Loop(
        body, _bound(lower, node.child_by_field_name("pattern")), lower.value(node.child_by_field_name("value"))
    )


def _while(lower: Lowering, node: Node) -> Code:
    body = lower.block(node.child_by_field_name("body"))
    test = node.child_by_field_name("condition")
    if test is not None and test.type == "let_condition":
        of = lower.value(test.child_by_field_name("value"))
        return Loop(body, _bound(lower, test.child_by_field_name("pattern")), of)
    return Loop(body, test=lower.maybe(test))


def _closure(lower: Lowering, node: Node) -> Expression:
    parameters: list[Parameter] = []
    starts: list[Code] = []
    for one in lower.named(node.child_by_field_name("parameters")):
        pattern = one.child_by_field_name("pattern") if one.type == "parameter" else one
        kind = text(one.child_by_field_name("type")) if one.type == "parameter" else ""
        if pattern.type == "identifier":
            parameters.append(Parameter(text(pattern), kind))
        else:
            parameters.append(Parameter(f"(pattern {len(parameters)})", kind))
            starts.append(Declare(_bound(lower, pattern), "", Name(parameters[-1].name)))
    code = lower.code(node.child_by_field_name("body"))
    body = code if isinstance(code, Block) else Block((Exit(Leave.RETURN, code) if is_expression(code) else code,))
    return Lambda(Function("", tuple(parameters), Block((*starts, *body.statements)), line=line(node), end=end(node)))


def _async(lower: Lowering, node: Node) -> Code:
    return lower.code(lower.named(node)[-1])


def _macro(lower: Lowering, node: Node) -> Expression:
    """Lower a macro by its tokens, which have no tree: names, members and texts among them are its arguments."""
    called = text(node.child_by_field_name("macro")).rpartition("::")[2]
    whole = text(node.child_by_field_name("macro"))
    tree = child(node, "token_tree")
    if called == "json" and tree is not None:
        return _json(lower, tree)
    given = [Argument(one) for one in _tokens(lower, tree)]
    if called == "vec":
        return Sequence(tuple(one.value for one in given))
    if called == "format" and tree is not None:
        return Text(_placed(lower, tree))
    return Call(
        Name(f"{whole}!" if whole not in ("println", "print", "eprintln") else "println"), tuple(given), line(node)
    )


def _tokens(lower: Lowering, tree: Node | None) -> Iterator[Expression]:
    """Yield the values between the commas of tokens."""
    group: list[Node] = []
    for one in (*tree.children[1:-1], None) if tree is not None else ():
        if one is None or text(one) == ",":
            if group:
                yield _reread(lower, group)
            group = []
        else:
            group.append(one)


def _reread(lower: Lowering, group: list[Node]) -> Expression:
    """Return the value of tokens, which are an expression in most macros, by parsing them as one."""
    start, stop = group[0].start_byte, group[-1].end_byte
    whole = group[0].parent.text[start - group[0].parent.start_byte : stop - group[0].parent.start_byte].decode()
    key = next((place for place, one in enumerate(group) if text(one) == "=" and place == 1), 0)
    if key and group[0].type == "identifier":  # an argument with a name
        return _reread(lower, group[2:]) if len(group) > 2 else Unknown(whole)
    if lower.parse is not None and len(whole) < _LONGEST:
        before = "\n" * (line(group[0]) - 1)
        root = lower.parse(f"{before}const _: () = {whole};")
        value = root.named_children[0].child_by_field_name("value") if root.named_children else None
        if value is not None and not root.has_error:
            return lower.value(value)
    names = [lower.value(one) for one in group if one.type in ("identifier", "string_literal")]
    inner = [each for one in group if one.type == "token_tree" for each in _tokens(lower, one)]
    return Unknown(" ".join(text(one) for one in group), (*names, *inner))


_LONGEST = 20_000
"""Characters of an argument of a macro that is parsed again."""


def _declared(lower: Lowering, node: Node) -> Node | None:
    """Return the declarations that are the tokens of a macro beside others; None if they are something else.

    `lazy_static!` and `thread_local!` take declarations as a file has them, the first with a `ref` of its own.
    """
    macro = child(node, "macro_invocation") if node.type == "expression_statement" else node
    tree = child(macro, "token_tree") if macro is not None and macro.type == "macro_invocation" else None
    if tree is None or lower.parse is None or len(text(tree)) > _LONGEST:
        return None
    inside = text(tree)[1:-1].replace("static ref ", "static ")
    before = "\n" * (line(tree) - 1)
    for closing in ("", ";"):  # the last of `thread_local!` may be without
        root = lower.parse(f"{before}{inside}{closing}")
        if not root.has_error and root.named_children and all(one.type in _ITEMS for one in root.named_children):
            return root
    return None


def _placed(lower: Lowering, tree: Node) -> tuple[Expression, ...]:
    """Return the parts of a text with values in it: its first argument, with the names and values in braces."""
    given = list(_tokens(lower, tree))
    first = given[0] if given else None
    if not isinstance(first, Literal):
        return tuple(given)
    parts: list[Expression] = []
    rest = iter(given[1:])
    for before, name_and_form in _braces(first.text):
        if before:
            parts.append(Literal(Kind.TEXT, before))
        name, _, form = (name_and_form or "").partition(":")
        if name_and_form is None:
            continue
        value = next(rest, None) if not name or name.isdigit() else Name(name)
        if value is not None:
            parts.append(formatted(Name("this") if value == Name("self") else value, form.strip()))
    return (*parts, *rest)


def _braces(text: str) -> Iterator[tuple[str, str | None]]:
    """Yield each text before braces with what is in these, and the text after the last ones with None."""
    before = ""
    while text:
        head, brace, tail = text.partition("{")
        before += head.replace("}}", "}")
        if not brace:
            break
        if tail.startswith("{"):
            before, text = before + "{", tail[1:]
            continue
        inside, _, text = tail.partition("}")
        yield before, inside
        before = ""
    yield before, None


def _json(lower: Lowering, tree: Node) -> Expression:
    """Lower the tokens of `json!`: an object, a list or a value."""
    inner = [one for one in tree.children if one.type == "token_tree"]
    opened = text(tree)[:1]
    if opened == "(":
        return _json_value(lower, tree.children[1:-1]) if len(inner) != 1 else _json(lower, inner[0])
    groups: list[list[Node]] = [[]]
    for one in tree.children[1:-1]:
        if text(one) == ",":
            groups.append([])
        else:
            groups[-1].append(one)
    if opened == "[":
        return Sequence(tuple(_json_value(lower, one) for one in groups if one))
    entries: list[tuple[Expression | None, Expression]] = []
    for group in groups:
        at = next((place for place, one in enumerate(group) if text(one) == ":"), -1)
        if at > 0:
            entries.append((_reread(lower, group[:at]), _json_value(lower, group[at + 1 :])))
    return Record(tuple(entries))


def _json_value(lower: Lowering, group: list[Node]) -> Expression:
    if len(group) == 1 and group[0].type == "token_tree":
        return _json(lower, group[0])
    if not group or (len(group) == 1 and text(group[0]) == "null"):
        return Literal(Kind.NOTHING, "")
    return _reread(lower, group)


def _cast(lower: Lowering, node: Node) -> Expression:
    kind = text(node.child_by_field_name("type"))
    return Operation("as", (lower.value(node.child_by_field_name("value")), Unknown(kind)))


def _index(lower: Lowering, node: Node) -> Expression:
    parts = lower.named(node)
    return Index(lower.value(parts[0]), lower.value(parts[-1]))


def _assigned(lower: Lowering, node: Node) -> Expression:
    sign = text(node.child_by_field_name("operator")).removesuffix("=")
    return Assign(lower.value(node.child_by_field_name("left")), lower.value(node.child_by_field_name("right")), sign)


def _unary(lower: Lowering, node: Node) -> Expression:
    sign = next((text(one) for one in node.children if not one.is_named), "")
    return Operation(sign, (lower.value(lower.named(node)[-1]),))


def _block(lower: Lowering, node: Node) -> Expression:
    """Lower statements; a last statement with a semicolon has no value."""
    codes = [lower.code(one) for one in lower.named(node)]
    return Block(tuple(codes))


SYNTAX = Syntax(
    name="rust",
    inner=frozenset(("parenthesized_expression", "expression_statement")),
    nodes={
        "identifier": _name,
        "field_identifier": _name,
        "type_identifier": _name,
        "self": _name,
        "crate": name,
        "string_literal": string(),
        "raw_string_literal": string(),
        "char_literal": string(),
        "integer_literal": number,
        "float_literal": number,
        "boolean_literal": literal(Kind.TRUTH),
        "unit_expression": lambda _lower, _node: Literal(Kind.NOTHING, ""),
        "scoped_identifier": _path,
        "scoped_type_identifier": _path,
        "field_expression": _field_of,
        "call_expression": _call,
        "generic_function": lambda lower, node: lower.value(node.child_by_field_name("function")),
        "struct_expression": _struct_value,
        "index_expression": _index,
        "array_expression": items,
        "tuple_expression": items,
        "tuple_pattern": items,
        "binary_expression": operation,
        "unary_expression": _unary,
        "reference_expression": last,
        "type_cast_expression": _cast,
        "try_expression": lambda lower, node: Operation("?", (lower.value(lower.named(node)[0]),)),
        "await_expression": inside,
        "let_declaration": _let,
        "assignment_expression": _assigned,
        "compound_assignment_expr": _assigned,
        "block": _block,
        "unsafe_block": _async,
        "async_block": _async,
        "const_block": _async,
        "if_expression": _if,
        "match_expression": _match,
        "for_expression": _for,
        "while_expression": _while,
        "loop_expression": _while,
        "closure_expression": _closure,
        "macro_invocation": _macro,
        "return_expression": leave(Leave.RETURN),
        "break_expression": _break,
        "continue_expression": leave(Leave.CONTINUE),
        "function_item": lambda lower, node: _function(lower, node),
        "let_condition": lambda lower, node: Operation(
            "instanceof",
            (
                lower.value(node.child_by_field_name("value")),
                Unknown(_tested(node.child_by_field_name("pattern"))),
            ),
        ),
        "empty_statement": lambda _lower, _node: Block(()),
        "use_declaration": lambda _lower, _node: Block(()),
        "attribute_item": lambda _lower, _node: Block(()),
    },
    file=_file,
)
