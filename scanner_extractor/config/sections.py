"""A member of cluster.json that belongs to one kind of source: its JSON Schema, how it is checked and parsed.

Members that several kinds share, or that depend on each other, are in `parsing` and `validation`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from scanner_extractor.http.messages import Json
from scanner_extractor.settings.cluster import HttpSettings
from scanner_model.documents.schema_errors import ErrorMessage, JsonPath, Shown

Items = Collection[tuple[JsonPath, Json]]
"""The objects of a list with their positions; nothing else is known of their form."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParseContext:
    """What parsing needs: the directory of cluster.json, and the HTTP settings of an object with `url`."""

    base: Path
    http: Callable[[Json], HttpSettings]


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationContext:
    """What validation needs: *shown* returns a value as users may see it, *directory* is that of cluster.json.

    *present*: files that define jobs must exist; a replay needs none. *http* validates an object with `url`.
    """

    shown: Shown
    directory: Path
    present: bool
    http: Callable[[JsonPath, Json], Iterator[ErrorMessage]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A list of cluster.json, each item of which is one source.

    *member* names it. *schema* is the JSON file in this directory that holds the JSON Schema of an item. *validate*
    yields what the schema cannot check, of items of any form. *parse* converts a valid item to settings.
    """

    member: str
    schema: str
    parse: Callable[[Json, ParseContext], Any]
    validate: Callable[[Items, ValidationContext], Iterator[ErrorMessage]]

    def json_schema(self) -> Json:
        """Return the JSON Schema of the list."""
        item = json.loads(files("scanner_extractor.config").joinpath(self.schema).read_text("utf-8"))
        words = {name: item[name] for name in ("title", "description") if name in item}
        examples = {"examples": [[example] for example in item["examples"]]} if "examples" in item else {}
        return words | {"type": "array", "items": item} | examples

    def settings(self, document: Json, context: ParseContext) -> tuple[Any, ...]:
        """Return the settings of the sources that a valid *document* declares."""
        return tuple(self.parse(item, context) for item in document.get(self.member, ()))
