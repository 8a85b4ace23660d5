"""Which readers a changed schema breaks, by the rules of its format; docs/diff.md lists what cannot be detected."""

from __future__ import annotations

from scanner_dictionary.compatibility.changes import Action, ColumnChange, Finding, SchemaChange, Verdict, worst
from scanner_dictionary.compatibility.compare import FORMAT_RULES, FormatRules, compare

__all__ = [
    "FORMAT_RULES",
    "Action",
    "ColumnChange",
    "Finding",
    "FormatRules",
    "SchemaChange",
    "Verdict",
    "compare",
    "worst",
]
