"""What a JSON Schema cannot say of the `catalogs` of a cluster.json: kinds, members of another kind, repetitions."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence

from scanner_extractor.exchange import Json
from scanner_model.complaints import Complaint, JsonPath, Shown, nearest

_WEB = frozenset({"url", "auth", "headers"})
_AWS = frozenset({"region", "profile", "endpoint_url"})
_OWN: Mapping[str, frozenset[str]] = {
    "unity": _WEB | {"catalogs", "schemas", "tables", "lineage", "warehouse", "lineage_days"},
    "glue": _AWS | {"account", "databases", "tables"},
    "google": frozenset({"auth", "projects", "datasets", "tables", "lineage", "location", "endpoints"}),
    "datazone": _AWS | {"domain", "tables", "lineage"},
}
"""The members that only some kinds have, by kind."""
_SPECIAL = frozenset().union(*_OWN.values())
_IDENTITY = ("type", "url", "region", "profile", "endpoint_url", "account", "domain", "projects")


def catalog_complaints(
    items: Sequence[tuple[JsonPath, Json]], shown: Shown, types: Collection[str]
) -> Iterator[Complaint]:
    """Say what is wrong with catalogs of any form, each an object with its place; *types* are the kinds there are."""
    seen: set[str] = set()
    for path, item in items:
        yield from _kind(path, item, shown, types)
        own = item.get("name")
        mark = own if isinstance(own, str) else json.dumps([item.get(name) for name in _IDENTITY], sort_keys=True)
        if mark in seen:
            hint = "the name is its identity: change one" if own == mark else "keep one of them, or give each a `name`"
            yield (*path, *(("name",) if own == mark else ())), "this catalog is named twice", hint
        seen.add(mark)


def _kind(path: JsonPath, item: Json, shown: Shown, types: Collection[str]) -> Iterator[Complaint]:
    kind = item.get("type")
    if isinstance(kind, str) and kind not in types:
        known = sorted(types)
        hint = nearest(kind, known) or f"known: {', '.join(known)}"
        yield (*path, "type"), f"{shown((*path, 'type'))} is no kind of catalog", hint
    elif isinstance(kind, str) and kind not in _OWN and "url" not in item:
        yield path, "'url' is missing", "a plug-in's catalog is asked there"
    if isinstance(kind, str) and kind in _OWN:
        for name in sorted((_SPECIAL - _OWN[kind]) & item.keys()):
            whose = ", ".join(sorted(each for each, members in _OWN.items() if name in members))
            yield (*path, name), f"{name!r} is not for catalogs of type {kind}", f"leave it out; it is for {whose}"
