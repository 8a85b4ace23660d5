"""Which readers a changed schema breaks, by the rules of its format; docs/diff.md says what cannot be told."""

from __future__ import annotations

from scanner_dictionary.evolution.changes import Action, ColumnChange, Finding, SchemaChange, Verdict
from scanner_dictionary.evolution.compare import EVOLUTION, Evolution, compare

__all__ = ["EVOLUTION", "Action", "ColumnChange", "Evolution", "Finding", "SchemaChange", "Verdict", "compare"]
