"""Schemas in texts of source code and documents: constants that programs parse, and values of YAML or JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from scanner_extractor.repository.context import Context, EmbeddedSchema, InlineSchema
from scanner_extractor.repository.declared import CLASS
from scanner_extractor.repository.files import RepositoryFile
from scanner_extractor.repository.syntax_trees import is_test, words
from scanner_extractor.repository.yaml_documents import parse_yaml
from scanner_model.documents.json_input import load_text

Json = Any

EMBEDDED_SCHEMA = "schema in code"
"""The kind of these files, as they are counted."""
_ENDINGS = words(".java .kt .kts .scala .groovy .cs .go .py .js .mjs .cjs .ts .tsx .jsx .rs .rb .php")
_SIGN = re.compile(r"\\?[\"']type\\?[\"']\s*:\s*\\?[\"']record\\?[\"']")
_DOCUMENTS = words(".yaml .yml .json")
_TEXT_SIGN = re.compile(
    r"\\?[\"']type\\?[\"']\s*:\s*\\?[\"']record\\?[\"']"
    r"|\\[\"']\$schema\\?[\"']|[|>][-+\d]*[ \t]*\n\s*\{\s*\"\$schema\"|\bsyntax\s*=\s*\\?[\"']proto[23]"
)
"""A schema inside a text of a document: a record of Avro, a JSON Schema with its draft, or a file of Protobuf."""
_TEXT_WORDS = ("record", "$schema", "syntax")
_SIDE = re.compile(r"[-_.](?:key|value)$")
_OPENING = re.compile(r"\"\"\"|'''|`|\br#+\"|\"|'")
_PARTS = re.compile(
    r"\"(?:[^\"\\\n]|\\.)*+\"(?:\s*+\+?\s*+\"(?:[^\"\\\n]|\\.)*+\")*+"
    r"|'(?:[^'\\\n]|\\.)*+'(?:\s*+\+?\s*+'(?:[^'\\\n]|\\.)*+')*+"
)
"""Texts in one line each, which `+` or nothing joins."""
_PIECE = re.compile(r"\"((?:[^\"\\\n]|\\.)*+)\"|'((?:[^'\\\n]|\\.)*+)'")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


class _Literal(NamedTuple):
    text: str
    line: int


def has_embedded_schema(file: RepositoryFile) -> bool:
    """Check whether source code or a document has a schema as a text; tests are left out."""
    if file.ending in _DOCUMENTS:
        is_likely = any(word in file.text for word in _TEXT_WORDS)  # of each alternative, faster to look for
        return is_likely and _TEXT_SIGN.search(file.text) is not None and not is_test(file.path)
    is_likely = file.ending in _ENDINGS and "record" in file.text
    return is_likely and _SIGN.search(file.text) is not None and not is_test(file.path)


def read_embedded_schemas(files: Sequence[RepositoryFile], context: Context) -> None:
    """Keep the schemas of each file for the schema files, with which they are read; one that is not JSON is left."""
    for file in files:
        if file.ending in _DOCUMENTS:
            _read_document(file, context)
            continue
        for literal in _literals(file.text):
            try:
                value = load_text(literal.text)
            except (ValueError, RecursionError):
                context.leave(file, EMBEDDED_SCHEMA, f"line {literal.line}: the text of the schema is not in one piece")
                continue
            listed = value if isinstance(value, list) else [value]
            context.embedded += [EmbeddedSchema(file, own) for own in listed if _is_record(own)]


def _read_document(file: RepositoryFile, context: Context) -> None:
    """Keep the texts of a document that are schemas and that no form has read."""
    known = {entry.value for entry in context.inline if isinstance(entry.value, str)}
    for parsed in parse_yaml(file.text):
        for subject, text, line in _values(parsed.value, "", parsed.line):
            text = _unwrapped(text)
            if text not in known and _is_schema(text):
                context.inline.append(InlineSchema(file, text, f"{file.path}:{line}", subject))


def _unwrapped(text: str) -> str:
    """Return the schema in the text of a request to a registry; any other text as it is."""
    if '"schema"' not in text[:100] or text.lstrip()[:1] != "{":
        return text
    try:
        value = load_text(text)
    except (ValueError, RecursionError):
        return text
    inner = value.get("schema") if isinstance(value, dict) else None
    return inner if isinstance(inner, str) else text


_FILE = re.compile(r"\.(?:avsc|json|proto)$")
_SUBJECT = "subject"


def _values(value: Json, subject: str, line: int) -> Iterator[tuple[str, str, int]]:
    """Yield the texts of a document with their subjects and lines; the settings of a connector are read as such.

    The *subject* is that of the member beside a text, else its key if that ends as a subject does, as a file or not.
    """
    match value:
        case str():
            yield subject, value, line
        case dict() if CLASS not in value:
            lines = getattr(value, "lines", {})
            beside = value.get(_SUBJECT)
            for name, inside in value.items():
                stem = _FILE.sub("", str(name))
                own = beside if isinstance(beside, str) else stem if _SIDE.search(stem) else ""
                yield from _values(inside, own, lines.get(name, line))
        case list():
            for inside in value:
                yield from _values(inside, subject, line)


def _is_schema(text: str) -> bool:
    """Return whether a text as a whole is a schema: a file of Protobuf, or a record or draft at the root of JSON."""
    if text.lstrip()[:1] not in ("{", "["):
        return _PROTOBUF.match(text) is not None
    try:
        value = load_text(text)
    except (ValueError, RecursionError):
        return False
    listed = value if isinstance(value, list) else [value]
    return any(
        _is_record(one) or (isinstance(one, dict) and "json-schema.org" in str(one.get("$schema"))) for one in listed
    )


_PROTOBUF = re.compile(r"\s*(?://[^\n]*\n\s*)*+syntax\s*=\s*[\"']proto[23]")


def _is_record(value: Json) -> bool:
    return isinstance(value, dict) and value.get("type") == "record" and isinstance(value.get("name"), str)


def _literals(text: str) -> Iterator[_Literal]:
    """Yield the texts of code that look like a record; parts of a text that `+` joins are one."""
    line, counted = 1, 0
    for start, plain in _texts(text):
        if _SIGN.search(plain) and plain.lstrip()[:1] in ("{", "["):
            line += text.count("\n", counted, start)
            counted = start
            yield _Literal(plain, line)


def _texts(text: str) -> Iterator[tuple[int, str]]:
    """Yield the texts of code with their places; each delimiter that is not closed is looked for once.

    A quotation mark that is not closed on its line has none of its kind behind it there that begins a text.
    """
    at, unclosed = 0, set[str]()
    skipped = {'"': 0, "'": 0}
    while opening := _OPENING.search(text, at):
        mark, at = opening[0], opening.end()
        if mark in ('"', "'"):
            if opening.start() < skipped[mark]:
                continue
            if parts := _PARTS.match(text, opening.start()):
                at = parts.end()
                yield opening.start(), _joined(parts[0])
            else:
                end = text.find("\n", at)
                skipped[mark] = len(text) if end < 0 else end
            continue
        closing = '"' + "#" * mark.count("#") if mark.startswith("r") else mark
        end = -1 if closing in unclosed else text.find(closing, at)
        if end < 0:
            unclosed.add(closing)
        else:
            yield opening.start(), text[at:end]
            at = end + len(closing)


def _joined(written: str) -> str:
    pieces = (match[1] if match[1] is not None else match[2] for match in _PIECE.finditer(written))
    return "".join(re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[1]), piece) for piece in pieces)
