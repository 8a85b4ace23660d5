"""One view or query of a database, read by its text alone."""

from __future__ import annotations

import pytest

from dataflow_generator.sql.lineage import Effect
from dataflow_generator.sql.relational.queries import DIALECTS, read_database_query


@pytest.mark.parametrize("dialect", DIALECTS)
def test_view_is_read_in_every_dialect_that_can_be_named(dialect) -> None:
    """Names are in the case of the database."""
    text = "CREATE VIEW sales.latest AS SELECT o.id AS no, o.net + o.tax AS total FROM sales.orders o"
    read = read_database_query(text, dialect)
    flows = {(flow.source.path[0].lower(), flow.target.path[0].lower(), flow.effect) for flow in read.flows}

    assert [name.lower() for name in (*read.sinks, *read.sources)] == ["sales.latest", "sales.orders"]
    assert flows == {
        ("id", "no", Effect.IDENTITY),
        ("net", "total", Effect.TRANSFORMATION),
        ("tax", "total", Effect.TRANSFORMATION),
    }
    assert (read.kind, read.problems, read.unresolved) == ("CREATE VIEW", (), ())


def test_query_alone_has_no_sink() -> None:
    """PostgreSQL shows the text of a view without its name."""
    read = read_database_query("SELECT id FROM orders", "postgres")

    assert (read.kind, read.sources, read.sinks, len(read.flows)) == ("SELECT", ("orders",), (), 1)


@pytest.mark.parametrize("text", ["SELECT FROM (((", "DROP TABLE orders", "", "SELECT 1; SELECT 2"])
def test_what_is_no_view_is_a_problem(text) -> None:
    """The status of the command says so, too."""
    read = read_database_query(text, "postgres")

    assert read.problems
    assert read.flows == ()


def test_star_is_unresolved_without_the_columns_of_the_table() -> None:
    """A scan of the database knows them."""
    (problem,) = read_database_query("SELECT * FROM orders", "mysql").unresolved

    assert "orders" in problem.what
