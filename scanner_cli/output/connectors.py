"""What `scanner explain connector` tells, as JSON members and as rows of a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from scanner_cli.output.columns import problem_document

if TYPE_CHECKING:
    from dataflow_generator.connectors import ConnectorFlows, Dataset
    from dataflow_generator.connectors.columns import ColumnFlow

Json = Any
SHOWN = ("source", "target", "because")
COLUMNS_SHOWN = ("source", "source_column", "target", "side", "target_column", "how")
_UNKNOWN = "?"


def connector_document(flows: ConnectorFlows, columns: Iterable[ColumnFlow]) -> dict[str, Json]:
    """Return the document of one connector; a flow's end is null where it is not known."""
    return {
        "name": flows.name,
        "class": flows.class_name,
        "direction": str(flows.direction),
        "inputs": [_dataset(one) for one in flows.inputs],
        "outputs": [_dataset(one) for one in flows.outputs],
        "flows": [
            {"source": _dataset(flow.source), "target": _dataset(flow.target), "because": flow.because}
            for flow in flows.flows
        ],
        "side_topics": [
            {"dataset": _dataset(one.dataset), "role": one.role, "because": one.because} for one in flows.side_topics
        ],
        "columns": [_column(one) for one in columns],
        "problems": [problem_document(problem) for problem in flows.problems],
    }


def flow_rows(flows: ConnectorFlows) -> list[dict[str, Json]]:
    """Return a row for each flow, and one for each topic that the connector uses for itself."""
    rows = [
        {"source": _shown(flow.source), "target": _shown(flow.target), "because": flow.because} for flow in flows.flows
    ]
    side = [
        {"source": f"({one.role})", "target": _shown(one.dataset), "because": one.because} for one in flows.side_topics
    ]
    return rows + side


def column_rows(columns: Iterable[ColumnFlow]) -> list[dict[str, Json]]:
    """Return a row for each column."""
    return [
        {
            "source": _shown(one.flow.source),
            "source_column": "" if one.origin is None else _name(one.origin),
            "target": _shown(one.flow.target),
            "side": str(one.side),
            "target_column": _name(one.path),
            "how": _how(one),
        }
        for one in columns
    ]


def _column(one: ColumnFlow) -> dict[str, Json]:
    source = None if one.origin is None else {"dataset": _dataset(one.flow.source), "path": list(one.origin)}
    return {
        "source": source,
        "target": {"dataset": _dataset(one.flow.target), "path": list(one.path)},
        "side": str(one.side),
        "type": "DIRECT" if source else "",
        "subtype": "" if not source else "TRANSFORMATION" if one.changed or one.masked else "IDENTITY",
        "masked": one.masked,
    }


def _how(one: ColumnFlow) -> str:
    if one.origin is None:
        return "made"
    return "masked" if one.masked else "changed" if one.changed else "copied"


def _name(path: tuple[str, ...]) -> str:
    from scanner_model.column_path import path_name

    return path_name(path) or "(whole message)"


def _dataset(dataset: Dataset | None) -> dict[str, str] | None:
    return None if dataset is None else {"namespace": dataset.namespace, "name": dataset.name}


def _shown(dataset: Dataset | None) -> str:
    if dataset is None:
        return _UNKNOWN
    return f"{dataset.namespace}{'' if dataset.name.startswith('/') else ' '}{dataset.name}"
