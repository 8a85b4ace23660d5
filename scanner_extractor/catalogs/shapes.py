"""What a column's type is made of, whatever a catalog writes it in, and the columns that it unfolds into."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from scanner_model.columns import Column
from scanner_model.paths import ColumnPath

DEEPEST = 100
"""Levels of nesting that a type is followed; what is deeper is kept as its text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A type: the catalog's *word*, what refines it, and the parts inside; *branches* are those of a union."""

    word: str
    logical: str | None = None
    parts: tuple[Part, ...] = ()
    branches: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of a type, or a column: *segment* is its step of a column path."""

    segment: str
    shape: Shape
    nullable: bool = True
    doc: str | None = None
    tags: tuple[str, ...] = ()


def columns_of(parts: Iterable[Part], path: ColumnPath = ()) -> Iterator[Column]:
    """List the columns of *parts*, parents before what is in them; no shape is deeper than DEEPEST."""
    for part in parts:
        here = (*path, part.segment)
        yield Column(
            path=here,
            type=part.shape.word,
            logical_type=part.shape.logical,
            nullable=part.nullable,
            doc=part.doc,
            tags=part.tags,
            branches=part.shape.branches,
        )
        yield from columns_of(part.shape.parts, here)
