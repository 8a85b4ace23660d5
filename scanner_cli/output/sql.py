"""What is told of SQL statements: the JSON that programs may rely on, and rows for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from scanner_cli.output.columns import problem_document
from scanner_model.column_path import path_name

if TYPE_CHECKING:
    from dataflow_generator.sql import ColumnRef, Flow, StatementFlows

Json = Any

SHOWN = ("statement", "kind", "target", "source", "type", "subtype")


def sql_document(found: StatementFlows) -> dict[str, Json]:
    """Return what `scanner explain sql` tells of one statement."""
    return {
        "statement": found.text,
        "kind": found.kind,
        "sources": list(found.sources),
        "sinks": list(found.sinks),
        "columns": [_flow(flow) for flow in found.flows],
        "problems": [problem_document(problem) for problem in found.problems],
        "unresolved": [problem_document(problem) for problem in found.unresolved],
        "datasets": [
            {
                "name": one.name,
                "parts": list(one.qualified),
                "topics": list(one.topics),
                "topic_pattern": one.topic_pattern,
            }
            for one in found.datasets
        ],
    }


def sql_rows(found: Iterable[StatementFlows]) -> Iterator[dict[str, Json]]:
    """Return a row for each flow, and one for a statement that has none."""
    for number, one in enumerate(found, 1):
        said = {"statement": number, "kind": one.kind}
        for flow in one.flows:
            ends = {"target": _name(flow.target), "source": _name(flow.source)}
            yield said | ends | {"type": flow.effect.type, "subtype": str(flow.effect)}
        if not one.flows:
            yield said | {"target": list(one.sinks), "source": list(one.sources)}


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
