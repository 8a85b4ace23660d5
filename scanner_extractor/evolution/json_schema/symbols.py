"""The values that the enums of columns lost between two JSON Schemas, wherever else the schemas differ."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator

from scanner_extractor.evolution.differences import Difference, Effort, SchemaText
from scanner_extractor.formats.json_schema.references import Located, References
from scanner_extractor.formats.limits import read_json
from scanner_model.columns import ELEMENT, MAP_VALUE, ColumnPath, field_segment

_LONGEST = 32
"""Segments of a path: a schema that refers to itself has no last one."""


def removed_values(reader: SchemaText, writer: SchemaText) -> Iterator[Difference]:
    """Yield the columns whose enum has not all values that the writer's has, in the same place of both schemas.

    Raises InputInvalid where a text is no JSON, TooMuchEffort where the schemas have too many places.
    """
    old, new = (References(read_json(text.text), text.references.get) for text in (writer, reader))
    effort = Effort()
    waiting: deque[tuple[Located, Located, ColumnPath]] = deque([(old.root, new.root, ())])
    seen: set[tuple[int, int]] = set()
    while waiting:
        before, after, path = waiting.popleft()
        effort.spend(1)
        before, after = _target(old, before), _target(new, after)
        pair = id(before.schema), id(after.schema)
        if pair in seen:
            continue  # a schema that refers to itself: the shortest path counts
        seen.add(pair)
        if not isinstance(before.schema, dict) or not isinstance(after.schema, dict):
            continue
        values, kept = before.schema.get("enum"), after.schema.get("enum")
        if isinstance(values, list) and isinstance(kept, list):
            known = {json.dumps(value, sort_keys=True) for value in kept}
            gone = [text for value in values if (text := json.dumps(value, sort_keys=True)) not in known]
            if gone:
                why = f"the reader lacks the values {', '.join(gone[:5])}"
                yield Difference(path, "ENUM_ARRAY_NARROWED", why)
        ours, theirs = dict(_inside(old, before)), dict(_inside(new, after))
        for place in ours.keys() & theirs.keys() if len(path) < _LONGEST else ():
            waiting.append((ours[place], theirs[place], (*path, *place[0])))


def _target(texts: References, place: Located) -> Located:
    """Return what a reference leads to; the place itself where it is none, or leads nowhere."""
    for _ in range(_LONGEST):
        reference = place.schema.get("$ref") if isinstance(place.schema, dict) else None
        target = texts.follow(reference, place) if isinstance(reference, str) else None
        if target is None:
            break
        place = target
    return place


def _inside(texts: References, place: Located) -> Iterator[tuple[tuple[ColumnPath, str], Located]]:
    """Yield the schemas inside one, each with the path to its column and what tells it from others there."""
    schema = place.schema
    properties = schema.get("properties")
    for name, inner in properties.items() if isinstance(properties, dict) else ():
        yield ((field_segment(name),), ""), texts.child(inner, place)
    for word, segment in (("items", ELEMENT), ("additionalProperties", MAP_VALUE)):
        if isinstance(schema.get(word), dict):
            yield ((segment,), ""), texts.child(schema[word], place)
    for word in ("allOf", "anyOf", "oneOf"):
        for number, inner in enumerate(schema[word] if isinstance(schema.get(word), list) else ()):
            yield ((), f"{word} {number}"), texts.child(inner, place)
