"""The operations of the JSON API: one row for each, with a function from a dictionary and parameters to a document.

A parameter of the function is one of the query, or of the path where the path names it; its annotation holds its type,
limits and description. The OpenAPI document is made of this table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from scanner_server.api import changes, lineage, listings

BASE = "/api/v1"


@dataclass(frozen=True, slots=True)
class Operation:
    """A request: its path below `/api/v1`, and the function that answers it; *media* is the type of the answer.

    The parameters of a POST are the members of its body; it changes nothing either. A *heavy* one may take seconds
    on a large dictionary: it waits for other heavy ones only, and holds up no light one.
    """

    path: str
    answer: Callable[..., Any]
    media: str = "application/json"
    method: Literal["GET", "POST"] = "GET"
    heavy: bool = False

    @property
    def name(self) -> str:
        """Return its operationId."""
        return self.answer.__name__


OPERATIONS: tuple[Operation, ...] = (
    Operation("/state", listings.get_state),
    Operation("/clusters", listings.list_clusters),
    Operation("/clusters/{cluster}/topics/{topic}", listings.describe_topic),
    Operation("/clusters/{cluster}/topics/{topic}/schemas", listings.topic_schemas),
    Operation("/topics", listings.list_topics),
    Operation("/schemas", listings.list_schemas, heavy=True),
    Operation("/columns", listings.list_columns),
    Operation("/connectors", listings.list_connectors, heavy=True),
    Operation("/statements", listings.list_statements, heavy=True),
    Operation("/tables", listings.list_tables, heavy=True),
    Operation("/findings", listings.list_findings, heavy=True),
    Operation("/sources", listings.list_sources),
    Operation("/scans", listings.list_scans),
    Operation("/scans/{scan}/sources", listings.list_scan_sources),
    Operation("/scans/{scan}/problems", listings.list_scan_problems),
    Operation("/scans/diff", changes.get_diff, heavy=True),
    Operation("/search", listings.search),
    Operation("/graphs", lineage.list_graphs),
    Operation("/overview", lineage.get_overview),
    Operation("/lineage", lineage.get_lineage),
    Operation("/paths", lineage.get_paths),
    Operation("/impact", lineage.get_impact, heavy=True),
    Operation("/history", changes.get_history, heavy=True),
    Operation("/may-delete", changes.may_delete, heavy=True),
    Operation("/check-change", changes.check_change, method="POST", heavy=True),
    Operation("/impact.csv", lineage.get_impact_csv, "text/csv", heavy=True),
)
"""All operations; a new question is a function above and a row here."""
