"""A member of cluster.json that declares the sources of one kind: its JSON Schema, how it is checked and parsed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from scanner_extractor.http.messages import Json
from scanner_model.documents.schema_errors import ErrorMessage, JsonPath, Shown

HTTP_MEMBERS: Mapping[str, Json] = {
    name: {"$ref": f"#/$defs/http/properties/{name}"}
    for name in (
        "auth",
        "headers",
        "tls",
        "connect_timeout",
        "read_timeout",
        "requests_per_second",
        "max_bytes",
        "concurrency",
    )
}
"""The members of every source that is read over HTTP, except `url`; `parse_http` reads them."""


def text(title: str, description: str, *examples: str, **words: Json) -> Json:
    """Return the JSON Schema of a text; *words* are further keywords."""
    shown = {"examples": list(examples)} if examples else {}
    return {"title": title, "description": description, "type": "string", **words, **shown}


def nonempty(title: str, description: str, *examples: str) -> Json:
    """Return the JSON Schema of a text that is not empty."""
    return text(title, description, *examples, minLength=1)


def address(description: str, *examples: str, **words: Json) -> Json:
    """Return the JSON Schema of the `url` of a source."""
    credentials = "A user and password in it are used for Basic authentication."
    return text("Address", f"{description} {credentials}", *examples, **words)


def name_list(title: str, description: str, *example: str) -> Json:
    """Return the JSON Schema of a list of names or patterns."""
    items = {"type": "string", "minLength": 1}
    words = {"title": title, "description": description, "type": "array", "minItems": 1, "items": items}
    return words | {"examples": [list(example)]}


ADDRESS = r"(?:\[[0-9A-Fa-f:.]+\]|[\w.-]+)(?::\d{1,5})?"
"""A host, with or without a port, as a regular expression."""


def aliases(description: str, example: str, *, form: str = ADDRESS, hint: str = "write host or host:port") -> Json:
    """Return the JSON Schema of other addresses of a server, each in the *form* of a regular expression."""
    words = name_list("Other addresses", description, example)
    return words | {"items": words["items"] | {"pattern": f"^(?:{form})$", "description": hint}}


def count(title: str, description: str, most: int, default: int) -> Json:
    """Return the JSON Schema of a number from 1 to *most*, and *default* unless it is set."""
    words = {"title": title, "description": description, "type": "integer"}
    return words | {"minimum": 1, "maximum": most, "default": default}


def object_of(title: str, description: str, properties: Json, *, required: Sequence[str] = ()) -> Json:
    """Return the JSON Schema of an object that has no other members than *properties*."""
    words = {"type": "object", "title": title, "description": description}
    needed = {"required": list(required)} if required else {}
    return words | needed | {"properties": properties, "additionalProperties": False}


def flag(title: str, description: str, *, default: bool = True) -> Json:
    """Return the JSON Schema of what is true or false, and *default* unless it is set."""
    return {"title": title, "description": description, "type": "boolean", "default": default}


S_co = TypeVar("S_co", covariant=True)

Items = Collection[tuple[JsonPath, Json]]
"""The objects of a section with their positions; nothing else is known of their form."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParseContext:
    """Context for parsing an item: the valid *document*, the directory of cluster.json, `secret_names`."""

    document: Json
    base: Path
    secret_names: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationContext:
    """Context for validating items: the *document* of any form and the *directory* of cluster.json.

    *written* is the document before variables were filled in. *shown* returns a value as users may see it. *present*:
    files that define jobs must exist; a replay needs none. *registry_types* are the types of schema registry that may
    be named.
    """

    document: Json
    shown: Shown
    directory: Path
    registry_types: Collection[str] = ()
    present: bool = True
    written: Json = None


def _nothing(_: Items, __: ValidationContext) -> Iterator[ErrorMessage]:
    return iter(())


def _no_warning(_: Items) -> Iterator[ErrorMessage]:
    return iter(())


@dataclass(frozen=True, slots=True, kw_only=True)
class Section(Generic[S_co]):
    """A member of cluster.json whose objects are sources.

    *member* names it. *schema* is the JSON Schema of one source, or returns it for the objects of a document of any
    form (None: for all documents); *definitions* are further ones that it refers to.
    *listing* are title, description and examples of a member that is a list of sources; None: the member is one source.
    *parse* converts a valid object to settings. *validate* yields what the schema cannot check, of objects of any form,
    *warn* what is unwise in valid ones; both need not care for `url` and HTTP_MEMBERS where *over_http*.
    """

    member: str
    schema: Json | Callable[[Items | None], Json]
    parse: Callable[[Json, ParseContext], S_co]
    validate: Callable[[Items, ValidationContext], Iterator[ErrorMessage]] = _nothing
    warn: Callable[[Items], Iterator[ErrorMessage]] = _no_warning
    listing: Mapping[str, Json] | None = None
    definitions: Mapping[str, Json] = field(default_factory=dict)
    over_http: bool = True

    def definition(self, document: Json = None) -> Json:
        """Return the JSON Schema of one source: of what *document* names, or of all that exist for None."""
        return self.schema(None if document is None else self.items(document)) if callable(self.schema) else self.schema

    def json_schema(self) -> Json:
        """Return the JSON Schema of the member, which refers to the definition of the same name."""
        source = {"$ref": f"#/$defs/{self.member}"}
        return source if self.listing is None else {**self.listing, "type": "array", "items": source}

    def items(self, document: Json) -> Items:
        """Return the objects of this member in a *document* of any form."""
        value = document.get(self.member) if isinstance(document, dict) else None
        if self.listing is None:
            return [((self.member,), value)] if isinstance(value, dict) else []
        listed = enumerate(value if isinstance(value, list) else ())
        return [((self.member, index), item) for index, item in listed if isinstance(item, dict)]

    def settings(self, context: ParseContext) -> tuple[S_co, ...]:
        """Return the settings of the sources that a valid document declares."""
        return tuple(self.parse(item, context) for _, item in self.items(context.document))


def member_of(value: Json, name: str) -> Json:
    """Return the member *name* of an object; None if absent or not an object."""
    return value.get(name) if isinstance(value, dict) else None


def repeated_sources(items: Items, identity: Callable[[Json], tuple[str, str]]) -> Iterator[ErrorMessage]:
    """Yield sources that are declared twice; *identity* returns the member that shows it, and its value (or empty)."""
    known: set[str] = set()
    for path, item in items:
        member, value = identity(item)
        if value and value in known:
            yield (*path, member), "this source is named twice", "keep one of them"
        known.add(value)


def name_or_path(item: Json) -> tuple[str, str]:
    """Return the member that identifies a source of files, with its value: its name, else its path."""
    member = "name" if "name" in item else "path"
    value = item.get(member)
    return member, value if isinstance(value, str) else ""
