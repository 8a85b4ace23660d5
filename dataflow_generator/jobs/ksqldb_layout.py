"""Column layout of ksqlDB collections: map their columns to topic fields (keys, headers, whole records, oneofs)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from dataflow_generator.jobs.field_matching import Fields
from dataflow_generator.jobs.model import ColumnRef
from scanner_model.column_path import ColumnPath
from scanner_model.ksqldb import KsqlSource, header_paths, whole_columns
from scanner_model.names import Role

_ONEOF = re.compile(r".+_\d+")
"""The structure that ksqlDB creates for a Protobuf oneof is named after it, with its number in the message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How the columns of a collection map to the fields of its records.

    *keys* are key columns, *whole* those that are a whole key or value, *headers* those that are not fields, each with
    its path. *inside* lists the fields of each structure. *oneofs*: the format has oneofs.
    """

    keys: frozenset[str] = frozenset()
    whole: frozenset[str] = frozenset()
    headers: Mapping[str, ColumnPath] = field(default_factory=dict)
    inside: Mapping[ColumnPath, tuple[ColumnPath, ...]] = field(default_factory=dict)
    oneofs: bool = False

    def paths(self, path: ColumnPath, fields: Fields, *, inside: bool = False) -> tuple[ColumnPath, ...]:
        """Return the topic fields that a column path stands for; empty where the topic has no such field.

        A structure that is not a field itself (a whole record, a oneof) stands for all of its fields; with *inside*
        every structure does.
        """
        if path[0] in self.headers:
            return (self.headers[path[0]],)
        record = len(path) == 1 and path[0] in self.whole and path in self.inside
        found = None if record else self._field(path, fields)
        if found is not None and not inside:
            return (found,)
        members = [self._field(member, fields) for member in self.inside.get(path, ())]
        whole = tuple(member for member in members if member is not None) if None not in members else ()
        return whole or (() if found is None else (found,))

    def _field(self, path: ColumnPath, fields: Fields) -> ColumnPath | None:
        key, whole = path[0] in self.keys, path[0] in self.whole
        found = fields.find(path, key=key, whole=whole)
        if found is None and self.oneofs:
            members = tuple(name for name in path[:-1] if not _ONEOF.fullmatch(name)) + path[-1:]
            found = fields.find(members, key=key, whole=whole) if members != path else None
        return found


NO_LAYOUT = Layout()
"""The layout of an unknown collection."""


def layout_of(collection: KsqlSource) -> Layout:
    """Return the layout of *collection*."""
    inside: dict[ColumnPath, tuple[ColumnPath, ...]] = {}
    structures = {entry.column.path for entry in collection.columns if entry.column.type == "STRUCT"}
    for path in (entry.column.path for entry in collection.columns):
        if path[:-1] in structures:
            inside[path[:-1]] = (*inside.get(path[:-1], ()), path)
    return Layout(
        keys=frozenset(entry.column.path[0] for entry in collection.columns if entry.role is Role.KEY),
        whole=frozenset(whole_columns(collection)),
        headers=header_paths(collection),
        inside=inside,
        oneofs="PROTOBUF" in collection.value_format + collection.key_format,
    )


def matched_columns(
    sources: tuple[ColumnRef, ...], targets: tuple[ColumnRef, ...]
) -> list[tuple[ColumnRef, ColumnRef]]:
    """Return the pairs of columns that a flow stands for: between two records, their fields of the same name."""
    pairs = [(source, target) for source in sources for target in targets]
    if len(sources) < 2 or len(targets) < 2:
        return pairs
    alike = [(source, target) for source, target in pairs if _name(source) == _name(target)]
    return alike or pairs


def _name(column: ColumnRef) -> str:
    return column.path[-1].casefold() if column.path else ""
