"""Parse Avro IDL: the named types of a protocol or a file of schemas, as JSON schemas that refer to each other by name.

Source: Apache Avro 1.12, "IDL Language". Messages of a protocol are skipped. Types of imported files are not copied:
they are those of the imported file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from scanner_model.documents.json_input import load_text
from scanner_model.errors import InputInvalid

Json = Any

DEEPEST = 60
"""Maximum nesting of types."""
_TOKEN = re.compile(
    r"(?P<space>\s+|//[^\n]*)|(?P<doc>/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z))"
    r"|(?P<text>\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+')|(?P<name>(?:`[^`\n]+`|[^\W\d][\w$-]*+)(?:\.(?:`[^`\n]+`|[\w$-]++))*+)"
    r"|(?P<number>-?(?:0[xX][\da-fA-F]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|Infinity|NaN))|(?P<sign>[{}()\[\]<>,;:=@?])"
    # After `text`: an unclosed text is one token, which the parser rejects.
    r"|(?P<other>\"(?:[^\"\\\n]|\\.)*+|'(?:[^'\\\n]|\\.)*+|.)",
    re.DOTALL,
)
_LOGICAL: Mapping[str, tuple[str, str]] = {
    "date": ("int", "date"),
    "time_ms": ("int", "time-millis"),
    "timestamp_ms": ("long", "timestamp-millis"),
    "local_timestamp_ms": ("long", "local-timestamp-millis"),
    "uuid": ("string", "uuid"),
}
"""A word of IDL → its type and logical type."""
_PRIMITIVES = frozenset(("null", "boolean", "int", "long", "float", "double", "bytes", "string"))
_SUFFIXES = frozenset("lLfFdD")
_DECLARING = frozenset(("record", "error", "enum", "fixed"))


class _Token(NamedTuple):
    kind: str
    text: str
    line: int
    doc: str = ""


def named_types(text: str) -> list[dict[str, Json]]:
    """Return the named types that a text in IDL declares, in order; raises InputInvalid with the line."""
    return _Parser(text).types()


class _Parser:
    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)
        self._at = 0
        self._namespace = ""
        self._found: list[dict[str, Json]] = []

    def types(self) -> list[dict[str, Json]]:
        while self._peek().kind != "end":
            start = self._peek()
            annotations = self._annotations()
            match self._peek().text:
                case "namespace":
                    self._next()
                    self._namespace = self._name()
                    self._expect(";")
                case "import" | "schema":
                    self._skip_to(";")
                case "protocol":
                    self._next()
                    self._namespace = _namespace(self._name(), annotations.get("namespace", self._namespace))
                    self._expect("{")
                case "}":
                    self._next()
                case _:
                    self._declaration(annotations, start.doc)
        return self._found

    # --- declarations

    def _declaration(self, annotations: dict[str, Json], doc: str) -> None:
        word = self._peek().text
        if word not in _DECLARING:
            self._skip_to(";")  # a message of the protocol
            return
        self._next()
        name = self._name()
        declared: dict[str, Json] = {"type": "record" if word == "error" else word, "name": name}
        if namespace := str(annotations.pop("namespace", self._namespace)):
            declared["namespace"] = namespace
        declared |= {"doc": doc} if doc else {}
        if word == "enum":
            declared |= self._symbols()
        elif word == "fixed":
            self._expect("(")
            declared["size"] = int(self._json())
            self._expect(")")
            self._expect(";")
        else:
            # Short names of types in a record are looked up in the record's own namespace.
            outer, self._namespace = self._namespace, _namespace(name, namespace)
            declared["fields"] = self._fields()
            self._namespace = outer
        self._found.append(declared | annotations)

    def _symbols(self) -> dict[str, Json]:
        self._expect("{")
        symbols: list[str] = []
        while self._peek().text != "}":
            symbols.append(self._name())
            self._accept(",")
        self._expect("}")
        members: dict[str, Json] = {"symbols": symbols}
        if self._accept("="):
            members["default"] = self._name()
            self._expect(";")
        return members

    def _fields(self) -> list[dict[str, Json]]:
        self._expect("{")
        fields: list[dict[str, Json]] = []
        while self._peek().text != "}":
            doc = self._peek().doc
            properties = self._annotations()
            is_optional, kind = self._type(0)
            if properties:
                kind = {**(kind if isinstance(kind, dict) else {"type": kind}), **properties}
            while True:
                fields.append(self._field(kind, doc, is_optional=is_optional))
                if not self._accept(","):
                    break
            self._expect(";")
        self._expect("}")
        return fields

    def _field(self, kind: Json, doc: str, *, is_optional: bool) -> dict[str, Json]:
        doc = self._peek().doc or doc
        properties = self._annotations()
        field: dict[str, Json] = {"name": self._name(), "type": kind}
        field |= {"doc": doc} if doc else {}
        if self._accept("="):
            field["default"] = self._json()
        if is_optional:
            has_value = field.get("default") is not None
            field["type"] = [kind, "null"] if has_value else ["null", kind]
        return field | properties

    # --- types

    def _type(self, depth: int) -> tuple[bool, Json]:
        """Return whether a type has the mark `?`, and the type."""
        if depth > DEEPEST:
            raise self._error("types are nested too deeply")
        annotations = self._annotations()
        token = self._next()
        if token.kind != "name":
            raise self._error(f"a type is missing before {token.text!r}", token)
        kind = self._type_of(token, depth)
        if annotations:
            kind = {**(kind if isinstance(kind, dict) else {"type": kind}), **annotations}
        return self._accept("?"), kind

    def _type_of(self, token: _Token, depth: int) -> Json:
        match token.text:
            case "array" | "map":
                self._expect("<")
                inside = self._nested(depth)
                self._expect(">")
                return {"type": token.text, "items" if token.text == "array" else "values": inside}
            case "union":
                self._expect("{")
                branches: list[Json] = []
                while self._peek().text != "}":
                    branches.append(self._nested(depth))
                    self._accept(",")
                self._expect("}")
                return branches
            case "decimal":
                self._expect("(")
                numbers = [self._json()]
                while self._accept(","):
                    numbers.append(self._json())
                self._expect(")")
                scale = numbers[1] if len(numbers) > 1 else 0
                return {"type": "bytes", "logicalType": "decimal", "precision": numbers[0], "scale": scale}
            case word if word in _LOGICAL:
                return dict(zip(("type", "logicalType"), _LOGICAL[word], strict=True))
            case word:
                name = word.replace("`", "")
                is_known = "." in name or not self._namespace or word in _PRIMITIVES
                return name if is_known else f"{self._namespace}.{name}"

    def _nested(self, depth: int) -> Json:
        is_optional, kind = self._type(depth + 1)
        return ["null", kind] if is_optional else kind

    # --- tokens

    def _annotations(self) -> dict[str, Json]:
        found: dict[str, Json] = {}
        while self._accept("@"):
            name = self._name()
            self._expect("(")
            found[name] = self._json()
            self._expect(")")
        return found

    def _json(self, depth: int = 0) -> Json:
        if depth > DEEPEST:
            raise self._error("values are nested too deeply")
        token = self._next()
        match token.kind, token.text:
            case "text", text:
                return _plain(text)
            case "number", text:
                # A suffix of Java's is a token of its own; no name follows a number otherwise.
                has_suffix = self._peek().kind == "name" and self._peek().text in _SUFFIXES
                return _number(text, self._next().text if has_suffix else "")
            case "name", ("true" | "false" | "null" | "Infinity" | "NaN") as word:
                return {"true": True, "false": False, "null": None}.get(word, word)
            case "sign", "[":
                return self._listed(depth)
            case "sign", "{":
                return self._object(depth)
        raise self._error(f"{token.text!r} is not a value", token)

    def _listed(self, depth: int) -> list[Json]:
        values: list[Json] = []
        while not self._accept("]"):
            values.append(self._json(depth + 1))
            self._accept(",")
        return values

    def _object(self, depth: int) -> dict[str, Json]:
        members: dict[str, Json] = {}
        while not self._accept("}"):
            name = str(self._json(depth + 1))
            self._expect(":")
            members[name] = self._json(depth + 1)
            self._accept(",")
        return members

    def _peek(self) -> _Token:
        return self._tokens[self._at]

    def _next(self) -> _Token:
        token = self._tokens[self._at]
        if token.kind == "end":
            raise self._error("the text ends too early", token)
        self._at += 1
        return token

    def _accept(self, text: str) -> bool:
        is_next = self._peek().kind == "sign" and self._peek().text == text
        self._at += is_next
        return is_next

    def _expect(self, text: str) -> None:
        if not self._accept(text):
            raise self._error(f"{text!r} is missing before {self._peek().text!r}")

    def _name(self) -> str:
        token = self._next()
        if token.kind != "name":
            raise self._error(f"{token.text!r} is not a name", token)
        return token.text.replace("`", "")

    def _skip_to(self, text: str) -> None:
        while self._next().text != text:
            pass

    def _error(self, what: str, token: _Token | None = None) -> InputInvalid:
        return InputInvalid(what, where=f"line {(token or self._peek()).line}")


def _tokens(text: str) -> list[_Token]:
    """Return the tokens of a text; each has the documentation before it."""
    tokens: list[_Token] = []
    line, doc = 1, ""
    for match in _TOKEN.finditer(text):
        kind, written = match.lastgroup or "", match[0]
        if kind == "doc":
            doc = _documentation(written) if written.startswith("/**") else doc
        elif kind != "space":
            tokens.append(_Token(kind, written, line, doc))
            doc = ""
        line += written.count("\n")
    return [*tokens, _Token("end", "the end", line)]


def _documentation(comment: str) -> str:
    lines = comment.removeprefix("/**").removesuffix("*/").split("\n")
    return "\n".join(line.strip().removeprefix("*").strip() for line in lines).strip()


def _namespace(name: str, declared: Json) -> str:
    """Return the namespace of a type: that in its name, else the one that is declared or holds around it."""
    return name.rpartition(".")[0] or str(declared)


def _number(text: str, suffix: str) -> Json:
    """Return a number as Java writes it; one that JSON does not have is a text, as Avro's own tools write it."""
    if text.endswith(("Infinity", "NaN")):
        return text
    if "x" in text.lower():
        return int(text, 16)
    if re.search(r"[.eE]", text) or suffix.lower() in ("f", "d"):
        return float(text)
    return int(text, 8 if re.fullmatch(r"-?0[0-7]+", text) else 10)


def _plain(text: str) -> str:
    if text[0] == "'":
        text = '"' + text[1:-1].replace("\\'", "'").replace('"', '\\"') + '"'
    try:
        return str(load_text(text))
    except ValueError:
        return text[1:-1]
