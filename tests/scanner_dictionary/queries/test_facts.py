"""A fact is read back as it was written."""

from __future__ import annotations

from enum import Enum
from types import SimpleNamespace
from typing import Any, get_args, get_origin, get_type_hints

import pytest
from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

from scanner_dictionary.queries.facts import fact_of
from scanner_dictionary.schema.facts import fact_columns, part_types
from scanner_dictionary.write.fact_kind import RowContext
from scanner_dictionary.write.fact_kinds import FACT_KINDS
from scanner_model.kafka import Cluster
from scanner_model.names import ClusterName, SourceId
from scanner_model.scan import ClusterScan

SOURCE = SourceId("kafka:k-1:9092")
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5)
PLAIN = {
    bool: st.booleans(),
    int: st.integers(-(2**63), 2**63 - 1),
    float: st.floats(allow_nan=False, allow_infinity=False),
}
CLUSTER_KINDS = [kind for kind in FACT_KINDS if kind.parents[0] == "cluster_id"]


def values(type_: Any) -> st.SearchStrategy[Any]:
    """Return values of the type of a member."""
    if hasattr(type_, "_fields"):
        return st.builds(type_, *map(values, get_type_hints(type_).values()))
    if get_origin(type_) is tuple:
        first, *others = get_args(type_)
        if others == [...]:
            return st.lists(values(first), max_size=3).map(tuple)
        return st.tuples(*map(values, (first, *others)))
    if isinstance(type_, type) and issubclass(type_, Enum):
        return st.sampled_from(type_)
    return PLAIN.get(type_, TEXT)


def members(fact_type: type) -> dict[str, st.SearchStrategy[Any]]:
    """Return values of each declared member of a type of facts."""
    chosen = {
        column.member: values(column.type)
        if not column.declared.mapping
        else st.dictionaries(TEXT, TEXT, max_size=3).map(lambda pairs: tuple(sorted(pairs.items())))
        for column in fact_columns(fact_type)
        if "." not in column.member
    }
    unknown = {column.member for column in fact_columns(fact_type) if column.nullable}
    return {member: st.none() | some if member in unknown else some for member, some in chosen.items()} | {
        member: st.builds(part, **members(part)) for member, part in part_types(fact_type).items()
    }


@pytest.mark.parametrize("kind", CLUSTER_KINDS, ids=lambda kind: kind.name)
@examples(20)
@given(data=st.data())
def test_fact_is_the_same_after_it_was_stored(kind, data) -> None:
    """The cells that are written are those that are read, whatever is in them."""
    fact = data.draw(st.builds(kind.type, source=st.just(SOURCE), **members(kind.type)))
    scan = ClusterScan(cluster=Cluster(name=ClusterName("c"), brokers=()), outcomes=(), facts=(fact,))
    (row,) = kind.rows(scan, RowContext(cluster=1, sources={SOURCE: 1}, definitions={}))
    names = (*kind.parents, *kind.values)
    cells = dict(zip(names, (*row.parents, *row.values[: len(kind.values)]), strict=True))

    assert fact_of(kind.type, SimpleNamespace(source_name=SOURCE, **cells)) == fact
