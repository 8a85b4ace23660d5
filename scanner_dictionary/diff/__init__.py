"""What changed between two scans of a cluster: facts, schemas of topics, columns, and which readers that breaks."""

from __future__ import annotations

from scanner_dictionary.diff.changes import AttributeChange, FactAction, FactChange, ScanDiff, SchemaRef, SideChange
from scanner_dictionary.diff.documents import DiffRow, as_json, rows
from scanner_dictionary.diff.scans import diff

__all__ = [
    "AttributeChange",
    "DiffRow",
    "FactAction",
    "FactChange",
    "ScanDiff",
    "SchemaRef",
    "SideChange",
    "as_json",
    "diff",
    "rows",
]
