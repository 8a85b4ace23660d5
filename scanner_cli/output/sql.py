"""The output of `scanner explain sql` as JSON and as rows of a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from scanner_cli.output.columns import problem_document
from scanner_model.column_path import path_name

if TYPE_CHECKING:
    from dataflow_generator.sql import ColumnRef, Flow, StatementFlows

Json = Any

SHOWN = ("statement", "kind", "target", "source", "type", "subtype")


def sql_document(statement: StatementFlows) -> dict[str, Json]:
    """Return one statement as JSON."""
    return {
        "statement": statement.text,
        "kind": statement.kind,
        "sources": list(statement.sources),
        "sinks": list(statement.sinks),
        "columns": [_flow(flow) for flow in statement.flows],
        "problems": [problem_document(problem) for problem in statement.problems],
        "unresolved": [problem_document(problem) for problem in statement.unresolved],
        "datasets": [
            {
                "name": dataset.name,
                "parts": list(dataset.qualified),
                "topics": list(dataset.topics),
                "topic_pattern": dataset.topic_pattern,
            }
            for dataset in statement.datasets
        ],
    }


def sql_rows(statements: Iterable[StatementFlows]) -> Iterator[dict[str, Json]]:
    """Return a row for each flow, and one for a statement that has none."""
    for number, statement in enumerate(statements, 1):
        head = {"statement": number, "kind": statement.kind}
        for flow in statement.flows:
            ends = {"target": _name(flow.target), "source": _name(flow.source)}
            yield head | ends | {"type": flow.effect.type, "subtype": str(flow.effect)}
        if not statement.flows:
            yield head | {"target": list(statement.sinks), "source": list(statement.sources)}


def _flow(flow: Flow) -> dict[str, Json]:
    return {
        "source": {"dataset": flow.source.dataset, "path": list(flow.source.path)},
        "target": {"dataset": flow.target.dataset, "path": list(flow.target.path)},
        "type": flow.effect.type,
        "subtype": str(flow.effect),
    }


def _name(place: ColumnRef) -> str:
    column = path_name(place.path)
    return f"{place.dataset or '(result)'}: {column or '(all rows)'}"
