"""Evaluate expressions of Terraform as far as the files decide them; what they do not decide stays a placeholder.

Source: the configuration language of Terraform. Nothing is run: data sources, computed attributes and functions that
are not listed in FUNCTIONS are unknown.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice, product
from typing import Any, NamedTuple

from scanner_extractor.repository.syntax_trees import Node
from scanner_model.documents.json_input import load_text
from scanner_model.text import has_placeholder

DEEPEST = 60
"""Maximum nesting of one expression, references included."""
MOST_STEPS = 1_000_000
"""Maximum steps of all configurations of a repository; 100 characters of a text that is put together are one."""
MOST_ITEMS = 1_000
"""Maximum items of `for_each`, `count` and `for`."""
MOST_VALUES = 20_000
"""Maximum parts of one value that has a name or is passed to a function; 100 characters of a text are a part."""
MOST_MULTIPLIED = 8_192
"""Maximum characters that a function is given whose result may be their square."""
_PART = 100
MOST_CHARACTERS = 1024 * 1024
"""Maximum characters of one text that is put together."""

_TEMPLATE_NAME = re.compile(r"\$\{\s*(?P<name>\w+)\s*\}")

TerraformValue = Any
"""A text, number, boolean, list, dict, None, or Unknown."""


class Unknown(NamedTuple):
    """A value that the files do not decide: *text* is the expression."""

    text: str


class Block(NamedTuple):
    """A block: its type, labels, attributes by name and blocks in it; *path* and *line* are where it begins."""

    kind: str
    labels: tuple[str, ...]
    attributes: Mapping[str, Node]
    blocks: tuple[Block, ...]
    path: str
    line: int

    @property
    def place(self) -> str:
        """Return file and line."""
        return f"{self.path}:{self.line}"


def read_blocks(path: str, body: Node, depth: int = 0) -> Iterator[Block]:
    """Yield the blocks of a body, those of a file first; what is nested too deeply is left out."""
    for node in body.named_children:
        if node.type != "block" or depth > DEEPEST:
            continue
        inside = node.named_children
        inner = next((child for child in inside if child.type == "body"), None)
        labels = [child for child in inside[1:] if child.type in ("string_lit", "identifier")]
        yield Block(
            _text(inside[0]),
            tuple(_text(label).strip('"') for label in labels),
            attributes(inner) if inner is not None else {},
            tuple(read_blocks(path, inner, depth + 1)) if inner is not None else (),
            path,
            node.start_point[0] + 1,
        )


def attributes(body: Node) -> dict[str, Node]:
    """Return the attributes of a body by name."""
    return {
        _text(child.named_children[0]): child.named_children[1]
        for child in body.named_children
        if child.type == "attribute" and len(child.named_children) > 1
    }


@dataclass(slots=True)
class Module:
    """A directory of a configuration with the values that its caller passes to its variables.

    *read* returns the text of a file by its path, None if absent. *resources* are blocks by `type.name`,
    *children* the modules that it calls, by name. *busy* are the names that are evaluated now.
    """

    directory: str
    read: Callable[[str], str | None]
    variables: dict[str, TerraformValue] = field(default_factory=dict)
    defaults: dict[str, Node] = field(default_factory=dict)
    locals: dict[str, Node] = field(default_factory=dict)
    resources: dict[str, Block] = field(default_factory=dict)
    outputs: dict[str, Node] = field(default_factory=dict)
    children: dict[str, Module] = field(default_factory=dict)
    busy: set[str] = field(default_factory=set)
    known: dict[str, TerraformValue] = field(default_factory=dict)
    steps: list[int] = field(default_factory=lambda: [0])


@dataclass(frozen=True, slots=True)
class ModuleScope:
    """A module with the names that hold in one place: `each`, `count` and those of `for`."""

    module: Module
    names: Mapping[str, TerraformValue] = field(default_factory=dict)

    def value(self, node: Node | None, depth: int = 0) -> TerraformValue:
        """Return the value of an expression; None for no expression."""
        if node is None:
            return None
        self.module.steps[0] += 1
        if depth > DEEPEST or self.module.steps[0] > MOST_STEPS:
            return Unknown("an expression that is too large")
        read = _READERS.get(node.type)
        return read(self, node, depth + 1) if read else Unknown(_text(node)[:200])

    def text(self, block: Block, name: str) -> str:
        """Return an attribute as a text, unknown parts as placeholders; empty without it."""
        return as_text(self.value(block.attributes.get(name)))

    def file_path(self, block: Block, name: str) -> str:
        """Return the path of the file whose text is an attribute, by `file(…)`; empty for another expression."""
        node = block.attributes.get(name)
        inside = node.named_children if node is not None else []
        parts = inside[0].named_children if len(inside) == 1 and inside[0].type == "function_call" else []
        if len(parts) != 2 or _text(parts[0]) != "file":
            return ""
        path = as_text(self.value(parts[1].named_children[0]))
        return "" if has_placeholder(path) else _resolved(path, self.module.directory)

    def instances(self, block: Block) -> Iterator[ModuleScope]:
        """Yield the scope of each instance of a block: one, or as many as `for_each` or `count` has."""
        if "for_each" in block.attributes:
            items = self.value(block.attributes["for_each"])
            if isinstance(items, Unknown):
                yield self._with({"each": Unknown(f"each of {items.text}")})
                return
            pairs = items.items() if isinstance(items, dict) else ((item, item) for item in _listed(items))
            for _, (key, value) in zip(range(MOST_ITEMS), pairs, strict=False):
                yield self._with({"each": {"key": key, "value": value}})
        elif "count" in block.attributes:
            count = self.value(block.attributes["count"])
            for index in range(min(count, MOST_ITEMS) if isinstance(count, int) else 1):
                yield self._with({"count": {"index": index}})
        else:
            yield self

    def _with(self, names: Mapping[str, TerraformValue]) -> ModuleScope:
        return ModuleScope(self.module, {**self.names, **names})

    # --- expressions

    def _expression(self, node: Node, depth: int) -> TerraformValue:
        """Read an expression: a value, and the attributes and indexes that follow it."""
        return self._operand(node.named_children, depth, node)

    def _operand(self, parts: list[Node], depth: int, whole: Node) -> TerraformValue:
        if not parts:
            return Unknown(_text(whole)[:200])
        if parts[0].type == "variable_expr":
            return self._reference(parts, depth)
        value = self.value(parts[0], depth)
        for part in parts[1:]:
            value = self._step(value, part, depth)
        return value

    def _reference(self, parts: list[Node], depth: int) -> TerraformValue:
        """Return what a name refers to: a variable, a local value, an attribute of a resource, a loop's item."""
        written = "".join(map(_text, parts))[:200]
        root = _text(parts[0])
        steps = parts[1:]
        if root in self.names:
            value = self.names[root]
        elif root in ("var", "local") and steps:
            value = self._named(root, _text(steps[0]).lstrip("."), depth)
            steps = steps[1:]
        elif root == "path":
            return self.module.directory or "."
        elif root == "module" and steps:
            return self._output(steps, depth, written)
        elif steps and f"{root}.{_text(steps[0]).lstrip('.')}" in self.module.resources:
            return self._resource(root, steps, depth, written)
        else:
            return Unknown(written)
        for part in steps:
            value = self._step(value, part, depth)
        return Unknown(written) if isinstance(value, Unknown) else value

    def _named(self, root: str, name: str, depth: int) -> TerraformValue:
        module, key = self.module, f"{root}.{name}"
        if root == "var" and name in module.variables:
            return module.variables[name]
        if key in module.known:
            return module.known[key]
        node = (module.defaults if root == "var" else module.locals).get(name)
        if node is None or key in module.busy:
            return Unknown(key)
        module.busy.add(key)
        value = ModuleScope(module).value(node, depth)
        value = value if _is_small(value) else Unknown(key)
        module.busy.discard(key)
        module.known[key] = value
        return value

    def _output(self, steps: list[Node], depth: int, written: str) -> TerraformValue:
        child = self.module.children.get(_text(steps[0]).lstrip("."))
        names = [_text(step).lstrip(".") for step in steps[1:] if step.type == "get_attr"]
        node = child.outputs.get(names[0]) if child is not None and names else None
        if child is None or node is None or written in self.module.busy:
            return Unknown(written)
        self.module.busy.add(written)
        value = ModuleScope(child).value(node, depth)
        self.module.busy.discard(written)
        for name in names[1:]:
            value = value.get(name, Unknown(written)) if isinstance(value, dict) else Unknown(written)
        return value

    def _resource(self, kind: str, steps: list[Node], depth: int, written: str) -> TerraformValue:
        """Return an attribute of a resource; the id of a service account is its name."""
        block = self.module.resources[f"{kind}.{_text(steps[0]).lstrip('.')}"]
        scope = self
        rest = list(steps[1:])
        if rest and rest[0].type == "index":
            key = self.value(rest.pop(0).named_children[-1], depth)
            scope = self._with({"each": {"key": key, "value": key}, "count": {"index": key}})
            items = ModuleScope(self.module).value(block.attributes.get("for_each"), depth)
            if isinstance(items, dict) and isinstance(key, str) and key in items:
                scope = self._with({"each": {"key": key, "value": items[key]}})
        name = _text(rest[0]).lstrip(".") if rest else ""
        if (name == "id" and "account" in kind) or (name == "id" and kind.endswith("_user")):
            name = next((own for own in ("display_name", "username", "name") if own in block.attributes), name)
        node = block.attributes.get(name)
        if node is None or written in self.module.busy:
            return Unknown(written)
        self.module.busy.add(written)
        value = scope.value(node, depth)
        self.module.busy.discard(written)
        for part in rest[1:]:
            value = self._step(value, part, depth)
        return value

    def _step(self, value: TerraformValue, part: Node, depth: int) -> TerraformValue:
        match part.type:
            case "get_attr":
                name = _text(part).lstrip(".").strip()
                if isinstance(value, dict) and name in value:
                    return value[name]
            case "index":
                key = self.value(part.named_children[-1], depth) if part.named_children else None
                return _item(value, key, _text(part))
            case "new_index" | "legacy_index":
                return _item(value, self.value(part.named_children[-1], depth), _text(part))
            case "splat":
                names = [_text(child).lstrip(".") for child in part.named_children[0].named_children]
                items = _listed(value) if isinstance(value, list) else []
                for name in names:
                    items = [item.get(name) if isinstance(item, dict) else Unknown(name) for item in items]
                return items if isinstance(value, list) else Unknown(_text(part))
        return Unknown(_text(part))

    # --- values

    def _inner(self, node: Node, depth: int) -> TerraformValue:
        return self.value(node.named_children[0], depth) if node.named_children else Unknown(_text(node))

    def _number(self, node: Node, _depth: int) -> TerraformValue:
        text = _text(node)
        try:
            return int(text) if text.isdigit() else float(text)
        except ValueError:
            return Unknown(text)

    def _boolean(self, node: Node, _depth: int) -> TerraformValue:
        return _text(node) == "true"

    def _null(self, _node: Node, _depth: int) -> TerraformValue:
        return None

    def _tuple(self, node: Node, depth: int) -> TerraformValue:
        return [self.value(child, depth) for child in node.named_children if child.type == "expression"]

    def _object(self, node: Node, depth: int) -> TerraformValue:
        found: dict[str, TerraformValue] = {}
        for element in node.named_children:
            key, value = element.child_by_field_name("key"), element.child_by_field_name("val")
            if element.type == "object_elem" and key is not None:
                found[self._key(key, depth)] = self.value(value, depth)
        return found

    def _key(self, node: Node, depth: int) -> str:
        """Return the key of an object: a name stands for itself."""
        inside = node.named_children
        if len(inside) == 1 and inside[0].type == "variable_expr":
            return _text(inside[0])
        return as_text(self.value(node, depth))

    def _template(self, node: Node, depth: int) -> TerraformValue:
        """Read a quoted text or a here-document; one that is a single interpolation has its value."""
        quoted = node.type != "heredoc_template"
        if node.type == "string_lit":
            return _unescaped(_text(node)[1:-1])
        parts = [child for child in node.named_children if child.type.startswith("template_")]
        if quoted and len(parts) == 1 and parts[0].type == "template_interpolation":
            return self._interpolation(parts[0], depth)
        data, start = node.text or b"", node.start_byte
        at, end = (1, len(data) - 1) if quoted else (data.find(b"\n") + 1, max(data.rfind(b"\n"), 0))
        pieces: list[str] = []
        for part in parts:
            if part.type == "template_literal":
                continue
            plain = data[at : part.start_byte - start].decode("utf-8", "replace")
            pieces.append(_unescaped(plain) if quoted else plain.replace("$${", "${"))
            if part.type == "template_interpolation":
                pieces.append(as_text(self._interpolation(part, depth)))
            at = part.end_byte - start
        plain = data[at:end].decode("utf-8", "replace")
        pieces.append(_unescaped(plain) if quoted else plain.replace("$${", "${"))
        joined = "".join(pieces)[:MOST_CHARACTERS]
        self.module.steps[0] += len(joined) // _PART
        return textwrap.dedent(joined) if data.startswith(b"<<-") else joined

    def _interpolation(self, node: Node, depth: int) -> TerraformValue:
        inside = [child for child in node.named_children if child.type == "expression"]
        return self.value(inside[0], depth) if inside else Unknown(_text(node).strip("${} "))

    def _call(self, node: Node, depth: int) -> TerraformValue:
        inside = node.named_children
        name = _text(inside[0])
        listed = inside[1].named_children if len(inside) > 1 else []
        arguments = [self.value(part, depth) for part in listed if part.type == "expression"]
        if name in ("try", "coalesce"):
            known = (value for value in arguments if not isinstance(value, Unknown) and value not in (None, ""))
            return next(known, Unknown(_text(node)[:200]))
        function = FUNCTIONS.get(name)
        if name in ("file", "templatefile", "filebase64"):
            return self._file(arguments, node)
        if function is None or any(isinstance(argument, Unknown) for argument in arguments) or not _is_small(arguments):
            return Unknown(_text(node)[:200])
        if name in _MULTIPLYING and len(as_text(arguments)) > MOST_MULTIPLIED:
            return Unknown(_text(node)[:200])
        try:
            return function(*arguments)
        except (TypeError, ValueError, KeyError, IndexError, AttributeError, RecursionError):
            return Unknown(_text(node)[:200])

    def _file(self, arguments: list[TerraformValue], node: Node) -> TerraformValue:
        """Return the text of a file of the repository, with the variables of a template replaced."""
        path = as_text(arguments[0]) if arguments else ""
        text = None if has_placeholder(path) else self.module.read(_resolved(path, self.module.directory))
        if text is None:
            return Unknown(_text(node)[:200])
        given = arguments[1] if len(arguments) > 1 and isinstance(arguments[1], dict) else {}
        texts = {name: as_text(value) for name, value in given.items()}
        text = _TEMPLATE_NAME.sub(lambda match: texts.get(match["name"], match[0]), text)
        return text[:MOST_CHARACTERS]

    def _conditional(self, node: Node, depth: int) -> TerraformValue:
        parts = [child for child in node.named_children if child.type == "expression"]
        if len(parts) != 3:
            return Unknown(_text(node)[:200])
        condition = self.value(parts[0], depth)
        if isinstance(condition, Unknown):
            return Unknown(_text(node)[:200])
        return self.value(parts[1] if condition in (True, "true") else parts[2], depth)

    def _operation(self, node: Node, depth: int) -> TerraformValue:
        """Read an operation: its operands stand beside each other, with the operator between them."""
        if node.type == "unary_operation":
            value = self._operand(node.named_children, depth, node)
            return not value if isinstance(value, bool) else Unknown(_text(node))
        operator = ""
        sides: tuple[list[Node], list[Node]] = ([], [])
        for child in node.children:
            if not child.is_named and _text(child) in _OPERATORS and not operator:
                operator = _text(child)
            elif child.is_named:
                sides[bool(operator)].append(child)
        left, right = (self._operand(side, depth, node) for side in sides)
        if isinstance(left, Unknown) or isinstance(right, Unknown) or operator not in _OPERATORS:
            return Unknown(_text(node)[:200])
        try:
            return _OPERATORS[operator](left, right)
        except (TypeError, ZeroDivisionError, OverflowError):
            return Unknown(_text(node)[:200])

    def _for(self, node: Node, depth: int) -> TerraformValue:
        body = node.named_children[0]
        intro = next((child for child in body.named_children if child.type == "for_intro"), None)
        results = [child for child in body.named_children if child.type == "expression"]
        condition = next((child for child in body.named_children if child.type == "for_cond"), None)
        if intro is None or not results:
            return Unknown(_text(node)[:200])
        names = [_text(child) for child in intro.named_children if child.type == "identifier"]
        items = self.value(intro.named_children[-1], depth)
        if isinstance(items, Unknown):
            return items
        pairs = list(items.items()) if isinstance(items, dict) else list(enumerate(_listed(items)))
        found: list[TerraformValue] = []
        mapped: dict[str, TerraformValue] = {}
        for key, value in pairs[:MOST_ITEMS]:
            bound = {names[0]: key, names[1]: value} if len(names) > 1 else {names[0]: value}
            scope = self._with(bound)
            if condition is not None and scope.value(condition.named_children[0], depth) is False:
                continue
            if body.type == "for_object_expr" and len(results) > 1:
                mapped[as_text(scope.value(results[0], depth))] = scope.value(results[1], depth)
            else:
                found.append(scope.value(results[0], depth))
        return mapped if body.type == "for_object_expr" else found


_READERS: Mapping[str, Callable[[ModuleScope, Node, int], TerraformValue]] = {
    "expression": ModuleScope._expression,
    "literal_value": ModuleScope._inner,
    "collection_value": ModuleScope._inner,
    "template_expr": ModuleScope._inner,
    "operation": ModuleScope._inner,
    "string_lit": ModuleScope._template,
    "quoted_template": ModuleScope._template,
    "heredoc_template": ModuleScope._template,
    "numeric_lit": ModuleScope._number,
    "bool_lit": ModuleScope._boolean,
    "null_lit": ModuleScope._null,
    "tuple": ModuleScope._tuple,
    "object": ModuleScope._object,
    "function_call": ModuleScope._call,
    "conditional": ModuleScope._conditional,
    "binary_operation": ModuleScope._operation,
    "unary_operation": ModuleScope._operation,
    "for_expr": ModuleScope._for,
    "new_index": ModuleScope._inner,
}

_OPERATORS: Mapping[str, Callable[[TerraformValue, TerraformValue], TerraformValue]] = {
    "==": lambda left, right: left == right,
    "!=": lambda left, right: left != right,
    "&&": lambda left, right: bool(left and right),
    "||": lambda left, right: bool(left or right),
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right if abs(left) < 2**53 and abs(right) < 2**53 else 0,
    "/": lambda left, right: left / right,
    "%": lambda left, right: left % right,
    "<": lambda left, right: left < right,
    ">": lambda left, right: left > right,
    "<=": lambda left, right: left <= right,
    ">=": lambda left, right: left >= right,
}


_MULTIPLYING = frozenset({"format", "join", "replace"})
"""Functions whose result may have as many characters as the square of what they are given."""


def _merged(*parts: Mapping[str, TerraformValue]) -> dict[str, TerraformValue]:
    return {key: value for part in parts for key, value in part.items()}


def _flat(parts: Iterable[TerraformValue]) -> list[TerraformValue]:
    return [item for part in parts for item in (_flat(part) if isinstance(part, list) else [part])]


def _formatted(template: str, *values: TerraformValue) -> str:
    texts = iter(values)
    return re.sub(r"%(?:\d*[sdv]|q)", lambda _: as_text(next(texts)), template.replace("%%", "%"))


FUNCTIONS: Mapping[str, Callable[..., TerraformValue]] = {
    "abspath": lambda path: path,
    "compact": lambda items: [item for item in items if item not in (None, "")],
    "concat": lambda *lists: [item for part in lists for item in part],
    "distinct": lambda items: [item for at, item in enumerate(items) if item not in items[:at]],
    "element": lambda items, at: items[at % len(items)],
    "flatten": _flat,
    "format": _formatted,
    "join": lambda mark, *lists: mark.join(as_text(item) for part in lists for item in part),
    "jsondecode": load_text,
    "jsonencode": lambda value: json.dumps(plain(value)),
    "keys": sorted,
    "length": len,
    "lookup": lambda items, key, default=None: items.get(key, default),
    "lower": str.lower,
    "merge": _merged,
    "nonsensitive": lambda value: value,
    "range": lambda *limits: list(range(*limits)[:MOST_ITEMS]),
    "replace": lambda text, old, new: text.replace(old, new) if not old.startswith("/") else Unknown("replace"),
    "sensitive": lambda _: Unknown("a sensitive value"),
    "setproduct": lambda first, second: [[one, other] for one, other in islice(product(first, second), MOST_ITEMS)],
    "sort": sorted,
    "split": lambda mark, text: text.split(mark),
    "title": str.title,
    "tolist": lambda items: _listed(items),
    "tomap": lambda items: items,
    "tonumber": int,
    "toset": lambda items: _listed(items),
    "tostring": lambda value: as_text(value),
    "trim": lambda text, characters: text.strip(characters),
    "trimprefix": str.removeprefix,
    "trimspace": str.strip,
    "trimsuffix": str.removesuffix,
    "upper": str.upper,
    "values": lambda items: [items[key] for key in sorted(items)],
    "zipmap": lambda keys, values: dict(zip(keys, values, strict=False)),
}
"""The functions that are evaluated, by name."""


def as_text(value: TerraformValue) -> str:
    """Return a value as a text; what is unknown is a placeholder, and null is empty."""
    match value:
        case Unknown():
            return "${" + re.sub(r"[{}\n]", " ", value.text) + "}"
        case str():
            return value
        case None:
            return ""
        case bool():
            return str(value).lower()
        case list() | dict() if not _is_small(value):
            return "${a value that is too large}"
        case list() | dict():
            return json.dumps(plain(value))[:MOST_CHARACTERS]
        case _:
            return str(value)


def plain(value: TerraformValue, depth: int = 0) -> TerraformValue:
    """Return a value of JSON: what is unknown is a placeholder."""
    if isinstance(value, dict) and depth < DEEPEST:
        return {key: plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list) and depth < DEEPEST:
        return [plain(item, depth + 1) for item in value]
    return as_text(value) if isinstance(value, Unknown | dict | list) else value


def _is_small(value: TerraformValue) -> bool:
    """Return whether a value has at most MOST_VALUES parts, each counted wherever it is repeated."""
    stack, count = [value], 0
    while stack and count <= MOST_VALUES:
        part = stack.pop()
        count += 1 + (len(part) // _PART if isinstance(part, str) else 0)
        stack += part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    return count <= MOST_VALUES


def _listed(value: TerraformValue) -> list[TerraformValue]:
    if isinstance(value, dict):
        return list(value)
    return value if isinstance(value, list) else [value]


def _item(value: TerraformValue, key: TerraformValue, written: str) -> TerraformValue:
    if isinstance(value, dict) and isinstance(key, str) and key in value:
        return value[key]
    if isinstance(value, list) and isinstance(key, int) and -len(value) <= key < len(value):
        return value[key]
    return Unknown(written)


def _unescaped(text: str) -> str:
    plain_escapes = {"n": "\n", "t": "\t", "r": "\r"}
    unescaped = re.sub(r"\\(.)", lambda match: plain_escapes.get(match[1], match[1]), text, flags=re.DOTALL)
    return unescaped.replace("$${", "${")


def _resolved(path: str, directory: str) -> str:
    """Return a path of the repository: `path.module` and `./` are the module's directory."""
    parts: list[str] = []
    is_rooted = directory and (path == directory or path.startswith(directory + "/"))
    for part in (path if is_rooted else f"{directory}/{path}").split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part not in ("", ".", ".."):
            parts.append(part)
    return "/".join(parts)


def _text(node: Node | None) -> str:
    return node.text.decode("utf-8", "replace") if node is not None and node.text else ""
