"""References (`$ref`) inside a document and to other files of the repository; a schema with all that it refers to."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from scanner_extractor.repository.context import Context
from scanner_extractor.repository.files import RepositoryFile
from scanner_extractor.repository.yaml_documents import parse_yaml
from scanner_model.documents.json_input import load_text
from scanner_model.payload import Json

TextOf = Callable[[str], str | None]
"""Returns the text of a file of the repository by its path; None for a path without a file."""

_MOST_STEPS = 10
_MOST_DEFINITIONS = 1000
_DEFINITIONS = "definitions"


class Document(NamedTuple):
    """A file that references lead to; *value* is None if it is neither JSON nor YAML."""

    path: str
    text: str
    value: Json = None


class DocumentForm(NamedTuple):
    """A kind of document, and the types of its members that are read."""

    kind: str
    members: Mapping[str, tuple[type, ...]]
    has_numbers: bool = False


def documents_of(file: RepositoryFile, form: DocumentForm, context: Context) -> Iterator[Mapping[str, Json]]:
    """Yield the documents of a file; what cannot be parsed, and a member of another type, is reported."""
    if file.ending == ".json":
        try:
            values = [load_text(file.text)]
        except (ValueError, RecursionError) as error:
            context.leave(file, form.kind, f"it is not JSON: {error}")
            return
    else:
        values = []
        for parsed in parse_yaml(file.text, numbers=form.has_numbers):
            values.append(parsed.value)
            if parsed.error:
                context.leave(file, form.kind, f"line {parsed.line}: {parsed.error}")
    for value in values:
        if isinstance(value, dict):
            for name, types in form.members.items():
                if value.get(name) is not None and not isinstance(value[name], types):
                    context.leave(file, form.kind, f"`{name}` has another type than documents of this kind have")
            yield value


class DocumentReferences:
    """Follows the references of one document; *unresolved* are those that lead to nothing that can be read."""

    def __init__(self, document: Document, text_of: TextOf) -> None:
        self.document = document
        self.unresolved: dict[str, None] = {}
        self._text_of = text_of
        self._documents: dict[str, Document | None] = {document.path: document}

    def follow(self, value: Json, document: Document | None = None) -> tuple[Json, Document]:
        """Return what *value* is or refers to, in any number of steps, and the document with it; None if it is lost."""
        at = document or self.document
        for _ in range(_MOST_STEPS):
            reference = value.get("$ref") if isinstance(value, dict) else None
            if not isinstance(reference, str):
                return value, at
            name, _, pointer = reference.partition("#")
            target = self._beside(name, at) if name else at
            value = None if target is None else _pointed(target, pointer)
            if target is None or value is None:
                self.unresolved[reference] = None
                return None, at
            at = target
        self.unresolved[str(value)] = None
        return None, at

    def paths(self) -> set[str]:
        """Return the paths of the document and of the files that references led to."""
        return {path for path, found in self._documents.items() if found is not None}

    def bundled(self, schema: Json, document: Document) -> Json:
        """Return a JSON Schema with all that it refers to among its own definitions."""
        bundle = _Bundle(self)
        value = bundle.copied(schema, document)
        if not bundle.definitions or not isinstance(value, dict):
            return value
        return {**value, _DEFINITIONS: {**value.get(_DEFINITIONS, {}), **bundle.definitions}}

    def _beside(self, name: str, at: Document) -> Document | None:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(at.path), name))
        if path not in self._documents:
            text = self._text_of(path)
            self._documents[path] = None if text is None else Document(path, text, _value(path, text))
        return self._documents[path]


def references_of(file: RepositoryFile, value: Json, context: Context) -> DocumentReferences:
    """Return the references of a document in a repository."""
    text_of: TextOf = lambda path: context.text(path) if path in context.entries else None  # noqa: E731
    return DocumentReferences(Document(file.path, file.text, value), text_of)


class _Bundle:
    """Copies a schema; each target of a reference becomes one definition, also if it refers to itself."""

    def __init__(self, references: DocumentReferences) -> None:
        self.definitions: dict[str, Json] = {}
        self._references = references
        self._names: dict[tuple[str, int], str] = {}

    def copied(self, value: Json, document: Document) -> Json:
        if isinstance(value, list):
            return [self.copied(item, document) for item in value]
        if not isinstance(value, dict):
            return value
        reference = value.get("$ref")
        if isinstance(reference, str) and len(self.definitions) < _MOST_DEFINITIONS:
            return {**value, "$ref": self._definition(reference, document)}
        return {key: self.copied(item, document) for key, item in value.items()}

    def _definition(self, reference: str, document: Document) -> str:
        target, at = self._references.follow({"$ref": reference}, document)
        if target is None:
            return reference
        key = at.path, id(target)
        if key not in self._names:
            name = reference.rpartition("/")[2].rpartition("#")[2] or f"d{len(self._names)}"
            self._names[key] = name if name not in self.definitions else f"{name}-{len(self._names)}"
            self.definitions[self._names[key]] = {}
            self.definitions[self._names[key]] = self.copied(target, at)
        return f"#/{_DEFINITIONS}/{self._names[key].replace('~', '~0')}"


def _pointed(document: Document, pointer: str) -> Json:
    if document.value is None:
        return document.text if not pointer else None
    at = document.value
    for part in filter(None, pointer.split("/")):
        name = part.replace("~1", "/").replace("~0", "~")
        at = at.get(name) if isinstance(at, Mapping) else None
    return at


def _value(path: str, text: str) -> Json:
    """Return a file as JSON or YAML; None if it is neither."""
    if path.endswith((".yaml", ".yml")):
        values = [document.value for document in parse_yaml(text, numbers=True) if not document.error]
        return values[0] if len(values) == 1 else None
    try:
        return load_text(text) if path.endswith((".json", ".jsonschema")) else None
    except ValueError:
        return None
