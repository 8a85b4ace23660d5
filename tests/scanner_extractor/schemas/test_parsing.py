"""Columns as bytes are the columns."""

from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

from scanner_extractor.schemas.parsing import PackedColumns
from scanner_model.columns import Column

TEXT = st.text(max_size=5)
MAYBE = st.none() | TEXT
COLUMNS = st.builds(
    Column,
    path=st.lists(TEXT, max_size=3).map(tuple),
    type=TEXT,
    logical_type=MAYBE,
    nullable=st.booleans(),
    default=MAYBE,
    doc=MAYBE,
    tags=st.lists(TEXT, max_size=2).map(tuple),
    recursive=MAYBE,
    branches=st.lists(TEXT, max_size=2).map(tuple),
    number=st.none() | st.integers(),
)


@examples(50)
@given(st.lists(COLUMNS, max_size=4).map(tuple))
def test_packed_columns_are_the_columns(columns) -> None:
    """Whoever looks at them must not notice that they were bytes meanwhile."""
    packed = PackedColumns(columns)

    assert packed == columns
    assert tuple(packed) == columns
    assert len(packed) == len(columns)
    assert packed[:1] == columns[:1]
    assert hash(packed) == hash(PackedColumns(columns))


def test_a_million_columns_take_little_memory() -> None:
    """They wait for the end of a scan: as objects they would take twenty times as much."""
    columns = [Column(path=(f"field_{at}",), type="string", doc="What the sender calls it.") for at in range(10_000)]

    packed = PackedColumns(columns)

    assert len(packed._packed) < 40 * len(columns)
    assert PackedColumns(()) != "text of another kind"
