"""A problem found in the input: what, where, and a next step."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing that is wrong: `where` (file, JSON path, subject), `what`, and a `hint` (empty where there is none)."""

    where: str
    what: str
    hint: str = ""

    def __str__(self) -> str:
        """Return one line of text."""
        return f"{self.where}: {self.what}" + (f" ({self.hint})" if self.hint else "")
