"""The shape of a value at one position of a JSON Schema: type, members and annotations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from scanner_extractor.formats.json_schema.allof import MergeProblem, Parts
from scanner_extractor.formats.json_schema.members import Member
from scanner_extractor.formats.json_schema.types import ANY, json_text, logical_type

WITH_INSIDE = frozenset({"array", "map", "object"})
"""Types whose values may hold others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """A branch of a union that has columns of its own, under its unique name.

    *inside* are the identities of the schemas that the union is a part of.
    """

    name: str
    parts: Parts
    inside: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A value's type and what is inside it; the names follow `scanner_model.columns.Column`.

    *words* are the types of a plain union, *symbols* the values of an `enum`. *references*, *problems* and *possible*
    are `Merged`'s.
    """

    type: str = ANY
    logical_type: str | None = None
    nullable: bool = False
    words: tuple[str, ...] = ()
    members: tuple[Member, ...] = ()
    subschemas: tuple[tuple[int, Parts], ...] = ()
    element: Parts = ()
    value: Parts = ()
    branches: tuple[Branch, ...] = ()
    title: str = ""
    doc: str | None = None
    default: str | None = None
    tags: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    references: tuple[tuple[int, str], ...] = ()
    problems: tuple[MergeProblem, ...] = ()
    possible: bool = True

    @property
    def plain(self) -> bool:
        """Return whether there is nothing inside."""
        return not (self.members or self.subschemas or self.element or self.value or self.branches)


def described(shape: Shape, subschemas: Parts) -> Shape:
    """Add annotations: the first of each counts, the schema's own before what it refers to; tags add up."""
    schemas = [subschema.schema for subschema in subschemas]
    defaults = [schema["default"] for schema in schemas if "default" in schema]
    tags = (tag for schema in schemas for tag in _listed(schema.get("confluent:tags")) if isinstance(tag, str))
    return replace(
        shape,
        title=_first_text(schemas, "title"),
        doc=_first_text(schemas, "description") or None,
        default=json_text(defaults[0]) if defaults else None,
        tags=tuple(dict.fromkeys(tags)),
        symbols=next((_symbols(schema["enum"]) for schema in schemas if isinstance(schema.get("enum"), list)), ()),
        logical_type=shape.logical_type or _refined(shape, schemas),
    )


def _symbols(values: list[Any]) -> tuple[str, ...]:
    """Return the values of an enum: a text as it is, another as JSON; null only says that it may be left out."""
    return tuple(value if isinstance(value, str) else json_text(value) or "…" for value in values if value is not None)


def _refined(shape: Shape, schemas: list[dict[str, Any]]) -> str | None:
    if shape.type in WITH_INSIDE:
        return None
    return next((refined for schema in schemas if (refined := logical_type(schema))), None)


def _first_text(schemas: list[dict[str, Any]], keyword: str) -> str:
    return next((text for schema in schemas if isinstance(text := schema.get(keyword), str) and text), "")


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
