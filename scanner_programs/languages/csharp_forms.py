"""Forms of C# that stand for calls and results: queries, and parameters that a method sets for its caller."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from scanner_programs.ir import (
    Argument,
    Assign,
    Block,
    Call,
    Declare,
    Exit,
    Expression,
    Function,
    If,
    Kind,
    Lambda,
    Leave,
    Literal,
    Member,
    Name,
    Operation,
    Parameter,
    Statement,
    parts_of,
)
from scanner_programs.languages.lowering import Lowering, Node, children, line, text

_NOTHING = Literal(Kind.NOTHING, "")


def query(lower: Lowering, node: Node) -> Expression:
    """Return a query as the calls of methods of sequences that it stands for."""
    return _clauses(lower, list(lower.named(node)), Name("?"), [], [])


def _clauses(
    lower: Lowering, clauses: Sequence[Node], of: Expression, names: list[str], lets: list[Statement]
) -> Expression:
    """Return what the clauses make of a sequence whose elements have a name; *lets* are further names of each."""
    if not clauses:
        return of
    clause, rest = clauses[0], list(clauses[1:])
    inner = lower.named(clause)

    def function(value: Expression) -> Argument:
        body = Block((*lets, Exit(Leave.RETURN, value)))
        return Argument(Lambda(Function("", tuple(map(Parameter, names)), body, line=line(node_of))))

    node_of = clause
    match clause.type:
        case "from_clause":
            source, called = lower.value(inner[-1]), text(inner[-2])
            if not names:
                return _clauses(lower, rest, source, [called], [])
            made = _clauses(lower, rest, source, [called], [])
            return Call(Member(of, "SelectMany"), (function(made),), line(clause))
        case "join_clause":
            called, source, own, other = text(inner[0]), *map(lower.value, inner[1:4])
            test = Exit(Leave.RETURN, Operation("==", (own, other)))
            fits = Lambda(Function("", (Parameter(called),), Block((test,)), line=line(clause)))
            source = Call(Member(source, "Where"), (Argument(fits),), line(clause))
            made = _clauses(lower, rest, source, [called], [])
            return Call(Member(of, "SelectMany"), (function(made),), line(clause))
        case "let_clause":
            return _clauses(lower, rest, of, names, [*lets, Declare(Name(text(inner[0])), "", lower.value(inner[1]))])
        case "where_clause":
            of = Call(Member(of, "Where"), (function(lower.value(inner[0])),), line(clause))
            return _clauses(lower, rest, of, names, lets)
        case "order_by_clause":
            of = Call(Member(of, "OrderBy"), (function(lower.value(inner[0])),), line(clause))
            return _clauses(lower, rest, of, names, lets)
        case "group_clause":
            given = [function(lower.value(inner[1]))]
            element = lower.value(inner[0])
            given += [function(element)] if element != Name(names[0] if names else "") else []
            of = Call(Member(of, "GroupBy"), tuple(given), line(clause))
        case "select_clause":
            of = Call(Member(of, "Select"), (function(lower.value(inner[0])),), line(clause))
        case _:
            return lower.unknown(clause)
    if rest and rest[0].type == "identifier":  # the name that the rest of the query has for what is made so far
        return _clauses(lower, rest[1:], of, [text(rest[0])], [])
    return of


def outputs(node: Node | None) -> dict[str, str]:
    """Return the parameters that a method sets for its caller, each with the word that says so: `out` or `ref`."""
    words = {
        text(one.child_by_field_name("name")): {text(each) for each in children(one, "modifier")} & {"out", "ref"}
        for one in children(node, "parameter")
    }
    return {name: next(iter(found)) for name, found in words.items() if found}


def with_outputs(function: Function, names: Mapping[str, str]) -> Function:
    """Return a method that sets a parameter for its caller as one that returns what it sets it to."""
    if len(names) != 1 or function.body is None:
        return function
    ((called, word),) = names.items()
    result, is_given = Name(called), word == "ref"  # the caller has a value for it
    if is_given and function.type != "void":
        return function

    def leave(one: Exit) -> Exit:
        kept = (one.value,) if one.value is not None and not isinstance(one.value, Literal) else ()
        return Exit(one.leave, Block((*kept, result)) if kept else result)

    body = _with_exits(function.body, leave)
    assert isinstance(body, Block)
    start = () if is_given else (Declare(result, "", _NOTHING),)
    parameters = tuple(one for one in function.parameters if is_given or one.name != called)
    return replace(
        function, parameters=parameters, type="", body=Block((*start, *body.statements, Exit(Leave.RETURN, result)))
    )


def _with_exits(code: object, leave: Callable[[Exit], Exit]) -> object:
    """Return code with each return of the function itself changed."""
    if isinstance(code, tuple):
        return tuple(_with_exits(one, leave) for one in code)
    if isinstance(code, Exit) and code.leave is Leave.RETURN:
        return leave(code)
    names = None if isinstance(code, Lambda | Function) else parts_of(type(code))
    if not names:
        return code
    changed = {name: _with_exits(getattr(code, name), leave) for name in names}
    if all(changed[name] is getattr(code, name) for name in names):
        return code
    return replace(code, **changed)  # type: ignore[type-var]


def setting(lower: Lowering, node: Node, call: Call) -> Expression:
    """Return a call that sets a variable of the caller as what it is: a call whose result the variable has.

    Its own result says whether there is one.
    """
    listed = children(node.child_by_field_name("arguments"), "argument")
    at = [place for place, one in enumerate(listed) if one.children and text(one.children[0]) in ("out", "ref")]
    if len(at) != 1 or len(listed) != len(call.arguments):
        return call
    is_given = text(listed[at[0]].children[0]) == "ref"
    if is_given and node.parent.type != "expression_statement":
        return call
    given = lower.named(listed[at[0]])[-1]
    called = text(given.child_by_field_name("name")) if given.type == "declaration_expression" else text(given)
    kept = tuple(one for place, one in enumerate(call.arguments) if is_given or place != at[0])
    plain = replace(call, arguments=kept)
    target = Name(called)
    is_new = given.type == "declaration_expression"
    first: Statement | Expression = Declare(target, "", plain) if is_new else Assign(target, plain)
    return Block((first, Operation("!=", (target, _NOTHING))))


_COMPILED = ("preproc_if", "preproc_elif", "preproc_else")


def compiled(
    lower: Lowering, nodes: Iterable[Node], conditions: tuple[str, ...] = ()
) -> Iterator[tuple[Node, tuple[str, ...]]]:
    """Yield the declarations among *nodes*, also those in directives such as `#if`, each with the conditions on it."""
    for node in nodes:
        if node.type in _COMPILED:
            yield from compiled(lower, _directed(lower, node), (*conditions, _condition(node)))
        else:
            yield node, conditions


def directive(lower: Lowering, node: Node) -> Expression:
    """Return the statements in a directive such as `#if` as those of a condition on a symbol of the compiler."""
    inside = [one for one in _directed(lower, node) if one.type not in _COMPILED]
    other = next((one for one in _directed(lower, node) if one.type in _COMPILED), None)
    then = Block(tuple(lower.code(one) for one in inside))
    if node.type == "preproc_else":
        return If(Literal(Kind.TRUTH, "true"), then, Block((directive(lower, other),)) if other is not None else None)
    return If(Name(_condition(node)), then, Block((directive(lower, other),)) if other is not None else None)


def _condition(node: Node) -> str:
    condition = node.child_by_field_name("condition")
    return "#else" if condition is None else f"#if {' '.join(text(condition).split())}"


def _directed(lower: Lowering, node: Node) -> list[Node]:
    condition = node.child_by_field_name("condition")
    return [one for one in lower.named(node) if condition is None or one.id != condition.id]
