"""A view or query of a database, read by itself: the tables of its text, and the columns that it selects from them."""

from __future__ import annotations

from dataflow_generator.connectors.families.jdbc_queries import Table, read_query
from dataflow_generator.sql.lineage import ColumnRef, Effect, Flow, StatementFlows
from scanner_model.columns import field_segment
from scanner_model.errors import Problem

DIALECTS = ("postgres", "mysql", "sqlserver", "oracle", "sqlite", "redshift", "snowflake")
"""The dialects that people may name."""


def read_database_query(text: str, dialect: str) -> StatementFlows:
    """Read one view or query in a *dialect* of DIALECTS, by its text alone.

    Names stay as the text has them, in the letter case of the database. Without the columns of the tables, `*` and bare
    names in joins are unresolved.
    """
    query = read_query(text, dialect)
    view = _name(query.view)
    flows = {
        Flow(
            ColumnRef(view, (field_segment(column.name),)),
            ColumnRef(_name(table), (field_segment(name),)),
            Effect.TRANSFORMATION if column.changed else Effect.IDENTITY,
        )
        for column in query.columns
        for table, name in column.origins
    }
    flows |= {
        Flow(
            ColumnRef(view, (field_segment(column.name),)),
            ColumnRef(_name(effect.table), (field_segment(effect.column),)),
            Effect(effect.subtype),
        )
        for column in query.columns
        for effect in column.effects
    }
    flows |= {
        Flow(ColumnRef(view), ColumnRef(_name(effect.table), (field_segment(effect.column),)), Effect(effect.subtype))
        for effect in query.effects
    }
    problems = (Problem("1:1", query.problem),) if query.problem else ()
    unresolved = [
        f"{name} cannot be resolved, which filters, joins, groups or sorts" for name in query.unresolved_effects
    ]
    if query.rest:
        unresolved.insert(0, f"the columns of {_name(query.rest)} are not known: it is selected by *")
    return StatementFlows(
        text=text,
        kind="CREATE VIEW" if view else "SELECT",
        sources=tuple(sorted(map(_name, query.tables))),
        sinks=(view,) if view else (),
        flows=tuple(sorted(flows)),
        problems=problems,
        unresolved=() if problems else tuple(Problem("1:1", what) for what in unresolved),
        at="1:1",
    )


def _name(table: Table | None) -> str:
    return ".".join(table or ())
