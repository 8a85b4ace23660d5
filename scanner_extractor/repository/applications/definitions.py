"""Definitions of a source file as tokens of its syntax tree, without comments, logging and metrics."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from scanner_extractor.repository.applications.expressions import text_of
from scanner_extractor.repository.languages import BY_ENDING
from scanner_extractor.repository.languages.language import Nodes
from scanner_extractor.repository.syntax_trees import Node, parse_tree, suffix


class Definition(NamedTuple):
    """A function, class, field, constant, or the statements of a file outside of these.

    *name* is behind that of its class, *line* and *end* are where it stands. *tokens* are leaves, each with its line.
    """

    name: str
    kind: str
    line: int
    end: int
    tokens: tuple[tuple[str, int], ...]

    @property
    def simple(self) -> str:
        """Return the name without that of its class."""
        return self.name.rpartition(".")[2]

    @property
    def owner(self) -> str:
        """Return the class that it is in; empty outside of one."""
        return self.name.rpartition(".")[0].rpartition(".")[2]

    @property
    def texts(self) -> tuple[str, ...]:
        """Return the tokens without their lines."""
        return tuple(text for text, _ in self.tokens)

    @property
    def words(self) -> frozenset[str]:
        """Return the identifiers in its tokens."""
        return frozenset(word for text, _ in self.tokens for word in _WORD.findall(text))


@dataclass(slots=True)
class SourceFile:
    """The definitions of a file, and the names that it imports, each with what it imports."""

    definitions: list[Definition] = field(default_factory=list)
    imports: dict[str, str] = field(default_factory=dict)

    def named(self) -> dict[str, list[Definition]]:
        """Return the definitions by name; overloaded functions share one."""
        by_name: dict[str, list[Definition]] = {}
        for definition in self.definitions:
            by_name.setdefault(definition.name, []).append(definition)
        return by_name


_WORD = re.compile(r"[A-Za-z_]\w*")
_SILENT = re.compile(
    r"(?i)(?:(?:this|self|cls)\.)?_?(?:\w*log(?:s|ger|ging)?|console|slog|zap|logrus|sentry_sdk|span|tracer"
    r"|\w*metrics?|\w*(?:counter|gauge|timer|histogram|meter)|statsd|print(?:ln|f)?|fmt\.print\w*|System\.(?:out|err)"
    r"|warnings|assert\w*|\w*\.(?:Log(?:Information|Warning|Error|Debug|Trace|Critical))"
    r"|requireNonNull)(?:\.\w+|\([^()]*\)|\s)*"
)
"""What is called to log, count, trace or assert."""
_SILENT_NAME = re.compile(
    r"(?i)\w*(?:log(?:ger)?|metrics?|counter|gauge|timer|histogram|meter)|_*(?:tracer|__version__)"
)
_HARMLESS_NOTES = re.compile(
    r"@(?:Override|SuppressWarnings|Deprecated|Nullable|NonNull|NotNull|Slf4j|Log4j2|Generated)\b.*", re.DOTALL
)
_PUNCTUATION = frozenset(";,")


def read_definitions(path: str, text: str) -> SourceFile:
    """Return the definitions of a source file whose text `bounded_parsing` accepted, and whose grammar is installed."""
    reader = _Reader(path, BY_ENDING[suffix(path)].nodes)
    reader.read(parse_tree(path, text))
    return reader.file


@dataclass(slots=True)
class _Reader:
    path: str
    nodes: Nodes
    file: SourceFile = field(default_factory=SourceFile)
    rest: list[tuple[str, int]] = field(default_factory=list)

    def read(self, root: Node) -> None:
        """Collect the definitions below *root*, class by class."""
        stack: list[tuple[Node, str]] = [(root, "")]
        while stack:
            node, owner = stack.pop()
            for child in reversed(node.named_children):
                if child.type in self.nodes.imports:
                    self.file.imports.update(_imported(child))
                elif child.type not in self.nodes.comments | self.nodes.packages and (inner := self._of(child, owner)):
                    stack.append(inner)
        if self.rest:
            lines = [line for _, line in self.rest]
            self._add("", "statements", (min(lines), max(lines)), sorted(self.rest, key=lambda token: token[1]))

    def _of(self, node: Node, owner: str) -> tuple[Node, str] | None:
        """Add the definition of a node; return it with its class if there are others inside."""
        at = (node.start_point[0] + 1, node.end_point[0] + 1)
        if node.type in self.nodes.functions:
            receiver = _receiver(node) if BY_ENDING[suffix(self.path)].has_packages else ""
            name = _name(node, self.nodes)
            self._add(_behind(receiver or owner, name), "function", at, self._tokens(node))
        elif node.type in self.nodes.classes | self.nodes.types:
            name = _behind(owner, _name(node, self.nodes))
            body = next((child for child in node.named_children if _is_body(child)), None)
            self._add(name, "class", at, self._tokens(node, without=body))
            self._parameters(node, name)
            return (body, name) if body is not None else None
        elif node.type in self.nodes.containers and (node.type != "expression_statement" or self._holds(node)):
            return node, owner
        elif (name := _name(node, self.nodes)) and (owner or node.type in self.nodes.plain):
            if not _SILENT_NAME.fullmatch(name):
                self._add(_behind(owner, name), "field" if owner else "constant", at, self._tokens(node))
        else:
            self.rest += self._tokens(node)
        return None

    def _holds(self, node: Node) -> bool:
        return any(
            child.type in self.nodes.classes | self.nodes.types | self.nodes.functions | {"assignment"}
            for child in node.named_children
        )

    def _parameters(self, node: Node, owner: str) -> None:
        """Add the parameters of a record or data class as its fields."""
        for child in node.named_children:
            if child.type in ("formal_parameters", "class_parameters", "primary_constructor", "parameter_list"):
                for parameter in child.named_children:
                    at = (parameter.start_point[0] + 1, parameter.end_point[0] + 1)
                    if name := _name(parameter, self.nodes):
                        self._add(_behind(owner, name), "field", at, self._tokens(parameter))

    def _add(self, name: str, kind: str, at: tuple[int, int], tokens: list[tuple[str, int]]) -> None:
        self.file.definitions.append(Definition(name, kind, at[0], at[1], tuple(tokens)))

    def _tokens(self, node: Node, without: Node | None = None) -> list[tuple[str, int]]:
        """Return the leaves of a node with their lines, without comments, documentation, logging and metrics."""
        tokens: list[tuple[str, int]] = []
        stack = [node]
        while stack:
            part = stack.pop()
            if (
                part.type in self.nodes.comments
                or (without is not None and part.id == without.id)
                or _is_silent(part, self.nodes)
            ):
                continue
            line = part.start_point[0] + 1
            if part.type in self.nodes.throws:
                tokens.append(("throw", line))
            elif part.type in self.nodes.strings and not any(
                "interpolation" in child.type or "substitution" in child.type for child in part.named_children
            ):
                tokens.append((text_of(part), line))
            elif part.child_count:
                stack.extend(reversed(part.children))
            elif (text := text_of(part)) and text.strip() and text not in _PUNCTUATION:
                tokens.append((text, line))
        return tokens


def _is_silent(node: Node, nodes: Nodes) -> bool:
    """Return whether a statement only logs, counts or asserts, or is the documentation of what it stands in."""
    if node.type in ("annotation", "marker_annotation"):
        return _HARMLESS_NOTES.fullmatch(text_of(node)) is not None
    if node.type == "assert_statement":
        return True
    if node.type not in nodes.statements or node.parent is None:
        return False
    if node.type == "expression_statement":
        inner = node.named_children[0] if node.named_child_count == 1 else None
        if inner is not None and inner.type in ("string", "string_literal"):
            return True
        node = inner if inner is not None and inner.type != "assignment" else node
        if node.type == "await_expression" or node.type == "await":
            return False
    elif not node.parent.type.endswith(("block", "statements", "body", "statement_list")):
        return False
    called = node.child_by_field_name("function") or node.child_by_field_name("expression")
    if node.type == "method_invocation":
        holder = node.child_by_field_name("object")
        text = (
            text_of(holder) + "." + text_of(node.child_by_field_name("name"))
            if holder
            else text_of(node.child_by_field_name("name"))
        )
    elif node.type in ("call_expression", "call", "invocation_expression"):
        text = text_of(called if called is not None else (node.named_children[0] if node.named_children else None))
    else:
        return False
    return _SILENT.fullmatch(text) is not None


def _is_body(node: Node) -> bool:
    return str(node.type).endswith(("body", "block", "declaration_list", "struct_type", "interface_type"))


def _name(node: Node, nodes: Nodes) -> str:
    """Return the name that a node defines; empty if it defines none."""
    stack = [node]
    while stack:
        part = stack.pop(0)
        for label in ("name", "left", "pattern", "declarator"):
            if (named := part.child_by_field_name(label)) is not None:
                if named.type.endswith("identifier") and named.type != "scoped_identifier":
                    return text_of(named)
                if named.type in ("variable_declarator", "expression_list", "pattern_list", "attribute"):
                    return _first(named)
        if part.type in (
            "variable_declaration",
            "lexical_declaration",
            "variable_declarator",
            "parameter",
            "class_parameter",
        ):
            return _first(part)
        stack += [
            child
            for child in part.named_children
            if child.type
            in ("variable_declaration", "variable_declarator", "assignment", "const_spec", "var_spec", "type_spec")
        ]
        if len(stack) > 20:
            break
    return _first(node) if node.type in nodes.classes | nodes.functions | nodes.fields else ""


def _first(node: Node) -> str:
    stack = [node]
    while stack:
        part = stack.pop(0)
        if part.type.endswith("identifier") and part.type != "type_identifier":
            return text_of(part)
        if part.type not in ("modifiers", "annotation", "user_type", "type_annotation", "type"):
            stack += part.named_children
    return next((text_of(child) for child in node.named_children if child.type.endswith("identifier")), "")


def _receiver(node: Node) -> str:
    """Return the type that a method of Go belongs to."""
    found = _WORD.findall(text_of(node.child_by_field_name("receiver")))
    return found[-1] if found else ""


def _behind(owner: str, name: str) -> str:
    return f"{owner}.{name}" if owner else name


_FROM = re.compile(r"from\s+(\S+)\s+import\s+([\s\S]+)")
_SCRIPT = re.compile(r"import\s++(\S(?:[\s\S]*?\S)??)\s+from\s+['\"]([^'\"]+)['\"]")
_GO = re.compile(r"(?:(?<![\w.])([\w.]++)\s++)?\"([^\"]+)\"")
_DOTTED = re.compile(r"(?:import|using)\s+(?:static\s+)?(?:(\w+)\s*=\s*)?([\w.]+)(?:\s+as\s+(\w+))?")


def _imported(node: Node) -> Iterator[tuple[str, str]]:
    """Yield the names that an import binds, each with what it imports."""
    text = text_of(node).strip()
    if match := _FROM.match(text):
        for entry in re.split(r"[,()\s]*[,()\n]+[,()\s]*", match[2]):
            name, _, alias = entry.strip().partition(" as ")
            if name:
                yield (alias or name).strip(), f"{match[1]}.{name}"
    elif match := _SCRIPT.match(text):
        for word in _WORD.findall(match[1]):
            yield word, match[2]
    elif '"' in text:
        for alias, path in _GO.findall(text.removeprefix("import").strip()):
            last = re.sub(r"^v\d+$", "", path.rpartition("/")[2]) or path.rpartition("/")[0].rpartition("/")[2]
            yield alias or last, path
    elif match := _DOTTED.match(text):
        name = match[1] or match[3] or match[2].rpartition(".")[2]
        if name:
            yield name, match[2]
