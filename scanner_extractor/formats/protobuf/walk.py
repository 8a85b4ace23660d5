"""The walk over a Protobuf message: a column for every place, parents before children, no recursion however deep."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from scanner_extractor.formats.column_list import CUT, ColumnList
from scanner_extractor.formats.protobuf.declarations import Enum, Field, Label, Message, Presence
from scanner_extractor.formats.protobuf.scopes import Declared, Scopes
from scanner_extractor.formats.protobuf.well_known import WELL_KNOWN
from scanner_model.columns import Column
from scanner_model.names import RecordName
from scanner_model.paths import MAP_VALUE, ColumnPath, element
from scanner_model.problems import Problem

SCALARS = frozenset(
    {"double", "float", "bool", "string", "bytes", "int32", "int64", "uint32", "uint64", "sint32", "sint64"}
    | {"fixed32", "fixed64", "sfixed32", "sfixed64"}
)
"""Protobuf's words for scalar types."""

_NAMED = ("google.protobuf.", "google.type.", "confluent.type.")
"""Packages whose types are known by their full names, which then are the logical type."""

_DECIMAL = "confluent.type.Decimal"
_CONTAINERS = {Label.REPEATED: ("array", element()), Label.MAP: ("map", MAP_VALUE)}


@dataclass(frozen=True, slots=True)
class _Place:
    """A place still to be read: a field of *message*, or (*inner*) the element or map value of one.

    *open* are the full names of the messages on the path.
    """

    path: ColumnPath
    field: Field
    message: Declared
    open: frozenset[str]
    inner: bool = False


class Walk:
    """Reads columns; *once* shows a message's columns at its first use only, for schemas that are too large else."""

    def __init__(self, scopes: Scopes, *, once: bool = False) -> None:
        self.found = ColumnList()
        self.problems: dict[Problem, None] = {}
        self.holders: dict[ColumnPath, RecordName] = {}
        self.repeated = False
        self._scopes = scopes
        self._once = once
        self._shown: set[str] = set()
        self._waiting: list[_Place] = []

    def read(self, root: Declared) -> None:
        """Read every column of *root*; an enum at the root is one column without a name."""
        if isinstance(root.body, Enum):
            self.found.add(Column(path=(), type="enum", doc=root.body.doc))
            return
        self._descend((), root, frozenset())
        while self._waiting and not self.found.full:
            self._read(self._waiting.pop())
        if self.found.cut:
            self.problems[CUT] = None

    def _read(self, place: _Place) -> None:
        container = None if place.inner else _CONTAINERS.get(place.field.label)
        if not container:
            self._value(place)
            return
        word, segment = container
        column = self._column(place, type=word)
        if self.found.add(column) and not self.found.too_deep(len(place.path) + 1):
            self._waiting.append(_Place((*place.path, segment), place.field, place.message, place.open, inner=True))

    def _value(self, place: _Place) -> None:
        written = place.field.type
        if written in SCALARS:
            self.found.add(self._column(place, type=written, nullable=_nullable(place, message=False)))
            return
        type_ = self._scopes.find(written, place.message)
        if not type_:
            self._tell_unknown(place)
            self.found.add(self._column(place, type=written, nullable=_nullable(place, message=True)))
            return
        message = isinstance(type_.body, Message)
        known = WELL_KNOWN.get(type_.name) if message else None
        if known:
            nullable = _nullable(place, message=True)
            self.found.add(self._column(place, type=known.type, nullable=nullable, logical_type=known.logical_type))
            return
        cut = message and type_.name in place.open
        column = self._column(
            place,
            type="message" if message else "enum",
            logical_type=_logical(type_.name, place.field),
            nullable=_nullable(place, message=message),
            recursive=type_.name if cut else None,
        )
        if self.found.add(column) and message and not cut:
            self._descend(place.path, type_, place.open)

    def _column(
        self,
        place: _Place,
        *,
        type: str,
        nullable: bool = False,
        logical_type: str | None = None,
        recursive: str | None = None,
    ) -> Column:
        if place.inner:
            return Column(path=place.path, type=type, logical_type=logical_type, recursive=recursive)
        return Column(
            path=place.path,
            type=type,
            logical_type=logical_type,
            nullable=nullable,
            default=place.field.default,
            doc=place.field.doc,
            tags=place.field.tags,
            recursive=recursive,
            number=place.field.number,
        )

    def _descend(self, path: ColumnPath, message: Declared, open_: frozenset[str]) -> None:
        self.repeated = self.repeated or message.name in self._shown
        if self.found.too_deep(len(path) + 1) or (self._once and message.name in self._shown):
            return
        self._shown.add(message.name)
        self.holders[path] = RecordName(message.name)
        self._push(_fields(path, message, open_ | {message.name}))

    def _push(self, places: Iterable[_Place]) -> None:
        self._waiting.extend(reversed(list(places)))

    def _tell_unknown(self, place: _Place) -> None:
        where = f"{place.message.name}.{place.field.name}"
        hint = "the field is kept under the type's name as written, without columns below it"
        self.problems[Problem(where, f"no file declares the type {place.field.type!r}", hint)] = None


def _fields(path: ColumnPath, message: Declared, open_: frozenset[str]) -> Iterator[_Place]:
    for field in message.body.fields if isinstance(message.body, Message) else ():
        # A Protobuf identifier can never be taken for a mark, so it needs no quotes.
        yield _Place((*path, field.name), field, message, open_)


def _nullable(place: _Place, *, message: bool) -> bool:
    """Tell whether the value may be absent; a message may be, unless it is required, and an element never is."""
    label = place.field.label
    if place.inner or label is Label.REQUIRED:
        return False
    if label in (Label.OPTIONAL, Label.ONEOF):
        return True
    presence = place.field.presence or place.message.presence
    return presence is Presence.EXPLICIT or (message and presence is Presence.IMPLICIT)


def _logical(name: str, field: Field) -> str | None:
    if name == _DECIMAL and field.decimal:
        return "decimal({},{})".format(*field.decimal)
    return name if name.startswith(_NAMED) else None
