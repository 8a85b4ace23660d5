"""A data contract that people edited, exported again: the facts are replaced, what people wrote stays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scanner_model.contracts import VENDOR

Json = dict[str, Any]

_OF_PEOPLE = frozenset(("id", "name", "description", "status", "team", "businessName", "classification"))
"""Members whose text in the file counts where it has one."""
_FACTS = frozenset(("required", "properties", "items", "map", "transformSourceObjects", "transformLogic"))
_FACTS |= {"transformDescription", "authoritativeDefinitions", "physicalType", "logicalType", "format"}
"""Members that a file keeps from an earlier export only where they are written again."""
_NAMED_BY: Mapping[str, tuple[str, ...]] = {
    "schema": ("name",),
    "properties": ("physicalName", "name"),
    "servers": ("server",),
    "slaProperties": ("property",),
    "customProperties": ("property",),
}
"""Lists → the members that name their elements, of which the first that an element has counts."""
_KEPT: Mapping[str, Callable[[Json], bool]] = {
    "servers": lambda _: True,
    "slaProperties": lambda _: True,
    "customProperties": lambda element: element.get("vendor") != VENDOR,
}
"""Lists whose elements stay where the export has none of the name; a column that is gone from the schema does not."""


def with_edits(written: Json, held: Mapping[str, Any], lost: Callable[[str], None], place: str = "") -> Json:
    """Return *written* with what people wrote in *held*, which is the same element of the file.

    Tags are those of both. *lost* gets the place of each column and schema that people may have described and that is
    no more.
    """
    merged = dict(written)
    for name, value in held.items():
        if name not in merged:
            if name not in _FACTS and not (name in _NAMED_BY and name not in _KEPT):
                merged[name] = _kept(name, value)
        elif name in _OF_PEOPLE and value and not isinstance(value, dict):
            merged[name] = value
        elif name == "version":
            merged[name] = _later(written[name], value)
        else:
            merged[name] = _merged(name, written[name], value, lost, f"{place}.{name}" if place else name)
    return merged


def _merged(name: str, written: object, held: object, lost: Callable[[str], None], place: str) -> object:
    match written, held:
        case list(), list() if name == "tags":
            return list(dict.fromkeys((*written, *held)))
        case list(), list() if name in _NAMED_BY:
            return _elements(name, written, held, lost, place)
        case list(), list() if name == "members":
            return held or written
        case dict(), dict():
            return with_edits(written, held, lost, place)
        case _:
            return written


def _elements(name: str, written: list[Json], held: list[Any], lost: Callable[[str], None], place: str) -> list[Json]:
    named = {_name(name, each): each for each in held if isinstance(each, dict)}
    merged = []
    for each in written:
        own = _name(name, each)
        merged.append(with_edits(each, named.pop(own, {}), lost, f"{place}[{own}]"))
    for own, each in named.items():
        if name in _KEPT and _KEPT[name](each):
            merged.append(each)
        elif name not in _KEPT:
            lost(f"{place}[{own}]")
    return merged


def _name(kind: str, element: Mapping[str, Any]) -> str:
    return next((str(element[member]) for member in _NAMED_BY[kind] if element.get(member)), "")


def _kept(name: str, value: object) -> object:
    if name == "customProperties" and isinstance(value, list):
        return [each for each in value if isinstance(each, dict) and _KEPT[name](each)]
    return value


def _later(written: object, held: object) -> object:
    """Return the version of people where its first number is not below that of the schema."""
    first, second = (str(version).partition(".")[0] for version in (written, held))
    return held if second.isdecimal() and int(second) >= int(first) else written
