"""Columns are counted before they are read where types use each other more than once."""

from __future__ import annotations

import json
from random import Random

import pytest

from scanner_extractor.formats.avro.reader import avro_fields
from scanner_extractor.formats.limits import MOST_COLUMNS, expanded_columns
from scanner_extractor.formats.protobuf.reader import protobuf_fields

LEVELS = 9


def doubling(levels: int) -> dict[str, str]:
    """Return records, each with two fields of the next one, by name."""
    records = {f"R{n}": [{"name": name, "type": f"R{n + 1}"} for name in "ab"] for n in range(levels)}
    records[f"R{levels}"] = [{"name": "id", "type": "string"}]
    return {name: json.dumps({"type": "record", "name": name, "fields": fields}) for name, fields in records.items()}


def expected(levels: int) -> int:
    return sum(2**n for n in range(1, levels + 1)) + 2**levels


@pytest.mark.parametrize("levels", [1, 5, 12])
def test_all_columns_are_read_while_there_are_few(levels) -> None:
    """Beyond 5,000 columns they are counted first; what is read is the same."""
    records = doubling(levels)

    assert len(avro_fields("R0", records.get).columns) == len(avro_fields(records["R0"], records.get).columns)
    assert len(avro_fields(records["R0"], records.get).columns) == expected(levels)


@pytest.mark.parametrize("levels", [20, 60, 400])
def test_schemas_that_multiply_are_shown_at_the_first_use(levels) -> None:
    """Each level doubles the columns: they are counted, not read."""
    records = doubling(levels)
    messages = "".join(f"message M{n} {{ M{n + 1} a = 1; M{n + 1} b = 2; }}\n" for n in range(levels))
    proto = f'syntax = "proto3";\n{messages}message M{levels} {{ string id = 1; }}\n'

    assert len(avro_fields(records["R0"], records.get).columns) == 2 * levels + 1
    assert len(protobuf_fields(proto, lambda _: None).columns) == 2 * levels + 1


@pytest.mark.parametrize("seed", range(20))
def test_the_count_is_exact_without_recursion(seed) -> None:
    """Types of any shape: columns at their first use, and the other uses of their types."""
    random = Random(seed)
    uses = {n: [random.randrange(n + 1, LEVELS + 1) for _ in range(random.randrange(1, 4))] for n in range(LEVELS)}
    columns, holders, repeated = [], {}, []

    def walk(path: tuple[str, ...], type_: int) -> None:
        holders[path] = f"T{type_}"
        for number, used in enumerate(uses.get(type_, ())):
            inside = (*path, f"f{number}")
            columns.append(type("C", (), {"path": inside}))
            if f"T{used}" in holders.values():
                repeated.append((inside, f"T{used}"))
            else:
                walk(inside, used)

    def count(type_: int) -> int:
        return sum(1 + count(used) for used in uses.get(type_, ()))

    walk((), 0)

    assert expanded_columns(columns, holders, repeated) == min(count(0), MOST_COLUMNS + 1)
