"""From a column of a ksqlDB collection to the fields of its topic: keys, headers, whole records, oneofs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from dataflow_generator.jobs.field_matching import Fields
from dataflow_generator.jobs.model import Place
from scanner_model.column_path import ColumnPath
from scanner_model.ksqldb import KsqlSource, header_paths, whole_columns
from scanner_model.names import Role

_ONEOF = re.compile(r".+_\d+")
"""What ksqlDB calls the structure that it makes of a Protobuf oneof: its name and its number in the message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How the columns of a collection lie in records.

    *keys* are the columns of the key, *whole* those that are a whole key or value, *headers* those that are no fields,
    each with its path. *inside* lists the fields of each structure. *oneofs*: the format has them.
    """

    keys: frozenset[str] = frozenset()
    whole: frozenset[str] = frozenset()
    headers: Mapping[str, ColumnPath] = field(default_factory=dict)
    inside: Mapping[ColumnPath, tuple[ColumnPath, ...]] = field(default_factory=dict)
    oneofs: bool = False

    def paths(self, path: ColumnPath, fields: Fields, *, inside: bool = False) -> tuple[ColumnPath, ...]:
        """Return the fields that a column or a part of it is; none where the topic has no such field.

        A structure that is no field itself, a whole record or a oneof, is all of its fields; with *inside* any is.
        """
        if path[0] in self.headers:
            return (self.headers[path[0]],)
        record = len(path) == 1 and path[0] in self.whole and path in self.inside
        found = None if record else self._field(path, fields)
        if found is not None and not inside:
            return (found,)
        members = [self._field(each, fields) for each in self.inside.get(path, ())]
        whole = tuple(each for each in members if each is not None) if None not in members else ()
        return whole or (() if found is None else (found,))

    def _field(self, path: ColumnPath, fields: Fields) -> ColumnPath | None:
        key, whole = path[0] in self.keys, path[0] in self.whole
        found = fields.find(path, key=key, whole=whole)
        if found is None and self.oneofs:
            members = tuple(each for each in path[:-1] if not _ONEOF.fullmatch(each)) + path[-1:]
            found = fields.find(members, key=key, whole=whole) if members != path else None
        return found


NO_LAYOUT = Layout()
"""That of a collection that nobody describes."""


def layout_of(collection: KsqlSource) -> Layout:
    """Return the layout of *collection*."""
    inside: dict[ColumnPath, tuple[ColumnPath, ...]] = {}
    structures = {one.column.path for one in collection.columns if one.column.type == "STRUCT"}
    for path in (one.column.path for one in collection.columns):
        if path[:-1] in structures:
            inside[path[:-1]] = (*inside.get(path[:-1], ()), path)
    return Layout(
        keys=frozenset(one.column.path[0] for one in collection.columns if one.role is Role.KEY),
        whole=frozenset(whole_columns(collection)),
        headers=header_paths(collection),
        inside=inside,
        oneofs="PROTOBUF" in collection.value_format + collection.key_format,
    )


def matched_places(sources: tuple[Place, ...], targets: tuple[Place, ...]) -> list[tuple[Place, Place]]:
    """Return the pairs of places that a flow between two columns is: fields of the same name of two records."""
    pairs = [(source, target) for source in sources for target in targets]
    if len(sources) < 2 or len(targets) < 2:
        return pairs
    alike = [(source, target) for source, target in pairs if _name(source) == _name(target)]
    return alike or pairs


def _name(place: Place) -> str:
    return place.path[-1].casefold() if place.path else ""
