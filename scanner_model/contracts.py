"""Columns as properties of an Open Data Contract Standard document (v3.2), and back: both directions of one mapping.

What the standard has no member for is a custom property of `VENDOR`, so that a contract that is read again has the
same columns. Source: bitol-io.github.io/open-data-contract-standard, SchemaProperty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from scanner_model.columns import ELEMENT, MAP_VALUE, Column, ColumnPath, field_name, field_segment

Json = dict[str, Any]

VENDOR = "kafka-lineage-scanner"
"""The vendor of custom properties that the scanner writes."""
API_VERSION = "v3.2.0"
KIND = "DataContract"
WHOLE_MESSAGE, SEGMENT, ASSUMED = "wholeMessage", "segment", "logicalTypeAssumed"
"""The custom properties of a column that is the whole message, of one whose segment is not its name, and of one whose
logical type is not known: the standard's JSON Schema wants one of every property."""

_PLAIN: Mapping[str, str] = {
    word: logical
    for logical, words in {
        "string": "string enum varchar char text uuid",
        "integer": "int long integer bigint smallint tinyint int32 int64 uint32 uint64 sint32 sint64 fixed32 fixed64 "
        "sfixed32 sfixed64",
        "number": "float double number decimal numeric real",
        "boolean": "boolean bool",
        "object": "record message object struct row union",
        "array": "array list",
        "map": "map",
        "date": "date",
        "time": "time",
        "timestamp": "timestamp timestamp_ltz datetime",
    }.items()
    for word in words.split()
}
_REFINED: Mapping[str, str] = {
    "decimal": "number",
    "date": "date",
    "date-time": "timestamp",
    "google.protobuf.timestamp": "timestamp",
    **dict.fromkeys(("time", "time-millis", "time-micros"), "time"),
    **{f"{local}timestamp-{unit}": "timestamp" for local in ("", "local-") for unit in ("millis", "micros", "nanos")},
}


def custom(**values: object) -> list[Json]:
    """Return custom properties of the scanner, without those that are None or an empty tuple or text."""
    return [
        {"property": name, "value": list(value) if isinstance(value, tuple) else value, "vendor": VENDOR}
        for name, value in values.items()
        if value not in (None, (), "")
    ]


def custom_values(element: Mapping[str, Any]) -> Json:
    """Return the values of the scanner's custom properties of *element*, by their names."""
    listed = element.get("customProperties")
    return {
        str(each.get("property")): each.get("value")
        for each in (listed if isinstance(listed, list) else ())
        if isinstance(each, dict) and each.get("vendor") == VENDOR
    }


def logical_type(column: Column) -> str | None:
    """Return the standard's logical type of *column*; None for unknown types and those without one."""
    refined = (column.logical_type or "").partition("(")[0].lower()
    return _REFINED.get(refined) or _PLAIN.get(column.type.partition("(")[0].lower())


@dataclass(slots=True)
class _Tree:
    """A column (None if only columns inside it are known), and those inside it by their segments."""

    path: ColumnPath
    column: Column | None = None
    inside: dict[str, _Tree] = field(default_factory=dict)


def _tree(columns: Iterable[Column]) -> _Tree:
    root = _Tree(())
    for column in columns:
        at = root
        for segment in column.path:
            at = at.inside.setdefault(segment, _Tree((*at.path, segment)))
        at.column = column
    return root


def properties_of(columns: Iterable[Column], more: Callable[[ColumnPath], Json] = lambda _: {}) -> list[Json]:
    """Return *columns* as nested properties; *more* returns further members of a column by its path."""
    root = _tree(columns)
    if root.column is None:
        return [_named(inside, more) for inside in root.inside.values()]
    return [_merged({"name": "value", **_property(root, more)}, custom(**{WHOLE_MESSAGE: True}))]


def _named(tree: _Tree, more: Callable[[ColumnPath], Json]) -> Json:
    segment = tree.path[-1]
    name = field_name(segment)
    if name and field_segment(name) == segment:
        return {"name": name, **_property(tree, more)}
    shown = name or segment.strip("<>") or segment
    return _merged({"name": shown, **_property(tree, more)}, custom(**{SEGMENT: segment}))


def _merged(element: Json, properties: list[Json]) -> Json:
    return {**element, "customProperties": [*properties, *element.get("customProperties", ())]}


def _property(tree: _Tree, more: Callable[[ColumnPath], Json]) -> Json:
    column, inside = tree.column, tree.inside
    element = _members(column or Column(path=tree.path, type="", nullable=True))
    if inside.keys() == {ELEMENT}:
        element |= {"logicalType": "array", "items": _property(inside[ELEMENT], more)}
    elif inside.keys() == {MAP_VALUE}:
        value = _property(inside[MAP_VALUE], more)
        element |= {"logicalType": "map", "map": {"key": {"logicalType": "string"}, "value": value}}
    elif inside:
        element |= {"logicalType": "object", "properties": [_named(each, more) for each in inside.values()]}
    elif element.get("logicalType") == "map":
        # The standard wants the value of every map; this one is of any type, or a recursion ends here.
        element["logicalType"] = "object"
    elif "logicalType" not in element:
        element = _merged({"logicalType": "string", **element}, custom(**{ASSUMED: True}))
    added = more(tree.path)
    properties = [*element.pop("customProperties", ()), *added.pop("customProperties", ())]
    return {**element, **added, **({"customProperties": properties} if properties else {})}


def _members(column: Column) -> Json:
    held = custom(
        logicalType=column.logical_type,
        defaultJson=column.default,
        recursionOf=column.recursive,
        unionOf=column.branches,
        fieldNumber=column.number,
        inheritedTags=column.inherited_tags,
    )
    known = {
        "logicalType": logical_type(column),
        "physicalType": column.type,
        "required": not column.nullable or None,
        "description": column.doc,
        "tags": list(column.tags),
        "customProperties": held,
    }
    return {name: value for name, value in known.items() if value not in (None, "", [])}


def columns_of(properties: object) -> Iterator[Column]:
    """Yield the columns of nested *properties*, parents first; other values are skipped."""
    for element in properties if isinstance(properties, list) else ():
        if not isinstance(element, dict):
            continue
        held = custom_values(element)
        name = str(element.get("physicalName") or element.get("name") or "")
        segment = str(held.get(SEGMENT) or field_segment(name))
        yield from _columns(element, () if held.get(WHOLE_MESSAGE) else (segment,))


def _columns(element: Mapping[str, Any], path: ColumnPath) -> Iterator[Column]:
    yield _column(element, path)
    for column in columns_of(element.get("properties")):
        yield replace(column, path=(*path, *column.path))
    if isinstance(items := element.get("items"), dict):
        yield from _columns(items, (*path, ELEMENT))
    value = element["map"].get("value") if isinstance(element.get("map"), dict) else None
    if isinstance(value, dict):
        yield from _columns(value, (*path, MAP_VALUE))


def _column(element: Mapping[str, Any], path: ColumnPath) -> Column:
    held = custom_values(element)
    number, known = str(held.get("fieldNumber")), "" if held.get(ASSUMED) else element.get("logicalType")
    return Column(
        path=path,
        type=str(element.get("physicalType") or known or ""),
        logical_type=_text(held.get("logicalType")),
        nullable=str(element.get("required", False)).lower() != "true",
        default=_text(held.get("defaultJson")),
        doc=_text(element.get("description")),
        tags=_texts(element.get("tags")),
        recursive=_text(held.get("recursionOf")),
        branches=_texts(held.get("unionOf")),
        number=int(number) if number.isdecimal() else None,
        inherited_tags=_texts(held.get("inheritedTags")),
    )


def _text(value: object) -> str | None:
    return None if value in (None, "") else str(value)


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()
