"""The condition that the database checks lets every name through that the pattern accepts."""

from __future__ import annotations

from sqlalchemy import Column, MetaData, Table, Text, create_engine, insert, select

from scanner_dictionary.queries.topics import name_condition, name_filter

NAMES = ("customer_id", "CustomerId", "id", "a.customer.b", "größe", "GRÖSSE_customer", "x[1]", "50%_off", "a/b", "")
PATTERNS = (
    *("customer", "CUSTOMER", "*customer*", "c*id", "?d", "[ci]*id", "[!a]*", "[]x]*", "x[[]1]", "50%", "%_", "a/b"),
    *("größe", "*größe*", "*", "?", "["),
)


def test_the_condition_excludes_no_name_that_fits() -> None:
    """What it excludes is never compared."""
    table = Table("names", MetaData(), Column("name", Text))
    engine = create_engine("sqlite://")
    with engine.begin() as conn:
        table.create(conn)
        conn.execute(insert(table), [{"name": name} for name in NAMES])
        for pattern in PATTERNS:
            condition, fits = name_condition(table.c.name, pattern), name_filter(pattern)
            query = select(table.c.name)
            allowed = set(conn.scalars(query if condition is None else query.where(condition)))

            assert {name for name in NAMES if fits(name)} <= allowed, pattern


def test_a_part_of_a_name_excludes_the_others() -> None:
    """Most names of a large dictionary are not read."""
    table = Table("names", MetaData(), Column("name", Text))
    with create_engine("sqlite://").begin() as conn:
        table.create(conn)
        conn.execute(insert(table), [{"name": name} for name in NAMES])
        condition = name_condition(table.c.name, "customer")

        assert condition is not None
        listed = set(conn.scalars(select(table.c.name).where(condition)))

    assert listed == {name for name in NAMES if "customer" in name.lower()}
