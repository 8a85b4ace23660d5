"""Schemas that commands, requests and programs register: subjects with the files or the texts of their schemas.

Source: Schema Registry API reference; Confluent CLI, rpk and AWS CLI references; Apicurio Registry, REST API v2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from urllib.parse import unquote

from scanner_extractor.repository.bounded_parsing import Trials
from scanner_extractor.repository.context import Context, InlineSchema
from scanner_extractor.repository.files import RepositoryFile
from scanner_extractor.repository.shell import Command
from scanner_extractor.repository.syntax_trees import Node, grammar_missing, grammar_of, is_test, parse_tree
from scanner_model.documents.json_input import load_text
from scanner_model.text import has_placeholder

REGISTERING = "program that registers schemas"
"""The kind of these files, as they are counted."""
_ADDRESS = re.compile(r"/subjects/(?P<subject>[^/\s'\"?]+)/versions")
_LEVEL = re.compile(r"/config(?:/(?P<subject>[^/\s'\"?]+))?/?(?:$|[\s'\"?])")
_HEADER = re.compile(r"(?i)X-Registry-ArtifactId:\s*(?P<subject>\S+)")
_OPTIONS = ("--subject", "--schema-name", "--subject-name", "--schema-id")
_SIDED = re.compile(r"[^\s/]+[-_](?:value|key)")
_BETWEEN = re.compile(r"[\s'\"`@=()<>,;:{}\[\]]+")
_REFERENCES = re.compile(r"\breferences\b[\"'\\]{0,4}\s{0,20}:\s{0,20}\[[^\[\]]{0,4000}\]")
"""The schemas that a registered one refers to, which have subjects of their own."""
_ENDINGS = (".avsc", ".avdl", ".json", ".proto", ".jsonschema")
_SCHEMA_FILE = re.compile(r"\.(?:avsc|proto|jsonschema|json)[\"'`]")
_SUBJECT = re.compile(r"[-_](?:value|key)[\"'`]|/subjects/")


def register_by_commands(commands: Sequence[Command], path: str, place: str, context: Context) -> None:
    """Add what the commands of one pipeline register: the subject that one names, with the schemas of all of them."""
    words = [word for command in commands for word in command.words]
    texts = [*words, *(document for command in commands for document in command.documents)]
    _set_level(words, texts, context)
    subject = _subject_of(words)
    if not subject or has_placeholder(subject):
        return
    plain = [_REFERENCES.sub("", text) for text in (*texts, *(command.reads for command in commands))]
    parts = [part for text in plain for part in _BETWEEN.split(text)]
    named = [part for part in parts if part.endswith(_ENDINGS)]
    directory = path.rpartition("/")[0]
    files = list(dict.fromkeys(file for name in named if (file := context.path_of(name, directory)) and file != path))
    context.add_subjects([(subject, file) for file in files], "")
    for text in () if files else texts:
        if (schema := _body(text)) is not None:
            kind = str(schema.get("schemaType") or "")
            context.inline.append(InlineSchema(RepositoryFile(path, ""), schema["schema"], place, subject, kind))


def _subject_of(words: Sequence[str]) -> str:
    for word in words:
        if match := _ADDRESS.search(word) or _HEADER.search(word):
            return unquote(match["subject"])
    if not {"schema", "schema-registry", "registry", "glue"} & set(words):
        sided = [word for word in words if _SIDED.fullmatch(word)]
        return sided[0] if len(sided) == 1 and any("schema" in word or "registry" in word for word in words) else ""
    for at, word in enumerate(words):
        option, _, value = word.partition("=")
        if option in _OPTIONS:
            return value or next(iter(words[at + 1 : at + 2]), "")
        if word == "create" and words[max(0, at - 2) : at] == ["registry", "schema"]:
            return next((each for each in words[at + 1 : at + 2] if not each.startswith("-")), "")
    return ""


def _body(text: str) -> dict[str, object] | None:
    """Return the request in a text, if it has a schema."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        value = load_text(text, strict=False)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and isinstance(value.get("schema"), str) else None


def _set_level(words: Sequence[str], texts: Sequence[str], context: Context) -> None:
    address = next((match for word in words if (match := _LEVEL.search(word)) and "/" in word), None)
    level = next((match[1] for text in texts if (match := re.search(r"\"compatibility\"\s*:\s*\"(\w+)\"", text))), "")
    if address and level and not has_placeholder(address["subject"] or ""):
        context.levels[unquote(address["subject"] or "")] = level.upper()


def requests_in(text: str) -> Iterator[Command]:
    """Yield the requests of a file such as `api.http`, each as a command: its address and headers, and its body.

    Requests are separated by lines that begin with `###`; a body is written out, or in the file behind `<`.
    """
    line = 1
    for number, part in enumerate(re.split(r"^###[^\n]*\n?", text, flags=re.MULTILINE)):
        head, _, body = part.strip().partition("\n\n")
        reads = body.strip().removeprefix("<").strip() if body.lstrip().startswith("<") else ""
        if head:
            yield Command(tuple(head.split("\n")), () if reads else (body,), reads, line, number)
        line += part.count("\n") + 1


# --- programs


def is_registering(file: RepositoryFile) -> bool:
    """Check whether a program may register files as schemas: it names such files and subjects."""
    is_program = grammar_of(file.path) is not None and not file.path.endswith((".tf", ".tfvars"))
    return (
        is_program
        and not is_test(file.path)
        and _SCHEMA_FILE.search(file.text) is not None
        and _SUBJECT.search(file.text) is not None
    )


def read_registering(files: Sequence[RepositoryFile], context: Context) -> None:
    """Add the subjects that programs name beside schema files: in the smallest part of the code that has both."""
    readable = {file.path: file.text for file in files if not grammar_missing(file.path)}
    refused = Trials().refused(readable) if readable else {}
    for path, text in readable.items():
        for subject, file in _pairs(parse_tree(path, text), path, context) if path not in refused else ():
            context.add_subjects([(subject, file)], "")


def _pairs(root: Node, path: str, context: Context) -> Iterator[tuple[str, str]]:
    """Yield subject and file of each node that has one of both in its literals, and no smaller part with both."""
    directory = path.rpartition("/")[0]
    stack: list[tuple[Node, bool]] = [(root, False)]
    found: dict[int, tuple[dict[str, None], dict[str, None]]] = {}
    while stack:
        node, is_done = stack.pop()
        if not is_done:
            stack.append((node, True))
            stack += [(child, False) for child in node.named_children]
            continue
        subjects: dict[str, None] = {}
        files: dict[str, None] = {}
        for child in node.named_children:
            own = found.pop(child.id, ({}, {}))
            subjects |= own[0]
            files |= own[1]
        if "string" in node.type and not subjects and not files:
            literal = node.text.decode("utf-8", "replace").strip("\"'`fbru")
            address = _ADDRESS.search(literal)
            if address or _SIDED.fullmatch(literal):
                subjects[unquote(address["subject"]) if address else literal] = None
            elif literal.endswith(_ENDINGS) and (file := context.path_of(literal, directory)):
                files[file] = None
        if len(subjects) == len(files) == 1:
            yield next(iter(subjects)), next(iter(files))
            subjects, files = {}, {}
        found[node.id] = (subjects, files)
