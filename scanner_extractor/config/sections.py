"""A member of cluster.json that declares the sources of one kind: its JSON Schema, how it is checked and parsed."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from scanner_extractor.http.messages import Json
from scanner_extractor.source_types import SourceTypes
from scanner_model.documents.schema_errors import ErrorMessage, JsonPath, Shown, closest_match, error_messages
from scanner_model.plugins import PluginError

OPTIONS: Json = {
    "title": "Options",
    "description": "Settings of a plug-in's type, validated by its JSON Schema.",
    "type": "object",
}
"""The JSON Schema of the member."""


def option_errors(path: JsonPath, item: Json, types: SourceTypes[Any, Any], shown: Shown) -> Iterator[ErrorMessage]:
    """Yield what is wrong with the `options` of *item*; a broken plug-in fails when it reads."""
    kind, where = item.get("type"), (*path, "options")
    if not isinstance(kind, str) or kind not in types:
        return
    if types[kind].schema is None:
        if "options" in item:
            yield where, f"'options' is not for type {kind}", "leave it out; only some plug-ins take options"
        return
    try:
        for error in types.option_errors(kind, item.get("options", {})):
            for steps, what, hint in error_messages(error, lambda steps: shown((*where, *steps))):
                yield (*where, *steps) if "options" in item else path, what, hint
    except PluginError as error:
        yield (*path, "type"), error.what, error.hint


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

    *member* names it. *schema* is the JSON Schema of one source, *definitions* are further ones that it refers to.
    *listing* are title, description and examples of a member that is a list of sources; None: the member is one source.
    *parse* converts a valid object to settings. *validate* yields what the schema cannot check, of objects of any form,
    *warn* what is unwise in valid ones; both need not care for `url` and HTTP_MEMBERS where *over_http*.
    """

    member: str
    schema: Json
    parse: Callable[[Json, ParseContext], S_co]
    validate: Callable[[Items, ValidationContext], Iterator[ErrorMessage]] = _nothing
    warn: Callable[[Items], Iterator[ErrorMessage]] = _no_warning
    listing: Mapping[str, Json] | None = None
    definitions: Mapping[str, Json] = field(default_factory=dict)
    over_http: bool = True

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


ADDRESS = r"(?:\[[0-9A-Fa-f:.]+\]|[\w.-]+)(?::\d{1,5})?"
"""A host, with or without a port, as a regular expression."""


def alias_errors(
    path: JsonPath, item: Json, shown: Shown, *, form: str = ADDRESS, hint: str = "write host or host:port"
) -> Iterator[ErrorMessage]:
    """Yield the `aliases` of an item, other addresses of its server, that do not have the *form*."""
    aliases = item.get("aliases")
    for number, alias in enumerate(aliases if isinstance(aliases, list) else ()):
        if isinstance(alias, str) and alias and not re.fullmatch(form, alias):
            where = (*path, "aliases", number)
            yield where, f"{shown(where)} is not an address", hint


def name_or_path(item: Json) -> tuple[str, str]:
    """Return the member that identifies a source of files, with its value: its name, else its path."""
    member = "name" if "name" in item else "path"
    value = item.get(member)
    return member, value if isinstance(value, str) else ""


def unknown_type(path: JsonPath, item: Json, what: str, known: Collection[str], shown: Shown) -> Iterator[ErrorMessage]:
    """Yield an error if the `type` of an item is not in *known*; *what* is the noun for the type."""
    kind = item.get("type")
    if isinstance(kind, str) and kind not in known:
        hint = closest_match(kind, sorted(known)) or f"known: {', '.join(sorted(known))}"
        yield (*path, "type"), f"{shown((*path, 'type'))}: unknown type of {what}", hint
