"""Lower programs in Scala to syntax trees of Python, so that one machine evaluates both.

Spark has the same methods in both languages. The members of an object are those of its module, and `main` is called at
the end. What has no counterpart becomes a name that is not defined: its value is unknown.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

Node = Any
"""A node of tree-sitter: the library is optional, and its types with it."""
_T = TypeVar("_T", bound=ast.AST)

_COLLECTIONS = frozenset({"Seq", "List", "Array", "Vector", "Set", "IndexedSeq", "Traversable", "Iterable"})
_NULLARY = frozenset(
    ("load", "start", "save", "distinct", "cache", "persist", "getOrCreate", "count", "toLowerCase", "toUpperCase")
) | {
    "trim",
    "stripMargin",
    "toList",
    "toSeq",
    "head",
    "tail",
    "last",
    "toArray",
    "toSet",
    "toMap",
    "isNull",
    "isNotNull",
    "desc",
    "asc",
    "builder",
    "enableHiveSupport",
    "getExecutionEnvironment",
}
"""Methods without arguments that are called without brackets."""
_SAME = {"toLowerCase": "lower", "toUpperCase": "upper", "trim": "strip", "orElse": "or_else"}
_BINARY: Mapping[str, type[ast.operator]] = {
    "+": ast.Add,
    "++": ast.Add,
    ":+": ast.Add,
    "+:": ast.Add,
    "::": ast.Add,
    "-": ast.Sub,
    "*": ast.Mult,
    "/": ast.Div,
    "%": ast.Mod,
    "&&": ast.BitAnd,
    "and": ast.BitAnd,
    "||": ast.BitOr,
    "or": ast.BitOr,
}
_COMPARED: Mapping[str, type[ast.cmpop]] = {
    **dict.fromkeys(("==", "===", "<=>", "equalTo"), ast.Eq),
    **dict.fromkeys(("!=", "=!=", "notEqual"), ast.NotEq),
    "<": ast.Lt,
    "<=": ast.LtE,
    ">": ast.Gt,
    ">=": ast.GtE,
}
_TYPES = {
    "String": "STRING",
    "Int": "INT",
    "Long": "BIGINT",
    "Double": "DOUBLE",
    "Boolean": "BOOLEAN",
    "Float": "FLOAT",
    "BigDecimal": "DECIMAL",
    "Timestamp": "TIMESTAMP",
    "Date": "DATE",
    "Short": "SMALLINT",
    "Instant": "TIMESTAMP",
}
_ARRAYS = frozenset({"Seq", "List", "Array", "Vector", "Set"})
_SPARK = "pyspark.sql.functions"
_OWN = ("val", "var", "fun")
"""How the types of nodes of members begin, also of those that have no value yet."""
EXTENSION = "@extension"
"""The function that adds a method of a class to the frames that its objects wrap."""
UNWRAPPED = "@unwrapped"
"""The function that returns what a `Try` wraps."""
NULLARY = "@nullary"
"""The mark of a function without arguments: its name is its call."""
CASES = "_cases_"
"""How the names of functions begin that are written as cases."""
SELF = "@object"
"""The object of a file: names that the file does not define are members of its traits."""
_WRAPPING = frozenset({"Some", "Right", "Success"})
_PACKAGE = re.compile(r"[a-z]\w*(?:\.[a-z]\w*)+")
_BINDING = ("val_definition", "var_definition", "function_definition", "parameter", "class_parameter", "binding")
_DEEPEST = 150
_DEEPEST_CLASS = 6


def lowered(root: Node) -> ast.Module:
    """Return the module of a file; raises RecursionError if it nests too deeply."""
    return _Lowering(root).module()


class _Lowering:
    """The lowering of one file; *pending* are functions that the current statement needs before it."""

    def __init__(self, root: Node) -> None:
        self.root = root
        self.pending: list[ast.stmt] = []
        self.classes: dict[str, Node] = {}
        self.objects: set[str] = set()
        self.nested: dict[str, Node] = {}
        """The objects in other objects and classes."""
        self.bound = {_text(_part(each, "name") or _part(each, "pattern")) for each in _walk(root, _BINDING)}
        """The names of values and functions, anywhere in the file."""
        self.members: list[set[str]] = []
        self.holes: dict[int, str] = {}
        self.aliases: dict[str, str] = {}
        """What the objects around are called, by the names that their classes have for them."""
        self.depth = 0
        self.columns = "org.apache.flink.table.api" if b"org.apache.flink.table" in root.text else _SPARK
        """The library whose columns `$"name"` and `'name` are."""

    def module(self) -> ast.Module:
        """Return the statements of the file: imports, functions and classes first, as they may be used before."""
        flat = {_text(_part(each, "name")) for each in self._flattened()}
        for node in _walk(self.root, ("class_definition", "object_definition")):
            name = _text(_part(node, "name"))
            if node.type == "object_definition" and node.parent == self.root and name in flat:
                self.objects.add(name)
            elif node.type == "object_definition":
                self.nested[name] = node
            elif any(child.type == "case" for child in node.children) or _part(node, "class_parameters"):
                self.classes.setdefault(name, node)
        body: list[ast.stmt] = []
        mains: list[ast.stmt] = []
        singles: list[ast.stmt] = []
        for node in self._by_use(
            each for each in self.root.named_children if _text(_part(each, "name")) in self.nested
        ):
            singles += self._called_object(node)
        for node in self.root.named_children:
            if node.type == "object_definition" and _text(_part(node, "name")) in self.nested:
                continue
            inner = _part(node, "body") if node.type == "object_definition" else None
            listed = inner.named_children if inner is not None else [node] if node.type != "object_definition" else []
            body += self._block(listed)
            if inner is not None:
                mains += self._inherited(node, listed)
            mains += [self._main(each) for each in listed if _is_main(each)]
            if any(_text(_part(each, "name")) == "apply" for each in listed) and node.type == "object_definition":
                body += self._called_object(node)
        first = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
        body = [
            *(each for each in (*body, *singles) if isinstance(each, first)),
            *(each for each in (*singles, *body) if not isinstance(each, first)),
        ]
        return ast.fix_missing_locations(ast.Module(body=[*body, *mains], type_ignores=[]))

    def _flattened(self) -> list[Node]:
        """Return the objects whose members are names of the module: one alone, one that runs, and those of classes."""
        listed = [each for each in self.root.named_children if each.type == "object_definition"]
        classes = {_text(_part(each, "name")) for each in self.root.named_children if each.type != "object_definition"}
        return [
            each
            for each in listed
            if len(listed) == 1
            or _text(_part(each, "name")) in classes
            or any(map(_is_main, _body(each)))
            or "App" in [_text(name) for name in _walk(_part(each, "extend"), ("type_identifier",))]
        ]

    def _by_use(self, nodes: Iterable[Node]) -> list[Node]:
        """Return objects, each after those that it names."""
        named = {_text(_part(each, "name")): each for each in nodes}
        ordered: dict[str, Node] = {}

        def add(name: str, path: tuple[str, ...]) -> None:
            used = {_text(each) for each in _walk(named[name], ("identifier", "type_identifier"))}
            for each in sorted((used & named.keys()) - {name, *path, *ordered}):
                add(each, (*path, name))
            ordered.setdefault(name, named[name])

        for name in named:
            add(name, ())
        return list(ordered.values())

    def _called_object(self, node: Node) -> list[ast.stmt]:
        """Return the object of a name that a program calls: `Step(1)` is `Step.apply(1)`."""
        name = _text(_part(node, "name"))
        if name in self.classes:
            return []
        made = ast.Assign(targets=[ast.Name(id=name, ctx=ast.Store())], value=self._call(node, _named(f"_{name}"), []))
        return [self._class(node, f"_{name}"), self._at(node, made)]

    def _main(self, node: Node, base: ast.expr | None = None) -> ast.stmt:
        main = self._name(node, "main") if base is None else self._member(node, base, "main")
        return self._at(node, ast.Expr(value=self._call(node, main, [_named("@arguments")])))

    def _inherited(self, node: Node, members: Sequence[Node]) -> list[ast.stmt]:
        """Return an object with the members of its traits and its own, and the call of a `main` of its traits."""
        bases = [_named(_text(each)) for each in _walk(_part(node, "extend"), ("type_identifier",))]
        if not bases:
            return []
        names = [_text(_part(each, "pattern") or _part(each, "name")) for each in members]
        own: list[ast.stmt] = [
            self._at(node, ast.Assign(targets=[ast.Name(id=name, ctx=ast.Store())], value=_named(name)))
            for name in names
            if name.isidentifier()
        ]
        name = f"_Object_{_text(_part(node, 'name'))}"
        body = own or [self._at(node, ast.Pass())]
        made = ast.ClassDef(name=name, bases=bases[:3], keywords=[], body=body, decorator_list=[])
        self_ = ast.Assign(targets=[ast.Name(id=SELF, ctx=ast.Store())], value=self._call(node, _named(name), []))
        main = [] if any(map(_is_main, members)) else [self._main(node, _named(SELF))]
        return [self._at(node, made), self._at(node, self_), *main]

    @staticmethod
    def _at(node: Node, made: _T) -> _T:
        made.lineno = node.start_point[0] + 1  # type: ignore[attr-defined]
        made.col_offset = 0  # type: ignore[attr-defined]
        return made

    def _name(self, node: Node, name: str) -> ast.expr:
        if any(name in members for members in self.members):
            return self._member(node, self._at(node, _named("self")), name)
        return self._at(node, _named(name))

    def _member(self, node: Node, base: ast.expr, name: str) -> ast.Attribute:
        return self._at(node, ast.Attribute(value=base, attr=name, ctx=ast.Load()))

    def _constant(self, node: Node, value: Any) -> ast.Constant:  # noqa: ANN401 - a constant of any type
        return self._at(node, ast.Constant(value=value))

    def _call(
        self, node: Node, function: ast.expr, args: Sequence[ast.expr], keywords: Sequence[ast.keyword] = ()
    ) -> ast.Call:
        return self._at(node, ast.Call(func=function, args=list(args), keywords=list(keywords)))

    # --- statements

    def _block(self, nodes: Iterable[Node], *, returns: bool = False) -> list[ast.stmt]:
        """Return statements; with *returns*, the last one is the result."""
        listed = [node for node in nodes if node.type not in ("comment", "block_comment", "package_clause")]
        result: list[ast.stmt] = []
        for at, node in enumerate(listed):
            outer, self.pending = self.pending, []
            made = self._statement(node, returns=returns and at == len(listed) - 1)
            result += [*self.pending, *made]
            self.pending = outer
        return result

    def _statement(self, node: Node, *, returns: bool) -> list[ast.stmt]:
        match node.type:
            case "import_declaration":
                return self._import(node)
            case "val_definition" | "var_definition":
                value, target = _part(node, "value"), _part(node, "pattern")
                if value is None:
                    return []
                made_value = self._argument(value) if value.type in _OPEN else self._value(value)
                return [self._at(node, ast.Assign(targets=[self._target(target)], value=made_value))]
            case "function_definition":
                return [self._function(node)]
            case "object_definition":
                return self._called_object(node)
            case "class_definition" | "trait_definition":
                return [self._class(node), *self._extensions(node)]
            case "assignment_expression":
                target, value = _part(node, "left"), _part(node, "right")
                return [self._at(node, ast.Assign(targets=[self._target(target)], value=self._value(value)))]
            case "if_expression":
                return [self._if(node, returns=returns)]
            case "for_expression":
                return [self._for(node)]
            case "while_expression" | "do_while_expression":
                return self._block(_body(node))
            case "try_expression":
                final = [
                    inner for child in node.children if child.type == "finally_clause" for inner in child.named_children
                ]
                body = _part(node, "body")
                return [*self._block(_inside(body), returns=returns), *self._block(final)]
            case "block" | "indented_block":
                return self._block(node.named_children, returns=returns)
            case "return_expression":
                inner = node.named_children
                return [self._at(node, ast.Return(value=self._value(inner[0]) if inner else None))]
            case "throw_expression":
                return [self._at(node, ast.Raise())]
        value = self._argument(node) if node.type in _OPEN else self._value(node)
        return [self._at(node, ast.Return(value=value) if returns else ast.Expr(value=value))]

    def _import(self, node: Node) -> list[ast.stmt]:
        path = ".".join(_text(child) for child in node.children_by_field_name("path") if child.is_named)
        path = path.replace("org.apache.spark.sql", "pyspark.sql")
        selected = next((child for child in node.named_children if child.type == "namespace_selectors"), None)
        if any(child.type == "namespace_wildcard" for child in node.named_children):
            names = ["*"]
        elif selected is not None:
            names = [
                _text(child.named_children[0] if child.named_children else child) for child in selected.named_children
            ]
        else:
            path, _, name = path.rpartition(".")
            names = [name]
        if names == ["*"] and path in self.nested:
            members = [_text(_part(each, "pattern") or _part(each, "name")) for each in _body(self.nested[path])]
            return [
                self._at(
                    node,
                    ast.Assign(
                        targets=[ast.Name(id=name, ctx=ast.Store())], value=self._member(node, _named(path), name)
                    ),
                )
                for name in members
                if name.isidentifier()
            ]
        aliases = [ast.alias(name=name) for name in names if name]
        return [self._at(node, ast.ImportFrom(module=path, names=aliases, level=0))] if path and aliases else []

    def _target(self, node: Node) -> ast.expr:
        if node.type in ("tuple_pattern", "tuple_expression"):
            return self._at(
                node, ast.Tuple(elts=[self._target(child) for child in node.named_children], ctx=ast.Store())
            )
        if node.type == "case_class_pattern":
            inner = [each for each in node.children_by_field_name("pattern") if each.is_named]
            if len(inner) == 1 and _text(_part(node, "type")) in _WRAPPING:
                return self._target(inner[0])
            return self._at(node, ast.Tuple(elts=[self._target(child) for child in inner], ctx=ast.Store()))
        if node.type == "identifier":
            name = self._name(node, _text(node))
            if isinstance(name, ast.Attribute | ast.Name):
                name.ctx = ast.Store()
            return name
        return self._at(node, ast.Name(id="_", ctx=ast.Store()))

    def _function(self, node: Node, first: str = "") -> ast.FunctionDef:
        """Return a function; one with several lists of parameters returns a function of the next list."""
        groups = [child for child in node.children if child.type == "parameters"]
        explicit = [group for group in groups if not any(child.type == "implicit" for child in group.children)]
        given = explicit or [None]
        body = _part(node, "body")
        every = [_text(_part(each, "name")) for group in given for each in _walk(group, ("parameter",))]
        made = self._shadowing(every, lambda: self._block(_inside(body), returns=True))
        name = _text(_part(node, "name"))
        for at in range(len(given) - 1, -1, -1):
            called = f"_{name}_{at}" if at else name
            made = [self._definition(node, called, *self._parameters(given[at], "" if at else first), made)]
            if at:
                made.append(self._at(node, ast.Return(value=_named(called))))
        function: ast.FunctionDef = made[0]  # type: ignore[assignment]
        function.decorator_list = [] if explicit else [self._at(node, _named(NULLARY))]
        return function

    def _parameters(self, group: Node | None, first: str) -> tuple[list[str], list[ast.expr], bool]:
        """Return the names and defaults of a list of parameters, and whether the last one takes all further values."""
        listed = _walk(group, ("parameter",))
        names = [_text(_part(each, "name")) for each in listed]
        defaults = [self._value(found) for each in listed if (found := _part(each, "default_value")) is not None]
        is_open = bool(listed) and _text(_part(listed[-1], "type")).endswith("*")
        return [first, *names] if first else names, defaults, is_open

    def _shadowing(self, names: Iterable[str], make: Callable[[], list[ast.stmt]]) -> list[ast.stmt]:
        """Return what is made while *names* are no members of the class around."""
        hidden = set(names)
        outer, self.members = self.members, [members - hidden for members in self.members]
        made = make()
        self.members = outer
        return made

    def _definition(
        self,
        node: Node,
        name: str,
        names: Sequence[str],
        defaults: Sequence[ast.expr],
        is_open: bool,
        body: list[ast.stmt],
    ) -> ast.FunctionDef:
        listed = [ast.arg(arg=each) for each in names]
        arguments = ast.arguments(
            posonlyargs=[],
            args=listed[:-1] if is_open else listed,
            vararg=listed[-1] if is_open else None,
            kwonlyargs=[],
            kw_defaults=[],
            defaults=list(defaults),
        )
        inside = body or [self._at(node, ast.Pass())]
        return self._at(node, ast.FunctionDef(name=name, args=arguments, body=inside, decorator_list=[]))

    def _class(self, node: Node, called: str = "") -> ast.ClassDef:
        """Return a class: its parameters and values are attributes that the constructor sets."""
        body = _part(node, "body") or next((each for each in node.children if each.type == "template_body"), None)
        inside = body.named_children if body is not None else []
        parameters = _walk(_part(node, "class_parameters"), ("class_parameter",))
        names = [_text(_part(each, "name")) for each in parameters]
        defaults = [self._value(found) for each in parameters if (found := _part(each, "default_value")) is not None]
        own = [each for each in inside if each.type.endswith(("_definition", "_declaration")) and each.type[:3] in _OWN]
        known = {_text(_part(each, "pattern") or _part(each, "name")) for each in own}
        functions = [each for each in inside if each.type == "function_definition"]
        rest = [each for each in inside if each.type not in ("function_definition", "import_declaration", "self_type")]
        self.members.append({*names, *known, *(_text(_part(each, "name")) for each in functions)})
        setting: list[ast.stmt] = []
        for name in names:
            target = self._member(node, _named("self"), name)
            setting.append(self._at(node, ast.Assign(targets=[target], value=_named(name))))
        setting += self._block(each for each in rest if _is_constant(each))
        setting += self._of_bases(node)
        for each in rest:
            setting += self._block([each])
            inner = _text(_part(each, "name"))
            if each.type in ("class_definition", "object_definition") and inner.isidentifier():
                target = self._member(node, _named("self"), inner)
                setting.append(self._at(node, ast.Assign(targets=[target], value=_named(inner))))
        made: list[ast.stmt] = [
            self._at(
                node,
                ast.AnnAssign(target=ast.Name(id=name, ctx=ast.Store()), annotation=_named("object"), simple=1),
            )
            for name in names
        ]
        alias = next((_text(each.named_children[0]) for each in inside if each.type == "self_type"), "")
        if alias:
            self.aliases[alias] = f"_this_{node.start_point[0]}"
        for each in functions:
            function = self._function(each, "self")
            if alias:  # objects that are made inside may name this one
                name_of_this = ast.Name(id=self.aliases[alias], ctx=ast.Store())
                function.body.insert(0, self._at(node, ast.Assign(targets=[name_of_this], value=_named("self"))))
            made.append(function)
        self.aliases.pop(alias, None)
        self.members.pop()
        init = self._definition(node, "__init__", ["self", *names], defaults, False, setting)
        bases = [_named(_text(each)) for each in _walk(_part(node, "extend"), ("type_identifier",))]
        name = called or _text(_part(node, "name"))
        return self._at(
            node, ast.ClassDef(name=name, bases=list(bases[:3]), keywords=[], body=[init, *made], decorator_list=[])
        )

    def _of_bases(self, node: Node) -> list[ast.stmt]:
        """Return the calls of the constructors of superclasses and traits; the first may have arguments."""
        made: list[ast.stmt] = []
        given = next((each for each in _walk(_part(node, "extend"), ("arguments",))), None)
        for at, base in enumerate(_walk(_part(node, "extend"), ("type_identifier",))[:3]):
            args, keywords = self._arguments(given) if given is not None and not at else ([], [])
            init = self._member(node, _named(_text(base)), "__init__")
            made.append(self._at(node, ast.Expr(value=self._call(node, init, [_named("self"), *args], keywords))))
        return made

    def _extensions(self, node: Node) -> list[ast.stmt]:
        """Return the statements that add the methods of an implicit class to the values that it wraps."""
        if "implicit" not in _text(node).partition("class")[0]:
            return []
        of = _named(_text(_part(node, "name")))
        methods = [each for each in _body(node) if each.type == "function_definition"]
        return [
            self._at(each, ast.Expr(value=self._call(each, _named(EXTENSION), [self._method_name(each), of])))
            for each in methods
        ]

    def _method_name(self, node: Node) -> ast.expr:
        return self._constant(node, _text(_part(node, "name")))

    def _if(self, node: Node, *, returns: bool) -> ast.stmt:
        condition, alternative = _part(node, "condition"), _part(node, "alternative")
        body = self._block(_inside(_part(node, "consequence")), returns=returns)
        other = self._block(_inside(alternative), returns=returns) if alternative is not None else []
        return self._at(node, ast.If(test=self._value(condition), body=body or [ast.Pass()], orelse=other))

    def _for(self, node: Node) -> ast.stmt:
        body = self._block(_body(node))
        listed = [each for each in _walk(node, ("enumerator",)) if len(each.named_children) > 1]
        for each in reversed(listed):
            target = each.named_children[0]
            loop = ast.For(target=self._target(target), iter=self._pairs(each), body=body or [ast.Pass()], orelse=[])
            body = [self._at(node, loop)]
        return body[0] if body else self._at(node, ast.Pass())

    def _pairs(self, node: Node) -> ast.expr:
        """Return what a loop runs over: of a map, its entries."""
        source = self._value(node.named_children[1])
        is_pair = node.named_children[0].type == "tuple_pattern"
        return self._call(node, self._member(node, source, "toSeq"), []) if is_pair else source

    # --- expressions

    def _value(self, node: Node) -> ast.expr:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise RecursionError
        try:
            return self._expression(node)
        finally:
            self.depth -= 1

    def _expression(self, node: Node) -> ast.expr:
        match node.type:
            case "identifier" if _text(node) in self.aliases:
                return self._at(node, _named(self.aliases[_text(node)]))
            case "identifier" if _text(node) in ("None", "Nil"):
                return self._constant(node, None) if _text(node) == "None" else ast.List(elts=[], ctx=ast.Load())
            case "identifier" | "operator_identifier" | "type_identifier":
                return self._name(node, _text(node))
            case "stable_type_identifier":
                package, _, name = _text(node).rpartition(".")
                return self._imported(node, package, name)
            case "string":
                return self._constant(node, _unquoted(_text(node)))
            case "integer_literal":
                digits = _text(node).rstrip("lL")
                return self._constant(node, int(digits) if digits.isdigit() else 0)
            case "floating_point_literal" | "character_literal":
                return self._constant(node, 0.5)
            case "boolean_literal":
                return self._constant(node, _text(node) == "true")
            case "null_literal" | "unit":
                return self._constant(node, None)
            case "interpolated_string_expression":
                return self._interpolated(node)
            case "quote_expression" | "symbol_literal":
                return self._call(node, self._spark(node, "col"), [self._constant(node, _text(node).lstrip("'"))])
            case "wildcard" if node.id in self.holes:
                return self._at(node, _named(self.holes[node.id]))
            case (
                "parenthesized_expression" | "vararg" | "ascription_expression" | "postfix_expression" | "method_value"
            ) if node.named_children:
                inner = self._value(node.named_children[0])
                is_open = node.type == "vararg" or node.named_children[-1].type == "repeated_parameter_type"
                return self._at(node, ast.Starred(value=inner, ctx=ast.Load())) if is_open else inner
            case "tuple_expression":
                return self._at(
                    node, ast.Tuple(elts=[self._value(each) for each in node.named_children], ctx=ast.Load())
                )
            case "field_expression":
                return self._field(node)
            case "generic_function":
                return self._generic(node)
            case "call_expression" | "instance_expression":
                return self._called(node)
            case "infix_expression":
                return self._infix(node)
            case "prefix_expression" if node.named_children:
                return self._at(node, ast.UnaryOp(op=ast.Not(), operand=self._value(node.named_children[-1])))
            case "lambda_expression":
                return self._lambda(node)
            case "if_expression":
                branches = (_part(node, "consequence"), _part(node, "alternative"))
                first, second = (self._result(each) for each in branches)
                test = self._value(_part(node, "condition"))
                return self._at(node, ast.IfExp(test=test, body=first, orelse=second))
            case "match_expression" | "try_expression":
                return self._choice(node)
            case "case_block" | "case_clause":
                return self._cases(node)
            case "for_expression":
                return self._yielded(node)
            case "block" | "indented_block":
                return self._result(node)
        return self._at(node, _named("_unknown"))

    def _result(self, node: Node | None) -> ast.expr:
        """Return the result of a block; its statements come before."""
        if node is None:
            return ast.Constant(value=None)
        inside = _inside(node)
        if len(inside) == 1 and inside[0].type not in ("val_definition", "var_definition", "for_expression"):
            return self._value(inside[0])
        name = f"_block_{node.start_point[0]}_{node.start_point[1]}"
        self.pending.append(self._definition(node, name, [], [], False, self._block(inside, returns=True)))
        return self._call(node, self._at(node, _named(name)), [])

    def _choice(self, node: Node) -> ast.expr:
        """Return any of the results of a match, or of a try."""
        clauses = _walk(node, ("case_clause",))
        if node.type == "try_expression":
            results = [
                self._result(each) for each in (_part(node, "body"), *(_part(c, "body") for c in clauses)) if each
            ]
        else:
            subject = f"_subject_{node.start_point[0]}_{node.start_point[1]}"
            value = self._value(_part(node, "value"))
            self.pending.append(
                self._at(node, ast.Assign(targets=[ast.Name(id=subject, ctx=ast.Store())], value=value))
            )
            return self._matched(node, clauses, _named(subject))
        return self._any(node, results)

    def _matched(self, node: Node, clauses: Sequence[Node], subject: ast.expr) -> ast.expr:
        """Return the result of the case that matches: constants are compared, of other patterns each may."""
        result: ast.expr | None = None
        for clause in reversed(clauses):
            made = self._case(clause, subject)
            pattern = _part(clause, "pattern")
            if result is None or (pattern.type == "wildcard" and _part(clause, "guard") is None):
                result = made
                continue
            listed = _constants_of(pattern) if _part(clause, "guard") is None else []
            test: ast.expr = _named("_unknown")
            if listed:
                values = [self._value(each) for each in listed]
                tests: list[ast.expr] = [
                    ast.Compare(left=subject, ops=[ast.Eq()], comparators=[each]) for each in values
                ]
                test = tests[0] if len(tests) == 1 else ast.BoolOp(op=ast.Or(), values=tests)
            result = self._at(node, ast.IfExp(test=test, body=made, orelse=result))
        return result if result is not None else self._constant(node, None)

    def _cases(self, node: Node) -> ast.expr:
        """Return a function that is written as cases: `{ case (id, total) => id }`."""
        clauses = [each for each in (node, *node.named_children) if each.type == "case_clause"]
        at = f"{node.start_point[0]}_{node.start_point[1]}"
        subject, outer = _named(f"_subject_{at}"), self.pending
        self.pending = []
        pattern = _part(clauses[0], "pattern") if len(clauses) == 1 else None
        if pattern is not None and pattern.type in ("tuple_pattern", "case_class_pattern"):
            names = [_text(each) for each in _walk(pattern, ("identifier",))]
            inside = [part for each in clauses[0].children_by_field_name("body") for part in _inside(each)]
            made = self._shadowing(
                names,
                lambda: [
                    self._at(node, ast.Assign(targets=[self._target(pattern)], value=subject)),
                    *self._block(inside, returns=True),
                ],
            )
        else:
            results = [self._case(each, subject) for each in clauses]
            made = [self._at(node, ast.Return(value=self._any(node, results)))]
        made, self.pending = [*self.pending, *made], outer
        self.pending.append(self._definition(node, f"{CASES}{at}", [f"_subject_{at}"], [], False, made))
        return self._at(node, _named(f"{CASES}{at}"))

    def _any(self, node: Node, results: Sequence[ast.expr]) -> ast.expr:
        """Return any of several values."""
        result = results[-1] if results else self._constant(node, None)
        for each in results[-2::-1]:
            result = self._at(node, ast.IfExp(test=_named("_unknown"), body=each, orelse=result))
        return result

    def _case(self, clause: Node, subject: ast.expr) -> ast.expr:
        """Return the result of a case: the names of its pattern are the subject, or what it wraps."""
        names = [_text(each) for each in _walk(_part(clause, "pattern"), ("identifier",)) if _text(each)[:1].islower()]
        name = f"_case_{clause.start_point[0]}_{clause.start_point[1]}"
        inside = [node for each in clause.children_by_field_name("body") for node in _inside(each)]
        body = self._shadowing(names, lambda: self._block(inside, returns=True))
        self.pending.append(self._definition(clause, name, names, [], False, body))
        is_value = len(names) == 1 and not _text(_part(clause, "pattern")).startswith(("Failure", "Left"))
        given = [self._call(clause, _named(UNWRAPPED), [subject])] if is_value else []
        return self._call(clause, _named(name), given)

    def _yielded(self, node: Node) -> ast.expr:
        """Return what `for (a <- as; b <- bs) yield c` makes."""
        listed = [each for each in _walk(node, ("enumerator",)) if len(each.named_children) > 1]
        names = [
            name
            for each in listed
            for name in map(_text, _walk(each.named_children[0], ("identifier",)))
            if name.isidentifier()
        ]

        def made() -> list[ast.stmt]:
            generators = [
                ast.comprehension(
                    target=self._target(each.named_children[0]),
                    iter=self._pairs(each),
                    ifs=[],
                    is_async=0,
                )
                for each in listed
            ]
            body = self._value_of(_part(node, "body") or node.named_children[-1], names)
            return [self._at(node, ast.Return(value=self._at(node, ast.ListComp(elt=body, generators=generators))))]

        name = f"_for_{node.start_point[0]}_{node.start_point[1]}"
        self.pending.append(self._definition(node, name, [], [], False, self._shadowing(names, made)))
        return self._call(node, _named(name), [])

    def _value_of(self, node: Node, names: Sequence[str]) -> ast.expr:
        """Return what a body makes of names that are bound for each item of a loop."""
        if len(inside := _inside(node)) == 1:
            return self._value(inside[0])
        name = f"_body_{node.start_point[0]}_{node.start_point[1]}"
        self.pending.append(self._definition(node, name, names, [], False, self._block(inside, returns=True)))
        return self._call(node, _named(name), list(map(_named, names)))

    def _spark(self, node: Node, name: str) -> ast.expr:
        return self._imported(node, self.columns, name)

    def _imported(self, node: Node, module: str, name: str) -> ast.expr:
        """Return a name of a library, which is imported before the current statement."""
        alias = ast.alias(name=name, asname=f"_spark_{name}")
        self.pending.append(self._at(node, ast.ImportFrom(module=module, names=[alias], level=0)))
        return self._at(node, _named(f"_spark_{name}"))

    def _interpolated(self, node: Node) -> ast.expr:
        kind = _text(_part(node, "interpolator"))
        inner = next((each for each in node.named_children if each.type == "interpolated_string"), None)
        text, at = _text(inner), 0
        parts: list[ast.expr] = []
        body = text[3:-3] if text.startswith('"""') else text[1:-1]
        start = inner.start_byte + (3 if text.startswith('"""') else 1) if inner is not None else 0
        raw = body.encode()
        for each in inner.named_children if inner is not None else ():
            begin, end = each.start_byte - start, each.end_byte - start
            parts.append(self._constant(node, raw[at:begin].decode("utf-8", "replace")))
            found = each.named_children[0] if each.named_children else each
            parts.append(self._at(node, ast.FormattedValue(value=self._result(found), conversion=-1)))
            at = end
        parts.append(self._constant(node, raw[at:].decode("utf-8", "replace")))
        made = self._at(node, ast.JoinedStr(values=parts))
        return self._call(node, self._spark(node, "col"), [made]) if kind == "$" else made

    def _field(self, node: Node) -> ast.expr:
        base, name = _part(node, "value"), _text(_part(node, "field"))
        if name == "empty" and _text(base) in _COLLECTIONS:
            return self._at(node, ast.List(elts=[], ctx=ast.Load()))
        if base.type == "identifier" and _text(base) in self.objects:
            return self._name(node, name)
        if _text(base) == "super":
            return self._member(node, self._call(node, _named("super"), []), name)
        package = _text(base)
        if _PACKAGE.fullmatch(package) and name[:1].isupper() and package.partition(".")[0] not in self.bound:
            return self._imported(node, package, name)
        made = self._member(node, self._value(base), _SAME.get(name, name))
        return self._call(node, made, []) if name in _NULLARY else made

    def _generic(self, node: Node) -> ast.expr:
        function = _part(node, "function")
        types = _part(node, "type_arguments")
        named = _text(function)
        if named.endswith(("Encoders.product", "ScalaReflection.schemaFor", "Encoders.bean")) and types is not None:
            of = _text(types.named_children[0])
            if of.isidentifier() and of not in self.classes:  # of another file
                return self._call(node, self._imported(node, "pyspark.sql.Encoders", "product"), [_named(of)])
            ddl = self._ddl(types.named_children[0], 0)
            made = self._imported(node, "pyspark.sql.types", "fromDDL")
            return self._call(node, made, [self._constant(node, ddl)])
        if function.type == "field_expression" and _text(_part(function, "field")) == "as":
            return self._value(_part(function, "value"))  # a view of the same rows by a class
        return self._value(function)

    def _ddl(self, node: Node, depth: int) -> str:
        """Return the DDL of a type: of a case class, a struct of its fields."""
        if node.type == "generic_type":
            base, inner = (
                _text(_part(node, "type")),
                _part(node, "type_arguments").named_children,
            )
            if base == "Option":
                return self._ddl(inner[0], depth)
            if base in _ARRAYS:
                return f"ARRAY<{self._ddl(inner[0], depth)}>"
            return f"MAP<STRING, {self._ddl(inner[-1], depth)}>" if base == "Map" else "STRING"
        name = _text(node).rpartition(".")[2]
        if name in _TYPES or name not in self.classes or depth > _DEEPEST_CLASS:
            return _TYPES.get(name, "UNKNOWN")
        parameters = _walk(self.classes[name].child_by_field_name("class_parameters"), ("class_parameter",))
        fields = ((_text(_part(each, "name")), _part(each, "type")) for each in parameters)
        return f"STRUCT<{', '.join(f'`{own}`: {self._ddl(kind, depth + 1)}' for own, kind in fields)}>"

    def _called(self, node: Node) -> ast.expr:
        is_new = node.type == "instance_expression"
        function = node.named_children[0] if is_new else _part(node, "function")
        if is_new and node.named_children[-1].type == "template_body":
            made_class = self._class(node, f"_Anonymous_{node.start_point[0]}_{node.start_point[1]}")
            made_class.bases = [_named(_text(each)) for each in node.named_children[:-1] if "identifier" in each.type]
            self.pending.append(made_class)
            return self._call(node, _named(made_class.name), [])
        given = _part(node, "arguments")
        args, keywords = self._arguments(given)
        name = _text(function)
        if name in _COLLECTIONS or (
            function.type == "generic_function" and _text(_part(function, "function")) in _COLLECTIONS
        ):
            return self._at(node, ast.List(elts=args, ctx=ast.Load()))
        if name == "Map":
            pairs = [
                (each.elts[0], each.elts[1]) for each in args if isinstance(each, ast.Tuple) and len(each.elts) == 2
            ]
            return self._at(node, ast.Dict(keys=[key for key, _ in pairs], values=[value for _, value in pairs]))
        if name in ("Some", "Option") and len(args) == 1:
            return args[0]
        if function.type == "field_expression" and _text(_part(function, "field")) in _NULLARY:
            field = _text(_part(function, "field"))
            made: ast.expr = self._member(node, self._value(_part(function, "value")), _SAME.get(field, field))
        else:
            made = self._value(function)
        holes = [at for at, each in enumerate(args) if isinstance(each, ast.Name) and each.id == "_"]
        if holes:  # f(_, x) is a function of the missing argument
            args = [_named(f"_hole_{at}") if at in holes else each for at, each in enumerate(args)]
            return self._of_holes(node, self._call(node, made, args, keywords), [f"_hole_{at}" for at in holes])
        return self._call(node, made, args, keywords)

    def _of_holes(self, node: Node, body: ast.expr, names: Iterable[str]) -> ast.expr:
        args = [ast.arg(arg=name) for name in names]
        given = ast.arguments(posonlyargs=[], args=args, kwonlyargs=[], kw_defaults=[], defaults=[])
        return self._at(node, ast.Lambda(args=given, body=body))

    def _arguments(self, given: Node | None) -> tuple[list[ast.expr], list[ast.keyword]]:
        args: list[ast.expr] = []
        keywords: list[ast.keyword] = []
        listed = given.named_children if given is not None else []
        if given is not None and given.type in ("block", "case_block"):
            is_one = len(given.named_children) == 1 and given.type == "block"
            listed = [given.named_children[0]] if is_one else [given]
        for each in listed:
            if each.type in ("comment", "block_comment"):
                continue
            if each.type == "assignment_expression":
                name, value = _text(_part(each, "left")), _part(each, "right")
                keywords.append(self._at(each, ast.keyword(arg=name, value=self._value(value))))
            elif each.type == "wildcard":
                args.append(self._at(each, _named("_")))
            else:
                args.append(self._argument(each))
        return args, keywords

    def _argument(self, node: Node) -> ast.expr:
        """Return an argument; one with places that are left out, such as `_.total > 0`, is a function of them."""
        holes = {each.id: f"_hole_{at}" for at, each in enumerate(_holes(node))}
        if not holes:
            return self._value(node)
        outer, self.holes = self.holes, {**self.holes, **holes}
        body = self._value(node)
        self.holes = outer
        return self._of_holes(node, body, holes.values())

    def _infix(self, node: Node) -> ast.expr:
        left, right = _part(node, "left"), _part(node, "right")
        sign = _text(_part(node, "operator"))
        return self._applied(node, sign, self._value(left), self._value(right))

    def _applied(self, node: Node, sign: str, left: ast.expr, right: ast.expr) -> ast.expr:
        if sign == "->":
            return self._at(node, ast.Tuple(elts=[left, right], ctx=ast.Load()))
        if sign in _COMPARED:
            return self._at(node, ast.Compare(left=left, ops=[_COMPARED[sign]()], comparators=[right]))
        if sign in _BINARY:
            if ":" in sign:  # an element before or after a list
                one = self._at(node, ast.List(elts=[right if sign == ":+" else left], ctx=ast.Load()))
                left, right = (left, one) if sign == ":+" else (one, right)
            return self._at(node, ast.BinOp(left=left, op=_BINARY[sign](), right=right))
        if sign.isidentifier():
            listed = right.elts if isinstance(right, ast.Tuple) else [right]
            return self._call(node, self._member(node, left, sign), listed)
        return self._call(node, self._member(node, left, sign), [right])  # a method with a sign for its name

    def _lambda(self, node: Node) -> ast.expr:
        parameters = _part(node, "parameters")
        found = _walk(parameters, ("binding",)) if parameters is not None else []
        names = [_text(_part(each, "name")) for each in found]
        names = names or ([_text(parameters)] if parameters is not None and parameters.type == "identifier" else ["_"])
        names = [name if name.isidentifier() else "_" for name in names]
        body = _inside(node.named_children[-1])
        name = f"_lambda_{node.start_point[0]}_{node.start_point[1]}"
        statements = self._shadowing(names, lambda: self._block(body, returns=True))
        self.pending.append(self._definition(node, name, names, [], False, statements))
        return self._at(node, _named(name))


def _named(name: str) -> ast.expr:
    return ast.Name(id=name, ctx=ast.Load())


def _part(node: Node, name: str) -> Node:
    return node.child_by_field_name(name)


def _text(node: Node | None) -> str:
    return node.text.decode("utf-8", "replace") if node is not None else ""


def _unquoted(text: str) -> str:
    if text.startswith('"""'):
        return text[3:-3]
    try:
        return str(ast.literal_eval(text))
    except (ValueError, SyntaxError):
        return text.strip('"')


def _inside(node: Node | None) -> list[Node]:
    if node is None:
        return []
    return list(node.named_children) if node.type in ("block", "indented_block", "template_body") else [node]


def _constants_of(pattern: Node) -> list[Node]:
    """Return the constants of a pattern; none if a part of it is another one."""
    if pattern.type in _CONSTANTS:
        return [pattern]
    parts = [_constants_of(each) for each in pattern.named_children] if pattern.type == "alternative_pattern" else []
    return [each for part in parts for each in part] if all(parts) else []


def _body(node: Node) -> list[Node]:
    return _inside(_part(node, "body"))


def _walk(node: Node | None, kinds: tuple[str, ...]) -> list[Node]:
    """Return the nodes of some kinds inside a node, in order."""
    found, waiting = [], [node] if node is not None else []
    while waiting:
        each = waiting.pop()
        found += [each] if each.type in kinds else []
        waiting += reversed(each.named_children)
    return found


_SCOPES = frozenset(
    {"repeated_parameter_type", "arguments", "lambda_expression", "case_block", "block", "method_value"}
) | {"type_arguments", "enumerators"}
_OPEN = ("call_expression", "field_expression", "infix_expression")
"""Expressions that are functions if they leave out a place, wherever they are."""


def _holes(node: Node) -> list[Node]:
    """Return the places that an argument leaves out, except those that are its own or of what is inside."""
    found, waiting = [], list(node.named_children) if node.type not in _SCOPES else []
    while waiting:
        each = waiting.pop(0)
        if each.type == "wildcard":
            found.append(each)
        elif each.type not in _SCOPES:
            waiting = [*each.named_children, *waiting]
    return found


_CONSTANTS = ("string", "integer_literal", "boolean_literal", "floating_point_literal")


def _is_constant(node: Node) -> bool:
    """Return whether a member has a constant: a superclass may use it before the class is made."""
    value = node.child_by_field_name("value") if node.type == "val_definition" else None
    return value is not None and value.type in _CONSTANTS


def _is_main(node: Node) -> bool:
    return node.type == "function_definition" and _text(_part(node, "name")) == "main"
