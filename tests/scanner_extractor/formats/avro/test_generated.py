"""Any Avro schema: every place is one column, in document order, with its type and nullability."""

from __future__ import annotations

import json
from itertools import count

from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

from scanner_extractor.formats.avro.reader import avro_fields
from scanner_model.columns import field_segment

Model = tuple[object, ...]
"""A type to be written: its word, and what is inside it (an item, named members, or branches)."""

PLAIN = st.sampled_from([("int",), ("string",), ("double",), ("boolean",), ("bytes",)])
NAMES = st.text("abcXYZ_.[]{}<>`é 0", min_size=1, max_size=4)


def _containers(inner: st.SearchStrategy[Model]) -> st.SearchStrategy[Model]:
    return st.one_of(
        st.tuples(st.just("array"), inner),
        st.tuples(st.just("map"), inner),
        st.tuples(st.just("record"), st.dictionaries(NAMES, inner, max_size=4)),
    )


def _optional(inner: st.SearchStrategy[Model]) -> st.SearchStrategy[Model]:
    return st.one_of(inner, st.tuples(st.just("optional"), inner))


TYPES = st.recursive(_optional(PLAIN), lambda inner: _optional(_containers(inner)), max_leaves=12)
ROWS = st.tuples(st.just("record"), st.dictionaries(NAMES, TYPES, max_size=5))


def written(model: Model, numbers: count[int]) -> object:
    """Write a model as an Avro schema; every record gets a name of its own."""
    match model:
        case ("array", item):
            return {"type": "array", "items": written(item, numbers)}
        case ("map", item):
            return {"type": "map", "values": written(item, numbers)}
        case ("optional", item):
            return ["null", written(item, numbers)]
        case ("record", dict(members)):
            fields = [{"name": name, "type": written(item, numbers)} for name, item in members.items()]
            return {"type": "record", "name": f"R{next(numbers)}", "fields": fields}
        case (word,):
            return word


def locations(model: Model, nullable: bool = False) -> list[tuple[tuple[object, ...], str, bool]]:
    """List what a model's columns must be: steps (names, or 0 for the one thing inside), word, nullable."""
    if model[0] == "optional":
        return locations(model[1], True)
    local = [((), model[0], nullable)]
    inside = model[1].items() if model[0] == "record" else [(0, model[1])] if len(model) > 1 else []
    return local + [((step, *path), word, null) for step, item in inside for path, word, null in locations(item)]


@examples(80)
@given(ROWS)
def test_every_place_of_a_schema_is_one_column_in_order(row: Model) -> None:
    """Nothing is dropped, doubled or moved, whatever the fields are called."""
    parsed = avro_fields(json.dumps(written(row, count())), lambda _: None)
    expected = locations(row)[1:]

    assert [(c.type, c.nullable, len(c.path)) for c in parsed.columns] == [
        (word, null, len(path)) for path, word, null in expected
    ]
    assert len({c.name for c in parsed.columns}) == len(expected)
    assert [c.path[-1] for c in parsed.columns if c.path[-1] not in ("[]", "{}")] == [
        field_segment(path[-1]) for path, *_ in expected if path[-1] != 0
    ]
