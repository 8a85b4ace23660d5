"""Operations about changes: between two scans, of one thing over time, and those that are only proposed."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from scanner_api import queries
from scanner_api.dictionary import Dictionary
from scanner_api.graph.history import diff_flows, flows_document
from scanner_server.api.answers import ScanComparison, comparison


def get_diff(
    dictionary: Dictionary,
    *,
    first: Annotated[int, Field(alias="from", ge=1, le=2**31 - 1, description="The scan to compare from.")],
    second: Annotated[
        int, Field(alias="to", ge=1, le=2**31 - 1, description="The scan to compare to, of the same cluster.")
    ],
    flows: Annotated[
        bool, Field(description="Also the nodes and flows that differ between the graphs of both scans, with causes.")
    ] = False,
    limit: Annotated[int, Field(ge=1, le=20_000, description="How many items a list has at most.")] = 2_000,
) -> ScanComparison:
    """Compare two scans, with the compatibility of each schema; the members are those of `scanner diff`."""
    changes = queries.diff_document(queries.diff(dictionary, first, second))
    graphs = flows_document(diff_flows(dictionary, first, second)) if flows else None
    return comparison(changes, graphs, limit)
