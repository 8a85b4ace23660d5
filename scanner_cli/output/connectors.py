"""The output of `scanner explain connector` and `scanner explain sql` as JSON and as rows of a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from scanner_cli import library
from scanner_model.columns import WHOLE_MESSAGE, path_name

if TYPE_CHECKING:
    from scanner_api.parsing import ColumnFlow, ConnectorFlows, Dataset, SqlColumn, SqlFlow, StatementFlows

Json = Any
CONNECTOR_COLUMNS = ("source", "target", "because")
COLUMNS_SHOWN = ("source", "source_column", "target", "side", "target_column", "how")
_UNKNOWN = "?"


def connector_document(flows: ConnectorFlows, columns: Iterable[ColumnFlow]) -> dict[str, Json]:
    """Return the document of one connector; a flow's end is null where it is not known."""
    return {
        "name": flows.name,
        "class": flows.class_name,
        "direction": str(flows.direction),
        "inputs": [_dataset(dataset) for dataset in flows.inputs],
        "outputs": [_dataset(dataset) for dataset in flows.outputs],
        "flows": [
            {"source": _dataset(flow.source), "target": _dataset(flow.target), "because": flow.because}
            for flow in flows.flows
        ],
        "side_topics": [
            {"dataset": _dataset(side.dataset), "role": side.role, "because": side.because}
            for side in flows.side_topics
        ],
        "columns": [_column(column) for column in columns],
        "problems": library.document(flows.problems),
    }


def flow_rows(flows: ConnectorFlows) -> list[dict[str, Json]]:
    """Return a row for each flow, and one for each topic that the connector uses internally."""
    rows = [
        {"source": _shown(flow.source), "target": _shown(flow.target), "because": flow.because} for flow in flows.flows
    ]
    side = [
        {"source": f"({topic.role})", "target": _shown(topic.dataset), "because": topic.because}
        for topic in flows.side_topics
    ]
    return rows + side


def connector_rows(columns: Iterable[ColumnFlow]) -> list[dict[str, Json]]:
    """Return a row for each column."""
    return [
        {
            "source": _shown(column.flow.source),
            "source_column": "" if column.origin is None else _name(column.origin),
            "target": _shown(column.flow.target),
            "side": str(column.side),
            "target_column": _name(column.path),
            "how": _how(column),
        }
        for column in columns
    ]


def _column(column: ColumnFlow) -> dict[str, Json]:
    source = None if column.origin is None else {"dataset": _dataset(column.flow.source), "path": list(column.origin)}
    return {
        "source": source,
        "target": {"dataset": _dataset(column.flow.target), "path": list(column.path)},
        "side": str(column.side),
        "type": "DIRECT" if source else "",
        "subtype": "" if not source else "TRANSFORMATION" if column.changed or column.masked else "IDENTITY",
        "masked": column.masked,
    }


def _how(column: ColumnFlow) -> str:
    if column.origin is None:
        return "made"
    return "masked" if column.masked else "changed" if column.changed else "copied"


def _name(path: tuple[str, ...]) -> str:
    return path_name(path) or WHOLE_MESSAGE


def _dataset(dataset: Dataset | None) -> dict[str, str] | None:
    return None if dataset is None else {"namespace": dataset.namespace, "name": dataset.name}


def _shown(dataset: Dataset | None) -> str:
    if dataset is None:
        return _UNKNOWN
    return f"{dataset.namespace}{'' if dataset.name.startswith('/') else ' '}{dataset.name}"


SQL_COLUMNS = ("statement", "kind", "target", "source", "type", "subtype")


def sql_document(statement: StatementFlows) -> dict[str, Json]:
    """Return one statement as JSON."""
    return {
        "statement": statement.text,
        "kind": statement.kind,
        "sources": list(statement.sources),
        "sinks": list(statement.sinks),
        "columns": [_flow(flow) for flow in statement.flows],
        "problems": library.document(statement.problems),
        "unresolved": library.document(statement.unresolved),
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
            ends = {"target": _column_name(flow.target), "source": _column_name(flow.source)}
            yield head | ends | {"type": flow.effect.type, "subtype": str(flow.effect)}
        if not statement.flows:
            yield head | {"target": list(statement.sinks), "source": list(statement.sources)}


def _flow(flow: SqlFlow) -> dict[str, Json]:
    return {
        "source": {"dataset": flow.source.dataset, "path": list(flow.source.path)},
        "target": {"dataset": flow.target.dataset, "path": list(flow.target.path)},
        "type": flow.effect.type,
        "subtype": str(flow.effect),
    }


def _column_name(column: SqlColumn) -> str:
    return f"{column.dataset or '(result)'}: {path_name(column.path) or '(all rows)'}"
