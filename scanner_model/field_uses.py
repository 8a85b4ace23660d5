"""Which fields of a topic's messages programs read and write, as their source code shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from scanner_model.clients import Direction
from scanner_model.columns import ColumnPath
from scanner_model.facts import Key, Value
from scanner_model.names import SourceId, TopicName


class FieldExtent(StrEnum):
    """What a field use is about."""

    FIELD = "field"
    ALL = "all fields"
    """The message is passed on as a whole: stored, forwarded, logged or serialised."""
    UNRESOLVED = "all fields, not resolved"
    """The code cannot be followed to the fields: the program may use any of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldUse:
    """A field of a topic's messages that a program uses, or all of them; it is read from source code by rules."""

    source: SourceId
    program: Annotated[str, Key("the program, as its job is called", long=True)]
    topic: Annotated[TopicName, Key("the topic")]
    direction: Annotated[Direction, Key("reads or writes")]
    extent: Annotated[FieldExtent, Key("field, all fields, or all fields, not resolved")]
    path: Annotated[
        ColumnPath, Key("JSON array: the field, without marks of arrays and maps; empty unless the extent is field")
    ]
    places: Annotated[tuple[str, ...], Value("JSON array: files and lines of the use, at most 20", long=True)] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageClass:
    """A class that a program reads or writes messages of a topic as, and that no schema generates.

    *fields* are its fields by path, each with its declared type, empty if unknown. *place* is file and line.
    """

    program: str
    topic: str
    direction: Direction
    name: str
    place: str
    fields: Mapping[ColumnPath, str]


def plain_path(path: ColumnPath) -> tuple[str, ...]:
    """Return a path as uses of fields are compared: without marks of arrays and unions, letter case and underscores.

    >>> plain_path(("order_items", "[]", "unitPrice"))
    ('orderitems', 'unitprice')
    """
    marks = ("[", "{", "<")
    return tuple(part.replace("_", "").replace("-", "").lower() for part in path if not part.startswith(marks))
