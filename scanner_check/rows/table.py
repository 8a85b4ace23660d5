"""The table of all rules of the check."""

from __future__ import annotations

from collections.abc import Mapping

from scanner_check.model import ChangeFinding
from scanner_check.rows import files, flows, programs, schemas
from scanner_check.rows.rule import Rule

RULES: Mapping[str, Rule] = {
    row.name: row
    for module in (schemas, flows, programs, files)
    for row in vars(module).values()
    if isinstance(row, Rule)
}
"""Every rule by its name."""


def row_of(finding: ChangeFinding) -> Rule:
    """Return the row of a finding's rule."""
    return RULES[finding.rule]
