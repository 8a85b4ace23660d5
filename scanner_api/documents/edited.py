"""A data contract that people edited, exported again: the facts are replaced, what people wrote stays."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from scanner_model.contracts import VENDOR

Json = dict[str, Any]

_OF_PEOPLE = frozenset(("id", "name", "description", "status", "team", "businessName", "classification"))
"""Members whose text in the file counts where it has one."""
_FACTS = frozenset(("required", "properties", "items", "map", "transformSourceObjects", "transformLogic"))
_FACTS |= {"transformDescription", "physicalType", "logicalType", "format"}
"""Members that a file keeps from an earlier export only where they are written again."""
_NAMED_BY: Mapping[str, tuple[str, ...]] = {
    "schema": ("name",),
    "properties": ("physicalName", "name"),
    "servers": ("server",),
    "slaProperties": ("property",),
    "customProperties": ("property",),
    "authoritativeDefinitions": ("url",),
}
"""Lists → the members that identify elements; the first that an element has counts."""
_DISTINGUISHED_BY: Mapping[str, str] = {"customProperties": "vendor", "slaProperties": "element"}
"""Lists → a member that elements of one name may differ in."""
_OF_REGISTRY = re.compile(r"/subjects/[^/]+/versions/\d+$")
_KEPT: Mapping[str, Callable[[Json], bool]] = {
    "servers": lambda _: True,
    "slaProperties": lambda _: True,
    "customProperties": lambda element: element.get("vendor") != VENDOR,
    "authoritativeDefinitions": lambda element: (
        not (element.get("type") == "implementation" and _OF_REGISTRY.search(str(element.get("url"))))
    ),
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
        elif name in _OF_PEOPLE and value:
            merged[name] = _of_people(written[name], value)
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
        case dict(), dict():
            return with_edits(written, held, lost, place)
        case _:
            return written


def _of_people(written: object, held: object) -> object:
    """Return *held*, and those members of *written* that it lacks; a team with a name is complete."""
    if isinstance(held, dict) and held.get("name"):
        return held
    return {**written, **held} if isinstance(written, dict) and isinstance(held, dict) else held


def _elements(name: str, written: list[Json], held: list[Any], lost: Callable[[str], None], place: str) -> list[Json]:
    """Merge a list: of several elements in the file that have one name the first is merged, the others are its own."""
    rest = [each for each in held if isinstance(each, dict)]
    merged = []
    for each in written:
        same = next((other for other in rest if _name(name, other) == _name(name, each)), None)
        if same is not None:
            rest.remove(same)
        merged.append(with_edits(each, same or {}, lost, f"{place}[{_name(name, each)[0]}]"))
    for each in rest:
        if name not in _KEPT:
            lost(f"{place}[{_name(name, each)[0]}]")
        elif _KEPT[name](each):
            merged.append(each)
    return merged


def _name(kind: str, element: Mapping[str, Any]) -> tuple[str, str]:
    name = next((str(element[member]) for member in _NAMED_BY[kind] if element.get(member)), "")
    return name, str(element.get(_DISTINGUISHED_BY.get(kind, ""), ""))


def _kept(name: str, value: object) -> object:
    if name in _KEPT and isinstance(value, list):
        return [each for each in value if isinstance(each, dict) and _KEPT[name](each)]
    return value


def _later(written: object, held: object) -> object:
    """Return the version of people where its first number is not below that of the schema."""
    first, second = (str(version).partition(".")[0] for version in (written, held))
    return held if second.isdecimal() and int(second) >= int(first) else written
