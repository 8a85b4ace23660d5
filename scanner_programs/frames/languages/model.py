"""Lower the model of a source file to a syntax tree of Python, so that one machine evaluates jobs in Java and Kotlin.

The model is that of `scanner_programs/ir.py`. What has no counterpart becomes a call of a name that is not defined,
with its parts as arguments: its value is unknown, and the frames in it are not lost.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

from scanner_programs import ir

_T = TypeVar("_T", bound=ast.AST)
_RENAMED = {"toUpperCase": "upper", "toLowerCase": "lower", "uppercase": "upper", "lowercase": "lower", "trim": "strip"}
_LISTS = frozenset({"List", "Set", "Stream", "Arrays", "ImmutableList", "Lists", "Seq"})
_LIST_FUNCTIONS = frozenset({"listOf", "setOf", "arrayOf", "mutableListOf", "sequenceOf", "arrayListOf"})
_MAP_FUNCTIONS = frozenset({"mapOf", "mutableMapOf", "hashMapOf"})
_EMPTY = {
    **dict.fromkeys(("ArrayList", "LinkedList", "HashSet", "LinkedHashSet", "Vector"), "list"),
    **dict.fromkeys(("HashMap", "LinkedHashMap", "TreeMap", "Properties", "ConcurrentHashMap"), "dict"),
}
_BINARY: Mapping[str, type[ast.operator]] = {
    "+": ast.Add,
    "-": ast.Sub,
    "*": ast.Mult,
    "/": ast.Div,
    "%": ast.Mod,
    "&": ast.BitAnd,
    "|": ast.BitOr,
}
_COMPARED: Mapping[str, type[ast.cmpop]] = {
    **dict.fromkeys(("==", "==="), ast.Eq),
    **dict.fromkeys(("!=", "!=="), ast.NotEq),
    "<": ast.Lt,
    "<=": ast.LtE,
    ">": ast.Gt,
    ">=": ast.GtE,
}
_SHORT: Mapping[str, type[ast.boolop]] = {"&&": ast.And, "||": ast.Or, "?:": ast.Or}
_ESCAPES = {"\\n": "\n", "\\t": "\t", '\\"': '"', "\\'": "'", "\\$": "$", "\\r": "\r"}


def lowered(file: ir.File) -> ast.Module:
    """Return the module of a file: its classes, functions and statements, and a call of each `main`."""
    lower = _Lowering(file)
    body: list[ast.stmt] = [lower.imported(name, path) for name, path in file.imports.items()]
    body += [_import(_library(path), "*") for path in file.wildcards]
    classes = list(_flat(file.classes))
    body += [lower.of_class(each) for each in classes]
    inner_first = classes[::-1]
    for each in (*filter(_constants, inner_first), *(each for each in inner_first if not _constants(each))):
        body += lower.after(each)
    body += [lower.function(each) for each in file.functions]
    body += lower.statements(file.statements)
    body += lower.mains(file)
    return ast.fix_missing_locations(ast.Module(body=body, type_ignores=[]))


def _flat(classes: Iterable[ir.Class]) -> Iterator[ir.Class]:
    """Yield classes, and those in them: superclasses before those that extend them."""
    every: list[ir.Class] = []
    waiting = list(classes)
    while waiting:
        each = waiting.pop(0)
        every.append(each)
        waiting += each.classes
    named = {each.name: each for each in every}
    done: set[str] = set()

    def order(each: ir.Class) -> Iterator[ir.Class]:
        if each.name not in done:
            done.add(each.name)
            for name in each.supers:
                if _plain(name) in named:
                    yield from order(named[_plain(name)])
            yield each

    for each in every:
        yield from order(each)


def _plain(name: str) -> str:
    """Return the name of a type without its package and arguments."""
    return name.partition("<")[0].rpartition(".")[2].strip("?[] ")


def _library(path: str) -> str:
    return path.replace("org.apache.spark.sql", "pyspark.sql")


def _import(module: str, name: str, called: str | None = None) -> ast.ImportFrom:
    return ast.ImportFrom(module=module, names=[ast.alias(name=name, asname=called)], level=0)


def _name(name: str) -> ast.Name:
    return ast.Name(id=name, ctx=ast.Load())


def _at(made: _T, line: int) -> _T:
    if line:
        made.lineno, made.col_offset = line, 0  # type: ignore[attr-defined]
    return made


def _unescaped(text: str) -> str:
    for escape, sign in _ESCAPES.items():
        text = text.replace(escape, sign) if "\\" in text else text
    return text


class _Lowering:
    """The lowering of one file; *pending* are functions that the current statement needs before it."""

    def __init__(self, file: ir.File) -> None:
        self.file = file
        self.pending: list[ast.stmt] = []
        self.members: dict[str, ast.expr] = {}
        self.methods: dict[str, ast.expr] = {}
        """The functions of the class: a variable may have the name of one."""
        self.count = 0

    def imported(self, name: str, path: str) -> ast.stmt:
        """Return the import of one name."""
        package, _, own = _library(path).rpartition(".")
        return _import(package or own, own, name if name != own else None)

    def mains(self, file: ir.File) -> list[ast.stmt]:
        """Return the calls of the functions that a program begins with."""
        calls: list[ast.expr] = [_name("main")] if any(each.name == "main" for each in file.functions) else []
        for each in _flat(file.classes):
            if any(function.name == "main" for function in each.functions):
                calls.append(ast.Attribute(value=_name(each.name), attr="main", ctx=ast.Load()))
        return [ast.Expr(value=ast.Call(func=each, args=[_name("@arguments")], keywords=[])) for each in calls]

    # --- declarations

    def of_class(self, of: ir.Class) -> ast.ClassDef:
        """Return a class: its constructor sets the fields of an object."""
        is_single = of.single
        outer, self.members = self.members, {}
        outer_methods, self.methods = self.methods, {}
        if _constants(of):
            self.members["name"] = ast.Attribute(value=_name("self"), attr="name", ctx=ast.Load())
        declared: list[ir.Field | ir.Function] = [*of.fields, *of.functions]
        for each in declared:
            base = _name(of.name) if each.static or is_single else _name("self")
            self.members[each.name] = ast.Attribute(value=base, attr=each.name, ctx=ast.Load())
        names = ("name",) if _constants(of) else ()
        for name in (*names, *(each.name for each in of.functions)):
            self.methods[name] = self.members[name]
        body: list[ast.stmt] = []
        static = [each for each in of.fields if (each.static or is_single) and each not in _constants(of)]
        for field in static:
            if field.value is not None and not isinstance(field.value, ir.Literal) and not is_single:
                continue  # it may use the class itself
            body += self._assigned(_name(field.name), field.value, field.line, hidden=static)
        for field in of.fields:
            if not field.static and not is_single:
                target = ast.Name(id=_safe(field.name), ctx=ast.Store())
                body.append(ast.AnnAssign(target=target, annotation=_name("object"), value=None, simple=1))
        if not is_single:
            body.append(self._constructor(of, [each for each in of.fields if not each.static]))
        longest: dict[tuple[str, int], ir.Function] = {}
        for function in of.functions:
            known = longest.get(key := (function.name, _arity(function)))
            if function.body is not None and (known is None or _length(function) > _length(known)):
                longest[key] = function
        counts = Counter(name for name, _ in longest)
        for (name, arity), function in longest.items():
            if name not in ("new", "constructor"):
                made = self.function(function, is_static=function.static or is_single, of=of)
                made.name = name if counts[name] == 1 else f"{name}@{arity}"
                body.append(made)
        for name in [name for name, count in counts.items() if count > 1 and name not in ("new", "constructor")]:
            body.append(_overloaded([function for (own, _), function in longest.items() if own == name], of))
        self.members, self.methods = outer, outer_methods
        bases: list[ast.expr] = [_name(_plain(each)) for each in of.supers]
        kept = body or [ast.Pass()]
        return _at(ast.ClassDef(name=of.name, bases=bases, keywords=[], body=kept, decorator_list=[]), of.line)

    def after(self, of: ir.Class) -> list[ast.stmt]:
        """Return what follows a class: the constants of an enumeration that have values, and static initializers."""
        made: list[ast.stmt] = []
        base = _name(of.name)
        for field in _constants(of):
            target = ast.Attribute(value=base, attr=field.name, ctx=ast.Store())
            args, keywords = self._arguments(field.value.arguments[1:])  # type: ignore[union-attr]
            value = ast.Call(func=base, args=args, keywords=keywords)
            label = ast.Attribute(value=ast.Attribute(value=base, attr=field.name, ctx=ast.Load()), attr="@name")
            made += [*self.pending, _at(ast.Assign(targets=[target], value=value), field.line)]
            made.append(ast.Assign(targets=[_stored(label)], value=ast.Constant(value=field.name)))
            self.pending = []
        if made:
            listed = [ast.Attribute(value=base, attr=each.name, ctx=ast.Load()) for each in _constants(of)]
            target = ast.Attribute(value=base, attr="@constants", ctx=ast.Store())
            made.append(ast.Assign(targets=[target], value=ast.List(elts=list(listed), ctx=ast.Load())))
        later = [each for each in of.fields if each.static and each not in _constants(of) and not of.single]
        later = [each for each in later if each.value is not None and not isinstance(each.value, ir.Literal)]
        static = [each for each in of.statements if _is_static(of, each)] if self.file.language == "java" else []
        outer = self.members
        declared: list[ir.Field | ir.Function] = [*of.fields, *of.functions]
        own = {each.name: ast.Attribute(value=base, attr=each.name, ctx=ast.Load()) for each in declared if each.static}
        self.members = {**outer, **own}
        for field in later:
            made += self._assigned(ast.Attribute(value=base, attr=field.name, ctx=ast.Load()), field.value, field.line)
        made += self.statements(static)
        self.members = outer
        return made

    def _assigned(
        self, target: ast.expr, value: ir.Expression | None, line: int, hidden: Iterable[ir.Field] = ()
    ) -> list[ast.stmt]:
        """Return the assignment of a field, and what it needs before it."""
        members = self.members
        self.members = {name: base for name, base in members.items() if name not in {each.name for each in hidden}}
        outer, self.pending = self.pending, []
        made = self.value(value) if value is not None else ast.Constant(value=None)
        before, self.pending, self.members = self.pending, outer, members
        return [*before, _at(ast.Assign(targets=[_stored(target)], value=made), line)]

    def _constructor(self, of: ir.Class, fields_: Sequence[ir.Field]) -> ast.FunctionDef:
        news = [each for each in of.functions if each.name in ("new", "constructor") and each.body is not None]
        new = max(news, key=lambda each: len(each.parameters), default=None)
        given = [each.name for each in new.parameters] if new is not None else [each.name for each in fields_]
        body: list[ast.stmt] = []
        for field in fields_:
            target = ast.Attribute(value=_name("self"), attr=field.name, ctx=ast.Store())
            if new is None and not (field.value is not None and of.kind == "class" and self.file.language == "java"):
                body.append(ast.Assign(targets=[target], value=_name(field.name)))
            else:
                body += self._assigned(target, field.value, field.line)
        hidden = set(given)
        is_java = self.file.language == "java"
        inside = [each for each in of.statements if not (is_java and _is_static(of, each))]
        if of.supers and of.kind == "class":  # a constructor that calls another one does it again, with arguments
            base = ast.Call(func=_name("super"), args=[], keywords=[])
            body.insert(0, ast.Expr(value=_method(base, "__init__", [])))
        body += self._hiding(hidden, lambda: self.statements(inside))
        if new is not None and new.body is not None:
            own = new.body.statements
            body += self._hiding(hidden | _locals(new.body), lambda: self.statements(own))
        defaults = [
            self.value(field.value) if field.value is not None else ast.Constant(value=None) for field in fields_
        ]
        arguments = ast.arguments(
            posonlyargs=[],
            args=[ast.arg(arg=each) for each in ("self", *given)],
            kwonlyargs=[],
            kw_defaults=[],
            defaults=list(defaults) if new is None else [],
        )
        made = ast.FunctionDef(name="__init__", args=arguments, body=body or [ast.Pass()], decorator_list=[])
        return _at(made, of.line)

    def function(
        self, function: ir.Function, *, is_static: bool = True, of: ir.Class | None = None, result: bool = False
    ) -> ast.FunctionDef:
        """Return a function; with *result*, the last expression is what it returns."""
        first = [] if is_static or of is None else ["self"]
        names = [each.name for each in function.parameters if not each.rest]
        rest = next((each.name for each in function.parameters if each.rest), None)
        body = function.body or ir.Block(())
        hidden = {*names, *([rest] if rest else []), *_locals(body)}
        made = self._hiding(hidden, lambda: self.statements(body.statements, result=result))
        typed = {each.name: _plain(each.type) for each in function.parameters if each.type}
        defaults = [each.default for each in function.parameters if not each.rest]
        while defaults and defaults[0] is None:
            defaults.pop(0)
        arguments = ast.arguments(
            posonlyargs=[],
            args=[
                *(ast.arg(arg=each) for each in first),
                *(ast.arg(arg=_safe(each), annotation=_annotation(typed.get(each, ""))) for each in names),
            ],
            vararg=ast.arg(arg=_safe(rest)) if rest else None,
            kwonlyargs=[],
            kw_defaults=[],
            defaults=[self.value(each) if each is not None else ast.Constant(value=None) for each in defaults],
        )
        marks: list[ast.expr] = [_name("staticmethod")] if is_static and of is not None else []
        if function.getter and of is not None and not function.parameters and self.file.language != "java":
            marks = [_name("property")]
        return _at(
            ast.FunctionDef(name=function.name, args=arguments, body=made or [ast.Pass()], decorator_list=marks),
            function.line,
        )

    def _hiding(self, names: Iterable[str], make: Callable[[], list[ast.stmt]]) -> list[ast.stmt]:
        """Return what is made while *names* are variables, not members of the class around."""
        hidden = set(names)
        outer, self.members = self.members, {name: of for name, of in self.members.items() if name not in hidden}
        made = make()
        self.members = outer
        return made

    # --- statements

    def statements(self, codes: Iterable[Any], *, result: bool = False) -> list[ast.stmt]:
        """Return statements, each with the functions that it needs before it."""
        listed = list(codes)
        made: list[ast.stmt] = []
        for at, code in enumerate(listed):
            outer, self.pending = self.pending, []
            own = self._statement(code, result=result and at == len(listed) - 1)
            made += [*self.pending, *own]
            self.pending = outer
        return made

    def _statement(self, code: Any, *, result: bool) -> list[ast.stmt]:  # noqa: ANN401 - any code of the model
        match code:
            case ir.Declare(target=target, value=value):
                return (
                    [ast.Assign(targets=[self._target(target)], value=self.value(value))] if value is not None else []
                )
            case ir.Assign(target=target, value=value, operator=operator):
                made = self.value(value)
                if operator in _BINARY:
                    made = ast.BinOp(left=self.value(target), op=_BINARY[operator](), right=made)
                return [ast.Assign(targets=[self._target(target)], value=made)]
            case ir.If(test=test, then=then, otherwise=otherwise):
                other = self.statements(otherwise.statements, result=result) if otherwise is not None else []
                body = self.statements(then.statements, result=result) or [ast.Pass()]
                return [ast.If(test=self.value(test), body=body, orelse=other)]
            case ir.Match():
                return self._match(code, result=result)
            case ir.Loop(body=body, target=target, source=source):
                inner = self.statements(body.statements) or [ast.Pass()]
                if source is None or target is None:
                    return [ast.While(test=_name("_unknown"), body=inner, orelse=[])]
                return [ast.For(target=self._target(target), iter=self.value(source), body=inner, orelse=[])]
            case ir.Exit(leave=ir.Leave.RETURN, value=value):
                return [ast.Return(value=self.value(value) if value is not None else None)]
            case ir.Exit(leave=leave):
                kinds = {ir.Leave.THROW: ast.Raise, ir.Leave.BREAK: ast.Break, ir.Leave.CONTINUE: ast.Continue}
                return [kinds[leave]()]
            case ir.Try(body=body, handlers=handlers, last=last):
                caught = [
                    ast.ExceptHandler(type=None, name=None, body=self.statements(each.statements) or [ast.Pass()])
                    for each in handlers
                ]
                made_body = self.statements(body.statements, result=result) or [ast.Pass()]
                final = self.statements(last.statements) if last is not None else []
                return [ast.Try(body=made_body, handlers=caught, orelse=[], finalbody=final or [ast.Pass()])]
            case ir.Block(statements=statements):
                return self.statements(statements, result=result)
            case ir.Function():
                return [self.function(code)]
            case ir.Class():
                return [self.of_class(code), *self.after(code)]
        made_value = self.value(code)
        line = getattr(code, "line", 0)
        return [_at(ast.Return(value=made_value) if result else ast.Expr(value=made_value), line)]

    def _match(self, code: ir.Match, *, result: bool) -> list[ast.stmt]:
        """Return the cases of a match as conditions, one after the other."""
        made: list[ast.stmt] = []
        for case in reversed(code.cases):
            body = self.statements(case.body.statements, result=result) or [ast.Pass()]
            if not case.values and case.guard is None:
                made = body
                continue
            tests: list[ast.expr] = [self._test(code.of, each) for each in case.values]
            if case.guard is not None:
                tests = [self.value(case.guard)]
            test = tests[0] if len(tests) == 1 else ast.BoolOp(op=ast.Or(), values=tests)
            made = [ast.If(test=test, body=body, orelse=made)]
        return made

    def _test(self, of: ir.Expression | None, value: Any) -> ast.expr:  # noqa: ANN401 - a value or a pattern
        if of is None:
            return self.value(value)
        if not isinstance(value, ir.Literal | ir.Name | ir.Member):
            return _name("_unknown")
        if self.file.language == "java" and isinstance(value, ir.Name) and value.name not in self.members:
            constant = ast.Constant(value=value.name)  # of an enumeration
            return ast.Compare(left=self.value(of), ops=[ast.Eq()], comparators=[constant])
        return ast.Compare(left=self.value(of), ops=[ast.Eq()], comparators=[self.value(value)])

    def _target(self, target: Any) -> ast.expr:  # noqa: ANN401 - a name, a member or several
        match target:
            case ir.Declare(target=inner):
                return self._target(inner)
            case ir.Sequence(items=items):
                return ast.Tuple(elts=[self._target(each) for each in items], ctx=ast.Store())
            case ir.Name() | ir.Member() | ir.Index():
                return _stored(self.value(target))
        return ast.Name(id="_", ctx=ast.Store())

    # --- expressions

    def value(self, code: Any) -> ast.expr:  # noqa: ANN401 - any code of the model
        """Return an expression."""
        return _at(self._value(code), getattr(code, "line", 0))

    def _value(self, code: Any) -> ast.expr:  # noqa: ANN401 - any code of the model
        match code:
            case ir.Literal():
                return ast.Constant(value=_constant(code))
            case ir.Name(name="this"):
                return _name("self")
            case ir.Name(name=name):
                return self.members.get(name) or _name(_safe(name))
            case ir.Member(of=of, name=name):
                return ast.Attribute(value=self.value(of), attr=name.strip("`"), ctx=ast.Load())
            case ir.Index(of=of, key=key):
                return ast.Subscript(value=self.value(of), slice=self.value(key), ctx=ast.Load())
            case ir.Call():
                return self._call(code)
            case ir.New():
                return self._new(code)
            case ir.Record(entries=entries):
                keys = [self.value(key) if key is not None else None for key, _ in entries]
                return ast.Dict(keys=keys, values=[self.value(each) for _, each in entries])
            case ir.Sequence(items=items):
                return ast.List(elts=[self.value(each) for each in items], ctx=ast.Load())
            case ir.Operation():
                return self._operation(code)
            case ir.Choice(test=test, then=then, otherwise=otherwise):
                return ast.IfExp(test=self.value(test), body=self.value(then), orelse=self.value(otherwise))
            case ir.Text(parts=parts):
                return self._text([self.value(each) for each in parts])
            case ir.Lambda(function=function):
                return self._defined(function)
            case ir.Block(statements=(only,)) if not isinstance(only, ir.Declare | ir.Loop | ir.Class | ir.Function):
                return self.value(only)
            case ir.Block() | ir.If() | ir.Match() | ir.Try():
                return ast.Call(func=self._defined(ir.Function("", body=ir.Block((code,)))), args=[], keywords=[])
            case ir.Assign(target=ir.Name(name=name), value=value) if name not in self.members:
                return ast.NamedExpr(target=ast.Name(id=_safe(name), ctx=ast.Store()), value=self.value(value))
            case ir.Unknown(parts=parts):
                listed = [each for each in parts if not isinstance(each, ir.Declare | ir.Loop | ir.Class | ir.Function)]
                return ast.Call(func=_name("_unknown"), args=[self.value(each) for each in listed], keywords=[])
        return _name("_unknown")

    def _defined(self, function: ir.Function) -> ast.expr:
        """Return the name of a function that is defined before the current statement."""
        self.count += 1
        name = f"_function_{function.line}_{self.count}"
        made = self.function(ir.Function(name, function.parameters, function.body, line=function.line), result=True)
        self.pending.append(made)
        return _name(name)

    def _text(self, parts: Iterable[ast.expr]) -> ast.JoinedStr:
        values: list[ast.expr] = []
        for each in parts:
            if isinstance(each, ast.JoinedStr):
                values += each.values
            elif isinstance(each, ast.Constant) and isinstance(each.value, str):
                values.append(each)
            else:
                values.append(ast.FormattedValue(value=each, conversion=-1))
        return ast.JoinedStr(values=values)

    def _operation(self, code: ir.Operation) -> ast.expr:
        sign, values = code.operator, [self.value(each) for each in code.operands]
        if len(values) == 1:
            if sign == "-":
                return ast.UnaryOp(op=ast.USub(), operand=values[0])
            return ast.UnaryOp(op=ast.Not(), operand=values[0]) if sign == "!" else values[0]
        if sign == "*" and len(values) == 1:
            return ast.Starred(value=values[0], ctx=ast.Load())
        if sign == "+" and any(_is_text(each) for each in values):
            return self._text(values)
        if sign in _SHORT:
            return ast.BoolOp(op=_SHORT[sign](), values=values)
        if sign in _COMPARED:
            return ast.Compare(left=values[0], ops=[_COMPARED[sign]()], comparators=values[1:])
        if sign in _BINARY:
            return ast.BinOp(left=values[0], op=_BINARY[sign](), right=values[1])
        if sign in ("as", "as?", "!!"):
            return values[0]
        return ast.Call(func=_name("_unknown"), args=values, keywords=[])

    def _arguments(self, given: Iterable[ir.Argument]) -> tuple[list[ast.expr], list[ast.keyword]]:
        args: list[ast.expr] = []
        keywords: list[ast.keyword] = []
        for each in given:
            value = self.value(each.value)
            if each.name == "*":
                args.append(ast.Starred(value=value, ctx=ast.Load()))
            elif each.name:
                keywords.append(ast.keyword(arg=each.name, value=value))
            else:
                args.append(value)
        return args, keywords

    def _call(self, code: ir.Call) -> ast.expr:
        args, keywords = self._arguments(code.arguments)
        match _imported(code.function):
            case ir.Member(of=ir.Name(name="String"), name="format") if args:
                return ast.BinOp(left=args[0], op=ast.Mod(), right=ast.Tuple(elts=args[1:], ctx=ast.Load()))
            case ir.Member(of=of, name="formatted" | "format" as name) if name != "format" or isinstance(
                of, ir.Literal
            ):
                return ast.BinOp(left=self.value(of), op=ast.Mod(), right=ast.Tuple(elts=args, ctx=ast.Load()))
            case ir.Member(of=ir.Name(name="String"), name="join") if args:
                joined = args[1] if len(args) == 2 else ast.List(elts=args[1:], ctx=ast.Load())
                return _method(args[0], "join", [joined])
            case ir.Member(of=ir.Name(name="String" | "Objects"), name="valueOf" | "requireNonNull") if args:
                return args[0]
            case ir.Member(of=ir.Name(name=name), name="of" | "asList") if name in _LISTS:
                return ast.List(elts=args, ctx=ast.Load())
            case ir.Name(name=name) if name in _LIST_FUNCTIONS:
                return ast.List(elts=args, ctx=ast.Load())
            case ir.Member(of=ir.Name(name="Arrays"), name="stream") if len(args) == 1:
                return args[0]
            case ir.Member(of=ir.Name(name="Stream"), name="concat") if len(args) == 2:
                return ast.BinOp(left=args[0], op=ast.Add(), right=args[1])
            case ir.Member(of=ir.Name(name="Map"), name="of"):
                return ast.Dict(keys=list(args[::2]), values=args[1::2])
            case ir.Name(name=name) if name in _MAP_FUNCTIONS:
                pairs = [each for each in args if isinstance(each, ast.List) and len(each.elts) == 2]
                return ast.Dict(keys=[each.elts[0] for each in pairs], values=[each.elts[1] for each in pairs])
            case ir.Member(of=ir.Call(function=ir.Member(of=ir.Name(name="System"), name="getenv"), arguments=())):
                return _method(_name("System"), "getenv", args)
            case ir.Member(of=ir.Name(name="super"), name="new") | ir.Name(name="super"):
                base = ast.Call(func=_name("super"), args=[], keywords=[])
                return _method(base, "__init__", args)
            case ir.Name(name="new enum") if args:
                return args[0]
            case ir.Name(name=name) if name in self.methods:
                return ast.Call(func=self.methods[name], args=args, keywords=keywords)
            case ir.Member(of=of, name=name):
                name = name.strip("`")
                function: ast.expr = ast.Attribute(value=self.value(of), attr=_RENAMED.get(name, name), ctx=ast.Load())
                return ast.Call(func=function, args=args, keywords=keywords)
        return ast.Call(func=self.value(code.function), args=args, keywords=keywords)

    def _new(self, code: ir.New) -> ast.expr:
        args, keywords = self._arguments(code.arguments)
        name = _plain(code.type)
        if name in _EMPTY:
            return ast.Call(func=_name(_EMPTY[name]), args=args[:1], keywords=[])
        if code.body is not None:
            self.count += 1
            made = ir.Class(
                f"_Class_{self.count}", "class", code.body.supers, code.body.fields, code.body.functions, line=code.line
            )
            members = self.members
            self.pending.append(self.of_class(made))
            self.members = members
            name = made.name
        return ast.Call(func=_name(_safe(name)), args=args, keywords=keywords)


def _imported(code: ir.Expression) -> ir.Expression:
    """Return a method of a class of Java's own libraries as if the class was imported: `java.util.List.of`."""
    match code:
        case ir.Member(of=ir.Member(of=ir.Member(of=ir.Name(name="java")), name=owner), name=name):
            return ir.Member(of=ir.Name(name=owner), name=name)
    return code


def _method(base: ast.expr, name: str, args: Sequence[ast.expr]) -> ast.Call:
    return ast.Call(func=ast.Attribute(value=base, attr=name, ctx=ast.Load()), args=list(args), keywords=[])


def _stored(target: ast.expr) -> ast.expr:
    if isinstance(target, ast.Attribute):
        return ast.Attribute(value=target.value, attr=target.attr, ctx=ast.Store())
    if isinstance(target, ast.Subscript):
        return ast.Subscript(value=target.value, slice=target.slice, ctx=ast.Store())
    return ast.Name(id=target.id if isinstance(target, ast.Name) else "_", ctx=ast.Store())


def _safe(name: str) -> str:
    """Return a name as one of Python's: the model names some in brackets, Kotlin puts some into backticks."""
    name = name.strip("`")
    if name == "self":  # a variable like any other
        return "self_"
    return name if name.isidentifier() else "".join(sign if sign.isalnum() else "_" for sign in f"_{name}")


def _annotation(kind: str) -> ast.expr | None:
    return _name(kind) if kind.isidentifier() else None


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _constant(literal: ir.Literal) -> str | int | float | bool | None:
    match literal.kind:
        case ir.Kind.TEXT:
            return _unescaped(literal.text)
        case ir.Kind.TRUTH:
            return literal.text == "true"
        case ir.Kind.NUMBER:
            return int(literal.text) if literal.text.isdigit() and len(literal.text) < 19 else 0.5
    return None


def _arity(function: ir.Function) -> int:
    """Return how many arguments a function takes; a very large number if it takes any number."""
    return len(function.parameters) if not any(each.rest for each in function.parameters) else _ANY


_ANY = 1_000


def _overloaded(functions: Sequence[ir.Function], of: ir.Class) -> ast.FunctionDef:
    """Return a function that calls the one of its overloads that takes as many arguments as are given."""
    ordered = sorted(functions, key=_arity)
    is_static = of.single or all(each.static for each in ordered)
    base = _name(of.name if is_static else "self")
    result: list[ast.stmt] = []
    for each in reversed(ordered):
        function = ast.Attribute(value=base, attr=f"{each.name}@{_arity(each)}", ctx=ast.Load())
        given = ast.Starred(value=_name("given"), ctx=ast.Load())
        made = ast.Return(value=ast.Call(func=function, args=[given], keywords=[]))
        count = ast.Call(func=_name("len"), args=[_name("given")], keywords=[])
        test = ast.Compare(left=count, ops=[ast.Eq()], comparators=[ast.Constant(value=_arity(each))])
        result = [ast.If(test=test, body=[made], orelse=result)] if result else [made]
    names = [] if is_static else [ast.arg(arg="self")]
    arguments = ast.arguments(
        posonlyargs=[], args=names, vararg=ast.arg(arg="given"), kwonlyargs=[], kw_defaults=[], defaults=[]
    )
    marks: list[ast.expr] = [_name("staticmethod")] if is_static else []
    named = ordered[0].name
    return _at(ast.FunctionDef(name=named, args=arguments, body=result, decorator_list=marks), ordered[0].line)


def _length(function: ir.Function) -> int:
    return function.end - function.line


def _constants(of: ir.Class) -> list[ir.Field]:
    """Return the constants of an enumeration that are made with arguments."""
    return [
        field
        for field in of.fields
        if isinstance(field.value, ir.Call)
        and field.value.function == ir.Name("new enum")
        and field.value.arguments[1:]
    ]


def _is_static(of: ir.Class, code: Any) -> bool:  # noqa: ANN401 - any code of the model
    """Return whether a statement of a class uses its static members only."""
    members: list[ir.Field | ir.Function] = [*of.fields, *of.functions]
    own = {each.name for each in members if not each.static}
    return not own & {each.name for each in _parts(code) if isinstance(each, ir.Name)}


def _parts(code: Any) -> Iterator[Any]:  # noqa: ANN401 - any code of the model
    """Yield code and all that is inside it, without functions and classes."""
    waiting = [code]
    while waiting:
        each = waiting.pop()
        yield each
        if isinstance(each, tuple):
            waiting += each
        elif is_dataclass(each) and not isinstance(each, ir.Class | ir.Function):
            waiting += [getattr(each, field.name) for field in fields(each)]


def _locals(block: ir.Block) -> set[str]:
    """Return the names of the variables that statements declare, also in blocks inside them."""
    declared = (each.target for each in _parts(block) if isinstance(each, ir.Declare | ir.Loop))
    return {target.name for target in declared if isinstance(target, ir.Name)}
