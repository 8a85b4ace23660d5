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

    The parameters of a POST are the members of its body; it changes nothing either.
    """

    path: str
    answer: Callable[..., Any]
    media: str = "application/json"
    method: Literal["GET", "POST"] = "GET"

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
    Operation("/schemas", listings.list_schemas),
    Operation("/columns", listings.list_columns),
    Operation("/connectors", listings.list_connectors),
    Operation("/statements", listings.list_statements),
    Operation("/tables", listings.list_tables),
    Operation("/findings", listings.list_findings),
    Operation("/sources", listings.list_sources),
    Operation("/scans", listings.list_scans),
    Operation("/scans/{scan}/sources", listings.list_scan_sources),
    Operation("/scans/{scan}/problems", listings.list_scan_problems),
    Operation("/scans/diff", changes.get_diff),
    Operation("/search", listings.search),
    Operation("/lineage", lineage.get_lineage),
    Operation("/paths", lineage.get_paths),
    Operation("/impact", lineage.get_impact),
    Operation("/history", changes.get_history),
    Operation("/may-delete", changes.may_delete),
    Operation("/check-change", changes.check_change, method="POST"),
    Operation("/impact.csv", lineage.get_impact_csv, "text/csv"),
)
"""All operations; a new question is a function above and a row here."""
